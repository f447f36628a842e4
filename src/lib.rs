//! Tells which of an agent's logged tool calls were right.
//!
//! ```text
//!  file ─read─▶ RawRow ─normalize─▶ Sample ─render─▶ Prompt ─judge─▶ Reply ─(store)─ snap─▶ Verdict ─write─▶ labelled table
//!                                      │
//!                                      └─ check (schema, grounding) ─▶ Verdict of the built-in judge
//! ```
//!
//! Data flows in one direction, one noun per stage. Modules are rooms of two kinds: the core ([`domain`],
//! [`normalize`], [`render`], [`snap`], [`check`], [`stats`]) is pure; the edges touch files, network, clock
//! or database. An arrow between rooms only ever points down:
//!
//! ```text
//! main → cli → run → {read, judge, store, write} → {normalize, render, snap, check, stats} → domain
//! ```

pub mod check;
pub mod cli;
pub mod domain;
pub mod frames;
pub mod judge;
pub mod normalize;
pub mod read;
pub mod render;
pub mod run;
pub mod snap;
pub mod stats;
pub mod store;
pub mod table;
pub mod write;
