//! Right calls: the accepted answer, and harmless edits of it.

use super::decimal::Decimal;
use super::literal::Said;
use super::question::{Call, Expectation, ExpectedAction, Question, is_marker};
use super::random::Random;
use super::tool::{Shape, Tool};
use crate::domain::{Json, Object};

/// An edit that leaves a call right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Benign {
    /// The same arguments in another order.
    KeyOrder,
    /// `1` for `1.0` where a float is declared.
    IntegerForFloat,
    /// Without a parameter that may be left out.
    OmittedDefault,
    /// With an accepted value for a parameter that may be left out.
    StatedDefault,
    /// Another accepted value.
    AcceptedAlias,
    /// The same calls in another order.
    ReorderedCalls,
}

impl Benign {
    pub(crate) const ALL: [Benign; 6] = [
        Benign::KeyOrder,
        Benign::IntegerForFloat,
        Benign::OmittedDefault,
        Benign::StatedDefault,
        Benign::AcceptedAlias,
        Benign::ReorderedCalls,
    ];

    /// As the column `edit` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Benign::KeyOrder => "key_order",
            Benign::IntegerForFloat => "integer_for_float",
            Benign::OmittedDefault => "omitted_default",
            Benign::StatedDefault => "stated_default",
            Benign::AcceptedAlias => "accepted_alias",
            Benign::ReorderedCalls => "reordered_calls",
        }
    }

    /// The calls with this edit; `None` where there is nothing to be edited so.
    pub(super) fn apply(self, question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
        let ExpectedAction::Calls(expected) = &question.expected_action else { return None };
        match self {
            Benign::KeyOrder => {
                let call = one(random, calls, |call| call.arguments.len() > 1)?;
                let mut entries: Vec<(String, Json)> = calls[call].arguments.clone().into_iter().collect();
                let middle = 1 + random.below(entries.len() - 1);
                entries.rotate_left(middle);
                Some(with(calls, call, entries.into_iter().collect()))
            }
            Benign::ReorderedCalls => {
                let middle = 1 + random.below(calls.len().checked_sub(1).filter(|others| *others > 0)?);
                let mut reordered = calls.to_vec();
                reordered.rotate_left(middle);
                (reordered != calls).then_some(reordered)
            }
            Benign::IntegerForFloat => {
                let whole = |call: &Call, name: &str, value: &Json| {
                    let float = question.tool(&call.tool)?.parameter(name)?.shape() == Shape::Float;
                    let Json::Number(number) = value else { return None };
                    let number = Decimal::read(number).filter(|number| float && !number.is_integer())?;
                    number.whole()?.json()
                };
                let edits =
                    changes(calls, |_, call, name, value| whole(call, name, value).into_iter().collect());
                random.pick(&edits).cloned()
            }
            Benign::AcceptedAlias => {
                let edits = changes(calls, |place, _, name, value| {
                    let accepted = expected.get(place).and_then(|call| call.values(name)).unwrap_or_default();
                    let values = accepted.iter().filter(|other| !is_marker(other)).map(plain);
                    values.filter(|other| other != value).collect()
                });
                random.pick(&edits).cloned()
            }
            Benign::OmittedDefault => {
                let mut edits = Vec::new();
                for (place, call) in calls.iter().enumerate() {
                    for name in call.arguments.keys() {
                        if expected.get(place).is_some_and(|expected| expected.may_omit(name)) {
                            let mut arguments = call.arguments.clone();
                            arguments.remove(name);
                            edits.push(with(calls, place, arguments));
                        }
                    }
                }
                random.pick(&edits).cloned()
            }
            Benign::StatedDefault => {
                let mut edits = Vec::new();
                for ((place, call), expected) in calls.iter().enumerate().zip(expected) {
                    for (name, values) in &expected.accepted {
                        let value = values.iter().find(|value| !is_marker(value));
                        if let Some(value) = value.filter(|_| !call.arguments.contains_key(name)) {
                            let mut arguments = call.arguments.clone();
                            arguments.insert(name.clone(), plain(value));
                            edits.push(with(calls, place, arguments));
                        }
                    }
                }
                random.pick(&edits).cloned()
            }
        }
    }
}

impl Question {
    /// The accepted answer: of each parameter the first accepted value. One that may be left out is left out if that is
    /// what comes first and no other accepted value stands in the question. No calls where none are due; `None` where it is
    /// not known which.
    pub(crate) fn answer(&self) -> Option<Vec<Call>> {
        match &self.expected_action {
            ExpectedAction::Nothing => Some(Vec::new()),
            ExpectedAction::Something => None,
            ExpectedAction::Calls(expected) => {
                let said = Said::new(&self.text);
                Some(expected.iter().map(|call| call.answer(self.tool(&call.tool), &said)).collect())
            }
        }
    }
}

impl Expectation {
    fn answer(&self, tool: Option<&Tool>, said: &Said) -> Call {
        let argument = |(name, values): &(String, Vec<Json>)| {
            let required =
                tool.and_then(|tool| tool.parameter(name)).is_some_and(|parameter| parameter.required);
            let omitted_first = !required && values.first().is_some_and(is_marker);
            let mut given = values.iter().filter(|value| !is_marker(value));
            let value = match omitted_first {
                true => given
                    .find(|value| !matches!(value, Json::Bool(_)) && !is_empty(value) && said.holds(value)),
                false => given.next(),
            };
            value.map(|value| (name.clone(), plain(value)))
        };
        Call { tool: self.tool.clone(), arguments: self.accepted.iter().filter_map(argument).collect() }
    }

    fn values(&self, parameter: &str) -> Option<&[Json]> {
        self.accepted.iter().find(|(name, _)| name == parameter).map(|(_, values)| values.as_slice())
    }
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// An accepted value as it is given: of objects, which list accepted values for each member, the first ones.
fn plain(accepted: &Json) -> Json {
    match accepted {
        Json::Object(members) => Json::Object(first_options(members)),
        Json::Array(items) => Json::Array(
            items
                .iter()
                .map(|item| match item {
                    Json::Object(members) => Json::Object(first_options(members)),
                    item => item.clone(),
                })
                .collect(),
        ),
        value => value.clone(),
    }
}

fn first_options(members: &Object) -> Object {
    let first = |(name, options): (&str, &Json)| {
        let value = match options {
            Json::Array(options) => options.iter().find(|option| !is_marker(option))?.clone(),
            value => value.clone(),
        };
        Some((name.to_owned(), value))
    };
    members.iter().filter_map(first).collect()
}

/// The place of a call that `fits`.
pub(super) fn one(random: &mut Random, calls: &[Call], fits: impl Fn(&Call) -> bool) -> Option<usize> {
    let places: Vec<usize> = (0..calls.len()).filter(|place| fits(&calls[*place])).collect();
    random.pick(&places).copied()
}

/// The calls with other arguments for one of them.
pub(super) fn with(calls: &[Call], place: usize, arguments: Object) -> Vec<Call> {
    let mut calls = calls.to_vec();
    if let Some(call) = calls.get_mut(place) {
        call.arguments = arguments;
    }
    calls
}

/// The calls with one argument changed, for every argument and every value that `others` gives for it.
pub(super) fn changes(
    calls: &[Call],
    mut others: impl FnMut(usize, &Call, &str, &Json) -> Vec<Json>,
) -> Vec<Vec<Call>> {
    let mut edits = Vec::new();
    for (place, call) in calls.iter().enumerate() {
        for (name, value) in call.arguments.iter() {
            for other in others(place, call, name, value) {
                let mut arguments = call.arguments.clone();
                arguments.insert(name, other);
                edits.push(with(calls, place, arguments));
            }
        }
    }
    edits
}
