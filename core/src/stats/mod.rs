//! Agreement of labels with gold, with intervals and tests.
//!
//! Rows that go together (all rows of one question) form a cluster, and everything with an interval or a p-value takes one table per
//! cluster. `docs/statistics.md` gives every formula, its source, when not to use it, and how often its interval holds.

mod agreement;
mod auc;
mod calibration;
mod calls;
mod clusters;
mod confusion;
mod correction;
mod drawn;
mod estimate;
mod figures;
mod folds;
mod graded;
mod interval;
mod measure;
mod paired;
mod pass_rates;
mod power;
mod powered;
pub mod quantile;
mod rated;
mod repeats;
mod shift;
mod significance;
mod special;
mod stratified;
mod stratum;
pub mod votes;
mod weighted;

pub use agreement::{cohen_kappa, krippendorff_alpha};
pub use auc::auc;
pub use calibration::{Bin, ece, reliability};
pub use calls::fold_calls;
pub use confusion::Confusion;
pub use correction::{Corrected, NoInformation, corrected_share};
pub use drawn::{DrawnMark, DrawnShare, LabelCounts, drawn_share};
pub use estimate::Estimate;
pub use figures::{estimate, mean, share};
pub use folds::{RequestMean, RequestScores};
pub use graded::{GradePairs, weighted_kappa};
pub use interval::wilson;
pub use measure::{Measure, bounds};
pub use paired::{Difference, Paired, PairedMethod, PairedTest, difference, paired_test};
pub use pass_rates::{PassRate, Trials, pass_rate, pass_rates};
pub use power::{Design, minimum_detectable_difference, rows_needed};
pub use powered::prediction_powered_share;
pub use rated::{Rated, auc_estimate, brier};
pub use repeats::{Repeats, flip_rate, repeat_kappa};
pub use shift::{Histogram, PLACES, Shift, shifted};
pub use significance::{holm, mcnemar_exact, non_inferior};
pub use stratified::{Stratified, StratifiedTest, stratified, stratified_in};
pub use stratum::Stratum;
pub use weighted::{
    Decidable, Weighted, decidable, log_loss, weighted_auc, weighted_balanced_accuracy, weighted_ece,
};
