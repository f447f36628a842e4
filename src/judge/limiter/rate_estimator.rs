//! Estimates the requests per second that an endpoint accepts, from its refusals alone.
//!
//! For endpoints that refuse requests (429) without headers that state a limit; with such headers, [`quota`](super::quota) is
//! better. Unlike multiplicative decrease, it uses refusals as measurements: the requests accepted between two of them, divided
//! by the time between them. The constants are chosen by the targets of `simulation/grid.rs`: 0.87 of the ideal throughput, and
//! one refusal in 1,000 requests once warm. `docs/proof.md` says which cells miss them.

use std::time::Duration;

use tokio::time::Instant;

/// How much faster it gets a second far below the pace that was refused, as a share of the pace. Chosen, as the next two.
const FAR: f64 = 0.35;
/// The same near the pace that was refused; also the most for any pace from there on.
const NEAR: f64 = 0.05;
/// The same beyond the pace that was refused, to begin with; doubles with every [`PATIENCE`] without refusal.
const BEYOND: f64 = 0.002;
/// How long without a refusal makes the growth double. Chosen: half of a minute, the usual window of limits.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where near begins, as a share of the pace that was refused. Chosen.
const IS_NEAR: f64 = 0.7;
/// Where beyond begins, as a share of the pace that was refused. Chosen: a little below it, for the pace is known to a few percent.
const IS_BEYOND: f64 = 0.95;
/// How close the pace that was refused must be to what was taken for the truth to be known: their ratio, above 1. Chosen.
const WELL_KNOWN: f64 = 1.15;
/// A pace that is known grows by this share of itself in the time of [`KNOWN_PATIENCE`] requests, or in [`PATIENCE`] if that is
/// longer; then twice as fast.
const KNOWN_BEYOND: f64 = 0.01;
/// Requests, see above. From the bar: looking for more may cost one request in a thousand.
const KNOWN_PATIENCE: f64 = 2000.0;
/// Requests that make a measurement. Chosen: one request more or less, which nobody can see, is 5 % of them.
const MEASURED: f64 = 20.0;
/// Requests that make older ones superfluous. Chosen: one more or less is 2 % of them.
const ENOUGH: f64 = 50.0;
/// Seconds after which pauses do not spoil a measurement. Chosen: half of a minute's window.
const LONG: f64 = 30.0;
/// How far two long measurements may differ that say the same, as a share. Chosen.
const SAME: f64 = 0.1;
/// The longest window of a limit that is waited for: a minute, and a tenth for clocks and rounding, as in
/// [`window`](super::window). Limits of a day end the run instead.
const MAX_WINDOW: Duration = Duration::from_secs(66);
/// The shortest time over which a pace is measured. Chosen: no server is known to count by less.
const LATELY: Duration = Duration::from_secs(1);
/// The slowest pace, in requests a second. Chosen: one request in ten seconds; below it the pauses that the server asks for do the work.
const SLOWEST: f64 = 0.1;

/// The pace so far. A server that refuses has nothing left; so what it took between two refusals, divided by the time
/// between them, is what it gives, but for a request more or less and for what it could not save during pauses.
#[derive(Debug, Default)]
pub(super) struct RateEstimator {
    /// Requests a second; none as long as nothing was refused.
    rate: Option<f64>,
    /// The pace that was refused.
    refused: f64,
    known: bool,
    /// The last pace taken that was measured for long.
    measured: Option<f64>,
    cut: Option<Cut>,
    /// When `rate` was last brought up to date.
    at: Option<Instant>,
    /// Two moments and the requests sent by then, some time and requests apart: how fast it went lately.
    marks: Option<[(Instant, u64); 2]>,
}

/// The last refusal that counted.
#[derive(Debug, Clone, Copy)]
struct Cut {
    at: Instant,
    /// When sending went on.
    resumed: Instant,
    /// Requests sent until then.
    sent: u64,
    /// An earlier refusal, or this one, and what was taken since.
    since: Instant,
    taken: f64,
}

/// A refusal that tells something new.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    /// The refused request, and when it was sent.
    pub number: u64,
    pub sent_at: Instant,
    /// Requests sent by now.
    pub sent: u64,
    /// Nothing is sent before this.
    pub resumes: Instant,
    /// The pace that the budget allows, if it does not allow any.
    pub allowed: Option<f64>,
    /// Whether the user told a limit.
    pub told: bool,
}

impl RateEstimator {
    /// What applied when it was last asked for.
    pub(super) fn last_rate(&self) -> Option<f64> {
        self.rate
    }

    /// What applies now.
    pub(super) fn rate(&mut self, now: Instant) -> Option<f64> {
        let (rate, cut) = (self.rate?, self.cut?);
        let since = now.saturating_duration_since(self.at.unwrap_or(now).max(cut.resumed)).as_secs_f64();
        self.at = Some(now.max(self.at.unwrap_or(now)));
        let quiet = now.saturating_duration_since(cut.at).as_secs_f64();
        let growth = if self.known {
            let patience = (KNOWN_PATIENCE / rate).max(PATIENCE.as_secs_f64());
            (KNOWN_BEYOND / patience * (quiet / patience).exp2()).min(NEAR)
        } else {
            match rate / self.refused {
                share if share < IS_NEAR => FAR,
                share if share < IS_BEYOND => NEAR,
                _ => (BEYOND * (quiet / PATIENCE.as_secs_f64()).exp2()).min(NEAR),
            }
        };
        self.rate = Some(rate * (1.0 + growth * since.min(1.0)));
        self.rate
    }

    /// Request `number` is sent.
    pub(super) fn sent(&mut self, number: u64, now: Instant) {
        let marks = self.marks.get_or_insert([(now, number - 1); 2]);
        let (at, sent) = marks[1];
        if now.saturating_duration_since(at) >= LATELY && (number - sent) as f64 > MEASURED {
            *marks = [marks[1], (now, number - 1)];
        }
    }

    pub(super) fn refused(&mut self, refusal: Refusal, now: Instant) {
        let Refusal { number, sent_at, sent, resumes, allowed, told } = refusal;
        let seconds = |from: Instant| sent_at.saturating_duration_since(from).as_secs_f64().max(0.001);
        let taken = number.saturating_sub(self.cut.map_or(0, |cut| cut.sent) + 1) as f64;
        let (mut since, mut total) = self.cut.map_or((now, 0.0), |cut| (cut.since, cut.taken));
        total += taken;
        let mut long = false;
        if taken > 0.0 {
            let most = [self.rate, allowed].into_iter().flatten().fold(f64::MAX, f64::min);
            // Few requests say nothing about how fast they came; then it was as fast as they might.
            let burst = self.burst(number, taken, &seconds, most < f64::MAX);
            let most = most.min(burst.unwrap_or(f64::MAX)).max(SLOWEST);
            // What a server saved up during a pause may have been more than it can save: the truth is rather above.
            let least = self.cut.map_or(most / 4.0, |_| total / seconds(since)).min(most);
            // A window that starts anew is used up ahead of its time at any higher pace; what it gives stays the same.
            long = total >= ENOUGH && seconds(since) >= LONG;
            let same = self.measured.is_some_and(|before| (least / before - 1.0).abs() < SAME);
            // What was told needs no finding out: a refusal then is an accident, or somebody else's doing.
            self.known = !told && (total >= MEASURED && most < WELL_KNOWN * least || long && same);
            if long {
                self.measured = Some(least);
            }
            let between = if self.known { 0.99 * least } else { least.powf(0.7) * most.powf(0.3) };
            // A pace that is said to be allowed cannot be all wrong.
            let floor = allowed.map_or(SLOWEST, |_| most / 2.0);
            self.refused = most;
            self.rate = Some(between.max(floor));
        }
        // Where nothing at all was taken for longer than any window it is an outage, which says nothing about the pace.
        let outage = total == 0.0 && now.saturating_duration_since(since) > MAX_WINDOW;
        // A measurement goes on until it is long: what was taken just before a pause belongs to the same window as the pause.
        if outage || long || self.cut.is_none() {
            (since, total) = (now, 0.0);
        }
        self.cut = Some(Cut { at: now, resumed: resumes.max(now), sent, since, taken: total });
        self.at = Some(now);
        self.marks = Some([(resumes.max(now), sent); 2]);
    }

    /// How fast request `number` and those before it came, lately or since sending went on.
    fn burst(
        &self,
        number: u64,
        taken: f64,
        seconds: &impl Fn(Instant) -> f64,
        otherwise_known: bool,
    ) -> Option<f64> {
        let counts = |requests: &f64| !otherwise_known || *requests >= MEASURED;
        let lately = self.marks.and_then(|[(at, sent), _]| {
            let requests = number.saturating_sub(sent + 1) as f64;
            Some(requests).filter(counts).map(|requests| requests / seconds(at))
        });
        let resumed =
            self.cut.and_then(|cut| Some(taken).filter(counts).map(|taken| taken / seconds(cut.resumed)));
        lately.into_iter().chain(resumed).reduce(f64::max)
    }
}
