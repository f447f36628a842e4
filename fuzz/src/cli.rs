//! The settings file, without the rest of the command line.

#[path = "../../src/cli/config.rs"]
mod config;
#[path = "../../src/cli/laws.rs"]
pub mod laws;
