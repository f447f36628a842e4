//! The built-in judge on cases written by hand: `cases/check.jsonl`, with the toolboxes of `cases/check_tools.jsonl`.

use std::collections::HashMap;
use std::sync::Arc;

use tooljudge_core::check::{BuiltinJudge, Decide, Observation, measure, observations};
use tooljudge_core::domain::{
    Aftermath, Arguments, Calls, Definitions, Json, Message, Number, Origin, Outcome, RawText, Role, Sample,
    Status, Task, ToolCall, ToolDefinition,
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
    lines(include_str!("../../tests/cases/check_tools.jsonl"))
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
        messages: messages.into(),
        calls: Calls::Parsed(list(case, "calls").iter().map(call).collect()),
        definitions: Definitions::Known(Arc::clone(&toolboxes[text(case, "tools")])),
        raw: RawText::default(),
        flags: Vec::new(),
        origin: Origin::default(),
        place: None,
        after: Aftermath::default(),
        extras: Default::default(),
        part: None,
    }
}

/// The cases that the fitted trees label otherwise, most of them by a hair. They are listed so that one more is seen.
const MISSED: [&str; 7] = [
    "due-file",
    "due-amount",
    "composed-body",
    "joke-call",
    "two-cities-one-call-selection",
    "event-list-deleted",
    "bound-after",
];

#[test]
fn cases_written_by_hand() {
    let toolboxes = toolboxes();
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut labelled = 0;
    for case in lines(include_str!("../../tests/cases/check.jsonl")) {
        count += 1;
        let sample = sample(&case, &toolboxes);
        let verdict = BuiltinJudge::new(text(&case, "task").parse().unwrap())
            .with_decide(Decide::Always)
            .judge(&sample);
        let kinds: Vec<&str> = observations(&sample).iter().map(Observation::kind).collect();
        let missing = list(&case, "findings").iter().filter(|kind| !kinds.contains(&kind.as_str().unwrap()));
        let unwanted = list(&case, "absent").iter().filter(|kind| kinds.contains(&kind.as_str().unwrap()));
        let off: Vec<String> = missing
            .map(|kind| format!("no {kind}"))
            .chain(unwanted.map(|kind| format!("has {kind}")))
            .collect();
        let confidence = verdict.confidence.unwrap_or(f64::NAN);
        assert_eq!(verdict.label().is_some(), (0.5..=1.0).contains(&confidence), "{confidence}");
        // A case without a label is about its observations only.
        let label = case.get("label").and_then(Json::as_str);
        let told = verdict.label().unwrap_or(verdict.status().as_str());
        labelled += usize::from(label.is_some());
        let is_missed = label.is_some_and(|label| told != label);
        if is_missed != MISSED.contains(&text(&case, "id")) || !off.is_empty() {
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
    let told = format!(
        "Of {labelled} calls written by hand, {} are judged as they should be",
        labelled - MISSED.len()
    );
    assert!(include_str!("../../docs/builtin-judge.md").contains(&told), "docs/builtin-judge.md: {told}");
}

/// Of all measurements of the cases. Trained models rest on them, and tell by `EXAMINATION` whether theirs are today's.
const MEASURED: &str = "820a7bf3344e30ef";

#[test]
fn trained_models_rest_on_what_is_measured() {
    let toolboxes = toolboxes();
    let mut hasher = blake3::Hasher::new();
    for case in lines(include_str!("../../tests/cases/check.jsonl")) {
        let measured = measure(&sample(&case, &toolboxes));
        let numbers = measured.iter().flat_map(|measured| &measured.features);
        // A platform's logarithms may differ in the last digits.
        for number in numbers {
            hasher.update(format!("{number:.3} ").as_bytes());
        }
    }
    assert_eq!(
        &hasher.finalize().to_hex()[..16],
        MEASURED,
        "the judge measures otherwise: raise EXAMINATION in check/mod.rs, and write the new hash here"
    );
}

/// A table makes floats of whole numbers where another row has none, and gives every definition the keywords of each.
#[test]
fn how_a_table_holds_numbers_changes_nothing() {
    fn respelled(json: &Json, end: &str) -> Json {
        match json {
            Json::Number(number) if number.is_integer() => {
                Json::Number(Number::parse(&format!("{}{end}", number.as_str())).unwrap())
            }
            Json::Array(items) => Json::Array(items.iter().map(|item| respelled(item, end)).collect()),
            Json::Object(object) => Json::Object(
                object.iter().map(|(key, value)| (key.to_owned(), respelled(value, end))).collect(),
            ),
            other => other.clone(),
        }
    }
    let toolboxes = toolboxes();
    let mut with_numbers = 0;
    for case in lines(include_str!("../../tests/cases/check.jsonl")) {
        let sample = sample(&case, &toolboxes);
        let Calls::Parsed(calls) = &sample.calls else { continue };
        for end in [".0", "e0"] {
            let spelled: Vec<ToolCall> = calls
                .iter()
                .map(|call| match call.parsed().map(|object| respelled(&Json::Object(object.clone()), end)) {
                    Some(Json::Object(arguments)) => ToolCall::new(call.name.as_str(), arguments),
                    _ => call.clone(),
                })
                .collect();
            with_numbers += usize::from(spelled != *calls);
            let spelled = Sample { calls: Calls::Parsed(spelled), ..sample.clone() };
            let measured = |sample| measure(sample).map(|measured| (measured.features, measured.settled));
            assert_eq!(measured(&spelled), measured(&sample), "{}", text(&case, "id"));
        }
    }
    assert!(with_numbers > 40, "{with_numbers}");
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
        assert!(matches!(verdict.outcome, Outcome::Abstained(reason) if !reason.why.is_empty()));
    }
}
