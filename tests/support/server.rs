//! A judge endpoint in this process: a closure decides each answer, and everything that arrived is kept.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::post;
use serde_json::{Value, json};

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub at: Instant,
    pub body: Value,
    pub authorization: Option<String>,
    /// How many requests with the same prompt had arrived before.
    pub earlier: usize,
    /// How many requests of any kind had arrived before.
    pub number: usize,
}

impl Seen {
    pub fn prompt(&self) -> &str {
        self.body["messages"][0]["content"].as_str().unwrap_or("")
    }

    pub fn wants_schema(&self) -> bool {
        self.body.get("response_format").is_some()
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A completion with this text.
    Text(String),
    /// A completion with this message and finish reason.
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
    pub url: String,
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
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::clone(&shared);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let app = Router::new().route("/v1/chat/completions", post(answer)).with_state(state);
                axum::serve(listener, app).await.unwrap();
            });
        });
        Server { url, shared }
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

async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: String) -> Response<Body> {
    let now = shared.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    shared.most_in_flight.fetch_max(now, Ordering::SeqCst);
    let _in_flight = InFlight(Arc::clone(&shared));
    let body: Value = serde_json::from_str(&body).unwrap();
    let mut seen = Seen {
        at: Instant::now(),
        authorization: headers.get("authorization").map(|value| value.to_str().unwrap().to_owned()),
        body,
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
    if matches!(answer, Answer::Text(_) | Answer::Message(..)) {
        *shared.answered.lock().unwrap().entry(seen.prompt().to_owned()).or_default() += 1;
    }
    respond(answer, &seen)
}

fn respond(answer: Answer, seen: &Seen) -> Response<Body> {
    let completion = |message: Value, finish: &str| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": seen.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": seen.prompt().len() / 4, "completion_tokens": 5},
        })
        .to_string()
    };
    let json = |body: String| {
        Response::builder().header("content-type", "application/json").body(Body::from(body)).unwrap()
    };
    match answer {
        Answer::Text(text) => json(completion(json!({"role": "assistant", "content": text}), "stop")),
        Answer::Message(message, finish) => json(completion(message, finish)),
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
