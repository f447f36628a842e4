//! A judge endpoint in this process: a closure decides each answer, and everything that arrived is kept.
//!
//! It speaks the formats of all providers, told apart by the path; one [`Answer`] is put into whichever was asked for.

mod answer;
mod delivery;
mod door;
mod formats;
mod line;
mod truth;
mod turns;

use std::collections::HashMap;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, Version};
use hyper::body::Incoming;
use serde_json::Value;

use super::child::DEADLINE;
pub use answer::{Answer, Gate, Manner};
pub use door::Protocol;
pub use formats::{Format, completion};
use line::{End, Fuse};
pub use truth::Early;
use truth::{InFlight, Truth};
pub use turns::{End as TurnEnd, Said};

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub at: Instant,
    pub version: Version,
    pub format: Format,
    /// Path and query.
    pub uri: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
    /// What is asked: the prompt, or all messages of a dialogue.
    asked: String,
    pub authorization: Option<String>,
    /// How many requests with the same prompt had arrived before.
    pub earlier: usize,
    /// How many requests of any kind had arrived before.
    pub number: usize,
    /// Whether it came during a wait that had been asked for.
    pub early: Option<Early>,
}

impl Seen {
    pub fn prompt(&self) -> &str {
        &self.asked
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

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

/// A running judge. It stops with the test process.
pub struct Server {
    /// The base URL of chat completions.
    pub url: String,
    /// The address without any path.
    pub origin: String,
    truth: Arc<Truth>,
    bytes: Arc<AtomicU64>,
    clients: door::Clients,
}

impl Server {
    pub fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Server {
        Server::speaking(Protocol::Http1, script)
    }

    pub fn speaking(protocol: Protocol, script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Server {
        let script: Arc<Script> = Arc::new(script);
        let (truth, bytes) = (Arc::new(Truth::default()), Arc::new(AtomicU64::new(0)));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let origin = match protocol.is_tls() {
            true => format!("https://localhost:{}", address.port()),
            false => format!("http://{address}"),
        };
        let clients = door::Clients::default();
        door::open(listener, protocol, Arc::clone(&bytes), Arc::clone(&clients), {
            let truth = Arc::clone(&truth);
            move |request, fuse| answer(Arc::clone(&script), Arc::clone(&truth), fuse, request)
        });
        Server { url: format!("{origin}/v1"), origin, truth, bytes, clients }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.truth.seen()
    }

    pub fn requests(&self) -> usize {
        self.truth.requests()
    }

    /// Waits until that many requests have arrived, but not for ever.
    #[track_caller]
    pub fn await_requests(&self, count: usize) {
        let ends = Instant::now() + DEADLINE;
        while self.requests() < count {
            assert!(Instant::now() < ends, "{} of {count} requests came", self.requests());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until all that clients which are gone have sent was read, so that no request of theirs arrives later.
    #[track_caller]
    pub fn settle(&self) {
        let ends = Instant::now() + DEADLINE;
        let wait_until = |what: &str, done: &dyn Fn() -> bool| {
            while !done() {
                assert!(Instant::now() < ends, "{what}: {:?}", self.clients.lock().unwrap());
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        // Connections are accepted in order: once this one is, so are all before it.
        let probe = TcpStream::connect(self.origin.split_once("://").unwrap().1).unwrap();
        let address = probe.local_addr().unwrap();
        wait_until("the server accepts nobody", &|| self.clients.lock().unwrap().contains(&address));
        drop(probe);
        wait_until("some clients are still there", &|| self.clients.lock().unwrap().is_empty());
    }

    /// How often each prompt was asked.
    pub fn asked(&self) -> HashMap<String, usize> {
        self.truth.asked()
    }

    /// How many completions each prompt got whole.
    pub fn completions(&self) -> HashMap<String, usize> {
        self.truth.completions()
    }

    /// Completions sent beyond the first for a prompt, over all prompts.
    pub fn answered_twice(&self) -> usize {
        self.completions().values().map(|count| count - 1).sum()
    }

    /// How often everybody was asked to wait.
    pub fn waits(&self) -> usize {
        self.truth.waits()
    }

    pub fn most_in_flight(&self) -> usize {
        self.truth.most_in_flight()
    }

    /// Bytes sent so far, whatever stands below HTTP included.
    pub fn bytes_sent(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }
}

async fn answer(
    script: Arc<Script>,
    truth: Arc<Truth>,
    fuse: Arc<Fuse>,
    request: Request<Incoming>,
) -> Response<Body> {
    let in_flight = InFlight::enter(&truth);
    let (parts, body) = request.into_parts();
    let Some(format) = Format::of(parts.uri.path()) else {
        return Response::builder().status(404).body(Body::from("Not Found")).unwrap();
    };
    // A client may leave in the middle of its request.
    let Ok(body) = to_bytes(Body::new(body), usize::MAX).await else {
        return Response::builder().status(400).body(Body::empty()).unwrap();
    };
    let body: Value = serde_json::from_slice(&body).unwrap();
    let headers: HashMap<String, String> = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    let mut seen = Seen {
        at: Instant::now(),
        version: parts.version,
        format,
        uri: parts.uri.path_and_query().unwrap().to_string(),
        authorization: headers.get("authorization").cloned(),
        headers,
        asked: turns::asked(format, &body),
        body,
        earlier: 0,
        number: 0,
        early: None,
    };
    truth.arrived(&mut seen);
    let (mut answer, mut manner, mut told) = (script(&seen), Manner::Whole, None);
    let whole = loop {
        answer = match answer {
            Answer::After(wait, then) => {
                tokio::time::sleep(wait).await;
                *then
            }
            Answer::Held(gate, then) => {
                while !gate.is_open() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                *then
            }
            Answer::Told(until, then) => {
                told = Some(until);
                *then
            }
            Answer::By(by, then) => {
                manner = by;
                *then
            }
            Answer::Cut => Answer::By(Manner::HalfThenClose, Box::new(Answer::label("correct"))),
            Answer::Reset => {
                fuse.blow(End::Reset);
                return std::future::pending().await;
            }
            Answer::Bytes(bytes) => {
                fuse.blow(End::Bytes(bytes));
                return std::future::pending().await;
            }
            Answer::Hang => return std::future::pending().await,
            said => break formats::whole(said, &seen),
        };
    };
    if let Some(until) = told {
        truth.told_to_wait(&seen, until, matches!(whole.status, 429 | 503 | 529));
    }
    let sent = {
        let is_completion = whole.is_completion;
        move || {
            if is_completion {
                truth.answered(&seen);
            }
        }
    };
    delivery::deliver(whole, manner, fuse, Box::new(sent), in_flight)
}
