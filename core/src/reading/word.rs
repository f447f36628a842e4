//! A word of a text with its possible meanings.

use super::spoken::Languages;
use super::vocabulary::{INDEX, Meaning, NOTHING, Role, meaning};
use super::words::{is_hangul, is_particle, words};

/// A [folded](super::words::fold) word of a text, looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub means: &'static Meaning,
    /// The languages of its text.
    pub spoken: Languages,
}

/// The longest entry of several words or signs.
const MAX_SIGNS: usize = 6;

impl<'a> Word<'a> {
    /// Where a text has no word.
    pub const NONE: Word<'static> = Word { text: "", means: &NOTHING, spoken: Languages::ENGLISH_ONLY };

    pub fn new(text: &'a str) -> Word<'a> {
        Word::of(text, Languages::every())
    }

    fn of(text: &'a str, spoken: Languages) -> Word<'a> {
        Word { text, means: meaning(text), spoken }
    }

    /// The words of a text; it may be in the languages that are `heard` around it as well. What is written without spaces is
    /// cut where words are known.
    pub fn all(folded: &'a str, heard: Languages) -> Vec<Word<'a>> {
        let spoken = Languages::likely(folded, heard);
        let tokens: Vec<&str> = words(folded).collect();
        let start = |at: usize| tokens[at].as_ptr() as usize - folded.as_ptr() as usize;
        let mut all = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at];
            let word = Word::of(token, spoken);
            let several = || {
                (2..=MAX_SIGNS.min(tokens.len() - at)).rev().find_map(|count| {
                    let last = at + count - 1;
                    let own = &folded[start(at)..start(last) + tokens[last].len()];
                    INDEX.contains_key(own).then_some((own, count))
                })
            };
            if let Some((own, count)) = if word.means.begins { several() } else { None } {
                all.push(Word::of(own, spoken));
                at += count;
                continue;
            }
            at += 1;
            match token.chars().next().unwrap_or(' ') {
                '\u{e00}'..='\u{e7f}' => cut(token, |word| all.push(Word::of(word, spoken))),
                first if is_hangul(first) && std::ptr::eq(word.means, &NOTHING) => match parts(token, 0) {
                    Some(parts) => all.extend(parts.into_iter().map(|word| Word::of(word, spoken))),
                    None => all.push(word),
                },
                _ => all.push(word),
            }
        }
        all
    }

    /// The word at a place, if there is one.
    pub fn at(words: &[Word<'a>], at: usize) -> Word<'a> {
        words.get(at).copied().unwrap_or(Word::NONE)
    }

    /// The word before a place, if there is one.
    pub fn before(words: &[Word<'a>], at: usize) -> Word<'a> {
        at.checked_sub(1).map_or(Word::NONE, |at| words[at])
    }

    pub fn is(self, role: Role) -> bool {
        self.means.is(role, self.spoken)
    }

    /// Whether no date or time begins with it, whatever stands around it: most words do not.
    pub fn is_idle(self) -> bool {
        std::ptr::eq(self.means, &NOTHING)
            && !self.has_digits()
            && !matches!(self.text, "a" | "an" | "it" | "date" | "weekend")
    }

    pub fn has_digits(self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Cuts a text without spaces at the words that are known, the longest first.
fn cut<'a>(text: &'a str, mut push: impl FnMut(&'a str)) {
    const MAX_LETTERS: usize = 16;
    let (mut unknown, mut at) = (0, 0);
    while at < text.len() {
        let ends = text[at..].char_indices().take(MAX_LETTERS).map(|(end, c)| at + end + c.len_utf8());
        let longest = ends.filter(|end| INDEX.contains_key(&text[at..*end])).last();
        let Some(end) = longest else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if unknown < at {
            push(&text[unknown..at]);
        }
        push(&text[at..end]);
        (at, unknown) = (end, end);
    }
    if unknown < at {
        push(&text[unknown..at]);
    }
}

/// A Korean word cut into words that are all known, but for a small word at its end; `depth` bounds the work.
fn parts(text: &str, depth: usize) -> Option<Vec<&str>> {
    const MAX_PARTS: usize = 5;
    if text.is_empty() || (depth > 0 && is_particle(text)) {
        return Some(Vec::new());
    }
    if depth == MAX_PARTS {
        return None;
    }
    let ends = text.char_indices().take(MAX_SIGNS).map(|(at, c)| at + c.len_utf8());
    let known: Vec<usize> = ends.filter(|end| INDEX.contains_key(&text[..*end])).collect();
    known.into_iter().rev().find_map(|end| {
        let mut rest = parts(&text[end..], depth + 1)?;
        rest.insert(0, &text[..end]);
        Some(rest)
    })
}
