//! A server for reading and marking labels, and the export of its marks as a table of gold.

mod agreement;
mod correction;
mod desk;
mod error;
mod export;
mod guard;
mod labels;
mod row_key;
mod server;
mod table;

pub use agreement::{PairAgreement, ReviewerAgreement};
pub use error::ReviewError;
pub use export::{ReviewExportSummary, review_export};
pub use server::{ReviewServer, review};
