//! Finds rails as whole words: `incorrect` never contains `correct`, and the longest rail wins.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::domain::Rails;

use super::fold::folded;
use super::foreign;
use super::token::{Kind, Token, tokens};

/// The rails' spellings, cut up as replies are.
pub(super) struct Names {
    /// In the order of the rails.
    names: Vec<Name>,
    /// Other words for them, in lower case.
    aliases: HashMap<&'static str, usize>,
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
        let positive = rails.iter().position(|rail| rail == rails.positive()).unwrap_or(0);
        let name =
            |label: &str| Name { label: label.to_owned(), folded: folded(label), parts: OnceCell::new() };
        Names { names: rails.labels().map(name).collect(), aliases: HashMap::new(), positive }
    }

    /// The same with the words that other languages have for the rails; `None` where there are none.
    pub fn translated(rails: &Rails) -> Option<Names> {
        let mut names = Names::of(rails);
        let [one, other] = &names.names[..] else { return None };
        let words = foreign::translations(&one.folded, &other.folded)?;
        for (rail, words) in words.into_iter().enumerate() {
            names.aliases.extend(words.map(|word| (word, rail)));
        }
        Some(names)
    }

    /// Whether `tokens` name any rail.
    pub fn are_in(&self, tokens: &[Token]) -> bool {
        (0..tokens.len()).any(|at| self.at(tokens, at).is_some())
    }

    /// The rails with their spellings, folded.
    pub fn spellings(&self) -> impl Iterator<Item = (usize, &str)> {
        self.names.iter().map(|name| name.folded.as_str()).enumerate()
    }

    /// The rail that counts as a pass.
    pub fn is_positive(&self, rail: usize) -> bool {
        rail == self.positive
    }

    /// The rail that holds where `rail` does not: the other of two that are each other's negation.
    pub fn opposite(&self, rail: usize) -> Option<usize> {
        let [one, other] = &self.names[..] else { return None };
        are_opposites(&one.folded, &other.folded).then_some(1 - rail)
    }

    /// The rail that says, with a prefix, that `rail` does not hold, whatever other rails there are.
    pub fn negated(&self, rail: usize) -> Option<usize> {
        let name = &self.names.get(rail)?.folded;
        let mut negations = self.names.iter().enumerate().filter(|(_, other)| {
            other.folded.strip_suffix(name.as_str()).is_some_and(|prefix| PREFIXES.contains(&prefix))
        });
        negations.next().map(|(other, _)| other).filter(|_| negations.next().is_none())
    }

    /// The rail that `text` is, letter case and white space aside.
    pub fn exactly(&self, text: &str) -> Option<usize> {
        let text = folded(text);
        if text.is_empty() {
            return None;
        }
        let alias = || self.aliases.get(text.as_str()).copied();
        self.names.iter().position(|name| name.folded == text).or_else(alias).or_else(|| self.number(&text))
    }

    /// The one rail that is the same whole number as `text`: `1.0` is `1`.
    fn number(&self, text: &str) -> Option<usize> {
        let number = whole_number(text)?;
        let mut same =
            self.names.iter().enumerate().filter(|(_, name)| whole_number(&name.folded) == Some(number));
        match (same.next(), same.next()) {
            (Some((rail, _)), None) => Some(rail),
            _ => None,
        }
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
        if best.is_none()
            && let Some(rail) = tokens.get(at).and_then(|token| self.number(token.word()))
        {
            return Some((rail, at + 1));
        }
        if best.is_none() && !self.aliases.is_empty() {
            let alias = tokens.get(at).and_then(|token| self.aliases.get(token.word()));
            return alias.map(|rail| (*rail, at + 1));
        }
        best.filter(|_| !tie)
    }

    /// Whether a rail is spelled with `mark`.
    pub fn has_mark(&self, mark: char) -> bool {
        self.names.iter().any(|name| name.parts().contains(&Part::Mark(mark)))
    }
}

/// Rails of which one says that the other does not hold.
const OPPOSITES: [(&str, &str); 12] = [
    ("yes", "no"),
    ("true", "false"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("right", "wrong"),
    ("correct", "wrong"),
    ("correct", "false"),
    ("good", "bad"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("success", "failure"),
    ("match", "mismatch"),
];
const PREFIXES: [&str; 13] =
    ["in", "un", "im", "ir", "il", "non", "non-", "non ", "not ", "not_", "not-", "dis", "mis"];

/// `text` without a fraction that is nothing, if it is a number.
fn whole_number(text: &str) -> Option<&str> {
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0') => {
            whole
        }
        Some(_) => return None,
        None => text,
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(whole)
}

fn are_opposites(one: &str, other: &str) -> bool {
    let negates =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|prefix| PREFIXES.contains(&prefix));
    let listed = OPPOSITES.iter().any(|pair| *pair == (one, other) || *pair == (other, one));
    listed || negates(one, other) || negates(other, one)
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
