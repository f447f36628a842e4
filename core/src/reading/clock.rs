//! Times of day, in digits and words.

use super::counts::{count, part, part_behind};
use super::duration::is_unit;
use super::spoken::Languages;
use super::vocabulary::{Role, Word};

/// A time of day in minutes since midnight, and the other one it may be where nobody said which half of the
/// day is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    minutes: u32,
    other: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Evening,
    /// Around midnight.
    Night,
    /// Around noon.
    Midday,
}

/// Bounds the work on hostile text.
const MAX_CLOCKS: usize = 200;
const DAY: u32 = 24 * 60;
const NOON: u32 = 12 * 60;

impl Clock {
    fn new(minutes: u32, half: Option<Half>) -> Clock {
        let minutes = minutes % DAY;
        let early = minutes % NOON;
        match half {
            _ if minutes >= NOON + 60 => Clock { minutes, other: None },
            None if minutes >= NOON => Clock { minutes, other: None },
            Some(Half::Night) if early < 6 * 60 => Clock { minutes: early, other: None },
            Some(Half::Midday) if early >= 10 * 60 => Clock { minutes: early, other: None },
            Some(Half::Morning) => Clock { minutes: early, other: None },
            None if minutes == 0 => Clock::exact(0),
            Some(_) => Clock { minutes: early + NOON, other: None },
            None => Clock { minutes, other: Some(minutes + NOON) },
        }
    }

    fn exact(minutes: u32) -> Clock {
        Clock { minutes: minutes % DAY, other: None }
    }

    /// So many minutes since midnight.
    pub fn of_day(minutes: u32) -> Clock {
        Clock::exact(minutes)
    }

    /// A value in figures alone is on a clock of 24 hours, unless its hour has one figure.
    pub fn settle(&mut self) {
        if self.minutes >= 10 * 60 {
            self.other = None;
        }
    }

    /// So many minutes later.
    pub fn plus(self, minutes: i32) -> Clock {
        let later = |own: u32| (own as i32 + minutes).rem_euclid(DAY as i32) as u32;
        Clock { minutes: later(self.minutes), other: self.other.map(later) }
    }

    /// Whether both can mean the same time.
    pub fn agrees(self, own: Clock) -> bool {
        [Some(self.minutes), self.other]
            .into_iter()
            .flatten()
            .any(|minutes| minutes == own.minutes || Some(minutes) == own.other)
    }

    pub fn is_midnight(self) -> bool {
        self.minutes == 0 && self.other.is_none()
    }

    /// Whether a number is this time's hour, or the start of its digits (`7.3` for 7:30).
    pub fn is_told_by(self, number: f64) -> bool {
        let (hour, minute) = (f64::from(self.minutes / 60), f64::from(self.minutes % 60));
        let whole = number.trunc();
        let same_hour = whole >= 0.0 && (whole % 12.0) == hour % 12.0;
        let fraction = ((number - whole) * 100.0).round();
        same_hour && (fraction == 0.0 || fraction == minute)
    }
}

/// Reads `15:30`, `3:30 pm`, `3pm`, `15 Uhr`, `at 7.30`.
pub fn read_digits(text: &str, clocks: &mut Vec<Clock>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut last_end = 0;
    while at < bytes.len() && clocks.len() < MAX_CLOCKS {
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let start = at;
        let hour: Option<u32> = if digits <= 2 { text[at..at + digits].parse().ok() } else { None };
        at += digits;
        let Some(hour) = hour.filter(|hour| *hour <= 24) else { continue };
        let mut minute: Option<u32> = None;
        let mut pointed = false;
        if let Some([sign @ (b':' | b'.'), tens @ b'0'..=b'5', ones]) = bytes.get(at..at + 3)
            && ones.is_ascii_digit()
            && !bytes.get(at + 3).is_some_and(u8::is_ascii_digit)
        {
            pointed = *sign == b'.';
            minute = Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'));
            at += 3;
        }
        // The offset of a time zone is no time.
        let zone =
            start > 0 && matches!(bytes[start - 1], b'+' | b'-') && last_end > 0 && last_end + 1 == start;
        let rest = text[at..].trim_start();
        let mut letters = rest.chars().map(|c| c.to_ascii_lowercase());
        let next = (letters.next(), letters.next(), letters.next().filter(|c| c.is_alphabetic()));
        let minutes = hour * 60 + minute.unwrap_or(0);
        let clock = match next {
            _ if zone => continue,
            (Some('p'), Some('m' | '.'), None) => Clock::new(minutes, Some(Half::Evening)),
            (Some('a'), Some('m' | '.'), None) => Clock::new(minutes, Some(Half::Morning)),
            (Some('u'), Some('h'), Some('r')) => Clock::new(minutes, half_around(text, start, at)),
            _ if minute.is_some() && (!pointed || follows_preposition(text, start)) => {
                // `07:30` is written on a clock of 24 hours.
                if digits == 2 && hour < 10 || hour == 0 {
                    Clock::exact(minutes)
                } else {
                    Clock::new(minutes, half_around(text, start, at))
                }
            }
            _ => continue,
        };
        last_end = at;
        clocks.push(clock);
        // Seconds say nothing more.
        if bytes.get(at) == Some(&b':') {
            at += 1 + bytes[at + 1..].iter().take(2).take_while(|b| b.is_ascii_digit()).count();
            last_end = at;
        }
    }
}

/// Reads the words from `at` on: `noon`, `half past two`, `ten to five`, `eight o'clock`, `at nine in the
/// evening`.
pub fn read_words(words: &[Word], at: usize, clocks: &mut Vec<Clock>) {
    if clocks.len() >= MAX_CLOCKS {
        return;
    }
    let word = |n: usize| Word::at(words, at + n);
    if let Some(minutes) = middle(words, at) {
        return clocks.push(Clock::exact(minutes));
    }
    // `บ่ายโมง` is one in the afternoon.
    if word(0).is(Role::Evening) && word(1).is(Role::OClock) {
        return clocks.push(Clock::exact(NOON + 60));
    }
    let Some((minutes, length)) = part_and_hour(words, at).or_else(|| hour_and_part(words, at)) else {
        return;
    };
    let half = half_near(words, at, length);
    clocks.push(Clock::new(minutes, half));
    // `from 6 to 8 in the evening`: the hour before it is one as well.
    let mut before = at.saturating_sub(1);
    while before > 0 && at - before < 3 && !words[before].is(Role::Until) {
        before -= 1;
    }
    let first = before.checked_sub(1).filter(|_| words[before].is(Role::Until));
    let first = first.map(|at| if words[at].is(Role::OClock) { at.saturating_sub(1) } else { at });
    if let Some((hour, _)) = first.and_then(|at| hour_named(words[at])) {
        clocks.push(Clock::new(hour * 60, half));
    }
}

/// Noon or midnight, unless it only says which half of the day an hour is of.
fn middle(words: &[Word], at: usize) -> Option<u32> {
    let word = |n: usize| Word::at(words, at + n);
    let minutes = match () {
        () if word(0).is(Role::Noon) => NOON,
        () if word(0).is(Role::Midnight) => 0,
        () => return None,
    };
    let of_hour = |at: usize| {
        hour_named(Word::at(words, at)).is_some()
            && (Word::at(words, at + 1).is(Role::OClock) || Word::at(words, at + 1).is(Role::HourWord))
    };
    let behind = [1, 2, 3].iter().any(|back| at.checked_sub(*back).is_some_and(of_hour));
    if of_hour(at + 1) || behind {
        return None;
    }
    Some(minutes + part_behind(words, at + 1).map_or(0, |(part, _)| (part * 60.0) as u32))
}

/// The hour a word names, up to 24, and whether it is told to be one.
fn hour_named(word: Word) -> Option<(u32, bool)> {
    if let Some((hour, at)) = word.means.hour(word.spoken) {
        return Some((hour, at));
    }
    let (number, _) = count(&[word], 0)?;
    (number.fract() == 0.0 && number <= 24.0).then_some((number as u32, false))
}

/// `half past two`, `ten to five`, `halb drei`, `без десяти шесть`: minutes since midnight and how many words say so.
fn part_and_hour(words: &[Word], at: usize) -> Option<(u32, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    let hour = |n: usize| hour_named(word(n)).map(|(hour, _)| hour).filter(|hour| (1..=12).contains(hour));
    // Parts of the hour that is under way: `halb drei`.
    let under_way = |n: usize| {
        let three = word(n).means.number(word(n).spoken) == Some(3.0) && word(n + 1).is(Role::QuarterBefore);
        let missing = match () {
            () if word(n).is(Role::HalfBefore) => 30,
            () if three || word(n).is(Role::ThreeQuartersBefore) => 15,
            () if word(n).is(Role::QuarterBefore) => 45,
            () => return None,
        };
        let next = n + 1 + usize::from(three);
        let next = next + usize::from(word(next).is(Role::HourLink));
        hour(next).map(|hour| (hour * 60 - missing, next + 1))
    };
    if let Some(found) = under_way(0) {
        return Some(found);
    }
    let minutes = |n: usize| {
        let (number, length) = match part(word(n)) {
            Some(part) => (part * 60.0, 1),
            None => count(words, at + n).filter(|(number, _)| (1.0..60.0).contains(number))?,
        };
        let end = n + length;
        Some((number as u32, end + usize::from(word(end).is(Role::Minutes)), word(end).is(Role::Minutes)))
    };
    if word(0).is(Role::LessBefore) {
        let (less, end, _) = minutes(1)?;
        let end = end + usize::from(word(end).is(Role::HourLink));
        return hour(end).map(|hour| ((hour + 12) * 60 - less, end + 1)).map(|(m, end)| (m % NOON, end));
    }
    // British `half three`.
    if word(0).is(Role::Half)
        && word(0).text == "half"
        && !word(1).has_digits()
        && let Some(hour) = hour(1)
    {
        return Some((hour * 60 + 30, 2));
    }
    let (minutes, end, named) = minutes(0)?;
    let joint = word(end);
    let sure =
        named || part(word(0)).is_some() || !matches!(joint.text, "before" | "of" | "til" | "till" | "after");
    let later = match () {
        () if joint.is(Role::Past) && (sure || joint.text == "after") => minutes as i32,
        () if joint.is(Role::To) && minutes <= 30 && sure && minutes != 30 => -(minutes as i32),
        () => return None,
    };
    // `fünf vor halb acht`.
    let (base, end) = under_way(end + 1).or_else(|| hour(end + 1).map(|hour| (hour * 60, end + 2)))?;
    Some(((base as i32 + later).rem_euclid(NOON as i32) as u32, end))
}

/// `eight o'clock`, `at nine in the evening`, `siete y media`, `six heures moins le quart`, `18 h 30`.
fn hour_and_part(words: &[Word], at: usize) -> Option<(u32, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    let before = Word::before(words, at);
    // A sign that goes on a number: `十一点`.
    let number =
        |word: Word| !word.text.is_ascii() && word.means.number(word.spoken).is_some_and(|own| own >= 1.0);
    if number(word(0)) && number(before) {
        return None;
    }
    // The minutes of `7:30` are read with their hour.
    if word(0).has_digits() && (word(1).has_digits() || before.has_digits()) {
        return None;
    }
    let named = hour_named(word(0)).filter(|(_, at)| *at).or_else(|| word(0).means.hour(word(0).spoken));
    let (hour, length) = match named {
        Some((hour, _)) => (f64::from(hour), 1),
        None => count(words, at)?,
    };
    let mut said = named.is_some_and(|(_, at)| at) || before.is(Role::At) && hour > 0.0;
    if hour > 24.0
        || (hour < 1.0 && !word(0).has_digits())
        || !matches!(hour.fract(), 0.0 | 0.25 | 0.5 | 0.75)
    {
        return None;
    }
    let mut minutes = (hour * 60.0).round() as u32;
    let mut end = length;
    let spelt = !word(0).has_digits();
    let mut dialled = hour.fract() != 0.0 && hour < 13.0 && spelt;
    let next = word(end);
    let evening = next.is(Role::EveningHours);
    let sign = next.is(Role::OClock) || evening || (next.text == "o" && word(end + 1).text == "clock");
    let unit = !sign && next.is(Role::HourWord);
    if sign || unit {
        end += 1 + usize::from(next.text == "o");
        said |= sign || before.is(Role::ClockPreposition);
    } else if is_unit(next) && hour.fract() != 0.0 {
        return None;
    }
    if evening {
        minutes += 18 * 60;
    }
    if hour.fract() == 0.0
        && let Some((more, length, sure)) = minutes_behind(words, at + end, sign || unit || said)
    {
        minutes = (minutes as i32 + DAY as i32 + more) as u32 % DAY;
        end += length;
        said |= sign || (unit && !spelt);
        dialled |= sure && (unit || said || (hour < 13.0 && spelt));
    }
    let links = (end..end + 2).take_while(|n| word(*n).is(Role::OfTheDay) || word(*n).is(Role::One)).count();
    let day = half_at(words, at + end).is_some() || (links > 0 && half_at(words, at + end + links).is_some());
    // English says the part of the day in front only of what is told to be an hour.
    let day_before = at > 0 && half_at(words, at - 1).is_some() && !half_is_english(before)
        || (is_sign_link(before) && at > 1 && half_at(words, at - 2).is_some());
    let between = before.is(Role::Between) && (word(end).is(Role::Until) || word(end).is(Role::And));
    let between_end = (before.is(Role::Until) || before.is(Role::And))
        && (2..5).any(|back| at >= back && words[at - back].is(Role::Between));
    let free = !is_unit(word(end)) || sign || unit;
    let told = said || dialled || day || day_before || between || between_end;
    (told && free).then_some((minutes, end))
}

/// Minutes behind an hour, those that are missing to it below zero, how many words say so, and whether they alone tell an hour.
fn minutes_behind(words: &[Word], at: usize, told: bool) -> Option<(i32, usize, bool)> {
    let word = |n: usize| Word::at(words, at + n);
    let number = |n: usize| {
        let article = word(n).is(Role::HourLink) || (word(n).is(Role::One) && part(word(n)).is_none());
        let skip = n + usize::from(article);
        let (number, length) = match part(word(skip)) {
            Some(part) => (part * 60.0, 1),
            None => count(words, at + skip).filter(|(number, _)| number.fract() == 0.0 && *number < 60.0)?,
        };
        let end = skip + length;
        Some((number as i32, end + usize::from(word(end).is(Role::Minutes)), word(end).is(Role::Minutes)))
    };
    if let Some((part, length)) = part_behind(words, at) {
        return Some(((part * 60.0) as i32, length, true));
    }
    if word(0).is(Role::Less) {
        return number(1).map(|(less, end, _)| (-less, end, true));
    }
    let skip = usize::from(word(0).is(Role::And));
    let (minutes, end, named) = number(skip)?;
    match () {
        () if word(end).is(Role::ToBehind) => Some((-minutes, end + 1, true)),
        () if word(end).is(Role::PastBehind) => Some((minutes, end + 1, true)),
        () if told && (named || skip > 0 || !is_unit(word(end))) && minutes > 0 => {
            Some((minutes, end, false))
        }
        () => None,
    }
}

/// `夜の11時`.
fn is_sign_link(word: Word) -> bool {
    word.text == "の" || word.text == "的"
}

fn half_is_english(word: Word) -> bool {
    word.text.is_ascii() && half(Word { spoken: Languages::ENGLISH_ONLY, ..word }).is_some()
}

/// The half of the day that is named in front of an hour, or else soon behind it.
fn half_near(words: &[Word], at: usize, length: usize) -> Option<Half> {
    let close = (at.saturating_sub(2)..at).rev();
    if let Some(half) =
        close.map(|n| half_at(words, n).filter(|_| !half_is_english(words[n]))).find_map(|half| half)
    {
        return Some(half);
    }
    let end = (at + length).min(words.len());
    let own = |n: &usize| {
        let named = half_at(words, *n).filter(|_| words[*n].text != "am" || *n == end);
        // `11時から朝6時`: that is of the hour behind it.
        let other = Word::at(words, n + 1).has_digits()
            || (Word::at(words, n + 1).is(Role::OfTheDay) && Word::at(words, n + 2).has_digits());
        named.filter(|_| !other || half_is_english(words[*n]))
    };
    (end..words.len().min(end + 8))
        .find_map(|n| own(&n))
        .or_else(|| (at.saturating_sub(4)..at).find_map(|n| half_at(words, n)))
}

/// The half of the day that the word at a place names. `am` in front of one is a German preposition, and `morgen` is tomorrow
/// but behind some words.
fn half_at(words: &[Word], at: usize) -> Option<Half> {
    let word = Word::at(words, at);
    let before = Word::before(words, at).text;
    let tomorrow = word.means.tomorrow.is_some_and(|morning| morning.iter().all(|word| word != before));
    let preposition = word.text == "am" && half(Word::at(words, at + 1)).is_some();
    half(word).filter(|_| !tomorrow && !preposition)
}

fn half(word: Word) -> Option<Half> {
    match () {
        () if word.is(Role::Morning) => Some(Half::Morning),
        () if word.is(Role::Evening) => Some(Half::Evening),
        () if word.is(Role::Night) => Some(Half::Night),
        () if word.is(Role::Noon) => Some(Half::Midday),
        () => None,
    }
}

/// The half of the day named near some digits.
fn half_around(text: &str, start: usize, end: usize) -> Option<Half> {
    // `am` behind a German time is a preposition.
    let named = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if word == "am" { None } else { half(Word::new(&word)) }
    };
    let after = &text[end..floor(text, end + 60)];
    let before = &text[floor(text, start.saturating_sub(30))..start];
    after.split_whitespace().take(7).find_map(named).or_else(|| before.split_whitespace().find_map(named))
}

fn follows_preposition(text: &str, start: usize) -> bool {
    let before = &text[floor(text, start.saturating_sub(20))..start];
    let Some(word) = before.split_whitespace().next_back() else { return false };
    Word::new(&word.to_lowercase()).is(Role::ClockPreposition)
}

/// The nearest place at or before `at` where the text can be cut.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
