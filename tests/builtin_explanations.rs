//! What the built-in judge says of calls that are known to be wrong: it names what is wrong, by the notes of the shipped data.

use std::collections::BTreeMap;

use serde_json::Value;
use tooljudge::domain::{Cell, RawRow, Sample, Task, Verdict};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::check::{Baseline, BaselineKind, BuiltinJudge, Decide};

use crate::support::workspace::{Workspace, repository};

/// The rows of the shipped benchmark.
fn rows() -> Vec<(Value, Sample)> {
    let text = std::fs::read_to_string(repository("datasets/benchmark.jsonl")).unwrap();
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let cell = |key: &str| match &row[key] {
            Value::String(text) => Cell::Text(text.clone()),
            other => Cell::Text(other.to_string()),
        };
        let raw = RawRow {
            question: cell("question"),
            tool_call: cell("tool_call"),
            tool_definitions: cell("tool_definitions"),
            ..RawRow::default()
        };
        let sample = normalizer.sample(raw).unwrap();
        (row, sample)
    };
    text.lines().map(row).collect()
}

fn explanation(verdict: &Verdict) -> &str {
    verdict.explanation.as_deref().unwrap_or_default()
}

#[test]
fn what_the_schema_settles_is_settled() {
    for task in [Task::ToolCalling, Task::ParameterExtraction, Task::ToolSelection] {
        let (schema, builtin) = (Baseline::new(BaselineKind::SchemaOnly, task), BuiltinJudge::new(task));
        let mut settled = 0;
        for (row, sample) in rows() {
            if schema.judge(&sample).label() != Some("incorrect") {
                continue;
            }
            settled += 1;
            let verdict = builtin.judge(&sample);
            assert_eq!(verdict.label(), Some("incorrect"), "{} {}", task.as_str(), row["id"]);
            assert!(
                explanation(&verdict).starts_with("Whatever else, "),
                "{}: {}",
                row["id"],
                explanation(&verdict)
            );
        }
        assert!(settled > 0 || task == Task::ToolSelection, "{}", task.as_str());
    }
}

/// The words of a text that tell one thing from another.
fn telling(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && !"_-:.".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| word.len() > 3 || word.chars().any(|c| c.is_ascii_digit()))
        .collect()
}

/// What an explanation names: what stands between backticks, and the parts of such names.
fn named(explanation: &str) -> Vec<String> {
    let spans = explanation.split('`').skip(1).step_by(2);
    spans
        .flat_map(|span| {
            let parts = telling(&span.replace(['_', '-'], " "));
            [span.to_lowercase()].into_iter().chain(telling(span)).chain(parts)
        })
        .collect()
}

#[test]
fn explanations_name_what_the_notes_name() {
    let judge = BuiltinJudge::new(Task::ToolCalling).with_decide(Decide::Always);
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (row, sample) in rows().iter().filter(|(row, _)| row["gold"] == "incorrect") {
        let verdict = judge.judge(sample);
        let Some(note) = row["note"].as_str().filter(|_| verdict.label() == Some("incorrect")) else {
            continue;
        };
        let (note, named) = (telling(note), named(explanation(&verdict)));
        let agrees = named.iter().any(|name| {
            note.iter().any(|word| {
                word == name
                    || (name.len() > 4 && word.starts_with(name.as_str()))
                    || (word.len() > 4 && name.starts_with(word.as_str()))
            })
        });
        let kind = row["error_type"].as_str().unwrap_or_default();
        if ["missing_required", "hallucinated_parameter", "wrong_type"].contains(&kind) {
            // What breaks the schema is said first, with the name of the parameter.
            assert!(
                explanation(&verdict).starts_with("Whatever else, "),
                "{}: {}",
                row["id"],
                explanation(&verdict)
            );
            let names = [&row["tool_call"], &row["tool_definitions"]].map(ToString::to_string).concat();
            let is_parameter = |name: &String| names.to_lowercase().contains(&format!("\"{name}\""));
            assert!(named.iter().any(is_parameter), "{}: {}", row["id"], explanation(&verdict));
        }
        let slot = kinds.entry(kind.to_owned()).or_default();
        slot[0] += 1;
        slot[1] += usize::from(agrees);
        if !agrees {
            println!("{}: {}\n    {}", row["id"], row["note"], explanation(&verdict));
        }
    }
    let [all, agreed] = kinds.values().fold([0, 0], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
    println!("{agreed} of {all}: {kinds:?}");
    assert!(agreed * 100 >= all * SHARE, "{agreed} of {all}");
}

/// Of the wrong calls that are told to be wrong, the share in percent whose explanation names something that the note names. A note
/// may speak of what is right instead, or of the world.
const SHARE: usize = 50;

#[test]
fn the_readme_shows_the_first_run_as_it_is() {
    let work = Workspace::new();
    let table = repository("datasets/quickstart.csv");
    work.run(&["label", table.to_str().unwrap(), "-o", "out.csv"]).ended(0);
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let mut shown = 0;
    for row in work.rows("out.csv") {
        let Some(line) = readme.lines().find(|line| line.starts_with(&format!("| `{}` |", row["id"]))) else {
            continue;
        };
        let confidence: f64 = row["confidence"].parse().unwrap();
        let expected =
            format!("| `{}` | {} | {confidence:.2} | {} |", row["id"], row["label"], row["explanation"]);
        assert_eq!(line, expected);
        shown += 1;
    }
    assert_eq!(shown, 3);
}
