//! A number in a text.

use super::units::Unit;

/// Bounds the work on hostile text.
pub const MAX_FIGURES: usize = 2_000;

/// A number found in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub value: f64,
    /// Followed by a percent sign or word.
    pub percent: bool,
    /// Where its digits stand in the text; none for words and for second readings of the same digits.
    pub place: Option<(usize, usize)>,
    /// What it is an amount of.
    pub unit: Option<Unit>,
}
