//! The same amount in another unit.

use super::number::Sort;
use super::place::{Place, changed};
use crate::domain::{Json, Number};
use crate::gold::decimal::Decimal;
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::Shape;
use crate::gold::words::{parts, words};

/// Words for a unit, and what an amount in it is in the one that it is mistaken for: so many times as much, plus so many.
const UNITS: [(&[&str], f64, f64); 34] = [
    (&["celsius", "°c"], 1.8, 32.0),
    (&["fahrenheit", "°f"], 1.0 / 1.8, -32.0 / 1.8),
    (&["kelvin"], 1.0, -273.15),
    (&["km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"], 0.621_371, 0.0),
    (&["mile", "miles"], 1.609_344, 0.0),
    (&["m", "meter", "meters", "metre", "metres"], 3.28084, 0.0),
    (&["foot", "feet", "ft"], 0.3048, 0.0),
    (&["inch", "inches"], 2.54, 0.0),
    (&["cm", "centimeter", "centimeters", "centimetre", "centimetres"], 0.01, 0.0),
    (&["mm", "millimeter", "millimeters"], 0.1, 0.0),
    (&["kg", "kgs", "kilogram", "kilograms"], 2.204_62, 0.0),
    (&["lb", "lbs", "pound", "pounds"], 0.453_592, 0.0),
    (&["g", "gram", "grams"], 0.001, 0.0),
    (&["ounce", "ounces", "oz"], 28.3495, 0.0),
    (&["ton", "tons", "tonnes"], 1000.0, 0.0),
    (&["liter", "liters", "litre", "litres"], 0.264_172, 0.0),
    (&["gallon", "gallons"], 3.785_41, 0.0),
    (&["second", "seconds", "sec", "secs"], 1000.0, 0.0),
    (&["millisecond", "milliseconds", "ms"], 0.001, 0.0),
    (&["minute", "minutes", "mins"], 60.0, 0.0),
    (&["hour", "hours"], 60.0, 0.0),
    (&["day", "days"], 24.0, 0.0),
    (&["week", "weeks"], 7.0, 0.0),
    (&["month", "months"], 30.0, 0.0),
    (&["year", "years"], 12.0, 0.0),
    (&["percent", "percentage"], 0.01, 0.0),
    (&["rate", "probability", "ratio", "fraction"], 100.0, 0.0),
    (&["dollar", "dollars", "usd", "euro", "euros", "eur", "gbp"], 100.0, 0.0),
    (&["degree", "degrees"], 0.017_453_3, 0.0),
    (&["radian", "radians"], 57.2958, 0.0),
    (&["mb", "megabyte", "megabytes"], 1024.0, 0.0),
    (&["gb", "gigabyte", "gigabytes"], 1024.0, 0.0),
    (&["mph"], 1.609_344, 0.0),
    (&["kph", "kmh"], 0.621_371, 0.0),
];

/// Words that name a part of a date or a time where they stand alone: the month 5 is no five months.
const CALENDAR: [&str; 8] = ["year", "month", "week", "day", "hour", "minute", "second", "date"];

/// A number whose unit the question names behind it, or the parameter's name or description does.
pub(super) fn converted(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, _| {
        let Json::Number(number) = place.value else { return None };
        if Sort::of(place.name, Decimal::read(number)?) == Sort::Year {
            return None;
        }
        let (_, factor, offset) = unit(place, number, &question.text)?;
        let amount = number.as_f64() * factor + offset;
        let whole = place.parameter.is_some_and(|own| own.shape() == Shape::Integer) || number.is_integer();
        match whole {
            // 60 percent are no whole number of anything.
            true if amount.abs() < 1e15 && (amount - amount.round()).abs() <= 0.05 * amount.abs() => {
                Some(Json::Number(Number::from(amount.round() as i64)))
            }
            true => None,
            // Two more places than would show, so that small amounts do not vanish.
            false => Number::from_f64((amount * 1e4).round() / 1e4).map(Json::Number),
        }
    })
}

fn unit(
    place: &Place<'_>,
    number: &Number,
    question: &str,
) -> Option<&'static (&'static [&'static str], f64, f64)> {
    let known = |word: &str| {
        let word = word.to_lowercase();
        UNITS.iter().find(|(names, ..)| names.contains(&word.as_str()))
    };
    let is_number = |word: &&str| {
        let digits = word.trim_start_matches(['$', '€', '£']).replace(',', "");
        Number::parse(&digits).is_some_and(|found| found.as_f64() == number.as_f64())
    };
    let said = words(question);
    let behind = said.iter().position(is_number).and_then(|at| known(said.get(at + 1)?));
    let is_unit = |word: &&String| word.len() > 1 && !CALENDAR.contains(&word.as_str());
    let named = || parts(place.name).iter().rev().filter(is_unit).find_map(|word| known(word));
    let described = || {
        let description = place.parameter?.description();
        let said = words(description).into_iter();
        said.filter(|word| !CALENDAR.contains(&word.to_lowercase().as_str()))
            .find_map(|word| known(word).filter(|_| word.len() > 2))
    };
    behind.or_else(named).or_else(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_dates_are_no_amounts() {
        let number = Number::from(5_i64);
        let value = Json::Number(number.clone());
        for (name, question, is_amount) in [
            ("year", "", false),
            ("birthMonth", "", false),
            ("day", "", false),
            ("years", "", true),
            ("loan_months", "", true),
            ("term", "for 5 years", true),
            ("month", "5 of them", false),
        ] {
            let place = Place { call: 0, name, value: &value, parameter: None };
            assert_eq!(unit(&place, &number, question).is_some(), is_amount, "{name} {question}");
        }
    }
}
