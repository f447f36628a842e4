//! Every recorded result of the peers, and what the default modes do otherwise.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tooljudge::domain::{Json, Number, Object};
use tooljudge::score::{SCORERS, Score, ScoreError, Scored};

/// The recorded results: ours, or those in the folder that the environment names.
#[expect(clippy::disallowed_methods, reason = "a test reads where the data lies")]
fn corpus(file: &str) -> Vec<Json> {
    let shipped = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/parity");
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
