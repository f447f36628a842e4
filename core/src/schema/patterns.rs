//! Bounds the memory of a schema's patterns: `\p{L}{180}` takes nine megabytes, and a schema may hold many such patterns.

use std::collections::HashSet;

use crate::domain::Json;

/// Bytes that one pattern may become: `^.{1,500}$` takes half a megabyte.
const MAX_PATTERN_BYTES: usize = 10 << 20;
/// The same of all patterns of one schema.
const MAX_BYTES: usize = 100 << 20;

// What an engine makes at most of a letter, of a class in ASCII, of any character, and of a class beyond ASCII.
const LETTER: usize = 120;
const CLASS: usize = 600;
const ANY: usize = 1_100;
const WIDE_CLASS: usize = 70_000;

/// What all patterns of a schema take, and what each may at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patterns {
    pub bytes: usize,
    pub max_bytes: usize,
}

impl Patterns {
    /// Ordinary patterns are known to be small; where they are not, what all may take is shared among the engines of all.
    pub(super) fn of(schema: &Json) -> Patterns {
        let mut patterns = HashSet::new();
        collect(schema, &mut patterns);
        let bytes = patterns.iter().fold(0_usize, |sum, pattern| sum.saturating_add(bytes(pattern)));
        let max_bytes = if bytes <= MAX_BYTES {
            MAX_PATTERN_BYTES
        } else {
            MAX_PATTERN_BYTES
                .min(MAX_BYTES / patterns.iter().map(|pattern| engines(pattern)).sum::<usize>().max(1))
        };
        Patterns { bytes: bytes.min(MAX_BYTES), max_bytes }
    }

    /// Whether they are so large together that each gets less room than a single pattern would.
    pub(super) fn are_bounded(&self) -> bool {
        self.max_bytes < MAX_PATTERN_BYTES
    }
}

fn collect<'a>(json: &'a Json, patterns: &mut HashSet<&'a str>) {
    match json {
        Json::Object(object) => {
            for (key, value) in object.iter() {
                match key {
                    "pattern" => patterns.extend(value.as_str()),
                    "patternProperties" => {
                        patterns
                            .extend(value.as_object().into_iter().flat_map(|by_pattern| by_pattern.keys()));
                    }
                    _ => {}
                }
                collect(value, patterns);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, patterns)),
        _ => {}
    }
}

/// Parts of a pattern that get an engine each: looking around and back splits it.
fn engines(pattern: &str) -> usize {
    let splits = pattern.contains("(?") || pattern.contains('\\');
    1 + if splits { pattern.matches(['(', '|', '\\']).count() } else { 0 }
}

/// What a pattern becomes at most, by its letters, classes and counts. A pattern that is none counts as if it were one.
fn bytes(pattern: &str) -> usize {
    // Of each group that is open.
    let mut groups = vec![0_usize];
    let mut last = 0_usize;
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let atom = match c {
            '(' => {
                groups.push(0);
                last = 0;
                continue;
            }
            ')' if groups.len() > 1 => groups.pop().unwrap_or_default(),
            '{' => {
                let text = rest.as_str();
                let counts = text.split('}').next().unwrap_or_default();
                let times = counts.split(',').filter_map(|count| count.trim().parse::<usize>().ok()).max();
                if let (Some(times), true) = (times, counts.len() < text.len()) {
                    let more = last.saturating_mul(times.max(1) - 1 + usize::from(counts.ends_with(',')));
                    if let Some(group) = groups.last_mut() {
                        *group = group.saturating_add(more);
                    }
                    last = last.saturating_add(more);
                    rest = text[counts.len() + 1..].chars();
                    continue;
                }
                LETTER
            }
            '[' => {
                let class = class(rest.as_str());
                rest = rest.as_str()[class.len()..].chars();
                let is_wide = class.starts_with('^') || !class.is_ascii() || class.contains('\\');
                if is_wide { WIDE_CLASS } else { CLASS }
            }
            '\\' => match rest.next() {
                // `\p{L}`
                Some('p' | 'P') => {
                    let name = rest.as_str().strip_prefix('{').and_then(|text| text.find('}'));
                    rest = rest.as_str()[name.map_or(0, |length| length + 2)..].chars();
                    WIDE_CLASS
                }
                Some('W' | 'D' | 'S' | 'w' | 'd' | 's') => ANY,
                _ => LETTER,
            },
            '.' => ANY,
            '*' | '+' | '?' | '|' | '^' | '$' => {
                last = last.max(LETTER);
                LETTER
            }
            _ => LETTER,
        };
        if !matches!(c, '*' | '+' | '?') {
            last = atom;
        }
        if let Some(group) = groups.last_mut() {
            *group = group.saturating_add(atom);
        }
    }
    groups.into_iter().fold(0, usize::saturating_add)
}

/// The text of a class up to its end: `a-z]`.
fn class(text: &str) -> &str {
    let mut escaped = false;
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => depth += 1,
            ']' if depth == 0 => return &text[..=at],
            ']' => depth -= 1,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(patterns: &[String]) -> Patterns {
        let property = |(at, pattern): (usize, &String)| {
            let mut schema = crate::domain::Object::new();
            schema.insert("pattern", pattern.as_str());
            (format!("p{at}"), Json::Object(schema))
        };
        let properties = patterns.iter().enumerate().map(property).collect();
        Patterns::of(&Json::Object(
            [("properties".to_owned(), Json::Object(properties))].into_iter().collect(),
        ))
    }

    #[test]
    fn what_all_may_take_is_shared_where_they_are_large() {
        let ordinary = [
            r"^[A-Za-z0-9_.-]{1,128}$",
            r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$",
            r"^[^\s@]+@[^\s@]+\.[a-z]{2,}$",
            r"^(?!\s).{1,500}$",
            r"^\p{L}[\p{L}\p{N} '-]{0,39}$",
            // Names of people, as forms have them.
            r"^[\p{L}\p{M} '-]{1,100}$",
            r"^[\p{L}\p{M} '-]{1,99}$",
            r"^\p{L}[\p{L}\p{M}\p{N} '.-]{0,63}$",
            r"^\p{L}[\p{L}\p{M}\p{N} '.-]{0,127}$",
        ];
        let ordinary: Vec<String> = ordinary.map(str::to_owned).into();
        assert_eq!(of(&ordinary).max_bytes, MAX_PATTERN_BYTES);
        let small: Vec<String> = (0..2_000).map(|at| format!("^[a-z]+-{at}$")).collect();
        assert_eq!(of(&small).max_bytes, MAX_PATTERN_BYTES);
        assert_eq!(of(&[r"^\p{L}{180}$".to_owned()]).max_bytes, MAX_PATTERN_BYTES);

        let large: Vec<String> = (0..100).map(|at| format!(r"^\p{{L}}{{{}}}$", 100 + at)).collect();
        let nested: Vec<String> = (0..100).map(|at| format!("((a{at}|b){{100}}){{100,}}")).collect();
        let around: String = (0..100).map(|at| format!(r"(?=\p{{L}}{{{}}})", 100 + at)).collect();
        for patterns in [&large[..], &nested[..], &[around]] {
            let of = of(patterns);
            assert!(of.max_bytes <= MAX_BYTES / 100, "{of:?}");
            assert_eq!(of.bytes, MAX_BYTES);
        }
        let by_name = large.iter().map(|pattern| (pattern.clone(), Json::Bool(true))).collect();
        let mut schema = crate::domain::Object::new();
        schema.insert("patternProperties", Json::Object(by_name));
        assert!(Patterns::of(&Json::Object(schema)).max_bytes <= MAX_BYTES / 100);
    }

    /// What a pattern cannot be read as counts as well.
    #[test]
    fn no_pattern_is_too_broken_to_be_counted() {
        for pattern in [
            "",
            "(",
            ")",
            "[",
            "[^",
            "{",
            "a{",
            "a{,}",
            "a{9",
            "a{99999999999999999999}",
            "\\",
            "(?",
            "a{2}{3}",
            "[]]",
        ] {
            assert!(bytes(pattern) < WIDE_CLASS * 2, "{pattern}");
        }
        assert_eq!(bytes(&"(".repeat(9)), 0);
        assert_eq!(bytes(&format!("{}a{}", "(".repeat(40), "){1000}".repeat(40))), usize::MAX);
    }
}
