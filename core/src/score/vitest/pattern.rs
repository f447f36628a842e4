//! JavaScript's regular expressions, in time linear in the text.
//!
//! `regex-lite` reads almost the same language: its classes `\d`, `\w` and `\b` are ASCII, as JavaScript's are. What
//! differs is translated: a `[` in a class is a character, `\s` and `.` know more white space and line ends, and `/i` folds
//! letters by their upper case, never a letter beyond ASCII onto one within it (`ſ`, `K` and `İ` are no `s`, `k`, `i`).
//!
//! Not supported, and an error: looking around, back references and properties (`\p{…}`), which need `u` anyway. A text
//! counts in characters, where JavaScript without `u` counts halves of surrogate pairs.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use regex_lite::Regex;

/// A compiled regular expression and where it came from.
#[derive(Debug, Clone)]
pub(super) struct Pattern<'a> {
    source: &'a str,
    flags: &'a str,
    regex: Regex,
    /// `y`: the match must begin where the text does.
    sticky: bool,
}

impl<'a> Pattern<'a> {
    pub(super) fn new(source: &'a str, flags: &'a str) -> Result<Pattern<'a>, String> {
        let wrong = |why: &str| format!("cannot read the regular expression /{source}/{flags}: {why}");
        if let Some(flag) = flags.chars().find(|flag| !"gimsuyd".contains(*flag)) {
            return Err(wrong(&format!("there is no flag `{flag}`")));
        }
        let mut translation = Translation {
            rest: source.chars().peekable(),
            ignore_case: flags.contains('i'),
            dot_all: flags.contains('s'),
            out: String::with_capacity(source.len() + 8),
        };
        if flags.contains('m') {
            translation.out.push_str("(?m)");
        }
        translation.run().map_err(wrong)?;
        let regex = Regex::new(&translation.out).map_err(|error| wrong(&error.to_string()))?;
        Ok(Pattern { source, flags, regex, sticky: flags.contains('y') })
    }

    pub(super) fn is(&self, source: &str, flags: &str) -> bool {
        self.source == source && self.flags == flags
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        if self.sticky {
            return self.regex.find(text).is_some_and(|found| found.start() == 0);
        }
        self.regex.is_match(text)
    }
}

const SPACE: &str =
    r"\t\n\x0b\x0c\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
/// Everything but [`SPACE`].
const NO_SPACE: &str = r"\x00-\x08\x0e-\x1f!-\u{9f}\u{a1}-\u{167f}\u{1681}-\u{1fff}\u{200b}-\u{2027}\u{202a}-\u{202e}\u{2030}-\u{205e}\u{2060}-\u{2fff}\u{3001}-\u{fefe}\u{ff00}-\u{10ffff}";

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    ignore_case: bool,
    dot_all: bool,
    out: String,
}

/// What an escape stands for.
enum Escaped {
    Char(char),
    /// `\d`, `\D`, `\w` and `\W`, which both languages share.
    Class(char),
    Space,
    NoSpace,
}

type Translated<T> = Result<T, &'static str>;

impl Translation<'_> {
    fn run(&mut self) -> Translated<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '.' if self.dot_all => self.out.push_str(r"[\x00-\u{10ffff}]"),
                '.' => self.out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
                '[' => self.class()?,
                '(' => self.group()?,
                ')' | '|' | '^' | '$' | '*' | '+' | '?' => self.out.push(c),
                '{' => self.brace(),
                '\\' => match self.rest.peek() {
                    Some('b' | 'B') => {
                        self.out.push('\\');
                        self.out.extend(self.rest.next());
                    }
                    Some('1'..='9' | 'k') => return Err("back references are not supported"),
                    _ => match self.escape()? {
                        Escaped::Char(c) => self.literal(c),
                        Escaped::Class(class) => self.out.extend(['\\', class]),
                        Escaped::Space => self.out.extend(["[", SPACE, "]"]),
                        Escaped::NoSpace => self.out.extend(["[", NO_SPACE, "]"]),
                    },
                },
                c => self.literal(c),
            }
        }
        Ok(())
    }

    /// After `(`: groups with and without a name; what looks around is not supported.
    fn group(&mut self) -> Translated<()> {
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        match self.rest.next() {
            Some(':') => self.out.push_str("?:"),
            Some('<') if !matches!(self.rest.peek(), Some('=' | '!')) => {
                self.out.push_str("?P<");
                for c in self.rest.by_ref() {
                    self.out.push(c);
                    if c == '>' {
                        break;
                    }
                }
            }
            Some('=' | '!' | '<') => return Err("looking around is not supported"),
            _ => return Err("an unknown kind of group"),
        }
        Ok(())
    }

    /// After `{`: a repetition, if it is written as one; else the character.
    fn brace(&mut self) {
        let counts: String = self.rest.clone().take_while(|c| *c != '}').collect();
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_repetition = match counts.split_once(',') {
            Some((least, most)) => is_count(least) && (most.is_empty() || is_count(most)),
            None => is_count(&counts),
        };
        if is_repetition && self.rest.clone().nth(counts.chars().count()) == Some('}') {
            self.out.push('{');
        } else {
            self.literal('{');
            return;
        }
        for c in self.rest.by_ref() {
            self.out.push(c);
            if c == '}' {
                break;
            }
        }
    }

    /// After `[`.
    fn class(&mut self) -> Translated<()> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            // `[]` matches nothing, `[^]` everything.
            self.out.push_str(if negated { r"[\x00-\u{10ffff}]" } else { r"[^\x00-\u{10ffff}]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            let from = match self.rest.next().ok_or("a class that is never closed")? {
                ']' => break,
                '\\' => self.class_escape()?,
                c => Escaped::Char(c),
            };
            let Escaped::Char(from) = from else {
                self.out_class(&from);
                continue;
            };
            let mut ahead = self.rest.clone();
            if ahead.next() != Some('-') || matches!(ahead.next(), None | Some(']')) {
                self.range(from, from)?;
                continue;
            }
            self.rest.next();
            let to = match self.rest.next().ok_or("a class that is never closed")? {
                '\\' => self.class_escape()?,
                c => Escaped::Char(c),
            };
            match to {
                Escaped::Char(to) => self.range(from, to)?,
                // `[a-\d]` is the three things.
                class => {
                    self.range(from, from)?;
                    self.range('-', '-')?;
                    self.out_class(&class);
                }
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn class_escape(&mut self) -> Translated<Escaped> {
        match self.rest.next_if_eq(&'b') {
            Some(_) => Ok(Escaped::Char('\u{8}')),
            None => self.escape(),
        }
    }

    fn out_class(&mut self, class: &Escaped) {
        match class {
            Escaped::Class(class) => self.out.extend(['\\', *class]),
            Escaped::Space => self.out.push_str(SPACE),
            Escaped::NoSpace => self.out.push_str(NO_SPACE),
            Escaped::Char(c) => write_char(&mut self.out, *c),
        }
    }

    /// After `\`.
    fn escape(&mut self) -> Translated<Escaped> {
        let c = self.rest.next().ok_or("a `\\` at the end")?;
        Ok(Escaped::Char(match c {
            'd' | 'D' | 'w' | 'W' => return Ok(Escaped::Class(c)),
            's' => return Ok(Escaped::Space),
            'S' => return Ok(Escaped::NoSpace),
            'p' | 'P' => return Err("properties are not supported"),
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'f' => '\u{c}',
            '0' => '\0',
            'c' => self
                .rest
                .next_if(char::is_ascii_alphabetic)
                .and_then(|letter| char::from_u32(u32::from(letter) % 32))
                .ok_or("`\\c` without a letter")?,
            'x' => self.hex(2)?,
            'u' if self.rest.next_if_eq(&'{').is_some() => {
                let digits: String = self.rest.by_ref().take_while(|c| *c != '}').collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or("a malformed escape")?
            }
            'u' => self.hex(4)?,
            c => c,
        }))
    }

    fn hex(&mut self, digits: usize) -> Translated<char> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|c| c.to_digit(16)).ok_or("a malformed escape")?;
            code = code * 16 + digit;
        }
        char::from_u32(code).ok_or("half of a surrogate pair")
    }

    fn literal(&mut self, c: char) {
        if self.ignore_case && c.is_alphabetic() {
            self.out.push('[');
            write_char(&mut self.out, c);
            other_cases(c, |other| write_char(&mut self.out, other));
            self.out.push(']');
        } else {
            write_char(&mut self.out, c);
        }
    }

    /// A part of a class, with all that is the same letters under `/i`.
    fn range(&mut self, from: char, to: char) -> Translated<()> {
        if from > to {
            return Err("a range that ends before it begins");
        }
        write_char(&mut self.out, from);
        self.out.push('-');
        write_char(&mut self.out, to);
        // Other spellings outside of the range join as runs, so that the class stays short.
        if self.ignore_case && (from, to) != ('\0', char::MAX) {
            let mut others = Vec::new();
            for c in from..=to {
                other_cases(c, |other| others.push(other));
            }
            others.retain(|other| !(from..=to).contains(other));
            others.sort_unstable();
            others.dedup();
            for run in others.chunk_by(|a, b| u32::from(*a) + 1 == u32::from(*b)) {
                write_char(&mut self.out, run[0]);
                self.out.push('-');
                write_char(&mut self.out, run[run.len() - 1]);
            }
        }
        Ok(())
    }
}

/// Writes a character so that it stands for nothing but itself.
fn write_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        out.push(c);
    } else {
        _ = write!(out, "\\x{:02x}", u32::from(c));
    }
}

/// The other characters with the same canonical spelling: the upper case, if it is one character and does not lead into
/// ASCII.
fn other_cases(c: char, mut found: impl FnMut(char)) {
    if c.is_ascii() {
        if c.is_ascii_alphabetic() {
            found(char::from(c as u8 ^ 0x20));
        }
        return;
    }
    let upper = canonical(c);
    let mut seen = [c; 3];
    let lower = |c: char| single(c.to_lowercase()).unwrap_or(c);
    for (at, other) in [upper, lower(upper), lower(c)].into_iter().enumerate() {
        if !seen.contains(&other) && canonical(other) == upper {
            seen[at] = other;
            found(other);
        }
    }
    // The one letter with two small forms that neither mapping reaches.
    if upper == 'Σ' && c != 'ς' {
        found('ς');
    }
}

fn canonical(c: char) -> char {
    single(c.to_uppercase()).filter(|upper| c.is_ascii() || !upper.is_ascii()).unwrap_or(c)
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_javascript_matches() {
        // Source, flags, text, whether `new RegExp(source, flags).test(text)`.
        for (source, flags, text, matches) in [
            ("^[a-z]+", "i", "Oslo", true),
            ("^[a-z]+", "", "Oslo", false),
            ("^[a-z]+", "i", "İstanbul", false),
            ("^[a-z]+", "i", "\u{17f}o", false),
            ("^k$", "i", "\u{212a}", false),
            ("^É$", "i", "é", true),
            ("^[à-ý]$", "i", "É", true),
            ("^σ$", "i", "ς", true),
            ("^[^a]$", "i", "A", false),
            ("^ß$", "i", "SS", false),
            ("@|:", "", "a:b", true),
            ("\\d{4}-\\d{2}", "", "on 2024-07-10", true),
            ("\\d", "", "٣", false),
            ("\\w", "", "é", false),
            ("\\bfé", "", "café fé", true),
            ("^\\s$", "", "\u{feff}", true),
            ("^\\S$", "", "\u{feff}", false),
            ("^[\\s,]+$", "", " ,\u{a0}", true),
            ("^[^\\s]$", "", "a", true),
            ("a.b", "", "a\nb", false),
            ("a.b", "", "a\u{2028}b", false),
            ("a.b", "s", "a\nb", true),
            ("^[[]$", "", "[", true),
            ("^[a&&b]+$", "", "&", true),
            ("^[\\w-]+$", "", "a-b", true),
            ("^[a\\-z]+$", "", "b", false),
            ("^[\\w-.]+$", "", "a-.", true),
            ("^[^]$", "", "\n", true),
            ("[]", "", "a", false),
            ("a{,2}", "", "a{,2}", true),
            ("^a{2,}$", "", "aaa", true),
            ("^{$", "", "{", true),
            ("^\\u0041\\x42\\u{43}$", "u", "ABC", true),
            ("^\\/path$", "", "/path", true),
            ("^(?<year>\\d+)-(?:x|y)$", "", "2024-y", true),
            ("^b", "m", "a\nb", true),
            ("^b", "", "a\nb", false),
            ("b", "y", "ab", false),
            ("a$", "", "a\n", false),
            ("#\\ -", "", "# -", true),
        ] {
            let pattern = Pattern::new(source, flags).unwrap();
            assert_eq!(pattern.matches(text), matches, "/{source}/{flags} on {text:?}");
        }
    }

    #[test]
    fn what_is_not_supported_says_so() {
        for (source, flags, why) in [
            ("(?=a)", "", "looking around is not supported"),
            ("(?<!a)", "", "looking around is not supported"),
            ("(a)\\1", "", "back references are not supported"),
            ("\\p{L}", "u", "properties are not supported"),
            ("a", "q", "there is no flag `q`"),
            ("[z-a]", "", "a range that ends before it begins"),
            ("[a", "", "a class that is never closed"),
            ("(", "", ""),
            ("a{9999}{9999}", "", ""),
        ] {
            let error = Pattern::new(source, flags).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
