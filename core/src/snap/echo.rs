//! Logged data that a reply repeats: in the prompt's fence, or reported in the reply's own words.

use std::borrow::Cow;
use std::ops::Range;

use super::lexicon::gives_reason;

/// How the lines begin that open and close a fence of ours.
const OPENS: &str = "[begin ";
const CLOSES: &str = "[end ";
/// How far around JSON one looks for what is said of it, in bytes.
const NEARBY: usize = 500;
/// Letters of a fence's code.
const CODE: usize = 16;

/// The reply without fenced blocks, a line break in place of each. A block that is never closed reaches to the end: what stands in it
/// is not the judge's word.
pub(super) fn strip(text: &str) -> Cow<'_, str> {
    let mut own = String::new();
    let mut rest = text;
    while let Some((at, code)) = opening(rest) {
        own.push_str(&rest[..at]);
        own.push('\n');
        let inside = &rest[at..];
        let close = format!("{CLOSES}{code}]");
        rest = inside.find(&close).map_or("", |end| &inside[end + close.len()..]);
    }
    if own.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(own + rest)
}

/// Where the first fence opens, and its code.
fn opening(text: &str) -> Option<(usize, &str)> {
    text.match_indices(OPENS).find_map(|(at, _)| {
        let code = text[at + OPENS.len()..].get(..CODE)?;
        let closed = text[at + OPENS.len() + CODE..].starts_with(']');
        let is_code = code.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        (closed && is_code).then_some((at, code))
    })
}

/// Whether the JSON at `at` is spoken of, and not given: it stands in the middle of a sentence, which goes on behind it (`The row holds
/// {...}, which is data`; a reason may follow a verdict), or below a line that says whose words follow (`The question ends with:`).
pub(super) fn is_told_of(answer: &str, at: &Range<usize>) -> bool {
    // A reply may be one long line with JSON all over it.
    let start = answer.floor_char_boundary(at.start.saturating_sub(NEARBY));
    let end = answer.floor_char_boundary((at.end + NEARBY).min(answer.len())).max(at.end);
    let mut above = answer[start..at.start].rsplit('\n');
    let before = above.next().unwrap_or_default();
    let after = answer[at.end..end].split('\n').next().unwrap_or_default();
    let after = after.trim_start_matches(['`', '"', '\'', '*', ',', ' ']);
    let word = after.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if before.contains(char::is_alphabetic) {
        let mut last = before.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let mut words = before.split(|c: char| !c.is_alphabetic());
        let gave = matches!(
            last.next().unwrap_or_default(),
            "returned"
                | "returns"
                | "returning"
                | "sent"
                | "sends"
                | "received"
                | "got"
                | "logged"
                | "replied"
                | "produced"
        );
        if gave && !words.any(|word| matches!(word, "I" | "my" | "My" | "verdict" | "judge")) {
            return true;
        }
        return after.starts_with(char::is_lowercase) && !gives_reason(word);
    }
    let titles = |line: &&str| line.contains(char::is_alphanumeric) && !line.trim_start().starts_with("```");
    above.find(titles).is_some_and(announces_words_of_others)
}

/// `The row ends with this:` is told of somebody else, `Here is my answer:` is not.
fn announces_words_of_others(line: &str) -> bool {
    let holds = |word: &str| {
        matches!(
            word,
            "contains"
                | "holds"
                | "says"
                | "ends"
                | "reads"
                | "includes"
                | "states"
                | "begins"
                | "asks"
                | "tells"
                | "claims"
        )
    };
    let own = |word: &str| {
        let word = word.to_ascii_lowercase();
        [
            "my",
            "verdict",
            "answer",
            "assessment",
            "judgment",
            "judgement",
            "label",
            "conclusion",
            "parameters",
            "arguments",
        ]
        .contains(&word.as_str())
    };
    let words = || line.split(|c: char| !c.is_alphabetic());
    line.trim_end().ends_with(':') && words().any(holds) && !words().any(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_given_or_spoken_of() {
        for (reply, told_of) in [
            ("My answer is {} because of the date.", false),
            ("My answer is {}.", false),
            ("{} is my answer", false),
            ("Here is my answer:\n```json\n{}\n```\nThe date is wrong.", false),
            ("The row holds {} and more.", true),
            ("The row holds `{}`, which is data.", true),
            ("The question ends with:\n\n```\n{}\n```\nI ignore it.", true),
            ("The tool says:\n{}", true),
            ("My assessment reads:\n{}", false),
            ("The call includes all parameters:\n```json\n{}\n```", false),
        ] {
            let at = reply.find("{}").unwrap();
            assert_eq!(is_told_of(reply, &(at..at + 2)), told_of, "{reply}");
        }
    }

    #[test]
    fn only_our_own_fences_hold_data() {
        const OPEN: &str = "[begin 0123456789abcdef]";
        const CLOSE: &str = "[end 0123456789abcdef]";
        for (text, own) in [
            ("correct", "correct"),
            ("[begin here] correct [end here]", "[begin here] correct [end here]"),
            ("[begin 0123456789ABCDEF] correct", "[begin 0123456789ABCDEF] correct"),
            (&format!("a {OPEN}\nx\n{CLOSE} b"), "a \n b"),
            (&format!("a {OPEN} x {CLOSE}{OPEN} y {CLOSE}"), "a \n\n"),
            (&format!("a {OPEN} x [end fedcba9876543210] y"), "a \n"),
            (&format!("{CLOSE} a"), &format!("{CLOSE} a")),
        ] {
            assert_eq!(strip(text), own, "{text}");
        }
    }
}
