//! Workers that share one limit through a store, on a virtual clock.

use super::*;
use crate::domain::{Granted, Line, length};
use crate::judge::limiter::grants::Grants;
use crate::judge::limiter::waiting::WaitingRoom;

/// What a store knows a dead worker by is over after this.
const LEASE: Duration = Duration::from_secs(10);
/// How late a timer is at most.
const LATE: u64 = 1000;
const MINUTE: Duration = Duration::from_secs(60);

/// One worker of a simulation.
#[derive(Debug, Clone, Copy)]
struct Kind {
    places: u32,
    latency: Duration,
    /// Time between two questions that it gets; zero: it always has some.
    pause: Duration,
    /// When it comes, with this one question and no other; then it leaves.
    once: Option<Duration>,
}

const BUSY: Kind =
    Kind { places: 32, latency: Duration::from_millis(200), pause: Duration::ZERO, once: None };
/// Its answers take long, and it has one place for them.
const SLOW: Kind = Kind { places: 1, latency: Duration::from_secs(10), pause: Duration::ZERO, once: None };
/// It has little to ask.
const IDLE: Kind =
    Kind { places: 32, latency: Duration::from_millis(200), pause: Duration::from_secs(3), once: None };

struct Share {
    rpm: u32,
    tpm: u32,
    kinds: Vec<Kind>,
    /// The way to the store and back.
    way: Duration,
    /// Who is killed, and when.
    killed: Vec<(usize, Duration)>,
    /// By how many seconds the store's clock is set, and when.
    clock: Option<(i64, Duration)>,
    lasts: Duration,
}

struct Worker {
    kind: Kind,
    state: State,
    queue: VecDeque<u64>,
    is_alive: bool,
    is_asking: bool,
    asked: i64,
    /// When it looks again by itself.
    look: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Look,
    /// The question comes to the store, perhaps twice.
    Asks(Duration),
    Hears(Granted),
    Responds(Sent, u64),
    Gets,
    Dies,
    IsForgotten,
    ClockIsSet,
}

struct Sends {
    /// When, and of how many tokens.
    all: Vec<(Duration, f64)>,
    asks: usize,
}

impl Sends {
    /// The most that was sent in any minute.
    fn most(&self, amount: impl Fn(f64) -> f64) -> f64 {
        let (mut first, mut sum, mut most) = (0, 0.0, 0.0_f64);
        for (at, tokens) in &self.all {
            sum += amount(*tokens);
            while self.all[first].0 + MINUTE <= *at {
                sum -= amount(self.all[first].1);
                first += 1;
            }
            most = most.max(sum);
        }
        most
    }

    /// What was sent between two moments.
    fn between(&self, from: Duration, to: Duration, amount: impl Fn(f64) -> f64) -> f64 {
        self.all.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, tokens)| amount(*tokens)).sum()
    }

    /// The longest time without a request.
    fn longest_gap(&self) -> Duration {
        self.all.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap_or_default()
    }
}

impl Share {
    fn of(rpm: u32, kinds: Vec<Kind>) -> Share {
        let (way, lasts) = (Duration::from_millis(8), Duration::from_secs(240));
        Share { rpm, tpm: 0, kinds, way, killed: Vec::new(), clock: None, lasts }
    }

    fn simulate(&self) -> Sends {
        let mut random = fastrand::Rng::with_seed(7);
        fastrand::seed(8);
        let start = Instant::now();
        let mut workers: Vec<Worker> = { self.kinds.iter() }
            .map(|kind| {
                let places = Concurrency::Fixed(NonZeroU32::new(kind.places).unwrap());
                let mut state = State::new(limits(places, self.rpm, self.tpm));
                state.budget.grants = Some(Grants::default());
                Worker {
                    kind: *kind,
                    state,
                    queue: VecDeque::new(),
                    is_alive: true,
                    is_asking: false,
                    asked: 0,
                    look: None,
                }
            })
            .collect();
        let mut events: BTreeMap<(Duration, u64), (usize, What)> = BTreeMap::new();
        let mut made = 0;
        let mut line = Line::default();
        let mut sends = Sends { all: Vec::new(), asks: 0 };
        let mut responses = Vec::new();
        let mut skew = 1_700_000_000_000_000_i64;
        let mut at = |events: &mut BTreeMap<_, _>, when: Duration, who: usize, what: What| {
            made += 1;
            events.insert((when, made), (who, what));
        };
        for (who, kind) in self.kinds.iter().enumerate() {
            let begins = Duration::from_millis(random.u64(0..500));
            at(&mut events, kind.once.unwrap_or(begins), who, What::Gets);
        }
        for (who, when) in &self.killed {
            at(&mut events, *when, *who, What::Dies);
        }
        if let Some((_, when)) = self.clock {
            at(&mut events, when, 0, What::ClockIsSet);
        }
        while let Some(((now, _), (who, what))) = events.pop_first() {
            if now > self.lasts {
                break;
            }
            let here = start + now;
            let on_its_way = self.way.mul_f64(0.25 + 0.5 * random.f64());
            let store = skew + i64::try_from(now.as_micros()).unwrap();
            match what {
                What::Dies => {
                    workers[who].is_alive = false;
                    at(&mut events, now + LEASE, who, What::IsForgotten);
                }
                What::IsForgotten => line.leave(store, &who.to_string()),
                What::ClockIsSet => skew += self.clock.map_or(0, |(seconds, _)| seconds * 1_000_000),
                What::Asks(time) => {
                    sends.asks += 1;
                    let block = line.grant(store, &who.to_string(), workers[who].asked, length(time));
                    let again = line.grant(store + 1, &who.to_string(), workers[who].asked, length(time));
                    assert_eq!((block.starts, block.ends), (again.starts, again.ends));
                    at(
                        &mut events,
                        now + on_its_way,
                        who,
                        What::Hears(block.granted(store, line.part(store, &who.to_string()), Duration::ZERO)),
                    );
                }
                What::Gets if workers[who].kind.once.is_some() => workers[who].queue.push_back(1000),
                What::Gets if workers[who].kind.pause.is_zero() => {}
                What::Gets => {
                    workers[who].queue.push_back(random.u64(500..1500));
                    let pause = workers[who].kind.pause.mul_f64(0.5 + random.f64());
                    at(&mut events, now + pause, who, What::Gets);
                }
                What::Hears(granted) => {
                    if let Some(grants) = &mut workers[who].state.budget.grants {
                        grants.add(granted, here);
                    }
                    workers[who].is_asking = false;
                }
                What::Responds(sent, tokens) => {
                    let state = &mut workers[who].state;
                    let cost = |tokens| Cost { input: tokens, output: 0 };
                    state.budget.settle(cost(tokens * 11 / 10), cost(tokens));
                    state.succeeded(here, sent, here - sent.at);
                    state.in_flight -= 1;
                    if workers[who].kind.once.is_some() {
                        workers[who].is_alive = false;
                        line.leave(store, &who.to_string());
                    }
                }
                What::Look => {}
            }
            let Worker { kind, state, queue, is_alive, is_asking, asked, look } = &mut workers[who];
            if !*is_alive {
                continue;
            }
            *look = look.filter(|look| *look > now);
            let mut look_at = |events: &mut BTreeMap<_, _>, again: Instant| {
                let again = again - start + Duration::from_micros(random.u64(0..LATE));
                if look.is_none_or(|look| again < look) {
                    *look = Some(again);
                    at(events, again, who, What::Look);
                }
            };
            while kind.pause.is_zero() && kind.once.is_none() && queue.len() < 4 * kind.places as usize {
                queue.push_back(fastrand::u64(500..1500));
            }
            while let Some(tokens) = queue.front().copied() {
                match state.admit(here, Cost { input: tokens * 11 / 10, output: 0 }) {
                    Ok(sent) => {
                        queue.pop_front();
                        sends.all.push((now, tokens as f64));
                        let latency = kind.latency.mul_f64(0.5 + fastrand::f64());
                        responses.push((now + latency, who, What::Responds(sent, tokens)));
                    }
                    Err(again) => {
                        again.into_iter().for_each(|again| look_at(&mut events, again));
                        break;
                    }
                }
            }
            state.waiting = WaitingRoom::default();
            for tokens in queue.iter() {
                state.waiting.join(Cost { input: tokens * 11 / 10, output: 0 });
            }
            match (!*is_asking).then(|| state.wanted(here)) {
                Some(Ok(time)) => {
                    (*is_asking, *asked) = (true, *asked + 1);
                    responses.push((now + on_its_way, who, What::Asks(time)));
                }
                Some(Err(Some(again))) => look_at(&mut events, again),
                Some(Err(None)) | None => {}
            }
            for (when, who, what) in responses.drain(..) {
                at(&mut events, when, who, what);
            }
        }
        sends
    }
}

/// All of it is used, and never more: in requests a minute, by workers alike and unlike, few and many.
#[test]
fn workers_of_any_kind_use_one_limit_up_and_never_more() {
    let with = |one: Kind, number: usize, other: Kind| -> Vec<Kind> {
        std::iter::once(one).chain(std::iter::repeat_n(other, number)).collect()
    };
    let mut scarce = Vec::new();
    for (name, rpm, kinds) in [
        ("1 busy", 6000, vec![BUSY]),
        ("2 busy", 6000, vec![BUSY; 2]),
        ("4 busy", 6000, vec![BUSY; 4]),
        ("8 busy", 6000, vec![BUSY; 8]),
        ("64 busy", 6000, vec![BUSY; 64]),
        ("1 busy beside 7 slow", 6000, with(BUSY, 7, SLOW)),
        ("1 busy beside 63 slow", 6000, with(BUSY, 63, SLOW)),
        ("1 busy beside 7 idle", 6000, with(BUSY, 7, IDLE)),
        ("64 busy, 60 a minute", 60, vec![BUSY; 64]),
        ("1 busy beside 7 slow, 60 a minute", 60, with(BUSY, 7, SLOW)),
        ("32 busy, 6 a minute", 6, vec![BUSY; 32]),
    ]
    .into_iter()
    .chain(at_length().map(|_| ("1,000 busy", 6000, vec![BUSY; 1000])))
    {
        let mut share = Share::of(rpm, kinds);
        share.lasts = Duration::from_secs(if rpm < 1000 { 1200 } else { 240 });
        let sends = share.simulate();
        let used = sends.between(MINUTE, share.lasts, |_| 1.0) * 60.0 / (share.lasts - MINUTE).as_secs_f64();
        let (most, used) = (sends.most(|_| 1.0), used / f64::from(rpm));
        let asks = sends.asks as f64 / share.lasts.as_secs_f64();
        println!(
            "{name}: {used:.4} of {rpm} a minute, at most {most} in one; the store is asked {asks:.1} times a second"
        );
        // A worker alone has no 6,000 a minute to send but with these places; of few a minute one more or less is some percent.
        let least = if rpm < 10 { 0.95 } else { 0.97 };
        if most > f64::from(rpm) || used < least {
            scarce.push(name);
        }
    }
    assert!(scarce.is_empty(), "{scarce:?}");
}

#[test]
fn a_killed_worker_takes_nothing_along() {
    for (rpm, lasts) in [(6000, 240), (60, 1200)] {
        let killed = vec![(1, Duration::from_millis(70_123)), (2, Duration::from_millis(71_456))];
        let share = Share { killed, lasts: Duration::from_secs(lasts), ..Share::of(rpm, vec![BUSY; 4]) };
        let sends = share.simulate();
        let used = sends.between(MINUTE, share.lasts, |_| 1.0) * 60.0
            / (share.lasts - MINUTE).as_secs_f64()
            / f64::from(rpm);
        let (most, gap) = (sends.most(|_| 1.0), sends.longest_gap());
        println!(
            "two of four are killed, {rpm} a minute: {used:.4} used, at most {most} in one, {gap:?} without any"
        );
        assert!(most <= f64::from(rpm) && used >= 0.97, "{used} {most}");
    }
}

/// Runs that follow one another, each with a single question: what one has used counts for those after it.
#[test]
fn one_run_after_another_keeps_the_limit() {
    for (rpm, apart) in [(2, 1), (2, 20), (30, 1)] {
        let one = |number: u64| Kind { once: Some(Duration::from_secs(apart * number)), ..BUSY };
        let kinds: Vec<Kind> = (0..6).map(one).collect();
        let sends = Share::of(rpm, kinds).simulate();
        let most = sends.most(|_| 1.0);
        println!("six runs {apart} s apart, {rpm} a minute: at most {most} in one");
        assert_eq!(sends.all.len(), 6, "all are sent in the end");
        assert!(most <= f64::from(rpm), "{most} of {rpm}");
    }
}

/// As where a disk is busy: what is reserved is heard of late.
#[test]
fn a_slow_store_costs_little() {
    for workers in [1, 4] {
        let share = Share { way: Duration::from_millis(100), ..Share::of(6000, vec![BUSY; workers]) };
        let sends = share.simulate();
        let used = sends.between(MINUTE, share.lasts, |_| 1.0) / (share.lasts - MINUTE).as_secs_f64() / 100.0;
        let most = sends.most(|_| 1.0);
        println!(
            "{workers} busy, the store takes 50 to 150 ms: {used:.4} of 6000 a minute, at most {most} in one"
        );
        assert!(most <= 6000.0 && used >= 0.97, "{used} {most}");
    }
}

#[test]
fn a_clock_that_is_set_stalls_nobody() {
    for rpm in [6000, 60] {
        let clock = Some((-300, Duration::from_millis(90_456)));
        let share = Share { clock, ..Share::of(rpm, vec![BUSY; 4]) };
        let sends = share.simulate();
        let used = sends.between(MINUTE, share.lasts, |_| 1.0) * 60.0
            / (share.lasts - MINUTE).as_secs_f64()
            / f64::from(rpm);
        let (most, gap) = (sends.most(|_| 1.0), sends.longest_gap());
        println!(
            "set back five minutes, {rpm} a minute: {used:.4} used, at most {most} in one, {gap:?} without any"
        );
        assert!(most <= f64::from(rpm) && used >= 0.97, "{used} {most}");
        assert!(gap <= Duration::from_secs(2).max(2 * MINUTE / rpm + Duration::from_millis(100)), "{gap:?}");
    }
}

/// Tokens are reserved by an estimate, which is a tenth too high, and settled.
#[test]
fn tokens_are_shared_as_requests_are() {
    for workers in [1, 2, 4, 16, 64] {
        let share = Share { tpm: 600_000, ..Share::of(60_000, vec![BUSY; workers]) };
        let sends = share.simulate();
        let a_minute =
            sends.between(MINUTE, share.lasts, |tokens| tokens) * 60.0 / (share.lasts - MINUTE).as_secs_f64();
        let (most, used) = (sends.most(|tokens| tokens), a_minute / 600_000.0);
        println!("{workers} workers: {used:.4} of 600,000 tokens a minute, at most {most} in one");
        // Requests differ in size, and what one has left is used in the next minute: a minute may hold a little more.
        assert!(used >= 0.97 && most <= 602_000.0, "{used} {most}");
    }
}
