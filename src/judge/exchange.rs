//! An exchange with a model: a prompt for a verdict, or a dialogue for its next turn.
//!
//! The two have different requests and answers. Their waits, retries, costs and learned adaptations are the same: `remote` does
//! that once for both.

use std::borrow::Cow;

use super::Adaptation;
use super::adaptation::AdaptationSet;
use super::body_template::BodyTemplates;
use super::failure::Failure;
use super::problem::Problem;
use super::provider_format::{Answer, ProviderFormat, Response, understand};
use super::rail_compliance::{instruction, is_thinking};
use super::turn_format::TurnFormat;
use crate::domain::{AnswerForm, Dialogue, Entry, Prompt};

/// Tokens that a short verdict takes, one with an explanation, one with findings, and a turn, when no limit is given.
const SHORT_ANSWER: u32 = 20;
const EXPLAINED_ANSWER: u32 = 200;
const FINDINGS_ANSWER: u32 = 300;
const TURN: u32 = 200;

/// What a model is sent to answer.
#[derive(Clone, Copy)]
pub(super) enum Exchange<'a> {
    Verdict(&'a Prompt),
    Turn(&'a Dialogue, &'a dyn TurnFormat),
}

impl Exchange<'_> {
    /// Tokens that it takes to send, about. Four bytes a token is the usual rule of thumb.
    pub(super) fn tokens(&self) -> u64 {
        let bytes = match self {
            Exchange::Verdict(prompt) => prompt.text.len(),
            Exchange::Turn(dialogue, _) => dialogue.text_bytes(),
        };
        bytes as u64 / 4
    }

    /// Tokens that an answer usually takes.
    pub(super) fn usual_answer(&self) -> u32 {
        match self {
            Exchange::Verdict(prompt) => match prompt.form {
                AnswerForm { findings: true, .. } => FINDINGS_ANSWER,
                AnswerForm { explain: true, .. } => EXPLAINED_ANSWER,
                AnswerForm::LABEL => SHORT_ANSWER,
            },
            Exchange::Turn(..) => TURN,
        }
    }

    /// How the plainest request deviates: a turn has nothing to go without that a refusal might mean and not name.
    pub(super) fn plain(&self, format: &dyn ProviderFormat) -> &'static [Adaptation] {
        match self {
            Exchange::Verdict(_) => format.plain(),
            Exchange::Turn(..) => &[],
        }
    }

    /// Of what is known of an endpoint, what bears on this.
    pub(super) fn bearing(&self, mut known: AdaptationSet) -> AdaptationSet {
        known.retain(|adaptation| match self {
            Exchange::Verdict(_) => adaptation.is_of_verdicts(),
            Exchange::Turn(..) => adaptation.is_of_turns(),
        });
        known
    }

    pub(super) fn body(
        &self,
        format: &dyn ProviderFormat,
        body_templates: &BodyTemplates,
        adapted: &AdaptationSet,
    ) -> Vec<u8> {
        match self {
            Exchange::Verdict(prompt) => body_templates.body(format, &instructed(prompt, adapted), adapted),
            Exchange::Turn(dialogue, turns) => {
                format.parameters().finish(turns.turn_body(dialogue, adapted)).into_bytes()
            }
        }
    }

    /// The meaning of a response, an answer or an error.
    pub(super) fn understand(
        &self,
        format: &dyn ProviderFormat,
        adapted: &AdaptationSet,
        response: &Response,
    ) -> Result<Answer, Failure> {
        let (dialogue, turns) = match self {
            Exchange::Verdict(prompt) => return understand(format, prompt, adapted, response),
            Exchange::Turn(dialogue, turns) => (*dialogue, *turns),
        };
        let body = response.text();
        match Problem::find(response.status, &body) {
            Some(problem) => {
                let own = format.parameters().own_names();
                problem.meaning(response, &said(dialogue), &turns.turn_parts(dialogue, adapted), &own)
            }
            None => turns.read_turn(dialogue, adapted, &body),
        }
    }

    /// Whether an answer that was cut off holds nothing but the beginning of a model's thoughts.
    pub(super) fn is_mere_thought(&self, answer: &Answer) -> bool {
        match self {
            Exchange::Verdict(_) => answer.text.trim().is_empty() || is_thinking(&answer.text),
            Exchange::Turn(_, turns) => turns
                .turn(&answer.text)
                .is_some_and(|turn| turn.text.trim().is_empty() && turn.calls.is_empty()),
        }
    }

    /// The form to ask for at once instead, where an answer shows that its endpoint ignored the present one.
    pub(super) fn ignored_form(
        &self,
        format: &dyn ProviderFormat,
        answer: &Answer,
        adapted: &AdaptationSet,
    ) -> Option<Adaptation> {
        match self {
            Exchange::Verdict(prompt) => format.ignored_form(answer, prompt, adapted),
            Exchange::Turn(..) => None,
        }
    }
}

/// `prompt`, with the rail in words at its end where it is adapted so.
fn instructed<'a>(prompt: &'a Prompt, adapted: &AdaptationSet) -> Cow<'a, Prompt> {
    if !adapted.contains(&Adaptation::InstructedRail) {
        return Cow::Borrowed(prompt);
    }
    let mut prompt = prompt.clone();
    prompt.text.push_str(&instruction(&prompt));
    Cow::Owned(prompt)
}

/// What was said in a dialogue, which an error may quote.
fn said(dialogue: &Dialogue) -> String {
    let mut said: Vec<&str> = dialogue.system.as_deref().into_iter().collect();
    for tool in dialogue.tools.iter() {
        said.extend([tool.name.as_str(), &tool.description]);
    }
    for entry in &dialogue.entries {
        match entry {
            Entry::User(text) | Entry::Assistant { text, .. } => said.push(text),
            Entry::Reply { message, .. } => said.push(message),
            Entry::Results(results) => said.extend(results.iter().map(|result| result.content.as_str())),
        }
    }
    said.join("\n")
}
