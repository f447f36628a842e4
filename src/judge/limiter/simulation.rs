//! The limiter against simulated servers, on a virtual clock.

use std::collections::BTreeMap;
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

enum Event {
    Arrives,
    Responds { refused: Option<(Option<Duration>, bool)> },
}

/// Sends until `rows` are answered or `limit` is over. Half of `network` passes each way.
fn run(limits: Limits, server: &mut dyn Server, rows: usize, network: Duration, limit: Duration) -> Outcome {
    let limiter = Limiter::new(limits);
    let mut state = limiter.state();
    let start = Instant::now();
    let mut random = fastrand::Rng::with_seed(7);
    // What happens, by when; equal times in the order of sending.
    let mut events: BTreeMap<(Duration, u64), (Sent, Event)> = BTreeMap::new();
    let (mut outcome, mut now, mut asked_until) = (Outcome::default(), Duration::ZERO, Duration::ZERO);
    let cost = Cost { input: 1000, output: 10 };
    let mut waiting = rows;
    while outcome.answered < rows && now < limit {
        let again = loop {
            if waiting == 0 {
                break None;
            }
            match state.admit(start + now, cost) {
                Ok(sent) => {
                    waiting -= 1;
                    outcome.early += usize::from(now < asked_until);
                    outcome.most_in_flight = outcome.most_in_flight.max(state.in_flight);
                    events.insert((now + network / 2, sent.number), (sent, Event::Arrives));
                }
                Err(again) => break again.map(|again| again - start),
            }
        };
        while outcome.targets.len() as u64 <= now.as_secs() {
            outcome.targets.push(state.places.target());
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
        let Some(((_, number), (sent, event))) = events.pop_first() else { unreachable!() };
        match event {
            Event::Arrives => {
                let (wait, refused) = match server.arrive(now, &mut random) {
                    Response::After(wait) => (wait, None),
                    Response::Refused { asked, overloaded } => (Duration::ZERO, Some((asked, overloaded))),
                };
                let at = now + wait + network / 2;
                events.insert((at, number), (sent, Event::Responds { refused }));
            }
            Event::Responds { refused } => {
                state.budget.learn(&server.claims(now), start + now, 1.0);
                state.budget.settle(cost, cost);
                match refused {
                    None => {
                        server.answered(now);
                        state.succeeded(start + now, sent, start + now - sent.at);
                        outcome.answered += 1;
                    }
                    Some((asked, overloaded)) => {
                        outcome.refused.push(now.as_secs_f64());
                        if overloaded {
                            state.overloaded(start + now, sent, asked);
                        } else {
                            state.refused(start + now, sent, asked, random.f64());
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

/// Takes so many requests in each window, whenever they come in it.
struct Windowed {
    limit: f64,
    window: Duration,
    /// How much of the first window was over already.
    over: Duration,
    headers: bool,
    asks: bool,
    used: f64,
    number: u128,
}

impl Windowed {
    fn number(&self, now: Duration) -> u128 {
        (now + self.over).as_nanos() / self.window.as_nanos()
    }

    fn reset(&self, now: Duration) -> Duration {
        self.window.mul_f64(self.number(now) as f64 + 1.0).saturating_sub(now + self.over)
    }
}

impl Server for Windowed {
    fn arrive(&mut self, now: Duration, random: &mut fastrand::Rng) -> Response {
        if self.number(now) != self.number {
            (self.number, self.used) = (self.number(now), 0.0);
        }
        if self.used < self.limit {
            self.used += 1.0;
            return Response::After(Duration::from_millis(random.u64(10..300)));
        }
        Response::Refused { asked: self.asks.then(|| self.reset(now)), overloaded: false }
    }

    fn claims(&self, now: Duration) -> Vec<(Meter, Claim)> {
        let used = if self.number(now) == self.number { self.used } else { 0.0 };
        let claim = Claim {
            limit: Some(self.limit),
            remaining: Some(self.limit - used),
            reset: Some(self.reset(now)),
        };
        if self.headers { vec![(Meter::Requests, claim)] } else { Vec::new() }
    }
}

/// Serves so many at once; further ones wait, or are refused.
struct Crowded {
    places: usize,
    service: Duration,
    /// How much service times vary, as a share.
    spread: f64,
    beyond: Beyond,
    /// When each place is free again.
    busy: Vec<Duration>,
    /// Refuses everything between these.
    outage: Option<(Duration, Duration)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Beyond {
    Waits,
    TooMany,
    Overloaded,
}

impl Crowded {
    fn new(places: usize, service: u64, spread: f64, beyond: Beyond) -> Crowded {
        let service = Duration::from_millis(service);
        Crowded { places, service, spread, beyond, busy: Vec::new(), outage: None }
    }
}

impl Server for Crowded {
    fn arrive(&mut self, now: Duration, random: &mut fastrand::Rng) -> Response {
        let overloaded = self.beyond == Beyond::Overloaded;
        if self.outage.is_some_and(|(from, to)| (from..to).contains(&now)) {
            return Response::Refused { asked: None, overloaded };
        }
        self.busy.retain(|free| *free > now);
        self.busy.sort();
        let takes = self.service.mul_f64(1.0 + self.spread * (2.0 * random.f64() - 1.0));
        let begins = match self.busy.len().checked_sub(self.places) {
            None => now,
            Some(queue) if self.beyond == Beyond::Waits => self.busy[queue],
            Some(_) => return Response::Refused { asked: None, overloaded },
        };
        self.busy.push(begins + takes);
        Response::After(begins + takes - now)
    }
}

const MINUTES: Duration = Duration::from_secs(3600);

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_limit_per_minute_is_used_and_kept_told_or_not() {
    // How it is known, the time it may take in minutes, and the refusals after ten seconds per thousand requests.
    let ways: [(&str, Option<u64>, f64, usize); 5] = [
        ("told", None, 1.03, 0),
        ("headers", None, 1.06, 0),
        ("refusals", None, 1.15, 1),
        ("refusals that ask for a wait", Some(1), 1.15, 1),
        ("refusals that ask for whole seconds", Some(1000), 1.15, 1),
    ];
    for capacity in [0.2, 1.0, 10.0] {
        for service in [1, 20, 200] {
            for (way, asks, slowest, refusals) in ways {
                let mut server = Metered::new(6000.0, capacity, millis(service));
                server.headers = way == "headers";
                server.asks = asks.map(millis);
                let limits = limits(Concurrency::Auto, if way == "told" { 6000 } else { 0 });
                let outcome = run(limits, &mut server, 6000, millis(10), MINUTES);
                let (minutes, late) = (outcome.seconds / 60.0, outcome.refused_after(10.0));
                println!(
                    "6,000/min, {capacity:4} s saved up, {service:3} ms, {way:36}: {minutes:.3} min, {:4} refused, {late} \
                     after 10 s, {} early",
                    outcome.refused.len(),
                    outcome.early
                );
                assert_eq!((outcome.answered, outcome.early), (6000, 0));
                assert!(minutes <= slowest && late <= 6 * refusals, "{way}, {capacity} s, {service} ms");
            }
        }
    }
}

#[test]
fn windows_that_start_anew_are_used_too() {
    for (window, limit) in [(60, 6000.0), (60, 600.0), (1, 100.0), (1, 10.0)] {
        for (headers, asks) in [(true, true), (true, false), (false, true), (false, false)] {
            let window = Duration::from_secs(window);
            let over = window.mul_f64(0.6);
            let mut server = Windowed { limit, window, over, headers, asks, used: 0.0, number: 0 };
            let rate = limit / window.as_secs_f64();
            let rows = (rate * 120.0) as usize;
            let outcome = run(limits(Concurrency::Auto, 0), &mut server, rows, millis(10), MINUTES);
            let share = outcome.seconds / 120.0;
            println!(
                "{limit} in {window:?}, headers {headers:5}, asks {asks:5}: {share:.2} of the ideal time, {} refused, {} after 10 s",
                outcome.refused.len(),
                outcome.refused_after(10.0)
            );
            assert_eq!(outcome.early, 0);
            assert!(share < if limit > 10.0 { 1.2 } else { 1.7 }, "{limit} in {window:?} {headers} {asks}");
        }
    }
}

#[test]
fn what_an_endpoint_serves_at_once_is_found_out() {
    for beyond in [Beyond::Waits, Beyond::Overloaded, Beyond::TooMany] {
        for places in [10, 50, 200] {
            for (service, spread) in [(100, 0.0), (1000, 0.9)] {
                let mut server = Crowded::new(places, service, spread, beyond);
                let rows = places * 60_000 / service as usize;
                let outcome = run(limits(Concurrency::Auto, 0), &mut server, rows, millis(4), MINUTES);
                let found = outcome.targets[outcome.targets.len() * 3 / 4];
                let minutes = outcome.seconds / 60.0;
                println!(
                    "{places:3} at once for {service:4} ms, beyond {beyond:10?}: {minutes:.2} min, {found:3} in flight, {:3} \
                     refused",
                    outcome.refused.len()
                );
                assert_eq!(outcome.answered, rows);
                let (slowest, most) = match beyond {
                    Beyond::Waits => (1.1, 2 * places + 20),
                    Beyond::Overloaded => (1.1, places + 1),
                    // For all one knows it may have been the pace.
                    Beyond::TooMany => (2.0, 5 * places / 4),
                };
                assert!(minutes <= slowest && found <= most, "{places} {service} {beyond:?}: {found}");
            }
        }
    }
}

#[test]
fn after_an_outage_it_is_as_fast_as_before() {
    for beyond in [Beyond::Overloaded, Beyond::TooMany] {
        let mut server = Crowded::new(50, 200, 0.5, beyond);
        server.outage = Some((Duration::from_secs(20), Duration::from_secs(50)));
        let outcome = run(limits(Concurrency::Auto, 0), &mut server, 250 * 90, millis(4), MINUTES);
        let lost = outcome.seconds - 90.0 - 30.0;
        println!("outage of 30 s, {beyond:?}: {lost:.1} s lost beside it, targets {:?}", outcome.targets);
        assert_eq!(outcome.answered, 250 * 90);
        assert!(lost < 60.0, "{lost}");
        assert!(outcome.targets[80] >= 40, "{:?}", outcome.targets);
    }
}

#[test]
fn a_number_told_is_never_exceeded() {
    for places in [1, 3, 17] {
        let concurrency = Concurrency::Fixed(NonZeroU32::new(places).unwrap());
        for beyond in [Beyond::Waits, Beyond::TooMany] {
            let mut server = Crowded::new(10, 100, 0.5, beyond);
            let outcome = run(limits(concurrency, 0), &mut server, 500, millis(4), MINUTES);
            assert_eq!((outcome.answered, outcome.most_in_flight), (500, places as usize));
        }
    }
}
