//! Units of measure with conversion factors.

use super::vocabulary::meaning;

/// A unit: what it measures, and how it relates to the base unit of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
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
    Pressure,
    Area,
    Money,
}

impl Unit {
    pub fn is_money(self) -> bool {
        self.dimension == Dimension::Money
    }

    pub fn is_like(self, other: Unit) -> bool {
        self.dimension == other.dimension && self.dimension != Dimension::Money
    }

    /// Whether an amount of a smaller unit may follow one of this: feet and inches, hours and minutes.
    pub fn goes_before(self, other: Unit) -> bool {
        self.is_like(other) && self.factor > other.factor && self.dimension != Dimension::Temperature
    }

    /// `value` of this unit in another one of the same dimension.
    pub fn convert(self, value: f64, to: Unit) -> f64 {
        (value + self.offset) * self.factor / to.factor - to.offset
    }

    /// Whether `value` of unit `to` is what `own` of this unit comes to, as far as it was rounded.
    pub fn comes_to(self, own: f64, to: Unit, value: f64) -> bool {
        let exact = self.convert(own, to);
        let off = (exact - value).abs();
        let degrees = self.dimension == Dimension::Temperature;
        let step = 0.5 * 10f64.powi(-decimals(value)) * 1.000_001;
        off <= exact.abs() * if degrees { 1e-3 } else { 1e-2 }
            || (off <= step && (degrees || off <= exact.abs() * 0.05))
            || self.is_by_1024(own, to, value)
    }

    /// Whether `value` is what `own` comes to where a kilobyte has 1,024 bytes.
    fn is_by_1024(self, own: f64, to: Unit, value: f64) -> bool {
        let steps = ((self.factor / to.factor).log10() / 3.0).round() as i32;
        let exact = own * 1_024f64.powi(steps);
        self.dimension == Dimension::Data && (exact - value).abs() <= exact.abs() * 1e-6
    }

    /// The unit a [folded](super::words::fold) word names where an amount stands before it.
    pub fn of_word(word: &str) -> Option<Unit> {
        meaning(word).unit
    }

    /// The unit of a name of [`UNITS`].
    pub(super) fn named(name: &str) -> Option<Unit> {
        let (_, dimension, factor, offset) = UNITS.iter().find(|(own, ..)| *own == name)?;
        Some(Unit { dimension: *dimension, factor: *factor, offset: *offset })
    }
}

fn decimals(value: f64) -> i32 {
    let text = value.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len().min(9) as i32)
}

/// Name, dimension, factor, offset. What each unit is called in texts is in the languages' files, under `[units]`.
#[rustfmt::skip]
const UNITS: &[(&str, Dimension, f64, f64)] = &[
    ("celsius", Dimension::Temperature, 1.0, 273.15),
    ("fahrenheit", Dimension::Temperature, 5.0 / 9.0, 459.67),
    ("kelvin", Dimension::Temperature, 1.0, 0.0),
    ("meter", Dimension::Length, 1.0, 0.0),
    ("kilometer", Dimension::Length, 1e3, 0.0),
    ("centimeter", Dimension::Length, 1e-2, 0.0),
    ("millimeter", Dimension::Length, 1e-3, 0.0),
    ("mile", Dimension::Length, 1_609.344, 0.0),
    ("foot", Dimension::Length, 0.3048, 0.0),
    ("inch", Dimension::Length, 0.0254, 0.0),
    ("yard", Dimension::Length, 0.9144, 0.0),
    ("gram", Dimension::Mass, 1.0, 0.0),
    ("kilogram", Dimension::Mass, 1e3, 0.0),
    ("milligram", Dimension::Mass, 1e-3, 0.0),
    ("ton", Dimension::Mass, 1e6, 0.0),
    ("pound", Dimension::Mass, 453.592_37, 0.0),
    ("ounce", Dimension::Mass, 28.349_523, 0.0),
    ("liter", Dimension::Volume, 1.0, 0.0),
    ("milliliter", Dimension::Volume, 1e-3, 0.0),
    ("centiliter", Dimension::Volume, 1e-2, 0.0),
    ("gallon", Dimension::Volume, 3.785_412, 0.0),
    ("cup", Dimension::Volume, 0.236_588, 0.0),
    ("millisecond", Dimension::Time, 1e-3, 0.0),
    ("second", Dimension::Time, 1.0, 0.0),
    ("minute", Dimension::Time, 60.0, 0.0),
    ("hour", Dimension::Time, 3_600.0, 0.0),
    ("day", Dimension::Time, 86_400.0, 0.0),
    ("week", Dimension::Time, 604_800.0, 0.0),
    ("fortnight", Dimension::Time, 1_209_600.0, 0.0),
    ("month", Dimension::Months, 1.0, 0.0),
    ("year", Dimension::Months, 12.0, 0.0),
    ("decade", Dimension::Months, 120.0, 0.0),
    ("kilobyte", Dimension::Data, 1e3, 0.0),
    ("megabyte", Dimension::Data, 1e6, 0.0),
    ("gigabyte", Dimension::Data, 1e9, 0.0),
    ("terabyte", Dimension::Data, 1e12, 0.0),
    ("mile_per_hour", Dimension::Speed, 1.609_344, 0.0),
    ("kilometer_per_hour", Dimension::Speed, 1.0, 0.0),
    ("bar", Dimension::Pressure, 1.0, 0.0),
    ("millibar", Dimension::Pressure, 1e-3, 0.0),
    ("kilopascal", Dimension::Pressure, 1e-2, 0.0),
    ("psi", Dimension::Pressure, 0.068_947_57, 0.0),
    ("square_meter", Dimension::Area, 1.0, 0.0),
    ("square_kilometer", Dimension::Area, 1e6, 0.0),
    ("square_foot", Dimension::Area, 0.092_903, 0.0),
    ("hectare", Dimension::Area, 1e4, 0.0),
    ("acre", Dimension::Area, 4_046.856, 0.0),
    ("money", Dimension::Money, 1.0, 0.0),
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
            (2.0, "gigs", "mb", 2_048.0, true),
            (2.0, "gigs", "mb", 2.0, false),
            (29.0, "psi", "bar", 2.0, true),
            (29.0, "psi", "bar", 29.0, false),
            (1_500.0, "square feet", "m 2", 139.0, true),
        ] {
            let unit = |word| Unit::of_word(word).unwrap();
            assert_eq!(unit(from).comes_to(own, unit(to), value), right, "{own} {from} = {value} {to}");
        }
    }
}
