//! Real calls of models, in a table that cannot be shipped: the built-in judge and the scorer of BFCL on all of them.

use std::path::PathBuf;

/// The folder of the data that cannot be shipped.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var("TOOLJUDGE_SHARED").ok();
    if shared.is_none() {
        println!("skipped: TOOLJUDGE_SHARED is not set");
    }
    shared.map(PathBuf::from)
}

/// Real calls of models and questions that the judge's weights were not fitted to.
mod by_the_builtin_judge {
    use std::fs::File;
    use std::path::Path;

    use polars::prelude::{DataFrame, ParquetReader, SerReader};
    use tooljudge::domain::{Cell, RawRow, Sample, Task};
    use tooljudge::normalize::{Normalizer, Options};
    use tooljudge_core::check::{BuiltinJudge, Observation, observations};
    use tooljudge_core::stats::{Confusion, Measure, auc};

    struct Row {
        sample: Sample,
        verdict: Option<bool>,
        parameters: Option<bool>,
        selection: Option<bool>,
    }

    /// The lowest bit of a text's hash says which half it is in; the weights were fitted to half 0.
    fn half(text: &str) -> u8 {
        blake3::hash(text.as_bytes()).as_bytes()[0] & 1
    }

    fn column<'a>(table: &'a DataFrame, name: &str) -> Vec<Option<&'a str>> {
        table.column(name).unwrap().str().unwrap().iter().collect()
    }

    /// Decoded calls, each one once, whose question and model are both in the half that was held out.
    fn held_out(path: &Path) -> Vec<Row> {
        let table = ParquetReader::new(File::open(path).unwrap()).finish().unwrap();
        let names = [
            "question",
            "tool_call",
            "tool_definitions",
            "model",
            "call_key",
            "decode_status",
            "verdict",
            "params_label",
            "selection_label",
        ];
        let [question, call, definitions, model, key, status, verdict, parameters, selection] =
            names.map(|name| column(&table, name));
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let cell = |text: Option<&str>| text.map_or(Cell::Null, |text| Cell::Text(text.to_owned()));
        let gold = |label: Option<&str>| label.map(|label| label == "correct");
        let mut seen = std::collections::HashSet::new();
        (0..table.height())
            .filter(|row| status[*row] == Some("ok") && seen.insert(key[*row]))
            .filter(|row| half(question[*row].unwrap()) == 1 && half(model[*row].unwrap()) == 1)
            .map(|row| Row {
                sample: normalizer
                    .sample(RawRow {
                        question: cell(question[row]),
                        tool_call: cell(call[row]),
                        tool_definitions: cell(definitions[row]),
                        ..RawRow::default()
                    })
                    .unwrap(),
                verdict: gold(verdict[row]),
                parameters: gold(parameters[row]),
                selection: gold(selection[row]),
            })
            .collect()
    }

    /// Observations that a schema alone can make.
    fn is_of_schema(observation: &Observation) -> bool {
        matches!(
            observation,
            Observation::UnknownTool { .. }
                | Observation::MalformedArguments { .. }
                | Observation::MissingParameter { .. }
                | Observation::UnknownParameter { .. }
                | Observation::WrongType { .. }
                | Observation::LooseType { .. }
                | Observation::NotAllowed { .. }
                | Observation::BrokenRule { .. }
        )
    }

    fn show(name: &str, confusion: Confusion, area: Option<f64>) {
        println!(
            "  {name:12} balanced accuracy {:.3}, accuracy {:.3}, AUC {:.3}; right calls: {} passed, {} failed; \
             wrong calls: {} passed, {} failed; {} unjudged",
            Measure::BalancedAccuracy.of(&confusion).unwrap(),
            Measure::Accuracy.of(&confusion).unwrap(),
            // Of a judge without degrees, the area is the mean of its two hit rates.
            area.or(Measure::BalancedAccuracy.of(&confusion)).unwrap(),
            confusion.true_positive,
            confusion.false_negative,
            confusion.false_positive,
            confusion.true_negative,
            confusion.unjudged(),
        );
    }

    #[test]
    fn unseen_questions_and_models() {
        let Some(shared) = super::shared() else { return };
        let rows = held_out(&shared.join("data/bfcl_real_calls.parquet"));
        assert!(rows.len() > 1_000);
        let mut balanced = Vec::new();
        for task in [Task::ParameterExtraction, Task::ToolSelection, Task::ToolCalling] {
            let gold_of = |row: &Row| match task {
                Task::ToolCalling => row.verdict,
                Task::ParameterExtraction => row.parameters,
                Task::ToolSelection => row.selection,
                _ => unreachable!("the corpus has no gold of it"),
            };
            let judge = BuiltinJudge::new(task);
            let (mut judged, mut schema_only, mut all_correct) =
                <(Confusion, Confusion, Confusion)>::default();
            let (mut scores, mut golds, mut bins) = (Vec::new(), Vec::new(), [(0.0, 0.0, 0u32); 5]);
            for row in &rows {
                let Some(gold) = gold_of(row) else { continue };
                let verdict = judge.judge(&row.sample);
                let label = verdict.label().map(|label| label == "correct");
                judged.add(gold, label);
                all_correct.add(gold, Some(true));
                schema_only.add(gold, Some(!observations(&row.sample).iter().any(is_of_schema)));
                if let (Some(label), Some(confidence)) = (label, verdict.confidence) {
                    scores.push(if label { confidence } else { 1.0 - confidence });
                    golds.push(gold);
                    let bin = &mut bins[(((confidence - 0.5) * 10.0) as usize).min(4)];
                    *bin = (bin.0 + confidence, bin.1 + f64::from(u8::from(label == gold)), bin.2 + 1);
                }
            }
            println!("{} on {} held-out calls", task.as_str(), scores.len());
            show("builtin", judged, auc(&scores, &golds));
            show("schema only", schema_only, None);
            show("all correct", all_correct, None);
            for (confidence, right, count) in bins.into_iter().filter(|bin| bin.2 > 0) {
                let count = f64::from(count);
                println!("  confidence {:.2}: {:.2} right of {count}", confidence / count, right / count);
            }
            balanced.push((task, Measure::BalancedAccuracy.of(&judged).unwrap()));
        }
        for (task, figure) in balanced {
            assert!(figure >= 0.70, "{}: {figure}", task.as_str());
        }
    }
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
