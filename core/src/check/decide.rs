//! Decides when the built-in judge gives a label.

use std::str::FromStr;

use super::assess::Assessment;
use super::base_rate::BaseRate;
use super::model::Estimate;
use super::observation::Observation;
use crate::domain::{Abstention, CallTask, Lack};

/// When a label is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decide {
    /// Where a fact speaks against the calls and hardly a right call is like them, or nothing does and few wrong calls are like them.
    #[default]
    Evidence,
    /// Wherever there is something to judge: the likelier label, however close.
    Always,
}

impl Decide {
    /// Both of them.
    pub const ALL: [Decide; 2] = [Decide::Evidence, Decide::Always];

    /// As options and records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Decide::Evidence => "evidence",
            Decide::Always => "always",
        }
    }

    /// The share of right calls that is assumed where nobody says: most logged calls are right; where a label is forced, none is
    /// favoured.
    pub fn base_rate(self) -> BaseRate {
        match self {
            Decide::Evidence => BaseRate::USUAL,
            Decide::Always => BaseRate::default(),
        }
    }
}

/// A text that names no way to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `evidence` or `always`")]
pub struct InvalidDecide;

impl FromStr for Decide {
    type Err = InvalidDecide;

    fn from_str(text: &str) -> Result<Decide, InvalidDecide> {
        Decide::ALL.into_iter().find(|own| own.as_str() == text).ok_or(InvalidDecide)
    }
}

// Both were chosen on everyday calls of domains that the trees had not seen; the card has the precision that came of it.
/// A call that nothing contradicts passes from this probability of being right on, where half of all calls are.
const PASSES: f64 = 0.82;
/// A call that something speaks against fails up to this one.
const FAILS: f64 = 0.05;
/// Where labels of one's own say how probable it is that calls are right, a label is given from this probability on, where half of all
/// calls are.
const TRAINED: f64 = 0.9;
/// A text of more characters was written, not copied.
const WRITTEN: usize = 40;

/// What the probability of a sample without a fault is based on.
pub(super) struct Weighed {
    /// That the calls are right, at the base rate.
    pub probability: f64,
    /// The same where half of all calls are right.
    pub even: f64,
    /// Whether labels of one's own had a say.
    pub is_trained: bool,
}

/// Whether calls without a fault pass, or why there is no label.
pub(super) fn decide(
    how: Decide,
    assessment: &Assessment,
    weighed: &Weighed,
    task: CallTask,
) -> Result<bool, Abstention> {
    let right = weighed.probability >= 0.5;
    let open = Estimate(weighed.even).doubt(assessment.under_way);
    match how {
        Decide::Always => match open {
            Some(why) => Err(Abstention::no_evidence(Lack::Step, why)),
            None => Ok(right),
        },
        Decide::Evidence if weighed.is_trained => {
            let label = match weighed.even {
                even if even >= TRAINED => Some(true),
                even if even <= 1.0 - TRAINED => Some(false),
                _ => None,
            };
            label.filter(|label| *label == right).ok_or_else(|| lack(assessment, task))
        }
        Decide::Evidence => {
            let contradicted = is_contradicted(assessment, task);
            match by_evidence(weighed.even, contradicted).filter(|label| *label == right && open.is_none()) {
                Some(label) => Ok(label),
                None => Err(lack(assessment, task)),
            }
        }
    }
}

/// Whether a fact that can be told speaks against calls that break no rule of their definitions.
pub(super) fn is_contradicted(assessment: &Assessment, task: CallTask) -> bool {
    let grave = |own: &Observation| own.concerns(task) && own.is_grave();
    assessment.observations.iter().any(grave) || assessment.speaks_against()
}

/// The label that evidence gives to calls without a fault, by their probability of being right where half of all calls are, and by whether
/// a fact speaks against them; none where the evidence is too weak.
pub fn by_evidence(even: f64, is_contradicted: bool) -> Option<bool> {
    match is_contradicted {
        true => (even <= FAILS).then_some(false),
        false => (even >= PASSES).then_some(true),
    }
}

/// What a sample lacks to be judged by evidence.
fn lack(assessment: &Assessment, task: CallTask) -> Abstention {
    let of = |own: &Observation| {
        Some(match own {
            Observation::Ungrounded { value, .. }
            | Observation::PartlyGrounded { value, .. }
            | Observation::Derived { value, .. }
            | Observation::CopiedExample { value, .. } => match value.chars().count() > WRITTEN {
                true => Lack::Written,
                false => Lack::Source,
            },
            Observation::PoorFit { .. }
            | Observation::BetterTool { .. }
            | Observation::LeftOut { .. }
            | Observation::CallDue { .. } => Lack::Choice,
            Observation::Unused { .. } | Observation::TooFewCalls { .. } => Lack::Rest,
            _ => return None,
        })
    };
    let told = || assessment.observations.iter().filter(|own| own.concerns(task));
    // Too little where most calls are right, but not nothing.
    if let Some(against) = told().find(|own| own.is_grave()) {
        return Abstention::no_evidence(Lack::Balance, against.to_string());
    }
    match told().filter_map(|own| Some((of(own)?, own))).min_by_key(|(lack, _)| *lack) {
        Some((lack, own)) => Abstention::no_evidence(lack, own.to_string()),
        None if assessment.under_way => {
            Abstention::no_evidence(Lack::Step, "nothing in the request tells whether this step is due")
        }
        None if assessment.supported + assessment.defaults < assessment.values => Abstention::no_evidence(
            Lack::Source,
            format!(
                "{} of {} values were found in the conversation",
                assessment.supported + assessment.defaults,
                assessment.values
            ),
        ),
        None => Abstention::no_evidence(
            Lack::Balance,
            "nothing speaks clearly for the calls, and nothing contradicts them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_given_from_the_probabilities_that_the_card_names() {
        let card = include_str!("../../../docs/builtin-judge.md");
        assert!(card.contains(&format!("a probability of {FAILS} or less")));
        assert!(card.contains(&format!("({PASSES} or more)")));
        assert!(
            card.contains(&format!("their probability is at most {}", super::super::score::MAX_HELD_BACK))
        );
        for (even, is_contradicted, label) in [
            (FAILS, true, Some(false)),
            (FAILS + 0.01, true, None),
            (0.99, true, None),
            (PASSES, false, Some(true)),
            (PASSES - 0.01, false, None),
            (0.01, false, None),
        ] {
            assert_eq!(by_evidence(even, is_contradicted), label, "{even} {is_contradicted}");
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for decide in Decide::ALL {
            assert_eq!(decide.as_str().parse(), Ok(decide));
        }
        assert!("Evidence".parse::<Decide>().is_err());
    }
}
