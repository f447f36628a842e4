//! What a word can mean for numbers, dates and times, in any of the languages.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::spoken::Languages;
use super::units::Unit;
use super::words::words;
use crate::language::{Language, Words, all};

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
];

/// All that a word can mean.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    /// A bit for each [`Role`].
    roles: u64,
    /// The languages whose numbers it is among, each with the number.
    numbers: Vec<(Languages, f64)>,
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
    pub fn is(&self, role: Role) -> bool {
        self.roles & (1 << role as u32) != 0
    }

    fn note(&mut self, role: Role) {
        self.roles |= 1 << role as u32;
    }

    /// The number it names in a text of these languages: `due` is two in Italian, and nothing in English.
    pub fn number(&self, spoken: Languages) -> Option<f64> {
        self.numbers.iter().find(|(languages, _)| languages.share(spoken)).map(|(_, number)| *number)
    }
}

static INDEX: LazyLock<HashMap<&'static str, Meaning, FixedState>> = LazyLock::new(|| {
    let mut index: HashMap<&'static str, Meaning, FixedState> = HashMap::default();
    for (at, language) in all().iter().enumerate() {
        for (role, list) in ROLES {
            list(language).iter().for_each(|word| index.entry(word).or_default().note(*role));
        }
        let own = if language.own_signs { Languages::everywhere() } else { Languages::only(at) };
        let numbers = |table: &'static BTreeMap<String, Words>| {
            let pair = |(number, words): (&'static String, &'static Words)| {
                Some((number.parse::<f64>().ok()?, words))
            };
            table
                .iter()
                .filter_map(pair)
                .flat_map(|(number, words)| words.iter().map(move |word| (word, number)))
        };
        for (word, number) in numbers(&language.numbers) {
            index.entry(word).or_default().numbers.push((own, number));
        }
        for (word, parts) in numbers(&language.amounts.fractions) {
            index.entry(word).or_default().fraction = Some(parts);
        }
        for (names, month) in language.dates.months.iter().zip(1..) {
            names.iter().for_each(|name| index.entry(name).or_default().month = Some(month));
        }
        for (names, weekday) in language.dates.weekdays.iter().zip(0..) {
            names.iter().for_each(|name| index.entry(name).or_default().weekday = Some(weekday));
        }
        for (unit, names) in &language.units {
            names.iter().for_each(|name| index.entry(name).or_default().unit = Unit::named(unit));
        }
        for word in language.days.tomorrow.iter() {
            index.entry(word).or_default().tomorrow = Some(&language.days.not_tomorrow_behind);
        }
        for (phrases, days) in [(&language.days.after_tomorrow, 2), (&language.days.before_yesterday, -2)] {
            for phrase in phrases {
                let words: Vec<&'static str> = phrase.split(' ').collect();
                let meaning = index.entry(words[0]).or_default();
                meaning.note(Role::DayPhrase);
                meaning.day_phrases.push((words, days));
            }
        }
    }
    index
});

/// What most words mean.
static NOTHING: Meaning = Meaning {
    roles: 0,
    numbers: Vec::new(),
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

/// A [folded](super::words::fold) word of a text, looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub means: &'static Meaning,
}

impl<'a> Word<'a> {
    /// Where a text has no word.
    pub const NONE: Word<'static> = Word { text: "", means: &NOTHING };

    pub fn new(text: &'a str) -> Word<'a> {
        Word { text, means: meaning(text) }
    }

    /// The words of a text.
    pub fn all(folded: &'a str) -> Vec<Word<'a>> {
        words(folded).map(Word::new).collect()
    }

    /// The word at a place, if there is one.
    pub fn at(words: &[Word<'a>], at: usize) -> Word<'a> {
        words.get(at).copied().unwrap_or(Word::NONE)
    }

    /// The word before a place, if there is one.
    pub fn before(words: &[Word<'a>], at: usize) -> Word<'a> {
        at.checked_sub(1).map_or(Word::NONE, |at| words[at])
    }

    pub fn is(self, role: Role) -> bool {
        self.means.is(role)
    }

    /// Whether no date or time begins with it, whatever stands around it: most words do not.
    pub fn is_idle(self) -> bool {
        std::ptr::eq(self.means, &NOTHING)
            && !self.has_digits()
            && !matches!(self.text, "a" | "an" | "it" | "date" | "weekend")
    }

    pub fn has_digits(self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// What must hold of every language's file, so that a mistake in it is seen.
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::language::FILES;
    use crate::reading::words::fold;

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
            &amounts.one,
            &amounts.links,
            &amounts.degrees,
            &dates.ambiguous_months,
            &dates.month_prepositions,
            &dates.links,
            &dates.ordinals,
            &dates.today_is,
            &dates.today_fillers,
            &dates.relative,
            &days.today,
            &days.tomorrow,
            &days.not_tomorrow_behind,
            &days.yesterday,
            &days.start_of,
            &days.end_of,
            &days.next,
            &days.last,
            &days.day,
            &days.week,
            &days.fortnight,
            &days.ahead,
            &days.ago,
            &clock.noon,
            &clock.midnight,
            &clock.half,
            &clock.half_before,
            &clock.quarter,
            &clock.minutes,
            &clock.past,
            &clock.to,
            &clock.o_clock,
            &clock.morning,
            &clock.evening,
            &clock.of_the_day,
            &clock.at,
            &clock.prepositions,
            &names.common,
        ];
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
                    assert_eq!(fold(word), format!(" {word} "), "{code}: not folded");
                    assert!(seen.insert(word), "{code}: `{word}` stands twice in a list");
                }
            }
            let request = &of.request;
            let days = &of.days;
            let lists = [
                &request.again,
                &request.except,
                &request.without,
                &request.minus,
                &days.after_tomorrow,
                &days.before_yesterday,
            ];
            for phrase in lists.into_iter().flatten() {
                assert_eq!(fold(phrase), format!(" {phrase} "), "{code}: not folded");
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
