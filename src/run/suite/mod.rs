//! Makes suites for `drive` from reviewed logs.

mod error;
mod job;
mod reviews;

pub use error::SuiteError;
pub use job::{SuiteSummary, suite_from_log, suite_from_log_blocking};
pub use tooljudge_core::drive::from_log::{LeftOut, LeftOutCount, LoggedSuite};
