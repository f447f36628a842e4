//! Turns replies into verdicts: every failure to answer becomes a status, never a label.

use crate::domain::{AnswerForm, Outcome, Rails, Reply, Stop, Verdict, is_blank};
use crate::snap::findings::{self, Claim};
use crate::snap::{self, Rules};

/// How replies are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    pub rails: &'a Rails,
    pub rules: Rules,
    /// What the judge was asked for beside the label.
    pub form: AnswerForm,
}

impl Reading<'_> {
    /// What `reply` says.
    pub fn verdict(&self, reply: &Reply) -> Verdict {
        match reply.stop {
            Stop::Refused => return Verdict::bare(Outcome::Refused),
            Stop::Filtered => return Verdict::bare(Outcome::Filtered),
            Stop::Finished if is_blank(&reply.text) => return Verdict::bare(Outcome::Empty),
            Stop::Finished | Stop::Truncated => {}
        }
        let rest = self.findings(reply).map(|(_, rest)| rest);
        let text = rest.as_deref().unwrap_or(&reply.text);
        let snapped = match reply.stop {
            Stop::Truncated => snap::snap_cut(text, self.rails, self.rules, self.form.explain),
            _ => snap::snap(text, self.rails, self.rules, self.form.explain),
        };
        match snapped {
            Ok(snapped) => {
                let label = snapped.rail.label.clone();
                let probability = reply.probabilities.iter().find(|rail| rail.label == label);
                let confidence = probability.map(|rail| rail.probability);
                let passing = reply.probabilities.iter().filter(|rail| self.rails.passes_label(&rail.label));
                let p_correct =
                    confidence.map(|_| passing.map(|rail| rail.probability).sum::<f64>().min(1.0));
                let outcome = Outcome::Judged { label, score: snapped.rail.score, rule: Some(snapped.rule) };
                Verdict { explanation: snapped.explanation, confidence, p_correct, ..Verdict::bare(outcome) }
            }
            // A label that was cut off, or that what is missing might have changed, is not a verdict.
            Err(_) if reply.stop == Stop::Truncated => Verdict::bare(Outcome::Truncated),
            Err(none) => {
                let outcome = Outcome::Unparseable(none.why.to_owned());
                Verdict { explanation: none.explanation, ..Verdict::bare(outcome) }
            }
        }
    }
    /// What `reply` lists as wrong, and what it says beside that; `None` where no list was asked for, or there is none.
    pub fn findings(&self, reply: &Reply) -> Option<(Vec<Claim>, String)> {
        if self.form.findings { findings::take(&reply.text) } else { None }
    }
}
