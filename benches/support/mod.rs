//! What benches share: a judge that answers at once, rows to judge, and a child process that is measured.

#![allow(dead_code, reason = "no bench uses all of it")]

pub mod child;
pub mod rows;
pub mod server;
