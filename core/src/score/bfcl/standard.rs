//! Normalizes strings for comparison: without spaces, some punctuation, letter case and kind of quote.

/// Whether two strings are the same once `,./-_*^` and spaces (U+0020 only) are dropped, letters are lower-cased as Unicode
/// says and `'` is `"`. Thus `""`, `"-"` and `" . "` are the same, and so are `"3.14"` and `"314"`.
pub fn same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    // Only ASCII can be mapped byte by byte: `ΟΔΟΣ` ends in another letter than its middle has, `İ` becomes two.
    if a.is_ascii() && b.is_ascii() { ascii(a).eq(ascii(b)) } else { standard(a) == standard(b) }
}

fn ascii(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !is_dropped(*byte)).map(|byte| match byte {
        b'\'' => b'"',
        byte => byte.to_ascii_lowercase(),
    })
}

fn is_dropped(byte: u8) -> bool {
    matches!(byte, b' ' | b',' | b'.' | b'/' | b'-' | b'_' | b'*' | b'^')
}

fn standard(text: &str) -> String {
    let kept: String = text.chars().filter(|char| !u8::try_from(*char).is_ok_and(is_dropped)).collect();
    kept.to_lowercase().replace('\'', "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters() {
        for (a, b, expected) in [
            ("New York, NY", "new_york NY", true),
            ("it's", "IT\"S", true),
            ("", " -._*^/,", true),
            ("3.14", "314", true),
            ("-5", "5", true),
            ("a\tb", "ab", false),
            ("a\u{a0}b", "ab", false),
            ("a–b", "ab", false),
            ("a:b", "ab", false),
            ("ΟΔΟΣ", "οδος", true),
            ("İ", "i\u{307}", true),
            ("\u{212a}", "k", true),
            ("é", "e\u{301}", false),
        ] {
            assert_eq!(same(a, b), expected, "{a:?} {b:?}");
        }
    }
}
