//! Chooses rows by a queue.

use std::collections::HashMap;

use super::NextError;
use super::known::KnownRow;
use crate::domain::Random;
use crate::run::settings::QueueSettings;
use tooljudge_core::sampling::{self, Draw, Queue};

/// Rows that were picked, by their places in the table, and how each was drawn.
pub(super) struct Picked {
    pub queue: Queue,
    pub rows: Vec<(usize, Option<Draw>)>,
    /// Rows that could have been picked.
    pub of: usize,
}

/// How much of the chance to be drawn does not depend on how sure a label is: half, so that no row stands for more than twice as many
/// rows as in an even draw.
const EVEN: f64 = 0.5;

impl QueueSettings {
    pub(super) fn queue(&self) -> Queue {
        match self {
            QueueSettings::Random => Queue::Random,
            QueueSettings::Unsure => Queue::Unsure,
            QueueSettings::Disagreement => Queue::Disagreement,
            QueueSettings::Stratified(_) => Queue::Stratified,
            QueueSettings::Active => Queue::Active,
        }
    }
}

/// `wanted` of these rows.
pub(super) fn pick(
    rows: &[KnownRow],
    settings: &QueueSettings,
    wanted: usize,
    seed: u64,
) -> Result<Picked, NextError> {
    let queue = settings.queue();
    let places = |is_open: &dyn Fn(&KnownRow) -> bool| -> Vec<usize> {
        (0..rows.len()).filter(|at| is_open(&rows[*at])).collect()
    };
    if rows.is_empty() {
        return Err(NextError::NothingLeft("the table has no rows"));
    }
    if matches!(queue, Queue::Unsure | Queue::Active) && rows.iter().all(|row| row.sure.is_none()) {
        return Err(NextError::NoConfidence(queue.as_str()));
    }
    if !queue.is_drawn() {
        let mut random = Random::new(seed);
        let is_open = |row: &KnownRow| {
            row.mark.is_none() && row.draw.is_none() && (queue == Queue::Unsure || row.is_disputed)
        };
        let mut open = places(&is_open);
        let of = open.len();
        let ties: Vec<f64> = rows.iter().map(|_| random.unit()).collect();
        let sure = |at: usize| match queue {
            Queue::Unsure => rows[at].sure.unwrap_or(f64::INFINITY),
            _ => 0.0,
        };
        open.sort_by(|a, b| sure(*a).total_cmp(&sure(*b)).then(ties[*a].total_cmp(&ties[*b])));
        open.truncate(wanted);
        if open.is_empty() {
            let why = match queue {
                Queue::Unsure => "every row is marked or drawn",
                _ => "the judges agree on every row that is not marked or drawn",
            };
            return Err(NextError::NothingLeft(why));
        }
        return Ok(Picked { queue, rows: open.into_iter().map(|at| (at, None)).collect(), of });
    }
    // Rows that are marked and were not drawn stay in: left out, they would be missing from what the draw speaks for.
    let pool = places(&|row| row.draw.is_none());
    if pool.is_empty() {
        return Err(NextError::NothingLeft("every row was drawn"));
    }
    let draws: Vec<Draw> = rows.iter().filter_map(|row| row.draw).collect();
    let round = sampling::next_round(&draws, rows.len() as u64)?;
    let mut random = Random::new(stream(seed, round));
    let found = match settings {
        QueueSettings::Stratified(column) => {
            let mut codes: HashMap<Option<&str>, usize> = HashMap::new();
            let groups: Vec<usize> = pool
                .iter()
                .map(|at| {
                    let next = codes.len();
                    *codes.entry(rows[*at].value.as_deref()).or_insert(next)
                })
                .collect();
            let drawn = sampling::stratified(&groups, wanted, &mut random);
            let column = column.clone();
            drawn.map_err(|few| NextError::TooManyValues { column, values: few.groups })?
        }
        QueueSettings::Active => sampling::unevenly(&doubts(rows, &pool), wanted, &mut random),
        _ => sampling::equally(pool.len(), wanted, &mut random),
    };
    let (drawn, drawn_from) = (found.len() as u64, pool.len() as u64);
    let draw = |probability| Some(Draw { queue, round, drawn, drawn_from, probability });
    let picked = found.into_iter().map(|(at, probability)| (pool[at], draw(probability))).collect();
    Ok(Picked { queue, rows: picked, of: pool.len() })
}

/// Where the random numbers of a round start. The generator itself steps by the golden ratio, so that rounds told apart by multiples of
/// that would draw one stream, shifted by a number; this multiplier (P. L'Ecuyer, "Tables of linear congruential generators", 1999)
/// puts them far apart.
fn stream(seed: u64, round: u64) -> u64 {
    seed ^ round.wrapping_mul(0xd134_2543_de82_ef95)
}

/// How much chance each row of the pool gets: half of it alike, half by the standard deviation that its label leaves.
fn doubts(rows: &[KnownRow], pool: &[usize]) -> Vec<f64> {
    let doubt = |at: &usize| rows[*at].sure.map_or(0.5, |sure| (sure * (1.0 - sure)).sqrt());
    let doubts: Vec<f64> = pool.iter().map(doubt).collect();
    let mean = doubts.iter().sum::<f64>() / doubts.len() as f64;
    let share = |doubt: f64| if mean > 0.0 { EVEN + (1.0 - EVEN) * doubt / mean } else { 1.0 };
    doubts.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds whose streams overlap would draw rows that depend on each other.
    #[test]
    fn rounds_of_a_seed_draw_from_streams_of_their_own() {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        // Steps from the start of one stream to another: the difference over the step, modulo 2^64.
        let inverse =
            (0..6).fold(STEP, |found, _| found.wrapping_mul(2_u64.wrapping_sub(STEP.wrapping_mul(found))));
        assert_eq!(STEP.wrapping_mul(inverse), 1);
        for seed in 0..200 {
            for (one, other) in (1..=6).flat_map(|one| (1..one).map(move |other| (one, other))) {
                let steps = stream(seed, one).wrapping_sub(stream(seed, other)).wrapping_mul(inverse);
                let apart = steps.min(steps.wrapping_neg());
                assert!(apart > 1 << 32, "seed {seed}, rounds {one} and {other}: {apart}");
            }
        }
    }
}
