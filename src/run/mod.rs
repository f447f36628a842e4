//! The conductor: decides order, concurrency and stopping.
//!
//! Two passes. The *ask* pass sends questions in any order and keeps the replies in the store; memory holds ids only, so
//! a hung row blocks nobody. The *write* pass reads the input again, in order, looks replies up, snaps and writes them.
//! The built-in judge needs no store: it labels in the write pass itself.

mod ask;
mod cases;
mod checker;
mod clusters;
mod compare;
mod convert;
mod error;
mod feed;
mod gather;
mod ids;
mod label;
mod labeler;
mod manifest;
mod probing;
mod progress;
mod rates;
mod roll;
mod row;
mod rows;
mod score;
mod seat;
mod sharing;
mod strange;
mod summary;
mod tally;
mod verdict;
mod write;

pub use crate::domain::Item;
pub use ask::{AskPass, Covered, Stop, ask, ask_all};
pub use cases::{CaseBook, cases};
pub use compare::{JudgeColumns, LabelledTable, Paired, Pairing, judges, pair};
pub use convert::{Converted, Form, convert};
pub use error::RunError;
pub use gather::{Gatherer, GoldPlan, Repeated};
pub use label::{BaselineLabeller, BuiltinLabeller, Labeller, StoredLabeller};
pub use labeler::Labeler;
pub(crate) use labeler::runtime;
pub use manifest::{JudgeRecord, Manifest, MemberRecord, SampleRecord, TemplateRecord};
pub use probing::{ProbeColumns, ProbedRow, ProbedRows, Volley, probed_rows};
pub use progress::{Glance, Progress};
pub use rates::{RateSeat, RateWatch};
pub use roll::Roll;
pub use row::Row;
pub use rows::{Samples, Source, items};
pub use score::{ScoredTable, Scoring, case, is_case};
pub use seat::{Question, Seat};
pub use strange::{Strange, Strangers};
pub use summary::{Agreement, Summary};
pub use tally::{Failure, Tally};
pub use verdict::Reading;
pub use write::{Destination, Watch, write};
