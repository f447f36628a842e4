//! The one integration-test binary.

mod architecture;
mod builtin_judge;
mod cli;
mod kill;
mod label_builtin;
mod label_remote;
mod normalize;
mod properties;
mod snap;
mod support;
mod tables;
mod templates;
