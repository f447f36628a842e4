//! A provider's format as pure functions: prompt to request, response to answer.

use std::collections::BTreeSet;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

use super::Adaptation;
use super::failure::Failure;
use crate::domain::{Prompt, Stop, Usage};

/// What a judge is asked to do beside answering. Absent ones are not sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parameters {
    pub temperature: Option<f64>,
    /// Upper limit of the answer, in tokens.
    pub max_tokens: Option<u32>,
}

impl Parameters {
    /// A canonical text, for fingerprints and manifests.
    pub fn to_json(self) -> String {
        let mut object = Map::new();
        if let Some(temperature) = self.temperature {
            object.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(max_tokens) = self.max_tokens {
            object.insert("max_tokens".to_owned(), json!(max_tokens));
        }
        Value::Object(object).to_string()
    }
}

/// A provider's request and response formats.
pub(super) trait Wire: Send + Sync {
    /// The path below the base URL.
    fn path(&self) -> &str;

    /// The body that asks `prompt`, adapted to what the endpoint takes.
    fn body(&self, prompt: &Prompt, adaptations: &BTreeSet<Adaptation>) -> String;

    /// Reads a response.
    fn answer(&self, response: &Response) -> Result<Answer, Failure>;
}

/// A response, whole.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// When it came, for hints that name a time of day.
    pub received: SystemTime,
}

/// What a model said, read out of its provider's format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub text: String,
    pub stop: Stop,
    pub usage: Usage,
    pub model: Option<String>,
}

/// The JSON schema of an answer: the explanation, if any, before the label, so that the label follows from it.
pub(super) fn answer_schema(prompt: &Prompt) -> Value {
    let labels: Vec<&str> = prompt.rails.labels().collect();
    let mut properties = Map::new();
    if prompt.explain {
        properties.insert("explanation".to_owned(), json!({"type": "string"}));
    }
    properties.insert("label".to_owned(), json!({"type": "string", "enum": labels}));
    let required: Vec<String> = properties.keys().cloned().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
