//! Dates and times of day, in many spellings.

use super::calendar::Day;
use super::clock::{self, Clock};
pub use super::date::Date;
use super::date::read_date;
use super::digits::dotted_date;
use super::duration;
use super::relative_days::RelativeDays;
use super::spoken::Languages;
use super::vocabulary::{Role, Word};
use crate::language::english;

/// What a text says about time.
#[derive(Debug, Default)]
pub struct Times {
    dates: Vec<Date>,
    clock: Vec<Clock>,
    relative: RelativeDays,
    /// Lengths in minutes, those that lead back below zero.
    steps: Vec<i32>,
    /// The day the conversation calls today.
    today: Option<Day>,
}

/// How a time follows from what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeMatch {
    /// Just that time was named, in whatever way.
    Told,
    /// It may have been meant.
    Possible,
    /// Another time was named.
    Other,
}

/// Bounds the work on hostile text.
const MAX_DATES: usize = 500;
const MAX_WORDS: usize = 20_000;
const MAX_STEPS: usize = 20;

impl Times {
    /// Adds what a text says; `folded` is that text [folded](super::words::fold).
    pub fn read(&mut self, text: &str, folded: &str) {
        self.read_words(text, folded, &Word::all(folded, Languages::every()));
        if !text.contains(char::is_whitespace) {
            self.clock.iter_mut().for_each(Clock::settle);
        }
    }

    /// The same, with the words of the folded text.
    pub(super) fn read_words(&mut self, text: &str, folded: &str, words: &[Word]) {
        clock::read_digits(text, &mut self.clock);
        self.read_now(words);
        match day_first(text, folded) {
            Some(turned) => self.read_each(&Word::all(&turned, Languages::every())),
            None => self.read_each(words),
        }
    }

    /// A message that is nothing but a date and a time of day is what a clock answers.
    fn read_now(&mut self, words: &[Word]) {
        let mut dates = Vec::new();
        let date = words.first().filter(|word| word.text.len() == 4 && words.len() <= 7 && words.len() > 3);
        let length = date.map_or(0, |_| read_date(words, Word::NONE, &mut dates));
        let rest = words.get(length..).unwrap_or_default();
        if let [Date { year: Some(year), month, day: Some(day) }] = dates[..]
            && rest.iter().all(|word| word.has_digits() || matches!(word.text, "t" | "z"))
        {
            self.today = self.today.or(Day::of(year, month, day));
        }
    }

    fn read_each(&mut self, words: &[Word]) {
        let words = &words[..words.len().min(MAX_WORDS)];
        let (mut at, mut busy) = (0, 0);
        while at < words.len() && self.dates.len() < MAX_DATES {
            if words[at].is_idle() {
                at += 1;
                continue;
            }
            clock::read_words(words, at, &mut self.clock);
            if at >= busy {
                busy = at + self.read_duration(words, at);
            }
            if let Some((today, length)) = today(&words[at..]) {
                self.today.get_or_insert(today);
                at += length;
                continue;
            }
            let before = Word::before(words, at);
            let known = self.dates.len();
            let read = read_date(&words[at..], before, &mut self.dates);
            if read > 0 {
                self.read_range(words, at, at + read, known);
                at += read;
                continue;
            }
            if let Some(date) = self.later_day(&words[at..], before) {
                self.dates.push(date);
                at += 2;
                continue;
            }
            let read = self.relative.read(words, at);
            if read == 0 && words[at].is(Role::Relative) && !names_next(words, at) {
                self.relative.say_vague();
            }
            at += read.max(1);
        }
    }

    /// The other end of a span that names its month once: `14 to 18 March 2027`, `March 14 to 18`.
    fn read_range(&mut self, words: &[Word], start: usize, end: usize, known: usize) {
        let [Date { year, month, day: Some(own) }] = self.dates[known..] else { return };
        let day = |word: Word| word.text.parse::<u32>().ok().filter(|day| (1..=31).contains(day));
        let small = |word: Word| {
            word.is(Role::Until)
                || word.is(Role::Ordinal)
                || word.is(Role::DaySign)
                || word.is(Role::DateLink)
        };
        let gap = (1..4).take_while(|n| *n <= start && small(words[start - n])).count();
        let first = start.checked_sub(gap + 1).and_then(|at| day(words[at])).filter(|first| *first < own);
        let gap = (end..end + 3).take_while(|n| small(Word::at(words, *n))).count();
        let spans = (end..end + gap).any(|n| Word::at(words, n).is(Role::Until));
        let behind = Word::at(words, end + gap + 1);
        let last = day(Word::at(words, end + gap)).filter(|last| {
            *last > own && spans && behind.means.month.is_none() && !behind.is(Role::MonthSign)
        });
        for other in [first, last].into_iter().flatten() {
            self.dates.push(Date { year, month, day: Some(other) });
        }
    }

    /// A length, from which and a time of day another one follows.
    /// Gives back how many words say the length.
    fn read_duration(&mut self, words: &[Word], at: usize) -> usize {
        let Some((duration, length)) = duration::read(words, at) else { return 0 };
        let Some(minutes) = duration.minutes().filter(|minutes| *minutes < 1_440.0 && minutes.fract() == 0.0)
        else {
            return length;
        };
        let behind = Word::at(words, at + length);
        // `ten minutes to six` is a time of day.
        if behind.is(Role::To) || behind.is(Role::Past) || Word::before(words, at).is(Role::LessBefore) {
            return length;
        }
        let back = matches!(behind.text, "before" | "earlier") || behind.is(Role::AgoBehind);
        let minutes = if back { -(minutes as i32) } else { minutes as i32 };
        if self.steps.len() < MAX_STEPS && !self.steps.contains(&minutes) {
            self.steps.push(minutes);
        }
        length
    }

    /// `the 10th` behind `June 3rd 2026`: that day, or of the month after it.
    fn later_day(&self, words: &[Word], before: Word) -> Option<Date> {
        if before.text != "the" || !Word::at(words, 1).is(Role::Ordinal) {
            return None;
        }
        let day = words[0].text.parse::<u32>().ok().filter(|day| (1..=31).contains(day))?;
        let last = self.dates.last().filter(|date| date.day.is_some())?;
        let next_month = last.day.is_some_and(|own| day < own);
        Some(match (next_month, last.month) {
            (false, month) => Date { year: last.year, month, day: Some(day) },
            (true, 12) => Date { year: last.year.map(|year| year + 1), month: 1, day: Some(day) },
            (true, month) => Date { year: last.year, month: month + 1, day: Some(day) },
        })
    }

    /// Whether a folded word is a name or the start of one of a day of the week that was named: `mon` for Monday, and `tue`
    /// for Monday to Friday.
    pub fn tells_weekday(&self, word: &str) -> bool {
        let own = Word::new(word).means.weekday.or_else(|| weekday_by_start(word));
        own.is_some_and(|day| self.relative.names_weekday(day))
    }

    /// Whether the text only hints at a time: `tomorrow`, `next week`, `this weekend`.
    pub fn is_relative(&self) -> bool {
        self.relative.is_said()
    }

    pub fn has_dates(&self) -> bool {
        !self.dates.is_empty()
    }

    /// Whether these are dates in figures or words, or times of day.
    pub fn is_exact(&self) -> bool {
        !self.dates.is_empty() || !self.clock.is_empty()
    }

    /// Whether `value` is a time of day, and some time of day was named.
    pub fn has_clock_of(&self, value: &Times) -> bool {
        value.dates.is_empty() && !value.clock.is_empty() && !self.clock.is_empty()
    }

    /// Whether a number is the day, the month or the year of the day the conversation calls today.
    pub fn is_today(&self, number: f64) -> bool {
        self.today.is_some_and(|today| {
            let (year, month, day) = today.date();
            [f64::from(year), f64::from(month), f64::from(day)].contains(&number)
        })
    }

    /// The day the conversation calls today.
    pub fn today(&self) -> Option<Day> {
        self.today
    }

    /// Takes a day for today where the text names none.
    pub fn suppose_today(&mut self, today: Day) {
        self.today.get_or_insert(today);
    }

    /// The lengths in minutes that were named, those that lead back below zero.
    pub fn steps(&self) -> &[i32] {
        &self.steps
    }

    /// The lengths in days that were named.
    pub fn lengths(&self) -> &[i64] {
        self.relative.spans()
    }

    /// The dates that were named.
    pub fn dates(&self) -> &[Date] {
        &self.dates
    }

    /// Whether some day of the week was named, and whether that of a day was.
    pub fn names_weekday_of(&self, day: Day) -> Option<bool> {
        (0..7).any(|own| self.relative.names_weekday(own)).then(|| self.relative.names_weekday(day.weekday()))
    }

    /// How a day follows from days that were named; `None` where none was.
    pub fn explain_day(&self, day: Day) -> Option<TimeMatch> {
        if self.dates.is_empty() && !self.relative.is_said() {
            return None;
        }
        let (year, month, of_month) = day.date();
        Some(self.explain_date(Date { year: Some(year), month, day: Some(of_month) }))
    }

    /// Whether a time of day was named, or follows from one that `now` holds and a length of time; `None` where neither was said.
    pub fn tells_minute(&self, minute: u32, now: &Times) -> Option<bool> {
        let value = Clock::of_day(minute);
        let start = if self.clock.is_empty() { &now.clock } else { &self.clock };
        if self.clock.is_empty() && (self.steps.is_empty() || now.clock.is_empty()) {
            return None;
        }
        let later = |own: &Clock| {
            self.steps.iter().any(|step| value.agrees(own.plus(*step)) || value.agrees(own.plus(-*step)))
        };
        let told = self.clock.iter().any(|own| value.agrees(*own));
        Some(told || start.iter().take(MAX_STEPS).any(later))
    }

    pub fn knows_today(&self) -> bool {
        self.today.is_some()
    }

    /// Whether a number of the question is the hour of one of these times, or part of one of these dates.
    pub fn uses(&self, number: f64) -> bool {
        self.clock.iter().any(|clock| clock.is_told_by(number))
            || self.dates.iter().any(|date| date.day.is_some_and(|day| f64::from(day) == number))
    }

    /// Whether a number is the length of one of these spans of days.
    pub fn spans(&self, number: f64) -> bool {
        self.relative.spans().iter().any(|days| *days as f64 == number || *days as f64 == number * 7.0)
    }

    /// Whether every date and time of day in `value` follows from these; `None` when `value` has neither.
    pub fn explain(&self, value: &Times) -> Option<TimeMatch> {
        if !value.is_exact() {
            return None;
        }
        let midnight = |clock: &Clock| clock.is_midnight() && !value.dates.is_empty();
        let told = value
            .clock
            .iter()
            .all(|clock| self.clock.iter().any(|own| clock.agrees(*own)) || midnight(clock))
            || (!value.dates.is_empty() && self.clock.is_empty());
        // What was told and a length of time come to it.
        let worked = !told
            && value.clock.iter().all(|clock| {
                let step = |own: &Clock| self.steps.iter().any(|minutes| clock.agrees(own.plus(*minutes)));
                self.clock.iter().any(|own| clock.agrees(*own)) || self.clock.iter().take(MAX_STEPS).any(step)
            });
        // `03/04/2024` reads as two dates: one of them has to agree.
        let date = value.dates.iter().map(|date| self.explain_date(*date)).min_by_key(|way| *way as u8);
        Some(match date.unwrap_or(TimeMatch::Told) {
            _ if !told && self.clock.is_empty() && self.relative.is_said() => TimeMatch::Possible,
            TimeMatch::Other => TimeMatch::Other,
            _ if worked => TimeMatch::Possible,
            _ if !told => TimeMatch::Other,
            // A time of day that nobody named.
            TimeMatch::Told
                if self.clock.is_empty() && !value.dates.is_empty() && !value.clock.iter().all(midnight) =>
            {
                TimeMatch::Possible
            }
            date => date,
        })
    }

    /// Whether `value` is a bound that is left out itself: so many days from a day that was named.
    pub fn is_bound(&self, value: &Times, days: i64) -> bool {
        value.clock.is_empty()
            && value.dates.iter().any(|date| {
                let day = date.year.zip(date.day).and_then(|(year, day)| Day::of(year, date.month, day));
                day.is_some_and(|day| {
                    let (year, month, day) = day.plus(days).date();
                    self.explain_date(Date { year: Some(year), month, day: Some(day) }) == TimeMatch::Told
                })
            })
    }

    fn explain_date(&self, date: Date) -> TimeMatch {
        let edge = self.relative.leaves_out(date);
        let near = |own: &&Date| own.agrees(date) && self.is_near(**own, date);
        if self.dates.iter().filter(near).any(|own| own.day.is_some() || !edge) {
            return TimeMatch::Told;
        }
        let day = date.year.zip(date.day).and_then(|(year, day)| Day::of(year, date.month, day));
        let Some(day) = day else {
            return if self.relative.is_said() { TimeMatch::Possible } else { TimeMatch::Other };
        };
        let said = |day: Day| {
            let (year, month, of_month) = day.date();
            let date = Date { year: Some(year), month, day: Some(of_month) };
            self.dates.iter().any(|own| own.day.is_some() && own.agrees(date) && self.is_near(*own, date))
        };
        let days = self.today.map(|today| self.relative.from(today)).unwrap_or_default();
        let told = |day: Day| days.exact.contains(&day) || said(day);
        if told(day) || self.relative.spans().iter().any(|span| told(day.plus(-span))) {
            return TimeMatch::Told;
        }
        let Some(today) = self.today else {
            return if self.relative.is_said() { TimeMatch::Possible } else { TimeMatch::Other };
        };
        let spans = self.relative.spans();
        if !self.relative.is_exact() && self.dates.is_empty() {
            // Nobody named a day: today goes without saying, and so does the end of a stay from today on.
            if day == today || spans.iter().any(|span| day == today.plus(*span)) {
                return TimeMatch::Told;
            }
        }
        let possible = self.relative.is_vague()
            || (edge && self.dates.iter().any(|own| near(&own))) || days.may_be(day)
            || spans.iter().any(|span| day == today.plus(*span) || day == today.plus(-*span))
            // Bounds that are left out themselves: after 31 January for since February.
            || (day != today && days.exact.iter().any(|own| own.date().2 == 1 && own.plus(-1) == day));
        if possible { TimeMatch::Possible } else { TimeMatch::Other }
    }

    /// A day named without its year is one of these years, if it is known which year it is.
    fn is_near(&self, own: Date, date: Date) -> bool {
        match (own.year, date.year, self.today) {
            (None, Some(year), Some(today)) => (year - today.date().0).abs() <= 1,
            _ => true,
        }
    }
}

/// `next` and the like in front of a weekday or a date are read with it.
fn names_next(words: &[Word], at: usize) -> bool {
    let next = Word::at(words, at + 1);
    let here = words[at];
    if next.means.weekday.is_some() && (here.is(Role::NextWeekday) || here.is(Role::LastWeekday)) {
        return true;
    }
    matches!(words[at].text, "next" | "last" | "current" | "currently" | "week" | "now")
        && (next.means.weekday.is_some()
            || matches!(next.text, "date" | "time" | "from")
            || next.text.starts_with("temp"))
}

/// The day that two or three letters stand for in English.
fn weekday_by_start(word: &str) -> Option<i64> {
    let names = &english().dates.weekdays;
    let day = names.iter().position(|names| names.iter().any(|name| name.starts_with(word)))?;
    matches!(word.len(), 2 | 3).then_some(day as i64)
}

/// Whether a word is the name of a weekday.
pub fn is_weekday(word: &str) -> bool {
    Word::new(word).means.weekday.is_some()
}

/// Whether a word begins to say which day it is: `today is`, `current date`.
pub fn says_today(word: &str) -> bool {
    word == "date" || Word::new(word).is(Role::TodayIs)
}

/// `Today is Monday, 2 March 2026`: the day, and how many words say so.
fn today(words: &[Word]) -> Option<(Day, usize)> {
    let word = |n: usize| Word::at(words, n);
    let cue = match word(0).text {
        _ if word(0).is(Role::TodayIs) => 1,
        "it" | "date" if word(1).text == "is" => 2,
        _ => return None,
    };
    let filler = |word: Word| word.means.weekday.is_some() || word.is(Role::TodayFiller);
    let gap = (cue..cue + 6).take_while(|n| filler(word(*n))).count();
    let mut dates = Vec::new();
    let read = read_date(words.get(cue + gap..)?, Word::NONE, &mut dates);
    // Day and month may be told apart by nothing.
    let [date] = dates[..] else { return None };
    Some((Day::of(date.year?, date.month, date.day?)?, cue + gap + read))
}

/// The folded text with its dates in points turned around, if it has any, so that no month is taken for their day.
fn day_first(text: &str, folded: &str) -> Option<String> {
    const MAX_NUMBER: usize = 20;
    let mut turned: Option<String> = None;
    let starts = text.match_indices('.').filter_map(|(at, _)| {
        let head = text[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        dotted_date(text, at - head)
    });
    for (_, [day, month, year]) in starts.take(MAX_NUMBER) {
        let own = format!(" {day} {month} {year} ");
        let so_far = turned.as_deref().unwrap_or(folded);
        turned = Some(so_far.replace(&own, &format!(" {year} {month} {day} ")));
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::words::fold;

    fn times(text: &str) -> Times {
        let mut times = Times::default();
        times.read(text, &fold(text));
        times
    }

    #[test]
    fn spellings_of_one_day() {
        let value = times("2024-03-05");
        for text in [
            "March 5th, 2024",
            "5 March 2024",
            "on Mar 5",
            "3/5/2024",
            "05.03.2024",
            "5. März 2024",
            "5 de marzo de 2024",
        ] {
            assert_eq!(times(text).explain(&value), Some(TimeMatch::Told), "{text}");
        }
        for text in ["March 6th, 2024", "5 March 2023", "15 March 2024", "5 April"] {
            assert_eq!(times(text).explain(&value), Some(TimeMatch::Other), "{text}");
        }
        for (text, told) in [
            ("May I have a table on Friday?", false),
            ("You may book it", false),
            ("soldiers march on", false),
            ("fly to Mars", false),
            ("write to Marco", false),
            ("it came in May", true),
            ("on May 7", true),
            ("on the 7th of May", true),
            ("im Mai", true),
            ("en mars", true),
        ] {
            assert_eq!(times(text).has_dates(), told, "{text}");
        }
        assert_eq!(times("March").explain(&times("Paris")), None);
    }

    #[test]
    fn a_day_goes_on_from_the_date_before_it() {
        for (text, value, way) in [
            ("on June 3rd 2026, coming back on the 10th", "2026-06-10", TimeMatch::Told),
            ("on June 3rd 2026, coming back on the 10th", "2026-07-10", TimeMatch::Other),
            ("from December 28th 2026 to the 3rd", "2027-01-03", TimeMatch::Told),
            ("on June 3rd 2026, on the 10th floor", "2026-06-11", TimeMatch::Other),
        ] {
            assert_eq!(times(text).explain(&times(value)), Some(way), "{text} {value}");
        }
    }

    #[test]
    fn times_of_day() {
        for (text, value) in [
            ("at 3 PM", "15:00"),
            ("3:30pm", "15:30"),
            ("noon", "12:00"),
            ("12 am", "00:00"),
            ("15 Uhr", "15:00"),
        ] {
            assert_eq!(times(text).explain(&times(value)), Some(TimeMatch::Told), "{text}");
        }
        assert_eq!(times("3 pm").explain(&times("14:00")), Some(TimeMatch::Other));
    }
}
