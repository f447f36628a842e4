//! Who judges: judges and wordings out of flags, settings file and environment, asked and read.

pub mod args;
mod ask;
pub mod flags;
pub mod judge_spec;
mod manifest;
mod model;
pub mod panel;
mod route;
pub mod wording;

pub use manifest::run_name;
pub use panel::{Kind, Member, Panel, Purpose};
