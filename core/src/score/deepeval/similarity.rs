//! How similar a call is to an expected one.

use super::case::Call;
use super::options::Options;
use crate::domain::{Json, Object};
use crate::score::ScoreError;
use crate::score::equality::{Equality, Members};

/// What of two calls is compared, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Similarity {
    pub parameters: bool,
    pub output: bool,
    pub equality: Equality,
    /// Whether parameters may be compared with none at all; the peer stumbles over that.
    pub none_is_empty: bool,
}

impl Similarity {
    pub(super) fn peer(options: &Options) -> Similarity {
        Similarity {
            parameters: options.input_parameters,
            output: options.output,
            equality: Equality::Python,
            none_is_empty: false,
        }
    }

    pub(super) fn ours(options: &Options) -> Similarity {
        Similarity { equality: Equality::Json, none_is_empty: true, ..Similarity::peer(options) }
    }

    /// From 0 to 1: 1 for two calls of one tool, times the share of equal parameters and 0 for another output, as far as those
    /// count.
    pub(super) fn of_calls(self, expected: &Call, called: &Call) -> Result<f64, ScoreError> {
        let mut share = 1.0;
        if self.parameters {
            share = match (expected.parameters, called.parameters) {
                (None, None) => 1.0,
                (Some(expected), Some(called)) if self.equality.objects(expected, called) => 1.0,
                (Some(expected), Some(called)) => self.of_objects(expected, called),
                (Some(one), None) | (None, Some(one)) if self.none_is_empty => {
                    f64::from(u8::from(one.is_empty()))
                }
                _ => {
                    return Err(ScoreError {
                        kind: "AttributeError",
                        message: "'NoneType' object has no attribute 'keys'".to_owned(),
                    });
                }
            };
        }
        if self.output && !self.same_output(expected, called) {
            share = 0.0;
        }
        Ok(share)
    }

    /// Every key of either object weighs the same; a shared key earns 1 for an equal value, and what objects in it earn.
    fn of_objects(self, expected: &Object, called: &Object) -> f64 {
        if expected.is_empty() && called.is_empty() {
            return 1.0;
        }
        let members = Members::of(called);
        let shared = expected.keys().filter(|key| members.get(key).is_some()).count();
        let keys = (expected.len() + called.len() - shared) as f64;
        // Key by key as the peer adds up, whose thresholds know every bit.
        let mut share = 0.0;
        for (key, wanted) in expected.iter() {
            share += match (wanted, members.get(key)) {
                (wanted, Some(given)) if self.equality.values(wanted, given) => 1.0 / keys,
                (Json::Object(wanted), Some(Json::Object(given))) => self.of_objects(wanted, given) / keys,
                _ => 0.0,
            };
        }
        share
    }

    /// Whether parameters and outputs are equal, as far as they count.
    pub(super) fn is_exact(self, expected: &Call, called: &Call) -> bool {
        (!self.parameters || self.same_parameters(expected, called))
            && (!self.output || self.same_output(expected, called))
    }

    pub(super) fn same_parameters(self, a: &Call, b: &Call) -> bool {
        match (a.parameters, b.parameters) {
            (None, None) => true,
            (Some(a), Some(b)) => self.equality.objects(a, b),
            (Some(one), None) | (None, Some(one)) => self.none_is_empty && one.is_empty(),
        }
    }

    pub(super) fn same_output(self, a: &Call, b: &Call) -> bool {
        match (a.output, b.output) {
            (None, None) => true,
            (Some(a), Some(b)) => self.equality.values(a, b),
            _ => false,
        }
    }
}
