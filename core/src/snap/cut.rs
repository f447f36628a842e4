//! Reads a verdict from a truncated reply, if it plainly gives one.
//!
//! The missing part could overturn any verdict, so only verdicts count that a judge gives first or calls final: a closed field of
//! a JSON object, a first sentence that is the verdict or begins with it (`opening.rs`), and `Final answer: correct.`, with only
//! plain reasons after them (`reasons.rs`). Such verdicts are flagged as read before the cut.

use super::json::{promises, promises_so_far};
use super::names::Names;
use super::opening::{DECOR, after_repeats, opens, sentence_end};
use super::reasons::{Reasons, explains, turns};

/// Whether `rail` stands in `answer`, of which the end is missing. `reads` gives the verdict of a whole reply.
pub(super) fn stands(
    answer: &str,
    rail: usize,
    names: &Names,
    reads: impl Fn(&str) -> Option<usize>,
) -> bool {
    let text = answer.trim_start();
    let object =
        text.strip_prefix("```").and_then(|text| text.split_once('\n')).map_or(text, |(_, text)| text);
    match object.trim_start().strip_prefix('{') {
        Some(fields) => field(fields, names) == Some(rail),
        None => stated(text, rail, names, reads),
    }
}

/// The rail of the only verdict's field of an object, closed and at its top.
fn field(text: &str, names: &Names) -> Option<usize> {
    let mut rest = text.trim_start();
    let mut said = None;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(key) = rest.strip_prefix('"') else {
            let closed =
                rest.strip_prefix('}').is_some_and(|rest| rest.trim_matches(['`', '\n', ' ']).is_empty());
            return said.filter(|_| closed || rest.is_empty());
        };
        let Some((key, behind)) = string(key) else {
            return said.filter(|_| !promises_so_far(key, names));
        };
        let Some(value) = behind.trim_start().strip_prefix(':').map(str::trim_start) else {
            return said.filter(|_| behind.trim().is_empty() && !promises(&key, names));
        };
        if promises(&key, names) {
            let (value, behind) = string(value.strip_prefix('"')?)?;
            if said.is_some() || !behind.trim_start().starts_with([',', '}']) {
                return None;
            }
            said = Some(names.exactly(value.trim())?);
            rest = behind;
        } else if let Some(value) = value.strip_prefix('"') {
            match string(value) {
                Some((text, _)) if said.is_some_and(|said| turns(&text, said, names)) => return None,
                Some((_, behind)) => rest = behind,
                None => return said.filter(|said| !turns(value, *said, names)),
            }
        } else {
            // A list or an object may hold verdicts of its own.
            let end = value.find([',', '}', '{', '[', '"']).unwrap_or(value.len());
            if value[end..].starts_with(['{', '[', '"']) {
                return None;
            }
            rest = &value[end..];
        }
    }
}

/// A string behind its opening quotation mark, and what follows its closing one.
fn string(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((text[..end].to_owned(), &text[end + 1..]))
}

/// Whether the text opens with `rail`, or gives it as its final verdict, and takes nothing of it back so far.
fn stated(text: &str, rail: usize, names: &Names, reads: impl Fn(&str) -> Option<usize>) -> bool {
    opens(text, rail, names, reads) || concludes(text, rail, names)
}

/// Whether a `Final answer: correct.` stands in the text, with nothing but plain reasons behind.
fn concludes(text: &str, rail: usize, names: &Names) -> bool {
    let mut from = 0;
    while let Some(end) = sentence_end(&text[from..]).map(|end| from + end) {
        let sentence = text[from..end].trim();
        if let Some(said) = final_verdict(sentence, names) {
            let reasons = Reasons { rail, labelled: true, alone: true };
            return said == rail && explains(after_repeats(&text[end..], sentence), reasons, names);
        }
        from = end;
    }
    false
}

/// The rail of `Final answer: correct.`
fn final_verdict(sentence: &str, names: &Names) -> Option<usize> {
    const LABEL: [&str; 6] = ["label", "verdict", "answer", "grade", "judgment", "judgement"];
    let (key, value) = sentence.trim_matches(DECOR).split_once(':')?;
    let key = key.trim_matches(DECOR).to_lowercase();
    let own = key.strip_prefix("my ").unwrap_or(&key).strip_prefix("final ")?;
    LABEL.contains(&own).then(|| names.exactly(value.trim_matches(DECOR)))?
}
