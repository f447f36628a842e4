//! `datasets/benchmark.jsonl` is what its README says: readable, labelled consistently, and wrong only where it means to be.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::{BTreeMap, BTreeSet};

use tooljudge_core::check::{Observation, observations};
use tooljudge_core::domain::{Calls, Definitions, Json, Sample, ToolCall};

use crate::data_rows;

const FILE: &str = "benchmark.jsonl";
const README: &str = include_str!("../../datasets/README.md");

const COLUMNS: [&str; 16] = [
    "id",
    "question_id",
    "category",
    "domain",
    "language",
    "literal",
    "difficulty",
    "gold",
    "selection_label",
    "params_label",
    "error_type",
    "edit",
    "question",
    "tool_call",
    "tool_definitions",
    "note",
];

/// Columns whose values the README counts.
const COUNTED: [&str; 8] =
    ["gold", "error_type", "edit", "category", "domain", "language", "literal", "difficulty"];

/// Errors in which tools are called, and how often.
const SELECTION_ERRORS: [&str; 6] =
    ["wrong_tool", "dropped_call", "duplicated_call", "merged_call", "call_not_needed", "call_missing"];

/// Errors in what the right tools are given.
const ARGUMENT_ERRORS: [&str; 13] = [
    "missing_required",
    "hallucinated_parameter",
    "wrong_type",
    "enum_swap",
    "number_off_by_one",
    "number_sign",
    "number_unit",
    "number_scale",
    "swapped_arguments",
    "near_miss_string",
    "date_shifted",
    "nested_edit",
    "stale_value",
];

/// What a schema alone tells.
const SCHEMA_OBSERVATIONS: [&str; 9] = [
    "unknown_tool",
    "malformed_arguments",
    "missing_parameter",
    "unknown_parameter",
    "wrong_type",
    "loose_type",
    "not_allowed",
    "broken_rule",
    "unusable_schema",
];

struct Row {
    json: Json,
    sample: Sample,
}

impl Row {
    /// The text in `column`; `None` if null.
    fn text(&self, column: &str) -> Option<&str> {
        let value = self.json.get(column).unwrap_or_else(|| panic!("no `{column}` in {}", self.json));
        assert!(value.is_null() || value.as_str().is_some(), "{}: {column}", self.json);
        value.as_str()
    }

    fn id(&self) -> &str {
        self.text("id").unwrap()
    }

    fn is_right(&self) -> bool {
        self.text("gold") == Some("correct")
    }

    fn calls(&self) -> &[ToolCall] {
        match &self.sample.calls {
            Calls::Parsed(calls) => calls,
            Calls::Unparsed => panic!("{}: no call could be read", self.id()),
        }
    }

    fn schema_findings(&self) -> Vec<&'static str> {
        let kinds = observations(&self.sample);
        kinds.iter().map(Observation::kind).filter(|kind| SCHEMA_OBSERVATIONS.contains(kind)).collect()
    }
}

fn rows() -> Vec<Row> {
    data_rows::of(&data_rows::text(FILE)).map(|(json, sample)| Row { json, sample }).collect()
}

/// The rows of each question.
fn questions(rows: &[Row]) -> BTreeMap<&str, Vec<&Row>> {
    let mut questions: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        questions.entry(row.text("question_id").unwrap()).or_default().push(row);
    }
    questions
}

/// The one right row without an edit, which the others of its question are made from.
fn model<'a>(rows: &[&'a Row]) -> &'a Row {
    let mut plain = rows.iter().filter(|row| row.is_right() && row.text("edit").is_none());
    let model = plain.next().expect("a right row");
    assert!(plain.next().is_none(), "{}: two plain rows", model.id());
    model
}

#[test]
fn every_row_is_read_with_its_definitions() {
    let rows = rows();
    let mut ids = BTreeSet::new();
    for row in &rows {
        assert_eq!(row.json.as_object().unwrap().keys().collect::<Vec<_>>(), COLUMNS, "{}", row.id());
        assert!(ids.insert(row.id()), "{} is there twice", row.id());
        assert!(row.id().starts_with(row.text("question_id").unwrap()), "{}", row.id());
        let Definitions::Known(definitions) = &row.sample.definitions else { panic!("{}", row.id()) };
        assert!((1..=6).contains(&definitions.len()), "{}", row.id());
        let logged = row.json.get("tool_call").unwrap().as_array().unwrap();
        assert_eq!(logged.len(), row.calls().len(), "{}", row.id());
        assert_eq!(row.sample.flags, [], "{}", row.id());
        assert!(row.text("note").unwrap().ends_with('.'), "{}", row.id());
    }
    assert!(rows.len() >= 320);
}

#[test]
fn counts_are_those_of_the_readme() {
    let mut counted: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in rows() {
        for column in COUNTED {
            let value = row.text(column).unwrap_or("null").to_owned();
            *counted.entry((column.to_owned(), value)).or_default() += 1;
        }
    }
    let (_, section) = README.split_once("## benchmark.jsonl").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let promised: BTreeMap<(String, String), usize> = section
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> =
                line.trim_matches('|').split('|').map(|cell| cell.trim_matches([' ', '`'])).collect();
            let [column, value, count] = cells[..] else { return None };
            COUNTED.contains(&column).then(|| ((column.to_owned(), value.to_owned()), count.parse().unwrap()))
        })
        .collect();
    assert_eq!(counted, promised);
}

#[test]
fn there_is_enough_of_everything() {
    let rows = rows();
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let right = count(&Row::is_right);
    assert!(right.abs_diff(rows.len() - right) * 20 <= rows.len(), "{right} of {} are right", rows.len());
    assert!(count(&|row| row.text("language") != Some("en")) >= 50);
    assert!(count(&|row| row.text("difficulty") == Some("hard")) >= 90);
    assert!(count(&|row| row.text("edit").is_some()) >= 50);
    assert!(count(&|row| row.text("category") == Some("multi_turn")) >= 45);
    assert!(count(&|row| row.text("note").unwrap().starts_with("Hostile text")) >= 8);
    for error in SELECTION_ERRORS.into_iter().chain(ARGUMENT_ERRORS).chain(["invented_value"]) {
        let found = count(&|row| row.text("error_type") == Some(error));
        assert!((8..=13).contains(&found), "{found} rows of {error}");
    }
    assert!(rows.iter().map(|row| row.text("domain")).collect::<BTreeSet<_>>().len() >= 14);
}

#[test]
fn labels_fit_each_other() {
    let rows = rows();
    for (_, group) in questions(&rows) {
        let expected_action = !model(&group).calls().is_empty();
        for row in group {
            let (error, edit) = (row.text("error_type"), row.text("edit"));
            assert_eq!(error.is_none(), row.is_right(), "{}", row.id());
            assert!(edit.is_none() || row.is_right(), "{}", row.id());
            // Where no call is due, inventing what a call would need is calling without need.
            let labels = match error {
                None if expected_action => (Some("correct"), Some("correct")),
                None => (Some("correct"), None),
                Some("invented_value") if expected_action => (Some("correct"), Some("incorrect")),
                Some("invented_value") => (Some("incorrect"), None),
                Some(error) if SELECTION_ERRORS.contains(&error) => (Some("incorrect"), None),
                Some(error) if ARGUMENT_ERRORS.contains(&error) => (Some("correct"), Some("incorrect")),
                Some(error) => panic!("{}: {error}", row.id()),
            };
            assert_eq!((row.text("selection_label"), row.text("params_label")), labels, "{}", row.id());
            assert_eq!(row.text("literal").is_some(), expected_action, "{}", row.id());
        }
    }
}

#[test]
fn only_errors_of_form_break_a_definition() {
    for row in rows() {
        let expected: &[&str] = match row.text("error_type") {
            Some("missing_required") => &["missing_parameter"],
            Some("hallucinated_parameter") => &["unknown_parameter"],
            Some("wrong_type") => &["wrong_type", "loose_type"],
            _ => &[],
        };
        let found = row.schema_findings();
        assert_eq!(found.len(), usize::from(!expected.is_empty()), "{}: {found:?}", row.id());
        assert!(found.iter().all(|kind| expected.contains(kind)), "{}: {found:?}", row.id());
    }
}

#[test]
fn rows_of_a_question_differ_in_their_calls_only() {
    let rows = rows();
    let groups = questions(&rows);
    assert!(groups.len() >= 110);
    for (question, group) in groups {
        let model = model(&group);
        let said = |row: &Row| {
            ["question", "tool_definitions", "category", "domain", "language", "literal"]
                .map(|column| row.json.get(column).unwrap().to_string())
        };
        assert!(group.iter().all(|row| said(row) == said(model)), "{question}");
        let calls: BTreeSet<String> =
            group.iter().map(|row| row.json.get("tool_call").unwrap().to_string()).collect();
        assert_eq!(calls.len(), group.len(), "{question}: the same calls twice");
        assert!((2..=5).contains(&group.len()), "{question}");
        assert!(group.iter().any(|row| !row.is_right()), "{question}");
        assert_eq!(model.text("category"), Some(category(model)), "{question}");
        for row in &group {
            changes_as_named(row, model);
        }
    }
}

/// What the conversation and the right calls make of a question.
fn category(model: &Row) -> &'static str {
    let turns = model.json.get("question").unwrap().as_array().unwrap_or_default();
    let users = turns.iter().filter(|turn| turn.get("role").and_then(Json::as_str) == Some("user")).count();
    let Definitions::Known(definitions) = &model.sample.definitions else { panic!("{}", model.id()) };
    match (users, model.calls().len(), definitions.len()) {
        (2.., ..) => "multi_turn",
        (_, 0, _) => "no_call",
        (_, 2.., _) => "parallel",
        (_, _, 1) => "single",
        _ => "multiple",
    }
}

/// That the row differs from the right one in the way that its error or edit names.
fn changes_as_named(row: &Row, model: &Row) {
    let (here, there) = (row.calls(), model.calls());
    let (count, right) = (here.len(), there.len());
    let names = |calls: &[ToolCall]| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
    let sizes = |calls: &[ToolCall]| calls.iter().map(|call| call.parsed().unwrap().len()).sum::<usize>();
    let within = |few: &[ToolCall], many: &[ToolCall]| {
        few.iter().zip(many).all(|(few, many)| {
            few.parsed().unwrap().iter().all(|(key, value)| many.parsed().unwrap().get(key) == Some(value))
        })
    };
    let holds = match (row.text("error_type"), row.text("edit")) {
        (Some("dropped_call"), _) => count + 1 == right && here.iter().all(|call| there.contains(call)),
        (Some("duplicated_call"), _) => count == right + 1 && here.iter().all(|call| there.contains(call)),
        (Some("merged_call"), _) => count < right && count > 0,
        (Some("call_missing"), _) => count == 0 && right > 0,
        (Some("call_not_needed"), _) => count > right && there.iter().all(|call| here.contains(call)),
        (Some("wrong_tool"), _) => names(here) != names(there) && count == right,
        (Some("missing_required"), _) => names(here) == names(there) && here != there,
        (Some("hallucinated_parameter"), _) => sizes(here) == sizes(there) + 1 && within(there, here),
        (Some("invented_value"), _) => {
            count > right || sizes(here) == sizes(there) + 1 && within(there, here)
        }
        (Some(_), _) => names(here) == names(there) && sizes(here) == sizes(there) && here != there,
        // Equality of objects does not look at the order of keys.
        (None, Some("key_order")) => here == there,
        (None, Some("reordered_calls")) => {
            count == right && here != there && here.iter().all(|call| there.contains(call))
        }
        (None, Some("omitted_default")) => sizes(here) < sizes(there) && within(here, there),
        (None, Some("stated_default")) => sizes(here) > sizes(there) && within(there, here),
        (None, Some("integer_for_float")) => here != there && as_doubles(row) == as_doubles(model),
        (None, Some("accepted_alias" | "converted_unit")) => names(here) == names(there) && here != there,
        (None, None) => here == there,
        (None, Some(edit)) => panic!("{}: {edit}", row.id()),
    };
    assert!(holds, "{}: {here:?}\n{there:?}", row.id());
}

/// The calls with whole numbers written without their `.0`.
fn as_doubles(row: &Row) -> String {
    let calls: String = row.calls().iter().map(|call| call.to_json().to_string()).collect();
    calls.replace(".0,", ",").replace(".0}", "}").replace(".0]", "]")
}

#[test]
fn literal_values_stand_in_the_last_message() {
    let rows = rows();
    let literal = |row: &&Row| row.text("literal") == Some("literal");
    for row in rows.iter().filter(literal).filter(|row| row.is_right() && row.text("edit").is_none()) {
        let question = row.sample.question.to_lowercase();
        for call in row.calls() {
            for value in call.parsed().unwrap().values() {
                stands_in(value, &question).unwrap_or_else(|value| panic!("{}: no {value}", row.id()));
            }
        }
    }
}

/// Whether all texts and numbers within `value` stand in `question`; the first that does not.
fn stands_in(value: &Json, question: &str) -> Result<(), String> {
    let text = match value {
        Json::Array(items) => return items.iter().try_for_each(|item| stands_in(item, question)),
        Json::Object(object) => return object.values().try_for_each(|value| stands_in(value, question)),
        Json::String(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    if question.contains(&text) { Ok(()) } else { Err(text) }
}
