//! Parses a grading model's reply about the answer.

use super::benchmark::Grading;

/// As the peer's parsers read it: the grade that is named as one, else the first word, else the last; a comparison counts by its
/// first letters alone.
pub(super) fn as_peer(reply: &str, grading: Grading) -> Option<bool> {
    if grading == Grading::Comparison {
        return Some(reply.starts_with("CORRECT"));
    }
    named_grade(reply).or_else(|| {
        let word = |word: Option<&str>| verdict(word?.trim_matches(|c: char| c.is_ascii_punctuation()));
        word(reply.split_whitespace().next()).or_else(|| word(reply.split_whitespace().next_back()))
    })
}

/// The first `GRADE:` that a verdict follows.
fn named_grade(reply: &str) -> Option<bool> {
    const GRADE: &str = "grade:";
    let bytes = reply.as_bytes();
    (0..bytes.len())
        .filter(|at| {
            bytes[*at..].get(..GRADE.len()).is_some_and(|text| text.eq_ignore_ascii_case(GRADE.as_bytes()))
        })
        .find_map(|at| {
            let rest = reply[at + GRADE.len()..].trim_start();
            let begins =
                |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
            if begins("correct") { Some(true) } else { begins("incorrect").then_some(false) }
        })
}

fn verdict(word: &str) -> Option<bool> {
    if word.eq_ignore_ascii_case("correct") {
        return Some(true);
    }
    word.eq_ignore_ascii_case("incorrect").then_some(false)
}

/// What a careful reader takes from it: the verdicts after the last `grade`, or all there are, if they agree; a negation
/// turns one around. `None` where they do not, or where there is none.
pub(super) fn careful(reply: &str) -> Option<bool> {
    const NEGATIONS: &[&str] = &["not", "isn't", "isn’t", "never", "hardly", "cannot"];
    let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let mut all = Vec::new();
    let mut since_grade = 0;
    let mut before = "";
    for word in reply.split(|c| !is_part(c)).filter(|word| !word.is_empty()) {
        if word.eq_ignore_ascii_case("grade") {
            since_grade = all.len();
        }
        if let Some(verdict) = verdict(word) {
            let is_negated = NEGATIONS.iter().any(|negation| before.eq_ignore_ascii_case(negation));
            all.push(verdict != is_negated);
        }
        before = word;
    }
    let counted = if since_grade < all.len() { &all[since_grade..] } else { &all };
    let first = *counted.first()?;
    counted.iter().all(|verdict| *verdict == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies() {
        // The reply; what a quiz, a comparison and a careful reader make of it.
        for (reply, quiz, comparison, ours) in [
            ("CORRECT", Some(true), true, Some(true)),
            ("INCORRECT", Some(false), false, Some(false)),
            ("Correct.", Some(true), false, Some(true)),
            (" CORRECT", Some(true), false, Some(true)),
            ("COMPARISON: CORRECT", Some(true), false, Some(true)),
            ("NOT CORRECT", Some(true), false, Some(false)),
            ("not incorrect", Some(false), false, Some(true)),
            ("CORRECT\n\nINCORRECT", Some(true), true, None),
            ("GRADE: **INCORRECT**", Some(false), false, Some(false)),
            ("grade: correct\nbecause it matches", Some(true), false, Some(true)),
            ("It looks correct, but. GRADE: INCORRECT", Some(false), false, Some(false)),
            ("It is CORRECT. Final grade", None, false, Some(true)),
            ("CORRECTLY done", None, true, None),
            ("YES", None, false, None),
            ("", None, false, None),
            ("grade:", None, false, None),
            ("Grade: é grade:correct", Some(true), false, Some(true)),
        ] {
            assert_eq!(as_peer(reply, Grading::Quiz), quiz, "quiz: {reply:?}");
            assert_eq!(as_peer(reply, Grading::Comparison), Some(comparison), "comparison: {reply:?}");
            assert_eq!(careful(reply), ours, "{reply:?}");
        }
    }
}
