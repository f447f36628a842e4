//! A judge that is a function in this process, such as a user's own model in Python: prompt in, text out.
//!
//! It has no address, key or wire format. Concurrency, the store and the reading of answers are as for other judges.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::adaptation::AdaptationSet;
use super::failure::{Failure, excerpt};
use super::provider_format::{Answer, Part, ProviderFormat, Response, broken};
use super::{Adaptation, Identity, Parameters};
use crate::domain::{Prompt, Stop, Usage};

/// The code of a question at which the function failed.
pub(super) const FAILED: &str = "function_failed";
/// Enough of what a function says about its failure.
const LONGEST_REASON: usize = 500;

/// A function that judges.
#[derive(Clone)]
pub struct Function {
    /// As columns and the store name it.
    pub name: String,
    /// Tells versions of it apart: the replies of one are never taken for those of another.
    pub version: String,
    /// Takes a question and returns at once; the question is answered later, on any thread.
    pub ask: Arc<dyn Fn(FunctionCall) + Send + Sync>,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Function { name, version, .. } = self;
        f.debug_struct("Function").field("name", name).field("version", version).finish_non_exhaustive()
    }
}

/// One question to a function. If it is dropped without an answer, it counts as not sent.
#[derive(Debug)]
pub struct FunctionCall {
    /// What the judge model is to read.
    pub prompt: String,
    answer: oneshot::Sender<Result<String, FunctionError>>,
}

impl FunctionCall {
    /// Answers the question.
    pub fn answer(self, answer: Result<String, FunctionError>) {
        // Nobody waits where the run has stopped.
        let _ = self.answer.send(answer);
    }
}

/// Why a function has no answer, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionError {
    /// To this question.
    Question(String),
    /// To any question: the run stops.
    Run(String),
}

impl Function {
    /// What its replies are kept under.
    pub fn identity(&self) -> Identity {
        Identity {
            endpoint: format!("function:{}", self.version),
            model: self.name.clone(),
            parameters: Parameters::default().to_json(),
            route: None,
        }
    }

    pub(super) async fn call(&self, body: &[u8]) -> Result<Response, Failure> {
        let failed = |message| Failure::Question { code: FAILED.to_owned(), message };
        let Question { prompt } = serde_json::from_slice(body).map_err(|error| failed(error.to_string()))?;
        let (answer, heard) = oneshot::channel();
        (self.ask)(FunctionCall { prompt, answer });
        match heard.await {
            Ok(Ok(text)) => Ok(Response {
                status: 200,
                headers: HeaderMap::new(),
                body: json!(Text { text }).to_string().into_bytes(),
                received: SystemTime::now(),
            }),
            Ok(Err(FunctionError::Question(why))) => Err(failed(excerpt(&why, LONGEST_REASON))),
            Ok(Err(FunctionError::Run(why))) => {
                Err(Failure::Run { code: FAILED, message: excerpt(&why, LONGEST_REASON) })
            }
            Err(_) => Err(Failure::Stopped),
        }
    }
}

/// The unchanged prompt, and the unchanged answer.
#[derive(Debug, Default)]
pub(super) struct Plain(Parameters);

#[derive(Deserialize)]
struct Question {
    prompt: String,
}

#[derive(Serialize, Deserialize)]
struct Text {
    text: String,
}

impl ProviderFormat for Plain {
    fn path(&self) -> &str {
        ""
    }

    fn parameters(&self) -> &Parameters {
        &self.0
    }

    fn forms(&self) -> &'static [Adaptation] {
        &[Adaptation::TextRail]
    }

    fn plain(&self) -> &'static [Adaptation] {
        &[Adaptation::TextRail]
    }

    fn body(&self, prompt: &Prompt, _: &AdaptationSet) -> Value {
        json!({ "prompt": prompt.text })
    }

    fn parts(&self, _: &AdaptationSet) -> Vec<Part> {
        Vec::new()
    }

    fn read(&self, _: &Prompt, _: &AdaptationSet, body: &str) -> Result<Answer, Failure> {
        let Text { text } = serde_json::from_str(body).map_err(|error| broken(&error.to_string(), body))?;
        Ok(Answer {
            text,
            stop: Stop::Finished,
            usage: Usage::default(),
            model: None,
            probabilities: Vec::new(),
        })
    }
}
