//! What the words of a text say of what they stand beside: that it is good, or that it is bad.

use super::vocabulary::{
    AIMS, ASIDE, BAD, EITHER, FAILED, FOREIGN, GOOD, LAPSES, MENDED, NOT, OF_USERS, PLAIN, PLAIN_UNDENIED,
    RID,
};

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

/// How many words a negation reaches.
const REACH: usize = 4;
/// How many more after a word that it turned round: `no harmful or unsafe content`.
const REACH_ON: usize = 2;

/// What a text says, and how surely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub sense: Sense,
    /// Whether it says of something that it is wrong.
    pub blames: bool,
    /// Whether it names a fault, and not only what is missing of praise.
    pub names_fault: bool,
    /// Whether all that is denied in it is praise or blame, and no word of it takes back what others say.
    pub is_closed: bool,
    /// Whether it is closed, and its first statement has no word that may mean anything.
    pub is_plain: bool,
}

pub(super) fn is_of(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|known| match known.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == known,
    })
}

/// What a text says by its words.
pub(super) fn sense(text: &str) -> Sense {
    read(text).sense
}

/// What a text says by its words, and whether there is doubt.
pub(super) fn read(text: &str) -> Reading {
    let lower = text.to_lowercase().replace('’', "'");
    let (mut good, mut bad) = (0, 0);
    let (mut names_fault, mut is_mixed, mut is_closed, mut is_plain) = (false, false, true, None);
    for statement in lower.split(['.', '!', '?', '\n']) {
        let mut all = Clause { is_plain: true, ..Clause::default() };
        // The end of a clause ends what a negation reaches.
        for clause in statement.split([';', ':', '|']) {
            let clause = Clause::read(clause);
            is_mixed |= clause.is_open && (clause.good > 0) != (clause.bad > 0);
            names_fault |= clause.names_fault;
            all.good += clause.good;
            all.bad += clause.bad;
            all.words += clause.words;
            all.is_open |= clause.is_open;
            all.is_plain &= clause.is_plain;
        }
        good += all.good;
        bad += all.bad;
        is_closed &= !all.is_open;
        // What follows may explain. It may not take back.
        match (is_plain, all.words > 0) {
            (_, false) => {}
            (None, true) => is_plain = Some(all.is_plain),
            (Some(before), true) => {
                is_plain = Some(before && (all.is_plain || (all.good, all.bad) == (0, 0)))
            }
        }
    }
    let sense = match (good, bad) {
        _ if is_mixed => Sense::Mixed,
        (0, 0) => Sense::Neutral,
        (_, 0) => Sense::Good,
        (0, _) => Sense::Bad,
        _ => Sense::Mixed,
    };
    let is_plain = is_closed && is_plain.unwrap_or(true);
    Reading { sense, blames: bad > 0, names_fault, is_closed, is_plain }
}

/// What a part of a sentence says.
#[derive(Debug, Default)]
struct Clause {
    good: u32,
    bad: u32,
    words: usize,
    names_fault: bool,
    /// Whether something is denied that is neither praise nor blame, or a word takes back what others say.
    is_open: bool,
    /// Whether all its words are known to change nothing.
    is_plain: bool,
}

impl Clause {
    fn read(clause: &str) -> Self {
        let is_word = |c: char| c.is_alphanumeric() || c == '\'';
        let words: Vec<&str> = clause
            .split(|c| !is_word(c))
            .map(|word| word.trim_matches('\''))
            .map(|word| word.strip_suffix("'s").unwrap_or(word))
            .filter(|word| !word.is_empty())
            .collect();
        let mut read = Clause { words: words.len(), is_plain: true, ..Clause::default() };
        let (mut negated, mut turned) = (0_usize, None);
        // Whether a negation waits for what it denies, and whether it can deny praise.
        let (mut is_pending, mut is_rid) = (false, false);
        let (mut is_denied, mut is_unsure, mut is_mended, mut is_either) = (false, false, false, true);
        let (mut gives, mut is_lapse) = (false, false);
        for (at, word) in words.iter().enumerate() {
            let (before, next) = (at.checked_sub(1).map(|at| words[at]), words.get(at + 1).copied());
            // `error-free`, while `free of` is a negation.
            if *word == "free" && at > 0 && !next.is_some_and(|next| matches!(next, "of" | "from")) {
                if before.is_some_and(|before| is_of(before, BAD)) && read.bad > 0 {
                    read.bad -= 1;
                    read.good += 1;
                }
                continue;
            }
            let is_aim = before == Some("to") && is_of(word, AIMS);
            // Who answers may answer anything: that it is what was asked must be said.
            let is_idle = matches!(*word, "answers" | "answered")
                && !next.is_some_and(|next| {
                    matches!(next, "the" | "all" | "every" | "each" | "its" | "correctly")
                });
            let class = match (is_of(word, GOOD), is_of(word, BAD)) {
                (true, _) if is_idle => None,
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
            let is_turned = class.is_some_and(|is_good| {
                negated > 0 && !(is_good && is_rid) && turned.is_none_or(|turned| turned == is_good)
            });
            match class {
                // As an aim that is not denied it says nothing.
                Some(true) if is_aim && !is_turned => is_unsure = true,
                Some(is_good) => {
                    if is_turned {
                        (negated, turned, is_pending) = (REACH_ON + 1, Some(is_good), false);
                    }
                    match is_good != is_turned {
                        true => read.good += 1,
                        false => {
                            read.bad += 1;
                            read.names_fault |= !is_good;
                            is_either &= is_of(word, EITHER);
                        }
                    }
                }
                None => {}
            }
            negated = negated.saturating_sub(1);
            let is_choice = match *word {
                "no" => before == Some("yes") || before == Some("or") && at > 1 && words[at - 2] == "yes",
                "not" => before == Some("or") && next.is_none(),
                _ => false,
            };
            let is_not = !is_choice && (is_of(word, NOT) || word.ends_with("n't"));
            let is_failed = is_of(word, FAILED) && next == Some("to");
            is_denied |= is_not || is_failed || is_of(word, RID);
            if is_not || is_failed || is_of(word, RID) {
                read.is_open |= is_pending;
                (negated, turned) = (REACH, None);
                // What failed is said to be bad by itself.
                (is_pending, is_rid) = (!is_failed, is_of(word, RID));
            }
            is_unsure |= is_of(word, ASIDE) || is_foreign(word);
            is_mended |= is_of(word, MENDED);
            is_lapse |= is_of(word, LAPSES);
            let is_known = class.is_some() || is_not || is_failed || is_of(word, RID) || is_choice;
            if !is_known && !is_of(word, PLAIN) && !word.chars().all(|c| c.is_ascii_digit()) {
                gives |= is_of(word, PLAIN_UNDENIED);
                read.is_plain &= is_of(word, PLAIN_UNDENIED) || *word == "by" && before == Some("supported");
            }
            read.is_plain &= !tells_of_another(before, word, next, words.get(at + 2).copied());
        }
        read.is_plain &= !(gives && is_denied);
        read.is_open |= is_pending || is_unsure || is_mended && read.bad > 0 || is_lapse && read.bad == 0;
        read.is_open |= read.good == 0 && read.bad > 0 && is_either;
        read
    }
}

/// Whether plain words say that something is there or has to be, or what a user does: no praise of an agent.
fn tells_of_another(before: Option<&str>, word: &str, next: Option<&str>, after: Option<&str>) -> bool {
    let is_verb = |word: &str| matches!(word, "is" | "are" | "was" | "were");
    match word {
        "better" | "there" => true,
        "in" => before.is_some_and(is_verb),
        "be" => before == Some("to"),
        "have" | "has" | "had" => next.is_some_and(|next| matches!(next, "a" | "an" | "the" | "any" | "to")),
        "user" | "users" | "customer" | "customers" => next.is_some_and(|next| {
            let is_served = is_verb(next) && after.is_some_and(|after| is_of(after, "satisf*"));
            !is_served && !is_of(next, OF_USERS)
        }),
        _ => false,
    }
}

/// Whether a word is of a language that is not read.
fn is_foreign(word: &str) -> bool {
    // French leaves out vowels, as in `n'est`.
    let is_elided = word.split_once('\'').is_some_and(|(start, rest)| {
        matches!(start, "n" | "l" | "d" | "c" | "j" | "s" | "qu") && rest.len() > 1
    });
    let is_letter = |c: char| c.is_ascii() || !c.is_alphabetic() || "äöüß".contains(c);
    is_elided || !word.chars().all(is_letter) || is_of(word, FOREIGN)
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
