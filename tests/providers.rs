//! Every provider's format, end to end: the binary against a server that speaks it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tooljudge::domain::{AnswerForm, Prompt, Rails};
use tooljudge::judge::{AskError, Asked, Endpoint, Parameters, Provider, Remote, Settings, Target, connect};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Deadline;
use crate::support::on_time::on_time;
use crate::support::server::{Answer, Format, Seen, Server};
use crate::support::workspace::{Ran, Workspace, repository, shown};

const KEY: &str = "secret-key-0123456789";

/// The base URL of a provider's API on `server`.
pub fn base_url(provider: Provider, server: &Server) -> String {
    let path = match provider {
        Provider::OpenAi
        | Provider::OpenAiResponses
        | Provider::Anthropic
        | Provider::Vllm
        | Provider::LlamaCpp => "/v1",
        Provider::Gemini => "/v1beta",
        Provider::Azure | Provider::Ollama => "",
    };
    format!("{}{path}", server.origin)
}

fn label(work: &Workspace, judge: &str, url: &str, more: &[&str]) -> Ran {
    let mut args = vec!["label", "in.csv", "--judge", judge, "--base-url", url, "--api-key-env", "TEST_KEY"];
    args.extend(more);
    Ran::from(work.tooljudge(&args).env("TEST_KEY", KEY).finish())
}

fn sure(seen: &Seen) -> Answer {
    match gold(row_of(seen)) {
        "correct" => Answer::Sure(vec![("correct", 0.9), ("incorrect", 0.1)]),
        _ => Answer::Sure(vec![("incorrect", 0.8), ("correct", 0.2)]),
    }
}

fn error(status: u16, error: Value) -> Answer {
    Answer::Raw { status, headers: Vec::new(), body: json!({ "error": error }).to_string() }
}

/// What was learnt of the endpoint, as the last manifest has it.
fn learnt(work: &Workspace) -> Vec<String> {
    let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    serde_json::from_value(manifest["panel"][0]["judge"]["adaptations"].clone()).unwrap()
}

#[test]
fn every_provider_labels_rows_and_its_key_is_sent_but_never_shown() {
    for provider in Provider::ALL {
        let server = Server::start(|seen| match row_of(seen) {
            // An endpoint that echoes what it was sent.
            7 => Answer::status(418, &format!("{:?}", seen.headers)),
            _ => sure(seen),
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(12));
        let judge = format!("{provider}:m");
        let ran = label(
            &work,
            &judge,
            &base_url(provider, &server),
            &["--keep-prompts", "--allow-unjudged", "0.1"],
        );
        let ran = ran.ended(0);
        for (row, cells) in work.rows("in.labeled.csv").iter().enumerate() {
            if row == 7 {
                assert!(cells["error"].starts_with("http_418"), "{provider}: {}", cells["error"]);
                continue;
            }
            assert_eq!(cells["label"], gold(row), "{provider}");
            let confidence = if gold(row) == "correct" { "0.9" } else { "0.8" };
            let known: f64 = cells["confidence"].parse().unwrap_or(-1.0);
            match provider {
                Provider::Anthropic => assert_eq!(cells["confidence"], ""),
                _ => {
                    assert!((known - confidence.parse::<f64>().unwrap()).abs() < 1e-9, "{provider}: {known}")
                }
            }
            assert_eq!((cells["judge"].as_str(), cells["completion_tokens"].as_str()), (judge.as_str(), "5"));
        }
        let (name, value) = match provider {
            Provider::Azure => ("api-key", KEY.to_owned()),
            Provider::Anthropic => ("x-api-key", KEY.to_owned()),
            Provider::Gemini => ("x-goog-api-key", KEY.to_owned()),
            _ => ("authorization", format!("Bearer {KEY}")),
        };
        for seen in server.seen() {
            assert_eq!(seen.headers.get(name), Some(&value), "{provider}");
            let carriers = seen.headers.values().filter(|value| value.contains(KEY)).count();
            assert_eq!((carriers, seen.uri.contains(KEY)), (1, false), "{provider}");
        }
        let mut shown: Vec<Vec<u8>> = vec![ran.stdout.into_bytes(), ran.stderr.into_bytes()];
        for name in ["in.labeled.csv", "in.labeled.csv.run.json", ".tooljudge/replies.sqlite"] {
            shown.push(std::fs::read(work.path(name)).unwrap());
        }
        let found = |file: &Vec<u8>| file.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!shown.iter().any(found), "{provider}: the key was written somewhere");
    }
}

#[test]
fn each_format_goes_to_its_own_path() {
    let paths = Provider::ALL.map(|provider| {
        let server = Server::start(sure);
        let work = Workspace::new();
        work.file("in.csv", numbered(1));
        label(&work, &format!("{provider}:m"), &base_url(provider, &server), &[]).ended(0);
        server.seen()[0].uri.clone()
    });
    let expected = [
        "/v1/chat/completions",
        "/v1/responses",
        "/openai/deployments/m/chat/completions?api-version=2024-10-21",
        "/v1/messages",
        "/v1beta/models/m:generateContent",
        "/v1/chat/completions",
        "/v1/chat/completions",
        "/api/chat",
    ];
    assert_eq!(paths, expected);
}

/// Anthropic's own tools are told the address without the version.
#[test]
fn anthropic_is_found_with_and_without_its_version() {
    let server = Server::start(sure);
    let work = Workspace::new();
    work.file("in.csv", numbered(1));
    label(&work, "anthropic:m", &server.origin, &[]).ended(0);
    assert_eq!(server.seen()[0].uri, "/v1/messages");
}

#[test]
fn azure_takes_both_forms_of_address() {
    let server = Server::start(sure);
    let work = Workspace::new();
    work.file("in.csv", numbered(1));
    label(&work, "azure:dep", &format!("{}/openai/v1", server.origin), &[]).ended(0);
    label(&work, "azure:dep", &format!("{}?api-version=2025-04-01-preview", server.origin), &[]).ended(0);
    let uris: Vec<String> = server.seen().iter().map(|seen| seen.uri.clone()).collect();
    let classic = "/openai/deployments/dep/chat/completions?api-version=2025-04-01-preview";
    assert_eq!(uris, ["/openai/v1/chat/completions", classic]);
    assert_eq!(server.seen()[0].body["model"], "dep");

    let ran = work.run(&["label", "in.csv", "--judge", "azure:dep"]).ended(2);
    assert!(ran.stderr.contains("--base-url"), "{}", ran.stderr);
}

/// Refuses the parts of a request one after the other, by name.
fn picky(seen: &Seen) -> Option<Answer> {
    let refuse = |param: &str| {
        let message = format!("Unsupported parameter: '{param}' is not supported with this model.");
        Some(error(400, json!({"message": message, "param": param, "code": "unsupported_parameter"})))
    };
    let config = &seen.body["generationConfig"];
    if seen.has("logprobs") {
        refuse("logprobs")
    } else if seen.has("include") {
        refuse("include")
    } else if config.get("responseLogprobs").is_some() {
        refuse("response_logprobs")
    } else if seen.has("temperature")
        || config.get("temperature").is_some()
        || seen.body["options"].get("temperature").is_some()
    {
        refuse("temperature")
    } else if seen.has("structured_outputs") {
        refuse("structured_outputs")
    } else if seen.has("guided_json") {
        refuse("guided_json")
    } else if seen.has("grammar") {
        refuse("grammar")
    } else if seen.has("tool_choice") {
        refuse("tool_choice")
    } else if seen.wants_schema() {
        refuse(match seen.format {
            Format::Chat => "response_format",
            Format::Responses => "text.format",
            Format::Messages => "output_config",
            Format::GenerateContent => "generation_config.response_schema",
            Format::OllamaChat => "format",
        })
    } else {
        None
    }
}

#[test]
fn what_an_endpoint_refuses_is_learnt_once_and_remembered() {
    for provider in Provider::ALL {
        let server = Server::start(|seen| picky(seen).unwrap_or_else(|| Answer::label(gold(row_of(seen)))));
        let work = Workspace::new();
        work.file("in.csv", numbered(10));
        let url = base_url(provider, &server);
        label(&work, &format!("{provider}:m"), &url, &["--concurrency", "1"]).ended(0);
        assert_eq!(
            work.column("in.labeled.csv", "label"),
            work.column("in.labeled.csv", "gold"),
            "{provider}"
        );
        let learnt = learnt(&work);
        let mut expected = BTreeSet::from(["rail:text", "without:logprobs", "without:temperature"]);
        if provider == Provider::Anthropic {
            expected.remove("without:logprobs");
        }
        assert_eq!(learnt.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{provider}");
        let refused = server.seen().iter().filter(|seen| picky(seen).is_some()).count();
        assert_eq!(server.requests(), 10 + refused, "{provider}");
        assert!(refused <= 5, "{provider}: {refused} refusals");

        // The next run knows.
        work.file("in.csv", numbered(20));
        let before = server.requests();
        label(&work, &format!("{provider}:m"), &url, &["--concurrency", "4"]).ended(0);
        assert_eq!(server.requests() - before, 10, "{provider}");
        assert_eq!(
            work.column("in.labeled.csv", "label"),
            work.column("in.labeled.csv", "gold"),
            "{provider}"
        );
    }
}

/// A refusal that quotes a row must not cost all other rows a parameter.
#[test]
fn a_refusal_that_only_quotes_a_row_teaches_nothing() {
    let server = Server::start(|seen| match row_of(seen) {
        0 => Answer::status(400, "cannot read: set_thermostat temperature 300"),
        _ => sure(seen),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(6));
    label(&work, "openai:m", &server.url, &["--concurrency", "1"]).ended(1);
    assert!(learnt(&work).is_empty());
    assert!(server.seen().iter().filter(|seen| row_of(seen) > 0).all(|seen| seen.has("temperature")));
}

#[test]
fn an_unexplained_refusal_is_traced_to_its_part() {
    for (culprit, learnt_of_it) in [("logprobs", "without:logprobs"), ("response_format", "rail:text")] {
        let server =
            Server::start(
                move |seen| {
                    if seen.has(culprit) { Answer::status(400, "Bad Request") } else { sure(seen) }
                },
            );
        let work = Workspace::new();
        work.file("in.csv", numbered(10));
        label(&work, "openai:m", &server.url, &["--concurrency", "1"]).ended(0);
        assert_eq!(learnt(&work), [learnt_of_it]);
        assert!(server.requests() <= 12, "{culprit}: {} requests", server.requests());
    }
}

#[test]
fn a_field_of_ones_own_that_is_refused_ends_the_run() {
    let server =
        Server::start(|_| error(400, json!({"message": "Unrecognized request argument supplied: top_k"})));
    let body = json!({"top_k": 3}).as_object().unwrap().clone();
    let judge = judge_with(&server, |parameters| parameters.body = body);
    let error = ask(&judge).unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(&error, tooljudge::judge::AskError::Run { code, .. } if code == "refused_parameter"),
        "{error:?}"
    );
    assert!(message.contains("`top_k`"), "{message}");
    assert_eq!(server.requests(), 1);
}

#[test]
fn throttling_and_overload_are_waited_out() {
    let words = |kind: &str| json!({"type": kind, "message": "slow down"});
    let delay =
        json!({"status": "RESOURCE_EXHAUSTED", "message": "slow", "details": [{"retryDelay": "0.4s"}]});
    let cases = [
        (Provider::Anthropic, 429, Some(("retry-after", "0.4")), words("rate_limit_error")),
        (Provider::Anthropic, 529, Some(("retry-after", "0.4")), words("overloaded_error")),
        (Provider::Azure, 429, Some(("retry-after-ms", "400")), words("429")),
        (Provider::Gemini, 429, None, delay),
    ];
    for (provider, status, header, problem) in cases {
        let headers: Vec<_> = header.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let server = Server::start(move |seen| match seen.number {
            2 => {
                Answer::Raw { status, headers: headers.clone(), body: json!({"error": problem}).to_string() }
            }
            _ => sure(seen),
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(6));
        label(&work, &format!("{provider}:m"), &base_url(provider, &server), &["--concurrency", "1"])
            .ended(0);
        assert_eq!(
            work.column("in.labeled.csv", "label"),
            work.column("in.labeled.csv", "gold"),
            "{provider}"
        );
        let seen = server.seen();
        assert_eq!(seen.len(), 7, "{provider}");
        let refused = seen[2].prompt();
        let again = seen.iter().skip(3).find(|later| later.prompt() == refused).unwrap();
        assert!(again.at - seen[2].at >= Duration::from_millis(400), "{provider} {status}");
    }
}

#[test]
fn a_filtered_prompt_is_that_rows_own() {
    for provider in [Provider::Azure, Provider::OpenAi, Provider::Gemini] {
        let server = Server::start(|seen| match (row_of(seen), seen.format) {
            (2, Format::GenerateContent) => {
                let body = json!({"promptFeedback": {"blockReason": "SAFETY"}}).to_string();
                Answer::Raw { status: 200, headers: Vec::new(), body }
            }
            (2, _) => error(400, json!({"code": "content_filter", "message": "filtered"})),
            _ => sure(seen),
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(4));
        label(&work, &format!("{provider}:m"), &base_url(provider, &server), &[]).ended(1);
        assert_eq!(work.column("in.labeled.csv", "status"), ["judged", "judged", "filtered", "judged"]);
    }
}

/// A vLLM before 0.12: it ignores what it does not know.
#[test]
fn an_older_vllm_is_asked_in_its_older_form() {
    for rejects in [false, true] {
        let server = Server::start(move |seen| {
            if rejects && seen.has("structured_outputs") {
                Answer::status(400, "body.structured_outputs: Extra inputs are not permitted")
            } else if seen.has("guided_json") {
                sure(seen)
            } else {
                Answer::Text(format!("I would call this {}, wouldn't you?", gold(row_of(seen))))
            }
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(12));
        label(&work, "vllm:m", &server.url, &["--concurrency", "1"]).ended(0);
        assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
        assert_eq!((server.requests(), learnt(&work)), (13, vec!["rail:guided".to_owned()]));
        assert!(work.column("in.labeled.csv", "confidence").iter().all(|confidence| !confidence.is_empty()));
    }
}

#[test]
fn a_bare_word_is_forced_as_a_choice_where_one_is_asked_for() {
    let server = Server::start(|seen| {
        Answer::Text(seen.body["structured_outputs"]["choice"][1].as_str().unwrap().into())
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(2));
    work.file("word.txt", "Say {question}\nCall {tool_call}\nTools {tool_definitions}\nAnswer yes or no.");
    label(&work, "vllm:m", &server.url, &["--template", "word.txt", "--rails", "yes,no"]).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), ["no", "no"]);
    assert_eq!(server.seen()[0].body["structured_outputs"], json!({"choice": ["yes", "no"]}));
}

#[test]
fn llamacpp_never_gets_two_constraints() {
    let server = Server::start(|seen| {
        let constraints =
            ["grammar", "json_schema", "response_format"].into_iter().filter(|name| seen.has(name)).count();
        match constraints {
            2.. => {
                Answer::status(400, "Either \"json_schema\" or \"grammar\" can be specified, but not both")
            }
            _ if seen.has("grammar") => Answer::status(400, "failed to parse grammar"),
            _ => sure(seen),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(8));
    label(&work, "llamacpp:m", &server.url, &["--concurrency", "1"]).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    assert_eq!((server.requests(), learnt(&work)), (9, vec!["rail:response_format".to_owned()]));
}

#[test]
fn a_prompt_that_ollama_cut_has_no_label() {
    let server = Server::start(|seen| match row_of(seen) {
        1 => {
            let body = json!({
                "model": "m", "message": {"content": "{\"label\":\"correct\"}"}, "done_reason": "stop",
                "prompt_eval_count": 60, "eval_count": 5,
            });
            Answer::Raw { status: 200, headers: Vec::new(), body: body.to_string() }
        }
        _ => sure(seen),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(4));
    label(&work, "ollama:m", &server.origin, &[]).ended(1);
    let rows = work.rows("in.labeled.csv");
    assert_eq!((rows[1]["label"].as_str(), rows[1]["status"].as_str()), ("", "errored"));
    assert!(
        rows[1]["error"].starts_with("prompt_truncated: the model read 60 tokens"),
        "{}",
        rows[1]["error"]
    );
    let seen = server.seen();
    assert!(
        seen.iter().all(|seen| seen.body["options"]["num_ctx"] == 8192 && seen.body["truncate"] == false)
    );
}

#[test]
fn chat_and_responses_on_one_address_share_no_replies() {
    let server = Server::start(sure);
    let work = Workspace::new();
    work.file("in.csv", numbered(5));
    for (judge, requests) in [("openai:m", 5), ("openai-responses:m", 10), ("openai:m", 10), ("vllm:m", 15)] {
        label(&work, judge, &server.url, &[]).ended(0);
        assert_eq!(server.requests(), requests, "{judge}");
    }
}

#[test]
fn a_provider_at_home_needs_its_key_and_a_local_one_needs_none() {
    let work = Workspace::new();
    work.file("in.csv", numbered(1));
    for (judge, variable) in [
        ("openai-responses:m", "OPENAI_API_KEY"),
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("gemini:m", "GEMINI_API_KEY"),
    ] {
        let mut command = work.tooljudge(&["label", "in.csv", "--judge", judge]);
        let ran = Ran::from(command.env_remove("ANTHROPIC_API_KEY").env_remove("GEMINI_API_KEY").finish());
        assert!(ran.ended(2).stderr.contains(variable));
    }
    let server = Server::start(sure);
    work.run(&["label", "in.csv", "--judge", "ollama:m", "--base-url", &server.origin]).ended(0);
    assert_eq!(server.seen()[0].authorization, None);
}

#[test]
fn a_gateway_in_the_settings_file_gets_its_headers_query_and_fields() {
    let _on_time = on_time();
    let server = Server::start(|seen| match row_of(seen) {
        0 => Answer::status(418, &format!("{} {:?}", seen.uri, seen.headers)),
        _ => sure(seen),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    let settings = |tenant: &str| {
        format!(
            "[judges.gateway]\njudge = \"anthropic:m\"\nbase_url = \"{}\"\napi_key_env = \"TEST_KEY\"\n\
             headers = {{ X-Gateway = \"Token ${{GATEWAY}}\" }}\nquery = {{ tenant = \"{tenant}\" }}\n\
             body = {{ metadata = {{ user_id = \"us\" }} }}\n",
            server.url
        )
    };
    let run = || {
        let mut command = work.tooljudge(&["label", "in.csv", "--judge", "gateway"]);
        Ran::from(command.env("TEST_KEY", KEY).env("GATEWAY", "gateway-secret-1").finish()).ended(1)
    };
    work.file("tooljudge.toml", settings("tenant-secret-1"));
    let ran = run();
    for seen in server.seen() {
        assert_eq!(seen.headers["x-gateway"], "Token gateway-secret-1");
        assert_eq!(seen.uri, "/v1/messages?tenant=tenant-secret-1");
        assert_eq!(seen.body["metadata"], json!({"user_id": "us"}));
    }
    let mut shown = format!("{}{}", ran.stdout, ran.stderr).into_bytes();
    for name in ["in.labeled.csv", "in.labeled.csv.run.json", ".tooljudge/replies.sqlite"] {
        shown.extend(std::fs::read(work.path(name)).unwrap());
    }
    for secret in [KEY, "gateway-secret-1", "tenant-secret-1"] {
        assert!(!shown.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
    // The same again asks only the row that failed; another query may lead to another model.
    run();
    assert_eq!(server.requests(), 4);
    work.file("tooljudge.toml", settings("tenant-secret-2"));
    run();
    assert_eq!(server.requests(), 7);
}

// What the command line cannot say, through the library.

pub fn target(url: &str) -> Target {
    let endpoint = Endpoint::new(url, Some(KEY.into())).unwrap();
    Target { provider: Provider::OpenAi, model: "m".into(), endpoint, parameters: Parameters::default() }
}

pub fn remote(target: Target) -> Remote {
    let settings = Settings { max_attempts: 1, max_wait: Duration::from_secs(1), ..Settings::default() };
    connect(target, settings, &[]).unwrap()
}

fn judge_with(server: &Server, change: impl FnOnce(&mut Parameters)) -> Remote {
    let mut target = target(&server.url);
    change(&mut target.parameters);
    remote(target)
}

pub fn ask(judge: &Remote) -> Result<Asked, AskError> {
    let prompt = Prompt {
        text: "Say 1 please".into(),
        rails: Arc::new(Rails::correctness()),
        form: AnswerForm::LABEL,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(judge.ask(&prompt, &tokio_util::sync::CancellationToken::new()))
}

#[test]
fn headers_and_query_of_ones_own_are_sent_but_not_shown_and_make_another_judge() {
    const SECRET: &str = "gateway-secret-123";
    let server = Server::start(|seen| match seen.number {
        0 => sure(seen),
        _ => Answer::status(418, &format!("{} {:?}", seen.uri, seen.headers)),
    });
    let mut target = target(&server.url);
    let plain = target.identity();
    target.endpoint = target
        .endpoint
        .with_header("X-Gateway", SECRET.into())
        .unwrap()
        .with_query("tenant", "tenant-secret".into());
    assert_ne!(target.identity(), plain);
    assert!(!format!("{target:?} {:?}", target.identity()).contains("secret"));
    let judge = remote(target);
    assert_eq!(ask(&judge).unwrap().reply.text, "{\"label\":\"correct\"}");
    assert_eq!(server.seen()[0].headers["x-gateway"], SECRET);
    assert_eq!(server.seen()[0].uri, "/v1/chat/completions?tenant=tenant-secret");
    let message = ask(&judge).unwrap_err().to_string();
    assert!(
        message.contains("[secret]") && !message.contains("secret-123") && !message.contains(KEY),
        "{message}"
    );
    assert!(!message.contains("tenant-secret"), "{message}");
}

#[test]
fn fields_of_ones_own_are_sent_last_and_are_part_of_the_question() {
    let server = Server::start(sure);
    let body = json!({"reasoning_effort": "low", "temperature": null}).as_object().unwrap().clone();
    let judge = judge_with(&server, |parameters| {
        parameters.temperature = Some(0.0);
        parameters.body = body;
    });
    ask(&judge).unwrap();
    let sent = &server.seen()[0];
    assert_eq!((sent.body["reasoning_effort"].as_str(), sent.has("temperature")), (Some("low"), false));
    let expected = r#"{"temperature":0.0,"body":{"reasoning_effort":"low","temperature":null}}"#;
    assert_eq!(judge.identity().parameters, expected);
}

#[test]
fn a_proxy_carries_the_requests() {
    // A proxy of plain http is asked for whole URLs; this server looks at their paths only.
    let proxy = Server::start(sure);
    let mut target = target("http://judge.invalid/v1");
    target.endpoint = target.endpoint.with_proxy(&proxy.origin).unwrap();
    ask(&remote(target)).unwrap();
    let seen = &proxy.seen()[0];
    assert_eq!((seen.headers["host"].as_str(), seen.format), ("judge.invalid", Format::Chat));
}

#[test]
fn the_quickstart_goes_through_all_of_them_at_once() {
    let work = Workspace::new();
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("in.csv")).unwrap();
    let gold: Vec<(String, String)> = work
        .rows("in.csv")
        .into_iter()
        .map(|row| {
            // Of a conversation, its last message.
            let messages = serde_json::from_str::<Vec<Value>>(&row["question"]).unwrap_or_default();
            let last = messages.last().and_then(|message| message["content"].as_str());
            (last.unwrap_or(&row["question"]).to_owned(), row["gold"].clone())
        })
        .collect();
    let server = Server::start(move |seen| {
        let asked = gold.iter().filter(|(question, _)| seen.prompt().contains(question));
        let label = asked.max_by_key(|(question, _)| question.len()).map_or("correct", |(_, gold)| gold);
        Answer::label(label)
    });
    let mut settings = String::new();
    let mut args = vec!["label".to_owned(), "in.csv".to_owned(), "--judge".to_owned(), "builtin".to_owned()];
    for provider in Provider::ALL {
        let url = base_url(provider, &server);
        settings.push_str(&format!(
            "[judges.{provider}]\njudge = '{provider}:m'\nbase_url = '{url}'\napi_key_env = 'TEST_KEY'\n"
        ));
        args.extend(["--judge".to_owned(), provider.to_string()]);
    }
    work.file("tooljudge.toml", settings);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = Ran::from(work.tooljudge(&args).env("TEST_KEY", KEY).finish()).ended(0);
    shown("summary_of_all_providers", &ran.stdout);
    assert_eq!(server.requests(), 60 * Provider::ALL.len());
    for row in work.rows("in.labeled.csv") {
        for provider in Provider::ALL {
            assert_eq!(
                row[&format!("{provider}_tool_calling_label")],
                row["gold"],
                "{provider}: {}",
                row["id"]
            );
        }
    }
}
