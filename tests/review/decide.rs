//! The queue of an adjudicator: what reviewers and judges disagree on, until it is settled.

use serde_json::{Value, json};

use super::page::with_script;
use super::{Desk, labelled};
use crate::browser::{self, available, probe};
use crate::support::workspace::Workspace;

/// A table of so many rows that two judges have labelled, who contradict each other on some.
fn two_judges(work: &Workspace, rows: usize, differ: &[usize]) {
    labelled(work, rows);
    let table = work.read("labelled.jsonl");
    let of_two = |(line, at): (&str, usize)| {
        let row: Value = serde_json::from_str(line).unwrap();
        let mut both = json!({});
        for name in ["id", "question", "tool_call", "tool_definitions"] {
            both[name] = row[name].clone();
        }
        for judge in ["a", "b"] {
            for name in ["label", "score", "status", "template", "judge"] {
                both[format!("{judge}_{name}")] = row[name].clone();
            }
        }
        if differ.contains(&at) {
            let was_right = both["b_label"] == "correct";
            both["b_label"] = json!(if was_right { "incorrect" } else { "correct" });
            both["b_score"] = json!(if was_right { 0 } else { 1 });
        }
        both.to_string()
    };
    let lines: Vec<String> = table.lines().zip(1..).map(of_two).collect();
    work.file("labelled.jsonl", lines.join("\n"));
}

fn about(desk: &Desk) -> Value {
    let page = desk.page().text();
    let (_, about) = page.split_once(r#"id="about">"#).unwrap();
    serde_json::from_str(about.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn judges_disagreements_come_in_the_order_of_next() {
    let work = Workspace::new();
    two_judges(&work, 12, &[2, 3, 5, 8, 11]);
    let flags = ["next", "labelled.jsonl", "--queue", "disagreement", "-n", "12", "-o", "todo.csv", "-q"];
    work.run(&flags).ended(0);
    let ids: Vec<u64> = work.column("todo.csv", "id").iter().map(|id| id[1..].parse().unwrap()).collect();
    assert_eq!(ids.len(), 5);
    let review = about(&Desk::open(&work, "cleo", &["--queue", "disagreement"]))["review"].clone();
    assert_eq!((&review["queue"], &review["disputed"]), (&json!("disagreement"), &json!(ids)));
    let review = about(&Desk::open(&work, "cleo", &[]))["review"].clone();
    assert_eq!((&review["queue"], &review["disputed"]), (&json!(null), &json!(null)));
    let flags = ["review", "labelled.jsonl", "--queue", "disagreement", "--blind", "--reviewer", "cleo"];
    let refused = work.run(&flags).ended(2);
    assert!(refused.stderr.contains("leave one of them out"), "{}", refused.stderr);
}

#[test]
fn a_browser_decides_until_nothing_is_left() {
    let Some(browser) = available() else { return };
    let work = Workspace::new();
    two_judges(&work, 6, &[5, 6]);
    let [ben, dora] = [Desk::open(&work, "ben", &[]), Desk::open(&work, "dora", &[])];
    for (desk, row, label) in [
        (&ben, 2, "incorrect"),
        (&dora, 2, "correct"),
        (&ben, 3, "incorrect"),
        (&dora, 3, "incorrect"),
        // One word settles what judges disagree on.
        (&ben, 6, "incorrect"),
    ] {
        assert_eq!(desk.mark(row, 0, label, "").unwrap().status, 200);
    }
    let cleo = Desk::open(&work, "cleo", &["--queue", "disagreement"]);
    let address = with_script(cleo.address, include_str!("../browser/decide_probe.js"));
    let seen =
        browser::open_address(&browser, &format!("http://{address}/?token={}", cleo.token), "1280,900");
    assert_eq!(seen.console, Vec::<String>::new());
    let probe = probe(&seen);
    assert_eq!(probe["late"], json!([]), "{probe:#}");
    assert_eq!(probe["first"], json!(["Decide 2 disagreements", [2, 5], "2", true]));
    assert_eq!(probe["second"], "Decide 1 disagreement");
    assert_eq!((&probe["last"], &probe["left"]), (&json!("No disagreement is left to decide"), &json!([])));
    assert_eq!(probe["disputed"], json!([2]));
    drop((ben, dora, cleo));
    let flags = ["export", "labelled.jsonl", "-o", "gold.csv", "--adjudicator", "cleo"];
    let ran = work.run(&[&["review"], &flags[..]].concat()).ended(0);
    assert!(ran.stderr.contains("the adjudicator decided 1 disagreement"), "{}", ran.stderr);
}
