//! Two rails in one sentence, one of them denied or taken back: `not A but B`, `A, no wait, B`.

use super::class::Class;
use super::ending::{Behind, Named, behind};
use super::foreign;
use super::polarity::{Denial, Tongue, attributes, denial, denies, leaves_open, offers};
use super::predicate::tongue;
use super::script::{Script, Sentence};
use super::subject::is_part;
use super::token::{Excluded, Token};

/// `not A but B`: two rails, one of them denied.
pub(super) fn contrasted(script: &Script, sentence: &Sentence, one: &Named, end: &Named) -> Option<usize> {
    let tokens = &script.tokens;
    let (lead, between) =
        (&tokens[sentence.tokens.start..one.tokens.start], &tokens[one.tokens.end..end.tokens.start]);
    let denied_behind = behind(script, sentence, end)? == Behind::Denial;
    let tongue = tongue(&tokens[sentence.tokens.start..end.tokens.start]);
    let all = || lead.iter().chain(between);
    // `changed from A to B`
    let word = |token: Option<&Token>| token.map_or(String::new(), |token| token.word().to_owned());
    let before = word(lead.iter().rfind(|token| token.is_word()));
    let joins: Vec<&str> = between.iter().filter(|token| token.is_word()).map(|token| token.word()).collect();
    let changed = lead.iter().any(|token| {
        matches!(
            token.word(),
            "changed" | "changing" | "change" | "update" | "updated" | "revised" | "switching" | "switched"
        )
    });
    let stop = between.iter().rposition(|token| token.is(','));
    let clause = &between[stop.map_or(0, |at| at + 1)..];
    let decided =
        clause.iter().any(|token| matches!(token.class, Class::Cue | Class::Conclusion | Class::Final))
            && clause.iter().filter(|token| token.is_word()).count() > 2
            && !clause.iter().any(|token| denies(token, tongue) || leaves_open(token, tongue));
    if before == "from" && joins == ["to"] && changed || decided && stop.is_some() {
        return Some(end.rail);
    }
    if all().any(|token| {
        leaves_open(token, tongue)
            || offers(token, tongue) && !denies(token, tongue)
            || attributes(token) && !matches!(token.word(), "claim" | "statement")
    }) || all()
        .any(|token| token.class == Class::Ordinal || token.class == Class::Part || is_part(token.word()))
        || tokens[one.tokens.start].excluded != Excluded::None
        || all().any(|token| token.class == Class::Unclear)
    {
        return None;
    }
    let denied = |token: &Token| match tongue {
        Tongue::English => denies(token, tongue),
        Tongue::Other => denial(token, &script.tokens) != Denial::No,
    };
    let near =
        lead.iter().rev().filter(|token| token.is_word()).take(3).filter(|token| denied(token)).count();
    let behind_one = between
        .iter()
        .find(|token| token.is_word())
        .is_some_and(|token| token.word().starts_with("ではなく") || foreign::denies_behind(token.word()));
    let first_denied = near == 1 || near == 0 && behind_one;
    let second_denied =
        between.iter().skip(usize::from(behind_one)).filter(|token| token.is_word() && denied(token)).count()
            - usize::from(behind_one && between.iter().skip(1).any(|token| token.word() == "ではなく"));
    let nor = |token: &Token| {
        matches!(
            token.word(),
            "ni" | "weder"
                | "noch"
                | "nor"
                | "neither"
                | "ani"
                | "ни"
                | "eikä"
                | "sem"
                | "nici"
                | "ούτε"
                | "varken"
        )
    };
    if all().any(nor) || denied_behind {
        return None;
    }
    match (first_denied, second_denied) {
        (true, 0) if joins.len() <= 4 => Some(end.rail),
        // A verdict that is taken back: `incorrect, no wait, correct`
        (false, _) if cues(between) && lead.iter().all(|token| !token.is_word()) => Some(end.rail),
        _ => None,
    }
}

/// Nothing but words of a second thought.
fn cues(between: &[Token]) -> bool {
    let mut words = between.iter().filter(|token| token.is_word());
    words.clone().any(|token| token.class == Class::Cue || token.word() == "hold" || token.word() == "hang")
        && words.all(|token| {
            matches!(token.class, Class::Cue | Class::Silent)
                || matches!(token.word(), "no" | "hold" | "hang" | "on" | "a" | "second" | "moment")
        })
}
