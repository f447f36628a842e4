//! Settings of the input, and how it is interpreted.

use std::path::PathBuf;
use std::str::FromStr;

use crate::domain::{Slot, did_you_mean};
use crate::normalize::NullCall;
use crate::normalize::logs::{FORMATS, LogFormat, Turns};
use crate::read::{Format, InMemory, Take};
use crate::write::WhenEmpty;

/// Which rows a job reads, and how they are interpreted.
#[derive(Debug, Clone)]
pub struct InputSettings {
    /// Files, globs and folders, read as one table; `-` is the standard input. At least one, or a table in memory.
    pub inputs: Vec<String>,
    /// Tables in memory, after the files. Default: none.
    pub tables: Vec<InMemory>,
    /// The format of all inputs. Default: detected from names and contents.
    pub from: Option<InputKind>,
    /// Columns with unusual names. Default: none; usual names are detected.
    pub columns: Vec<(Slot, String)>,
    /// A file of tool definitions for all rows without their own. Default: none.
    pub tools: Option<PathBuf>,
    /// Only rows whose column holds exactly this text: pairs of column and text, all of which must hold. Default: all rows.
    pub filters: Vec<(String, String)>,
    /// How many of the filtered rows are read. Default: all.
    pub take: Take,
    /// What an empty tool call means. Default: that nothing was called.
    pub null_call: NullCall,
    /// Whether rows without tool definitions are errors. Default: no; they are judged without definitions.
    pub require_definitions: bool,
    /// Whether calls that the model's provider executed itself, such as web searches, are judged too. Default: no.
    pub include_server_tools: bool,
    /// Whether spans of whole agents are judged although they repeat the spans of their model calls. Default: no.
    pub agents: bool,
    /// Which turns of a transcript are judged. Default: those that call something; if all tasks are about whole transcripts, the
    /// last one.
    pub turns: Option<Turns>,
}

impl InputSettings {
    /// All rows of `inputs`, in their detected format.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> InputSettings {
        InputSettings {
            inputs: inputs.into_iter().map(Into::into).collect(),
            tables: Vec::new(),
            from: None,
            columns: Vec::new(),
            tools: None,
            filters: Vec::new(),
            take: Take::All,
            null_call: NullCall::NothingCalled,
            require_definitions: false,
            include_server_tools: false,
            agents: false,
            turns: None,
        }
    }

    /// Whether an output without rows replaces an existing table: a selection of no rows is more likely a mistake than a wish for
    /// an empty table.
    pub(in crate::run) fn when_empty(&self, force: bool) -> WhenEmpty {
        let selects = !self.filters.is_empty() || self.take != Take::All;
        if selects && !force { WhenEmpty::Keep } else { WhenEmpty::Replace }
    }
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputKind {
    /// A kind of file; logs within are still detected.
    File(Format),
    /// A kind of log.
    Log(&'static LogFormat),
    /// A table, even if its columns have the names of a log's keys.
    Rows,
}

/// A name that is neither a kind of file nor a kind of log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a format: use {names}, `rows`, or a kind of log (`tooljudge convert --formats` lists them){near}",
    names = Format::NAMES,
    near = did_you_mean(.0, ["csv", "jsonl", "json", "parquet", "arrow"].into_iter().chain(FORMATS.iter().map(|format| format.name)))
)]
pub struct UnknownInputKind(pub String);

impl FromStr for InputKind {
    type Err = UnknownInputKind;

    fn from_str(text: &str) -> Result<InputKind, UnknownInputKind> {
        match text {
            "rows" => Ok(InputKind::Rows),
            text => match text.parse() {
                Ok(format) => Ok(InputKind::File(format)),
                Err(_) => LogFormat::named(text)
                    .map(InputKind::Log)
                    .ok_or_else(|| UnknownInputKind(text.to_owned())),
            },
        }
    }
}
