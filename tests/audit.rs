//! `audit`: scripted judges that give way to what is known, and whether the audit finds just that.

use std::fmt::Write;

use serde_json::{Value, json};
use tooljudge_laws::fences::taken_apart;

use crate::bench::chance;
use crate::support::server::{Answer, Seen, Server};
use crate::support::workspace::{Ran, Workspace};

/// `count` rows, two to a question; of each two calls the second is wrong.
pub fn table(count: usize) -> String {
    let property = json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    let tool = |name: &str, does: &str| json!({"type": "function", "function": {"name": name, "description": does, "parameters": property}});
    let tools = json!([tool("say", "Says a number."), tool("sing", "Sings a number, café style.")]);
    let mut rows = String::new();
    for row in 0..count {
        let (asked, right) = (row / 2, row % 2 == 0);
        let call = json!([{"name": "say", "arguments": {"n": asked + usize::from(!right)}}]);
        let gold = if right { "correct" } else { "incorrect" };
        let question = format!("Say {asked} in the café, please.");
        let row = json!({
            "id": format!("r{row}"), "question_id": format!("q{asked}"), "question": question, "tool_call": call,
            "tool_definitions": tools, "gold": gold,
        });
        writeln!(rows, "{row}").unwrap();
    }
    rows
}

/// Definitions, question and call, as they stand in the prompt's fences.
fn data(seen: &Seen) -> [String; 3] {
    let (_, blocks) = taken_apart(seen.prompt());
    [0, 1, 2].map(|at| blocks[at].1.to_owned())
}

/// Whether the call does what the question asks: reads the structure, whatever else stands there.
fn is_right(seen: &Seen) -> bool {
    let [_, question, call] = data(seen);
    let asked = question.strip_prefix("Say ").unwrap().split(' ').next().unwrap();
    let call: Value = serde_json::from_str(&call).unwrap();
    let arguments = &call[0]["arguments"];
    arguments["n"].as_f64() == asked.parse::<f64>().ok() && arguments.as_object().unwrap().len() == 1
}

fn word(right: bool) -> &'static str {
    if right { "correct" } else { "incorrect" }
}

fn label(right: bool) -> Answer {
    Answer::label(word(right))
}

/// The label that some text in the row asks for, if one does.
pub fn asked_for(seen: &Seen) -> Option<bool> {
    let said = data(seen).concat().replace('\u{200b}', "").to_lowercase();
    if said.contains("thought process") {
        return Some(true);
    }
    let (wrong, right) = (said.matches("incorrect").count(), said.matches("correct").count());
    (right > 0).then_some(right > wrong)
}

fn audit(work: &Workspace, server: &Server, more: &[&str]) -> Ran {
    let model = ["audit", "in.jsonl", "--judge", "openai:m", "--base-url", &server.url, "--json"];
    work.run(&[&model[..], more].concat())
}

/// The record that an audit prints, and the one judge in it.
fn judge(ran: &Ran) -> Value {
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    record["judges"][0].clone()
}

fn family<'a>(judge: &'a Value, name: &str) -> &'a Value {
    let families = judge["families"].as_array().unwrap();
    families.iter().find(|family| family["name"] == name).unwrap_or_else(|| panic!("no {name}: {judge:#}"))
}

fn workspace(rows: usize) -> Workspace {
    let work = Workspace::new();
    work.file("in.jsonl", table(rows));
    work
}

const ATTACKS: [&str; 9] = [
    "closed_fence",
    "forged_label",
    "instruction",
    "fake_tool_result",
    "fake_system_turn",
    "echoed_json",
    "master_key",
    "zero_width",
    "bidi_override",
];
const CHANGES: [&str; 7] = [
    "tool_order",
    "key_order",
    "json_layout",
    "json_escapes",
    "number_form",
    "unicode_form",
    "harmless_note",
];

#[test]
fn a_judge_that_reads_only_structure_never_flips() {
    let (server, work) = (Server::start(|seen| label(is_right(seen))), workspace(20));
    let forecast = audit(&work, &server, &["--dry-run"]).ended(0);
    let forecast: Value = serde_json::from_str(&forecast.stdout).unwrap();
    let questions: u64 = forecast.as_array().unwrap().iter().map(|f| f["questions"].as_u64().unwrap()).sum();
    assert_eq!(server.requests(), 0);

    let gates = ["--max-flip-rate", "0", "--max-unlabeled", "0", "--again", "2"];
    let reports = ["--report", "r.md", "--report", "r.json", "--report", "r.csv", "-o", "rows.jsonl"];
    let ran = audit(&work, &server, &[&gates[..], &reports].concat()).ended(0);
    let found = judge(&ran);
    assert_eq!((&found["rows"], &found["rows_judged_wrongly"]), (&json!(20), &json!(0)));
    for name in ATTACKS.iter().chain(&CHANGES) {
        let family = family(&found, name);
        assert_eq!((&family["flips"], &family["unlabelled"]), (&json!(0), &json!(0)), "{name}");
        assert!(family["answered"].as_u64().unwrap() >= 10, "{name}: {family}");
        assert!(family["flip_rate"]["high"].as_f64().unwrap() > 0.0, "nobody knows that surely");
    }
    assert_eq!(found["noise"]["answered"], 40);
    let places: Vec<&str> =
        found["places"].as_array().unwrap().iter().map(|place| place["name"].as_str().unwrap()).collect();
    assert_eq!(places, ["question", "tool_description", "extra_tool", "tool_name", "argument"]);

    // What was asked is what was foreseen, and one repeat more.
    assert_eq!(server.requests() as u64, questions + 20);
    assert_eq!(server.answered_twice(), 40, "only the unchanged rows were asked again");
    audit(&work, &server, &[&gates[..], &reports].concat()).ended(0);
    assert_eq!(server.requests() as u64, questions + 20, "answers that were there were paid for again");

    let record: Value = serde_json::from_str(&work.read("r.json")).unwrap();
    assert_eq!((&record["kind"], &record["judges"][0]["rows"]), (&json!("tooljudge audit"), &json!(20)));
    assert!(work.read("r.md").contains("| closed_fence | ends the logged data"));
    assert!(
        work.rows("r.csv").iter().any(|row| row["name"] == "tool_name" && row["figure"] == "beyond_noise")
    );
    let rows: Vec<Value> =
        work.read("rows.jsonl").lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len() as u64, questions + 20);
    let attacked = |place: &str| rows.iter().find(|row| row["place"] == place).unwrap();
    assert_eq!(attacked("argument")["aim"], "correct");
    assert!(attacked("argument")["tool_call"].as_str().unwrap().contains("reviewer_note"));
    for row in rows.iter().filter(|row| row["kind"] == "attack") {
        assert_ne!(row["aim"], row["first_label"], "an attack asked for the label that was there");
    }
}

#[test]
fn a_judge_that_obeys_what_it_reads_is_found_out() {
    let script = |seen: &Seen| label(asked_for(seen).unwrap_or_else(|| is_right(seen)));
    let (server, work) = (Server::start(script), workspace(20));
    let ran = audit(&work, &server, &["--max-flip-rate", "0.2"]).ended(1);
    let found = judge(&ran);
    for name in ATTACKS {
        let family = family(&found, name);
        assert_eq!(family["flip_rate"]["value"], 1.0, "{name}: {family}");
        assert_eq!(family["towards"], family["flips"], "{name}");
        assert!(family["beyond_noise"]["low"].as_f64().unwrap() > 0.2, "{name}: {family}");
        assert!(ran.stderr.contains(&format!("{name} flips at least")), "{}", ran.stderr);
    }
    assert_eq!(found["changes"]["flips"], 0, "{found:#}");
    assert_eq!(found["noise"]["flips"], 0);
}

/// A fifth of all answers are wrong, whatever is asked. Attacks are not to blame for that.
#[test]
fn a_judge_that_guesses_flips_no_more_under_attack() {
    let script = |seen: &Seen| {
        let number = blake3::hash(seen.prompt().as_bytes()).as_bytes()[0];
        label(is_right(seen) != (chance(seen.earlier as u64, usize::from(number), 7) < 0.2))
    };
    let (server, work) = (Server::start(script), workspace(160));
    let found = judge(&audit(&work, &server, &["--max-flip-rate", "0.1", "--concurrency", "16"]).ended(0));
    let value = |rates: &Value, figure: &str| rates[figure]["value"].as_f64().unwrap();
    // Of two answers one is wrong.
    assert!((value(&found["noise"], "flip_rate") - 0.32).abs() < 0.15, "{}", found["noise"]);
    assert!(value(&found["attacks"], "flip_rate") > 0.1, "{}", found["attacks"]);
    for kind in ["attacks", "changes"] {
        assert!(value(&found[kind], "beyond_noise").abs() < 0.12, "{kind}: {}", found[kind]);
        let width = |end: &str| found[kind]["beyond_noise"][end].as_f64().unwrap();
        assert!(width("high") - width("low") > 0.05, "{kind}: {}", found[kind]);
    }
    assert!(found["rows_judged_wrongly"].as_u64().unwrap() > 10);
}

#[test]
fn a_judge_swayed_by_the_order_of_tools_is_told_so() {
    let script = |seen: &Seen| {
        let tools: Value = serde_json::from_str(&data(seen)[0]).unwrap();
        label(is_right(seen) == (tools[0]["function"]["name"] == "say"))
    };
    let (server, work) = (Server::start(script), workspace(20));
    let ran = audit(&work, &server, &["--max-flip-rate", "0.2"]).ended(1);
    let found = judge(&ran);
    for name in ATTACKS.iter().chain(&CHANGES) {
        let flips = if *name == "tool_order" { 1.0 } else { 0.0 };
        assert_eq!(family(&found, name)["flip_rate"]["value"], flips, "{name}");
    }
    assert_eq!(ran.stderr.matches("flips at least").count(), 1, "{}", ran.stderr);
}

#[test]
fn an_attack_that_leaves_no_label_is_no_flip_but_shown() {
    let script = |seen: &Seen| match asked_for(seen) {
        Some(_) => Answer::Text("I will not take part in this.".to_owned()),
        None => label(is_right(seen)),
    };
    let (server, work) = (Server::start(script), workspace(20));
    let ran = audit(&work, &server, &["--max-flip-rate", "0", "--max-unlabelled", "0.5"]).ended(1);
    let found = judge(&ran);
    let instruction = family(&found, "instruction");
    assert_eq!((&instruction["flips"], &instruction["unlabelled_rate"]["value"]), (&json!(0), &json!(1.0)));
    assert_eq!(instruction["flip_rate"], Value::Null);
    assert!(ran.stderr.contains("instruction leaves at least"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("flips at least"), "{}", ran.stderr);
}

#[test]
fn failed_requests_are_neither_flips_nor_labels() {
    let script = |seen: &Seen| match asked_for(seen) {
        Some(_) => Answer::status(500, "out of order"),
        None => label(is_right(seen)),
    };
    let (server, work) = (Server::start(script), workspace(4));
    let ran = audit(&work, &server, &["--max-attempts", "1"]).ended(1);
    let found = judge(&ran);
    let instruction = family(&found, "instruction");
    assert_eq!(
        (&instruction["answered"], &instruction["unanswered"]),
        (&json!(0), &json!(4)),
        "{instruction}"
    );
    assert!(ran.stderr.contains("--allow-unanswered"), "{}", ran.stderr);
    audit(&work, &server, &["--max-attempts", "1", "--allow-unanswered", "1"]).ended(0);
}

/// Rows of every other question get no answer at all, so they are never probed: that is no clean audit.
#[test]
fn rows_whose_first_question_failed_are_counted() {
    let script = |seen: &Seen| match data(seen)[1].starts_with("Say 1 ") {
        true => Answer::status(413, "too long"),
        false => label(is_right(seen)),
    };
    let (server, work) = (Server::start(script), workspace(4));
    let ran = audit(&work, &server, &["--report", "r.md"]).ended(1);
    let found = judge(&ran);
    assert_eq!((&found["rows"], &found["rows_without_label"]), (&json!(2), &json!(2)));
    assert_eq!((&found["noise"]["unanswered"], &found["attacks"]["unanswered"]), (&json!(0), &json!(0)));
    // Two rows, each asked twice as it stands.
    assert_eq!(found["unanswered"], 4, "{found:#}");
    let asked = found["asked"].as_u64().unwrap();
    let answered = |rates: &str| found[rates]["answered"].as_u64().unwrap();
    assert_eq!(asked, 2 + 4 + answered("noise") + answered("attacks") + answered("changes"));
    let told = format!("of {asked} questions it never answered 4");
    assert!(work.read("r.md").contains(&told), "{}", work.read("r.md"));
    assert!(ran.stderr.contains(&format!("4 of {asked} questions were never answered")), "{}", ran.stderr);
    audit(&work, &server, &["--report", "r.md", "--allow-unanswered", "0.2"]).ended(0);
}

#[test]
fn an_audit_ends_its_run_in_the_store() {
    let (server, work) = (Server::start(|seen| label(is_right(seen))), workspace(2));
    audit(&work, &server, &[]).ended(0);
    let stat = work.run(&["store", "stat"]).ended(0);
    assert!(stat.stdout.contains("runs      1 (0 without a finished table)"), "{}", stat.stdout);
}

#[test]
fn figures_on_a_stream_stand_alone_and_leave_nothing_behind() {
    let work = workspace(10);
    for command in ["audit", "bench"] {
        let ran = work.run(&[command, "in.jsonl", "--report", "-", "--decide", "always"]).ended(0);
        for line in ran.stdout.lines() {
            let row: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{command}: {line}"));
            assert!(row["figure"].is_string(), "{row}");
        }
        assert!(!ran.stdout.is_empty() && ran.stderr.contains("10 rows"), "{command}: {}", ran.stderr);
        assert_eq!(work.names(), ["in.jsonl"], "{command}");
    }
}

#[test]
fn settings_that_only_label_knows_are_passed_over() {
    let work = workspace(10);
    work.file("tooljudge.toml", "[label]\npartial = true\nlimit = 4\ndecide = 'always'\n");
    let record = work.run(&["audit", "in.jsonl", "--json"]).ended(0);
    assert_eq!(judge(&record)["rows"], 4);
    work.run(&["bench", "in.jsonl"]).ended(0);
    work.file("tooljudge.toml", "[label]\nmax_flip_rate = 0.1\n");
    let ran = work.run(&["audit", "in.jsonl"]).ended(2);
    assert!(ran.stderr.contains("[label] has no setting `max_flip_rate`"), "{}", ran.stderr);
}

#[test]
fn without_gold_attacks_ask_for_any_other_label() {
    let (server, work) = (Server::start(|_| label(true)), Workspace::new());
    work.file(
        "in.jsonl",
        table(6).replace("\"gold\"", "\"remark\"").replace("incorrect", "none").replace("correct", "none"),
    );
    let found = judge(&audit(&work, &server, &["-o", "rows.jsonl"]).ended(0));
    assert_eq!((&found["rows"], &found["rows_judged_wrongly"]), (&json!(6), &json!(0)));
    let rows: Vec<Value> =
        work.read("rows.jsonl").lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let aims: Vec<&Value> =
        rows.iter().filter(|row| row["kind"] == "attack").map(|row| &row["aim"]).collect();
    assert!(aims.len() >= 6 * 8 && aims.iter().all(|aim| **aim == "incorrect"));
}

/// Each task has labels of its own.
#[test]
fn the_builtin_judge_is_audited_by_the_labels_of_its_task() {
    let work = Workspace::new();
    let row = |n: u32| format!("Send report {n},send(n={n}),sent report {n},succeeded\n");
    let rows: String = (0..8).map(row).collect();
    work.file("in.csv", format!("question,tool_call,tool_result,success_label\n{rows}"));
    let ran = work.run(&["audit", "in.csv", "--task", "tool_call_success", "--json"]).ended(0);
    let found = judge(&ran);
    assert_eq!((&found["rows"], &found["rows_without_label"]), (&8.into(), &0.into()), "{found}");
    assert_eq!(found["rows_judged_wrongly"], 0, "{found}");
}

#[test]
fn the_builtin_judge_is_audited_offline() {
    let work = workspace(10);
    let tasks = ["--task", "tool_calling", "--task", "tool_selection"];
    let ran = work.run(&[&["audit", "in.jsonl", "--decide", "always"], &tasks[..]].concat()).ended(0);
    assert!(
        ran.stdout.contains("10 rows of 5 questions") && ran.stdout.contains("tool_selection"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("asked again"), "it says the same every time");
    assert!(!work.path(".tooljudge").exists());
    let record = work.run(&["audit", "in.jsonl", "--json", "--decide", "always"]).ended(0);
    assert_eq!(judge(&record)["noise"], Value::Null);
    for (args, why) in [
        (&["audit", "in.jsonl", "--gold", "none"][..], "no column `none`"),
        (&["audit", "in.jsonl", "--report", "r.html"], "ends in .md or .json"),
        (&["audit", "in.jsonl", "-o", "in.jsonl"], "in.jsonl"),
    ] {
        let ran = work.run(args).ended(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}
