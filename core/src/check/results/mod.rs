//! Results and the agent's use of them: the parts of three tasks that need no model.
//!
//! These judges use what is written down: a status, an error, a value without a source. Without such evidence they abstain. Their
//! verdicts have no confidence, because they estimate no probability.

mod clash;
pub(super) mod failure;
mod failure_text;
mod handling;
mod known;
mod need;
mod values;

use std::sync::LazyLock;

use crate::domain::{
    Abstention, Calls, Finding, FindingKind, Findings, Flag, Lack, Outcome, Sample, Task, Verdict, is_hidden,
};

use crate::language::phrases;
use crate::reading::words::fold;

/// What a rule came to, and why.
enum Ruling {
    Passes(String),
    Fails(Fault),
    /// What it takes to tell was looked at, and does not tell.
    Open(Lack, String),
    /// What it takes to tell is not there.
    Missing(String),
}

/// Whether a mark stands where something was said, before the turn or after it.
fn hides(sample: &Sample) -> bool {
    let after = &sample.after;
    let mut said = after.results.iter().map(|result| result.content.as_str()).chain(after.response());
    sample.flags.contains(&Flag::HiddenContent) || said.any(is_hidden)
}

/// Why a rule fails a turn.
struct Fault {
    why: String,
    /// The place of the call at fault, if it is one call's.
    call: Option<usize>,
    /// The words of the row that show it, one finding each.
    quotes: Vec<String>,
}

/// The verdict of `task` on a sample.
pub(super) fn judge(task: Task, sample: &Sample) -> Verdict {
    let ruling = match task {
        _ if hides(sample) => Ruling::Missing("the log hides something that was said".to_owned()),
        Task::ToolCallSuccess => failure::rule(sample),
        Task::ToolResponseHandling => handling::rule(sample),
        Task::CallNeed => need::rule(sample),
        _ => Ruling::Missing(format!("{} takes a model; name one with --judge", task.as_str())),
    };
    let (pass, fail) = task.labels();
    let (label, score, (why, findings)) = match ruling {
        Ruling::Passes(why) => (pass, 1.0, (why, Findings::default())),
        Ruling::Fails(fault) => (fail, 0.0, (fault.why.clone(), fault.findings(task, sample))),
        Ruling::Open(lack, why) => {
            return Verdict::bare(Outcome::Abstained(Abstention::no_evidence(lack, why)));
        }
        Ruling::Missing(why) => return Verdict::bare(Outcome::Abstained(Abstention::missing(why))),
    };
    let outcome = Outcome::Judged { label: label.to_owned(), score, rule: None };
    Verdict { explanation: Some(why), findings: Some(findings), ..Verdict::bare(outcome) }
}

impl Fault {
    /// What is found wrong.
    fn findings(self, task: Task, sample: &Sample) -> Findings {
        let kind = match task {
            Task::ToolCallSuccess => FindingKind::FailedCall,
            Task::CallNeed => FindingKind::RepeatedCall,
            _ => FindingKind::MisusedResult,
        };
        let first = sample.part.as_ref().map_or(0, |part| part.at);
        let tool = match &sample.calls {
            Calls::Parsed(calls) => self.call.and_then(|at| calls.get(at)).map(|call| call.name.clone()),
            Calls::Unparsed => None,
        };
        let call = self.call.map(|at| at + first + 1);
        let bare = Finding { call, tool, argument: None, kind, quote: None, supported: true };
        let quoted = |quote| Finding { quote: Some(quote), ..bare.clone() };
        let list = match self.quotes.is_empty() {
            true => vec![bare.clone()],
            false => self.quotes.into_iter().map(quoted).collect(),
        };
        Findings { list, dropped: 0 }
    }
}

/// Bytes of a result that are read for words and slips: bounds the work on long ones.
const MAX_RESULT_BYTES: usize = 64 * 1024;

/// The beginning of a result.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_RESULT_BYTES)]
}

/// A text folded, without phrases that only look as if they spoke of a failure.
fn without_false_alarms(text: &str) -> String {
    UNFAILED.iter().fold(fold(head(text)), |text, phrase| text.replace(phrase.as_str(), " "))
}

/// Whether a text has words for something that did not work, those aside that only look like it.
fn speaks_of_failure(text: &str) -> bool {
    let folded = without_false_alarms(text);
    FAILED.iter().any(|phrase| folded.contains(phrase.as_str()))
}

/// Whether a text says that something is done.
fn says_done(text: &str) -> bool {
    let folded = without_false_alarms(text);
    DONE.iter().any(|phrase| folded.contains(phrase.as_str()))
}

/// Phrases by which an answer says that something is done.
static DONE: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.done));

/// Phrases that only look as if they spoke of a failure: `no error occurred`.
static UNFAILED: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.unfailed));

static FAILED: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.failed));

/// How many calls the judged turn makes, as far as they can be read.
fn calls_made(sample: &Sample) -> usize {
    match &sample.calls {
        Calls::Parsed(calls) => calls.len(),
        Calls::Unparsed => 1,
    }
}
