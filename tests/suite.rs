//! `suite from-log` end to end: every suite that is made of a log reads back, its right calls pass and its wrong calls fail.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;

use serde_json::{Value, json};
use tooljudge::run::settings::{CaseMode, ExpectedParts, LabelSettings, OutputSettings, SuiteSettings};
use tooljudge::run::{Control, SuiteSummary, label_blocking, suite_from_log, suite_from_log_blocking};
use tooljudge_core::domain::{Json, Object, Stop, ToolCall, Turn};
use tooljudge_core::drive::{
    Case, Ended, Episode, EpisodeScorer, Expected, Grade, Heard, Loop, Stage, Suite, SuiteDefaults,
    SuiteFormat, World, read_suite, record,
};
use tooljudge_core::score::{ScoreError, Scored};
use tooljudge_laws::fixtures::folder;

use crate::support::on_time::on_time;
use crate::support::workspace::{Workspace, repository, shown};

fn read(text: &str) -> Suite {
    read_suite("suite.jsonl", SuiteFormat::Jsonl, text, SuiteDefaults::default(), &|_| Err("none".to_owned()))
        .unwrap_or_else(|error| panic!("line {:?}: {error}", error.line))
}

fn heard(text: &str, calls: Vec<ToolCall>) -> Heard {
    Heard {
        message: Arc::from("{}"),
        stop: Stop::Finished,
        turn: Turn { text: text.to_owned(), calls, ..Turn::default() },
    }
}

fn find_ann() -> ToolCall {
    ToolCall::new("find", [("name".to_owned(), Json::from("Ann"))].into_iter().collect())
}

/// The case driven by an agent that makes these calls, one reply each, and then says something.
fn drive(case: &Case, calls: &[ToolCall]) -> (Ended, Option<bool>) {
    let scorer = EpisodeScorer::new(None, &Object::new(), Loop::Own).unwrap();
    let (ended, scored) = played(case, calls, &scorer);
    (ended, scored.unwrap().passed)
}

fn played(case: &Case, calls: &[ToolCall], scorer: &EpisodeScorer) -> (Ended, Result<Scored, ScoreError>) {
    let stage = Stage::all(vec![case.clone()]).unwrap().remove(0);
    let mut episode = Episode::new(&stage, Loop::Own);
    let recorded = case.world == World::Recorded;
    let mut left = calls.iter();
    while episode.asks().is_some() {
        let now: Vec<ToolCall> = left.by_ref().take(if recorded { usize::MAX } else { 1 }).cloned().collect();
        episode.hear(heard(if now.is_empty() { "Done." } else { "" }, now));
    }
    let ended = episode.ended().unwrap();
    (ended, scorer.score(&episode, &record::case_record(&episode, 0), Grade::NotAsked))
}

fn calls(test: &Object, key: &str, arguments: &str) -> Vec<ToolCall> {
    let call = |json: &Json| {
        let arguments = json.get(arguments).and_then(Json::as_object).cloned().unwrap_or_default();
        ToolCall::new(json.get("tool_name").and_then(Json::as_str).unwrap(), arguments)
    };
    test.get(key).and_then(Json::as_array).unwrap_or_default().iter().map(call).collect()
}

fn test_of(case: &Case) -> &Object {
    match &case.expected {
        Expected::Test(test) => test,
        Expected::Example { .. } => panic!("{}: no test", case.id),
    }
}

/// Drives every case with the calls of its log: right ones pass, wrong ones fail. Returns how many of each there were.
fn drive_all(text: &str) -> (usize, usize) {
    let (mut right, mut wrong) = (0, 0);
    for case in read(text).cases {
        let test = test_of(&case);
        let banned = calls(test, "not_calls", "params");
        // What was called in the log: the rules of an episode hold it in order, and a turn expects it.
        let made = match &case.world {
            World::Mocked(mocks) => {
                mocks.rules.iter().map(|rule| ToolCall::new(rule.tool.as_str(), rule.when.clone())).collect()
            }
            _ if banned.is_empty() => calls(test, "expected_tool_calls", "required_params"),
            _ => banned.clone(),
        };
        let (ended, passed) = drive(&case, &made);
        assert_eq!(ended, Ended::Finished, "{}", case.id);
        assert_eq!(passed, Some(banned.is_empty()), "{}: {made:?}", case.id);
        if banned.is_empty() { right += 1 } else { wrong += 1 }
    }
    (right, wrong)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

fn made(path: &Path, mode: CaseMode) -> Option<SuiteSummary> {
    let mut settings = SuiteSettings { mode, ..SuiteSettings::new([path.display().to_string()]) };
    // The fixtures of calls have no tools of their own.
    settings.input.tools = Some(folder().join("tool_definitions.standard.json"));
    suite_from_log_blocking(settings).ok()
}

#[test]
fn every_suite_reads_back_and_passes_with_the_calls_of_its_log() {
    let mut all = Vec::new();
    files(&folder(), &mut all);
    files(&repository("datasets"), &mut all);
    if let Ok(shared) = std::env::var("TOOLJUDGE_SHARED") {
        files(&Path::new(&shared).join("fixtures/formats"), &mut all);
    }
    all.sort();
    for mode in [CaseMode::Turn, CaseMode::Episode] {
        let (mut read, mut with_cases, mut right, mut wrong) = (0, 0, 0, 0);
        let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
        for path in &all {
            let Some(summary) = made(path, mode) else { continue };
            read += 1;
            for (why, count) in &summary.suite.left_out {
                *left_out.entry(why.as_str()).or_default() += count.count;
                if ["refused", "changed"].contains(&why.as_str()) {
                    println!("{}: {} {:?}", path.display(), why.as_str(), count.example);
                }
            }
            if summary.suite.cases > 0 {
                with_cases += 1;
                let (passed, failed) = drive_all(&summary.suite.text);
                assert_eq!((passed + failed) as u64, summary.suite.cases);
                assert_eq!(failed as u64, summary.suite.bans);
                (right, wrong) = (right + passed, wrong + failed);
            }
        }
        println!(
            "{mode:?}: {} files, {read} read, {with_cases} with cases: {right} right, {wrong} wrong; left out {left_out:?}",
            all.len()
        );
        assert!(with_cases > if mode == CaseMode::Turn { 60 } else { 10 }, "{with_cases}");
    }
}

#[test]
fn rows_that_the_builtin_judge_labelled_become_cases() {
    for (file, least) in
        [("support.jsonl", 3), ("benchmark.jsonl", 100), ("quickstart.csv", 3), ("langfuse.jsonl", 5)]
    {
        let work = Workspace::new();
        let labelled = work.path("labelled.parquet");
        let mut label = LabelSettings::new([repository("datasets").join(file).display().to_string()]);
        label.output = OutputSettings { path: Some(labelled.clone()), ..OutputSettings::default() };
        label_blocking(label).unwrap();
        for mode in [CaseMode::Turn, CaseMode::Episode] {
            let settings = SuiteSettings { mode, ..SuiteSettings::new([labelled.display().to_string()]) };
            let summary = suite_from_log_blocking(settings).unwrap();
            println!("{file} {mode:?}: {:?} {:?}", summary.suite.cases, summary.suite.left_out);
            let (right, wrong) =
                if summary.suite.cases > 0 { drive_all(&summary.suite.text) } else { (0, 0) };
            assert_eq!(wrong as u64, summary.suite.bans);
            assert!(mode == CaseMode::Episode || right + wrong >= least, "{file}: {right} {wrong}");
        }
    }
}

const TOOLS: &str = r#"[{"name": "send", "description": "Mail to ann@example.org", "parameters": {"type": "object", "properties": {"to": {"type": "string"}, "at": {"type": "string"}, "filter": {"type": "object"}, "scope": {"type": "string"}}}},
    {"name": "find", "parameters": {"type": "object", "properties": {"name": {"type": "string"}}}}]"#;

/// A row of a labelled table.
fn row(id: &str, label: &str, call: &Value, more: &Value) -> String {
    let mut row = json!({
        "id": id,
        "question": format!("Write to ann@example.org ({id})"),
        "tool_call": call.to_string(),
        "tool_definitions": serde_json::from_str::<Value>(TOOLS).unwrap(),
        "label": if label.is_empty() { Value::Null } else { json!(label) },
    });
    row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    row.to_string()
}

fn send(to: &str, at: &str) -> Value {
    json!([{ "name": "send", "arguments": { "to": to, "at": at } }])
}

fn suite(rows: &[String], change: impl FnOnce(&mut SuiteSettings)) -> SuiteSummary {
    let work = Workspace::new();
    let path = work.file("labelled.jsonl", rows.join("\n"));
    let mut settings = SuiteSettings::new([path.display().to_string()]);
    change(&mut settings);
    suite_from_log_blocking(settings).unwrap()
}

#[test]
fn a_stop_leaves_no_suite_behind() {
    let _on_time = on_time();
    let work = Workspace::new();
    let log = work.file("labelled.jsonl", row("1", "correct", &send("ann@example.org", "now"), &json!({})));
    let output = Some(work.path("suite.jsonl"));
    for mode in [CaseMode::Turn, CaseMode::Episode] {
        let settings =
            SuiteSettings { mode, output: output.clone(), ..SuiteSettings::new([log.display().to_string()]) };
        let control = Control::default();
        control.stop.gently.cancel();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let stopped = runtime.block_on(suite_from_log(settings, &control)).unwrap_err();
        assert!(stopped.is_interruption(), "{stopped}");
        assert!(!work.path("suite.jsonl").exists());
    }
}

fn cases(summary: &SuiteSummary) -> Vec<Value> {
    summary.suite.text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn left_out(summary: &SuiteSummary) -> Vec<(&'static str, u64)> {
    summary.suite.left_out.iter().map(|(why, count)| (why.as_str(), count.count)).collect()
}

#[test]
fn labels_say_what_is_expected() {
    let right = send("ann@example.org", "noon");
    let rows = [
        row("right", "correct", &right, &json!({})),
        row("wrong", "incorrect", &right, &json!({})),
        row("corrected", "incorrect", &right, &json!({ "corrected_tool_calls": "find(name='Ann')" })),
        row("to_nothing", "incorrect", &right, &json!({ "corrected_tool_calls": [] })),
        row("silent", "correct", &json!([]), &json!({})),
        row("silent_and_wrong", "incorrect", &json!([]), &json!({})),
        row("unjudged", "", &right, &json!({})),
        row("unclear", "perhaps", &right, &json!({})),
        row("gold_wins", "correct", &right, &json!({ "gold": "incorrect" })),
        row("unknown_tool", "correct", &json!([{ "name": "fly", "arguments": {} }]), &json!({})),
        row("right_again", "correct", &right, &json!({ "question": "Write to ann@example.org (right)" })),
        row("right", "correct", &right, &json!({ "question": "Another one of this id" })),
        row(
            "each",
            "incorrect",
            &json!([{ "name": "find", "arguments": { "name": "Ann" } }, { "name": "find", "arguments": { "name": "Bo" } }]),
            &json!({ "call_labels": [{ "tool": "find", "label": "correct" }, { "tool": "find", "label": "incorrect" }] }),
        ),
    ];
    let summary = suite(&rows, |_| {});
    let cases = cases(&summary);
    let ids: Vec<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids[..6], ["right", "wrong", "corrected", "to_nothing", "silent", "gold_wins"]);
    assert!(ids[6].starts_with("right~"), "{ids:?}");
    assert_eq!(
        cases[0]["expected_tool_calls"],
        json!([{ "tool_name": "send", "required_params": { "to": "ann@example.org", "at": "noon" }, "optional_params": [] }])
    );
    assert_eq!(
        cases[1]["not_calls"],
        json!([{ "tool_name": "send", "params": { "to": "ann@example.org", "at": "noon" } }])
    );
    assert_eq!(
        cases[2]["expected_tool_calls"],
        json!([{ "tool_name": "find", "required_params": { "name": "Ann" }, "optional_params": [] }])
    );
    assert_eq!(
        (&cases[3]["should_not_call_tools"], &cases[4]["should_not_call_tools"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(cases[7]["not_calls"], json!([{ "tool_name": "find", "params": { "name": "Bo" } }]));
    assert_eq!(summary.suite.duplicates, 1);
    assert_eq!(
        left_out(&summary),
        [("not_reviewed", 1), ("unclear_label", 1), ("tool_not_defined", 1), ("nothing_expected", 1)]
    );
    // Tools that all cases share stand in the first line only.
    assert!(cases.iter().all(|case| case.get("tools").is_none()));
    assert_eq!(drive_all(&summary.suite.text), (5, 3));
    assert_eq!(read(&summary.suite.text).name, "from-log");
}

#[test]
fn accepted_values_are_no_correction() {
    let wrong = send("ann@example.org", "noon");
    for (corrected, becomes) in [
        (json!([{ "find": { "name": ["Ann", "Ann B."] } }]), Some("unfit_list")),
        (json!([{ "find": { "name": ["Ann"] } }]), Some("unfit_list")),
        (json!([{ "name": "find", "arguments": { "name": [] } }]), Some("unfit_list")),
        (json!([{ "name": "find", "arguments": { "name": "Ann" } }]), None),
        // Whatever is in an object is its own affair.
        (json!([{ "name": "send", "arguments": { "to": "a", "filter": { "of": ["a"] } } }]), None),
    ] {
        let rows = [row("a", "incorrect", &wrong, &json!({ "corrected_tool_calls": corrected }))];
        let summary = suite(&rows, |_| {});
        let left_out = left_out(&summary).first().map(|(why, _)| *why);
        assert_eq!((left_out, summary.suite.cases), (becomes, u64::from(becomes.is_none())), "{corrected}");
    }
}

#[test]
fn words_for_a_missing_correction_correct_nothing() {
    let right = send("ann@example.org", "noon");
    let wrong = |id: &str, corrected: &Value| {
        row(id, "incorrect", &right, &json!({ "corrected_tool_calls": corrected }))
    };
    for unknown in [
        json!(null),
        json!(""),
        json!(" "),
        json!("nan"),
        json!("NaN"),
        json!("None"),
        json!("none"),
        json!("NULL"),
        json!("null"),
        json!("n/a"),
        json!("{}"),
        json!("\"\""),
        json!({}),
    ] {
        // Another row makes it a column of its own.
        let rows = [wrong("unknown", &unknown), wrong("nothing", &json!([]))];
        let summary = suite(&rows, |_| {});
        let found = cases(&summary);
        let [ban, nothing] = &found[..] else { panic!("{unknown}: {:?}", summary.suite) };
        assert_eq!(
            (ban["not_calls"][0]["tool_name"].as_str(), nothing.get("not_calls")),
            (Some("send"), None),
            "{unknown}"
        );
        assert_eq!(nothing["should_not_call_tools"], true, "{unknown}");
    }
}

#[test]
fn ids_come_from_the_log_or_from_the_content() {
    let right = send("a", "b");
    let rows = [
        row("", "correct", &right, &json!({ "id": null, "source_id": "run-7" })),
        row(
            "",
            "correct",
            &right,
            &json!({ "id": null, "transcript_id": "t1", "turn": 3, "question": "B?" }),
        ),
        row("", "correct", &right, &json!({ "id": null, "question": "C?" })),
    ];
    let ids = |rows: &[String]| -> Vec<String> {
        cases(&suite(rows, |_| {})).iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
    };
    let found = ids(&rows);
    assert_eq!(found[..2], ["run-7", "t1@3"]);
    assert_eq!(found[2].len(), 12);
    assert_eq!(ids(&rows[2..]), found[2..], "it does not depend on other rows");
}

#[test]
fn parts_of_calls_are_expected() {
    let call = json!([{ "name": "send", "arguments": { "to": "a", "at": "noon", "filter": { "until": "noon", "of": "x" } } }]);
    let rows = [row("right", "correct", &call, &json!({})), row("wrong", "incorrect", &call, &json!({}))];
    let expected =
        |change: &dyn Fn(&mut SuiteSettings)| cases(&suite(&rows, change))[0]["expected_tool_calls"].clone();
    assert_eq!(
        expected(&|settings| settings.expect = ExpectedParts::Names),
        json!([{ "tool_name": "send" }])
    );
    let ignoring =
        |settings: &mut SuiteSettings| settings.ignore = vec!["/at".to_owned(), "/filter/until".to_owned()];
    let summary = suite(&rows, ignoring);
    let call = &cases(&summary)[0]["expected_tool_calls"][0];
    assert_eq!(call["required_params"], json!({ "to": "a", "filter": null }));
    assert_eq!(call["param_validators"]["filter"]["kind"], "schema");
    assert_eq!(call["optional_params"], json!(["at"]));
    assert_eq!(left_out(&summary), [("volatile_ban", 1)]);
    let case = &read(&summary.suite.text).cases[0];
    for (filter, at, passes) in
        [(r#"{"until":"one","of":"x"}"#, "one", Some(true)), (r#"{"of":"x"}"#, "two", Some(true))]
    {
        let arguments = format!(r#"{{"to":"a","at":"{at}","filter":{filter}}}"#);
        let Ok(Json::Object(arguments)) = Json::parse(&arguments) else { panic!("{arguments}") };
        assert_eq!(drive(case, &[ToolCall::new("send", arguments)]).1, passes);
    }
    let nothing = suite(&rows, |settings| settings.expect = ExpectedParts::Nothing);
    assert_eq!((nothing.suite.cases, nothing.suite.bans), (1, 1));
    assert_eq!(left_out(&nothing), [("nothing_expected", 1)]);
    // A parameter of another tool is none of this one: a suite that said so could not be read.
    let find = json!([{ "name": "find", "arguments": { "name": "Ann" } }]);
    let found = suite(&[row("found", "correct", &find, &json!({}))], ignoring);
    assert_eq!(cases(&found)[0]["expected_tool_calls"][0]["optional_params"], json!([]));
    assert_eq!(read(&found.suite.text).cases.len(), 1);
}

#[test]
fn an_added_argument_is_another_call() {
    let rows = [row("right", "correct", &send("a", "noon"), &json!({}))];
    let case = &read(&suite(&rows, |_| {}).suite.text).cases[0];
    for (more, passes) in [("", true), (r#","cc":null"#, true), (r#","cc":"b""#, false)] {
        let arguments = format!(r#"{{"to":"a","at":"noon"{more}}}"#);
        let Ok(Json::Object(arguments)) = Json::parse(&arguments) else { panic!("{arguments}") };
        assert_eq!(drive(case, &[ToolCall::new("send", arguments)]).1, Some(passes), "{more}");
    }
}

/// A conversation of two turns of the assistant's, as `convert` writes it.
fn conversation(last_label: &str) -> Vec<String> {
    let found = json!({ "role": "assistant", "content": "", "tool_calls": [{ "name": "find", "arguments": { "name": "Ann" }, "id": "c1" }] });
    let asked = json!({ "role": "user", "content": "Write to ann@example.org" });
    let result =
        json!({ "role": "tool", "content": "{\"mail\": \"ann@example.org\"}", "tool_call_id": "c1" });
    let said = json!({ "role": "assistant", "content": "At ann@example.org?" });
    let then = json!({ "role": "user", "content": "Yes" });
    let first = json!({
        "transcript_id": "t1", "turn": 1, "question": "Write to ann@example.org", "messages": [asked], "flags": [],
        "tool_results": [{ "tool_call_id": "c1", "content": "{\"mail\": \"ann@example.org\"}" }], "final_answer": "Sent.",
    });
    let second = json!({
        "transcript_id": "t1", "turn": 3, "question": "Yes", "messages": [asked, found, result, said, then], "flags": [],
        "tool_results": [{ "content": "no such place", "is_error": true }], "final_answer": "Sent to ann@example.org.",
    });
    let find = json!([{ "name": "find", "arguments": { "name": "Ann" } }]);
    let row =
        |label: &str, call: &Value, more: &Value| row("-", label, call, more).replacen(r#""id":"-","#, "", 1);
    vec![row(last_label, &send("ann@example.org", "noon"), &second), row("correct", &find, &first)]
}

#[test]
fn turns_of_a_conversation_become_an_episode() {
    let episode = |settings: &mut SuiteSettings| settings.mode = CaseMode::Episode;
    let summary = suite(&conversation("correct"), episode);
    let found = cases(&summary);
    assert_eq!(found.len(), 1, "{:?}", summary.suite);
    assert_eq!(found[0]["id"], "t1");
    assert_eq!(found[0]["turns"][0]["expected_tool_calls"][0]["tool_name"], "find");
    assert_eq!(found[0]["turns"][1]["user"], "Yes");
    assert_eq!(
        found[0]["mocks"],
        json!([
            { "tool": "find", "when": { "name": "Ann" }, "match": "exact", "text": "{\"mail\": \"ann@example.org\"}", "times": 1 },
            { "tool": "send", "when": { "to": "ann@example.org", "at": "noon" }, "match": "exact", "error": "no such place", "times": 1 },
        ])
    );
    assert_eq!(drive_all(&summary.suite.text), (1, 0));
    // Who writes before it looks up whom to write to has not done the same.
    assert_eq!(found[0]["ordered"], true);
    let case = &read(&summary.suite.text).cases[0];
    let made = calls(test_of(case), "expected_tool_calls", "required_params");
    assert_eq!(drive(case, &[made[1].clone(), made[0].clone()]), (Ended::Finished, Some(false)));
    // Who goes elsewhere has failed, whatever the log cannot say.
    assert_eq!(drive(case, &[ToolCall::new("send", Object::new())]).0, Ended::Unexpected);
    // An argument that says nothing is none; what a scorer does not look at fails nothing under it.
    for (more, ended) in [("null", Ended::Finished), ("\"b\"", Ended::Unexpected)] {
        let arguments = format!(r#"{{"to":"ann@example.org","at":"noon","scope":{more}}}"#);
        let Ok(Json::Object(arguments)) = Json::parse(&arguments) else { panic!("{arguments}") };
        let calls = [find_ann(), ToolCall::new("send", arguments)];
        assert_eq!(drive(case, &calls).0, ended, "{more}");
        let scorer = EpisodeScorer::new(Some("tool_correctness"), &Object::new(), Loop::Own).unwrap();
        let kind = played(case, &calls, &scorer).1.map_err(|error| error.kind);
        assert_eq!(kind.err(), (ended == Ended::Unexpected).then_some("off_script"), "{more}");
    }

    let wrong = suite(&conversation("incorrect"), episode);
    assert_eq!(cases(&wrong)[0]["not_calls"][0]["tool_name"], "send");
    assert_eq!(drive_all(&wrong.suite.text), (0, 1));
    // Where only bans are known, nobody knows.
    let case = &read(&wrong.suite.text).cases[0];
    assert_eq!(drive(case, &[ToolCall::new("send", Object::new())]).0, Ended::OffScript);

    let ignoring = suite(&conversation("correct"), |settings| {
        episode(settings);
        settings.ignore = vec!["/at".to_owned()];
    });
    assert_eq!(cases(&ignoring)[0]["mocks"][1]["match"], "strict");
    assert_eq!(cases(&ignoring)[0]["mocks"][1]["when"], json!({ "to": "ann@example.org" }));

    let answered = suite(&conversation("correct"), |settings| {
        episode(settings);
        settings.expect = ExpectedParts::Nothing;
    });
    assert_eq!(cases(&answered)[0]["reference"], "Sent to ann@example.org.");
    assert_eq!(cases(&answered)[0].get("ordered"), None);
    // The first turn alone is no longer reviewed where only the last row is read.
    assert_eq!(left_out(&suite(&conversation("correct")[..1], episode)), [("turn_not_reviewed", 1)]);
}

#[test]
fn calls_of_one_turn_have_no_order() {
    let asked = json!({ "role": "user", "content": "Write to Ann and Bob" });
    let call = |name: &str, id: &str| json!({ "name": "find", "arguments": { "name": name }, "id": id });
    let result = |id: &str| json!({ "role": "tool", "content": "a@example.org", "tool_call_id": id });
    let found = |calls: &[Value]| json!({ "role": "assistant", "content": "", "tool_calls": calls });
    let [ann, bob] = [call("Ann", "c1"), call("Bob", "c2")];
    let one_by_one = json!([asked, found(from_ref(&ann)), result("c1"), found(from_ref(&bob)), result("c2")]);
    let at_once = json!([asked, found(&[ann, bob]), result("c1"), result("c2")]);
    for (messages, ordered) in [(one_by_one, json!(true)), (at_once, Value::Null)] {
        let row = json!({
            "id": "t", "question": "Write to Ann and Bob", "messages": messages, "tool_call": send("ann", "noon").to_string(),
            "tool_definitions": serde_json::from_str::<Value>(TOOLS).unwrap(), "tool_results": [{ "content": "ok" }],
        });
        let summary = suite(&[row.to_string()], |settings| settings.mode = CaseMode::Episode);
        assert_eq!(cases(&summary)[0]["ordered"], ordered, "{:?}", summary.suite);
        let case = &read(&summary.suite.text).cases[0];
        let made = calls(test_of(case), "expected_tool_calls", "required_params");
        let swapped = [made[1].clone(), made[0].clone(), made[2].clone()];
        assert_eq!(drive(case, &made).1, Some(true));
        assert_eq!(drive(case, &swapped).1, Some(ordered.is_null()));
    }
}

#[test]
fn nothing_redacted_is_left() {
    for mode in [CaseMode::Turn, CaseMode::Episode] {
        let mut rows = conversation("correct");
        rows.push(row(
            "ann@example.org",
            "correct",
            &send("ann@example.org", "noon"),
            &json!({ "tool_results": "sent to ann@example.org" }),
        ));
        let summary = suite(&rows, |settings| {
            settings.mode = mode;
            settings.redact = vec![r"[\w.]+@example\.org".to_owned()];
        });
        assert!(summary.suite.cases > 1, "{:?}", summary.suite);
        // Tools stay as they are, which is told.
        assert_eq!(summary.suite.unredacted, summary.suite.cases);
        let tools = summary.suite.text.matches("Mail to ann@example.org").count();
        assert_eq!(summary.suite.text.matches("ann@example.org").count(), tools, "{}", summary.suite.text);
        drive_all(&summary.suite.text);
    }
    // A word in the place of a value is not what every definition allows, which is told.
    let made = |redact: &str| {
        let rows = [row(
            "1",
            "correct",
            &json!([{ "name": "ring", "arguments": { "to": "+1 555 0100" } }]),
            &json!({
                "tool_definitions": [{ "name": "ring", "parameters": { "type": "object", "properties": { "to": { "type": "string", "pattern": "^[+]" } } } }],
            }),
        )];
        suite(&rows, |settings| settings.redact = vec![redact.to_owned()]).suite
    };
    assert_eq!((made("nobody").cases, made("nobody").unvalidated, made("nobody").unredacted), (1, 0, 0));
    assert_eq!((made("[+]1 555.*").cases, made("[+]1 555.*").unvalidated), (1, 1));
}

#[test]
fn what_people_see() {
    let work = Workspace::new();
    shown("suite_help", &work.run(&["suite", "from-log", "--help"]).ended(0).stdout);
    let support = repository("datasets/support.jsonl").display().to_string();
    work.run(&["label", &support, "-o", "labelled.parquet", "--quiet", "--allow-unjudged", "1"]).ended(0);
    let made = ["suite", "from-log", "labelled.parquet", "-o", "regress.jsonl"];
    let ran = work.run(&made).ended(0);
    shown("suite_summary", &ran.stdout);
    assert_eq!(ran.stderr.trim().lines().last().unwrap().split_whitespace().next(), Some("written"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(work.path("regress.jsonl").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // It replaces its own file, and nobody else's.
    work.run(&made).ended(0);
    work.file("regress.jsonl", "mine");
    assert!(work.run(&made).ended(2).stderr.contains("regress.jsonl"));
    assert_eq!(work.read("regress.jsonl"), "mine");
    let ran = work.run(&[&made[..], &["--force", "--json"]].concat()).ended(0);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["cases"].as_u64(), Some(work.read("regress.jsonl").lines().count() as u64 - 1));
    let ran = work.run(&["suite", "from-log", "labelled.parquet", "-o", "-"]).ended(0);
    assert!(ran.stdout.starts_with(r#"{"suite":{"name":"from-log""#), "{}", ran.stdout);
}

#[test]
fn slips_are_told() {
    let work = Workspace::new();
    work.file("labelled.jsonl", row("a", "", &send("a", "b"), &json!({})));
    for (more, expected) in [
        (&["-o", "x.jsonl"][..], "no row became a case"),
        (&["-o", "x.toml"], "end the name with .jsonl"),
        (&["-o", "x.jsonl.gz"], "end the name with .jsonl"),
        (&["-o", "x.jsonl", "--label", "verdict"], "there is no such column"),
        (&["-o", "x.jsonl", "--ignore", "at"], "is not a JSON pointer"),
        (&["-o", "x.jsonl", "--redact", "("], "--redact: pattern 1 cannot be read"),
        (&["-o", "x.jsonl", "--redact", "a*"], "matches the empty text"),
        (&["-o", "labelled.jsonl"], "labelled.jsonl"),
        (&["-o", "-", "--json"], "cannot both go to the standard output"),
    ] {
        let ran = work.run(&[&["suite", "from-log", "labelled.jsonl"], more].concat()).ended(2);
        assert!(ran.stderr.contains(expected), "{more:?}: {}", ran.stderr);
        let is_said_once = ran.stderr.matches(expected).count() == 1;
        assert!(is_said_once || expected == "labelled.jsonl", "{more:?}: {}", ran.stderr);
    }
    assert_eq!(work.names(), ["labelled.jsonl"]);
    let unlabelled = work.file(
        "calls.jsonl",
        row("a", "", &send("a", "b"), &json!({})).replace(r#""label":null"#, r#""note":null"#),
    );
    let ran = work.run(&["suite", "from-log", unlabelled.to_str().unwrap(), "-o", "x.jsonl"]).ended(0);
    assert!(ran.stderr.contains("all calls count as right"), "{}", ran.stderr);
    // What was to be hidden and is not there may be written in another way.
    for (more, warning) in [
        (&["--redact", "nomatch"][..], Some("--redact: pattern 1 matches nothing in the cases")),
        (
            &["--redact", "Write", "--redact", "nomatch"],
            Some("--redact: pattern 2 matches nothing in the cases"),
        ),
        (&["--redact", "Write"], None),
        (&["--ignore", "/nothere"], Some("--ignore /nothere: no call in the log has this argument")),
        (&["--ignore", "/to/name"], Some("--ignore /to/name: no call in the log has this argument")),
        (&["--ignore", "/at"], None),
        // The tool takes it, so that an agent may add it.
        (&["--ignore", "/scope"], None),
    ] {
        let usual = ["suite", "from-log", "calls.jsonl", "-o", "y.jsonl", "-q"];
        let ran = work.run(&[&usual, more].concat()).ended(0);
        let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("warning")).collect();
        match warning {
            Some(warning) => {
                assert!(told.len() == 1 && told[0].contains(warning), "{more:?}: {}", ran.stderr)
            }
            None => assert!(
                !ran.stderr.contains("matches nothing") && !ran.stderr.contains("has this argument"),
                "{more:?}: {}",
                ran.stderr
            ),
        }
    }
}
