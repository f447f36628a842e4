//! The write pass: reads the input again in order, and writes it with its labels and their summary.

mod deciders;
mod folds;
mod found;
mod groups;
mod ids;
mod labellers;
mod listing;
mod pass;
mod rates;
mod summary;

pub use deciders::{Decider, Deciders};
pub use folds::FoldWatch;
pub use found::{CallCounts, FindingCounts};
pub use groups::{Group, GroupWatch, TOOL};
pub use labellers::{BaselineLabeller, BuiltinLabeller, Labeller, StoredLabeller};
pub use listing::{Failures, ListWatch, Listed};
pub use pass::{Destination, Watch, write};
pub use rates::{NamedGold, RateInput, RateWatch};
pub use summary::{Agreement, Summary};
