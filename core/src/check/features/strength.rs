//! How well a value's source supports it, as a number.

use crate::check::grounding::Support;

impl Support {
    /// How surely the conversation tells the value: from 1 down to 0, and below where something speaks against it.
    pub(in crate::check) fn strength(&self) -> f32 {
        match self {
            Support::Literal => 1.0,
            Support::Normalised | Support::Converted(_) => 0.95,
            Support::Default => 0.7,
            Support::Choice => 0.6,
            Support::KeptPercent => 0.55,
            Support::Derived => 0.5,
            Support::Composed(share) => 0.35 + 0.3 * *share as f32,
            Support::Partial(share) => 0.1 + 0.4 * *share as f32,
            Support::Described => 0.3,
            Support::OtherChoice(_) => 0.2,
            Support::None | Support::Empty => 0.0,
            Support::WrongUnit => -0.3,
            Support::WrongSign => -0.4,
            Support::Placeholder => -0.5,
            Support::Excluded => -0.6,
        }
    }
}
