//! The meanings of words for numbers, dates and times, in all languages.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::spoken::Languages;
use super::units::Unit;
use super::words::fold;
use crate::language::{Language, Words, all};

pub(super) use super::word::Word;

/// What a word does where dates, times and amounts are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// `an`, in front of a unit.
    One,
    /// Between a number word and its unit.
    AmountLink,
    /// Between a number and its scale.
    Degrees,
    AmbiguousMonth,
    MonthPreposition,
    /// Between the parts of a date.
    DateLink,
    /// The ending of an ordinal.
    Ordinal,
    TodayIs,
    TodayFiller,
    /// Depends on the day it is said.
    Relative,
    Today,
    Yesterday,
    StartOf,
    EndOf,
    NextWeekday,
    LastWeekday,
    Day,
    Week,
    Fortnight,
    Ahead,
    Ago,
    Noon,
    Midnight,
    Half,
    HalfBefore,
    Quarter,
    Minutes,
    Past,
    To,
    OClock,
    Morning,
    Evening,
    OfTheDay,
    At,
    ClockPreposition,
    /// Joins the parts of a length or a time: `an hour and a half`.
    And,
    /// Half or a quarter more, right behind a number or a unit: `bir buçuk`.
    HalfBehind,
    QuarterBehind,
    /// In front of a number it adds to or takes from: `paune chhah`.
    HalfMore,
    QuarterMore,
    QuarterLess,
    Night,
    /// Of the hour behind it one quarter has passed, or three.
    QuarterBefore,
    ThreeQuartersBefore,
    /// Between a part of an hour and the hour it belongs to.
    HourLink,
    /// In front of minutes that are missing to the hour behind them.
    LessBefore,
    /// Between an hour and what is missing to it.
    Less,
    ToBehind,
    PastBehind,
    /// Behind an hour, but behind a length too.
    HourWord,
    /// Behind the hours of an evening that are counted from six on.
    EveningHours,
    Between,
    Until,
    This,
    Month,
    YearQuarter,
    Year,
    Weekend,
    MonthEnd,
    /// Monday to Friday.
    Workdays,
    AheadBehind,
    AgoBehind,
    YearSign,
    MonthSign,
    DaySign,
    /// Between the number of a day and that of its month.
    MonthBefore,
    /// Begins one of the phrases for a day.
    DayPhrase,
}

type List = fn(&Language) -> &Words;

/// The list of each role that is a list.
const ROLES: &[(Role, List)] = &[
    (Role::One, |of| &of.amounts.one),
    (Role::AmountLink, |of| &of.amounts.links),
    (Role::Degrees, |of| &of.amounts.degrees),
    (Role::AmbiguousMonth, |of| &of.dates.ambiguous_months),
    (Role::MonthPreposition, |of| &of.dates.month_prepositions),
    (Role::DateLink, |of| &of.dates.links),
    (Role::Ordinal, |of| &of.dates.ordinals),
    (Role::TodayIs, |of| &of.dates.today_is),
    (Role::TodayFiller, |of| &of.dates.today_fillers),
    (Role::Relative, |of| &of.dates.relative),
    (Role::Today, |of| &of.days.today),
    (Role::Yesterday, |of| &of.days.yesterday),
    (Role::StartOf, |of| &of.days.start_of),
    (Role::EndOf, |of| &of.days.end_of),
    (Role::NextWeekday, |of| &of.days.next),
    (Role::LastWeekday, |of| &of.days.last),
    (Role::Day, |of| &of.days.day),
    (Role::Week, |of| &of.days.week),
    (Role::Fortnight, |of| &of.days.fortnight),
    (Role::Ahead, |of| &of.days.ahead),
    (Role::Ago, |of| &of.days.ago),
    (Role::Noon, |of| &of.clock.noon),
    (Role::Midnight, |of| &of.clock.midnight),
    (Role::Half, |of| &of.clock.half),
    (Role::HalfBefore, |of| &of.clock.half_before),
    (Role::Quarter, |of| &of.clock.quarter),
    (Role::Minutes, |of| &of.clock.minutes),
    (Role::Past, |of| &of.clock.past),
    (Role::To, |of| &of.clock.to),
    (Role::OClock, |of| &of.clock.o_clock),
    (Role::Morning, |of| &of.clock.morning),
    (Role::Evening, |of| &of.clock.evening),
    (Role::OfTheDay, |of| &of.clock.of_the_day),
    (Role::At, |of| &of.clock.at),
    (Role::ClockPreposition, |of| &of.clock.prepositions),
    (Role::And, |of| &of.amounts.and),
    (Role::HalfBehind, |of| &of.amounts.half_behind),
    (Role::QuarterBehind, |of| &of.amounts.quarter_behind),
    (Role::HalfMore, |of| &of.amounts.half_more),
    (Role::QuarterMore, |of| &of.amounts.quarter_more),
    (Role::QuarterLess, |of| &of.amounts.quarter_less),
    (Role::Night, |of| &of.clock.night),
    (Role::QuarterBefore, |of| &of.clock.quarter_before),
    (Role::ThreeQuartersBefore, |of| &of.clock.three_quarters_before),
    (Role::HourLink, |of| &of.clock.hour_links),
    (Role::LessBefore, |of| &of.clock.less_before),
    (Role::Less, |of| &of.clock.less),
    (Role::ToBehind, |of| &of.clock.to_behind),
    (Role::PastBehind, |of| &of.clock.past_behind),
    (Role::HourWord, |of| &of.clock.hour_words),
    (Role::EveningHours, |of| &of.clock.evening_hours),
    (Role::Between, |of| &of.clock.between),
    (Role::Until, |of| &of.dates.until),
    (Role::This, |of| &of.days.this),
    (Role::Month, |of| &of.days.month),
    (Role::YearQuarter, |of| &of.days.quarter),
    (Role::Year, |of| &of.days.year),
    (Role::Weekend, |of| &of.days.weekend),
    (Role::Workdays, |of| &of.days.workdays),
    (Role::MonthEnd, |of| &of.days.month_end),
    (Role::AheadBehind, |of| &of.days.ahead_behind),
    (Role::AgoBehind, |of| &of.days.ago_behind),
    (Role::YearSign, |of| &of.dates.year_signs),
    (Role::MonthSign, |of| &of.dates.month_signs),
    (Role::DaySign, |of| &of.dates.day_signs),
    (Role::MonthBefore, |of| &of.dates.month_before),
];

/// All that a word can mean.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    /// The languages it has roles in, each with a bit for each [`Role`].
    roles: Vec<(Languages, u128)>,
    /// The languages whose numbers it is among, each with the number.
    numbers: Vec<(Languages, f64)>,
    /// The hours it names where nothing but an hour is meant, and whether it says `at` as well.
    hours: Vec<(Languages, u32, bool)>,
    /// Of a word for a length, its minutes.
    pub length: Option<f64>,
    /// Whether entries of several words begin with it.
    pub begins: bool,
    /// Its place in a row: of quarters of a year.
    pub ordinal: Option<u32>,
    /// How many of these parts make a whole.
    pub fraction: Option<f64>,
    /// 1 is January.
    pub month: Option<u32>,
    /// 0 is Monday.
    pub weekday: Option<i64>,
    pub unit: Option<Unit>,
    /// Of a word for tomorrow, the words behind which it means the morning.
    pub tomorrow: Option<&'static Words>,
    /// Phrases of several words that it begins, by what they make of today.
    pub day_phrases: Vec<(Vec<&'static str>, i64)>,
}

impl Meaning {
    /// Whether it has a role in a text of these languages.
    pub fn is(&self, role: Role, spoken: Languages) -> bool {
        self.roles.iter().any(|(own, roles)| roles & (1 << role as u32) != 0 && own.share(spoken))
    }

    fn note(&mut self, role: Role, own: Languages) {
        match self.roles.iter_mut().find(|(languages, _)| *languages == own) {
            Some((_, roles)) => *roles |= 1 << role as u32,
            None => self.roles.push((own, 1 << role as u32)),
        }
    }

    /// The hour it names in a text of these languages, and whether it says `at` as well.
    pub fn hour(&self, spoken: Languages) -> Option<(u32, bool)> {
        self.hours.iter().find(|(own, ..)| own.share(spoken)).map(|(_, hour, at)| (*hour, *at))
    }

    /// The number it names in a text of these languages: `due` is two in Italian, and nothing in English.
    pub fn number(&self, spoken: Languages) -> Option<f64> {
        // `once` is eleven where Spanish is heard.
        let own =
            || self.numbers.iter().find(|(own, _)| *own != Languages::ENGLISH_ONLY && own.share(spoken));
        let told = if spoken == Languages::every() || self.numbers.len() < 2 { None } else { own() };
        let any = || self.numbers.iter().find(|(languages, _)| languages.share(spoken));
        told.or_else(any).map(|(_, number)| *number)
    }
}

pub(super) static INDEX: LazyLock<HashMap<&'static str, Meaning, FixedState>> = LazyLock::new(|| {
    let mut index: HashMap<&'static str, Meaning, FixedState> = HashMap::default();
    for (at, language) in all().iter().enumerate() {
        let own = if language.own_signs { Languages::everywhere() } else { Languages::only(at) };
        for (role, list) in ROLES {
            list(language).iter().for_each(|word| index.entry(key(word)).or_default().note(*role, own));
        }
        let numbers = |table: &'static BTreeMap<String, Words>| {
            let pair = |(number, words): (&'static String, &'static Words)| {
                Some((number.parse::<f64>().ok()?, words))
            };
            table
                .iter()
                .filter_map(pair)
                .flat_map(|(number, words)| words.iter().map(move |word| (key(word), number)))
        };
        for (word, number) in numbers(&language.numbers) {
            index.entry(word).or_default().numbers.push((own, number));
        }
        for (word, parts) in numbers(&language.amounts.fractions) {
            index.entry(word).or_default().fraction = Some(parts);
        }
        for (table, with_at) in [(&language.clock.hours, false), (&language.clock.at_hours, true)] {
            for (word, hour) in numbers(table) {
                index.entry(word).or_default().hours.push((own, hour as u32, with_at));
            }
        }
        for (word, minutes) in numbers(&language.amounts.lengths) {
            index.entry(word).or_default().length = Some(minutes);
        }
        for (word, place) in numbers(&language.dates.nth) {
            index.entry(word).or_default().ordinal = Some(place as u32);
        }
        for (names, month) in language.dates.months.iter().zip(1..) {
            names.iter().for_each(|name| index.entry(key(name)).or_default().month = Some(month));
        }
        for (names, weekday) in language.dates.weekdays.iter().zip(0..) {
            names.iter().for_each(|name| index.entry(key(name)).or_default().weekday = Some(weekday));
        }
        for (unit, names) in &language.units {
            names.iter().for_each(|name| index.entry(key(name)).or_default().unit = Unit::named(unit));
        }
        for word in language.days.tomorrow.iter() {
            index.entry(key(word)).or_default().tomorrow = Some(&language.days.not_tomorrow_behind);
        }
        for (phrases, days) in [(&language.days.after_tomorrow, 2), (&language.days.before_yesterday, -2)] {
            for phrase in phrases {
                let words: Vec<&'static str> = key(phrase).split(' ').collect();
                let meaning = index.entry(words[0]).or_default();
                meaning.note(Role::DayPhrase, own);
                meaning.day_phrases.push((words, days));
            }
        }
    }
    let starts = |word: &&'static str| word.split_once(' ').map(|(first, _)| first);
    let starts: Vec<&'static str> = index.keys().filter_map(starts).collect();
    starts.into_iter().for_each(|word| index.entry(word).or_default().begins = true);
    index
});

/// An entry as it stands in folded texts: words of several words, and signs, have spaces between them.
fn key(word: &'static str) -> &'static str {
    match fold(word).trim() {
        folded if folded == word => word,
        folded => folded.to_owned().leak(),
    }
}

/// What most words mean.
pub(super) static NOTHING: Meaning = Meaning {
    roles: Vec::new(),
    numbers: Vec::new(),
    hours: Vec::new(),
    length: None,
    begins: false,
    ordinal: None,
    fraction: None,
    month: None,
    weekday: None,
    unit: None,
    tomorrow: None,
    day_phrases: Vec::new(),
};

/// What a [folded](super::words::fold) word means.
pub(super) fn meaning(word: &str) -> &'static Meaning {
    INDEX.get(word).unwrap_or(&NOTHING)
}

/// What must hold of every language's file, so that a mistake in it is seen.
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::language::FILES;

    /// The lists whose words are looked up in folded texts.
    fn folded_lists(of: &Language) -> Vec<&Words> {
        let Language { text, request, numbers, amounts, dates, days, clock, units, names, .. } = of;
        let mut lists = vec![
            &text.marks,
            &text.frequent,
            &text.stop_words,
            &text.little,
            &request.several,
            &request.negations,
            &names.common,
        ];
        lists.extend(ROLES.iter().map(|(_, list)| list(of)));
        lists.extend([&days.tomorrow, &days.not_tomorrow_behind]);
        lists.extend(clock.hours.values().chain(clock.at_hours.values()).chain(amounts.lengths.values()));
        lists.extend(numbers.values().chain(amounts.fractions.values()).chain(units.values()));
        lists.extend(dates.months.iter().chain(&dates.weekdays));
        lists
    }

    #[test]
    fn words_are_folded_and_stand_once() {
        for ((code, _), of) in FILES.iter().zip(all()) {
            for list in folded_lists(of) {
                let mut seen = BTreeSet::new();
                for word in list.iter() {
                    // Signs may stand together, and words of an entry have a line between them.
                    let plain = |text: &str| text.replace([' ', '_'], "");
                    assert_eq!(plain(&fold(word)), plain(word), "{code}: not folded");
                    assert!(seen.insert(word), "{code}: `{word}` stands twice in a list");
                }
            }
            let request = &of.request;
            let days = &of.days;
            let lists = [
                &request.again,
                &request.corrections,
                &request.except,
                &request.without,
                &request.minus,
                &days.after_tomorrow,
                &days.before_yesterday,
            ];
            for phrase in lists.into_iter().flatten() {
                assert_eq!(fold(phrase).replace(' ', ""), phrase.replace(' ', ""), "{code}: not folded");
            }
            let held = &of.held;
            let searched = [
                &request.again,
                &request.corrections,
                &request.meant,
                &request.more,
                &request.failed,
                &request.unfailed,
                &request.done,
                &request.but,
                &request.ranks,
                &request.sums,
                &held.denials,
                &held.undenied,
                &held.withdrawals,
                &held.not_yet,
                &held.how_to,
            ];
            for phrase in searched
                .into_iter()
                .flatten()
                .map(|phrase| phrase.trim_start_matches('=').trim_end_matches('*'))
            {
                // Signs that are words by themselves stand apart, or no text holds them.
                assert_eq!(fold(phrase).trim(), phrase, "{code}: no text has it so");
            }
        }
    }

    #[test]
    fn tables_are_whole() {
        let number = |text: &String| text.parse::<f64>().is_ok_and(|number| number.to_string() == *text);
        for ((code, _), of) in FILES.iter().zip(all()) {
            assert!([0, 12].contains(&of.dates.months.len()), "{code}: months");
            assert!([0, 7].contains(&of.dates.weekdays.len()), "{code}: weekdays");
            let keys =
                of.numbers.keys().chain(of.amounts.fractions.keys()).chain(of.amounts.magnitudes.keys());
            for key in keys {
                assert!(number(key), "{code}: `{key}` is not a number");
            }
            let mut words: Vec<&str> = of.numbers.values().flat_map(Words::iter).collect();
            words.sort_unstable();
            assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{code}: one word for two numbers");
            for unit in of.units.keys() {
                assert!(Unit::named(unit).is_some(), "{code}: `{unit}` is not a unit");
            }
            let english = &all()[0].names;
            for name in of.names.also.keys() {
                let names = |group: &&String| group.split(", ").any(|own| own == name);
                let groups = english.units.iter().chain(&english.things).filter(names).count();
                assert_eq!(groups, 1, "{code}: `{name}` is not the name of one thing in en.toml");
            }
            for list in english.units.iter().chain(&english.things).chain(of.names.also.values()) {
                for name in list.split(", ") {
                    assert_eq!(fold(name), format!(" {name} "), "{code}: not folded");
                }
            }
        }
    }
}
