//! The limiter against simulated servers, on a virtual clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;

use super::*;

/// What a simulated server does with a request that arrives.
enum Response {
    After(Duration),
    Refused { asked: Option<Duration>, overloaded: bool },
}

/// A simulated server: told when each request arrives and when one it took is answered.
trait Server {
    fn arrive(&mut self, at: Duration, random: &mut fastrand::Rng) -> Response;

    fn answered(&mut self, _at: Duration) {}

    fn claims(&self, _at: Duration) -> Vec<(Meter, Claim)> {
        Vec::new()
    }
}

#[derive(Debug, Default)]
struct Outcome {
    seconds: f64,
    answered: usize,
    /// When each was refused, in seconds.
    refused: Vec<f64>,
    most_in_flight: usize,
    /// Places aimed at, second by second.
    targets: Vec<usize>,
    /// Sent before the server's wait was over.
    early: usize,
}

impl Outcome {
    fn refused_after(&self, seconds: f64) -> usize {
        self.refused.iter().filter(|at| **at > seconds).count()
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives { number: u64, sent: Duration },
    Responds { number: u64, sent: Duration, refused: Option<(Option<Duration>, bool)> },
}

/// Sends until `rows` are answered or `limit` is over. Half of `network` passes each way.
fn run(limits: Limits, server: &mut dyn Server, rows: usize, network: Duration, limit: Duration) -> Outcome {
    let limiter = Limiter::new(limits);
    let mut state = limiter.state();
    let start = Instant::now();
    let mut random = fastrand::Rng::with_seed(7);
    let mut events: BinaryHeap<Reverse<(Duration, Event)>> = BinaryHeap::new();
    let (mut outcome, mut now, mut asked_until) = (Outcome::default(), Duration::ZERO, Duration::ZERO);
    let cost = Cost { input: 1000, output: 10 };
    let mut waiting = rows;
    while outcome.answered < rows && now < limit {
        let again = loop {
            if waiting == 0 {
                break None;
            }
            match state.admit(start + now, cost) {
                Ok(number) => {
                    waiting -= 1;
                    outcome.early += usize::from(now < asked_until);
                    outcome.most_in_flight = outcome.most_in_flight.max(state.in_flight);
                    events.push(Reverse((now + network / 2, Event::Arrives { number, sent: now })));
                }
                Err(again) => break again.map(|again| again - start),
            }
        };
        while outcome.targets.len() as u64 <= now.as_secs() {
            outcome.targets.push(state.places.target());
        }
        let next = events.peek().map(|Reverse((at, _))| *at);
        let Some(at) = again.into_iter().chain(next).min() else { panic!("nothing will ever happen") };
        // Timers are late by up to a millisecond.
        now = if next == Some(at) { at } else { at + Duration::from_micros(random.u64(0..1000)) };
        if next != Some(at) {
            continue;
        }
        let Some(Reverse((_, event))) = events.pop() else { unreachable!() };
        match event {
            Event::Arrives { number, sent } => {
                let (wait, refused) = match server.arrive(now, &mut random) {
                    Response::After(wait) => (wait, None),
                    Response::Refused { asked, overloaded } => (Duration::ZERO, Some((asked, overloaded))),
                };
                let at = now + wait + network / 2;
                events.push(Reverse((at, Event::Responds { number, sent, refused })));
            }
            Event::Responds { number, sent, refused } => {
                state.budget.learn(&server.claims(now), start + now, 1.0);
                state.budget.settle(cost, cost);
                match refused {
                    None => {
                        server.answered(now);
                        state.succeeded(start + now, number, now - sent);
                        outcome.answered += 1;
                    }
                    Some((asked, overloaded)) => {
                        outcome.refused.push(now.as_secs_f64());
                        if overloaded {
                            state.overloaded(start + now, number);
                        } else {
                            state.refused(start + now, number, start + sent, asked, random.f64());
                            asked_until = asked_until.max(now + asked.unwrap_or_default());
                        }
                        waiting += 1;
                    }
                }
                state.in_flight -= 1;
            }
        }
    }
    outcome.seconds = now.as_secs_f64();
    outcome
}

fn limits(concurrency: Concurrency, rpm: u32) -> Limits {
    Limits { concurrency, rpm: NonZeroU32::new(rpm), tpm: None, itpm: None, otpm: None }
}

/// Takes so many requests a minute, saved up to `capacity`, and says so or not.
struct Metered {
    rpm: f64,
    capacity: f64,
    level: f64,
    at: Duration,
    service: Duration,
    headers: bool,
    /// Whether it asks for a wait, rounded up to so much.
    asks: Option<Duration>,
}

impl Metered {
    fn new(rpm: f64, capacity_seconds: f64, service: Duration) -> Metered {
        let capacity = (rpm / 60.0 * capacity_seconds).max(1.0);
        Metered { rpm, capacity, level: capacity, at: Duration::ZERO, service, headers: false, asks: None }
    }

    fn refill(&mut self, now: Duration) {
        self.level =
            (self.level + self.rpm / 60.0 * (now.saturating_sub(self.at)).as_secs_f64()).min(self.capacity);
        self.at = now;
    }
}

impl Server for Metered {
    fn arrive(&mut self, now: Duration, random: &mut fastrand::Rng) -> Response {
        self.refill(now);
        if self.level >= 1.0 {
            self.level -= 1.0;
            return Response::After(self.service.mul_f64(0.5 + random.f64()));
        }
        let short = (1.0 - self.level) * 60.0 / self.rpm;
        let asked = self.asks.map(|unit| unit.mul_f64((short / unit.as_secs_f64()).ceil()));
        Response::Refused { asked, overloaded: false }
    }

    fn claims(&self, now: Duration) -> Vec<(Meter, Claim)> {
        if !self.headers {
            return Vec::new();
        }
        // As OpenAI states it: a bucket of a minute's worth, and until it is full again.
        let level = self.level + self.rpm / 60.0 * (now.saturating_sub(self.at)).as_secs_f64();
        let remaining = (self.rpm - (self.capacity - level.min(self.capacity))).floor();
        let reset = Duration::from_secs_f64(((self.rpm - remaining) * 60.0 / self.rpm).max(0.0));
        vec![(
            Meter::Requests,
            Claim { limit: Some(self.rpm), remaining: Some(remaining), reset: Some(reset) },
        )]
    }
}

#[test]
fn explore() {
    for rpm in [60.0, 600.0, 6000.0, 60000.0] {
        for capacity in [0.2, 1.0, 10.0] {
            for (service, network) in [(1, 1), (200, 20), (2000, 20)] {
                for (name, asks, headers, told) in [
                    ("told", None, false, true),
                    ("headers", None, true, false),
                    ("429", None, false, false),
                    ("429 ms", Some(1), false, false),
                    ("429 s", Some(1000), false, false),
                ] {
                    let mut server = Metered::new(rpm, capacity, Duration::from_millis(service));
                    server.headers = headers;
                    server.asks = asks.map(Duration::from_millis);
                    let rows = rpm as usize;
                    let limits = limits(Concurrency::Auto, if told { rpm as u32 } else { 0 });
                    let outcome = run(
                        limits,
                        &mut server,
                        rows,
                        Duration::from_millis(network),
                        Duration::from_secs(600),
                    );
                    println!(
                        "rpm {rpm:6} capacity {capacity:4} s service {service:4} {name:8}: {:6.2}x  refused {:4} after 10 s {:3}  most {} early {} {:?}",
                        outcome.seconds / 60.0,
                        outcome.refused.len(),
                        outcome.refused_after(10.0),
                        outcome.most_in_flight,
                        outcome.early,
                        &outcome.targets.iter().step_by(6).collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}
