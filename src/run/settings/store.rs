//! Settings of the reply store, and which replies are reused.

use std::path::PathBuf;

use crate::domain::Status;
use crate::store::StorePlace;

/// The reply store of a run with model judges; the built-in judge has nothing to keep.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// An SQLite file, which is created if it does not exist, or a PostgreSQL server. Default: the file
    /// `.tooljudge/replies.sqlite`.
    pub place: StorePlace,
    /// Whether every question is sent again, even if the store has its reply. Default: no.
    pub fresh: bool,
    /// Statuses of stored replies whose questions are sent again: unparseable, refused, filtered, empty, truncated. Errored
    /// questions always are. Default: none.
    pub retry: Vec<Status>,
    /// Whether prompts are kept with their replies. Default: no.
    pub keep_prompts: bool,
}

impl Default for StoreSettings {
    fn default() -> StoreSettings {
        StoreSettings {
            place: StorePlace::File(PathBuf::from(".tooljudge/replies.sqlite")),
            fresh: false,
            retry: Vec::new(),
            keep_prompts: false,
        }
    }
}
