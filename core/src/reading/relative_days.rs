//! Days named relative to another one: `tomorrow`, `next Friday`, `in two weeks`, `for three nights`.

use super::calendar::{Day, month_length};
use super::counts::count;
use super::date::Date;
use super::days_on::{a_week_on, is_counted_from};
use super::spoken::Languages;
use super::units::Unit;
use super::vocabulary::{Role, Word};

/// What a text says about days without naming their dates.
#[derive(Debug, Default)]
pub struct RelativeDays {
    spoken: Vec<Spoken>,
    /// Lengths in days: of a stay, or the way to another day.
    spans: Vec<i64>,
    /// Days of the week that were named, Monday first.
    weekdays: [bool; 7],
    /// Something was said that tells no exact day: `next week`, `recently`.
    vague: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Spoken {
    /// So many days from today.
    Offset(i64),
    Weekday(i64, Which),
    /// So many months from today.
    Months(i64),
    /// A week, a month and so on, so many of them from the present one.
    Span(Span, i64),
    /// A quarter of a year, of this one if unnamed.
    Quarter(u32, Option<i32>),
    /// The first or last day of a month; of this one if unnamed.
    Edge(Option<u32>, Side),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Span {
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Which {
    Coming,
    Next,
    Last,
    WeekAfter,
    /// Of a week from Monday on, so many of them from the present one.
    OfWeek(i64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    First,
    Last,
}

/// The days meant, once today is known.
#[derive(Debug, Default)]
pub struct Days {
    pub exact: Vec<Day>,
    /// Possible as well, though less likely: the last Monday for `Monday`.
    pub possible: Vec<Day>,
    /// Spans whose days all are.
    pub spans: Vec<(Day, Day)>,
}

impl Days {
    pub fn may_be(&self, day: Day) -> bool {
        self.possible.contains(&day) || self.spans.iter().any(|(first, last)| (*first..=*last).contains(&day))
    }

    fn span(&mut self, first: Day, last: Day) {
        self.exact.extend([first, last]);
        // The end may be left out itself.
        self.spans.push((first, last.plus(1)));
    }
}

/// Bounds the work on hostile text.
const MAX_SPOKEN: usize = 40;

impl RelativeDays {
    /// Reads the words from `at` on; gives back how many of them it understood.
    pub fn read(&mut self, words: &[Word], at: usize) -> usize {
        let word = |n: usize| Word::at(words, at + n);
        let before = |n: usize| at.checked_sub(n).map_or(Word::NONE, |at| words[at]);
        let here = word(0);
        if let Some((days, length)) = day_named(words, at) {
            if days == 0 && is_counted_from(words, at + length) {
                return length;
            }
            if let Some((later, more)) = a_week_on(words, at + length) {
                self.push(Spoken::Offset(days + later));
                return length + more;
            }
            self.push(Spoken::Offset(days));
            // Hindi has one word for tomorrow and yesterday.
            if days == 1 && here.is(Role::Yesterday) {
                self.push(Spoken::Offset(-1));
            }
            return length;
        }
        if let Some((spoken, length)) = span_named(words, at) {
            // `next week on Friday`.
            let weekday = (length..length + 3).find_map(|n| word(n).means.weekday.map(|day| (day, n + 1)));
            if let (Spoken::Span(Span::Week, count), Some((day, length))) = (spoken, weekday) {
                self.push(Spoken::Weekday(day, Which::OfWeek(count)));
                return length;
            }
            self.push(spoken);
            return length;
        }
        if here.is(Role::MonthEnd) {
            self.push(match (before(1).text.parse::<u32>(), before(1)) {
                (Ok(month @ 1..=12), _) => Spoken::Edge(Some(month), Side::Last),
                (_, word) if word.is(Role::NextWeekday) => Spoken::Span(Span::Month, 1),
                _ => Spoken::Edge(None, Side::Last),
            });
            return 1;
        }
        if here.is(Role::Workdays) {
            self.weekdays[..5].fill(true);
            return 1;
        }
        if here.is(Role::StartOf) || here.is(Role::EndOf) {
            return self.read_edge(words, at);
        }
        let Some(day) = here.means.weekday else { return self.read_span(words, at) };
        self.name_weekday(words, at, day);
        if let Some((7, length)) = a_week_on(words, at + 1) {
            self.push(Spoken::Weekday(day, Which::WeekAfter));
            return 1 + length;
        }
        let next = [word(1), word(2)];
        let which = match before(1) {
            word if word.text == "下" => Which::OfWeek(1),
            _ if next[0].text == "week" => Which::WeekAfter,
            _ if (1..4).any(|n| word(n).is(Role::NextWeekday) && word(n + 1).is(Role::Week)) => {
                Which::OfWeek(1)
            }
            _ if next[0].is(Role::NextWeekday) && !is_english(next[0]) => Which::Next,
            _ if next[0].text == "que" && next[1].is(Role::NextWeekday) => Which::Next,
            _ if next[0].is(Role::LastWeekday) && !is_english(next[0]) => Which::Last,
            word if word.is(Role::NextWeekday) => Which::Next,
            word if word.is(Role::LastWeekday) => Which::Last,
            word if word.text == "from" && matches!(before(2).text, "week" | "weeks") => Which::WeekAfter,
            _ => Which::Coming,
        };
        self.push(Spoken::Weekday(day, which));
        if which == Which::WeekAfter && next[0].text == "week" { 2 } else { 1 }
    }

    /// Notes a day of the week, and those between it and the one that a span begins with: `Monday to Friday`.
    fn name_weekday(&mut self, words: &[Word], at: usize, day: i64) {
        let before = |n: usize| at.checked_sub(n).map_or(Word::NONE, |at| words[at]);
        let gap = (1..4).find(|n| before(*n).means.weekday.is_some());
        let spans = |gap: &usize| (1..*gap).any(|n| before(n).is(Role::Until) && !before(n).is(Role::And));
        let first = gap.filter(spans).and_then(|gap| before(gap).means.weekday).filter(|first| *first < day);
        for day in first.unwrap_or(day)..=day {
            self.weekdays[day as usize] = true;
        }
    }

    pub fn names_weekday(&self, day: i64) -> bool {
        self.weekdays[day as usize]
    }

    /// `the end of March`, `the first day of the month`.
    fn read_edge(&mut self, words: &[Word], at: usize) -> usize {
        let word = |n: usize| Word::at(words, at + n);
        let here = word(0);
        let side = if here.is(Role::EndOf) { Side::Last } else { Side::First };
        let small = |word: Word| {
            matches!(
                word.text,
                "of" | "the" | "day" | "du" | "des" | "de" | "del" | "do" | "van" | "tego" | "tou" | "του"
            ) || word.is(Role::This)
                || word.is(Role::DateLink)
        };
        let skip = (1..4).take_while(|n| small(word(*n))).count();
        let named = word(1 + skip);
        match named.means.month {
            // The month's name stays to be read as a date.
            Some(month) if here.text != "first" || skip > 1 => {
                self.push(Spoken::Edge(Some(month), side));
                1 + skip
            }
            None if named.is(Role::Month) && (skip > 0 || !is_english(named)) => {
                self.push(Spoken::Edge(None, side));
                2 + skip
            }
            _ => 0,
        }
    }

    /// `in three days`, `two weeks ago`, `a week from today`, `four nights`.
    fn read_span(&mut self, words: &[Word], at: usize) -> usize {
        let word = |n: usize| Word::at(words, at + n);
        let (number, length) = match count(words, at) {
            Some(counted) => counted,
            None if word(0).is(Role::One) => (1.0, 1),
            None => return 0,
        };
        // `half a year`, but not `180 a night`.
        let links = |n: &usize| {
            let word = word(*n);
            matches!(word.text, "of" | "more" | "full")
                || (word.is(Role::AmountLink) && !word.is(Role::One))
                || (word.is(Role::One) && number.fract() != 0.0)
        };
        let end = length + (length..length + 2).take_while(links).count();
        let days = |each: f64| (number * each) as i64;
        let far = match word(end) {
            word if word.is(Role::Fortnight) => Spoken::Offset(days(14.0)),
            word if word.is(Role::Week) => Spoken::Offset(days(7.0)),
            word if word.is(Role::Day) && number.fract() == 0.0 => Spoken::Offset(days(1.0)),
            word if word.is(Role::Month)
                || word.means.unit.is_some_and(|own| Unit::named("month") == Some(own)) =>
            {
                Spoken::Months(days(1.0))
            }
            word if word.is(Role::Year) => Spoken::Months(days(12.0)),
            _ => return 0,
        };
        let back = match far {
            Spoken::Offset(days) => Spoken::Offset(-days),
            Spoken::Months(months) => Spoken::Months(-months),
            far => far,
        };
        let before = Word::before(words, at);
        let behind = word(end + 1);
        match (behind.text, word(end + 2).text) {
            ("from", "now" | "today") => self.push(far),
            ("from", "tomorrow") => self.push(Spoken::Offset(days(1.0) + 1)),
            ("before" | "earlier", _) => self.span(far, -1),
            _ if behind.is(Role::AgoBehind) => {
                self.push(back);
                // `a year ago today`.
                return end + 2 + usize::from(word(end + 2).is(Role::Today));
            }
            _ if behind.is(Role::AheadBehind) => {
                self.push(far);
                self.span(far, 1);
            }
            _ if before.is(Role::Ahead) => self.push(far),
            _ if before.is(Role::Ago) => self.push(back),
            _ => {
                self.span(far, 1);
                return end + 1;
            }
        }
        end + 2
    }

    fn push(&mut self, spoken: Spoken) {
        if self.spoken.len() < MAX_SPOKEN && !self.spoken.contains(&spoken) {
            self.spoken.push(spoken);
        }
    }

    fn span(&mut self, far: Spoken, way: i64) {
        let Spoken::Offset(days) = far else { return };
        let days = days * way;
        if self.spans.len() < MAX_SPOKEN && !self.spans.contains(&days) {
            self.spans.push(days);
        }
    }

    pub fn say_vague(&mut self) {
        self.vague = true;
    }

    pub fn is_vague(&self) -> bool {
        self.vague
    }

    /// Whether days are named that depend on today.
    pub fn is_said(&self) -> bool {
        self.vague || !self.spoken.is_empty()
    }

    /// Whether exact days are named that depend on today.
    pub fn is_exact(&self) -> bool {
        !self.spoken.is_empty()
    }

    /// Whether the first or the last day of a date's month was named, and the date is another.
    pub fn leaves_out(&self, date: Date) -> bool {
        let length = |year: Option<i32>| month_length(year.unwrap_or_default(), date.month);
        let is_other = |side: &Side| match side {
            Side::First => date.day != Some(1),
            Side::Last => date.day != Some(length(date.year)),
        };
        if date.day.is_none() {
            return false;
        }
        let mut sides = self.spoken.iter().filter_map(|own| match own {
            Spoken::Edge(Some(month), side) if *month == date.month => Some(side),
            _ => None,
        });
        sides.next().is_some_and(|first| is_other(first) && sides.all(is_other))
    }

    pub fn spans(&self) -> &[i64] {
        &self.spans
    }

    /// The days meant if `today` is today.
    pub fn from(&self, today: Day) -> Days {
        let mut days = Days::default();
        for spoken in &self.spoken {
            match *spoken {
                Spoken::Offset(count) => days.exact.push(today.plus(count)),
                Spoken::Weekday(weekday, which) => {
                    let ahead = (weekday - today.weekday()).rem_euclid(7);
                    let coming = today.plus(ahead);
                    let last = if ahead == 0 { today.plus(-7) } else { coming.plus(-7) };
                    match which {
                        Which::Last => days.exact.push(last),
                        Which::WeekAfter => days.exact.push(coming.plus(7)),
                        Which::OfWeek(count) => {
                            days.exact.push(today.plus(7 * count - today.weekday() + weekday))
                        }
                        // Speakers differ over whether `next Friday` is the coming one or that of next week.
                        Which::Next if ahead == 0 => days.exact.push(coming.plus(7)),
                        Which::Next => days.exact.extend([coming, coming.plus(7)]),
                        Which::Coming => {
                            days.exact.push(coming);
                            days.possible.push(if ahead == 0 { coming.plus(7) } else { last });
                        }
                    }
                }
                Spoken::Months(count) => days.exact.push(months_from(today, count)),
                Spoken::Span(Span::Weekend, count) => {
                    let saturday = today.plus((5 - today.weekday()).rem_euclid(7) + 7 * count);
                    days.exact.extend([saturday, saturday.plus(1)]);
                    // On a Sunday it is under way.
                    days.possible.extend([saturday.plus(-1), saturday.plus(2)]);
                }
                Spoken::Span(Span::Week, count) => {
                    let monday = today.plus(7 * count - today.weekday());
                    days.span(monday, monday.plus(6));
                    let (first, last) = (today.plus(7 * count.min(0)), today.plus(7 * count.max(0)));
                    days.possible.extend([first, last, monday.plus(-1), monday.plus(4)]);
                }
                Spoken::Span(span, count) => {
                    let months = match span {
                        Span::Year => 12,
                        Span::Quarter => 3,
                        _ => 1,
                    };
                    let (year, month, _) = today.date();
                    let own = (i64::from(year) * 12 + i64::from(month) - 1).div_euclid(months) + count;
                    days.months(own * months, months);
                    if count != 0 {
                        days.possible.push(months_from(today, count * months));
                    }
                }
                Spoken::Quarter(quarter, year) => {
                    let year = year.unwrap_or(today.date().0);
                    days.months(i64::from(year) * 12 + i64::from(quarter - 1) * 3, 3);
                }
                Spoken::Edge(month, side) => {
                    let (year, this_month, _) = today.date();
                    let month = month.unwrap_or(this_month);
                    for year in [year - 1, year, year + 1] {
                        let day = match side {
                            Side::First => 1,
                            Side::Last => month_length(year, month),
                        };
                        days.exact.extend(Day::of(year, month, day));
                    }
                }
            }
        }
        days
    }
}

impl Days {
    /// The span of some months from one on, counted from the year 0.
    fn months(&mut self, first: i64, count: i64) {
        let start = |month: i64| Day::of(month.div_euclid(12) as i32, month.rem_euclid(12) as u32 + 1, 1);
        if let (Some(first), Some(behind)) = (start(first), start(first + count)) {
            self.span(first, behind.plus(-1));
        }
    }
}

/// The day of the month some months away, or its last one.
fn months_from(today: Day, count: i64) -> Day {
    let (year, month, day) = today.date();
    let months = i64::from(year) * 12 + i64::from(month) - 1 + count.clamp(-12_000, 12_000);
    let (year, month) = (months.div_euclid(12) as i32, months.rem_euclid(12) as u32 + 1);
    Day::of(year, month, day.min(month_length(year, month))).unwrap_or(today)
}

fn is_english(word: Word) -> bool {
    let own = Word { spoken: Languages::ENGLISH_ONLY, ..word };
    word.text.is_ascii()
        && [Role::NextWeekday, Role::LastWeekday, Role::Month, Role::Week, Role::Year]
            .iter()
            .any(|role| own.is(*role))
}

/// `next month`, `la semaine prochaine`, `the second quarter`, `the weekend`.
fn span_named(words: &[Word], at: usize) -> Option<(Spoken, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    let span = |word: Word| {
        Some(match () {
            () if word.is(Role::Weekend) => Span::Weekend,
            () if word.is(Role::Week) => Span::Week,
            () if word.is(Role::Month) => Span::Month,
            () if word.is(Role::YearQuarter) => Span::Quarter,
            () if word.is(Role::Year) => Span::Year,
            () => return None,
        })
    };
    let away = |word: Word| match () {
        () if word.is(Role::NextWeekday) => Some(1),
        () if word.is(Role::LastWeekday) => Some(-1),
        () if word.is(Role::This) => Some(0),
        () => None,
    };
    let year = |n: usize| {
        (n..n + 3).find_map(|n| word(n).text.parse::<i32>().ok().filter(|year| (1_900..2_200).contains(year)))
    };
    if word(0).text == "q"
        && let Ok(quarter @ 1..=4) = word(1).text.parse::<u32>()
    {
        return Some((Spoken::Quarter(quarter, year(2)), 2));
    }
    let link = |n: usize| usize::from(word(n).is(Role::AmountLink) || word(n).is(Role::Ordinal));
    let place =
        word(0).means.ordinal.or_else(|| word(0).text.parse().ok()).filter(|place| (1..=4).contains(place));
    if let Some(quarter) = place.filter(|_| {
        word(1 + link(1)).is(Role::YearQuarter) && !word(2).is(Role::Past) && !word(2).is(Role::To)
    }) {
        return Some((Spoken::Quarter(quarter, year(2)), 2 + link(1)));
    }
    if let (Some(count), Some(span)) = (away(word(0)), span(word(1 + link(1)))) {
        return Some((Spoken::Span(span, count), 2 + link(1)));
    }
    let span = span(word(0))?;
    let behind = 1 + usize::from(word(1).text == "que");
    match away(word(behind)).filter(|_| !is_english(word(0))) {
        Some(count) => Some((Spoken::Span(span, count), behind + 1)),
        None if span == Span::Weekend => Some((Spoken::Span(span, 0), 1)),
        None => None,
    }
}

/// The day that words name by its distance from today, in days, and how many words do so.
fn day_named(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let here = words[at];
    if here.is(Role::DayPhrase) {
        let stands = |phrase: &[&str]| {
            words
                .get(at..at + phrase.len())
                .is_some_and(|own| own.iter().map(|word| word.text).eq(phrase.iter().copied()))
        };
        if let Some((phrase, days)) = here.means.day_phrases.iter().find(|(phrase, _)| stands(phrase)) {
            return Some((*days, phrase.len()));
        }
    }
    let before = Word::before(words, at).text;
    match () {
        () if here.is(Role::Today) => Some((0, 1)),
        () if here.means.tomorrow.is_some_and(|morning| morning.iter().all(|word| word != before)) => {
            Some((1, 1))
        }
        () if here.is(Role::Yesterday) => Some((-1, 1)),
        () => None,
    }
}
