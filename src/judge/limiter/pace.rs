//! How many requests a second an endpoint takes, found out from its refusals alone.

use std::time::Duration;

use tokio::time::Instant;

/// How fast a lowered pace comes back to just below where it was refused, as a time constant.
const RETURN: f64 = 2.0;
/// Where the fast way back ends, as a share of the pace refused.
const BELOW: f64 = 0.96;
/// How much faster it gets a second from there on, at first; doubles with every [`PATIENCE`] without refusal.
const CREEP: f64 = 0.002;
const FASTEST_CREEP: f64 = 0.05;
const PATIENCE: Duration = Duration::from_secs(30);
/// The slowest pace, in requests a second; below it the pauses do the work.
const SLOWEST: f64 = 0.1;

/// The pace so far. A server that refuses has nothing left; so what it took between two refusals, divided by the time
/// between them, is what it gives.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Requests a second; none as long as nothing was refused.
    rate: Option<f64>,
    /// The pace that was refused.
    refused: f64,
    cut: Option<Cut>,
    /// When `rate` was last brought up to date.
    at: Option<Instant>,
    first_sent: Option<Instant>,
}

/// The last refusal that counted.
#[derive(Debug, Clone, Copy)]
struct Cut {
    at: Instant,
    /// When sending went on.
    resumed: Instant,
    /// Requests sent until then: whatever of these is refused later belongs to the same refusal.
    sent: u64,
}

impl Pace {
    /// What applies now.
    pub(super) fn rate(&mut self, now: Instant) -> Option<f64> {
        let (rate, cut) = (self.rate?, self.cut?);
        let since = now.saturating_duration_since(self.at.unwrap_or(now).max(cut.resumed)).as_secs_f64();
        self.at = Some(now);
        let near = self.refused * BELOW;
        let faster = if rate < near {
            rate + (near * 1.02 - rate) * (1.0 - (-since / RETURN).exp())
        } else {
            let patient = now.saturating_duration_since(cut.at).as_secs_f64() / PATIENCE.as_secs_f64();
            rate * (1.0 + (CREEP * patient.exp2()).min(FASTEST_CREEP) * since.min(1.0))
        };
        self.rate = Some(faster);
        self.rate
    }

    pub(super) fn sent(&mut self, now: Instant) {
        self.first_sent.get_or_insert(now);
    }

    /// Whether a refusal of request `number` tells anything new.
    pub(super) fn is_news(&self, number: u64) -> bool {
        self.cut.is_none_or(|cut| number > cut.sent)
    }

    /// Request `number`, sent at `sent_at`, was refused; `sent` have been sent by now, and nothing will be before
    /// `resumes`.
    pub(super) fn refused(
        &mut self,
        number: u64,
        sent_at: Instant,
        sent: u64,
        now: Instant,
        resumes: Instant,
    ) {
        let (before, from, active_from) = match self.cut {
            Some(cut) => (cut.sent, cut.at, cut.resumed),
            None => (0, now, self.first_sent.unwrap_or(now)),
        };
        let taken = number.saturating_sub(before + 1) as f64;
        let seconds = |from: Instant| sent_at.saturating_duration_since(from).as_secs_f64().max(0.001);
        if taken > 0.0 {
            // While sending paused the server saved up something, or its savings overflowed: the truth lies between.
            let most = taken / seconds(active_from);
            let least = self.cut.map_or(most / 4.0, |_| taken / seconds(from));
            let between = (least * most).sqrt();
            self.refused = most;
            self.rate = Some(if most < 1.1 * least { least * 0.99 } else { between }.max(SLOWEST));
        } else {
            // Nothing at all was taken: an outage, which says nothing about the pace before it.
            self.rate = self.rate.map(|rate| (rate / 2.0).max(SLOWEST));
        }
        self.cut = Some(Cut { at: now, resumed: resumes.max(now), sent });
        self.at = Some(now);
    }
}
