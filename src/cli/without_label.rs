//! The gates on rows without a label, which `label` and `bench` share.

use crate::report::counted;

/// Rows by how they ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub rows: u64,
    /// Rows with a label.
    pub labelled: u64,
    /// Rows in which the judge found no evidence; all others without a label could not be judged.
    pub no_evidence: u64,
}

/// The most that may end without a label, as shares of all rows.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of rows that could not be judged.
    pub allow_unjudged: f64,
    /// Of rows without evidence; no limit where none was given.
    pub max_abstained: Option<f64>,
    /// Whether all rows may end without evidence: those of one shard may be the hard ones.
    pub all_may_abstain: bool,
}

/// What is beyond the limits, a sentence each; `whose` says who is meant, `see` where to look.
pub fn exceeded(ended: Ended, limits: Limits, whose: &str, see: &str) -> Vec<String> {
    let Ended { rows, labelled, no_evidence } = ended;
    let Limits { allow_unjudged, max_abstained, all_may_abstain } = limits;
    let unjudged = rows - labelled - no_evidence;
    let is_above = |count: u64, share: f64| count as f64 > share * rows as f64;
    let (of, have) = (counted(rows, "row"), if rows == 1 { "has" } else { "have" });
    let mut exceeded = Vec::new();
    if is_above(unjudged, allow_unjudged) {
        exceeded.push(format!(
            "{unjudged} of {of} {have} no label{whose}{see}; --allow-unjudged SHARE accepts them"
        ));
    } else if rows > 0 && labelled == 0 && allow_unjudged < 1.0 && !all_may_abstain {
        exceeded.push(format!("none of {of} has a label{whose}{see}"));
    }
    if let Some(most) = max_abstained.filter(|most| is_above(no_evidence, *most)) {
        exceeded.push(format!(
            "{no_evidence} of {of} {have} no evidence either way{whose}, more than --max-abstained {most} allows{see}"
        ));
    }
    exceeded
}
