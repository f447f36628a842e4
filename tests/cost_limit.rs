//! The limit on cost where servers bill more than a token a byte, or answer at length whatever they are told.

use serde_json::Value;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server, completion};
use crate::support::workspace::Workspace;

const ROWS: usize = 200;
/// Dollars per million tokens, in and out.
const PRICE: f64 = 10.0;

/// A server that counts so many tokens for each byte of a request, and so many for each answer.
fn server(per_byte: f64, answer: u64) -> Server {
    Server::start(move |seen| {
        let mut body = completion(seen, &format!("{{\"label\":\"{}\"}}", gold(row_of(seen))), None);
        body["usage"] =
            serde_json::json!({"prompt_tokens": counted(&seen.body, per_byte), "completion_tokens": answer});
        Answer::Completion { headers: Vec::new(), body }
    })
}

fn counted(body: &Value, per_byte: f64) -> u64 {
    (body.to_string().len() as f64 * per_byte) as u64
}

fn workspace(server: &Server) -> Workspace {
    let work = Workspace::new();
    work.file("in.csv", numbered(ROWS));
    work.file(
        "tooljudge.toml",
        format!(
            "[judges.fair]\njudge = 'openai:fair'\nbase_url = '{}'\nprice = {{ input = {PRICE:.1}, output = {PRICE:.1} }}\n",
            server.url
        ),
    );
    work
}

#[test]
fn a_limit_holds_however_a_server_bills() {
    for (per_byte, answer) in [(0.25, 5), (1.0, 50), (2.0, 50), (4.0, 50), (0.25, 600), (4.0, 600)] {
        let server = server(per_byte, answer);
        let work = workspace(&server);
        let limit = "0.5";
        let args = [
            "label",
            "in.csv",
            "--judge",
            "fair",
            "--max-tokens",
            "50",
            "--max-cost",
            limit,
            "--concurrency",
            "16",
        ];
        let ran = work.run(&[&args[..], &["--json"]].concat());
        let billed: u64 = server.seen().iter().map(|seen| counted(&seen.body, per_byte) + answer).sum();
        let billed = billed as f64 * PRICE / 1e6;
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        println!(
            "{per_byte} tokens a byte, answers of {answer}: ${billed:.4} of ${limit}, {} requests",
            server.requests()
        );
        assert!(billed <= 0.5, "{per_byte} {answer}: {billed}; {}", ran.stderr);
        assert!(billed > 0.2, "{per_byte} {answer}: {billed}; {}", ran.stderr);
        assert!(!ran.stderr.contains("exceeded"), "{}", ran.stderr);
        assert!((told["panel"][0]["summary"]["cost_usd"].as_f64().unwrap() - billed).abs() < 1e-9);
    }
}

#[test]
fn a_limit_that_did_not_hold_says_by_how_much() {
    // The first answer alone costs more than was thought possible, and more than there is.
    let server = server(8.0, 5);
    let work = workspace(&server);
    let args = ["label", "in.csv", "--judge", "fair", "--max-tokens", "50", "--max-cost", "0.04"];
    let ran = work.run(&args);
    assert_eq!(server.requests(), 1, "{}", ran.stderr);
    let billed = (counted(&server.seen()[0].body, 8.0) + 5) as f64 * PRICE / 1e6;
    let told = format!("was exceeded by ${:.6}", billed - 0.04);
    assert!(ran.stderr.contains(&told), "{told}: {}", ran.stderr);
    assert!(ran.stderr.contains("counts up to 8.0 tokens for each byte of a request"), "{}", ran.stderr);
}

/// Each run learns from its own first answer what the server bills.
#[test]
fn runs_that_share_a_limit_know_what_they_spent_together() {
    let server = server(8.0, 5);
    let work = workspace(&server);
    let run = |limit: &str, more: &[&str]| {
        let args = ["label", "in.csv", "--judge", "fair", "--max-tokens", "50", "--max-cost", limit];
        work.run(&[&args[..], more].concat())
    };
    run("0.04", &[]);
    let bytes = counted(&server.seen()[0].body, 1.0) as f64 * PRICE / 1e6;
    let limit = format!("{:.6}", 12.0 * bytes);
    let shard = |shard, output| {
        run(&limit, &["--purse", "ours", "--store", "ours.sqlite", "--shard", shard, "-o", output])
    };
    let first = shard("0/2", "0.csv");
    assert!(!first.stderr.contains("exceeded"), "{}", first.stderr);
    let second = shard("1/2", "1.csv");
    assert_eq!(server.requests(), 3);
    let told = "which all runs with this purse share, was exceeded by $0.0";
    assert!(second.stderr.contains(told), "{}", second.stderr);
}

#[test]
fn a_limit_below_one_request_says_so() {
    let server = server(0.25, 5);
    let work = workspace(&server);
    let args = ["label", "in.csv", "--judge", "fair", "--max-tokens", "50", "--max-cost", "0.005"];
    for _ in 0..2 {
        let ran = work.run(&args).ended(1);
        assert!(
            ran.stderr.contains("is below what one request may cost, which is up to $0.0"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("again"), "{}", ran.stderr);
    }
    assert_eq!(server.requests(), 0);
    // Also where some replies are there already.
    work.run(&["label", "in.csv", "--judge", "fair", "--max-tokens", "50", "--limit", "3", "-o", "few.csv"])
        .ended(0);
    let ran = work.run(&args).ended(1);
    assert!(ran.stderr.contains("is below what one request may cost"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("the same amount again"), "{}", ran.stderr);
    assert_eq!(server.requests(), 3);
}
