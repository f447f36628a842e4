//! Filled-in forms: ticked boxes and struck-out words.

use std::ops::Range;

use super::names::Names;
use super::token::{Excluded, Kind, Token, is_decor};

/// A box and the rail that it belongs to.
struct Choice {
    /// The box's tokens, and the rail's.
    mark: Range<usize>,
    rail: Range<usize>,
    which: usize,
    ticked: bool,
}

/// Takes away rails in `<s>`, `<del>` and `<strike>`.
fn strike_elements(tokens: &mut [Token], names: &Names) {
    for at in 0..tokens.len().saturating_sub(6) {
        let struck = matches!(tokens[at + 1].word(), "s" | "del" | "strike");
        if !(tokens[at].is('<') && struck && tokens[at + 2].is('>')) {
            continue;
        }
        let Some((_, end)) = names.at(tokens, at + 3) else { continue };
        let close = tokens[end..].iter().take(5).position(|token| token.is('>')).map(|step| end + step);
        let Some(close) = close.filter(|close| *close >= end + 3) else { continue };
        let name = tokens[at + 1].word() == tokens[close - 1].word();
        if name && tokens[close - 2].is('/') && tokens[end..close - 3].iter().all(|token| !token.is_word()) {
            vanish(&mut tokens[at..=close]);
        }
    }
}

/// Leaves of a form only what was chosen: one ticked box among boxes before rails, or what is not struck out.
pub(super) fn settle(tokens: &mut [Token], names: &Names) {
    strike(tokens, names);
    strike_elements(tokens, names);
    let boxes: Vec<(Range<usize>, bool)> = (0..tokens.len()).filter_map(|at| a_box(tokens, at)).collect();
    if boxes.is_empty() {
        return;
    }
    let behind: Vec<Choice> = boxes.iter().filter_map(|mark| behind(tokens, mark, names)).collect();
    let before: Vec<Choice> = boxes.iter().filter_map(|mark| before(tokens, mark, names)).collect();
    // Where boxes stand on both sides of a rail, the first place tells which side is meant.
    let first = |choices: &[Choice]| {
        choices.first().map_or(usize::MAX, |choice| choice.mark.start.min(choice.rail.start))
    };
    let choices = if first(&behind) <= first(&before) { behind } else { before };
    let ticked: Vec<&Choice> = choices.iter().filter(|choice| choice.ticked).collect();
    let [only] = ticked[..] else { return };
    if choices.iter().any(|choice| !choice.ticked && choice.which == only.which) {
        return;
    }
    for choice in &choices {
        vanish(&mut tokens[choice.mark.clone()]);
        if !choice.ticked {
            vanish(&mut tokens[choice.rail.clone()]);
        }
    }
}

fn vanish(tokens: &mut [Token]) {
    tokens.iter_mut().filter(|token| !token.is_newline()).for_each(|token| token.kind = Kind::Mark(' '));
}

/// The box at token `at`, and whether it is ticked.
fn a_box(tokens: &[Token], at: usize) -> Option<(Range<usize>, bool)> {
    match tokens[at].kind {
        Kind::Mark('☑' | '☒' | '🗹' | '🗷' | '◉' | '⦿' | '🔘') => {
            return Some((at..at + 1, true));
        }
        Kind::Mark('☐' | '○' | '◯' | '□' | '⬜') => return Some((at..at + 1, false)),
        Kind::Mark('[' | '(') => {}
        _ => return None,
    }
    let close = if tokens[at].is('[') { ']' } else { ')' };
    match tokens.get(at + 1)? {
        empty if empty.is(close) => Some((at..at + 2, false)),
        _ if !tokens.get(at + 2)?.is(close) => None,
        mark if matches!(mark.word(), "x" | "✓") => Some((at..at + 3, true)),
        mark if ['✓', '✔', '✗', '✘', '•', '●', '*', '✅', '×'].iter().any(|tick| mark.is(*tick)) => {
            Some((at..at + 3, true))
        }
        mark if mark.is('_') => Some((at..at + 3, false)),
        _ => None,
    }
}

/// Decoration without line ends between a box and its rail.
fn is_between(token: &Token) -> bool {
    matches!(token.kind, Kind::Mark(mark) if is_decor(mark))
        && !['[', '(', '|'].iter().any(|open| token.is(*open))
}

fn behind(tokens: &[Token], (mark, ticked): &(Range<usize>, bool), names: &Names) -> Option<Choice> {
    let start = mark.end
        + tokens[mark.end..].iter().take(4).take_while(|token| is_between(token) && !is_box(token)).count();
    let (which, end) = names.at(tokens, start)?;
    Some(Choice { mark: mark.clone(), rail: start..end, which, ticked: *ticked })
}

fn before(tokens: &[Token], (mark, ticked): &(Range<usize>, bool), names: &Names) -> Option<Choice> {
    /// Words of a rail.
    const REACH: usize = 6;
    let decor = tokens[..mark.start]
        .iter()
        .rev()
        .take(4)
        .take_while(|token| is_between(token) && !is_box(token))
        .count();
    let end = mark.start - decor;
    let starts = end.saturating_sub(REACH)..end;
    let fits =
        |start: usize| names.at(tokens, start).filter(|(_, to)| *to == end).map(|(which, _)| (start, which));
    let (start, which) = starts.into_iter().find_map(fits)?;
    Some(Choice { mark: mark.clone(), rail: start..end, which, ticked: *ticked })
}

fn is_box(token: &Token) -> bool {
    matches!(token.kind, Kind::Mark('☑' | '☒' | '☐' | '○' | '◯' | '□' | '◉' | '⦿'))
}

/// Takes away rails that are struck out with `~~`; other struck-out text is excluded elsewhere.
fn strike(tokens: &mut [Token], names: &Names) {
    let mut open: Option<usize> = None;
    for at in 1..tokens.len() {
        if tokens[at].is_newline() {
            open = None;
        } else if tokens[at].is('~') && tokens[at - 1].is('~') && open != Some(at - 1) {
            match open.take() {
                Some(from) => {
                    let inner = from + 1..at - 1;
                    let skipped = tokens[inner.clone()].iter().take_while(|token| is_between(token)).count();
                    let rail = names.at(tokens, inner.start + skipped).filter(|(_, end)| *end <= inner.end);
                    if rail.is_some_and(|(_, end)| tokens[end..inner.end].iter().all(is_between)) {
                        vanish(&mut tokens[from - 1..=at]);
                    }
                }
                None => open = Some(at),
            }
        }
    }
    debug_assert!(tokens.iter().all(|token| token.excluded == Excluded::None), "nothing is excluded yet");
}
