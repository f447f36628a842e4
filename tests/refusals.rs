//! Refusals that are about the run, not about a row: it ends at once and says why.

use serde_json::json;

use crate::label_remote::numbered;
use crate::support::child::Deadline;
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

fn error(status: u16, message: &str, kind: &str, code: &str) -> Answer {
    let error = json!({"error": {"message": message, "type": kind, "param": "None", "code": code}});
    Answer::Raw { status, headers: Vec::new(), body: error.to_string() }
}

#[test]
fn what_a_gateway_says_of_model_and_key_ends_the_run() {
    let model = "{'error': '/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view available models.'}";
    for (answer, words) in [
        (error(400, model, "None", "400"), "does not know this model"),
        (error(400, "gpt-9 is not a valid model ID", "None", "400"), "does not know this model"),
        (
            error(
                400,
                "Authentication Error, LiteLLM Virtual Key expected. Received=sk-x",
                "auth_error",
                "400",
            ),
            "refuses the key",
        ),
        (
            error(400, "Authentication Error, Invalid proxy server token passed", "None", "401"),
            "refuses the key",
        ),
        (error(400, "No connected db.", "no_db_connection", "400"), "refuses the key"),
        (error(401, "Authentication Error", "token_not_found_in_db", "401"), "refuses the key"),
    ] {
        let (server, work) = (Server::start(move |_| answer.clone()), Workspace::new());
        work.file("in.csv", numbered(100));
        let args =
            ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "4"];
        let ran = work.run(&args).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert!(server.requests() <= 8, "{}", server.requests());
    }
}

#[test]
fn the_same_error_from_the_first_answer_on_ends_the_run() {
    let odd = || error(400, "something about the tenant is odd", "None", "400");
    let (server, work) = (Server::start(move |_| odd()), Workspace::new());
    work.file("in.csv", numbered(300));
    let label = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "4"];
    let ran = work.run(&label).ended(2);
    // Those under way with the twentieth may be counted too.
    assert!(ran.stderr.contains("the first 2"), "{}", ran.stderr);
    assert!(ran.stderr.contains(" answers are all the same error, http_400"), "{}", ran.stderr);
    assert!(ran.stderr.contains("something about the tenant"), "{}", ran.stderr);
    assert!(server.requests() <= 60, "{}", server.requests());

    // Few rows end one by one, and the summary quotes one of them.
    let ran = work.run(&[&label[..], &["--limit", "5"]].concat()).ended(1);
    let quoted = "error    http_400, as in one row: 400: something about the tenant is odd";
    assert!(ran.stdout.contains(quoted), "{}", ran.stdout);
}

#[test]
fn a_path_with_nothing_at_it_is_not_the_models_fault() {
    let page = "<html><title>Error 404 (Not Found)</title>The requested URL /models/m:generateContent was not found on this \
                server.</html>";
    for (provider, body, words) in [
        ("gemini", page.to_owned(), "Gemini's ends in /v1beta"),
        ("ollama", "404 page not found".to_owned(), "Ollama's own has no path"),
        ("openai", page.to_owned(), "most end in /v1"),
        (
            "openai",
            json!({"error": {"message": "Invalid URL (POST /models/m)"}}).to_string(),
            "most end in /v1",
        ),
        ("ollama", json!({"error": "model 'm' not found"}).to_string(), "does not know this model"),
    ] {
        let server =
            Server::start(move |_| Answer::Raw { status: 404, headers: Vec::new(), body: body.clone() });
        let work = Workspace::new();
        work.file("in.csv", numbered(3));
        let judge = format!("{provider}:m");
        let ran = work.run(&["label", "in.csv", "--judge", &judge, "--base-url", &server.url]).ended(2);
        assert!(ran.stderr.contains(words), "{provider}: {}", ran.stderr);
    }
}

#[test]
fn a_dead_proxy_is_named() {
    let work = Workspace::new();
    work.file("in.csv", numbered(2));
    let entry = "[judges.x]\njudge = 'vllm:m'\nbase_url = 'https://judge.invalid/v1'\n";
    let args = ["label", "in.csv", "--judge", "x", "--max-attempts", "1"];
    work.file("tooljudge.toml", format!("{entry}proxy = 'http://me:pass1234@127.0.0.1:9'"));
    let ran = work.run(&args).ended(2);
    assert!(ran.stderr.contains("by way of the proxy http://127.0.0.1:9)"), "{}", ran.stderr);
    work.file("tooljudge.toml", entry);
    let mut command = work.tooljudge(&args);
    let output = command.env("HTTPS_PROXY", "http://me:pass1234@127.0.0.1:9").env_remove("NO_PROXY").finish();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("by way of the proxy http://127.0.0.1:9)") && !told.contains("pass1234"), "{told}");
    // What the environment excepts is not on the proxy's account.
    let mut command = work.tooljudge(&args);
    command
        .env("HTTPS_PROXY", "http://me:pass1234@127.0.0.1:9")
        .env("NO_PROXY", "elsewhere.invalid,judge.invalid");
    let told = String::from_utf8(command.finish().stderr).unwrap();
    assert!(told.contains("judge.invalid") && !told.contains("proxy"), "{told}");
}

#[test]
fn rows_that_are_always_refused_do_not_end_a_run_whose_others_have_replies() {
    let answer = |seen: &crate::support::server::Seen| match crate::label_remote::row_of(seen) {
        0..10 => Answer::label("correct"),
        _ => error(400, "something about this row is odd", "None", "400"),
    };
    let (server, work) = (Server::start(answer), Workspace::new());
    work.file("in.csv", numbered(35));
    let label =
        ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--allow-unjudged", "1"];
    for _ in 0..2 {
        let ran = work.run(&label).ended(0);
        assert!(!ran.stderr.contains("all the same error"), "{}", ran.stderr);
        assert_eq!(work.rows("in.labeled.csv").len(), 35);
    }
}
