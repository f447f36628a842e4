//! Benchmarks of judges: labels compared with gold, with an interval for each figure.
//!
//! [`Rows`] hold what is known of each row (gold, cluster, slices), a [`Contender`] what one judge with one template made of
//! them. [`measure`] turns both into [`Measured`] figures, overall and by slice; [`agreement`] sets judges beside each other;
//! [`comparison`] tells whether one is better; [`audit`] finds gold that is probably wrong; [`calibration`] is what is kept
//! of a judge to correct the rate of its labels elsewhere.
//!
//! Rows without a label are counted apart, never as right or wrong. Rows of one cluster (one question, as a rule) are not
//! taken for independent.

mod agreement;
pub mod audit;
pub mod calibration;
mod case;
pub mod columns;
pub mod comparison;
mod contender;
mod errata;
mod findings;
mod identity;
mod marks;
mod measured;
mod rate;
mod record;
mod rows;
mod scale;
mod usage;
mod words;

pub use agreement::{Agreement, agreement};
pub use case::{Case, CaseVerdict, Cases, shown};
pub use contender::{Contender, Predictions};
pub use errata::{Correction, Errata};
pub use findings::{FindingFigures, FindingMatches, FindingRates, GoldFindings, NotFindings};
pub use identity::identity_with;
pub use marks::{MarkedShare, Marks};
pub use measured::{Calibration, Consistency, LeftOut, Measured, Settled, Slice, measure};
pub use rate::{LogLabels, Rate};
pub use record::{Counts, SCHEMA, record};
pub use rows::{Facts, Gold, Rows, Slicing};
pub use scale::{Grades, Scale};
pub use usage::{Usage, UsageRecord};
pub use words::{AmbiguousLabel, NotALabel, Words};
