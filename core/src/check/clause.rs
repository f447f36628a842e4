//! The clauses of a message: where one ends, and what parts it from the one before.

use std::sync::LazyLock;

use crate::language;
use crate::reading::words::{WordSet, fold};

/// Clauses of a message that are looked at: bounds the work on hostile rows.
const MAX_CLAUSES: usize = 200;

/// Words that begin another clause, folded.
static TURNS: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(language::words(|of| &of.held.turns)));

/// Part of a message, as it is written and folded.
pub(super) struct Clause<'a> {
    pub text: &'a str,
    pub folded: String,
    /// Whether only a comma parts it from the one before.
    pub goes_on: bool,
    /// Whether it ends as a question does.
    pub asks: bool,
}

/// The clauses of a text, parted by its signs and by words that turn it.
pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let (mut from, mut word) = (0, 0);
    let mut goes_on = false;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        let end = (at + c.len_utf8()).min(text.len());
        let ends = || text[end..].chars().next().is_none_or(char::is_whitespace);
        let parts = match c {
            ';' | '\n' | '(' | ')' | '。' | '！' | '？' | '；' | '，' | '、' | '—' | '–' | '…' | '؟'
            | '،' | '।' => true,
            '.' | '!' | '?' | ',' | ':' | '-' => ends(),
            _ => false,
        };
        if c.is_whitespace() || parts {
            // The clause ends in front of the word that turns it.
            if word > from && TURNS.has(fold(&text[word..at]).trim()) {
                push(&mut found, &text[from..word], goes_on);
                (from, goes_on) = (word, false);
            }
            word = end;
        }
        if parts {
            push(&mut found, &text[from..end], goes_on);
            (from, word, goes_on) = (end, end, matches!(c, ',' | '，' | '、' | '،'));
        }
        if found.len() >= MAX_CLAUSES {
            break;
        }
    }
    found
}

fn push<'a>(found: &mut Vec<Clause<'a>>, text: &'a str, goes_on: bool) {
    let folded = fold(text);
    if !folded.trim().is_empty() {
        found.push(Clause { text, folded, goes_on, asks: text.trim_end().ends_with(['?', '？', '؟']) });
    }
}
