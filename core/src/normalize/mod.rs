//! Turns raw rows into samples: whatever the logged form of the question, the call and the definitions, checks and reports see
//! only one.
//!
//! ```
//! use tooljudge_core::domain::{Calls, Cell, RawRow};
//! use tooljudge_core::normalize::{Normalizer, Options};
//!
//! let row = RawRow {
//!     question: Cell::Text("Weather in Oslo?".into()),
//!     tool_call: Cell::Text("get_weather(city='Oslo')".into()),
//!     ..RawRow::default()
//! };
//! let sample = Normalizer::new(Options::default())?.sample(row)?;
//! let Calls::Parsed(calls) = sample.calls else { panic!("no calls") };
//! assert_eq!(calls[0].to_json().to_string(), r#"{"name":"get_weather","arguments":{"city":"Oslo"}}"#);
//! # Ok::<(), tooljudge_core::domain::RowError>(())
//! ```
//!
//! Nothing is repaired, renamed or merged. Tables and log files are read elsewhere.

mod blanks;
mod call_syntax;
mod calls;
pub mod columns;
mod context;
mod definitions;
mod ending;
mod escapes;
mod extras;
pub mod logs;
mod pairs;
mod python_float;
mod python_literal;
mod question;
mod redacted;
mod steps;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::domain::{
    Calls, Cell, Definitions, Flag, Json, Origin, RawRow, RawText, RowError, RowErrorCode, Sample, Slot,
    ToolCall, ToolDefinition, Variable, holds_hidden,
};
pub use context::Conversation;
pub(crate) use definitions::definitions_in;
pub use definitions::{DefinitionsOfBenchmark, definitions_of_benchmark};
pub(crate) use question::messages_of;

use calls::{Answer, Reader};
use definitions::{Catalogue, Tools};
use ending::Ending;
use question::Judged;

/// How rows are to be understood.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What an empty tool call means.
    pub null_call: NullCall,
    /// The text of definitions that hold for every row without definitions of its own.
    pub tools: Option<String>,
    /// Whether calls count that the provider ran itself, such as a web search: the application never saw them.
    pub include_server_tools: bool,
    /// Whether a row without definitions is an error, instead of being judged without them.
    pub require_definitions: bool,
}

/// The calls that a message writes out as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallsInWords {
    /// It is prose.
    None,
    /// They could be read.
    Read(Vec<ToolCall>),
    /// There is one, in a form that is not read, or broken.
    Unreadable,
}

/// What a message that says `text` calls in words, `tools` being on offer.
pub(crate) fn calls_in_words(text: &str, tools: &[ToolDefinition]) -> CallsInWords {
    match Reader::new(tools).output(&Json::from(text)) {
        Ok(Answer::Calls(calls)) if calls.is_empty() => CallsInWords::None,
        Ok(Answer::Calls(calls)) => CallsInWords::Read(calls),
        Ok(Answer::Unreadable(_)) | Err(_) => CallsInWords::Unreadable,
    }
}

/// A cell may hold this much text, in bytes; nobody judges more.
const CELL_BYTES: usize = 64 << 20;

/// What a null or blank tool call means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NullCall {
    /// The agent called nothing, which may be right or wrong.
    #[default]
    NothingCalled,
    /// The log is incomplete; the row is an error.
    Invalid,
}

/// Turns rows into samples. One serves all threads, so that rows with equal definitions share them.
pub struct Normalizer {
    null_call: NullCall,
    include_server_tools: bool,
    require_definitions: bool,
    /// For rows without definitions.
    default_tools: Tools,
    catalogue: Catalogue,
}

impl Normalizer {
    /// An error if the definitions among the options cannot be read.
    pub fn new(options: Options) -> Result<Normalizer, RowError> {
        let catalogue = Catalogue::default();
        let broken = options.tools.as_deref().and_then(broken_json);
        let given = options.tools.map_or(Cell::Missing, Cell::Text);
        let default_tools = catalogue.read(&given).transpose()?.unwrap_or_else(|| Tools {
            definitions: Definitions::Unknown,
            raw: None,
            flags: BTreeSet::from([Flag::NoDefinitions]),
        });
        // A row may hold half of something. Who names a file for all rows means it to be whole.
        if default_tools.definitions == Definitions::FreeText
            && let Some(why) = broken
        {
            return Err(RowError::new(RowErrorCode::InvalidJson, why));
        }
        Ok(Normalizer {
            null_call: options.null_call,
            include_server_tools: options.include_server_tools,
            require_definitions: options.require_definitions,
            default_tools,
            catalogue,
        })
    }

    /// Reads one row.
    pub fn sample(&self, row: RawRow) -> Result<Sample, RowError> {
        self.sample_in_context(row, None)
    }

    /// Reads one row that may have a conversation beside its question.
    pub fn sample_in_context(&self, row: RawRow, context: Option<&Conversation>) -> Result<Sample, RowError> {
        steps::refused(&row.tool_call)?;
        self.whole(row, context)
    }

    /// All calls of a cell, also those of several turns: for who compares a whole way with another.
    pub fn calls(&self, row: RawRow) -> Result<Calls, RowError> {
        self.whole(row, None).map(|sample| sample.calls)
    }

    fn whole(&self, row: RawRow, context: Option<&Conversation>) -> Result<Sample, RowError> {
        if let Some(field) = too_large(&row) {
            let why = format!("{field}: more than {} MB; shorten it", CELL_BYTES >> 20);
            return Err(RowError::new(RowErrorCode::RowTooLarge, why));
        }
        let question = match (&row.question, context) {
            // Calls without a question come out of logs that hold no user's words.
            (cell, Some(context)) if context.before_turn && is_null(cell) && !is_null(&row.tool_call) => {
                context.unasked()
            }
            // What a user said may look like a conversation, and be none.
            (Cell::Text(text), Some(context)) if context.before_turn => {
                question::read(&row.question).or_else(|_| question::plain(text))?
            }
            (cell, _) => question::read(cell)?,
        };
        // Definitions before calls: positional arguments have no names without them.
        let tools = self.tools(&row.tool_definitions)?;
        if self.null_call == NullCall::Invalid && is_null(&row.tool_call) {
            return Err(RowError::new(RowErrorCode::MissingToolCall, "tool_call: null"));
        }
        redacted::refuse_cell(&row.tool_call)?;
        let mut reader = Reader::new(tools.known()).with_server_tools(self.include_server_tools);
        let ending = Ending::of_cell(&row.tool_call);
        let calls = match (reader.cell(&row.tool_call), context) {
            (Err(error), _) if let Some(ending) = &ending => return Err(ending.explains().unwrap_or(error)),
            (_, Some(Conversation { unread: true, .. })) => Calls::Unparsed,
            // What was converted could be judged: it was a text that no call can be read from.
            (Err(error), Some(Conversation { before_turn: true, .. }))
                if error.code == RowErrorCode::UnrecognisedToolCall && is_text(&row.tool_call) =>
            {
                Calls::Unparsed
            }
            (calls, _) => calls?,
        };
        let mut flags = reader.into_flags();
        if let Some(ending) = ending {
            ending.settle(&calls, tools.known(), &mut flags)?;
        }
        let answer = match &row.tool_call {
            Cell::Json(json) => Some(Cow::Borrowed(json)),
            Cell::Text(text) if calls == Calls::Parsed(Vec::new()) => ending::structure(text).map(Cow::Owned),
            _ => None,
        };
        redacted::refuse(&question, &calls, answer.as_deref(), tools.raw.as_deref())?;
        if calls == Calls::Unparsed {
            flags.insert(Flag::RawToolCall);
        }
        let tool_call = raw_text(row.tool_call);
        let judged = Judged { calls: &calls, raw: tool_call.as_deref() };
        let question = match context {
            Some(context) => match &row.question {
                Cell::Text(cell) => context.around(cell, question, &judged),
                _ => question.before(&judged),
            },
            None => question.before(&judged),
        };
        flags.extend(tools.flags);
        flags.extend(question.flags);
        if holds_hidden(&question.text) {
            flags.insert(Flag::HiddenContent);
        }
        let mut after = context.map(Conversation::after).unwrap_or_default();
        let extras = extras::read(row.extras, &mut after);
        Ok(Sample {
            question: question.text,
            messages: question.messages,
            calls,
            definitions: tools.definitions,
            raw: RawText { question: question.slot, tool_call, tool_definitions: tools.raw },
            flags: flags.into_iter().collect(),
            origin: Origin::default(),
            place: None,
            after,
            extras,
            part: None,
        })
    }

    /// A cell of a table that cannot tell null from absent. `padded` is the cell with all fields that it may not have had, which are null.
    /// None of them is kept but an argument of a call that its tool, among the row's `definitions`, requires and lets be null: a call
    /// without it would be wrong, so that it was there.
    pub fn unpadded(&self, padded: Json, definitions: Option<&Json>) -> Json {
        let cell = padded.clone().without_nulls();
        self.with_passed_nulls(cell, &padded, definitions)
    }

    /// The same for a cell that is rid of its blanks already, and may have nulls beside them.
    pub fn with_passed_nulls(&self, cell: Json, padded: &Json, definitions: Option<&Json>) -> Json {
        if cell == *padded {
            return cell;
        }
        let own = definitions.and_then(|definitions| self.catalogue.known(definitions));
        let own = own.filter(|tools| tools.definitions != Definitions::Unknown);
        let tools = own.as_ref().unwrap_or(&self.default_tools).known();
        if tools.is_empty() { cell } else { blanks::told(cell, padded, tools) }
    }

    /// The definitions in `cell`, else those that hold for all rows.
    fn tools(&self, cell: &Cell) -> Result<Tools, RowError> {
        let own = self.catalogue.read(cell).transpose()?;
        let tools = match own {
            Some(tools) if tools.definitions != Definitions::Unknown => tools,
            _ => self.default_tools.clone(),
        };
        if self.require_definitions && tools.definitions == Definitions::Unknown {
            let why = "tool_definitions: the row has none, and no others are given";
            return Err(RowError::new(RowErrorCode::MissingToolDefinitions, why));
        }
        Ok(tools)
    }
}

/// What is wrong with a text that begins like JSON, or like a Python literal, and is not JSON.
fn broken_json(text: &str) -> Option<String> {
    let text = text.trim_start();
    let rest = text.strip_prefix('[').or_else(|| text.strip_prefix('{'))?;
    if !rest.trim_start().starts_with(['{', '[', '"', '\'']) {
        return None;
    }
    let error = Json::parse(text).err()?;
    Some(format!("the definitions begin like JSON and are not: {error}; is the file cut off?"))
}

/// The cell that nobody could judge for its length, if one is.
fn too_large(row: &RawRow) -> Option<Variable> {
    let is_large = |cell: &Cell| matches!(cell, Cell::Text(text) if text.len() > CELL_BYTES);
    let own = [&row.question, &row.tool_call, &row.tool_definitions];
    let own = Slot::ALWAYS.into_iter().zip(own).find(|(_, cell)| is_large(cell));
    let extra = || row.extras.iter().find(|(_, cell)| is_large(cell)).map(|(variable, _)| variable.clone());
    own.map(|(slot, _)| Variable::Slot(slot)).or_else(extra)
}

fn is_text(cell: &Cell) -> bool {
    matches!(cell, Cell::Text(_) | Cell::Json(Json::String(_)))
}

fn is_null(cell: &Cell) -> bool {
    match cell {
        Cell::Null => true,
        Cell::Text(text) => text.trim().is_empty(),
        Cell::Missing | Cell::Json(_) => false,
    }
}

/// A cell's text as a prompt shows it.
fn raw_text(cell: Cell) -> Option<String> {
    match cell {
        _ if is_null(&cell) => None,
        Cell::Text(text) => Some(text),
        Cell::Json(json) => Some(json.to_string()),
        Cell::Missing | Cell::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tool_call: Cell, tool_definitions: Cell) -> RawRow {
        RawRow { question: Cell::Text("q".to_owned()), tool_call, tool_definitions, ..RawRow::default() }
    }

    fn text(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    #[test]
    fn texts_stay_byte_for_byte_and_structures_become_compact() {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        for (cell, raw) in [
            (text(" f( a = 1 ) \n"), Some(" f( a = 1 ) \n")),
            (text("No tools called."), Some("No tools called.")),
            (Cell::from(Json::parse(r#"[ {"name": "f"} ]"#).unwrap()), Some(r#"[{"name":"f"}]"#)),
            (text(" "), None),
            (Cell::Null, None),
        ] {
            assert_eq!(normalizer.sample(row(cell, Cell::Null)).unwrap().raw.tool_call.as_deref(), raw);
        }
        let sample = normalizer.sample(row(Cell::Null, text(" f: d | Parameters: {} "))).unwrap();
        assert_eq!(sample.raw.tool_definitions.as_deref(), Some(" f: d | Parameters: {} "));
    }

    #[test]
    fn null_means_what_the_options_say() {
        for (cell, null) in [(Cell::Null, true), (text(" "), true), (text("None"), false)] {
            for null_call in [NullCall::NothingCalled, NullCall::Invalid] {
                let normalizer = Normalizer::new(Options { null_call, ..Options::default() }).unwrap();
                match normalizer.sample(row(cell.clone(), Cell::Null)) {
                    Ok(sample) => assert_eq!(sample.calls, Calls::Parsed(Vec::new())),
                    Err(error) => {
                        assert!(null && null_call == NullCall::Invalid);
                        assert_eq!(error.code, RowErrorCode::MissingToolCall);
                    }
                }
            }
        }
    }

    #[test]
    fn given_definitions_serve_rows_without_their_own() {
        let given = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{}}}}]"#;
        let normalizer =
            Normalizer::new(Options { tools: Some(given.to_owned()), ..Options::default() }).unwrap();
        let first = |tool_definitions| {
            let sample = normalizer.sample(row(text("f(1)"), tool_definitions)).unwrap();
            let Calls::Parsed(calls) = sample.calls else { panic!("no calls") };
            (calls[0].to_json().to_string(), sample.raw.tool_definitions.map(|raw| raw.to_string()))
        };
        let mapped = (r#"{"name":"f","arguments":{"a":1}}"#.to_owned(), Some(given.to_owned()));
        for cell in [Cell::Missing, Cell::Null, text(""), text("null")] {
            assert_eq!(first(cell), mapped);
        }
        let unmapped = (r#"{"name":"f","arguments":{"$0":1}}"#.to_owned(), Some("[]".to_owned()));
        assert_eq!(first(text("[]")), unmapped);
        assert!(Normalizer::new(Options { tools: Some("{}".to_owned()), ..Options::default() }).is_err());
    }

    #[test]
    fn messages_name_the_field_and_stay_short() {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let long = Json::parse(&format!(r#"{{"x":1,"y":"{}"}}"#, "z".repeat(1000))).unwrap();
        let rows = [
            ("tool_call", row(Cell::from(long.clone()), Cell::Null)),
            ("tool_definitions", row(Cell::Null, Cell::from(long.clone()))),
            ("question", RawRow { question: Cell::from(long), ..row(Cell::Null, Cell::Null) }),
        ];
        for (field, row) in rows {
            let message = normalizer.sample(row).unwrap_err().message;
            assert!(message.starts_with(field) && message.chars().count() < 160, "{message}");
        }
    }
}
