//! Answers that are not quite what a provider documents: what can be read is read, what cannot is not bought again and again.

use std::time::Duration;

use serde_json::Value;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Deadline;
use crate::support::server::{Answer, Server, completion};
use crate::support::workspace::{Ran, Workspace};

fn raw(body: String) -> Answer {
    Answer::Raw { status: 200, headers: Vec::new(), body }
}

fn label(work: &Workspace, server: &Server, provider: &str, more: &[&str]) -> Ran {
    let (judge, at) = (format!("{provider}:m"), provider != "ollama" && provider != "gemini");
    let url = if at { &server.url } else { &server.origin };
    let args = ["label", "in.csv", "--judge", &judge, "--base-url", url];
    let mut command = work.tooljudge(&[&args[..], more].concat());
    for key in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
        command.env(key, "sk-0123456789");
    }
    Ran::from(command.finish())
}

/// A body, and what a server makes of it.
type Odd = (&'static str, fn(String) -> String);

/// As servers in Python, gateways and careless ones write them.
const ODD: [Odd; 8] = [
    ("NaN", |body| body.replacen('{', r#"{"timing":{"mean":NaN,"rest":[-Infinity,Infinity]},"#, 1)),
    ("byte order mark", |body| format!("\u{feff}{body}")),
    ("a byte behind", |body| format!("{body}\0")),
    ("a bracket behind", |body| format!("{body}\r\n}}")),
    ("half of a pair", |body| body.replacen('{', r#"{"note":"cut\ud83d","#, 1)),
    ("an empty error", |body| body.replacen('{', r#"{"error":{},"#, 1)),
    ("an error without words", |body| body.replacen('{', r#"{"error":"","#, 1)),
    ("no error", |body| body.replacen('{', r#"{"error":false,"#, 1)),
];

#[test]
fn what_is_plain_is_read_and_bought_once() {
    for provider in ["openai", "openai-responses", "anthropic", "gemini", "ollama", "vllm", "llamacpp"] {
        let server = Server::start(|seen| {
            let text = format!("{{\"label\":\"{}\"}}", gold(row_of(seen)));
            raw(ODD[row_of(seen)].1(completion(seen, &text, None).to_string().replacen(
                r#""error":null,"#,
                "",
                1,
            )))
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(ODD.len()));
        let ran = label(&work, &server, provider, &[]);
        for (row, (what, _)) in work.rows("in.labeled.csv").iter().zip(ODD) {
            assert_eq!(row["label"], row["gold"], "{provider}, {what}: {} {}", row["error"], ran.stderr);
        }
        assert_eq!(server.requests(), ODD.len(), "{provider}");
    }
}

#[test]
fn what_is_not_plain_stays_an_error() {
    let second = |body: &str| {
        body.replacen(r#""choices""#, r#""choices":[{"message":{"content":"incorrect"}}],"choices""#, 1)
    };
    let server = Server::start(move |seen| {
        let body = completion(seen, r#"{"label":"correct"}"#, None).to_string();
        match row_of(seen) {
            0 => Answer::label("incorrect"),
            // Which of the two is meant is not known.
            1 => raw(second(&body)),
            2 => raw(format!("{body}{body}")),
            _ => raw(body.replace("correct", "correct\",")),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(4));
    label(&work, &server, "openai", &[]);
    let rows = work.rows("in.labeled.csv");
    assert_eq!(rows[0]["label"], "incorrect");
    for row in &rows[1..] {
        assert!(row["error"].starts_with("invalid_response") && row["attempts"] == "2", "{row:?}");
    }
    assert_eq!(server.requests(), 1 + 3 * 2);
}

#[test]
fn a_server_that_nobody_can_read_stops_the_run() {
    for (body, status, most) in
        [("<html>hello</html>", 200, 60), (r#"{"choices":[{"text":1}]}"#, 200, 60), ("sorry", 500, 900)]
    {
        let server =
            Server::start(move |_| Answer::Raw { status, headers: Vec::new(), body: body.to_owned() });
        let work = Workspace::new();
        work.file("in.csv", numbered(400));
        let ran = label(&work, &server, "openai", &["--max-attempts", "2", "--concurrency", "8"]).ended(2);
        // Some more may come while the first are counted.
        assert!(ran.stderr.contains(" answers are all the same error"), "{}", ran.stderr);
        assert!(server.requests() <= most, "{status}: {} requests", server.requests());
    }
}

#[test]
fn a_quota_that_is_spent_without_a_word_is_told() {
    let server = Server::start(|_| Answer::Raw { status: 429, headers: Vec::new(), body: "{}".to_owned() });
    let work = Workspace::new();
    work.file("in.csv", numbered(30));
    let ran = label(&work, &server, "openai", &["--max-wait", "4", "--max-attempts", "2"]).ended(2);
    for words in [
        "(429) and does not say until when",
        "the quota of this key may be spent",
        "has refused every request for",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    // One that is slow only is not said to be spent.
    let server = Server::start(|seen| match seen.number % 4 {
        3 => Answer::After(Duration::from_millis(5), Box::new(Answer::label("correct"))),
        _ => Answer::Raw {
            status: 429,
            headers: vec![("retry-after-ms", "20".to_owned())],
            body: "{}".to_owned(),
        },
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(8));
    let ran = label(&work, &server, "openai", &["--json"]);
    assert!(!ran.stderr.contains("may be spent"), "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["panel"][0]["summary"]["statuses"]["judged"], 8);
}

/// Ollama says that it has only loaded the model, or that it is not done: nothing was generated yet.
#[test]
fn a_model_that_is_loaded_is_asked_again() {
    let server = Server::start(|seen| {
        let mut body = completion(seen, &format!("{{\"label\":\"{}\"}}", gold(row_of(seen))), None);
        if seen.earlier < 3 {
            body["message"]["content"] = "".into();
            match row_of(seen) {
                0 => body["done_reason"] = "load".into(),
                1 => body["done"] = false.into(),
                _ => {}
            }
        }
        Answer::Completion { headers: Vec::new(), body }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    label(&work, &server, "ollama", &["--max-attempts", "4"]);
    let rows = work.rows("in.labeled.csv");
    assert_eq!(
        [&*rows[0]["label"], &*rows[1]["label"], &*rows[2]["status"]],
        ["incorrect", "correct", "empty"],
        "{rows:?}"
    );
}

/// Words that nobody can see are no answer of a judge either.
#[test]
fn an_answer_of_blanks_is_empty() {
    let server = Server::start(|_| Answer::Text("\u{200b} \u{feff}".to_owned()));
    let work = Workspace::new();
    work.file("in.csv", numbered(2));
    label(&work, &server, "openai", &[]);
    assert_eq!(work.column("in.labeled.csv", "status"), ["empty", "empty"]);
}
