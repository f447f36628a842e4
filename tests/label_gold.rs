//! What `label` says of a column of gold, in whatever words it is written; `bench` says the same.

use serde_json::{Value, json};

use crate::support::workspace::{Workspace, repository};

/// The rows of the quickstart with `gold` for right and wrong calls, as JSON Lines.
fn rows(gold: impl Fn(usize, bool) -> Value) -> String {
    let mut reader = csv::Reader::from_path(repository("datasets/quickstart.csv")).unwrap();
    let rows = reader.deserialize::<std::collections::HashMap<String, String>>().map(Result::unwrap);
    let line = |(at, row): (usize, std::collections::HashMap<String, String>)| {
        let [question, call, tools] = ["question", "tool_call", "tool_definitions"].map(|name| &row[name]);
        let gold = gold(at, row["gold"] == "correct");
        json!({"question": question, "tool_call": call, "tool_definitions": tools, "gold": gold}).to_string()
    };
    rows.enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// How many labels agree with gold, by `label`, and of how many; the same by `bench`.
fn counts(work: &Workspace) -> [(u64, u64); 2] {
    let ran = work.run(&["label", "rows.jsonl", "-o", "out.jsonl", "--force", "--decide", "always"]).ended(0);
    let manifest: Value = serde_json::from_str(&work.read("out.jsonl.run.json")).unwrap();
    let gold = &manifest["panel"][0]["summary"]["gold"];
    let (agree, compared) = (gold["agree"].as_u64().unwrap(), gold["compared"].as_u64().unwrap());
    if compared > 0 {
        assert!(ran.stdout.contains(&format!("{agree} of {compared} labels agree")), "{}", ran.stdout);
    }
    let ran = work.run(&["bench", "rows.jsonl", "--json", "--decide", "always"]).ended(0);
    let bench: Value = serde_json::from_str(&ran.stdout).unwrap();
    let judge =
        bench["entrants"].as_array().unwrap().iter().find(|judge| judge["baseline"] == false).unwrap();
    let confusion = &judge["overall"]["confusion"];
    let of = |key: &str| confusion[key].as_u64().unwrap();
    let right = of("true_positive") + of("true_negative");
    [(agree, compared), (right, right + of("false_positive") + of("false_negative"))]
}

#[test]
fn gold_is_understood_however_it_is_written() {
    let work = Workspace::new();
    work.file("rows.jsonl", rows(|_, right| json!(if right { "correct" } else { "incorrect" })));
    let [expected, _] = counts(&work);
    assert!(expected.0 > 40 && expected.1 == 60, "{expected:?}");
    for (right, wrong) in [
        (json!("Correct"), json!("Incorrect")),
        (json!(" CORRECT"), json!("incorrect ")),
        (json!(true), json!(false)),
        (json!("True"), json!("False")),
        (json!(1), json!(0)),
        (json!(1.0), json!(0.0)),
        (json!("1.0"), json!("0.0")),
        (json!("yes"), json!("No")),
        (json!("PASS"), json!("fail")),
        (json!("right"), json!("wrong")),
    ] {
        work.file("rows.jsonl", rows(|_, is| if is { right.clone() } else { wrong.clone() }));
        assert_eq!(counts(&work), [expected; 2], "{right}");
        // The same as a typed column.
        work.run(&["convert", "rows.jsonl", "-o", "rows.parquet", "--force"]).ended(0);
        let ran = work
            .run(&["label", "rows.parquet", "-o", "typed.jsonl", "--force", "--decide", "always"])
            .ended(0);
        assert!(
            ran.stdout.contains(&format!("{} of 60 labels agree", expected.0)),
            "{right}: {}",
            ran.stdout
        );
    }
}

#[test]
fn gold_that_is_not_understood_is_said_and_never_counted_as_disagreement() {
    let work = Workspace::new();
    let words = |right| json!(if right { "correct" } else { "incorrect" });
    work.file("rows.jsonl", rows(|at, right| if at % 6 == 2 { json!("unsure") } else { words(right) }));
    let [label, bench] = counts(&work);
    assert_eq!((label, label.1), (bench, 50));
    let said = "10 rows have a gold that is not a label, which counts as none: in the column `gold`, row 3 has `unsure`";
    for command in [
        &["label", "rows.jsonl", "-o", "out.jsonl", "--force", "--decide", "always"][..],
        &["bench", "rows.jsonl"],
    ] {
        let ran = work.run(command).ended(0);
        assert!(ran.stderr.contains(said), "{command:?}: {}", ran.stderr);
    }
    // None of it: nothing to compare with.
    work.file("rows.jsonl", rows(|_, right| json!(if right { "gut" } else { "schlecht" })));
    let ran = work.run(&["label", "rows.jsonl", "-o", "out.jsonl", "--force", "--decide", "always"]).ended(0);
    assert!(!ran.stdout.contains("agree"), "{}", ran.stdout);
    assert!(ran.stderr.contains("60 rows have a gold that is not a label"), "{}", ran.stderr);
}

#[test]
fn corrections_without_rows_are_told() {
    let work = Workspace::new();
    work.file("in.csv", std::fs::read_to_string(repository("datasets/quickstart.csv")).unwrap());
    work.file("empty.csv", "id,gold\n");
    for command in [&["label", "in.csv", "-o", "out.csv"][..], &["bench", "in.csv"]] {
        let ran = work.run(&[command, &["--errata", "empty.csv", "-q"]].concat()).ended(0);
        assert!(ran.stderr.contains("empty.csv: the file has no rows"), "{command:?}: {}", ran.stderr);
    }
}
