//! Too few calls, or too many.

use crate::domain::{Json, Object};
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::Shape;

pub(super) fn dropped(calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let mut fewer = several(calls)?.to_vec();
    fewer.remove(random.below(calls.len()));
    Some(fewer)
}

pub(super) fn duplicated(calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let mut more = several(calls)?.to_vec();
    let at = random.below(calls.len());
    more.insert(at + 1, calls[at].clone());
    Some(more)
}

/// One call with the values of two: joined where they differ.
pub(super) fn merged(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let mut pairs = Vec::new();
    for first in 0..calls.len() {
        for second in first + 1..calls.len() {
            if calls[first].tool == calls[second].tool && calls[first].arguments != calls[second].arguments {
                pairs.push((first, second));
            }
        }
    }
    let (first, second) = *random.pick(&pairs)?;
    let tool = question.tool(&calls[first].tool);
    let other = &calls[second].arguments;
    let join = |(name, value): (&str, &Json)| {
        let listed = tool.and_then(|tool| tool.parameter(name)).is_some_and(|own| own.shape() == Shape::List);
        let value = match other.get(name) {
            Some(also) if also != value => joined(value, also, listed),
            _ => value.clone(),
        };
        (name.to_owned(), value)
    };
    let mut arguments: Object = calls[first].arguments.iter().map(join).collect();
    for (name, value) in other.iter().filter(|(name, _)| !calls[first].arguments.contains_key(name)) {
        arguments.insert(name, value.clone());
    }
    let mut merged = calls.to_vec();
    merged[first].arguments = arguments;
    merged.remove(second);
    Some(merged)
}

fn joined(a: &Json, b: &Json, listed: bool) -> Json {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) if listed => Json::Array(a.iter().chain(b).cloned().collect()),
        (Json::String(a), Json::String(b)) => Json::from(format!("{a}, {b}")),
        (a, b) => Json::Array(vec![a.clone(), b.clone()]),
    }
}

fn several(calls: &[Call]) -> Option<&[Call]> {
    (calls.len() > 1).then_some(calls)
}
