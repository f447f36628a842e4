//! Numbers in a text, in digits or words, and the arguments that may express them.

use std::ops::Range;

use super::digits::digits;
use super::duration::{self, Duration};
use super::figure::{Figure, MAX_FIGURES};
use super::number_words::number_words;
use super::spoken::Languages;
use super::units::Unit;
use super::vocabulary::Word;
use super::words::{digit, fold};

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
        self.languages.join(Languages::of(folded));
        if let Some((plain, places)) = ascii_digits(text) {
            let mut own = Vec::new();
            digits(&plain, self.languages, &mut own, &mut self.mixtures);
            let place =
                |place: Option<(usize, usize)>| place.map(|(start, end)| (places[start], places[end]));
            self.figures.extend(own.iter().map(|figure| Figure { place: place(figure.place), ..*figure }));
        } else {
            digits(text, self.languages, &mut self.figures, &mut self.mixtures);
        }
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

    pub fn languages(&self) -> Languages {
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

    /// Whether a number only stands there as the head of a larger one: the 35 of `35k`.
    pub fn is_head(&self, value: f64) -> bool {
        let times = |factor: f64| factor == 12.0 || factor >= 100.0 && factor.log10().fract() == 0.0;
        let is_own = |[head, _, whole]: &&[f64; 3]| same(*head, value) && times((whole / head).round());
        let heads = self.mixtures.iter().filter(is_own).count();
        heads > 0 && heads >= self.figures.iter().filter(|figure| same(figure.value, value)).count()
    }

    /// Whether a number only stands there as a percentage.
    pub fn is_percent(&self, value: f64) -> bool {
        let mut own = self.figures.iter().filter(|figure| same(figure.value, value)).peekable();
        own.peek().is_some() && own.all(|figure| figure.percent)
    }

    /// Whether a part of one stands there only as a percentage or in words: 0.2 for `a fifth` or `20 %`.
    pub fn is_only_share(&self, value: f64) -> bool {
        let own = |figure: &&Figure| same(figure.value, value);
        let percent = self.figures.iter().any(|figure| figure.percent && same(figure.value, value * 100.0));
        let mut told = self.figures.iter().filter(own).peekable();
        (percent || told.peek().is_some()) && told.all(|figure| figure.place.is_none() && !figure.percent)
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

/// A text whose digits are of other scripts with ASCII ones instead, and where each byte of it stood.
fn ascii_digits(text: &str) -> Option<(String, Vec<usize>)> {
    let is_other = |c: char| !c.is_ascii() && digit(c).is_some();
    if text.is_ascii() || !text.contains(is_other) {
        return None;
    }
    let (mut plain, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    for (at, c) in text.char_indices() {
        plain.push(match c {
            '٫' => '.',
            '٬' => ',',
            c => digit(c).unwrap_or(c),
        });
        places.resize(plain.len(), at);
    }
    places.push(text.len());
    Some((plain, places))
}

/// From here on neighbouring whole numbers have the same representation.
pub(crate) const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// Whether two numbers are one, but for what arithmetic lost. Whole ones, such as those of orders and cards, are one only if all their
/// digits are; those too large for that are like no other.
pub(crate) fn same(a: f64, b: f64) -> bool {
    let largest = a.abs().max(b.abs());
    if a.fract() == 0.0 && b.fract() == 0.0 {
        return a == b && largest < FIRST_INEXACT;
    }
    a.is_finite() && b.is_finite() && (a - b).abs() <= 1e-9 * largest
}

/// As near as a value rounded by hand.
fn close(a: f64, b: f64) -> bool {
    a.is_finite() && b.is_finite() && (a - b).abs() <= 2e-3 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_things_are_one_if_all_digits_are() {
        for (a, b, are_same) in [
            ("5550001234", "5550001234", true),
            ("5550001234", "5550001235", false),
            ("4111111111111111", "4111111111111112", false),
            ("41111111111111111", "41111111111111112", false),
            ("0.30000000000000004", "0.3", true),
            ("1100000.0000000002", "1100000", true),
            ("0", "-0", true),
            ("1e999", "1e999", false),
        ] {
            assert_eq!(same(a.parse().unwrap(), b.parse().unwrap()), are_same, "{a} {b}");
        }
    }

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
            ("加两打", 24.0),
            ("kirim 35rb ke saya", 35_000.0),
            ("tip a fifth, and no need to ring", 0.2),
            ("one third of them", 1.0 / 3.0),
            ("a one/6 chance of 1/6", 1.0 / 6.0),
            ("1 in 8 odds", 0.125),
            ("at -5 degrees", -5.0),
            ("quiero dos billetes", 2.0),
            ("the second one", 2.0),
            ("show the second page", 2.0),
            ("at 5% compounded monthly", 12.0),
            ("zwei Karten", 2.0),
            ("half a million people", 500_000.0),
            ("1.5k followers", 1500.0),
            ("2 lakh rupees", 200_000.0),
        ] {
            assert!(Figures::of(text).contains(value), "{value} in {text}: {:?}", Figures::of(text));
        }
    }

    #[test]
    fn what_is_too_large_to_be_held_is_like_nothing() {
        let huge = "1e999".parse().unwrap();
        for text in ["give me 5", "1e999 of them", "2 of 3 km"] {
            let figures = Figures::of(text);
            assert!(!figures.contains(huge), "{text}");
            assert_eq!(figures.explain(huge), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_other_languages_are_found() {
        let mut missed = Vec::new();
        for (text, value) in [
            ("Überweise fünfundzwanzig Euro", 25.0),
            ("Bitte einen Tisch für den fünfzigsten, fünfzig Personen", 50.0),
            ("quiero mil quinientos euros", 1500.0),
            ("je voudrais vingt-deux billets", 22.0),
            ("je voudrais quatre-vingt-dix billets", 90.0),
            ("Ik wil graag vijfentwintig kaartjes naar Utrecht", 25.0),
            ("Jeg vil gerne bestille halvtreds billetter", 50.0),
            ("Varaa pöytä kaksikymmentäviisi hengelle", 25.0),
            ("saya mau pesan dua ratus kursi", 200.0),
            ("yirmi beş kişilik masa ayarla lütfen", 25.0),
            ("переведи пять тысяч рублей", 5000.0),
            ("переведи 50 тысяч рублей", 50_000.0),
            ("सौ रुपये भेजो", 100.0),
            ("5 लाख रुपये", 500_000.0),
            ("चाहिए ५० टिकट", 50.0),
            ("احجز ٥٠ مقعدا", 50.0),
            ("السعر ١٬٥٠٠٫٥٠ ريال", 1500.5),
            ("จอง ๕๐ ที่นั่ง", 50.0),
            ("จองโต๊ะห้าสิบคน", 50.0),
            ("৫০টি", 50.0),
            ("５０人", 50.0),
            ("50万円を送って", 500_000.0),
            ("预算3.5万元", 35_000.0),
            ("三千二百円", 3200.0),
            ("1億2000万円", 120_000_000.0),
            ("2만 5천 원 보내줘", 25_000.0),
            ("5천원", 5000.0),
            ("오십 명 예약", 50.0),
            ("1 500 kr", 1500.0),
            ("Fr. 1'500", 1500.0),
            ("1\u{202f}500,50 €", 1500.5),
            ("1.500,50 EUR", 1500.5),
            ("1,500.50 USD", 1500.5),
            ("il y a 12,5 % de remise", 12.5),
            ("etwa 3,5 Millionen Menschen", 3_500_000.0),
            ("Bitte überweise mir 3,5 an das Konto", 3.5),
            ("Bitte bis zu 1.500 Stück für das Lager", 1500.0),
            ("preciso de 5 milhões de reais", 5_000_000.0),
            ("kirim 5 juta rupiah dari saya", 5_000_000.0),
        ] {
            if !Figures::of(text).contains(value) {
                missed.push(format!("{value} in {text}: {:?}", Figures::of(text)));
            }
        }
        for (text, value) in [
            ("send mil the dix report of tri sex and sto", 1000.0),
            ("send mil the dix report of tri sex and sto", 10.0),
            ("send mil the dix report of tri sex and sto", 6.0),
            ("send mil the dix report of tri sex and sto", 100.0),
            ("zwischen fünf und zwanzig Euro für die Karte", 25.0),
            ("fünfundzwanzig Euro bitte", 5.0),
            ("สีแดง", 4.0),
            ("이 영화를 보여줘", 2.0),
            ("百度一下", 100.0),
            ("Što želim je moj koji", 100.0),
            ("the bus on platform 10 20 minutes late", 1020.0),
            ("50 cents pour le café", 5000.0),
        ] {
            if Figures::of(text).contains(value) {
                missed.push(format!("no {value} in {text}: {:?}", Figures::of(text)));
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn places_of_digits_of_other_scripts_are_those_of_the_text() {
        let text = "احجز ٥٠ مقعدا";
        let (start, end) = Figures::of(text).iter().find_map(|figure| figure.place).unwrap();
        assert_eq!(&text[start..end], "٥٠");
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
