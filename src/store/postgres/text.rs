//! Models' texts in a form that PostgreSQL can hold, which has no NUL character.

use std::borrow::Cow;

/// A character that no text uses: Unicode keeps it for programs' own purposes.
const MARK: char = '\u{FDD0}';

/// `text` without NUL characters.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\0' => escaped.extend([MARK, '0']),
            MARK => escaped.extend([MARK, MARK]),
            char => escaped.push(char),
        }
    }
    Cow::Owned(escaped)
}

/// What [`escaped`] made of a text, as it was.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            MARK => unescaped.push(if chars.next() == Some('0') { '\0' } else { MARK }),
            char => unescaped.push(char),
        }
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        for text in ["", "plain", "\0", "a\0b\u{FDD0}0", "\u{FDD0}", "\u{FDD0}\u{FDD0}\0\0", "\u{FDD0}0"] {
            assert!(!escaped(text).contains('\0'));
            assert_eq!(unescaped(&escaped(text)), text, "{text:?}");
        }
    }
}
