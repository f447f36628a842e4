//! Wrong numbers: the kind of error depends on what the number is.

use super::place::{Place, changed};
use crate::domain::Json;
use crate::gold::decimal::Decimal;
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::choices;
use crate::gold::words::parts;

/// What a number says, as far as its size and its parameter's name tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A year of the calendar.
    Year,
    /// So many of something, the day of a month, a page: few enough to be counted.
    Count,
    /// A price, a length, a number of people in a country.
    Amount,
}

/// Up to here people, and models, count.
const COUNTED: f64 = 100.0;

/// Words of names of what may well be below zero.
const SIGNED: [&str; 36] = [
    "x",
    "y",
    "z",
    "latitude",
    "longitude",
    "lat",
    "lon",
    "lng",
    "temperature",
    "temp",
    "change",
    "offset",
    "delta",
    "difference",
    "coefficient",
    "coefficients",
    "slope",
    "intercept",
    "velocity",
    "acceleration",
    "charge",
    "balance",
    "voltage",
    "elevation",
    "altitude",
    "timezone",
    "exponent",
    "power",
    "angle",
    "shift",
    "coordinate",
    "coordinates",
    "point",
    "profit",
    "return",
    "growth",
];

impl Sort {
    pub(super) fn of(name: &str, number: Decimal) -> Sort {
        let value = number.as_f64();
        let name = parts(name);
        let named = |words: &[&str]| name.iter().any(|part| words.contains(&part.as_str()));
        let calendar = number.is_whole() && (1500.0..=2100.0).contains(&value);
        // Without a name that says so, only the years that people speak of.
        let spoken_of = number.is_integer() && (1990.0..=2035.0).contains(&value);
        if calendar && named(&["year", "years", "date", "season", "since", "until", "founded"]) {
            return Sort::Year;
        }
        if spoken_of
            && !named(&["price", "amount", "cost", "budget", "salary", "population", "distance", "weight"])
        {
            return Sort::Year;
        }
        if number.is_whole() && value.abs() <= COUNTED { Sort::Count } else { Sort::Amount }
    }
}

/// A count is one more or less, a year one or ten, a small amount one in its last place. Large amounts are not miscounted.
pub(super) fn off_by_one(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    number(question, calls, random, |sort, _, number, random| {
        let up = random.flip();
        match sort {
            Sort::Year if random.below(4) == 0 => Some(number.plus(if up { 10 } else { -10 })),
            Sort::Year | Sort::Count => Some(number.stepped(up)),
            Sort::Amount => (number.as_f64().abs() <= COUNTED).then(|| number.stepped(up)),
        }
    })
}

/// The other sign, of what may have it.
pub(super) fn sign(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    number(question, calls, random, |_, place, number, _| {
        let name = parts(place.name);
        let may = number.as_f64() < 0.0 || name.iter().any(|part| SIGNED.contains(&part.as_str()));
        (may && !number.is_zero()).then(|| number.negated())
    })
}

/// The decimal point elsewhere, or a digit lost, doubled, or in its neighbour's place. Of years, two digits swapped.
pub(super) fn scale(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    number(question, calls, random, |sort, _, number, random| {
        if number.is_zero() {
            return None;
        }
        let powers = match sort {
            Sort::Year => &[][..],
            // Two rooms may become twenty, but not two thousand.
            Sort::Count => &[1, -1],
            Sort::Amount => &[1, -1, 2, -2, 3, -3],
        };
        let weight = |power: i32| 4 - power.unsigned_abs() as usize;
        let scaled = powers.iter().filter_map(|power| Some((weight(*power), number.scaled(*power)?)));
        let slipped = number.slips(sort == Sort::Year).into_iter().map(|slip| (2, slip));
        random.weighted(scaled.chain(slipped).collect())
    })
}

fn number(
    question: &Question,
    calls: &[Call],
    random: &mut Random,
    mut other: impl FnMut(Sort, &Place<'_>, Decimal, &mut Random) -> Option<Decimal>,
) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, random| {
        let Json::Number(number) = place.value else { return None };
        // One of a few allowed numbers is an allowed value, not an amount.
        if place.parameter.is_some_and(|own| !choices(&own.schema).is_empty()) {
            return None;
        }
        let number = Decimal::read(number)?;
        other(Sort::of(place.name, number), place, number, random)?.json()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Number;

    #[test]
    fn sorts_of_numbers() {
        for (name, number, sort) in [
            ("year", "2024", Sort::Year),
            ("startYear", "1815", Sort::Year),
            ("value", "2024", Sort::Year),
            ("price", "2024", Sort::Amount),
            ("years", "5", Sort::Count),
            ("guests", "4", Sort::Count),
            ("length", "10.0", Sort::Count),
            ("rate", "0.05", Sort::Amount),
            ("population", "250000", Sort::Amount),
        ] {
            let read = Decimal::read(&Number::parse(number).unwrap()).unwrap();
            assert_eq!(Sort::of(name, read), sort, "{name}={number}");
        }
    }
}
