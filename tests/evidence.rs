//! The built-in judge where it labels by evidence only: what has no label, what that counts for, and what is still known of it.

use serde_json::Value;

use crate::support::workspace::{Workspace, repository};

pub const HEAD: &str = "question,tool_call,tool_definitions\n";
/// The city is in other words than the user's: nothing supports it, and nothing contradicts it.
pub const OPEN: &str = r#""What's it like where the Eiffel Tower stands?","get_weather(city=""Paris"")","[{""name"": ""get_weather"", ""description"": ""Weather of a city"", ""parameters"": {""type"": ""object"", ""properties"": {""city"": {""type"": ""string""}}, ""required"": [""city""]}}]""#;
const UNREADABLE: &str = r#"Weather in Oslo,"get_weather(city=""Oslo"")","#;

fn quickstart(work: &Workspace) {
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("rows.csv")).unwrap();
}

#[test]
fn rows_without_evidence_have_a_reason_and_a_probability() {
    let work = Workspace::new();
    quickstart(&work);
    let ran = work.run(&["label", "rows.csv", "-o", "out.csv", "--decide", "evidence"]).ended(0);
    let rows = work.rows("out.csv");
    let open: Vec<_> = rows.iter().filter(|row| row["status"] == "abstained").collect();
    assert!((1..rows.len()).contains(&open.len()), "{} of {}", open.len(), rows.len());
    for row in &rows {
        let right: f64 = row["p_correct"].parse().unwrap();
        assert!((0.0..=1.0).contains(&right), "{}", row["id"]);
        match row["label"].as_str() {
            "" => {
                assert!(row["error"].starts_with("no_evidence: "), "{}: {}", row["id"], row["error"]);
                assert!(row["confidence"].is_empty() && row["score"].is_empty(), "{}", row["id"]);
            }
            label => assert_eq!(label == "correct", right >= 0.5, "{}: {right}", row["id"]),
        }
    }
    assert!(ran.stdout.contains(&format!("{} need a model: ", open.len())), "{}", ran.stdout);
    let manifest: Value = serde_json::from_str(&work.read("out.csv.run.json")).unwrap();
    let parameters = &manifest["panel"][0]["judge"]["parameters"];
    assert_eq!((&parameters["decide"], &parameters["base_rate"]), (&"evidence".into(), &0.9.into()));
    // Calls that it does label are labelled the same way one by one.
    work.run(&["label", "rows.csv", "-o", "calls.csv", "--decide", "evidence", "--per", "call"]).ended(0);
    assert!(work.read("calls.csv").contains(r#"""p_correct"":0."#));
}

#[test]
fn no_evidence_is_an_answer_and_what_is_missing_is_none() {
    let rows = |count: usize, row: &str| vec![row; count].join("\n");
    let right = r#"Book a table at Roma for 4 people on 2026-12-05 at 19:30,"book_table(restaurant=""Roma"", people=4, date=""2026-12-05"", time=""19:30"")","[{""name"": ""book_table"", ""description"": ""Book a table at a restaurant"", ""parameters"": {""type"": ""object"", ""properties"": {""restaurant"": {""type"": ""string""}, ""people"": {""type"": ""integer""}, ""date"": {""type"": ""string"", ""description"": ""YYYY-MM-DD""}, ""time"": {""type"": ""string"", ""description"": ""HH:MM""}}, ""required"": [""restaurant"", ""people"", ""date"", ""time""]}}]""#;
    for (open, missing, labelled, more, code, words) in [
        (2, 0, 1, &[][..], 0, ""),
        (
            2,
            0,
            1,
            &["--max-abstained", "0.5"],
            1,
            "2 of 3 rows have no evidence either way, more than --max-abstained",
        ),
        (2, 0, 2, &["--max-abstained", "0.5"], 0, ""),
        (0, 1, 2, &[], 1, "1 of 3 rows have no label"),
        (1, 1, 2, &["--allow-unjudged", "0.25"], 0, ""),
        (3, 0, 0, &[], 1, "none of 3 rows has a label"),
        (1, 2, 0, &["--allow-unjudged", "0.9"], 1, "none of 3 rows has a label"),
        (1, 2, 0, &["--allow-unjudged", "1"], 0, ""),
        (2, 0, 2, &["--min-pass-rate", "1", "--gate-on", "low"], 1, "over 2 of 4 rows"),
    ] {
        let work = Workspace::new();
        let text = [rows(open, OPEN), rows(missing, UNREADABLE), rows(labelled, right)];
        let text: Vec<String> = text.into_iter().filter(|text| !text.is_empty()).collect();
        work.file("in.csv", format!("{HEAD}{}\n", text.join("\n")));
        let args = [&["label", "in.csv", "-o", "out.csv", "--decide", "evidence"], more].concat();
        let ran = work.run(&args).ended(code);
        assert!(ran.stderr.contains(words), "{more:?}: {}", ran.stderr);
        let count =
            |start: &str| work.column("out.csv", "error").iter().filter(|e| e.starts_with(start)).count();
        assert_eq!((count("no_evidence: "), count("abstained: ")), (open, missing), "{more:?}");
    }
}

#[test]
fn a_benchmark_ranks_all_rows_and_tells_how_many_have_a_label() {
    let work = Workspace::new();
    quickstart(&work);
    let benched = |decide: &str| -> Value {
        let args = [
            "bench",
            "rows.csv",
            "--base-rate",
            "0.9",
            "--decide",
            decide,
            "--report",
            "out.json",
            "--force",
        ];
        work.run(&args).ended(0);
        let record: Value = serde_json::from_str(&work.read("out.json")).unwrap();
        record["entrants"][0].clone()
    };
    let [evidence, always] = ["evidence", "always"].map(benched);
    assert_eq!(evidence["overall"]["figures"]["auc"], always["overall"]["figures"]["auc"]);
    assert_eq!(evidence["calibration"]["rows"], evidence["overall"]["rows"]);
    let open = evidence["no_evidence"].as_u64().unwrap();
    assert!(open > 0 && evidence["statuses"]["abstained"] == open, "{}", evidence["statuses"]);
    let coverage = evidence["overall"]["coverage"]["value"].as_f64().unwrap();
    let rows = evidence["overall"]["rows"].as_f64().unwrap();
    assert!((coverage - (rows - open as f64) / rows).abs() < 1e-9, "{coverage}");
    let gates = ["bench", "rows.csv", "--decide", "evidence", "-q"];
    let ran = work.run(&[&gates[..], &["--max-abstained", "0"]].concat()).ended(1);
    assert!(ran.stderr.contains("no evidence either way, more than --max-abstained"), "{}", ran.stderr);
    let ran = work.run(&[&gates[..], &["--min-accuracy", "1"]].concat()).ended(1);
    assert!(ran.stderr.contains(&format!(" of {rows} rows, below 1")), "{}", ran.stderr);
}

#[test]
fn tables_are_compared_on_rows_that_both_labelled_and_ranked_on_all() {
    let work = Workspace::new();
    quickstart(&work);
    for decide in ["always", "evidence"] {
        let output = format!("{decide}.csv");
        let args = ["label", "rows.csv", "-o", &output, "--decide", decide, "--base-rate", "0.9"];
        work.run(&args).ended(0);
    }
    let args = ["compare", "always.csv", "evidence.csv", "--report", "out.json"];
    let ran = work.run(&args).ended(0);
    let record: Value = serde_json::from_str(&work.read("out.json")).unwrap();
    let found = &record["comparisons"][0];
    let [always, evidence] = [0, 1].map(|at| found["alone"][at].clone());
    assert_eq!((&always["labelled"], &found["rows"]), (&always["rows"], &evidence["labelled"]));
    assert_eq!(always["auc"], evidence["auc"], "both are ranked over all rows");
    let labelled = evidence["labelled"].as_u64().unwrap();
    assert!(ran.stdout.contains(&format!("{labelled} of 60 rows labeled (")), "{}", ran.stdout);
    assert!(ran.stdout.contains("AUC over all rows"), "{}", ran.stdout);
}

#[test]
fn a_settings_file_decides_too() {
    let work = Workspace::new();
    quickstart(&work);
    work.file("tooljudge.toml", "[label]\ndecide = \"evidence\"\nmax_abstained = 0.01\n");
    let ran = work.run(&["label", "rows.csv", "-o", "out.csv"]).ended(1);
    assert!(ran.stderr.contains("--max-abstained 0.01"), "{}", ran.stderr);
    work.file("tooljudge.toml", "[label]\ndecide = \"sometimes\"\n");
    let ran = work.run(&["label", "rows.csv", "-o", "no.csv"]).ended(2);
    assert!(ran.stderr.contains("expected `evidence` or `always`"), "{}", ran.stderr);
}
