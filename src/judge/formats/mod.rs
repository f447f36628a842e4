//! The formats of the providers' APIs, one file each.

pub(super) mod anthropic;
pub(super) mod azure;
pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod llamacpp;
pub(super) mod ollama;
pub(super) mod responses;
mod turns;
pub(super) mod vllm;

#[cfg(test)]
mod cassettes;
#[cfg(test)]
mod tests;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use super::adaptation::{AdaptationSet, is_forced};
use super::logprobs::{Token, rail_probabilities};
use super::provider_format::Part;
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

/// More tokens than this take part in no exchange, whatever its provider counts.
const MAX_TOKEN_COUNT: u64 = 1_000_000_000;

/// The same for one field of a response.
fn extra<'de, D, T>(field: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(serde_json::from_value(Value::deserialize(field)?).ok())
}

/// A number of tokens; where there is something else, they were not counted.
fn count<'de, D: Deserializer<'de>>(field: D) -> Result<Option<u64>, D::Error> {
    Value::deserialize(field).map(|value| token_count(&value))
}

fn token_count(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else { return None };
    // Some gateways know floating-point numbers only.
    let whole = number.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    number.as_u64().or(whole.map(|whole| whole as u64)).filter(|count| *count <= MAX_TOKEN_COUNT)
}

/// The rails' probabilities by a list of tokens as OpenAI and those after it send it.
fn probabilities(tokens: Option<Value>, prompt: &Prompt, adapted: &AdaptationSet) -> Vec<RailProbability> {
    match tokens {
        None => Vec::new(),
        tokens => rail_probabilities(&lenient::<Vec<Token>>(tokens), &prompt.rails, is_forced(adapted)),
    }
}

/// The temperature that the request names, if it names one.
fn temperature(parameters: &Parameters, adapted: &AdaptationSet) -> Option<f64> {
    parameters.temperature.filter(|_| !adapted.contains(&Adaptation::WithoutTemperature))
}

/// Whether the request asks for probabilities.
fn asks_probabilities(adapted: &AdaptationSet) -> bool {
    !adapted.contains(&Adaptation::WithoutLogprobs)
}
