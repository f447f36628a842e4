//! Tables of calls of which it is known whether they are right.

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
pub use making::{GeneratedGold, KindCount, gold_of};
pub use outcome::{GoldCounts, GoldSummary};
