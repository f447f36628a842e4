//! Finds rails by whole words: `incorrect` never holds `correct`, and the longest rail wins.

use std::cell::OnceCell;

use crate::domain::Rails;

use super::fold::folded;
use super::token::{Kind, Token, tokens};

/// The rails' spellings, cut up as replies are.
pub(super) struct Names {
    /// In the order of the rails.
    names: Vec<Name>,
    positive: usize,
}

struct Name {
    label: String,
    folded: String,
    /// Of no use to replies that are JSON, which most are.
    parts: OnceCell<Vec<Part>>,
}

/// `partially_correct`, `Partially-Correct` and `partially correct` have the same parts.
#[derive(PartialEq)]
enum Part {
    Word(Box<str>),
    Mark(char),
}

impl Names {
    pub fn of(rails: &Rails) -> Names {
        let name =
            |label: &str| Name { label: label.to_owned(), folded: folded(label), parts: OnceCell::new() };
        let positive = rails.iter().position(|rail| rail == rails.positive()).unwrap_or(0);
        Names { names: rails.labels().map(name).collect(), positive }
    }

    /// The rail that counts as a pass.
    pub fn is_positive(&self, rail: usize) -> bool {
        rail == self.positive
    }

    /// The rail that `text` is, letter case and white space aside.
    pub fn exactly(&self, text: &str) -> Option<usize> {
        let text = folded(text);
        if text.is_empty() { None } else { self.names.iter().position(|name| name.folded == text) }
    }

    /// The longest rail that stands at token `at`, and the token after it. Two rails of one spelling are none.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        let mut tie = false;
        for (rail, name) in self.names.iter().enumerate() {
            let Some(end) = name.end(tokens, at) else { continue };
            match best {
                Some((_, longest)) if end < longest => {}
                Some((_, longest)) if end == longest => tie = true,
                _ => (best, tie) = (Some((rail, end)), false),
            }
        }
        best.filter(|_| !tie)
    }

    /// Whether a rail is spelled with `mark`.
    pub fn has_mark(&self, mark: char) -> bool {
        self.names.iter().any(|name| name.parts().contains(&Part::Mark(mark)))
    }
}

impl Name {
    fn parts(&self) -> &[Part] {
        let cut_up =
            || tokens(&self.label).iter().flat_map(|token| parts(token).collect::<Vec<_>>()).collect();
        self.parts.get_or_init(cut_up)
    }

    fn end(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let mut left = self.parts().iter();
        let mut end = at;
        if left.len() == 0 {
            return None;
        }
        while left.len() > 0 {
            let token =
                tokens.get(end).filter(|token| matches!(token.kind, Kind::Word(_) | Kind::Mark(_)))?;
            if !parts(token).all(|part| left.next() == Some(&part)) {
                return None;
            }
            end += 1;
        }
        Some(end)
    }
}

fn parts(token: &Token) -> impl Iterator<Item = Part> + '_ {
    let (words, mark) = match &token.kind {
        Kind::Word(word) => (&**word, None),
        Kind::Mark(mark) => ("", Some(Part::Mark(*mark))),
        _ => ("", None),
    };
    let signed = words.starts_with('-') || words.chars().all(|c| c == '_');
    let words = words.split(move |c| !signed && matches!(c, '-' | '_'));
    words.filter(|word| !word.is_empty()).map(|word| Part::Word(word.into())).chain(mark)
}
