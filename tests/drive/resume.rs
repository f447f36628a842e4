//! Nothing is paid for twice: what is stored is used, what has changed is asked from the first turn that it touches.

use std::time::Duration;

use serde_json::json;

use super::{REPLIES, TOOLS, anew, case_of, column, drive, rows, told, traveller, trips, workspace};
use crate::support::server::{Answer, Said, Server, TurnEnd};
use crate::support::workspace::{Ran, Workspace};

fn slow() -> Server {
    Server::start(|seen| Answer::After(Duration::from_millis(20), Box::new(traveller(seen))))
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_came_and_the_next_pays_for_the_rest() {
    for signal in ["INT", "TERM"].into_iter().filter(|signal| crate::faults::signals::is_heard(signal)) {
        let unbroken = workspace(30);
        let server = slow();
        unbroken.run(&drive(&server, &[])).ended(0);
        let (server, work) = (slow(), workspace(30));
        let more = ["--allow-failures", "--concurrency", "4", "--turns", "turns.jsonl"];
        let args = [&anew(&server)[..], &more].concat();
        let run = work.start(&args);
        server.await_requests(25);
        crate::faults::signals::send(run.id(), signal);
        let ran = Ran::from(run.output()).ended(130);
        assert!(ran.stderr.contains("Run the same command again"), "{}", ran.stderr);
        assert!(!work.path("episodes.jsonl").exists() && !work.path("turns.jsonl").exists());
        assert!(server.requests() < 90);
        let resumed = work.run(&[&args[..], &["--quiet"]].concat()).ended(0);
        assert!(resumed.stderr.contains("this run goes on where the one of "), "{}", resumed.stderr);
        assert_eq!((server.requests(), server.answered_twice()), (90, 0));
        assert_eq!(told(&work, "episodes.jsonl"), told(&unbroken, "episodes.jsonl"));
        let cached: u64 = column(&rows(&work, "episodes.jsonl"), "usage")
            .iter()
            .map(|usage| usage["cached"].as_u64().unwrap())
            .sum();
        assert!((25..90).contains(&cached), "{cached} of an earlier run");
    }
}

/// What stands behind an address may be another program each time.
#[test]
fn an_agent_without_a_version_is_never_replayed() {
    let server = Server::start(|seen| match seen.earlier {
        0 => traveller(seen),
        _ => Answer::Turn(Said::text("I do not know.")),
    });
    let work = workspace(3);
    let args = [&anew(&server)[..], &["--allow-failures", "--quiet"]].concat();
    let passed = |more: &[&str]| {
        assert_eq!(work.run(&[&args[..], more].concat()).ended(0).stderr, "");
        rows(&work, "episodes.jsonl").iter().filter(|row| row["passed"] == true).count()
    };
    assert_eq!((passed(&[]), server.requests()), (2, 9));
    assert_eq!((passed(&[]), server.requests()), (0, 12));
    // A version has replies of its own, and keeps them.
    for (version, asked) in [("1", 15), ("1", 15), ("2", 18), ("1", 18)] {
        assert_eq!((passed(&["--agent-version", version]), server.requests()), (0, asked), "{version}");
    }
    let empty = work.run(&[&args[..], &["--agent-version", ""]].concat()).ended(2);
    assert!(empty.stderr.contains("--agent-version"), "{}", empty.stderr);
}

/// The same command goes on; another suite, or what has come to its end, is not gone on with.
#[test]
fn a_killed_run_is_gone_on_with_once() {
    let (server, work) = (slow(), workspace(20));
    let args = [&anew(&server)[..], &["--allow-failures", "--concurrency", "2"]].concat();
    let run = work.start(&args);
    server.await_requests(20);
    run.kill();
    run.wait();
    server.settle();
    let killed = server.requests();
    work.file("other.toml", trips(1).replace("name = \"trips\"", "name = \"other\""));
    let other = args.iter().map(|arg| if *arg == "suite.toml" { "other.toml" } else { arg });
    let other = work.run(&other.collect::<Vec<_>>()).ended(0);
    assert!(!other.stderr.contains("goes on where"), "{}", other.stderr);
    assert_eq!(server.requests(), killed + REPLIES);
    // Nor has a run of one of its cases ended it, though that goes on with it.
    let one = work.run(&[&args[..], &["--case", "c1"]].concat()).ended(0);
    assert!(one.stderr.contains("this run goes on where the one of "), "{}", one.stderr);
    let resumed = work.run(&args).ended(0);
    assert!(resumed.stderr.contains("this run goes on where the one of "), "{}", resumed.stderr);
    let all = 20 * REPLIES;
    assert!((all..=all + 2).contains(&(server.requests() - REPLIES)), "{}", server.requests());
    let again = work.run(&args).ended(0);
    assert!(!again.stderr.contains("goes on where"), "{}", again.stderr);
    assert!(server.requests() >= 2 * all + REPLIES);
}

#[test]
fn a_changed_mock_or_prompt_asks_from_the_first_turn_that_it_touches() {
    let (server, work) = (Server::start(traveller), workspace(6));
    let args = drive(&server, &[]);
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES);
    // What the first call returns is not what the first turn was sent.
    work.file("suite.toml", trips(6).replace("result = { of = 4 }", "result = { of = 40 }"));
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 2);
    // Only the second call returns something else.
    let second = "results = [{ result = { of = 40 } }, { text = \"new\" }]";
    work.file("suite.toml", trips(6).replace("result = { of = 4 }", second));
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 3);
    // What is expected, and how long a tool is said to take, no model is told.
    work.file(
        "suite.toml",
        trips(6).replace("latency_ms = 7", "latency_ms = 9").replace("\"Hue\"]", "\"Rome\"]"),
    );
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 3);
    work.file("suite.toml", trips(6).replace("<<c2>> Where", "<<c2>> Tell me where"));
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 3 + REPLIES);
    // A definition is part of every dialogue.
    work.file("suite.toml", trips(6));
    work.file("tools.json", TOOLS.replace("The weather now.", "The weather here."));
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 3 + REPLIES + 6 * REPLIES);
    // Parameters and models are asked for themselves.
    work.run(&[&args[..], &["--temperature", "0.5"]].concat()).ended(0);
    assert_eq!(server.requests(), 6 * REPLIES + 3 + REPLIES + 12 * REPLIES);
    assert!(server.seen().iter().rev().take(18).all(|seen| seen.has("temperature")));
}

#[test]
fn equal_cases_are_paid_once_and_repeats_each_by_themselves() {
    let (server, work) = (slow(), workspace(0));
    let alike: String = (0..5)
        .map(|_| trips(2).split_once("[[cases]]").unwrap().1.to_owned())
        .enumerate()
        .map(|(at, cases)| format!("[[cases]]{}", cases.replace("id = \"c", &format!("id = \"{at}c"))))
        .collect();
    work.file("suite.toml", format!("tools = \"tools.json\"\n{alike}"));
    let args = drive(&server, &["--concurrency", "8"]);
    work.run(&args).ended(0);
    assert_eq!((rows(&work, "episodes.jsonl").len(), server.requests()), (10, 2 * REPLIES));
    work.run(&[&args[..], &["--repeats", "3"]].concat()).ended(0);
    let episodes = rows(&work, "episodes.jsonl");
    assert_eq!((episodes.len(), server.requests()), (30, 3 * 2 * REPLIES));
    let ids: Vec<&str> = episodes.iter().take(4).map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["0c0#1", "0c0#2", "0c0#3", "0c1#1"]);
    work.run(&[&args[..], &["--repeats", "3", "--fresh"]].concat()).ended(0);
    assert_eq!(server.requests(), 2 * 3 * 2 * REPLIES);
    // What was asked afresh is what counts from then on.
    work.run(&[&args[..], &["--repeats", "3"]].concat()).ended(0);
    assert_eq!(server.requests(), 2 * 3 * 2 * REPLIES);
}

#[test]
fn a_truncated_reply_is_kept_and_asked_again_only_where_that_is_told() {
    let server = Server::start(|seen| {
        let cut = |answer: Said| answer.ending(TurnEnd::Length);
        match (case_of(seen).as_str(), seen.turns(), seen.earlier) {
            ("c1", 2, 0) => Answer::Turn(cut(Said::text("In H"))),
            ("c2", 0, 0) => Answer::Turn(cut(Said::call("get_weather", &json!({"city": "Hue"})))),
            _ => traveller(seen),
        }
    });
    let work = workspace(4);
    let args = drive(&server, &[]);
    work.run(&args).ended(0);
    let ends = |work: &Workspace| column(&rows(work, "episodes.jsonl"), "ended");
    assert_eq!(ends(&work), ["finished", "truncated", "truncated", "finished"]);
    let asked = server.requests();
    work.run(&args).ended(0);
    assert_eq!(server.requests(), asked);
    work.run(&[&args[..], &["--retry", "truncated"]].concat()).ended(0);
    assert_eq!(ends(&work), ["finished"; 4]);
    assert_eq!(server.requests(), asked + 1 + REPLIES);
    work.run(&[&args[..], &["--retry", "truncated,empty,refused"]].concat()).ended(0);
    assert_eq!(server.requests(), asked + 1 + REPLIES);
}

/// The reply of an earlier run is there and does not count, the new one cannot be had: nobody waits for it for ever.
#[test]
fn what_cannot_be_asked_anew_is_no_reply_and_ends_for_equal_cases_too() {
    let server = Server::start(|seen| match (case_of(seen).as_str(), seen.turns(), seen.earlier) {
        ("c1", 1, earlier) if earlier > 0 => Answer::status(400, "not again"),
        ("c2", 0, 0) => Answer::Turn(Said::text("I").ending(TurnEnd::Length)),
        ("c2", 0, _) => Answer::status(400, "not again"),
        _ => traveller(seen),
    });
    let work = workspace(3);
    let twice = trips(3).replace("id = \"c", "id = \"again").split_once("[[cases]]").unwrap().1.to_owned();
    work.file("suite.toml", format!("{}[[cases]]{twice}", trips(3)));
    let args = drive(&server, &[]);
    work.run(&args).ended(0);
    // Who was cut off stays cut off where a better reply cannot be had.
    work.run(&[&args[..], &["--retry", "truncated"]].concat()).ended(0);
    let ends = column(&rows(&work, "episodes.jsonl"), "ended");
    assert_eq!(ends, ["finished", "finished", "truncated", "finished", "finished", "truncated"]);
    work.run(&[&args[..], &["--fresh"]].concat()).ended(1);
    let episodes = rows(&work, "episodes.jsonl");
    assert_eq!(
        column(&episodes, "ended"),
        ["finished", "errored", "errored", "finished", "errored", "errored"]
    );
    super::only_ends_are_scored(&episodes);
}

#[test]
fn two_runs_on_one_store_ask_each_turn_once_and_write_the_same() {
    let (server, work) = (slow(), workspace(40));
    let start = |output: &str| {
        let args = [
            "drive",
            "--allow-failures",
            "suite.toml",
            "--agent",
            "openai:m",
            "--agent-version",
            "1",
            "--base-url",
            &server.url,
            "--concurrency",
            "6",
            "-o",
        ];
        work.start(&[&args[..], &[output]].concat())
    };
    let runs = [start("a.jsonl"), start("b.jsonl"), start("c.jsonl")];
    for run in runs {
        Ran::from(run.output()).ended(0);
    }
    assert_eq!((server.requests(), server.answered_twice()), (40 * REPLIES, 0));
    assert_eq!(told(&work, "a.jsonl"), told(&work, "b.jsonl"));
    assert_eq!(told(&work, "a.jsonl"), told(&work, "c.jsonl"));
}

#[test]
fn several_agents_are_driven_together_each_by_its_own_replies() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("good") => traveller(seen),
        _ => Answer::Turn(Said::text("I do not know.")),
    });
    let work = workspace(5);
    let named =
        |model: &str| format!("[judges.{model}]\njudge = 'openai:{model}'\nbase_url = '{}'\n", server.url);
    work.file("tooljudge.toml", named("good") + &named("bad"));
    let agents = [
        "drive",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "good",
        "--agent",
        "bad",
        "-o",
        "episodes.jsonl",
        "--json",
    ];
    let ran = work.run(&agents).ended(0);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let passed = |at: usize| told["agents"][at]["scores"]["passed"].as_u64().unwrap();
    assert!(passed(0) == 3 && passed(1) == 0, "{told:#}");
    let episodes = rows(&work, "episodes.jsonl");
    let ids: Vec<&str> = episodes.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids[5]), ("c0#1@good", "c0#1@bad"));
    assert_eq!(server.requests(), 5 * REPLIES + 5);
}
