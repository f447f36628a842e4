//! Every kind of limit: how much of it is used, and how seldom it is exceeded.

use std::fmt::Write;

use proptest::prelude::*;
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
        self.tpm().is_none_or(|tpm| tpm / 60.0 * self.window.seconds() >= 2.0 * LARGEST)
    }

    /// A second, in theory: what the scarcest of the limits and of the places in flight allows. What is saved up at the
    /// beginning is not counted, for who is told a rate is not told the saving.
    fn rate(&self) -> f64 {
        let limited = [Some(f64::from(self.rpm)), self.tpm().map(|tpm| tpm / TOKENS)];
        let places = concurrency_controller::MAX_IN_FLIGHT as f64 / self.trip();
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

/// What a cell must reach: the share of the theoretical rate, and the refusals per thousand once it is warm.
struct Bound {
    share: f64,
    refused: f64,
}

impl Cell {
    /// Requests a minute that bind.
    fn binding(&self) -> f64 {
        self.tpm().map_or(f64::from(self.rpm), |tpm| f64::from(self.rpm).min(tpm / TOKENS))
    }

    fn bound(&self) -> Bound {
        let bound = |share, refused| Bound { share, refused };
        match self.window {
            // A limit of so many a second that is stated like one of a minute is taken for that, until something else is
            // proved; so it is used too little, which breaks nothing.
            Window::Fixed { seconds: 1.0, .. } if self.hints.tell() => bound(0.0, 20.0),
            // A minute's limit spread evenly does not fit into each second where requests differ in size or latency.
            Window::Fixed { seconds: 1.0, .. } => bound(0.25, 20.0),
            // Each of few requests is much of a minute, and they differ in size.
            _ if self.told && self.binding() < 100.0 => bound(0.88, 2.0),
            _ if self.told => bound(0.97, 1.0),
            // A pace is found out from requests taken and refused, so it takes as long as they do: where few come a minute
            // half an hour does not suffice.
            Window::Bucket { .. } if self.binding() <= 60.0 => bound(0.70, 20.0),
            Window::Bucket { .. } => bound(0.70, 3.0),
            // With a bare refusal only further refusals tell when a window is over.
            _ if self.hints == Hints::Silent => bound(0.25, 60.0),
            _ => bound(0.55, 30.0),
        }
    }
}

fn check(line: &Line) -> Result<(), String> {
    let Bound { share, refused } = line.cell.bound();
    if line.lost == 0 && line.early == 0 && line.share >= share && 1000.0 * line.refused <= refused {
        return Ok(());
    }
    Err(format!("expected {share}, {refused}:\n{}", table(std::slice::from_ref(line))))
}

/// Every cell where `TOOLJUDGE_GRID` is 1, every so manieth where it is another number.
#[test]
fn every_limit_is_filled_and_kept() {
    let step = at_length();
    let quick = |cell: &Cell| step.is_some() || cell.rows() <= 6000;
    let cells: Vec<Cell> = cells().into_iter().filter(quick).step_by(step.unwrap_or(97)).collect();
    let lines: Vec<Line> = cells.into_par_iter().map(Cell::measure).collect();
    println!("{}", table(&lines));
    let failed: Vec<String> = lines.iter().filter_map(|line| check(line).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A limit that is not a minute's, stated without a word of that: the reset tells.
#[test]
fn the_reset_tells_the_window() {
    for window in [
        Window::Fixed { seconds: 4.0, over: 0.3 },
        Window::Fixed { seconds: 1.0, over: 0.3 },
        Window::Fixed { seconds: 10.0, over: 7.0 },
        Window::Cup { seconds: 2.0 },
        Window::Cup { seconds: 4.0 },
    ] {
        for hints in [Hints::OpenAi, Hints::Anthropic] {
            for (told, latency) in [(0, 20), (300, 20), (0, 500)] {
                for rows in [60, 600] {
                    let rules = Rules {
                        rpm: Some(300.0),
                        window,
                        hints,
                        spread: 0.5,
                        epoch: epoch(),
                        ..Rules::open(Duration::from_millis(latency))
                    };
                    let limits = limits(Concurrency::Auto, told, 0);
                    let patience = Duration::from_secs(2000);
                    let run =
                        Run { limits, rules, rows, tokens: TOKENS, network: NETWORK, patience, seed: 7 };
                    let outcome = run.simulate();
                    // Times of day come late, and say little where an answer takes as long as a window.
                    let late = hints == Hints::Anthropic && latency as f64 > 250.0 * window.seconds();
                    let most = if late { 3.0 } else { 1.5 };
                    let share = outcome.seconds / (rows as f64 / 5.0);
                    let (refused, early) = (outcome.truth.refused(), outcome.truth.early());
                    println!(
                        "{window:?} {hints:?} {latency} ms, told {told}, {rows} rows: {share:.2} of the time, {refused} refused"
                    );
                    assert_eq!((outcome.answered, early), (rows, 0));
                    assert!(share <= most && refused <= rows / 10, "{window:?} {hints:?} told {told}");
                }
            }
        }
    }
}

fn windows() -> impl Strategy<Value = Window> {
    prop_oneof![
        (0.1..60.0_f64).prop_map(|saves| Window::Bucket { saves }),
        (0.0..60.0_f64).prop_map(|over| Window::Fixed { seconds: 60.0, over }),
        Just(Window::Sliding { seconds: 60.0 }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn no_limit_loses_a_row_or_is_asked_too_early(
        rpm in 60_u32..300,
        tokens in prop::sample::select(vec![Tokens::Unlimited, Tokens::Binding, Tokens::Loose]),
        latency in 5_u64..3000,
        hints in prop::sample::select(Hints::ALL.to_vec()),
        window in windows(),
        told: bool,
    ) {
        let cell = Cell { rpm, tokens, latency: Duration::from_millis(latency), hints, window, told };
        prop_assume!(cell.is_sound());
        let line = cell.measure();
        prop_assert!(line.lost == 0 && line.early == 0, "{}", table(&[line]));
        if told {
            prop_assert!(line.share >= 0.88 && line.refused <= 0.002, "{}", table(&[line]));
        }
    }
}
