//! Detects the language of a few sentences, to know which words could contradict a verdict in them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::class::Class;
use super::fault;
use super::foreign;
use super::harmless::is_harmless;
use super::lexicon::gives_reason;
use super::polarity::is_english;
use super::subject::is_part;
use super::token::Token;
use super::words::Words;
use crate::language;

/// What is known of the language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spoken {
    English,
    /// One whose contrasts and faults are listed.
    Listed,
    Unknown,
}

static ENGLISH: Words = Words::new(
    "the is are was and which that it this to of with for by from has have does not a as because since its user agent tool call",
);

/// Common words of each language whose contrasts are listed.
static LISTED: LazyLock<Vec<HashSet<&str>>> = LazyLock::new(|| {
    let marks = language::all().iter().map(|language| &language.verdict.marks);
    marks.filter(|marks| !marks.is_empty()).map(|marks| marks.iter().collect()).collect()
});

/// What turns a text round in languages without spaces, and second thoughts in any.
static TURNS: LazyLock<Vec<&str>> =
    LazyLock::new(|| language::all().iter().flat_map(|language| language.verdict.turns.iter()).collect());
static THOUGHTS: Words = Words::listed(|of| &of.second_thoughts);
static IMPRESSIONS: Words = Words::listed(|of| &of.impressions);

/// `donc`, and the German `also`, which English has as well.
pub(super) fn begins_conclusion(token: &Token) -> bool {
    token.class == Class::Conclusion || token.word() == "also"
}

/// `rien à redire`, `es fehlt nichts`
pub(super) fn is_nothing(word: &str) -> bool {
    static NOTHING: Words = Words::listed(|of| &of.nothing);
    NOTHING.has(word)
}

/// Words with which a sentence begins that gives a reason.
static OPENERS: Words = Words::listed(|of| &of.openers);

/// Whether a sentence that begins with `word` may give a plain reason in one of these languages.
pub(super) fn opens(word: &str) -> bool {
    OPENERS.has(word) || ["l'", "l’", "d'"].iter().any(|start| word.starts_with(start)) || word.contains('_')
}

/// Whether a word is of another language than English.
pub(super) fn is_foreign(token: &Token) -> bool {
    let english = matches!(
        token.word(),
        "a" | "i"
            | "an"
            | "as"
            | "so"
            | "me"
            | "on"
            | "do"
            | "in"
            | "no"
            | "was"
            | "is"
            | "for"
            | "to"
            | "of"
            | "by"
            | "at"
            | "or"
            | "be"
            | "he"
            | "we"
            | "us"
            | "am"
            | "agent"
            | "tool"
            | "date"
            | "final"
            | "die"
            | "den"
            | "man"
            | "pas"
            | "par"
            | "per"
            | "son"
            | "sale"
            | "all"
            | "name"
    );
    token.is_word()
        && !english
        && !matches!(
            token.class,
            Class::Part | Class::Key | Class::WeakKey | Class::Outcome | Class::Final | Class::Agent
        )
        && (token.word().chars().any(|c| c.is_alphabetic() && !c.is_ascii())
            || foreign::knows(token.word())
            || OPENERS.has(token.word())
            || LISTED.iter().any(|list| list.contains(token.word())))
}

/// Words of other languages with which a phrase begins that restricts what follows it: `sans la date`, `à première vue`.
static PREPOSITIONS: Words = Words::listed(|of| &of.prepositions);

/// Whether the words in front of a clause of another language restrict it: few of which nobody knows what they do, or a phrase.
pub(super) fn restricts(lead: &[Token]) -> bool {
    const FEW: usize = 3;
    let start = lead.iter().rposition(|token| token.is(',')).map_or(0, |at| at + 1);
    let words: Vec<&Token> = lead[start..].iter().filter(|token| token.is_word()).collect();
    let Some(first) = words.first() else { return false };
    let unspaced = words.iter().any(|token| token.word().contains(|c: char| c as u32 > 0x2e80));
    let known = |token: &&Token| {
        is_harmless(token) || matches!(token.class, Class::Negation | Class::Cue) || answers(token.word())
    };
    let abroad = words.iter().any(|token| is_foreign(token) || PREPOSITIONS.has(token.word()));
    if unspaced || !abroad || words.iter().any(|token| is_english(token)) || words.iter().all(known) {
        return false;
    }
    words.len() <= FEW || PREPOSITIONS.has(first.word()) && words.len() <= 2 * FEW
}

fn answers(word: &str) -> bool {
    static ANSWERS: Words = Words::listed(|of| &of.answers);
    ANSWERS.has(word)
}

/// Whether words behind a verdict and a pause may be its reason: English ones, or such as are known to begin one.
pub(super) fn may_explain(behind: &[Token]) -> bool {
    /// Of a longer clause its beginning shows the language.
    const REACH: usize = 64;
    let words = || behind.iter().take(REACH).filter(|token| token.is_word());
    let shared = |token: &Token| {
        is_foreign(token)
            || foreign::knows(token.word())
            || matches!(token.word(), "data" | "a" | "o" | "e" | "i" | "in" | "no" | "me")
    };
    let english = words().any(is_english)
        || words().any(|token| {
            matches!(
                token.word(),
                "is" | "for" | "by" | "of" | "to" | "all" | "both" | "no" | "because" | "since"
            )
        })
        || words().any(|token| {
            !shared(token)
                && (token.class != Class::Other || fault::is_english(token.word()) || is_part(token.word()))
        });
    let unspaced = |token: &Token| token.word().contains(|c: char| c as u32 > 0x2e80);
    let labelled = words()
        .next()
        .is_none_or(|first| first.word().chars().all(|c| c.is_numeric()) || first.word().contains('_'));
    english
        || labelled
        || words().any(unspaced)
        || words().next().is_some_and(|first| {
            is_nothing(first.word())
                || opens(first.word())
                || gives_reason(first.word())
                || first.class == Class::Conclusion
        })
}

pub(super) fn of(text: &str, tokens: &[Token]) -> Spoken {
    const SURE: usize = 2;
    let words: Vec<&str> = tokens.iter().filter(|token| token.is_word()).map(Token::word).collect();
    let english = words.iter().filter(|word| ENGLISH.has(word)).count();
    let shown = |list: &HashSet<&str>| words.iter().filter(|word| list.contains(**word)).count();
    let listed = LISTED.iter().map(shown).max().unwrap_or(0);
    let unspaced = text.chars().any(|c| ('\u{3040}'..='\u{9fff}').contains(&c));
    match () {
        () if english >= SURE && english > listed => Spoken::English,
        () if unspaced || listed >= SURE && listed > english => Spoken::Listed,
        () => Spoken::Unknown,
    }
}

/// Whether a text that is not English thinks again.
pub(super) fn reconsiders(text: &str) -> bool {
    let words = || text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let thought = |word: &str| THOUGHTS.has(word);
    let opens = |sentence: &str| {
        let mut words = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase);
        words.next().is_some_and(|word| thought(&word))
    };
    TURNS.iter().any(|turn| text.contains(turn))
        || text.split(['.', '!', '?', ',', ':', ';', '—', '\n', '。', '，']).any(opens)
        || words().any(|word| IMPRESSIONS.has(&word))
}

/// Whether a sentence in another language finds fault, or speaks against what was said before it.
pub(super) fn objects_abroad(sentence: &[Token]) -> bool {
    let words = || sentence.iter().filter(|token| token.is_word());
    let english = words()
        .filter(|token| {
            matches!(token.word(), "the" | "and" | "this" | "that" | "it" | "is" | "has" | "with")
        })
        .count();
    let denied = words().any(|token| {
        matches!(token.class, Class::Negation | Class::Silent) || foreign::denies_behind(token.word())
    });
    let against = |token: &Token| token.class == Class::Contrast && foreign::knows(token.word());
    // `Alleen klopt de datum niet.`
    let abroad = || words().any(is_foreign);
    let restricts = words().next().is_some_and(|token| {
        matches!(token.class, Class::Hedge | Class::Condition | Class::Unclear | Class::Partial)
            && foreign::knows(token.word())
    });
    let denies_only = words().any(|token| {
        token.class == Class::Negation
            && (foreign::knows(token.word()) || matches!(token.word(), "no" | "non" | "pas"))
    }) && !words().any(|token| fault::is_foreign(token.word()));
    english == 0 && abroad() && (restricts || denies_only)
        || english < 2 && words().any(|token| against(token) || !denied && fault::is_foreign(token.word()))
}
