//! Where and when a judged turn happened.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Json, Object};

/// What a log says of a turn beside its words; nothing of it is made up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The turn's own id in its log.
    pub source_id: Option<String>,
    /// The model that answered, else the requested one.
    pub model: Option<String>,
    /// When the turn began.
    pub timestamp: Option<Timestamp>,
    /// From its beginning to its end, in seconds.
    pub latency_s: Option<f64>,
    /// What a benchmark says of the turn. No judge is shown it.
    pub gold: Option<Gold>,
    /// Other metadata of its record, by column: the session, the user, a team's own keys.
    pub about: Option<Arc<Object>>,
}

/// What is known of a turn beforehand.
#[derive(Debug, Clone, PartialEq)]
pub enum Gold {
    /// Whether its calls are right.
    Right(bool),
    /// The calls that it should make; a list of such lists where the benchmark has several answers.
    Calls(Json),
}
