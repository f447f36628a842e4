//! Removes a model's reasoning from a reply.

use std::borrow::Cow;
use std::ops::Range;

/// How models open and close their thinking.
const FENCES: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[think]", "[/think]"),
    ("<antThinking>", "</antThinking>"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Left of a chat template around a final answer; of no meaning.
const TEMPLATE: [&str; 8] = [
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|return|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<|endoftext|>",
    "</s>",
];

/// The thinking never ends, so there is no answer.
#[derive(Debug, PartialEq)]
pub(super) struct Unclosed;

/// The reply without its thinking.
///
/// A closing tag without its opening one ends thinking that a chat template began: all before it goes.
/// A tag inside quotes is something the model talks about, not its own.
pub(super) fn strip(text: &str) -> Result<Cow<'_, str>, Unclosed> {
    let text = begun(text);
    let tags = tags(text);
    if tags.is_empty() {
        return Ok(Cow::Borrowed(text));
    }
    let mut answer = String::new();
    let (mut from, mut inside) = (0, false);
    for Tag { at, kind } in tags {
        match kind {
            Kind::Open if !inside => {
                answer.push_str(&text[from..at.start]);
                inside = true;
            }
            Kind::Open => {}
            Kind::Close => {
                if !inside {
                    answer.clear();
                }
                inside = false;
                from = at.end;
            }
            Kind::Template => {
                if !inside {
                    answer.push_str(&text[from..at.start]);
                }
                from = at.end;
            }
        }
    }
    if inside {
        return Err(Unclosed);
    }
    answer.push_str(&text[from..]);
    Ok(Cow::Owned(answer))
}

/// What a template begins a reply with, and what it ends one with.
const BEGINS: [&str; 6] =
    ["<s>", "<bos>", "<|begin_of_text|>", "<start_of_turn>model", "<｜Assistant｜>", "[/INST]"];
const ENDS: [&str; 4] = ["<end_of_turn>", "<eos>", "<｜end▁of▁sentence｜>", "</s>"];

/// The text without marks of a template around the whole of it, and without the question before them. Marks anywhere else stay: what
/// stands there may be somebody else's words.
fn begun(text: &str) -> &str {
    let mut text = text.trim();
    // A model that goes on writes the other side's words as well.
    if let Some(end) = text.find("<start_of_turn>user").filter(|end| *end > 0) {
        text = text[..end].trim_end();
    }
    let mut began = text;
    while let Some(rest) = BEGINS.iter().find_map(|mark| began.strip_prefix(mark)) {
        began = rest.trim_start();
    }
    if let Some((asked, rest)) = began.strip_prefix("[INST]").and_then(|rest| rest.split_once("[/INST]"))
        && !asked.contains("[INST]")
    {
        began = rest.trim_start();
    }
    if began.len() < text.len() || ENDS.iter().any(|mark| text.ends_with(mark)) {
        let mut ended = began;
        while let Some(rest) = ENDS.iter().find_map(|mark| ended.strip_suffix(mark)) {
            ended = rest.trim_end();
        }
        // More marks within: more turns than one, or a word that is struck out.
        let marks = BEGINS.iter().chain(&ENDS).chain(&["<start_of_turn>"]);
        if marks.into_iter().all(|mark| !ended.contains(mark)) {
            text = ended;
        }
    }
    text
}

#[derive(Clone, Copy)]
enum Kind {
    Open,
    Close,
    Template,
}

struct Tag {
    at: Range<usize>,
    kind: Kind,
}

fn tags(text: &str) -> Vec<Tag> {
    let starts = |at: usize, tag: &str| {
        text.as_bytes()
            .get(at..at + tag.len())
            .is_some_and(|bytes| bytes.eq_ignore_ascii_case(tag.as_bytes()))
    };
    let read = |at: usize| {
        let fence = FENCES.iter().find_map(|(open, close)| match () {
            () if starts(at, open) => Some((open.len(), Kind::Open)),
            () if starts(at, close) && *close != "<|end|>" => Some((close.len(), Kind::Close)),
            () => None,
        });
        fence.or_else(|| TEMPLATE.iter().find(|tag| starts(at, tag)).map(|tag| (tag.len(), Kind::Template)))
    };
    let (mut tags, mut quotes, mut ticks, mut analysis) = (Vec::new(), 0, 0, false);
    let mut end = 0;
    let (struck, last) = (text.find("<s>"), text.rfind(char::is_alphanumeric).unwrap_or(0));
    for (at, c) in text.char_indices() {
        match c {
            '\n' => (quotes, ticks) = (0, 0),
            '"' | '“' | '”' => quotes += 1,
            '`' => ticks += 1,
            '<' | '[' | '◁' if at >= end && quotes % 2 == 0 && ticks % 2 == 0 => {
                let Some((length, mut kind)) = read(at) else { continue };
                end = at + length;
                // `<s>no</s> yes` strikes out; only at its end `</s>` ends a reply.
                let strikes = starts(at, "</s>") && struck.is_some_and(|start| start < at) && end <= last;
                if strikes {
                    continue;
                }
                // `<|end|>` ends whatever went on; only after an analysis that was thinking.
                if analysis && starts(at, "<|end|>") {
                    kind = Kind::Close;
                }
                analysis = matches!(kind, Kind::Open) && starts(at, "<|channel|>")
                    || analysis && !matches!(kind, Kind::Close);
                tags.push(Tag { at: at..end, kind });
            }
            _ => {}
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_stays() {
        for (text, answer) in [
            ("correct", Ok("correct")),
            ("<think>incorrect?</think>\ncorrect", Ok("\ncorrect")),
            ("so it is incorrect\n</think>\n\ncorrect", Ok("\n\ncorrect")),
            ("◁think▷hm◁/think▷correct", Ok("correct")),
            ("[THINK]hm[/THINK]correct", Ok("correct")),
            ("<THINKING>hm</THINKING>correct", Ok("correct")),
            ("<think>a <think> b </think> c </think> correct", Ok(" correct")),
            ("correct <think>but then", Err(Unclosed)),
            ("the argument `</think> correct` is odd", Ok("the argument `</think> correct` is odd")),
            (
                "<|channel|>analysis<|message|>incorrect?<|end|><|start|>assistant<|channel|>final<|message|>correct<|return|>",
                Ok("correct"),
            ),
        ] {
            assert_eq!(strip(text).as_deref(), answer.as_ref().map(|answer| *answer), "{text}");
        }
    }
}
