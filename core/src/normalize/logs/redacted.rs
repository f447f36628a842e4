//! Contents that a log replaced because it was told to keep none: `"redacted-by-litellm"`, `"__REDACTED__"`.

use super::dialogue::Dialogue;
use super::entry::Entry;
use super::nesting;
use super::turn::Output;
use crate::domain::{Json, RowError, RowErrorCode};

/// What stands in place of a content: LiteLLM's, OpenInference's.
const WORDS: &[&str] = &["redacted-by-litellm", "__REDACTED__"];

/// The word in place of something within a value.
pub(super) fn word_in(value: &Json) -> Option<&'static str> {
    match value {
        Json::String(text) => WORDS.iter().copied().find(|word| text == word),
        Json::Array(items) => items.iter().find_map(word_in),
        Json::Object(object) => object.values().find_map(word_in),
        _ => None,
    }
}

/// What stands for a turn of which the log kept no content.
pub(super) fn entry(word: &str) -> Entry {
    let why = format!("messages: {word}; what wrote the log was told to keep no content");
    Entry::Unreadable(RowError::new(RowErrorCode::Redacted, why))
}

/// The word in place of what was said in a conversation, or of an answer. Calls may be kept where the words are not.
pub(super) fn word_in_dialogue(dialogue: &Dialogue) -> Option<&'static str> {
    let answered = || match dialogue.output.as_ref()? {
        output @ (Output::Message(json) | Output::Calls(json)) => {
            let calls = nesting::tools_in(Some(output)).is_some_and(|tools| !tools.is_empty());
            word_in(json).filter(|_| !calls)
        }
        Output::Broken(_) => None,
    };
    dialogue.messages.iter().find_map(word_in).or_else(answered)
}
