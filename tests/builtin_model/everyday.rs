//! The everyday calls that are shipped, as rows to fit: domains that are left out together, and a label for each task.

use std::collections::BTreeMap;

use serde_json::Value;

use super::repository;
use super::rows::Raw;

/// The source that all of them count as.
pub const SOURCE: &str = "everyday";
/// Groups of domains that are left out in turn.
const PARTS: usize = 5;

/// The rows; those of the domains that the file holds back are only measured.
pub fn rows() -> Vec<Raw> {
    let text = std::fs::read_to_string(repository("datasets/everyday.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut domains: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().filter(|row| !is_held(row)).for_each(|row| {
        let next = domains.len();
        domains.entry(text_of(row, "domain")).or_insert(next);
    });
    let right: BTreeMap<&str, Vec<&str>> =
        rows.iter().filter(|row| is_right(row)).map(|row| (text_of(row, "pair"), tools(row))).collect();
    let one = |row: &Value| {
        let cell = |name: &str| match &row[name] {
            Value::String(text) => Some(text.clone()),
            value => Some(value.to_string()),
        };
        let family = match domains.get(text_of(row, "domain")) {
            Some(at) => format!("{SOURCE} {}", at % PARTS + 1),
            None => format!("{SOURCE} held"),
        };
        Raw {
            cells: ["question", "tool_call", "tool_definitions"].map(cell),
            right: labels(row, right.get(text_of(row, "pair")).map(Vec::as_slice)),
            source: SOURCE.to_owned(),
            family,
            question: format!("{SOURCE} {}", text_of(row, "pair")),
            near: false,
            measured: true,
            held: is_held(row),
            kind: (!is_right(row)).then(|| text_of(row, "kind").to_owned()),
        }
    };
    rows.iter().map(one).collect()
}

/// Whether it is right by each task. The tools of a wrong call are right if they are those of the right call for the same request, and
/// then its arguments are wrong; of wrong tools, nobody says whether the arguments are right.
fn labels(row: &Value, right: Option<&[&str]>) -> [Option<bool>; 3] {
    let own = tools(row);
    let with_arguments = |label: bool| (!own.is_empty()).then_some(label);
    match (is_right(row), right) {
        (true, _) => [Some(true), with_arguments(true), Some(true)],
        (false, Some(right)) if own == right => [Some(false), with_arguments(false), Some(true)],
        (false, Some(_)) => [Some(false), None, Some(false)],
        (false, None) => [Some(false), None, None],
    }
}

/// The names of the called tools, in order.
fn tools(row: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        row["tool_call"].as_array().unwrap().iter().map(|call| text_of(call, "name")).collect();
    names.sort_unstable();
    names
}

fn is_right(row: &Value) -> bool {
    text_of(row, "gold") == "correct"
}

fn is_held(row: &Value) -> bool {
    text_of(row, "split") == "held"
}

fn text_of<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap()
}
