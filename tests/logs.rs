//! Every record of the log fixtures gives the turns, or is skipped for the reason, that is written down for it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use tooljudge::domain::{Json, Object, RowError};
use tooljudge::normalize::logs::{self, Companions, Context, Entry, Skip};
use tooljudge::normalize::{Normalizer, Options};

use crate::normalize::{compare, read, text};

/// Files that are not read yet.
const NOT_YET: &[&str] = &["logs/inspect_log.eval"];

enum Found {
    Item(Box<Result<tooljudge::domain::Sample, RowError>>),
    Skipped(Skip),
}

#[test]
fn log_fixtures_give_their_turns() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let mut files: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    let (mut passed, mut problems) = (0, Vec::new());
    let own = [read("expected.jsonl"), read("own/expected.jsonl"), read("own/expected_traces.jsonl")];
    for line in own.iter().flat_map(|text| text.lines()) {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        if !file.contains("logs/") || NOT_YET.contains(&file) {
            continue;
        }
        let join = text(&expected, "join").map(str::to_owned);
        let found = files.entry(file.to_owned()).or_insert_with(|| entries(file, join.as_deref()));
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let problem = match (found.get(record.as_i64().unwrap() as usize), text(&expected, "status").unwrap())
        {
            (None, _) => Some("there are not so many".to_owned()),
            (Some(Found::Skipped(why)), "skipped") => {
                (text(&expected, "reason") != Some(why.as_str())).then(|| format!("skipped: {why:?}"))
            }
            (Some(Found::Skipped(why)), _) => Some(format!("skipped: {why:?}")),
            (Some(Found::Item(_)), "skipped") => Some("not skipped".to_owned()),
            (Some(Found::Item(item)), _) => compare((**item).clone(), &expected, &standard),
        };
        match problem {
            None => passed += 1,
            Some(problem) => {
                problems.push(format!(
                    "{file}#{}: {}",
                    record.as_str(),
                    problem.chars().take(600).collect::<String>()
                ));
            }
        }
    }
    println!("{passed} expectations met");
    assert!(problems.is_empty(), "{passed} met, {} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Pieces in the order of the input, and whose were asked for.
#[derive(Default)]
struct Pieces {
    all: Vec<(String, Object)>,
    asked: Mutex<BTreeSet<String>>,
}

impl Companions for Pieces {
    fn find(&self, key: &str) -> Vec<Object> {
        self.asked.lock().unwrap().insert(key.to_owned());
        self.of(key)
    }
}

impl Pieces {
    fn of(&self, key: &str) -> Vec<Object> {
        self.all.iter().filter(|(own, _)| own == key).map(|(_, object)| object.clone()).collect()
    }

    fn never_asked_for(&self) -> BTreeSet<&str> {
        let asked = self.asked.lock().unwrap();
        self.all.iter().map(|(key, _)| key.as_str()).filter(|key| !asked.contains(*key)).collect()
    }
}

fn entries(file: &str, join: Option<&str>) -> Vec<Found> {
    let records: Vec<Object> = join.into_iter().flat_map(records).chain(records(file)).collect();
    let mut pieces = Pieces::default();
    let alone = Context { agents: false, companions: &logs::Alone };
    for record in &records {
        if let Some(format) = logs::detect(record) {
            for entry in format.read(record.clone(), &alone) {
                if let Entry::Piece(piece) = entry {
                    assert!(
                        piece.key.starts_with(format.name) || format.name == "otel_span",
                        "{}",
                        piece.key
                    );
                    pieces.all.push((piece.key, piece.object));
                }
            }
        }
    }
    let context = Context { agents: false, companions: &pieces };
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut found = Vec::new();
    let mut take = |entry| match entry {
        Entry::Turn(turn) => found.push(Found::Item(Box::new(normalizer.turn(*turn)))),
        Entry::Unreadable(error) => found.push(Found::Item(Box::new(Err(error)))),
        Entry::Skipped(why) => found.push(Found::Skipped(why)),
        Entry::Piece(_) => {}
    };
    for record in records {
        let Some(format) = logs::detect(&record) else {
            println!("{file}: unrecognised record with {:?}", record.keys().collect::<Vec<_>>());
            continue;
        };
        format.read(record, &context).for_each(&mut take);
    }
    for key in pieces.never_asked_for() {
        let format = logs::FORMATS.iter().find(|format| key.starts_with(format.name)).unwrap();
        format.orphans(pieces.of(key), &context).for_each(&mut take);
    }
    found
}

/// The records of a file, however it lays them out.
fn records(file: &str) -> Vec<Object> {
    let content = read(file);
    let object = |json| match json {
        Json::Object(object) => object,
        other => panic!("{file}: {other}"),
    };
    if file.ends_with(".csv") {
        let mut reader = csv::Reader::from_reader(content.as_bytes());
        let header = reader.headers().unwrap().clone();
        return reader
            .records()
            .map(|row| {
                let row = row.unwrap();
                header.iter().zip(&row).map(|(key, cell)| (key.to_owned(), Json::from(cell))).collect()
            })
            .collect();
    }
    match Json::parse(&content) {
        Ok(Json::Array(items)) => items.into_iter().map(object).collect(),
        Ok(Json::Object(mut whole)) => match whole.remove("data").or_else(|| whole.remove("samples")) {
            Some(Json::Array(items)) => items.into_iter().map(object).collect(),
            _ => vec![whole],
        },
        _ => content
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| object(Json::parse(line).unwrap()))
            .collect(),
    }
}

/// What a log says may be anything. Whatever stands anywhere in a record, reading it ends, and does not panic.
#[test]
fn damaged_records_are_no_catastrophe() {
    const DAMAGES: [&str; 8] =
        ["null", "7", "\"x\"", "[]", "{}", "[[{}]]", "\"{\\\"a\\\":\"", "[{\"role\":\"assistant\"}]"];
    let damages = DAMAGES.map(|text| Json::parse(text).unwrap());
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let pieces = Pieces::default();
    let context = Context { agents: true, companions: &pieces };
    let mut read = 0;
    for file in files() {
        for record in records(&file) {
            let whole = Json::Object(record);
            let places = size(&whole);
            for place in (0..places).step_by(places.div_ceil(25)) {
                for damage in &damages {
                    let mut damaged = whole.clone();
                    replace(&mut damaged, &mut place.clone(), damage);
                    let Json::Object(damaged) = damaged else { continue };
                    let Some(format) = logs::detect(&damaged) else { continue };
                    for entry in format.read(damaged, &context) {
                        match entry {
                            Entry::Turn(turn) => read += usize::from(normalizer.turn(*turn).is_ok()),
                            Entry::Piece(piece) => {
                                format.orphans(vec![piece.object], &context).for_each(drop);
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    println!("{read} turns of damaged records read");
    assert!(read > 1000);
}

/// All files that expectations name.
fn files() -> BTreeSet<String> {
    let expectations =
        [read("expected.jsonl"), read("own/expected.jsonl"), read("own/expected_traces.jsonl")];
    let lines = expectations.iter().flat_map(|text| text.lines()).map(|line| Json::parse(line).unwrap());
    let files = lines.map(|line| text(&line, "file").unwrap().to_owned());
    files.filter(|file| file.contains("logs/") && !NOT_YET.contains(&file.as_str())).collect()
}

/// How many values there are in a value, itself included.
fn size(json: &Json) -> usize {
    1 + match json {
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(object) => object.values().map(size).sum(),
        _ => 0,
    }
}

/// Replaces the value at a place, as [`size`] counts them.
fn replace(json: &mut Json, place: &mut usize, by: &Json) -> bool {
    if *place == 0 {
        *json = by.clone();
        return true;
    }
    *place -= 1;
    match json {
        Json::Array(items) => items.iter_mut().any(|item| replace(item, place, by)),
        Json::Object(object) => object.iter_mut().any(|(_, value)| replace(value, place, by)),
        _ => false,
    }
}
