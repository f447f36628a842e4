//! Names and codes of one thing: whether a value is another name of something in a text, as `MUC` is of `München`.
//!
//! The tables are in `core/data/`; `index.rs` reads them once. A conversation is read once into a [`Text`], which keeps the
//! things that it names; a value then costs one lookup, and a comparison with each of them.

mod hint;
mod index;
mod text;

pub use hint::Hint;
pub use index::Kind;
pub use text::Text;

use super::words::{EMPTY_HASH, fold, hash, hash_on};
use index::{Care, Form, INDEX, Sense, ThingId, is_unspaced};
use text::{Mention, senses_of};

/// By what a value and a text name the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Names of a city.
    Exonym,
    /// The code of a city or of one of its airports.
    CityCode,
    /// Codes, names and adjectives of a country.
    CountryCode,
    /// Codes, names and signs of a currency.
    CurrencyCode,
    /// Codes and names of a language.
    LanguageCode,
    /// A time zone, and a city or country in it.
    TimeZone,
    Weekday,
    Month,
    /// The code of a state of the United States.
    UsState,
}

/// The words of the text that name a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    pub way: Way,
    /// Folded, but for codes and signs.
    pub words: &'a str,
}

/// Bytes of a value; a longer one is more than a name.
const MAX_VALUE: usize = 80;

/// Where the text names what the value names. Short codes count only for kinds of the hint; without one, names and codes of three
/// capitals do.
pub fn same_thing<'a>(value: &str, text: &'a Text, hint: Hint) -> Option<Found<'a>> {
    if text.mentions.is_empty() {
        return None;
    }
    let meanings = meanings(value, hint);
    text.mentions.iter().find_map(|mention| {
        let way = meanings.iter().find_map(|own| way(*own, mention))?;
        Some(Found { way, words: text.words(mention) })
    })
}

/// Where the text plainly names one thing of the value's kind, and the value names another.
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "what a text names otherwise is no contradiction yet: `I live in London` is none of Paris"
    )
)]
pub fn contradicts<'a>(value: &str, text: &'a Text, hint: Hint) -> Option<Found<'a>> {
    if text.is_cut || text.mentions.is_empty() {
        return None;
    }
    let meanings = meanings(value, hint);
    let kind = INDEX.thing(meanings.first()?.thing).kind;
    let is_plain = |own: &Sense| {
        let by_case = own.care == Care::Capital && kind != Kind::Weekday;
        INDEX.thing(own.thing).kind == kind && !by_case
    };
    // What is translated need not be named, and zones of one time have many names.
    let is_open = kind == Kind::Zone || kind == Kind::Language && hint.is_source();
    if is_open || !meanings.iter().all(is_plain) {
        return None;
    }
    let is_told = |mention: &Mention| {
        mention.senses.iter().any(|said| meanings.iter().any(|own| is_near(own.thing, said.thing)))
    };
    if text.mentions.iter().any(is_told) {
        return None;
    }
    let of_kind = |mention: &Mention| {
        let own = mention.senses.iter().map(|sense| sense.thing);
        own.filter(|thing| INDEX.thing(*thing).kind == kind).collect::<Vec<_>>()
    };
    let mut only: Option<Vec<ThingId>> = None;
    for things in text.mentions.iter().map(of_kind).filter(|things| !things.is_empty()) {
        match &mut only {
            None => only = Some(things),
            Some(only) => only.retain(|thing| things.contains(thing)),
        }
    }
    let only = only.filter(|only| !only.is_empty())?;
    let sure = text
        .mentions
        .iter()
        .find(|own| own.sure == Some(kind) && of_kind(own).iter().any(|it| only.contains(it)))?;
    let way = match kind {
        Kind::City => Way::Exonym,
        kind => way_of(kind),
    };
    Some(Found { way, words: text.words(sure) })
}

/// What a value may name.
fn meanings(value: &str, hint: Hint) -> Vec<Sense> {
    let value = value.trim();
    if value.is_empty() || value.len() > MAX_VALUE {
        return Vec::new();
    }
    let mut all = named(value, hint);
    if (2..=3).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_alphabetic()) {
        let capitals = value.len() == 3 && value.bytes().all(|b| b.is_ascii_uppercase());
        // `Hel` is a town.
        let is_mixed = value.bytes().any(|b| b.is_ascii_uppercase()) && value != value.to_ascii_uppercase();
        let counts = |sense: &&Sense| match hint.is_empty() {
            true => capitals,
            false => !is_mixed && hint.has(INDEX.thing(sense.thing).kind),
        };
        let codes = INDEX.codes.get(&value.to_ascii_uppercase());
        all.extend(codes.into_iter().flatten().filter(counts).copied());
    }
    if is_locale(value) || (hint.has(Kind::Language) && value.contains(['-', '_'])) {
        all.extend(language_senses(value));
    }
    // `Munich, Germany`, where the country is the city's.
    if all.is_empty()
        && let Some((city, country)) = value.split_once([',', '('])
    {
        let countries = named(country.trim_end_matches(')'), hint);
        let is_in = |own: &Sense| {
            let city = INDEX.thing(own.thing);
            city.kind == Kind::City && countries.iter().any(|it| city.country == Some(it.thing))
        };
        all.extend(named(city, hint).into_iter().filter(is_in));
    }
    all
}

/// What a name may mean.
fn named(name: &str, hint: Hint) -> Vec<Sense> {
    let folded = fold(name);
    let folded_name = folded.trim();
    let senses = match folded_name.contains(is_unspaced) {
        true => INDEX.unspaced.get(&folded_name.chars().filter(|c| *c != ' ').fold(EMPTY_HASH, hash_on)),
        false => INDEX.names.get(&hash(folded_name)).filter(|entry| !entry.stem).map(|entry| &entry.senses),
    };
    let has_capital = name.trim().starts_with(char::is_uppercase);
    let counts = |sense: &&Sense| {
        hint.has(INDEX.thing(sense.thing).kind)
            || match sense.care {
                Care::Plain | Care::Dated => true,
                Care::Capital => hint.is_empty() && has_capital && folded_name.len() > 2,
                Care::Weak | Care::Digits => false,
            }
    };
    senses.into_iter().flatten().filter(counts).copied().collect()
}

/// `fr-FR`: two small letters and two capitals.
fn is_locale(text: &str) -> bool {
    matches!(text.as_bytes(), [a, b, b'-' | b'_', c, d]
        if a.is_ascii_lowercase() && b.is_ascii_lowercase() && c.is_ascii_uppercase() && d.is_ascii_uppercase())
}

/// The language of a locale, and for Chinese its script.
fn language_senses(locale: &str) -> Vec<Sense> {
    let mut parts = locale.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    let script = match (language, parts.next().unwrap_or_default()) {
        ("zh", "TW" | "HK" | "MO" | "Hant") => "zh-Hant",
        ("zh", "CN" | "SG" | "Hans") => "zh-Hans",
        _ => language,
    };
    let keyed = |key: &str| INDEX.keyed(Kind::Language, key);
    senses_of([keyed(language), keyed(script)].into_iter().flatten())
}

/// By what a mention names a meaning of the value.
fn way(own: Sense, mention: &Mention) -> Option<Way> {
    mention.senses.iter().find_map(|said| {
        let thing = INDEX.thing(own.thing);
        if own.thing != said.thing {
            // A zone tells no city: the user's clock is in it.
            let is_of_zone = thing.kind == Kind::Zone && is_near(own.thing, said.thing);
            return is_of_zone.then_some(Way::TimeZone);
        }
        match (own.form, said.form) {
            // Two airports of one city.
            (Form::Airport(one), Form::Airport(other)) => (one == other).then_some(Way::CityCode),
            (Form::Name, Form::Name) if thing.kind == Kind::City => Some(Way::Exonym),
            _ => Some(way_of(thing.kind)),
        }
    })
}

fn way_of(kind: Kind) -> Way {
    match kind {
        Kind::City => Way::CityCode,
        Kind::Country => Way::CountryCode,
        Kind::Currency => Way::CurrencyCode,
        Kind::Language => Way::LanguageCode,
        Kind::Zone => Way::TimeZone,
        Kind::Weekday => Way::Weekday,
        Kind::Month => Way::Month,
        Kind::State => Way::UsState,
    }
}

/// Whether two things are the same, a city and its country, or a zone and a place in it.
fn is_near(one: ThingId, other: ThingId) -> bool {
    let lies_in = |inner: ThingId, outer: ThingId| {
        let (inner, around) = (INDEX.thing(inner), INDEX.thing(outer));
        let country_zone = || INDEX.thing(inner.country?).zone;
        match (inner.kind, around.kind) {
            (Kind::City | Kind::Zone | Kind::State, Kind::Country) => inner.country == Some(outer),
            (Kind::City, Kind::Zone) => inner.zone.or_else(country_zone) == Some(outer),
            _ => false,
        }
    };
    one == other || lies_in(one, other) || lies_in(other, one)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Value, parameter, text, and what is expected: a way, `-` for nothing, `!` and a way where they contradict.
    const CASES: &str = include_str!("../../../../tests/cases/codes.tsv");

    #[test]
    fn cases() {
        let mut failed = Vec::new();
        for line in CASES.lines() {
            let [value, parameter, said, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not four fields: {line}");
            };
            let (text, hint) = (Text::of([said]), Hint::of(parameter, ""));
            let same = same_thing(value, &text, hint).map(|found| format!("{:?}", found.way));
            let other = contradicts(value, &text, hint).map(|found| format!("!{:?}", found.way));
            let got = same.or(other).unwrap_or_else(|| "-".to_owned());
            if got != expected {
                failed.push(format!("{line}   got {got}"));
            }
        }
        assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), CASES.lines().count(), failed.join("\n"));
    }

    #[test]
    fn the_words_of_the_text_are_given_back() {
        let text = Text::of(["Ein Flug nach München für 20 €"]);
        let found = same_thing("MUC", &text, Hint::default()).unwrap();
        assert_eq!((found.way, found.words), (Way::CityCode, "munchen"));
        let found = contradicts("USD", &text, Hint::of("currency", "")).unwrap();
        assert_eq!((found.way, found.words), (Way::CurrencyCode, "€"));
    }

    #[test]
    fn parameters_tell_what_they_ask_for() {
        for (name, description, kinds) in [
            ("currency_to", "", &[Kind::Currency, Kind::City][..]),
            ("targetLang", "", &[Kind::Language]),
            ("tz", "", &[Kind::Zone]),
            ("q", "The city to get the weather for", &[Kind::City]),
            ("q", "IANA time zone", &[Kind::Zone]),
            ("wochentag", "", &[Kind::Weekday]),
            ("通貨", "", &[Kind::Currency]),
            ("amount", "How much to send", &[]),
        ] {
            let hint = Hint::of(name, description);
            assert!(kinds.iter().all(|kind| hint.has(*kind)), "{name} {description}");
            assert_eq!(hint.is_empty(), kinds.is_empty(), "{name} {description}");
        }
    }

    #[test]
    fn work_is_bounded() {
        let names: String =
            ["Berlin", "München", "東京", "กรุงเทพ", "EUR $ €", "New York", "Москве"].join(" ");
        for unit in [names.as_str(), "New ", "ก", "東", "$", "A$", "de-DE ", "new york new ", "São ", "מ"]
        {
            let text = Text::of([unit.repeat(100_000 / unit.len()).as_str()]);
            assert!(text.mentions.len() <= 40, "{unit}");
        }
        let every: String = INDEX.codes.keys().map(|code| format!("{code}, ")).collect();
        let text = Text::of([every.as_str()]);
        assert!(text.is_cut && contradicts("EUR", &text, Hint::of("currency", "")).is_none());
        assert!(meanings(&"x".repeat(100_000), Hint::default()).is_empty());
    }

    #[test]
    fn tables_are_whole() {
        assert!(INDEX.things.len() > 1_000 && INDEX.things.len() < usize::from(ThingId::MAX));
        for line in include_str!("../../../data/cities.tsv").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 5, "{line}");
            assert!(INDEX.keyed(Kind::Country, fields[1]).is_some(), "{line}");
            assert!(fields[2].is_empty() || INDEX.keyed(Kind::Zone, fields[2]).is_some(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(value in ".{0,30}", said in ".{0,200}", name in ".{0,20}") {
            let (text, hint) = (Text::of([said.as_str()]), Hint::of(&name, &said));
            for value in [&value, &said, &name] {
                let same = same_thing(value, &text, hint);
                prop_assert!(same.is_none() || contradicts(value, &text, hint).is_none());
            }
        }
    }
}
