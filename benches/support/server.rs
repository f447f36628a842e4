//! A judge, or an agent where tools are on offer, that answers at once, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;

const REPLY: &str = r#"{"model":"m","choices":[{"message":{"content":"{\"label\":\"correct\"}"},
    "finish_reason":"stop"}],"usage":{"prompt_tokens":1200,"completion_tokens":5}}"#;

/// Replies of an agent in an episode: all but the last call a tool.
pub const TURNS: usize = 5;

/// What an agent replies to a dialogue: where it stands is told by its own replies in it.
fn turn(body: &[u8]) -> String {
    let before = memchr::memmem::find_iter(body, br#""role":"assistant""#).count();
    let message = match before + 1 < TURNS {
        true => format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{before}","type":"function","function":{{"name":"say","arguments":"{{\"n\":{before}}}"}}}}]}}"#
        ),
        false => r#"{"role":"assistant","content":"All is said."}"#.to_owned(),
    };
    format!(
        r#"{{"model":"m","choices":[{{"message":{message},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":1200,"completion_tokens":5}}}}"#
    )
}

/// A running judge.
pub struct Server {
    /// Its base URL.
    pub url: String,
    asked: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
}

impl Server {
    /// Questions so far.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Bytes of all their bodies.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Starts a judge. A request whose body has fewer than `least` bytes gets no answer: the bench asks something else than it
/// should.
pub fn serve(least: usize) -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicU64::new(0));
    let bytes = Arc::new(AtomicU64::new(0));
    let (counted, weighed) = (Arc::clone(&asked), Arc::clone(&bytes));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let answer = move |body: Bytes| async move {
                assert!(body.len() >= least, "a request of {} bytes", body.len());
                counted.fetch_add(1, Ordering::Relaxed);
                weighed.fetch_add(body.len() as u64, Ordering::Relaxed);
                // Within a text its quotes would be escaped.
                match memchr::memmem::find(&body, br#""tools":["#) {
                    Some(_) => turn(&body),
                    None => REPLY.to_owned(),
                }
            };
            let judge = Router::new().route("/v1/chat/completions", post(answer));
            axum::serve(listener, judge.layer(DefaultBodyLimit::disable())).await.unwrap();
        });
    });
    Server { url, asked, bytes }
}
