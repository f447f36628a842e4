//! A definitions cell to definitions: `[{"type":"function","function":{"name":"f","parameters":{…}}}]`.
//!
//! [`Catalogue`] reads equal cells once: a log repeats its definitions in every row. The shapes are a table in [`shapes`],
//! the notebook's lines are read in [`lines`], and [`schema`] translates the dialects' type names.

mod lines;
mod schema;
mod shapes;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use super::python_literal::{self, Dialect};
use crate::domain::{Cell, Definitions, Flag, Json, RowError, RowErrorCode, ToolDefinition};

/// What a definitions cell says.
#[derive(Debug, Clone)]
pub(super) struct Tools {
    pub(super) definitions: Definitions,
    pub(super) raw: Option<Arc<str>>,
    pub(super) flags: BTreeSet<Flag>,
}

impl Tools {
    /// The definitions that checks and positional arguments may rely on.
    pub(super) fn known(&self) -> &[ToolDefinition] {
        match &self.definitions {
            Definitions::Known(tools) => tools,
            Definitions::FreeText | Definitions::Unknown => &[],
        }
    }
}

type Read = Result<Tools, RowError>;

/// The definitions seen lately, by their text.
#[derive(Default)]
pub(super) struct Catalogue {
    seen: RwLock<Seen>,
}

#[derive(Default)]
struct Seen {
    tools: HashMap<Arc<str>, Read>,
    bytes: usize,
}

/// Text kept in a catalogue. What is read out of it takes about ten times as much.
const CATALOGUE_BYTES: usize = 2 << 20;

impl Catalogue {
    /// Reads a cell; `None` when it holds nothing.
    pub(super) fn read(&self, cell: &Cell) -> Option<Read> {
        match cell {
            Cell::Missing | Cell::Null => None,
            Cell::Text(text) if text.trim().is_empty() => None,
            Cell::Text(text) => Some(self.remembered(text, || from_text(text))),
            Cell::Json(json @ (Json::Array(_) | Json::Object(_))) => {
                Some(self.remembered(&json.to_string(), || from_json(json)))
            }
            Cell::Json(other) => Some(Err(unrecognised(other))),
        }
    }

    fn remembered(&self, text: &str, read: impl FnOnce() -> Result<Found, RowError>) -> Read {
        if let Some(known) = self.seen.read().unwrap_or_else(PoisonError::into_inner).tools.get(text) {
            return known.clone();
        }
        let raw: Arc<str> = text.into();
        let tools = read().map(|found| found.into_tools(raw.clone()));
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have read the same text meanwhile: all rows share what came first.
        if let Some(known) = seen.tools.get(text) {
            return known.clone();
        }
        // Cells either repeat all the time or hardly ever: starting over costs little in both cases.
        if seen.bytes + text.len() > CATALOGUE_BYTES {
            *seen = Seen::default();
        }
        seen.bytes += text.len();
        seen.tools.insert(raw, tools.clone());
        tools
    }
}

/// What was read, before it is shared.
enum Found {
    Nothing,
    FreeText,
    Tools { tools: Vec<ToolDefinition>, flags: BTreeSet<Flag> },
}

impl Found {
    fn into_tools(self, raw: Arc<str>) -> Tools {
        let (definitions, flags) = match self {
            Found::Nothing => (Definitions::Unknown, BTreeSet::from([Flag::NoDefinitions])),
            Found::FreeText => (Definitions::FreeText, BTreeSet::from([Flag::DefinitionsFreeText])),
            Found::Tools { tools, mut flags } => {
                let mut names = BTreeSet::new();
                if !tools.iter().all(|tool| names.insert(tool.name.as_str())) {
                    flags.insert(Flag::DuplicateDefinition);
                }
                (Definitions::Known(tools.into()), flags)
            }
        };
        Tools { definitions, raw: Some(raw), flags }
    }
}

/// How many times a JSON string may hold JSON.
const MOST_ENCODINGS: usize = 4;

fn from_text(text: &str) -> Result<Found, RowError> {
    let mut text = text.trim().to_owned();
    for _ in 0..MOST_ENCODINGS {
        match json_values(&text)? {
            Some(mut values) if values.len() == 1 => match values.remove(0) {
                Json::String(inner) => text = inner.trim().to_owned(),
                value => return from_json(&value),
            },
            Some(values) => return from_json(&Json::Array(values)),
            None => break,
        }
    }
    let bracketed = text.starts_with(['[', '{', '(']) || text.starts_with("array(");
    if let Some(value) = bracketed.then(|| python_literal::whole(&text, Dialect::Repr)).flatten() {
        return from_json(&value);
    }
    Ok(match lines::read(&text) {
        Some(tools) => Found::Tools { tools, flags: BTreeSet::new() },
        None => Found::FreeText,
    })
}

/// The JSON values that make up `text`, one after another: a whole document, or one definition a line.
fn json_values(text: &str) -> Result<Option<Vec<Json>>, RowError> {
    let mut values = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !rest.starts_with(['{', '[', '"']) && rest != "null" {
            return Ok(None);
        }
        match Json::parse_prefix(rest) {
            Ok((value, end)) => {
                values.push(value);
                rest = rest[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            }
            Err(problem) if problem.is_too_deep() => {
                return Err(error(RowErrorCode::NestingTooDeep, "nesting deeper than 128 levels", text));
            }
            Err(_) => return Ok(None),
        }
    }
    Ok((!values.is_empty()).then_some(values))
}

fn from_json(json: &Json) -> Result<Found, RowError> {
    if json.is_null() {
        return Ok(Found::Nothing);
    }
    let mut reader = shapes::Reader::default();
    reader.value(json)?;
    Ok(Found::Tools { tools: reader.tools, flags: reader.flags })
}

fn unrecognised(what: impl std::fmt::Display) -> RowError {
    error(RowErrorCode::UnrecognisedToolDefinitions, "no known shape of tool definitions", what)
}

fn error(code: RowErrorCode, why: &str, what: impl std::fmt::Display) -> RowError {
    RowError::new(code, format!("tool_definitions: {why}: {}", RowError::excerpt(&what.to_string())))
}
