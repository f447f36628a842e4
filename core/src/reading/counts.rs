//! A number where a length or an hour is expected: `three`, `two and a half`, `paune chhah`, `一个半`.

use super::vocabulary::{Role, Word};

/// The number that words say from `at` on, and how many of them do.
pub(super) fn count(words: &[Word], at: usize) -> Option<(f64, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    for (role, more) in [(Role::HalfMore, 0.5), (Role::QuarterMore, 0.25), (Role::QuarterLess, -0.25)] {
        if word(0).is(role) {
            return match whole(words, at + 1) {
                Some((number, length)) => Some((number + more, length + 1)),
                // `sava ghanta` is a quarter more than one.
                None => word(1).means.unit.map(|_| (1.0 + more, 1)),
            };
        }
    }
    let (number, length) = whole(words, at)?;
    if let Some(parts) = word(length).means.fraction.filter(|_| number.fract() == 0.0) {
        return Some((number / parts, length + 1));
    }
    if number < 1.0 || number.fract() != 0.0 {
        return Some((number, length));
    }
    let behind = length + usize::from(word(length).is(Role::AmountLink) && !word(length).text.is_ascii());
    if let Some((more, own)) = part_behind(words, at + behind) {
        return Some((number + more, behind + own));
    }
    Some((number, length))
}

/// What stands behind a number or a unit and adds a part of one to it: `and a half`, `et quart`, `半`.
pub(super) fn part_behind(words: &[Word], at: usize) -> Option<(f64, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    if word(0).is(Role::HalfBehind) {
        return Some((0.5, 1));
    }
    if word(0).is(Role::QuarterBehind) {
        return Some((0.25, 1));
    }
    if !word(0).is(Role::And) {
        return None;
    }
    let skip = 1 + usize::from(word(1).is(Role::One) && part(word(1)).is_none());
    if word(skip).is(Role::HalfBehind) {
        return Some((0.5, skip + 1));
    }
    if let Some(more) = part(word(skip)) {
        return Some((more, skip + 1));
    }
    let (number, length) = whole(words, at + 1)?;
    let parts = word(1 + length).means.fraction?;
    (number < parts).then_some((number / parts, 2 + length))
}

/// A half, a quarter or three quarters in one word.
pub(super) fn part(word: Word) -> Option<f64> {
    let number = word.means.number(word.spoken).filter(|number| matches!(number, 0.25 | 0.5 | 0.75));
    match () {
        () if number.is_some() => number,
        () if word.is(Role::Half) => Some(0.5),
        () if word.is(Role::Quarter) => Some(0.25),
        () => None,
    }
}

/// A number in digits, in one word, in tens and ones, or in signs.
fn whole(words: &[Word], at: usize) -> Option<(f64, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    if word(0).has_digits() {
        return word(0).text.parse().ok().filter(|_| word(0).text.len() <= 4).map(|number| (number, 1));
    }
    let number = |n: usize| word(n).means.number(word(n).spoken).filter(|number| *number < 1_000.0);
    let first = number(0)?;
    let one = |n: usize| number(n).filter(|number| (1.0..10.0).contains(number) && number.fract() == 0.0);
    // Tens are told by what stands around them where words are signs or syllables.
    if !word(0).text.is_ascii() && first < 10.0 && first.fract() == 0.0 && number(1) == Some(10.0) {
        return Some(one(2).map_or((first * 10.0, 2), |one| (first * 10.0 + one, 3)));
    }
    if first == 10.0
        && !word(0).text.is_ascii()
        && let Some(one) = one(1)
    {
        return Some((10.0 + one, 2));
    }
    if (20.0..100.0).contains(&first) && first % 10.0 == 0.0 {
        let skip = 1 + usize::from(word(1).is(Role::And));
        if let Some(one) = one(skip) {
            return Some((first + one, skip + 1));
        }
    }
    Some((first, 1))
}
