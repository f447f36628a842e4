//! The explanation in a reply: the rest besides the verdict.

use std::ops::Range;

use super::fold::fold;

const TITLES: [&str; 6] = ["explanation", "reasoning", "reason", "rationale", "justification", "analysis"];

/// `answer` without the verdict at `at`; `None` if nothing that says something is left.
pub(super) fn beside(answer: &str, at: Range<usize>) -> Option<String> {
    let before = unfenced(answer.get(..at.start)?).trim_end_matches(is_edge);
    let after = answer.get(at.end..)?.trim_start_matches(|c| is_edge(c) || is_stop(c));
    let before = if before.chars().any(char::is_alphanumeric) { before.trim() } else { "" };
    let text = match (untitled(before), untitled(after.trim())) {
        ("", after) => after.to_owned(),
        (before, "") => before.to_owned(),
        (before, after) => format!("{before}\n{after}"),
    };
    text.chars().any(char::is_alphanumeric).then_some(text)
}

/// Without the opening of a fence at its end.
fn unfenced(text: &str) -> &str {
    match text.rfind("```") {
        Some(fence) if text[fence..].trim_end().lines().count() == 1 => &text[..fence],
        _ => text,
    }
}

/// Without `Explanation:` or `<reasoning>` around it.
fn untitled(text: &str) -> &str {
    let bare = text.trim_start_matches(['*', '_', '#', ' ', '<']);
    let title = TITLES.iter().find(|title| {
        bare.get(..title.len()).is_some_and(|start| start.eq_ignore_ascii_case(title))
            && bare[title.len()..].trim_start_matches('*').starts_with([':', '>', '：', '\n', ' ', '-'])
    });
    let Some(title) = title else { return text };
    let rest = &bare[title.len()..];
    let marks = rest.trim_start_matches('*').starts_with([':', '>', '：', '\n']);
    if !marks {
        return text;
    }
    let rest = rest.trim_start_matches(|c: char| is_edge(c) || matches!(c, ':' | '>' | '：'));
    match rest.rfind("</") {
        Some(end) if bare.len() < text.len() && rest[end..].trim_end().ends_with('>') => rest[..end].trim(),
        _ => rest.trim(),
    }
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || fold(c).is_none() || matches!(c, '*' | '_' | '#' | '`' | '|' | '"')
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '-' | '–' | '—' | ')' | ']' | '}')
}
