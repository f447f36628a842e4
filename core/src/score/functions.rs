//! Functions of the user's own that say whether a value is right, or the arguments of a call.
//!
//! Cases and settings name them; the program that hosts us has them. What a function says of the same values counts for a whole case,
//! so that what is scored and what is told of it agree. A function that says neither yes nor no leaves its case without a score.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::{ScoreError, Scored};
use crate::domain::{Json, Object};

/// What a function says of values: whether they are right, or why it cannot tell.
pub type Say = dyn Fn(&[&Json]) -> Result<bool, String> + Send + Sync;

/// A function that says whether values are right.
#[derive(Clone)]
pub struct OwnFunction {
    /// As cases and settings name it.
    pub name: String,
    /// What it is taken to be in the results of other runs.
    pub version: FunctionVersion,
    /// What it says of values.
    pub say: Arc<Say>,
}

/// What tells a function from another of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionVersion {
    /// Whoever wrote it says so: what has the same name and version is the same.
    Named(String),
    /// Nobody says so, and it is the same in this run only, which this names.
    OfRun(String),
}

impl fmt::Debug for OwnFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OwnFunction { name, version, .. } = self;
        f.debug_struct("OwnFunction").field("name", name).field("version", version).finish_non_exhaustive()
    }
}

/// All functions that cases and settings can name.
#[derive(Debug, Clone, Default)]
pub struct OwnFunctions(Arc<[OwnFunction]>);

impl FromIterator<OwnFunction> for OwnFunctions {
    fn from_iter<I: IntoIterator<Item = OwnFunction>>(functions: I) -> OwnFunctions {
        OwnFunctions(functions.into_iter().collect())
    }
}

impl OwnFunctions {
    /// The function of that name.
    ///
    /// # Errors
    /// If there is none; the text says which there are.
    pub fn named(&self, name: &str) -> Result<&OwnFunction, String> {
        self.0.iter().find(|function| function.name == name).ok_or_else(|| {
            let names = self.0.iter().map(|function| format!("`{}`", function.name)).collect::<Vec<_>>();
            match names.as_slice() {
                [] => format!(
                    "`{name}` is a function, and functions come from Python only: functions={{\"{name}\": ...}} of tj.score and tj.drive"
                ),
                names => format!("there is no function `{name}`; there are: {}", names.join(", ")),
            }
        })
    }

    /// Writes into the expected calls of a `test` which versions of the functions their validators name.
    ///
    /// # Errors
    /// If there is no such function.
    pub fn sign(&self, test: &mut Object) -> Result<(), String> {
        let Some(Json::Array(calls)) = test.get_mut("expected_tool_calls") else { return Ok(()) };
        for call in calls {
            let Json::Object(call) = call else { continue };
            let Some(Json::Object(validators)) = call.get_mut("param_validators") else { continue };
            for (_, validator) in validators.iter_mut() {
                let Json::Object(validator) = validator else { continue };
                if validator.get("kind").and_then(Json::as_str) != Some(KIND) {
                    continue;
                }
                let Some(name) = validator.get("name").and_then(Json::as_str) else { continue };
                let (key, version) = match &self.named(name)?.version {
                    FunctionVersion::Named(version) => ("version", version),
                    FunctionVersion::OfRun(run) => ("run", run),
                };
                validator.insert(key, version.as_str());
            }
        }
        Ok(())
    }
}

/// The kind of a validator that is a function.
pub(super) const KIND: &str = "function";

/// What functions say while one case is scored.
#[derive(Debug)]
pub(super) struct Asking<'f> {
    functions: &'f OwnFunctions,
    /// By the function's name and the values.
    said: RefCell<HashMap<(String, String), bool>>,
    failed: RefCell<Option<ScoreError>>,
}

impl<'f> Asking<'f> {
    pub(super) fn new(functions: &'f OwnFunctions) -> Asking<'f> {
        Asking { functions, said: RefCell::default(), failed: RefCell::default() }
    }

    /// Whether the function of that name says yes to `values`. Once one has failed, nothing is asked: the case has no score.
    pub(super) fn holds(&self, name: &str, values: &[&Json]) -> bool {
        if self.failed.borrow().is_some() {
            return false;
        }
        let key = (name.to_owned(), values.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        if let Some(said) = self.said.borrow().get(&key) {
            return *said;
        }
        let said = match self.functions.named(name) {
            Err(why) => Err(ScoreError::invalid(why)),
            Ok(function) => (function.say)(values).map_err(|why| {
                let message = format!("the function `{name}` {why}");
                ScoreError { kind: "FunctionError", message }
            }),
        };
        match said {
            Ok(holds) => {
                self.said.borrow_mut().insert(key, holds);
                holds
            }
            Err(error) => {
                self.failed.replace(Some(error));
                false
            }
        }
    }

    /// What was made of what the functions said: no score if one failed, and otherwise which functions were asked.
    pub(super) fn settle(self, mut scored: Scored) -> Result<Scored, ScoreError> {
        if let Some(error) = self.failed.into_inner() {
            return Err(error);
        }
        let said = self.said.into_inner();
        let mut names: Vec<&str> = said.keys().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            let version = |name: &str| match self.functions.named(name).map(|function| &function.version) {
                Ok(FunctionVersion::Named(version)) => Json::from(version.as_str()),
                _ => Json::Null,
            };
            let asked = names.into_iter().map(|name| (name.to_owned(), version(name))).collect();
            scored.metadata.insert("functions", Json::Object(asked));
        }
        Ok(scored)
    }
}

/// The name in a setting that is a function, `{"function": NAME}`.
pub(super) fn name(setting: &Json) -> Option<&str> {
    setting.as_object().filter(|object| object.len() == 1)?.get(KIND)?.as_str()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::score::SCORERS;

    static ASKED: AtomicUsize = AtomicUsize::new(0);

    fn functions() -> OwnFunctions {
        let function =
            |name: &str, version, say: Arc<Say>| OwnFunction { name: name.to_owned(), version, say };
        let of_run = || FunctionVersion::OfRun("1f".to_owned());
        OwnFunctions::from_iter([
            function(
                "even",
                FunctionVersion::Named("2".to_owned()),
                Arc::new(|values: &[&Json]| {
                    ASKED.fetch_add(1, Ordering::Relaxed);
                    match values {
                        [Json::Number(number)] => Ok(number.as_f64() % 2.0 == 0.0),
                        _ => Err("raised TypeError: no number".to_owned()),
                    }
                }),
            ),
            function(
                "wide",
                of_run(),
                Arc::new(|values: &[&Json]| {
                    Ok(values[1].as_object().map(Object::len) >= values[0].as_object().map(Object::len))
                }),
            ),
            function(
                "first_is_1",
                of_run(),
                Arc::new(|values: &[&Json]| Ok(values[0].get("x") == Some(&Json::Number(1_u64.into())))),
            ),
        ])
    }

    /// The score, whether the case passed, and the functions that were asked; or the error.
    fn scored(
        scorer: &str,
        peer: Option<&str>,
        record: &str,
    ) -> Result<(Option<f64>, Option<bool>, String), String> {
        let scorer = SCORERS.iter().find(|one| one.name == scorer).unwrap();
        let mut ready = (scorer.ready)(&Object::new(), peer).unwrap();
        ready.give(&functions()).unwrap();
        let record = Json::parse(record).unwrap();
        let scored = ready.score(record.as_object().unwrap()).map_err(|error| error.to_string())?;
        let asked = scored.metadata.get("functions").map(ToString::to_string).unwrap_or_default();
        Ok((scored.score, scored.passed, asked))
    }

    #[test]
    fn what_functions_say_counts() {
        let evaluator = |validators: &str, calls: &str| {
            format!(
                r#"{{"test":{{"expected_tool_calls":[{{"tool_name":"a","param_validators":{validators}}}],"threshold":1}},"tool_calls":[{calls}]}}"#
            )
        };
        let even = |value: &str| {
            evaluator(
                r#"{"x":{"kind":"function","name":"even"}}"#,
                &format!(r#"{{"name":"a","input":{{"x":{value}}}}}"#),
            )
        };
        const EVEN: &str = r#"{"even":"2"}"#;
        const ARGUMENTS: &str = r#""expectedTools":[{"name":"a","arguments":{"x":1}}],"toolCalls":[{"name":"a","arguments":{"y":1,"z":2}}]"#;
        let tool_call =
            |function: &str| format!(r#"{{{ARGUMENTS},"config":{{"params":{{"function":"{function}"}}}}}}"#);
        let trajectory = |function: &str, called: u8| {
            let side = |x: u8| {
                format!(
                    r#"[{{"role":"assistant","content":"","tool_calls":[{{"name":"a","args":{{"x":{x}}}}}]}}]"#
                )
            };
            let overrides = format!(r#"{{"a":{{"function":"{function}"}}}}"#);
            let (outputs, reference) = (side(called), side(9));
            format!(
                r#"{{"outputs":{outputs},"reference_outputs":{reference},"config":{{"tool_args_match_overrides":{overrides}}}}}"#
            )
        };
        let yes = |asked: &str| Ok((Some(1.0), Some(true), asked.to_owned()));
        let error = |text: &str| Err(text.to_owned());
        for (scorer, peer, record, expected) in [
            ("tool_evaluator", None, even("4"), yes(EVEN)),
            ("tool_evaluator", None, even("3"), Ok((Some(0.7), Some(false), EVEN.to_owned()))),
            ("tool_evaluator", Some("article"), even("4"), yes(EVEN)),
            ("tool_evaluator", Some("article"), even("3"), Ok((Some(0.7), Some(false), EVEN.to_owned()))),
            // It has nothing to say of what is not there.
            (
                "tool_evaluator",
                None,
                evaluator(r#"{"y":{"kind":"function","name":"even"}}"#, r#"{"name":"a","input":{"x":1}}"#),
                yes(""),
            ),
            (
                "tool_evaluator",
                None,
                even(r#""4""#),
                error("FunctionError: the function `even` raised TypeError: no number"),
            ),
            // Nor is a failure forgotten where another call fits.
            (
                "tool_evaluator",
                None,
                evaluator(
                    r#"{"x":{"kind":"function","name":"even"}}"#,
                    r#"{"name":"a","input":{"x":"4"}},{"name":"a","input":{"x":4}}"#,
                ),
                error("FunctionError: the function `even` raised TypeError: no number"),
            ),
            (
                "tool_evaluator",
                None,
                evaluator(r#"{"x":{"kind":"function","name":"odd"}}"#, r#"{"name":"a","input":{"x":4}}"#),
                error("InvalidCase: there is no function `odd`; there are: `even`, `wide`, `first_is_1`"),
            ),
            ("tool_call", None, tool_call("wide"), yes(r#"{"wide":null}"#)),
            ("tool_call", None, tool_call("first_is_1"), yes(r#"{"first_is_1":null}"#)),
            ("tool_call", Some("vitest-evals"), tool_call("wide"), yes(r#"{"wide":null}"#)),
            (
                "tool_call",
                None,
                tool_call("even"),
                error("FunctionError: the function `even` raised TypeError: no number"),
            ),
            // agentevals gives the call first.
            ("trajectory", None, trajectory("first_is_1", 1), yes(r#"{"first_is_1":null}"#)),
            (
                "trajectory",
                None,
                trajectory("first_is_1", 2),
                Ok((Some(0.0), Some(false), r#"{"first_is_1":null}"#.to_owned())),
            ),
            ("trajectory", Some("agentevals"), trajectory("first_is_1", 1), yes(r#"{"first_is_1":null}"#)),
            (
                "trajectory",
                None,
                trajectory("even", 1),
                error("FunctionError: the function `even` raised TypeError: no number"),
            ),
        ] {
            assert_eq!(scored(scorer, peer, &record), expected, "{scorer} {peer:?} {record}");
        }
    }

    #[test]
    fn a_setting_names_a_function_that_is_there() {
        for (scorer, settings, key) in [
            ("tool_call", r#"{"params":{"function":"odd"}}"#, "params"),
            (
                "trajectory",
                r#"{"tool_args_match_overrides":{"a":{"function":"odd"}}}"#,
                "tool_args_match_overrides.a",
            ),
        ] {
            let scorer = SCORERS.iter().find(|one| one.name == scorer).unwrap();
            let settings = Json::parse(settings).unwrap();
            let mut ready = (scorer.ready)(settings.as_object().unwrap(), None).unwrap();
            let why = ready.give(&functions()).unwrap_err().to_string();
            assert_eq!(
                why,
                format!("`{key}`: there is no function `odd`; there are: `even`, `wide`, `first_is_1`")
            );
            let why = ready.give(&OwnFunctions::default()).unwrap_err().to_string();
            assert!(why.contains("functions come from Python only"), "{why}");
        }
    }

    #[test]
    fn the_same_values_are_asked_about_once() {
        let call = r#"{"name":"a","input":{"x":4}}"#;
        let validators = r#"{"x":{"kind":"function","name":"even"}}"#;
        let wanted = format!(r#"{{"tool_name":"a","param_validators":{validators}}}"#);
        let record = format!(
            r#"{{"test":{{"expected_tool_calls":[{wanted},{wanted}]}},"tool_calls":[{call},{call}]}}"#
        );
        let functions = functions();
        let asking = Asking::new(&functions);
        let four = Json::Number(4_u64.into());
        let before = ASKED.load(Ordering::Relaxed);
        assert!(asking.holds("even", &[&four]) && asking.holds("even", &[&four]));
        // Other tests may ask meanwhile, about other cases.
        assert!(ASKED.load(Ordering::Relaxed) > before && asking.said.borrow().len() == 1);
        assert_eq!(scored("tool_evaluator", None, &record).unwrap().1, Some(true));
    }

    #[test]
    fn cases_are_signed_with_the_versions() {
        let test = |more: &str, other: &str| {
            format!(
                r#"{{"expected_tool_calls":[{{"tool_name":"a","param_validators":{{"x":{{"kind":"function","name":"even"{more}}},"y":{{"kind":"function","name":"wide"{other}}},"z":{{"kind":"in","values":[1]}}}}}}]}}"#
            )
        };
        let mut signed = Json::parse(&test("", "")).unwrap().as_object().unwrap().clone();
        functions().sign(&mut signed).unwrap();
        assert_eq!(Json::Object(signed.clone()).to_string(), test(r#","version":"2""#, r#","run":"1f""#));
        assert!(OwnFunctions::default().sign(&mut signed).unwrap_err().starts_with("`even` is a function"));
    }
}
