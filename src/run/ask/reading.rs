//! Reply to verdict: every way a model can fail to answer ends as a status, never as a label.

use crate::domain::{Outcome, Rails, Reply, Stop, Verdict};
use crate::snap::{self, Rules};

/// How replies are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    pub rails: &'a Rails,
    pub rules: Rules,
    /// Whether the judge was asked to explain itself.
    pub explain: bool,
}

impl Reading<'_> {
    /// What `reply` says.
    pub fn verdict(&self, reply: &Reply) -> Verdict {
        match reply.stop {
            Stop::Refused => return Verdict::bare(Outcome::Refused),
            Stop::Filtered => return Verdict::bare(Outcome::Filtered),
            Stop::Finished if reply.text.trim().is_empty() => return Verdict::bare(Outcome::Empty),
            Stop::Finished | Stop::Truncated => {}
        }
        let snapped = match reply.stop {
            Stop::Truncated => snap::snap_cut(&reply.text, self.rails, self.rules, self.explain),
            _ => snap::snap(&reply.text, self.rails, self.rules, self.explain),
        };
        match snapped {
            Ok(snapped) => {
                let label = snapped.rail.label.clone();
                let probability = reply.probabilities.iter().find(|rail| rail.label == label);
                let confidence = probability.map(|rail| rail.probability);
                let outcome = Outcome::Judged { label, score: snapped.rail.score, rule: Some(snapped.rule) };
                Verdict { outcome, explanation: snapped.explanation, confidence }
            }
            // A label that was cut off, or that what is missing might have changed, is not a verdict.
            Err(_) if reply.stop == Stop::Truncated => Verdict::bare(Outcome::Truncated),
            Err(none) => {
                let outcome = Outcome::Unparseable(none.why.to_owned());
                Verdict { outcome, explanation: none.explanation, confidence: None }
            }
        }
    }
}
