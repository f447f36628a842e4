//! Texts of others as they can stand on a terminal: names, columns and their values may hold anything.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most columns that a column's name or value takes.
const MAX_NUMBER: usize = 30;
/// The most that a judge's name takes: those of models often differ in their ends only.
const MAX_JUDGE_NAME_LENGTH: usize = 60;
/// The columns of a terminal.
pub(super) const PAGE: usize = 100;

/// `text` in at most 30 columns on one line, ending in `…` where it was cut. Characters that move the cursor, turn the direction
/// of writing or cannot be seen are shown as `�`.
#[must_use]
pub fn plain(text: &str) -> String {
    within(text, MAX_NUMBER)
}

/// The name of a judge, [`plain`].
pub(super) fn judge(name: &str) -> String {
    within(name, MAX_JUDGE_NAME_LENGTH)
}

/// [`plain`], in at most `most` columns.
pub(super) fn within(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut columns = 0;
    // Where the text has to end if it turns out to be too long.
    let mut end = 0;
    for char in text.chars().map(visible) {
        // Marks on the character before are counted too, so that there cannot be thousands of them.
        columns += char.width().unwrap_or(0).max(1);
        if columns > most {
            plain.truncate(end);
            plain.push('…');
            break;
        }
        plain.push(char);
        if columns < most {
            end = plain.len();
        }
    }
    plain
}

/// `char`, or what stands for it where it would not be seen as a character in its place.
pub(super) fn visible(char: char) -> char {
    match char {
        // Signs of direction, joiners, tags, variants and blanks that are none.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => '\u{fffd}',
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => '\u{fffd}',
        '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' => '\u{fffd}',
        '\u{feff}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' => '\u{fffd}',
        '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}' => '\u{fffd}',
        '\t' | '\n' | '\r' => ' ',
        char if char.is_control() => '\u{fffd}',
        char if char.is_whitespace() => ' ',
        char => char,
    }
}

/// `text` on lines of at most `most` columns, broken after signs that part words where that leaves no line short.
pub(super) fn folded(text: &str, most: usize) -> String {
    let mut folded = String::new();
    let (mut line, mut columns) = (String::new(), 0);
    for char in text.chars() {
        let wide = char.width().unwrap_or(0);
        if columns + wide > most && !line.is_empty() {
            let parted = line.rfind([' ', ':', '/', '-', '_', '.', ',']).map_or(0, |at| at + 1);
            let at = if 2 * line[..parted].width() > most { parted } else { line.len() };
            let rest = line.split_off(at);
            folded += line.trim_end();
            folded.push('\n');
            line = rest;
            columns = line.width();
        }
        line.push(char);
        columns += wide;
    }
    folded + &line
}

/// A sentence on lines of at most 100 columns, broken at spaces; all but the first are indented by `indent`.
pub(super) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let from = lines.len();
        lines.push(String::new());
        for (at, word) in line.split(' ').enumerate() {
            let last = lines.len() - 1;
            let fits = lines[last].width() + 1 + word.width() <= PAGE;
            match (at, fits) {
                (0, _) => lines[last] += word,
                (_, true) => lines[last] += &format!(" {word}"),
                (_, false) if lines[last].trim().is_empty() && last == from => {
                    lines[last] += &format!(" {word}")
                }
                (_, false) => lines.push(format!("{indent}{word}")),
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_left() {
        for (text, expected) in [
            ("wrong_tool", "wrong_tool"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}x", "�[2J�]0;title�x"),
            ("a\r\nb\tc\u{9b}31m", "a  b c�31m"),
            ("user\u{202e}txt\u{2066}\u{200b}\u{feff}", "user�txt���"),
            ("\u{e0041}\u{f8ff}\u{2028}é ü 你好", "�� é ü 你好"),
            ("", ""),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
        assert!((0..=0x0010_ffff).filter_map(char::from_u32).all(|char| !visible(char).is_control()));
    }

    #[test]
    fn what_is_long_is_cut() {
        let long = "x".repeat(31);
        assert_eq!(plain(&long), format!("{}…", "x".repeat(29)));
        assert_eq!(plain(&long[1..]), "x".repeat(30));
        assert_eq!(plain(&"你".repeat(16)), format!("{}…", "你".repeat(14)));
        assert_eq!(plain(&"你".repeat(15)), "你".repeat(15));
        let marks = format!("e{}", "\u{301}".repeat(1000));
        assert!(plain(&marks).chars().count() <= 30);
    }

    #[test]
    fn names_are_folded() {
        for (text, most, expected) in [
            ("openai:gpt-5-mini", 20, "openai:gpt-5-mini"),
            ("openai:gpt-5-mini", 10, "openai:\ngpt-5-mini"),
            ("openai:gpt-5-mini", 8, "openai:\ngpt-5-\nmini"),
            ("aaaaaaaaaaaaaaa", 6, "aaaaaa\naaaaaa\naaa"),
            ("你好你好", 3, "你\n好\n你\n好"),
            ("wide", 0, "w\ni\nd\ne"),
        ] {
            assert_eq!(folded(text, most), expected);
        }
    }

    #[test]
    fn sentences_are_wrapped() {
        let words = format!(" {}end.\nNext.", "seven77 ".repeat(20));
        let wrapped = wrapped(&words, "   ");
        assert!(wrapped.lines().all(|line| line.width() <= PAGE));
        assert_eq!(wrapped.lines().count(), 3);
        assert!(wrapped.lines().nth(1).is_some_and(|line| line.starts_with("   seven77")));
        assert_eq!(wrapped.split_whitespace().count(), words.split_whitespace().count());
    }
}
