//! Every recorded result of the peers, and what the default modes do otherwise.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use proptest::prelude::*;
use tooljudge_core::domain::{Json, Number, Object};
use tooljudge_core::score::{Equality, SCORERS, Score, ScoreError, Scored};

/// The recorded results: ours, or those in the folder that the environment names.
#[expect(clippy::disallowed_methods, reason = "a test reads where the data lies")]
fn corpus(file: &str) -> Vec<Json> {
    let shipped = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/parity");
    let folder = std::env::var_os("TOOLJUDGE_PARITY").map_or_else(shipped, PathBuf::from);
    let packed = std::fs::read(folder.join(file)).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| Json::parse(line).unwrap()).collect()
}

fn ready(scorer: &str, settings: &str, peer: Option<&str>) -> Box<dyn Score> {
    let settings = Json::parse(settings).unwrap();
    let scorer = SCORERS.iter().find(|candidate| candidate.name == scorer).unwrap();
    (scorer.ready)(settings.as_object().unwrap(), peer).unwrap()
}

fn score(scorer: &str, peer: Option<&str>, record: &str) -> Result<Scored, ScoreError> {
    let record = Json::parse(record).unwrap();
    ready(scorer, "{}", peer).score(record.as_object().unwrap())
}

/// Asserts that two scores are the same number, or both none.
#[track_caller]
fn assert_close(ours: Option<f64>, theirs: Option<f64>, case: &Json) {
    let close = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-9,
        (None, None) => true,
        _ => false,
    };
    assert!(close, "ours {ours:?}, theirs {theirs:?}: {case}");
}

fn number(json: Option<&Json>) -> Option<f64> {
    match json {
        Some(Json::Number(number)) => Some(Number::as_f64(number)),
        _ => None,
    }
}

fn boolean(json: Option<&Json>) -> Option<bool> {
    match json {
        Some(Json::Bool(value)) => Some(*value),
        _ => None,
    }
}

#[track_caller]
fn assert_scorer_knows(scorer: &str, record: &Object) {
    let knows = |name: &str| SCORERS.iter().any(|scorer| scorer.name == name && (scorer.matches)(record));
    assert!(knows(scorer), "{scorer} does not know {}", Json::Object(record.clone()));
}

#[test]
fn deepeval() {
    let cases = corpus("deepeval_tool_correctness.jsonl.gz");
    let scorer = ready("tool_correctness", "{}", Some("deepeval"));
    let (mut reasons, mut errors) = (0, 0);
    for case in &cases {
        let record = case.as_object().unwrap();
        assert_scorer_knows("tool_correctness", record);
        let ours = scorer.score(record);
        match (&ours, case.get("error").and_then(Json::as_str)) {
            (Err(ours), Some(theirs)) => {
                assert_eq!(ours.to_string(), theirs, "{case}");
                errors += 1;
            }
            (Ok(ours), None) => {
                assert_close(ours.score, number(case.get("score")), case);
                assert_eq!(ours.passed, boolean(case.get("success")), "{case}");
                if let Some(reason) = case.get("reason").and_then(Json::as_str) {
                    assert_eq!(ours.reason.as_deref(), Some(reason), "{case}");
                    reasons += 1;
                }
            }
            (ours, theirs) => panic!("ours {ours:?}, theirs {theirs:?}: {case}"),
        }
    }
    println!(
        "deepeval: {} of {0} cases equal, {errors} exceptions and {reasons} reasons among them",
        cases.len()
    );
}

#[test]
fn deepeval_judged() {
    let cases = corpus("deepeval_llm_half.jsonl.gz");
    let scorer = ready("judged_metric", "{}", Some("deepeval"));
    for case in &cases {
        let mut record = case.as_object().unwrap().clone();
        let goal = record.get("metric").and_then(Json::as_str) == Some("goal_accuracy");
        let names =
            if goal { ["goal_scores", "plan_scores"] } else { ["selection_scores", "argument_scores"] };
        for (recorded, name) in ["first", "second"].into_iter().zip(names) {
            if let Some(scores) = record.get(recorded).cloned() {
                record.insert(name, scores);
            }
        }
        if let Some(Json::Array(turns)) = record.get_mut("turns") {
            for turn in turns {
                *turn = Json::from(match turn.as_str().unwrap() {
                    "u" => "user",
                    "a" => "assistant",
                    _ => "assistant_calls",
                });
            }
        }
        assert_scorer_knows("judged_metric", &record);
        let ours = scorer.score(&record).unwrap_or_else(|error| panic!("{error}: {case}"));
        assert_close(ours.score, number(case.get("score")), case);
        assert_eq!(ours.passed, boolean(case.get("success")), "{case}");
    }
    println!("deepeval, judged: {} of {0} cases equal", cases.len());
    assert_eq!(cases.len(), 1800);
}

#[test]
fn what_deepeval_takes_for_an_answer_is_none_of_ours() {
    for (record, score, error) in [
        (r#"{"metric": "argument_correctness", "calls": 2, "verdicts": ["yes", "no"]}"#, Some(0.5), ""),
        (r#"{"metric": "argument_correctness", "calls": 0, "verdicts": []}"#, None, ""),
        (
            r#"{"metric": "argument_correctness", "calls": 1, "verdicts": ["maybe"]}"#,
            None,
            "`verdicts[0]` is neither yes nor no",
        ),
        (
            r#"{"metric": "task_completion", "reply": 1.5}"#,
            None,
            "`reply` must be a number from 0 to 1, but is 1.5",
        ),
        (r#"{"metric": "task_completion"}"#, None, "`reply` must be a number from 0 to 1, but is null"),
        (r#"{"metric": "plan_adherence", "plan": [], "reply": 1}"#, None, ""),
        (r#"{"metric": "tool_use"}"#, None, "`turns` is missing: who spoke in which turn"),
        (r#"{"metric": "goal_accuracy", "turns": []}"#, None, ""),
        (
            r#"{"metric": "tool_use", "turns": ["user", "assistant"], "selection_scores": [0.75]}"#,
            Some(0.75),
            "",
        ),
        (
            r#"{"metric": "tool_use", "turns": ["user", "assistant_calls"], "selection_scores": [0.75]}"#,
            None,
            "`argument_scores` has 0 scores for 1 requests",
        ),
        (
            r#"{"metric": "tool_use", "turns": ["user", "assistant_calls"], "selection_scores": [0.75], "argument_scores": [0.5]}"#,
            Some(0.5),
            "",
        ),
    ] {
        match self::score("judged_metric", None, record) {
            Ok(scored) => assert_eq!((scored.score, error), (score, ""), "{record}"),
            Err(why) => assert_eq!(why.message, error, "{record}"),
        }
    }
}

#[test]
fn vitest_evals() {
    let cases = corpus("vitest_tool_call_scorer.jsonl.gz");
    for (peer, score, metadata) in
        [("vitest-evals", "score", "metadata"), ("vitest-evals@0.4", "score_v04", "metadata_v04")]
    {
        let scorer = ready("tool_call", "{}", Some(peer));
        let mut equal = 0;
        for case in cases.iter().filter(|case| case.get(score).is_some()) {
            let record = case.as_object().unwrap();
            assert_scorer_knows("tool_call", record);
            let ours = scorer.score(record).unwrap_or_else(|error| panic!("{error}: {case}"));
            assert_eq!(Some(&Json::Object(ours.metadata)), case.get(metadata), "{peer}: {case}");
            assert_close(ours.score, number(case.get(score)), case);
            equal += 1;
        }
        println!("{peer}: {equal} cases equal");
    }
}

/// agentevals 0.0.9, Ragas 0.4.3, google-adk 2.13.0, azure-ai-evaluation 1.18.10, each on generated trajectories.
#[test]
fn trajectories() {
    let cases = corpus("trajectory_peers.jsonl.gz");
    for peer in ["agentevals", "ragas", "adk", "azure"] {
        let scorer = ready("trajectory", "{}", Some(peer));
        let (mut equal, mut errors, mut ours_differ) = (0, 0, 0);
        let ours = ready("trajectory", "{}", None);
        for case in cases.iter().filter(|case| case.get("peer").and_then(Json::as_str) == Some(peer)) {
            let record = case.as_object().unwrap();
            assert_scorer_knows("trajectory", record);
            match (scorer.score(record), case.get("error").and_then(Json::as_str)) {
                (Err(ours), Some(theirs)) => {
                    assert_eq!(Some(ours.kind), theirs.split(':').next(), "{case}");
                    errors += 1;
                }
                (Ok(scored), None) => {
                    assert_close(scored.score, number(case.get("score")), case);
                    for (name, figure) in &scored.figures {
                        let theirs = case.get("properties").and_then(|all| all.get(&format!("{name}_score")));
                        assert_close(Some(*figure), number(theirs), case);
                    }
                    equal += 1;
                    ours_differ +=
                        usize::from(ours.score(record).ok().and_then(|ours| ours.score) != scored.score);
                }
                (ours, theirs) => panic!("ours {ours:?}, theirs {theirs:?}: {case}"),
            }
        }
        println!(
            "{peer}: {equal} cases and {errors} exceptions equal; our own score differs in {ours_differ}"
        );
        assert!(equal >= 500);
    }
}

/// A record of Vertex' form; calls are `a {"x":1};b`.
fn trajectories_of(config: &str, called: &str, expected: &str) -> String {
    let call = |call: &str| {
        let (tool, input) = call.split_once(' ').unwrap_or((call, "{}"));
        format!(r#"{{"tool_name":"{tool}","tool_input":{input}}}"#)
    };
    let list = |calls: &str| -> String {
        calls.split(';').filter(|call| !call.is_empty()).map(call).collect::<Vec<_>>().join(",")
    };
    let (called, expected) = (list(called), list(expected));
    format!(r#"{{"config":{config},"predicted_trajectory":[{called}],"reference_trajectory":[{expected}]}}"#)
}

/// The settings, what was called, what was expected, the peer's score and ours.
#[test]
fn where_we_differ_on_trajectories() {
    for (peer, config, called, expected, theirs, ours) in [
        ("adk", "{}", r#"a {"x":true}"#, r#"a {"x":1}"#, "1.0000", "0.0000"),
        ("agentevals", "{}", r#"a {"x":true}"#, r#"a {"x":1}"#, "1.0000", "0.0000"),
        ("ragas", r#"{"metric":"tool_call_f1"}"#, r#"a {"x":true}"#, r#"a {"x":1}"#, "1.0000", "0.0000"),
        ("ragas", r#"{"metric":"tool_call_f1"}"#, "a;a", "a", "1.0000", "0.6667"),
        ("ragas", "{}", r#"a {"x":1}"#, r#"a {"x":"1"}"#, "1.0000", "0.0000"),
        ("ragas", "{}", r#"a {"x":1,"y":2}"#, r#"a {"x":1}"#, "1.0000", "0.0000"),
        ("ragas", "{}", "a", "a;b", "0.0000", "0.0000"),
        (
            "agentevals",
            r#"{"trajectory_match_mode":"subset","tool_args_match_mode":"subset"}"#,
            r#"a {"x":1}"#,
            r#"a {"x":1,"y":2}"#,
            "0.0000",
            "1.0000",
        ),
        (
            "agentevals",
            r#"{"trajectory_match_mode":"superset","tool_args_match_mode":"superset"}"#,
            r#"a {"x":1,"y":2};a {"x":1}"#,
            r#"a {"x":1};a {"x":1,"y":2}"#,
            "0.0000",
            "1.0000",
        ),
    ] {
        assert_differences("trajectory", peer, &[(&trajectories_of(config, called, expected), theirs, ours)]);
    }
    let call = r#"[{"role":"assistant","content":[{"type":"tool_call","name":"a","arguments":{"x":1}}]}]"#;
    let said = r#"[{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":"{}"}}]},{"role":"assistant","content":"x"}]"#;
    let asked = r#"[{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":""}}]}]"#;
    let asked_json = asked.replace(r#""""#, r#""{}""#);
    for (peer, record, theirs, ours) in [
        ("azure", format!(r#"{{"actions":{call},"expected_actions":[["a"],{{"a":{{"x":"1"}}}}]}}"#), "1.0000", "0.0000"),
        ("azure", format!(r#"{{"actions":{call},"expected_actions":[["a"],{{"b":{{}}}}]}}"#), "0.0000", "1.0000"),
        ("azure", r#"{"response":[],"ground_truth":[]}"#.to_owned(), "EvaluationException", "1.0000"),
        ("agentevals", format!(r#"{{"outputs":{asked_json},"reference_outputs":{said}}}"#), "0.0000", "1.0000"),
        (
            "adk",
            r#"{"predicted_trajectory":[{"tool_name":"a"}],"reference_trajectory":[{"tool_name":"a","tool_input":{}}]}"#.to_owned(),
            "0.0000",
            "1.0000",
        ),
    ] {
        assert_differences("trajectory", peer, &[(&record, theirs, ours)]);
    }
}

/// The settings, what was called, what was expected, our score and the kinds of issues.
#[test]
fn arguments_and_orders_of_trajectories() {
    for (config, called, expected, score, issues) in [
        (r#"{"trajectory_match_mode":"in_order"}"#, "a;x;b", "a;b", 1.0, ""),
        (r#"{"trajectory_match_mode":"IN_ORDER"}"#, "b;a", "a;b", 0.0, "wrong_order"),
        (r#"{"trajectory_match_mode":"in_order"}"#, "a", "a;b", 0.0, "missing_call"),
        (r#"{"trajectory_match_mode":"any_order_match"}"#, "b;x;a", "a;b", 1.0, ""),
        (r#"{"order_matters":false}"#, "b;a", "a;b", 1.0, ""),
        (r#"{"tool_args_match_mode":"superset"}"#, r#"a {"x":1,"y":2}"#, r#"a {"x":1}"#, 1.0, ""),
        (r#"{"tool_args_match_mode":"superset"}"#, r#"a {"y":2}"#, r#"a {"x":1}"#, 0.0, "missing_parameter"),
        (r#"{"tool_args_match_mode":"subset"}"#, r#"a {"x":1}"#, r#"a {"x":1,"y":2}"#, 1.0, ""),
        (r#"{"tool_args_match_mode":"subset"}"#, r#"a {"z":1}"#, r#"a {"x":1}"#, 0.0, "extra_parameter"),
        (
            r#"{"tool_args_match_mode":"superset"}"#,
            r#"a {"x":{"p":1,"q":2}}"#,
            r#"a {"x":{"p":1}}"#,
            0.0,
            "wrong_value",
        ),
        (r#"{"tool_args_match_mode":"partial"}"#, r#"a {"x":{"p":1,"q":2}}"#, r#"a {"x":{"p":1}}"#, 1.0, ""),
        (r#"{"ignore":["*_id"]}"#, r#"a {"x":1,"request_id":7}"#, r#"a {"x":1,"order_id":8}"#, 1.0, ""),
        (r#"{"ignore":"id"}"#, r#"a {"x":1,"ID":7}"#, r#"a {"x":1}"#, 0.0, "extra_parameter"),
        (r#"{"defaults":{"unit":"c"}}"#, r#"a {"x":1,"unit":"c"}"#, r#"a {"x":1}"#, 1.0, ""),
        (r#"{"defaults":{"unit":"c"}}"#, r#"a {"x":1}"#, r#"a {"x":1,"unit":"c"}"#, 1.0, ""),
        (r#"{"defaults":{"unit":"c"}}"#, r#"a {"x":1,"unit":"f"}"#, r#"a {"x":1}"#, 0.0, "extra_parameter"),
        (r#"{"tool_args_match_overrides":{"a":"ignore"}}"#, r#"a {"x":1}"#, r#"a {"x":2}"#, 1.0, ""),
        (
            r#"{"tool_args_match_overrides":{"a":["x.p"]}}"#,
            r#"a {"x":{"p":1,"q":2}}"#,
            r#"a {"x":{"p":1}}"#,
            1.0,
            "",
        ),
        (
            r#"{"tool_args_match_overrides":{"a":["x.p"]}}"#,
            r#"a {"x":{"p":2}}"#,
            r#"a {"x":{"p":1}}"#,
            0.0,
            "wrong_value",
        ),
        (r#"{"metric":"trajectory_precision"}"#, "a;b;c;d", "a;b", 0.5, "unexpected_call unexpected_call"),
        (r#"{"metric":"recall","threshold":0.5}"#, "a", "a;b", 0.5, "missing_call"),
        (r#"{"metric":"f1"}"#, "", "", 1.0, ""),
        (r#"{"metric":"precision"}"#, "", "a", 0.0, "missing_call"),
        (r#"{"metric":"recall"}"#, "a", "", 1.0, "unexpected_call"),
        (r#"{"metric":"trajectory_single_tool_use","tool_name":"b"}"#, "a;b", "", 1.0, ""),
        (r#"{"metric":"trajectory_single_tool_use","tool_name":"c"}"#, "a;b", "", 0.0, "missing_call"),
    ] {
        let record = trajectories_of(config, called, expected);
        let scored = score_of("trajectory", &record);
        assert_eq!(scored.score, Some(score), "{record}");
        let kinds: Vec<&str> = scored.issues.iter().map(|issue| issue.kind.as_str()).collect();
        assert_eq!(kinds.join(" "), issues, "{record}");
    }
}

/// Calls of `f` with `n`, as vendors and frameworks write them.
const FORMS: [&str; 17] = [
    r#"{"name":"f","args":{"n":#}}"#,
    r#"{"name":"f","arguments":"{\"n\":#}"}"#,
    r#"{"name":"f","parameters":{"n":#}}"#,
    r#"{"name":"f","params":{"n":#}}"#,
    r#"{"name":"f","input_parameters":{"n":#}}"#,
    r#"{"name":"f","inputParameters":{"n":#}}"#,
    r#"{"name":"f","kwargs":{"n":#}}"#,
    r#"{"name":"f","args":null,"tool_input":{"n":#}}"#,
    r#"{"name":"f","args":{"n":#},"tool_input":"{\"n\":#}"}"#,
    r#"{"tool":"f","tool_input":{"n":#},"log":"calls f"}"#,
    r#"{"type":"tool_use","id":"1","name":"f","input":{"n":#}}"#,
    r#"{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"n":#}}"#,
    r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{\"n\":#}"}"#,
    r#"{"id":"1","type":"function","function":{"name":"f","arguments":"{\"n\":#}"}}"#,
    r#"{"function_call":{"name":"f","arguments":"{\"n\":#}"}}"#,
    r#"{"functionCall":{"name":"f","args":{"n":#}},"thoughtSignature":"x"}"#,
    r#"{"toolUse":{"toolUseId":"1","name":"f","input":{"n":#}}}"#,
];

/// Records of all peers' forms, with a call that is made and one that is expected.
fn trajectories_with(config: &str, called: &str, expected: &str) -> Vec<String> {
    let messages = |call: &str| {
        format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":"","tool_calls":[{call}]}}]"#
        )
    };
    let parts =
        |call: &str| format!(r#"[{{"role":"assistant","content":[{{"type":"text","text":"x"}},{call}]}}]"#);
    let of = |called: (&str, String), expected: (&str, String)| {
        format!(r#"{{"config":{config},"{}":{},"{}":{}}}"#, called.0, called.1, expected.0, expected.1)
    };
    let list = |call: &str| format!("[{call}]");
    vec![
        of(("predicted_trajectory", list(called)), ("reference_trajectory", list(expected))),
        of(("outputs", messages(called)), ("reference_outputs", messages(expected))),
        of(("user_input", messages(called)), ("reference_tool_calls", list(expected))),
        of(
            ("run", format!(r#"{{"intermediate_steps":[[{called},"x"]]}}"#)),
            ("example", format!(r#"{{"expected_steps":[{expected}]}}"#)),
        ),
    ]
    .into_iter()
    // A part of a message says that it is a call, or holds one under a name that says so.
    .chain(
        ["\"type\"", "\"functionCall\"", "\"toolUse\"", "\"function_call\""]
            .iter()
            .any(|says| called.contains(says))
            .then(|| of(("outputs", parts(called)), ("reference_outputs", messages(expected)))),
    )
    .collect()
}

/// An expected call whose arguments nobody read would be right with any.
#[test]
fn calls_of_trajectories_in_all_forms() {
    let exact = r#"{"tool_args_match_mode":"exact"}"#;
    let with = |form: &str, n: &str| form.replace('#', n);
    for (one, other) in FORMS.iter().flat_map(|form| [(*form, FORMS[0]), (FORMS[0], *form)]) {
        for (n, score) in [("1", 1.0), ("2", 0.0)] {
            for record in trajectories_with(exact, &with(one, n), &with(other, "1")) {
                assert_eq!(score_of("trajectory", &record).score, Some(score), "{record}");
            }
        }
    }
    // Items of OpenAI's responses are messages and calls in one list.
    for (n, score) in [("1", 1.0), ("2", 0.0)] {
        let items = format!(r#"[{{"role":"user","content":"x"}},{}]"#, with(FORMS[12], n));
        let record = format!(r#"{{"outputs":{items},"reference_outputs":{}}}"#, items.replace(n, "1"));
        assert_eq!(score_of("trajectory", &record).score, Some(score), "{record}");
    }
    for (message, calls) in [
        (r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"n\":1}"}}"#, true),
        (r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1}}}]}"#, true),
        (
            r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{"n":1}}}]}"#,
            true,
        ),
        (r#"{"role":"tool","content":"1","function":{"name":"f","arguments":"{\"n\":1}"}}"#, false),
        (r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"n":1}}}]}"#, false),
    ] {
        let expected = with(FORMS[0], "1");
        let record = format!(r#"{{"user_input":[{message}],"reference_tool_calls":[{expected}]}}"#);
        assert_eq!(score_of("trajectory", &record).score, Some(f64::from(u8::from(calls))), "{record}");
    }
    // What cannot be told, on either side; where no arguments are compared, it does not matter.
    let call = with(FORMS[0], "1");
    for (unclear, part) in [
        (r#"{"name":"f","payload":{"n":1}}"#, "its `payload`"),
        (r#"{"name":"f","args":{"n":1},"tool_input":{"n":2}}"#, "than under `"),
        (
            r#"{"function":{"name":"f","arguments":"{}"},"args":{"n":2}}"#,
            "under `arguments` than under `args`",
        ),
    ] {
        for (called, expected) in [(unclear, call.as_str()), (call.as_str(), unclear)] {
            for record in trajectories_with(exact, called, expected) {
                let error = score("trajectory", None, &record).unwrap_err();
                assert!(error.message.contains(part), "{record}: {error}");
                let ignored = record.replace("exact", "ignore");
                assert_eq!(score_of("trajectory", &ignored).score, Some(1.0), "{ignored}");
                let named = record.replace(exact, r#"{"metric":"single_tool_use","tool_name":"f"}"#);
                assert_eq!(score_of("trajectory", &named).score, Some(1.0), "{named}");
            }
        }
        // Of a call whose arguments nobody asks for.
        let record = trajectories_of(r#"{"trajectory_match_mode":"superset"}"#, "a", "a");
        let record = record.replacen(r#"{"tool_name":"a""#, &format!(r#"{},{{"tool_name":"a""#, unclear), 1);
        assert_eq!(score_of("trajectory", &record).score, Some(1.0), "{record}");
        let by_name = trajectories_with(exact, unclear, r#"{"name":"f"}"#);
        assert_eq!(score_of("trajectory", &by_name[0]).score, Some(1.0));
    }
}

fn score_of(scorer: &str, record: &str) -> Scored {
    score(scorer, None, record).unwrap_or_else(|error| panic!("{error}: {record}"))
}

/// What cannot be read is an error, and never "nothing expected".
#[test]
fn unreadable_trajectories_are_errors() {
    for (record, says) in [
        (r#"{"predicted_trajectory":[{"tool_name":"a"}]}"#, "does not say what should have been called"),
        (
            r#"{"predicted_trajectory":[],"reference_trajectory":null}"#,
            "does not say what should have been called",
        ),
        (
            r#"{"predicted_trajectory":[],"reference_trajectory":"a"}"#,
            "`reference_trajectory` must be a list",
        ),
        (
            r#"{"predicted_trajectory":[],"reference_trajectory":[{"a":{}}]}"#,
            "`reference_trajectory[0]` must be a call",
        ),
        (r#"{"reference_outputs":[]}"#, "`outputs` is missing"),
        (r#"{"outputs":[],"reference_outputs":[{"content":"x"}]}"#, "must be a message with a `role`"),
        (r#"{"outputs":[],"reference_outputs":[{"role":"ai","tool_calls":"a"}]}"#, "list of `tool_calls`"),
        (
            r#"{"outputs":[],"reference_outputs":[{"role":"ai","tool_calls":[{"function":{"name":"a","arguments":"{x"}}]}]}"#,
            "expects arguments of `a` that are no JSON",
        ),
        (r#"{"actions":[],"expected_actions":["a",{"a":{}}]}"#, "`expected_actions` must be a list of names"),
        (
            r#"{"actions":[],"expected_actions":[["a"],{"a":7}]}"#,
            "`expected_actions` must be a list of names",
        ),
        (r#"{"user_input":[],"reference_tool_calls":["a"]}"#, "`reference_tool_calls[0]` must be a call"),
        (
            r#"{"config":{"metric":"single_tool_use"},"predicted_trajectory":[]}"#,
            "needs the setting `tool_name`",
        ),
        (
            r#"{"config":{"metric":"tool_call_accuracy"},"predicted_trajectory":[],"reference_trajectory":[]}"#,
            "--compat ragas",
        ),
        (r#"{"x":1}"#, "there are no trajectories"),
    ] {
        let error = score("trajectory", None, record).unwrap_err();
        assert_eq!(error.kind, "InvalidCase", "{record}");
        assert!(error.message.contains(says), "{record}: {error}");
    }
    for (peer, settings, says) in [
        (
            None,
            r#"{"tool_args_match_overrides":{"a":true}}"#,
            "must be a mode, a list of key paths or {\"function\": NAME}",
        ),
        (None, r#"{"trajectory_match_mode":"exactly"}"#, "`in_order`"),
        (Some("adk"), r#"{"metric":"precision"}"#, "has no such figure"),
        (Some("agentevals"), r#"{"ignore":["x"]}"#, "ignore"),
        (Some("ragas"), r#"{"tool_args_match_mode":"exact"}"#, "tool_args_match_mode"),
    ] {
        let scorer = SCORERS.iter().find(|scorer| scorer.name == "trajectory").unwrap();
        let error = (scorer.ready)(Json::parse(settings).unwrap().as_object().unwrap(), peer).err().unwrap();
        assert!(error.to_string().contains(says), "{settings}: {error}");
    }
}

#[test]
fn vitest_evals_judge() {
    let scorer = ready("tool_call", "{}", Some("vitest-evals@0.16"));
    let cases = corpus("vitest_tool_call_judge.jsonl.gz");
    for case in &cases {
        let record = case.as_object().unwrap();
        assert_scorer_knows("tool_call", record);
        let ours = scorer.score(record).unwrap_or_else(|error| panic!("{error}: {case}"));
        assert_eq!(Some(&Json::Object(ours.metadata)), case.get("metadata"), "{case}");
        assert_close(ours.score, number(case.get("score")), case);
    }
    println!("vitest-evals@0.16: {} cases equal", cases.len());
}

#[test]
fn article() {
    let cases = corpus("article_tool_evaluator.jsonl.gz");
    let scorer = ready("tool_evaluator", "{}", Some("article"));
    for case in &cases {
        let record = case.as_object().unwrap();
        assert_scorer_knows("tool_evaluator", record);
        let ours = scorer.score(record).unwrap_or_else(|error| panic!("{error}: {case}"));
        let mut result = ours.metadata;
        result.insert("score", Json::Number(Number::from_f64(ours.score.unwrap()).unwrap()));
        result.insert("passed", Json::Bool(ours.passed.unwrap()));
        assert_eq!(Some(&Json::Object(result)), case.get("result"), "{case}");
    }
    println!("article: {} of {0} cases equal", cases.len());
}

#[test]
fn langchain() {
    let lines = corpus("langchain_envs.jsonl.gz");
    let (cases, environments): (Vec<&Json>, Vec<&Json>) =
        lines.iter().partition(|line| line.get("kind").and_then(Json::as_str) == Some("trajectory"));
    let scorer = ready("trajectory", "{}", Some("langchain"));
    let (mut errors, mut graded) = (0, 0);
    for case in &cases {
        let record = case.as_object().unwrap();
        assert_scorer_knows("trajectory", record);
        match (scorer.score(record), case.get("error")) {
            (Err(ours), Some(theirs)) => {
                assert_eq!(Some(ours.kind), theirs.get("type").and_then(Json::as_str), "{case}");
                assert_eq!(
                    Some(ours.message.as_str()),
                    theirs.get("message").and_then(Json::as_str),
                    "{case}"
                );
                errors += 1;
            }
            (Ok(ours), None) => {
                let (ours, theirs) = (ours.metadata.get("results").unwrap(), case.get("results").unwrap());
                assert!(Equality::Python.values(ours, theirs), "ours {ours}, theirs {theirs}: {case}");
                graded += usize::from(theirs.to_string().contains(r#""key":"correctness""#));
            }
            (ours, theirs) => panic!("ours {ours:?}, theirs {theirs:?}: {case}"),
        }
    }
    for line in &environments {
        assert!(!SCORERS.iter().any(|scorer| (scorer.matches)(line.as_object().unwrap())), "{line}");
    }
    println!(
        "langchain: {} of {0} cases equal, {errors} exceptions and {graded} grades among them; {} lines of environments \
         are not for this scorer",
        cases.len(),
        environments.len()
    );
}

/// What the peer and we make of one record: a score, or the kind of an error.
fn outcome(scorer: &str, peer: Option<&str>, record: &str) -> String {
    match score(scorer, peer, record) {
        Ok(scored) => scored.score.map_or_else(|| "none".to_owned(), |score| format!("{score:.4}")),
        Err(error) => error.kind.to_owned(),
    }
}

#[track_caller]
fn assert_differences(scorer: &str, peer: &str, rows: &[(&str, &str, &str)]) {
    for (record, theirs, ours) in rows {
        assert_eq!(outcome(scorer, Some(peer), record), *theirs, "{peer}: {record}");
        assert_eq!(outcome(scorer, None, record), *ours, "ours: {record}");
    }
}

#[test]
fn where_we_differ_from_deepeval() {
    let params = r#""config":{"evaluation_params":["INPUT_PARAMETERS"]}"#;
    let with = |expected: &str, called: &str| {
        format!(r#"{{{params},"expected_tools":{expected},"tools_called":{called}}}"#)
    };
    let cases = [
        (r#"[{"name":"a"},{"name":"a"}]"#, r#"[{"name":"a"},{"name":"a"}]"#, "0.5000", "1.0000"),
        (
            r#"[{"name":"a","type":"MCP"},{"name":"a"}]"#,
            r#"[{"name":"a","type":"MCP"},{"name":"a"}]"#,
            "0.5000",
            "1.0000",
        ),
        (
            r#"[{"name":"a","input_parameters":{"x":1,"y":3}},{"name":"a","input_parameters":{"x":1,"y":2}}]"#,
            r#"[{"name":"a","input_parameters":{"x":1,"y":2}},{"name":"a","input_parameters":{"x":9,"y":3}}]"#,
            "0.2500",
            "0.7500",
        ),
        (r#"[{"name":"a"}]"#, r#"[{"name":"a","input_parameters":{}}]"#, "AttributeError", "1.0000"),
        (r#"[{"name":"a"}]"#, r#"[{"name":"a","input_parameters":{"x":1}}]"#, "AttributeError", "0.0000"),
        (
            r#"[{"name":"a","input_parameters":{"x":true}}]"#,
            r#"[{"name":"a","input_parameters":{"x":1}}]"#,
            "1.0000",
            "0.0000",
        ),
        (
            r#"[{"name":"a","input_parameters":{"x":1.0}}]"#,
            r#"[{"name":"a","input_parameters":{"x":1}}]"#,
            "1.0000",
            "1.0000",
        ),
        (r#"[{"name":"a"}]"#, r#"[{"name":"a"},{"name":"b"}]"#, "1.0000", "0.5000"),
        ("[]", "[]", "1.0000", "1.0000"),
        ("[]", r#"[{"name":"a"}]"#, "0.0000", "0.0000"),
        ("null", "[]", "MissingTestCaseParamsError", "InvalidCase"),
    ];
    for (expected, called, theirs, ours) in cases {
        assert_differences("tool_correctness", "deepeval", &[(&with(expected, called), theirs, ours)]);
    }
    let judged = |selection: &str| {
        format!(
            r#"{{"expected_tools":[],"tools_called":[],"available_tools":[{{"name":"a"}}],"selection":{selection}}}"#
        )
    };
    assert_differences(
        "tool_correctness",
        "deepeval",
        &[
            (&judged(r#"{"score":0.25,"reason":"r"}"#), "0.2500", "0.2500"),
            (&judged(r#"{"score":-1,"reason":"r"}"#), "-1.0000", "InvalidCase"),
            (&judged("null"), "InvalidCase", "1.0000"),
        ],
    );
    let unjudged = score("tool_correctness", None, &judged("null")).unwrap();
    assert!(unjudged.reason.unwrap().contains("was not judged"));

    // Three calls of which seven tenths are right.
    let call = |value: u8| {
        let right = (0..7).map(|key| format!("\"k{key}\":0"));
        let wrong = (7..10).map(|key| format!("\"k{key}\":{value}"));
        let parameters = right.chain(wrong).collect::<Vec<_>>().join(",");
        format!(r#"{{"name":"a","input_parameters":{{{parameters}}}}}"#)
    };
    let calls = |values: [u8; 3]| values.map(call).join(",");
    let dusty = format!(
        r#"{{"config":{{"threshold":0.7,"evaluation_params":["INPUT_PARAMETERS"]}},
        "expected_tools":[{}],"tools_called":[{}]}}"#,
        calls([1, 2, 3]),
        calls([4, 5, 6])
    );
    assert_eq!(score("tool_correctness", Some("deepeval"), &dusty).unwrap().passed, Some(false));
    assert_eq!(score("tool_correctness", None, &dusty).unwrap().passed, Some(true));
}

#[test]
fn where_we_differ_from_vitest_evals() {
    let case = |config: &str, expected: &str, called: &str| {
        format!(r#"{{"config":{config},"expectedTools":{expected},"toolCalls":{called}}}"#)
    };
    let arguments = |expected: &str, given: &str, config: &str| {
        let call = |arguments: &str| format!(r#"[{{"name":"a","arguments":{arguments}}}]"#);
        case(config, &call(expected), &call(given))
    };
    let a = r#"[{"name":"a"}]"#;
    let fuzzy = r#"{"params":"fuzzy"}"#;
    let coerce = r#"{"params":"fuzzy","fuzzyOptions":{"coerceTypes":true}}"#;
    let lenient_order = r#"{"ordered":true,"requireAll":false}"#;
    let rows = [
        (r#"{"toolCalls":[{"name":"a"}]}"#.to_owned(), "1.0000", "InvalidCase"),
        (
            case(
                "{}",
                r#"[{"name":"a","arguments":{"x":1}},{"name":"a"}]"#,
                r#"[{"name":"a","arguments":{"x":1}},{"name":"a"}]"#,
            ),
            "0.0000",
            "1.0000",
        ),
        (
            case(
                "{}",
                r#"[{"name":"a"},{"name":"a","arguments":{"x":1}}]"#,
                r#"[{"name":"a","arguments":{"x":1}},{"name":"a"}]"#,
            ),
            "1.0000",
            "1.0000",
        ),
        (
            case(r#"{"requireAll":false,"allowExtras":false}"#, r#"[{"name":"a"},{"name":"b"}]"#, a),
            "0.0000",
            "0.5000",
        ),
        (
            case(
                r#"{"requireAll":false,"allowExtras":false}"#,
                r#"[{"name":"a"}]"#,
                r#"[{"name":"a"},{"name":"b"}]"#,
            ),
            "0.0000",
            "0.0000",
        ),
        (
            case(
                r#"{"ordered":true}"#,
                r#"[{"name":"a"},{"name":"b","arguments":{"x":1}}]"#,
                r#"[{"name":"a"},{"name":"b","arguments":{"x":2}}]"#,
            ),
            "0.5000",
            "0.0000",
        ),
        (
            case(
                r#"{"ordered":true}"#,
                r#"[{"name":"a","arguments":{"x":1}}]"#,
                r#"[{"name":"a","arguments":{"x":9}},{"name":"a","arguments":{"x":1}}]"#,
            ),
            "0.0000",
            "1.0000",
        ),
        (case(lenient_order, r#"[{"name":"a"},{"name":"b"}]"#, r#"[{"name":"b"}]"#), "0.0000", "0.5000"),
        (case(r#"{"allowExtras":false}"#, "[]", a), "1.0000", "0.0000"),
        (case("{}", "[]", a), "1.0000", "1.0000"),
        (arguments(r#"{"x":""}"#, r#"{"x":"oslo"}"#, fuzzy), "1.0000", "0.0000"),
        (arguments(r#"{"x":""}"#, r#"{"x":""}"#, fuzzy), "1.0000", "1.0000"),
        (arguments(r#"{"x":"Oslo, Norway"}"#, r#"{"x":"o"}"#, fuzzy), "1.0000", "0.0000"),
        (arguments(r#"{"x":"oslo"}"#, r#"{"x":"Oslo, Norway"}"#, fuzzy), "1.0000", "1.0000"),
        (arguments(r#"{"x":["a","ab"]}"#, r#"{"x":["ab","a"]}"#, fuzzy), "1.0000", "1.0000"),
        (arguments(r#"{"x":[1,1.001]}"#, r#"{"x":[1.0005,1]}"#, fuzzy), "1.0000", "1.0000"),
        (arguments(r#"{"x":[1,1.0015]}"#, r#"{"x":[1.001,1]}"#, fuzzy), "0.0000", "1.0000"),
        (arguments(r#"{"x":42}"#, r#"{"x":"42px"}"#, coerce), "1.0000", "0.0000"),
        (arguments(r#"{"x":42}"#, r#"{"x":" 42.0 "}"#, coerce), "1.0000", "1.0000"),
        (arguments(r#"{"x":false}"#, r#"{"x":"banana"}"#, coerce), "1.0000", "0.0000"),
        (arguments(r#"{"x":false}"#, r#"{"x":"False"}"#, coerce), "1.0000", "1.0000"),
        (arguments("null", "{}", "{}"), "0.0000", "1.0000"),
        (arguments("null", r#"{"x":1}"#, "{}"), "0.0000", "0.0000"),
        (arguments("{}", r#""""#, "{}"), "1.0000", "0.0000"),
        (arguments("{}", "0", "{}"), "1.0000", "0.0000"),
        (arguments("{}", "[]", "{}"), "1.0000", "0.0000"),
        (arguments("{}", "null", "{}"), "1.0000", "1.0000"),
        (arguments(r#"{"x":9007199254740992}"#, r#"{"x":9007199254740993}"#, "{}"), "1.0000", "0.0000"),
        (arguments(r#"{"x":1}"#, r#"{"x":1.0}"#, "{}"), "1.0000", "1.0000"),
        (arguments(r#"{"x":{"$regex":"(?=a)"}}"#, r#"{"x":"a"}"#, fuzzy), "InvalidCase", "InvalidCase"),
    ];
    for (record, theirs, ours) in rows {
        assert_differences("tool_call", "vitest-evals", &[(&record, theirs, ours)]);
    }
    let third = format!(
        r#"{{"config":{{"threshold":0.3333333333333334,"requireAll":false}},"expectedTools":["a","b","c"],"toolCalls":{a}}}"#
    );
    assert_eq!(score("tool_call", Some("vitest-evals"), &third).unwrap().passed, Some(false));
    assert_eq!(score("tool_call", None, &third).unwrap().passed, Some(true));
}

#[test]
fn where_we_differ_from_langchain() {
    let steps = |expected: &str, actual: &str| {
        format!(r#"{{"run":{{"actual_steps":{actual}}},"example":{{"expected_steps":{expected}}}}}"#)
    };
    let results = |peer, record: &str| {
        let scored = score("trajectory", peer, record);
        scored.map(|scored| {
            let results = scored.metadata.get("results").and_then(Json::as_array).unwrap();
            results
                .iter()
                .skip(1)
                .map(|result| result.get("score").unwrap().to_string())
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    assert_differences(
        "trajectory",
        "langchain",
        &[
            (&steps("[]", "[]"), "ZeroDivisionError", "1.0000"),
            (&steps("[]", r#"["a"]"#), "ZeroDivisionError", "0.0000"),
            (&steps(r#"["a"]"#, r#"["a"]"#), "1.0000", "1.0000"),
            (r#"{"run":{},"example":{"expected_steps":["a"]}}"#, "ValueError", "InvalidCase"),
        ],
    );
    assert_eq!(results(None, &steps("[]", "[]")).unwrap(), "1.0");
    assert_eq!(results(None, &steps("[]", r#"["a"]"#)).unwrap(), "null");

    let graded = |how: &str, reply: &str, example: &str| {
        format!(
            r#"{{"run":{{"actual_steps":["a"],"output":"x","state":true}},"example":{{"expected_steps":["a"]{example}}},
            "output_evaluation":"{how}","llm_reply":{reply}}}"#
        )
    };
    let reference = r#","reference":"y""#;
    for (how, reply, example, theirs, ours) in [
        ("qa", r#""NOT CORRECT""#, reference, "1.0 1", "1.0 0"),
        ("qa", r#""CORRECT\n\nINCORRECT""#, reference, "1.0 1", "1.0 null"),
        ("qa_math_without_question", r#""COMPARISON: CORRECT""#, reference, "1.0 0", "1.0 1"),
        ("qa_math_without_question", r#""CORRECTLY done""#, reference, "1.0 1", "1.0 null"),
        ("qa", r#""CORRECT""#, "", "KeyError: 'reference'", "1.0 null"),
        (
            "qa",
            "null",
            reference,
            "InvalidCase: `llm_reply` is missing: what the model said of the answer",
            "1.0 null",
        ),
        ("none", "null", r#","state":1"#, "1.0 1", "1.0 0"),
    ] {
        let record = graded(how, reply, example);
        let shown = |peer| results(peer, &record).unwrap_or_else(|error| error.to_string());
        assert_eq!(shown(Some("langchain")), theirs, "{record}");
        assert_eq!(shown(None), ours, "{record}");
    }
}

#[test]
fn trajectories_match_by_mode() {
    let record = |expected: &str, actual: &str| {
        let record = format!(
            r#"{{"run":{{"intermediate_steps":{actual}}},"example":{{"expected_steps":{expected}}}}}"#
        );
        Json::parse(&record).unwrap()
    };
    for (expected, actual, agrees) in [
        // For strict, unordered, subset and superset.
        (r#"["a","b"]"#, r#"["a","b"]"#, [true; 4]),
        (r#"["a","b"]"#, r#"["b","a"]"#, [false, true, true, true]),
        (r#"["a","b"]"#, r#"["a"]"#, [false, false, true, false]),
        (r#"["a"]"#, r#"["b","a"]"#, [false, false, false, true]),
        (r#"["a"]"#, r#"["a","a"]"#, [false, false, false, true]),
        (r#"["a","a"]"#, r#"["a","b"]"#, [false; 4]),
        ("[]", "[]", [true; 4]),
    ] {
        for (mode, agrees) in ["strict", "unordered", "subset", "superset"].into_iter().zip(agrees) {
            let scorer = ready("trajectory", &format!(r#"{{"trajectory_match_mode":"{mode}"}}"#), None);
            let record = record(expected, actual);
            let scored = scorer.score(record.as_object().unwrap()).unwrap();
            assert_eq!(scored.score, Some(f64::from(u8::from(agrees))), "{mode}: {record}");
            assert_eq!(scored.passed, Some(agrees), "{mode}: {record}");
        }
    }
    let expected = r#"[{"tool":"a","tool_input":{"x":1}},"b"]"#;
    for (actual, agrees) in [
        (r#"[{"tool":"a","tool_input":{"x":1.0}},{"tool":"b","tool_input":{"y":2}}]"#, true),
        (r#"[[{"tool":"a","tool_input":{"x":1}},"seen"],[{"tool":"b"},null]]"#, true),
        (r#"[{"tool":"a","tool_input":{"x":2}},"b"]"#, false),
        (r#"["a","b"]"#, false),
    ] {
        let scorer = ready("trajectory", r#"{"tool_args_match_mode":"exact"}"#, None);
        let record = record(expected, actual);
        let scored = scorer.score(record.as_object().unwrap()).unwrap();
        assert_eq!(scored.score, Some(f64::from(u8::from(agrees))), "{record}");
        let issues: Vec<_> = scored.issues.iter().map(|issue| issue.path.as_deref()).collect();
        assert_eq!(issues, if agrees { vec![] } else { vec![Some("/x")] }, "{record}");
    }
}

#[test]
fn where_we_differ_from_the_article() {
    let case =
        |test: &str, calls: &str, rest: &str| format!(r#"{{"test":{{{test}}},"tool_calls":{calls}{rest}}}"#);
    let shown = |peer, record: &str| {
        let scored = score("tool_evaluator", peer, record).unwrap();
        let passed = if scored.passed == Some(true) { "passes" } else { "fails" };
        format!("{:.3} {passed} {}", scored.score.unwrap(), scored.issues.len())
    };
    let one = r#""expected_tool_calls":[{"tool_name":"a"}]"#;
    let two = r#""expected_tool_calls":[{"tool_name":"a","required_params":{"x":1}},{"tool_name":"a","required_params":{"x":2}}]"#;
    let a = r#"[{"name":"a"}]"#;
    let checked = r#""expected_tool_calls":[{"tool_name":"a","required_params":{"x":1},"forbidden_params":["y","z"],
        "param_validators":{"x":{"kind":"range","min":0,"max":5}}}]"#;
    let words = r#""expected_tool_calls":[],"expected_output_contains":["yes","no"]"#;
    for (record, theirs, ours) in [
        (case(one, r#"[{"name":"a"},{"name":"a"}]"#, ""), "1.300 passes 1", "0.850 passes 1"),
        (
            case(r#""expected_tool_calls":[{"tool_name":"a"},{"tool_name":"a"}]"#, a, ""),
            "0.850 passes 1",
            "0.700 fails 1",
        ),
        (
            case(two, r#"[{"name":"a","input":{"x":2}},{"name":"a","input":{"x":1}}]"#, ""),
            "0.925 passes 0",
            "1.000 passes 0",
        ),
        (
            case(
                r#""expected_tool_calls":[{"tool_name":"a","required_params":{"x":1,"y":1,"z":1}}]"#,
                r#"[{"name":"a","input":{"x":1}}]"#,
                "",
            ),
            "0.800 fails 2",
            "0.800 passes 2",
        ),
        (case(one, "[]", ""), "0.400 fails 1", "0.100 fails 1"),
        (case(one, a, r#","latency_ms":10001"#), "1.000 passes 1", "1.000 fails 1"),
        (case(&format!(r#"{one},"max_tool_calls":0"#), a, ""), "1.000 passes 1", "1.000 fails 1"),
        (case(checked, r#"[{"name":"a","input":{"x":1,"y":0}}]"#, ""), "0.850 passes 1", "0.925 passes 1"),
        (
            case(
                r#""expected_tool_calls":[],"should_not_call_tools":true,"expected_output_contains":["yes"]"#,
                a,
                "",
            ),
            "0.000 fails 2",
            "0.000 fails 2",
        ),
        (case(words, "[]", r#","response":"YES!""#), "0.500 fails 1", "0.500 fails 1"),
        (case(words, "[]", ""), "0.500 fails 2", "0.000 fails 2"),
        (
            case(
                r#""expected_tool_calls":[{"tool_name":"a","required_params":{"x":true}}]"#,
                r#"[{"name":"a","input":{"x":1}}]"#,
                "",
            ),
            "1.000 passes 0",
            "0.850 passes 1",
        ),
    ] {
        assert_eq!(shown(Some("article"), &record), theirs, "{record}");
        assert_eq!(shown(None, &record), ours, "{record}");
    }
}

#[test]
fn wrong_settings_are_named() {
    for (scorer, settings, error) in [
        (
            "tool_correctness",
            r#"{"treshold":1}"#,
            "there is no setting `treshold`; the settings are: threshold,",
        ),
        ("tool_correctness", r#"{"strict_mode":1}"#, "`strict_mode` must be true or false, but is 1"),
        ("tool_correctness", r#"{"evaluation_params":["X"]}"#, "`evaluation_params` must be a list of"),
        ("tool_call", r#"{"params":"lax"}"#, "`params` must be `strict`, `fuzzy`, {\"custom\": NAME} or"),
        ("tool_call", r#"{"fuzzyOptions":{"tolerance":1}}"#, "there is no setting `tolerance`"),
        ("tool_call", r#"{"params":{"custom":"x"}}"#, "`params.custom` must be `always` or `never`"),
        ("trajectory", r#"{"trajectory_match_mode":"any"}"#, "`trajectory_match_mode` must be `strict` or"),
        ("tool_evaluator", r#"{"threshold":2}"#, "`threshold` must be a number from 0 to 1, but is 2"),
    ] {
        let settings = Json::parse(settings).unwrap();
        let scorer = SCORERS.iter().find(|candidate| candidate.name == scorer).unwrap();
        let found = (scorer.ready)(settings.as_object().unwrap(), None).err().unwrap().to_string();
        assert!(found.starts_with(error), "{found}");
        let found = (scorer.ready)(&Object::new(), Some("nobody")).err().unwrap().to_string();
        assert!(found.starts_with("`nobody` is not a peer of this scorer"), "{found}");
    }
}

#[test]
fn issues_name_the_tool_and_the_place() {
    let vitest = r#"{"config":{"params":"fuzzy","allowExtras":false},
        "expectedTools":[{"name":"a","arguments":{"x":{"$regex":"^\\d+$","$flags":""},"y":1}},{"name":"b"}],
        "toolCalls":[{"name":"a","arguments":{"x":"one"}},{"name":"c"}]}"#;
    let deepeval = r#"{"config":{"evaluation_params":["INPUT_PARAMETERS","OUTPUT"]},
        "expected_tools":[{"name":"a","input_parameters":{"p/q":{"r":1},"s":"t"},"output":1},{"name":"b"},{"name":"m","type":"MCP"}],
        "tools_called":[{"name":"a","input_parameters":{"p/q":{"r":2},"s":3,"u":null},"output":2},{"name":"c"},{"name":"m"}]}"#;
    let ordered = r#"{"config":{"should_consider_ordering":true},
        "expected_tools":[{"name":"a"},{"name":"b"}],"tools_called":[{"name":"b"},{"name":"a"}]}"#;
    let article = r#"{"test":{"max_latency_ms":1,"max_tool_calls":1,"expected_output_contains":["k"],"expected_tool_calls":[
        {"tool_name":"a","required_params":{"x":1,"y":2},"forbidden_params":["z"],
        "param_validators":{"z":{"kind":"in","values":[1]}}}]},
        "tool_calls":[{"name":"a","input":{"x":2,"z":3}},{"name":"b"}],"latency_ms":2}"#;
    let langchain = r#"{"run":{"actual_steps":["b","a"],"state":1,"output":"x"},"output_evaluation":"qa","llm_reply":"INCORRECT",
        "example":{"expected_steps":["a","b"],"state":2,"reference":"y"}}"#;
    let deepeval_issues = "wrong_value a /p~1q/r, wrong_type a /s, extra_parameter a /u, wrong_output a, missing_call b, wrong_tool_type m, unexpected_call c";
    for (scorer, peer, record, expected) in [
        (
            "tool_call",
            "vitest-evals",
            vitest,
            "wrong_value a /x, missing_parameter a /y, missing_call b, unexpected_call c",
        ),
        ("tool_correctness", "deepeval", deepeval, deepeval_issues),
        ("tool_correctness", "deepeval", ordered, "wrong_order b"),
        (
            "tool_evaluator",
            "article",
            article,
            "latency_over_budget, too_many_calls, wrong_value a /x, missing_parameter a /y, forbidden_parameter a /z, \
             failed_validator a /z, unexpected_call b, missing_keyword",
        ),
        ("trajectory", "langchain", langchain, "wrong_order b, wrong_state, wrong_answer"),
    ] {
        for peer in [None, Some(peer)] {
            let scored = score(scorer, peer, record).unwrap();
            let issues: Vec<String> = scored
                .issues
                .iter()
                .map(|issue| {
                    let parts = [Some(issue.kind.as_str()), issue.tool.as_deref(), issue.path.as_deref()];
                    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
                })
                .collect();
            assert_eq!(issues.join(", "), expected, "{scorer} as {peer:?}: {record}");
        }
    }
}

/// Any JSON, of the words and numbers that records are made of.
fn any_json() -> impl Strategy<Value = Json> {
    let text = prop::sample::select(vec![
        "", "a", "b", "É", "FUNCTION", "MCP", "^[a-z]+", "(", "CORRECT", "i", "42px", "true",
    ]);
    let numbers = vec!["0", "-0", "1", "1.0", "-3", "1e400", "9007199254740993", "0.5", "1e-9"];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        prop::sample::select(numbers).prop_map(|number| Json::Number(Number::parse(number).unwrap())),
        text.prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let keys = vec![
            "a",
            "b",
            "0",
            "$regex",
            "$flags",
            "$validator",
            "name",
            "type",
            "tool",
            "tool_input",
            "arguments",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((prop::sample::select(keys), inner), 0..4).prop_map(
                |members| Json::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            ),
        ]
    })
}

/// A call with any arguments under any peer's names.
fn any_call() -> impl Strategy<Value = Json> {
    let name = prop::sample::select(vec!["a", "b"]);
    let kind = prop::option::of(prop::sample::select(vec!["FUNCTION", "MCP"]));
    (name, kind, prop::option::of(any_json())).prop_map(|(name, kind, json)| {
        let mut call = Object::new();
        ["name", "tool", "tool_name"].iter().for_each(|key| call.insert(*key, name));
        kind.into_iter().for_each(|kind| call.insert("type", kind));
        let Some(json) = json else { return Json::Object(call) };
        ["arguments", "tool_input"].iter().for_each(|key| call.insert(*key, json.clone()));
        if json.as_object().is_some() {
            ["input_parameters", "input", "required_params"]
                .iter()
                .for_each(|key| call.insert(*key, json.clone()));
        }
        call.insert("output", json);
        Json::Object(call)
    })
}

/// A record that is a case of every scorer at once.
fn any_record() -> impl Strategy<Value = Object> {
    let calls = || prop::collection::vec(any_call(), 0..5).prop_map(Json::Array);
    (calls(), calls(), any_json(), any_json(), any::<bool>(), any::<bool>()).prop_map(
        |(expected, called, state, other, ordered, reply)| {
            let object = |members: Vec<(&str, Json)>| {
                Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            };
            let mut record = Object::new();
            for key in ["expected_tools", "expectedTools"] {
                record.insert(key, expected.clone());
            }
            for key in ["tools_called", "toolCalls", "tool_calls"] {
                record.insert(key, called.clone());
            }
            record.insert("test", object(vec![("expected_tool_calls", expected.clone())]));
            record.insert(
                "run",
                object(vec![("intermediate_steps", called), ("state", state), ("output", Json::Null)]),
            );
            record.insert(
                "example",
                object(vec![
                    ("expected_steps", expected),
                    ("state", other.clone()),
                    ("order_matters", Json::Bool(ordered)),
                    ("reference", Json::Null),
                ]),
            );
            record.insert("output_evaluation", "qa");
            if reply {
                record.insert("llm_reply", "NOT CORRECT");
            } else {
                record.insert("llm_reply", other);
            }
            record
        },
    )
}

/// Every scorer, as every peer and as itself, with settings that lead everywhere.
fn all_ready() -> Vec<(bool, Box<dyn Score>)> {
    let settings = |scorer: &str| match scorer {
        "tool_correctness" => [
            r#"{"evaluation_params":["INPUT_PARAMETERS","OUTPUT"]}"#,
            r#"{"evaluation_params":["INPUT_PARAMETERS"],"should_consider_ordering":true,"strict_mode":true}"#,
            r#"{"evaluation_params":["OUTPUT"],"should_exact_match":true}"#,
        ],
        "tool_call" => [
            r#"{"params":"fuzzy","requireAll":false,"fuzzyOptions":{"coerceTypes":true}}"#,
            r#"{"params":"strict","ordered":true,"allowExtras":false,"requireAll":false}"#,
            r#"{"params":"fuzzy","allowExtras":false,"fuzzyOptions":{"ignoreArrayOrder":false,"substring":false}}"#,
        ],
        "trajectory" => [
            r#"{"tool_args_match_mode":"exact"}"#,
            r#"{"trajectory_match_mode":"superset"}"#,
            r#"{"trajectory_match_mode":"subset"}"#,
        ],
        _ => ["{}"; 3],
    };
    let mut ready = Vec::new();
    for scorer in SCORERS {
        for settings in settings(scorer.name) {
            let settings = Json::parse(settings).unwrap();
            for peer in std::iter::once(None).chain(scorer.peers.iter().copied().map(Some)) {
                // Settings of our own are errors where they are another's.
                if let Ok(scorer) = (scorer.ready)(settings.as_object().unwrap(), peer) {
                    ready.push((peer.is_none(), scorer));
                }
            }
        }
    }
    ready
}

proptest! {
    #[test]
    fn no_record_makes_a_scorer_panic(record in any_record(), key in 0..12usize, junk in any_json()) {
        let mut damaged = record.clone();
        let name = damaged.keys().nth(key).map(str::to_owned);
        if let Some(name) = name {
            damaged.insert(name, junk);
        }
        for (is_ours, scorer) in all_ready() {
            for record in [&record, &damaged] {
                let Ok(scored) = scorer.score(record) else { continue };
                let score = scored.score.unwrap_or(0.0);
                if is_ours {
                    prop_assert!((0.0..=1.0).contains(&score), "{score} for {}", Json::Object(record.clone()));
                    if score < 1.0 {
                        prop_assert!(!scored.issues.is_empty() || scored.reason.is_some());
                    }
                }
                // What is written can be read back.
                prop_assert!(Json::parse(&Json::Object(scored.to_json()).to_string()).is_ok());
            }
        }
    }

    #[test]
    fn what_is_expected_to_the_letter_is_right(calls in prop::collection::vec(any_call(), 0..5)) {
        let mut record = Object::new();
        record.insert("expected_tools", Json::Array(calls.clone()));
        record.insert("tools_called", Json::Array(calls.clone()));
        record.insert("expectedTools", Json::Array(calls.clone()));
        record.insert("toolCalls", Json::Array(calls));
        for scorer in ["tool_correctness", "tool_call"] {
            if let Ok(scored) = ready(scorer, "{}", None).score(&record) {
                prop_assert_eq!(scored.score, Some(1.0), "{}", Json::Object(record.clone()));
                prop_assert_eq!(&scored.issues, &vec![]);
            }
        }
    }
}
