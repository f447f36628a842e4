//! Combines several verdicts on one question: the plurality wins, and its share is the confidence.

use std::collections::BTreeMap;

use crate::domain::{Outcome, Rails, Verdict};

/// The label that most of `votes` give, and the place of the first vote that gives it.
///
/// The confidence is the share of all votes that give the label, those that failed to give any included; whatever confidence
/// single votes have plays no part. The probability that the label would pass is the share of the votes with a label that do.
///
/// Without any label the first vote speaks for all. Labels that tie for the first place are no label.
///
/// # Panics
/// When `votes` is empty.
pub fn fold(votes: &[&Verdict], rails: &Rails) -> (Verdict, usize) {
    assert!(!votes.is_empty(), "there is nothing to fold");
    let mut counts: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
    for (at, label) in votes.iter().enumerate().filter_map(|(at, vote)| Some((at, vote.label()?))) {
        counts.entry(label).or_insert((0, at)).0 += 1;
    }
    let Some(most) = counts.values().map(|(votes, _)| *votes).max() else { return (votes[0].clone(), 0) };
    let passes = |vote: &&&Verdict| vote.label().is_some_and(|label| rails.passes_label(label));
    let labelled: u32 = counts.values().map(|(votes, _)| *votes).sum();
    let passing = votes.iter().filter(passes).count() as f64 / f64::from(labelled);
    let mut leading = counts.iter().filter(|(_, (votes, _))| *votes == most);
    let (Some((_, (_, speaker))), None) = (leading.next(), leading.next()) else {
        let tally: Vec<String> =
            counts.iter().map(|(label, (votes, _))| format!("{votes} {label}")).collect();
        let why = format!("the votes are tied: {}", tally.join(", "));
        let first = counts.values().map(|(_, at)| *at).min().unwrap_or(0);
        return (Verdict { p_correct: Some(passing), ..Verdict::bare(Outcome::Unparseable(why)) }, first);
    };
    let mut verdict = votes[*speaker].clone();
    verdict.confidence = Some(f64::from(most) / votes.len() as f64);
    verdict.p_correct = Some(passing);
    (verdict, *speaker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(text: &str) -> Verdict {
        let (label, confidence) = match text.split_once('@') {
            Some((label, confidence)) => (label, Some(confidence.parse().unwrap())),
            None => (text, None),
        };
        if label == "-" {
            return Verdict::bare(Outcome::Refused);
        }
        let judged = Outcome::Judged { label: label.to_owned(), score: 1.0, rule: None };
        Verdict { confidence, ..Verdict::bare(judged) }
    }

    #[test]
    fn the_plurality_decides() {
        let rails = Rails::pass_and_fail(("a", "b"));
        let cases: &[(&str, Option<&str>, Option<f64>, usize)] = &[
            ("a", Some("a"), Some(1.0), 0),
            ("a a a", Some("a"), Some(1.0), 0),
            ("b a a", Some("a"), Some(2.0 / 3.0), 1),
            ("a b c a b", None, None, 0),
            ("- a", Some("a"), Some(0.5), 1),
            ("- - -", None, None, 0),
            ("a b", None, None, 0),
            ("- - a", Some("a"), Some(1.0 / 3.0), 2),
            ("a@0.9 a@0.7 b@0.6", Some("a"), Some(2.0 / 3.0), 0),
            ("a@0.3 b@0.9 a@0.2", Some("a"), Some(2.0 / 3.0), 0),
            ("a@0.9 b a", Some("a"), Some(2.0 / 3.0), 0),
        ];
        for (votes, label, confidence, speaker) in cases {
            let votes: Vec<Verdict> = votes.split(' ').map(vote).collect();
            let (verdict, spoke) = fold(&votes.iter().collect::<Vec<_>>(), &rails);
            assert_eq!((verdict.label(), spoke), (*label, *speaker), "{votes:?}");
            let passing = votes.iter().filter(|vote| vote.label() == Some("a")).count() as f64;
            let known = votes.iter().filter(|vote| vote.label().is_some()).count();
            assert_eq!(verdict.p_correct, (known > 0).then(|| passing / known as f64), "{votes:?}");
            match (verdict.confidence, confidence) {
                (Some(got), Some(expected)) => assert!((got - expected).abs() < 1e-12, "{votes:?}: {got}"),
                (got, expected) => assert_eq!(got, *expected, "{votes:?}"),
            }
        }
    }
}
