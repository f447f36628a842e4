//! This run's reservations of a shared rate limit: blocks of time in which it may send.
//!
//! A request uses as much time of a block as the limit allows for it, and is sent when that time begins. The blocks of all runs
//! follow each other, so together they send as much as one run would.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::{Granted, ROUND};

/// How late a request may be sent. Chosen: enough to make up for a late timer and for the way to the store, too little to offend a
/// server that counts by the second.
const SLACK: Duration = Duration::from_millis(100);
/// How long before its last block begins a run asks for another, at least and at most; in between, twice as long as the store has taken of
/// late. Chosen.
const AHEAD: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];
/// How much of the longest time that the store took counts still with the next answer, from 0 to 1. Chosen.
const STILL: f64 = 0.9;
/// What a float may be short of without anybody noticing, in seconds. Chosen: far below the time of a request.
const ROUNDING: f64 = 1e-6;

#[derive(Debug, Default)]
pub(super) struct Grants {
    /// In the order of time.
    blocks: VecDeque<Block>,
    /// Seconds that requests took beyond what was reserved for them; below zero, what they left.
    owed: f64,
    /// What is being asked for, if anything is: seconds for requests, and what was owed then.
    asked: (f64, f64),
    /// What may be reserved at once, in seconds, unless a request takes longer.
    part: f64,
    /// When a block was last asked for, and how long the store takes.
    asked_at: Option<Instant>,
    takes: Duration,
}

/// What is left of a block.
#[derive(Debug)]
struct Block {
    starts: Instant,
    ends: Instant,
    /// What the requests of this time may take: more than the time is long where earlier ones took less than was reserved for them.
    seconds: f64,
    /// As much when it was granted, as long as no request has taken of it.
    whole: Option<f64>,
}

impl Block {
    /// Leaves a share of it behind, from 0 to 1.
    fn pass(&mut self, share: f64) {
        self.starts += (self.ends - self.starts).mul_f64(share);
        self.seconds *= 1.0 - share;
    }
}

impl Grants {
    /// Adds the block that was asked for, as heard at `now`.
    pub(super) fn add(&mut self, granted: Granted, now: Instant) {
        self.part = granted.part.as_secs_f64();
        let took = self.asked_at.map_or(Duration::ZERO, |asked| now.saturating_duration_since(asked));
        self.takes = took.max(self.takes.mul_f64(STILL));
        let (seconds, owed) = std::mem::take(&mut self.asked);
        let starts = now + granted.starts_in;
        // What passed while the store was away is lost.
        let share = (granted.length.as_secs_f64() / (seconds + owed).max(ROUNDING)).min(1.0);
        let block = Block {
            starts,
            ends: starts + granted.length,
            seconds: seconds * share,
            whole: Some(seconds * share),
        };
        if block.seconds <= ROUNDING {
            return;
        }
        let at = self.blocks.partition_point(|other| other.starts <= starts);
        self.blocks.insert(at, block);
    }

    /// How long the store takes to answer, about.
    pub(super) fn takes(&self) -> Duration {
        self.takes
    }

    /// When a request that takes `seconds` may be sent; nothing where too little is reserved.
    pub(super) fn ready(&mut self, now: Instant, seconds: f64) -> Option<Instant> {
        self.expire(now);
        let mut short = seconds - ROUNDING;
        if short <= 0.0 {
            return Some(now);
        }
        for block in &self.blocks {
            short -= block.seconds;
            if short <= 0.0 {
                return Some(now.max(block.starts));
            }
        }
        if self.is_late_for(seconds) && self.blocks.front().is_some_and(|block| block.starts <= now) {
            return Some(now);
        }
        // What others have left may do for it. Whoever was idle is no richer for that.
        self.owed = self.owed.max(-seconds.max(ROUND.as_secs_f64()));
        (seconds + self.owed <= ROUNDING).then_some(now)
    }

    /// Whether a block that was granted for a request of so long, and that nobody has taken of, is only too short because it was looked at
    /// late: whoever is always late would never be sent.
    fn is_late_for(&self, seconds: f64) -> bool {
        let whole = self.blocks.front().and_then(|block| block.whole);
        whole.is_some_and(|whole| whole + ROUNDING >= seconds) && self.held() < seconds - ROUNDING
    }

    /// What all blocks hold, in seconds.
    fn held(&self) -> f64 {
        self.blocks.iter().map(|block| block.seconds).sum()
    }

    /// Takes `seconds`, which are there: in the blocks, or else in what others have left.
    pub(super) fn take(&mut self, mut seconds: f64) {
        if self.is_late_for(seconds) {
            let late = self.blocks.pop_front().map_or(0.0, |block| block.seconds);
            self.owed += seconds - late;
            return;
        }
        if self.held() < seconds - ROUNDING {
            self.owed += seconds;
            return;
        }
        while seconds > ROUNDING
            && let Some(block) = self.blocks.front_mut()
        {
            if block.seconds > seconds + ROUNDING {
                block.pass(seconds / block.seconds);
                block.whole = None;
                return;
            }
            seconds -= block.seconds;
            self.blocks.pop_front();
        }
    }

    /// A request took `seconds` more than it was thought to; or less, where they are negative.
    pub(super) fn settle(&mut self, seconds: f64) {
        self.owed += seconds;
    }

    /// How long a block to ask for, where the next requests take so many `seconds` each; or when to look again, if that can be said.
    pub(super) fn lacks(&mut self, now: Instant, seconds: &[f64]) -> Result<Duration, Option<Instant>> {
        self.expire(now);
        let mut held = self.held();
        let covered = seconds.iter().take_while(|seconds| {
            held -= **seconds;
            held >= -ROUNDING
        });
        let (covered, uncovered) = seconds.split_at(covered.count());
        // When half of it is used: so a few long blocks are asked for, not many short ones.
        if uncovered.len() <= covered.len() {
            return Err(None);
        }
        let ahead = (2 * self.takes).clamp(AHEAD[0], AHEAD[1]);
        let asks = self.blocks.back().map_or(now, |block| block.starts.checked_sub(ahead).unwrap_or(now));
        if asks > now {
            return Err(Some(asks));
        }
        let mut sum = 0.0;
        for (number, seconds) in uncovered.iter().enumerate() {
            if number > 0 && sum + seconds > self.part {
                break;
            }
            sum += seconds;
        }
        let owed = self.owed.max(-sum);
        self.owed -= owed;
        (self.asked, self.asked_at) = ((sum, owed), Some(now));
        Ok(Duration::try_from_secs_f64(sum + owed).unwrap_or(Duration::MAX))
    }

    /// Time that passed unused is nobody's.
    fn expire(&mut self, now: Instant) {
        let Some(oldest) = now.checked_sub(SLACK) else { return };
        while let Some(block) = self.blocks.front_mut() {
            if block.ends > oldest {
                if oldest > block.starts {
                    let passed = (oldest - block.starts).as_secs_f64();
                    block.pass(passed / (block.ends - block.starts).as_secs_f64());
                }
                break;
            }
            self.blocks.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of three seconds whose owner always wakes late.
    #[test]
    fn whoever_is_late_is_sent_all_the_same() {
        let (mut now, mut grants) = (Instant::now() + Duration::from_secs(10), Grants::default());
        let mut sent = 0;
        for _ in 0..20 {
            if let Ok(length) = grants.lacks(now, &[3.0]) {
                grants.add(Granted { length, part: Duration::from_millis(100), ..Granted::default() }, now);
            }
            now += Duration::from_millis(250);
            if grants.ready(now, 3.0).is_some_and(|ready| ready <= now) {
                grants.take(3.0);
                sent += 1;
            }
            now += Duration::from_secs(4);
        }
        assert_eq!(sent, 20);
    }

    /// Nobody asks for what is hardly anything, so it goes.
    #[test]
    fn hardly_anything_is_free() {
        let mut grants = Grants::default();
        grants.settle(1e-5);
        let now = Instant::now();
        assert_eq!(grants.ready(now, 5e-7), Some(now));
    }

    #[test]
    fn blocks_that_are_over_or_too_short_are_none() {
        let now = Instant::now() + Duration::from_secs(10);
        let part = Duration::from_millis(100);
        // The last one asked for is shorter than what earlier answers have left.
        for (length, left) in [(Duration::ZERO, 0.0), (Duration::from_nanos(1), 0.0), (Duration::ZERO, -5.0)]
        {
            let mut grants = Grants::default();
            grants.settle(left);
            let asked = grants.lacks(now, &[1.0, 1.0]);
            assert!(asked.is_ok(), "{asked:?}");
            grants.add(Granted { length, part, ..Granted::default() }, now);
            for later in [0, 50, 200, 1_000] {
                let now = now + Duration::from_millis(later);
                let _ = grants.lacks(now, &[1.0]);
                if grants.ready(now, 1.0).is_some() {
                    grants.take(1.0);
                }
            }
        }
    }
}
