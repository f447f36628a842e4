//! Settings of the reply store, and which replies are reused.

use std::path::PathBuf;

use crate::domain::Status;
use crate::store::StorePlace;

/// The reply store of a run with model judges; the built-in judge has nothing to keep.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// An SQLite file, made where there is none, or a PostgreSQL server. Default: the file `.tooljudge/replies.sqlite`.
    pub place: StorePlace,
    /// Whether everything is asked again, whatever the store holds. Default: no.
    pub fresh: bool,
    /// Statuses of stored replies that are asked again: of unparseable, refused, filtered, empty and truncated. Errored questions
    /// always are. Default: none.
    pub retry: Vec<Status>,
    /// Whether prompts are kept beside their replies. Default: no.
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
