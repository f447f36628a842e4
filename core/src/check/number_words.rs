//! Numbers in words, each language's only where it is spoken.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::figure::{Figure, MAX_FIGURES};
use super::language::{Language, Languages};
use super::units::Unit;
use super::words::words;

/// Reads numbers in words: `twenty five`, `three hundred`, `half`, `two and a half`, `three quarters`.
pub(super) fn number_words(folded: &str, languages: Languages, figures: &mut Vec<Figure>) {
    let compound = folded.contains(" compound");
    let mut total: Option<f64> = None;
    let mut part: Option<f64> = None;
    // The last number and how many words ago it ended: its unit may follow.
    let mut last: Option<(usize, usize)> = None;
    let mut before = ["", ""];
    let mut upcoming = words(folded).chain([".", "."]).peekable();
    while let Some(word) = upcoming.next() {
        if figures.len() >= MAX_FIGURES {
            return;
        }
        let push = |figures: &mut Vec<Figure>, value: f64| {
            figures.push(Figure { value, percent: false, place: None, unit: None });
            Some((figures.len() - 1, 0))
        };
        if let (Some(parts), Some(count)) = (fraction(word), part) {
            // `three quarters`.
            part = None;
            last = push(figures, total.take().unwrap_or(0.0) + count / parts);
        } else {
            let after = upcoming.peek().copied().unwrap_or_default();
            let number = number_word(word, languages).filter(|_| counts(word, before[1], after, compound));
            match number {
                Some(NumberWord::Value(value)) => match (part, last) {
                    // `twenty five`, but not `two five`.
                    (Some(tens), _)
                        if value < 10.0 && tens % 100.0 >= 20.0 || part.is_some_and(|p| p % 100.0 == 0.0) =>
                    {
                        part = Some(tens + value);
                    }
                    (Some(_), _) => {
                        last = push(figures, total.take().unwrap_or(0.0) + part.unwrap_or(0.0));
                        part = Some(value);
                    }
                    // `two and a half`, `an hour and a half`.
                    (None, Some((at, _)))
                        if matches!(value, 0.5 | 0.25)
                            && before == ["and", "a"]
                            && figures[at].value >= 1.0 =>
                    {
                        let (whole, unit) = (figures[at].value, figures[at].unit);
                        last = push(figures, whole + value);
                        if let Some(last) = figures.last_mut() {
                            last.unit = unit;
                        }
                    }
                    (None, _) => part = Some(value),
                },
                Some(NumberWord::Scale(scale)) if scale == 100.0 => part = Some(part.unwrap_or(1.0) * scale),
                Some(NumberWord::Scale(scale)) => {
                    total = Some(total.unwrap_or(0.0) + part.take().unwrap_or(1.0) * scale);
                }
                None if word == "and" && (total.is_some() || part.is_some_and(|p| p >= 100.0)) => {}
                None => {
                    if total.is_some() || part.is_some() {
                        last = push(figures, total.take().unwrap_or(0.0) + part.take().unwrap_or(0.0));
                    }
                    let unit = if word.len() > 1 { Unit::of_word(word) } else { None };
                    match (last, unit) {
                        (Some((at, ago)), Some(unit)) if ago < 3 && figures[at].unit.is_none() => {
                            figures[at].unit = Some(unit);
                        }
                        (_, Some(unit))
                            // `in a second` tells no time.
                            if matches!(before[1], "a" | "an" | "une" | "un" | "per")
                                && !unit.is_money()
                                && (word != "second" || before[1] == "per") =>
                        {
                            last = push(figures, 1.0);
                            if let Some(last) = figures.last_mut() {
                                last.unit = Some(unit);
                            }
                        }
                        _ => {}
                    }
                    // Only small words may stand between a number and its unit, or its half.
                    last = last.map(|(at, ago)| (at, ago + 1)).filter(|(_, ago)| {
                        *ago < 5
                            && (unit.is_some()
                                || matches!(
                                    word,
                                    "a" | "an" | "of" | "and" | "degrees" | "degree" | "grad" | "de" | "us"
                                ))
                    });
                }
            }
        }
        before = [before[1], word];
    }
}

fn fraction(word: &str) -> Option<f64> {
    Some(match word {
        "halves" => 2.0,
        "thirds" => 3.0,
        "quarters" => 4.0,
        "fifths" => 5.0,
        _ => return None,
    })
}

/// A whole number below a thousand in digits or a single word.
pub(super) fn small_number(word: &str) -> Option<i64> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return word.parse().ok().filter(|_| word.len() <= 3);
    }
    // Where a time or a length is expected, the word can hardly be another language's noun.
    match number_word(word, Languages::all()) {
        Some(NumberWord::Value(value)) if value.fract() == 0.0 => Some(value as i64),
        _ => None,
    }
}

enum NumberWord {
    Value(f64),
    Scale(f64),
}

/// What a word says in a text of these languages: `due` is two in Italian, and nothing in English.
fn number_word(word: &str, languages: Languages) -> Option<NumberWord> {
    let foreign = || {
        let meanings = INDEX.get(word)?;
        meanings.iter().find(|(language, _)| languages.has(*language)).map(|(_, value)| *value)
    };
    let value = english(word).or_else(foreign)?;
    Some(if matches!(value, 1e2 | 1e3 | 1e6 | 1e9) {
        NumberWord::Scale(value)
    } else {
        NumberWord::Value(value)
    })
}

/// The words of [`TABLES`], each with its languages.
static INDEX: LazyLock<HashMap<&'static str, Vec<(Language, f64)>>> = LazyLock::new(|| {
    let mut index: HashMap<&'static str, Vec<(Language, f64)>> = HashMap::new();
    for (language, words) in TABLES {
        for (names, value) in *words {
            names.split(' ').for_each(|name| index.entry(name).or_default().push((*language, *value)));
        }
    }
    index
});

fn english(word: &str) -> Option<f64> {
    Some(match word {
        "zero" => 0.0,
        "one" | "once" | "single" | "first" => 1.0,
        "two" | "twice" | "couple" | "pair" | "both" | "double" | "second" => 2.0,
        "three" | "triple" | "thrice" | "third" => 3.0,
        "four" | "fourth" => 4.0,
        "five" | "fifth" => 5.0,
        "six" | "sixth" => 6.0,
        "seven" => 7.0,
        "eight" => 8.0,
        "nine" => 9.0,
        "ten" | "tenth" | "decade" => 10.0,
        "eleven" => 11.0,
        "twelve" | "dozen" | "monthly" => 12.0,
        "thirteen" => 13.0,
        "fourteen" => 14.0,
        "fifteen" => 15.0,
        "sixteen" => 16.0,
        "seventeen" => 17.0,
        "eighteen" => 18.0,
        "nineteen" => 19.0,
        "twenty" => 20.0,
        "thirty" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "seventy" => 70.0,
        "eighty" => 80.0,
        "ninety" => 90.0,
        "quarterly" => 4.0,
        "half" => 0.5,
        "quarter" => 0.25,
        "hundred" => 1e2,
        "thousand" => 1e3,
        "million" => 1e6,
        "billion" => 1e9,
        _ => return None,
    })
}

/// Words [folded](super::words::fold), by language. English is always read; what is written in signs of its own can be nothing else.
#[rustfmt::skip]
const TABLES: &[(Language, &[(&str, f64)])] = &[
    (Language::German, &[
        ("null", 0.0), ("ein eine einen einer", 1.0), ("zwei", 2.0), ("drei", 3.0), ("vier", 4.0), ("funf", 5.0), ("sechs", 6.0),
        ("sieben", 7.0), ("acht", 8.0), ("neun", 9.0), ("zehn", 10.0), ("elf", 11.0), ("zwolf", 12.0), ("zwanzig", 20.0),
        ("halb halbe halben halber halbes halfte", 0.5), ("viertel", 0.25), ("hundert", 1e2), ("tausend", 1e3),
    ]),
    (Language::Spanish, &[
        ("cero", 0.0), ("uno una", 1.0), ("dos", 2.0), ("tres", 3.0), ("cuatro", 4.0), ("cinco", 5.0), ("seis", 6.0),
        ("siete", 7.0), ("ocho", 8.0), ("nueve", 9.0), ("diez", 10.0), ("doce", 12.0), ("veinte", 20.0), ("mitad medio media", 0.5),
        ("cien", 1e2), ("mil", 1e3),
    ]),
    (Language::French, &[
        ("une", 1.0), ("deux", 2.0), ("trois", 3.0), ("quatre", 4.0), ("cinq", 5.0), ("sept", 7.0), ("huit", 8.0), ("neuf", 9.0),
        ("dix", 10.0), ("douze", 12.0), ("vingt", 20.0), ("moitie demi demie", 0.5), ("cent", 1e2), ("mille", 1e3),
    ]),
    (Language::Italian, &[
        ("uno una", 1.0), ("due", 2.0), ("tre", 3.0), ("quattro", 4.0), ("cinque", 5.0), ("sei", 6.0), ("sette", 7.0), ("otto", 8.0),
        ("nove", 9.0), ("dieci", 10.0), ("venti", 20.0), ("meta mezzo mezza", 0.5), ("cento", 1e2), ("mille", 1e3),
    ]),
    (Language::Portuguese, &[
        ("um uma", 1.0), ("dois duas", 2.0), ("tres", 3.0), ("quatro", 4.0), ("cinco", 5.0), ("seis", 6.0), ("sete", 7.0), ("oito", 8.0),
        ("nove", 9.0), ("dez", 10.0), ("vinte", 20.0), ("metade meia meio", 0.5), ("cem", 1e2), ("mil", 1e3),
    ]),
    (Language::Chinese, &[
        ("一", 1.0), ("二 两", 2.0), ("三", 3.0), ("四", 4.0), ("五", 5.0), ("六", 6.0), ("七", 7.0), ("八", 8.0), ("九", 9.0), ("十", 10.0),
    ]),
];

/// Whether words that have other meanings are numbers where they stand: `the second one`, but not `in a second`.
fn counts(word: &str, before: &str, after: &str, compound: bool) -> bool {
    match word {
        "second" | "third" => {
            let told = matches!(
                before,
                "the" | "my" | "your" | "his" | "her" | "its" | "our" | "their" | "that" | "st" | "and"
            ) && !matches!(
                after,
                "" | "i" | "you" | "he" | "she" | "it" | "we" | "they" | "a" | "party" | "hand"
            );
            told || matches!(
                after,
                "one"
                    | "page"
                    | "place"
                    | "grade"
                    | "floor"
                    | "highest"
                    | "largest"
                    | "lowest"
                    | "row"
                    | "column"
                    | "edition"
                    | "version"
                    | "season"
                    | "degree"
                    | "order"
                    | "power"
                    | "derivative"
                    | "quarter"
                    | "half"
                    | "item"
                    | "round"
                    | "chapter"
                    | "line"
                    | "element"
                    | "term"
                    | "child"
                    | "entry"
                    | "result"
                    | "option"
            ) && !before.starts_with(|c: char| c.is_ascii_digit())
        }
        // How often interest is added; of a report it says nothing.
        "monthly" | "quarterly" => compound,
        _ => true,
    }
}
