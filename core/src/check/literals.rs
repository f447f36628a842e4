//! The parts of a question that a call should use: numbers, quotations, names.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::observation::Literal;
use crate::language::all;
use crate::reading::dates::says_today;
use crate::reading::numbers::Figures;
use crate::reading::words::{fold, words};

/// A literal of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub kind: Literal,
    pub text: String,
    /// Folded.
    pub folded: String,
    /// What a number is worth.
    pub value: Option<f64>,
    /// Where it stands in the question, in bytes.
    start: usize,
    end: usize,
}

impl Span {
    /// Whether a sentence says that it is today, and the number stands in it.
    pub(super) fn stands_behind_today(&self, question: &str) -> bool {
        let before = question.get(..self.start).unwrap_or_default();
        let sentence = before.rsplit(['\n', '!', '?']).next().unwrap_or_default();
        let near = &sentence[sentence.floor_char_boundary(sentence.len().saturating_sub(TODAY_BEFORE))..];
        words(&fold(near)).any(says_today)
    }

    /// Whether only a comma or an `and` stands between this literal and the next: then both are asked for alike.
    pub(super) fn joins(&self, next: &Span, question: &str) -> bool {
        let between = question.get(self.end..next.start).unwrap_or_default();
        let between = between.trim_matches(|c: char| !c.is_alphanumeric() && !"&、，,".contains(c));
        // A comma between names may be that of `Paris, France`.
        let comma = between == "," && self.kind != Literal::Name;
        self.kind == next.kind
            && self.end <= next.start
            && (comma || matches!(between, "&" | "、" | "，") || JOINS.contains(between))
    }
}

/// What stands between two literals that are asked for alike.
static JOINS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| all().iter().flat_map(|of| &of.text.joins).map(String::as_str).collect());

/// Bytes before a number in which words may say that it is of today's date.
const TODAY_BEFORE: usize = 40;
/// Bounds the work on hostile questions.
const MAX_LITERALS: usize = 100;
/// A longer quotation is a text to work on, not a value.
const MAX_QUOTATION_LENGTH: usize = 200;

/// The literals of a question, whose numbers are `figures`, in their order; those inside a quotation are its own business.
pub(super) fn literals(question: &str, figures: &Figures) -> Vec<Span> {
    let quotations = quotations(question);
    let outside = |start: usize| !quotations.iter().any(|(from, to)| (*from..*to).contains(&start));
    let mut spans: Vec<Span> = Vec::new();
    for (from, to) in &quotations {
        push(&mut spans, Literal::Quotation, question, (*from, *to), None);
    }
    for figure in figures.iter() {
        if let Some(place) = figure.place.filter(|(start, _)| outside(*start)) {
            push(&mut spans, Literal::Number, question, place, Some(figure.value));
        }
    }
    for (start, end) in names(question) {
        if outside(start) {
            push(&mut spans, Literal::Name, question, (start, end), None);
        }
    }
    spans.sort_by_key(|span| span.start);
    spans
}

fn push(
    spans: &mut Vec<Span>,
    kind: Literal,
    question: &str,
    (start, end): (usize, usize),
    value: Option<f64>,
) {
    let text = &question[start..end];
    let folded = fold(text);
    if folded.len() > 2 && spans.len() < MAX_LITERALS && !spans.iter().any(|span| span.folded == folded) {
        spans.push(Span { kind, text: text.trim().to_owned(), folded, value, start, end });
    }
}

/// What stands between quotation marks, without them.
fn quotations(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        match open {
            Some((start, close)) if c == close && !(c == '\'' && after.is_alphanumeric()) => {
                if at > start && at - start <= MAX_QUOTATION_LENGTH {
                    found.push((start, at));
                }
                open = None;
            }
            // A quotation mark that is never closed must not swallow the rest.
            Some((start, _)) if at - start > MAX_QUOTATION_LENGTH => open = None,
            None => {
                let close = match c {
                    '\'' if !before.is_alphanumeric() => '\'',
                    '"' if at > 0 => '"',
                    '`' => '`',
                    '“' | '„' => '”',
                    '‘' => '’',
                    '«' => '»',
                    '「' => '」',
                    _ => {
                        before = c;
                        continue;
                    }
                };
                if !after.is_whitespace() {
                    open = Some((at + c.len_utf8(), close));
                }
            }
            _ => {}
        }
        before = c;
        if found.len() >= MAX_LITERALS {
            break;
        }
    }
    found
}

/// Runs of capitalised words that do not start a sentence.
fn names(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut sentence_start = true;
    let mut run: Option<(usize, usize)> = None;
    let (mut capitals, mut count) = (0, 0);
    for (start, word) in text.split_word_spans() {
        let inner = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let from = start + word.len() - inner.len();
        let inner = inner.trim_end_matches(|c: char| !c.is_alphanumeric());
        let capital = inner.starts_with(char::is_uppercase) && inner != "I" && !inner.starts_with("I'");
        count += 1;
        capitals += usize::from(capital);
        if capital && !sentence_start {
            run = Some((run.map_or(from, |(start, _)| start), from + inner.len()));
        } else {
            found.extend(run.take());
        }
        sentence_start = word.ends_with(['.', '?', '!', ':', '"', '”', ')'])
            && (word.len() > 2 || inner.starts_with(|c: char| c.is_ascii_digit()));
        if sentence_start || word.ends_with([',', ';']) {
            found.extend(run.take());
        }
        if found.len() >= MAX_LITERALS {
            break;
        }
    }
    found.extend(run);
    // Languages and titles that capitalise every noun tell nothing by capitals.
    if count > 0 && capitals * 10 > count * 4 && count > 8 { Vec::new() } else { found }
}

trait WordSpans {
    /// The words between white space, each with its place.
    fn split_word_spans(&self) -> impl Iterator<Item = (usize, &str)>;
}

impl WordSpans for str {
    fn split_word_spans(&self) -> impl Iterator<Item = (usize, &str)> {
        let start = self.as_ptr() as usize;
        self.split_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found() {
        for (question, expected) in [
            ("Book a table for 4 at Chez Panisse on Friday", &["4", "Chez Panisse", "Friday"][..]),
            ("What's 'The Thinker' worth? It's Rodin's.", &["The Thinker", "Rodin's"]),
            ("1. Open the file\n2. Close it", &[]),
            ("1.1 open the file\n1.2 close it", &[]),
            ("(1) open 3 files\n(2) close it", &["3"]),
            ("1.5 km and\n2.5 miles", &["1.5", "2.5"]),
            ("Use `docFields` with BRCA1", &["docFields", "BRCA1"]),
            ("「東京」の天気", &["東京"]),
        ] {
            let found: Vec<String> =
                literals(question, &Figures::of(question)).into_iter().map(|span| span.text).collect();
            assert_eq!(found, expected, "{question}");
        }
    }
}
