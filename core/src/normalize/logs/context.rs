//! What a reader can look up beside its own record.

use std::sync::Arc;

use crate::domain::Object;
use crate::normalize::Normalizer;

/// What a reader may know beside its record.
pub struct Context<'a> {
    /// Whether spans of whole agents are judged too, although they repeat the spans of their model calls.
    pub agents: bool,
    /// Which turns of a transcript are judged.
    pub turns: Turns,
    /// Reads what stands in a record, with the definitions that hold for all.
    pub normalizer: &'a Arc<Normalizer>,
    /// What other records hold for this one.
    pub related: &'a dyn RelatedRecords,
    /// The file that holds the record: lines of a session without an id in them belong together because of it.
    pub source: &'a str,
}

/// Which turns of a transcript are judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Turns {
    /// Every turn that calls something; of a transcript without any call the last turn, for calling nothing can be wrong.
    #[default]
    Calls,
    /// Every turn.
    All,
    /// The last turn.
    Last,
}

/// The fragments that all records of all inputs hold for others.
pub trait RelatedRecords: Sync {
    /// Those of one key, in the order of the inputs.
    fn find(&self, key: &str) -> Vec<Object>;
}

/// No related records: every record speaks for itself.
pub struct NoRelated;

impl RelatedRecords for NoRelated {
    fn find(&self, _: &str) -> Vec<Object> {
        Vec::new()
    }
}
