//! The formats that providers speak, one file each.

pub(super) mod anthropic;
pub(super) mod azure;
pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod llamacpp;
pub(super) mod ollama;
pub(super) mod responses;
pub(super) mod vllm;

#[cfg(test)]
mod cassettes;
#[cfg(test)]
mod tests;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use super::adaptation::Adapted;
use super::logprobs::{Token, rail_probabilities};
use super::wire::Part;
use super::{Adaptation, Parameters};
use crate::domain::{Prompt, RailProbability};

/// Beside the provider's own form of rail, words.
const OWN_OR_WORDS: &[Adaptation] = &[Adaptation::TextRail];

/// The plainest request, where probabilities are asked for.
const PLAIN: &[Adaptation] = &[Adaptation::TextRail, Adaptation::WithoutLogprobs];

const TEMPERATURE: Part = Part { names: &["temperature"], instead: Adaptation::WithoutTemperature };
const LOGPROBS: Part =
    Part { names: &["logprobs", "top_logprobs", "logprob", "include"], instead: Adaptation::WithoutLogprobs };

/// What could not be read as extra information is no information; the answer stands without it.
fn lenient<T: DeserializeOwned + Default>(value: Option<Value>) -> T {
    value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// The same for one field of a response.
fn extra<'de, D, T>(field: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(serde_json::from_value(Value::deserialize(field)?).ok())
}

/// More tokens than any model reads or writes at once.
const MOST_TOKENS: f64 = 1e12;

/// A count of tokens as a server states it. What cannot be one is none: a paid answer is not thrown away for what is said
/// of its size.
fn tokens(count: &Value) -> Option<u64> {
    let count = count.as_f64().filter(|count| (0.0..=MOST_TOKENS).contains(count) && count.fract() == 0.0)?;
    Some(count as u64)
}

/// The rails' probabilities by a list of tokens as OpenAI and those after it send it.
fn probabilities(tokens: Option<Value>, prompt: &Prompt) -> Vec<RailProbability> {
    match tokens {
        None => Vec::new(),
        tokens => rail_probabilities(&lenient::<Vec<Token>>(tokens), &prompt.rails),
    }
}

/// The temperature that the request names, if it names one.
fn temperature(parameters: &Parameters, adapted: &Adapted) -> Option<f64> {
    parameters.temperature.filter(|_| !adapted.contains(&Adaptation::WithoutTemperature))
}

/// Whether the request asks for probabilities.
fn asks_probabilities(adapted: &Adapted) -> bool {
    !adapted.contains(&Adaptation::WithoutLogprobs)
}
