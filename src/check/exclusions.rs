//! What a text names to keep it out: `except Wednesday`, `never touch W2002`, `not the blue one`.

use super::words::{fold, words};

/// Words of a clause that an exclusion reaches.
const REACH: usize = 6;
/// Exclusions kept: bounds the work on hostile text.
const MOST_EXCLUSIONS: usize = 50;

/// Words that exclude what follows them, [folded](fold).
#[rustfmt::skip]
const EXCEPT: &[&str] = &[
    " except for ", " except ", " excluding ", " anything but ", " any but ", " all but ", " everything but ", " other than ", " apart from ",
    " but not ", " and not ", " ausser ", " excepto ", " sauf ",
];
/// Words that forbid, if one of [`DEEDS`] follows.
const FORBID: &[&str] =
    &[" never ", " dont ", " do not ", " must not ", " should not ", " shouldnt ", " wont ", " will not "];
/// What an agent may be told not to do with a thing.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "touch", "use", "cancel", "change", "include", "book", "delete", "send", "remove", "modify", "call", "order", "pick", "choose",
    "select", "add", "move", "buy", "return", "want", "take", "close", "open", "edit", "refund", "exchange", "pay", "charge",
];

/// Appends each excluded clause of a text, folded, between bars.
pub(super) fn exclusions(text: &str, excluded: &mut String) {
    let stop = |(at, c): (usize, char)| {
        let ends = || text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        (matches!(c, ';' | '\n' | '(' | ')' | '。') || (matches!(c, '.' | '!' | '?' | ',' | ':') && ends()))
            .then_some(at)
    };
    let mut from = 0;
    let ends = text.char_indices().filter_map(stop).chain([text.len()]);
    let mut found = 0;
    for end in ends {
        let clause = &text[from..end];
        from = end;
        if found >= MOST_EXCLUSIONS || !may_exclude(clause) {
            continue;
        }
        if let Some(rest) = excluded_in(&fold(clause)) {
            excluded.push_str(&rest);
            excluded.push('|');
            found += 1;
        }
    }
}

/// A quick look: most clauses exclude nothing.
fn may_exclude(clause: &str) -> bool {
    const SIGNS: [&str; 10] =
        ["xcept", "xclud", "but", "other than", "apart", "not", "n't", "n’t", "ever", "dont"];
    SIGNS.iter().any(|sign| clause.contains(sign))
        || ["sauf", "außer"].iter().any(|sign| clause.contains(sign))
}

/// The words that a folded clause excludes.
fn excluded_in(clause: &str) -> Option<String> {
    let behind = |cues: &[&str]| {
        cues.iter()
            .filter_map(|cue| clause.find(cue).map(|at| &clause[at + cue.len() - 1..]))
            .min_by_key(|rest| rest.len())
    };
    if let Some(rest) = behind(EXCEPT) {
        return Some(reach(rest, &["but", "just", "only"]));
    }
    if let Some(rest) = behind(FORBID) {
        let mut after = words(rest);
        let deed = after.find(|word| !matches!(*word, "ever" | "please" | "to"));
        return deed
            .filter(|word| DEEDS.contains(word))
            .map(|_| reach(rest, &["and", "but", "just", "only", "until", "unless"]));
    }
    // `not Monday`, `not the blue one`; `not sure about Monday` excludes nothing.
    let at = clause.find(" not ")?;
    let rest: Vec<&str> = words(&clause[at + 5..])
        .skip_while(|word| matches!(*word, "the" | "a" | "on" | "in" | "for" | "to" | "at"))
        .take(1)
        .collect();
    let word = rest.first()?;
    Some(format!(" {word} "))
}

/// The words an exclusion reaches, folded.
fn reach(rest: &str, stops: &[&str]) -> String {
    let reached = words(rest).take_while(|word| !stops.contains(word)).take(REACH + 2);
    reached.fold(String::from(" "), |text, word| text + word + " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_out_is_found() {
        for (text, value, out) in [
            ("Any day except Wednesday works", "Wednesday", true),
            ("Cancel my order W1001. Never touch W2002!", "W2002", true),
            ("Cancel my order W1001. Never touch W2002!", "W1001", false),
            ("Please don't cancel W2002 and cancel W1001", "W1001", false),
            ("Please don't cancel W2002 and cancel W1001", "W2002", true),
            ("anything but jazz, please", "jazz", true),
            ("Book it for Monday, not Tuesday", "Tuesday", true),
            ("not Monday but Tuesday", "Tuesday", false),
            ("I am not sure, maybe Tuesday", "Tuesday", false),
            ("I never received W1001", "W1001", false),
            ("Don't worry. Cancel W1001.", "W1001", false),
            ("all rooms except for the attic and the cellar", "cellar", true),
        ] {
            let mut excluded = String::new();
            exclusions(text, &mut excluded);
            assert_eq!(excluded.contains(&fold(value)), out, "{value} in {text}: {excluded}");
        }
    }
}
