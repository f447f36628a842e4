//! Phoenix 3: an evaluator as YAML, with messages in Mustache and a map from label to score.
//!
//! ```yaml
//! name: tool_selection
//! optimization_direction: maximize
//! messages:
//!   - role: user
//!     content: Was the tool right? {{input}} {{available_tools}} {{tool_selection}}
//! choices: { correct: 1.0, incorrect: 0.0 }
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::chat::{self, Message};
use super::labels::{self, NAME_THEM};
use super::{Body, Evaluator, Unusable, slots};
use crate::domain::{Rails, Slot, Variable};
use crate::render::plain::Segment;
use crate::render::template::Origin;
use crate::render::variable::named;

#[derive(Deserialize)]
struct Written {
    name: Option<String>,
    #[serde(default)]
    description: String,
    optimization_direction: Option<String>,
    messages: Vec<Message>,
    choices: Option<yaml_serde::Value>,
    #[serde(default)]
    substitutions: BTreeMap<String, Value>,
}

/// Which end of the scores is good.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Maximize,
    Minimize,
}

/// Of a file only its messages.
#[derive(Deserialize)]
struct Chat {
    messages: Vec<Message>,
}

pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    let has = |key: &str| {
        source.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
    };
    let is_named = has("messages") && (has("choices") || has("optimization_direction"));
    // However its keys are written and whatever it lacks: a file of messages is not the text of a prompt.
    let has_messages = || yaml_serde::from_str::<Chat>(source).is_ok_and(|chat| !chat.messages.is_empty());
    (is_named || source.contains("messages") && has_messages())
        .then(|| evaluator(source).map_err(|why| Unusable { origin: Origin::Phoenix, why }))
}

fn evaluator(source: &str) -> Result<Evaluator, String> {
    let written: Written = yaml_serde::from_str(source).map_err(|why| why.to_string())?;
    let mut segments = slots::split(&chat::text(&written.messages)?, &|name| {
        // Phoenix fills every other name from the column of that name.
        Ok(named(name).unwrap_or_else(|| Variable::Column(name.into())))
    })?;
    let is_record = is_of_a_record(&written.messages);
    if is_record {
        segments.iter_mut().for_each(|segment| {
            if let Segment::Value(variable) = segment {
                *variable = Variable::Slot(Slot::Transcript);
            }
        });
    }
    let direction = match written.optimization_direction.as_deref() {
        Some("maximize") => Ok(Direction::Maximize),
        Some("minimize") => Ok(Direction::Minimize),
        Some(other) => {
            Err(format!("its optimization_direction `{other}` does not say which label is good; {NAME_THEM}"))
        }
        None => {
            Err(format!("it has no optimization_direction, so which label is good is unknown; {NAME_THEM}"))
        }
    };
    let mut notes: Vec<String> = chat::note(&written.messages).into_iter().collect();
    if direction == Ok(Direction::Minimize) {
        notes.push(
            "its optimization_direction is minimize: the label with the lowest score passes, and scores are turned so that higher \
             is better"
                .to_owned(),
        );
    }
    if is_record {
        notes.push(
            "{{conversation}} is all that the text shows, so it is the whole transcript, the judged turn and what came after it included"
                .to_owned(),
        );
    }
    let rails = direction.and_then(|direction| rails(written.choices.as_ref(), direction));
    if written.substitutions.get("output").is_some_and(|with| with == "output_with_tool_calls") {
        notes.push(
            "Phoenix shows the calls too where the file has {{output}}; here {{output}} is the final answer, and {{transcript}} \
             holds both"
                .to_owned(),
        );
    }
    Ok(Evaluator {
        origin: Origin::Phoenix,
        name: written.name.as_deref().and_then(super::identifier),
        description: written.description,
        body: Body::Segments(segments),
        rails,
        wants_request: true,
        notes,
    })
}

/// Whether the messages show a conversation and nothing else: then what is judged is in it.
fn is_of_a_record(messages: &[Message]) -> bool {
    let named = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let read = chat::text(messages).and_then(|text| {
        slots::split(&text, &|name| {
            named.borrow_mut().insert(name.to_owned());
            Ok(Variable::Column(name.into()))
        })
    });
    read.is_ok() && named.into_inner().into_iter().eq(["conversation".to_owned()])
}

fn rails(choices: Option<&yaml_serde::Value>, direction: Direction) -> Result<Rails, String> {
    let Some(yaml_serde::Value::Mapping(choices)) = choices else {
        return Err(format!("its choices are not a map from label to score; {NAME_THEM}"));
    };
    let mut scored = Vec::new();
    for (label, score) in choices {
        let label = match label {
            yaml_serde::Value::String(label) => label.clone(),
            yaml_serde::Value::Bool(label) => label.to_string(),
            yaml_serde::Value::Number(label) => label.to_string(),
            _ => return Err(format!("a label of its choices is not text; {NAME_THEM}")),
        };
        let number = score.as_f64().filter(|score| score.is_finite());
        scored.push((
            label.clone(),
            number
                .ok_or_else(|| format!("the score of its choice `{label}` is not a number; {NAME_THEM}"))?,
        ));
    }
    let scores = || scored.iter().map(|(_, score)| *score);
    let (low, high) = (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
    if direction == Direction::Minimize {
        scored.iter_mut().for_each(|(_, score)| *score = low + high - *score);
    }
    labels::scored(scored, high)
}
