//! When a run is killed: at a moment of its life, or in a phase that can be seen from outside.

use std::time::Duration;

use super::life::ROWS;
use super::wait_until;
use crate::support::child::Running;
use crate::support::server::Server;
use crate::support::workspace::Workspace;
use tooljudge_laws::mutations::Dice;

/// When to kill.
#[derive(Debug, Clone, Copy)]
pub enum Instant {
    /// So long after the start, uniform over an unbroken run.
    After(Duration),
    /// The store is there, and nobody was asked.
    BeforeRequests,
    /// So many requests have come.
    Requests(usize),
    /// The log of the store has at least so many bytes: a commit is under way or just over.
    Commit(u64),
    /// Everything is answered, and the table is being written.
    Writing,
    /// The table has its name.
    Renamed,
    /// The manifest of the finished run is there; the store is being closed.
    Finishing,
    /// Again and again, at moments uniform over an unbroken run.
    Chain(usize),
}

impl Instant {
    /// The instant of a case: half at random times, the others in all phases.
    pub fn of(case: usize, duration: Duration, dice: &mut Dice) -> Instant {
        match case % 14 {
            0 => Instant::BeforeRequests,
            2 => Instant::Requests(1 + dice.roll(ROWS - 1)),
            4 => Instant::Commit(1 + dice.roll(400_000) as u64),
            6 | 8 => Instant::Writing,
            10 => Instant::Renamed,
            12 => Instant::Finishing,
            13 => Instant::Chain(2 + dice.roll(4)),
            _ => Instant::After(moment(duration, dice)),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Instant::After(_) => "at any time",
            Instant::BeforeRequests => "before the first request",
            Instant::Requests(_) => "after n requests",
            Instant::Commit(_) => "at a commit",
            Instant::Writing => "while the table is written",
            Instant::Renamed => "when the table has its name",
            Instant::Finishing => "while the store is closed",
            Instant::Chain(_) => "one run, several times",
        }
    }

    /// How often a run is killed.
    pub fn times(&self) -> usize {
        match self {
            Instant::Chain(times) => *times,
            _ => 1,
        }
    }

    /// Waits for the instant. `false` if the run ends before.
    pub fn wait(
        &self,
        run: &Running,
        (work, output): (&Workspace, &str),
        server: &Server,
        duration: Duration,
        dice: &mut Dice,
    ) -> bool {
        let log = work.path(".tooljudge/replies.sqlite-wal");
        let bytes = |path: &std::path::Path| path.metadata().map_or(0, |file| file.len());
        let (output, manifest) = (work.path(output), work.path(&format!("{output}.run.json")));
        let come = || match self {
            Instant::After(_) | Instant::Chain(_) => true,
            Instant::BeforeRequests => bytes(&log) > 0,
            Instant::Requests(requests) => server.requests() >= *requests,
            Instant::Commit(size) => bytes(&log) >= *size,
            Instant::Writing => {
                server.requests() >= ROWS && work.names().iter().any(|name| name.ends_with(".part"))
            }
            Instant::Renamed => output.exists(),
            Instant::Finishing => {
                std::fs::read_to_string(&manifest).is_ok_and(|text| text.contains("finished_at"))
            }
        };
        match self {
            Instant::After(time) => std::thread::sleep(*time),
            Instant::Chain(_) => std::thread::sleep(moment(duration, dice)),
            // A moment more, so that not every kill hits the beginning of its phase.
            Instant::Writing | Instant::BeforeRequests => {
                let more = Duration::from_micros(dice.roll(4_000) as u64);
                wait_until(|| come() || run.ended().is_some());
                std::thread::sleep(more);
            }
            _ => drop(wait_until(|| come() || run.ended().is_some())),
        }
        run.ended().is_none()
    }
}

fn moment(duration: Duration, dice: &mut Dice) -> Duration {
    duration.mul_f64(dice.roll(10_000) as f64 / 10_000.0)
}
