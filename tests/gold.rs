//! `gold` end to end: what is made of a benchmark's files, of one's own calls and of models' answers, and that it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;
use tooljudge::domain::{Cell, Json, RawRow};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::gold::{self, Kind, Mistake};

use crate::support::workspace::{Workspace, repository, shown};

fn cases(name: &str) -> String {
    repository("tests/cases/gold").join(name).display().to_string()
}

fn rows(work: &Workspace, file: &str) -> Vec<Value> {
    work.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or("-")
}

/// A table with everything that can be made of the benchmark's files in `tests/cases/gold`.
fn all(work: &Workspace, more: &[&str]) -> Vec<Value> {
    let bfcl = cases("bfcl");
    let args = ["gold", "--bfcl", &bfcl, "-o", "all.jsonl", "--quiet", "--force", "--per-question", "9"];
    let most = ["--negatives-per-question", "99", "--per-type", "99"];
    let ran = work.run(&[&args[..], &most[..], more].concat()).ended(0);
    assert_eq!(ran.stderr, "");
    rows(work, "all.jsonl")
}

#[test]
fn what_people_see() {
    let work = Workspace::new();
    shown("gold_help", &work.run(&["gold", "--help"]).ended(0).stdout);
    let bfcl = cases("bfcl");
    shown("gold_summary", &work.run(&["gold", "--bfcl", &bfcl, "-o", "out.parquet"]).ended(0).stdout);
    let args = ["gold", "--bfcl", &bfcl, "-o", "real.csv", "--results", &cases("result")];
    shown("gold_results", &work.run(&[&args[..], &["--scores", &cases("score")]].concat()).ended(0).stdout);
}

#[test]
fn every_row_says_what_it_is() {
    let work = Workspace::new();
    let rows = all(&work, &[]);
    let ids: BTreeSet<&str> = rows.iter().map(|row| text(row, "id")).collect();
    assert_eq!(ids.len(), rows.len());
    let find = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id}"));
    for (id, expected) in [
        ("simple_python_0#positive.0", "correct literal - - correct correct python"),
        ("simple_python_0#omitted_default.0", ""),
        ("simple_python_0#stated_default.0", "correct literal - stated_default correct correct python"),
        ("simple_python_0#accepted_alias.0", "correct literal - accepted_alias correct correct python"),
        ("simple_python_0#integer_for_float.0", "correct literal - integer_for_float correct correct python"),
        ("simple_python_0#date_shifted.0", "incorrect literal date_shifted - correct incorrect python"),
        (
            "simple_python_2#swapped_arguments.0",
            "incorrect literal swapped_arguments - correct incorrect python",
        ),
        ("exec_simple_0#positive.0", "correct inferred - - correct correct python"),
        ("multiple_0#wrong_tool.0", "incorrect literal wrong_tool - incorrect - python"),
        ("parallel_0#dropped_call.0", "incorrect literal dropped_call - incorrect - python"),
        ("irrelevance_0#positive.0", "correct - - - correct - python"),
        ("irrelevance_0#call_not_needed.0", "incorrect - call_not_needed - incorrect - python"),
        ("live_relevance_0-0-0#call_missing.0", "incorrect - call_missing - incorrect - python"),
        ("simple_java_0#wrong_type.0", "incorrect literal wrong_type - correct incorrect java"),
    ] {
        if expected.is_empty() {
            assert!(!ids.contains(id), "{id}");
            continue;
        }
        let row = find(id);
        let keys = ["gold", "literal", "error_type", "edit", "selection_label", "params_label", "language"];
        let found: Vec<&str> = keys.iter().map(|key| text(row, key)).collect();
        assert_eq!(found.join(" "), expected, "{id}");
    }
    let java = &find("simple_java_0#positive.0")["tool_call"][0]["arguments"];
    assert_eq!(java["tonnage"], "400L");
    assert_eq!(java["lines"], r#"new ArrayList<String>(Arrays.asList("bow", "stern"))"#);
    assert_eq!(find("exec_simple_0#positive.0")["tool_call"][0]["arguments"]["amount"], 750.0);
    assert!(find("simple_python_2#positive.0")["question"].is_array());
    assert!(find("simple_python_0#positive.0")["question"].is_string());
    // By question, right ones first.
    let order: Vec<(&str, bool)> =
        rows.iter().map(|row| (text(row, "question_id"), row["gold"] == "incorrect")).collect();
    let mut grouped: Vec<&str> = order.iter().map(|(id, _)| *id).collect();
    grouped.dedup();
    assert_eq!(grouped.len(), grouped.iter().collect::<BTreeSet<_>>().len());
    assert!(order.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 <= pair[1].1));
}

#[test]
fn every_type_of_mistake_and_every_edit_is_made() {
    let work = Workspace::new();
    let rows = all(&work, &[]);
    let made: BTreeSet<&str> =
        rows.iter().flat_map(|row| [text(row, "error_type"), text(row, "edit")]).collect();
    let missing: Vec<&str> = Kind::all()
        .filter(|kind| *kind != Kind::Positive)
        .map(Kind::as_str)
        .filter(|kind| !made.contains(kind))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// The scorer's verdicts on a table, by its own rules and by the benchmark's, against its `gold`; by type where they differ.
fn differences(work: &Workspace, file: &str) -> Vec<String> {
    let mut differing = Vec::new();
    for compat in [&[][..], &["--compat", "bfcl"][..]] {
        let args = [
            "score",
            "--allow-failures",
            file,
            "--scorer",
            "bfcl_ast",
            "-o",
            "scored.csv",
            "--quiet",
            "--force",
        ];
        work.run(&[&args[..], compat].concat()).ended(0);
        for row in work.rows("scored.csv") {
            if row["passed"] != (row["gold"] == "correct").to_string() {
                differing.push(format!("{} {:?}: {}", row["id"], compat, row["passed"]));
            }
        }
    }
    differing
}

#[test]
fn other_commands_read_the_table_as_it_is() {
    let work = Workspace::new();
    let count = all(&work, &[]).len();
    let bfcl = cases("bfcl");
    for format in ["parquet", "csv", "arrow"] {
        let file = format!("all.{format}");
        let args = ["gold", "--bfcl", &bfcl, "-o", &file, "--quiet", "--per-question", "9"];
        work.run(&[&args[..], &["--negatives-per-question", "99", "--per-type", "99"]].concat()).ended(0);
        assert_eq!(differences(&work, &file), Vec::<String>::new());
        let ran = work.run(&["label", &file, "-o", "labelled.csv", "--force"]).ended(0);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        let statuses: BTreeSet<String> = work.column("labelled.csv", "status").into_iter().collect();
        assert!(!statuses.contains("invalid_row"), "{statuses:?}");
        assert_eq!(work.rows("labelled.csv").len(), count);
    }
    assert_eq!(differences(&work, "all.jsonl"), Vec::<String>::new());
    work.run(&["label", "all.jsonl", "-o", "labelled.csv", "--force", "--quiet"]).ended(0);
    assert_eq!(work.rows("labelled.csv").len(), count);
}

#[test]
fn a_seed_says_which_rows() {
    let work = Workspace::new();
    let table = |seed: &str| {
        all(&work, &["--seed", seed]);
        work.read("all.jsonl")
    };
    let (first, again, other) = (table("1"), table("1"), table("2"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    // What is made of a question does not depend on the others.
    all(&work, &["--seed", "1", "--category", "parallel"]);
    let alone = work.read("all.jsonl");
    assert!(alone.lines().count() > 10 && alone.lines().all(|line| first.contains(line)));
}

#[test]
fn as_many_as_asked_for() {
    let work = Workspace::new();
    let bfcl = cases("bfcl");
    let count = |more: &[&str]| {
        let args = ["gold", "--bfcl", &bfcl, "-o", "some.jsonl", "--quiet", "--force"];
        work.run(&[&args[..], more].concat()).ended(0);
        let rows = rows(&work, "some.jsonl");
        let mut by_question: BTreeMap<(String, bool), usize> = BTreeMap::new();
        let mut by_type: BTreeMap<String, usize> = BTreeMap::new();
        for row in &rows {
            let right = row["gold"] == "correct";
            *by_question.entry((text(row, "question_id").to_owned(), right)).or_default() += 1;
            if !right {
                *by_type.entry(text(row, "error_type").to_owned()).or_default() += 1;
            }
        }
        let most = |right| {
            by_question
                .iter()
                .filter(|((_, own), _)| *own == right)
                .map(|(_, count)| *count)
                .max()
                .unwrap_or(0)
        };
        let right: usize = rows.iter().filter(|row| row["gold"] == "correct").count();
        (right, rows.len() - right, most(true), most(false), by_type.into_values().max().unwrap_or(0))
    };
    let (right, wrong, of_right, of_wrong, of_type) = count(&[]);
    assert_eq!(right, wrong);
    assert!(of_right == 2 && of_wrong <= 4 && of_type <= 2, "{right} {of_right} {of_wrong} {of_type}");
    let (right, _, of_right, of_wrong, _) = count(&["--per-question", "1", "--negatives-per-question", "3"]);
    assert!(of_right == 1 && right == 10 && of_wrong <= 3, "{right} {of_right} {of_wrong}");
    let (right, wrong, _, _, of_type) =
        count(&["--negatives-only", "--per-type", "1", "--negatives-per-question", "99"]);
    assert_eq!((right, wrong, of_type), (0, Mistake::ALL.len(), 1));
}

#[test]
fn ones_own_right_calls_get_mistakes() {
    let work = Workspace::new();
    let definitions = r#"[{"type":"function","function":{"name":"book_table","parameters":{"type":"object","properties":{"place":{"type":"string"},"guests":{"type":"number"},"at":{"type":"string"}},"required":["place","guests"]}}},{"type":"function","function":{"name":"cancel_table","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}}]"#;
    let row = |id: &str, gold: &str, call: &str| {
        format!(
            r#"{{"id":"{id}","gold":{gold},"question":"A table for 4 at Marta's on 2031-01-02","tool_call":{call},"tool_definitions":{definitions}}}"#
        )
    };
    let call = r#"[{"name":"book_table","arguments":{"place":"Marta's","guests":4,"at":"2031-01-02"}}]"#;
    let lines = [
        row("a", "\"correct\"", call),
        row("b", "\"incorrect\"", call),
        row("a", "\"correct\"", "[]"),
        row("c", "\"correct\"", "\"book_table(\""),
        row("d", "\"correct\"", r#"[{"name":"book_table","arguments":{"place":"","guests":4}}]"#),
    ];
    work.file("own.jsonl", lines.join("\n"));
    let args = ["gold", "own.jsonl", "-o", "out.jsonl", "--per-type", "9", "--negatives-per-question", "99"];
    let summary = work.run(&args).ended(0).stdout;
    assert!(summary.contains("left out  1: the call cannot be read (c)"), "{summary}");
    assert!(summary.contains("left out  1: an argument is the empty text"), "{summary}");
    let rows = rows(&work, "out.jsonl");
    let questions: BTreeSet<&str> = rows.iter().map(|row| text(row, "question_id")).collect();
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), ["a"], "all ask the same");
    assert!(rows.iter().any(|row| row["id"] == "a_row_3#positive.0"));
    let kinds: BTreeSet<&str> = rows.iter().map(|row| text(row, "error_type")).collect();
    for kind in ["wrong_tool", "missing_required", "date_shifted", "number_off_by_one", "call_not_needed"] {
        assert!(kinds.contains(kind), "{kind}");
    }
    let positive = rows.iter().find(|row| row["id"] == "a#positive.0").unwrap();
    assert_eq!(positive["tool_call"], serde_json::from_str::<Value>(call).unwrap());
    assert_eq!(positive["tool_definitions"], serde_json::from_str::<Value>(definitions).unwrap());
    work.run(&[
        "score",
        "--allow-failures",
        "out.jsonl",
        "--scorer",
        "bfcl_ast",
        "-o",
        "scored.csv",
        "--quiet",
    ])
    .ended(0);
    assert!(
        work.rows("scored.csv").iter().all(|row| row["passed"] == (row["gold"] == "correct").to_string())
    );
}

#[test]
fn models_answers_with_and_without_their_scores() {
    let work = Workspace::new();
    let (bfcl, result, score) = (cases("bfcl"), cases("result"), cases("score"));
    let args = ["gold", "--bfcl", &bfcl, "--results", &result, "-o", "real.jsonl", "--json", "--force"];
    let import = |more: &[&str]| {
        let summary = work.run(&[&args[..], more].concat()).ended(0).stdout;
        let rows = rows(&work, "real.jsonl");
        let shown = |row: &Value| {
            let keys = ["id", "verdict", "error_type", "selection_label", "params_label"];
            assert_eq!(row["gold"], row["verdict"]);
            keys.iter().map(|key| text(row, key).to_owned()).collect::<Vec<_>>().join(" ")
        };
        let shown: Vec<String> = rows.iter().map(shown).collect();
        (serde_json::from_str::<Value>(&summary).unwrap(), shown, rows)
    };
    let (summary, own, rows) = import(&[]);
    assert_eq!(
        own,
        [
            "simple_python_0#alpha.0 correct - correct correct",
            "simple_python_0#beta.0 correct - correct correct",
            "simple_python_1#alpha.0 incorrect value_error:dict_value correct incorrect",
            "simple_python_1#beta.0 incorrect simple_function_checker:wrong_count incorrect -",
            "simple_python_2#alpha.0 correct - correct correct",
            "simple_java_0#beta.0 correct - correct correct",
            "irrelevance_0#beta.0 correct - correct -",
            "irrelevance_1#beta.0 incorrect irrelevance_error:decoder_success incorrect -",
        ]
    );
    // Names as they are defined, calls as they are meant.
    assert_eq!(rows[0]["tool_call"][0]["name"], "hotel.book_room");
    assert_eq!(rows[1]["tool_call"][0]["arguments"]["nights"], 3);
    assert_eq!(rows[3]["tool_call"], Value::Array(Vec::new()));
    assert_eq!(summary["left_out"]["no call can be read from the answer"], 1);
    let (summary, scored, _) = import(&["--scores", &score]);
    let differing: Vec<&String> = scored.iter().filter(|row| !own.contains(row)).collect();
    assert_eq!(
        differing,
        ["simple_python_2#alpha.0 incorrect simple_function_checker:missing_optional correct incorrect"]
    );
    assert_eq!(summary["scorer_disagrees"], serde_json::json!(["simple_python_2#alpha.0"]));
    assert_eq!(summary["scored_by_files"], 3);
    assert_eq!(summary["without_scores"].as_array().unwrap().len(), 3);
}

#[test]
fn errors_name_the_file_the_line_and_what_to_do() {
    let work = Workspace::new();
    let (bfcl, result) = (cases("bfcl"), cases("result"));
    std::fs::create_dir_all(work.path("bad/possible_answer")).unwrap();
    std::fs::create_dir_all(work.path("alone")).unwrap();
    std::fs::create_dir_all(work.path("empty")).unwrap();
    std::fs::create_dir_all(work.path("score/alpha")).unwrap();
    work.file(
        "bad/BFCL_v4_irrelevance.json",
        "{\"id\":\"irrelevance_0\",\"question\":[[]],\"function\":[]}\n{\"id\":",
    );
    work.file("alone/BFCL_v4_multiple.json", "{\"id\":\"multiple_0\",\"question\":[[]],\"function\":[]}\n");
    work.file("score/alpha/BFCL_v4_simple_python_score.json", "{\"correct_count\":1,\"total_count\":3}\n");
    for (args, words) in [
        (&["--bfcl", "nowhere"][..], &["nowhere: the folder does not exist", "gorilla"][..]),
        (&["--bfcl", "empty"], &["empty: no files like BFCL_v4_multiple.json", "bfcl-eval"]),
        (&["--bfcl", "bad"], &["BFCL_v4_irrelevance.json, line 2: no JSON"]),
        (&["--bfcl", "alone"], &["possible_answer/BFCL_v4_multiple.json: the accepted answers", "gorilla"]),
        (&["--bfcl", &bfcl, "--category", "sql"], &["no category `sql`; there are simple_python, "]),
        (
            &["--bfcl", &bfcl, "--results", "empty"],
            &["empty: no files like MODEL/BFCL_v4_multiple_result.json"],
        ),
        (
            &["--bfcl", &bfcl, "--results", &result, "--scores", "score"],
            &["BFCL_v4_simple_python_score.json: 0 answers failed by its lines, 1 of 3 are right"],
        ),
        (&["--bfcl", &bfcl, "--scores", "score"], &["--results"]),
        (&["--bfcl", &bfcl, "more.jsonl"], &["cannot be used with"]),
        (&["missing.jsonl"], &["missing.jsonl"]),
        (&["own.jsonl", "--results", "score"], &["--results", "--bfcl"]),
        (&["own.jsonl", "--category", "multiple"], &["--category", "--bfcl"]),
    ] {
        let ran = work.run(&[&["gold", "-o", "out.jsonl"], args].concat()).ended(2);
        for word in words {
            assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
        }
        assert!(!work.path("out.jsonl").exists(), "{args:?}");
    }
}

#[test]
fn a_checkout_of_the_benchmark_will_do() {
    let work = Workspace::new();
    let data = work.path("gorilla/berkeley-function-call-leaderboard/bfcl_eval/data");
    copy(&PathBuf::from(cases("bfcl")), &data);
    std::fs::rename(data.join("exec"), data.join("unused_datasets")).unwrap();
    work.run(&["gold", "--bfcl", "gorilla", "-o", "out.jsonl", "--quiet"]).ended(0);
    assert!(work.read("out.jsonl").contains("exec_simple_0#positive.0"));
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Questions of the benchmark whose accepted answer its own checker or ours rejects, by its fourth version's files.
const REJECTED: [&str; 12] = [
    "simple_java_36",
    "simple_java_64",
    "simple_java_65",
    "parallel_multiple_26",
    "live_simple_106-63-0",
    "live_simple_112-68-0",
    "live_multiple_507-149-4",
    "live_multiple_862-181-3",
    "live_multiple_964-207-0",
    "exec_simple_93",
    "exec_multiple_45",
    "exec_multiple_46",
];

#[test]
fn the_whole_benchmark() {
    let Ok(shared) = std::env::var("TOOLJUDGE_SHARED") else {
        println!("skipped: TOOLJUDGE_SHARED is not set");
        return;
    };
    let bfcl = PathBuf::from(shared).join("data/bfcl").display().to_string();
    let work = Workspace::new();
    let make = |seed: &str, more: &[&str]| {
        let args = ["gold", "--bfcl", &bfcl, "-o", "whole.parquet", "--force", "--seed", seed];
        let summary = work.run(&[&args[..], more].concat()).ended(0).stdout;
        (summary, std::fs::read(work.path("whole.parquet")).unwrap())
    };
    // Of a small category, since each of these makes a table from the start.
    let some = ["--category", "live_parallel_multiple"];
    let first = make("0", &some).1;
    assert_ne!(first, make("1", &some).1);
    assert_eq!(first, make("0", &some).1, "the same seed gave another table");
    println!("{}", make("0", &[]).0);
    let manifest: Value = serde_json::from_str(&work.read("whole.parquet.run.json")).unwrap();
    let rejected: Vec<&str> =
        manifest["summary"]["rejected"].as_array().unwrap().iter().map(|own| text(own, "id")).collect();
    assert_eq!(rejected, REJECTED);
    assert_eq!(manifest["summary"]["left_out"], serde_json::json!({}));
    let counts = |gold: &str, key: &str| -> u64 {
        let kinds = manifest["summary"]["kinds"].as_array().unwrap();
        kinds.iter().filter(|kind| kind["gold"] == gold).map(|kind| kind[key].as_u64().unwrap()).sum()
    };
    let (right, wrong) = (counts("correct", "written"), counts("incorrect", "written"));
    assert_eq!(right, wrong);
    assert!(counts("correct", "made") > right);
    for kind in manifest["summary"]["kinds"].as_array().unwrap() {
        let rate = kind["discard_rate"].as_f64().unwrap();
        assert!(rate < 0.1, "{kind}");
        assert!(kind["gold"] == "correct" || kind["written"].as_u64().unwrap() > 100, "{kind}");
    }
    assert_eq!(differences(&work, "whole.parquet"), Vec::<String>::new());
    // `score` has read every row above; judging them all would take longer than all else here.
    let ran = work.run(&["label", "whole.parquet", "--sample", "1500", "-o", "labelled.csv"]).ended(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert!(!work.column("labelled.csv", "status").contains(&"invalid_row".to_owned()));
}

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        Just(Value::from(i64::MIN)),
        Just(serde_json::json!(1e300)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        "\\PC{0,12}".prop_map(Value::from),
        prop_oneof![Just("2024-02-29"), Just("31/12/9999"), Just("May"), Just("New York, NY"), Just("0000")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zé_]{0,6}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        prop::sample::select(vec![
            "string", "integer", "float", "number", "boolean", "array", "dict", "object", "any", "HashMap",
            "?"
        ])
        .prop_map(Value::from),
        any_json(),
    ];
    (kind, any_json(), any_json(), any_json()).prop_map(|(kind, choices, default, inner)| {
        serde_json::json!({ "type": kind, "enum": choices, "default": default, "items": { "type": inner },
                            "properties": { "a": { "type": "string" } }, "description": "in meters" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is defined and called: nothing panics, and no wrong call is the right one.
    #[test]
    fn mistakes_are_never_the_right_call(
        schemas in prop::collection::btree_map("[a-zA-Z_é]{1,8}", any_schema(), 0..4),
        values in prop::collection::vec(any_json(), 4),
        calls in 0..4_usize,
        question in "\\PC{1,60}",
        seed in any::<u64>(),
    ) {
        let names: Vec<&String> = schemas.keys().collect();
        let function = |name: &str| serde_json::json!({
            "name": name, "parameters": { "type": "object", "properties": schemas, "required": names },
        });
        let definitions = serde_json::json!([function("pick_one"), function("pick.other")]);
        let call = |at: usize| {
            let arguments: serde_json::Map<String, Value> = names
                .iter()
                .enumerate()
                .map(|(place, name)| ((*name).clone(), values[(at + place) % values.len()].clone()))
                .collect();
            serde_json::json!({ "name": "pick_one", "arguments": arguments })
        };
        let made: Vec<Value> = (0..calls).map(call).collect();
        let json = |value: &Value| Json::parse(&value.to_string()).unwrap();
        let row = RawRow {
            question: Cell::Text(question),
            tool_call: Cell::from(json(&Value::from(made))),
            tool_definitions: Cell::from(json(&definitions)),
            ..RawRow::default()
        };
        let Ok(sample) = Normalizer::new(Options::default()).unwrap().sample(row) else { return Ok(()) };
        let Ok(question) = gold::own::question(("q".to_owned(), "q".to_owned()), &sample, Json::from("q"), json(&definitions)) else {
            return Ok(());
        };
        let Ok(made) = gold::generate(&question, seed) else { return Ok(()) };
        let positive = made.positive.clone().unwrap();
        for wrong in &made.negatives {
            prop_assert_ne!(&wrong.calls, &positive, "{:?}", wrong.mistake);
            prop_assert!(question.scorer_verdict(&wrong.calls).unwrap().none_right());
        }
        for (_, calls) in &made.benign {
            prop_assert!(question.scorer_verdict(calls).unwrap().all_right());
        }
        prop_assert_eq!(gold::generate(&question, seed).unwrap(), made);
    }

    /// The same of the benchmark's questions, whatever is in them.
    #[test]
    fn any_question_of_the_benchmark_is_read_or_refused(
        schemas in prop::collection::btree_map("[a-zA-Z_]{1,8}", any_schema(), 0..4),
        accepted in prop::collection::vec(prop::collection::vec(any_json(), 1..3), 4),
        calls in 1..4_usize,
        category in prop::sample::select(vec!["simple_python", "simple_java", "simple_javascript", "parallel", "irrelevance"]),
        asked in any_json(),
        text in "\\PC{1,60}",
        seed in any::<u64>(),
    ) {
        let function = |name: &str| serde_json::json!({ "name": name, "parameters": { "properties": schemas, "required": [] } });
        let answers: serde_json::Map<String, Value> = schemas
            .keys()
            .zip(&accepted)
            .map(|(name, values)| (name.clone(), Value::from(values.clone())))
            .collect();
        let truth = vec![serde_json::json!({ "f": answers }); calls];
        let object = |value: Value| match Json::parse(&value.to_string()) {
            Ok(Json::Object(object)) => object,
            _ => panic!("{value}"),
        };
        let answer = object(serde_json::json!({ "id": "q_0", "ground_truth": truth }));
        for question in [serde_json::json!([[{ "role": "user", "content": text }]]), asked] {
            let definitions = [function("f"), function("g.h")];
            let question = object(serde_json::json!({ "id": "q_0", "question": question, "function": definitions }));
            let Ok(question) = gold::bfcl::question(&question, Some(&answer), category) else { continue };
            let Ok(made) = gold::generate(&question, seed) else { continue };
            for wrong in &made.negatives {
                prop_assert_ne!(Some(&wrong.calls), made.positive.as_ref());
                prop_assert!(question.scorer_verdict(&wrong.calls).unwrap().none_right());
            }
        }
    }
}

#[test]
fn only_rows_that_are_known_to_be_right_are_taken() {
    let work = Workspace::new();
    let tools = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]"#;
    let row = |id: &str, gold: &str, group: &str| {
        format!(
            r#"{{"id":"{id}","question_id":{group},"question":"Take {id}, that is 5","tool_call":[{{"name":"f","arguments":{{"a":5}}}}],"tool_definitions":{tools},"gold":{gold}}}"#
        )
    };
    let rows = [
        row("a", "\"correct\"", "\"g\""),
        row("b", "1", "\"g\""),
        row("c", "null", "\"h\""),
        row("d", "\"incorrect\"", "\"h\""),
        row("e", "true", "null"),
    ];
    work.file("in.jsonl", rows.join("\n"));
    let ran = work.run(&["gold", "in.jsonl", "-o", "out.csv", "--per-question", "1"]).ended(0);
    assert!(ran.stdout.contains("1: the row has no gold (c)"), "{}", ran.stdout);
    let right: Vec<(String, String)> = work
        .rows("out.csv")
        .into_iter()
        .filter(|row| row["gold"] == "correct")
        .map(|row| (row["id"].clone(), row["question_id"].clone()))
        .collect();
    let expected = [("a", "g"), ("b", "g"), ("e", "e")]
        .map(|(id, group)| (format!("{id}#positive.0"), group.to_owned()));
    assert_eq!(right, expected);
    work.file("in.jsonl", row("a", "\"fine\"", "\"g\""));
    let ran = work.run(&["gold", "in.jsonl", "-o", "out2.csv"]).ended(2);
    assert!(ran.stderr.contains("row 1: `gold` is `fine`"), "{}", ran.stderr);
}
