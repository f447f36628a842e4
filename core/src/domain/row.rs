//! One row as a table or log holds it, before anything is read out of its cells.

use super::{Json, Sample};

/// The cells that matter; everything else of the row passes by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawRow {
    pub question: Cell,
    pub tool_call: Cell,
    pub tool_definitions: Cell,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    /// The record does not have the key at all.
    #[default]
    Missing,
    Null,
    /// A text, not looked into yet.
    Text(String),
    /// A structured value; never a string.
    Json(Json),
}

impl From<Json> for Cell {
    fn from(json: Json) -> Cell {
        match json {
            Json::Null => Cell::Null,
            Json::String(text) => Cell::Text(text),
            json => Cell::Json(json),
        }
    }
}

/// A row's sample, or why there is none.
pub type Item = Result<Sample, RowError>;

/// Why no sample could be read from a row. The row is reported; the run goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct RowError {
    pub code: RowErrorCode,
    /// Names the field and shows at most 80 characters of it.
    pub message: String,
}

impl RowError {
    pub fn new(code: RowErrorCode, message: impl Into<String>) -> RowError {
        RowError { code, message: message.into() }
    }

    /// At most 80 characters of `text`, on one line, for an error's message.
    pub fn excerpt(text: &str) -> String {
        const LIMIT: usize = 80;
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LIMIT).collect();
        if text.chars().nth(LIMIT).is_some() { format!("{line}…") } else { line }
    }
}

/// The kinds of unreadable rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowErrorCode {
    InvalidJson,
    RowNotObject,
    MissingQuestion,
    EmptyQuestion,
    UnrecognisedQuestion,
    NoUserMessage,
    MissingToolCall,
    UnrecognisedToolCall,
    DefinitionInToolCall,
    ToolCallWithoutName,
    MissingToolDefinitions,
    UnrecognisedToolDefinitions,
    DefinitionWithoutName,
    UnrecognisedRecord,
    NoMatchingQuestion,
    DuplicateId,
    Redacted,
    StreamedBody,
    InvalidUtf8,
    NestingTooDeep,
    RowTooLarge,
}

impl RowErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            RowErrorCode::InvalidJson => "invalid_json",
            RowErrorCode::RowNotObject => "row_not_object",
            RowErrorCode::MissingQuestion => "missing_question",
            RowErrorCode::EmptyQuestion => "empty_question",
            RowErrorCode::UnrecognisedQuestion => "unrecognised_question",
            RowErrorCode::NoUserMessage => "no_user_message",
            RowErrorCode::MissingToolCall => "missing_tool_call",
            RowErrorCode::UnrecognisedToolCall => "unrecognised_tool_call",
            RowErrorCode::DefinitionInToolCall => "definition_in_tool_call",
            RowErrorCode::ToolCallWithoutName => "tool_call_without_name",
            RowErrorCode::MissingToolDefinitions => "missing_tool_definitions",
            RowErrorCode::UnrecognisedToolDefinitions => "unrecognised_tool_definitions",
            RowErrorCode::DefinitionWithoutName => "definition_without_name",
            RowErrorCode::UnrecognisedRecord => "unrecognised_record",
            RowErrorCode::NoMatchingQuestion => "no_matching_question",
            RowErrorCode::DuplicateId => "duplicate_id",
            RowErrorCode::Redacted => "redacted",
            RowErrorCode::StreamedBody => "streamed_body",
            RowErrorCode::InvalidUtf8 => "invalid_utf8",
            RowErrorCode::NestingTooDeep => "nesting_too_deep",
            RowErrorCode::RowTooLarge => "row_too_large",
        }
    }
}
