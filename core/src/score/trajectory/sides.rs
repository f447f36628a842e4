//! Extracts actual and expected calls from the records of several peers.

use super::benchmark;
use super::messages::{Turn, are_messages, turns};
use super::step::Step;
use crate::domain::{Json, Object};
use crate::score::{ScoreError, setting};

/// The two trajectories of a record, turn by turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sides<'a> {
    pub called: Vec<Turn<'a>>,
    /// `None` where the record does not say.
    pub expected: Option<Vec<Turn<'a>>>,
}

type Read = for<'a> fn(&str, &'a Json, as_peer: bool) -> Result<Vec<Turn<'a>>, ScoreError>;

/// The keys under which a peer records the two sides, and how it writes them.
struct Shape {
    called: (&'static str, Read),
    expected: (&'static str, Read),
    /// Whether what was called looks like that peer's; other tables may have such keys too.
    is_called: fn(&Json) -> bool,
    /// Whether the key of what was called is enough to tell.
    stands_alone: bool,
}

const SHAPES: [Shape; 5] = [
    // Vertex and ADK.
    Shape {
        called: ("predicted_trajectory", calls),
        expected: ("reference_trajectory", calls),
        is_called: |value| value.as_array().is_some(),
        stands_alone: true,
    },
    // agentevals and openevals.
    Shape {
        called: ("outputs", turns),
        expected: ("reference_outputs", turns),
        is_called: are_messages,
        stands_alone: false,
    },
    // Azure AI Evaluation, by its new names and by its old ones.
    Shape {
        called: ("actions", turns),
        expected: ("expected_actions", actions),
        is_called: are_messages,
        stands_alone: false,
    },
    Shape {
        called: ("response", turns),
        expected: ("ground_truth", actions),
        is_called: are_messages,
        stands_alone: false,
    },
    // Ragas.
    Shape {
        called: ("user_input", turns),
        expected: ("reference_tool_calls", calls),
        is_called: are_messages,
        stands_alone: false,
    },
];

impl Shape {
    fn fits(&self, record: &Object) -> bool {
        record.get(self.called.0).is_some_and(self.is_called)
            && (self.stands_alone || record.contains_key(self.expected.0))
    }
}

/// Whether a record is one of a peer whose two sides can be read.
pub(super) fn are_here(record: &Object) -> bool {
    SHAPES.iter().any(|shape| shape.fits(record))
}

/// Whether a record has a run and an example, as LangChain Benchmarks does.
pub(super) fn is_benchmark(record: &Object) -> bool {
    record.contains_key("run") || record.contains_key("example")
}

impl<'a> Sides<'a> {
    /// Reads both sides, in the peers' forms alone if that is to be done `as_peer`; an error names the key and what it should hold.
    pub(super) fn read(record: &'a Object, as_peer: bool) -> Result<Sides<'a>, ScoreError> {
        if is_benchmark(record) {
            // A row of a table is one turn.
            let case = benchmark::Case::read(record, as_peer)?;
            let turn = |calls: Vec<Step<'a>>| Vec::from([Turn { role: "assistant", calls }]);
            return Ok(Sides { called: turn(case.actual), expected: Some(turn(case.expected)) });
        }
        let has_a_key =
            |shape: &&Shape| [shape.called.0, shape.expected.0].iter().any(|key| record.contains_key(key));
        let shape = SHAPES.iter().find(|shape| shape.fits(record)).or_else(|| SHAPES.iter().find(has_a_key));
        let shape = shape.ok_or_else(|| {
            let pairs = SHAPES.iter().map(|shape| format!("`{}` and `{}`", shape.called.0, shape.expected.0));
            let pairs: Vec<String> = pairs.collect();
            ScoreError::invalid(format!("there are no trajectories: neither {}", pairs.join(", nor ")))
        })?;
        let read = |(key, read): (&'static str, Read)| match record.get(key) {
            None | Some(Json::Null) => None,
            Some(value) => Some(read(key, value, as_peer)),
        };
        let called = read(shape.called).ok_or_else(|| missing(shape.called.0))??;
        let expected = read(shape.expected).transpose()?;
        for step in expected.iter().flatten().flat_map(|turn| &turn.calls) {
            if let Some(Json::String(text)) = step.arguments.as_deref() {
                let why =
                    format!("`{}` expects arguments of `{}` that are no JSON", shape.expected.0, step.tool);
                return Err(ScoreError::invalid(format!(
                    "{why}: {}",
                    setting::shown(&Json::from(text.as_str()))
                )));
            }
        }
        Ok(Sides { called, expected })
    }

    /// What should have been called; an error where the record does not say, since that is not "nothing".
    pub(super) fn expected(&self) -> Result<&[Turn<'a>], ScoreError> {
        let why =
            "the record does not say what should have been called; an empty list says that nothing should";
        self.expected.as_deref().ok_or_else(|| ScoreError::invalid(why))
    }
}

fn missing(key: &str) -> ScoreError {
    ScoreError::invalid(format!("`{key}` is missing: the calls that were made"))
}

/// All steps, which know their turns.
pub(super) fn steps<'a>(turns: &[Turn<'a>]) -> Vec<Step<'a>> {
    let of_turn = |(at, turn): (usize, &Turn<'a>)| {
        turn.calls.iter().cloned().map(move |step| Step { turn: at, ..step }).collect::<Vec<_>>()
    };
    turns.iter().enumerate().flat_map(of_turn).collect()
}

/// A list of calls, one after the other.
fn calls<'a>(key: &str, value: &'a Json, as_peer: bool) -> Result<Vec<Turn<'a>>, ScoreError> {
    let list = value.as_array();
    let list = list.ok_or_else(|| ScoreError::invalid(setting::wrong(key, "a list of calls", value)))?;
    let call = |(at, call)| Ok(alone(Step::of_call(&format!("{key}[{at}]"), call, as_peer)?));
    list.iter().enumerate().map(call).collect()
}

/// Azure's expected actions: names, or names and an object with the arguments of each tool.
fn actions<'a>(key: &str, value: &'a Json, _as_peer: bool) -> Result<Vec<Turn<'a>>, ScoreError> {
    let allowed = "a list of names, or a list of names beside an object with each tool's arguments";
    let wrong = || ScoreError::invalid(setting::wrong(key, allowed, value));
    let (names, arguments) = match value.as_array().ok_or_else(wrong)? {
        [Json::Array(names), Json::Object(arguments)] => (names.as_slice(), Some(arguments)),
        names => (names, None),
    };
    let step = |name: &'a Json| {
        let tool = name.as_str().ok_or_else(wrong)?.trim();
        let arguments = arguments.and_then(|arguments| arguments.get(tool));
        if arguments.is_some_and(|arguments| arguments.as_object().is_none()) {
            return Err(wrong());
        }
        Ok(alone(Step { arguments: arguments.map(std::borrow::Cow::Borrowed), ..Step::named(tool) }))
    };
    names.iter().map(step).collect()
}

fn alone(step: Step) -> Turn {
    Turn { role: "assistant", calls: vec![step] }
}
