//! Phoenix 2's rules: a rail counts wherever its letters occur, longest rail first.
//!
//! Kept so that old labels can be reproduced. It reads `not correct` as `correct`, and `uncorrected` too.

use crate::domain::Rails;

use super::{NoVerdict, Snapped};

pub(super) const RULE: &str = "legacy";

pub(super) fn snap<'a>(text: &str, rails: &'a Rails, explain: bool) -> Result<Snapped<'a>, NoVerdict> {
    let explanation = explain.then(|| text.to_owned());
    let mut rest = if explain { slot(text) } else { text }.to_lowercase();
    let mut longest_first: Vec<_> = rails.iter().map(|rail| (rail, rail.label.to_lowercase())).collect();
    longest_first.sort_by_key(|(_, label)| std::cmp::Reverse(label.chars().count()));

    let mut found = Vec::new();
    for (rail, label) in longest_first {
        if rest.contains(&label) {
            found.push(rail);
            rest = rest.replace(&label, "");
        }
    }
    match found[..] {
        [rail] => Ok(Snapped { rail, rule: RULE, explanation }),
        [] => Err(NoVerdict { why: "no verdict", explanation }),
        _ => Err(NoVerdict { why: "several verdicts", explanation }),
    }
}

/// What stands between the first word `label` and the next word `explanation`, or the end of that line.
fn slot(text: &str) -> &str {
    let Some((_, end)) = word(text, "label") else { return text };
    let rest = text[end..].trim_start_matches([' ', ':', '.', '-', '\t']);
    let slot = match word(rest, "explanation") {
        Some((start, _)) => &rest[..start],
        None => rest.lines().next().unwrap_or(""),
    };
    match slot.trim() {
        "" => rest.trim(),
        slot => slot,
    }
}

/// Where the first whole word `word`, in any letter case, begins and ends.
fn word(text: &str, word: &str) -> Option<(usize, usize)> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.char_indices().find_map(|(start, _)| {
        let end = start + word.len();
        let found = text.get(start..end)?.eq_ignore_ascii_case(word)
            && !text[..start].ends_with(joins)
            && !text[end..].starts_with(joins);
        found.then_some((start, end))
    })
}
