//! Numbers in words, in the languages most logs are in.

use super::numbers::{Figure, MOST_FIGURES};
use super::units::Unit;
use super::words::words;

/// Reads numbers in words: `twenty five`, `three hundred`, `half`, `two and a half`, `three quarters`.
pub(super) fn number_words(folded: &str, figures: &mut Vec<Figure>) {
    let mut total: Option<f64> = None;
    let mut part: Option<f64> = None;
    // The last number and how many words ago it ended: its unit may follow.
    let mut last: Option<(usize, usize)> = None;
    let mut before = ["", ""];
    for word in words(folded).chain([".", "."]) {
        if figures.len() >= MOST_FIGURES {
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
            match number_word(word) {
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
                            if matches!(before[1], "a" | "an" | "une" | "un" | "per") && !unit.is_money() =>
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
    match number_word(word) {
        Some(NumberWord::Value(value)) if value.fract() == 0.0 => Some(value as i64),
        _ => None,
    }
}

enum NumberWord {
    Value(f64),
    Scale(f64),
}

fn number_word(word: &str) -> Option<NumberWord> {
    let value = match word {
        "zero" | "null" | "cero" => 0.0,
        "one" | "once" | "single" | "first" | "ein" | "eine" | "einen" | "uno" | "una" => 1.0,
        "two" | "twice" | "couple" | "pair" | "both" | "double" | "second" | "zwei" | "dos" | "deux"
        | "due" | "dois" => 2.0,
        "three" | "triple" | "thrice" | "third" | "drei" | "tres" | "trois" | "tre" => 3.0,
        "four" | "fourth" | "vier" | "cuatro" | "quatre" | "quattro" | "quatro" => 4.0,
        "five" | "fifth" | "funf" | "cinco" | "cinq" | "cinque" => 5.0,
        "six" | "sixth" | "sechs" | "seis" | "sei" => 6.0,
        "seven" | "sieben" | "siete" | "sept" | "sette" | "sete" => 7.0,
        "eight" | "acht" | "ocho" | "huit" | "otto" | "oito" => 8.0,
        "nine" | "neun" | "nueve" | "neuf" | "nove" => 9.0,
        "ten" | "tenth" | "zehn" | "diez" | "dix" | "dieci" | "dez" => 10.0,
        "eleven" => 11.0,
        "twelve" | "dozen" => 12.0,
        "thirteen" => 13.0,
        "fourteen" => 14.0,
        "fifteen" => 15.0,
        "sixteen" => 16.0,
        "seventeen" => 17.0,
        "eighteen" => 18.0,
        "nineteen" => 19.0,
        "twenty" | "zwanzig" | "veinte" | "vingt" => 20.0,
        "thirty" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "seventy" => 70.0,
        "eighty" => 80.0,
        "ninety" => 90.0,
        "monthly" => 12.0,
        "quarterly" => 4.0,
        "half" | "halb" | "halbe" | "halben" | "halber" | "halbes" | "halfte" | "mitad" | "medio"
        | "moitie" | "demi" | "demie" | "meta" => 0.5,
        "quarter" | "viertel" => 0.25,
        "decade" => 10.0,
        "hundred" | "hundert" | "cien" | "cent" => return Some(NumberWord::Scale(100.0)),
        "thousand" | "tausend" => return Some(NumberWord::Scale(1e3)),
        "million" => return Some(NumberWord::Scale(1e6)),
        "billion" => return Some(NumberWord::Scale(1e9)),
        "一" => 1.0,
        "二" | "两" => 2.0,
        "三" => 3.0,
        "四" => 4.0,
        "五" => 5.0,
        "六" => 6.0,
        "七" => 7.0,
        "八" => 8.0,
        "九" => 9.0,
        "十" => 10.0,
        _ => return None,
    };
    Some(NumberWord::Value(value))
}
