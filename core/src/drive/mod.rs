//! Agents driven through cases: a model replies, mocks or an environment answer its calls, and the result is scored.
//!
//! *Suite* → *case* → *episode* (a case, an agent, a repeat) → *turn* (one reply of the model) → *call*.
//!
//! Nothing here calls a model: an [`Episode`] says what to send next, and takes the reply.

mod compat;
mod episode;
pub mod from_log;
pub mod history;
pub mod langchain;
mod mock;
mod offered;
mod playground;
pub mod protocol;
pub mod record;
mod scoring;
mod script;
mod stage;
mod suite;
mod suite_file;
mod world;

pub use crate::domain::Ended;
pub use compat::Loop;
pub use episode::{Episode, Heard};
pub use mock::{Matching, MockResult, Mocks, Rule, Unmatched};
pub use offered::NameClash;
pub use playground::Playground;
pub use scoring::{EpisodeScorer, Grade, NoScorer};
pub use script::{Script, ScriptError};
pub use stage::{Stage, StageError};
pub use suite::{Bounds, Case, Expected, Suite, World};
pub use suite_file::{SuiteDefaults, SuiteError, SuiteFormat, read_suite};
