//! A calendar date, in figures and words.

use super::calendar::Day;
use super::vocabulary::{Role, Word};

/// A calendar date, perhaps without its year or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    pub year: Option<i32>,
    pub month: u32,
    pub day: Option<u32>,
}

impl Date {
    /// Whether both can mean the same day, or one the month of the other.
    pub fn agrees(self, other: Date) -> bool {
        fn either<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        self.month == other.month && either(self.day, other.day) && either(self.year, other.year)
    }
}

/// Reads a date at the start of some words, in each way it can be meant; gives back its length.
/// `before` is the word before them.
pub(super) fn read_date(words: &[Word], before: Word, dates: &mut Vec<Date>) -> usize {
    let word = |n: usize| Word::at(words, n);
    let number = |word: Word| word.text.parse::<u32>().ok().filter(|_| word.text.len() <= 4);
    // The Buddhist era is 543 years ahead.
    let era = |year: u32| if (2400..2700).contains(&year) { year - 543 } else { year };
    let year = |word: Word| number(word).map(era).filter(|y| (1000..2200).contains(y)).map(|y| y as i32);
    let day = |word: Word| number(word).filter(|d| (1..=31).contains(d));
    // `5th` folds to `5 th`.
    let filler = |word: Word| word.is(Role::Ordinal) || word.is(Role::DateLink);
    let skip = |from: usize| from + (from..from + 3).take_while(|n| filler(word(*n))).count();
    let (then, after) = (skip(1), skip(skip(1) + 1));
    if let Some(month) = word(0).means.month.filter(|_| !is_other_word(word(0), before, word(then))) {
        let (day, year, length) = match (day(word(then)), year(word(then))) {
            (Some(day), _) => match year(word(after)) {
                Some(year) => (Some(day), Some(year), after + 1),
                None => (Some(day), None, then + 1),
            },
            (None, Some(year)) => (None, Some(year), then + 1),
            (None, None) => (None, None, 1),
        };
        dates.push(Date { year, month, day });
        return length;
    }
    if let (Some(day), Some(month)) = (day(word(0)), word(then).means.month) {
        let year = year(word(after));
        dates.push(Date { year, month, day: Some(day) });
        return if year.is_some() { after + 1 } else { then + 1 };
    }
    // `2026. november 24.`
    if let (Some(year), Some(month), Some(day)) = (year(word(0)), word(1).means.month, day(word(skip(2)))) {
        dates.push(Date { year: Some(year), month, day: Some(day) });
        return skip(2) + 1;
    }
    if let Some((date, length)) = signed_date(words) {
        dates.push(date);
        return length;
    }
    let (Some(x), Some(y), Some(z)) = (number(word(0)), number(word(1)), number(word(2))) else { return 0 };
    let (x, z) = if word(0).text.len() == 4 { (era(x), z) } else { (x, era(z)) };
    let before = dates.len();
    let mut push = |year: u32, month: u32, day: u32| {
        if (1..=12).contains(&month) && (1..=31).contains(&day) {
            let year = if year < 100 { 2000 + year } else { year };
            let date = Date { year: Some(year as i32), month, day: Some(day) };
            if !dates[before..].contains(&date) {
                dates.push(date);
            }
        }
    };
    if word(0).text.len() == 4 {
        push(x, y, z);
    } else {
        push(z, x, y);
        push(z, y, x);
    }
    if dates.len() > before { 3 } else { 0 }
}

/// `2026年11月24日`, `11월 24일`, `24 tháng 11 năm 2026`, `20261124`.
fn signed_date(words: &[Word]) -> Option<(Date, usize)> {
    let word = |n: usize| Word::at(words, n);
    let number = |n: usize, most: u32| {
        let text = word(n).text;
        text.parse::<u32>().ok().filter(|number| (1..=most).contains(number) && text.len() <= 4)
    };
    let text = word(0).text;
    if text.len() == 8 && text.starts_with("20") && word(0).has_digits() {
        let (year, month, day) = (text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?);
        Day::of(year, month, day)?;
        return Some((Date { year: Some(year), month, day: Some(day) }, 1));
    }
    if word(1).is(Role::MonthBefore) {
        let (day, month) = (number(0, 31)?, number(2, 12)?);
        let year = number(4, 2_200).filter(|year| *year > 1_000).map(|year| year as i32);
        return Some((Date { year, month, day: Some(day) }, if year.is_some() { 5 } else { 3 }));
    }
    let year = number(0, 2_200).filter(|year| *year > 1_000 && word(1).is(Role::YearSign));
    let at = if year.is_some() { 2 } else { 0 };
    let month = number(at, 12).filter(|_| word(at + 1).is(Role::MonthSign))?;
    let day = number(at + 2, 31).filter(|_| word(at + 3).is(Role::DaySign) || year.is_some());
    let length = at + 2 + day.map_or(0, |_| 1 + usize::from(word(at + 3).is(Role::DaySign)));
    Some((Date { year: year.map(|year| year as i32), month, day }, length))
}

/// Whether a month's name is another word where it stands: `May I`, `march on`, `to Mars`, `Marco`.
fn is_other_word(word: Word, before: Word, behind: Word) -> bool {
    let told = behind.has_digits()
        || before.is(Role::MonthPreposition)
        || before.has_digits()
        || before.is(Role::Ordinal);
    let ambiguous = match word.text {
        // A planet and sweets in English.
        "mars" => !told || matches!(before.text, "of" | "for" | "from" | "in"),
        _ => word.is(Role::AmbiguousMonth) && !told,
    };
    // `to March` may be the end of a span.
    ambiguous && !(word.text == "march" && before.text == "and")
}
