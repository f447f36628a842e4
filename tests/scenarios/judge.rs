//! The server that a scenario describes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::file::{Enforced, MannerName, Nothing, ProviderFormat, Row, Said, Scenario, StopReason};
use crate::support::enforcer::{Enforcer, EnforcerDecision, Headers, Rules, Window};
use crate::support::server::{Answer, Manner, Seen, Server, completion};

/// A judge that does what the file says, until it is healed.
pub struct Judge {
    pub server: Server,
    healthy: Arc<AtomicBool>,
    limits: Option<Arc<Limits>>,
}

/// Limits that are enforced, and the clock they go by.
struct Limits {
    enforcer: Mutex<Enforcer>,
    began: Instant,
}

impl Limits {
    fn new(limits: &Enforced) -> Limits {
        let window = match limits.stretch {
            Some(seconds) => Window::Fixed { seconds, over: 0.0 },
            None => Window::Bucket { saves: limits.saves.unwrap_or(1.0) },
        };
        let (rpm, tpm, hints) = (limits.rpm, limits.tpm, limits.hints.hints());
        // First, so that no date is told too late by the enforcer's own clock.
        let began = Instant::now();
        let rules =
            Rules { rpm, tpm, window, hints, on_its_way: Duration::ZERO, ..Rules::open(Duration::ZERO) };
        Limits { enforcer: Mutex::new(Enforcer::new(rules)), began }
    }

    /// Counts tokens as the formats of the test server do.
    fn rule(&self, seen: &Seen) -> EnforcerDecision {
        let mut enforcer = self.enforcer.lock().unwrap();
        enforcer.arrive(self.began.elapsed(), (seen.prompt().len() / 4 + 5) as f64)
    }
}

/// The answer of a judge that is well.
pub const WELL: &str = "correct";

impl Judge {
    pub fn start(scenario: &Arc<Scenario>, format: ProviderFormat) -> Judge {
        let healthy = Arc::new(AtomicBool::new(false));
        let limits = scenario.server.limits.as_ref().map(|limits| Arc::new(Limits::new(limits)));
        let server = Server::speaking(scenario.server.protocol.protocol(), {
            let (scenario, healthy, limits) = (Arc::clone(scenario), Arc::clone(&healthy), limits.clone());
            move |seen| {
                if healthy.load(Ordering::SeqCst) {
                    return Answer::label(WELL);
                }
                let allowed = match limits.as_ref().map(|limits| limits.rule(seen)) {
                    Some(EnforcerDecision::Taken { headers, .. }) => headers,
                    Some(EnforcerDecision::Refused { status, headers }) => {
                        return Answer::Raw {
                            status,
                            headers,
                            body: error(None, "slow down", format).to_string(),
                        };
                    }
                    Some(EnforcerDecision::Cut) | None => Vec::new(),
                };
                if let Some(breaks) = &scenario.server.breaks
                    && seen.number >= breaks.after
                {
                    return answer(&breaks.answer, allowed, format, seen);
                }
                let row = row_of(&scenario.rows, number_in(seen.prompt()));
                let said = row.answers.get(seen.earlier).or(row.answers.last()).unwrap();
                answer(said, allowed, format, seen)
            }
        });
        Judge { server, healthy, limits }
    }

    /// Requests that came while an enforced limit asked to wait, and how often one did.
    pub fn early(&self) -> (usize, usize) {
        self.limits.as_ref().map_or((0, 0), |limits| {
            let enforcer = limits.enforcer.lock().unwrap();
            (enforcer.truth().early(), enforcer.truth().refused())
        })
    }

    /// From now on everything is answered at once.
    pub fn heal(&self) {
        self.healthy.store(true, Ordering::SeqCst);
    }
}

/// The text of question `number`.
pub fn question(rows: &[Row], number: usize) -> String {
    format!("Say {number} please {}", row_of(rows, number).question)
}

/// The number of the question in a prompt.
pub fn number_in(prompt: &str) -> usize {
    let (_, after) = prompt.split_once("Say ").unwrap();
    after.split(' ').next().unwrap().parse().unwrap()
}

/// The row of the file that question `number` belongs to.
fn row_of(rows: &[Row], number: usize) -> &Row {
    let mut first = 0;
    rows.iter()
        .find(|row| {
            first += row.times;
            number < first
        })
        .unwrap()
}

/// What `said` says, with these headers beside its own.
fn answer(said: &Said, beside: Headers, format: ProviderFormat, seen: &Seen) -> Answer {
    // Before the clock that is told is read, so that nobody can be early who waits for that.
    let asked_at = Instant::now();
    let now = SystemTime::now();
    let dated = said.headers.values().chain(&said.message).any(|text| text.contains("{date}"));
    let wait = said.wait_ms.map(|ms| {
        let wait = Duration::from_millis(ms);
        if dated { up_to_whole_second(now + wait).duration_since(now).unwrap() } else { wait }
    });
    let over = jiff::Timestamp::try_from(now + wait.unwrap_or_default()).unwrap();
    let filled = |text: &str| {
        text.replace("{date}", &over.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
            .replace("{time}", &over.to_string())
    };

    let mut answer = content(said, beside, format, seen, filled);
    if let Some(manner) = said.manner {
        answer = Answer::By(manner_of(manner), Box::new(answer));
    }
    if let Some(wait) = wait {
        answer = Answer::Told(asked_at + wait, Box::new(answer));
    }
    if let Some(ms) = said.after_ms {
        answer = Answer::After(Duration::from_millis(ms), Box::new(answer));
    }
    answer
}

/// What is said, before anything is done to its delivery.
fn content(
    said: &Said,
    beside: Headers,
    format: ProviderFormat,
    seen: &Seen,
    filled: impl Fn(&str) -> String,
) -> Answer {
    match said.nothing {
        Some(Nothing::Reset) => return Answer::Reset,
        Some(Nothing::Hang) => return Answer::Hang,
        None => {}
    }
    if let Some(bytes) = &said.bytes {
        return Answer::Bytes(bytes.replace('\n', "\r\n").into_bytes());
    }
    // Names of headers live as long as the tests.
    let mut headers = beside;
    for (name, value) in &said.headers {
        headers.push((name.clone().leak(), filled(value)));
    }
    let text = said.label.as_ref().map(|label| json!({ "label": label }).to_string());
    if let Some(text) = text.or_else(|| said.text.clone()) {
        let body = stopped(completion(seen, &text, None), said.stop, format);
        return Answer::Completion { headers, body };
    }
    if let Some(body) = &said.completion {
        let body = serde_json::from_str(body.of(format)).unwrap();
        return Answer::Completion { headers, body };
    }
    let code = said.code.as_ref().map(|code| code.of(format));
    let message = filled(said.message.as_deref().unwrap_or_default());
    let body = match &said.body {
        Some(body) => body.of(format).repeat(said.repeat.unwrap_or(1)),
        None => error(code, &message, format).to_string(),
    };
    if !said.headers.contains_key("content-type") {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Answer::Raw { status: said.status.unwrap_or(200), headers, body }
}

/// An error in its usual form.
fn error(code: Option<&str>, message: &str, format: ProviderFormat) -> Value {
    match format {
        ProviderFormat::OpenAi => {
            json!({"error": {"message": message, "type": code, "param": null, "code": code}})
        }
        ProviderFormat::Anthropic => json!({"type": "error", "error": {"type": code, "message": message}}),
    }
}

fn stopped(mut completion: Value, reason: Option<StopReason>, format: ProviderFormat) -> Value {
    let Some(reason) = reason else { return completion };
    match (format, reason) {
        (ProviderFormat::OpenAi, StopReason::Length) => {
            completion["choices"][0]["finish_reason"] = json!("length")
        }
        (ProviderFormat::OpenAi, StopReason::Filter) => {
            completion["choices"][0]["finish_reason"] = json!("content_filter");
        }
        (ProviderFormat::OpenAi, StopReason::Refusal) => {
            let message = &mut completion["choices"][0]["message"];
            message["refusal"] = message["content"].take();
        }
        (ProviderFormat::Anthropic, StopReason::Length) => completion["stop_reason"] = json!("max_tokens"),
        (ProviderFormat::Anthropic, _) => completion["stop_reason"] = json!("refusal"),
    }
    completion
}

fn manner_of(name: MannerName) -> Manner {
    match name {
        MannerName::Gzip => Manner::Gzip,
        MannerName::Drip => Manner::Drip(Duration::from_millis(1)),
        MannerName::SlowDrip => Manner::Drip(Duration::from_millis(200)),
        MannerName::HalfThenReset => Manner::HalfThenReset,
        MannerName::HalfThenClose => Manner::HalfThenClose,
        MannerName::HalfOfItsLength => Manner::HalfOfItsLength,
        MannerName::HalfThenHang => Manner::HalfThenHang,
        MannerName::Endless => Manner::Endless,
    }
}

fn up_to_whole_second(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs() + u64::from(since.subsec_nanos() > 0))
}
