//! Where and when a judged turn happened.

use jiff::Timestamp;

/// What a log says of a turn beside its words; nothing of it is made up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The turn's own id in its log.
    pub source_id: Option<String>,
    /// The model that answered, else the one that was asked.
    pub model: Option<String>,
    /// When the turn began.
    pub timestamp: Option<Timestamp>,
    /// From its beginning to its end, in seconds.
    pub latency_s: Option<f64>,
}
