//! Trains the built-in judge on the user's own labels: fits candidates, measures them on held-out rows, and takes the best if it
//! is better than the judge as shipped beyond chance.
//!
//! ```text
//!  Material ─Training─▶ Trials ─(each alone)─▶ margins of rows held out ─▶ Evaluations ─▶ chosen Stage
//! ```
//!
//! Nothing here starts threads: the caller runs the trials, in parallel or one by one, and passes their results back.

mod chance;
mod changes;
mod evaluation;
mod groups;
mod material;
#[cfg(test)]
mod tests;
mod training;
mod weights;

pub use changes::{Change, Changes, Figures, SliceChange};
pub use evaluation::{Evaluation, Gain};
pub use groups::Grouping;
pub use material::{Material, TrainingRow, UnusableMaterial};
pub use training::{Trained, Training, Trial};
