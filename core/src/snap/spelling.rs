//! Recognizes replies that are only a rail in an odd spelling: letter by letter, or repeated. A typo is not a verdict, because it
//! may lie between two rails.

use super::fold::folded;
use super::names::Names;

/// Whole replies of more letters are something else.
const MAX_BYTES: usize = 400;
/// Shorter words are too near to others.
const SHORTEST: usize = 5;

/// The rail that the whole of `answer` spells.
pub(super) fn read(answer: &str, names: &Names) -> Option<usize> {
    if answer.len() > MAX_BYTES {
        return None;
    }
    let answer = folded(answer);
    let bare = answer.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = spoken(bare).unwrap_or(bare);
    names
        .exactly(bare)
        .filter(|_| bare.len() < answer.len() && spoken(&answer).is_some())
        .or_else(|| repeated(bare, names))
        .or_else(|| spelled_out(bare, names))
}

/// What stands behind the name of the speaker: `Assistant: …`
fn spoken(text: &str) -> Option<&str> {
    let (speaker, words) = text.split_once(':')?;
    matches!(
        speaker.trim_matches(['*', ' ', '<', '[', ']', '>']),
        "assistant" | "model" | "ai" | "judge" | "me" | "evaluator"
    )
    .then(|| words.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// `correct, correct, correct`
fn repeated(text: &str, names: &Names) -> Option<usize> {
    let mut words = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
        .filter(|word| !word.is_empty());
    let rail = names.exactly(words.next()?)?;
    let rest: Vec<_> = words.map(|word| names.exactly(word)).collect();
    let clear = !text.contains(['?', '/', '|', '=', ':']);
    (clear && !rest.is_empty() && rest.iter().all(|other| *other == Some(rail))).then_some(rail)
}

/// `c-o-r-r-e-c-t`
fn spelled_out(text: &str, names: &Names) -> Option<usize> {
    let mut letters = String::new();
    for part in text.split([' ', '-', '.', '_', '·', '\n', '*']).filter(|part| !part.is_empty()) {
        let mut chars = part.chars();
        letters.push(chars.next()?);
        if chars.next().is_some() {
            return None;
        }
    }
    (letters.chars().count() >= SHORTEST).then(|| names.exactly(&letters)).flatten()
}
