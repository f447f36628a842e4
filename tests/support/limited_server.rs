//! A judge endpoint in this process that enforces a limit per minute, and keeps account of what arrived.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::routing::post;

/// What the server gives, and what it says about that.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// Requests per minute; none are refused where there is none.
    pub rpm: Option<f64>,
    /// How many seconds' worth can be saved up.
    pub saved_up: f64,
    /// From a request's arrival to its answer.
    pub latency: Duration,
    /// Whether answers tell the limit in their headers, as OpenAI's do.
    pub headers: bool,
    /// Whether refusals tell how long to wait.
    pub retry_after: bool,
}

impl Limit {
    pub fn per_minute(rpm: f64) -> Limit {
        let latency = Duration::from_millis(20);
        Limit { rpm: Some(rpm), saved_up: 1.0, latency, headers: false, retry_after: false }
    }
}

/// A request that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub at: Instant,
    pub taken: bool,
    /// Whether a wait that was asked for was still on; requests on their way when it was asked for are no offence.
    pub early: bool,
}

#[derive(Debug)]
struct Shared {
    limit: Limit,
    account: Mutex<Account>,
}

#[derive(Debug)]
struct Account {
    level: f64,
    at: Instant,
    /// The last wait asked for: from when until when.
    wait: Option<(Instant, Instant)>,
    arrivals: Vec<Arrival>,
}

/// A running server. It stops with the process.
pub struct LimitedServer {
    pub url: String,
    shared: Arc<Shared>,
}

impl LimitedServer {
    pub fn start(limit: Limit) -> LimitedServer {
        let level = limit.rpm.map_or(0.0, |rpm| (rpm / 60.0 * limit.saved_up).max(1.0));
        let account = Account { level, at: Instant::now(), wait: None, arrivals: Vec::new() };
        let shared = Arc::new(Shared { limit, account: Mutex::new(account) });
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

    pub fn arrivals(&self) -> Vec<Arrival> {
        self.shared.account.lock().unwrap().arrivals.clone()
    }
}

/// The most requests in `arrivals` beyond what `rpm` allows, over all stretches of time.
pub fn most_beyond(arrivals: &[Arrival], rpm: f64) -> f64 {
    // A bucket that may go into debt: the deepest debt is the answer.
    let (mut debt, mut deepest) = (0.0_f64, 0.0_f64);
    let mut last: Option<Instant> = None;
    for arrival in arrivals {
        let since = last.map_or(0.0, |last| (arrival.at - last).as_secs_f64());
        debt = (debt - since * rpm / 60.0).max(0.0) + 1.0;
        deepest = deepest.max(debt);
        last = Some(arrival.at);
    }
    deepest
}

async fn answer(State(shared): State<Arc<Shared>>, _body: String) -> Response<Body> {
    const REPLY: &str = r#"{"model":"m","choices":[{"message":{"content":"{\"label\":\"correct\"}"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":1200,"completion_tokens":5}}"#;
    /// What may be on its way when a wait is asked for.
    const ON_ITS_WAY: Duration = Duration::from_millis(100);

    let limit = shared.limit;
    let mut response = Response::builder().header("content-type", "application/json");
    let taken = {
        let mut account = shared.account.lock().unwrap();
        let now = Instant::now();
        let mut taken = true;
        if let Some(rpm) = limit.rpm {
            let (rate, since) = (rpm / 60.0, (now - account.at).as_secs_f64());
            account.level = (account.level + rate * since).min((rate * limit.saved_up).max(1.0));
            account.at = now;
            taken = account.level >= 1.0;
            if taken {
                account.level -= 1.0;
            } else if limit.retry_after {
                let wait = ((1.0 - account.level) / rate * 1000.0).ceil();
                account.wait = Some((now, now + Duration::from_secs_f64(wait / 1000.0)));
                response = response.header("retry-after-ms", wait.to_string());
            }
            if limit.headers {
                // As if a minute's worth could be saved up, of which the rest was used by somebody else.
                let used = (rate * limit.saved_up).max(1.0) - account.level;
                response = response
                    .header("x-ratelimit-limit-requests", rpm.to_string())
                    .header("x-ratelimit-remaining-requests", (rpm - used).floor().to_string())
                    .header("x-ratelimit-reset-requests", format!("{}ms", (used / rate * 1000.0).ceil()));
            }
        }
        let early = account.wait.is_some_and(|(from, to)| (from + ON_ITS_WAY..to).contains(&now));
        account.arrivals.push(Arrival { at: now, taken, early });
        taken
    };
    if taken {
        tokio::time::sleep(limit.latency).await;
        response.body(Body::from(REPLY)).unwrap()
    } else {
        response.status(429).body(Body::from(r#"{"error":{"message":"slow down"}}"#)).unwrap()
    }
}
