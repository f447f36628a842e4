//! Whether the clause before a rail affirms or denies it.

use super::class::Class;
use super::foreign;
use super::harmless::is_harmless;
use super::lexicon::is_stress;
use super::polarity::{
    Denial, Tongue, attributes, begins_denial, denial, denies, ends_denial, is_english, is_negation_abroad,
};
use super::subject::{is_gerund, is_part, is_person, is_whole, whole_or_idle};
use super::token::{Excluded, Token, hidden};

/// The words of the lead are of another language.
pub(super) fn tongue(lead: &[Token]) -> Tongue {
    let words = || lead.iter().filter(|token| token.is_word() && token.excluded == Excluded::None);
    let abroad = |token: &Token| {
        is_negation_abroad(token)
            || token.word().chars().any(|c| c.is_alphabetic() && !c.is_ascii())
            || foreign::knows(token.word())
    };
    // So many words without any of English.
    let strange = words().count() >= 5
        && !words().any(|token| {
            token.class == Class::Subject
                || matches!(
                    token.word(),
                    "an" | "for"
                        | "is"
                        | "was"
                        | "of"
                        | "to"
                        | "on"
                        | "at"
                        | "user"
                        | "agent"
                        | "tool"
                        | "args"
                        | "fits"
                        | "ok"
                        | "by"
                )
        });
    if !words().any(is_english) && (strange || words().any(abroad)) { Tongue::Other } else { Tongue::English }
}

/// Whether an English clause says the rail at its end (`true`) or denies it; `None` if it is not surely about the whole call.
pub(super) fn predicate(clause: &[Token]) -> Option<bool> {
    let words: Vec<&Token> =
        clause.iter().filter(|token| token.is_word() && !is_stress(token.word())).collect();
    if hidden(clause) && words.iter().all(|token| token.excluded == Excluded::Hidden) {
        return None;
    }
    // `cancelling without asking was`
    let words: Vec<&Token> = match words.first() {
        Some(first) if is_gerund(first.word()) => {
            words.into_iter().filter(|token| token.word() != "without").collect()
        }
        _ => words,
    };
    let texts: Vec<&str> = words.iter().map(|token| token.word()).collect();
    let denials = words.iter().filter(|token| denies(token, Tongue::English)).count();
    let unclear = words.iter().any(|token| token.class == Class::Unclear);
    let thinks = texts.iter().any(|word| {
        matches!(
            *word,
            "say"
                | "saying"
                | "claim"
                | "know"
                | "sure"
                | "clear"
                | "certain"
                | "mean"
                | "convinced"
                | "would"
                | "should"
                | "told"
                | "because"
        )
    });
    let some = texts.iter().take(3).any(|word| {
        matches!(
            *word,
            "some"
                | "most"
                | "several"
                | "few"
                | "half"
                | "many"
                | "two"
                | "three"
                | "any"
                | "everyone"
                | "someone"
        )
    });
    if unclear || thinks || some || denials > 1 || texts == ["no"] {
        return None;
    }
    // `could not be more correct`, `rarely a clearer case of incorrect`
    // `I now go with correct`
    let rules = words.iter().any(|token| token.class == Class::Verb)
        && words.iter().any(|token| token.class == Class::Judge);
    let ruled = words
        .iter()
        .rev()
        .find(|token| token.class != Class::Silent)
        .is_some_and(|token| token.class == Class::Verb);
    if let [.., "option" | "choice" | "candidate" | "response" | "prefer" | "winner"]
    | [.., "winner" | "choice" | "pick", "is"] = &texts[..]
    {
        let small = texts.len() <= 5 && denials == 0 && whole_or_idle(&words[..words.len() - 1]);
        return small.then_some(true);
    }
    if rules
        && ruled
        && denials == 0
        && !texts.iter().any(|word| matches!(*word, "can" | "could" | "may" | "might" | "to"))
    {
        return Some(true);
    }
    let compares = texts.iter().any(|word| {
        matches!(*word, "more" | "clearer" | "plainer" | "better" | "purer" | "stronger" | "easier")
    });
    if compares {
        let close = texts.last().is_some_and(|word| matches!(*word, "more" | "of" | "for" | "clearer"));
        let words: Vec<&Token> = words.into_iter().filter(|token| token.word() != "one").collect();
        return (denials == 1 && close && whole_or_idle(&words)).then_some(true);
    }
    let last = *texts.last()?;
    let opposite = last == "of" && texts.contains(&"opposite");
    let makes = texts.iter().any(|word| matches!(*word, "makes" | "made" | "make" | "renders"))
        && matches!(last, "it" | "this" | "that" | "call" | "action" | "invocation");
    // `What makes a call correct` asks.
    if makes && denials == 0 && !matches!(texts[0], "what" | "which" | "whatever") && whole_or_idle(&words) {
        return Some(true);
    }
    let inverted = texts.len() > 1
        && matches!(texts[texts.len() - 2], "is" | "was")
        && matches!(last, "this" | "it" | "that" | "call");
    // `I deem the call correct`
    let ruled = words.iter().rposition(|token| token.class == Class::Judge).is_some_and(|at| {
        let mut tail = words[at + 1..].iter();
        tail.next().is_some_and(|token| token.class == Class::Verb)
            && tail.clone().any(|token| matches!(token.class, Class::Subject | Class::Pronoun))
            && tail.all(|token| {
                matches!(
                    token.class,
                    Class::Subject | Class::Pronoun | Class::Filler | Class::Tool | Class::Agent
                )
            })
    });
    if ruled && denials == 0 {
        return Some(true);
    }
    let everything =
        denials == 1 && texts.iter().any(|word| matches!(*word, "everything" | "all" | "every" | "always"));
    if everything {
        return None;
    }
    let linked = opposite
        || inverted && denials == 1
        || matches!(last, "called" | "considered" | "deemed" | "labelled") && denials == 1
        || matches!(last, "is" | "was" | "be" | "been" | "as" | "being" | "are" | "were" | "to")
        || last.ends_with("n't")
        || denies(words.last()?, Tongue::English);
    let object = ["call", "calling", "consider", "deem", "judge", "find"]
        .iter()
        .any(|verb| texts.contains(verb))
        && matches!(last, "this" | "it" | "that" | "call" | "correct" | "action" | "behaviour" | "behavior");
    if !(linked || object && denials == 1) {
        return None;
    }
    if denials == 0
        && texts.iter().any(|word| matches!(*word, "can" | "could" | "may" | "might" | "would" | "to"))
        && !is_gerund(texts[0])
    {
        return None;
    }
    // The head of the clause is the call as a whole.
    (denials == 0 && is_whole(&words) || denials == 1 && whole_or_idle(&words) && reaches(&words))
        .then_some(denials == 0)
}

/// Whether the denial reaches the end of the clause.
fn reaches(words: &[&Token]) -> bool {
    /// A denial farther away may deny something else.
    const NEAR: usize = 7;
    let Some(at) = words.iter().rposition(|token| denies(token, Tongue::English)) else { return false };
    // `The call with the id that nobody checked is`
    let inner = words[..at].iter().skip(1).any(|token| {
        matches!(
            token.word(),
            "that" | "which" | "who" | "because" | "although" | "while" | "where" | "if" | "with"
        )
    });
    let goes_on = words[at + 1..].iter().any(|token| {
        matches!(
            token.word(),
            "which" | "who" | "because" | "although" | "while" | "where" | "but" | "user" | "tool"
        )
    });
    !inner && !goes_on && words.len() - at - 1 <= NEAR
}

/// Whether a clause of `reply` in another language says the rail at its end or denies it.
pub(super) fn abroad(clause: &[Token], lead: &[Token], reply: &[Token]) -> Option<bool> {
    let mut clause = clause;
    if clause.iter().all(|token| !token.is_word()) {
        clause = lead;
    }
    let own = |clause: &[Token]| clause.iter().any(is_own);
    let before = &lead[..lead.len() - clause.len().min(lead.len())];
    let words: Vec<&Token> =
        clause.iter().filter(|token| token.is_word() && token.excluded == Excluded::None).collect();
    // `Nie sądzę, że jest …`: the clause in front says whose opinion it is, and what of it.
    if words.first().is_some_and(|token| {
        subordinates(token.word()) || matches!(token.word(), "da" | "se" | "et" | "ki" | "som")
    }) {
        let start = before.iter().rev().skip(1).position(|token| token.is(',') || token.is(':'));
        let main = &before[start.map_or(0, |at| before.len() - at - 1)..];
        let plain = main.iter().filter(|token| token.is_word()).all(is_harmless);
        if !plain || !own(main) && main.iter().any(|token| token.is_word() && token.class != Class::Silent) {
            return None;
        }
    }
    if is_opinion(lead) {
        return None;
    }
    // `… dijo que era correct` tells what somebody else thinks, `concluyo que es correct` does not.
    let told = words.iter().skip(1).any(|token| subordinates(token.word()));
    let agent = words.iter().any(|token| token.class == Class::Agent || token.word().contains("agent"));
    if told && (!own(clause) || agent) || words.is_empty() {
        return None;
    }
    let aside = words.iter().any(|token| {
        matches!(token.class, Class::Part | Class::Ordinal | Class::Unclear | Class::Partial)
            || is_part(token.word())
            || attributes(token)
            || is_person(token.word())
    });
    let denials = denials(&words, reply);
    if aside || denials.contains(&Denial::Unsure) {
        return None;
    }
    let count = |denials: &[Denial]| denials.iter().filter(|denial| **denial == Denial::Yes).count();
    // A denial in front of other words may deny these.
    let near = count(&denials[denials.len().saturating_sub(4)..]);
    let last = denials.iter().rposition(|denial| *denial == Denial::Yes);
    // `all arguments fit so the call is`: what led to the conclusion is another clause.
    let concludes = words
        .iter()
        .rposition(|token| token.class == Class::Conclusion)
        .filter(|at| *at >= 3 || !words[*at].word().contains(|c: char| (c as u32) < 0x3000));
    let from = last.map_or(0, |at| at + 1).max(concludes.unwrap_or(0));
    let harmless = words[from..].iter().all(|token| is_harmless(token));
    match (count(&denials), near) {
        _ if !harmless => None,
        (0, _) => Some(true),
        (1, 1) => Some(false),
        _ => None,
    }
}

/// What each word denies; `ne … pas` denies once, and `ne` without it denies in a way that nobody listed.
fn denials(words: &[&Token], reply: &[Token]) -> Vec<Denial> {
    let paired = words.iter().any(|token| ends_denial(token.word()));
    let of = |token: &&Token| match denial(token, reply) {
        // `n'est pas`, joined
        Denial::Yes if begins_denial(token.word()) && token.class == Class::Negation => Denial::Yes,
        _ if begins_denial(token.word()) && paired => Denial::No,
        Denial::No if begins_denial(token.word()) && token.word() != "ne" => Denial::Unsure,
        // `Ne risulta che …`, `ne vem`
        denial => denial,
    };
    words.iter().map(of).collect()
}

/// Whether `lead` names whose opinion it gives, and it is not the judge's: `zdaniem agenta`.
fn is_opinion(lead: &[Token]) -> bool {
    const OPINIONS: &str = "zdaniem słowom словам мнению opinión opinion avis parecer opinione mening menig opinião ansicht meinung oordeel uppfattning";
    const OWN: &str = "moim meiner mon mi mio mia minha mijn min ons nuestra notre unserer моему mitt meines";
    let has = |list: &str| {
        lead.iter().any(|token| token.is_word() && list.split_whitespace().any(|word| word == token.word()))
    };
    has(OPINIONS) && !has(OWN)
}

/// A word by which the judge speaks for itself.
fn is_own(token: &Token) -> bool {
    matches!(token.class, Class::Judge | Class::Conclusion | Class::Final | Class::Key | Class::Verb)
}

/// Whether a word makes its clause the object of another.
fn subordinates(word: &str) -> bool {
    matches!(
        word,
        "que"
            | "che"
            | "dass"
            | "daß"
            | "że"
            | "iż"
            | "что"
            | "що"
            | "att"
            | "at"
            | "dat"
            | "hogy"
            | "că"
            | "ότι"
            | "πως"
            | "že"
            | "että"
            | "bahwa"
            | "rằng"
    ) || word.starts_with("qu'")
}
