//! Judges that misbehave, one file each in `tests/scenarios`: what the judge does, and what must come out, row by row.
//!
//! Of every scenario these hold too: as many rows come out as went in; a label stands only where a completion was sent, and
//! nowhere else; nobody comes while told to wait; no question is completed twice; no key is shown; and the same command run
//! again, by a judge that is well, asks for what has no answer, and for nothing else.
//!
//! `TOOLJUDGE_SCENARIO=word` runs only those whose name holds the word.

mod file;
mod judge;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use file::{Expected, ProviderFormat, Scenario};
use judge::{Judge, WELL, number_in, question};

use crate::support::child::Deadline;
use crate::support::server::Early;
use crate::support::workspace::{Ran, Workspace, repository};

/// Scenarios under way at once; most of their time goes by waiting.
const AT_ONCE: usize = 8;
const KEY: &str = "sk-a-key-that-nobody-may-see";

#[test]
fn every_misbehaviour_comes_out_as_its_file_says() {
    let wanted = std::env::var("TOOLJUDGE_SCENARIO").unwrap_or_default();
    let mut plays: Vec<(String, Arc<Scenario>, ProviderFormat)> = Vec::new();
    for (name, scenario) in files().into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let scenario = Arc::new(scenario);
        plays.extend(scenario.judges.iter().map(|format| (name.clone(), Arc::clone(&scenario), *format)));
    }
    assert!(!plays.is_empty(), "no scenario is called {wanted}");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((name, scenario, format)) = plays.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let complaints = play(scenario, *format);
                    if !complaints.is_empty() {
                        let all = complaints.join("\n  ");
                        let told = format!("{name} ({}): {}\n  {all}", format.provider(), scenario.about);
                        wrong.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    println!("{} scenarios, each with one format", plays.len());
    assert!(wrong.is_empty(), "{} of {} went wrong\n\n{}", wrong.len(), plays.len(), wrong.join("\n\n"));
}

fn files() -> Vec<(String, Scenario)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(repository("tests/scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let scenario = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            files.push((name, scenario));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    files
}

/// Runs the scenario twice; returns what is not as it should be.
fn play(scenario: &Arc<Scenario>, format: ProviderFormat) -> Vec<String> {
    let judge = Judge::start(scenario, format);
    let work = Workspace::new();
    let expected: Vec<(usize, &Expected)> = scenario
        .rows
        .iter()
        .flat_map(|row| std::iter::repeat_n(row, row.times))
        .enumerate()
        .flat_map(|(number, row)| std::iter::repeat_n((number, &row.expect), row.copies))
        .collect();
    let mut table = "question,tool_call,tool_definitions\n".to_owned();
    for (number, _) in &expected {
        table
            .push_str(&format!("{},say(n={number}),say: Says a number\n", question(&scenario.rows, *number)));
    }
    work.file("in.csv", table);
    work.file("tooljudge.toml", settings(&judge, format));

    let mut complaints = Vec::new();
    let mut check = |what: &str, seen: &dyn std::fmt::Display, right: bool| {
        if !right {
            complaints.push(format!("{what}: {seen}"));
        }
    };
    let ran = run(&work, scenario, &[]);
    let asked = asked(&judge);
    let completions = completions(&judge);
    let rows = if work.path("in.labeled.csv").exists() { work.rows("in.labeled.csv") } else { Vec::new() };
    let told = format!("\n{}{}", ran.stdout, ran.stderr);
    check("exit code", &format!("{:?}{told}", ran.code), ran.code == Some(scenario.exit));
    check("rows in the output", &format!("{}{told}", rows.len()), rows.len() == expected.len());
    for ((number, expected), row) in expected.iter().zip(&rows) {
        let place = format!("question {number}");
        let requests = asked.get(number).copied().unwrap_or(0);
        let seen = observed(row, requests);
        let want = stated(expected, requests);
        if scenario.server.breaks.is_some() && seen == Observed::not_asked(requests) && requests <= 1 {
            continue;
        }
        check(&place, &format!("{seen:?}\n    instead of {want:?}\n    {}", row["error"]), seen == want);
        check(&place, &row["error"], row["error"].contains(&expected.message));
        let answered = is_answered(&row["status"]);
        let completed = completions.get(number).copied().unwrap_or(0);
        check(&place, &"labelled without a completion", row["label"].is_empty() || completed > 0);
        check(&place, &"completed and not kept", answered || completed == 0);
        check(&place, &"no label and a score", row["label"].is_empty() == row["score"].is_empty());
    }
    for text in &scenario.expect.stderr {
        check("standard error", &format!("without `{text}`: {}", ran.stderr), ran.stderr.contains(text));
    }
    for (status, count) in &scenario.expect.statuses {
        let seen = rows.iter().filter(|row| row["status"] == *status).count();
        check(&format!("rows {status}"), &seen, seen == *count);
    }
    // Of those that were in flight with the one that was told, some may have been on their way.
    let on_their_way = scenario.concurrency - 1;
    let (early, waits) = judge.early();
    check("came while the limits told to wait", &early, early <= on_their_way * waits);
    let early = judge.server.seen().iter().filter(|seen| seen.early == Some(Early::Everybodys)).count();
    check("came while all were told to wait", &early, early <= on_their_way * judge.server.waits());
    let requests = judge.server.requests();
    check("requests", &requests, scenario.expect.requests.is_none_or(|right| right == requests));
    let most = judge.server.most_in_flight();
    check("most in flight", &most, scenario.expect.most_in_flight.is_none_or(|right| most <= right));
    let megabytes = judge.server.bytes_sent() >> 20;
    check(
        "megabytes sent",
        &megabytes,
        scenario.expect.most_megabytes.is_none_or(|right| megabytes <= right),
    );

    judge.heal();
    let ran_again = run(&work, scenario, &scenario.again.flags);
    let asked_again = self::asked(&judge);
    let rows_again = work.rows("in.labeled.csv");
    let unjudged = rows_again.iter().filter(|row| row["status"] != "judged").count();
    let right = if unjudged == 0 { 0 } else { 1 };
    check(
        "exit code, again",
        &format!("{:?}\n{}", ran_again.code, ran_again.stderr),
        ran_again.code == Some(right),
    );
    for (((number, expected), before), after) in expected.iter().zip(&rows).zip(&rows_again) {
        let place = format!("question {number}, again");
        let count = |asked: &HashMap<usize, usize>| asked.get(number).copied().unwrap_or(0);
        let requests = count(&asked_again) - count(&asked);
        let due = expected.again.unwrap_or(usize::from(!is_answered(&before["status"])));
        check(&place, &format!("{requests} requests instead of {due}"), requests == due);
        let (status, label) = match due {
            0 => (before["status"].as_str(), before["label"].as_str()),
            _ => ("judged", WELL),
        };
        let now = (after["status"].as_str(), after["label"].as_str());
        check(&place, &format!("{now:?} instead of {:?}", (status, label)), now == (status, label));
    }

    for seen in judge.server.seen() {
        let place = format!("question {}, request {}", number_in(seen.prompt()), seen.earlier);
        check(&place, &"came while told to wait", seen.early != Some(Early::Own));
        let key = seen.authorization.as_deref().or(seen.headers.get("x-api-key").map(String::as_str));
        check(&place, &"came without its key", key.is_some_and(|key| key.ends_with(KEY)));
        check(&place, &format!("{:?}", seen.version), seen.version == scenario.server.protocol.version());
    }
    for (number, count) in self::completions(&judge) {
        let twice = expected.iter().any(|(of, row)| *of == number && row.again.is_some());
        check(&format!("question {number}"), &format!("{count} completions"), count == 1 || twice);
    }
    for text in [&ran.stdout, &ran.stderr, &ran_again.stdout, &ran_again.stderr, &work.read("in.labeled.csv")]
    {
        check("the key is shown", text, !text.contains(KEY));
    }
    complaints
}

/// The settings of the judge that is asked.
fn settings(judge: &Judge, format: ProviderFormat) -> String {
    let authority = repository("tests/fixtures/tls/ca.pem").display().to_string();
    let (provider, url) = (format.provider(), &judge.server.url);
    let key = format!("{}_API_KEY", provider.to_string().to_uppercase());
    format!(
        "[judges.tested]\njudge = \"{provider}:m\"\nbase_url = \"{url}\"\nca_cert = {authority:?}\napi_key_env = \"{key}\"\n"
    )
}

fn run(work: &Workspace, scenario: &Scenario, more: &[String]) -> Ran {
    let mut args = vec!["label", "in.csv", "--judge", "tested", "--partial"];
    let concurrency = scenario.concurrency.to_string();
    args.extend(["--concurrency", &concurrency]);
    args.extend(scenario.flags.iter().chain(more).map(String::as_str));
    let mut command = work.tooljudge(&args);
    Ran::from(command.env("OPENAI_API_KEY", KEY).env("ANTHROPIC_API_KEY", KEY).finish())
}

/// Requests so far, by the number of the question.
fn asked(judge: &Judge) -> HashMap<usize, usize> {
    judge.server.asked().iter().map(|(prompt, count)| (number_in(prompt), *count)).collect()
}

fn completions(judge: &Judge) -> HashMap<usize, usize> {
    judge.server.completions().iter().map(|(prompt, count)| (number_in(prompt), *count)).collect()
}

/// What the output says of a row, and what the server saw of it.
#[derive(Debug, PartialEq)]
struct Observed {
    status: String,
    label: String,
    error: String,
    attempts: Option<usize>,
    requests: usize,
}

impl Observed {
    fn not_asked(requests: usize) -> Observed {
        let (status, label, error) = ("not_asked".to_owned(), String::new(), String::new());
        Observed { status, label, error, attempts: None, requests }
    }
}

fn observed(row: &HashMap<String, String>, requests: usize) -> Observed {
    Observed {
        status: row["status"].clone(),
        label: row["label"].clone(),
        error: row["error"].split(':').next().unwrap_or_default().to_owned(),
        attempts: row["attempts"].parse().ok(),
        requests,
    }
}

/// What the file says, of a row for which the judge saw so many requests.
fn stated(expected: &Expected, requests: usize) -> Observed {
    let status = expected.status.clone();
    let own = match status.as_str() {
        "unparseable" | "filtered" | "empty" | "truncated" => status.as_str(),
        _ => "",
    };
    let by_chance = expected.at_most.map(|most| requests.clamp(1, most));
    let attempts = expected.attempts.or(by_chance);
    Observed {
        label: expected.label.clone(),
        error: expected.error.clone().unwrap_or_else(|| own.to_owned()),
        attempts,
        requests: expected.requests.or(attempts).unwrap_or(0),
        status,
    }
}

/// Whether the model has answered, with a verdict or without.
fn is_answered(status: &str) -> bool {
    matches!(status, "judged" | "unparseable" | "refused" | "filtered" | "empty" | "truncated")
}
