//! Units of measure by what they are worth, so that a value can be followed from one unit to another.

use std::sync::LazyLock;

use std::collections::HashMap;

use super::node::Node;
use super::words::words;

/// A unit: what it measures, and how it relates to the base unit of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    dimension: Dimension,
    factor: f64,
    /// Added before multiplying: degrees do not all start at the same cold.
    offset: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Temperature,
    Length,
    Mass,
    Volume,
    Time,
    Months,
    Data,
    Speed,
    Money,
}

impl Unit {
    pub(super) fn is_money(self) -> bool {
        self.dimension == Dimension::Money
    }

    pub(super) fn is_like(self, other: Unit) -> bool {
        self.dimension == other.dimension && self.dimension != Dimension::Money
    }

    /// Whether an amount of a smaller unit may follow one of this: feet and inches, hours and minutes.
    pub(super) fn goes_before(self, other: Unit) -> bool {
        self.is_like(other) && self.factor > other.factor && self.dimension != Dimension::Temperature
    }

    /// `value` of this unit in another one of the same dimension.
    pub(super) fn convert(self, value: f64, to: Unit) -> f64 {
        (value + self.offset) * self.factor / to.factor - to.offset
    }

    /// Whether `value` of unit `to` is what `own` of this unit comes to, as far as it was rounded.
    pub(super) fn comes_to(self, own: f64, to: Unit, value: f64) -> bool {
        let exact = self.convert(own, to);
        let off = (exact - value).abs();
        let degrees = self.dimension == Dimension::Temperature;
        let step = 0.5 * 10f64.powi(-decimals(value)) * 1.000_001;
        off <= exact.abs() * if degrees { 1e-3 } else { 1e-2 }
            || (off <= step && (degrees || off <= exact.abs() * 0.05))
    }

    /// The unit a word names where an amount stands before it.
    pub(super) fn of_word(word: &str) -> Option<Unit> {
        UNITS.get(word).copied()
    }
}

fn decimals(value: f64) -> i32 {
    let text = value.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len().min(9) as i32)
}

/// The unit a parameter asks for, if its name or description names just one.
pub(super) fn asked_by(node: &Node) -> Option<Unit> {
    let named: Vec<&str> = words(&node.name).collect();
    // `temperature_c` and `duration_in_s`, but not `c` or `day`.
    let by_name = named.last().filter(|word| named.len() > 1 || is_spelt_out(word));
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
        if (symbol || is_spelt_out(word))
            && let Some(unit) = Unit::of_word(word).filter(|unit| !unit.is_money())
        {
            if found.is_some_and(|own| own != unit) {
                return None;
            }
            found = Some(unit);
        }
        before = word;
    }
    found
}

/// Words that hardly mean anything but the unit; one day is no unit, and a second may come after the first.
fn is_spelt_out(word: &str) -> bool {
    matches!(word, "km" | "kg" | "mg" | "cm" | "mm" | "ml" | "ms" | "mb" | "gb" | "mph" | "kmh" | "kph")
        || (word.len() > 3
            && (word.ends_with('s') || matches!(word, "fahrenheit" | "kelvin" | "centigrade"))
            && word != "pounds")
        || word == "feet"
}

/// Whether a parameter asks for cents and the like.
pub(super) fn asks_for_cents(node: &Node) -> bool {
    [" cent ", " cents ", " pence ", " minor ", " smallest "]
        .iter()
        .any(|word| node.name.contains(word) || node.description.contains(word))
}

static UNITS: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| {
    let named = |(names, dimension, factor, offset): &(&'static str, Dimension, f64, f64)| {
        let unit = Unit { dimension: *dimension, factor: *factor, offset: *offset };
        names.split(' ').map(move |name| (name, unit)).collect::<Vec<_>>()
    };
    TABLE.iter().flat_map(named).collect()
});

/// Names, [folded](super::words::fold); dimension; factor; offset.
#[rustfmt::skip]
const TABLE: &[(&str, Dimension, f64, f64)] = &[
    ("c celsius centigrade", Dimension::Temperature, 1.0, 273.15),
    ("f fahrenheit", Dimension::Temperature, 5.0 / 9.0, 459.67),
    ("k kelvin kelvins", Dimension::Temperature, 1.0, 0.0),
    ("m meter meters metre metres metros", Dimension::Length, 1.0, 0.0),
    ("km kilometer kilometers kilometre kilometres kilometern kilometros", Dimension::Length, 1e3, 0.0),
    ("cm centimeter centimeters centimetre centimetres", Dimension::Length, 1e-2, 0.0),
    ("mm millimeter millimeters millimetre millimetres", Dimension::Length, 1e-3, 0.0),
    ("mi mile miles", Dimension::Length, 1_609.344, 0.0),
    ("ft foot feet", Dimension::Length, 0.3048, 0.0),
    ("in inch inches", Dimension::Length, 0.0254, 0.0),
    ("yd yard yards", Dimension::Length, 0.9144, 0.0),
    ("g gram grams gramme gramm", Dimension::Mass, 1.0, 0.0),
    ("kg kilo kilos kilogram kilograms kilogramm", Dimension::Mass, 1e3, 0.0),
    ("mg milligram milligrams", Dimension::Mass, 1e-3, 0.0),
    ("t ton tons tonne tonnes", Dimension::Mass, 1e6, 0.0),
    ("lb lbs pound pounds", Dimension::Mass, 453.592_37, 0.0),
    ("oz ounce ounces", Dimension::Mass, 28.349_523, 0.0),
    ("l liter liters litre litres litros", Dimension::Volume, 1.0, 0.0),
    ("ml milliliter milliliters millilitre millilitres", Dimension::Volume, 1e-3, 0.0),
    ("cl centilitre centilitres centiliters", Dimension::Volume, 1e-2, 0.0),
    ("gal gallon gallons", Dimension::Volume, 3.785_412, 0.0),
    ("cup cups", Dimension::Volume, 0.236_588, 0.0),
    ("ms millisecond milliseconds", Dimension::Time, 1e-3, 0.0),
    ("s sec secs second seconds sekunden segundos secondes", Dimension::Time, 1.0, 0.0),
    ("min mins minute minutes minuten minutos", Dimension::Time, 60.0, 0.0),
    ("h hr hrs hour hours stunde stunden hora horas heure heures", Dimension::Time, 3_600.0, 0.0),
    ("day days tage tagen dias jours night nights", Dimension::Time, 86_400.0, 0.0),
    ("week weeks woche wochen semana semanas semaine semaines", Dimension::Time, 604_800.0, 0.0),
    ("fortnight", Dimension::Time, 1_209_600.0, 0.0),
    ("month months", Dimension::Months, 1.0, 0.0),
    ("year years", Dimension::Months, 12.0, 0.0),
    ("decade decades", Dimension::Months, 120.0, 0.0),
    ("kb kilobyte kilobytes", Dimension::Data, 1e3, 0.0),
    ("mb megabyte megabytes", Dimension::Data, 1e6, 0.0),
    ("gb gigabyte gigabytes", Dimension::Data, 1e9, 0.0),
    ("tb terabyte terabytes", Dimension::Data, 1e12, 0.0),
    ("mph", Dimension::Speed, 1.609_344, 0.0),
    ("kmh kph", Dimension::Speed, 1.0, 0.0),
    ("dollar dollars usd euro euros eur gbp", Dimension::Money, 1.0, 0.0),
    ("chf franc francs cad aud sterling bucks", Dimension::Money, 1.0, 0.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_followed_across_units() {
        for (own, from, to, value, right) in [
            (68.0, "fahrenheit", "celsius", 20.0, true),
            (70.0, "fahrenheit", "celsius", 21.0, true),
            (70.0, "fahrenheit", "celsius", 22.0, false),
            (0.5, "gram", "mg", 500.0, true),
            (2.0, "hours", "minutes", 120.0, true),
            (2.0, "hours", "minutes", 90.0, false),
            (6.2, "miles", "km", 10.0, true),
            (1.0, "week", "nights", 7.0, true),
            (2.0, "gb", "mb", 2_000.0, true),
        ] {
            let unit = |word| Unit::of_word(word).unwrap();
            assert_eq!(unit(from).comes_to(own, unit(to), value), right, "{own} {from} = {value} {to}");
        }
    }
}
