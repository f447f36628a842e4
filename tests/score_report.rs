//! The page of a scoring run: every case, what fails first, with the expected calls beside those that were made.

use serde_json::{Value, json};

use crate::browser::{self, available, probe};
use crate::label_report::Payload;
use crate::support::workspace::Workspace;

/// A table of our own, one case in each state, with texts that would be markup elsewhere.
fn cases() -> String {
    let tools = json!([{"name": "book", "description": "Books <i>a</i> room", "parameters": {"type": "object",
        "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}, "required": ["city"]}}]);
    let call =
        |city: &str, nights: u64| json!([{"name": "book", "arguments": {"city": city, "nights": nights}}]);
    let case = |id: &str, made: Value, expected: Value| {
        json!({"id": id, "question": format!("Book a room in Oslo, {id}"), "tool_call": made, "tool_definitions": tools,
            "expected_tool_calls": expected, "team": "x"})
        .to_string()
    };
    [
        case("right", call("Oslo", 2), call("Oslo", 2)),
        case("wrong", call("<img src=x onerror=alert(1)>", 2), call("Oslo", 2)),
        case("too_many", call("Oslo", 2), json!([])),
        case("unsaid", call("Oslo", 2), json!(null)),
        case("large", call("Oslo", 12_345_678_901_234_567_890), call("Oslo", 12_345_678_901_234_567_890)),
    ]
    .join("\n")
}

const FLAGS: [&str; 10] = [
    "score",
    "cases.jsonl",
    "--scorer",
    "tool_call",
    "--allow-extras",
    "false",
    "--allow-failures",
    "--report",
    "page.html",
    "-q",
];

#[test]
fn every_case_is_on_the_page_and_what_fails_comes_first() {
    let work = Workspace::new();
    work.file("cases.jsonl", cases());
    work.run(&FLAGS).ended(0);
    let page = work.read("page.html");
    let payload = Payload::of(&page);
    assert_eq!(payload.index["rows"], json!([2, 3, 4, 1, 5]));
    let rows: Vec<Value> = payload.rows().into_iter().map(|(_, row)| row).collect();
    let verdicts: Vec<(&Value, &Value)> =
        rows.iter().map(|row| (&row["verdicts"][0]["label"], &row["verdicts"][0]["status"])).collect();
    let expected = [
        (json!("passed"), json!("scored")),
        (json!("failed"), json!("scored")),
        (json!("failed"), json!("scored")),
        (json!(null), json!("error")),
        (json!("passed"), json!("scored")),
    ];
    assert_eq!(verdicts, expected.iter().map(|(label, status)| (label, status)).collect::<Vec<_>>());
    let finding = &rows[1]["verdicts"][0]["findings"][0];
    assert_eq!((&finding["argument"], &finding["call"]), (&json!("/city"), &json!(1)), "{finding}");
    assert_eq!(rows[1]["expected"], json!([{"name": "book", "args": r#"{"city":"Oslo","nights":2}"#}]));
    assert_eq!((&rows[2]["expected"], &rows[3]["expected"]), (&json!([]), &json!(null)));
    let why = rows[3]["verdicts"][0]["error"].as_str().unwrap();
    assert!(why.contains("write [] where nothing should be called"), "{why}");
    let large = r#"{"city":"Oslo","nights":12345678901234567890}"#;
    assert_eq!(
        (&rows[4]["calls"][0]["args"], &rows[4]["expected"][0]["args"]),
        (&json!(large), &json!(large))
    );
    assert!(!page.contains("<img src=x"), "what the data holds is no markup");
    // What people see without the page stays as it is.
    let with = work.run(&FLAGS[..9]).ended(0);
    let without = work.run(&FLAGS[..7]).ended(0);
    assert_eq!(with.stdout, without.stdout);
    assert!(with.stderr.contains("every case is on the page page.html"), "{}", with.stderr);
}

#[test]
fn peers_cases_are_on_the_page_too() {
    let work = Workspace::new();
    work.file(
        "cases.jsonl",
        r#"{"id":"a","input":"hi","tools_called":[{"name":"f","input_parameters":{"x":1}}],"expected_tools":[{"name":"g","input_parameters":{"x":1}}]}
{"id":"b","tools_called":[{"name":"f"}],"expected_tools":[{"name":"f"}]}"#,
    );
    let flags = ["score", "cases.jsonl", "--allow-failures", "--report", "page.html"];
    work.run(&flags).ended(0);
    let rows = Payload::of(&work.read("page.html")).rows();
    let told: Vec<(&Value, &Value, &Value)> = rows
        .iter()
        .map(|(_, row)| (&row["calls"][0]["name"], &row["expected"][0]["name"], &row["verdicts"][0]["label"]))
        .collect();
    let (f, g) = (json!("f"), json!("g"));
    assert_eq!(told, [(&f, &g, &json!("failed")), (&f, &f, &json!("passed"))]);
}

#[test]
fn a_page_that_is_none_is_refused_before_anything_is_scored() {
    let work = Workspace::new();
    work.file("cases.jsonl", cases());
    work.file("notes.html", "<p>mine");
    for (report, said) in
        [("page.txt", "ends in .html"), ("notes.html", "notes.html"), ("none/page.html", "none")]
    {
        let flags = [
            &["score", "cases.jsonl", "--scorer", "tool_call", "-o", "out.jsonl", "--report"],
            &[report][..],
        ];
        let ran = work.run(&flags.concat()).ended(2);
        assert!(ran.stderr.contains(said), "{report}: {}", ran.stderr);
        assert!(!work.path("out.jsonl").exists());
    }
    assert_eq!(work.read("notes.html"), "<p>mine");
}

#[test]
fn a_browser_shows_what_was_expected_beside_what_was_called() {
    let Some(browser) = available() else { return };
    let work = Workspace::new();
    work.file("cases.jsonl", cases());
    work.run(&FLAGS).ended(0);
    let script = include_str!("browser/score_probe.js");
    let page = work.read("page.html").replacen("</body>", &format!("<script>{script}</script></body>"), 1);
    for size in ["1280,900", "500,900"] {
        let seen = browser::open_in(&browser, &page, "", size);
        assert_eq!(seen.console, Vec::<String>::new());
        let probe = probe(&seen);
        assert_eq!(probe["late"], json!([]), "{probe:#}");
        assert_eq!(probe["judged"], "book(city=\"<img src=x onerror=alert(1)>\"1, nights=2)", "{size}");
        assert_eq!(probe["expected"], "book(city=\"Oslo\", nights=2)");
        assert_eq!(
            probe["finding"].as_str().map(|said| said.starts_with("wrong value in city: ")),
            Some(true),
            "{probe:#}"
        );
        assert_eq!(
            (&probe["nothing"], &probe["filtered"]),
            (&json!("(nothing was to be called)"), &json!([1, 5]))
        );
        assert_eq!(
            (&probe["marking"], &probe["foreign"]),
            (&json!(0), &json!(0)),
            "there is nothing to mark"
        );
    }
}
