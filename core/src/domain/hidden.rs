//! Marks that replace text which a log does not keep: `__REDACTED__`, `[REDACTED EMAIL]`, `*****`, `<not serializable>`.

/// Words that say so, alone or with what is hidden beside them: `[Scrubbed due to 'password']`.
const WORDS: &[&str] =
    &["redacted", "masked", "scrubbed", "filtered", "censored", "hidden", "anonymized", "anonymised"];

/// Words that need nothing around them: others are values, as in `status: "hidden"`.
const BARE: &[&str] = &["redacted", "redacted-by-litellm"];

/// What libraries write for a value that they have no text for.
const LOST: &[&str] =
    &["<not serializable", "<non-serializable", "<<non-serializable", "<unserializable", "[object object]"];

/// What such a text is made of where each character is hidden.
const DOTS: &[char] = &['*', '•', '●', '█', '▇', '■'];

/// Bytes of a mark.
const MAX_LENGTH: usize = 96;

/// Whether a text is nothing but a mark in place of another.
pub fn is_hidden(text: &str) -> bool {
    const FEWEST_DOTS: usize = 3;
    const MOST_WORDS: usize = 5;
    if text.len() > MAX_LENGTH {
        return false;
    }
    let text = text.trim().trim_matches(['"', '\'']);
    let is_word = |word: &str| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    if BARE.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return true;
    }
    let begins = |word: &str| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    if LOST.iter().any(|word| begins(word) && text.ends_with(['>', ']'])) {
        return true;
    }
    if text.chars().all(|c| DOTS.contains(&c)) {
        return text.chars().count() >= FEWEST_DOTS;
    }
    let Some(inner) = within_brackets(text) else { return false };
    let words: Vec<&str> =
        inner.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at_an_end = [words.first(), words.last()].into_iter().flatten().any(|word| is_word(word));
    at_an_end && words.len() <= MOST_WORDS
}

/// Whether a text contains a mark: `Cancel [REDACTED], please`.
pub fn holds_hidden(text: &str) -> bool {
    // Three stars may be the sign of a heading.
    const FEWEST_DOTS: usize = 5;
    let is_sign = |c: char| c == '_' || DOTS.contains(&c);
    let words = || {
        let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']));
        words.filter(|word| word.starts_with(is_sign) && word.chars().count() >= FEWEST_DOTS)
    };
    let spans = || {
        text.match_indices(['[', '<', '{']).filter_map(|(at, open)| {
            let close = match open {
                "[" => ']',
                "<" => '>',
                _ => '}',
            };
            // No further than a mark can be long: there may be as many brackets as bytes.
            let near = &text[at..text.floor_char_boundary(at + MAX_LENGTH + 1)];
            let end = near.find(close)?;
            let more = near[end..].chars().take_while(|c| *c == close).count();
            Some(&near[..end + more]).filter(|span| span.len() <= MAX_LENGTH)
        })
    };
    words().chain(spans()).any(is_hidden)
}

/// The text within brackets or a row of equal signs: `<redacted>`, `{{REDACTED}}`, `__REDACTED__`, `***MASKED***`.
fn within_brackets(text: &str) -> Option<&str> {
    const AROUND: &[(char, char)] =
        &[('[', ']'), ('<', '>'), ('{', '}'), ('(', ')'), ('_', '_'), ('*', '*'), ('#', '#')];
    let (open, close) = AROUND.iter().find(|(open, _)| text.starts_with(*open))?;
    let inner = text.trim_start_matches(*open);
    inner.ends_with(*close).then(|| inner.trim_end_matches(*close))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_all_kinds_and_nothing_else() {
        for text in [
            "__REDACTED__",
            "redacted-by-litellm",
            "REDACTED",
            "\"__REDACTED__\"",
            "[REDACTED]",
            " <redacted> ",
            "[REDACTED CREDIT CARD]",
            "[EMAIL_REDACTED]",
            "<redacted:email>",
            "[Scrubbed due to 'password']",
            "[Filtered]",
            "***MASKED***",
            "********",
            "•••",
            "{{REDACTED}}",
            "(redacted)",
            "<not serializable>",
            "<not serializable object of type: Decimal>",
            "[object Object]",
        ] {
            assert!(is_hidden(text), "{text}");
        }
        for text in [
            "Cancel [REDACTED].",
            "to <redacted email>, please",
            "id *****, ok?",
            "[redacted 1]",
            "a {{REDACTED}} b",
        ] {
            assert!(holds_hidden(text), "{text}");
        }
        for text in [
            "Cancel it.",
            "a [b] <c> (d)",
            "**bold** and ** not",
            "The redacted file (hidden away) is here",
            "x < y",
        ] {
            assert!(!holds_hidden(text), "{text}");
        }
        for text in [
            "",
            "**",
            "hidden",
            "filtered",
            "<PERSON>",
            "[city]",
            "[the filtered list, please]",
            "Send the redacted file",
            "redacted.pdf",
            "[redacted] my card",
            "[]",
        ] {
            assert!(!is_hidden(text), "{text}");
        }
    }
}
