//! `label` with a model judge: the binary against a server that does as it is told.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::child::Deadline;
use crate::support::server::{Answer, Gate, Seen, Server};
use crate::support::workspace::{Workspace, shown};

/// A table of `rows` distinct questions. Every third call is wrong, and `gold` says so.
pub fn numbered(rows: usize) -> String {
    let mut csv = "id,question,tool_call,tool_definitions,gold\n".to_owned();
    for row in 0..rows {
        let gold = gold(row);
        csv.push_str(&format!("{row},Say {row} please,\"say(n={row})\",say: Says a number,{gold}\n"));
    }
    csv
}

pub fn gold(row: usize) -> &'static str {
    if row.is_multiple_of(3) { "incorrect" } else { "correct" }
}

/// The number in a prompt made from [`numbered`].
pub fn row_of(seen: &Seen) -> usize {
    let (_, after) = seen.prompt().split_once("Say ").unwrap();
    after.split(' ').next().unwrap().parse().unwrap()
}

/// A server that knows the right labels.
fn honest() -> Server {
    Server::start(|seen| Answer::label(gold(row_of(seen))))
}

fn label<'a>(server: &'a Server, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    args.extend(more);
    args
}

#[test]
fn every_label_is_the_judges_and_nothing_is_asked_twice() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(300));
    work.run(&label(&server, &[])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    assert_eq!(server.requests(), 300);
    assert!(work.column("in.labeled.csv", "cached").iter().all(|cached| cached == "false"));

    let again = work.run(&label(&server, &["--json"])).ended(0);
    assert_eq!(server.requests(), 300);
    let summary: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(summary["panel"][0]["summary"]["cached"], 300);
    assert_eq!(
        summary["panel"][0]["summary"]["gold"],
        json!({"column": "gold", "agree": 300, "compared": 300, "invalid": 0})
    );
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
}

#[test]
fn a_file_that_changes_while_it_is_judged_gets_the_labels_of_the_rows_it_has_in_the_end() {
    let work = Workspace::new();
    let table = numbered(300);
    let input = work.file("in.csv", &table);
    let (header, rows) = table.split_once('\n').unwrap();
    let reversed = format!("{header}\n{}\n", rows.lines().rev().collect::<Vec<_>>().join("\n"));
    let server = Server::start(move |seen| {
        if seen.number == 299 {
            std::fs::write(&input, &reversed).unwrap();
        }
        Answer::label(gold(row_of(seen)))
    });
    work.run(&label(&server, &[])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "id")[0], "299");
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
}

#[test]
fn equal_rows_are_asked_once() {
    let (server, work) = (honest(), Workspace::new());
    let table = numbered(10);
    let (header, rows) = table.split_once('\n').unwrap();
    work.file("in.csv", format!("{header}\n{}", rows.repeat(20)));
    work.run(&label(&server, &["--concurrency", "32"])).ended(0);
    assert_eq!(server.requests(), 10);
    let rows = work.rows("in.labeled.csv");
    assert_eq!(rows.len(), 200);
    assert!(rows.iter().all(|row| row["label"] == row["gold"]));
    let bought = |row: &&HashMap<String, String>| row["cached"] == "false";
    assert_eq!(rows.iter().filter(bought).count(), 10);
}

#[test]
fn no_more_in_flight_than_allowed() {
    let server = Server::start(|seen| {
        Answer::After(Duration::from_millis(5), Box::new(Answer::label(gold(row_of(seen)))))
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(60));
    work.run(&label(&server, &["--concurrency", "7"])).ended(0);
    assert!((2..=7).contains(&server.most_in_flight()), "{}", server.most_in_flight());
}

#[test]
fn an_endpoint_without_schemas_is_asked_in_words_and_remembered() {
    for refusal in ["response_format is not supported here", "what is this"] {
        let server = Server::start(move |seen| {
            if seen.wants_schema() {
                Answer::status(400, refusal)
            } else {
                Answer::Text(format!("The verdict: **{}**", gold(row_of(seen))))
            }
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(20));
        work.run(&label(&server, &["--concurrency", "2"])).ended(0);
        assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
        assert!(server.requests() <= 24, "{} requests", server.requests());

        let before = server.requests();
        work.file("in.csv", numbered(40));
        let ran = work.run(&label(&server, &["--json"])).ended(0);
        assert_eq!(server.requests() - before, 20, "the refusal was found out again");
        assert!(ran.stdout.contains("rail:text"));
    }
}

#[test]
fn a_refusal_that_comes_late_costs_no_row() {
    let without_probabilities = AtomicUsize::new(0);
    let server = Server::start(move |seen| {
        if !seen.wants_schema() {
            return Answer::Text(gold(row_of(seen)).to_owned());
        }
        let refusal = Answer::status(400, "what is this");
        // The second of these is refused when the form that works is known long since.
        match seen.has("logprobs") || without_probabilities.fetch_add(1, Ordering::SeqCst) != 1 {
            true => refusal,
            false => Answer::After(Duration::from_millis(300), Box::new(refusal)),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(20));
    work.run(&label(&server, &["--concurrency", "2"])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
}

#[test]
fn a_refused_parameter_is_left_out() {
    let server = Server::start(|seen| {
        if seen.body.get("temperature").is_some() {
            let body =
                json!({"error": {"param": "temperature", "code": "unsupported_value", "message": "no"}});
            Answer::Raw { status: 400, headers: Vec::new(), body: body.to_string() }
        } else {
            Answer::label(gold(row_of(seen)))
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(20));
    work.run(&label(&server, &["--concurrency", "1"])).ended(0);
    assert_eq!(server.requests(), 21);
}

#[test]
fn every_way_of_not_answering_has_its_status() {
    let server = Server::start(|seen| match row_of(seen) {
        0 => Answer::Message(json!({"content": "{\"label\": \"corr"}), "length"),
        1 => Answer::Message(json!({"content": null, "refusal": "I will not"}), "stop"),
        2 => Answer::Message(json!({"content": ""}), "content_filter"),
        3 => Answer::Message(json!({"content": null}), "stop"),
        4 => Answer::Text("I cannot tell.".to_owned()),
        5 => Answer::status(400, "what is this"),
        6 => Answer::status(500, "oops"),
        7 => Answer::Cut,
        8 => Answer::Raw { status: 200, headers: Vec::new(), body: "<html>busy</html>".to_owned() },
        9 => Answer::Raw {
            status: 400,
            headers: Vec::new(),
            body: json!({"error": {"code": "context_length_exceeded", "message": "too long"}}).to_string(),
        },
        row => Answer::label(gold(row)),
    });
    let work = Workspace::new();
    work.file("in.csv", format!("{}20,,say(n=1),say: Says,correct\n", numbered(20)));
    // One at a time, so that the schema has proved itself before row 5 is asked.
    let ran = work.run(&label(&server, &["--concurrency", "1", "--max-attempts", "2"])).ended(1);
    let rows = work.rows("in.labeled.csv");
    let status: Vec<&str> = rows.iter().map(|row| row["status"].as_str()).collect();
    assert_eq!(status[..5], ["truncated", "refused", "filtered", "empty", "unparseable"]);
    assert_eq!(status[5..10], ["errored"; 5]);
    assert_eq!(status[10..20], ["judged"; 10]);
    assert_eq!(status[20], "invalid_row");
    assert!(rows[..10].iter().all(|row| row["label"].is_empty() && row["score"].is_empty()));
    let codes: Vec<&str> = rows[5..10].iter().map(|row| row["error"].split(':').next().unwrap()).collect();
    assert_eq!(codes, ["http_400", "http_500", "connection_lost", "invalid_response", "prompt_too_long"]);
    assert_eq!(rows[6]["attempts"], "2");
    assert!(rows[20]["error"].starts_with("empty_question"), "{}", rows[20]["error"]);
    assert!(ran.stderr.contains("11 of 21 rows have no label"), "{}", ran.stderr);
    shown("summary_with_failures", &ran.stdout);

    // The next run asks again what failed, and reuses what was answered, verdict or not. The unexplained refusal is
    // asked once more in words, since this run has not seen the schema work yet.
    let before = server.requests();
    work.run(&label(&server, &["--max-attempts", "1", "--allow-unjudged", "0.6"])).ended(0);
    assert_eq!(server.requests() - before, 6);
    let before = server.requests();
    work.run(&label(&server, &["--max-attempts", "1", "--retry", "unparseable,empty"])).ended(1);
    // Seven, or eight if the unexplained refusal comes first again.
    assert!((7..=8).contains(&(server.requests() - before)));
}

/// A verdict given before the length limit cut the reply counts, is counted apart, and is the same when it is read again.
#[test]
fn a_verdict_before_the_cut_is_kept_and_counted() {
    let server = Server::start(|seen| match row_of(seen) {
        0 => Answer::Message(json!({"content": "Incorrect. The city is missing, and the"}), "length"),
        1 => {
            Answer::Message(json!({"content": "{\"label\": \"correct\", \"explanation\": \"The c"}), "length")
        }
        2 => Answer::Message(json!({"content": "First the city. It is correct if"}), "length"),
        row => Answer::label(gold(row)),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(4));
    let label = |first: &'static str, more: &[&str]| {
        [&[first, "in.csv", "--judge", "openai:m", "--base-url", &server.url], more].concat().join("\n")
    };
    let run = |command: String| work.run(&command.split('\n').collect::<Vec<_>>()).ended(1);
    let ran = run(label("label", &[]));
    assert!(ran.stdout.contains("cut      2 of the labels were read before"), "{}", ran.stdout);
    let rows = work.rows("in.labeled.csv");
    let read = |rows: &[HashMap<String, String>]| -> Vec<(String, String)> {
        rows.iter().map(|row| (row["label"].clone(), row["status"].clone())).collect()
    };
    let labels = read(&rows);
    let expected = [("incorrect", "judged"), ("correct", "judged"), ("", "truncated")];
    assert_eq!(labels[..3], expected.map(|(label, status)| (label.to_owned(), status.to_owned())));
    let manifest: serde_json::Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    assert!(manifest.to_string().contains("\"labels_before_cut\":2"), "{manifest}");
    // Read again, and asked again where there was no verdict only.
    run(label("resnap", &["-o", "again.csv"]));
    assert_eq!(read(&work.rows("again.csv")), labels);
    let before = server.requests();
    run(label("label", &["--retry", "truncated"]));
    assert_eq!(server.requests() - before, 1);
}

#[test]
fn passing_failures_are_tried_again() {
    let server = Server::start(|seen| match seen.earlier {
        0 if row_of(seen) == 1 => Answer::status(503, "busy"),
        0 if row_of(seen) == 2 => Answer::Cut,
        _ => Answer::label(gold(row_of(seen))),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(4));
    work.run(&label(&server, &[])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "attempts"), ["1", "2", "2", "1"]);
}

#[test]
fn a_wait_beyond_the_limit_is_left_to_the_next_run() {
    let server = Server::start(|seen| match row_of(seen) {
        1 => Answer::Raw {
            status: 503,
            headers: vec![("retry-after", "3600".to_owned())],
            body: String::new(),
        },
        row => Answer::label(gold(row)),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(4));
    work.run(&label(&server, &[])).ended(1);
    assert_eq!(work.column("in.labeled.csv", "status"), ["judged", "errored", "judged", "judged"]);
    assert_eq!(server.requests(), 4);
}

#[test]
fn told_to_slow_down_it_waits_and_loses_nothing() {
    let server = Server::start(|seen| {
        if seen.number == 3 {
            let headers = vec![("retry-after-ms", "700".to_owned())];
            Answer::Raw { status: 429, headers, body: "{}".to_owned() }
        } else {
            Answer::label(gold(row_of(seen)))
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(30));
    work.run(&label(&server, &["--concurrency", "1", "--max-attempts", "1"])).ended(0);
    let seen = server.seen();
    assert_eq!(seen.len(), 31);
    assert!(seen[4].at - seen[3].at >= Duration::from_millis(700));
}

#[test]
fn a_quota_that_is_gone_stops_the_run() {
    for (status, body, word) in [
        (401, r#"{"error":{"message":"Incorrect API key provided: sk-secret-1234"}}"#, "Incorrect API key"),
        (403, r#"{"error":{"message":"not allowed"}}"#, "not allowed"),
        (404, r#"{"error":{"code":"model_not_found","message":"no model m"}}"#, "no model m"),
        (429, r#"{"error":{"code":"insufficient_quota","message":"pay up"}}"#, "pay up"),
        (429, r#"{"error":{"message":"limit of requests per day"}}"#, "per day"),
    ] {
        let server = Server::start(move |seen| {
            if seen.number < 10 {
                Answer::label(gold(row_of(seen)))
            } else {
                Answer::Raw { status, headers: Vec::new(), body: body.to_owned() }
            }
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(200));
        let ran = work.run(&label(&server, &["--concurrency", "4"])).ended(2);
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
        assert!(server.requests() < 20, "{} requests", server.requests());
        assert!(!work.path("in.labeled.csv").exists());

        // What was paid for is kept.
        let honest = honest();
        let mut args = label(&honest, &[]);
        args[5] = &server.url;
        let ran = work.run(&label(&server, &["--partial"]));
        assert_eq!(ran.code, Some(2));
        let judged =
            work.column("in.labeled.csv", "status").iter().filter(|status| *status == "judged").count();
        assert_eq!(judged, 10);
    }
}

#[test]
fn an_endpoint_that_nobody_answers_at_stops_the_run() {
    let work = Workspace::new();
    work.file("in.csv", numbered(100));
    // Bound and let go, so that nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/v1");
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &url, "--max-attempts", "2"];
    let ran = work.run(&args).ended(2);
    assert!(ran.stderr.contains(&url) && ran.stderr.contains("refused"), "{}", ran.stderr);
    assert!(!work.path("in.labeled.csv").exists());
}

#[test]
fn a_hung_row_blocks_nobody() {
    // The first row is answered after all others have come, and the last one never.
    let (gate, others) = (Gate::default(), AtomicUsize::new(0));
    let server = Server::start(move |seen| match row_of(seen) {
        0 => Answer::Held(gate.clone(), Box::new(Answer::label(gold(0)))),
        50 => Answer::Hang,
        row => {
            if others.fetch_add(1, Ordering::SeqCst) + 1 == 49 {
                gate.open();
            }
            Answer::label(gold(row))
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(50));
    let args = ["--timeout", "250", "--max-attempts", "1", "--concurrency", "2"];
    work.run(&label(&server, &args)).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    // All others are in the store, so that only the row that hangs can be late.
    work.file("in.csv", numbered(51));
    let args = ["--timeout", "1", "--max-attempts", "1", "--concurrency", "2", "--force"];
    work.run(&label(&server, &args)).ended(1);
    let rows = work.rows("in.labeled.csv");
    assert!(rows[50]["error"].starts_with("timeout"), "{}", rows[50]["error"]);
    assert!(rows[..50].iter().all(|row| row["label"] == row["gold"]));
    assert_eq!(server.requests(), 51);
}

#[test]
fn the_key_is_sent_and_appears_nowhere() {
    const KEY: &str = "sk-very-secret-key-0123456789";
    let server = Server::start(|seen| {
        let echoed = seen.authorization.clone().unwrap_or_default();
        match row_of(seen) {
            0 => Answer::status(400, &format!("you sent {echoed}")),
            1 => Answer::status(500, &format!("you sent {echoed}")),
            row => Answer::label(gold(row)),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(5));
    let url = server.url.replace("http://", "http://user:hunter2@");
    let mut args = label(&server, &["--max-attempts", "1", "--keep-prompts"]);
    args[5] = &url;
    let output = work.tooljudge(&args).env("OPENAI_API_KEY", KEY).finish();
    assert_eq!(output.status.code(), Some(1));
    assert!(server.seen().iter().all(|seen| seen.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
    let mut files: Vec<Vec<u8>> = vec![output.stdout, output.stderr];
    for name in ["in.labeled.csv", "in.labeled.csv.run.json", ".tooljudge/replies.sqlite"] {
        files.push(std::fs::read(work.path(name)).unwrap());
    }
    for secret in [KEY, "hunter2"] {
        let found = |file: &Vec<u8>| file.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!files.iter().any(found), "{secret} was written somewhere");
    }
}

#[test]
fn interrupted_it_keeps_what_was_paid_for_and_goes_on_later() {
    let gate = Gate::default();
    let server = Server::start({
        let gate = gate.clone();
        move |seen| match row_of(seen) {
            row if row < 55 => Answer::label(gold(row)),
            // In flight until the run has heard that it is to stop.
            row => Answer::Held(gate.clone(), Box::new(Answer::label(gold(row)))),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(400));
    let mut run = work.start(&label(&server, &["--concurrency", "8"]));
    server.await_requests(60);
    interrupt(run.id());
    let mut heard = String::new();
    let mut lines = std::io::BufReader::new(run.stderr.as_mut().unwrap());
    while !heard.contains("Ctrl-C again") {
        assert!(std::io::BufRead::read_line(&mut lines, &mut heard).unwrap() > 0, "{heard}");
    }
    gate.open();
    std::io::Read::read_to_string(&mut lines, &mut heard).unwrap();
    let output = run.output();
    assert_eq!(output.status.code(), Some(130), "{heard}");
    assert!(heard.contains("Run the same command again"), "{heard}");
    assert!(!work.path("in.labeled.csv").exists());
    assert!(server.requests() < 400);

    work.run(&label(&server, &["--concurrency", "64"])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    assert_eq!((server.requests(), server.answered_twice()), (400, 0));
}

pub fn interrupt(process: u32) {
    let status = std::process::Command::new("kill").args(["-INT", &process.to_string()]).finish().status;
    assert!(status.success());
}

#[test]
fn two_runs_share_a_store_without_asking_twice() {
    let server = Server::start(|seen| {
        Answer::After(Duration::from_millis(3), Box::new(Answer::label(gold(row_of(seen)))))
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(400));
    let runs = ["a.csv", "b.csv"].map(|output| {
        work.start(&label(&server, &["-o", output, "--concurrency", "8", "--store", "shared.sqlite"]))
    });
    for run in runs {
        let output = run.output();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!((server.requests(), server.answered_twice()), (400, 0));
    assert_eq!(work.column("a.csv", "label"), work.column("b.csv", "gold"));
}

#[test]
fn fresh_asks_everything_anew_and_settings_make_other_questions() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(10));
    let asked = |more: &[&str]| {
        let before = server.requests();
        work.run(&label(&server, more)).ended(0);
        server.requests() - before
    };
    assert_eq!(asked(&[]), 10);
    assert_eq!(asked(&["--fresh"]), 10);
    assert_eq!(asked(&["--concurrency", "3", "--timeout", "9"]), 0);
    assert_eq!(asked(&["--temperature", "1"]), 10);
    assert_eq!(asked(&["--explain"]), 10);
    assert_eq!(asked(&["--task", "tool_selection"]), 10);
}

#[test]
fn rate_limits_are_kept() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(40));
    work.run(&label(&server, &["--rpm", "1200", "--concurrency", "40"])).ended(0);
    let seen = server.seen();
    // 1,200 a minute is one every 50 ms; two may go at once at the beginning.
    let span = seen[39].at - seen[0].at;
    assert!(span >= Duration::from_millis(50 * 37), "{span:?}");
}

#[test]
fn token_limits_are_kept_and_settled_by_real_usage() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(30));
    work.run(&label(&server, &["--tpm", "600000", "--concurrency", "30"])).ended(0);
    let seen = server.seen();
    // What the server counted: 10,000 tokens a second. The first request is free, and so is a tenth of a second's worth.
    let tokens: usize = seen.iter().skip(1).map(|seen| seen.prompt().len() / 4 + 5).sum();
    let span = (seen[29].at - seen[0].at).as_secs_f64();
    assert!(span >= (tokens as f64 - 1_000.0) / 10_000.0 * 0.95, "{tokens} tokens in {span} s");
}

#[test]
fn interrupted_twice_it_quits_at_once() {
    let server =
        Server::start(|_| Answer::After(Duration::from_secs(600), Box::new(Answer::label("correct"))));
    let work = Workspace::new();
    work.file("in.csv", numbered(50));
    let mut run = work.start(&label(&server, &["--concurrency", "4"]));
    server.await_requests(4);
    interrupt(run.id());
    // The first one is heard before the second is sent: what is in flight is still waited for.
    let mut heard = String::new();
    let mut stderr = std::io::BufReader::new(run.stderr.take().unwrap());
    while !heard.contains("Ctrl-C again") {
        assert!(std::io::BufRead::read_line(&mut stderr, &mut heard).unwrap() > 0, "{heard}");
    }
    assert!(run.ended().is_none());
    interrupt(run.id());
    assert_eq!(run.wait().code(), Some(130));
    assert_eq!(server.requests(), 4);
}

#[test]
fn old_templates_work_as_they_are() {
    let server = Server::start(|seen| Answer::Text(if row_of(seen) == 1 { "Yes" } else { "no." }.to_owned()));
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    work.file(
        "old.txt",
        "Question: {question}\nCall: {tool_call}\nTools: {tool_definitions}\nJSON: {\"a\": {}}",
    );
    work.run(&label(&server, &["--template", "old.txt", "--rails", "yes,no"])).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), ["no", "yes", "no"]);
    assert_eq!(work.column("in.labeled.csv", "score"), ["0.0", "1.0", "0.0"]);
    assert_eq!(work.column("in.labeled.csv", "template"), ["old"; 3]);
    let prompts: Vec<String> = server.seen().iter().map(|seen| seen.prompt().to_owned()).collect();
    let expected = "Question: Say 1 please\nCall: say(n=1)\nTools: say: Says a number\nJSON: {\"a\": {}}";
    assert!(prompts.contains(&expected.to_owned()));
}

/// Every request, wait and retry is reported, and neither keys nor rows are.
#[test]
fn a_log_tells_of_requests_and_of_nothing_secret() {
    let server = Server::start(|seen| match seen.number {
        0 => Answer::status(503, "busy"),
        _ => Answer::label("correct"),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    let args =
        ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "-v", "--log-file", "run.log"];
    let mut command = work.tooljudge(&[&args[..], &["--api-key-env", "OWN_KEY"]].concat());
    let ran = command.env("OWN_KEY", "sk-entirely-secret").finish();
    assert!(ran.status.success());
    let stderr = String::from_utf8(ran.stderr).unwrap();
    let log = work.read("run.log");
    assert_eq!(log.matches("answered").count(), server.requests(), "{log}");
    assert!(log.contains("retry") && log.contains("status=503"), "{log}");
    assert!(stderr.contains("retry") && !stderr.contains("status=200"), "{stderr}");
    assert!(server.seen()[0].authorization.as_ref().is_some_and(|sent| sent.contains("sk-entirely-secret")));
    assert!(!log.contains("sk-entirely-secret") && !log.contains("please"), "{log}");
}
