//! What GitHub shows on the page of a build.

use serde_json::json;

use crate::support::child::Deadline;
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace, shown};

/// Runs a step of a build that has a page.
fn step(work: &Workspace, args: &[&str]) -> Ran {
    let mut command = work.tooljudge(args);
    Ran::from(command.env("GITHUB_STEP_SUMMARY", work.path("page.md")).finish())
}

#[test]
fn a_build_shows_which_rows_fail_and_why() {
    let work = Workspace::new();
    let row = |id: &str, city: &str| {
        json!({"id": id, "question": "Weather in Oslo?", "tool_call": {"name": "weather", "arguments": {"city": city}},
               "tool_definitions": [{"name": "weather", "parameters": {"properties": {"city": {}}}}]})
        .to_string()
    };
    let hostile = "<img src=x onerror=alert(1)> | **Passed** |\n\n# [x](https://a.test) `$a$` @b";
    let mut rows = vec![row("right", "Oslo"), row(hostile, "Rome")];
    rows.extend((0..11).map(|n| row(&format!("wrong {n}"), "Rome")));
    rows.push(json!({"id": "empty", "question": "", "tool_call": "f()"}).to_string());
    work.file("in.jsonl", rows.join("\n"));
    let server = Server::start(move |seen| {
        let wrong = seen.prompt().contains("\"Rome\"");
        let finding =
            json!({"call": 1, "argument": "/city", "kind": "wrong_value", "quote": "Weather in Oslo?"});
        let (label, findings) = if wrong { ("incorrect", json!([finding])) } else { ("correct", json!([])) };
        Answer::Text(json!({"explanation": hostile, "findings": findings, "label": label}).to_string())
    });
    let base =
        ["label", "in.jsonl", "--judge", "openai:m", "--base-url", &server.url, "-o", "out.jsonl", "--force"];
    let asked = ["--explain", "--findings", "--quiet"];
    let run = |gates: &[&str]| step(&work, &[&base[..], &asked, gates].concat());
    run(&["--min-pass-rate", "0.5", "--max-fail", "wrong_value=3"]).ended(1);
    let failed = work.read("page.md");
    assert!(!failed.contains("<img") && !failed.contains("\n# ") && !failed.contains("https://"), "{failed}");
    shown("step_summary_of_a_failed_gate", &failed);
    run(&[
        "--min-pass-rate",
        "0",
        "--allow-unjudged",
        "0.1",
        "--max-fail",
        "invalid_row=1",
        "--junit",
        "r.xml",
    ])
    .ended(0);
    let both = work.read("page.md");
    let passed = both.strip_prefix(&failed).expect("a summary goes behind what is there");
    let tables =
        |text: &str| text[text.find("| label |").unwrap()..text.find("| figure |").unwrap()].to_owned();
    assert_eq!(tables(passed), tables(&failed));
    let rest = |text: &str| text[text.find("The first 10 of 13 rows that fail:").unwrap()..].to_owned();
    assert_eq!(rest(passed), rest(&failed), "a list of all rows shows the same");
    assert!(
        passed.contains("**Passed**: --min-pass-rate 0; --max-fail invalid\\_row=1; --allow-unjudged 0.1\n"),
        "{passed}"
    );
}

#[test]
fn a_page_that_cannot_be_written_fails_no_build() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tools\nhi,,f: t\n");
    std::fs::create_dir(work.path("page.md")).unwrap();
    let ran = step(&work, &["label", "in.csv", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    assert!(
        ran.stderr.contains("warning: no summary for GITHUB_STEP_SUMMARY: cannot write"),
        "{}",
        ran.stderr
    );
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tools\nhi,,f: t\n");
    work.run(&["label", "in.csv", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    step(&work, &["label", "in.csv", "--judge", "openai:m", "--dry-run"]).ended(0);
    assert!(!work.path("page.md").exists(), "without the variable, and where nobody is asked");
    step(&work, &["resnap", "in.csv", "--judge", "builtin", "-o", "again.csv", "--allow-unjudged", "1"])
        .ended(0);
    assert!(work.read("page.md").contains("## tooljudge resnap\n"), "{}", work.read("page.md"));
}

#[test]
fn scores_have_a_page_too() {
    let work = Workspace::new();
    let case = |id: &str, city: &str| {
        let call = |city: &str| json!([{"name": "weather", "arguments": {"city": city}}]);
        json!({"id": id, "tool_calls": call("Oslo"), "expected_tool_calls": call(city)}).to_string()
    };
    let cases = [case("a", "Oslo"), case("b | <b>", "Rome"), case("c", "Oslo"), case("d", "Oslo")];
    work.file("cases.jsonl", cases.join("\n"));
    let run = |args: &[&str]| {
        step(
            &work,
            &[
                &[
                    "score",
                    "--allow-failures",
                    "cases.jsonl",
                    "--scorer",
                    "trajectory",
                    "--args",
                    "exact",
                    "--quiet",
                ],
                args,
            ]
            .concat(),
        )
    };
    run(&["--min-pass-rate", "0.9"]).ended(1);
    let failed = work.read("page.md");
    shown("step_summary_of_scores", &failed);
    run(&["--min-pass-rate", "0.7"]).ended(0);
    run(&[]).ended(0);
    let page = work.read("page.md");
    assert!(
        page.contains("**Passed**: --min-pass-rate 0.7\n") && page.contains("\nNo gate was set.\n"),
        "{page}"
    );
}

#[test]
fn a_build_is_marked_with_what_failed() {
    let work = Workspace::new();
    let step = |args: &[&str]| {
        let mut command = work.tooljudge(args);
        Ran::from(command.env("GITHUB_ACTIONS", "true").finish())
    };
    let case = |id: &str| {
        json!({"id": id, "tool_calls": [], "expected_tool_calls": [{"name": "f", "arguments": {}}]})
            .to_string()
    };
    work.file("in.jsonl", [case("a"), case("50 %\n::warning::x")].join("\n"));
    let ran = step(&["score", "in.jsonl", "--scorer", "tool_call", "--quiet"]).ended(1);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines[0].starts_with("::error title=tooljudge::FAIL a: "), "{}", ran.stderr);
    assert!(lines[1].starts_with("::error title=tooljudge::FAIL 50 %25"), "{}", ran.stderr);
    assert!(lines.iter().all(|line| line.starts_with("::error title=tooljudge::")), "{}", ran.stderr);
    assert!(lines.last().unwrap().contains("2 of 2 cases failed"), "{}", ran.stderr);
    // A gate, an error, and what is neither.
    work.file("in.csv", "question,tool_call,tools\nhi,,f: t\n");
    let ran = step(&["label", "in.csv", "--quiet"]).ended(1);
    assert!(ran.stderr.contains("::error title=tooljudge::1 of 1 row has no label"), "{}", ran.stderr);
    let ran = step(&["label", "none.csv", "--quiet"]).ended(2);
    assert!(ran.stderr.starts_with("::error title=tooljudge::no file matches"), "{}", ran.stderr);
    let ran = step(&["label", "in.csv", "--quiet", "--allow-unjudged", "1"]).ended(0);
    assert!(!ran.stderr.contains("::error"), "{}", ran.stderr);
}

#[test]
fn rows_and_agents_command_nothing() {
    let work = Workspace::new();
    let step = |args: &[&str]| {
        let mut command = work.tooljudge(args);
        let ran = Ran::from(command.env("GITHUB_ACTIONS", "true").finish());
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            let is_ours = line.starts_with("::error title=tooljudge::");
            assert!(is_ours || !line.trim_start().starts_with("::"), "{line}");
            assert!(is_ours || !line.contains("##["), "{line}");
        }
        ran
    };
    let case = |id: &str, tool: &str| {
        json!({"id": id, "tool_calls": [], "expected_tool_calls": [{"name": tool, "arguments": {}}]})
            .to_string()
    };
    let cases =
        [case("q\n::error::id", "::stop-commands::x"), case("a##[stop-commands]t", "y\n::stop-commands::q")];
    work.file("in.jsonl", cases.join("\n"));
    step(&["score", "in.jsonl", "--scorer", "tool_call"]).ended(1);
    step(&["score", "in.jsonl", "--scorer", "tool_call", "--allow-failures"]).ended(0);
    let row =
        json!({"question": "hi", "tool_call": [], "tool_definitions": [], "group": "::stop-commands::x"})
            .to_string();
    work.file("rows.jsonl", row);
    step(&["label", "rows.jsonl", "--by", "group", "--allow-unjudged", "1", "--decide", "always"]).ended(0);
    let value =
        json!({"question": "hi", "tool_call": [], "tool_definitions": [], "group": "##[x]"}).to_string();
    work.file("values.jsonl", value);
    let ran = step(&[
        "label",
        "values.jsonl",
        "--by",
        "group",
        "--allow-unjudged",
        "1",
        "--decide",
        "always",
        "--json",
    ]);
    let shown: serde_json::Value = serde_json::from_str(&ran.ended(0).stdout).unwrap();
    assert!(shown.to_string().contains("##[x]"), "{shown}");
    // What a job says in between.
    std::fs::create_dir(work.path("folder")).unwrap();
    work.file("folder/a.jsonl", case("a", "f"));
    work.file("folder/x\n::stop-commands::t##[a]", "nothing");
    step(&["convert", "folder", "-o", "out.jsonl"]);
    // What cannot be understood is marked too.
    let ran = step(&["label", "--nope"]).ended(2);
    assert!(ran.stderr.contains("::error title=tooljudge::unexpected argument"), "{}", ran.stderr);
    let ran = step(&["merge", "x.csv"]).ended(2);
    assert!(ran.stderr.lines().any(|line| line.starts_with("::error") && line.contains("--output <FILE>")));
    assert!(!step(&["store"]).stderr.contains("::error"));
    // GitHub shows ten of a step.
    let many: Vec<String> = (0..7).map(|at| case(&at.to_string(), "f")).collect();
    work.file("many.jsonl", many.join("\n"));
    let ran = step(&["score", "many.jsonl", "--scorer", "tool_call", "--quiet"]).ended(1);
    assert_eq!(ran.stderr.matches("::FAIL ").count(), 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("... and 3 more; -o FILE writes them all"), "{}", ran.stderr);
}

#[test]
fn what_is_empty_passes_no_gate() {
    let work = Workspace::new();
    work.file("none.csv", "question,tool_call,tool_definitions\n");
    let page = work.path("page.md");
    let step = |args: &[&str]| {
        let mut command = work.tooljudge(args);
        Ran::from(command.env("GITHUB_STEP_SUMMARY", &page).finish())
    };
    step(&["label", "none.csv", "--allow-empty", "--min-pass-rate", "0.9", "--force"]).ended(0);
    step(&["score", "none.csv", "--scorer", "tool_call", "--allow-empty", "--min-pass-rate", "0.9"]).ended(0);
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text.matches("no gate was checked").count(), 2, "{text}");
    assert!(!text.contains("Passed"), "{text}");
    // One shard of one is the whole input.
    step(&["label", "none.csv", "--shard", "0/1", "--min-pass-rate", "0.9", "--force"]).ended(1);
}
