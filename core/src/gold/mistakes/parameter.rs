//! Parameters that are missing, made up, or swapped.

use super::place::{places, with};
use crate::gold::accepted::one;
use crate::gold::filler::invented;
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::Parameter;

pub(super) fn missing(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let places = places(question, calls);
    let required: Vec<_> =
        places.iter().filter(|place| place.parameter.is_some_and(|parameter| parameter.required)).collect();
    let place = random.pick(&required)?;
    let mut arguments = calls[place.call].arguments.clone();
    arguments.remove(place.name);
    Some(with(calls, place.call, arguments))
}

pub(super) fn hallucinated(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let at = one(random, calls, |call| question.tool(&call.tool).is_some())?;
    let tool = question.tool(&calls[at].tool)?;
    let others = question.tools.iter().filter(|other| other.name != tool.name);
    let neighbours: Vec<&Parameter> = others.flat_map(|other| &other.parameters).collect();
    let (name, value) = invented(&tool.parameters, &neighbours, &question.text, random)?;
    let mut arguments = calls[at].arguments.clone();
    if arguments.contains_key(&name) {
        return None;
    }
    arguments.insert(name, value);
    Some(with(calls, at, arguments))
}

/// Two values of one type change places within a call. Not those of parameters that are merely numbered, whose order
/// often does not matter, as with two points that are some distance apart.
pub(super) fn swapped(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let places = places(question, calls);
    let mut pairs = Vec::new();
    for (at, first) in places.iter().enumerate() {
        for second in &places[at + 1..] {
            let shape = |place: &super::place::Place<'_>| {
                let parameter = place.parameter?;
                // An allowed value is no value for another parameter.
                crate::gold::tool::choices(&parameter.schema).is_empty().then(|| parameter.shape())
            };
            let alike = first.value.type_name() == second.value.type_name()
                && first.value.type_name() != "boolean"
                && shape(first).is_some()
                && shape(first) == shape(second)
                && !are_numbered(first.name, second.name);
            if first.call == second.call && alike && first.value != second.value {
                pairs.push((first, second));
            }
        }
    }
    let (first, second) = *random.pick(&pairs)?;
    let mut arguments = calls[first.call].arguments.clone();
    arguments.insert(first.name, second.value.clone());
    arguments.insert(second.name, first.value.clone());
    Some(with(calls, first.call, arguments))
}

/// Whether two names differ in a last digit or letter only: `point1` and `point2`, `vectorA` and `vectorB`, `a` and `b`.
fn are_numbered(first: &str, second: &str) -> bool {
    let stem = |name: &str| {
        let mut chars = name.chars();
        let last = chars.next_back()?;
        let stem = chars.as_str().to_owned();
        let apart =
            stem.is_empty() || stem.ends_with('_') || last.is_ascii_digit() || last.is_ascii_uppercase();
        apart.then_some(stem)
    };
    stem(first).is_some_and(|own| stem(second) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names() {
        for (first, second, expected) in [
            ("point1", "point2", true),
            ("vectorA", "vectorB", true),
            ("a", "b", true),
            ("number_1", "number_2", true),
            ("origin", "destination", false),
            ("width", "weight", false),
            ("cap", "cat", false),
            ("", "", false),
        ] {
            assert_eq!(are_numbered(first, second), expected, "{first} {second}");
        }
    }
}
