//! vLLM's ways of forcing a rail, beside chat completions.
//!
//! ```text
//! "structured_outputs": {"choice": ["correct", "incorrect"]}   or {"json": {...schema...}}     since 0.12
//! "guided_choice": ["correct", "incorrect"]                    or "guided_json": {...schema...}  before
//! ```
//!
//! A version that does not know a field ignores it and answers freely; we notice by the form of the answer.

use serde_json::{Value, json};

use crate::domain::{Prompt, Stop};
use crate::judge::Adaptation;
use crate::judge::adaptation::{AdaptationSet, next_rail};
use crate::judge::provider_format::{Answer, answer_schema, bare};
use crate::judge::rail_compliance::{Sign, is_in_form, sign};

pub(super) const FORMS: &[Adaptation] =
    &[Adaptation::GuidedRail, Adaptation::ResponseFormatRail, Adaptation::TextRail];

pub(super) const STRUCTURED_OUTPUTS: &[&str] = &["structured_outputs", "structured output"];
pub(super) const GUIDED: &[&str] =
    &["guided_choice", "guided_json", "guided_decoding", "guided decoding", "guided"];

pub(super) fn structured_outputs(prompt: &Prompt) -> (&'static str, Value) {
    let constraint = if bare(prompt) {
        json!({"choice": prompt.rails.labels().collect::<Vec<_>>()})
    } else {
        json!({"json": answer_schema(prompt)})
    };
    ("structured_outputs", constraint)
}

pub(super) fn guided(prompt: &Prompt) -> (&'static str, Value) {
    if bare(prompt) {
        ("guided_choice", json!(prompt.rails.labels().collect::<Vec<_>>()))
    } else {
        ("guided_json", answer_schema(prompt))
    }
}

/// The form to try next, if an answer shows that the one it was asked for in has been ignored.
pub(super) fn ignored_form(answer: &Answer, prompt: &Prompt, adapted: &AdaptationSet) -> Option<Adaptation> {
    let Answer { text, stop, .. } = answer;
    let next = next_rail(FORMS, adapted)?;
    // Nothing to be found in these: the schema of OpenAI is the last form that is worth a second request.
    if next == Adaptation::TextRail || text.trim().is_empty() {
        return None;
    }
    let ignored = match stop {
        Stop::Finished if bare(prompt) => prompt.rails.find(text.trim()).is_none(),
        Stop::Finished => !is_in_form(text, &prompt.rails),
        _ => sign(text, *stop, prompt) == Sign::Ignored,
    };
    ignored.then_some(next)
}
