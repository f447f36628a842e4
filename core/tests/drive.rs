//! Whole episodes of a peer, reply by reply.

use std::collections::VecDeque;
use std::sync::Arc;

use tooljudge_core::domain::{Arguments, Entry, Json, Object, Stop, ToolCall, Turn};
use tooljudge_core::drive::record::case_record;
use tooljudge_core::drive::{
    Bounds, Case, Ended, Episode, EpisodeScorer, Expected, Grade, Heard, Loop, Script, Stage, SuiteDefaults,
    SuiteFormat, World, read_suite,
};
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

/// A case of a suite in TOML, driven by the replies of a script; what came of it, a line each.
fn driven(case: &str, replies: &str, follows: Loop) -> Vec<String> {
    let suite = format!(
        "tools = [{{ name = \"look\", parameters = {{ type = \"object\", required = [\"city\"], properties = {{ city = {{ type = \"string\" }}, \
         days = {{ type = \"integer\", maximum = 7 }} }} }} }}, {{ name = \"math.add\", parameters = {{ type = \"object\", properties = {{}} }} }}]\n\
         [[mocks]]\ntool = \"look\"\nwhen = {{ city = \"Hue\" }}\nresult = {{ sky = \"clear\" }}\nlatency_ms = 40\n\
         [[cases]]\nid = \"c\"\n{case}\n"
    );
    let defaults = match follows {
        Loop::Article => SuiteDefaults::article(),
        _ => SuiteDefaults::default(),
    };
    let suite = read_suite("s.toml", SuiteFormat::Toml, &suite, defaults, &|_| Err(String::new())).unwrap();
    let script = Script::read(&format!(r#"{{"case": "c", "replies": [{replies}]}}"#)).unwrap();
    let stage = Stage::all(suite.cases).unwrap().remove(0);
    let mut episode = Episode::new(&stage, follows);
    while episode.asks().is_some() {
        match script.reply("c", 1, episode.turns().len()) {
            Ok(reply) => episode.hear(reply.clone()),
            Err(why) => episode.end(Ended::Errored, Some(why)),
        }
    }
    let said = episode.messages().iter().skip(1).map(|message| {
        let failed = if message.is_error { " (failed)" } else { "" };
        let calls = message
            .tool_calls
            .iter()
            .map(|call| format!(" -> {} {}", call.name, call.id.as_deref().unwrap()));
        format!("{}{failed}: {}{}", message.role.as_str(), message.content, calls.collect::<String>())
    });
    let mut lines: Vec<String> = said.collect();
    let issues: Vec<&str> = episode.issues().iter().map(|issue| issue.kind.as_str()).collect();
    let response = episode.response().as_str().unwrap_or_default();
    lines.push(format!(
        "{} after {} ms, {response:?} {}",
        episode.ended().unwrap().as_str(),
        episode.tool_ms(),
        issues.join(" ")
    ));
    lines
}

const ASK: &str = "user_message = \"Sky?\"\nshould_not_call_tools = true";

/// Cases, the replies of the agent, and what came of them.
const EPISODES: &[(&str, &str, &[&str])] = &[
    (ASK, r#""Clear.""#, &["assistant: Clear.", r#"finished after 0 ms, "Clear." "#]),
    (
        ASK,
        r#"{"text": "Let me see.", "calls": [{"name": "look", "arguments": {"city": "Hue"}}, {"name": "look", "arguments": {"city": "Hue"}, "id": "x"}]}, "Clear.""#,
        &[
            "assistant: Let me see. -> look call_1_1 -> look x",
            r#"tool: {"sky":"clear"}"#,
            r#"tool: {"sky":"clear"}"#,
            "assistant: Clear.",
            r#"finished after 80 ms, "Clear." "#,
        ],
    ),
    (
        ASK,
        r#"{"calls": [{"name": "look", "arguments": {"city": "Hue"}, "id": "x"}, {"name": "look", "arguments": {"city": "Hue"}, "id": "x"}]}, {"calls": [{"name": "look", "arguments": {"city": "Hue"}, "id": "x"}]}, "Clear.""#,
        &[
            "assistant:  -> look x -> look call_1_2",
            r#"tool: {"sky":"clear"}"#,
            r#"tool: {"sky":"clear"}"#,
            "assistant:  -> look call_2_1",
            r#"tool: {"sky":"clear"}"#,
            "assistant: Clear.",
            r#"finished after 120 ms, "Clear." "#,
        ],
    ),
    (
        ASK,
        r#"{"calls": [{"name": "gaze", "arguments": {}}, {"name": "look", "arguments": "{bad"}, {"name": "look", "arguments": {"city": "Hue", "days": 9}}, {"name": "look", "arguments": {}}, {"name": "look", "arguments": {"city": "Oslo"}}, {"name": "math_add", "arguments": {}}]}, "?""#,
        &[
            "assistant:  -> gaze call_1_1 -> look call_1_2 -> look call_1_3 -> look call_1_4 -> look call_1_5 -> math.add call_1_6",
            "tool (failed): unknown tool \"gaze\"; there are: look, math_add",
            "tool (failed): the arguments are not a JSON object: ",
            "tool (failed): invalid arguments for \"look\": /days: 9 is greater than the maximum of 7",
            "tool (failed): invalid arguments for \"look\": \"city\" is a required property",
            "tool (failed): `look` has no result for these arguments",
            r#"tool: {"status":"success","result":"Mock result for math.add","input_received":{}}"#,
            "assistant: ?",
            r#"finished after 0 ms, "?" unknown_tool undecodable invalid_arguments invalid_arguments unmatched_call"#,
        ],
    ),
    (
        "user_message = \"Sky?\"\nmax_tool_calls = 1\nforbidden_tools = [\"math.add\"]",
        r#"{"calls": [{"name": "look", "arguments": {"city": "Hue"}}, {"name": "look", "arguments": {"city": "Hue"}}]}"#,
        &[
            "assistant:  -> look call_1_1 -> look call_1_2",
            r#"tool: {"sky":"clear"}"#,
            r#"max_calls after 40 ms, "" stopped_early"#,
        ],
    ),
    (
        "user_message = \"Sky?\"\nmax_steps = 1\nforbidden_tools = [\"math.add\"]",
        r#"{"calls": [{"name": "look", "arguments": {"city": "Hue"}}]}"#,
        &[
            "assistant:  -> look call_1_1",
            r#"tool: {"sky":"clear"}"#,
            r#"max_steps after 40 ms, "" stopped_early"#,
        ],
    ),
    (
        ASK,
        r#"{"text": "I", "calls": [{"name": "look", "arguments": {"city": "Hue"}}], "stop": "truncated"}"#,
        &["assistant: I -> look call_1_1", r#"truncated after 0 ms, "I" stopped_early"#],
    ),
    (
        ASK,
        r#"{"text": "No.", "stop": "refused"}"#,
        &["assistant: No.", r#"refused after 0 ms, "No." stopped_early"#],
    ),
    (ASK, r#"{"text": "", "stop": "filtered"}"#, &["assistant: ", r#"filtered after 0 ms, "" "#]),
    (ASK, r#""""#, &["assistant: ", r#"empty after 0 ms, "" stopped_early"#]),
    (
        "user_message = \"Sky?\"\nunmatched = \"stop\"\nshould_not_call_tools = true",
        r#"{"calls": [{"name": "look", "arguments": {"city": "Oslo"}}]}"#,
        &["assistant:  -> look call_1_1", r#"off_script after 0 ms, "" "#],
    ),
    (
        "user_message = \"Sky?\"\nexecute = false\nshould_not_call_tools = true",
        r#"{"text": "I look.", "calls": [{"name": "look", "arguments": {"city": "Hue"}}]}"#,
        &["assistant: I look. -> look call_1_1", r#"finished after 0 ms, "I look." "#],
    ),
    (
        "turns = [{ user = \"Sky?\" }, { user = \"Sure?\" }]\nshould_not_call_tools = true",
        r#""Clear.", "Yes.""#,
        &["assistant: Clear.", "user: Sure?", "assistant: Yes.", r#"finished after 0 ms, "Yes." "#],
    ),
    (
        "user_message = \"Sky?\"\nshould_not_call_tools = true\nmocks = [{ tool = \"look\", results = [{ error = \"busy\" }, { text = \"clear\" }], times = 3 }]",
        r#"{"calls": [{"name": "look", "arguments": {"city": "Rome"}}, {"name": "look", "arguments": {"city": "Rome"}}, {"name": "look", "arguments": {"city": "Rome"}}, {"name": "look", "arguments": {"city": "Hue"}}]}, "Clear.""#,
        &[
            "assistant:  -> look call_1_1 -> look call_1_2 -> look call_1_3 -> look call_1_4",
            "tool (failed): busy",
            "tool: clear",
            "tool: clear",
            r#"tool: {"sky":"clear"}"#,
            "assistant: Clear.",
            r#"finished after 40 ms, "Clear." "#,
        ],
    ),
];

#[test]
fn an_episode_goes_on_after_whatever_an_agent_does() {
    for (case, replies, expected) in EPISODES {
        let came = driven(case, replies, Loop::Own);
        assert_eq!(came.len(), expected.len(), "{came:#?}");
        for (line, expected) in came.iter().zip(*expected) {
            // The parser's own words follow.
            let is_equal = line == expected || (expected.ends_with("object: ") && line.starts_with(expected));
            assert!(is_equal, "{line}\n{expected}\nin {came:#?}");
        }
    }
}

/// The article's loop: every tool echoes in Python's JSON, one round more than calls are allowed, other stops end it silently.
#[test]
fn episodes_as_the_article_drives_them() {
    let call = r#"{"calls": [{"name": "look", "arguments": {"city": "Huế", "days": 99}}]}"#;
    let echoed = r#"tool: {"status": "success", "result": "Mock result for look", "input_received": {"city": "Hu\u1ebf", "days": 99}}"#;
    let case =
        |max: u32| format!("user_message = \"Sky?\"\nmax_tool_calls = {max}\nshould_not_call_tools = true");
    let ends = |replies: &str, max: u32| driven(&case(max), replies, Loop::Article);
    assert_eq!(
        ends(&format!("{call}, \"Clear.\""), 5),
        ["assistant:  -> look call_1_1", echoed, "assistant: Clear.", r#"finished after 0 ms, "Clear." "#]
    );
    let calls = [call; 9].join(", ");
    let all = ends(&calls, 2);
    assert_eq!(all.iter().filter(|line| line.starts_with("assistant")).count(), 3, "{all:#?}");
    assert_eq!(all.last().unwrap(), r#"finished after 0 ms, "" "#);
    for stop in ["truncated", "refused", "filtered"] {
        let came = ends(&format!(r#"{{"text": "I", "stop": "{stop}"}}"#), 5);
        assert_eq!(came, ["assistant: I", r#"finished after 0 ms, "" "#]);
    }
    assert_eq!(ends(r#""""#, 5), ["assistant: ", r#"finished after 0 ms, "" "#]);
}

#[test]
fn a_forbidden_call_is_the_same_with_arguments_that_say_nothing() {
    let tool = r#"{"name":"del","parameters":{"type":"object","properties":{"id":{"type":"string"},"force":{"type":"boolean","default":false},"note":{"type":["string","null"]}},"required":["id"]}}"#;
    let ban = r#""not_calls":[{"tool_name":"del","params":{"id":"7"}}]"#;
    let line = format!(r#"{{"id":"1","user_message":"Tidy up.","tools":[{tool}],{ban}}}"#);
    let suite =
        read_suite("s.jsonl", SuiteFormat::Jsonl, &line, SuiteDefaults::default(), &|_| Err(String::new()))
            .unwrap_or_else(|error| panic!("{error}"));
    let stage = Stage::all(suite.cases).unwrap().remove(0);
    let scorer = EpisodeScorer::new(None, &Object::new(), Loop::Own).unwrap();
    for (arguments, passes) in [
        (r#"{"id":"7"}"#, false),
        (r#"{"id":"7","force":false}"#, false),
        (r#"{"id":"7","note":null}"#, false),
        (r#"{"id":"7","force":true}"#, true),
        (r#"{"id":"7","note":"old"}"#, true),
        (r#"{"id":"8"}"#, true),
    ] {
        let mut episode = Episode::new(&stage, Loop::Own);
        let call = format!(r#"{{"text":"","calls":[{{"id":"c","name":"del","args":{arguments}}}]}}"#);
        episode.hear(reply(&Json::parse(&call).unwrap()));
        episode.hear(reply(&Json::parse(r#"{"text":"Done.","calls":[]}"#).unwrap()));
        assert_eq!(episode.ended(), Some(Ended::Finished), "{arguments}");
        let scored = scorer.score(&episode, &case_record(&episode, 0), Grade::NotAsked).unwrap();
        assert_eq!(scored.passed, Some(passes), "{arguments}: {:?}", scored.issues);
    }
}

#[test]
fn a_suite_says_from_which_score_on_a_case_passes() {
    let case = r#"user_message = "Sky?"
expected_tool_calls = [{ tool_name = "look", required_params = { city = "Hue", days = 1 } }]"#;
    let tools = r#"[{ name = "look", parameters = { type = "object" } }]"#;
    let replies = r#"{"case": "c", "replies": [{"calls": [{"name": "look", "arguments": {"city": "Hue"}}]}, "Clear."]}"#;
    for (threshold, passes) in
        [("threshold = 0.8", true), ("threshold = 0.85", true), ("threshold = 1", false)]
    {
        let suite = format!("tools = {tools}\n[[cases]]\nid = \"c\"\n{case}\n{threshold}");
        let suite =
            read_suite(
                "s.toml",
                SuiteFormat::Toml,
                &suite,
                SuiteDefaults::default(),
                &|_| Err(String::new()),
            );
        let stage = Stage::all(suite.unwrap().cases).unwrap().remove(0);
        let script = Script::read(replies).unwrap();
        let mut episode = Episode::new(&stage, Loop::Own);
        while episode.asks().is_some() {
            episode.hear(script.reply("c", 1, episode.turns().len()).unwrap().clone());
        }
        let scorer = EpisodeScorer::new(None, &Object::new(), Loop::Own).unwrap();
        let scored = scorer.score(&episode, &case_record(&episode, 1), Grade::NotAsked).unwrap();
        assert_eq!((scored.score, scored.passed), (Some(0.85), Some(passes)), "{threshold}");
    }
}
