//! Removes a model's reasoning before its answer: `<think>…</think>`. Calls in it do not count.

/// The marks around thoughts.
const MARKS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>", "<channel|>"),
];

/// Whether a text says that it begins with a thought.
pub(super) fn is_marked(text: &str) -> bool {
    MARKS.iter().any(|(open, _)| text.trim_start().starts_with(open))
}

/// What follows the thoughts at the start of `text`. Many templates open the thought for the model, so that only its end is
/// logged.
pub(in crate::normalize) fn after(text: &str) -> Option<&str> {
    let mut answer = after_one(text)?;
    while is_marked(answer)
        && let Some(rest) = after_one(answer)
    {
        answer = rest;
    }
    Some(answer)
}

fn after_one(text: &str) -> Option<&str> {
    let begun = MARKS.iter().find(|(open, _)| text.trim_start().starts_with(open));
    let (_, close) = begun.unwrap_or(&MARKS[0]);
    text.split_once(close).map(|(_, answer)| answer)
}
