//! Things that a text excludes: `except Wednesday`, `never touch W2002`, `not the blue one`.

use std::sync::LazyLock;

use crate::language::{self, all, phrases};
use crate::reading::words::{WordSet, fold, words};

/// Words of a clause that an exclusion reaches.
const REACH: usize = 6;
/// Exclusions kept: bounds the work on hostile text.
const MAX_EXCLUSIONS: usize = 50;

/// Something named to keep it out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exclusion {
    /// The words that are kept out, [folded](fold).
    pub words: String,
    /// What must not be done with them, if only that: one of [`DEEDS`].
    pub deed: Option<&'static str>,
}

/// Words that exclude what follows them, [folded](fold).
static EXCEPT: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.except));
/// Behind these in a clause, an exception asks for just what it names: `no card except my Visa`.
static NEGATIONS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of(language::words(|of| &of.request.negations)));
/// Words that forbid, if one of [`DEEDS`] follows.
const FORBID: &[&str] =
    &[" never ", " dont ", " do not ", " must not ", " should not ", " shouldnt ", " wont ", " will not "];
/// What an agent may be told not to do with a thing.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "touch", "use", "cancel", "change", "include", "book", "delete", "send", "remove", "modify", "call", "order", "pick", "choose",
    "select", "add", "move", "buy", "return", "want", "take", "close", "open", "edit", "refund", "exchange", "pay", "charge",
    "archive", "block", "unsubscribe", "stop", "disable",
];
/// Those that keep a thing out of whatever is done, unless that rids the user of it.
const AT_ALL: &[&str] =
    &["touch", "use", "include", "want", "take", "pick", "choose", "select", "add", "book", "buy"];
/// What rids the user of a thing: it is done to what is unwanted.
#[rustfmt::skip]
const RIDDANCE: &[&str] = &[
    "cancel", "remove", "delete", "unsubscribe", "block", "stop", "disable", "refund", "return", "mute", "archive", "hide", "ignore",
    "exclude", "ban", "drop", "discard", "uninstall", "clear", "close", "end", "leave", "reject", "decline", "dislike", "skip",
    "deactivate", "terminate", "revoke", "unfollow", "off", "filter", "exchange", "replace", "swap", "trash", "dispose", "sell",
    "withdraw", "abort", "quit", "report", "unfriend", "suspend", "pause", "opt", "deny", "avoid", "omit",
];
/// A limit is no exclusion: `not more than 200` names what is still right.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "more", "less", "above", "below", "over", "under", "before", "after", "later", "earlier", "than", "exceed", "exceeding", "until",
    "till", "beyond", "longer", "shorter", "higher", "lower", "fewer", "greater", "older", "younger", "cheaper", "yet", "since",
];

/// Whether the tool of that [folded](fold) name gets rid of things: those are named because nobody wants them.
pub(super) fn rids(tool: &str) -> bool {
    RIDDANCE.iter().any(|deed| does(tool, deed))
}

fn does(tool: &str, deed: &str) -> bool {
    words(tool).any(|word| word.strip_prefix(deed).is_some_and(|end| matches!(end, "" | "s" | "d" | "ed")))
}

impl Exclusion {
    /// Whether it speaks against a call of the tool of that [folded](fold) name.
    pub(super) fn is_against(&self, tool: &str) -> bool {
        match self.deed {
            Some("touch") => true,
            Some(deed) => does(tool, deed) || (AT_ALL.contains(&deed) && !rids(tool)),
            None => !rids(tool),
        }
    }

    /// Whether a later message, folded, allows what was forbidden: `now cancel it please`.
    pub(super) fn is_taken_back_by(&self, later: &str) -> bool {
        const ALLOWS: &[&str] = &["it", "that", "this", "them", "now", "anyway", "all", "both"];
        self.deed.is_some_and(|deed| words(later).any(|word| word == deed || deed == "touch"))
            && words(later).any(|word| ALLOWS.contains(&word))
    }
}

/// What a text excludes.
pub(super) fn exclusions(text: &str) -> Vec<Exclusion> {
    let text = &without_titles(text);
    if !may_exclude(text) {
        return Vec::new();
    }
    let stop = |(at, c): (usize, char)| {
        let ends = || text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        (matches!(c, ';' | '\n' | '(' | ')' | '。') || (matches!(c, '.' | '!' | '?' | ',' | ':') && ends()))
            .then_some(at)
    };
    let mut from = 0;
    let ends = text.char_indices().filter_map(stop).chain([text.len()]);
    let mut found = Vec::new();
    for end in ends {
        let clause = &text[from..end];
        from = end;
        if found.len() < MAX_EXCLUSIONS && may_exclude(clause) {
            found.extend(excluded_in(&fold(clause)));
        }
    }
    found
}

/// The text without quotations that themselves speak of excluding: `"Don't Take the Money"` is a title.
fn without_titles(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, behind)) = rest.split_once(['"', '“', '«', '„']) {
        let Some((quoted, after)) = behind.split_once(['"', '”', '»', '“']) else { break };
        kept.push_str(before);
        if !may_exclude(quoted) {
            kept.push_str(quoted);
        }
        rest = after;
    }
    kept + rest
}

static SIGNS: LazyLock<Vec<&str>> =
    LazyLock::new(|| all().iter().flat_map(|of| &of.request.except_signs).map(String::as_str).collect());

/// A quick look: most clauses exclude nothing.
fn may_exclude(clause: &str) -> bool {
    SIGNS.iter().any(|sign| clause.contains(sign))
}

/// What a folded clause excludes.
fn excluded_in(clause: &str) -> Option<Exclusion> {
    // The text before the first cue, the cue, and the text behind it.
    fn first(clause: &str, cues: impl Iterator<Item = &'static str>) -> Option<(&str, &'static str, &str)> {
        cues.filter_map(|cue| clause.find(cue).map(|at| (&clause[..=at], cue, &clause[at + cue.len() - 1..])))
            .min_by_key(|(before, cue, _)| (before.len(), std::cmp::Reverse(cue.len())))
    }
    if let Some((before, cue, rest)) = first(clause, EXCEPT.iter().map(String::as_str)) {
        let twice = !cue.ends_with(" not ") && words(before).any(|word| NEGATIONS.has(word));
        return (!twice).then(|| Exclusion { words: reach(rest, &["but", "just", "only"]), deed: None });
    }
    if let Some((before, cue, rest)) = first(clause, FORBID.iter().copied()) {
        let subject = words(before).last();
        let own = matches!(subject, Some("i" | "we"));
        let told = match cue {
            " wont " | " will not " => own,
            " must not " | " should not " | " shouldnt " => true,
            // `Why don't you`, `they never open`: nobody is told anything.
            _ => {
                own || matches!(
                    subject,
                    None | Some("please" | "but" | "and" | "so" | "just" | "then" | "also")
                )
            }
        };
        let idle = |word: &&str| matches!(*word, "ever" | "please" | "to");
        let mut after = words(rest).filter(|word| !idle(word)).peekable();
        let mut deed = after.next()?;
        if deed == "want" && words(rest).skip_while(|word| *word != "want").nth(1) == Some("to") {
            deed = after.next()?;
        }
        // What must wait is not kept out for good.
        let waits = words(rest).any(|word| word == "yet");
        let deed = DEEDS.iter().find(|own| **own == deed).filter(|_| told && !waits)?;
        let words = reach(rest, &["and", "but", "just", "only", "unless"]);
        return Some(Exclusion { words, deed: Some(deed) });
    }
    // `not Monday`, `not the blue one`; `not sure about Monday`, `open or not on Monday` exclude nothing.
    #[rustfmt::skip]
    const STATES: &[&str] = &[
        "or", "is", "are", "am", "was", "were", "im", "its", "it", "if", "whether", "why", "did", "does", "do", "has", "have", "had",
        "can", "could", "would", "will", "may", "might",
    ];
    let at = clause.find(" not ")?;
    if words(&clause[..=at]).last().is_some_and(|word| STATES.contains(&word)) {
        return None;
    }
    let word = words(&clause[at + 5..])
        .find(|word| !matches!(*word, "the" | "a" | "on" | "in" | "for" | "to" | "at"))
        .filter(|word| !LIMITS.contains(word))?;
    Some(Exclusion { words: format!(" {word} "), deed: None })
}

/// The words an exclusion reaches, folded.
fn reach(rest: &str, stops: &[&str]) -> String {
    let reached =
        words(rest).take_while(|word| !stops.contains(word) && !LIMITS.contains(word)).take(REACH + 2);
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
            ("I don't want to pay more than 200 euros", "200", false),
            ("4 stars but not more than 150 euros", "150", false),
            ("at least 3 stars and not above 180 euros", "180", false),
            ("but not before 10:30", "10:30", false),
            ("not later than 18:00", "18:00", false),
            ("whether it is raining or not in Berlin", "Berlin", false),
            ("Is the store open or not on Sunday?", "Sunday", false),
            ("do not use any card except my Visa", "Visa", false),
            ("no airline other than SAS", "SAS", false),
            ("I won't fly anything but Lufthansa", "Lufthansa", false),
            ("Play \"Don't Take the Money\" by Bleachers", "Bleachers", false),
            ("Play I Don't Want to Miss a Thing by Aerosmith", "Aerosmith", false),
            ("My browser won't open example.org", "example.org", false),
            ("Any day except \"Wednesday\" works", "Wednesday", true),
        ] {
            let found = exclusions(text);
            let excluded = found.iter().any(|exclusion| exclusion.words.contains(&fold(value)));
            assert_eq!(excluded, out, "{value} in {text}: {found:?}");
        }
    }

    #[test]
    fn what_is_forbidden_speaks_against_some_tools() {
        for (text, tool, against) in [
            ("I don't want Netflix anymore", "cancel_subscription", false),
            ("I don't want Netflix anymore", "open_app", true),
            ("Don't cancel W2002", "cancel_order", true),
            ("Don't cancel W2002", "update_order", false),
            ("Never touch W2002", "delete_order", true),
            ("everything except the oat milk", "remove_from_cart", false),
            ("everything except the oat milk", "add_to_cart", true),
        ] {
            let found = exclusions(text);
            assert_eq!(found[0].is_against(&fold(tool)), against, "{text} {tool}: {found:?}");
        }
        let forbidden = &exclusions("Don't cancel W1")[0];
        assert!(forbidden.is_taken_back_by(&fold("now cancel it please")));
        assert!(!forbidden.is_taken_back_by(&fold("cancel W2")));
    }
}
