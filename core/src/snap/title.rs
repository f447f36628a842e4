//! The words before a colon, dash or comma in front of a rail: an announcement of the verdict, or the name of its subject.

use super::class::Class;
use super::polarity::{Tongue, attributes, denies};
use super::subject::{is_article, is_part};
use super::token::Token;

/// Whether a title before a colon or dash leads to a verdict, rather than naming what the rail is said of.
pub(super) fn leads(title: &[Token], more: bool) -> bool {
    let words: Vec<&Token> = title.iter().filter(|token| token.is_word()).collect();
    // `The label to use when all is right: …` defines a label, and `Somebody notes: …` is another's.
    let others = words.iter().any(|token| {
        matches!(
            token.word(),
            "when"
                | "means"
                | "meaning"
                | "somebody"
                | "someone"
                | "reviewer"
                | "colleague"
                | "others"
                | "people"
        )
    });
    let to_use = words.windows(2).any(|pair| pair[0].word() == "to" && pair[1].word() == "use");
    if others || to_use {
        return false;
    }
    let Some(last) = words.last() else { return true };
    // `The agent answered: …`, `reply with: …`
    let tail = &words[words.len().saturating_sub(2)..];
    let spoken = words.iter().position(|token| attributes(token)).is_some_and(|at| {
        !words[..at].iter().all(|token| {
            matches!(token.word(), "enough" | "as" | "i" | "i've" | "we" | "already" | "being" | "all")
        })
    });
    let given = matches!(
        last.word(),
        "with" | "to" | "is" | "was" | "as" | "of" | "be" | "word" | "words" | "example"
    );
    let told = tail.iter().any(|token| attributes(token) && words.len() > 2);
    if spoken && (told || words.len() < 6)
        || given
            && !words.iter().any(|token| {
                matches!(token.class, Class::Key | Class::WeakKey | Class::Final | Class::Conclusion)
            })
        || matches!(words[0].word(), "after" | "once" | "until" | "before")
            && words.iter().any(|token| token.word() == "user")
        || told && spoken
    {
        return false;
    }
    discourse(title) || clause_stands(title) || more && words.len() > 3
}

/// Words of a talker, not of a table: first person, prepositions and other small words at its beginning.
pub(super) fn discourse(title: &[Token]) -> bool {
    let words: Vec<&Token> = title.iter().filter(|token| token.is_word()).collect();
    let Some(first) = words.first() else { return false };
    if words.iter().any(|token| attributes(token) && !matches!(token.word(), "said")) {
        return false;
    }
    let opens = matches!(
        first.word(),
        "in" | "on"
            | "after"
            | "for"
            | "to"
            | "with"
            | "without"
            | "from"
            | "by"
            | "at"
            | "all"
            | "enough"
            | "nothing"
            | "no"
            | "zero"
            | "none"
            | "not"
            | "so"
            | "then"
            | "okay"
            | "ok"
            | "alright"
            | "well"
            | "right"
            | "now"
            | "and"
            | "anyway"
            | "altogether"
            | "overall"
            | "long"
            | "said"
            | "here"
            | "my"
            | "i"
            | "i'd"
            | "we"
            | "once"
            | "simply"
            | "putting"
            | "having"
            | "taking"
            | "summing"
            | "weighing"
            | "considering"
            | "everything"
            | "every"
            | "yes"
            | "yeah"
            | "sure"
            | "fine"
            | "hence"
            | "thus"
            | "bottom"
            | "case"
            | "net"
            | "end"
            | "upshot"
            | "again"
            | "finally"
            | "0"
            | "oh"
            | "ah"
            | "alas"
            | "hm"
            | "sadly"
            | "as"
    ) || denies(first, Tongue::English)
        || matches!(first.class, Class::Conclusion | Class::Final | Class::Cue | Class::Key | Class::Silent);
    let closes = words.last().is_some_and(|last| {
        matches!(last.word(), "goes" | "then" | "said" | "closed" | "line" | "short" | "word")
    });
    opens || closes && words.len() <= 4
}

/// A whole clause with a verb.
pub(super) fn clause_stands(title: &[Token]) -> bool {
    let words: Vec<&str> = title.iter().filter(|token| token.is_word()).map(|token| token.word()).collect();
    let verb = |word: &&str| {
        matches!(
            *word,
            "is" | "was"
                | "are"
                | "were"
                | "has"
                | "had"
                | "did"
                | "does"
                | "have"
                | "do"
                | "fits"
                | "fit"
                | "gave"
                | "got"
                | "sent"
                | "went"
                | "took"
                | "match"
                | "made"
                | "left"
        ) || word.ends_with("n't")
            || word.len() > 4 && (word.ends_with("ed") || word.ends_with("es"))
            || *word == "matches"
    };
    words.len() >= 4 && words[1..].iter().any(verb)
}

/// A lead in another language: anything that names no part, if it comes behind more text or is known to lead.
pub(super) fn leads_abroad(title: &[Token], follows: bool) -> bool {
    let mut words = title.iter().filter(|token| token.is_word());
    let short = words.clone().next().is_some_and(|token| {
        matches!(
            token.word(),
            "kort" | "kurz" | "anders" | "autrement" | "dicho" | "detto" | "bref" | "krótko"
        )
    });
    if words.clone().any(attributes) && !short {
        return false;
    }
    let known = words.clone().any(|token| {
        matches!(token.class, Class::Conclusion | Class::Final | Class::Key | Class::WeakKey | Class::Outcome)
    });
    known || follows || words.nth(2).is_some()
}

/// What it is about is a part of the call.
pub(super) fn only_part(clause: &[Token]) -> bool {
    let words = || clause.iter().filter(|token| token.is_word());
    // `With respect to the tool: …` speaks of the tool, `No missing fields: …` of the call.
    let part = |token: &Token| matches!(token.class, Class::Part | Class::Tool) || is_part(token.word());
    let absent = words().next().is_some_and(|token| {
        denies(token, Tongue::Other) || matches!(token.word(), "zero" | "0" | "no" | "without" | "nothing")
    });
    if !absent
        && !clause_stands(clause)
        && !words().any(|token| token.class == Class::Subject)
        && words().any(part)
    {
        return true;
    }
    // `Verdict of the user in turn 3`
    let of = clause.windows(3).any(|three| {
        three[0].word() == "of"
            && matches!(three[2].word(), "user" | "customer" | "tool" | "reviewer" | "system" | "client")
    });
    if of
        || words().any(|token| {
            matches!(token.word(), "user's" | "customer's" | "client's" | "tool's" | "best" | "worst")
        })
    {
        return true;
    }
    if words().any(|token| {
        matches!(
            token.word(),
            "all"
                | "every"
                | "everything"
                | "both"
                | "alle"
                | "tous"
                | "toutes"
                | "todos"
                | "todas"
                | "tutti"
        )
    }) {
        return false;
    }
    let head = words().find(|token| {
        !matches!(
            token.class,
            Class::Filler | Class::Copula | Class::Conclusion | Class::Final | Class::Silent | Class::Agent
        ) && !is_article(token.word())
    });
    head.is_some_and(|token| {
        matches!(token.class, Class::Part | Class::Ordinal | Class::Tool) || is_part(token.word())
    }) && !words().any(|token| token.class == Class::Subject)
        || words()
            .any(|token| token.class == Class::Ordinal && !token.word().starts_with(|c: char| c.is_numeric()))
        || words().any(|token| token.class == Class::Part) && words().count() < 4
}
