//! A judge endpoint in this process that enforces limits by the rules of `enforcer.rs`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::routing::post;

use super::enforcer::{Enforcer, EnforcerDecision, Headers, Rules, Truth};

/// What an answer counts beside the prompt's four bytes a token.
const ANSWER_TOKENS: usize = 5;

#[derive(Debug)]
struct Shared {
    began: Instant,
    enforcer: Mutex<Enforcer>,
}

/// A running server. It stops with the process.
pub struct LimitedServer {
    pub url: String,
    shared: Arc<Shared>,
}

impl LimitedServer {
    /// Its time begins now.
    pub fn start(rules: Rules) -> LimitedServer {
        let shared = Arc::new(Shared { began: Instant::now(), enforcer: Mutex::new(Enforcer::new(rules)) });
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
        LimitedServer { url, shared }
    }

    pub fn truth(&self) -> Truth {
        self.shared.enforcer.lock().unwrap_or_else(PoisonError::into_inner).truth().clone()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, body: String) -> Response<Body> {
    let prompt = body.len() / 4;
    let ruling = {
        let mut enforcer = shared.enforcer.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, for arrivals come in the order of time.
        enforcer.arrive(shared.began.elapsed(), (prompt + ANSWER_TOKENS) as f64)
    };
    match ruling {
        EnforcerDecision::Taken { after, headers } => {
            tokio::time::sleep(after).await;
            let reply = format!(
                r#"{{"model":"m","choices":[{{"message":{{"content":"{{\"label\":\"correct\"}}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":{prompt},"completion_tokens":{ANSWER_TOKENS}}}}}"#
            );
            response(200, headers, reply)
        }
        EnforcerDecision::Refused { status, headers } => {
            response(status, headers, r#"{"error":{"message":"slow down"}}"#.to_owned())
        }
        // A connection that the handler leaves is closed without an answer.
        EnforcerDecision::Cut => panic!("cut on purpose"),
    }
}

fn response(status: u16, headers: Headers, body: String) -> Response<Body> {
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).unwrap()
}
