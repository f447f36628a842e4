//! Real calls of models, in a table that cannot be shipped: the scorer of BFCL on all of them.

use std::path::PathBuf;

/// The folder of the data that cannot be shipped.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var("TOOLJUDGE_SHARED").ok();
    if shared.is_none() {
        println!("skipped: TOOLJUDGE_SHARED is not set");
    }
    shared.map(PathBuf::from)
}

/// Real calls of models against today's questions and answers.
mod by_the_scorer {
    use std::collections::HashMap;
    use std::fs::File;
    use std::path::Path;

    use polars::prelude::{DataFrame, ParquetReader, SerReader};
    use tooljudge::domain::{Json, Object};
    use tooljudge::score::{SCORERS, Score};
    use tooljudge_core::score::bfcl::{accuracy, join, of_file};

    use super::shared;

    fn column<'a>(table: &'a DataFrame, name: &str) -> Vec<Option<&'a str>> {
        table.column(name).unwrap().str().unwrap().iter().collect()
    }

    fn by_id(path: &Path) -> HashMap<String, Object> {
        let Ok(text) = std::fs::read_to_string(path) else { return HashMap::new() };
        let lines = text.lines().filter(|line| !line.is_empty()).map(object);
        lines.map(|line| (line.get("id").unwrap().as_str().unwrap().to_owned(), line)).collect()
    }

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

    /// `[{"name": .., "arguments": ..}]` as a result file has it.
    fn result(id: &str, calls: &str) -> Object {
        let calls = Json::parse(calls).unwrap();
        let call = |call: &Json| {
            let name = call.get("name").unwrap().as_str().unwrap().to_owned();
            Json::Object([(name, call.get("arguments").unwrap().clone())].into_iter().collect())
        };
        let mut result = Object::new();
        result.insert("id", id);
        result.insert("result", Json::Array(calls.as_array().unwrap().iter().map(call).collect()));
        result
    }

    #[test]
    fn todays_verdicts() {
        let Some(shared) = shared() else { return };
        let table = ParquetReader::new(File::open(shared.join("data/bfcl_real_calls.parquet")).unwrap())
            .finish()
            .unwrap();
        let names = ["category", "question_id", "tool_call", "decode_status", "verdict_v4", "row_id"];
        let [category, question, call, status, verdict, row_id] = names.map(|name| column(&table, name));
        let (peer, own) = (scorer(Some("bfcl")), scorer(None));
        for name in [
            "simple_python",
            "multiple",
            "parallel",
            "parallel_multiple",
            "simple_java",
            "simple_javascript",
            "irrelevance",
        ] {
            let file = format!("BFCL_v4_{name}.json");
            assert_eq!(of_file(&file), Some(name));
            let questions = by_id(&shared.join("data/bfcl").join(&file));
            let answers = by_id(&shared.join("data/bfcl/possible_answer").join(&file));
            let (mut official, mut theirs, mut ours, mut off) = (vec![], vec![], vec![], vec![]);
            for row in 0..table.height() {
                let decoded = matches!(status[row], Some("ok" | "no_call"));
                let (Some(id), Some(expected)) = (question[row], verdict[row]) else { continue };
                if category[row] != Some(name) || !decoded {
                    continue;
                }
                let result = result(id, call[row].unwrap());
                let record = join(&questions[id], answers.get(id), &result, of_file(&file), false).unwrap();
                let scored = peer.score(&record).unwrap();
                official.push((name, expected == "correct"));
                theirs.push((name, scored.passed.unwrap()));
                ours.push((name, own.score(&record).unwrap().passed.unwrap()));
                if theirs.last() != official.last() {
                    off.push(format!("{:?}: {expected}, here {:?}", row_id[row], scored.reason));
                }
            }
            let [official, theirs, ours] = [official, theirs, ours].map(|cases| accuracy(cases)[name]);
            println!(
                "{name}: {} calls, official {:.4}, here {:.4} ({} verdicts differ), by our own rules {:.4}",
                official.total,
                official.share().unwrap(),
                theirs.share().unwrap(),
                off.len(),
                ours.share().unwrap()
            );
            assert!(off.is_empty(), "{}", off.join("\n"));
        }
    }
}
