//! Endpoints that take a request for a rail and pass over it, and models that ramble or think.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const RAMBLING: &str = "Let me look at the tools one by one before I say anything about this.";

/// A server that forces nothing; asked nicely at the end of the prompt, its model does what it is told.
fn deaf() -> Server {
    Server::start(|seen| match seen.prompt().contains("Answer with one line of JSON and nothing else") {
        true => Answer::label(gold(row_of(seen))),
        // A tool must be called with something.
        false if seen.has("tool_choice") => Answer::Text(json!({"note": RAMBLING}).to_string()),
        false => Answer::Text(RAMBLING.to_owned()),
    })
}

#[test]
fn a_rail_that_is_ignored_is_noticed_and_asked_for_in_words() {
    for provider in ["openai", "openai-responses", "anthropic", "vllm", "llamacpp"] {
        let (server, work) = (deaf(), Workspace::new());
        work.file("in.csv", numbered(60));
        let judge = format!("{provider}:m");
        let url = &server.url;
        let args =
            ["label", "in.csv", "--judge", &judge, "--base-url", url, "--concurrency", "4", "--explain"];
        let ran = work.run(&args).ended(0);
        assert_eq!(
            work.column("in.labeled.csv", "label"),
            work.column("in.labeled.csv", "gold"),
            "{provider}"
        );
        assert!(
            ran.stderr.contains("does not force labels")
                && ran.stderr.contains("8 of 8 answers were other text"),
            "{provider}: {}",
            ran.stderr
        );
        let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
        let adaptations = manifest["panel"][0]["adaptations"].to_string() + &manifest.to_string();
        assert!(adaptations.contains("rail:instructed"), "{provider}: {manifest}");
        // Those that were in vain, and in vllm's and Anthropic's case in each of their forms.
        let most = if matches!(provider, "anthropic" | "vllm") { 130 } else { 90 };
        assert!(server.requests() < most, "{provider}: {}", server.requests());

        // It is remembered.
        let before = server.requests();
        work.file("in.csv", numbered(80));
        let again = work.run(&args).ended(0);
        assert_eq!(server.requests() - before, 20, "{provider}");
        assert!(!again.stderr.contains("does not force labels"), "{provider}: {}", again.stderr);
    }
}

#[test]
fn one_answer_in_form_is_enough_to_trust_the_rail() {
    let (server, work) = (
        Server::start(|seen| match row_of(seen) {
            0..4 => Answer::label(gold(row_of(seen))),
            _ => Answer::Text(RAMBLING.to_owned()),
        }),
        Workspace::new(),
    );
    work.file("in.csv", numbered(30));
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "1"];
    let ran = work.run(&args).ended(1);
    assert!(!ran.stderr.contains("does not force labels"), "{}", ran.stderr);
    assert_eq!(server.requests(), 30);
}

#[test]
fn answers_of_a_server_of_ones_own_have_a_limit_and_thoughts_have_room() {
    let limit = |body: &Value| body["max_tokens"].as_u64();
    let server = Server::start(move |seen| match limit(&seen.body) {
        // It thinks, and is cut off.
        Some(..8192) => {
            Answer::Message(json!({"content": "", "reasoning_content": "The user wants"}), "length")
        }
        _ => Answer::label(gold(row_of(seen))),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(12));
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "1"];
    work.run(&args).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    let limits: Vec<_> = server.seen().iter().map(|seen| limit(&seen.body)).collect();
    assert_eq!(limits[..3], [Some(512), Some(8192), Some(8192)]);
    assert_eq!(limits.len(), 13);
    // The answer that was cut off was paid for too.
    let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    assert_eq!(manifest["panel"][0]["summary"]["completion_tokens"], 5 * 13);

    // What the user says is what is asked for, and what is cut off then is cut off.
    let told = [&args[..], &["--max-tokens", "64", "--explain", "-o", "b.csv"]].concat();
    let ran = work.run(&told).ended(1);
    assert_eq!(server.seen().last().map(|seen| limit(&seen.body)), Some(Some(64)));
    assert!(!ran.stderr.contains("--max-tokens"), "{}", ran.stderr);

    // A model that rambles is not given more, and the run says what to do.
    let rambling = Server::start(|_| Answer::Message(json!({"content": RAMBLING}), "length"));
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &rambling.url, "--limit", "3"];
    let ran = work.run(&[&args[..], &["--explain", "-o", "c.csv"]].concat()).ended(1);
    assert!(rambling.seen().iter().all(|seen| limit(&seen.body) == Some(1024)));
    assert!(ran.stderr.contains("--max-tokens N"), "{}", ran.stderr);
}

#[test]
fn a_row_is_asked_once_in_each_form() {
    let server = Server::start(|_| Answer::Text(RAMBLING.to_owned()));
    for provider in ["openai", "anthropic", "vllm"] {
        let work = Workspace::new();
        work.file("in.csv", numbered(60));
        let judge = format!("{provider}:{provider}");
        let before = server.requests();
        let args = ["label", "in.csv", "--judge", &judge, "--base-url", &server.url, "--concurrency", "8"];
        work.run(&args).ended(1);
        let sent: Vec<String> = server.seen()[before..].iter().map(|seen| seen.body.to_string()).collect();
        let different: BTreeSet<&String> = sent.iter().collect();
        assert_eq!(different.len(), sent.len(), "{provider}");
        let instructed = |body: &&String| body.contains("Answer with one line of JSON and nothing else");
        assert_eq!(sent.iter().filter(instructed).count(), 60, "{provider}");
        // All were paid for, also those that nobody could make anything of.
        let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
        let told = &manifest["panel"][0]["summary"]["completion_tokens"];
        assert_eq!(*told, json!(5 * sent.len()), "{provider}");
        let rows = work.column("in.labeled.csv", "completion_tokens");
        let paid: usize = rows.iter().map(|tokens| tokens.parse::<usize>().unwrap()).sum();
        assert_eq!(paid, 5 * sent.len(), "{provider}");
    }
}

#[test]
fn answers_of_no_use_are_paid_for_where_the_question_fails_after_them() {
    let server = Server::start(|seen| match seen.body["max_tokens"].as_u64() {
        // It thinks, and is cut off.
        Some(..8192) => {
            Answer::Message(json!({"content": "", "reasoning_content": "The user wants"}), "length")
        }
        _ => Answer::status(500, "out of memory"),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    work.file("tooljudge.toml", "[prices.\"openai:m\"]\ninput = 0.0\noutput = 1000.0\n");
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "1"];
    let more = ["--store", "replies.sqlite", "--max-attempts", "1", "--allow-unjudged", "1"];
    let ran = work.run(&[&args[..], &more].concat()).ended(0);
    assert_eq!(work.column("in.labeled.csv", "status"), ["errored"; 3]);
    assert_eq!(work.column("in.labeled.csv", "completion_tokens"), ["5"; 3]);
    assert_eq!(work.column("in.labeled.csv", "cost_usd"), ["0.005"; 3]);
    assert!(ran.stdout.contains("15 out"), "{}", ran.stdout);
    let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    let summary = &manifest["panel"][0]["summary"];
    assert_eq!((&summary["completion_tokens"], summary["cost_usd"].as_f64()), (&json!(15), Some(0.015)));
    let contents = work.run(&["store", "stat", "--store", "replies.sqlite", "--json"]).ended(0);
    let contents: Value = serde_json::from_str(&contents.stdout).unwrap();
    assert_eq!(contents["unused"]["completion_tokens"], 15, "{contents}");
}
