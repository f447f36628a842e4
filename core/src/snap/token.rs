//! Splits a reply into folded words and marks with their positions.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::class::Class;
use super::fold::fold;
use super::lexicon::class;
use super::unspaced::{self, Writing};

/// A word, a mark or a line end of a reply.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    /// Where it stands in the reply, in bytes.
    pub at: Range<usize>,
    /// White space comes before it.
    pub spaced: bool,
    pub excluded: Excluded,
    /// What the word does where it stands; [`Class::Other`] for what is no word.
    pub class: Class,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and what joins them, in lower case.
    Word(Box<str>),
    Mark(char),
    Newline,
    /// A slot made for the verdict opens: `<label>` or `\boxed{`.
    Open(Slot),
    /// It closes.
    Close,
}

/// A slot that holds nothing but a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Tag,
    Boxed,
}

/// How much a token is the judge's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Excluded {
    None,
    /// In a block set apart from the prose: a fence or a quoted paragraph.
    Block,
    /// Perhaps inside a quotation that spans lines.
    Perhaps,
    /// Somebody else's words: a quotation, data, JSON read elsewhere.
    Hidden,
}

impl Token {
    /// The word; empty for anything else.
    pub fn word(&self) -> &str {
        match &self.kind {
            Kind::Word(word) => word,
            _ => "",
        }
    }

    pub fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub fn is_newline(&self) -> bool {
        self.kind == Kind::Newline
    }

    pub fn is_word(&self) -> bool {
        matches!(self.kind, Kind::Word(_))
    }
}

/// All tokens of `text`, in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut chars = text.char_indices().filter_map(|(at, c)| Some((at, c, fold(c)?))).peekable();
    let mut tokens: Vec<Token> = Vec::new();
    let mut spaced = true;
    while let Some((start, raw, c)) = chars.next() {
        let mut end = start + raw.len_utf8();
        let kind = match c {
            ' ' => {
                spaced = true;
                continue;
            }
            '\n' => Kind::Newline,
            c => {
                let signs = spaced && matches!(c, '-' | '+');
                let number = signs && chars.peek().is_some_and(|(_, _, next)| next.is_numeric());
                if number || is_letter(c) {
                    let mut word: String = c.to_lowercase().collect();
                    let mut last = c;
                    // Where the word's letters stand, if its writing has no spaces.
                    let writing = Writing::of(c);
                    let mut letters = vec![start];
                    while let Some(&(at, raw, next)) = chars.peek() {
                        if !is_letter(next) {
                            // A joiner joins only if a fitting letter follows it at once.
                            let after = text[at + raw.len_utf8()..].chars().find_map(fold);
                            if !after.is_some_and(|after| joins(last, next, after, &word)) {
                                break;
                            }
                        } else if writing.parts_from(next) {
                            break;
                        }
                        word.extend(next.to_lowercase());
                        if writing != Writing::Spaced {
                            letters.push(at);
                        }
                        last = next;
                        end = at + raw.len_utf8();
                        chars.next();
                    }
                    if writing != Writing::Spaced {
                        letters.push(end);
                        for (word, at) in unspaced::words(&word, &letters) {
                            let class = class(&word);
                            tokens.push(Token {
                                kind: Kind::Word(word),
                                at,
                                spaced,
                                excluded: Excluded::None,
                                class,
                            });
                            spaced = false;
                        }
                        continue;
                    }
                    if word.chars().all(|c| c == '_') { Kind::Mark('_') } else { Kind::Word(word.into()) }
                } else {
                    Kind::Mark(c)
                }
            }
        };
        let newline = kind == Kind::Newline;
        let class = match &kind {
            Kind::Word(word) => class(word),
            _ => Class::Other,
        };
        tokens.push(Token { kind, at: start..end, spaced, excluded: Excluded::None, class });
        spaced = newline;
    }
    tokens
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

fn joins(before: char, joiner: char, after: char, word: &str) -> bool {
    match joiner {
        '-' | '\'' => is_letter(before) && is_letter(after),
        '.' | ',' if before.is_numeric() => after.is_numeric(),
        // Abbreviations (`e.g`), and names such as `settings.yaml`, but not a sentence that lacks its space.
        '.' => (word.len() == 1 || after.is_ascii_lowercase()) && is_letter(after),
        _ => false,
    }
}

/// Marks that may stand around a rail without changing it.
pub(super) fn is_decor(mark: char) -> bool {
    match mark {
        '*' | '_' | '#' | '>' | '<' | '-' | '|' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}'
        | '=' | ':' | ' ' | '$' | '\\' | '—' | '•' | '·' | '→' | '…' => true,
        '≠' | '¬' | '∉' | '∄' | '⊘' | '¿' | '±' | '≉' => false,
        mark => !mark.is_ascii() && !mark.is_alphanumeric(),
    }
}

/// Whether some of them are somebody else's words.
pub(super) fn hidden(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.excluded == Excluded::Hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .map(|token| match token.kind {
                Kind::Word(word) => word.into(),
                Kind::Mark(mark) => mark.into(),
                _ => "\n".to_owned(),
            })
            .collect()
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(spelled("Isn’t not-correct."), ["isn't", "not-correct", "."]);
        assert_eq!(spelled("'correct'"), ["'", "correct", "'"]);
        assert_eq!(spelled("Label: 1.0\n-1"), ["label", ":", "1.0", "\n", "-1"]);
        assert_eq!(spelled("correct.The e.g. this"), ["correct", ".", "the", "e.g", ".", "this"]);
        assert_eq!(spelled("ｃｏｒ\u{200b}ｒｅｃｔ。"), ["correct", "."]);
    }
}
