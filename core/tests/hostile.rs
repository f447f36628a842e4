//! Whatever stands in a cell or a log, reading it ends: with a sample or with an error, never with a panic.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tooljudge_core::domain::{Cell, Json, Object, RawRow};
use tooljudge_core::normalize::logs::{Entry, FORMATS, Turns};
use tooljudge_core::normalize::{Normalizer, Options};

use tooljudge_laws as laws;
use tooljudge_laws::fixtures::folder;
use tooljudge_laws::hostile_inputs::{CELLS, RECORDS};
use tooljudge_laws::mutations::{Dice, mutate};

/// Bytes of a hostile text: deep enough for any stack, and still read in no time where the work is in proportion.
const SIZE: usize = 96 << 10;

#[test]
fn hostile_cells_come_back() {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let q = || Cell::Text("q".to_owned());
    for (_, write) in CELLS {
        let text = || Cell::Text(write(SIZE));
        for row in [
            RawRow {
                question: text(),
                tool_call: Cell::Null,
                tool_definitions: Cell::Null,
                ..RawRow::default()
            },
            RawRow { question: q(), tool_call: text(), tool_definitions: Cell::Null, ..RawRow::default() },
            RawRow { question: q(), tool_call: Cell::Null, tool_definitions: text(), ..RawRow::default() },
        ] {
            if let Err(error) = normalizer.sample(row) {
                assert!(error.message.len() < 1000, "{error}");
            }
        }
    }
}

#[test]
fn hostile_records_come_back() {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    for (name, write) in RECORDS {
        let text = write(SIZE);
        let mut entries = 0;
        laws::read_log(&text, None, true, Turns::All, |_, entry| {
            entries += 1;
            if let Entry::Turn(turn) = entry {
                let _ = normalizer.turn(*turn);
            }
        });
        let broken = Json::parse(&text).is_err();
        assert!(broken || entries > 0 && entries <= text.len(), "{name}: {entries} entries");
    }
}

/// Texts made of the fragments that mean something to a reader.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "<tool_call>",
        "</tool_call>",
        "<|python_tag|>",
        "<function=",
        "<invoke name=\"",
        "<parameter=",
        "</parameter>",
        "[TOOL_CALLS]",
        "```",
        "json\n",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "'",
        "\"",
        "\\",
        "\\u",
        "d83d",
        ",",
        ";",
        ":",
        "=",
        "\n",
        " ",
        "f",
        "name",
        "\"name\"",
        "\"arguments\"",
        "\"type\"",
        "\"function\"",
        "\"role\"",
        "'role'",
        "'user'",
        "content",
        "1",
        "-",
        ".",
        "e5",
        "None",
        "true",
        "array",
        "r'",
        "'''",
        "ł",
        "\u{85}",
        "Call:",
        "</s>",
        " | Parameters: ",
        "f: ",
        "dtype",
        "ToolCall(",
        "\"tool_calls\"",
        "\"message\"",
        "null",
    ]);
    prop::collection::vec(fragment, 0..24).prop_map(|fragments| fragments.concat())
}

/// Runs a law on cases at random.
fn obeys<S: Strategy>(what: &str, cases: S, law: impl Fn(S::Value)) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    println!("{what}: {} cases", config.cases);
    let law = |case| {
        law(case);
        Ok(())
    };
    TestRunner::new(config).run(&cases, law).unwrap_or_else(|error| panic!("{what}: {error}"));
}

fn cell(text: &str) {
    laws::json(text);
    laws::tool_call(text);
    laws::tool_definitions(text);
    laws::question(text);
    laws::columns(text);
    laws::snap(text);
}

/// Cells that broke a law once.
#[test]
fn known_cells_obey_the_laws() {
    for text in [
        r#"{"name":"","arguments":{"a":1}}"#,
        r#"[{"type":"tool_use","name":" \t","input":{}}]"#,
        r#"{"function":"{\"name\": \"\", \"arguments\": \"{}\"}","type":"function"}"#,
        "[{'name': '', 'args': {'a': 1}}]",
    ] {
        cell(text);
    }
    // Errors are short, however long the name and the key are that they speak of.
    let long = "x".repeat(1000);
    cell(&format!(r#"{{"type":"tool_use","id":"t1","name":"{long}","{long}":{{"a":1}}}}"#));
}

#[test]
fn texts_obey_the_laws() {
    obeys("texts", prop_oneof![fragments(), any::<String>()], |text| cell(&text));
}

/// The records of the fixtures, each with the number of its file.
static RECORDS_OF_FIXTURES: LazyLock<Vec<(usize, Json)>> = LazyLock::new(|| {
    let mut records = Vec::new();
    let folders = ["calls", "logs", "own/calls", "own/logs"].map(|name| folder().join(name));
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for (number, file) in files.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let mut rest = text.as_str();
        while let Ok((value, end)) = Json::parse_prefix(rest) {
            match value {
                Json::Array(items) => records.extend(items.into_iter().map(|item| (number, item))),
                value => records.push((number, value)),
            }
            rest = &rest[end..];
        }
    }
    assert!(records.len() > 300, "only {} records", records.len());
    records
});

/// The keys and short texts of all fixtures.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    fn collect(json: &Json, words: &mut Vec<String>) {
        match json {
            Json::String(text) if text.len() < 24 => words.push(text.clone()),
            Json::Array(items) => items.iter().for_each(|item| collect(item, words)),
            Json::Object(object) => {
                words.extend(object.keys().map(str::to_owned));
                object.values().for_each(|value| collect(value, words));
            }
            _ => {}
        }
    }
    let mut words = Vec::new();
    RECORDS_OF_FIXTURES.iter().for_each(|(_, record)| collect(record, &mut words));
    words.sort();
    words.dedup();
    words
});

/// A fixture's record, and a few changes to it.
fn mutated(seed: u64, changes: usize) -> (usize, Json, Dice) {
    let mut dice = Dice::new(seed);
    let (file, record) = &RECORDS_OF_FIXTURES[dice.roll(RECORDS_OF_FIXTURES.len())];
    let mut record = record.clone();
    for _ in 0..changes {
        mutate(&mut record, &WORDS, &mut dice);
    }
    (*file, record, dice)
}

/// The text without what follows a place in it, now and then.
fn cut(text: String, dice: &mut Dice) -> String {
    match dice.roll(4) {
        0 => text.chars().take(dice.roll(text.chars().count() + 1)).collect(),
        _ => text,
    }
}

#[test]
fn mutated_cells_obey_the_laws() {
    obeys("mutated cells", (any::<u64>(), 0..4_usize), |(seed, changes)| {
        let (_, record, mut dice) = mutated(seed, changes);
        let cells: Vec<&Json> = match &record {
            Json::Object(object) => object.values().collect(),
            other => vec![other],
        };
        for value in cells {
            let text = match value {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            cell(&cut(text, &mut dice));
        }
    });
}

/// Records may join others of their file, so these stand beside them.
#[test]
fn mutated_records_obey_the_laws() {
    obeys("mutated records", (any::<u64>(), 1..6_usize), |(seed, changes)| {
        let (file, record, mut dice) = mutated(seed, changes);
        let neighbours = RECORDS_OF_FIXTURES.iter().filter(|(of, _)| *of == file).take(3);
        let neighbours: Vec<String> = neighbours.map(|(_, record)| record.to_string()).collect();
        let text = format!("{}\n{}", neighbours.join("\n"), cut(record.to_string(), &mut dice));
        laws::log(&text, None, dice.roll(2) > 0);
        // Whoever names a format is believed.
        laws::log(&record.to_string(), FORMATS.get(dice.roll(FORMATS.len())), false);
    });
}

/// A record of a fixture with a hostile text somewhere in it.
#[test]
fn hostile_texts_within_records_come_back() {
    const SMALL: usize = 4 << 10;
    let normalizer = Normalizer::new(Options::default()).unwrap();
    obeys("hostile texts within records", any::<u64>(), |seed| {
        let (_, record, mut dice) = mutated(seed, 0);
        let (_, write) = CELLS[dice.roll(CELLS.len())];
        let hostile = Json::from(write(SMALL));
        let record = Json::parse(&with_text(&record, &hostile, &mut dice).to_string()).unwrap();
        laws::read_log(&record.to_string(), None, true, Turns::All, |_, entry| {
            if let Entry::Turn(turn) = entry {
                let _ = normalizer.turn(*turn);
            }
        });
    });
}

/// The value with about a tenth of its texts replaced.
fn with_text(json: &Json, text: &Json, dice: &mut Dice) -> Json {
    match json {
        Json::String(_) if dice.roll(10) == 0 => text.clone(),
        Json::Array(items) => Json::Array(items.iter().map(|item| with_text(item, text, dice)).collect()),
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| (key.to_owned(), with_text(value, text, dice)));
            Json::Object(members.collect::<Object>())
        }
        other => other.clone(),
    }
}
