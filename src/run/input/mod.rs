//! The input of the passes: rows of a table, or the caller's samples.

mod cell;
mod clusters;
mod draws;
pub(in crate::run) mod judged;
mod row;
mod shard;
mod source;
mod text_fields;

pub(in crate::run) use cell::{says_nothing, text};
pub(in crate::run) use clusters::{Cluster, Clusters, hash};
pub(in crate::run) use draws::Draws;
pub use row::Row;
pub use shard::{NoShard, SHARD_ROW, Shard};
pub use source::{Chosen, Samples, Source, items};
pub(in crate::run) use text_fields::TextFields;
