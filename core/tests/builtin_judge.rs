//! The built-in judge on cases written by hand: `cases/check.jsonl`, with the toolboxes of `cases/check_tools.jsonl`.

use std::collections::HashMap;
use std::sync::Arc;

use tooljudge_core::check::{BuiltinJudge, Observation, observations};
use tooljudge_core::domain::{
    Aftermath, Arguments, Calls, Definitions, Json, Message, Origin, Outcome, RawText, Role, Sample, Status,
    Task, ToolCall, ToolDefinition,
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

#[test]
fn cases_written_by_hand() {
    let toolboxes = toolboxes();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in lines(include_str!("../../tests/cases/check.jsonl")) {
        count += 1;
        let sample = sample(&case, &toolboxes);
        let verdict = BuiltinJudge::new(text(&case, "task").parse().unwrap()).judge(&sample);
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
