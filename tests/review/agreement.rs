//! What reviewers say by themselves, how far they agree, and who decides where they do not.

use serde_json::{Value, json};

use super::{Desk, labelled};
use crate::label_report::Payload;
use crate::support::workspace::Workspace;

/// Marks of a reviewer on the rows from 1 on: `y`, `n`, or `-` for none.
fn says(work: &Workspace, reviewer: &str, marks: &str) {
    let desk = Desk::open(work, reviewer, &[]);
    for (row, mark) in (1..).zip(marks.chars()).filter(|(_, mark)| *mark != '-') {
        let label = if mark == 'y' { "correct" } else { "incorrect" };
        assert_eq!(desk.mark(row, 0, label, "").unwrap().status, 200, "{reviewer}, row {row}");
    }
}

#[test]
fn agreement_is_told_and_an_adjudicator_decides() {
    let work = Workspace::new();
    labelled(&work, 10);
    says(&work, "anna", "nnynnnnnyy");
    says(&work, "ben", "nynnnnnyn-");
    let export =
        |more: &[&str]| work.run(&[&["review", "export", "labelled.jsonl", "-o", "gold.csv"], more].concat());
    // Of nine rows of both: five times both n, anna y and ben n twice, the other way round twice: 5/9, by chance (7 * 7 + 2 * 2) / 81.
    let ran = export(&[]).ended(0);
    let (agreed, by_chance) = (5.0 / 9.0, 53.0 / 81.0);
    let kappa: f64 = (agreed - by_chance) / (1.0 - by_chance);
    let told = format!("anna and ben agree on 5 of 9 rows; Cohen's kappa {kappa:.2} (95 % interval -0.");
    assert!(ran.stderr.contains(&told), "{told}: {}", ran.stderr);
    assert!(ran.stderr.contains("reviewers disagree on 4 rows"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("Krippendorff"), "of two it would say the same: {}", ran.stderr);
    let ran = export(&["--adjudicator", "cleo"]).ended(2);
    assert!(
        ran.stderr.contains("there are no marks of `cleo`; the reviewers are anna, ben"),
        "{}",
        ran.stderr
    );

    says(&work, "cleo", "n---------");
    let ran = export(&["--adjudicator", " cleo"]).ended(0);
    assert!(ran.stderr.contains("the adjudicator decided no disagreement"), "{}", ran.stderr);
    let cleo = Desk::open(&work, "cleo", &[]);
    for (row, seen, label) in [(1, 1, "correct"), (2, 0, "correct"), (3, 0, "incorrect")] {
        assert_eq!(cleo.mark(row, seen, label, "").unwrap().status, 200);
    }
    drop(cleo);
    let ran = export(&["--adjudicator", "cleo", "--json"]).ended(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["adjudicated"], &summary["disagreements"]), (&json!(2), &json!(["r8", "r9"])));
    assert_eq!(summary["overruled"], 1);
    let ran = export(&["--adjudicator", "cleo"]).ended(0);
    assert!(
        ran.stderr.contains("on 1 row the reviewers agree and the adjudicator says otherwise"),
        "{}",
        ran.stderr
    );
    let gold = work.column("gold.csv", "gold");
    assert_eq!(gold[..3], ["correct", "correct", "incorrect"]);
    assert_eq!(gold[7..], ["", "", "correct"]);
    let agreement = &summary["agreement"][0];
    assert_eq!(
        (&agreement["column"], &agreement["rows"], &agreement["agreed"]),
        (&json!("gold"), &json!(9), &json!(5))
    );
    assert_eq!(agreement["pairs"].as_array().unwrap().len(), 1, "who decides is no rater");
    let told = agreement["pairs"][0]["cohen_kappa"]["value"].as_f64().unwrap();
    assert!((told - kappa).abs() < 1e-12, "{told}");
    // As anybody else, cleo is one of three.
    let ran = export(&[]).ended(0);
    for told in [
        "anna and cleo agree on 0 of 3 rows",
        "ben and cleo agree on 2 of 3 rows",
        "all reviewers agree on 4 of 9 rows; Krippendorff's alpha",
    ] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
}

#[test]
fn a_blind_reviewer_sees_what_nobody_said() {
    let work = Workspace::new();
    labelled(&work, 8);
    let rows = work.read("labelled.jsonl");
    let rows = rows.lines().map(|row| {
        let mut row: Value = serde_json::from_str(row).unwrap();
        row["gold"] = json!("gold_of_somebody");
        row["error_type"] = json!("kind_of_mistake");
        row["inclusion_probability"] = json!(0.123_456);
        row.to_string()
    });
    work.file("labelled.jsonl", rows.collect::<Vec<_>>().join("\n"));
    says(&work, "anna", "nyn");
    let [open, blind] = [Desk::open(&work, "ben", &[]), Desk::open(&work, "cleo", &["--blind"])];
    assert_eq!((open.marks().len(), blind.marks().len()), (3, 0));
    let [open, seen] = [&open, &blind].map(|desk| Payload::of(&desk.page().text()));
    let told = |page: &Payload| format!("{}{}{:?}", page.index, page.shared, page.rows());
    for said in ["gold_of_somebody", "kind_of_mistake", "0.123456", "missing"] {
        assert!(told(&open).contains(said), "{said}");
        assert!(!told(&seen).contains(said), "{said}");
    }
    let same =
        |page: &Payload| page.rows().iter().map(|(_, row)| row["messages"].clone()).collect::<Vec<_>>();
    assert_eq!(same(&open), same(&seen));
    assert_eq!(blind.mark(2, 0, "correct", "").unwrap().status, 200);
    assert_eq!(blind.marks().len(), 1, "one's own");
    let unsure =
        json!({"table": blind.table, "since": 0, "queue": "unsure", "rows": [1], "of": 1, "seen": 0});
    assert_eq!(blind.post("/draws", &unsure).unwrap().status, 400);
}

#[test]
fn every_label_of_a_built_in_template_can_be_given() {
    let work = Workspace::new();
    labelled(&work, 4);
    let rows = work.read("labelled.jsonl");
    let rows = rows.lines().zip(["all_right", "mixed", "wrong", "mixed"]).map(|(row, label)| {
        let mut row: Value = serde_json::from_str(row).unwrap();
        (row["template"], row["label"]) = (json!("parameter_extraction_five"), json!(label));
        row["score"] = json!(match label {
            "all_right" => 1.0,
            "mixed" => 0.5,
            _ => 0.0,
        });
        row.to_string()
    });
    work.file("labelled.jsonl", rows.collect::<Vec<_>>().join("\n"));
    let desk = Desk::open(&work, "anna", &[]);
    let mark = |label: &str| {
        let gold = json!({"params_label": label});
        json!({"table": desk.table, "since": 0, "row": 1, "version": 0, "gold": gold, "note": ""})
    };
    assert_eq!(desk.post("/marks", &mark("fine")).unwrap().status, 400);
    assert_eq!(desk.post("/marks", &mark("mostly_right")).unwrap().status, 200);
}
