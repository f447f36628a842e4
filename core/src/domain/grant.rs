//! A rate limit that several runs share. Its time is a line on which every request takes as much time as the limit allows for
//! one. A run reserves a block of the line before it sends, and sends when its block begins. Times are in microseconds of one
//! clock, that of the shared store.

use std::collections::BTreeSet;
use std::time::Duration;

/// About how much all runs on a line may reserve at once together. Chosen: long enough that a busy run asks a few times a second,
/// short enough that a dying run loses little and that no run waits long for its turn.
pub const ROUND: Duration = Duration::from_millis(500);
/// A run counts as sharing the line if its last block ended no longer ago than this. Chosen: a run that still sends asks more
/// often.
pub const LATELY: Duration = Duration::from_secs(1);
/// The longest block: a year. Chosen; sums of moments fit.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// What a run gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Granted {
    /// How long after the answer was made the block begins.
    pub starts_in: Duration,
    /// The length of the block; shorter than requested if a part of it has passed.
    pub length: Duration,
    /// What each of those who share the line may reserve at once, unless a request takes longer.
    pub part: Duration,
    /// How long all runs must wait, as far as the endpoint has told any of them.
    pub pause: Duration,
}

/// A part of the line that one run has reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Whose it is.
    pub run: String,
    /// The run's own count, so that a block that is requested twice is reserved once.
    pub number: i64,
    /// When it was requested.
    pub asked: i64,
    /// When its first request may be sent.
    pub starts: i64,
    /// When the next block may begin.
    pub ends: i64,
}

/// The blocks that living runs have reserved and those that had begun when others left, in any order.
#[derive(Debug, Clone, Default)]
pub struct Line(pub Vec<Block>);

impl Line {
    /// How far `now` is before the time of the last request, that is, how far the clock was set back.
    pub fn set_back(&self, now: i64) -> i64 {
        self.0.iter().map(|block| block.asked - now).max().unwrap_or(0).max(0)
    }

    /// Reserves for `run` the first free part of the line of that length, or finds what was reserved under this `number` before.
    pub fn grant(&mut self, now: i64, run: &str, number: i64, length: i64) -> Block {
        // What is reserved moves with the clock: nobody waits for the time between, and nothing is reserved twice.
        let set_back = self.set_back(now);
        for block in &mut self.0 {
            block.asked -= set_back;
            block.starts -= set_back;
            block.ends -= set_back;
        }
        if let Some(again) = self.0.iter().find(|block| block.run == run && block.number == number) {
            return again.clone();
        }
        self.0.retain(|block| block.run != run || block.ends > now);
        self.0.sort_unstable_by_key(|block| (block.starts, block.ends));
        let mut starts = now;
        for block in &self.0 {
            if block.starts - starts >= length {
                break;
            }
            starts = starts.max(block.ends);
        }
        let block = Block { run: run.to_owned(), number, asked: now, starts, ends: starts + length };
        self.0.push(block.clone());
        block
    }

    /// Frees what `run`, which has left or died at `now`, has reserved and not begun. A block that has begun is used: whoever comes next
    /// finds the limit taken until its end, as a server counts that does not know one run from another.
    pub fn leave(&mut self, now: i64, run: &str) {
        self.0.retain(|block| block.run != run || block.starts <= now);
    }

    /// What `run` and each of the others that share the line at `now` may reserve at once.
    pub fn part(&self, now: i64, run: &str) -> Duration {
        let since = now - LATELY.as_micros() as i64;
        let others = self.0.iter().filter(|block| block.ends > since && block.run != run);
        let others: BTreeSet<&str> = others.map(|block| &*block.run).collect();
        ROUND / (others.len() as u32 + 1)
    }
}

impl Block {
    /// The answer to a request at `now`.
    pub fn granted(&self, now: i64, part: Duration, pause: Duration) -> Granted {
        let span = |from: i64, to: i64| Duration::from_micros(u64::try_from(to - from).unwrap_or(0));
        let begins = self.starts.max(now);
        Granted { starts_in: span(now, begins), length: span(begins, self.ends), part, pause }
    }
}

/// The length of a block that holds `time`, in microseconds: at least one, and at most a year's.
pub fn length(time: Duration) -> i64 {
    i64::try_from(time.min(LONGEST).as_nanos().div_ceil(1000)).unwrap_or(i64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: i64 = 1_000_000;

    /// When the block of `run` begins and ends.
    fn span(line: &mut Line, now: i64, run: &str, number: i64, length: i64) -> (i64, i64) {
        let Block { starts, ends, .. } = line.grant(now, run, number, length);
        (starts, ends)
    }

    #[test]
    fn a_block_is_reserved_once_and_its_number_names_it() {
        let mut line = Line::default();
        assert_eq!(span(&mut line, 0, "a", 1, 100), (0, 100));
        assert_eq!(span(&mut line, 5, "a", 1, 100), (0, 100));
        assert_eq!(span(&mut line, 5, "b", 1, 30), (100, 130));
        assert_eq!(span(&mut line, 6, "a", 2, 20), (130, 150));
        assert_eq!(line.part(6, "a"), ROUND / 2);
        assert_eq!(line.part(131 + SECOND, "a"), ROUND, "nobody else has asked lately");
        let granted = line.0[0].granted(30, ROUND, Duration::ZERO);
        assert_eq!((granted.starts_in, granted.length), (Duration::ZERO, Duration::from_micros(70)));
    }

    #[test]
    fn what_a_run_leaves_behind_is_had_by_the_next() {
        let mut line = Line::default();
        for run in ["a", "b", "c"] {
            line.grant(0, run, 1, 10);
        }
        line.0.retain(|block| block.run != "b");
        assert_eq!(span(&mut line, 1, "d", 1, 20), (30, 50), "the gap is too short for it");
        assert_eq!(span(&mut line, 1, "e", 1, 5), (10, 15));
        assert_eq!(span(&mut line, 1, "f", 1, 5), (15, 20));
        assert_eq!(span(&mut line, 1, "g", 1, 5), (50, 55));
    }

    #[test]
    fn what_a_run_has_begun_counts_when_it_has_left() {
        let mut line = Line::default();
        for (number, run) in [(1, "a"), (2, "a"), (1, "b")] {
            line.grant(0, run, number, 30 * SECOND);
        }
        line.leave(SECOND, "a");
        assert_eq!(span(&mut line, SECOND, "c", 1, 30 * SECOND), (30 * SECOND, 60 * SECOND));
        assert_eq!(span(&mut line, SECOND, "d", 1, 30 * SECOND), (90 * SECOND, 120 * SECOND));
    }

    #[test]
    fn a_clock_that_is_set_back_stalls_nobody() {
        let mut line = Line::default();
        line.grant(1000 * SECOND, "a", 1, SECOND);
        assert_eq!(span(&mut line, 700 * SECOND, "b", 1, SECOND), (701 * SECOND, 702 * SECOND));
        assert_eq!(span(&mut line, 700 * SECOND + 9, "a", 1, SECOND).0, 700 * SECOND, "the same block still");
    }

    proptest! {
        /// Whatever runs ask for, die and have the clock set: no two blocks meet, the first place that is free is found, and what is asked
        /// for twice is given once.
        #[test]
        fn no_moment_is_reserved_twice(
            steps in prop::collection::vec((0..400_000_i64, 0..8_u8, 1..90_000_i64, 0..40_u8), 1..200),
        ) {
            let (mut line, mut now) = (Line::default(), 0_i64);
            for (number, (passed, run, length, what)) in steps.into_iter().enumerate() {
                let (run, number) = (run.to_string(), number as i64);
                match what {
                    0 => now -= 300 * SECOND,
                    1 => line.0.retain(|block| block.run != run),
                    _ => now += passed,
                }
                let block = line.grant(now, &run, number, length);
                prop_assert_eq!(&block, &line.grant(now, &run, number, length));
                prop_assert!(block.starts >= now && block.ends - block.starts == length);
                let mut sorted = line.0.clone();
                sorted.sort_by_key(|block| block.starts);
                for pair in sorted.windows(2) {
                    prop_assert!(pair[0].ends <= pair[1].starts, "{:?}", pair);
                }
                let mut free = now;
                for other in sorted.iter().take_while(|other| other.starts < block.starts) {
                    prop_assert!(other.starts - free < length, "it would have fit before {:?}", other);
                    free = free.max(other.ends);
                }
                prop_assert_eq!(free, block.starts);
            }
        }
    }
}
