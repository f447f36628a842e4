//! The effect of words of other languages around a rail. The words are in the language files, under `[verdict]`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::class::Class;
use super::words::Words;
use crate::language::{self, Verdict};

type List = fn(&Verdict) -> &language::Words;

/// Where a word is in several of these lists, the last of them counts.
const CLASSES: &[(Class, List)] = &[
    (Class::Key, |of| &of.key),
    (Class::WeakKey, |of| &of.weak_key),
    (Class::Outcome, |of| &of.outcome),
    (Class::Subject, |of| &of.subject),
    (Class::PronounCopula, |of| &of.pronoun_copula),
    (Class::Pronoun, |of| &of.pronoun),
    (Class::Agent, |of| &of.agent),
    (Class::Part, |of| &of.part),
    (Class::Copula, |of| &of.copula),
    (Class::Verb, |of| &of.verb),
    (Class::Judge, |of| &of.judge),
    (Class::Conclusion, |of| &of.conclusion),
    (Class::Final, |of| &of.r#final),
    (Class::Unclear, |of| &of.unclear),
    (Class::Negation, |of| &of.negation),
    (Class::Hedge, |of| &of.hedge),
    (Class::Condition, |of| &of.condition),
    (Class::Contrast, |of| &of.contrast),
    (Class::Filler, |of| &of.filler),
];

/// The words of all languages, each with its class.
pub(super) fn words() -> impl Iterator<Item = (Class, &'static str)> {
    CLASSES.iter().flat_map(|(class, list)| listed(*list).map(|word| (*class, word)))
}

fn listed(list: List) -> impl Iterator<Item = &'static str> {
    language::all().iter().flat_map(move |language| list(&language.verdict).iter())
}

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| words().map(|(_, word)| word).collect());

/// Whether `word`, in lower case, is one of another language that English does not have as well.
pub(super) fn knows(word: &str) -> bool {
    KNOWN.contains(word)
        && !matches!(
            word,
            "is" | "was"
                | "final"
                | "a"
                | "as"
                | "so"
                | "in"
                | "do"
                | "to"
                | "no"
                | "me"
                | "for"
                | "on"
                | "of"
        )
}

/// Words of other languages that begin a reason.
pub(super) fn gives_reason(word: &str) -> bool {
    static REASONS: Words = Words::listed(|of| &of.reasons);
    REASONS.has(word)
}

/// Words that end a sentence behind its rail and add nothing to it.
pub(super) fn ends(word: &str) -> bool {
    static CLOSERS: Words = Words::listed(|of| &of.closers);
    denies_behind(word) || CLOSERS.has(word)
}

/// Words behind a rail that deny it.
pub(super) fn denies_behind(word: &str) -> bool {
    static DENIALS: Words = Words::listed(|of| &of.denies_behind);
    DENIALS.has(word)
}

/// What other languages say for a pair of rails, in the pair's order: only words that mean nothing else.
pub(super) fn translations(one: &str, other: &str) -> Option<[impl Iterator<Item = &'static str>; 2]> {
    let [right, wrong]: [List; 2] = match (one, other) {
        ("correct", "incorrect") => [|of| &of.right, |of| &of.wrong],
        ("incorrect", "correct") => [|of| &of.wrong, |of| &of.right],
        ("yes", "no") => [|of| &of.yes, |of| &of.no],
        ("no", "yes") => [|of| &of.no, |of| &of.yes],
        _ => return None,
    };
    Some([listed(right), listed(wrong)])
}
