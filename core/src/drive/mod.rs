//! Agents driven through cases: a model replies, its calls are answered by mocks or an environment, and what came of it is scored.
//!
//! *Suite* → *case* → *episode* (a case, an agent, a repeat) → *turn* (one reply of the model) → *call*.
//!
//! Nothing here asks a model: an episode says what to send next, and takes the reply.

mod mock;
mod suite;
mod suite_file;

pub use mock::{Matching, MockResult, Mocks, Rule, Unmatched};
pub use suite::{Bounds, Case, Expected, Suite, World};
pub use suite_file::{SuiteDefaults, SuiteError, SuiteFormat, read_suite};
