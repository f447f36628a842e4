//! What came back, and what was made of it: the halves of three tasks that need no model.
//!
//! These judges go by what is written down: a status, an error, a value that occurs nowhere. Where nothing is, they abstain, and
//! their verdicts have no confidence, because they estimate none.

mod failure;
mod handling;
mod need;

use crate::domain::{Calls, Outcome, Sample, Task, Verdict};

/// What a rule came to, and why.
enum Ruling {
    Passes(String),
    Fails(String),
    /// There is nothing to go on.
    Open(String),
}

/// The verdict of `task` on a sample.
pub(super) fn judge(task: Task, sample: &Sample) -> Verdict {
    let ruling = match task {
        Task::ToolCallSuccess => failure::rule(sample),
        Task::ToolResponseHandling => handling::rule(sample),
        Task::CallNeed => need::rule(sample),
        _ => Ruling::Open(format!("{} takes a model; name one with --judge", task.as_str())),
    };
    let (pass, fail) = task.labels();
    let (label, score, why) = match ruling {
        Ruling::Passes(why) => (pass, 1.0, why),
        Ruling::Fails(why) => (fail, 0.0, why),
        Ruling::Open(why) => return Verdict::bare(Outcome::Abstained(why)),
    };
    let outcome = Outcome::Judged { label: label.to_owned(), score, rule: None };
    Verdict { outcome, explanation: Some(why), confidence: None }
}

/// How many calls the judged turn makes, as far as they can be read.
fn calls_made(sample: &Sample) -> usize {
    match &sample.calls {
        Calls::Parsed(calls) => calls.len(),
        Calls::Unparsed => 1,
    }
}
