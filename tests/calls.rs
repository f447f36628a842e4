//! Calls judged one by one, and what is found wrong with them.

use serde_json::{Value, json};

use crate::support::server::{Answer, Seen, Server};
use crate::support::workspace::{Ran, Workspace, shown};

const TOOLS: &str = r#"[{"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]"#;

/// A row whose turn calls `weather` for each of these cities.
fn row(id: &str, cities: &[&str]) -> String {
    let calls: Vec<Value> =
        cities.iter().map(|city| json!({"name": "weather", "arguments": {"city": city}})).collect();
    let tools: Value = serde_json::from_str(TOOLS).unwrap();
    json!({"id": id, "question": "Weather in Oslo and Rome?", "tool_call": calls, "tool_definitions": tools})
        .to_string()
}

fn label(work: &Workspace, server: &Server, args: &[&str]) -> Ran {
    let base =
        ["label", "in.jsonl", "--judge", "openai:m", "--base-url", &server.url, "-o", "out.jsonl", "--force"];
    work.run(&[&base[..], &["--allow-unjudged", "1", "--json"], args].concat()).ended(0)
}

/// What the run says of its one judge.
fn summary(ran: &Ran) -> Value {
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    record["panel"][0]["summary"].clone()
}

fn rows(work: &Workspace) -> Vec<Value> {
    work.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The call that a prompt asks about.
fn judged_city(seen: &Seen) -> String {
    let calls = seen.prompt().rsplit("{\"name\":\"weather\",\"arguments\":{\"city\":\"").next().unwrap();
    calls.split('"').next().unwrap().to_owned()
}

#[test]
fn a_turn_is_as_right_as_its_worst_call() {
    let work = Workspace::new();
    let lines = [
        row("right", &["Oslo", "Rome"]),
        row("wrong", &["Oslo", "Paris", "Rome"]),
        row("unknown", &["Oslo", "Nowhere"]),
        row("wrong all the same", &["Nowhere", "Paris"]),
        row("single", &["Oslo"]),
        row("nothing", &[]),
    ];
    work.file("in.jsonl", lines.join("\n"));
    let server = Server::start(|seen| match judged_city(seen).as_str() {
        "Paris" => Answer::label("incorrect"),
        "Nowhere" => Answer::status(400, "cannot say"),
        _ => Answer::label("correct"),
    });
    let ran = label(&work, &server, &["--per", "call"]);
    let told: Vec<String> = rows(&work)
        .iter()
        .map(|row| {
            let labels: Vec<&str> = row["call_labels"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| call["label"].as_str().unwrap_or("-"))
                .collect();
            format!(
                "{}: {} {} {}/{} [{}]",
                row["id"].as_str().unwrap(),
                row["label"].as_str().unwrap_or("-"),
                row["status"].as_str().unwrap(),
                row["calls_correct"],
                row["calls_judged"],
                labels.join(" ")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "right: correct judged 2/2 [correct correct]",
            "wrong: incorrect judged 2/3 [correct incorrect correct]",
            "unknown: - errored 1/1 [correct -]",
            "wrong all the same: incorrect judged 0/1 [- incorrect]",
            "single: correct judged 1/1 [correct]",
            "nothing: correct judged 0/0 []",
        ]
    );
    let summary = &summary(&ran);
    let calls = &summary["calls"];
    assert_eq!(calls, &json!({"calls": 10, "judged": 8, "correct": 6}), "{}", ran.stdout);
    // The first call of three rows is the same question; what failed is asked again in the next run, and nothing else.
    let asked = server.requests();
    label(&work, &server, &["--per", "call"]);
    let again = server.seen().split_off(asked);
    assert!(again.iter().all(|seen| judged_city(seen) == "Nowhere"), "{again:?}");
}

#[test]
fn a_call_is_shown_with_what_its_turn_called_before() {
    let work = Workspace::new();
    work.file("in.jsonl", row("three", &["Oslo", "Rome"]));
    let server = Server::start(|_| Answer::label("correct"));
    label(&work, &server, &["--per", "call"]);
    let mut prompts: Vec<String> = server.seen().iter().map(|seen| seen.prompt().to_owned()).collect();
    prompts.sort_by_key(|prompt| prompt.contains("call 2 of them"));
    insta::assert_snapshot!("prompt_of_a_single_call", prompts[1]);
    assert!(!prompts[0].contains("Rome\"") && prompts[0].contains("call 1 of them"), "{}", prompts[0]);
    // A turn with one call is the question that it always was.
    work.file("in.jsonl", row("one", &["Oslo"]));
    label(&work, &server, &[]);
    let asked = server.requests();
    label(&work, &server, &["--per", "call"]);
    assert_eq!(server.requests(), asked, "its reply was there");
}

fn finding(call: u64, argument: &str, kind: &str, quote: &str) -> Value {
    json!({"call": call, "argument": argument, "kind": kind, "quote": quote})
}

#[test]
fn findings_are_held_against_the_row() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo", "Paris"]));
    let answer = json!({
        "findings": [
            finding(2, "/city", "wrong_value", "Weather in Oslo and Rome?"),
            finding(2, "city", "invented_value", "the incorrect capital of France"),
            finding(1, "/country", "wrong_value", "Oslo"),
            finding(7, "/city", "wrong_value", "Oslo"),
            finding(1, "/units", "missing_parameter", ""),
            finding(1, "/city", "missing_parameter", "Oslo"),
            finding(0, "", "missing_call", "Rome"),
            finding(1, "", "strange", "oslo"),
        ],
        "label": "incorrect",
    });
    let server = Server::start(move |_| Answer::Text(answer.to_string()));
    let ran = label(&work, &server, &["--findings"]);
    let row = &rows(&work)[0];
    assert_eq!(
        (row["label"].as_str(), row["raw_reply"].as_str().map(|reply| reply.contains("findings"))),
        (Some("incorrect"), Some(true))
    );
    let weather = "weather";
    assert_eq!(
        row["findings"],
        json!([
            {"call": 2, "tool": weather, "argument": "/city", "kind": "wrong_value", "quote": "Weather in Oslo and Rome?", "supported": true},
            {"call": 2, "tool": weather, "argument": "/city", "kind": "invented_value", "quote": "the incorrect capital of France", "supported": false},
            {"call": 1, "tool": weather, "argument": "/units", "kind": "missing_parameter", "supported": false},
            {"kind": "missing_call", "quote": "Rome", "supported": true},
            {"call": 1, "tool": weather, "kind": "other", "quote": "oslo", "supported": true},
        ])
    );
    let summary = &summary(&ran);
    let counts = &summary["findings"];
    assert_eq!(
        (&counts["findings"], &counts["unsupported"], &counts["dropped"]),
        (&json!(5), &json!(2), &json!(3)),
        "{counts}"
    );
    assert_eq!(counts["arguments"][0], json!({"tool": "weather", "argument": "/city", "rows": 1}));
    let schema = &server.seen()[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["findings", "label"]));
    insta::assert_snapshot!("prompt_with_findings", server.seen()[0].prompt());
}

#[test]
fn what_cannot_be_true_is_dropped_and_what_is_spelled_otherwise_is_understood() {
    let work = Workspace::new();
    work.file("in.jsonl", [row("none", &[]), row("one", &["Oslo"])].join("\n"));
    let server = Server::start(|seen| {
        let calls_nothing = !seen.prompt().contains("\"city\":\"Oslo\"");
        let found = match calls_nothing {
            true => vec![finding(0, "/city", "wrong_value", "Oslo"), finding(0, "", "Missing Call", "Rome")],
            false => vec![
                json!({"call": -1, "argument": "/city", "kind": "wrong_value", "quote": "Oslo"}),
                json!({"call": "two", "argument": "/city", "kind": "wrong_value", "quote": "Oslo"}),
                json!("a remark"),
                finding(1, "", "wrong_order", "Oslo"),
                finding(1, "/arguments.days", "missing_parameter", "e"),
                finding(1, "/city", "Wrong-Value", "Oslo"),
            ],
        };
        Answer::Text(json!({"findings": found, "label": "incorrect"}).to_string())
    });
    let ran = label(&work, &server, &["--findings"]);
    let rows = rows(&work);
    assert_eq!(rows[0]["findings"], json!([{"kind": "missing_call", "quote": "Rome", "supported": true}]));
    assert_eq!(
        rows[1]["findings"],
        json!([
            {"call": 1, "tool": "weather", "argument": "/days", "kind": "missing_parameter", "quote": "e", "supported": false},
            {"call": 1, "tool": "weather", "argument": "/city", "kind": "wrong_value", "quote": "Oslo", "supported": true},
        ])
    );
    assert_eq!(summary(&ran)["findings"]["dropped"], 5);
}

#[test]
fn the_last_list_answers_and_a_list_of_some_calls_is_none_of_the_turn() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo", "Paris"]));
    let server = Server::start(|seen| match judged_city(seen).as_str() {
        "Oslo" => Answer::label("correct"),
        _ => Answer::Text(format!(
            "<think>The form is {{\"findings\": [], \"label\": \"correct\"}}.</think>{}",
            json!({"findings": [finding(1, "/city", "wrong_value", "Paris")], "label": "incorrect"})
        )),
    });
    let ran = label(&work, &server, &["--findings", "--per", "call"]);
    let row = &rows(&work)[0];
    assert_eq!((&row["label"], &row["findings"]), (&json!("incorrect"), &Value::Null));
    assert_eq!(summary(&ran)["findings"]["unlisted"], 1);
    work.file("in.jsonl", self::row("a", &["Paris"]));
    label(&work, &server, &["--findings"]);
    assert_eq!(rows(&work)[0]["findings"][0]["kind"], "wrong_value");
}

#[test]
fn an_answer_to_all_results_is_not_held_against_those_of_one_call() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo", "Paris"]));
    let args = ["label", "in.jsonl", "--task", "tool_response_handling", "--per", "call"];
    let ran = work.run(&args).ended(2);
    assert!(ran.stderr.contains("tool_response_handling judges what came of a whole turn"), "{}", ran.stderr);
}

#[test]
fn findings_of_single_calls_name_their_calls() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo", "Paris", "Rome"]));
    let server = Server::start(|seen| {
        let found = match judged_city(seen).as_str() {
            "Paris" => vec![finding(1, "/city", "wrong_value", "Paris")],
            "Rome" => vec![finding(3, "/city", "wrong_value", "Rome")],
            _ => Vec::new(),
        };
        Answer::Text(
            json!({"findings": found, "label": if found.is_empty() { "correct" } else { "incorrect" }})
                .to_string(),
        )
    });
    label(&work, &server, &["--findings", "--per", "call"]);
    let found = rows(&work)[0]["findings"].clone();
    assert_eq!(
        (&found[0]["call"], &found[1]["call"], found.as_array().unwrap().len()),
        (&json!(2), &json!(3), 2)
    );
}

#[test]
fn a_reply_without_a_list_is_counted_and_a_cut_one_has_no_label() {
    let work = Workspace::new();
    work.file("in.jsonl", [row("a", &["Oslo"]), row("b", &["Rome"]), row("c", &["Paris"])].join("\n"));
    let server = Server::start(|seen| {
        match judged_city(seen).as_str() {
        "Oslo" => Answer::label("correct"),
        "Rome" => Answer::Message(
            json!({"role": "assistant", "content": "{\"findings\": [{\"call\": 1, \"argument\": \"\", \"kind\": \"wrong_tool\", \"quote\": \"label: correct"}),
            "length",
        ),
        // Words of a quote are no verdict.
        _ => Answer::Text(
            json!({"findings": [finding(1, "/city", "wrong_value", "the verdict is incorrect")], "label": "correct"})
                .to_string(),
        ),
    }
    });
    let ran = label(&work, &server, &["--findings"]);
    let rows = rows(&work);
    assert_eq!((rows[0]["label"].as_str(), &rows[0]["findings"]), (Some("correct"), &Value::Null));
    assert_eq!((rows[1]["status"].as_str(), &rows[1]["findings"]), (Some("truncated"), &Value::Null));
    assert_eq!(rows[2]["label"], "correct");
    let summary = &summary(&ran);
    assert_eq!(summary["findings"]["unlisted"], 1, "{}", ran.stdout);
}

#[test]
fn an_endpoint_without_schemas_is_asked_for_findings_in_words() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo"]));
    let server = Server::start(|seen| match seen.wants_schema() {
        true => Answer::status(400, "response_format is not supported"),
        false => {
            Answer::Text("Here you are:\n```json\n{\"findings\": [], \"label\": \"correct\"}\n```".to_owned())
        }
    });
    label(&work, &server, &["--findings", "--explain"]);
    assert_eq!(
        (rows(&work)[0]["label"].as_str(), &rows(&work)[0]["findings"]),
        (Some("correct"), &json!([]))
    );
}

#[test]
fn the_built_in_judge_fills_the_same_columns() {
    let work = Workspace::new();
    work.file("in.jsonl", [row("a", &["Oslo", "Paris", "Oslo"]), row("b", &["Oslo", "Rome"])].join("\n"));
    let ran = work
        .run(&["label", "in.jsonl", "--per", "call", "--findings", "-o", "out.jsonl", "--decide", "always"])
        .ended(0);
    let rows = rows(&work);
    assert_eq!((&rows[0]["calls_judged"], &rows[0]["calls_correct"]), (&json!(3), &json!(1)));
    assert_eq!(
        rows[0]["findings"],
        json!([
            {"call": 2, "tool": "weather", "argument": "/city", "kind": "invented_value", "quote": "Paris", "supported": true},
            {"call": 3, "tool": "weather", "kind": "repeated_call", "supported": true},
        ])
    );
    assert_eq!(rows[1]["findings"], json!([]));
    shown("summary_with_findings", &ran.stdout);
    // Nobody asked for them: the columns are those that they were.
    work.run(&["label", "in.jsonl", "-o", "out.jsonl", "--force"]).ended(0);
    assert!(rows_have_none(&work));
}

fn rows_have_none(work: &Workspace) -> bool {
    rows(work).iter().all(|row| row.get("findings").is_none() && row.get("call_labels").is_none())
}

#[test]
fn questions_about_whole_transcripts_have_no_single_calls() {
    let work = Workspace::new();
    work.file("in.jsonl", row("a", &["Oslo"]));
    for (flags, words) in [
        (
            &["--per", "call"][..],
            "--per call is about calls, and trajectory judges what came of a whole turn or transcript",
        ),
        (&["--findings"], "--findings is about calls"),
    ] {
        let base = [
            "label",
            "in.jsonl",
            "--task",
            "trajectory",
            "--judge",
            "openai:m",
            "--base-url",
            "http://127.0.0.1:9",
        ];
        let ran = work.run(&[&base[..], flags].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

/// A row counts once for each kind; rows without a list are not counted, and that is said.
#[test]
fn findings_of_one_kind_have_a_ceiling() {
    let work = Workspace::new();
    work.file("in.jsonl", [row("a", &["Paris"]), row("b", &["Rome"]), row("c", &["Bergen"])].join("\n"));
    let server = Server::start(|seen| {
        let found = |kind: &str| finding(1, "/city", kind, "Oslo");
        match judged_city(seen).as_str() {
            "Paris" => {
                let findings = [found("wrong_value"), found("invented_value"), found("wrong_value")];
                Answer::Text(json!({"findings": findings, "label": "incorrect"}).to_string())
            }
            "Rome" => {
                Answer::Text(json!({"findings": [found("wrong_value")], "label": "incorrect"}).to_string())
            }
            _ => Answer::label("incorrect"),
        }
    });
    let base =
        ["label", "in.jsonl", "--judge", "openai:m", "--base-url", &server.url, "-o", "out.jsonl", "--force"];
    let flags = ["--findings", "--allow-unjudged", "1", "--quiet"];
    for (ceiling, failure) in [
        ("wrong_value=3", None),
        (
            "wrong_value=2",
            Some(
                "2 rows have wrong_value, and 1 labeled row has no list of findings, so it is not known whether these are at most the 2",
            ),
        ),
        ("wrong_value=1", Some("2 rows have wrong_value, more than the 1 that --max-fail allows")),
        ("invented_value=0", Some("1 row has invented_value, more than the 0 that --max-fail allows")),
        ("missing_call=1", None),
        ("missing_call=0", Some("0 rows have missing_call, and 1 labeled row has no list of findings")),
    ] {
        let ran = work.run(&[&base[..], &flags, &["--max-fail", ceiling]].concat());
        let ran = ran.ended(i32::from(failure.is_some()));
        assert!(ran.stderr.contains(failure.unwrap_or_default()), "{ceiling}: {}", ran.stderr);
    }
    work.run(&[&base[..], &flags, &["--max-fail", "errored=0"]].concat()).ended(0);
}

/// A turn of a case: what came before it, and the city that it asks about.
fn turn(case: &str, before: &[&str], city: &str) -> String {
    let message = |role: &&str| json!({"role": role, "content": format!("the {role} speaks")});
    let messages: Vec<Value> = before.iter().map(message).collect();
    let call = json!([{"name": "weather", "arguments": {"city": city}}]);
    let tools: Value = serde_json::from_str(TOOLS).unwrap();
    json!({"case": case, "question": messages, "tool_call": call, "tool_definitions": tools}).to_string()
}

#[test]
fn folds_count_each_request_once_and_know_what_is_missing() {
    let work = Workspace::new();
    let lines = [
        turn("a", &["user"], "Oslo"),
        turn("a", &["user", "assistant"], "Paris"),
        turn("a", &["user", "assistant", "user"], "Rome"),
        turn("b", &["user"], "Oslo"),
        turn("b", &["user", "assistant", "user"], "Nowhere"),
        turn("c", &["user"], "Nowhere"),
    ];
    work.file("in.jsonl", lines.join("\n"));
    let server = Server::start(|seen| match judged_city(seen).as_str() {
        "Paris" => Answer::label("incorrect"),
        "Nowhere" => Answer::status(400, "cannot say"),
        _ => Answer::label("correct"),
    });
    label(&work, &server, &["--fold", "case", "--fold-output", "folds.csv", "--per", "call"]);
    let told: Vec<String> = work
        .rows("folds.csv")
        .iter()
        .map(|row| {
            let of = |name: &str| row[name].clone();
            format!(
                "{} {} rows {} judged: {} ({} to {}), calls {}/{} {}",
                of("case"),
                of("rows"),
                of("judged"),
                of("score"),
                of("score_low"),
                of("score_high"),
                of("calls_correct"),
                of("calls"),
                of("call_score")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "a 3 rows 3 judged: 0.75 (0.75 to 0.75), calls 2/3 0.6666666666666666",
            "b 2 rows 1 judged:  (0.5 to 1.0), calls 1/2 ",
            "c 1 rows 0 judged:  (0.0 to 1.0), calls 0/1 ",
        ]
    );
    let base = ["label", "in.jsonl", "-o", "x.jsonl", "--fold", "cases", "--fold-output", "y.csv"];
    let ran = work.run(&base).ended(2);
    assert!(
        ran.stderr.contains("--fold: there is no column `cases`; did you mean `case`?"),
        "{}",
        ran.stderr
    );
    work.file("clash.csv", "question,tool_call,rows\nq,f(1),x\n");
    let clash = work.run(&["label", "clash.csv", "--fold", "rows", "--fold-output", "y.csv"]).ended(2).stderr;
    assert!(clash.contains("--fold: the folds would have two columns named `rows`"), "{clash}");
    assert!(!work.path("y.csv").exists() && !work.path("x.jsonl").exists());
}

#[test]
fn a_fold_of_two_judges_knows_the_lower_of_their_means() {
    let work = Workspace::new();
    let lines = [turn("a", &["user"], "Oslo"), turn("a", &["user", "assistant", "user"], "Rome")];
    work.file("in.jsonl", lines.join("\n"));
    let server = Server::start(|seen| {
        let of_selection = seen.prompt().contains("Look only at the choice of tools");
        Answer::label(match (judged_city(seen).as_str(), of_selection) {
            ("Rome", true) => "mixed",
            ("Rome", false) => "mostly_wrong",
            _ => "all_right",
        })
    });
    let args = ["--task", "tool_selection", "--task", "parameter_extraction", "--scale", "five"];
    label(&work, &server, &[&args[..], &["--fold", "case", "--fold-output", "folds.jsonl"]].concat());
    let fold: Value = serde_json::from_str(work.read("folds.jsonl").trim()).unwrap();
    let means = [&fold["tool_selection_five_score"], &fold["parameter_extraction_five_score"]];
    assert_eq!(means, [&json!(0.75), &json!(0.625)], "{fold}");
    let lowest = (&fold["lowest_score"], fold.get("tool_selection_five_calls"));
    assert_eq!(lowest, (&json!(0.625), None), "{fold}");
}
