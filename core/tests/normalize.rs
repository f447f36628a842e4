//! Every fixture row gives the normal form, or the error, that is written down for it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::BTreeMap;

use tooljudge_core::domain::{Cell, Json, RawRow, RowError, RowErrorCode};
use tooljudge_core::normalize::{Normalizer, Options};
use tooljudge_laws::fixtures::{compare, read, text};

/// What the fixtures must give: those of the specification, and our own.
const EXPECTATIONS: &[&str] = &["expected.jsonl", "own/expected_chats.jsonl"];

#[test]
fn fixtures_give_their_normal_form() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut files: BTreeMap<String, Vec<Result<RawRow, RowError>>> = BTreeMap::new();
    let mut passed = 0;
    let mut problems = Vec::new();
    let expectations: String = EXPECTATIONS.iter().map(|file| read(file)).collect();
    for line in expectations.lines() {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        let folders = ["calls/", "definitions/", "errors/", "own/calls/"];
        if !folders.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let rows = files.entry(file.to_owned()).or_insert_with(|| rows(file));
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let row = rows[record.as_i64().unwrap() as usize].clone();
        match compare(row.and_then(|row| normalizer.sample(row)), &expected, &standard) {
            None => passed += 1,
            Some(problem) => problems.push(format!("{file}#{}: {problem}", record.as_str())),
        }
    }
    println!("{passed} expectations met");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(passed > 200, "only {passed} expectations were found");
}

/// The rows of a fixture: one a line, or one file of definitions.
fn rows(file: &str) -> Vec<Result<RawRow, RowError>> {
    let content = read(file);
    if !file.ends_with(".jsonl") {
        let tool_definitions = match file.ends_with(".json") {
            true => Cell::from(Json::parse(&content).unwrap()),
            false => Cell::Text(content),
        };
        return vec![Ok(RawRow {
            question: Cell::Text("q".into()),
            tool_call: Cell::Null,
            tool_definitions,
            ..RawRow::default()
        })];
    }
    content.lines().map(row).collect()
}

fn row(line: &str) -> Result<RawRow, RowError> {
    let json =
        Json::parse(line).map_err(|error| RowError::new(RowErrorCode::InvalidJson, error.to_string()))?;
    let Json::Object(mut object) = json else {
        return Err(RowError::new(RowErrorCode::RowNotObject, RowError::excerpt(line)));
    };
    let mut cell = |key| object.remove(key).map_or(Cell::Missing, Cell::from);
    Ok(RawRow {
        question: cell("question"),
        tool_call: cell("tool_call"),
        tool_definitions: cell("tool_definitions"),
        ..RawRow::default()
    })
}
