//! Names with wildcards: `*` for any text, `?` for one character.

/// Whether `text` is as `pattern` says, in any case.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let fold = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (pattern, text) = (fold(pattern), fold(text));
    let (mut at, mut from) = (0, 0);
    // The last star, and where the text goes on after what that star takes.
    let mut star = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(c) if *c == '?' || *c == text[from] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                from = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn wildcards() {
        for (pattern, text, is_match) in [
            ("*_id", "request_id", true),
            ("*_id", "request_ids", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "acb", false),
            ("Search", "search", true),
            ("a.c", "abc", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), is_match, "{pattern} on {text}");
        }
    }
}
