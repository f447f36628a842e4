//! Which tools fit the question.

use super::evidence::Evidence;
use super::toolbox::{Tool, Toolbox};
use crate::reading::words::Stem;

/// How well a tool fits a question, by shared words: 0 to 1 each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fit {
    /// Share of the name's words that the question uses.
    pub name: f64,
    /// Share of the name's and description's words that the question uses.
    pub text: f64,
}

impl Fit {
    pub(super) fn of(tool: &Tool, evidence: &Evidence) -> Fit {
        Fit {
            name: share(&tool.name_stems, &evidence.question_stems),
            text: touched(tool, &evidence.question_stems),
        }
    }

    pub(super) fn score(self) -> f64 {
        0.5 * self.name + 0.5 * self.text
    }
}

/// The fits of all tools, in the toolbox's order; `None` where question and definitions are in different languages, so that
/// shared words say nothing.
pub(super) fn fits(toolbox: &Toolbox, evidence: &Evidence) -> Option<Vec<Fit>> {
    if toolbox.english != evidence.english {
        return None;
    }
    let fits = toolbox.tools.iter().map(|tool| Fit::of(tool, evidence)).collect();
    Some(fits)
}

/// How well a tool fits by the words it shares with no other of these tools, so that what all tools of a box have in common tells
/// nothing.
pub(super) fn own_fit(tool: &Tool, others: &[&Tool], evidence: &Evidence) -> f64 {
    let own: Vec<Stem> = tool
        .stems
        .iter()
        .copied()
        .filter(|stem| !others.iter().any(|other| other.stems.binary_search(stem).is_ok()))
        .collect();
    share(&own, &evidence.question_stems)
}

/// How much of a definition the question touches: three words of name and description, or twice as many of the parameters', are plenty.
fn touched(tool: &Tool, question: &[Stem]) -> f64 {
    let count =
        |stems: &[Stem]| question.iter().filter(|stem| stems.binary_search(stem).is_ok()).count() as f64;
    let described = count(&tool.stems);
    ((described + 0.5 * (count(&tool.all_stems) - described)) / 3.0).min(1.0)
}

/// The share of `wanted` among `present`; both are sorted.
pub(super) fn share(wanted: &[Stem], present: &[Stem]) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let found = wanted.iter().filter(|stem| present.binary_search(stem).is_ok()).count();
    found as f64 / wanted.len() as f64
}
