//! The verdict on a case: whether calls are due and made, and which call matches which expectation.

use super::call::check;
use super::case::{Call, Calls, Case};
use super::category::Assignment;
use super::failure::{Detail, ErrorType, Exception, Failure};
use super::rules::Rules;
use crate::domain::{Json, Object};
use crate::score::Scored;
use crate::score::assignment::pair_up;

/// Valid where nothing failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict<'c> {
    /// The first one is the peer's; further ones say more about it.
    pub failures: Vec<Failure<'c>>,
}

impl<'c> From<Result<(), Failure<'c>>> for Verdict<'c> {
    fn from(checked: Result<(), Failure<'c>>) -> Verdict<'c> {
        Verdict { failures: checked.err().into_iter().collect() }
    }
}

impl Verdict<'_> {
    pub fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }

    pub fn error_type(&self) -> Option<&'static str> {
        self.failures.first().map(|failure| failure.error.as_str())
    }

    /// With the reason and the issues in words.
    pub fn scored(&self) -> Scored {
        let mut metadata = Object::new();
        metadata.insert("valid", Json::Bool(self.is_valid()));
        metadata.insert("error_type", self.error_type().map_or(Json::Null, Json::from));
        let issues: Vec<_> = self.failures.iter().map(Failure::issue).collect();
        let errors = issues.iter().map(|issue| Json::from(issue.message.as_str())).collect();
        metadata.insert("errors", Json::Array(errors));
        Scored {
            score: Some(if self.is_valid() { 1.0 } else { 0.0 }),
            passed: Some(self.is_valid()),
            reason: issues.first().map(|issue| issue.message.clone()),
            metadata,
            issues,
            ..Scored::default()
        }
    }
}

/// Judges a case by the rules given.
pub fn judge<'c>(case: &'c Case<'c>, rules: Rules) -> Verdict<'c> {
    let relevance = |calls: &Calls<'_>| match calls {
        // One empty object is what a decoder makes of a list without a call.
        Calls::Decoded(calls) if calls.len() == 1 => usize::from(!calls[0].is_empty()),
        Calls::Decoded(calls) => calls.len(),
        Calls::Undecoded | Calls::NotAList => 0,
    };
    match case.assignment {
        Assignment::Irrelevance => {
            return match relevance(&case.calls) {
                0 => Ok(()),
                count => Err(Failure::new(ErrorType::CallForIrrelevance, None, Detail::Called { count })),
            }
            .into();
        }
        Assignment::Relevance => {
            return match relevance(&case.calls) {
                0 => Err(Failure::new(ErrorType::NoCallForRelevance, None, Detail::NotCalled)),
                _ => Ok(()),
            }
            .into();
        }
        Assignment::Simple | Assignment::Multiple | Assignment::Parallel => {}
    }
    let calls = match &case.calls {
        Calls::Decoded(calls) => calls,
        Calls::Undecoded => {
            return Err(Failure::new(ErrorType::DecoderFailed, None, Detail::Undecoded)).into();
        }
        Calls::NotAList => {
            return Err(Failure::new(ErrorType::WrongOutputFormat, None, Detail::NotCalls)).into();
        }
    };
    match case.assignment {
        Assignment::Parallel => parallel(case, calls, rules),
        Assignment::Multiple => multiple(case, calls, rules).into(),
        _ => simple(case, calls, rules).into(),
    }
}

fn wrong_count<'c>(error: ErrorType, found: usize, expected: usize) -> Failure<'c> {
    Failure::new(error, None, Detail::Count { found, expected })
}

fn simple<'c>(case: &'c Case<'c>, calls: &'c [Call<'c>], rules: Rules) -> Result<(), Failure<'c>> {
    let [call] = calls else { return Err(wrong_count(ErrorType::SimpleWrongCount, calls.len(), 1)) };
    let function = case.functions.first();
    match (case.expected.first(), rules) {
        (Some(expected), _) if function.is_some() || rules == Rules::Own => {
            check(case, function, call, expected, rules)
        }
        (_, Rules::Own) => Err(wrong_count(ErrorType::SimpleWrongCount, 1, 0)),
        (_, Rules::Peer) => Err(crash(Exception::IndexError)),
    }
}

fn multiple<'c>(case: &'c Case<'c>, calls: &'c [Call<'c>], rules: Rules) -> Result<(), Failure<'c>> {
    if calls.len() != case.expected.len() {
        return Err(wrong_count(ErrorType::MultipleWrongCount, calls.len(), case.expected.len()));
    }
    match (calls.first(), case.expected.first(), rules) {
        (Some(call), Some(expected), _) => match (expected.tool, rules) {
            (None, Rules::Peer) => Err(crash(Exception::IndexError)),
            (tool, _) => check(case, tool.and_then(|tool| case.function(tool)), call, expected, rules),
        },
        (_, _, Rules::Own) => Ok(()),
        (_, _, Rules::Peer) => Err(crash(Exception::IndexError)),
    }
}

fn crash<'c>(exception: Exception) -> Failure<'c> {
    Failure::new(ErrorType::Exception(exception), None, Detail::Crash)
}

fn parallel<'c>(case: &'c Case<'c>, calls: &'c [Call<'c>], rules: Rules) -> Verdict<'c> {
    if calls.len() != case.expected.len() {
        return Err(wrong_count(ErrorType::ParallelWrongCount, calls.len(), case.expected.len())).into();
    }
    let checked = |expected: usize, call: usize| {
        let expected = &case.expected[expected];
        let function = expected.tool.and_then(|tool| case.function(tool));
        match (expected.tool, rules) {
            (None, Rules::Peer) => Err(crash(Exception::IndexError)),
            _ => check(case, function, &calls[call], expected, rules),
        }
    };
    let assigned = match rules {
        Rules::Own => pair_up(calls.len(), calls.len(), |expected, call| checked(expected, call).is_ok()),
        Rules::Peer => match greedy(calls.len(), checked) {
            Ok(assigned) => assigned,
            Err(crash) => return Err(crash).into(),
        },
    };
    if assigned.iter().all(Option::is_some) {
        return Verdict::default();
    }
    Verdict { failures: unmatched(case, calls, &assigned, checked) }
}

/// Each expectation in order takes the first free call that fits, even if a later expectation needs that one. Ends at the
/// first that finds none; what is wrong with the others the peer does not ask.
fn greedy<'c>(
    count: usize,
    checked: impl Fn(usize, usize) -> Result<(), Failure<'c>>,
) -> Result<Vec<Option<usize>>, Failure<'c>> {
    let mut assigned = vec![None; count];
    let mut taken = vec![false; count];
    for (expected, slot) in assigned.iter_mut().enumerate() {
        for (call, taken) in taken.iter_mut().enumerate().filter(|(_, taken)| !**taken) {
            match checked(expected, call) {
                Ok(()) => {
                    *taken = true;
                    *slot = Some(call);
                    break;
                }
                Err(failure) if matches!(failure.error, ErrorType::Exception(_)) => return Err(failure),
                Err(_) => {}
            }
        }
        if slot.is_none() {
            break;
        }
    }
    Ok(assigned)
}

/// The expectations without a call, then the calls without an expectation: why they do not fit one for the same function,
/// if there is such.
fn unmatched<'c>(
    case: &'c Case<'c>,
    calls: &'c [Call<'c>],
    assigned: &[Option<usize>],
    checked: impl Fn(usize, usize) -> Result<(), Failure<'c>>,
) -> Vec<Failure<'c>> {
    let open: Vec<usize> = (0..assigned.len()).filter(|expected| assigned[*expected].is_none()).collect();
    let missing = open.iter().map(|expected| {
        let expected = &case.expected[*expected];
        Failure::new(
            ErrorType::CannotFindMatch,
            expected.tool,
            Detail::NoMatch { expected: &expected.answers },
        )
    });
    let mut failures: Vec<_> = missing.collect();
    let mut taken = vec![false; calls.len()];
    for call in assigned.iter().flatten() {
        taken[*call] = true;
    }
    for (at, call) in calls.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        let nearest = open.iter().find_map(|expected| {
            let failure = checked(*expected, at).err()?;
            (failure.error != ErrorType::WrongFunctionName).then_some(failure)
        });
        let left_over = call.first().map(|(tool, arguments)| {
            Failure::new(ErrorType::CannotFindMatch, Some(tool), Detail::LeftOver { arguments })
        });
        failures.extend(nearest.or(left_over));
    }
    failures
}
