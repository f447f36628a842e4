//! Whole episodes of a peer, reply by reply.

use std::collections::VecDeque;
use std::sync::Arc;

use tooljudge_core::domain::{Arguments, Entry, Json, Object, Stop, ToolCall, Turn};
use tooljudge_core::drive::{Bounds, Case, Ended, Episode, Expected, Heard, Loop, Stage, World};
use tooljudge_core::environment::{Environment, EnvironmentName};

use crate::environments::{list, recorded, text};

fn stage(name: EnvironmentName, question: &str) -> Arc<Stage> {
    let case = Case {
        id: "1".to_owned(),
        category: None,
        system: Some(name.instructions().into()),
        tools: Environment::new(name).definitions().into(),
        world: World::Environment(name),
        start: vec![Entry::User(question.to_owned())],
        follow_ups: Vec::new(),
        bounds: Bounds::default(),
        expected: Expected::Example { example: Object::new(), output_evaluation: "none" },
        reference: None,
    };
    Stage::all(vec![case]).unwrap().remove(0)
}

/// A reply of the recorded model.
fn reply(scripted: &Json) -> Heard {
    let mut turn = Turn::default();
    match scripted.get("malformed") {
        Some(call) => turn.calls.push(ToolCall {
            name: text(call, "name").to_owned(),
            arguments: Arguments::Malformed(text(call, "arguments").to_owned()),
            id: None,
        }),
        None => {
            match scripted.get("text") {
                Some(Json::String(text)) => turn.text.clone_from(text),
                parts => turn.parts = parts.cloned(),
            }
            turn.calls.extend(list(scripted, "calls").iter().map(|call| ToolCall {
                id: Some(text(call, "id").to_owned()),
                ..ToolCall::new(text(call, "name"), call.get("args").unwrap().as_object().unwrap().clone())
            }));
        }
    }
    Heard { message: scripted.to_string().into(), stop: Stop::Finished, turn }
}

/// What the model was sent beside instructions and question, as the peer records it: kind, text, id.
fn request(entries: &[Entry]) -> Vec<(String, String, Option<String>)> {
    let own = |message: &str| match Json::parse(message).unwrap().get("text") {
        Some(Json::String(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    let of_entry = |entry: &Entry| match entry {
        Entry::Reply { message, .. } => vec![("AIMessage".to_owned(), own(message), None)],
        Entry::Assistant { text, .. } => vec![("AIMessage".to_owned(), text.clone(), None)],
        Entry::Results(results) => results
            .iter()
            .map(|result| ("ToolMessage".to_owned(), result.content.clone(), Some(result.id.clone())))
            .collect(),
        Entry::User(text) => panic!("{text}"),
    };
    entries.iter().flat_map(of_entry).collect()
}

fn is_same(ours: &Json, theirs: &Json) -> bool {
    match (ours, theirs) {
        (Json::Number(ours), Json::Number(theirs)) => {
            let (ours, theirs) = (ours.as_f64(), theirs.as_f64());
            ours == theirs || (ours - theirs).abs() <= 1e-12 * theirs.abs()
        }
        (Json::Array(ours), Json::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_same(ours, theirs))
        }
        (Json::String(ours), Json::Object(theirs)) if theirs.contains_key("$float") => ours
            .to_lowercase()
            .starts_with(&theirs.get("$float").unwrap().as_str().unwrap()[..3].to_lowercase()),
        (Json::String(_), Json::Object(theirs)) if theirs.contains_key("$complex") => true,
        (Json::Object(ours), Json::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .all(|(key, value)| theirs.get(key).is_some_and(|theirs| is_same(value, theirs)))
        }
        (ours, theirs) => ours == theirs,
    }
}

#[test]
fn episodes_as_langchain_drives_them() {
    let episodes = recorded("langchain_loops.jsonl.gz");
    let (mut died, mut ended_early, mut odd) = (0, 0, 0);
    for case in &episodes {
        let name = match text(case, "env") {
            "typewriter_1" => EnvironmentName::Typewriter1,
            "typewriter_26" => EnvironmentName::Typewriter26,
            "relational_data" => EnvironmentName::Relational,
            _ => EnvironmentName::Multiverse,
        };
        let mut episode = Episode::new(&stage(name, text(case, "question")), Loop::LangChain);
        let mut script: VecDeque<&Json> = list(case, "script").iter().collect();
        let (mut asked, mut last) = (0_u64, Vec::new());
        while let Some(dialogue) = episode.asks() {
            asked += 1;
            last = dialogue.entries[1..].to_vec();
            let next = script[0];
            if script.len() > 1 {
                script.pop_front();
            }
            episode.hear(reply(next));
        }
        assert_eq!(case.get("model_calls").map(Json::to_string), Some(asked.to_string()), "{case}");
        let theirs: Vec<_> = list(case, "last_request")
            .iter()
            .map(|message| message.as_array().unwrap())
            .map(|message| {
                let part = |at: usize| message[at].as_str().map(str::to_owned);
                (part(0).unwrap(), part(1).unwrap(), part(2))
            })
            .collect();
        assert_eq!(request(&last), theirs, "{case}");
        if let Some(error) = case.get("error") {
            assert_eq!(episode.ended(), Some(Ended::Errored), "{case}");
            let why = format!("{}: {}", text(error, "type"), text(error, "message"));
            assert_eq!(episode.why(), Some(why.as_str()), "{case}");
            died += 1;
            continue;
        }
        let theirs = case.get("result").unwrap();
        assert_eq!(Some(episode.response()), theirs.get("output"), "{case}");
        assert_eq!(episode.state(), theirs.get("state").and_then(Json::as_str), "{case}");
        let steps = episode.intermediate_steps();
        assert!(is_same(&steps, theirs.get("intermediate_steps").unwrap()), "{steps}\n{case}");
        ended_early += u32::from(episode.ended() == Some(Ended::MaxSteps));
        odd += u32::from(steps.to_string().contains("_Exception"));
    }
    let count = episodes.len();
    println!("{count} episodes equal: {died} died, {ended_early} had no replies left, {odd} were misread");
    assert!(count >= 100 && died > 0 && ended_early > 0 && odd > 0);
}
