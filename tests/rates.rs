//! `label --calibration`: the share of right calls in logs without gold.

use std::fmt::Write;

use serde_json::Value;

use crate::bench::{chance, number};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace, repository};

/// Rows of which `share` are right; with their gold, if that is to be known.
fn rows(first: usize, count: usize, share: f64, gold: impl Fn(usize) -> bool) -> String {
    let mut csv = "id,question,tool_call,tool_definitions,gold\n".to_owned();
    for row in first..first + count {
        let right = is_right(row, share);
        let word = if right { "correct" } else { "incorrect" };
        writeln!(
            csv,
            "r{row},Row {row} at {} percent.,f(a={row}),,{}",
            (100.0 * share).round(),
            if gold(row) { word } else { "" }
        )
        .unwrap();
    }
    csv
}

fn is_right(row: usize, share: f64) -> bool {
    chance(9, row, 7) < share
}

/// A judge that passes so many of right calls and so many of wrong ones; rows say in their question how many are right.
fn judge(passes_right: f64, passes_wrong: f64) -> Server {
    Server::start(move |seen| {
        let row = number(seen);
        let told = seen.prompt().split(" at ").find_map(|part| part.split_once(" percent.")).unwrap().0;
        let share = told.parse::<f64>().unwrap() / 100.0;
        let passes = if is_right(row, share) { passes_right } else { passes_wrong };
        let sure = 0.55 + 0.45 * chance(4, row, 3);
        let passed = chance(2, row, 1) < passes;
        let (label, other) = if passed { ("correct", "incorrect") } else { ("incorrect", "correct") };
        Answer::Sure(vec![(label, sure), (other, 1.0 - sure)])
    })
}

fn run(work: &Workspace, server: &Server, args: &[&str]) -> Ran {
    work.run(&[args, &["--judge", "openai:m", "--base-url", &server.url]].concat())
}

fn rate(work: &Workspace, output: &str) -> Value {
    let manifest: Value = serde_json::from_str(&work.read(&format!("{output}.run.json"))).unwrap();
    manifest["panel"][0]["summary"]["rate"].clone()
}

fn holds(figure: &Value, truth: f64) -> bool {
    figure["low"].as_f64().unwrap() <= truth && truth <= figure["high"].as_f64().unwrap()
}

#[test]
fn the_share_of_right_calls_is_recovered() {
    let (server, work) = (judge(0.9, 0.3), Workspace::new());
    work.file("gold.csv", rows(0, 1000, 0.5, |_| true));
    run(&work, &server, &["bench", "gold.csv", "--report", "bench.json", "-q"]).ended(0);
    for share in [0.4, 0.95] {
        work.file("logs.csv", rows(5000, 1500, share, |_| false));
        let label = ["label", "logs.csv", "-o", "out.csv", "--calibration", "bench.json"];
        let ran = run(&work, &server, &label).ended(0);
        assert!(ran.stdout.contains("corrected for what it gets wrong"), "{}", ran.stdout);
        let rate = rate(&work, "out.csv");
        let (corrected, observed) = (&rate["corrected"], &rate["observed"]);
        let truth = (5000..6500).filter(|row| is_right(*row, share)).count() as f64 / 1500.0;
        assert!(holds(corrected, truth), "{truth} {rate}");
        assert!(!holds(observed, truth), "the share that passes is not the share that is right: {rate}");
        assert_eq!(rate["warnings"], serde_json::json!([]));
        std::fs::remove_file(work.path("out.csv")).unwrap();
    }
}

#[test]
fn a_judge_that_guesses_corrects_nothing() {
    let (server, work) = (judge(0.6, 0.6), Workspace::new());
    work.file("gold.csv", rows(0, 300, 0.5, |_| true));
    run(&work, &server, &["bench", "gold.csv", "--report", "bench.json", "-q"]).ended(0);
    work.file("logs.csv", rows(5000, 300, 0.5, |_| false));
    let ran =
        run(&work, &server, &["label", "logs.csv", "-o", "out.csv", "--calibration", "bench.json"]).ended(0);
    assert!(ran.stdout.contains("is unknown") && ran.stdout.contains("chance"), "{}", ran.stdout);
    assert!(rate(&work, "out.csv")["corrected"].is_null());
}

#[test]
fn logs_unlike_the_benchmark_are_warned_of() {
    let (server, work) = (judge(0.9, 0.3), Workspace::new());
    work.file("gold.csv", rows(0, 600, 0.5, |_| true));
    run(&work, &server, &["bench", "gold.csv", "--report", "bench.json", "-q"]).ended(0);
    // Another server, whose judge is never sure.
    let other = Server::start(|_| Answer::Sure(vec![("correct", 0.51), ("incorrect", 0.49)]));
    work.file("logs.csv", rows(5000, 600, 0.5, |_| false));
    let label = ["label", "logs.csv", "-o", "out.csv", "--calibration", "bench.json"];
    let ran = run(&work, &other, &label).ended(0);
    assert!(ran.stderr.contains("another endpoint"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("unlike") || ran.stderr.contains("do not look like"),
        "{}\n{}",
        ran.stdout,
        ran.stderr
    );
}

/// The judge is perfect in one category and passes everything in the other.
#[test]
fn another_mix_of_categories_is_warned_of() {
    let server = Server::start(|seen| {
        let passes = seen.prompt().contains("category B") || seen.prompt().contains("RIGHT");
        let (label, other) = if passes { ("correct", "incorrect") } else { ("incorrect", "correct") };
        Answer::Sure(vec![(label, 0.9), (other, 0.1)])
    });
    let work = Workspace::new();
    let rows = |first: usize, each: &[(&str, usize)], gold: bool| {
        let mut csv = "id,question,tool_call,category,gold\n".to_owned();
        for (category, count) in each {
            for row in 0..*count {
                let (word, label) = if row % 2 == 0 { ("RIGHT", "correct") } else { ("WRONG", "incorrect") };
                let (row, label) = (first + row, if gold { label } else { "" });
                writeln!(
                    csv,
                    "{category}{row},Row {row} of category {category}: {word},f(a={row}),{category},{label}"
                )
                .unwrap();
            }
        }
        csv
    };
    work.file("gold.csv", rows(0, &[("A", 100), ("B", 100)], true));
    run(&work, &server, &["bench", "gold.csv", "--report", "bench.json", "-q"]).ended(0);
    for (each, said) in [
        (&[("A", 60), ("B", 60)][..], ""),
        (&[("A", 24), ("B", 96)], "`A` 20 % here and 50 % there (wrong calls failed: 100 %), `B` 80 % here"),
        (&[("B", 120)], "all of these rows have `B` in the column `category`"),
    ] {
        work.file("logs.csv", rows(5000, each, false));
        let label = [
            "label",
            "logs.csv",
            "-o",
            "out.csv",
            "--force",
            "--calibration",
            "bench.json",
            "--min-pass-rate",
            "0.1",
        ];
        let ran = run(&work, &server, &[&label[..], &["-q"]].concat()).ended(0);
        let tells = ran.stderr.contains("`category`");
        assert!(ran.stderr.contains(said) && tells != said.is_empty(), "{}", ran.stderr);
        let rate = rate(&work, "out.csv");
        assert_eq!(rate["warnings"].to_string().contains("`category`"), !said.is_empty(), "{rate}");
    }
    // Corrected by rows of the same category, there is nothing to say: the judge knows nothing there.
    run(&work, &server, &["bench", "gold.csv", "--where", "category=A", "--report", "a.json", "-q"]).ended(0);
    work.file("logs.csv", rows(5000, &[("A", 60)], false));
    let ran = run(
        &work,
        &server,
        &["label", "logs.csv", "-o", "out.csv", "--force", "--calibration", "a.json", "-q"],
    );
    let told = ran.ended(0).stderr;
    assert!(!told.contains("`category`"), "{told}");
}

#[test]
fn a_base_rate_is_compared_since_labels_rest_on_it() {
    let work = Workspace::new();
    let rows = repository("datasets/quickstart.csv");
    std::fs::copy(&rows, work.path("gold.csv")).unwrap();
    for (benched, labelled) in [("0.5", "0.5"), ("0.5", "0.9"), ("0.9", "0.9")] {
        work.run(&["bench", "gold.csv", "--base-rate", benched, "--report", "bench.json", "-q"]).ended(0);
        let label = ["label", "gold.csv", "-o", "out.csv", "--force", "--calibration", "bench.json"];
        let ran =
            work.run(&[&label[..], &["--base-rate", labelled, "--allow-unjudged", "1"]].concat()).ended(0);
        assert_eq!(ran.stderr.contains("other parameters"), benched != labelled, "{}", ran.stderr);
        if benched == labelled {
            let told = rate(&work, "out.csv");
            assert!(told["distance"].as_f64().is_some_and(|distance| distance < 0.01), "{told}");
        }
    }
}

#[test]
fn some_gold_among_the_logs_is_used() {
    let (server, work) = (judge(0.9, 0.3), Workspace::new());
    work.file("logs.csv", rows(0, 2000, 0.6, |row| row % 5 == 0));
    let ran = run(&work, &server, &["label", "logs.csv", "-o", "out.csv"]).ended(0);
    assert!(ran.stdout.contains("rows with gold"), "{}", ran.stdout);
    let truth = (0..2000).filter(|row| is_right(*row, 0.6)).count() as f64 / 2000.0;
    assert!(holds(&rate(&work, "out.csv")["powered"], truth));
    // Where every row has gold there is nothing to estimate.
    work.file("all.csv", rows(0, 50, 0.6, |_| true));
    run(&work, &server, &["label", "all.csv", "-o", "all_out.csv"]).ended(0);
    assert!(rate(&work, "all_out.csv").is_null());
}

#[test]
fn a_benchmark_of_somebody_else_is_refused() {
    let (server, work) = (judge(0.9, 0.3), Workspace::new());
    work.file("gold.csv", rows(0, 40, 0.5, |_| true));
    run(&work, &server, &["bench", "gold.csv", "--report", "bench.json", "-q"]).ended(0);
    work.file("other.json", "{\"rows\": 3}");
    for (args, words) in [
        (
            &["--calibration", "bench.json", "--task", "tool_selection"][..],
            "was not benchmarked in it, only openai:m",
        ),
        (&["--calibration", "other.json"], "not a `tooljudge bench` record"),
        (&["--calibration", "gone.json"], "gone.json"),
    ] {
        let ran = run(&work, &server, &[&["label", "gold.csv", "-o", "out.csv"], args].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let ran = run(
        &work,
        &server,
        &["label", "gold.csv", "-o", "out.csv", "--calibration", "bench.json", "--temperature", "1"],
    )
    .ended(0);
    assert!(ran.stderr.contains("with other parameters"), "{}", ran.stderr);
}

#[test]
fn rates_say_whose_they_are() {
    let work = Workspace::new();
    let gold = crate::support::workspace::repository("datasets/benchmark.jsonl").display().to_string();
    let lines = std::fs::read_to_string(&gold).unwrap();
    work.file("logs.jsonl", lines.lines().take(200).collect::<Vec<_>>().join("\n"));
    let tasks = ["--task", "tool_calling", "--task", "tool_selection"];
    work.run(&[&["bench", &gold, "--report", "bench.json", "-q"], &tasks[..]].concat()).ended(0);
    let label = ["label", "logs.jsonl", "-o", "out.csv", "--calibration", "bench.json"];
    let ran = work.run(&[&label[..], &tasks[..]].concat()).ended(0);
    for task in ["tool_calling", "tool_selection"] {
        for figure in ["passed ", "right  "] {
            let line = format!("{figure}  {task}: ");
            assert!(ran.stdout.lines().any(|own| own.starts_with(&line)), "{line}\n{}", ran.stdout);
        }
    }
}
