//! OpenAI: a grader as JSON, alone or in the criteria of an eval, with `{{item.NAME}}` and `{{sample.output_text}}`.
//!
//! ```json
//! {"type": "label_model", "name": "calls", "model": "gpt-4.1", "labels": ["good", "bad"], "passing_labels": ["good"],
//!  "input": [{"role": "user", "content": "Was it right? {{item.question}} {{sample.output_tools}}"}]}
//! ```

use serde::Deserialize;
use serde_json::{Map, Value};

use super::chat::{self, Message};
use super::labels::{self, NAME_THEM};
use super::{Body, Evaluator, Unusable, slots};
use crate::domain::{Rails, Slot, Variable};
use crate::render::template::Origin;

/// The grades that a judge can be offered as labels.
const MAX_GRADES: i64 = 11;

#[derive(Deserialize)]
struct Grader {
    name: Option<String>,
    model: Option<String>,
    input: Vec<Message>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    passing_labels: Vec<String>,
    range: Option<Vec<f64>>,
    pass_threshold: Option<f64>,
    sampling_params: Option<Map<String, Value>>,
}

pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    let Ok(Value::Object(file)) = serde_json::from_str(source) else { return None };
    let unusable = |why| Unusable { origin: Origin::OpenAi, why };
    let grader = match (file.get("testing_criteria"), file.get("grader")) {
        (Some(Value::Array(criteria)), _) => match only(criteria) {
            Ok(grader) => grader,
            Err(why) => return Some(Err(unusable(why))),
        },
        (_, Some(grader @ Value::Object(_))) => grader.clone(),
        _ => Value::Object(file),
    };
    let kind = grader.get("type").and_then(Value::as_str)?.to_owned();
    let read = match kind.as_str() {
        "label_model" => evaluator(grader, label_rails),
        "score_model" => evaluator(grader, score_rails),
        "multi" => Err("a multi grader holds several; put the one to use into a file of its own".to_owned()),
        "string_check" | "text_similarity" | "python" | "endpoint" => Err(format!(
            "a {kind} grader does not ask a model; `tooljudge score` compares calls with expected ones"
        )),
        _ => return None,
    };
    Some(read.map_err(unusable))
}

/// The one grader of an eval.
fn only(criteria: &[Value]) -> Result<Value, String> {
    match criteria {
        [grader] => Ok(grader.clone()),
        several => {
            let text =
                |grader: &Value, key: &str| grader.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
            let names =
                several.iter().map(|grader| format!("{} ({})", text(grader, "name"), text(grader, "type")));
            Err(format!(
                "it has {} graders: {}; put the one to use into a file of its own",
                several.len(),
                names.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}

fn evaluator(grader: Value, rails: fn(&Grader) -> Result<Rails, String>) -> Result<Evaluator, String> {
    let scores = grader.get("type").is_some_and(|kind| kind == "score_model");
    let grader: Grader = serde_json::from_value(grader).map_err(|why| why.to_string())?;
    let segments = slots::split(&chat::text(&grader.input)?, &variable)?;
    let rails = rails(&grader);
    let mut notes: Vec<String> = chat::note(&grader.input).into_iter().collect();
    if scores && let Ok(rails) = &rails {
        let labels: Vec<&str> = rails.labels().collect();
        notes.push(format!(
            "the judge answers with one of the whole numbers {}; fractions are not offered, and scores are shares of the range",
            labels.join(", ")
        ));
    }
    let parameters: Vec<String> =
        grader.sampling_params.iter().flat_map(Map::keys).map(ToOwned::to_owned).collect();
    notes.extend(super::settings_note(grader.model.as_deref(), &parameters));
    Ok(Evaluator {
        origin: Origin::OpenAi,
        name: grader.name.as_deref().and_then(super::identifier),
        description: String::new(),
        body: Body::Segments(segments),
        rails,
        wants_request: true,
        notes,
    })
}

/// What `{{name}}` is: `sample` is what the agent did, `item` the row.
fn variable(name: &str) -> Result<Variable, String> {
    let column =
        |name: &str| Slot::of_variable(name).map_or_else(|| Variable::Column(name.into()), Variable::Slot);
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match name.split_once('.').map(|(space, rest)| (space.trim(), rest.trim())) {
        Some(("sample", "output_text")) => Ok(Variable::Slot(Slot::Response)),
        Some(("sample", "output_tools")) => Ok(Variable::Slot(Slot::ToolCall)),
        Some(("sample", other)) if other.starts_with("output_tools") => Err(format!(
            "`{{{{{name}}}}}` is a part of the calls; write {{{{sample.output_tools}}}}, which shows all of them"
        )),
        Some(("sample", _)) => Err(format!(
            "`{{{{{name}}}}}` is not carried over; a grader can show {{{{sample.output_text}}}}, {{{{sample.output_tools}}}} and \
             {{{{item.NAME}}}}"
        )),
        Some(("item", item)) if is_name(item) => Ok(column(item)),
        Some(("item", _)) => Err(format!(
            "`{{{{{name}}}}}` is a part of a value; write the value whole, as {{{{item.NAME}}}}, or give the rows a column for it"
        )),
        _ => Err(format!("`{{{{{name}}}}}` is neither {{{{item.NAME}}}} nor {{{{sample.NAME}}}}")),
    }
}

fn label_rails(grader: &Grader) -> Result<Rails, String> {
    let stray = grader.passing_labels.iter().find(|label| !grader.labels.contains(label));
    if let Some(stray) = stray {
        return Err(format!("its passing label `{stray}` is not one of its labels; {NAME_THEM}"));
    }
    let score = |label: &String| if grader.passing_labels.contains(label) { 1.0 } else { 0.0 };
    labels::scored(grader.labels.iter().map(|label| (label.clone(), score(label))).collect(), 1.0)
}

/// A range of whole numbers is as many labels. One from 0 to 1 means any number between them, which labels cannot say.
fn score_rails(grader: &Grader) -> Result<Rails, String> {
    const REMEDY: &str = "if its text asks for certain values only, name these with --rails, the one that passes first, as in \
                          --rails 1,0; else let its text ask for labels or whole numbers";
    let (low, high) = match grader.range.as_deref() {
        None => (0.0, 1.0),
        Some(&[low, high]) => (low, high),
        Some(_) => return Err(format!("its range is not two numbers; {REMEDY}")),
    };
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e6).then_some(number as i64);
    let (Some(first), Some(last)) = (whole(low), whole(high)) else {
        return Err(format!("its range from {low} to {high} does not end in whole numbers; {REMEDY}"));
    };
    if last - first < 2 || last - first >= MAX_GRADES {
        return Err(format!(
            "its score is any number from {low} to {high}, and a judge answers with one of a few labels here; {REMEDY}"
        ));
    }
    let Some(threshold) = grader.pass_threshold else {
        return Err(format!(
            "it has no pass_threshold, so which scores pass is unknown; add one, or {NAME_THEM}"
        ));
    };
    labels::grades(first, last, threshold)
}
