//! How often the intervals of `stats` hold the truth, and how often its tests raise a false alarm, in worlds where both are known.
//!
//! `nice cargo bench --bench coverage [-- REPLICATIONS SECTION...]` prints the tables of `docs/statistics.md`: 2,000 replications for
//! each of three seeds, half an hour on two busy cores; `-- 200 figures` takes seconds. Rates are of the replications in which the
//! figure is defined.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../tests/statistics/worlds.rs"]
mod worlds;

use std::collections::BTreeMap;

use tooljudge_core::domain::Random;
use tooljudge_core::sampling::{self, Draw, Queue};
use tooljudge_core::stats::*;
use worlds::{Clusters, Judge, World};

const SEEDS: [u64; 3] = [1, 2, 3];
const ROWS: [usize; 3] = [50, 200, 1000];
const PREVALENCES: [f64; 4] = [0.1, 0.3, 0.5, 0.9];
const CLUSTERS: [Clusters; 7] = [
    Clusters::Equal(1),
    Clusters::Equal(5),
    Clusters::Uneven(5.0),
    Clusters::Equal(30),
    Clusters::Uneven(30.0),
    Clusters::Dominated(0.5),
    Clusters::Dominated(0.96),
];
const TYPICAL: Judge = Judge { sensitivity: 0.9, specificity: 0.75 };
const STRONG: Judge = Judge { sensitivity: 0.98, specificity: 0.95 };
const OTHER: Judge = Judge { sensitivity: 0.8, specificity: 0.85 };

/// What was counted of one figure in one cell.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    held: u32,
    below: u32,
    defined: u32,
    tries: u32,
    width: f64,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.held += other.held;
        self.below += other.below;
        self.defined += other.defined;
        self.tries += other.tries;
        self.width += other.width;
    }

    fn rate(&self) -> f64 {
        f64::from(self.held) / f64::from(self.defined)
    }
}

/// By figure, rows and clusters, then by the rest of the cell and the seed.
type Table = BTreeMap<(String, usize, String), BTreeMap<(String, u64), Count>>;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let replications = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(2000);
    let chosen: Vec<&str> =
        args.iter().filter(|a| a.chars().all(char::is_alphabetic)).map(|a| a.as_str()).collect();
    for (name, run) in SECTIONS {
        if chosen.is_empty() || chosen.contains(&name) {
            let tables = std::thread::scope(|scope| {
                let seed = |seed| {
                    scope.spawn(move || {
                        let mut table = Table::new();
                        grid().for_each(|world| {
                            run(&mut Cell { table: &mut table, world, seed, replications })
                        });
                        table
                    })
                };
                SEEDS.map(seed).map(|thread| thread.join().unwrap())
            });
            let mut table = Table::new();
            for (key, cells) in tables.into_iter().flatten() {
                table.entry(key).or_default().extend(cells);
            }
            show(name, &table);
        }
    }
    if chosen.is_empty() || chosen.contains(&"power") {
        power();
    }
}

/// Rows in a cluster; about as many where they are uneven; the share of rows in one cluster beside single ones.
fn name_of(clusters: Clusters) -> String {
    match clusters {
        Clusters::Equal(size) => format!("{size}"),
        Clusters::Uneven(mean) => format!("~{mean}"),
        Clusters::Dominated(share) => format!("{:.0}%,1", 100.0 * share),
    }
}

fn grid() -> impl Iterator<Item = World> {
    ROWS.into_iter().flat_map(|rows| {
        CLUSTERS.into_iter().flat_map(move |clusters| {
            PREVALENCES.into_iter().map(move |prevalence| World { rows, clusters, prevalence })
        })
    })
}

struct Cell<'a> {
    table: &'a mut Table,
    world: World,
    seed: u64,
    replications: u32,
}

impl Cell<'_> {
    fn random(&self) -> Random {
        let world = &self.world;
        let cell = format!("{world:?}{}", self.seed);
        Random::new(
            cell.bytes().fold(self.seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    fn count(&mut self, figure: &str, variant: &str, found: Option<Estimate>, truth: f64) {
        self.event(
            figure,
            variant,
            found.map(|found| {
                assert!(found.low <= found.value && found.value <= found.high, "{figure} {found:?}");
                (found.low - 1e-9 <= truth && truth <= found.high + 1e-9, found.high < truth, found.width())
            }),
        );
    }

    fn event(&mut self, figure: &str, variant: &str, found: Option<(bool, bool, f64)>) {
        let key = (figure.to_owned(), self.world.rows, name_of(self.world.clusters));
        let rest = (format!("prevalence {}{variant}", self.world.prevalence), self.seed);
        let count = self.table.entry(key).or_default().entry(rest).or_default();
        count.tries += 1;
        if let Some((held, below, width)) = found {
            count.defined += 1;
            count.held += u32::from(held);
            count.below += u32::from(below);
            count.width += width;
        }
    }
}

type Section = (&'static str, fn(&mut Cell));
const SECTIONS: [Section; 8] = [
    ("figures", figures),
    ("scores", scores),
    ("corrected", corrected),
    ("powered", powered),
    ("drawn", drawn),
    ("repeats", repeats),
    ("paired", paired),
    ("shift", shift),
];

fn scores(cell: &mut Cell) {
    let mut random = cell.random();
    let area = 1.0 - quantile::normal_upper(2.0 / (1.2 * 2.0_f64.sqrt()));
    let (least, error) = cell.world.truth_of_rated(10);
    for at in 0..cell.replications {
        let rated = cell.world.rated(&mut random);
        cell.count("auc", "", auc_estimate(&rated), area);
        cell.count("brier", "", brier(&rated), least);
        if at % 8 == 0 {
            cell.count("ece", "", ece(&rated, 10), error);
        }
    }
}

/// The calibration set has as many rows as the logs, half of them right, in clusters of the same sizes.
fn corrected(cell: &mut Cell) {
    let mut random = cell.random();
    let calibration = World { prevalence: 0.5, ..cell.world };
    for (name, judge) in [(", typical judge", TYPICAL), (", strong judge", STRONG)] {
        for _ in 0..cell.replications {
            let tables = calibration.tables(judge, &mut random);
            let found = corrected_share(&cell.world.passes(judge, &mut random), &tables);
            let prevalence = cell.world.prevalence;
            match found {
                Ok(found) => cell.count("corrected", name, Some(found.corrected), prevalence),
                Err(NoInformation::Contradiction(_)) => {
                    cell.event("corrected", name, Some((false, false, 0.0)))
                }
                Err(_) => cell.event("corrected", name, None),
            }
        }
    }
}

/// A quarter as many rows with gold as without.
fn powered(cell: &mut Cell) {
    let mut random = cell.random();
    let labelled = World { rows: cell.world.rows / 4, ..cell.world };
    for (name, judge) in [(", typical judge", TYPICAL), (", strong judge", STRONG)] {
        for _ in 0..cell.replications {
            let tables = labelled.tables(judge, &mut random);
            let others = cell.world.passes(judge, &mut random);
            let prevalence = cell.world.prevalence;
            cell.count("powered", name, prediction_powered_share(&others, &tables), prevalence);
            cell.count("gold alone", name, prediction_powered_share(&[], &tables), prevalence);
            // The question with most of the rows has no gold: `label` warns of it.
            if let Clusters::Dominated(_) = cell.world.clusters {
                let tables = World { clusters: Clusters::Equal(1), ..labelled }.tables(judge, &mut random);
                let found = prediction_powered_share(&others, &tables);
                cell.count("powered, no gold of the question", name, found, prevalence);
            }
        }
    }
}

/// Marks of rows that are drawn one by one: how often the interval holds the share among all rows of that very log.
fn drawn(cell: &mut Cell) {
    let mut random = cell.random();
    let rounds: [(&str, &[Queue]); 4] = [
        ("drawn at random", &[Queue::Random]),
        ("drawn by strata", &[Queue::Stratified]),
        ("drawn by doubt", &[Queue::Active]),
        ("drawn in rounds", &[Queue::Random, Queue::Active, Queue::Stratified]),
    ];
    let wanted = match cell.world.rows {
        50 => 20,
        200 => 40,
        _ => 100,
    };
    for (name, judge) in [(", typical judge", TYPICAL), (", strong judge", STRONG)] {
        for _ in 0..cell.replications {
            let log = Log::of(cell.world, judge, &mut random);
            for (figure, queues) in rounds {
                let (found, _) = log.marked(queues, wanted, &mut random);
                cell.count(figure, name, found, log.truth());
            }
            if let Clusters::Dominated(_) = cell.world.clusters {
                // A question of a twelfth of the rows that happens to get none of twenty marks.
                let log =
                    Log::of(World { clusters: Clusters::Dominated(0.08), ..cell.world }, judge, &mut random);
                let (found, of_giant) = log.marked(&[Queue::Random], 20, &mut random);
                cell.count("drawn, one of 8 %", name, found, log.truth());
                if of_giant == 0 {
                    cell.count("drawn, none of 8 %", name, found, log.truth());
                }
            }
        }
    }
}

/// A log whose rows have a label each, and of which it is known what is right.
struct Log {
    /// The question, what is right, and what the judge says.
    rows: Vec<(usize, bool, bool)>,
}

impl Log {
    fn of(world: World, judge: Judge, random: &mut Random) -> Log {
        let clusters = world.draw(random, |gold, random| judge.label(gold, random));
        let rows = clusters.iter().enumerate();
        let rows = rows.flat_map(|(at, rows)| rows.iter().map(move |(gold, label)| (at, *gold, *label)));
        Log { rows: rows.collect() }
    }

    fn truth(&self) -> f64 {
        self.rows.iter().filter(|row| row.1).count() as f64 / self.rows.len() as f64
    }

    /// The share by so many marks, drawn in a round for each of the queues, and how many marks the first question has.
    fn marked(&self, queues: &[Queue], wanted: usize, random: &mut Random) -> (Option<Estimate>, usize) {
        let mut pool: Vec<usize> = (0..self.rows.len()).collect();
        let mut drawn: Vec<(usize, Draw)> = Vec::new();
        for (round, queue) in (1..).zip(queues) {
            let count = wanted / queues.len();
            let found = match queue {
                Queue::Random => sampling::equally(pool.len(), count, random),
                // The first question by itself, as a column would have it, and what fails.
                Queue::Stratified => {
                    let group = |row: &usize| match self.rows[*row] {
                        (0, ..) => 0,
                        (_, _, label) => 1 + usize::from(label),
                    };
                    let groups: Vec<usize> = pool.iter().map(group).collect();
                    sampling::stratified(&groups, count, random).unwrap()
                }
                _ => {
                    let doubt = |row: &usize| if self.rows[*row].2 { 0.7 } else { 1.4 } + 0.4 * random.unit();
                    let sizes: Vec<f64> = pool.iter().map(doubt).collect();
                    sampling::unevenly(&sizes, count, random)
                }
            };
            let (count, of) = (found.len() as u64, pool.len() as u64);
            let draw = |probability| Draw { queue: *queue, round, drawn: count, drawn_from: of, probability };
            let taken: Vec<usize> = found.iter().map(|(at, _)| pool[*at]).collect();
            drawn.extend(found.iter().map(|(at, probability)| (pool[*at], draw(*probability))));
            pool.retain(|row| !taken.contains(row));
        }
        let draws: Vec<(Draw, bool)> = drawn.iter().map(|(_, draw)| (*draw, true)).collect();
        let weights = sampling::weights(&draws, self.rows.len() as u64).unwrap();
        let mark = |((row, _), weight): (&(usize, Draw), Option<f64>)| DrawnMark {
            right: self.rows[*row].1,
            label: Some(self.rows[*row].2),
            weight: weight.unwrap(),
        };
        let marks: Vec<DrawnMark> = drawn.iter().zip(weights.rows).map(mark).collect();
        let passed = self.rows.iter().filter(|row| row.2).count() as u64;
        let failed = self.rows.len() as u64 - passed;
        let counts = LabelCounts { passed, failed, unlabelled: 0 };
        let found = drawn_share(&marks, counts).map(|found| found.share);
        (found, drawn.iter().filter(|(row, _)| self.rows[*row].0 == 0).count())
    }
}

fn repeats(cell: &mut Cell) {
    let mut random = cell.random();
    for (name, steady) in [(", steady on 0.8", 0.8), (", steady on 0.98", 0.98)] {
        let flips = (1.0 - steady) / 2.0;
        let share = cell.world.prevalence * steady + flips;
        let kappa = 1.0 - flips / (2.0 * share * (1.0 - share));
        for _ in 0..cell.replications {
            let clusters = cell.world.repeats(steady, &mut random);
            cell.count("flip rate", name, flip_rate(&clusters), flips);
            cell.count("repeat kappa", name, repeat_kappa(&clusters), kappa);
        }
    }
}

fn figures(cell: &mut Cell) {
    let mut random = cell.random();
    for (name, judge) in [(", typical judge", TYPICAL), (", strong judge", STRONG)] {
        for _ in 0..cell.replications {
            let tables = cell.world.tables(judge, &mut random);
            for measure in Measure::ALL {
                let truth = judge.truth(measure, cell.world.prevalence);
                cell.count(measure.as_str(), name, estimate(measure, &tables), truth);
            }
        }
    }
}

/// Intervals of differences, and alarms where there is no difference: for judges that err alike, and for judges of which one errs on
/// wrong calls as the other does on right ones, so that half and half they are equally good.
fn paired(cell: &mut Cell) {
    let mut random = cell.random();
    let prevalence = cell.world.prevalence;
    // A difference that is there makes the test draw on, which takes time.
    for _ in 0..cell.replications.div_ceil(4) {
        let pairs = cell.world.pairs(TYPICAL, OTHER, 0.7, &mut random);
        for measure in Measure::ALL {
            let truth = OTHER.truth(measure, prevalence) - TYPICAL.truth(measure, prevalence);
            let found = difference(measure, &pairs).map(|found| found.difference);
            cell.count(measure.as_str(), ", different judges", found, truth);
        }
    }
    let mirrored = Judge { sensitivity: TYPICAL.specificity, specificity: TYPICAL.sensitivity };
    for (name, b) in [(", equal judges", TYPICAL), (", mirrored judges", mirrored)] {
        if b == mirrored && prevalence != 0.5 {
            continue;
        }
        for _ in 0..cell.replications {
            let pairs = cell.world.pairs(TYPICAL, b, 0.7, &mut random);
            for measure in Measure::ALL {
                let truth = b.truth(measure, prevalence) - TYPICAL.truth(measure, prevalence);
                if truth.abs() > 1e-9 {
                    continue;
                }
                let found = difference(measure, &pairs);
                cell.count(measure.as_str(), name, found.map(|found| found.difference), 0.0);
                let alarm = found.map(|found| (found.p <= 0.05, false, found.p));
                cell.event(&format!("{ALARM} {}", measure.as_str()), name, alarm);
            }
        }
    }
}

/// Alarms of the test for logs unlike the calibration set, where they are alike: as many right and wrong calls with gold as a world of
/// half and half has, and as many rows of logs.
fn shift(cell: &mut Cell) {
    let mut random = cell.random();
    let calibration = World { prevalence: 0.5, ..cell.world };
    let histograms = |world: World, random: &mut Random, take: fn(bool) -> bool| -> Vec<Histogram> {
        let mut clusters: BTreeMap<u32, Histogram> = BTreeMap::new();
        for row in world.rated(random).into_iter().filter(|row| take(row.gold)) {
            clusters.entry(row.cluster).or_default().add(Some(row.score));
        }
        clusters.into_values().collect()
    };
    for _ in 0..cell.replications {
        let right = histograms(calibration, &mut random, |gold| gold);
        let wrong = histograms(calibration, &mut random, |gold| !gold);
        let found = shifted(&right, &wrong, &histograms(cell.world, &mut random, |_| true));
        cell.event(&format!("{ALARM} shifted"), "", found.map(|found| (found.p <= 0.05, false, found.p)));
    }
}

/// How often a comparison finds what the design says it finds in 80 of 100.
fn power() {
    println!(
        "\n## power\n\n{:>5} {:>8} {:>11} {:>6} {:>9} {:>6}",
        "rows", "clusters", "discordance", "effect", "difference", "found"
    );
    for rows in ROWS {
        for clusters in CLUSTERS {
            let world = World { rows, clusters, prevalence: 0.5 };
            let a = Judge { sensitivity: 0.75, specificity: 0.75 };
            let judges = |gain: f64| (a, Judge { sensitivity: 0.75 + gain, specificity: 0.75 + gain });
            // The design is that of many rows; the difference and the discordance it implies are found by turns.
            let mut random = Random::new(1);
            let (mut gain, mut design) = (0.1, Design { discordance: 0.5, design_effect: 1.0 });
            for _ in 0..4 {
                let (a, b) = judges(gain);
                let many = World { rows: 200_000, ..world }.pairs(a, b, 0.5, &mut random);
                let Some(seen) = Design::of(&many) else {
                    gain = 1.0;
                    break;
                };
                design = seen;
                gain = minimum_detectable_difference(rows as u64, &design, 0.8).unwrap_or(1.0).min(0.25);
            }
            if gain >= 0.25 {
                println!("{rows:>5} {:>8}  no difference up to 0.25 would show", name_of(clusters));
                continue;
            }
            let (a, b) = judges(gain);
            let tries = 2000;
            let found =
                (0..tries).filter(|_| paired_test(&world.pairs(a, b, 0.5, &mut random)).p <= 0.05).count();
            let (discordance, effect) = (design.discordance, design.design_effect);
            let found = 100.0 * found as f64 / f64::from(tries);
            println!(
                "{rows:>5} {:>8} {discordance:>11.3} {effect:>6.2} {gain:>10.3} {found:>6.1}",
                name_of(clusters)
            );
        }
    }
}

/// What names of figures begin with that count alarms, of which there should be few.
const ALARM: &str = "alarm";

fn show(section: &str, table: &Table) {
    println!("\n## {section}\n");
    let head = ["rows", "clusters", "min", "mean", "max", "seed", "width", "none"];
    let [rows, clusters, min, mean, max, seed, width, none] = head;
    println!(
        "{:26} {rows:>5} {clusters:>8} {min:>6} {mean:>6} {max:>6} {seed:>6} {width:>6} {none:>6}  worst in",
        ""
    );
    let mut summary: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for ((figure, rows, clusters), cells) in table {
        let worse = |a: f64, b: f64| if figure.starts_with(ALARM) { a > b } else { a < b };
        let mut pooled: BTreeMap<&str, Count> = BTreeMap::new();
        let mut worst_seed = None;
        let most = cells.values().map(|count| count.tries).max().unwrap_or(0);
        for ((rest, _), count) in cells {
            pooled.entry(rest).or_default().add(count);
            // Where it is hardly ever defined there is nothing to count.
            if 4 * count.defined >= most && worst_seed.is_none_or(|worst| worse(count.rate(), worst)) {
                worst_seed = Some(count.rate());
            }
        }
        let mut all = Count::default();
        pooled.values().for_each(|count| all.add(count));
        let shown: Vec<(&str, Count)> =
            pooled.into_iter().filter(|(_, count)| 4 * count.defined >= count.tries).collect();
        let rates: Vec<f64> = shown.iter().map(|(_, count)| count.rate()).collect();
        let Some(worst) = shown.iter().reduce(|a, b| if worse(b.1.rate(), a.1.rate()) { b } else { a })
        else {
            println!("{figure:26} {rows:>5} {clusters:>8}  hardly ever defined");
            continue;
        };
        let (min, mean, max) = spread_of(&rates);
        println!(
            "{figure:26} {rows:>5} {clusters:>8} {min:>6.1} {mean:>6.1} {max:>6.1} {:>6.1} {:>6.3} {:>6.1}  {} (below {:.1})",
            100.0 * worst_seed.unwrap_or(f64::NAN),
            all.width / f64::from(all.defined),
            100.0 * (1.0 - f64::from(all.defined) / f64::from(all.tries)),
            worst.0,
            100.0 * f64::from(worst.1.below) / f64::from(worst.1.defined),
        );
        summary.entry(figure).or_default().entry(clusters).or_default().extend(rates);
    }
    println!("\n| {section}: min / mean / max % | {} |", CLUSTERS.map(name_of).join(" | "));
    println!("|---|---|---|---|---|---|");
    for (figure, by_clusters) in summary {
        let column = |clusters: Clusters| {
            let Some(rates) = by_clusters.get(name_of(clusters).as_str()) else { return "-".to_owned() };
            let (min, mean, max) = spread_of(rates);
            format!("{min:.1} / {mean:.1} / {max:.1}")
        };
        println!("| {figure} | {} |", CLUSTERS.map(column).join(" | "));
    }
}

fn spread_of(rates: &[f64]) -> (f64, f64, f64) {
    let percent = |rate: f64| 100.0 * rate;
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let min = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let max = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (percent(min), percent(mean), percent(max))
}
