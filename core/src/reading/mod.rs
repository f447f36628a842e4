//! Reads words, numbers, amounts, dates and times of day from texts, in the languages of `core/languages/`.
//!
//! Everything reads text [folded](words::fold) once. What words mean is looked up in `vocabulary.rs`; number words of a
//! language other than English count only in texts that `spoken.rs` finds to be in that language.

pub mod aliases;
pub mod calendar;
mod clock;
pub mod codes;
mod counts;
pub mod date;
pub mod dates;
mod days_on;
mod digits;
mod duration;
mod figure;
mod number_words;
pub mod numbers;
mod relative_days;
mod spelled;
pub mod spoken;
pub mod units;
mod vocabulary;
mod word;
pub mod words;

use dates::Times;
use numbers::Figures;
use vocabulary::Word;

/// Adds what a text says in numbers and in times; `folded` is that text [folded](words::fold). Each word is looked up once for both.
pub fn read(text: &str, folded: &str, figures: &mut Figures, times: &mut Times) {
    let words = Word::all(folded, figures.languages());
    figures.read_words(text, folded, &words);
    times.read_words(text, folded, &words);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::dates::TimeMatch;
    use super::numbers::Measured;
    use super::units::Unit;
    use super::words::fold;
    use super::*;

    /// Whether texts, the first of which says which day it is, tell a value.
    fn tells(today: &str, text: &str, value: &str, unit: &str) -> bool {
        let (mut figures, mut times) = (Figures::default(), Times::default());
        for text in [today, text].into_iter().filter(|text| *text != "-") {
            read(text, &fold(text), &mut figures, &mut times);
        }
        if unit != "-" {
            let number = value.parse().unwrap();
            return matches!(
                figures.in_unit(number, || Unit::of_word(unit)),
                Some(Measured::Same | Measured::Converted(_))
            );
        }
        if super::dates::is_weekday(value) || value.len() == 3 {
            return times.tells_weekday(value);
        }
        let mut wanted = Times::default();
        wanted.read(value, &fold(value));
        matches!(times.explain(&wanted), Some(TimeMatch::Told | TimeMatch::Possible))
    }

    #[test]
    fn times_are_read_in_every_language() {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut wrong = Vec::new();
        for line in include_str!("../../tests/cases/times.tsv").lines().filter(|line| !line.starts_with('#'))
        {
            let parts: Vec<&str> = line.split('\t').collect();
            let [language, today, text, value, unit, told] = parts[..] else { panic!("{line}") };
            let count = counts.entry(language).or_default();
            count.1 += 1;
            if tells(today, text, value, unit) == (told == "told") {
                count.0 += 1;
            } else {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{counts:?}\n{}", wrong.join("\n"));
    }
}
