//! One row of a table or log, before its cells are parsed.

use super::{Json, Sample, Variable};

/// The cells that matter; everything else of the row passes by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawRow {
    /// What was asked: a text, or a conversation.
    pub question: Cell,
    /// What the agent called; null may mean that it called nothing.
    pub tool_call: Cell,
    /// The tools on offer.
    pub tool_definitions: Cell,
    /// What only some templates show.
    pub extras: Vec<(Variable, Cell)>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    /// The record does not have the key at all.
    #[default]
    Missing,
    /// A null, as JSON and columnar tables have it.
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
    /// What kind of error it is.
    pub code: RowErrorCode,
    /// Names the field and shows at most 80 characters of it.
    pub message: String,
}

impl RowError {
    /// An error; `message` should name the field.
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
    /// Text that begins as JSON but is not.
    InvalidJson,
    /// A line or record that is not an object.
    RowNotObject,
    /// No question cell.
    MissingQuestion,
    /// The question is blank, or holds no messages.
    EmptyQuestion,
    /// The question is neither a text nor a list of messages.
    UnrecognisedQuestion,
    /// A conversation in which no user speaks.
    NoUserMessage,
    /// No tool call cell, or a null where null does not mean that nothing was called.
    MissingToolCall,
    /// The tool call has no known shape.
    UnrecognisedToolCall,
    /// The calls of several turns, with the results between them, where those of one should be.
    SeveralTurns,
    /// A tool's definition where a call should be.
    DefinitionInToolCall,
    /// A call that does not name its tool.
    ToolCallWithoutName,
    /// Nothing where a template shows something.
    MissingValue,
    /// No tool definitions, although the settings require them.
    MissingToolDefinitions,
    /// The tool definitions have no known shape.
    UnrecognisedToolDefinitions,
    /// A definition that does not name its tool.
    DefinitionWithoutName,
    /// A record of a log that its format cannot explain.
    UnrecognisedRecord,
    /// A line of answers whose question is in no input.
    NoMatchingQuestion,
    /// Several questions have the id that a line of answers names.
    DuplicateId,
    /// The log keeps a placeholder instead of the content.
    Redacted,
    /// The answer was cut before a complete call, so its call is unknown.
    AnswerCut,
    /// A filter, a guardrail or the provider kept the answer back.
    AnswerBlocked,
    /// The answer broke off with an error or a call that the provider could not read, or the log lost its calls.
    AnswerMalformed,
    /// The log names a tool and does not hold what it was called with.
    ArgumentsNotRecorded,
    /// A logged stream of events instead of the answer put together.
    StreamedBody,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// JSON nested deeper than 128 levels.
    NestingTooDeep,
    /// A row larger than the reader's limit.
    RowTooLarge,
}

impl RowErrorCode {
    /// All of them.
    pub const ALL: [RowErrorCode; 27] = [
        RowErrorCode::InvalidJson,
        RowErrorCode::RowNotObject,
        RowErrorCode::MissingQuestion,
        RowErrorCode::EmptyQuestion,
        RowErrorCode::UnrecognisedQuestion,
        RowErrorCode::NoUserMessage,
        RowErrorCode::MissingToolCall,
        RowErrorCode::UnrecognisedToolCall,
        RowErrorCode::SeveralTurns,
        RowErrorCode::DefinitionInToolCall,
        RowErrorCode::ToolCallWithoutName,
        RowErrorCode::MissingValue,
        RowErrorCode::MissingToolDefinitions,
        RowErrorCode::UnrecognisedToolDefinitions,
        RowErrorCode::DefinitionWithoutName,
        RowErrorCode::UnrecognisedRecord,
        RowErrorCode::NoMatchingQuestion,
        RowErrorCode::DuplicateId,
        RowErrorCode::Redacted,
        RowErrorCode::AnswerCut,
        RowErrorCode::AnswerBlocked,
        RowErrorCode::AnswerMalformed,
        RowErrorCode::ArgumentsNotRecorded,
        RowErrorCode::StreamedBody,
        RowErrorCode::InvalidUtf8,
        RowErrorCode::NestingTooDeep,
        RowErrorCode::RowTooLarge,
    ];

    /// Those that are about what was logged of an answer, however it is read.
    pub const OF_ANSWERS: [RowErrorCode; 4] = [
        RowErrorCode::AnswerCut,
        RowErrorCode::AnswerBlocked,
        RowErrorCode::AnswerMalformed,
        RowErrorCode::ArgumentsNotRecorded,
    ];

    /// As the `error` column spells it, in front of the message.
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
            RowErrorCode::SeveralTurns => "several_turns",
            RowErrorCode::DefinitionInToolCall => "definition_in_tool_call",
            RowErrorCode::ToolCallWithoutName => "tool_call_without_name",
            RowErrorCode::MissingValue => "missing_value",
            RowErrorCode::MissingToolDefinitions => "missing_tool_definitions",
            RowErrorCode::UnrecognisedToolDefinitions => "unrecognised_tool_definitions",
            RowErrorCode::DefinitionWithoutName => "definition_without_name",
            RowErrorCode::UnrecognisedRecord => "unrecognised_record",
            RowErrorCode::NoMatchingQuestion => "no_matching_question",
            RowErrorCode::DuplicateId => "duplicate_id",
            RowErrorCode::Redacted => "redacted",
            RowErrorCode::AnswerCut => "answer_cut",
            RowErrorCode::AnswerBlocked => "answer_blocked",
            RowErrorCode::AnswerMalformed => "answer_malformed",
            RowErrorCode::ArgumentsNotRecorded => "arguments_not_recorded",
            RowErrorCode::StreamedBody => "streamed_body",
            RowErrorCode::InvalidUtf8 => "invalid_utf8",
            RowErrorCode::NestingTooDeep => "nesting_too_deep",
            RowErrorCode::RowTooLarge => "row_too_large",
        }
    }
}
