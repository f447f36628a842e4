//! The places in calls that can be changed.

use crate::domain::{Json, Object};
use crate::gold::question::{Call, Question};
use crate::gold::random::Random;
use crate::gold::tool::Parameter;

/// One argument of one call, and its definition if there is one.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    pub(super) call: usize,
    pub(super) name: &'c str,
    pub(super) value: &'c Json,
    pub(super) parameter: Option<&'c Parameter>,
}

/// All arguments of all calls.
pub(super) fn places<'c>(question: &'c Question, calls: &'c [Call]) -> Vec<Place<'c>> {
    let mut places = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let tool = question.tool(&call.tool);
        for (name, value) in call.arguments.iter() {
            let parameter = tool.and_then(|tool| tool.parameter(name));
            places.push(Place { call: at, name, value, parameter });
        }
    }
    places
}

/// The calls with another value at some place: the first, in random order, for which `other` has one.
pub(super) fn changed(
    question: &Question,
    calls: &[Call],
    random: &mut Random,
    mut other: impl FnMut(&Place<'_>, &mut Random) -> Option<Json>,
) -> Option<Vec<Call>> {
    let mut places = places(question, calls);
    random.shuffle(&mut places);
    places.iter().find_map(|place| {
        let value = other(place, random).filter(|value| value != place.value)?;
        let mut arguments = calls[place.call].arguments.clone();
        arguments.insert(place.name, value);
        Some(with(calls, place.call, arguments))
    })
}

/// The calls with other arguments for one of them.
pub(super) fn with(calls: &[Call], at: usize, arguments: Object) -> Vec<Call> {
    crate::gold::accepted::with(calls, at, arguments)
}
