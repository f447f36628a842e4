//! A provider's format for turns as pure functions: dialogue to request, response to stored message, message to turn.
//!
//! The message of a reply is the provider's own JSON, or the part of it that must be sent back: it is kept in the store and put
//! into later requests, so that signatures and thoughts return unchanged. It is parsed again for each use, because a stored reply
//! consists only of its message.

use serde_json::Value;

use super::adaptation::AdaptationSet;
use super::failure::Failure;
use super::provider_format::{Answer, Part};
use crate::domain::{Dialogue, Turn};

/// How a provider is sent dialogues, and how it replies.
pub(super) trait TurnFormat: Send + Sync {
    /// The body of the request for the next reply of `dialogue`.
    fn turn_body(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Value;

    /// What such a body holds that an endpoint may refuse.
    fn turn_parts(&self, dialogue: &Dialogue, adapted: &AdaptationSet) -> Vec<Part>;

    /// Reads a response that is not an error; the answer's text is the message.
    fn read_turn(&self, dialogue: &Dialogue, adapted: &AdaptationSet, body: &str) -> Result<Answer, Failure>;

    /// What a message says that [`TurnFormat::read_turn`] gave; `None` for any other text.
    fn turn(&self, message: &str) -> Option<Turn>;
}
