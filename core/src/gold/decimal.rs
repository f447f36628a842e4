//! Numbers with the decimal places that they are written with.

use crate::domain::{Json, Number};

/// `units` divided by ten to the power of `places`; without places an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    units: i128,
    places: u32,
}

impl Decimal {
    /// `None` with an exponent, and beyond 30 digits.
    pub(super) fn read(number: &Number) -> Option<Decimal> {
        let text = number.as_str();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if whole.len() + fraction.len() > 30 {
            return None;
        }
        let units = format!("{whole}{fraction}").parse().ok()?;
        Some(Decimal { units, places: u32::try_from(fraction.len()).ok()? })
    }

    pub(super) fn is_zero(self) -> bool {
        self.units == 0
    }

    pub(super) fn is_whole(self) -> bool {
        self.units % 10_i128.pow(self.places) == 0
    }

    pub(super) fn is_integer(self) -> bool {
        self.places == 0
    }

    /// One more or less; numbers that are less than 2 and no whole ones differ in their last place.
    pub(super) fn stepped(self, up: bool) -> Decimal {
        let one = 10_i128.pow(self.places);
        let step = if self.is_whole() || self.units.abs() >= 2 * one { one } else { 1 };
        Decimal { units: if up { self.units + step } else { self.units - step }, ..self }
    }

    /// So many whole ones more.
    pub(super) fn plus(self, more: i128) -> Decimal {
        Decimal { units: self.units + more * 10_i128.pow(self.places), ..self }
    }

    /// The number with one digit before the point lost or doubled, or in its neighbour's place; just the last with
    /// `same_length`. Only where there are three digits or more: of fewer, that is another number and not a slip. The first
    /// two stay as they are.
    pub(super) fn slips(self, same_length: bool) -> Vec<Decimal> {
        let one = 10_i128.pow(self.places);
        let (whole, rest) = (self.units.abs() / one, self.units.abs() % one);
        let digits: Vec<char> = whole.to_string().chars().collect();
        if digits.len() < 3 {
            return Vec::new();
        }
        let mut slips: Vec<Decimal> = Vec::new();
        for at in 1..digits.len() {
            let (mut swapped, mut lost, mut doubled) = (digits.clone(), digits.clone(), digits.clone());
            swapped.swap(at, (at + 1).min(digits.len() - 1));
            lost.remove(at);
            doubled.insert(at, digits[at]);
            let slipped = if same_length { vec![swapped] } else { vec![swapped, lost, doubled] };
            for digits in slipped {
                let Ok(whole) = digits.into_iter().collect::<String>().parse::<i128>() else { continue };
                let slip = Decimal { units: self.units.signum() * (whole * one + rest), ..self };
                if slip != self && !slips.contains(&slip) {
                    slips.push(slip);
                }
            }
        }
        slips
    }

    pub(super) fn as_f64(self) -> f64 {
        self.units as f64 / 10_f64.powi(self.places as i32)
    }

    pub(super) fn negated(self) -> Decimal {
        Decimal { units: -self.units, ..self }
    }

    /// Ten to the power of `power` times as much. An integer that would get places is `None`.
    pub(super) fn scaled(self, power: i32) -> Option<Decimal> {
        let factor = 10_i128.pow(power.unsigned_abs());
        let scaled = match (power >= 0, self.places) {
            (true, _) => Decimal { units: self.units.checked_mul(factor)?, ..self },
            (false, 0) if self.units % factor != 0 => return None,
            (false, 0) => Decimal { units: self.units / factor, places: 0 },
            (false, places) => Decimal { units: self.units, places: places + power.unsigned_abs() },
        };
        Some(scaled.trimmed())
    }

    /// With no more places than are needed, but one if there were any.
    fn trimmed(mut self) -> Decimal {
        while self.places > 1 && self.units % 10 == 0 {
            self = Decimal { units: self.units / 10, places: self.places - 1 };
        }
        self
    }

    /// Without places, which must be nothing but zeros.
    pub(super) fn whole(self) -> Option<Decimal> {
        self.is_whole().then(|| Decimal { units: self.units / 10_i128.pow(self.places), places: 0 })
    }

    pub(super) fn text(self) -> String {
        let digits = format!("{:0width$}", self.units.unsigned_abs(), width = self.places as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - self.places as usize);
        let sign = if self.units < 0 { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    pub(super) fn json(self) -> Option<Json> {
        Number::parse(&self.text()).map(Json::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_how_they_are_written() {
        let read = |text: &str| Decimal::read(&Number::parse(text).unwrap()).unwrap();
        for (text, up, negated, tenfold, tenth) in [
            ("5", "6", "-5", Some("50"), None),
            ("50", "51", "-50", Some("500"), Some("5")),
            ("5.0", "6.0", "-5.0", Some("50.0"), Some("0.5")),
            ("0.05", "0.06", "-0.05", Some("0.5"), Some("0.005")),
            ("2.50", "3.50", "-2.50", Some("25.0"), Some("0.25")),
            ("-1", "0", "1", Some("-10"), None),
            ("-0.5", "-0.4", "0.5", Some("-5.0"), Some("-0.05")),
        ] {
            let number = read(text);
            assert_eq!(number.text(), text);
            assert_eq!(number.stepped(true).text(), up, "{text}");
            assert_eq!(number.negated().text(), negated, "{text}");
            assert_eq!(number.scaled(1).map(Decimal::text).as_deref(), tenfold, "{text}");
            assert_eq!(number.scaled(-1).map(Decimal::text).as_deref(), tenth, "{text}");
        }
        assert_eq!(read("5.00").whole().unwrap().text(), "5");
        assert_eq!(read("2024").plus(-10).text(), "2014");
        let slips = |text: &str, same: bool| -> Vec<String> {
            read(text).slips(same).into_iter().map(Decimal::text).collect()
        };
        assert_eq!(slips("2024", true), ["2204", "2042"]);
        assert_eq!(slips("120.5", false), ["102.5", "10.5", "1220.5", "12.5", "1200.5"]);
        assert_eq!(slips("50", false), Vec::<String>::new());
        assert_eq!(read("5.5").whole(), None);
        for text in ["1e5", "1234567890123456789012345678901"] {
            assert_eq!(Decimal::read(&Number::parse(text).unwrap()), None);
        }
    }
}
