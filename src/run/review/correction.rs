//! Corrected calls: what should have been called, as reviewers type it, checked against the row's definitions.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{Calls, Cell, Definitions, Item, Json, RawRow, ToolCall};
use crate::normalize::Normalizer;
use tooljudge_core::schema::check_calls;

/// The column that corrected calls go into: `suite from-log` expects them, and `train` counts their rows as reviewed.
pub(super) const COLUMN: &str = "corrected_tool_calls";
/// Characters of a corrected call as it is typed.
const TYPED: usize = 50_000;
/// What is typed where nothing should have been called.
const NOTHING: &str = "[]";

/// What a row says of its calls.
#[derive(Debug)]
pub(super) struct Turn {
    definitions: Definitions,
    /// The definitions as the row has them.
    tools: Option<Arc<str>>,
    /// What was called; nothing of a row that cannot be read.
    calls: Option<Calls>,
}

/// A corrected call that can be kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Corrected {
    /// The calls as a JSON array.
    pub text: String,
    /// Why they were not checked, or not in full.
    pub unchecked: Vec<String>,
}

/// Why a corrected call is not kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Which of the calls, from 1; none for all of them.
    call: Option<usize>,
    /// The argument, as a JSON pointer.
    argument: Option<String>,
    message: String,
}

impl Fault {
    pub fn of_all(message: impl Into<String>) -> Fault {
        Fault { call: None, argument: None, message: message.into() }
    }

    /// As a page is told.
    pub fn to_json(&self) -> Value {
        json!({ "call": self.call, "argument": self.argument, "message": self.message })
    }
}

impl Turn {
    pub fn of(item: &Item) -> Turn {
        match item {
            Ok(sample) => Turn {
                definitions: sample.definitions.clone(),
                tools: sample.raw.tool_definitions.clone(),
                calls: Some(sample.calls.clone()),
            },
            Err(_) => Turn { definitions: Definitions::Unknown, tools: None, calls: None },
        }
    }

    /// What somebody typed as the calls that should have been made here, in any form that tables have calls in.
    pub fn corrected(&self, typed: &str, normalizer: &Normalizer) -> Result<Corrected, Vec<Fault>> {
        let one = |message: &str| vec![Fault::of_all(message)];
        let Some(made) = &self.calls else {
            return Err(one("this row cannot be read, so a corrected call is of no use to it"));
        };
        if typed.chars().count() > TYPED {
            return Err(vec![Fault::of_all(format!("this is longer than {TYPED} characters"))]);
        }
        let calls = self.read(typed, normalizer)?;
        if let Calls::Parsed(made) = made
            && is_same(made, &calls)
        {
            return Err(one(
                "this is what the agent called: change it, or mark the row as right and leave this empty",
            ));
        }
        let mut unchecked = Vec::new();
        match &self.definitions {
            Definitions::Known(tools) => {
                let checked = check_calls(&calls, tools);
                if !checked.faults.is_empty() {
                    let fault = |fault: tooljudge_core::schema::CallFault| Fault {
                        call: Some(fault.call),
                        argument: fault.argument,
                        message: fault.message,
                    };
                    return Err(checked.faults.into_iter().map(fault).collect());
                }
                unchecked = checked.unchecked;
            }
            Definitions::FreeText => {
                unchecked.push("the definitions of this row are prose: the call was not checked".to_owned());
            }
            Definitions::Unknown => {
                unchecked.push("this row has no definitions: the call was not checked".to_owned());
            }
        }
        Ok(Corrected { text: in_json(&calls), unchecked })
    }

    fn read(&self, typed: &str, normalizer: &Normalizer) -> Result<Vec<ToolCall>, Vec<Fault>> {
        // What else is read as no call is a way of logs to say so; a person may have meant something.
        if typed.trim() == NOTHING {
            return Ok(Vec::new());
        }
        let row = RawRow {
            question: Cell::Text("-".to_owned()),
            tool_call: Cell::Text(typed.to_owned()),
            tool_definitions: self.tools.as_deref().map_or(Cell::Missing, |text| Cell::Text(text.to_owned())),
            extras: Vec::new(),
        };
        match normalizer.sample(row).map(|sample| sample.calls) {
            Ok(Calls::Parsed(calls)) if !calls.is_empty() => Ok(calls),
            Err(error) => Err(vec![Fault::of_all(error.message)]),
            Ok(_) => Err(vec![Fault::of_all(
                "this cannot be read as calls: write them as JSON ([{\"name\": \"f\", \"arguments\": {\"x\": 1}}]) or as code (f(x=1)), and [] \
                 if nothing should have been called",
            )]),
        }
    }
}

/// Whether both are the same calls, in whatever order.
fn is_same(made: &[ToolCall], typed: &[ToolCall]) -> bool {
    let mut left: Vec<&ToolCall> = made.iter().collect();
    made.len() == typed.len()
        && typed.iter().all(|call| {
            let at = left.iter().position(|other| other.is_equivalent(call));
            at.map(|at| left.swap_remove(at)).is_some()
        })
}

/// Calls as they are kept: ids belong to calls that were made.
fn in_json(calls: &[ToolCall]) -> String {
    let call = |call: &ToolCall| ToolCall { id: None, ..call.clone() }.to_json();
    Json::Array(calls.iter().map(call).collect()).to_string()
}

/// Kept calls as a page shows them: the arguments of each as a text, since a browser would round large numbers.
pub(super) fn shown(kept: &str) -> Value {
    let calls = Json::parse(kept).ok();
    let call = |call: &Json| {
        let arguments = call.get("arguments").unwrap_or(&Json::Null);
        json!({ "name": call.get("name").and_then(Json::as_str), "args": arguments.to_string() })
    };
    calls.as_ref().and_then(Json::as_array).map_or(Value::Null, |calls| calls.iter().map(call).collect())
}

/// What reviewers say should have been called in a row.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    given: Vec<String>,
    /// The adjudicator's.
    decided: Option<String>,
}

/// What an export makes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nobody gave any.
    Nothing,
    /// These calls.
    Calls(String),
    /// The row is right by its marks, so nothing is to be corrected.
    Unused,
    /// Reviewers gave different ones, or disagree on whether the row is right.
    Disputed,
}

impl Corrections {
    pub fn add(&mut self, calls: &str, is_adjudicator: bool) {
        match is_adjudicator {
            true => self.decided = Some(calls.to_owned()),
            false => self.given.push(calls.to_owned()),
        }
    }

    /// What becomes of them in a row whose labels are `disputed` or say that it is `right`.
    pub fn outcome(&self, disputed: bool, right: bool) -> Outcome {
        let parsed = |text: &String| Json::parse(text).unwrap_or(Json::Null);
        let Some(first) = self.decided.as_ref().or(self.given.first()) else { return Outcome::Nothing };
        let is_one = || {
            let first = parsed(first);
            self.given.iter().all(|other| parsed(other).is_equivalent(&first))
        };
        match (right, disputed, self.decided.is_some() || is_one()) {
            (true, ..) => Outcome::Unused,
            (_, true, _) | (.., false) => Outcome::Disputed,
            _ => Outcome::Calls(first.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::Options;

    fn turn(calls: &str, tools: Option<&str>, normalizer: &Normalizer) -> Turn {
        let row = RawRow {
            question: Cell::Text("Weather in Oslo?".to_owned()),
            tool_call: Cell::Text(calls.to_owned()),
            tool_definitions: tools.map_or(Cell::Missing, |tools| Cell::Text(tools.to_owned())),
            extras: Vec::new(),
        };
        Turn::of(&normalizer.sample(row))
    }

    const TOOLS: &str = r#"[{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"},
        "days":{"type":"integer"},"unit":{"enum":["c","f"]}},"required":["city"]}},{"name":"now"}]"#;

    #[test]
    fn what_is_typed_is_read_and_checked() {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let turn = turn("weather(city='Oslo', days=2)", Some(TOOLS), &normalizer);
        for (typed, kept) in [
            ("weather(city='Bergen')", r#"[{"name":"weather","arguments":{"city":"Bergen"}}]"#),
            ("weather('Bergen', 2)", r#"[{"name":"weather","arguments":{"city":"Bergen","days":2}}]"#),
            (
                r#"[{"name": "weather", "arguments": {"city": "Oslo", "days": 12345678901234567890}, "id": "c1"}]"#,
                r#"[{"name":"weather","arguments":{"city":"Oslo","days":12345678901234567890}}]"#,
            ),
            (" [] ", "[]"),
            (
                "weather(city='Oslo')\nnow()",
                r#"[{"name":"weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}]"#,
            ),
        ] {
            let corrected = turn.corrected(typed, &normalizer);
            let expected = Corrected { text: kept.to_owned(), unchecked: Vec::new() };
            assert_eq!(corrected, Ok(expected), "{typed}");
        }
        for (typed, call, argument, message) in [
            ("weather(city='Oslo', days=2.0)", None, None, "this is what the agent called"),
            ("wether(city='Oslo')", Some(1), None, "did you mean `weather`?"),
            ("weather(days=2)", Some(1), None, "the required argument `city` is missing"),
            ("now()\nweather(city='Oslo', days='2')", Some(2), Some("/days"), "is not of type"),
            ("weather(city='Oslo', unit='k')", Some(1), Some("/unit"), "is not one of"),
            ("weather(city='Oslo', town='Oslo')", Some(1), Some("/town"), "no parameter `town`"),
            ("weather(city='Oslo'", None, None, "cannot be read as calls"),
            ("no call at all", None, None, "cannot be read as calls"),
            ("None", None, None, "cannot be read as calls"),
        ] {
            let faults = turn.corrected(typed, &normalizer).unwrap_err();
            let Fault { call: found, argument: place, message: said } = &faults[0];
            assert_eq!((*found, place.as_deref()), (call, argument), "{typed}: {faults:?}");
            assert!(said.contains(message), "{typed}: {said}");
        }
    }

    #[test]
    fn what_cannot_be_checked_is_said() {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let without = turn("weather(city='Oslo')", None, &normalizer);
        let corrected = without.corrected("weather(city='Bergen')", &normalizer).unwrap();
        assert_eq!(corrected.unchecked, ["this row has no definitions: the call was not checked"]);
        let broken =
            r#"[{"name":"weather","parameters":{"type":"object","properties":{"city":{"pattern":"("}}}}]"#;
        let corrected =
            turn("weather(city='Oslo')", Some(broken), &normalizer).corrected("weather()", &normalizer);
        assert!(corrected.unwrap().unchecked[0].contains("cannot be used"));
        let unread = Turn::of(&Err(crate::domain::RowError::new(
            crate::domain::RowErrorCode::MissingToolCall,
            "tool_call: null",
        )));
        assert!(unread.corrected("weather()", &normalizer).is_err());
    }

    #[test]
    fn corrections_that_differ_are_disputed() {
        let one = r#"[{"name":"f","arguments":{"a":1,"b":2}}]"#;
        let same = r#"[{"name":"f","arguments":{"b":2.0,"a":1}}]"#;
        let calls = || Outcome::Calls(one.to_owned());
        for (given, decided, [disputed, right], expected) in [
            (&[][..], None, [false; 2], Outcome::Nothing),
            (&[one][..], None, [false; 2], calls()),
            (&[one, same], None, [false; 2], calls()),
            (&[one, "[]"], None, [false; 2], Outcome::Disputed),
            (&["[]", same], Some(one), [false; 2], calls()),
            (&[one], None, [true, false], Outcome::Disputed),
            (&[one], None, [false, true], Outcome::Unused),
        ] {
            let mut corrections = Corrections::default();
            given.iter().for_each(|calls| corrections.add(calls, false));
            decided.iter().for_each(|calls| corrections.add(calls, true));
            assert_eq!(corrections.outcome(disputed, right), expected, "{given:?} {decided:?}");
        }
    }
}
