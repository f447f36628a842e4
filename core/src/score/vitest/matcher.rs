//! Whether a call's arguments match the expected ones.

use super::case::{Call, Case};
use super::fuzzy::{Fuzzy, at_index, matches_v04};
use super::options::{Custom, Options, Params};
use crate::domain::{Json, Object};
use crate::score::equality::{Equality, every_member};
use crate::score::functions::Asking;

/// Whose rules count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    V04,
    V05,
    V16,
    Ours,
}

/// Compares arguments by the rules and options of a case.
pub(super) struct Matcher<'a> {
    pub rules: Rules,
    pub params: Params,
    pub fuzzy: Fuzzy<'a>,
    /// The function that compares, and who asks it.
    function: Option<(&'a str, &'a Asking<'a>)>,
    /// What stands for arguments that are not there.
    empty: Json,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(rules: Rules, case: &'a Case<'a>, options: &Options) -> Matcher<'a> {
        let fuzzy = Fuzzy { options: options.fuzzy, patterns: &case.patterns, as_peer: rules != Rules::Ours };
        Matcher { rules, params: options.params, fuzzy, function: None, empty: Json::Object(Object::new()) }
    }

    /// The same with the function that `options` name, if they name one.
    pub(super) fn asking(self, options: &'a Options, asking: &'a Asking<'a>) -> Matcher<'a> {
        Matcher { function: options.function.as_deref().map(|name| (name, asking)), ..self }
    }

    /// Whether a call of the expected tool has the expected arguments. None expected: any are right.
    pub(super) fn arguments(&self, expected: &Call, called: &Call) -> bool {
        expected.arguments.is_none_or(|expected| self.values(self.wanted(expected), self.given(called)))
    }

    /// Null is no arguments; to the peer it is a value of its own.
    pub(super) fn wanted<'b>(&'b self, expected: &'b Json) -> &'b Json {
        if self.rules == Rules::Ours && expected.is_null() { &self.empty } else { expected }
    }

    /// What a call has as arguments; the peer takes everything that is false to JavaScript for none.
    pub(super) fn given<'b>(&'b self, called: &Call<'b>) -> &'b Json {
        let is_none = |given: &Json| match given {
            Json::Null => true,
            _ if matches!(self.rules, Rules::Ours | Rules::V16) => false,
            Json::Bool(truth) => !truth,
            Json::String(text) => text.is_empty(),
            Json::Number(number) => number.as_f64() == 0.0,
            Json::Array(_) | Json::Object(_) => false,
        };
        called.arguments.filter(|given| !is_none(given)).unwrap_or(&self.empty)
    }

    pub(super) fn values(&self, expected: &Json, given: &Json) -> bool {
        match (self.params, self.rules) {
            (Params::Strict, Rules::Ours) => Equality::Json.values(expected, given),
            (Params::Strict, Rules::V16) => Equality::JavaScript.values(expected, given),
            (Params::Strict, _) => strict_as_peer(expected, given),
            (Params::Fuzzy, Rules::V04) => matches_v04(expected, given),
            (Params::Fuzzy, _) => self.fuzzy.matches(expected, given),
            (Params::Custom(custom), _) => custom.matches(expected, given),
            (Params::Function, _) => {
                self.function.is_some_and(|(name, asking)| asking.holds(name, &[expected, given]))
            }
        }
    }
}

/// Deep equality, except that an expected object equals an array with the same indices, though not the other way around.
fn strict_as_peer(expected: &Json, given: &Json) -> bool {
    match (expected, given) {
        (Json::Object(expected), Json::Array(given)) => {
            expected.len() == given.len()
                && expected.iter().all(|(key, expected)| {
                    at_index(given, key).is_some_and(|given| strict_as_peer(expected, given))
                })
        }
        (Json::Object(expected), Json::Object(given)) => {
            expected.len() == given.len() && every_member(expected, given, strict_as_peer)
        }
        (Json::Array(expected), Json::Array(given)) => {
            expected.len() == given.len()
                && expected.iter().zip(given).all(|(expected, given)| strict_as_peer(expected, given))
        }
        (expected, given) => Equality::JavaScript.values(expected, given),
    }
}

impl Custom {
    fn matches(self, expected: &Json, given: &Json) -> bool {
        match self {
            Custom::Always => true,
            Custom::Never => false,
            Custom::KeysSubset => has_keys_of(expected, given),
            Custom::SameJsonType => {
                let name = |json: &Json| match json {
                    Json::Number(_) => "number",
                    other => other.type_name(),
                };
                name(expected) == name(given)
            }
        }
    }
}

/// What has no keys has none of the others'.
fn has_keys_of(expected: &Json, given: &Json) -> bool {
    let has = |key: &str| match given {
        Json::Object(given) => given.contains_key(key),
        Json::Array(items) => at_index(items, key).is_some(),
        _ => false,
    };
    match expected {
        Json::Object(expected) => expected.keys().all(has),
        Json::Array(expected) => (0..expected.len()).all(|at| has(&at.to_string())),
        _ => false,
    }
}
