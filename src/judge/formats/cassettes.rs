//! Recorded exchanges with each provider: the request, the response, and the outcome.
//!
//! `tests/cassettes/PROVIDER/*.json`: `judge`, and where they differ from the defaults `base_url`, `query`,
//! `parameters`, `adapted`, `prompt`, `explain`, `rails`; `request` (path, headers, body as it must be sent);
//! `response` (status, headers, body as JSON or text); `expect` (an answer, or a failure).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::domain::{AnswerForm, Prompt, Rail, Rails};
use crate::judge::adaptation::AdaptationSet;
use crate::judge::failure::Failure;
use crate::judge::provider_format::{Answer, Response, understand};
use crate::judge::{Adaptation, Endpoint, Parameters, Target};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cassette {
    judge: String,
    base_url: Option<String>,
    #[serde(default)]
    query: BTreeMap<String, String>,
    #[serde(default)]
    parameters: Settings,
    #[serde(default)]
    adapted: Vec<String>,
    #[serde(default = "question")]
    prompt: String,
    #[serde(default)]
    explain: bool,
    #[serde(default = "rails")]
    rails: Vec<String>,
    request: Sent,
    response: Received,
    expect: Value,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    num_ctx: Option<u32>,
    #[serde(default)]
    body: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    url: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Received {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Value,
}

fn question() -> String {
    "Is the call right? Reply with {\"label\": ...}".to_owned()
}

fn rails() -> Vec<String> {
    ["correct", "incorrect"].map(str::to_owned).to_vec()
}

#[test]
fn every_exchange_is_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cassettes");
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let provider = entry.unwrap();
        for file in std::fs::read_dir(provider.path()).unwrap() {
            let path = file.unwrap().path();
            let name = format!("{}/{}", provider.file_name().display(), path.file_stem().unwrap().display());
            let cassette = serde_json::from_str(&std::fs::read_to_string(&path).unwrap());
            let cassette: Cassette = cassette.unwrap_or_else(|error| panic!("{name}: {error}"));
            let judge = cassette.judge.clone();
            assert!(judge.starts_with(&format!("{}:", provider.file_name().display())), "{name}: {judge}");
            *counts.entry(provider.file_name().into_string().unwrap()).or_insert(0) += 1;
            let differences = play(cassette);
            wrong.extend(differences.into_iter().map(|difference| format!("{name}: {difference}")));
        }
    }
    println!("cassettes: {counts:?}, {} in all", counts.values().sum::<i32>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(counts.len(), 8);
    assert!(counts.values().all(|count| *count >= 15), "{counts:?}");
}

/// What is otherwise than recorded.
fn play(cassette: Cassette) -> Vec<String> {
    let (provider, model) = cassette.judge.split_once(':').unwrap();
    let provider: crate::judge::Provider = provider.parse().unwrap();
    let base_url = cassette.base_url.as_deref().or(provider.default_base_url()).unwrap();
    let mut endpoint = Endpoint::new(base_url, Some(SecretString::from("test-key"))).unwrap();
    for (name, value) in cassette.query {
        endpoint = endpoint.with_query(&name, value.into());
    }
    let Settings { temperature, max_tokens, num_ctx, body } = cassette.parameters;
    let parameters = Parameters { temperature, max_tokens, num_ctx, body, capped: false };
    let target = Target { provider, model: model.to_owned(), endpoint, parameters };
    let adapted: AdaptationSet =
        cassette.adapted.iter().map(|name| Adaptation::named(name).unwrap()).collect();
    let rail = |label: &String| Rail { label: label.clone(), score: 0.0 };
    let rails = Rails::new(cassette.rails.iter().map(rail).collect(), &cassette.rails[0]).unwrap();
    let prompt = Prompt {
        text: cassette.prompt,
        rails: Arc::new(rails),
        form: AnswerForm::explained(cassette.explain),
    };

    let mut wrong = Vec::new();
    let mut compare = |what: &str, got: Value, expected: Value| {
        if got != expected {
            wrong.push(format!("{what}\n  is       {got}\n  expected {expected}"));
        }
    };
    let format = target.format();
    let url = target.endpoint.url_of(format.path(), target.query());
    compare("url", json!(url.as_str()), json!(cassette.request.url));
    let headers = target.endpoint.headers(provider).unwrap();
    let headers: BTreeMap<&str, &str> =
        headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    compare("headers", json!(headers), json!(cassette.request.headers));
    let sent = target.parameters.finish(format.body(&prompt, &adapted));
    compare("body", serde_json::from_str(&sent).unwrap(), cassette.request.body);

    let headers = cassette.response.headers.iter();
    let response = Response {
        status: cassette.response.status,
        headers: headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect(),
        body: match cassette.response.body {
            Value::String(text) => text.into_bytes(),
            body => body.to_string().into_bytes(),
        },
        received: SystemTime::UNIX_EPOCH,
    };
    let understood = understand(format.as_ref(), &prompt, &adapted, &response);
    let instead = understood.as_ref().ok().and_then(|answer| format.ignored_form(answer, &prompt, &adapted));
    let mut outcome = outcome(understood);
    if let (Some(instead), Some(outcome)) = (instead, outcome.as_object_mut()) {
        outcome.insert("instead".to_owned(), json!(instead.as_str()));
    }
    compare("outcome", outcome, cassette.expect);
    wrong
}

fn outcome(understood: Result<Answer, Failure>) -> Value {
    let failure = |kind: &str, code: &str, wait: Option<std::time::Duration>| json!({"failure": kind, "code": code, "wait": wait.map(|wait| wait.as_secs_f64())});
    match understood {
        Ok(answer) => json!({
            "text": answer.text,
            "stop": answer.stop.as_str(),
            "model": answer.model,
            "prompt_tokens": answer.usage.prompt_tokens,
            "cached_tokens": answer.usage.cached_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "probabilities": answer
                .probabilities
                .iter()
                .map(|rail| (rail.label.clone(), json!((rail.probability * 1e4).round() / 1e4)))
                .collect::<Map<_, _>>(),
        }),
        Err(Failure::Run { code, .. }) => failure("run", code, None),
        Err(Failure::Question { code, .. }) => failure("question", &code, None),
        Err(Failure::BadRequest { code, .. }) => failure("bad_request", &code, None),
        Err(Failure::Unsupported(adaptation, _)) => failure("unsupported", adaptation.as_str(), None),
        Err(Failure::Throttled { wait, .. }) => failure("throttled", "throttled", wait),
        Err(Failure::Passing { code, wait, .. }) => failure("passing", &code, wait),
        Err(Failure::Stopped) => failure("stopped", "stopped", None),
    }
}
