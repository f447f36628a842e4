//! Several verdicts on one question folded into one: the plurality decides, and its share is the confidence.

use std::collections::BTreeMap;

use crate::domain::{Outcome, Verdict};

/// The label that most of `votes` give, and the place of the first vote that gives it.
///
/// The confidence is the mean support of the label over all votes: 1 from a vote that gives it, 0 from any other. A vote
/// with a confidence of its own supports its label by that much, and the only other label by the rest. A vote that failed
/// to give any label supports none, so a label that few votes stand behind is never a confident one.
///
/// Without any label the first vote speaks for all. Labels that tie for the first place are no label.
///
/// # Panics
/// When `votes` is empty.
pub fn fold(votes: &[&Verdict]) -> (Verdict, usize) {
    assert!(!votes.is_empty(), "there is nothing to fold");
    let mut counts: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
    for (at, label) in votes.iter().enumerate().filter_map(|(at, vote)| Some((at, vote.label()?))) {
        counts.entry(label).or_insert((0, at)).0 += 1;
    }
    let Some(most) = counts.values().map(|(votes, _)| *votes).max() else { return (votes[0].clone(), 0) };
    let mut leading = counts.iter().filter(|(_, (votes, _))| *votes == most);
    let (Some((label, (_, speaker))), None) = (leading.next(), leading.next()) else {
        let tally: Vec<String> =
            counts.iter().map(|(label, (votes, _))| format!("{votes} {label}")).collect();
        let why = format!("the votes are tied: {}", tally.join(", "));
        let first = counts.values().map(|(_, at)| *at).min().unwrap_or(0);
        return (Verdict::bare(Outcome::Unparseable(why)), first);
    };
    let support: f64 = votes.iter().map(|vote| support(vote, label, counts.len())).sum();
    let mut verdict = votes[*speaker].clone();
    verdict.confidence = Some(support / votes.len() as f64);
    (verdict, *speaker)
}

/// How probable `vote` makes `label`, of `labels` that were given at all.
fn support(vote: &Verdict, label: &str, labels: usize) -> f64 {
    match (vote.label(), vote.confidence) {
        (Some(given), confidence) if given == label => confidence.unwrap_or(1.0),
        (Some(_), Some(confidence)) if labels == 2 => 1.0 - confidence,
        _ => 0.0,
    }
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
        Verdict { outcome: judged, explanation: None, confidence }
    }

    #[test]
    fn the_plurality_decides() {
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
            ("a@0.9 b a", Some("a"), Some(1.9 / 3.0), 0),
        ];
        for (votes, label, confidence, speaker) in cases {
            let votes: Vec<Verdict> = votes.split(' ').map(vote).collect();
            let (verdict, spoke) = fold(&votes.iter().collect::<Vec<_>>());
            assert_eq!((verdict.label(), spoke), (*label, *speaker), "{votes:?}");
            match (verdict.confidence, confidence) {
                (Some(got), Some(expected)) => assert!((got - expected).abs() < 1e-12, "{votes:?}: {got}"),
                (got, expected) => assert_eq!(got, *expected, "{votes:?}"),
            }
        }
    }
}
