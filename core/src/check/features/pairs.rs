//! Swapped values: between two parameters of a call that the request names, and between calls whose values belong together.

use super::clauses::Request;
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::schema::plain_of;
use crate::check::toolbox::Tool;
use crate::domain::{Json, Object, ToolCall};
use crate::reading::words::{Stem, fold, fold_identifier, is_content, stem, words};

/// Calls, entries of a list and arguments of each compared.
const MAX_CALLS: usize = 4;
const MAX_ARGUMENTS: usize = 12;
/// Bytes of a value that may be named.
const MAX_VALUE: usize = 48;
/// Words in front of a value and behind it that may name it.
const NEAR: usize = 3;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, request: &Request, calls: &[ToolCall]) {
    if request.words.is_empty() {
        return;
    }
    let mut objects: Vec<(&str, &Object)> = Vec::new();
    for call in calls.iter().take(MAX_CALLS) {
        let Some(arguments) = call.parsed() else { continue };
        if let Some(at) = assessor.toolbox.find(&call.name) {
            named(features, request, &assessor.toolbox.tools[at], arguments);
        }
        objects.push((&call.name, arguments));
        for entry in arguments.values().take(MAX_ARGUMENTS) {
            let entries = entry.as_array().into_iter().flatten().filter_map(Json::as_object);
            let own: Vec<(&str, &Object)> = entries.take(MAX_CALLS).map(|own| ("", own)).collect();
            together(features, request, &own);
        }
    }
    together(features, request, &objects);
}

/// A value of a call that stands in one place of the request.
struct Placed<'a> {
    name: &'a str,
    value: &'a Json,
    at: usize,
    length: usize,
}

fn placed<'a>(request: &Request, arguments: &'a Object) -> Vec<Placed<'a>> {
    let mut found = Vec::new();
    for (name, value) in arguments.iter().take(MAX_ARGUMENTS) {
        let value = match value {
            Json::Array(entries) if entries.len() == 1 => &entries[0],
            value => value,
        };
        if !matches!(value, Json::String(_) | Json::Number(_)) {
            continue;
        }
        let text = plain_of(value);
        if text.len() <= MAX_VALUE
            && let Some((at, length)) = request.only_place(&fold(&text))
        {
            found.push(Placed { name, value, at, length });
        }
    }
    found
}

/// Notes whether values stand beside the names of their own parameters or of each other's.
fn named(features: &mut Features, request: &Request, tool: &Tool, arguments: &Object) {
    let placed = placed(request, arguments);
    let stems = |name: &str| -> Vec<Stem> {
        // Small words stand in front of many things.
        words(&fold_identifier(name)).filter(|word| is_content(word)).map(stem).collect()
    };
    let names: Vec<Vec<Stem>> = placed.iter().map(|own| stems(own.name)).collect();
    for (at, a) in placed.iter().enumerate() {
        for (behind, b) in placed.iter().enumerate().skip(at + 1) {
            let types = [a, b].map(|own| own.value.type_name());
            let allows = |own: &Placed, other: &Placed| {
                tool.root.property(own.name).is_none_or(|node| {
                    let node = node.items.as_deref().unwrap_or(node);
                    node.types.allow(other.value) && node.choices.is_empty()
                })
            };
            if a.at == b.at || a.value == b.value || types[0] != types[1] || !allows(a, b) || !allows(b, a) {
                continue;
            }
            let only = |own: &[Stem], other: &[Stem]| -> Vec<Stem> {
                own.iter().copied().filter(|stem| !other.contains(stem)).collect()
            };
            let [of_a, of_b] = [only(&names[at], &names[behind]), only(&names[behind], &names[at])];
            let straight = nearness(request, a, &of_a) + nearness(request, b, &of_b);
            let crossed = nearness(request, a, &of_b) + nearness(request, b, &of_a);
            if straight > crossed {
                features.raise(Feature::way_named_straight, (straight - crossed).min(2.0));
            } else {
                features.raise(Feature::way_named_crossed, (crossed - straight).min(2.0));
            }
        }
    }
}

/// How near to a value one of these words stands: 1 right beside it.
fn nearness(request: &Request, value: &Placed, stems: &[Stem]) -> f32 {
    let has = |at: usize| request.words.get(at).is_some_and(|word| stems.contains(&word.stem));
    let end = value.at + value.length;
    let far = (0..NEAR).find(|far| has(end + far) || value.at > *far && has(value.at - far - 1));
    far.map_or(0.0, |far| 1.0 / (far + 1) as f32)
}

/// Notes whether values of one call or entry stand together, or each with one of another.
fn together(features: &mut Features, request: &Request, objects: &[(&str, &Object)]) {
    if objects.len() < 2 {
        return;
    }
    let placed: Vec<Vec<Placed>> = objects.iter().map(|(_, own)| placed(request, own)).collect();
    for first in 0..objects.len() {
        for second in first + 1..objects.len() {
            if objects[first].0 == objects[second].0 {
                compare(features, &placed[first], &placed[second]);
            }
        }
    }
}

fn compare(features: &mut Features, first: &[Placed], second: &[Placed]) {
    let both: Vec<(usize, usize)> = first
        .iter()
        .filter_map(|own| {
            let other = second.iter().find(|other| other.name == own.name && other.at != own.at)?;
            Some((own.at, other.at))
        })
        .collect();
    for (at, (a, b)) in both.iter().enumerate() {
        for (c, d) in &both[at + 1..] {
            let straight = a.abs_diff(*c) + b.abs_diff(*d);
            let crossed = a.abs_diff(*d) + b.abs_diff(*c);
            let in_order = (a < b) == (c < d);
            if in_order && straight <= crossed {
                features.set(Feature::way_pairs_kept, 1.0);
            } else if !in_order && crossed < straight {
                features.set(Feature::way_pairs_crossed, 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_near_their_values() {
        let clauses = vec![fold("debit 6815 credit 1200")];
        let request = Request::new(&clauses);
        let value = Placed { name: "debit", value: &Json::Null, at: 1, length: 1 };
        assert!(
            nearness(&request, &value, &[stem("debit")]) >= nearness(&request, &value, &[stem("credit")])
        );
        assert!(nearness(&request, &value, &[stem("amount")]) == 0.0);
    }
}
