//! Agreement of two judges: how often they give the same label, and which is right if they differ.

use serde::Serialize;

use super::{Contender, Rows};
use crate::stats::{self, Confusion, Estimate, Measure};

/// Two judges of the same task on the rows that both labelled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// Their places among the contenders.
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) rows: u64,
    /// The share of rows that both label alike.
    pub(crate) agree: Option<Estimate>,
    /// Cohen's kappa of the two.
    pub(crate) kappa: Option<Estimate>,
    /// Rows with gold on which only one of them is right.
    pub(crate) only_a_right: u64,
    pub(crate) only_b_right: u64,
}

/// All pairs of judges with the same gold. Baselines are left out: they agree with whoever finds most calls right.
pub fn agreement(rows: &Rows, contenders: &[Contender]) -> Vec<Agreement> {
    let order = rows.by_cluster();
    let pairs = (0..contenders.len()).flat_map(|a| (a + 1..contenders.len()).map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| {
            let (a, b) = (&contenders[*a], &contenders[*b]);
            a.gold == b.gold && !a.baseline && !b.baseline
        })
        .filter_map(|(a, b)| pair(rows, &order, contenders, a, b))
        .collect()
}

fn pair(rows: &Rows, order: &[usize], contenders: &[Contender], a: usize, b: usize) -> Option<Agreement> {
    let (first, second) = (contenders[a].first()?, contenders[b].first()?);
    let gold = &rows.golds[contenders[a].gold].right;
    let (mut only_a_right, mut only_b_right) = (0, 0);
    let mut table = |cluster: &[usize]| {
        let mut table = Confusion::default();
        for row in cluster {
            let (Some(a), Some(b)) = (first.labels[*row], second.labels[*row]) else { continue };
            table.add(a, Some(b));
            if let Some(right) = gold[*row] {
                only_a_right += u64::from(a == right && b != right);
                only_b_right += u64::from(b == right && a != right);
            }
        }
        table
    };
    let tables: Vec<Confusion> =
        order.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(&mut table).collect();
    Some(Agreement {
        a,
        b,
        rows: tables.iter().map(Confusion::judged).sum(),
        agree: stats::estimate(Measure::Accuracy, &tables),
        kappa: stats::estimate(Measure::Kappa, &tables),
        only_a_right,
        only_b_right,
    })
}
