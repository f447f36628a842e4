//! Drives agents through cases, and scores the episodes.
//!
//! Two passes, as in labelling. The *drive* pass requests replies, many episodes at once, and keeps them in the store. The
//! *write* pass replays every episode from the stored replies, in order, and writes its rows. Mocks and environments are pure
//! functions of case and history, so both passes see the same.

mod agent;
mod baseline;
mod cases;
mod error;
mod forecast;
mod grading;
mod history;
mod job;
mod live;
mod manifest;
mod own;
mod pass;
pub(in crate::run) mod passes;
mod plan;
mod replay;
mod resuming;
mod summary;
mod tables;

pub use baseline::BaselineComparison;
pub use error::DriveError;
pub use forecast::DriveForecast;
pub use job::{drive, drive_blocking, drive_forecast};
pub use summary::{AgentSummary, CategoryTally, DriveSummary, EpisodeLine};
