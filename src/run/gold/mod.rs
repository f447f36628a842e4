//! Makes tables of calls with known labels.

mod error;
mod folder;
mod importing;
mod job;
mod making;
mod outcome;
mod source;

pub use error::GoldError;
pub use importing::ImportedGold;
pub use job::gold;
pub(super) use job::temporary;
#[cfg(feature = "cli")]
pub use making::gold_of;
pub use making::{GeneratedGold, KindCount};
pub use outcome::{GoldCounts, GoldSummary};
