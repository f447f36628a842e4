//! The unit that a parameter asks for.

use std::sync::LazyLock;

use super::node::Node;
use crate::domain::Json;
use crate::language;
use crate::reading::numbers::Figures;
use crate::reading::units::Unit;
use crate::reading::words::{WordSet, words};

/// The unit a parameter asks for, if its name or description names just one.
pub(super) fn asked_by(node: &Node) -> Option<Unit> {
    let named: Vec<&str> = words(&node.name).collect();
    // `temperature_c` and `duration_in_s`, but not `c` or `day`.
    let by_name = named.last().filter(|word| named.len() > 1 || is_spelt_out(word));
    // `area_m2` is folded to `area m 2`.
    if let [.., unit, "2"] = named[..]
        && let Some(area) = Unit::of_word(&format!("{unit} 2"))
    {
        return Some(area);
    }
    if let Some(unit) = by_name.and_then(|word| Unit::of_word(word)).filter(|unit| !unit.is_money()) {
        return Some(unit);
    }
    if node.unit_beside {
        return None;
    }
    let mut found: Option<Unit> = None;
    let mut before = "";
    for word in words(&node.description).take(200) {
        let symbol = matches!(before, "in" | "degrees" | "unit" | "units") && word.len() <= 2 && word != "in";
        let named = if symbol || is_spelt_out(word) { unit_at(word, before) } else { None };
        if let Some(unit) = named.filter(|unit| !unit.is_money()) {
            if found.is_some_and(|own| own != unit) {
                return None;
            }
            found = Some(unit);
        }
        before = word;
    }
    found
}

/// The unit that a word names behind another one: `square metres` are no metres.
fn unit_at(word: &str, before: &str) -> Option<Unit> {
    match before {
        "sq" | "square" => Unit::of_word(&format!("{before} {word}")),
        _ => Unit::of_word(word),
    }
}

/// Words that hardly mean anything but the unit; one day is no unit, and a second may come after the first.
fn is_spelt_out(word: &str) -> bool {
    matches!(
        word,
        "km" | "kg"
            | "mg"
            | "cm"
            | "mm"
            | "ml"
            | "ms"
            | "mb"
            | "gb"
            | "mph"
            | "kmh"
            | "kph"
            | "bar"
            | "psi"
            | "kpa"
            | "sqm"
            | "sqft"
    ) || (word.len() > 3
        && (word.ends_with('s') || matches!(word, "fahrenheit" | "kelvin" | "centigrade"))
        && word != "pounds")
        || word == "feet"
}

/// Whether a number was copied from an amount that is told by more than the number: the 35 of `35k`, 0.055 for 5.5 % where percent
/// are asked for, or 20 for 20 % where an amount is.
pub(super) fn is_unconverted(figures: &Figures, node: &Node, value: f64) -> bool {
    if figures.is_head(value) {
        return !asks_for_multiples(node);
    }
    match asks_for_percent(node) {
        Some(true) => value > 0.0 && value < 1.0 && figures.is_only_share(value) && !asks_for_share(node),
        Some(false) => figures.is_percent(value),
        None => false,
    }
}

/// Whether a folded text tells a number only as an amount of every month, where a parameter asks for that of a year.
pub(super) fn is_of_a_month(text: &str, node: &Node, value: f64) -> bool {
    const MAX_PLACES: usize = 8;
    let is_yearly = |word: &str| matches!(word, "annual" | "annually" | "yearly");
    let by_year = words(&node.name).chain(words(&node.description)).take(200).any(is_yearly);
    if !by_year || value < 100.0 || value.fract() != 0.0 || value >= 1e9 {
        return false;
    }
    // `4,200` is folded to `4 200`.
    let whole = value.to_string();
    let (head, tail) = whole.split_at(whole.len() - 3);
    let mut told = 0;
    for form in [format!(" {whole} "), format!(" {head} {tail} ")] {
        for (at, _) in text.match_indices(&form).take(MAX_PLACES) {
            told += 1;
            let mut before = "";
            let monthly = words(&text[at + form.len() - 1..]).take(4).any(|word| {
                let each = matches!(
                    std::mem::replace(&mut before, word),
                    "a" | "per" | "each" | "every" | "par" | "pro" | "al"
                );
                word == "monthly" || each && MONTH.has(word)
            });
            if !monthly {
                return false;
            }
        }
    }
    told > 0
}

static MONTH: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(language::words(|of| &of.days.month)));

/// Whether a parameter asks for percent; `Some(false)` where it says that it does not.
pub(super) fn asks_for_percent(node: &Node) -> Option<bool> {
    let (mut before, mut found) = (["", ""], None);
    for word in words(&node.name).chain(words(&node.description)).take(200) {
        if PERCENT.has(word) {
            // What is said first counts: `in percent, no percent sign`.
            found.get_or_insert(!before.iter().any(|word| NEGATIONS.contains(word)));
        }
        before = [before[1], word];
    }
    found
}

/// Whether a parameter may ask for a part of one: `0.2 for 20 percent`.
fn asks_for_share(node: &Node) -> bool {
    let is_word = |word| matches!(word, "fraction" | "decimal" | "ratio" | "share");
    let mut before = "";
    // `0.2` is folded to `0 2`, and `0-100` to `0 100`.
    let shows_part = words(&node.description).take(200).any(|word| {
        let behind_zero = before == "0";
        before = if behind_zero && is_link(word) { "0" } else { word };
        behind_zero && word != "100" && word.bytes().all(|b| b.is_ascii_digit())
    });
    shows_part
        || words(&node.name).chain(words(&node.description)).take(200).any(is_word)
        || matches!(&node.default, Some(Json::Number(own)) if own.as_f64() > 0.0 && own.as_f64() < 1.0)
}

fn is_link(word: &str) -> bool {
    matches!(word, "to" | "and" | "bis")
}

/// Whether a parameter counts in thousands, dozens and the like.
fn asks_for_multiples(node: &Node) -> bool {
    let is_multiple = |word: &str| {
        // `5k` is five kilometres.
        if matches!(word, "km" | "kg") || word.starts_with("kilo") {
            return true;
        }
        let word = word.trim_end_matches('s');
        matches!(
            word,
            "k" | "dozen" | "hundred" | "thousand" | "lakh" | "million" | "mio" | "crore" | "billion"
        )
    };
    words(&node.name).chain(words(&node.description)).take(200).any(is_multiple)
}

/// Words for percent.
static PERCENT: LazyLock<WordSet> = LazyLock::new(|| {
    let own = language::all().iter().flat_map(|of| &of.amounts.percent).filter(|own| !own.contains(' '));
    WordSet::of(own.map(String::as_str).chain(["percentage", "pct", "pourcentage", "porcentaje"]))
});

/// Words that deny the one behind them, in the languages that definitions are written in most.
const NEGATIONS: [&str; 10] = ["not", "no", "never", "nicht", "kein", "pas", "non", "niet", "geen", "nie"];

/// Whether a parameter asks for cents and the like.
pub(super) fn asks_for_cents(node: &Node) -> bool {
    [" cent ", " cents ", " pence ", " minor ", " smallest "]
        .iter()
        .any(|word| node.name.contains(word) || node.description.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::words::fold;

    #[test]
    fn amounts_of_a_month_are_none_of_a_year() {
        for (said, name, value, of_a_month) in [
            ("4,200 euros a month, twelve salaries", "annual_salary", 4_200.0, true),
            ("4200 euros monthly", "annual_salary", 4_200.0, true),
            ("4,200 euros a month", "annual_salary", 50_400.0, false),
            ("4,200 euros a month", "monthly_salary", 4_200.0, false),
            ("42,000 euros a year, paid each month", "annual_salary", 42_000.0, false),
            ("42,000 euros, in all 42000", "annual_salary", 42_000.0, false),
        ] {
            let node = Node { name: fold(name), ..Node::default() };
            assert_eq!(is_of_a_month(&fold(said), &node, value), of_a_month, "{said} {name} {value}");
        }
    }

    #[test]
    fn numbers_copied_from_other_amounts_are_unconverted() {
        let mut wrong = Vec::new();
        for (said, description, value, unconverted) in [
            ("ongkir kena 35rb, tolong kembalikan", "dalam rupiah", 35.0, true),
            ("ongkir kena 35rb, tolong kembalikan", "dalam rupiah", 35_000.0, false),
            ("I made 84k", "income in thousands", 84.0, false),
            ("I made 84k or just 84", "income", 84.0, false),
            ("a 5k loop", "distance in km", 5.0, false),
            ("tip a fifth, please", "Tip in percent, 0-100", 0.2, true),
            ("tip a fifth, please", "Tip in percent, 0-100", 20.0, false),
            ("half a percent", "Rate in percent", 0.5, false),
            ("a rate of 0.5", "Rate in percent", 0.5, false),
            ("TVA à 5,5 %, merci pour le calcul", "en pourcentage, p. ex. 5.5", 0.055, true),
            ("VAT of 20%", "percent as a fraction, such as 0.2", 0.2, false),
            ("VAT of 20%", "percent, from 0 to 1", 0.2, false),
            ("20% down", "Absolute amount, not a percentage", 20.0, true),
            ("20% down", "Absolute amount", 20.0, false),
        ] {
            let node = Node { description: fold(description), ..Node::default() };
            if is_unconverted(&Figures::of(said), &node, value) != unconverted {
                wrong.push((said, description, value));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
