//! Marks text that is not the judge's own: quotations, fenced data, foreign elements.

use std::collections::HashMap;
use std::ops::Range;

use super::arguments;
use super::class::Class;
use super::lexicon::class;
use super::names::Names;
use super::token::{Excluded, Kind, Slot, Token};

/// Elements that only format.
const FORMATS: [&str; 24] = [
    "b", "strong", "i", "em", "u", "p", "br", "div", "span", "code", "pre", "font", "center", "mark",
    "small", "h1", "h2", "h3", "h4", "ul", "ol", "li", "hr", "html",
];

/// Elements around a whole answer.
const WRAPS: [&str; 10] = [
    "root",
    "xml",
    "document",
    "body",
    "assistant",
    "final",
    "function",
    "function_calls",
    "invoke",
    "tool_call",
];

/// Elements that hold reasons. Unclosed, they reach to the end.
const REASONS: [&str; 9] = [
    "reasoning",
    "analysis",
    "explanation",
    "rationale",
    "justification",
    "scratchpad",
    "reflection",
    "reason",
    "thoughts",
];

/// Excludes from `tokens` what is not the judge's own. `data` are places in the reply that were read otherwise, in order.
pub(super) fn mark(tokens: &mut [Token], names: &Names, data: &[Range<usize>]) {
    hide_data(tokens, data);
    arguments::hide(tokens);
    slots(tokens);
    elements(tokens, names);
    blocks(tokens);
    struck(tokens);
    let lines: Vec<Range<usize>> = lines(tokens).collect();
    for line in &lines {
        for quote in ['`', '"', '\''] {
            quotations(tokens, line.clone(), quote, names);
        }
    }
    spanning(tokens, &lines);
}

/// The lines, as ranges of tokens without their line ends.
pub(super) fn lines(tokens: &[Token]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    tokens.split(Token::is_newline).map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

fn hide(tokens: &mut [Token], how: Excluded) {
    for token in tokens {
        token.excluded = token.excluded.max(how);
    }
}

fn hide_data(tokens: &mut [Token], data: &[Range<usize>]) {
    let mut data = data.iter().peekable();
    for token in tokens {
        while data.next_if(|range| range.end <= token.at.start).is_some() {}
        if data.peek().is_some_and(|range| range.contains(&token.at.start)) && !token.is_newline() {
            token.excluded = Excluded::Hidden;
        }
    }
}

/// Turns `\boxed{…}` into a slot and lets `\text{` vanish.
fn slots(tokens: &mut [Token]) {
    /// A longer box holds no verdict.
    const REACH: usize = 64;
    for at in 0..tokens.len().saturating_sub(2) {
        if !tokens[at].is('\\') || !tokens[at + 2].is('{') {
            continue;
        }
        match tokens[at + 1].word() {
            "boxed" | "fbox" | "framebox" => {
                let mut depth = 1;
                let rest = tokens[at + 3..].iter().take(REACH);
                let close = rest.take_while(|token| !token.is_newline()).position(|token| {
                    depth += i32::from(token.is('{')) - i32::from(token.is('}'));
                    depth == 0
                });
                if let Some(close) = close {
                    tokens[at].kind = Kind::Mark(' ');
                    tokens[at + 1].kind = Kind::Mark(' ');
                    tokens[at + 2].kind = Kind::Open(Slot::Boxed);
                    tokens[at + 3 + close].kind = Kind::Close;
                }
            }
            "text" | "textbf" | "textit" | "texttt" | "mathrm" | "mathbf" | "mathtt" | "emph" => {
                tokens[at..at + 3].iter_mut().for_each(|token| token.kind = Kind::Mark(' '));
            }
            _ => {}
        }
    }
}

struct Element {
    tokens: Range<usize>,
    name: String,
    closes: bool,
}

/// Turns `<label>` into a slot, lets formatting vanish, and hides what other elements hold.
fn elements(tokens: &mut [Token], names: &Names) {
    let found: Vec<Element> = (0..tokens.len()).filter_map(|at| element(tokens, at, names)).collect();
    let mut ends: HashMap<&str, Vec<usize>> = HashMap::new();
    for element in found.iter().filter(|element| element.closes) {
        ends.entry(&element.name).or_default().push(element.tokens.end);
    }
    let last = tokens.iter().rposition(|token| !token.is_newline()).map_or(0, |last| last + 1);
    let mut hidden_until = 0;
    for element in &found {
        if element.tokens.start < hidden_until {
            continue;
        }
        let here = element.tokens.clone();
        let end = ends.get(element.name.as_str()).and_then(|ends| {
            let next = ends.partition_point(|end| *end <= here.end);
            ends.get(next).copied()
        });
        let wraps = here.start == 0 && end == Some(last) && WRAPS.contains(&element.name.as_str());
        let slot = matches!(class(&element.name), Class::Key | Class::WeakKey | Class::Outcome)
            || element.name == "final" && !wraps;
        match end {
            _ if slot || wraps || element.closes || FORMATS.contains(&element.name.as_str()) => {
                tokens[here.clone()].iter_mut().for_each(|token| token.kind = Kind::Mark(' '));
                if slot {
                    tokens[here.start].kind =
                        if element.closes { Kind::Close } else { Kind::Open(Slot::Tag) };
                }
            }
            Some(end) => hidden_until = end,
            None if REASONS.contains(&element.name.as_str()) => hidden_until = tokens.len(),
            None => continue,
        }
        if hidden_until > here.start {
            hide(&mut tokens[here.start..hidden_until], Excluded::Hidden);
        }
    }
}

fn element(tokens: &[Token], at: usize, names: &Names) -> Option<Element> {
    /// Attributes may fill this many tokens.
    const REACH: usize = 24;
    if !tokens[at].is('<') || tokens[at].excluded == Excluded::Hidden {
        return None;
    }
    let closes = tokens.get(at + 1)?.is('/');
    let name = at + 1 + usize::from(closes);
    let word = tokens.get(name).filter(|token| token.is_word() && !token.spaced)?;
    if names.at(tokens, name).is_some_and(|(_, end)| tokens.get(end).is_some_and(|token| token.is('>'))) {
        return None;
    }
    let rest = tokens[name + 1..].iter().take(REACH).take_while(|token| !token.is_newline());
    let mut rest = rest.enumerate();
    let length = rest.find_map(|(i, token)| (token.is('>') || token.is('<')).then_some((i, token.is('>'))));
    let (length, true) = length? else { return None };
    // `<parameter=label>`, `<parameter name="label">`
    let mut inside =
        tokens[name + 1..name + 1 + length].iter().filter(|token| token.is_word() && token.word() != "name");
    let argument =
        matches!(word.word(), "parameter" | "argument" | "arg").then(|| inside.next_back()).flatten();
    let named = argument.unwrap_or(word).word();
    Some(Element { tokens: at..name + 2 + length, name: named.to_owned(), closes })
}

/// Fenced blocks and quoted paragraphs.
fn blocks(tokens: &mut [Token]) {
    let lines: Vec<Range<usize>> = lines(tokens).collect();
    let mut fenced = false;
    for line in lines {
        let fence = tokens[line.clone()].iter().take(3).filter(|token| token.is('`')).count() == 3;
        if fence {
            fenced = !fenced;
            tokens[line].iter_mut().for_each(|token| token.kind = Kind::Mark(' '));
        } else if fenced || tokens[line.clone()].first().is_some_and(|token| token.is('>')) {
            hide(&mut tokens[line], Excluded::Block);
        }
    }
}

/// `~~struck out~~`.
fn struck(tokens: &mut [Token]) {
    let mut open: Option<usize> = None;
    for at in 1..tokens.len() {
        if tokens[at].is_newline() {
            open = None;
        } else if tokens[at].is('~') && tokens[at - 1].is('~') && open != Some(at - 1) {
            match open.take() {
                Some(from) => hide(&mut tokens[from..=at], Excluded::Hidden),
                None => open = Some(at),
            }
        }
    }
}

/// Hides what stands between two quotation marks of one line, unless it is a rail or the key of a field.
fn quotations(tokens: &mut [Token], line: Range<usize>, quote: char, names: &Names) {
    let mut open: Option<usize> = None;
    for at in line.clone() {
        if !tokens[at].is(quote) || tokens[at].excluded == Excluded::Hidden {
            continue;
        }
        let next = tokens.get(at + 1).filter(|_| at + 1 < line.end);
        if quote == '\'' {
            // An apostrophe at a word's end opens nothing.
            let opens = tokens[at].spaced || at == line.start || !tokens[at - 1].is_word();
            if open.is_none() && !(opens && next.is_some_and(|next| !next.spaced)) {
                continue;
            }
            if open.is_some() && next.is_some_and(|next| next.is_word() && !next.spaced) {
                continue;
            }
        }
        match open.take() {
            None => open = Some(at),
            Some(from) => {
                let inner = from + 1..at;
                let field = next.is_some_and(|next| next.is(':') || next.is('='));
                if !(is_rail(tokens, inner.clone(), names) || field && is_key(&tokens[inner.clone()])) {
                    hide(&mut tokens[inner], Excluded::Hidden);
                }
            }
        }
    }
}

fn is_rail(tokens: &[Token], inner: Range<usize>, names: &Names) -> bool {
    let decor = |token: &Token| {
        ["*", "_", "`", "\"", "'", ".", ",", "!"].iter().any(|m| token.is(m.as_bytes()[0] as char))
    };
    let skip = tokens[inner.clone()].iter().take_while(|token| decor(token)).count();
    match names.at(tokens, inner.start + skip) {
        Some((_, end)) => end <= inner.end && tokens[end..inner.end].iter().all(decor),
        None => inner.is_empty(),
    }
}

fn is_key(tokens: &[Token]) -> bool {
    tokens.len() <= 3
        && tokens
            .iter()
            .all(|token| matches!(token.class, Class::Key | Class::WeakKey | Class::Outcome | Class::Final))
}

/// Between two lines that each have a quotation mark too many there may be a quotation that spans lines.
fn spanning(tokens: &mut [Token], lines: &[Range<usize>]) {
    let mut open: Option<usize> = None;
    for line in lines {
        let mut quotes =
            line.clone().filter(|at| tokens[*at].is('"') && tokens[*at].excluded != Excluded::Hidden);
        let (Some(last), true) = (quotes.clone().next_back(), quotes.clone().count() % 2 == 1) else {
            continue;
        };
        let first = quotes.next().unwrap_or(last);
        match open.take() {
            Some(from) => hide(&mut tokens[from..first], Excluded::Perhaps),
            None => open = Some(last),
        }
    }
}
