//! The pure half of `tooljudge`: everything that decides whether a tool call is right, and how good a judge is. Programs depend
//! on the crate `tooljudge`, which re-exports what they need; anything else here can change with any version.
//!
//! ```text
//!  RawRow ─normalize─▶ Sample ─render─▶ Prompt   (a model answers)   Reply ─snap─▶ Verdict
//!                        │
//!                        ├─ check (schema, grounding) ─▶ Verdict of the built-in judge
//!                        └─ score (expected calls) ─▶ Scores
//!
//!  Verdicts and gold labels ─stats─▶ Figures ─bench, audit─▶ Measured judges ─report─▶ Markdown, HTML, text
//!  Questions with accepted answers ─gold─▶ labelled rows of right and wrong calls
//!  Features with labels ─learn─▶ Forest ─▶ log-odds
//!  Labelled rows ─train─▶ last stage of the built-in judge
//! ```
//!
//! Every function here computes a value from its arguments. This crate does not read files, send requests, read the clock, start
//! threads or draw unseeded random numbers: the `tooljudge` crate does that. The compiler enforces the direction: this crate
//! cannot use the other one, and its manifest lists no crate for frames, HTTP, databases, async or the command line.
//!
//! A room uses only rooms on lower floors:
//!
//! ```text
//! report → {gold, bench, audit, drive, train} → {normalize, render, snap, check, score, environment, stats, sampling} → {reading, schema, learn} → {language, python} → domain
//! ```

#![warn(missing_docs)]

pub mod audit;
pub mod bench;
pub mod check;
pub mod domain;
pub mod drive;
pub mod environment;
pub mod gold;
mod language;
pub mod learn;
pub mod normalize;
mod python;
mod reading;
pub mod render;
pub mod report;
pub mod sampling;
pub mod schema;
pub mod score;
pub mod snap;
pub mod stats;
pub mod train;
