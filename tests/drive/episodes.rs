//! What becomes of an episode, with every provider.

use serde_json::{Value, json};
use tooljudge::judge::Provider;

use super::{TOOLS, case_of, column, issues, only_ends_are_scored, rows};
use crate::providers::base_url;
use crate::support::child::Deadline;
use crate::support::server::{Answer, Said, Seen, Server, TurnEnd};
use crate::support::workspace::{Ran, Workspace};

const SUITE: &str = r#"
name = "all"
system = "You know the weather."
tools = "tools.json"

[[mocks]]
tool = "get_weather"
when = { city = "Hue" }
results = [{ result = { temp = 31 } }, { error = "rate limited" }]
[[mocks]]
tool = "get_weather"
when = { city = "Oslo" }
text = "cold"
[[mocks]]
tool = "get.forecast"
result = [3, 5]

[[cases]]
id = "parallel"
user_message = "<<parallel>> Where is it warmer?"
expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Hue" } }, { tool_name = "get_weather", required_params = { city = "Oslo" } }]
expected_output_contains = ["31", "cold"]

[[cases]]
id = "turns"
turns = [
  { user = "<<turns>> Weather in Hue?", expected_tool_calls = [{ tool_name = "get_weather" }] },
  { user = "And tomorrow?", expected_tool_calls = [{ tool_name = "get.forecast" }] },
]

[[cases]]
id = "unknown"
user_message = "<<unknown>> Tides?"
should_not_call_tools = true

[[cases]]
id = "invalid"
user_message = "<<invalid>> Twelve days?"
expected_tool_calls = [{ tool_name = "get.forecast", required_params = { days = 5 } }]

[[cases]]
id = "failing"
user_message = "<<failing>> Hue, twice?"
expected_tool_calls = [{ tool_name = "get_weather" }, { tool_name = "get_weather" }]

[[cases]]
id = "steps"
user_message = "<<steps>> Go on for ever."
max_steps = 3
expected_tool_calls = [{ tool_name = "get_weather" }]

[[cases]]
id = "calls"
user_message = "<<calls>> Two at once."
max_tool_calls = 1
expected_tool_calls = [{ tool_name = "get_weather" }]

[[cases]]
id = "recorded"
execute = false
messages = [
  { role = "user", content = "<<recorded>> Weather in Hue?" },
  { role = "assistant", tool_calls = [{ id = "c1", type = "function", function = { name = "get_weather", arguments = '{"city":"Hue"}' } }] },
  { role = "tool", tool_call_id = "c1", content = "31" },
]
expected_tool_calls = [{ tool_name = "get.forecast" }]

[[cases]]
id = "echo"
unmatched = "echo"
user_message = "<<echo>> Weather in Rome?"
expected_tool_calls = [{ tool_name = "get_weather" }]

[[cases]]
id = "error"
user_message = "<<error>> Weather in Rome?"
expected_tool_calls = [{ tool_name = "get_weather" }]

[[cases]]
id = "stop"
unmatched = "stop"
user_message = "<<stop>> Weather in Rome?"
expected_tool_calls = [{ tool_name = "get_weather" }]

[[cases]]
id = "empty"
user_message = "<<empty>> Say nothing."
should_not_call_tools = true

[[cases]]
id = "truncated"
user_message = "<<truncated>> Say too much."
expected_tool_calls = [{ tool_name = "get_weather" }]
"#;

fn agent(seen: &Seen) -> Answer {
    let weather = |city: &str| Said::call("get_weather", &json!({ "city": city }));
    let results = || {
        let results = seen.results();
        Said::text(&results.iter().map(|(_, content)| content.as_str()).collect::<Vec<_>>().join(", "))
    };
    assert_eq!(seen.tools(), ["get_weather", "get_forecast"]);
    Answer::Turn(match (case_of(seen).as_str(), seen.turns()) {
        ("parallel", 0) => {
            weather("Hue").and_call("get_weather", r#"{"city":"Oslo"}"#).thinking("Two cities.")
        }
        ("turns", 0) => weather("Hue"),
        ("turns", 1) => Said::text("31 degrees."),
        ("turns", 2) => Said::call("get_forecast", &json!({"city": "Hue", "days": 1})),
        ("unknown", 0) => Said::call("get_tides", &json!({"city": "Hue"})),
        ("invalid", 0) => Said::call("get_forecast", &json!({"city": "Hue", "days": 12})),
        ("invalid", 1) => Said::call("get_forecast", &json!({"city": "Hue", "days": 5})),
        ("failing", 0 | 1) | ("steps", _) => weather("Hue"),
        ("calls", _) => weather("Hue").and_call("get_weather", r#"{"city":"Oslo"}"#),
        ("recorded", _) => Said::call("get_forecast", &json!({"city": "Hue", "days": 1})),
        ("echo" | "error" | "stop", 0) => weather("Rome"),
        ("empty", _) => Said::text(""),
        ("truncated", _) => weather("Hue").ending(TurnEnd::Length),
        _ => results(),
    })
}

fn work(suite: &str) -> Workspace {
    let work = Workspace::new();
    work.file("tools.json", TOOLS);
    work.file("suite.toml", suite);
    work
}

fn drive(work: &Workspace, server: &Server, provider: Provider, more: &[&str]) -> Ran {
    let (agent, url) = (format!("{provider}:m"), base_url(provider, server));
    let mut args = vec![
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        &agent,
        "--base-url",
        &url,
        "--api-key-env",
        "KEY",
    ];
    args.extend(["-o", "episodes.jsonl", "--turns", "turns.jsonl"]);
    args.extend(more);
    Ran::from(work.tooljudge(&args).env("KEY", "sk-of-a-test").finish())
}

/// Ids of calls are the provider's, or ours where it gives none.
fn without_ids(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_ids).collect(),
        Value::Object(object) => object
            .into_iter()
            .map(|(key, value)| match key.as_str() {
                "id" | "tool_call_id" if value.as_str().is_some_and(|id| id.starts_with("call_")) => {
                    (key, json!("call"))
                }
                _ => (key, without_ids(value)),
            })
            .collect(),
        Value::String(text) if text.starts_with(['[', '{']) => {
            serde_json::from_str(&text).map_or(Value::String(text), without_ids)
        }
        other => other,
    }
}

fn comparable(rows: Vec<Value>) -> Vec<Value> {
    let strip = |mut row: Value| {
        for column in ["agent", "latency_ms", "usage"] {
            row.as_object_mut().unwrap().remove(column);
        }
        without_ids(row)
    };
    rows.into_iter().map(strip).collect()
}

#[test]
fn every_provider_gives_the_same_episodes_and_turns() {
    let mut first: Option<(Vec<Value>, Vec<Value>)> = None;
    for provider in Provider::ALL {
        let (server, work) = (Server::start(agent), work(SUITE));
        let ran = drive(&work, &server, provider, &[]).ended(1);
        assert!(ran.stderr.contains("1 of 13 episodes without a score"), "{provider}: {}", ran.stderr);
        let episodes = rows(&work, "episodes.jsonl");
        only_ends_are_scored(&episodes);
        assert!(episodes.iter().all(|row| row["agent"] == format!("{provider}:m")), "{provider}");
        let tables = (comparable(episodes), comparable(rows(&work, "turns.jsonl")));
        let first = first.get_or_insert_with(|| tables.clone());
        for (ours, theirs) in tables.0.iter().zip(&first.0).chain(tables.1.iter().zip(&first.1)) {
            assert_eq!(ours, theirs, "{provider}");
        }
        assert_eq!((tables.0.len(), tables.1.len()), (first.0.len(), first.1.len()), "{provider}");
        let asked = server.requests();
        drive(&work, &server, provider, &["--allow-unscored", "0.1"]).ended(0);
        assert_eq!(server.requests(), asked, "{provider}: what is stored is asked again");
    }
}

/// Of an episode: its case, how it ended, its replies, whether it passed, the kinds of its issues.
type Told<'a> = (&'a str, &'a str, u64, Option<bool>, Vec<&'a str>);

#[test]
fn each_case_ends_as_it_should_and_tells_what_was_wrong() {
    let (server, work) = (Server::start(agent), work(SUITE));
    drive(&work, &server, Provider::OpenAi, &[]).ended(1);
    let episodes = rows(&work, "episodes.jsonl");
    let of = |case: &str| episodes.iter().find(|row| row["case"] == case).unwrap();
    let found: Vec<Told<'_>> = episodes
        .iter()
        .map(|row| {
            let issues = if row["issues"].is_null() { Vec::new() } else { issues(row) };
            let text = |name: &str| row[name].as_str().unwrap();
            (text("case"), text("ended"), row["steps"].as_u64().unwrap(), row["passed"].as_bool(), issues)
        })
        .collect();
    let expected: Vec<Told<'_>> = vec![
        ("parallel", "finished", 2, Some(true), vec![]),
        ("turns", "finished", 4, Some(true), vec![]),
        ("unknown", "finished", 2, Some(false), vec!["call_where_none_is_due", "unknown_tool"]),
        ("invalid", "finished", 3, Some(false), vec!["invalid_arguments"]),
        ("failing", "finished", 3, Some(true), vec![]),
        ("steps", "max_steps", 3, Some(false), vec!["unexpected_call", "unexpected_call", "stopped_early"]),
        ("calls", "max_calls", 1, Some(false), vec!["too_many_calls", "unexpected_call", "stopped_early"]),
        ("recorded", "finished", 1, Some(true), vec![]),
        ("echo", "finished", 2, Some(true), vec![]),
        ("error", "finished", 2, Some(true), vec!["unmatched_call"]),
        ("stop", "off_script", 1, None, vec![]),
        ("empty", "empty", 1, Some(false), vec!["stopped_early"]),
        ("truncated", "truncated", 1, Some(false), vec!["stopped_early"]),
    ];
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
    let said = |case: &str| of(case)["response"].as_str().unwrap().to_owned();
    assert_eq!(said("parallel"), r#"{"temp":31}, cold"#);
    assert_eq!(said("unknown"), "unknown tool \"get_tides\"; there are: get_weather, get_forecast");
    assert_eq!(said("failing"), "rate limited");
    assert!(said("echo").contains("Mock result for get_weather"), "{}", said("echo"));
    assert!(said("error").contains("has no result for these arguments"), "{}", said("error"));
    // What is beyond the bounds is recorded, and not executed.
    let calls = |case: &str| of(case)["tool_call"].as_array().unwrap().len();
    assert_eq!((calls("calls"), calls("truncated"), calls("steps"), calls("recorded")), (2, 1, 3, 1));
    assert_eq!(
        of("turns")["tool_call"][1]["name"],
        "get.forecast",
        "sent under another name, and kept under its own"
    );
    assert!(of("stop")["error"].as_str().unwrap().starts_with("off_script"), "{}", of("stop")["error"]);
    let turns = rows(&work, "turns.jsonl");
    assert_eq!(
        turns.len() as u64,
        column(&episodes, "steps").iter().map(|steps| steps.as_u64().unwrap()).sum::<u64>()
    );
    let asked_first: Vec<&Value> =
        turns.iter().filter(|turn| turn["case"] == "turns").map(|turn| &turn["question"]).collect();
    assert_eq!(asked_first[1..], ["<<turns>> Weather in Hue?", "And tomorrow?", "And tomorrow?"]);
}

const ONE: &str = r#"
tools = "tools.json"
[[cases]]
id = "one"
user_message = "<<one>> Weather in Hue?"
expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Hue" } }]
"#;

#[test]
fn malformed_arguments_are_told_and_the_episode_goes_on_with_every_provider() {
    for provider in Provider::ALL {
        let server = Server::start(|seen| {
            let said = seen.body.to_string();
            let again = said.contains("not a JSON object") || said.contains("could not be read");
            let malformed = Said::default().and_call("get_weather", "{\"city\": \"Hue");
            Answer::Turn(match (again, said.contains("Mock result")) {
                (_, true) => Said::text("Warm."),
                (true, false) => Said::call("get_weather", &json!({"city": "Hue"})),
                (false, false) => malformed,
            })
        });
        let work = work(ONE);
        drive(&work, &server, provider, &[]).ended(0);
        let row = &rows(&work, "episodes.jsonl")[0];
        assert_eq!(
            (&row["ended"], &row["steps"], &row["passed"]),
            (&json!("finished"), &json!(3), &json!(true)),
            "{provider}: {row}"
        );
        assert!(issues(row).contains(&"undecodable"), "{provider}: {row}");
    }
}

#[test]
fn refused_is_scored_and_filtered_is_not() {
    for (end, provider, ended, passed) in [
        (TurnEnd::Refused, Provider::OpenAi, "refused", json!(false)),
        (TurnEnd::Refused, Provider::OpenAiResponses, "refused", json!(false)),
        (TurnEnd::Refused, Provider::Anthropic, "refused", json!(false)),
        (TurnEnd::Filtered, Provider::OpenAi, "filtered", Value::Null),
        (TurnEnd::Filtered, Provider::OpenAiResponses, "filtered", Value::Null),
        (TurnEnd::Filtered, Provider::Gemini, "filtered", Value::Null),
    ] {
        let server = Server::start(move |_| Answer::Turn(Said::text("I will not.").ending(end)));
        let work = work(ONE);
        drive(&work, &server, provider, &[]).ended(if passed.is_null() { 1 } else { 0 });
        let episodes = rows(&work, "episodes.jsonl");
        only_ends_are_scored(&episodes);
        assert_eq!((&episodes[0]["ended"], &episodes[0]["passed"]), (&json!(ended), &passed), "{provider}");
        assert_eq!(server.requests(), 1, "{provider}");
    }
}
