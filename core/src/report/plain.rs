//! Makes foreign text safe for a terminal: names, columns and their values may contain anything.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most columns that a column's name or value takes.
const MAX_NUMBER: usize = 30;
/// The most that a judge's name takes: those of models often differ in their ends only.
const MAX_JUDGE_NAME_LENGTH: usize = 60;
/// `text` in at most 30 columns on one line, with a `…` where its middle was cut out. Characters that move the cursor, turn the direction
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
#[must_use]
pub fn within(text: &str, most: usize) -> String {
    // Marks on the character before are counted too, so that there cannot be thousands of them.
    let columns = |char: char| char.width().unwrap_or(0).max(1);
    let mut chars = text.chars().map(visible);
    // Of what is longer, the end is looked at too, but never all of it held.
    let mut head: Vec<char> = Vec::new();
    let mut wide = 0;
    for char in chars.by_ref() {
        head.push(char);
        wide += columns(char);
        if wide > most {
            break;
        }
    }
    if wide <= most {
        return head.into_iter().collect();
    }
    let room = most.saturating_sub(1);
    let fitting = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut left = room;
        let fits = |char: &char| match left.checked_sub(columns(*char)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        chars.take_while(fits).collect::<Vec<char>>()
    };
    // The tail gets what the head cannot use.
    let head = fitting(&mut head.into_iter(), room.div_ceil(2));
    let used: usize = head.iter().copied().map(columns).sum();
    let tail = fitting(&mut text.chars().rev().map(visible), room - used);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
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
        // As the width of a whole text counts them: what a terminal would obey is shown as a sign.
        let wide = char.width().unwrap_or(1);
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

/// A text on lines of at most `width` columns, broken at spaces; all but the first of each line of its own are indented by
/// `indent`. A word that is longer than a line is folded.
#[must_use]
pub fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let from = lines.len();
        lines.push(String::new());
        for (at, word) in line.split(' ').enumerate() {
            let last = lines.len() - 1;
            let begun = lines[last].width();
            let is_empty = lines[last].trim().is_empty();
            match at {
                0 if word.width() <= width => lines[last] += word,
                _ if at > 0 && begun + 1 + word.width() <= width => lines[last] += &format!(" {word}"),
                _ if !is_empty && indent.width() + word.width() <= width => {
                    lines.push(format!("{indent}{word}"))
                }
                _ => {
                    if at > 0 && is_empty && last == from {
                        lines[last].push(' ');
                    } else if !is_empty {
                        lines.push(indent.to_owned());
                    }
                    let last = lines.len() - 1;
                    let room = width.saturating_sub(lines[last].width().max(indent.width())).max(1);
                    let pieces = folded(word, room);
                    let mut pieces = pieces.lines();
                    lines[last] += pieces.next().unwrap_or_default();
                    lines.extend(pieces.map(|piece| format!("{indent}{piece}")));
                }
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
    fn what_is_long_is_cut_in_its_middle() {
        let long = format!("{}{}", "x".repeat(16), "y".repeat(15));
        assert_eq!(plain(&long), format!("{}…{}", "x".repeat(15), "y".repeat(14)));
        assert_eq!(plain(&long[1..]), &long[1..]);
        assert_eq!(plain(&"你".repeat(16)), format!("{}…{}", "你".repeat(7), "你".repeat(7)));
        assert_eq!(plain(&"你".repeat(15)), "你".repeat(15));
        let marks = format!("e{}", "\u{301}".repeat(1000));
        assert!(plain(&marks).chars().count() <= 30);
        assert_eq!([within("abc", 0), within("abc", 1), within("abc", 2)], ["…", "…", "a…"]);
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
        let text = wrapped(&words, "   ", 100);
        assert!(text.lines().all(|line| line.width() <= 100));
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("   seven77")));
        assert_eq!(text.split_whitespace().count(), words.split_whitespace().count());
        for (text, width, expected) in [
            ("one two", 7, "one two"),
            ("one two", 6, "one\n two"),
            ("  one", 4, "  on\n e"),
            ("a/long/path/of/a/file b", 12, "a/long/\n path/of/a/\n file b"),
            ("see a/long/path", 9, "see\n a/long/\n path"),
            ("", 5, ""),
            ("a\n\nb", 5, "a\n\nb"),
        ] {
            assert_eq!(wrapped(text, " ", width), expected);
        }
    }
}
