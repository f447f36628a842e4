//! What the words of a text say of what they stand beside: that it is good, or that it is bad.

/// What some words say of what they stand beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Good,
    Bad,
    /// Words of both kinds.
    Mixed,
    /// No word of either kind.
    Neutral,
}

/// Words of what is right. A `*` stands for any ending.
const GOOD: &[&str] = &[
    "pass",
    "passes",
    "passed",
    "passing",
    "correct",
    "correctly",
    "correctness",
    "right",
    "rightly",
    "good",
    "better",
    "best",
    "excellent",
    "exceptional",
    "optimal",
    "perfect",
    "success*",
    "succeed*",
    "valid",
    "validity",
    "accura*",
    "appropriate*",
    "relevan*",
    "complete",
    "completeness",
    "comprehensive",
    "satisf*",
    "supported",
    "grounded*",
    "faithful*",
    "helpful*",
    "safe",
    "safely",
    "safety",
    "worked",
    "works",
    "resolved",
    "resolution",
    "meets",
    "adheres",
    "adherence",
    "consistent*",
    "consistency",
    "coheren*",
    "fluen*",
    "acceptable",
    "matches",
    "matched",
    "fit",
    "fits",
    "proper",
    "properly",
    "useful",
    "quality",
    "fulfil*",
    "achiev*",
    "truthful*",
    "factual*",
    "polite*",
    "professional*",
    "compliant",
    "compliance",
    "complies",
    "similar*",
    "equivalen*",
    "ok",
    "okay",
    "answers",
    "answered",
    "richtig*",
    "korrekt*",
    "gut",
    "gute",
    "guter",
    "bestanden",
    "erfüllt*",
    "erfolgreich*",
    "zutreffend*",
    "passend*",
    "angemessen*",
];

/// Words of what is wrong.
const BAD: &[&str] = &[
    "fail",
    "fails",
    "failed",
    "failing",
    "failure*",
    "incorrect*",
    "wrong*",
    "violat*",
    "error",
    "errors",
    "erroneous*",
    "invalid*",
    "unsafe*",
    "harm",
    "harms",
    "harmful*",
    "problem*",
    "issue",
    "issues",
    "mistake*",
    "fault",
    "faults",
    "faulty",
    "missing",
    "misses",
    "sever*",
    "risk*",
    "toxic*",
    "worst",
    "worse",
    "reject*",
    "unsuccess*",
    "deflect*",
    "hallucin*",
    "halluzin*",
    "fabricat*",
    "invent*",
    "leak*",
    "jailbreak*",
    "refus*",
    "bias*",
    "bad",
    "badly",
    "poor",
    "poorly",
    "inaccura*",
    "inappropriat*",
    "irrelevan*",
    "incomplete*",
    "incoheren*",
    "inconsisten*",
    "unrelated",
    "unsupported",
    "ungrounded*",
    "unfaithful*",
    "unhelpful*",
    "unanswered",
    "unresolved",
    "unacceptable",
    "unnecessar*",
    "violen*",
    "hate",
    "hateful",
    "abus*",
    "danger*",
    "offens*",
    "insult*",
    "frustrat*",
    "friction",
    "contradict*",
    "dishonest*",
    "mislead*",
    "broken",
    "repeat",
    "repeats",
    "repeated",
    "loop",
    "loops",
    "spam*",
    "fraud*",
    "critical",
    "threat*",
    "attack*",
    "injection*",
    "expose*",
    "disclos*",
    "needless*",
    "redundan*",
    "illegal*",
    "malicious*",
    "profan*",
    "sexual*",
    "falsch*",
    "inkorrekt*",
    "fehler*",
    "schlecht*",
    "mangelhaft*",
    "unzulässig*",
    "unpassend*",
    "verletz*",
    "verstöß*",
    "verstoß",
];

/// Words that turn the next ones round.
const NOT: &[&str] = &[
    "no", "not", "never", "none", "nothing", "nobody", "without", "zero", "neither", "nor", "cannot", "lack",
    "lacks", "lacking", "low", "absence", "avoid", "avoids", "avoided", "avoiding", "prevent*", "fixes",
    "fixed", "solves", "solved", "kein*", "nicht", "nichts", "ohne", "fail", "fails", "failed", "failure",
    "free",
];

/// How many words a negation reaches.
const REACH: usize = 4;
/// How many more after a word that it turned round: `no harmful or unsafe content`.
const REACH_ON: usize = 2;

fn is_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == *known,
    })
}

/// What a text says by its words.
pub(super) fn sense(text: &str) -> Sense {
    let lower = text.to_lowercase().replace('’', "'");
    let is_word = |c: char| c.is_alphanumeric() || c == '\'';
    let (mut good, mut bad) = (0_u32, 0_u32);
    // The end of a sentence ends what a negation reaches.
    for sentence in lower.split(['.', ';', ':', '\n', '|']) {
        let words: Vec<&str> = sentence.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
        let (mut negated, mut turned) = (0_usize, None);
        for (at, word) in words.iter().enumerate() {
            let is_free = *word == "free";
            // `error-free`, while `free of` is a negation.
            if is_free && at > 0 && !words.get(at + 1).is_some_and(|next| matches!(*next, "of" | "from")) {
                if is_of(words[at - 1], BAD) && bad > 0 {
                    bad -= 1;
                    good += 1;
                }
                continue;
            }
            let class = match (is_of(word, GOOD), is_of(word, BAD)) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
            if let Some(is_good) = class {
                let is_turned = negated > 0 && turned.is_none_or(|turned| turned == is_good);
                if is_turned {
                    (negated, turned) = (REACH_ON + 1, Some(is_good));
                }
                match is_good != is_turned {
                    true => good += 1,
                    false => bad += 1,
                }
            }
            negated = negated.saturating_sub(1);
            if is_of(word, NOT) || word.ends_with("n't") {
                (negated, turned) = (REACH, None);
            }
        }
    }
    match (good, bad) {
        (0, 0) => Sense::Neutral,
        (_, 0) => Sense::Good,
        (0, _) => Sense::Bad,
        _ => Sense::Mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_words_say() {
        for (text, expected) in [
            ("the call is correct", Sense::Good),
            ("the call is not correct", Sense::Bad),
            ("it isn’t right", Sense::Bad),
            ("no harmful, unsafe or toxic content", Sense::Good),
            ("free of errors", Sense::Good),
            ("an error-free call", Sense::Good),
            ("it has no errors and is right", Sense::Good),
            ("fails to answer correctly", Sense::Bad),
            ("the right tool with a wrong argument", Sense::Mixed),
            ("it is handed over to a human", Sense::Neutral),
            ("nothing is missing", Sense::Good),
            ("very low risk", Sense::Good),
            ("low quality", Sense::Bad),
            ("extremely violent content", Sense::Bad),
            ("is_hallucinated", Sense::Bad),
            ("Die Antwort ist falsch", Sense::Bad),
            ("Die Antwort ist nicht falsch", Sense::Good),
            ("alle Argumente sind richtig", Sense::Good),
            ("Highly Relevant, Well Ranked, No Bias Introduced", Sense::Good),
            ("Not Grounded", Sense::Bad),
        ] {
            assert_eq!(sense(text), expected, "{text}");
        }
    }
}
