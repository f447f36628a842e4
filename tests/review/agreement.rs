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

    says(&work, "cleo", "-yn-------");
    let ran = export(&["--adjudicator", "cleo", "--json"]).ended(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["adjudicated"], &summary["disagreements"]), (&json!(2), &json!(["r8", "r9"])));
    let gold = work.column("gold.csv", "gold");
    assert_eq!(gold[1..3], ["correct", "incorrect"]);
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
        "anna and cleo agree on 0 of 2 rows",
        "ben and cleo agree on 2 of 2 rows",
        "all reviewers agree on 5 of 9 rows; Krippendorff's alpha",
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
        row.to_string()
    });
    work.file("labelled.jsonl", rows.collect::<Vec<_>>().join("\n"));
    says(&work, "anna", "nyn");
    let [open, blind] = [Desk::open(&work, "ben", &[]), Desk::open(&work, "cleo", &["--blind"])];
    assert_eq!((open.marks().len(), blind.marks().len()), (3, 0));
    let [open, seen] = [&open, &blind].map(|desk| Payload::of(&desk.page().text()));
    let told = |page: &Payload| format!("{}{}{:?}", page.index, page.shared, page.rows());
    for said in ["gold_of_somebody", "missing"] {
        assert!(told(&open).contains(said), "{said}");
        assert!(!told(&seen).contains(said), "{said}");
    }
    let same =
        |page: &Payload| page.rows().iter().map(|(_, row)| row["messages"].clone()).collect::<Vec<_>>();
    assert_eq!(same(&open), same(&seen));
    assert_eq!(blind.mark(2, 0, "correct", "").unwrap().status, 200);
    assert_eq!(blind.marks().len(), 1, "one's own");
}
