//! Escapes in quoted strings, Python's and JSON's: `\x41`, `\u0142`, `\ud83d\ude00`, `\n`.

/// Appends `content` with its escapes replaced; `None` if one of them stands for no character.
pub(super) fn unescape(content: &str, out: &mut String) -> Option<()> {
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escaped = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + escaped.len_utf8()..];
        let plain = match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '`' | '/' => escaped,
            '\n' => continue,
            '0'..='7' => {
                let more = rest.bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let code = rest[..more].bytes().fold(u32::from(escaped) - u32::from('0'), |code, digit| {
                    code * 8 + u32::from(digit - b'0')
                });
                rest = &rest[more..];
                char::from_u32(code)?
            }
            'x' => char::from_u32(hex(&mut rest, 2)?)?,
            'u' => unicode(&mut rest)?,
            'U' => char::from_u32(hex(&mut rest, 8)?)?,
            // A character by its Unicode name: no table of names for that.
            'N' => return None,
            // Python leaves the backslash of an unknown escape.
            other => {
                out.push('\\');
                other
            }
        };
        out.push(plain);
    }
    out.push_str(rest);
    Some(())
}

/// What follows `\u`: four digits, or the two halves of a surrogate pair.
fn unicode(rest: &mut &str) -> Option<char> {
    let first = hex(rest, 4)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first);
    }
    *rest = rest.strip_prefix("\\u")?;
    let second = hex(rest, 4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xD800) << 10) + second)
}

fn hex(rest: &mut &str, digits: usize) -> Option<u32> {
    let text = rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    *rest = &rest[digits..];
    u32::from_str_radix(text, 16).ok()
}
