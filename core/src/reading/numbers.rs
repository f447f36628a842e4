//! Numbers in a text, in digits or words, and what an argument may make of them.

use std::ops::Range;

use super::digits::digits;
use super::duration::{self, Duration};
use super::figure::{Figure, MAX_FIGURES};
use super::number_words::number_words;
use super::spoken::Languages;
use super::units::Unit;
use super::vocabulary::Word;
use super::words::fold;

/// How a number follows from the numbers of a text, from the surest way to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberMatch {
    /// It stands there.
    Same,
    /// `5%` became 0.05.
    FromPercent,
    /// `5%` stayed 5: right for some tools, wrong for others.
    KeptPercent,
    /// It stands there with the other sign.
    Negated,
    /// Another unit or power of ten.
    Scaled,
    /// Two numbers added, subtracted, multiplied, divided or of mixed units (feet and inches).
    Combined,
}

/// How a value follows from the amounts of a text for a parameter that asks for a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measured {
    /// That amount, in that unit.
    Same,
    /// This number, converted.
    Converted(f64),
    /// A number of another unit, copied.
    Unconverted,
    /// None of the amounts.
    Other,
}

/// The numbers of a text.
#[derive(Debug, Default)]
pub struct Figures {
    figures: Vec<Figure>,
    /// Amounts of two units said in one: the parts and what they come to in the smaller unit.
    mixtures: Vec<[f64; 3]>,
    /// Those of the texts so far, and of what they answer.
    languages: Languages,
}

/// Pairs are tried among this many numbers.
const MAX_IN_PAIRS: usize = 24;

/// Ratios of everyday units: powers of ten, dozens, minutes, hours, days, weeks, months, inches, feet, miles, pounds, degrees.
#[rustfmt::skip]
const FACTORS: &[f64] = &[
    10.0, 100.0, 1e3, 1e6, 1e9, 12.0, 60.0, 3600.0, 24.0, 86_400.0, 7.0, 30.0, 365.0, 2.54, 0.3048, 1.609_344, 0.453_592,
    180.0 / std::f64::consts::PI,
];

impl Figures {
    pub fn of(text: &str) -> Figures {
        let mut figures = Figures::default();
        figures.read(text, &fold(text));
        figures
    }

    /// Adds the numbers of one more text; `folded` is that text [folded](fold).
    pub fn read(&mut self, text: &str, folded: &str) {
        self.read_words(text, folded, &Word::all(folded, self.languages));
    }

    /// The same, with the words of the folded text.
    pub(super) fn read_words(&mut self, text: &str, folded: &str, words: &[Word]) {
        digits(text, &mut self.figures, &mut self.mixtures);
        self.languages.join(Languages::of(folded));
        let composed = self.read_durations(words);
        if composed.is_empty() {
            return number_words(folded, words, self.languages, &mut self.figures);
        }
        // The words of `an hour and a half` are no numbers of their own.
        let mut rest = words.to_vec();
        composed.into_iter().for_each(|range| rest[range].fill(Word::NONE));
        number_words(folded, &rest, self.languages, &mut self.figures);
    }

    /// Adds lengths of time that are more than a number and its unit.
    /// Gives back where they are.
    fn read_durations(&mut self, words: &[Word]) -> Vec<Range<usize>> {
        let (mut at, mut composed_at) = (0, Vec::new());
        while at < words.len() && self.figures.len() < MAX_FIGURES {
            let Some((duration, length)) = duration::read(words, at) else {
                at += 1;
                continue;
            };
            let Duration { value, unit, composed } = duration;
            if composed {
                composed_at.push(at..at + length);
            }
            if composed || !words[at].has_digits() || !words[at + length - 1].text.is_ascii() {
                self.figures.push(Figure { value, percent: false, place: None, unit: Some(unit) });
            }
            at += length;
        }
        composed_at
    }

    pub(super) fn languages(&self) -> Languages {
        self.languages
    }

    /// Adds a language that is spoken around these texts.
    pub fn hear(&mut self, languages: Languages) {
        self.languages.join(languages);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.figures.iter()
    }

    /// Adds a number that stands nowhere.
    pub fn note(&mut self, value: f64) {
        if self.figures.len() < MAX_FIGURES {
            self.figures.push(Figure { value, percent: false, place: None, unit: None });
        }
    }

    pub fn contains(&self, value: f64) -> bool {
        self.figures.iter().any(|figure| same(figure.value, value))
    }

    /// How `value` follows for a parameter that asks for the unit `asked`; `None` where it asks for none, and where no amount of
    /// the kind was named.
    pub fn in_unit(&self, value: f64, asked: impl FnOnce() -> Option<Unit>) -> Option<Measured> {
        if !self.figures.iter().any(|figure| figure.unit.is_some()) {
            return None;
        }
        let asked = asked()?;
        let amounts =
            || self.figures.iter().filter_map(|f| f.unit.filter(|u| u.is_like(asked)).map(|u| (f.value, u)));
        if amounts().any(|(own, unit)| unit == asked && same(own, value)) {
            return Some(Measured::Same);
        }
        if let Some((own, _)) =
            amounts().find(|(own, unit)| *unit != asked && unit.comes_to(*own, asked, value))
        {
            return Some(Measured::Converted(own));
        }
        let copied = value != 0.0
            && amounts().any(|(own, unit)| unit != asked && same(own, value))
            && !self.figures.iter().any(|figure| figure.unit.is_none() && same(figure.value, value));
        if copied {
            return Some(Measured::Unconverted);
        }
        amounts().next().map(|_| Measured::Other)
    }

    /// Whether a number is part of an amount that `other` numbers name as a whole.
    pub fn is_part_of(&self, number: f64, other: &Figures) -> bool {
        self.mixtures
            .iter()
            .any(|[a, b, whole]| (same(*a, number) || same(*b, number)) && other.contains(*whole))
    }

    /// A share such as a half that is `value` percent.
    pub fn has_share(&self, value: f64) -> bool {
        self.figures
            .iter()
            .any(|f| f.value > 0.0 && f.value < 1.0 && f.unit.is_none() && same(f.value * 100.0, value))
    }

    /// Whether `value` is an amount of money off by a power of ten.
    pub fn is_money_shifted(&self, value: f64) -> bool {
        self.figures.iter().any(|figure| {
            figure.unit.is_some_and(Unit::is_money)
                && [10.0, 100.0, 1e3]
                    .iter()
                    .any(|factor| close(figure.value * factor, value) || close(figure.value / factor, value))
        })
    }

    /// The surest way from these numbers to `value`.
    pub fn explain(&self, value: f64) -> Option<NumberMatch> {
        let mut best = None;
        let mut found = |way: NumberMatch| {
            if best.is_none_or(|best| way < best) {
                best = Some(way);
            }
        };
        for figure in &self.figures {
            if same(figure.value, value) {
                if !figure.percent {
                    return Some(NumberMatch::Same);
                }
                found(NumberMatch::KeptPercent);
            } else if figure.percent && same(figure.value / 100.0, value) {
                found(NumberMatch::FromPercent);
            } else if same(-figure.value, value) || (figure.percent && same(figure.value / -100.0, value)) {
                found(NumberMatch::Negated);
            }
        }
        if best.is_some() || value == 0.0 {
            return best;
        }
        let scaled = |from: f64| {
            FACTORS.iter().any(|factor| close(from * factor, value) || close(from / factor, value))
        };
        if self
            .figures
            .iter()
            .take(MAX_FIGURES / 10)
            .any(|figure| figure.value != 0.0 && scaled(figure.value))
        {
            return Some(NumberMatch::Scaled);
        }
        let few: Vec<&Figure> =
            self.figures.iter().filter(|figure| figure.place.is_some()).take(MAX_IN_PAIRS).collect();
        let combined = few.iter().enumerate().any(|(i, a)| {
            few[i + 1..].iter().any(|b| {
                let (a, b) = (a.value, b.value);
                [a + b, a - b, b - a, a * b, a / b, b / a, a * 12.0 + b, a * 60.0 + b]
                    .iter()
                    .any(|c| close(*c, value))
            })
        });
        combined.then_some(NumberMatch::Combined)
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// As near as a value rounded by hand.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-3 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        for (text, value) in [
            ("it costs $1,200.50 today", 1200.5),
            ("kostet 1.234,50 Euro", 1234.5),
            ("population 1.234.567", 1_234_567.0),
            ("Bitte 12,50 Euro", 12.5),
            ("Bitte 1.250 Euro", 1250.0),
            ("Bitte 1250,50 €", 1250.5),
            ("a parcel of 2,5 kg", 2.5),
            ("it weighs 2.75.", 2.75),
            ("[45,12,67]", 12.0),
            ("[100,200,300]", 100.0),
            ("45k users", 45_000.0),
            ("2.5 million people", 2_500_000.0),
            ("8.854 x 10^-12 F/m", 8.854e-12),
            ("3e8 m/s", 3e8),
            ("twenty-five guests", 25.0),
            ("three hundred and five", 305.0),
            ("two thousand miles", 2000.0),
            ("two dozen eggs", 24.0),
            ("half a dozen eggs", 6.0),
            ("a dozen eggs", 12.0),
            ("a one/6 chance of 1/6", 1.0 / 6.0),
            ("1 in 8 odds", 0.125),
            ("at -5 degrees", -5.0),
            ("quiero dos billetes", 2.0),
            ("the second one", 2.0),
            ("show the second page", 2.0),
            ("at 5% compounded monthly", 12.0),
            ("zwei Karten", 2.0),
        ] {
            assert!(Figures::of(text).contains(value), "{value} in {text}: {:?}", Figures::of(text));
        }
    }

    #[test]
    fn words_of_other_meanings_are_no_numbers() {
        for (text, value) in [
            ("the report is due", 2.0),
            ("two dozen eggs", 12.0),
            ("half a dozen eggs", 12.0),
            ("buy shares of Meta", 0.5),
            ("open the DOS prompt", 2.0),
            ("on the last day of Sept", 7.0),
            ("I'll be there in a second", 2.0),
            ("in a second", 1.0),
            ("every second", 2.0),
            ("a 30 second timer", 2.0),
            ("the second you arrive", 2.0),
            ("Second, book a table", 2.0),
            ("it is null", 0.0),
            ("call Otto", 8.0),
            ("send the monthly report", 12.0),
            ("a third party", 3.0),
            ("open 10-15 shops", -15.0),
            ("the years 2022-2023", -2023.0),
            ("- 5 apples", -5.0),
            ("Bitte 1.250 Euro", 1.25),
            ("a parcel of 2,5 kg", 5.0),
            ("at -5 degrees", 5.0),
        ] {
            assert!(!Figures::of(text).contains(value), "{value} in {text}: {:?}", Figures::of(text));
        }
    }

    #[test]
    fn ways_to_a_number() {
        for (text, value, way) in [
            ("at 5% for 3 years", 0.05, Some(NumberMatch::FromPercent)),
            ("at 5% for 3 years", 5.0, Some(NumberMatch::KeptPercent)),
            ("at 5% for 3 years", 3.0, Some(NumberMatch::Same)),
            ("for 3 years", 36.0, Some(NumberMatch::Scaled)),
            ("he is 5 ft 11 in", 71.0, Some(NumberMatch::Combined)),
            ("for 3 years", 1987.0, None),
            ("for 3 years", -3.0, Some(NumberMatch::Negated)),
            ("at -5 degrees", 5.0, Some(NumberMatch::Negated)),
            ("4x - 7 = 0", -7.0, Some(NumberMatch::Same)),
        ] {
            assert_eq!(Figures::of(text).explain(value), way, "{value} from {text}");
        }
    }
}
