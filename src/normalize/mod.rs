//! Raw row to sample: whatever shape the question, the call and the definitions were logged in, checks and reports see
//! one.
//!
//! ```
//! use tooljudge::domain::{Calls, Cell, RawRow};
//! use tooljudge::normalize::{Normalizer, Options};
//!
//! let row = RawRow {
//!     question: Cell::Text("Weather in Oslo?".into()),
//!     tool_call: Cell::Text("get_weather(city='Oslo')".into()),
//!     tool_definitions: Cell::Null,
//! };
//! let sample = Normalizer::new(Options::default())?.sample(row)?;
//! let Calls::Parsed(calls) = sample.calls else { panic!("no calls") };
//! assert_eq!(calls[0].to_json().to_string(), r#"{"name":"get_weather","arguments":{"city":"Oslo"}}"#);
//! # Ok::<(), tooljudge::domain::RowError>(())
//! ```
//!
//! Nothing is repaired, renamed or merged. Reading tables and logs is not done here.

mod call_syntax;
mod calls;
pub mod columns;
mod definitions;
mod python_literal;
mod question;

use std::collections::BTreeSet;

use crate::domain::{Cell, Definitions, Flag, RawRow, RawText, RowError, RowErrorCode, Sample};
use calls::Reader;
use definitions::{Catalogue, Tools};

/// How rows are to be understood.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub null_call: NullCall,
    /// The text of definitions that hold for every row without definitions of its own.
    pub tools: Option<String>,
}

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
    /// For rows without definitions.
    default_tools: Tools,
    catalogue: Catalogue,
}

impl Normalizer {
    /// An error if the definitions among the options cannot be read.
    pub fn new(options: Options) -> Result<Normalizer, RowError> {
        let catalogue = Catalogue::default();
        let given = options.tools.map_or(Cell::Missing, Cell::Text);
        let default_tools = catalogue.read(&given).transpose()?.unwrap_or_else(|| Tools {
            definitions: Definitions::Unknown,
            raw: None,
            flags: BTreeSet::from([Flag::NoDefinitions]),
        });
        Ok(Normalizer { null_call: options.null_call, default_tools, catalogue })
    }

    /// Reads one row.
    pub fn sample(&self, row: RawRow) -> Result<Sample, RowError> {
        let question = question::read(&row.question)?;
        // Definitions before calls: positional arguments have no names without them.
        let own = self.catalogue.read(&row.tool_definitions).transpose()?;
        let tools = match own {
            Some(tools) if tools.definitions != Definitions::Unknown => tools,
            _ => self.default_tools.clone(),
        };
        if self.null_call == NullCall::Invalid && is_null(&row.tool_call) {
            return Err(RowError::new(RowErrorCode::MissingToolCall, "tool_call: null"));
        }
        let mut reader = Reader::new(tools.known());
        let calls = reader.cell(&row.tool_call)?;
        let mut flags = reader.into_flags();
        flags.extend(tools.flags);
        flags.extend(question.flags);
        Ok(Sample {
            question: question.text,
            messages: question.messages,
            calls,
            definitions: tools.definitions,
            raw: RawText {
                question: question.slot,
                tool_call: raw_text(row.tool_call),
                tool_definitions: tools.raw,
            },
            flags: flags.into_iter().collect(),
        })
    }
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
