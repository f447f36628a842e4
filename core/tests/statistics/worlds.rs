//! Made-up worlds whose truth is known: rows in clusters, whose models repeat each other, labelled by judges that err at known rates.

use tooljudge_core::domain::Random;
use tooljudge_core::stats::{Confusion, Measure, Paired, Rated, Repeats};

/// How many rows go together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clusters {
    Equal(usize),
    /// Log-normal with this mean and a log-scale spread of 1.2: most are small, a few hold much of everything.
    Uneven(f64),
    /// One cluster holds this share of the rows; the others have one row each.
    Dominated(f64),
}

impl Clusters {
    /// Sizes that make up `rows`.
    pub fn sizes(self, rows: usize, random: &mut Random) -> Vec<usize> {
        let mut sizes = Vec::new();
        let mut left = rows;
        while left > 0 {
            let size = match self {
                Clusters::Dominated(share) if sizes.is_empty() => (rows as f64 * share).round() as usize,
                Clusters::Dominated(_) => 1,
                Clusters::Equal(size) => size,
                Clusters::Uneven(mean) => {
                    (mean * (1.2 * normal(random) - 0.72).exp()).round().max(1.0) as usize
                }
            };
            sizes.push(size.min(left));
            left -= size.min(left);
        }
        sizes
    }
}

/// A standard normal number (G. E. P. Box and M. E. Muller, 1958).
pub fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (2.0 * std::f64::consts::PI * random.unit()).cos()
}

/// How a judge errs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    pub sensitivity: f64,
    pub specificity: f64,
}

impl Judge {
    pub fn label(&self, gold: bool, random: &mut Random) -> bool {
        random.chance(if gold { self.sensitivity } else { 1.0 - self.specificity })
    }

    /// The measure over infinitely many rows.
    pub fn truth(&self, measure: Measure, prevalence: f64) -> f64 {
        let many = 1e12;
        let count = |share: f64| (many * share).round() as u64;
        let table = Confusion {
            true_positive: count(prevalence * self.sensitivity),
            false_negative: count(prevalence * (1.0 - self.sensitivity)),
            false_positive: count((1.0 - prevalence) * (1.0 - self.specificity)),
            true_negative: count((1.0 - prevalence) * self.specificity),
            ..Confusion::default()
        };
        measure.of(&table).unwrap()
    }
}

/// How likely a row repeats its cluster's first, outcome and all; two rows of a cluster are thus correlated by its square.
pub const REPEATING: f64 = 0.7;

/// Where rows come from.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub rows: usize,
    pub clusters: Clusters,
    pub prevalence: f64,
}

impl World {
    /// Rows by cluster: each drawn by `row` given its gold, or a repetition of its cluster's first.
    pub fn draw<T: Copy>(
        &self,
        random: &mut Random,
        row: impl Fn(bool, &mut Random) -> T,
    ) -> Vec<Vec<(bool, T)>> {
        let sizes = self.clusters.sizes(self.rows, random);
        let one = |random: &mut Random| {
            let gold = random.chance(self.prevalence);
            (gold, row(gold, random))
        };
        let cluster = |size: usize, random: &mut Random| {
            let first = one(random);
            let more = (1..size).map(|_| if random.chance(REPEATING) { first } else { one(random) });
            std::iter::once(first).chain(more.collect::<Vec<_>>()).collect()
        };
        sizes.into_iter().map(|size| cluster(size, random)).collect()
    }

    pub fn tables(&self, judge: Judge, random: &mut Random) -> Vec<Confusion> {
        let rows = self.draw(random, |gold, random| judge.label(gold, random));
        rows.iter()
            .map(|cluster| cluster.iter().map(|(gold, label)| (*gold, Some(*label))).collect())
            .collect()
    }

    /// Labels only: passed and judged rows of each cluster.
    pub fn passes(&self, judge: Judge, random: &mut Random) -> Vec<(u64, u64)> {
        let passed = |table: &Confusion| table.true_positive + table.false_positive;
        self.tables(judge, random).iter().map(|table| (passed(table), table.judged())).collect()
    }

    /// Two judges, of whom B says what A says on `alike` of the rows where that keeps B's rates.
    pub fn pairs(&self, a: Judge, b: Judge, alike: f64, random: &mut Random) -> Vec<Paired> {
        let rows = self.draw(random, |gold, random| {
            // One number decides both where they are alike, so that each keeps its own rates.
            let (shared, own) = (random.unit(), random.unit());
            let other = if random.chance(alike) { shared } else { own };
            let passes = |judge: Judge, luck: f64| {
                luck < if gold { judge.sensitivity } else { 1.0 - judge.specificity }
            };
            (passes(a, shared), passes(b, other))
        });
        let pair = |cluster: &Vec<(bool, (bool, bool))>| {
            let mut paired = Paired::default();
            cluster.iter().for_each(|(gold, (a, b))| paired.add(*gold, Some(*a), Some(*b)));
            paired
        };
        rows.iter().map(pair).collect()
    }

    /// The Brier score and the calibration error in `bins` parts of [`World::rated`] over infinitely many rows.
    pub fn truth_of_rated(&self, bins: usize) -> (f64, f64) {
        const STEP: f64 = 1e-4;
        let (mut brier, mut gaps) = (0.0, vec![0.0; bins]);
        for (gold, share, middle) in [(1.0, self.prevalence, 1.0), (0.0, 1.0 - self.prevalence, -1.0)] {
            for step in -80_000..80_000 {
                let z = (f64::from(step) + 0.5) * STEP;
                let weight = share * STEP * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
                let score = 1.0 / (1.0 + (-(middle + 1.2 * z)).exp());
                brier += weight * (score - gold).powi(2);
                gaps[((score * bins as f64) as usize).min(bins - 1)] += weight * (score - gold);
            }
        }
        (brier, gaps.iter().map(|gap| gap.abs()).sum())
    }

    /// Confidences that are normal on the logit scale, about +1 for right and -1 for wrong calls.
    pub fn rated(&self, random: &mut Random) -> Vec<Rated> {
        let score = |gold: bool, random: &mut Random| {
            let logit = if gold { 1.0 } else { -1.0 } + 1.2 * normal(random);
            1.0 / (1.0 + (-logit).exp())
        };
        let rows = self.draw(random, score);
        let rated = rows.iter().enumerate().flat_map(|(cluster, rows)| {
            rows.iter().map(move |(gold, score)| Rated {
                cluster: cluster as u32,
                score: *score,
                gold: *gold,
            })
        });
        rated.collect()
    }

    /// Three labels of each row, by a judge that is steady on a row with probability `steady`, else tosses a coin each time.
    pub fn repeats(&self, steady: f64, random: &mut Random) -> Vec<Repeats> {
        let rows = self.draw(random, |gold, random| {
            let calm = random.chance(steady);
            [0; 3].map(|_| Some(if calm { gold } else { random.chance(0.5) }))
        });
        let cluster = |rows: &Vec<(bool, [Option<bool>; 3])>| {
            let mut repeats = Repeats::default();
            rows.iter().for_each(|(_, labels)| repeats.add(labels));
            repeats
        };
        rows.iter().map(cluster).collect()
    }
}
