//! A log format: how its records are recognized, and how they are read.

use super::about;
use super::context::Context;
use super::entry::{Entries, none};
use crate::domain::Object;

/// One kind of log.
#[derive(Debug, Clone, Copy)]
pub struct LogFormat {
    /// As users name it.
    pub name: &'static str,
    /// What gives a record away, in words: "keys `run_type` and `inputs`".
    pub sign: &'static str,
    pub(super) matches: fn(&Object) -> bool,
    pub(super) read: fn(Object, &Context) -> Entries,
    /// What becomes of fragments that no record asked for, all of one key; `None` where they are nothing by themselves.
    pub(super) unmatched: Option<fn(Vec<Object>, &Context) -> Entries>,
}

impl PartialEq for LogFormat {
    fn eq(&self, other: &LogFormat) -> bool {
        self.name == other.name
    }
}

impl LogFormat {
    /// What is in a record, in order. Lazily, where one record holds many long turns.
    pub fn read(&self, record: Object, context: &Context) -> Entries {
        let about = about::of(self, &record);
        about::given((self.read)(record, context), about)
    }

    /// What can be made of the fragments of one key that belong to no record.
    pub fn unmatched(&self, fragments: Vec<Object>, context: &Context) -> Entries {
        match self.unmatched {
            Some(read) => read(fragments, context),
            None => none(),
        }
    }
}
