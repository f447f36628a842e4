//! What holds for every text whatsoever, be it what a reader expects or not.
//!
//! Each law panics where it is broken. The property tests check them on texts that are nearly right, the fuzz targets
//! (`fuzz/`) on whatever they come up with.

#![allow(clippy::unwrap_used, reason = "a broken law is a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use tooljudge::domain::{
    Arguments, Calls, Cell, Definitions, Flag, Json, Message, Object, Rails, RawRow, Role, RowError,
    RowErrorCode, Sample, ToolCall, ToolDefinition,
};
use tooljudge::normalize::columns::{self, Slot};
use tooljudge::normalize::logs::{self, Alone, Companions, Context, Entries, Entry, LogFormat, Piece};
use tooljudge::normalize::{Normalizer, Options, question_in_context};
use tooljudge::snap::{self, Rules};

/// What is read takes at most so many bytes in normal form for each byte that was read; and this much for nothing.
const LONGEST: (usize, usize) = (64, 1024);

/// JSON comes back as it was written, white space aside, and is JSON to others too.
pub fn json(text: &str) {
    if let Ok((value, end)) = Json::parse_prefix(text) {
        assert_eq!(Json::parse(&text[..end]), Ok(value), "a prefix is no value by itself");
    }
    let read = Json::parse(text);
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    let beyond_them = theirs.as_ref().is_err_and(|error| {
        let why = error.to_string();
        why.contains("out of range") || why.contains("recursion limit")
    });
    let too_deep = read.as_ref().is_err_and(tooljudge::domain::JsonError::is_too_deep);
    assert!(beyond_them || too_deep || read.is_ok() == theirs.is_ok(), "{read:?}, but {theirs:?}");
    let Ok(json) = read else { return };
    let written = json.to_string();
    assert_eq!(Json::parse(&written), Ok(json.clone()), "what is written is not what was read");
    if !text.contains('\\') && !repeats_a_key(&json) {
        assert_eq!(written, without_space(text));
    }
}

fn repeats_a_key(json: &Json) -> bool {
    match json {
        Json::Object(object) => object.has_repeated_key() || object.values().any(repeats_a_key),
        Json::Array(items) => items.iter().any(repeats_a_key),
        _ => false,
    }
}

/// JSON without escapes, and without white space between its tokens.
fn without_space(text: &str) -> String {
    let mut inside = false;
    let kept = text.chars().filter(|c| {
        inside ^= *c == '"';
        inside || !matches!(c, ' ' | '\t' | '\n' | '\r')
    });
    kept.collect()
}

/// Calls survive being written in normal form, as text and as JSON, and tools on offer change only what has no name.
pub fn tool_call(text: &str) {
    const TOOLS: &str = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{},"b":{}}}}]"#;
    static WITHOUT: LazyLock<Normalizer> = LazyLock::new(|| normalizer(None));
    static WITH: LazyLock<Normalizer> = LazyLock::new(|| normalizer(Some(TOOLS)));
    let without = cell_of_calls(text, &WITHOUT);
    let with = cell_of_calls(text, &WITH);
    let by_place = [Flag::Positional, Flag::PositionalMapped, Flag::StringToolInput];
    let named = |sample: &Sample| !sample.flags.iter().any(|flag| by_place.contains(flag));
    match (without, with) {
        (Ok(without), Ok(with)) => {
            assert!(!named(&without) || without.calls == with.calls, "{without:?}, {with:?}");
        }
        (Err(without), Err(with)) => assert_eq!(without, with),
        (without, with) => panic!("{without:?}, but {with:?}"),
    }
}

fn cell_of_calls(text: &str, normalizer: &Normalizer) -> Result<Sample, RowError> {
    let read = |cell| normalizer.sample(RawRow { tool_call: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(json) = structure(text) {
        match (&found, read(Cell::Json(json))) {
            (Ok(found), Ok(structured)) => {
                assert_eq!((&found.calls, &found.flags), (&structured.calls, &structured.flags));
            }
            (Err(found), Err(structured)) => assert_eq!(found.code, structured.code),
            (found, structured) => panic!("{found:?}, but as JSON {structured:?}"),
        }
    }
    let sample = found.inspect_err(check_error)?;
    let raw = Some(text).filter(|text| !text.trim().is_empty());
    assert_eq!(sample.raw.tool_call.as_deref(), raw, "a prompt shows what was logged");
    assert_eq!(sample.flags.contains(&Flag::RawToolCall), sample.calls == Calls::Unparsed);
    if let Calls::Parsed(calls) = &sample.calls {
        check_calls(calls, text);
        let malformed = calls.iter().any(|call| call.parsed().is_none());
        assert_eq!(sample.flags.contains(&Flag::MalformedArguments), malformed, "{calls:?}");
        let written = normal_form(calls, ToolCall::to_json);
        check_size(&written, text);
        match read(Cell::Text(written.clone())) {
            Ok(again) => assert_eq!(again.calls, sample.calls, "read again from {written}"),
            Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
        }
    }
    check_sample(normalizer, &sample);
    Ok(sample)
}

/// Names are not blank, and integers stand in the source as they were read.
fn check_calls(calls: &[ToolCall], source: &str) {
    for call in calls {
        assert!(!call.name.trim().is_empty(), "{call:?}");
        if let Arguments::Parsed(arguments) = &call.arguments {
            arguments.values().for_each(|value| check_numbers(value, source));
        }
    }
}

/// An escape may stand for a digit; otherwise all digits are there, in order. Floats may be spelled as Python prints them.
fn check_numbers(json: &Json, source: &str) {
    match json {
        Json::Number(number) if number.is_integer() && !source.contains('\\') => {
            let written = number.as_str();
            assert!(is_within(written, source), "{written} in {source}");
        }
        Json::Array(items) => items.iter().for_each(|item| check_numbers(item, source)),
        Json::Object(object) => object.values().for_each(|value| check_numbers(value, source)),
        _ => {}
    }
}

/// Whether the letters of `part` come in this order in `whole`, though there may be others between: Python joins strings
/// that follow one another.
fn is_within(part: &str, whole: &str) -> bool {
    let mut whole = whole.bytes();
    part.bytes().all(|letter| whole.any(|other| other == letter))
}

/// Definitions survive being written in normal form.
pub fn tool_definitions(text: &str) {
    let normalizer = normalizer(None);
    let read = |cell| normalizer.sample(RawRow { tool_definitions: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(json) = structure(text) {
        match (&found, read(Cell::Json(json))) {
            (Ok(found), Ok(structured)) => {
                assert_eq!((&found.definitions, &found.flags), (&structured.definitions, &structured.flags));
            }
            (Err(found), Err(structured)) => assert_eq!(found.code, structured.code),
            (found, structured) => panic!("{found:?}, but as JSON {structured:?}"),
        }
    }
    let sample = match found {
        Ok(sample) => sample,
        Err(error) => return check_error(&error),
    };
    if let Definitions::Known(tools) = &sample.definitions {
        assert_eq!(sample.raw.tool_definitions.as_deref(), Some(text), "a prompt shows what was logged");
        assert!(
            tools.iter().all(|tool| !tool.name.trim().is_empty() && tool.parameters.as_object().is_some())
        );
        let mut names = BTreeSet::new();
        let twice = !tools.iter().all(|tool| names.insert(&tool.name));
        assert_eq!(sample.flags.contains(&Flag::DuplicateDefinition), twice);
        let written = normal_form(tools, ToolDefinition::to_json);
        check_size(&written, text);
        match read(Cell::Text(written.clone())) {
            Ok(again) => assert_eq!(again.definitions, sample.definitions, "read again from {written}"),
            Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
        }
    }
    check_sample(&normalizer, &sample);
}

/// A conversation survives being written in normal form; anything else is the question itself.
pub fn question(text: &str) {
    let normalizer = normalizer(None);
    let read = |cell| normalizer.sample(RawRow { question: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(Ok(structured)) = structure(text).map(|json| read(Cell::Json(json))) {
        let found = found.as_ref().unwrap();
        assert_eq!((&found.messages, &found.flags), (&structured.messages, &structured.flags));
    }
    let sample = match found {
        Ok(sample) => sample,
        Err(error) => return check_error(&error),
    };
    check_conversation(&sample);
    let written = sample.messages_json().to_string();
    check_size(&written, text);
    match read(Cell::Text(written.clone())) {
        Ok(again) => {
            assert_eq!(again.messages, sample.messages, "read again from {written}");
            assert_eq!(again.raw, sample.raw, "a prompt shows the same");
            assert_eq!(again.raw.question, sample.raw.question);
        }
        Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
    }
    check_sample(&normalizer, &sample);
}

fn check_conversation(sample: &Sample) {
    let asked = sample.messages.iter().rev().find(|message| message.role == Role::User).unwrap();
    assert_eq!(asked.content, sample.question);
    assert!(!sample.question.trim().is_empty());
    let said: Vec<&Message> = sample.messages.iter().filter(|message| message.role != Role::System).collect();
    match said[..] {
        [only] => assert_eq!(sample.raw.question, only.content),
        _ => assert!(said.iter().all(|message| sample.raw.question.contains(&message.content))),
    }
}

/// The columns that are chosen are there, and none is two things. The text names a column a line, and after a blank line
/// what is said about them: `tool_call=generated`.
pub fn columns(text: &str) {
    let (names, mapping) = text.split_once("\n\n").unwrap_or((text, ""));
    let names: Vec<String> = names.lines().map(str::to_owned).collect();
    let slot = |line: &str| {
        let (slot, column) = line.split_once('=')?;
        Some((slot.parse::<Slot>().ok()?, column.to_owned()))
    };
    let mapping: Vec<(Slot, String)> = mapping.lines().filter_map(slot).collect();
    for elsewhere in [false, true] {
        match columns::resolve(&names, &mapping, elsewhere) {
            Ok(chosen) => {
                assert!(elsewhere || chosen.tool_definitions.is_some());
                for (slot, column) in &mapping {
                    let given = match slot {
                        Slot::Question => Some(&chosen.question),
                        Slot::ToolCall => Some(&chosen.tool_call),
                        Slot::ToolDefinitions => chosen.tool_definitions.as_ref(),
                    };
                    assert_eq!(given, Some(column));
                }
                let optional = [chosen.tool_definitions, chosen.messages, chosen.raw].into_iter().flatten();
                let chosen: Vec<String> =
                    [chosen.question, chosen.tool_call].into_iter().chain(optional).collect();
                assert!(chosen.iter().all(|column| names.contains(column)));
                assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), chosen.len(), "{chosen:?}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A verdict is one of the rails, and its explanation is the reply's own.
pub fn snap(text: &str) {
    let rails = Rails::correctness();
    for rules in Rules::ALL {
        for explain in [false, true] {
            let explanation = match snap::snap(text, &rails, rules, explain) {
                Ok(snapped) => {
                    assert!(rails.find(&snapped.rail.label).is_some());
                    snapped.explanation
                }
                Err(none) => none.explanation,
            };
            assert!(explanation.is_none_or(|words| explain && words.len() <= text.len()));
        }
    }
}

/// Whatever a log holds, its turns survive being written in normal form.
pub fn log(text: &str, format: Option<&'static LogFormat>, agents: bool) {
    let normalizer = normalizer(None);
    read_log(text, format, agents, |_, entry| check_entry(&normalizer, entry, text));
}

/// Reads a log, of a `format` that is named or told by its keys. Its records are JSON values one after another, and have
/// each other for companions.
pub fn read_log(
    text: &str,
    format: Option<&'static LogFormat>,
    agents: bool,
    mut take: impl FnMut(&'static LogFormat, Entry),
) {
    let records = records(text);
    let mut pieces = Pieces::default();
    for record in &records {
        for_each_entry(record, format, &Context { agents, companions: &Alone }, |format, entry| {
            if let Entry::Piece(piece) = entry {
                pieces.add(format, piece);
            }
        });
    }
    let context = Context { agents, companions: &pieces };
    for record in &records {
        for_each_entry(record, format, &context, &mut take);
    }
    for (format, orphans) in pieces.orphans() {
        format.orphans(orphans, &context).for_each(|entry| take(format, entry));
    }
}

fn records(text: &str) -> Vec<Object> {
    let mut records = Vec::new();
    let mut rest = text;
    while let Ok((value, end)) = Json::parse_prefix(rest) {
        match value {
            Json::Object(record) => records.push(record),
            Json::Array(items) => records.extend(items.into_iter().filter_map(|item| match item {
                Json::Object(record) => Some(record),
                _ => None,
            })),
            _ => {}
        }
        rest = &rest[end..];
    }
    records
}

fn for_each_entry(
    record: &Object,
    format: Option<&'static LogFormat>,
    context: &Context,
    mut take: impl FnMut(&'static LogFormat, Entry),
) {
    let Some(format) = format.or_else(|| logs::detect(record)) else { return };
    let entries: Entries = format.read(record.clone(), context);
    entries.for_each(|entry| take(format, entry));
}

fn check_entry(normalizer: &Normalizer, entry: Entry, source: &str) {
    let turn = match entry {
        Entry::Turn(turn) => *turn,
        Entry::Unreadable(error) => return check_error(&error),
        Entry::Skipped(_) | Entry::Piece(_) => return,
    };
    match normalizer.turn(turn) {
        Ok(sample) => {
            check_conversation(&sample);
            check_size(&sample.to_json().to_string(), source);
            check_sample(normalizer, &sample);
        }
        Err(error) => check_error(&error),
    }
}

/// Pieces as they would be found in a whole log.
#[derive(Default)]
struct Pieces {
    by_key: BTreeMap<String, (Option<&'static LogFormat>, Vec<Object>)>,
    asked: Mutex<BTreeSet<String>>,
}

impl Pieces {
    fn add(&mut self, format: &'static LogFormat, piece: Piece) {
        let (of, objects) = self.by_key.entry(piece.key).or_default();
        *of = Some(format);
        objects.push(piece.object);
    }

    /// What nobody asked for.
    fn orphans(&self) -> Vec<(&'static LogFormat, Vec<Object>)> {
        let asked = self.asked.lock().unwrap();
        let left = self.by_key.iter().filter(|(key, _)| !asked.contains(*key));
        left.filter_map(|(_, (format, objects))| Some(((*format)?, objects.clone()))).collect()
    }
}

impl Companions for Pieces {
    fn find(&self, key: &str) -> Vec<Object> {
        let Some((_, objects)) = self.by_key.get(key) else { return Vec::new() };
        self.asked.lock().unwrap().insert(key.to_owned());
        objects.clone()
    }
}

/// A sample's normal form is a row, and that row is the same sample.
pub fn check_sample(normalizer: &Normalizer, sample: &Sample) {
    let written = sample.to_json().to_string();
    let json = match Json::parse(&written) {
        Ok(json) => json,
        Err(error) => return assert!(error.is_too_deep(), "{error}: {written}"),
    };
    assert_eq!(json, sample.to_json());
    let again = match normalizer.sample(row_of(&json)) {
        Ok(again) => again,
        Err(error) => {
            // What is left of an answer may be JSON that is no call.
            let cut = error.code == RowErrorCode::UnrecognisedToolCall && sample.calls == Calls::Unparsed;
            return assert!(cut || error.code == RowErrorCode::NestingTooDeep, "{error}: {written}");
        }
    };
    assert_eq!(again.question, sample.question);
    // What a log knows to be broken may look whole to somebody who has nothing but the text.
    if sample.calls != Calls::Unparsed {
        assert_eq!(again.calls, sample.calls, "read again from {written}");
    }
    assert_eq!(again.definitions, sample.definitions, "read again from {written}");
    assert_eq!(again.messages, sample.messages, "read again from {written}");
    assert_eq!(again.raw, sample.raw, "a prompt shows the same");
}

/// A sample's normal form as the row of a table.
fn row_of(json: &Json) -> RawRow {
    let given = |value: Option<&Json>| value.filter(|value| !value.is_null()).cloned();
    let original = |key: &str| given(json.get("raw")?.get(key));
    let cell = |value: Option<Json>| value.map_or(Cell::Null, Cell::from);
    let is_empty = |calls: &Json| calls.as_array().is_some_and(<[Json]>::is_empty);
    let calls = given(json.get("tool_calls"));
    RawRow {
        question: question_in_context(cell(given(json.get("question"))), json.get("messages").unwrap(), true),
        tool_call: cell(original("tool_call").or_else(|| calls.filter(|calls| !is_empty(calls)))),
        tool_definitions: cell(original("tool_definitions").or_else(|| given(json.get("tool_definitions")))),
    }
}

fn normalizer(tools: Option<&str>) -> Normalizer {
    Normalizer::new(Options { tools: tools.map(str::to_owned), ..Options::default() }).unwrap()
}

/// A row that asks something, and calls nothing.
fn row() -> RawRow {
    RawRow { question: Cell::Text("q".to_owned()), tool_call: Cell::Null, tool_definitions: Cell::Null }
}

/// The object or array that makes up `text`.
fn structure(text: &str) -> Option<Json> {
    Json::parse(text).ok().filter(|json| matches!(json, Json::Array(_) | Json::Object(_)))
}

fn normal_form<T>(items: &[T], write: fn(&T) -> Json) -> String {
    Json::Array(items.iter().map(write).collect()).to_string()
}

fn check_size(written: &str, source: &str) {
    let (times, more) = LONGEST;
    assert!(written.len() <= source.len() * times + more, "{} bytes out of {}", written.len(), source.len());
}

fn check_error(error: &RowError) {
    assert!(error.message.chars().count() < 400, "{error}");
}
