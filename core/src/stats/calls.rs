//! Combines verdicts on the calls of a turn into one: that of its worst call.

use crate::domain::{Rails, Verdict};

/// The verdict on a turn, and the place of the call that decides it.
///
/// The label is that of the call with the lowest score. Where a call has no label, the turn has one only if another call has the lowest
/// score that there is: no label can change that. Else the first call without a label speaks for the turn, one that
/// could not be judged before one without evidence.
///
/// The confidence is the deciding call's own; of a turn whose calls all have the best label the lowest of theirs, since the turn is right
/// only if each of them is. So is the probability that its label would pass, if each call has one.
///
/// # Panics
/// When `calls` is empty.
pub fn fold_calls(calls: &[&Verdict], rails: &Rails) -> (Verdict, usize) {
    assert!(!calls.is_empty(), "there is nothing to fold");
    let scores = calls.iter().enumerate().filter_map(|(at, call)| Some((at, call.score()?)));
    let worst = scores.min_by(|(_, one), (_, other)| one.total_cmp(other));
    // What could not be judged says more of a turn than what no evidence was found in.
    let failed = calls.iter().position(|call| call.label().is_none() && !call.is_without_evidence());
    let unlabelled = failed.or_else(|| calls.iter().position(|call| call.label().is_none()));
    let lowest = rails.iter().map(|rail| rail.score).fold(f64::INFINITY, f64::min);
    let each: Option<Vec<f64>> = calls.iter().map(|call| call.p_correct).collect();
    let least = each.and_then(|each| each.into_iter().reduce(f64::min));
    let (at, score) = match (worst, unlabelled) {
        (Some((at, score)), None) => (at, score),
        (Some((at, score)), Some(_)) if score <= lowest => (at, score),
        (_, at) => {
            let at = at.unwrap_or(0);
            return (Verdict { p_correct: least, ..calls[at].clone() }, at);
        }
    };
    let alike = calls.iter().enumerate().filter(|(_, call)| call.score() == Some(score));
    let surest = |(_, one): &(usize, &&Verdict), (_, other): &(usize, &&Verdict)| {
        one.confidence.unwrap_or(0.0).total_cmp(&other.confidence.unwrap_or(0.0))
    };
    let at = match score > lowest {
        true => alike.min_by(surest),
        // The surest fault decides; of equals the first.
        false => alike.rev().max_by(surest),
    }
    .map_or(at, |(at, _)| at);
    let own = calls[at].p_correct.filter(|_| score <= lowest);
    (Verdict { p_correct: least.or(own), ..calls[at].clone() }, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Abstention, Lack, Outcome, Rail};

    #[test]
    fn the_worst_call_decides() {
        let rail = |label: &str, score| Rail { label: label.to_owned(), score };
        let rails = Rails::new(vec![rail("good", 1.0), rail("fair", 0.5), rail("bad", 0.0)], "good").unwrap();
        let verdict = |text: &str| {
            let (label, confidence) = text.split_once('@').unwrap_or((text, ""));
            let score = match label {
                "good" => 1.0,
                "fair" => 0.5,
                "bad" => 0.0,
                "?" => {
                    let none = Abstention::no_evidence(Lack::Step, "either may be");
                    return Verdict::bare(Outcome::Abstained(none));
                }
                _ => return Verdict::bare(Outcome::Refused),
            };
            let outcome = Outcome::Judged { label: label.to_owned(), score, rule: None };
            Verdict { confidence: confidence.parse().ok(), ..Verdict::bare(outcome) }
        };
        let cases: &[(&str, Option<&str>, Option<f64>, usize)] = &[
            ("good", Some("good"), None, 0),
            ("good@0.9 good@0.7 good@0.8", Some("good"), Some(0.7), 1),
            ("good@0.9 bad@0.6 bad@0.8 good@0.5", Some("bad"), Some(0.8), 2),
            ("good fair good", Some("fair"), None, 1),
            ("- bad good", Some("bad"), None, 1),
            ("good - good", None, None, 1),
            // What has no label might be worse.
            ("fair -", None, None, 1),
            ("- -", None, None, 0),
            // What could not be judged counts otherwise than what has no evidence.
            ("? -", None, None, 1),
            ("? good", None, None, 0),
            ("? bad", Some("bad"), None, 1),
            ("bad bad", Some("bad"), None, 0),
        ];
        for (calls, label, confidence, speaker) in cases {
            let verdicts: Vec<Verdict> = calls.split(' ').map(verdict).collect();
            let (folded, at) = fold_calls(&verdicts.iter().collect::<Vec<_>>(), &rails);
            assert_eq!((folded.label(), folded.confidence, at), (*label, *confidence, *speaker), "{calls}");
        }
    }
}
