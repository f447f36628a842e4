//! Corrected calls: what is refused and why, who sees them, and what becomes of them.

use serde_json::{Value, json};

use super::page::with_script;
use super::{Desk, labelled};
use crate::browser::{self, available, probe};
use crate::support::http::Answer;
use crate::support::workspace::Workspace;

fn correct(desk: &Desk, row: usize, seen: u64, label: &str, typed: &str) -> Answer {
    let gold = if label.is_empty() { json!({}) } else { json!({"gold": label}) };
    let mark = json!({"table": desk.table, "since": 0, "row": row, "version": seen, "gold": gold, "note": "", "correction": typed});
    desk.post("/marks", &mark).unwrap()
}

#[test]
fn a_corrected_call_is_checked_before_it_is_kept() {
    let work = Workspace::new();
    labelled(&work, 6);
    let desk = Desk::open(&work, "anna", &[]);
    for (typed, call, argument, message) in [
        ("get_wether(city='Oslo')", json!(1), json!(null), "did you mean `get_weather`?"),
        ("get_weather()", json!(null), json!(null), "this is what the agent called"),
        ("get_weather(city=7)", json!(1), json!("/city"), "is not of type \"string\""),
        ("get_weather(city='Oslo', town='x')", json!(1), json!("/town"), "no parameter `town`"),
        ("get_weather(city='Oslo'", json!(null), json!(null), "cannot be read as calls"),
        ("nothing", json!(null), json!(null), "cannot be read as calls"),
    ] {
        let refused = correct(&desk, 4, 0, "incorrect", typed);
        assert_eq!(refused.status, 422, "{typed}: {}", refused.text());
        let fault = refused.json()["faults"][0].clone();
        assert_eq!((&fault["call"], &fault["argument"]), (&call, &argument), "{typed}: {fault}");
        assert!(fault["message"].as_str().unwrap().contains(message), "{typed}: {fault}");
    }
    let right = correct(&desk, 1, 0, "correct", "get_weather(city='Bergen')");
    assert_eq!(right.status, 422, "a right call needs no other: {}", right.text());
    assert!(desk.marks().is_empty());
    assert_eq!(correct(&desk, 4, 0, "incorrect", "get_weather(city='Oslo 4')").status, 200);
    let kept = r#"[{"name":"get_weather","arguments":{"city":"Oslo 4"}}]"#;
    let shown = json!({"text": kept, "calls": [{"name": "get_weather", "args": r#"{"city":"Oslo 4"}"#}]});
    assert_eq!(desk.marks()[0]["correction"], shown);
    // Marks that are made later go with it, unless they take it away.
    assert_eq!(correct(&desk, 4, 1, "correct", kept).status, 200);
    assert_eq!(correct(&desk, 4, 2, "incorrect", "").status, 200);
    let undo = json!({"table": desk.table, "since": 0, "change": 3});
    assert_eq!(desk.post("/undo", &undo).unwrap().status, 200);
    assert_eq!(desk.marks().last().unwrap()["correction"], shown);
    let ben = Desk::open(&work, "ben", &[]);
    assert_eq!(ben.marks()[0]["correction"], shown, "the others see it");
    assert!(Desk::open(&work, "cleo", &["--blind"]).marks().is_empty());
}

/// review, export, and a suite that expects the corrected calls.
#[test]
fn corrected_calls_become_what_is_expected() {
    let work = Workspace::new();
    labelled(&work, 8);
    let [anna, ben] = [Desk::open(&work, "anna", &[]), Desk::open(&work, "ben", &[])];
    let oslo = "get_weather(city='Oslo')";
    for (desk, row, label, typed) in [
        (&anna, 1, "incorrect", oslo),
        (&anna, 2, "incorrect", "[]"),
        (&anna, 3, "correct", ""),
        (&anna, 4, "incorrect", oslo),
        (&ben, 4, "incorrect", "get_weather(city='Bergen')"),
        (&anna, 5, "incorrect", oslo),
        (&ben, 5, "correct", ""),
        (&anna, 6, "incorrect", oslo),
        (&ben, 6, "incorrect", r#"[{"name": "get_weather", "arguments": {"city": "Oslo"}}]"#),
        (&anna, 7, "incorrect", oslo),
    ] {
        assert_eq!(correct(desk, row, 0, label, typed).status, 200, "row {row}");
    }
    // Second thoughts: the call was right.
    let kept = r#"[{"name":"get_weather","arguments":{"city":"Oslo"}}]"#;
    assert_eq!(correct(&anna, 7, 1, "correct", kept).status, 200);
    drop((anna, ben));
    let ran = work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv"]).ended(0);
    for said in [
        "3 rows with a corrected call",
        "2 rows written without a corrected call, because reviewers disagree on it: r4, r5",
        "the corrected calls of 1 row are left out: by the marks, the agent's own calls are right there",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert_eq!(work.column("gold.csv", "corrected_tool_calls"), [kept, "[]", "", "", "", kept, ""]);
    assert_eq!(
        work.column("gold.csv", "gold"),
        ["incorrect", "incorrect", "correct", "incorrect", "", "incorrect", "correct"]
    );
    let marks: Value = serde_json::from_str(&work.column("gold.csv", "marks")[0]).unwrap();
    assert_eq!(marks[0]["corrected_tool_calls"], kept);
    let flags = ["export", "labelled.jsonl", "-o", "decided.jsonl", "--adjudicator", "ben", "--json"];
    let ran = work.run(&[&["review"], &flags[..]].concat()).ended(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    let told = ["corrected", "disputed_corrections", "unused_corrections"].map(|name| &summary[name]);
    assert_eq!(told, [&json!(4), &json!([]), &json!(2)]);
    work.run(&["suite", "from-log", "gold.csv", "-o", "suite.jsonl"]).ended(0);
    let lines = work.read("suite.jsonl");
    let cases: Vec<Value> = lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let case =
        |id: &str| cases.iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("{id}: {lines}"));
    for id in ["r1", "r6"] {
        let expected = &case(id)["expected_tool_calls"][0];
        assert_eq!(expected["required_params"], json!({"city": "Oslo"}), "{id}");
    }
    assert_eq!(case("r2")["should_not_call_tools"], json!(true));
    assert!(case("r4")["not_calls"].is_array(), "nobody knows which one: {}", case("r4"));
    work.run(&["bench", "gold.csv", "-q"]).ended(0);
}

/// A column of the input stays as it is where nobody typed a call, and gives way where somebody did.
#[test]
fn corrections_of_the_input_stay() {
    let work = Workspace::new();
    labelled(&work, 3);
    let rows = work.read("labelled.jsonl");
    let with = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row["corrected_tool_calls"] = json!("get_weather(city='Rome')");
        row.to_string()
    };
    work.file("labelled.jsonl", rows.lines().map(with).collect::<Vec<_>>().join("\n"));
    let desk = Desk::open(&work, "anna", &[]);
    let column = |name: &str| {
        work.run(&["review", "export", "labelled.jsonl", "-o", name, "-q"]).ended(0);
        work.column(name, "corrected_tool_calls")
    };
    let rome = "get_weather(city='Rome')";
    assert_eq!(correct(&desk, 1, 0, "incorrect", "").status, 200);
    assert_eq!(column("before.csv"), [rome]);
    assert_eq!(correct(&desk, 2, 0, "incorrect", "[]").status, 200);
    assert_eq!(column("after.csv"), [rome, "[]"]);
}

#[test]
fn a_browser_corrects_a_call() {
    let Some(browser) = available() else { return };
    let work = Workspace::new();
    labelled(&work, 6);
    let ben = Desk::open(&work, "ben", &[]);
    assert_eq!(correct(&ben, 2, 0, "incorrect", "get_weather(city='<img src=x>')").status, 200);
    let anna = Desk::open(&work, "anna", &[]);
    let address = with_script(anna.address, include_str!("../browser/correct_probe.js"));
    let seen =
        browser::open_address(&browser, &format!("http://{address}/?token={}", anna.token), "1280,900");
    assert_eq!(seen.console, Vec::<String>::new());
    let probe = probe(&seen);
    assert_eq!(probe["late"], json!([]), "{probe:#}");
    assert_eq!(probe["prefilled"], r#"[{"name": "get_weather", "arguments": {}}]"#);
    assert_eq!(probe["fault"], json!(["city – 7 is not of type \"string\"", "true", "correction", null]));
    assert_eq!(probe["kept_text"], "get_weather(city=7)", "what was typed stays");
    assert_eq!(probe["trouble"], "Not saved yet: the corrected call of row 4.");
    assert_eq!(probe["saved"], json!(["get_weather(city=\"Oslo 4\")", "incorrect2", 0, null]));
    assert_eq!(
        probe["reloaded"],
        json!([
            "get_weather(city=\"Oslo 4\")",
            r#"[{"name": "get_weather", "arguments": {"city": "Oslo 4"}}]"#
        ])
    );
    assert_eq!(
        probe["others"],
        json!([
            "ben: incorrect, should be get_weather(city=\"<img src=x>\")",
            "Should have been called, by ben:"
        ])
    );
    assert_eq!(probe["right"], true, "a mark as right says what becomes of the call");
    assert_eq!(probe["undone"], json!([true, false]));
    assert_eq!(probe["named"], json!([]), "every control has a name");
    assert_eq!(probe["foreign"], 0);
}

/// A file of marks that has no place for corrected calls yet gets one, and loses nothing.
#[test]
fn marks_of_an_older_version_take_corrections() {
    let work = Workspace::new();
    labelled(&work, 6);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.mark(4, 0, "incorrect", "no city").unwrap().status, 200);
    drop(desk);
    let marks = rusqlite::Connection::open(work.path("labelled.marks.sqlite")).unwrap();
    marks.execute_batch("ALTER TABLE marks DROP COLUMN correction; PRAGMA user_version = 1").unwrap();
    drop(marks);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.marks()[0]["note"], "no city");
    assert_eq!(correct(&desk, 4, 1, "incorrect", "get_weather(city='Oslo 4')").status, 200);
    drop(desk);
    let desk = Desk::open(&work, "anna", &[]);
    assert_eq!(desk.marks()[1]["correction"]["calls"][0]["name"], "get_weather");
    work.run(&["review", "export", "labelled.jsonl", "-o", "gold.csv", "-q"]).ended(0);
    assert!(work.column("gold.csv", "corrected_tool_calls")[0].contains("Oslo 4"));
}
