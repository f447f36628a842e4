//! Looks through typography: full-width letters, invisible characters, curly quotes, foreign punctuation.

/// The plain character that `c` stands for; `None` for one that cannot be seen.
///
/// Letter case is kept. Every kind of line end becomes `\n`, every other white space a space.
pub(super) fn fold(c: char) -> Option<char> {
    Some(match c {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' => return None,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => return None,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}' => return None,
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '「' | '」' | '『' | '』' | '《' | '》' | '＂' => {
            '"'
        }
        '‘' | '’' | '‚' | '‛' | '′' | '‹' | '›' | '＇' => '\'',
        '‐' | '‑' | '−' => '-',
        '‒' | '–' | '―' => '—',
        '。' | '｡' => '.',
        '、' | '､' => ',',
        '【' | '〔' | '〖' => '[',
        '】' | '〕' | '〗' => ']',
        '➜' | '➔' | '⇒' | '➡' | '⟶' | '►' | '▶' => '→',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c if c.is_whitespace() => ' ',
        c => c,
    })
}

/// `text` folded and in lower case, without white space around it.
pub(super) fn folded(text: &str) -> String {
    // Most text is what it looks like.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim().to_ascii_lowercase();
    }
    let text: String = text.chars().filter_map(fold).flat_map(char::to_lowercase).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typography_is_looked_through() {
        for (text, plain) in [
            ("ｃｏｒｒｅｃｔ", "correct"),
            ("判定：Correct", "判定:correct"),
            ("in\u{200b}cor\u{ad}rect\u{feff}", "incorrect"),
            ("“correct”", "\"correct\""),
            ("isn’t", "isn't"),
            ("\u{3000}correct\u{a0}", "correct"),
        ] {
            assert_eq!(folded(text), plain);
        }
    }
}
