//! MLflow: a stored `make_judge` scorer, or its instructions alone.
//!
//! ```json
//! {"name": "calls", "instructions_judge_pydantic_data": {"instructions": "Was {{ outputs }} right for {{ inputs }}?",
//!  "model": "openai:/gpt-4.1", "feedback_value_type": {"type": "boolean"}}}
//! ```
//!
//! MLflow leaves the names in the text and appends the values, each after its name. So does this.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answers::Answers;
use super::labels::{self, NAME_THEM};
use super::sense::Sense;
use super::source::no_prompt;
use super::{Body, Evaluator, Unusable};
use crate::domain::{Rails, Slot, Variable};
use crate::render::plain::{self, Segment};
use crate::render::template::Origin;

/// What instructions can name. A conversation is a whole session there, not what came before a turn.
const VARIABLES: [(&str, Slot); 5] = [
    ("inputs", Slot::Question),
    ("outputs", Slot::Response),
    ("expectations", Slot::Reference),
    ("conversation", Slot::Transcript),
    ("trace", Slot::Transcript),
];
/// Pairs of values; MLflow's own judges answer with the first.
const PAIRS: [(&str, &str); 5] =
    [("yes", "no"), ("pass", "fail"), ("passed", "failed"), ("correct", "incorrect"), ("true", "false")];
/// The other forms that MLflow stores a scorer in.
const OTHER_SCORERS: [&str; 5] = [
    "builtin_scorer_class",
    "call_source",
    "memory_augmented_judge_data",
    "third_party_scorer_data",
    "ensemble_scorer_data",
];

static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}").ok());

#[derive(Deserialize)]
struct Written {
    instructions: String,
    model: Option<String>,
    feedback_value_type: Option<Value>,
    inference_params: Option<Map<String, Value>>,
    #[serde(default)]
    include_tool_calls_in_conversation: bool,
}

pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    let unusable = |why| Unusable { origin: Origin::Mlflow, why };
    let Ok(Value::Object(mut scorer)) = serde_json::from_str(source) else {
        return instructions(source).map(|read| read.map_err(unusable));
    };
    let name = scorer.get("name").and_then(Value::as_str).and_then(super::identifier);
    let description = scorer.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    match scorer.remove("instructions_judge_pydantic_data").filter(|data| !data.is_null()) {
        Some(data) => Some(judge(name, description, data).map_err(unusable)),
        None => {
            let other =
                OTHER_SCORERS.into_iter().find(|key| scorer.get(*key).is_some_and(|data| !data.is_null()))?;
            Some(Err(unusable(format!(
                "its `{other}` is not a judge with instructions; docs/judges.md lists what asks the same here"
            ))))
        }
    }
}

fn judge(name: Option<String>, description: String, data: Value) -> Result<Evaluator, String> {
    let written: Written = serde_json::from_value(data).map_err(|why| why.to_string())?;
    let names = names(&written.instructions)?;
    let title = format!("{}: {description}", name.as_deref().unwrap_or_default());
    let rails = rails(written.feedback_value_type.as_ref(), &title, &written.instructions);
    let mut notes = notes(&names);
    if names.contains(&"conversation") && !written.include_tool_calls_in_conversation {
        notes.push("MLflow leaves the calls out of {{ conversation }}; here it shows them".to_owned());
    }
    if let Ok(rails) = &rails {
        let labels: Vec<&str> = rails.labels().collect();
        notes.push(format!(
            "MLflow does not say which value is good: `{}` passes; if that is wrong, give --rails {},{}",
            labels[0], labels[1], labels[0]
        ));
    }
    let parameters: Vec<String> =
        written.inference_params.iter().flat_map(Map::keys).map(ToOwned::to_owned).collect();
    notes.extend(super::settings_note(written.model.as_deref(), &parameters));
    Ok(Evaluator {
        origin: Origin::Mlflow,
        name,
        description,
        body: body(&written.instructions, &names),
        rails,
        wants_request: true,
        notes,
    })
}

/// Instructions alone, where only MLflow's meaning of `{{ conversation }}` makes a template of them. Others are plain text.
fn instructions(source: &str) -> Option<Result<Evaluator, String>> {
    let source = source.trim_end();
    if source.starts_with("+++") || source.starts_with("---") {
        return None;
    }
    let found = names(source).ok()?;
    let is_session = found.contains(&"conversation")
        && found.iter().all(|name| matches!(*name, "conversation" | "expectations"));
    let others = plain::variables(&plain::parse(source, &[]));
    let is_alone =
        others.iter().all(|variable| matches!(variable, Variable::Slot(Slot::Question | Slot::Reference)));
    (is_session && is_alone).then(|| {
        if let Some(why) = no_prompt(source) {
            return Err(why);
        }
        Ok(Evaluator {
            origin: Origin::Mlflow,
            name: None,
            description: "instructions of a judge".to_owned(),
            body: body(source, &found),
            rails: Ok(Rails::correctness()),
            wants_request: false,
            notes: notes(&found),
        })
    })
}

/// The variables that `text` names, in order.
fn names(text: &str) -> Result<Vec<&'static str>, String> {
    let mut names = Vec::new();
    let found = PLACEHOLDER.iter().flat_map(|placeholder| placeholder.captures_iter(text));
    for name in found.filter_map(|found| found.get(1)) {
        let Some((name, _)) = VARIABLES.iter().find(|(known, _)| *known == name.as_str()) else {
            return Err(format!(
                "MLflow has no variable `{}`; instructions can name {}",
                name.as_str(),
                VARIABLES.map(|(known, _)| known).join(", ")
            ));
        };
        if !names.contains(name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Err(format!(
            "its instructions name none of {}, so the judge would be shown nothing",
            VARIABLES.map(|(known, _)| format!("{{{{ {known} }}}}")).join(", ")
        ));
    }
    Ok(names)
}

fn body(instructions: &str, names: &[&str]) -> Body {
    let mut segments = vec![Segment::Text(format!("{}\n", instructions.trim_end()))];
    for (name, slot) in VARIABLES.into_iter().filter(|(name, _)| names.contains(name)) {
        segments.push(Segment::Text(format!("\n{name}:\n")));
        segments.push(Segment::Value(Variable::Slot(slot)));
        segments.push(Segment::Text("\n".to_owned()));
    }
    Body::Segments(segments)
}

fn notes(names: &[&str]) -> Vec<String> {
    let trace = "MLflow's judge reads the spans of {{ trace }} with tools of its own; here it is shown the transcript: messages, \
                 calls, results and the answer, without times and token counts";
    let conversation =
        "{{ conversation }} is the whole transcript, the judged turn and what came after it included";
    [("trace", trace), ("conversation", conversation)]
        .into_iter()
        .filter(|(name, _)| names.contains(name))
        .map(|(_, note)| note.to_owned())
        .collect()
}

/// The values of a JSON Schema as labels. What yes and true mean is for the instructions to say, or for the judge's name in `title`.
fn rails(kind: Option<&Value>, title: &str, instructions: &str) -> Result<Rails, String> {
    let pair = |(good, bad): (&str, &str)| {
        let answers = Answers { high: good, low: bad };
        let is_open = ["yes", "true"].iter().any(|word| good.trim().eq_ignore_ascii_case(word));
        if is_open && answers.of(title, instructions) != Sense::Good {
            return Err(format!(
                "its instructions do not say clearly that `{good}` is good; {NAME_THEM}: --rails {good},{bad} if `{good}` passes, --rails \
                 {bad},{good} if `{bad}` does"
            ));
        }
        labels::scored(vec![(good.to_owned(), 1.0), (bad.to_owned(), 0.0)], 1.0)
    };
    let name = kind.and_then(|kind| kind.get("type")).and_then(Value::as_str).unwrap_or("string");
    match kind.and_then(|kind| kind.get("enum")).and_then(Value::as_array) {
        Some(values) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let values: Vec<String> = values.iter().map(text).collect();
            let is = |value: &String, word: &str| value.trim().eq_ignore_ascii_case(word);
            let known = PAIRS.into_iter().find_map(|(good, bad)| match values.as_slice() {
                [a, b] if is(a, good) && is(b, bad) => Some((a, b)),
                [a, b] if is(a, bad) && is(b, good) => Some((b, a)),
                _ => None,
            });
            let unclear = || {
                format!(
                    "its values are {}, and the file does not say which of them is good; {NAME_THEM}",
                    values.join(", ")
                )
            };
            known.ok_or_else(unclear).and_then(|(good, bad)| pair((good, bad)))
        }
        None if name == "boolean" => pair(("true", "false")),
        None => Err(format!(
            "its feedback_value_type is {name} without a list of values, and a judge answers with one of a few labels here; {NAME_THEM}"
        )),
    }
}
