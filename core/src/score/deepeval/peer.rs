//! DeepEval's own arithmetic, including everything that its scores depend on.

use super::case::{Call, Case};
use super::options::Options;
use super::similarity::Similarity;
use crate::score::ScoreError;

/// The deterministic score, and for [`Mode::Ordered`] which expected calls were found in order.
pub(super) struct Outcome {
    pub score: f64,
    pub in_order: Vec<usize>,
}

/// The first of the modes that is switched on counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Exact,
    Ordered,
    Plain,
}

impl Mode {
    pub(super) fn of(options: &Options) -> Mode {
        match options {
            Options { should_exact_match: true, .. } => Mode::Exact,
            Options { should_consider_ordering: true, .. } => Mode::Ordered,
            _ => Mode::Plain,
        }
    }
}

pub(super) fn score(case: &Case, options: &Options) -> Result<Outcome, ScoreError> {
    let similarity = Similarity::peer(options);
    let mut outcome = match Mode::of(options) {
        Mode::Exact => Outcome { score: exact(case, similarity), in_order: Vec::new() },
        Mode::Ordered => ordered(case, similarity)?,
        Mode::Plain => Outcome { score: plain(case, similarity)?, in_order: Vec::new() },
    };
    if options.strict_mode && outcome.score < 1.0 {
        outcome.score = 0.0;
    }
    Ok(outcome)
}

/// All calls at their places, or nothing.
fn exact(case: &Case, similarity: Similarity) -> f64 {
    let same = |(e, c): (&Call, &Call)| e.name == c.name && e.kind == c.kind && similarity.is_exact(e, c);
    let all = case.expected.len() == case.called.len() && case.expected.iter().zip(&case.called).all(same);
    f64::from(u8::from(all))
}

/// Nothing expected: nothing may be called. Otherwise the part of the expected calls that was earned.
fn over_expected(case: &Case, earned: f64) -> f64 {
    match (case.expected.len(), case.called.len()) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        (expected, _) => earned / expected as f64,
    }
}

/// The heaviest common subsequence.
fn ordered(case: &Case, similarity: Similarity) -> Result<Outcome, ScoreError> {
    let width = case.called.len() + 1;
    let mut best = vec![0.0f64; (case.expected.len() + 1) * width];
    for (i, expected) in case.expected.iter().enumerate() {
        for (j, called) in case.called.iter().enumerate() {
            let without = best[i * width + j + 1].max(best[(i + 1) * width + j]);
            let mut with = 0.0;
            if expected.is_same_tool(called) {
                let share = similarity.of_calls(expected, called)?;
                if share > 0.0 {
                    with = best[i * width + j] + share;
                }
            }
            best[(i + 1) * width + j + 1] = without.max(with);
        }
    }
    let mut in_order = Vec::new();
    let mut earned = 0.0;
    let (mut i, mut j) = (case.expected.len(), case.called.len());
    while i > 0 && j > 0 {
        let here = best[i * width + j];
        if here == best[(i - 1) * width + j] {
            i -= 1;
        } else if here == best[i * width + j - 1] {
            j -= 1;
        } else {
            earned += here - best[(i - 1) * width + j - 1];
            (i, j) = (i - 1, j - 1);
            in_order.push(i);
        }
    }
    Ok(Outcome { score: over_expected(case, earned), in_order })
}

/// Every expected call in turn takes the most similar call that is left, where whatever *equals* a call that was taken is gone
/// too.
fn plain(case: &Case, similarity: Similarity) -> Result<f64, ScoreError> {
    let mut taken: Vec<usize> = Vec::new();
    let mut earned = 0.0;
    for expected in &case.expected {
        let mut best = None;
        let mut most = 0.0;
        for (at, called) in case.called.iter().enumerate() {
            if !expected.is_same_tool(called) || taken.iter().any(|t| is_twin(&case.called, *t, at)) {
                continue;
            }
            let share = similarity.of_calls(expected, called)?;
            if share > most {
                (best, most) = (Some(at), share);
            }
        }
        earned += most;
        taken.extend(best);
    }
    Ok(over_expected(case, earned))
}

fn is_twin(calls: &[Call], a: usize, b: usize) -> bool {
    a == b || is_equal(&calls[a], &calls[b])
}

/// What the peer takes for the same call: everything but the type of the tool and the words about it.
pub(super) fn is_equal(a: &Call, b: &Call) -> bool {
    const ALL: Similarity = Similarity {
        parameters: true,
        output: true,
        equality: crate::score::equality::Equality::Python,
        none_is_empty: false,
    };
    a.name == b.name && ALL.is_exact(a, b)
}
