//! The limiter against the enforcing server, on a virtual clock.

mod crowds;
#[path = "../../../../tests/support/enforcer/mod.rs"]
mod enforcer;
mod grid;
mod workers;

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::time::SystemTime;

use reqwest::header::{HeaderMap, HeaderValue};

use super::*;
use crate::judge::{hints, retry};
use enforcer::{Enforcer, EnforcerDecision, Headers, Rules, Truth};

/// Attempts for one row, and rows begun and not done for each place that there may ever be: as the command line has it.
const MAX_ATTEMPTS: u32 = 6;
const WINDOW: usize = 4;

/// A run to simulate.
struct Run {
    limits: Limits,
    rules: Rules,
    rows: usize,
    /// Tokens of a request; half of them to one and a half.
    tokens: f64,
    /// There and back.
    network: Duration,
    /// What is not answered by then never is.
    patience: Duration,
    seed: u64,
}

#[derive(Debug)]
struct Outcome {
    /// When the last answer came.
    seconds: f64,
    answered: usize,
    /// Rows with all their attempts used up.
    errored: usize,
    /// Answers in each second.
    answers: Vec<usize>,
    /// The concurrency limit, second by second.
    targets: Vec<usize>,
    truth: Truth,
}

impl Outcome {
    /// Answers a second between two seconds.
    fn rate(&self, from: usize, to: usize) -> f64 {
        let to = to.min(self.answers.len());
        self.answers.get(from..to).map_or(0.0, |answers| answers.iter().sum::<usize>() as f64)
            / to.saturating_sub(from).max(1) as f64
    }
}

/// A row on its way.
#[derive(Debug, Clone, Copy)]
struct Row {
    tokens: u64,
    failures: u32,
}

impl Row {
    /// What the client thinks it will take: a tenth too much.
    fn estimate(self) -> Cost {
        Cost { input: self.tokens * 11 / 10, output: 0 }
    }

    fn cost(self) -> Cost {
        Cost { input: self.tokens, output: 0 }
    }
}

enum Event {
    Arrives(Sent),
    Responds {
        sent: Sent,
        status: Option<u16>,
        headers: Headers,
    },
    /// Its rest after a failure is over.
    Rested,
}

impl Run {
    fn rows_of(&self) -> VecDeque<Row> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let row = |_| Row { tokens: (self.tokens * (0.5 + random.f64())) as u64, failures: 0 };
        (0..self.rows).map(row).collect()
    }

    fn simulate(&self) -> Outcome {
        let rules = Rules { on_its_way: self.network + Duration::from_millis(1), ..self.rules.clone() };
        let epoch = rules.epoch;
        let mut enforcer = Enforcer::new(rules);
        let limiter = Limiter::new(self.limits);
        let mut state = limiter.state();
        let start = Instant::now();
        let mut random = fastrand::Rng::with_seed(self.seed + 1);
        // What happens, by when; equal times in the order of their making.
        let mut events: BTreeMap<(Duration, u64), (Row, Event)> = BTreeMap::new();
        let mut made = 0;
        let mut unread = self.rows_of();
        let mut waiting = VecDeque::new();
        let (mut now, mut seconds) = (Duration::ZERO, 0.0);
        let (mut answered, mut errored) = (0, 0);
        let (mut answers, mut targets) = (Vec::new(), Vec::new());
        while answered + errored < self.rows && now < self.patience {
            let begun = self.rows - unread.len() - answered - errored;
            let room = (WINDOW * limiter_places(&state.places)).saturating_sub(begun).min(unread.len());
            waiting.extend(unread.drain(..room));
            let again = loop {
                let Some(row) = waiting.front().copied() else { break None };
                match state.admit(start + now, row.estimate()) {
                    Ok(sent) => {
                        waiting.pop_front();
                        made += 1;
                        events.insert((now + self.network / 2, made), (row, Event::Arrives(sent)));
                    }
                    Err(again) => break again.map(|again| again - start),
                }
            };
            while targets.len() as u64 <= now.as_secs() {
                targets.push(state.places());
                answers.push(0);
            }
            let next = events.keys().next().map(|(at, _)| *at);
            let Some(at) = again.into_iter().chain(next).min() else { panic!("nothing will ever happen") };
            // Timers are late by up to a millisecond.
            if next != Some(at) {
                let late = at + Duration::from_micros(random.u64(0..1000));
                now = next.map_or(late, |next| next.min(late));
                continue;
            }
            now = at;
            let Some((_, (mut row, event))) = events.pop_first() else { unreachable!() };
            match event {
                Event::Rested => waiting.push_back(row),
                Event::Arrives(sent) => {
                    let (after, status, headers) = match enforcer.arrive(now, row.tokens as f64) {
                        EnforcerDecision::Taken { after, headers } => (after, Some(200), headers),
                        EnforcerDecision::Refused { status, headers } => {
                            (Duration::ZERO, Some(status), headers)
                        }
                        EnforcerDecision::Cut => (Duration::ZERO, None, Headers::new()),
                    };
                    made += 1;
                    let response = Event::Responds { sent, status, headers };
                    events.insert((now + after + self.network / 2, made), (row, response));
                }
                Event::Responds { sent, status, headers } => {
                    let headers = header_map(headers);
                    let (here, of_day) = (start + now, epoch + now);
                    state.learn(here, sent, &hints::claims(&headers, of_day));
                    let used = if status == Some(200) { row.cost() } else { row.estimate() };
                    state.budget.settle(row.estimate(), used);
                    let asked = hints::wait(&headers, "", of_day);
                    match status {
                        Some(200) => {
                            state.succeeded(here, sent, here - sent.at);
                            answered += 1;
                            seconds = now.as_secs_f64();
                            *answers.last_mut().unwrap() += 1;
                        }
                        Some(429) => {
                            state.refused(here, sent, asked, random.f64());
                            waiting.push_back(row);
                        }
                        _ => {
                            match status {
                                Some(_) => state.overloaded(here, sent, asked),
                                None => state.lost(here, sent),
                            }
                            row.failures += 1;
                            if row.failures >= MAX_ATTEMPTS {
                                errored += 1;
                            } else {
                                made += 1;
                                let rest = retry::delay(row.failures, asked, random.f64());
                                events.insert((now + rest, made), (row, Event::Rested));
                            }
                        }
                    }
                    state.in_flight -= 1;
                }
            }
        }
        Outcome { seconds, answered, errored, answers, targets, truth: enforcer.truth().clone() }
    }
}

/// With `TOOLJUDGE_GRID=N` every N-th cell of the grid is measured, and what saturates is watched at length.
#[expect(clippy::disallowed_methods, reason = "how long a proof may take is said by who runs the tests")]
fn at_length() -> Option<usize> {
    std::env::var("TOOLJUDGE_GRID").ok()?.parse().ok().filter(|step| *step > 0)
}

fn limiter_places(places: &ConcurrencyLimit) -> usize {
    match places {
        ConcurrencyLimit::Fixed(places) => *places,
        ConcurrencyLimit::Found(_) => concurrency_controller::MAX_IN_FLIGHT,
    }
}

fn header_map(headers: Headers) -> HeaderMap {
    headers
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), HeaderValue::try_from(value).unwrap()))
        .collect()
}

fn limits(concurrency: Concurrency, rpm: u32, tpm: u32) -> Limits {
    Limits {
        concurrency,
        rpm: NonZeroU32::new(rpm),
        tpm: NonZeroU32::new(tpm),
        itpm: None,
        otpm: None,
        ignore_headers: false,
    }
}

fn epoch() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_400)
}
