//! Recorded dialogues with each provider: requests, responses, the model's turn, the results sent back.
//!
//! `tests/turn_cassettes/PROVIDER/*.json`: `agent`, and where they differ from the defaults `base_url`, `parameters`, `adapted`,
//! `system`, `tools` and `entries`, which the dialogue begins with. Each of the `steps` has a `request` (body as it must be sent)
//! and a `response` (body, under `status`), and then either `refused`, the adaptation that the next step is sent with, or `stop`
//! and the `turn`, of which what is empty is left out; `ids` are the ids of its calls where they are not the provider's own,
//! `then` is what the dialogue goes on with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::domain::{Arguments, CallResult, Dialogue, Entry, Json, ToolCall, ToolDefinition, Turn};
use crate::judge::adaptation::{AdaptationSet, add};
use crate::judge::body_template::BodyTemplates;
use crate::judge::exchange::Exchange;
use crate::judge::failure::Failure;
use crate::judge::provider_format::Response;
use crate::judge::{Adaptation, Endpoint, Parameters, Target};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cassette {
    agent: String,
    base_url: Option<String>,
    #[serde(default)]
    parameters: Settings,
    #[serde(default)]
    adapted: Vec<String>,
    system: Option<String>,
    #[serde(default = "weather")]
    tools: Vec<Tool>,
    #[serde(default = "question")]
    entries: Vec<Logged>,
    steps: Vec<Step>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    #[serde(default)]
    capped: bool,
    #[serde(default)]
    body: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    parameters: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Logged {
    User(String),
    Assistant { text: String, calls: Vec<Call> },
    Results(Vec<Returned>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: String,
    name: String,
    /// A text is malformed.
    arguments: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Returned {
    id: String,
    tool: String,
    content: String,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    request: Option<Value>,
    #[serde(default = "ok")]
    status: u16,
    response: Value,
    refused: Option<String>,
    stop: Option<String>,
    turn: Option<Value>,
    /// Prompt, cached and completion tokens.
    tokens: Option<[Option<u64>; 3]>,
    ids: Option<Vec<String>>,
    #[serde(default)]
    then: Vec<Logged>,
}

fn ok() -> u16 {
    200
}

fn weather() -> Vec<Tool> {
    vec![Tool {
        name: "get_weather".to_owned(),
        description: "Tells the weather of a city.".to_owned(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
    }]
}

fn question() -> Vec<Logged> {
    vec![Logged::User("Is it warmer in Hue or in Oslo?".to_owned())]
}

fn json_of(value: &Value) -> Json {
    Json::parse(&value.to_string()).unwrap()
}

fn entry(logged: Logged) -> Entry {
    match logged {
        Logged::User(text) => Entry::User(text),
        Logged::Assistant { text, calls } => {
            let arguments = |arguments: &Value| match json_of(arguments) {
                Json::Object(object) => Arguments::Parsed(object),
                Json::String(text) => Arguments::Malformed(text),
                other => panic!("{other}"),
            };
            let calls = calls.into_iter().map(|call| ToolCall {
                arguments: arguments(&call.arguments),
                name: call.name,
                id: Some(call.id),
            });
            Entry::Assistant { text, calls: calls.collect() }
        }
        Logged::Results(results) => {
            let results = results.into_iter().map(|returned| {
                let Returned { id, tool, content, is_error } = returned;
                CallResult { id, tool, content, is_error }
            });
            Entry::Results(results.collect())
        }
    }
}

/// What `turn` says, but for what it does not say.
fn shown(turn: &Turn) -> Value {
    let mut shown = Map::new();
    if !turn.text.is_empty() {
        shown.insert("text".to_owned(), json!(turn.text));
    }
    if !turn.calls.is_empty() {
        let calls = turn.calls.iter().map(|call| Value::from(&call.to_json()));
        shown.insert("calls".to_owned(), calls.collect());
    }
    if turn.paused {
        shown.insert("paused".to_owned(), json!(true));
    }
    if let Some(unread) = &turn.unread_call {
        shown.insert("unread_call".to_owned(), json!(unread));
    }
    Value::Object(shown)
}

#[test]
fn every_dialogue_is_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/turn_cassettes");
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let provider = entry.unwrap();
        for file in std::fs::read_dir(provider.path()).unwrap() {
            let path = file.unwrap().path();
            let provider = provider.file_name().into_string().unwrap();
            let situation = path.file_stem().unwrap().display().to_string();
            let name = format!("{provider}/{situation}");
            let cassette = serde_json::from_str(&std::fs::read_to_string(&path).unwrap());
            let cassette: Cassette = cassette.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(cassette.agent.starts_with(&format!("{provider}:")), "{name}: {}", cassette.agent);
            let differences = play(cassette);
            wrong.extend(differences.into_iter().map(|difference| format!("{name}: {difference}")));
            names.entry(provider).or_default().insert(situation);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(names.len(), 8);
    for (provider, situations) in names {
        for situation in ["parallel_calls", "malformed_arguments"] {
            assert!(situations.contains(situation), "{provider} lacks {situation}");
        }
    }
}

/// What is otherwise than recorded.
fn play(cassette: Cassette) -> Vec<String> {
    let (provider, model) = cassette.agent.split_once(':').unwrap();
    let provider: crate::judge::Provider = provider.parse().unwrap();
    let base_url = cassette.base_url.as_deref().or(provider.default_base_url()).unwrap();
    let endpoint = Endpoint::new(base_url, Some(SecretString::from("test-key"))).unwrap();
    let Settings { temperature, max_tokens, capped, body } = cassette.parameters;
    let parameters = Parameters { temperature, max_tokens, num_ctx: None, body, capped };
    let format = Target { provider, model: model.to_owned(), endpoint, parameters }.format();
    let turns = format.turns().unwrap();
    let mut adapted: AdaptationSet =
        cassette.adapted.iter().map(|name| Adaptation::named(name).unwrap()).collect();
    let tool = |tool: Tool| ToolDefinition {
        parameters: json_of(&tool.parameters),
        name: tool.name,
        description: tool.description,
    };
    let mut dialogue = Dialogue {
        system: cassette.system.as_deref().map(Into::into),
        tools: cassette.tools.into_iter().map(tool).collect(),
        entries: cassette.entries.into_iter().map(entry).collect(),
    };

    let mut wrong = Vec::new();
    for (at, step) in cassette.steps.into_iter().enumerate() {
        let mut compare = |what: &str, got: Value, expected: Value| {
            if got != expected {
                wrong.push(format!("step {at}, {what}\n  is       {got}\n  expected {expected}"));
            }
        };
        let exchange = Exchange::Turn(&dialogue, turns);
        let bearing = exchange.bearing(adapted.clone());
        let sent = exchange.body(format.as_ref(), &BodyTemplates::default(), &bearing);
        if let Some(request) = step.request {
            compare("request", serde_json::from_slice(&sent).unwrap(), request);
        }
        let response = Response {
            status: step.status,
            headers: HeaderMap::new(),
            body: step.response.to_string().into_bytes(),
            received: SystemTime::UNIX_EPOCH,
        };
        let answer = match exchange.understand(format.as_ref(), &bearing, &response) {
            Ok(answer) => answer,
            Err(Failure::Unsupported(adaptation, _)) => {
                compare("refusal", json!(adaptation.as_str()), json!(step.refused));
                add(&mut adapted, adaptation);
                continue;
            }
            Err(failure) => {
                wrong.push(format!("step {at}: {failure:?}"));
                continue;
            }
        };
        compare("stop", json!(answer.stop.as_str()), json!(step.stop));
        let turn = if answer.text.is_empty() { Turn::default() } else { turns.turn(&answer.text).unwrap() };
        compare("turn", shown(&turn), step.turn.unwrap_or_else(|| json!({})));
        if let Some(tokens) = step.tokens {
            let usage = answer.usage;
            compare(
                "tokens",
                json!([usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens]),
                json!(tokens),
            );
        }
        let own = || turn.calls.iter().map(|call| call.id.clone().unwrap_or_default()).collect();
        let ids = step.ids.unwrap_or_else(own);
        dialogue.entries.push(Entry::Reply { message: answer.text.into(), ids });
        dialogue.entries.extend(step.then.into_iter().map(entry));
    }
    wrong
}
