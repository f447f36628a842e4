//! Lengths of time in words: `an hour and a quarter`, `anderthalb Stunden`, `trois quarts d'heure`, `3h 15`.

use super::counts::{count, part, part_behind};
use super::units::Unit;
use super::vocabulary::{Role, Word};

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duration {
    pub value: f64,
    pub unit: Unit,
    /// Whether it is told by more than a number and its unit.
    pub composed: bool,
}

impl Duration {
    /// In minutes; months have none.
    pub fn minutes(self) -> Option<f64> {
        let minute = Unit::named("minute").filter(|minute| minute.is_like(self.unit))?;
        Some(self.unit.convert(self.value, minute))
    }
}

/// Reads a length from `at` on; gives back how many words say it.
pub(super) fn read(words: &[Word], at: usize) -> Option<(Duration, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    if let Some(minutes) = word(0).means.length.filter(|minutes| minutes % 60.0 != 0.0) {
        return Some((Duration { value: minutes, unit: Unit::named("minute")?, composed: true }, 1));
    }
    let mut composed = false;
    let hours = word(0).means.length.map(|minutes| minutes / 60.0);
    let (mut value, unit, mut end) = match count(words, at) {
        _ if hours.is_some() => (hours?, Unit::named("hour")?, at + 1),
        Some((number, length)) => {
            let mut end = at + length;
            // `half an hour`, but not `180 a night`.
            let whole = number.fract() == 0.0;
            let link =
                |n: &usize| is_link(Word::at(words, *n)) && !(whole && Word::at(words, *n).is(Role::One));
            end += (end..end + 3).take_while(link).count();
            composed = number.fract() != 0.0 || length > 1;
            if let Some(minutes) = Word::at(words, end).means.length {
                // `drie kwartier`.
                let duration =
                    Duration { value: number * minutes, unit: Unit::named("minute")?, composed: true };
                return Some((duration, end + 1 - at));
            }
            match unit(Word::at(words, end)) {
                Some(unit) => (number, unit, end + 1),
                // `satu jam`, but `one and a half` alone is no length; `an hour` is.
                None if word(0).is(Role::One) => (1.0, unit_behind_one(words, at)?, at + 2),
                None => return None,
            }
        }
        None if word(0).is(Role::One) => (1.0, unit_behind_one(words, at)?, at + 2),
        // `hora y media`: one goes without saying before a part.
        None => {
            let unit = unit(word(0)).filter(|_| word(0).text.len() > 1)?;
            if part_behind(words, at + 1).is_none()
                && less_part(words, at + 1).is_none()
                && !counted_minutes(words, at + 1)
            {
                return None;
            }
            (1.0, unit, at + 1)
        }
    };
    let mut smallest = unit;
    while end < at + MAX_WORDS {
        if let Some((more, length)) = part_behind(words, end).or_else(|| less_part(words, end)) {
            // `an hour and a half minute` is hardly said: the half is of the unit before it.
            let follows = Word::at(words, end + length);
            if more > 0.0 && self::unit(follows).is_some_and(|own| smallest.goes_before(own)) {
                value += self::unit(follows)?.convert(more, unit);
                end += length + 1;
            } else if more > 0.0 && self::unit(follows).is_some() {
                // `4일부터 반년`: that is a length of its own.
                break;
            } else {
                value += smallest.convert(more, unit);
                end += length;
            }
            composed = true;
            break;
        }
        let skip = usize::from(Word::at(words, end).is(Role::And));
        let Some((number, length)) = count(words, end + skip) else { break };
        let mut behind = end + skip + length;
        behind += (behind..behind + 2).take_while(|n| is_link(Word::at(words, *n))).count();
        match self::unit(Word::at(words, behind)) {
            Some(own) if smallest.goes_before(own) => {
                value += own.convert(number, unit);
                smallest = own;
                end = behind + 1;
            }
            None if skip == 0 && is_hour(smallest) && number < 60.0 && number.fract() == 0.0 => {
                value += number / 60.0 * smallest.convert(1.0, unit);
                composed = true;
                end = behind;
                break;
            }
            _ => break,
        }
        composed = true;
    }
    Some((Duration { value, unit, composed }, end - at))
}

/// Bounds a length that goes on.
const MAX_WORDS: usize = 16;

fn unit(word: Word) -> Option<Unit> {
    let unit = word.means.unit?;
    let like = |name| Unit::named(name).is_some_and(|own| own.is_like(unit));
    (like("minute") || like("month")).then_some(unit)
}

/// Whether a word is the unit of a length of time.
pub(super) fn is_unit(word: Word) -> bool {
    unit(word).is_some()
}

fn is_hour(unit: Unit) -> bool {
    Unit::named("hour") == Some(unit)
}

fn is_link(word: Word) -> bool {
    word.is(Role::AmountLink) || word.is(Role::One)
}

/// The unit of `an hour`; `a second` may be another one.
fn unit_behind_one(words: &[Word], at: usize) -> Option<Unit> {
    let next = Word::at(words, at + 1);
    unit(next).filter(|_| next.text.len() > 1 && next.text != "second")
}

/// `ساعة إلا ربع`: what is missing to a whole one.
fn less_part(words: &[Word], at: usize) -> Option<(f64, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    if !word(0).is(Role::Less) {
        return None;
    }
    let skip = 1 + usize::from(word(1).is(Role::One));
    part(word(skip)).map(|less| (-less, skip + 1))
}

/// `ชั่วโมงยี่สิบนาที`: minutes behind an hour whose number is not said.
fn counted_minutes(words: &[Word], at: usize) -> bool {
    let skip = usize::from(Word::at(words, at).is(Role::And));
    let counted = count(words, at + skip).map(|(_, length)| Word::at(words, at + skip + length));
    !Word::at(words, at).text.is_ascii()
        && counted.and_then(unit).is_some_and(|own| Unit::named("minute") == Some(own))
}
