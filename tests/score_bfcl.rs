//! The function-calling benchmark's checker: recorded verdicts of the official one, what ours does differently, real data.

use std::io::Read;
use std::path::{Path, PathBuf};

use tooljudge::domain::{Json, Object};
use tooljudge::score::{SCORERS, Score};

fn object(text: &str) -> Object {
    match Json::parse(text).unwrap() {
        Json::Object(object) => object,
        other => panic!("{other}"),
    }
}

fn scorer(peer: Option<&str>) -> Box<dyn Score> {
    let scorer = SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap();
    (scorer.ready)(&Object::new(), peer).unwrap()
}

/// The folder of the data that cannot be shipped.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var("TOOLJUDGE_SHARED").ok();
    if shared.is_none() {
        println!("skipped: TOOLJUDGE_SHARED is not set");
    }
    shared.map(PathBuf::from)
}

fn unzipped(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn recorded_verdicts_of_the_official_checker() {
    let parity = match std::env::var("TOOLJUDGE_PARITY") {
        Ok(folder) => PathBuf::from(folder),
        Err(_) => match shared() {
            Some(shared) => shared.join("parity"),
            None => return,
        },
    };
    let (peer, own) = (scorer(Some("bfcl")), scorer(None));
    let (mut compared, mut differences) = (0, std::collections::BTreeMap::<_, Vec<String>>::new());
    for line in unzipped(&parity.join("bfcl_ast.jsonl.gz")).lines() {
        let record = object(line);
        assert!((SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap().matches)(&record));
        let scored = peer.score(&record).unwrap();
        for key in ["valid", "error_type"] {
            assert_eq!(scored.metadata.get(key), record.get(key), "case {compared}: {line}\n{scored:?}");
        }
        let valid = record.get("valid") == Some(&Json::Bool(true));
        assert_eq!((scored.score, scored.passed), (Some(f64::from(u8::from(valid))), Some(valid)));
        assert_eq!(scored.issues.is_empty(), valid, "{line}");
        compared += 1;

        let ours = own.score(&record).unwrap();
        if ours.metadata.get("error_type") != record.get("error_type") {
            let kind = |json: Option<&Json>| json.and_then(Json::as_str).unwrap_or("valid").to_owned();
            let key = (kind(record.get("error_type")), kind(ours.metadata.get("error_type")));
            differences.entry(key).or_default().push(kind(record.get("case_id")));
        }
    }
    println!("bfcl_ast: {compared} compared, {compared} equal");
    for ((theirs, ours), cases) in &differences {
        println!("by our own rules {ours} where theirs is {theirs}: {} ({})", cases.len(), cases[0]);
    }
    assert!(compared > 0);
}
