//! Values of a wrong type, as models write them that know the value but not its form.

use super::place::{Place, places, with};
use crate::domain::{Json, Number, Object};
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::Shape;
use crate::score::bfcl::Language;

/// What a value is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    /// `"5"` for `5`
    NumberAsText,
    /// `5` for `"5"` and for `"5 km"`
    TextAsNumber,
    /// `"true"` for `true`
    BoolAsText,
    /// `1` for `true`
    BoolAsNumber,
    /// `"a, b"` for `["a", "b"]`, and the item for a list of one
    ListAsScalar,
    /// `["a"]` for `"a"`
    ScalarAsList,
    /// `"{\"a\":1}"` for `{"a": 1}`
    AsJsonText,
    /// `{"type": "string", "value": "a"}` for `"a"`: the definition taken for a form
    AsDescribed,
    /// Nothing for what is there.
    AsNull,
}

/// Slips and how likely they are, where several can be made: what fits any text comes last, or most mistakes would be of
/// that kind, since most arguments are texts.
const LIKELY: [(usize, Slip); 9] = [
    (6, Slip::NumberAsText),
    (6, Slip::TextAsNumber),
    (6, Slip::BoolAsText),
    (2, Slip::BoolAsNumber),
    (6, Slip::ListAsScalar),
    (2, Slip::ScalarAsList),
    (5, Slip::AsJsonText),
    (2, Slip::AsDescribed),
    (2, Slip::AsNull),
];

pub(super) fn wrong_type(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let places = places(question, calls);
    let of = |slip: Slip| -> Vec<(usize, &str, Json)> {
        let made = places.iter().filter_map(|place| {
            let other = slip.made_of(place, question.language).filter(|other| other != place.value)?;
            Some((place.call, place.name, other))
        });
        made.collect()
    };
    let slips = LIKELY.into_iter().map(|(weight, slip)| (weight, of(slip)));
    let made = random.weighted(slips.filter(|(_, made)| !made.is_empty()).collect())?;
    let (call, name, other) = random.pick(&made)?;
    let mut arguments = calls[*call].arguments.clone();
    arguments.insert(*name, other.clone());
    Some(with(calls, *call, arguments))
}

impl Slip {
    /// The value of a place, turned; `None` where it cannot be.
    fn made_of(self, place: &Place<'_>, language: Language) -> Option<Json> {
        let python = language == Language::Python;
        // In the others, what has no quotes is no text, and code is no JSON.
        let quoted = |text: String| Json::from(if python { text } else { format!("\"{text}\"") });
        let shape = place.parameter.map(|parameter| parameter.shape());
        let is_text = shape == Some(Shape::Text);
        match (self, place.value) {
            (Slip::NumberAsText, Json::Number(number)) => Some(quoted(number.as_str().to_owned())),
            (Slip::TextAsNumber, Json::String(text)) if python && is_text => {
                number_in(text).map(Json::Number)
            }
            (Slip::BoolAsText, Json::Bool(value)) => Some(quoted(value.to_string())),
            (Slip::BoolAsNumber, Json::Bool(value)) if python => {
                Some(Json::Number(Number::from(i64::from(*value))))
            }
            (Slip::ListAsScalar, Json::Array(items)) => match items.as_slice() {
                [] => None,
                [Json::String(text)] => Some(quoted(text.clone())),
                [only @ (Json::Number(_) | Json::Bool(_) | Json::Object(_))] => python.then(|| only.clone()),
                items => {
                    let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
                    texts.map(|texts| quoted(texts.join(", ")))
                }
            },
            (Slip::ScalarAsList, value) => match value {
                Json::String(_) if is_text => Some(Json::Array(vec![value.clone()])),
                Json::Number(_) if python => Some(Json::Array(vec![value.clone()])),
                _ => None,
            },
            (Slip::AsJsonText, Json::Array(_) | Json::Object(_)) if python => {
                Some(Json::from(place.value.to_string()))
            }
            (Slip::AsDescribed, Json::String(_)) if python && is_text => {
                let form = [("type", Json::from("string")), ("value", place.value.clone())];
                let form: Object = form.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
                Some(Json::Object(form))
            }
            (Slip::AsNull, value) => {
                (python && !value.is_null() && !matches!(value, Json::Bool(_))).then_some(Json::Null)
            }
            _ => None,
        }
    }
}

/// The number that a text is, or begins with, a unit behind it: `5`, `2.50`, `5 km`. Codes whose zeros would be lost are
/// none.
fn number_in(text: &str) -> Option<Number> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let padded = number.starts_with('0') && number.len() > 1 && !number.starts_with("0.");
    let is_unit = unit.chars().all(|c| c.is_alphabetic() || "°%/".contains(c)) && unit.len() <= 12;
    Number::parse(number).filter(|_| !padded && is_unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts() {
        for (text, expected) in [
            ("5", Some("5")),
            ("2.50", Some("2.50")),
            ("5 km", Some("5")),
            ("0.5", Some("0.5")),
            ("007", None),
            ("5 Main Street", None),
            ("Oslo", None),
            ("2024-01-02", None),
            ("", None),
        ] {
            assert_eq!(
                number_in(text).map(|number| number.as_str().to_owned()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
