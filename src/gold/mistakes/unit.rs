//! The same amount in another unit.

use super::place::{Place, changed};
use crate::domain::{Json, Number};
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

/// A number whose unit the question names behind it, or the parameter's name or description does.
pub(super) fn converted(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, _| {
        let Json::Number(number) = place.value else { return None };
        let (_, factor, offset) = unit(place, number, &question.text)?;
        let amount = number.as_f64() * factor + offset;
        let whole = place.parameter.is_some_and(|own| own.shape() == Shape::Integer) || number.is_integer();
        match whole {
            true if amount.abs() < 1e15 => Some(Json::Number(Number::from(amount.round() as i64))),
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
    let named = || parts(place.name).iter().rev().find_map(|word| known(word).filter(|_| word.len() > 1));
    let described = || {
        let description = place.parameter?.description();
        words(description).into_iter().find_map(|word| known(word).filter(|_| word.len() > 2))
    };
    behind.or_else(named).or_else(described)
}
