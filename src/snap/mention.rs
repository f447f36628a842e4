//! Every place of a reply that names a rail, with all that decides what it means there.

use std::ops::Range;

use super::names::Names;
use super::phrase::{After, Before};
use super::script::{Lead, Line, Role, Script, Sentence, is_decor};
use super::token::{Kind, Slot, Veil};

/// A place that names a rail.
pub(super) struct Mention {
    /// `None` where a verdict's slot holds something else.
    pub rail: Option<usize>,
    /// The words of the verdict, in bytes of the reply.
    pub at: Range<usize>,
    pub seat: Seat,
    pub before: Before,
    pub after: After,
    /// It is in the first sentence of the reply.
    pub first: bool,
    /// It is in the last one.
    pub last: bool,
    /// It is in the first sentence of its line, and in the last one.
    pub opens_line: bool,
    pub closes_line: bool,
    pub lead: Lead,
    /// What the line above is to its line.
    pub above: Role,
    /// The sentence before it, on any line, is a question.
    pub asked: bool,
    /// The reply may not say this itself.
    pub doubtful: bool,
    /// A mark of failure stands before the rail that means success.
    pub crossed: bool,
}

/// Where a mention stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seat {
    Prose,
    /// A fenced block or a quoted paragraph.
    Block,
    Json,
    Slot(Slot),
}

impl Mention {
    /// A verdict out of JSON.
    pub fn json(rail: Option<usize>, at: Range<usize>) -> Mention {
        Mention {
            rail,
            at,
            seat: Seat::Json,
            before: Before::default(),
            after: After::End,
            first: false,
            last: false,
            opens_line: true,
            closes_line: true,
            lead: Lead::Plain,
            above: Role::Text,
            asked: false,
            doubtful: false,
            crossed: false,
        }
    }
}

/// All mentions outside JSON, in order.
pub(super) fn mentions(script: &Script, names: &Names) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (index, sentence) in script.sentences.iter().enumerate() {
        let before = mentions.len();
        let mut at = sentence.tokens.start;
        while at < sentence.tokens.end {
            let hidden = script.tokens[at].veil == Veil::Hidden;
            match names.at(&script.tokens[..sentence.tokens.end], at).filter(|_| !hidden) {
                Some((rail, end)) => {
                    mentions.push(mention(script, names, index, rail, at..end));
                    at = end;
                }
                None => at += 1,
            }
        }
        if mentions.len() == before {
            mentions.extend(unanswered(script, index));
        }
    }
    mentions
}

fn mention(script: &Script, names: &Names, index: usize, rail: usize, tokens: Range<usize>) -> Mention {
    let sentence = &script.sentences[index];
    let before = Before::read(script, sentence, tokens.start, names);
    let (after, end) = After::read(script, sentence, tokens.end, names);
    let cross =
        |at: usize| matches!(script.tokens[at].kind, Kind::Mark('❌' | '✗' | '✘' | '✖' | '🚫' | '⛔' | '👎'));
    let crossed = names.is_positive(rail) && (before.start..tokens.start).any(cross);
    let doubtful = script.tokens[tokens.start].veil == Veil::Perhaps;
    let at = script.tokens[before.start].at.start..script.tokens[end - 1].at.end;
    Mention { crossed, doubtful, ..place(script, index, Some(rail), at, before, after, tokens.start) }
}

fn place(
    script: &Script,
    index: usize,
    rail: Option<usize>,
    at: Range<usize>,
    before: Before,
    after: After,
    token: usize,
) -> Mention {
    let sentence = &script.sentences[index];
    let same_line = |other: Option<&Sentence>| other.is_some_and(|other| other.line == sentence.line);
    let previous = index.checked_sub(1).and_then(|index| script.sentences.get(index));
    let line: &Line = &script.lines[sentence.line];
    let above = sentence.line.checked_sub(1).map_or(Role::Text, |above| script.lines[above].role);
    let seat = match (sentence.slot, script.tokens[token].veil) {
        (Some(slot), _) => Seat::Slot(slot),
        (None, Veil::Block) => Seat::Block,
        (None, _) => Seat::Prose,
    };
    Mention {
        rail,
        at,
        seat,
        before,
        after,
        first: index == 0,
        last: index + 1 == script.sentences.len(),
        opens_line: !same_line(previous),
        closes_line: !same_line(script.sentences.get(index + 1)),
        lead: line.lead,
        above,
        asked: previous.is_some_and(|previous| previous.end == Some('?')),
        doubtful: false,
        crossed: false,
    }
}

/// A verdict's slot that holds something short which is no rail: `Verdict: unsure`.
fn unanswered(script: &Script, index: usize) -> Option<Mention> {
    const SHORT: usize = 4;
    let sentence = &script.sentences[index];
    let tokens = &script.tokens[sentence.tokens.clone()];
    let mut before = Before { start: sentence.tokens.start, ..Before::default() };
    let slot = sentence.slot.is_some();
    let content = if slot {
        0
    } else {
        let colon = tokens.iter().take(12).position(|token| token.is(':'))?;
        for token in tokens[..colon].iter().filter(|token| token.is_word()) {
            before.heed(token.word());
        }
        colon + 1
    };
    let content = content + tokens[content..].iter().take_while(|token| decorates(&token.kind)).count();
    let words = tokens[content..].iter().filter(|token| token.is_word()).count();
    let named = before.key && !before.foreign;
    if !(slot || named) || words == 0 || words > SHORT || tokens[content].veil != Veil::None {
        return None;
    }
    before.separated = true;
    let token = sentence.tokens.start + content;
    let at = script.tokens[token].at.clone();
    Some(place(script, index, None, at, before, After::End, token))
}

fn decorates(kind: &Kind) -> bool {
    matches!(kind, Kind::Mark(mark) if is_decor(*mark))
}
