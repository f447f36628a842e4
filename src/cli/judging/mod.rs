//! Builds judges and prompts from flags, settings file and environment.

pub mod args;
pub mod entry;
mod judge;
mod panel;
mod route;

pub use panel::{Judging, panel};
