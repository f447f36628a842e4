//! Attacks on judges: rows are changed in ways that must not change the label, and flips are counted.
//!
//! An [`Attack`] is a text that asks for a label, put in some [`Place`] of a row where it does not change which label is right. A
//! [`Change`] is another spelling of the same row. Both are [`Probe`]s. Another kind of probe sends the row again unchanged,
//! which shows how often a judge changes its mind without a reason. [`findings`] turns the answers into shares with intervals.
//!
//! This is about judges; `bench::audit` is about gold that is probably wrong.

mod attack;
mod change;
mod edit;
mod findings;
mod place;
mod probe;
mod probe_case;

pub use attack::Attack;
pub use change::Change;
pub use findings::{Answer, Audited, Finding, Rates, SCHEMA, findings, is_answer};
pub use place::Place;
pub use probe::{Kind, Probe};
pub use probe_case::{ProbeCase, applicable_probes};
