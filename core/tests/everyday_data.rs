//! `datasets/everyday.jsonl` is what its README says: readable, in pairs, and outside of its definitions only where it means to be.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use tooljudge_core::check::{Baseline, BaselineKind};
use tooljudge_core::domain::{Calls, Definitions, Json, Sample, Task};

use crate::data_rows;

const FILE: &str = "everyday.jsonl";
const README: &str = include_str!("../../datasets/README.md");

/// Kinds of wrong calls that break their definition; no other row does.
const BREACHES: [&str; 3] = ["missing_required", "wrong_type", "enum"];

struct Row {
    json: Json,
    sample: Sample,
}

impl Row {
    fn text(&self, key: &str) -> &str {
        self.json.get(key).and_then(Json::as_str).unwrap_or_else(|| panic!("no `{key}` in {}", self.json))
    }

    fn traits(&self) -> Vec<&str> {
        let Some(Json::Array(traits)) = self.json.get("traits") else { panic!("{}", self.text("id")) };
        traits.iter().map(|one| one.as_str().unwrap()).collect()
    }

    /// Whether tools were used before; what is judged may repeat it, so that it cannot be told by the sample.
    fn is_under_way(&self) -> bool {
        let Some(Json::Array(messages)) = self.json.get("question") else { return false };
        messages.iter().any(|message| message.get("role").and_then(Json::as_str) == Some("tool"))
    }
}

/// Reading them takes seconds where nothing is optimized: the tests share them.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    data_rows::of(&data_rows::text(FILE)).map(|(json, sample)| Row { json, sample }).collect()
});

#[test]
fn rows_are_readable_and_fit_their_definitions_where_they_should() {
    let schema = Baseline::new(BaselineKind::SchemaOnly, Task::ToolCalling);
    let (mut ids, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for row in ROWS.iter() {
        let id = row.text("id").to_owned();
        let (Calls::Parsed(calls), Definitions::Known(tools)) = (&row.sample.calls, &row.sample.definitions)
        else {
            panic!("{id} cannot be read")
        };
        assert!((1..=10).contains(&tools.len()), "{id}: {} tools", tools.len());
        assert!(calls.iter().all(|call| tools.iter().any(|tool| tool.name == call.name)), "{id}");
        let kind = row.text("kind");
        let fits = schema.judge(&row.sample).label() == Some("correct");
        assert_eq!(fits, !BREACHES.contains(&kind), "{id}: {kind}");
        assert_eq!(row.text("gold") == "correct", ["right", "no_call_right"].contains(&kind), "{id}");
        assert!(kind != "no_call_right" || calls.is_empty(), "{id}");
        assert_eq!(row.is_under_way(), row.traits().contains(&"mid_transcript"), "{id}");
        assert!(!row.text("note").is_empty(), "{id}");
        let asked = ["question", "tool_definitions"].map(|key| row.json.get(key).unwrap().to_string());
        assert!(seen.insert((asked, row.json.get("tool_call").unwrap().to_string())), "{id} is there twice");
        assert!(ids.insert(id.clone()), "{id} names two rows");
    }
}

#[test]
fn each_situation_has_right_and_wrong_calls_and_lies_on_one_side_of_the_split() {
    let mut pairs: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    let mut sides: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in ROWS.iter() {
        sides.entry(row.text("domain").to_owned()).or_default().insert(row.text("split").to_owned());
        pairs.entry(row.text("pair").to_owned()).or_default().push(row);
    }
    assert!(pairs.len() >= 2_000, "{}", pairs.len());
    for (pair, rows) in &pairs {
        let golds: BTreeSet<&str> = rows.iter().map(|row| row.text("gold")).collect();
        assert_eq!(golds.len(), 2, "{pair}");
        let question = rows[0].json.get("question").unwrap().to_string();
        assert!(rows.iter().all(|row| row.json.get("question").unwrap().to_string() == question), "{pair}");
    }
    assert!(sides.len() >= 60 && sides.values().all(|sides| sides.len() == 1), "{sides:?}");
    assert_eq!(sides.values().filter(|sides| sides.contains("held")).count(), 27);
}

#[test]
fn the_readme_counts_what_there_is() {
    let mut found: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for row in ROWS.iter() {
        for key in ["split", "gold", "kind", "lang"] {
            *found.entry((key, row.text(key).to_owned())).or_default() += 1;
        }
        for one in row.traits() {
            *found.entry(("traits", one.to_owned())).or_default() += 1;
        }
    }
    let section = README.split("## everyday.jsonl").nth(1).unwrap().split("\n## ").next().unwrap();
    let counted = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [key, value, rows] = cells[..] else { return None };
        Some(((key.to_owned(), value.to_owned()), rows.parse::<usize>().ok()?))
    };
    let told: BTreeMap<(String, String), usize> = section.lines().filter_map(counted).collect();
    let found = found.into_iter().map(|((key, value), rows)| ((key.to_owned(), value), rows)).collect();
    assert_eq!(told, found);
    let held: BTreeSet<String> = ROWS
        .iter()
        .filter(|row| row.text("split") == "held")
        .map(|row| format!("`{}`", row.text("domain")))
        .collect();
    let held = held.into_iter().collect::<Vec<_>>().join(", ");
    let text = section.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("The held domains: {held}.")), "{held}");
}
