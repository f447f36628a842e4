//! Tables of episodes and turns in every format, and the commands that read them.

use serde_json::{Value, json};

use super::{REPLIES, rows, traveller, workspace};
use crate::label_remote::gold;
use crate::support::server::{Answer, Said, Server};
use crate::support::workspace::Workspace;

#[test]
fn every_format_holds_the_same_episodes_and_turns() {
    let (server, work) = (Server::start(traveller), workspace(5));
    let base = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
    ];
    // What is compared has the same replies, and all of them of an earlier run.
    work.run(&base).ended(0);
    let mut tables: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
    for ending in ["jsonl", "csv", "parquet", "arrow", "jsonl.zst"] {
        let (episodes, turns) = (format!("e.{ending}"), format!("t.{ending}"));
        work.run(&[&base[..], &["-o", &episodes, "--turns", &turns]].concat()).ended(0);
        for name in [&episodes, &turns] {
            assert!(work.path(&format!("{name}.run.json")).exists(), "{name}");
        }
        let as_rows = |name: &str| {
            let convert = ["convert", name, "--from", "rows", "-o", "as.jsonl", "--quiet", "--force"];
            work.run(&convert).ended(0);
            rows(&work, "as.jsonl").into_iter().map(|row| values(&row)).collect::<Vec<_>>()
        };
        tables.push((as_rows(&episodes), as_rows(&turns)));
        assert_eq!((tables[0].0.len(), tables[0].1.len()), (5, 5 * REPLIES), "{ending}");
    }
    for (at, table) in tables.iter().enumerate() {
        for (ours, first) in table.0.iter().zip(&tables[0].0).chain(table.1.iter().zip(&tables[0].1)) {
            assert_eq!(ours, first, "table {at}");
        }
    }
    assert_eq!(server.requests(), 5 * REPLIES);
}

/// Cells as they mean the same in each format: text formats know no null, no number and no nesting.
fn values(row: &Value) -> Value {
    let plain = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => {
            serde_json::from_str::<Value>(text).map_or(text.clone(), |value| value.to_string())
        }
        other => other.to_string(),
    };
    let cell = |(name, value): (&String, &Value)| {
        let text = plain(value);
        // Floats that are whole.
        let text = text.strip_suffix(".0").unwrap_or(&text).to_owned();
        (name.clone(), json!(text))
    };
    row.as_object()
        .unwrap()
        .iter()
        .filter(|(name, value)| *name != "raw" && !plain(value).is_empty())
        .map(cell)
        .collect()
}

#[test]
fn turns_are_read_by_the_other_commands() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("j") => Answer::label(gold(1)),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let base = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "--quiet",
    ];
    work.run(&[&base[..], &["-o", "e.jsonl", "--turns", "t.jsonl"]].concat()).ended(0);
    let judge = ["--judge", "openai:j", "--base-url", &server.url, "--quiet"];
    // Turns without a call have nothing to judge.
    let ran = work
        .run(&[&["label", "t.jsonl", "-o", "labelled.jsonl", "--allow-unjudged", "1"][..], &judge].concat())
        .ended(0);
    let labelled = rows(&work, "labelled.jsonl");
    let labels: Vec<&Value> =
        labelled.iter().filter(|row| !row["tool_call"].is_null()).map(|row| &row["label"]).collect();
    assert_eq!((labelled.len(), labels.len()), (12, 8));
    assert!(labels.iter().all(|label| **label == "correct"), "{labels:?} {}", ran.stderr);
    work.run(&["convert", "t.jsonl", "-o", "converted.jsonl", "--quiet"]).ended(0);
    assert_eq!(rows(&work, "converted.jsonl").len(), 12);
    // Its own scores come out again.
    work.run(&[
        "score",
        "--allow-failures",
        "e.jsonl",
        "--scorer",
        "tool_evaluator",
        "-o",
        "scored.jsonl",
        "--prefix",
        "again_",
        "--quiet",
    ])
    .ended(0);
    for row in rows(&work, "scored.jsonl") {
        assert_eq!((&row["again_score"], &row["again_passed"]), (&row["score"], &row["passed"]), "{row}");
    }
}

#[test]
fn gold_of_episodes_is_read_by_bench() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("j") => Answer::label(if super::case_of(seen) == "c1" { "incorrect" } else { "correct" }),
        _ => traveller(seen),
    });
    let work = workspace(6);
    let base = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "--quiet",
    ];
    work.run(&[&base[..], &["-o", "e.jsonl", "--gold"]].concat()).ended(0);
    let gold: Vec<Value> = rows(&work, "e.jsonl").iter().map(|row| row["gold"].clone()).collect();
    assert_eq!(gold, ["incorrect", "correct", "correct", "incorrect", "correct", "correct"]);
    let bench = [
        "bench",
        "e.jsonl",
        "--task",
        "trajectory",
        "--judge",
        "openai:j",
        "--base-url",
        &server.url,
        "--report",
        "r.json",
    ];
    work.run(&bench).ended(0);
    let told: Value = serde_json::from_str(&work.read("r.json")).unwrap();
    let text = told.to_string();
    assert!(text.contains("openai:j"), "{told:#}");
    let asked = server.seen().iter().filter(|seen| seen.body["model"] == "j").count();
    assert_eq!(asked, 6, "one judgement an episode");
}

#[test]
fn what_is_shown_on_standard_output_is_the_table_alone() {
    let (server, work) = (Server::start(traveller), workspace(3));
    let base = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
    ];
    let ran = work.run(&[&base[..], &["-o", "-", "--to", "jsonl"]].concat()).ended(0);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(ran.stderr.contains("passed   2 of 3 episodes"), "{}", ran.stderr);
}

/// Who resumes, resumes in the dry run too: what is stored counts.
#[test]
fn a_dry_run_sends_nothing_and_counts_what_is_stored() {
    let (server, work) = (Server::start(traveller), workspace(4));
    let base = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
    ];
    let dry = [&base[..], &["--dry-run", "--json"]].concat();
    let told: Value = serde_json::from_str(&work.run(&dry).ended(0).stdout).unwrap();
    assert_eq!(
        (&told[0]["episodes"], &told[0]["next_turns"], &told[0]["stored"]),
        (&json!(4), &json!(4), &json!(0)),
        "{told:#}"
    );
    assert!(server.requests() == 0 && !work.path(".tooljudge").exists());
    work.run(&[&base[..], &["--limit", "3"]].concat()).ended(0);
    let told: Value = serde_json::from_str(&work.run(&dry).ended(0).stdout).unwrap();
    assert_eq!(
        (&told[0]["ended"], &told[0]["next_turns"], &told[0]["stored"]),
        (&json!(3), &json!(1), &json!(9)),
        "{told:#}"
    );
    assert_eq!(server.requests(), 9);
}

/// Scored once more, an episode without a score still has none, and one that came to no answer still fails.
#[test]
fn episodes_keep_their_verdicts_when_they_are_scored_again() {
    let work = Workspace::new();
    let case = |id: &str, more: &str| {
        format!(
            "[[cases]]\nid = \"{id}\"\nuser_message = \"Sky?\"\nexpected_tool_calls = [{{ tool_name = \"look\" }}]\n{more}\n"
        )
    };
    let suite = case("steps", "max_steps = 1") + &case("filtered", "") + &case("good", "");
    work.file(
        "suite.toml",
        format!("tools = [{{ name = \"look\", parameters = {{ type = \"object\" }} }}]\n{suite}"),
    );
    let look = r#"{"calls": [{"name": "look", "arguments": {}}]}"#;
    work.file(
        "script.jsonl",
        format!(
            "{{\"case\": \"steps\", \"replies\": [{look}]}}\n{{\"case\": \"filtered\", \"replies\": [{look}, {{\"stop\": \"filtered\"}}]}}\n\
             {{\"case\": \"good\", \"replies\": [{look}, \"Clear.\"]}}\n"
        ),
    );
    for output in ["episodes.jsonl", "episodes.csv", "episodes.parquet"] {
        let drive = [
            "drive",
            "--allow-failures",
            "suite.toml",
            "--agent",
            "script:script.jsonl",
            "--allow-unscored",
            "1",
            "-o",
            output,
        ];
        work.run(&drive).ended(0);
        let score = [
            "score",
            "--allow-failures",
            output,
            "--scorer",
            "tool_evaluator",
            "--overwrite",
            "-o",
            "again.jsonl",
            "--force",
        ];
        work.run(&score).ended(0);
        let passed: Vec<Value> =
            rows(&work, "again.jsonl").iter().map(|row| json!([row["case"], row["passed"]])).collect();
        assert_eq!(
            passed,
            [json!(["steps", false]), json!(["filtered", null]), json!(["good", true])],
            "{output}"
        );
    }
}

/// Who was cut off, or said nothing that may be read, did not decide to call nothing.
#[test]
fn turns_that_were_broken_off_are_not_labelled() {
    let work = Workspace::new();
    let stops = [("truncated", "answer_cut"), ("refused", "answer_blocked"), ("filtered", "answer_blocked")];
    let case = |(stop, _): &(&str, &str)| {
        format!(
            "[[cases]]\nid = \"{stop}\"\nuser_message = \"Sky?\"\nexpected_tool_calls = [{{ tool_name = \"look\" }}]\n"
        )
    };
    let tools = "tools = [{ name = \"look\", parameters = { type = \"object\" } }]\n";
    work.file("suite.toml", tools.to_owned() + &stops.iter().map(case).collect::<String>());
    let reply = |(stop, _): &(&str, &str)| {
        format!("{}\n", json!({"case": stop, "replies": [{"text": "I", "stop": stop}]}))
    };
    work.file("script.jsonl", stops.iter().map(reply).collect::<String>());
    let drive = ["drive", "suite.toml", "--agent", "script:script.jsonl", "--turns", "turns.jsonl"];
    work.run(&[&drive[..], &["--allow-failures", "--allow-unscored", "1"]].concat()).ended(0);
    work.run(&["label", "turns.jsonl", "-o", "out.jsonl", "--decide", "always", "--allow-unjudged", "1"])
        .ended(0);
    let errors: Vec<String> = rows(&work, "out.jsonl")
        .iter()
        .map(|row| row["error"].as_str().unwrap_or_default().split(':').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(errors, stops.map(|(_, error)| error));
    // A filter that would choose all of them, and pay for all, is none.
    let all = work.run(&[&drive[..], &["--case=false"]].concat()).ended(2);
    assert!(all.stderr.contains("--case=false: leave it out to choose all"), "{}", all.stderr);
}

/// What an agent says is the word of a model, wherever it stands.
#[test]
fn words_of_agents_are_no_formulas() {
    let server = Server::start(|_| Answer::Turn(Said::text("=HYPERLINK(\"http://x\",\"y\")")));
    let work = workspace(2);
    let args = ["drive", "suite.toml", "--agent", "openai:m", "--base-url", &server.url];
    work.run(&[&args[..], &["-o", "episodes.csv", "--turns", "turns.csv"]].concat());
    for (table, column) in [("episodes.csv", "response"), ("turns.csv", "final_answer")] {
        let words = work.column(table, column);
        assert!(words.iter().all(|words| words.starts_with("'=HYPERLINK")), "{table}: {words:?}");
    }
}
