//! The calls generated from one question, right and wrong, each checked by the scorer.

use super::accepted::Benign;
use super::findings::findings;
use super::mistakes::Mistake;
use super::question::{Call, ExpectedAction, Question, ScorerVerdict};
use super::random::Random;
use super::source::Quotes;
use crate::domain::{Findings, ToolCall};

/// How often an edit is tried with other draws where the scorer does not see it as it should.
const TRIES: usize = 4;

/// All calls that are made of one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generated {
    /// The accepted answer; `None` where any call would do, so that none is known to be right.
    pub positive: Option<Vec<ToolCall>>,
    /// Edits that change nothing that matters, with the calls after them; each edit at most once.
    pub benign: Vec<(Benign, Vec<ToolCall>)>,
    /// Wrong calls, each mistake at most once.
    pub negatives: Vec<Negative>,
    /// Draws that the scorer did not see as meant, or that repeated another call of this question.
    pub discarded: Vec<Kind>,
}

/// Calls with a mistake.
#[derive(Debug, Clone, PartialEq)]
pub struct Negative {
    /// What was done to the accepted answer.
    pub mistake: Mistake,
    /// The calls after it.
    pub calls: Vec<ToolCall>,
    /// What is wrong with them.
    pub findings: Findings,
    /// What the scorer calls it.
    pub(crate) scorer_says: Option<&'static str>,
}

/// What a call was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The accepted answer.
    Positive,
    /// The accepted answer after an edit that changes nothing that matters.
    Benign(Benign),
    /// The accepted answer with a mistake.
    Mistake(Mistake),
}

impl Kind {
    /// All kinds, as tables list them.
    pub fn all() -> impl Iterator<Item = Kind> {
        let benign = Benign::ALL.into_iter().map(Kind::Benign);
        let mistakes = Mistake::ALL.into_iter().map(Kind::Mistake);
        std::iter::once(Kind::Positive).chain(benign).chain(mistakes)
    }

    /// The name in tables and counts.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Positive => "positive",
            Kind::Benign(edit) => edit.as_str(),
            Kind::Mistake(mistake) => mistake.as_str(),
        }
    }
}

/// The scorer rejects a question's own accepted answer, with this type of error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id}: the scorer rejects the accepted answer ({error_type})")]
pub struct Rejected {
    /// The question's id.
    pub id: String,
    /// As the scorer names it.
    pub error_type: &'static str,
}

/// Everything that can be made of a question, the same for the same seed whatever other questions there are.
///
/// Right calls are right and wrong ones wrong by all of the question's rules; no two are the same.
///
/// # Errors
/// When the scorer rejects the accepted answer itself, so that nothing it says of edits means anything.
pub fn generate(question: &Question, seed: u64) -> Result<Generated, Rejected> {
    let mut generated = Generated::default();
    let Some(calls) = question.answer() else {
        if question.expected_action == ExpectedAction::Something {
            let scorer_verdict = question.scorer_verdict(&[]).filter(ScorerVerdict::none_right);
            generated.negatives.extend(scorer_verdict.map(|scorer_verdict| Negative {
                mistake: Mistake::CallMissing,
                calls: Vec::new(),
                findings: findings(Mistake::CallMissing, &[], &[]),
                scorer_says: scorer_verdict.error_type,
            }));
        }
        return Ok(generated);
    };
    let (quotes, positive) = written(question, &calls)?;
    for edit in Benign::ALL {
        let mut others: Vec<&[ToolCall]> = vec![&positive];
        others.extend(generated.benign.iter().map(|(_, calls)| calls.as_slice()));
        let draw = |random: &mut Random| edit.apply(question, &calls, random);
        let (found, discarded) = tried(question, seed, edit.as_str(), quotes, draw, &others, true);
        generated.discarded.extend(std::iter::repeat_n(Kind::Benign(edit), discarded));
        generated.benign.extend(found.map(|(calls, _)| (edit, calls)));
    }
    for mistake in Mistake::ALL {
        let mut others: Vec<&[ToolCall]> = vec![&positive];
        others.extend(generated.benign.iter().map(|(_, calls)| calls.as_slice()));
        others.extend(generated.negatives.iter().map(|negative| negative.calls.as_slice()));
        let draw = |random: &mut Random| mistake.apply(question, &calls, random);
        let (found, discarded) = tried(question, seed, mistake.as_str(), quotes, draw, &others, false);
        generated.discarded.extend(std::iter::repeat_n(Kind::Mistake(mistake), discarded));
        generated.negatives.extend(found.map(|(calls, scorer_says)| {
            let findings = findings(mistake, &positive, &calls);
            Negative { mistake, calls, findings, scorer_says }
        }));
    }
    generated.positive = Some(positive);
    Ok(generated)
}

/// The accepted answer in the notation that the scorer takes for right.
fn written(question: &Question, calls: &[Call]) -> Result<(Quotes, Vec<ToolCall>), Rejected> {
    let mut error_type = "unreadable";
    for quotes in [Quotes::Kept, Quotes::Dropped] {
        let written = question.written(calls, quotes);
        match question.scorer_verdict(&written) {
            Some(scorer_verdict) if scorer_verdict.all_right() => return Ok((quotes, written)),
            Some(scorer_verdict) if quotes == Quotes::Kept => {
                error_type = scorer_verdict.error_type.unwrap_or("own_rules")
            }
            _ => {}
        }
    }
    Err(Rejected { id: question.id.clone(), error_type })
}

/// Calls and their type of error.
type Judged = (Vec<ToolCall>, Option<&'static str>);

/// The first draw that the scorer sees as meant and that is none of `others`, and how many were not.
fn tried(
    question: &Question,
    seed: u64,
    purpose: &str,
    quotes: Quotes,
    draw: impl Fn(&mut Random) -> Option<Vec<Call>>,
    others: &[&[ToolCall]],
    right: bool,
) -> (Option<Judged>, usize) {
    let mut random = Random::of(seed, &[&question.id, purpose]);
    let mut refused: Vec<Vec<ToolCall>> = Vec::new();
    for _ in 0..TRIES {
        let Some(calls) = draw(&mut random) else { continue };
        let calls = question.written(&calls, quotes);
        if refused.contains(&calls) {
            continue;
        }
        let scorer_verdict = question.scorer_verdict(&calls);
        let as_meant = scorer_verdict.as_ref().is_some_and(|scorer_verdict| {
            if right { scorer_verdict.all_right() } else { scorer_verdict.none_right() }
        });
        // Order of arguments is what one edit is about.
        let repeated = others.iter().any(|other| shown(other) == shown(&calls));
        if as_meant && !repeated {
            return (
                Some((calls, scorer_verdict.and_then(|scorer_verdict| scorer_verdict.error_type))),
                refused.len(),
            );
        }
        refused.push(calls);
    }
    (None, refused.len())
}

fn shown(calls: &[ToolCall]) -> Vec<String> {
    calls.iter().map(|call| call.to_json().to_string()).collect()
}
