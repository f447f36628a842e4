//! Normalizes typography: full-width, bold and circled letters, invisible characters, curly quotes, foreign punctuation.

use unicode_normalization::UnicodeNormalization;

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
        c @ ('\u{1d400}'..='\u{1d7ff}' | '\u{2460}'..='\u{24ff}' | '\u{2100}'..='\u{214f}') => styled(c),
        c @ '\u{1f130}'..='\u{1f189}' => squared(c),
        c @ ('ᴀ'..='ᴢ' | 'ʙ' | 'ɢ' | 'ʜ' | 'ɪ' | 'ʟ' | 'ɴ' | 'ʀ' | 'ʏ' | 'ꜰ' | 'ꜱ') => {
            small(c)
        }
        c if c.is_whitespace() => ' ',
        c => c,
    })
}

/// The letter or digit that `c` is in bold, in script, in a circle.
fn styled(c: char) -> char {
    let mut plain = c.nfkc();
    match (plain.next(), plain.next()) {
        (Some(plain), None) if plain.is_ascii_alphanumeric() => plain,
        _ => c,
    }
}

/// The letter in a white or black square or a black circle.
fn squared(c: char) -> char {
    let first = ['\u{1f130}', '\u{1f150}', '\u{1f170}'].into_iter().rev().find(|first| *first <= c);
    let letter = first.and_then(|first| u8::try_from(u32::from(c) - u32::from(first)).ok());
    letter.filter(|letter| *letter < 26).map_or(c, |letter| char::from(b'A' + letter))
}

/// The letter that `c` is as a small capital.
fn small(c: char) -> char {
    const SMALL: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘ\u{0}ʀꜱᴛᴜᴠᴡ\u{0}ʏᴢ";
    SMALL
        .chars()
        .position(|small| small == c)
        .and_then(|at| u8::try_from(at).ok())
        .map_or(c, |at| char::from(b'a' + at))
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
            ("𝗶𝗻𝐜𝑜𝓇𝕣𝖊𝚌𝘁", "incorrect"),
            ("ⓒⓞⓡⓡⓔⓒⓣ", "correct"),
            ("🅲🅞🅁RECT", "correct"),
            ("ᴄᴏʀʀᴇᴄᴛ", "correct"),
            ("\u{3000}correct\u{a0}", "correct"),
        ] {
            assert_eq!(folded(text), plain);
        }
    }
}
