//! Clauses of the request and which of their words are negated: `not the voucher`, `don't notify them`.

use super::opposites::{MARKERS, Side};
use crate::domain::{Role, Sample};
use crate::reading::words::{Stem, fold, is_content, stem, words};

/// Bytes and words read: bound the work on hostile rows.
const MAX_BYTES: usize = 4 * 1024;
const MAX_WORDS: usize = 400;
/// A request of fewer words only makes sense with the one before it.
const FEW_WORDS: usize = 5;
/// Words of a clause that a denial reaches forward and back.
const REACH: usize = 7;
const REACH_BACK: usize = 6;

/// The clauses of the last request, folded; a short one has those of the one before it too.
pub(super) fn clauses(sample: &Sample) -> Vec<String> {
    let mut folded = split(&sample.question);
    let count: usize = folded.iter().map(|clause| words(clause).take(FEW_WORDS).count()).sum();
    if count < FEW_WORDS {
        let earlier = sample.before_turn().iter().rev();
        let before = earlier
            .filter(|message| message.role == Role::User && message.content != sample.question)
            .map(|message| message.content.as_str())
            .next();
        folded.extend(split(before.unwrap_or_default()));
    }
    folded
}

fn split(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let ends = |(at, c): (usize, char)| {
        let is_last = || text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        let ends = matches!(c, ';' | '\n' | '(' | ')' | '。' | '，' | '、' | '！' | '？')
            || (matches!(c, '.' | '!' | '?' | ',' | ':') && is_last());
        ends.then_some(at)
    };
    let mut from = 0;
    let mut clauses = Vec::new();
    for end in text.char_indices().filter_map(ends).chain([text.len()]) {
        clauses.push(fold(&text[from..end]));
        from = end;
    }
    clauses
}

/// A word of the request.
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub stem: Stem,
    /// How far the denial of its clause is away, if there is one.
    pub denied: Option<usize>,
}

/// The words of a request.
pub(super) struct Request<'a> {
    pub words: Vec<Word<'a>>,
    /// Whether anything is denied.
    pub denies: bool,
}

impl<'a> Request<'a> {
    pub(super) fn new(clauses: &'a [String]) -> Request<'a> {
        let mut request = Request { words: Vec::new(), denies: false };
        for clause in clauses {
            let left = MAX_WORDS - request.words.len();
            let own: Vec<&str> = words(clause).take(left).collect();
            let denied = denied(&own);
            request.denies |= denied.iter().any(Option::is_some);
            let read = own.iter().zip(denied).map(|(text, denied)| Word { text, stem: stem(text), denied });
            request.words.extend(read);
        }
        request
    }

    /// How many words that mean something have one of these stems: plain ones, and denied ones.
    pub(super) fn mentions(&self, stems: &[Stem]) -> (usize, usize) {
        let named = self.words.iter().filter(|word| stems.contains(&word.stem) && is_content(word.text));
        named.fold((0, 0), |(plain, denied), word| match word.denied {
            None => (plain + 1, denied),
            Some(_) => (plain, denied + 1),
        })
    }

    /// Where a folded value stands.
    pub(super) fn places(&self, folded: &str) -> Vec<usize> {
        let value: Vec<&str> = words(folded).take(8).collect();
        if value.is_empty() || value.len() > 6 {
            return Vec::new();
        }
        let is_at =
            |at: &usize| value.iter().zip(&self.words[*at..]).all(|(own, word)| is_same(own, word.text));
        (0..(self.words.len() + 1).saturating_sub(value.len())).filter(is_at).take(6).collect()
    }

    /// The only place where a folded value stands, and the words it takes.
    pub(super) fn only_place(&self, folded: &str) -> Option<(usize, usize)> {
        let places = self.places(folded);
        (places.len() == 1).then(|| (places[0], words(folded).count()))
    }
}

/// Whether words are the same; numbers may begin with zeros: `9:15`, `09:15`.
fn is_same(a: &str, b: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    a == b || is_number(a) && is_number(b) && a.trim_start_matches('0') == b.trim_start_matches('0')
}

/// Of each word of a clause, how far the denial is away that reaches it.
fn denied(clause: &[&str]) -> Vec<Option<usize>> {
    let mut denied = vec![None; clause.len()];
    let [denial, turn, limit, forget] = ["denial", "turn", "limit", "forget"].map(|name| MARKERS.line(name));
    let hits: Vec<_> = (0..clause.len()).map(|at| MARKERS.at(clause, at)).collect();
    let has = |at: usize, line: usize| hits[at].iter().any(|hit| hit.line == line);
    let mut note = |at: usize, far: usize| {
        denied[at] = Some(denied[at].map_or(far, |own: usize| own.min(far)));
    };
    for (at, own) in hits.iter().enumerate() {
        let Some(hit) = own.iter().find(|hit| hit.line == denial) else { continue };
        // `Glem ikke`: what is not to be forgotten is wanted.
        if at > 0 && has(at - 1, forget) {
            continue;
        }
        match hit.side {
            Some(Side::First) => {
                let from = at + hit.words;
                for to in (from..clause.len()).take(REACH).take_while(|to| !has(*to, turn)) {
                    // The word of a limit itself says no longer what it says.
                    note(to, to + 1 - from);
                    if has(to, limit) || has(to, forget) {
                        break;
                    }
                }
            }
            Some(Side::Second) => {
                let reached = (0..at).rev().take(REACH_BACK).take_while(|to| !has(*to, turn));
                reached.for_each(|to| note(to, at - to));
            }
            None => {}
        }
    }
    denied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_reach_to_the_end_of_their_clause() {
        for (text, word, expected) in [
            ("Book it, but do not tell Anna", "anna", true),
            ("Do not tell Anna, tell Ben", "ben", false),
            ("nicht Montag sondern Dienstag", "dienstag", false),
            ("nicht Montag sondern Dienstag", "montag", true),
            ("no more than 200", "200", false),
            ("sans oignons, avec olives", "oignons", true),
            ("sans oignons, avec olives", "olives", false),
            ("don't forget the milk", "milk", false),
            ("please dont hesitate to call Anna", "anna", false),
            ("not only Anna", "anna", false),
            ("nicht vergessen: Milch", "milch", false),
            ("не забудь молоко", "молоко", false),
            ("n'oublie pas le lait", "lait", false),
            ("no olvides la leche", "leche", false),
            ("glem ikke Anna", "anna", false),
            ("не только Анна", "анна", false),
            ("ikke bare Anna", "anna", false),
        ] {
            let folded = split(text);
            let request = Request::new(&folded);
            let found = request.words.iter().find(|own| own.text == word);
            assert_eq!(found.map(|own| own.denied.is_some()), Some(expected), "{word} in {text}");
        }
    }
}
