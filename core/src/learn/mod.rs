//! Boosted trees for yes/no questions: fitted to labelled examples, stored as a small text, evaluated in microseconds.
//!
//! ```text
//!  Examples ─bins─▶ histograms ─grow─▶ Forest ─margin─▶ log-odds ─Calibration─▶ probability
//! ```
//!
//! The method is gradient boosting (J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
//! Statistics 29, 2001) on the logistic loss with second derivatives (T. Chen and C. Guestrin, "XGBoost: a scalable tree boosting
//! system", KDD 2016), leaves split best first on histograms (G. Ke and others, "LightGBM: a highly efficient gradient boosting
//! decision tree", NIPS 2017). The same examples, settings and seed give the same forest, bit for bit.

mod bins;
mod calibration;
mod digits;
mod examples;
mod fit;
mod folds;
mod forest;
mod grow;
mod histogram;
mod isotonic;
mod platt;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub use calibration::{Calibration, Scored, UnusableScores};
pub use examples::{Examples, UnusableExamples};
pub use fit::{FitError, Growth};
pub use folds::Folds;
pub use forest::Forest;
pub use isotonic::Isotonic;
pub use platt::Platt;
pub use text::DamagedText;
