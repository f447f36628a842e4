//! Draws rows to mark with known probabilities, so that estimates from the marks hold for all rows.

mod draw;
mod rounds;

pub use draw::{TooFew, equally, stratified, unevenly};
pub use rounds::{RoundsError, Weights, next_round, weights};

/// How the rows of a list to mark were picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// All rows alike.
    Random,
    /// By the values of a column, rare ones more often.
    Stratified,
    /// The unsure more often than the sure.
    Active,
    /// The least sure, whatever chance would say.
    Unsure,
    /// Those on which judges contradict each other.
    Disagreement,
}

impl Queue {
    /// All of them.
    pub const ALL: [Queue; 5] =
        [Queue::Random, Queue::Stratified, Queue::Active, Queue::Unsure, Queue::Disagreement];

    /// Its name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Queue::Random => "random",
            Queue::Stratified => "stratified",
            Queue::Active => "active",
            Queue::Unsure => "unsure",
            Queue::Disagreement => "disagreement",
        }
    }

    /// Whether chance picks the rows; marks of others say nothing of all rows.
    pub fn is_drawn(self) -> bool {
        !matches!(self, Queue::Unsure | Queue::Disagreement)
    }
}

/// How a row came to be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// How the rows of its round were picked.
    pub queue: Queue,
    /// The round, from 1. Rows of earlier rounds are not drawn again.
    pub round: u64,
    /// Rows that were drawn in the round.
    pub drawn: u64,
    /// Rows that the round was drawn from: all but those of earlier rounds.
    pub drawn_from: u64,
    /// How probable it was that the round would draw this row: above 0, at most 1.
    pub probability: f64,
}
