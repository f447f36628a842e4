//! Benchmarks of judges: labels compared with gold, with an interval for each figure.
//!
//! [`Rows`] hold what is known about each row (gold, cluster, slices), a [`Contender`] the labels of one judge with one template.
//! [`measure`] turns both into [`Measured`] figures, overall and by slice; [`agreement`] compares judges with each other;
//! [`comparison`] tests whether one is better; [`audit`] finds gold that is probably wrong; [`calibration`] is the record of a
//! judge that corrects its pass rate on other data.
//!
//! Rows without a label are counted separately, never as right or wrong. Rows of one cluster (usually one question) do not count
//! as independent.

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
mod mix;
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
pub use mix::{CalibratedSlice, Mix};
pub use rate::{LogLabels, Rate};
pub use record::{Counts, SCHEMA, record};
pub use rows::{Facts, Gold, Rows, Slicing};
pub use scale::{Grades, Scale};
pub use usage::{Usage, UsageRecord};
pub use words::{AmbiguousLabel, NotALabel, Words};
