//! A judge endpoint in this process: a closure decides each answer, and everything that arrived is kept.
//!
//! It speaks the formats of all providers, told apart by the path; one [`Answer`] is put into whichever was asked for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use serde_json::{Value, json};

/// The format of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Chat,
    Responses,
    Messages,
    GenerateContent,
    OllamaChat,
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub at: Instant,
    pub format: Format,
    /// Path and query.
    pub uri: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
    pub authorization: Option<String>,
    /// How many requests with the same prompt had arrived before.
    pub earlier: usize,
    /// How many requests of any kind had arrived before.
    pub number: usize,
}

impl Seen {
    pub fn prompt(&self) -> &str {
        let prompt = match self.format {
            Format::Chat | Format::Messages | Format::OllamaChat => &self.body["messages"][0]["content"],
            Format::Responses => &self.body["input"],
            Format::GenerateContent => &self.body["contents"][0]["parts"][0]["text"],
        };
        prompt.as_str().unwrap_or("")
    }

    /// Whether the rail is asked for by the provider's schema.
    pub fn wants_schema(&self) -> bool {
        match self.format {
            Format::Chat => self.body.get("response_format").is_some(),
            Format::Responses => self.body.get("text").is_some(),
            Format::Messages => self.body.get("output_config").is_some(),
            Format::GenerateContent => self.body["generationConfig"].get("responseSchema").is_some(),
            Format::OllamaChat => self.body.get("format").is_some(),
        }
    }

    pub fn has(&self, field: &str) -> bool {
        self.body.get(field).is_some()
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A completion with this text.
    Text(String),
    /// A completion whose label is the first of these rails, with the probability of each.
    Sure(Vec<(&'static str, f64)>),
    /// A chat completion with this message and finish reason.
    Message(Value, &'static str),
    /// Anything else.
    Raw { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// A body that breaks off.
    Cut,
    /// The answer, later.
    After(Duration, Box<Answer>),
}

impl Answer {
    pub fn label(label: &str) -> Answer {
        Answer::Text(json!({ "label": label }).to_string())
    }

    pub fn status(status: u16, message: &str) -> Answer {
        Answer::Raw { status, headers: Vec::new(), body: json!({"error": {"message": message}}).to_string() }
    }
}

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

struct Shared {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    prompts: Mutex<HashMap<String, usize>>,
    /// Completions sent, per prompt.
    answered: Mutex<HashMap<String, usize>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

/// A running judge. It stops with the test process.
pub struct Server {
    /// The base URL of chat completions.
    pub url: String,
    /// The address without any path.
    pub origin: String,
    shared: Arc<Shared>,
}

impl Server {
    pub fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Server {
        let shared = Arc::new(Shared {
            script: Box::new(script),
            seen: Mutex::default(),
            prompts: Mutex::default(),
            answered: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::clone(&shared);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let app = Router::new().fallback(answer).with_state(state);
                axum::serve(listener, app).await.unwrap();
            });
        });
        Server { url: format!("{origin}/v1"), origin, shared }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn requests(&self) -> usize {
        self.shared.seen.lock().unwrap().len()
    }

    /// How often each prompt was asked.
    pub fn asked(&self) -> HashMap<String, usize> {
        self.shared.prompts.lock().unwrap().clone()
    }

    /// Completions sent beyond the first for a prompt, over all prompts.
    pub fn answered_twice(&self) -> usize {
        self.shared.answered.lock().unwrap().values().map(|count| count - 1).sum()
    }

    pub fn most_in_flight(&self) -> usize {
        self.shared.most_in_flight.load(Ordering::SeqCst)
    }
}

/// Counts a request out again, whichever way it ends.
struct InFlight(Arc<Shared>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

fn format_of(path: &str) -> Option<Format> {
    if path.ends_with("/chat/completions") {
        Some(Format::Chat)
    } else if path.ends_with("/v1/responses") {
        Some(Format::Responses)
    } else if path.ends_with("/v1/messages") {
        Some(Format::Messages)
    } else if path.ends_with(":generateContent") {
        Some(Format::GenerateContent)
    } else if path.ends_with("/api/chat") {
        Some(Format::OllamaChat)
    } else {
        None
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response<Body> {
    let now = shared.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    shared.most_in_flight.fetch_max(now, Ordering::SeqCst);
    let _in_flight = InFlight(Arc::clone(&shared));
    let Some(format) = format_of(uri.path()) else {
        return Response::builder().status(404).body(Body::from("Not Found")).unwrap();
    };
    let headers: HashMap<String, String> =
        headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    let mut seen = Seen {
        at: Instant::now(),
        format,
        uri: uri.path_and_query().unwrap().to_string(),
        authorization: headers.get("authorization").cloned(),
        headers,
        body: serde_json::from_str(&body).unwrap(),
        earlier: 0,
        number: 0,
    };
    {
        let mut prompts = shared.prompts.lock().unwrap();
        let count = prompts.entry(seen.prompt().to_owned()).or_default();
        seen.earlier = *count;
        *count += 1;
        let mut all = shared.seen.lock().unwrap();
        seen.number = all.len();
        all.push(seen.clone());
    }
    let mut answer = (shared.script)(&seen);
    while let Answer::After(wait, then) = answer {
        tokio::time::sleep(wait).await;
        answer = *then;
    }
    if matches!(answer, Answer::Text(_) | Answer::Sure(_) | Answer::Message(..)) {
        *shared.answered.lock().unwrap().entry(seen.prompt().to_owned()).or_default() += 1;
    }
    respond(answer, &seen)
}

fn respond(answer: Answer, seen: &Seen) -> Response<Body> {
    let json = |body: Value| {
        let response = Response::builder().header("content-type", "application/json");
        response.body(Body::from(body.to_string())).unwrap()
    };
    match answer {
        Answer::Text(text) => json(completion(seen, &text, None)),
        Answer::Sure(rails) => {
            let text = json!({"label": rails[0].0}).to_string();
            json(completion(seen, &text, Some(&rails)))
        }
        Answer::Message(message, finish) => json(chat(seen, message, finish, None)),
        Answer::Raw { status, headers, body } => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(Body::from(body)).unwrap()
        }
        Answer::Cut => {
            let parts = [Ok("{\"choices\":[{"), Err(std::io::Error::other("cut"))];
            Response::new(Body::from_stream(futures_util::stream::iter(parts)))
        }
        Answer::After(..) => unreachable!("unwrapped before"),
    }
}

/// A label and how sure the model is of it, in the format that was asked for.
fn completion(seen: &Seen, text: &str, rails: Option<&[(&'static str, f64)]>) -> Value {
    let read = seen.prompt().len() / 4;
    let model = &seen.body["model"];
    let tokens = rails.map(|rails| tokens(rails, "logprob"));
    match seen.format {
        Format::Chat => chat(
            seen,
            json!({"role": "assistant", "content": text}),
            "stop",
            tokens.map(|tokens| json!({"content": tokens})),
        ),
        Format::Responses => json!({
            "status": "completed", "error": null, "model": model,
            "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [
                {"type": "output_text", "text": text, "logprobs": tokens},
            ]}],
            "usage": {"input_tokens": read, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 3}},
        }),
        Format::Messages => {
            let content = if seen.has("tool_choice") {
                json!({"type": "tool_use", "name": "verdict", "input": serde_json::from_str::<Value>(text).unwrap()})
            } else {
                json!({"type": "text", "text": text})
            };
            json!({
                "type": "message", "model": model, "content": [content], "stop_reason": "end_turn",
                "usage": {"input_tokens": read - 3, "cache_read_input_tokens": 3, "output_tokens": 5},
            })
        }
        Format::GenerateContent => {
            let chosen = rails
                .map(|rails| tokens_as(rails, |text, p| json!({"token": text, "logProbability": p.ln()})));
            json!({
                "candidates": [{
                    "content": {"parts": [{"text": text}]}, "finishReason": "STOP",
                    "logprobsResult": chosen.map(|chosen| json!({
                        "chosenCandidates": chosen.iter().map(|best| best[0].clone()).collect::<Vec<_>>(),
                        "topCandidates": chosen.iter().map(|best| json!({"candidates": best})).collect::<Vec<_>>(),
                    })),
                }],
                "modelVersion": "m",
                "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": 5, "cachedContentTokenCount": 3},
            })
        }
        Format::OllamaChat => json!({
            "model": model, "message": {"role": "assistant", "content": text}, "done": true, "done_reason": "stop",
            "prompt_eval_count": read, "eval_count": 5, "logprobs": tokens,
        }),
    }
}

fn chat(seen: &Seen, message: Value, finish: &str, logprobs: Option<Value>) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": seen.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}],
        "usage": {"prompt_tokens": seen.prompt().len() / 4, "completion_tokens": 5},
    })
}

/// The tokens of a JSON answer, each with its best alternatives, the chosen one first.
fn tokens_as(rails: &[(&'static str, f64)], entry: impl Fn(&str, f64) -> Value) -> Vec<Vec<Value>> {
    let label = rails.iter().map(|(label, p)| entry(label, *p)).collect();
    vec![vec![entry("{\"label\":\"", 1.0)], label, vec![entry("\"}", 1.0)]]
}

fn tokens(rails: &[(&'static str, f64)], name: &str) -> Value {
    let listed = tokens_as(rails, |text, p| json!({"token": text, name: p.ln()}));
    let token = |best: &Vec<Value>| {
        let mut token = best[0].clone();
        token["top_logprobs"] = json!(best);
        token
    };
    listed.iter().map(token).collect()
}
