//! What a build is told: gates, exit codes, reports.

use serde_json::{Value, json};

use super::{drive, number_of, rows, traveller, workspace};
use crate::support::server::{Answer, Said, Server};
use crate::support::workspace::{Ran, Workspace};

/// Fails in all cases with a number below `failing`.
fn failing(failing: usize) -> Server {
    Server::start(move |seen| match number_of(seen) < failing {
        true => Answer::Turn(Said::text("I do not know.")),
        false if seen.turns() == 1 => Answer::Turn(Said::call("get_weather", &json!({"city": "Oslo"}))),
        false => traveller(seen),
    })
}

fn run(work: &Workspace, server: &Server, more: &[&str]) -> Ran {
    work.run(&drive(server, more))
}

#[test]
fn a_share_that_passes_is_a_gate() {
    let (server, work) = (failing(3), workspace(10));
    run(&work, &server, &["--min-pass-rate", "0.7"]).ended(0);
    let ran = run(&work, &server, &["--min-pass-rate", "0.71"]).ended(1);
    assert!(
        ran.stderr.contains("7 of 10 scored episodes passed, fewer than the share of 0.71"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pass_hat_is_a_gate_and_needs_repeats() {
    // Case 0 passes in the first repeat only.
    let server = Server::start(|seen| match (number_of(seen), seen.turns(), seen.earlier) {
        (0, 0, earlier) if earlier > 0 => Answer::Turn(Said::text("I do not know.")),
        (_, 1, _) => Answer::Turn(Said::call("get_weather", &json!({"city": "Oslo"}))),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let repeats = ["--repeats", "3", "--concurrency", "1"];
    let with = |hat: &'static str| [&repeats[..], &["--min-pass-hat", hat]].concat();
    run(&work, &server, &with("3=0.75")).ended(0);
    let ran = run(&work, &server, &with("3=0.76")).ended(1);
    assert!(ran.stderr.contains("pass^3 is 0.750, below 0.76"), "{}", ran.stderr);
    let ran = run(&work, &server, &with("4=0.1")).ended(2);
    assert!(ran.stderr.contains("every case is driven 3 times; add --repeats 4"), "{}", ran.stderr);
    let told: Value =
        serde_json::from_str(&run(&work, &server, &[&repeats[..], &["--json"]].concat()).stdout).unwrap();
    let of = |k: usize| {
        &told["agents"][0]["repeats"].as_array().unwrap().iter().find(|rate| rate["k"] == k).unwrap()["pass_hat_k"]
            ["value"]
    };
    // Of case 0 one of three passes: no pair of its repeats passes whole.
    let is = |k: usize, value: f64| (of(k).as_f64().unwrap() - value).abs() < 1e-9;
    assert!(is(1, (1.0 / 3.0 + 3.0) / 4.0) && is(2, 0.75) && is(3, 0.75), "{told:#}");
    let odd = run(&work, &server, &["--min-pass-hat", "3"]).ended(2);
    assert!(odd.stderr.contains("`3` is not K=SHARE"), "{}", odd.stderr);
}

#[test]
fn worse_than_a_baseline_fails_and_equal_or_better_does_not() {
    let work = workspace(20);
    let (good, bad) = (failing(2), failing(12));
    let into = |server: &Server, store: &str, output: &str, more: &[&str]| {
        let base = [
            "drive",
            "suite.toml",
            "--agent",
            "openai:m",
            "--base-url",
            &server.url,
            "--store",
            store,
            "-o",
            output,
        ];
        work.run(&[&base[..], more].concat())
    };
    into(&good, "good.sqlite", "good.jsonl", &[]).ended(0);
    into(&good, "good.sqlite", "good.parquet", &[]).ended(0);
    into(&good, "good.sqlite", "good.csv", &[]).ended(0);
    for before in ["good.jsonl", "good.parquet", "good.csv"] {
        let equal = into(&good, "good.sqlite", "again.jsonl", &["--baseline", before]).ended(0);
        assert!(
            equal.stdout.contains("no difference is shown. 20 episodes of 20 cases in both runs"),
            "{before}: {}",
            equal.stdout
        );
        let worse = into(&bad, "bad.sqlite", "bad.jsonl", &["--baseline", before]).ended(1);
        assert!(
            worse.stderr.contains(
                "it does worse than in the baseline: 90.0 % of 20 episodes passed then, 40.0 % now"
            ),
            "{before}: {}",
            worse.stderr
        );
    }
    let better = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "bad.jsonl"]).ended(0);
    assert!(better.stdout.contains("better than before"), "{}", better.stdout);
    // An agent of another name is compared with the only one that there is; of several with its namesake, or not at all.
    let other =
        ["drive", "suite.toml", "--agent", "openai:new", "--base-url", &bad.url, "--baseline", "good.jsonl"];
    work.run(&other).ended(1);
    work.file(
        "both.jsonl",
        work.read("good.jsonl") + &work.read("good.jsonl").replace("openai:m", "openai:k"),
    );
    into(&good, "good.sqlite", "again.jsonl", &["--baseline", "both.jsonl"]).ended(0);
    let both =
        ["drive", "suite.toml", "--agent", "openai:new", "--base-url", &bad.url, "--baseline", "both.jsonl"];
    let ran = work.run(&both).ended(2);
    assert!(
        ran.stderr.contains("it has several agents, and none is named openai:new: openai:k, openai:m"),
        "{}",
        ran.stderr
    );
    work.file("other.csv", "question,passed\nwhy,true\n");
    let ran = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "other.csv"]).ended(2);
    assert!(
        ran.stderr.contains("it has no column `suite`: give it a table that `drive -o` wrote"),
        "{}",
        ran.stderr
    );
    into(&good, "good.sqlite", "again.jsonl", &["--baseline", "none.jsonl"]).ended(2);
    work.file(
        "elsewhere.jsonl",
        work.read("good.jsonl").replace("\"suite\":\"trips\"", "\"suite\":\"other\""),
    );
    let ran = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "elsewhere.jsonl"]).ended(2);
    assert!(ran.stderr.contains("no episode of it has the suite, case and repeat"), "{}", ran.stderr);
}

/// What cannot be compared with is said before anybody is asked, and before a table takes another's place.
#[test]
fn a_baseline_that_is_none_is_found_out_before_the_first_request() {
    let (server, work) = (failing(0), workspace(3));
    work.file("other.csv", "question,passed\nwhy,true\n");
    for file in ["other.csv", "none.jsonl"] {
        run(&work, &server, &["--baseline", file]).ended(2);
        assert_eq!(server.requests(), 0, "{file}");
        assert!(!work.path("episodes.jsonl").exists(), "{file}");
    }
}

#[test]
fn a_table_may_take_the_place_of_its_own_baseline() {
    let (server, work) = (failing(0), workspace(3));
    run(&work, &server, &[]).ended(0);
    let ran = run(&work, &server, &["--baseline", "episodes.jsonl"]);
    // Either it is refused, or it is compared with what was there before.
    match ran.code {
        Some(0) => assert!(ran.stdout.contains("no difference is shown"), "{}", ran.stdout),
        code => assert_eq!((code, rows(&work, "episodes.jsonl").len()), (Some(2), 3), "{}", ran.stderr),
    }
}

#[test]
fn junit_and_json_tell_of_every_episode() {
    let server = Server::start(|seen| match (number_of(seen), seen.turns()) {
        (1, 1) => Answer::status(400, "nothing <I> know"),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let ran = run(&work, &server, &["--junit", "r.xml", "--json"]).ended(1);
    let junit = work.read("r.xml");
    assert_eq!((junit.matches("<testcase").count(), junit.matches("<failure").count()), (4, 3), "{junit}");
    assert!(junit.contains("no score: ") && !junit.contains("<I>"), "{junit}");
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let agent = &told["agents"][0];
    assert_eq!(agent["ended"], json!({"finished": 3, "errored": 1}));
    assert_eq!(
        (&agent["episodes"], &agent["unscored"], &agent["scores"]["passed"]),
        (&json!(4), &json!(1), &json!(1)),
        "{agent:#}"
    );
    assert_eq!(
        (&told["cases"], &told["repeats"], &told["output"]),
        (&json!(4), &json!(1), &json!("episodes.jsonl"))
    );
}
