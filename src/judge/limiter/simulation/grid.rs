//! Every kind of limit, filled and kept.

use std::fmt::Write;

use rayon::prelude::*;

use super::enforcer::{Hints, Window};
use super::*;

const NETWORK: Duration = Duration::from_millis(10);
const TOKENS: f64 = 1000.0;
/// What comes before both of these is finding out: it takes time where pauses are long, and requests where they are few.
const WARM: Duration = Duration::from_secs(60);
const WARM_REQUESTS: usize = 500;
/// The most tokens of a request.
const LARGEST: f64 = 1.5 * TOKENS;

/// What is limited beside requests.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tokens {
    Unlimited,
    /// Half of what the requests would take.
    Binding,
    /// Four times that.
    Loose,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    rpm: u32,
    tokens: Tokens,
    latency: Duration,
    hints: Hints,
    window: Window,
    told: bool,
}

/// What came of a cell.
struct Line {
    cell: Cell,
    rows: usize,
    /// Of the theoretical rate.
    share: f64,
    /// Of what was sent after the warm-up.
    refused: f64,
    early: usize,
    lost: usize,
}

impl Cell {
    fn tpm(&self) -> Option<f64> {
        let requests = f64::from(self.rpm) * TOKENS;
        match self.tokens {
            Tokens::Unlimited => None,
            Tokens::Binding => Some(0.5 * requests),
            Tokens::Loose => Some(4.0 * requests),
        }
    }

    /// Whether the limits can be filled by requests that vary in size: each window holds the two largest.
    fn is_sound(&self) -> bool {
        let (Window::Bucket { saves: seconds } | Window::Fixed { seconds, .. } | Window::Sliding { seconds }) =
            self.window;
        self.tpm().is_none_or(|tpm| tpm / 60.0 * seconds >= 2.0 * LARGEST)
    }

    /// A second, in theory: what the scarcest of the limits and of the places in flight allows. What is saved up at the
    /// beginning is not counted, for who is told a rate is not told the saving.
    fn rate(&self) -> f64 {
        let limited = [Some(f64::from(self.rpm)), self.tpm().map(|tpm| tpm / TOKENS)];
        let places = ramp::MOST as f64 / self.trip();
        limited.into_iter().flatten().map(|a_minute| a_minute / 60.0).fold(places, f64::min)
    }

    fn trip(&self) -> f64 {
        (self.latency + NETWORK).as_secs_f64()
    }

    /// Enough for a steady state: some minutes, and sixty round trips.
    fn rows(&self) -> usize {
        let seconds: f64 = match self.rpm {
            ..100 => 2400.0,
            100..1000 => 600.0,
            1000..10_000 => 180.0,
            _ => 60.0,
        };
        (self.rate() * seconds.max(60.0 * self.trip())) as usize
    }

    /// Seconds at the theoretical rate, and the time of the last answer.
    fn ideal(&self) -> f64 {
        self.rows() as f64 / self.rate() + self.trip()
    }

    fn measure(self) -> Line {
        let rules = Rules {
            rpm: Some(self.rpm.into()),
            tpm: self.tpm(),
            window: self.window,
            hints: self.hints,
            spread: 0.5,
            epoch: epoch(),
            ..Rules::open(self.latency)
        };
        let told = |limit: f64| if self.told { limit as u32 } else { 0 };
        let run = Run {
            limits: limits(Concurrency::Auto, told(self.rpm.into()), told(self.tpm().unwrap_or(0.0))),
            rules,
            rows: self.rows(),
            tokens: TOKENS,
            network: NETWORK,
            patience: Duration::from_secs(100_000),
            seed: 7,
        };
        let outcome = run.simulate();
        let arrivals = &outcome.truth.arrivals;
        let warm = arrivals.get(WARM_REQUESTS).map_or(Duration::MAX, |arrival| arrival.at.max(WARM));
        let late = arrivals.iter().filter(|arrival| arrival.at >= warm).count().max(1000);
        Line {
            cell: self,
            rows: run.rows,
            share: self.ideal() / outcome.seconds,
            refused: outcome.truth.refused_after(warm) as f64 / late as f64,
            early: outcome.truth.early(),
            lost: run.rows - outcome.answered,
        }
    }
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    let windows = [
        Window::Bucket { saves: 0.2 },
        Window::Bucket { saves: 1.0 },
        Window::Bucket { saves: 10.0 },
        Window::Bucket { saves: 60.0 },
        Window::Fixed { seconds: 1.0, over: 0.3 },
        Window::Fixed { seconds: 60.0, over: 36.0 },
        Window::Sliding { seconds: 60.0 },
    ];
    for rpm in [60, 600, 6000, 30_000] {
        for tokens in [Tokens::Unlimited, Tokens::Binding, Tokens::Loose] {
            for latency in [20, 500, 5000] {
                for window in windows {
                    for hints in Hints::ALL {
                        for told in [true, false] {
                            let latency = Duration::from_millis(latency);
                            cells.push(Cell { rpm, tokens, latency, hints, window, told });
                        }
                    }
                }
            }
        }
    }
    cells.retain(Cell::is_sound);
    cells
}

fn table(lines: &[Line]) -> String {
    let mut table =
        "| rpm | tpm | latency | window | hints | told | rows | share | refused after | early | lost |\n"
            .to_owned();
    for Line { cell, rows, share, refused, early, lost } in lines {
        writeln!(
            table,
            "| {} | {:?} | {:?} | {:?} | {:?} | {} | {rows} | {share:.3} | {:.2} | {early} | {lost} |",
            cell.rpm,
            cell.tokens,
            cell.latency,
            cell.window,
            cell.hints,
            if cell.told { "told" } else { "untold" },
            1000.0 * refused
        )
        .unwrap();
    }
    table
}

#[test]
fn every_limit_is_filled_and_kept() {
    let step = std::env::var("TOOLJUDGE_GRID").ok().and_then(|step| step.parse().ok()).unwrap_or(37);
    let cells: Vec<Cell> = cells().into_iter().step_by(step).collect();
    let lines: Vec<Line> = cells.into_par_iter().map(Cell::measure).collect();
    println!("{}", table(&lines));
}
