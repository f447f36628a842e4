//! Numbers in words, in the languages most logs are in.

use super::numbers::{Figure, MOST_FIGURES};
use super::words::words;

/// Reads numbers in words: `twenty five`, `three hundred`, `half`, `a dozen`.
pub(super) fn number_words(folded: &str, figures: &mut Vec<Figure>) {
    let mut total: Option<f64> = None;
    let mut part: Option<f64> = None;
    for word in words(folded).chain(["."]) {
        if figures.len() >= MOST_FIGURES {
            return;
        }
        match number_word(word) {
            Some(NumberWord::Value(value)) => match part {
                // `twenty five`, but not `two five`.
                Some(tens)
                    if value < 10.0 && tens % 100.0 >= 20.0 || part.is_some_and(|p| p % 100.0 == 0.0) =>
                {
                    part = Some(part.unwrap_or(0.0) + value);
                }
                Some(_) => {
                    figures.push(worded(total.unwrap_or(0.0) + part.unwrap_or(0.0)));
                    (total, part) = (None, Some(value));
                }
                None => part = Some(value),
            },
            Some(NumberWord::Scale(scale)) if scale == 100.0 => part = Some(part.unwrap_or(1.0) * scale),
            Some(NumberWord::Scale(scale)) => {
                total = Some(total.unwrap_or(0.0) + part.take().unwrap_or(1.0) * scale);
            }
            None if word == "and" && (total.is_some() || part.is_some_and(|p| p >= 100.0)) => {}
            None => {
                if total.is_some() || part.is_some() {
                    figures.push(worded(total.take().unwrap_or(0.0) + part.take().unwrap_or(0.0)));
                }
            }
        }
    }
}

fn worded(value: f64) -> Figure {
    Figure { value, percent: false, place: None }
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
        "three" | "triple" | "third" | "drei" | "tres" | "trois" | "tre" => 3.0,
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
        "half" => 0.5,
        "quarter" => 0.25,
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
