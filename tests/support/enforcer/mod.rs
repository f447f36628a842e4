//! A server that enforces limits, without network or clock: it rules on each arrival and keeps the truth about all of them.
//!
//! The same rules stand behind a real socket (`limited_server.rs`) and behind the limiter's simulation on a virtual clock.
//! Time is what has gone by since the server began.

#![allow(dead_code, reason = "each of its users needs another part")]

mod counter;
mod truth;
mod words;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, SystemTime};

use counter::Counter;
pub use counter::Window;
pub use truth::{Arrival, Truth};
use words::{REQUESTS, TOKENS, http_date, openai_duration, rfc3339, whole_seconds};

/// What the server gives, how fast, and what it says about that.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Requests per minute.
    pub rpm: Option<f64>,
    /// Tokens per minute, prompts and answers together, counted when a request arrives.
    pub tpm: Option<f64>,
    /// How both are counted.
    pub window: Window,
    pub hints: Hints,
    /// From arrival to answer, where nothing crowds.
    pub latency: Duration,
    /// How much that varies, as a share of it: 0.5 is half to one and a half of `latency`.
    pub spread: f64,
    /// Requests served at once, and what becomes of further ones.
    pub crowd: Option<(usize, Beyond)>,
    pub outage: Option<Outage>,
    /// How old the news may be that a client acts on: what arrives within this of a wait's announcement was on its way.
    pub on_its_way: Duration,
    /// The time of day when the server began.
    pub epoch: SystemTime,
}

impl Rules {
    /// No limits, no hints, answers after `latency`.
    pub fn open(latency: Duration) -> Rules {
        Rules {
            rpm: None,
            tpm: None,
            window: Window::Bucket { saves: 1.0 },
            hints: Hints::Silent,
            latency,
            spread: 0.0,
            crowd: None,
            outage: None,
            on_its_way: Duration::from_millis(100),
            epoch: SystemTime::now(),
        }
    }
}

/// What responses say about limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// Nothing: a refusal is a bare 429.
    Silent,
    /// Refusals: `retry-after`, in whole seconds rounded up.
    RetryAfter,
    /// Refusals: `retry-after-ms`.
    RetryAfterMs,
    /// Refusals: `retry-after`, as an HTTP date.
    Date,
    /// All: `x-ratelimit-*`, resets as `1m30s` or `12ms`.
    OpenAi,
    /// All: `anthropic-ratelimit-*`, resets as times of day. Refusals: `retry-after` too.
    Anthropic,
}

impl Hints {
    pub const ALL: [Hints; 6] =
        [Hints::Silent, Hints::RetryAfter, Hints::RetryAfterMs, Hints::Date, Hints::OpenAi, Hints::Anthropic];

    /// Whether every response states the limit.
    pub fn tell(self) -> bool {
        matches!(self, Hints::OpenAi | Hints::Anthropic)
    }
}

/// What becomes of requests beyond the number that is served at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beyond {
    /// All in flight take (in flight ÷ number)^power times as long: 1 is a throughput that stays, 2 one that is halved at
    /// twice the number.
    Slows { power: f64 },
    /// Refused with this status.
    Refused { status: u16 },
}

/// A time in which nothing is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outage {
    pub from: Duration,
    pub to: Duration,
    /// Answered with this status; without one, connections are cut.
    pub status: Option<u16>,
}

pub type Headers = Vec<(&'static str, String)>;

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum EnforcerDecision {
    /// Answered after so long.
    Taken { after: Duration, headers: Headers },
    /// Refused at once.
    Refused { status: u16, headers: Headers },
    /// The connection is cut at once.
    Cut,
}

/// The server.
#[derive(Debug)]
pub struct Enforcer {
    rules: Rules,
    requests: Option<Counter>,
    tokens: Option<Counter>,
    /// When those in flight are answered.
    busy: BinaryHeap<Reverse<Duration>>,
    /// Waits asked for: from when, until when.
    waits: Vec<(Duration, Duration)>,
    random: fastrand::Rng,
    truth: Truth,
}

impl Enforcer {
    pub fn new(rules: Rules) -> Enforcer {
        let counter = |limit: Option<f64>| limit.map(|limit| Counter::new(limit / 60.0, rules.window));
        Enforcer {
            requests: counter(rules.rpm),
            tokens: counter(rules.tpm),
            busy: BinaryHeap::new(),
            waits: Vec::new(),
            random: fastrand::Rng::with_seed(7),
            truth: Truth::default(),
            rules,
        }
    }

    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Rules on a request of so many tokens. Arrivals come in the order of time.
    pub fn arrive(&mut self, at: Duration, tokens: f64) -> EnforcerDecision {
        self.waits.retain(|(_, until)| *until > at);
        let early = self.waits.iter().any(|(from, _)| *from + self.rules.on_its_way <= at);
        let ruling = self.rule(at, tokens);
        let taken = matches!(ruling, EnforcerDecision::Taken { .. });
        self.truth.arrivals.push(Arrival { at, tokens, taken, early });
        ruling
    }

    /// How long a request of so many tokens would have to wait for the limits, if it does.
    pub fn wait(&mut self, at: Duration, tokens: f64) -> Option<Duration> {
        let amounts = [(&mut self.requests, 1.0), (&mut self.tokens, tokens)];
        let mut wait = None;
        for (counter, amount) in amounts {
            let Some(counter) = counter else { continue };
            counter.bring_to(at);
            wait = wait.max(counter.wait(at, amount));
        }
        wait
    }

    fn rule(&mut self, at: Duration, tokens: f64) -> EnforcerDecision {
        if let Some(outage) = self.rules.outage.filter(|outage| (outage.from..outage.to).contains(&at)) {
            return match outage.status {
                Some(status) => EnforcerDecision::Refused { status, headers: Vec::new() },
                None => EnforcerDecision::Cut,
            };
        }
        if let Some(wait) = self.wait(at, tokens) {
            let headers = self.refusal(at, wait);
            return EnforcerDecision::Refused { status: 429, headers };
        }
        while self.busy.peek().is_some_and(|Reverse(answered)| *answered <= at) {
            self.busy.pop();
        }
        let mut slower = 1.0;
        if let Some((served, beyond)) = self.rules.crowd
            && self.busy.len() >= served
        {
            match beyond {
                Beyond::Refused { status } => {
                    return EnforcerDecision::Refused { status, headers: Vec::new() };
                }
                Beyond::Slows { power } => {
                    slower = ((self.busy.len() + 1) as f64 / served as f64).powf(power);
                }
            }
        }
        for (counter, amount) in [(&mut self.requests, 1.0), (&mut self.tokens, tokens)] {
            if let Some(counter) = counter {
                counter.take(at, amount);
            }
        }
        let varied = 1.0 + self.rules.spread * (2.0 * self.random.f64() - 1.0);
        let after = self.rules.latency.mul_f64(slower * varied);
        self.busy.push(Reverse(at + after));
        self.truth.most_in_flight = self.truth.most_in_flight.max(self.busy.len());
        EnforcerDecision::Taken { after, headers: self.statement(at) }
    }

    /// The headers of a refusal; a wait that they ask for is remembered.
    fn refusal(&mut self, at: Duration, wait: Duration) -> Headers {
        let mut headers = self.statement(at);
        let asked = match self.rules.hints {
            Hints::Silent | Hints::OpenAi => return headers,
            Hints::RetryAfterMs => Duration::from_millis(wait.as_nanos().div_ceil(1_000_000) as u64),
            Hints::RetryAfter | Hints::Anthropic => whole_seconds(wait),
            Hints::Date => whole_seconds(self.of_day(at + wait)) - self.of_day(at),
        };
        headers.push(match self.rules.hints {
            Hints::RetryAfterMs => ("retry-after-ms", asked.as_millis().to_string()),
            Hints::Date => ("retry-after", http_date(self.rules.epoch + at + asked)),
            _ => ("retry-after", asked.as_secs().to_string()),
        });
        self.waits.push((at, at + asked));
        headers
    }

    /// What every response says.
    fn statement(&self, at: Duration) -> Headers {
        let mut headers = Vec::new();
        for (counter, names) in [(&self.requests, REQUESTS), (&self.tokens, TOKENS)] {
            let Some(counter) = counter else { continue };
            let (limit, remaining, reset) = counter.claim(at);
            let (names, reset) = match self.rules.hints {
                Hints::OpenAi => (names[0], openai_duration(reset)),
                Hints::Anthropic => (names[1], rfc3339(self.rules.epoch + at + reset)),
                _ => continue,
            };
            let values = [limit.to_string(), remaining.to_string(), reset];
            headers.extend(names.into_iter().zip(values));
        }
        headers
    }

    /// The time of day at `at`, counted from 1970.
    fn of_day(&self, at: Duration) -> Duration {
        self.rules.epoch.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default() + at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(rpm: f64, window: Window, hints: Hints) -> Enforcer {
        let rules = Rules { rpm: Some(rpm), window, hints, ..Rules::open(Duration::from_millis(50)) };
        // 784111777 is the moment that RFC 9110 uses as its example.
        let epoch = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        Enforcer::new(Rules { epoch, ..rules })
    }

    fn taken(enforcer: &mut Enforcer, at: f64) -> bool {
        matches!(enforcer.arrive(Duration::from_secs_f64(at), 1.0), EnforcerDecision::Taken { .. })
    }

    #[test]
    fn each_window_gives_what_it_says() {
        // When requests come that are taken, and when ones that are not, at 60 a minute.
        type Case<'a> = (Window, &'a [f64], &'a [f64]);
        let cases: [Case; 3] = [
            (Window::Bucket { saves: 2.0 }, &[0.0, 0.0, 1.0, 2.0, 9.0, 9.0], &[0.5, 1.5, 9.5]),
            (
                Window::Fixed { seconds: 3.0, over: 1.0 },
                &[0.0, 1.0, 1.9, 2.0, 2.0, 2.0, 5.0],
                &[1.95, 2.1, 4.9],
            ),
            (Window::Sliding { seconds: 2.0 }, &[0.0, 0.5, 2.0, 2.5, 4.0], &[1.0, 1.9, 2.2, 3.9]),
        ];
        for (window, taking, refusing) in cases {
            let mut enforcer = limited(60.0, window, Hints::Silent);
            let all = taking.iter().map(|at| (at, true)).chain(refusing.iter().map(|at| (at, false)));
            let mut all: Vec<_> = all.collect();
            all.sort_by(|a, b| a.0.total_cmp(b.0));
            for (at, expected) in all {
                assert_eq!(taken(&mut enforcer, *at), expected, "{window:?} at {at}");
            }
        }
    }

    #[test]
    fn each_style_says_it_in_its_own_words() {
        let window = Window::Fixed { seconds: 120.0, over: 29.5 };
        let headers = |hints| {
            let mut enforcer = limited(0.5, window, hints);
            assert!(taken(&mut enforcer, 0.25));
            match enforcer.arrive(Duration::from_secs_f64(0.75), 1.0) {
                EnforcerDecision::Refused { status: 429, headers } => headers,
                other => panic!("{other:?}"),
            }
        };
        let last = |hints| headers(hints).pop();
        assert_eq!(last(Hints::Silent), None);
        assert_eq!(last(Hints::RetryAfter), Some(("retry-after", "90".to_owned())));
        assert_eq!(last(Hints::RetryAfterMs), Some(("retry-after-ms", "89750".to_owned())));
        assert_eq!(last(Hints::Date), Some(("retry-after", "Sun, 06 Nov 1994 08:51:08 GMT".to_owned())));
        assert_eq!(
            headers(Hints::OpenAi),
            [
                ("x-ratelimit-limit-requests", "1".to_owned()),
                ("x-ratelimit-remaining-requests", "0".to_owned()),
                ("x-ratelimit-reset-requests", "1m29.75s".to_owned()),
            ]
        );
        let anthropic = headers(Hints::Anthropic);
        assert_eq!(anthropic[2], ("anthropic-ratelimit-requests-reset", "1994-11-06T08:51:07.5Z".to_owned()));
        assert_eq!(anthropic[3], ("retry-after", "90".to_owned()));
        assert_eq!(openai_duration(Duration::from_micros(11_500)), "12ms");
    }

    #[test]
    fn the_truth_knows_who_came_early() {
        let mut enforcer = limited(60.0, Window::Bucket { saves: 1.0 }, Hints::RetryAfter);
        for at in [0.0, 0.01, 0.05, 0.5, 1.6] {
            taken(&mut enforcer, at);
        }
        let truth = enforcer.truth();
        let early: Vec<_> = truth.arrivals.iter().map(|arrival| arrival.early).collect();
        // The third was on its way when the second was told to wait.
        assert_eq!(early, [false, false, false, true, false]);
        assert_eq!((truth.taken(), truth.refused(), truth.refused_after(Duration::from_secs(1))), (2, 3, 0));
        assert!((truth.most_requests_beyond(60.0) - 3.8).abs() < 0.31);
    }

    #[test]
    fn a_crowd_is_served_no_faster_or_not_at_all() {
        let crowded = |beyond| {
            let latency = Duration::from_millis(100);
            Enforcer::new(Rules { crowd: Some((4, beyond)), ..Rules::open(latency) })
        };
        let mut slow = crowded(Beyond::Slows { power: 1.0 });
        let afters: Vec<_> = (0..8)
            .map(|_| match slow.arrive(Duration::ZERO, 1.0) {
                EnforcerDecision::Taken { after, .. } => after.as_millis(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(afters, [100, 100, 100, 100, 125, 150, 175, 200]);
        let mut strict = crowded(Beyond::Refused { status: 529 });
        assert!((0..4).all(|_| taken(&mut strict, 0.0)));
        assert!(!taken(&mut strict, 0.09) && taken(&mut strict, 0.1));
        assert_eq!((slow.truth().most_in_flight, strict.truth().most_in_flight), (8, 4));
    }

    #[test]
    fn tokens_count_and_an_outage_takes_nothing() {
        let outage = Outage { from: Duration::from_secs(5), to: Duration::from_secs(6), status: None };
        let rules =
            Rules { tpm: Some(6000.0), outage: Some(outage), ..Rules::open(Duration::from_millis(1)) };
        let mut enforcer = Enforcer::new(rules);
        let mut taken = |at: f64, tokens: f64| {
            matches!(enforcer.arrive(Duration::from_secs_f64(at), tokens), EnforcerDecision::Taken { .. })
        };
        assert!(taken(0.0, 60.0) && !taken(0.0, 60.0) && taken(0.0, 40.0) && taken(0.5, 50.0));
        // More than can be saved up: as soon as there is all that there can be.
        assert!(!taken(1.0, 500.0) && taken(1.6, 500.0));
        assert_eq!(enforcer.arrive(Duration::from_secs_f64(5.5), 1.0), EnforcerDecision::Cut);
    }
}
