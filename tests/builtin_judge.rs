//! The built-in judge on cases written by hand: `cases/check.jsonl`, with the toolboxes of `cases/check_tools.jsonl`.

use std::collections::HashMap;
use std::sync::Arc;

use tooljudge::check::{BuiltinJudge, Finding, findings};
use tooljudge::domain::{
    Arguments, Calls, Definitions, Json, Message, Origin, Outcome, RawText, Role, Sample, Status, Task,
    ToolCall, ToolDefinition,
};

fn lines(text: &str) -> impl Iterator<Item = Json> {
    text.lines().map(|line| Json::parse(line).unwrap())
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or_else(|| panic!("no `{key}` in {json}"))
}

fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json.get(key).and_then(Json::as_array).unwrap_or_default()
}

fn toolboxes() -> HashMap<String, Arc<[ToolDefinition]>> {
    let definition = |json: &Json| ToolDefinition {
        name: text(json, "name").to_owned(),
        description: text(json, "description").to_owned(),
        parameters: json.get("parameters").unwrap().clone(),
    };
    lines(include_str!("cases/check_tools.jsonl"))
        .map(|line| {
            (text(&line, "tools").to_owned(), list(&line, "definitions").iter().map(definition).collect())
        })
        .collect()
}

fn call(json: &Json) -> ToolCall {
    match json.get("arguments") {
        Some(Json::Object(arguments)) => ToolCall::new(text(json, "name"), arguments.clone()),
        _ => ToolCall {
            name: text(json, "name").to_owned(),
            arguments: Arguments::Malformed(text(json, "arguments_raw").to_owned()),
            id: None,
        },
    }
}

fn sample(case: &Json, toolboxes: &HashMap<String, Arc<[ToolDefinition]>>) -> Sample {
    let question = text(case, "question");
    let mut messages: Vec<Message> = list(case, "before")
        .iter()
        .map(|message| {
            let [role, content] = message.as_array().unwrap() else { panic!("{message}") };
            let role = [Role::System, Role::User, Role::Assistant, Role::Tool]
                .into_iter()
                .find(|own| role.as_str() == Some(own.as_str()))
                .unwrap();
            Message::new(role, content.as_str().unwrap())
        })
        .collect();
    if !messages.iter().any(|message| message.role == Role::User && message.content == question) {
        messages.push(Message::new(Role::User, question));
    }
    Sample {
        question: question.to_owned(),
        messages,
        calls: Calls::Parsed(list(case, "calls").iter().map(call).collect()),
        definitions: Definitions::Known(Arc::clone(&toolboxes[text(case, "tools")])),
        raw: RawText::default(),
        flags: Vec::new(),
        origin: Origin::default(),
    }
}

#[test]
fn cases_written_by_hand() {
    let toolboxes = toolboxes();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in lines(include_str!("cases/check.jsonl")) {
        count += 1;
        let sample = sample(&case, &toolboxes);
        let verdict = BuiltinJudge::new(text(&case, "task").parse().unwrap()).judge(&sample);
        let kinds: Vec<&str> = findings(&sample).iter().map(Finding::kind).collect();
        let missing = list(&case, "findings").iter().filter(|kind| !kinds.contains(&kind.as_str().unwrap()));
        let unwanted = list(&case, "absent").iter().filter(|kind| kinds.contains(&kind.as_str().unwrap()));
        let off: Vec<String> = missing
            .map(|kind| format!("no {kind}"))
            .chain(unwanted.map(|kind| format!("has {kind}")))
            .collect();
        let confidence = verdict.confidence.unwrap_or(f64::NAN);
        assert_eq!(verdict.label().is_some(), (0.5..=1.0).contains(&confidence), "{confidence}");
        // A case without a label is about its findings only.
        let label = case.get("label").and_then(Json::as_str);
        let told = verdict.label().unwrap_or(verdict.status().as_str());
        if label.is_some_and(|label| told != label) || !off.is_empty() {
            wrong.push(format!(
                "{}: {:?} {:.2} {off:?} {}",
                text(&case, "id"),
                verdict.label(),
                confidence,
                verdict.explanation.as_deref().unwrap_or_default()
            ));
        }
    }
    assert!(count > 60);
    assert!(wrong.is_empty(), "{} of {count} cases are off:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_to_go_on_is_no_verdict() {
    let toolboxes = toolboxes();
    let case = Json::parse(r#"{"question":"What's up?","tools":"weather","calls":[]}"#).unwrap();
    let known = sample(&case, &toolboxes);
    let unknown = Sample { definitions: Definitions::Unknown, ..known.clone() };
    let prose = Sample { definitions: Definitions::FreeText, ..known.clone() };
    let unparsed = Sample { calls: Calls::Unparsed, ..known.clone() };
    for (sample, task) in [
        (&unknown, Task::ToolCalling),
        (&prose, Task::ToolSelection),
        (&unparsed, Task::ToolCalling),
        (&known, Task::ParameterExtraction),
    ] {
        let verdict = BuiltinJudge::new(task).judge(sample);
        assert_eq!(verdict.status(), Status::Abstained);
        assert_eq!((verdict.label(), verdict.confidence), (None, None));
        assert!(matches!(verdict.outcome, Outcome::Abstained(reason) if !reason.is_empty()));
    }
}

/// Real calls of models and questions that the judge's weights were not fitted to.
mod real_calls {
    use std::fs::File;
    use std::path::Path;

    use polars::prelude::{DataFrame, ParquetReader, SerReader};
    use tooljudge::check::{BuiltinJudge, Finding, findings};
    use tooljudge::domain::{Cell, RawRow, Sample, Task};
    use tooljudge::normalize::{Normalizer, Options};
    use tooljudge::stats::{Confusion, Measure, auc};

    struct Row {
        sample: Sample,
        verdict: Option<bool>,
        parameters: Option<bool>,
        selection: Option<bool>,
    }

    /// The lowest bit of a text's hash says which half it is in; the weights were fitted to half 0.
    fn half(text: &str) -> u8 {
        blake3::hash(text.as_bytes()).as_bytes()[0] & 1
    }

    fn column<'a>(table: &'a DataFrame, name: &str) -> Vec<Option<&'a str>> {
        table.column(name).unwrap().str().unwrap().iter().collect()
    }

    /// Decoded calls, each one once, whose question and model are both in the half that was held out.
    fn held_out(path: &Path) -> Vec<Row> {
        let table = ParquetReader::new(File::open(path).unwrap()).finish().unwrap();
        let names = [
            "question",
            "tool_call",
            "tool_definitions",
            "model",
            "call_key",
            "decode_status",
            "verdict",
            "params_label",
            "selection_label",
        ];
        let [question, call, definitions, model, key, status, verdict, parameters, selection] =
            names.map(|name| column(&table, name));
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let cell = |text: Option<&str>| text.map_or(Cell::Null, |text| Cell::Text(text.to_owned()));
        let gold = |label: Option<&str>| label.map(|label| label == "correct");
        let mut seen = std::collections::HashSet::new();
        (0..table.height())
            .filter(|row| status[*row] == Some("ok") && seen.insert(key[*row]))
            .filter(|row| half(question[*row].unwrap()) == 1 && half(model[*row].unwrap()) == 1)
            .map(|row| Row {
                sample: normalizer
                    .sample(RawRow {
                        question: cell(question[row]),
                        tool_call: cell(call[row]),
                        tool_definitions: cell(definitions[row]),
                    })
                    .unwrap(),
                verdict: gold(verdict[row]),
                parameters: gold(parameters[row]),
                selection: gold(selection[row]),
            })
            .collect()
    }

    /// Findings that a schema alone can make.
    fn is_of_schema(finding: &Finding) -> bool {
        matches!(
            finding,
            Finding::UnknownTool { .. }
                | Finding::MalformedArguments { .. }
                | Finding::MissingParameter { .. }
                | Finding::UnknownParameter { .. }
                | Finding::WrongType { .. }
                | Finding::LooseType { .. }
                | Finding::NotAllowed { .. }
                | Finding::BrokenRule { .. }
        )
    }

    fn show(name: &str, confusion: Confusion, area: Option<f64>) {
        println!(
            "  {name:12} balanced accuracy {:.3}, accuracy {:.3}, AUC {:.3}; right calls: {} passed, {} failed; \
             wrong calls: {} passed, {} failed; {} unjudged",
            Measure::BalancedAccuracy.of(&confusion).unwrap(),
            Measure::Accuracy.of(&confusion).unwrap(),
            // Of a judge without degrees, the area is the mean of its two hit rates.
            area.or(Measure::BalancedAccuracy.of(&confusion)).unwrap(),
            confusion.true_positive,
            confusion.false_negative,
            confusion.false_positive,
            confusion.true_negative,
            confusion.unjudged(),
        );
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test reads where the data lies")]
    fn unseen_questions_and_models() {
        let Ok(shared) = std::env::var("TOOLJUDGE_SHARED") else {
            println!("skipped: TOOLJUDGE_SHARED is not set");
            return;
        };
        let rows = held_out(&Path::new(&shared).join("data/bfcl_real_calls.parquet"));
        assert!(rows.len() > 1_000);
        let mut balanced = Vec::new();
        for task in Task::ALL {
            let gold_of = |row: &Row| match task {
                Task::ToolCalling => row.verdict,
                Task::ParameterExtraction => row.parameters,
                Task::ToolSelection => row.selection,
            };
            let judge = BuiltinJudge::new(task);
            let (mut judged, mut schema_only, mut all_correct) =
                <(Confusion, Confusion, Confusion)>::default();
            let (mut scores, mut golds, mut bins) = (Vec::new(), Vec::new(), [(0.0, 0.0, 0u32); 5]);
            for row in &rows {
                let Some(gold) = gold_of(row) else { continue };
                let verdict = judge.judge(&row.sample);
                let label = verdict.label().map(|label| label == "correct");
                judged.add(gold, label);
                all_correct.add(gold, Some(true));
                schema_only.add(gold, Some(!findings(&row.sample).iter().any(is_of_schema)));
                if let (Some(label), Some(confidence)) = (label, verdict.confidence) {
                    scores.push(if label { confidence } else { 1.0 - confidence });
                    golds.push(gold);
                    let bin = &mut bins[(((confidence - 0.5) * 10.0) as usize).min(4)];
                    *bin = (bin.0 + confidence, bin.1 + f64::from(u8::from(label == gold)), bin.2 + 1);
                }
            }
            println!("{} on {} held-out calls", task.as_str(), scores.len());
            show("builtin", judged, auc(&scores, &golds));
            show("schema only", schema_only, None);
            show("all correct", all_correct, None);
            for (confidence, right, count) in bins.into_iter().filter(|bin| bin.2 > 0) {
                let count = f64::from(count);
                println!("  confidence {:.2}: {:.2} right of {count}", confidence / count, right / count);
            }
            balanced.push((task, Measure::BalancedAccuracy.of(&judged).unwrap()));
        }
        for (task, figure) in balanced {
            assert!(figure >= 0.70, "{}: {figure}", task.as_str());
        }
    }
}
