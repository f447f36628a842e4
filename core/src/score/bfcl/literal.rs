//! Pieces of source code in Java and JavaScript, as the peer's patterns find them.
//!
//! Where a pattern ends a text it also ends before one line break, and a digit is one of any script.

use memchr::memchr2;

use crate::python::{is_digit, is_space};

/// A whole number with one of these letters after it (none: without a letter); gives the number without the letter.
pub fn whole<'t>(text: &'t str, suffix: &[char]) -> Option<&'t str> {
    let body = without(text, suffix)?;
    let rest = digits(body.strip_prefix('-').unwrap_or(body))?;
    rest.is_empty().then_some(body)
}

/// A number that may have a fraction and, where that is allowed, an exponent.
pub fn fractional<'t>(text: &'t str, suffix: &[char], exponent: bool) -> Option<&'t str> {
    let body = without(text, suffix)?;
    let mut rest = digits(body.strip_prefix('-').unwrap_or(body))?;
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = digits(fraction)?;
    }
    if let (true, Some(power)) = (exponent, rest.strip_prefix(['e', 'E'])) {
        rest = digits(power.strip_prefix(['+', '-']).unwrap_or(power))?;
    }
    rest.is_empty().then_some(body)
}

fn without<'t>(text: &'t str, suffix: &[char]) -> Option<&'t str> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    if suffix.is_empty() { Some(line) } else { line.strip_suffix(suffix) }
}

/// What follows one digit or more.
fn digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_digit);
    (rest.len() < text.len()).then_some(rest)
}

/// What follows white space, if there is any.
pub fn skip(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// What follows `new` and a name.
pub fn constructor<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let rest = text.strip_prefix("new")?;
    skip(rest).strip_prefix(name).filter(|_| rest.starts_with(is_space))
}

/// The text up to the first `end`, and what follows it; no line break stands before it.
pub fn until<'t>(text: &'t str, end: &str) -> Option<(&'t str, &'t str)> {
    split_from(text, 0, end)
}

/// As [`until`], but at least one character stands before the end, be it like the end itself.
pub fn some_until<'t>(text: &'t str, end: &str) -> Option<(&'t str, &'t str)> {
    let first = text.chars().next().filter(|char| *char != '\n')?;
    split_from(text, first.len_utf8(), end)
}

/// Looks no further than it must, so that finding piece after piece takes one pass.
fn split_from<'t>(text: &'t str, from: usize, end: &str) -> Option<(&'t str, &'t str)> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += memchr2(b'\n', *end.as_bytes().first()?, &bytes[at..])?;
        if bytes[at..].starts_with(end.as_bytes()) {
            return Some((&text[..at], &text[at + end.len()..]));
        }
        if bytes[at] == b'\n' {
            return None;
        }
        at += 1;
    }
}

/// What follows the line that the text begins with.
pub fn next_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// The first of several ends of one text, each shorter than the one before, of which `close` takes something. Where it
/// takes nothing, there is no end to be found in that line, so other ends that begin in it are not tried.
pub fn first_closed<'t, T>(
    mut bodies: impl Iterator<Item = &'t str>,
    close: impl Fn(&'t str) -> Option<T>,
) -> Option<T> {
    // How much of the text follows the line without an end.
    let mut rest = usize::MAX;
    bodies.find_map(|body| {
        if body.len() > rest {
            return None;
        }
        close(body).or_else(|| {
            rest = next_line(body).len();
            None
        })
    })
}
