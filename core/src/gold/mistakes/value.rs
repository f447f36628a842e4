//! One value replaced by another.

use super::place::changed;
use crate::domain::{Json, Number};
use crate::gold::decimal::Decimal;
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::choices;
use crate::gold::{dates, words};

pub(super) fn enum_swap(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, random| {
        let schema = &place.parameter?.schema;
        if let Json::Bool(value) = place.value {
            return Some(Json::Bool(!value));
        }
        if let (Json::Array(items), Some(inner)) = (place.value, schema.get("items")) {
            let at = random.below(items.len());
            let others = choices(inner).iter().filter(|other| !items.contains(other));
            let other = random.pick(&others.collect::<Vec<_>>()).copied()?;
            return Some(replaced(items, at, other.clone()));
        }
        let listed = choices(schema);
        // A value that is none of the listed ones is no choice.
        let others: Vec<&Json> = listed.iter().filter(|other| *other != place.value).collect();
        (others.len() < listed.len()).then(|| random.pick(&others).map(|other| (*other).clone()))?
    })
}

pub(super) fn near_miss(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, random| {
        let text = place.value.as_str()?;
        if place.parameter.is_some_and(|own| !choices(&own.schema).is_empty()) {
            return None;
        }
        words::near_miss(text, &question.text, random).map(Json::from)
    })
}

pub(super) fn date(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, random| {
        dates::shifted(place.value.as_str()?, random).map(Json::from)
    })
}

pub(super) fn nested(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    changed(question, calls, random, |place, random| inside(place.value, &question.text, random))
}

/// A list or an object with one thing in it changed or gone; `None` for anything else, and where there is nothing in it.
fn inside(value: &Json, question: &str, random: &mut Random) -> Option<Json> {
    match value {
        Json::Array(items) => {
            let at = random.below(items.len());
            let item = items.get(at)?;
            if items.len() > 1 && random.below(4) == 0 {
                let mut fewer = items.clone();
                fewer.remove(at);
                return Some(Json::Array(fewer));
            }
            Some(replaced(items, at, edited(item, question, random)?))
        }
        Json::Object(members) => {
            let at = random.below(members.len());
            let (name, member) = members.iter().nth(at)?;
            let mut changed = members.clone();
            if members.len() > 1 && random.below(4) == 0 {
                changed.remove(name);
            } else {
                changed.insert(name, edited(member, question, random)?);
            }
            Some(Json::Object(changed))
        }
        _ => None,
    }
}

fn edited(value: &Json, question: &str, random: &mut Random) -> Option<Json> {
    match value {
        Json::Number(number) => Decimal::read(number)?.stepped(random.flip()).json(),
        Json::String(text) => dates::shifted(text, random)
            .or_else(|| words::near_miss(text, question, random))
            .or_else(|| digit(text))
            .map(Json::from),
        Json::Bool(value) => Some(Json::Bool(!value)),
        Json::Null => None,
        Json::Array(_) | Json::Object(_) => inside(value, question, random),
    }
}

/// A text that is a number, one more.
fn digit(text: &str) -> Option<String> {
    Some(Decimal::read(&Number::parse(text)?)?.stepped(true).text())
}

fn replaced(items: &[Json], at: usize, other: Json) -> Json {
    let mut items = items.to_vec();
    if let Some(item) = items.get_mut(at) {
        *item = other;
    }
    Json::Array(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_change_in_one_place() {
        for (value, among) in [
            ("[1,2]", &["[0,2]", "[2,2]", "[1,1]", "[1,3]", "[1]", "[2]"][..]),
            ("{\"a\":{\"b\":true}}", &["{\"a\":{\"b\":false}}"]),
            ("[[\"12\"]]", &["[[\"13\"]]"]),
        ] {
            let value = Json::parse(value).unwrap();
            for seed in 0..40 {
                let changed = inside(&value, "", &mut Random::of(seed, &[])).unwrap().to_string();
                assert!(among.contains(&changed.as_str()), "{value}: {changed}");
            }
        }
        for value in ["[]", "{}", "5", "\"a\"", "[null]", "[[]]"] {
            assert_eq!(inside(&Json::parse(value).unwrap(), "", &mut Random::of(1, &[])), None, "{value}");
        }
    }
}
