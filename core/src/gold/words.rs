//! The words of questions and names, and typos of them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::random::Random;
use super::{dates, decimal::Decimal};
use crate::domain::Number;
use crate::language::english;

/// Words that say little: no value and no neighbour of one is among them.
static LITTLE: LazyLock<HashSet<&str>> = LazyLock::new(|| english().text.little.iter().collect());

/// The words of a text: letters and digits, with what joins them within (`it's`, `co-op`, `3.5`).
pub(super) fn words(text: &str) -> Vec<&str> {
    let is_edge = |c: char| !c.is_alphanumeric();
    let pieces = text.split(|c: char| c.is_whitespace() || "()[]{}\"“”,;:!?<>|=".contains(c));
    pieces.map(|piece| piece.trim_matches(is_edge)).filter(|piece| !piece.is_empty()).collect()
}

pub(super) fn says_little(word: &str) -> bool {
    LITTLE.contains(word.to_lowercase().as_str())
}

/// The parts of a name: `get_userName.byId` is `get`, `user`, `name`, `by`, `id`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            parts.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Runs of capitalised words, as names of people, places and things are written; months, weekdays and the first word of a
/// sentence, if it stands alone, are none.
pub(super) fn proper_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for sentence in text.split_inclusive(['.', '?', '!', '\n']) {
        let words = words(sentence);
        let is_name = |word: &str| {
            let capital = word.chars().next().is_some_and(char::is_uppercase);
            capital && !says_little(word) && !word.starts_with("I'") && !dates::is_date(word)
        };
        let mut at = 0;
        while at < words.len() {
            let run = words[at..].iter().take_while(|word| is_name(word)).count();
            if run > 1 || (run == 1 && at > 0) {
                // A comma or the like between words ends a name.
                let name = words[at..at + run].join(" ");
                match sentence.contains(&name) {
                    true => names.push(name),
                    false => names.extend(words[at..at + run].iter().map(|word| (*word).to_owned())),
                }
            }
            at += run.max(1);
        }
    }
    names.dedup();
    names
}

/// The numbers in a text, in order: `$1,200.50`, `5%` and `100g`, no parts of dates, codes and versions.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        at += digits(at);
        while bytes.get(at) == Some(&b',') && digits(at + 1) == 3 {
            at += 4;
        }
        if bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
        }
        let before = text[..start].chars().next_back();
        let joined = |c: char| c.is_alphanumeric() || "._/:".contains(c);
        let goes_on = bytes.get(at).is_some_and(|byte| b"-/:.,".contains(byte))
            && digits(at + 1) > 0
            && bytes[at] != b',';
        let dashed = before == Some('-');
        let negative = dashed && !text[..start - 1].ends_with(|c: char| c.is_alphanumeric());
        if before.is_some_and(joined) || goes_on || (dashed && !negative) {
            continue;
        }
        let number = format!("{}{}", if negative { "-" } else { "" }, text[start..at].replace(',', ""));
        numbers.extend(Number::parse(&number));
    }
    numbers
}

/// Something near to `value` that is something else: its neighbours in the question, another name or word from there, less of
/// it, another number in it, a name misspelt. Likelier are those that a hasty reader would write. The plural of a word is
/// the same to most readers.
pub(super) fn near_miss(value: &str, question: &str, random: &mut Random) -> Option<String> {
    if dates::is_date(value) || value.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return None;
    }
    let mut found: Vec<(usize, String)> = Vec::new();
    found.extend(moved_along(value, question).into_iter().map(|text| (4, text)));
    if value.chars().next().is_some_and(char::is_uppercase) {
        let length = words(value).len();
        // A part of the value, or what it is a part of, may be as right.
        let within = |a: &str, b: &str| a.to_lowercase().contains(&b.to_lowercase());
        let is_other = |name: &String| {
            words(name).len().abs_diff(length) <= 1 && !within(value, name) && !within(name, value)
        };
        let others = proper_names(question).into_iter().filter(is_other);
        found.extend(others.map(|text| (4, text)));
    }
    found.extend(shortened(value).into_iter().map(|text| (2, text)));
    found.extend(renumbered(value, random).map(|text| (3, text)));
    let is_name = value.chars().any(|c| c.is_uppercase() || c.is_ascii_digit());
    // Common words are not misspelt, but taken for others.
    match is_name {
        true => found.extend(mistyped(value, random).map(|text| (1, text))),
        false => found.extend(elsewhere(value, question).into_iter().map(|text| (1, text))),
    }
    let same = |text: &str| singular(text) == singular(value) || value.is_empty();
    found.retain(|(_, text)| !same(text) && text.chars().any(char::is_alphanumeric));
    random.weighted(found)
}

/// The words of the question one place before and after where the value stands in it.
fn moved_along(value: &str, question: &str) -> Vec<String> {
    let (own, all) = (words(value), words(question));
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let Some(at) = all
        .windows(own.len().max(1))
        .position(|window| !own.is_empty() && window.iter().zip(&own).all(|(a, b)| same(a, b)))
    else {
        return Vec::new();
    };
    let fits = |word: &str| {
        let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        word.chars().count() > 3
            && !says_little(word)
            && capital(word) == capital(own[0])
            && word.chars().all(char::is_alphabetic)
    };
    let before = at.checked_sub(1).filter(|before| fits(all[*before]));
    let after = Some(at + own.len()).filter(|after| all.get(*after).is_some_and(|word| fits(word)));
    let windows = [before.map(|from| (from, at + own.len() - 1)), after.map(|last| (at + 1, last + 1))];
    windows.into_iter().flatten().map(|(from, to)| all[from..to].join(" ")).collect()
}

/// Without the last or the first of several words. What has a comma in it is no less right without what follows that, as
/// a city is without its country.
fn shortened(value: &str) -> Vec<String> {
    if value.contains(',') {
        return Vec::new();
    }
    let says_something =
        |part: &&str| words(part).iter().any(|word| !says_little(word) && word.chars().count() > 2);
    let cut = [value.rsplit_once(' ').map(|(head, _)| head), value.split_once(' ').map(|(_, tail)| tail)];
    cut.into_iter().flatten().map(str::trim).filter(says_something).map(str::to_owned).collect()
}

/// One of the numbers in it one more or less.
fn renumbered(value: &str, random: &mut Random) -> Option<String> {
    let start = value.find(|c: char| c.is_ascii_digit())?;
    let length = value[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len() - start);
    let digits = &value[start..start + length];
    // Phone numbers, codes and the like are no counts, but as wrong with another last digit.
    let number = Decimal::read(&Number::parse(digits.trim_start_matches('0'))?)?;
    let other = number.stepped(number.is_zero() || random.flip()).text();
    let other = format!("{other:0>length$}");
    Some(format!("{}{other}{}", &value[..start], &value[start + length..]))
}

/// In small letters and without the last word's plural, so that two texts that differ in no more are the same.
fn singular(text: &str) -> String {
    let text = text.to_lowercase();
    let stem = text.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let stem = stem.or_else(|| {
        let stem = text.strip_suffix("es")?;
        ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end)).then(|| stem.to_owned())
    });
    let plain = || text.strip_suffix('s').filter(|stem| !stem.ends_with('s')).map(str::to_owned);
    stem.or_else(plain).unwrap_or(text.clone())
}

/// For one word, the other words of the question that say something.
fn elsewhere(value: &str, question: &str) -> Vec<String> {
    if words(value).len() != 1 {
        return Vec::new();
    }
    let fits =
        |word: &&str| word.chars().count() > 4 && word.chars().all(char::is_lowercase) && !says_little(word);
    words(question).into_iter().filter(fits).map(str::to_owned).collect()
}

/// Two different letters within a word change places.
fn mistyped(value: &str, random: &mut Random) -> Option<String> {
    let chars: Vec<char> = value.chars().collect();
    let inner = |at: &usize| {
        let letters = chars[at - 1..at + 2].iter().all(|c| c.is_alphabetic());
        letters && chars[*at].to_lowercase().ne(chars[at + 1].to_lowercase())
    };
    let places: Vec<usize> = (1..chars.len().saturating_sub(1)).filter(inner).collect();
    if chars.len() < 5 {
        return None;
    }
    let at = *random.pick(&places)?;
    let mut chars = chars;
    chars.swap(at, at + 1);
    Some(chars.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_parts_and_names() {
        assert_eq!(
            words("What's (the) weather, in \"São Paulo\"? 3.5!"),
            ["What's", "the", "weather", "in", "São", "Paulo", "3.5"]
        );
        assert_eq!(parts("get_userName.byId"), ["get", "user", "name", "by", "id"]);
        assert_eq!(parts("__"), Vec::<String>::new());
        assert_eq!(
            proper_names(
                "In May I'm to book a flight from New York to Rome, Italy. Then call Bob! What is it?"
            ),
            ["New York", "Rome", "Italy", "Bob"]
        );
        let numbers: Vec<String> =
            numbers("Pay $1,200.50 for 3 nights at 5% on 2024-01-02, 10:30, v1.2.3, A7, [-4,10].")
                .iter()
                .map(|n| n.as_str().to_owned())
                .collect();
        assert_eq!(numbers, ["1200.50", "3", "5", "-4", "10"]);
    }

    #[test]
    fn a_plural_is_no_miss() {
        for (one, other) in
            [("family", "families"), ("class", "classes"), ("hotel", "hotels"), ("blue cars", "Blue car")]
        {
            assert_eq!(singular(one), singular(other));
        }
        assert_ne!(singular("glass"), singular("gla"));
        let question = "Find hotels with rooms for my family near the station";
        for (value, plural) in [("family", "families"), ("hotels", "hotel"), ("rooms", "room")] {
            for seed in 0..60 {
                let near = near_miss(value, question, &mut Random::of(seed, &[])).unwrap();
                assert!(near != plural && near != value, "{near}");
            }
        }
    }

    #[test]
    fn near_misses_are_near_and_misses() {
        let question =
            "Find hotels near the Golden Gate Bridge in San Francisco or flights to Boston for 2 guests";
        for (value, among) in [
            ("Boston", vec!["San Francisco", "Bsoton", "Botson", "Bosotn"]),
            (
                "Golden Gate",
                vec!["Gate Bridge", "Golden", "Gate", "Golden Gate Bridge", "San Francisco", "Boston"],
            ),
            ("room 12", vec!["room", "room 11", "room 13", "romo 12"]),
        ] {
            let mut seen = std::collections::BTreeSet::new();
            for seed in 0..200 {
                let text = near_miss(value, question, &mut Random::of(seed, &[])).unwrap();
                assert_ne!(text, value);
                seen.insert(text);
            }
            let expected = among.iter().filter(|text| seen.contains(**text)).count();
            assert!(expected >= 3 && expected <= among.len(), "{value}: {seen:?}");
        }
        for value in ["", "5", "ab", "2024-05-01", "12:30"] {
            assert_eq!(near_miss(value, question, &mut Random::of(1, &[])), None, "{value}");
        }
    }
}
