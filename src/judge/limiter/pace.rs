//! How many requests a second an endpoint takes, found out from its refusals alone.

use std::time::Duration;

use tokio::time::Instant;

/// How much faster it gets a second: far below the pace that was refused, near it, and beyond it; the latter doubles with
/// every [`PATIENCE`] without refusal.
const FAR: f64 = 0.35;
const NEAR: f64 = 0.05;
const BEYOND: f64 = 0.002;
const PATIENCE: Duration = Duration::from_secs(30);
/// What far and near mean, as shares of the pace refused.
const IS_NEAR: f64 = 0.7;
const IS_BEYOND: f64 = 0.95;
/// How well the pace must be known for there to be nothing left to try.
const WELL_KNOWN: f64 = 1.15;
const LATELY: Duration = Duration::from_secs(1);
/// The slowest pace, in requests a second; below it the pauses do the work.
const SLOWEST: f64 = 0.1;

/// The pace so far. A server that refuses has nothing left; so what it took between two refusals, divided by the time
/// between them, is the least that it gives.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Requests a second; none as long as nothing was refused.
    rate: Option<f64>,
    /// The pace that was refused.
    refused: f64,
    cut: Option<Cut>,
    /// When `rate` was last brought up to date.
    at: Option<Instant>,
    /// Two moments and the requests sent by then, a second or more apart: how fast it went lately.
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
}

impl Pace {
    /// What applies now.
    pub(super) fn rate(&mut self, now: Instant) -> Option<f64> {
        let (rate, cut) = (self.rate?, self.cut?);
        let since = now.saturating_duration_since(self.at.unwrap_or(now).max(cut.resumed)).as_secs_f64();
        self.at = Some(now.max(self.at.unwrap_or(now)));
        let growth = match rate / self.refused {
            share if share < IS_NEAR => FAR,
            share if share < IS_BEYOND => NEAR,
            _ => {
                let quiet = now.saturating_duration_since(cut.at).as_secs_f64() / PATIENCE.as_secs_f64();
                (BEYOND * quiet.exp2()).min(NEAR)
            }
        };
        self.rate = Some(rate * (1.0 + growth * since.min(1.0)));
        self.rate
    }

    /// Request `number` is sent.
    pub(super) fn sent(&mut self, number: u64, now: Instant) {
        let marks = self.marks.get_or_insert([(now, number - 1); 2]);
        if now.saturating_duration_since(marks[1].0) >= LATELY {
            *marks = [marks[1], (now, number - 1)];
        }
    }

    pub(super) fn refused(&mut self, refusal: Refusal, now: Instant) {
        let Refusal { number, sent_at, sent, resumes, allowed } = refusal;
        let seconds = |from: Instant| sent_at.saturating_duration_since(from).as_secs_f64().max(0.001);
        let taken = number.saturating_sub(self.cut.map_or(0, |cut| cut.sent) + 1) as f64;
        if taken > 0.0 {
            let lately = self
                .marks
                .map_or(0.0, |[(at, sent), _]| number.saturating_sub(sent + 1) as f64 / seconds(at));
            let burst = self.cut.map_or(lately, |cut| lately.max(taken / seconds(cut.resumed)));
            let most = [self.rate, allowed].into_iter().flatten().fold(burst.max(SLOWEST), f64::min);
            // What a server saved up during a pause may have been more than it can save: the truth is rather above.
            let least = self.cut.map_or(most / 4.0, |cut| taken / seconds(cut.at)).min(most);
            let between =
                if most < WELL_KNOWN * least { 0.99 * least } else { least.powf(0.7) * most.powf(0.3) };
            // A pace that is said to be allowed cannot be all wrong.
            let floor = allowed.map_or(SLOWEST, |_| most / 2.0);
            self.refused = most;
            self.rate = Some(between.max(floor));
        }
        // Where nothing at all was taken it is an outage, which says nothing about the pace; the pauses do the work.
        self.cut = Some(Cut { at: now, resumed: resumes.max(now), sent });
        self.at = Some(now);
        self.marks = Some([(resumes.max(now), sent); 2]);
    }
}
