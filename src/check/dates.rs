//! Dates and times of day, in many spellings.

use std::sync::LazyLock;

use super::words::{WordSet, words};

/// A calendar date, perhaps without its year or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub year: Option<i32>,
    pub month: u32,
    pub day: Option<u32>,
}

impl Date {
    /// Whether both can mean the same day, or one the month of the other.
    pub(super) fn agrees(self, other: Date) -> bool {
        fn either<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        self.month == other.month && either(self.day, other.day) && either(self.year, other.year)
    }
}

/// What a text says about time.
#[derive(Debug, Default)]
pub(super) struct Times {
    dates: Vec<Date>,
    /// Minutes since midnight.
    clock: Vec<u32>,
    relative: bool,
    /// The month that comes next belongs to a day already read.
    month_read: bool,
}

/// Bounds the work on hostile text.
const MOST_DATES: usize = 500;

impl Times {
    /// Adds what a text says; `folded` is that text [folded](super::words::fold).
    pub(super) fn read(&mut self, text: &str, folded: &str) {
        self.read_clock(text);
        let mut window = [""; 6];
        for word in words(folded).chain([""; 5]) {
            window.rotate_left(1);
            window[5] = word;
            self.read_window(window);
        }
    }

    fn read_window(&mut self, window: [&str; 6]) {
        let [a, b, c, ..] = window;
        self.relative |= RELATIVE.has(a);
        if self.dates.len() + self.clock.len() >= MOST_DATES {
            return;
        }
        let number = |word: &str| word.parse::<u32>().ok().filter(|_| word.len() <= 4);
        let year = |word: &str| number(word).filter(|y| (1000..2200).contains(y)).map(|y| y as i32);
        let day = |word: &str| number(word).filter(|d| (1..=31).contains(d));
        // `5th` folds to `5 th`.
        let filler = |word: &&str| matches!(*word, "st" | "nd" | "rd" | "th" | "of" | "de" | "the");
        let mut rest = window[1..].iter().copied().filter(|word| !filler(word));
        let (then, after) = (rest.next().unwrap_or(""), rest.next().unwrap_or(""));
        if let Some(month) = month(a) {
            // The month of `5 March` was read at its day.
            if !std::mem::take(&mut self.month_read) {
                let day = day(then);
                let year = if day.is_some() { year(after) } else { year(then) };
                self.dates.push(Date { year, month, day });
            }
        } else if let (Some(day), Some(month)) = (day(a), month(then)) {
            self.dates.push(Date { year: year(after), month, day: Some(day) });
            self.month_read = true;
        }
        if let (Some(x), Some(y), Some(z)) = (number(a), number(b), number(c)) {
            let mut push = |year: u32, month: u32, day: u32| {
                if (1..=12).contains(&month) && (1..=31).contains(&day) {
                    let year = if year < 100 { 2000 + year } else { year };
                    self.dates.push(Date { year: Some(year as i32), month, day: Some(day) });
                }
            };
            if a.len() == 4 {
                push(x, y, z);
            } else {
                push(z, x, y);
                push(z, y, x);
            }
        }
        match a {
            "noon" | "midday" => self.clock.push(12 * 60),
            "midnight" => self.clock.push(0),
            _ => {}
        }
    }

    /// Reads `15:30`, `3:30 pm`, `3pm`, `15 Uhr`.
    fn read_clock(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && self.clock.len() < MOST_DATES {
            let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                at += 1;
                continue;
            }
            let hour: Option<u32> = if digits <= 2 { text[at..at + digits].parse().ok() } else { None };
            at += digits;
            let Some(hour) = hour.filter(|hour| *hour <= 24) else { continue };
            let minute: Option<u32> = match bytes.get(at..at + 3) {
                Some([b':', tens, ones]) if tens.is_ascii_digit() && ones.is_ascii_digit() => {
                    at += 3;
                    text[at - 2..at].parse().ok()
                }
                _ => None,
            };
            let mut rest = text[at..].trim_start().chars().map(|c| c.to_ascii_lowercase());
            let half = (rest.next(), rest.next(), rest.next().filter(|c| c.is_alphabetic()));
            let shift = match half {
                (Some('p'), Some('m' | '.'), None) if hour < 12 => 12,
                (Some('a'), Some('m' | '.'), None) if hour == 12 => -12,
                (Some('a' | 'p'), Some('m' | '.'), None) | (Some('u'), Some('h'), Some('r')) => 0,
                _ if minute.is_some() => 0,
                _ => continue,
            };
            self.clock.push(hour.saturating_add_signed(shift) * 60 + minute.unwrap_or(0));
        }
    }

    /// Whether the text only hints at a time: `tomorrow`, `next week`, `this weekend`.
    pub(super) fn is_relative(&self) -> bool {
        self.relative
    }

    pub(super) fn has_dates(&self) -> bool {
        !self.dates.is_empty()
    }

    /// Whether every date and time of day in `value` agrees with one of these; `None` when `value` has neither.
    pub(super) fn explain(&self, value: &Times) -> Option<bool> {
        if value.dates.is_empty() && value.clock.is_empty() {
            return None;
        }
        // `03/04/2024` reads as two dates: one of them has to agree.
        let date = value.dates.is_empty()
            || value.dates.iter().any(|date| self.dates.iter().any(|own| own.agrees(*date)));
        let midnight = |time: &u32| *time == 0 && !value.dates.is_empty();
        let clock = value.clock.iter().all(|time| self.clock.contains(time) || midnight(time))
            || (!value.dates.is_empty() && self.clock.is_empty());
        Some(date && clock)
    }
}

/// Words that make a date out of the day somebody speaks on.
static RELATIVE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::of(
        "today tomorrow yesterday tonight now current currently next last upcoming weekend monday tuesday wednesday thursday friday \
     saturday sunday ago recent latest week month year christmas heute morgen gestern nachste nachsten hoy manana ayer proximo proxima \
     aujourdhui demain hier prochain prochaine oggi domani hoje amanha 今 明 昨 下 сегодня завтра",
    )
});

fn month(word: &str) -> Option<u32> {
    Some(match word {
        "january" | "jan" | "januar" | "enero" | "janvier" | "gennaio" | "janeiro" => 1,
        "february" | "feb" | "februar" | "febrero" | "fevrier" | "febbraio" | "fevereiro" => 2,
        "march" | "mar" | "marz" | "marzo" | "mars" | "marco" => 3,
        "april" | "apr" | "abril" | "avril" | "aprile" => 4,
        "may" | "mai" | "mayo" | "maggio" | "maio" => 5,
        "june" | "jun" | "juni" | "junio" | "juin" | "giugno" | "junho" => 6,
        "july" | "jul" | "juli" | "julio" | "juillet" | "luglio" | "julho" => 7,
        "august" | "aug" | "agosto" | "aout" => 8,
        "september" | "sep" | "sept" | "septiembre" | "septembre" | "settembre" | "setembro" => 9,
        "october" | "oct" | "oktober" | "octubre" | "octobre" | "ottobre" | "outubro" => 10,
        "november" | "nov" | "noviembre" | "novembre" | "novembro" => 11,
        "december" | "dec" | "dezember" | "diciembre" | "decembre" | "dicembre" | "dezembro" => 12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::words::fold;

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
            assert_eq!(times(text).explain(&value), Some(true), "{text}");
        }
        for text in ["March 6th, 2024", "5 March 2023", "15 March 2024", "tomorrow", "5 April"] {
            assert_eq!(times(text).explain(&value), Some(false), "{text}");
        }
        assert_eq!(times("March").explain(&times("Paris")), None);
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
            assert_eq!(times(text).explain(&times(value)), Some(true), "{text}");
        }
        assert_eq!(times("3 pm").explain(&times("14:00")), Some(false));
    }
}
