//! The conductor: decides order, concurrency and stopping.
//!
//! Two passes. The *ask* pass sends questions in any order and keeps the replies in the store; memory holds ids only, so
//! a hung row blocks nobody. The *write* pass reads the input again, in order, looks replies up, snaps and writes them.
//! The built-in judge needs no store: it labels in the write pass itself.

mod ask;
mod audit;
mod bench;
mod cases;
mod checker;
mod clusters;
mod compare;
mod control;
mod convert;
mod error;
mod feed;
mod forecast;
mod gather;
mod gold;
mod ids;
mod label;
mod labeler;
mod labellers;
mod manifest;
mod observer;
mod outputs;
pub mod panel;
mod probing;
mod progress;
mod rates;
mod roll;
mod row;
mod rows;
mod score;
mod seat;
mod session;
pub mod settings;
mod sharing;
mod summary;
mod verdict;
mod write;

pub use crate::domain::Item;
pub use ask::{AskPass, Covered, ask, ask_all};
pub use audit::{AuditError, AuditSummary, audit, audit_blocking, audit_forecast};
pub use bench::{BenchError, BenchSummary, DoubtfulGold, bench, bench_blocking};
pub use cases::{CaseBook, cases};
pub use compare::{
    CompareError, CompareSummary, JudgeColumns, LabelledTable, Paired, Pairing, compare, judges, pair,
};
pub use control::{Control, Stop};
pub use convert::{ConvertSummary, Converted, ConvertedFile, Form, convert, convert_blocking, convert_rows};
pub use error::RunError;
pub use forecast::Forecast;
use forecast::forecasts;
pub use gather::{Gatherer, GoldPlan, Repeated, Strange};
pub use gold::{GeneratedGold, GoldCounts, GoldError, GoldSummary, ImportedGold, KindCount, gold, gold_of};
pub use label::{LabelSummary, MemberSummary, forecast, label, label_blocking, resnap, resnap_blocking};
pub use labeler::Labeler;
pub(crate) use labeler::runtime;
pub use labellers::{BaselineLabeller, BuiltinLabeller, Labeller, StoredLabeller};
pub use manifest::{JudgeRecord, Manifest, MemberRecord, SampleRecord, TemplateRecord};
pub use observer::{Observer, Pass, Silent};
pub use panel::{Member, MemberKind, Panel};
pub use probing::{ProbeColumns, ProbedRow, Volley, probed_rows};
pub use progress::{Glance, Progress};
pub use rates::{RateSeat, RateWatch};
pub use roll::Roll;
pub use row::Row;
pub use rows::{Samples, Source, items};
pub use score::{Failure, ScoreSummary, ScoringError, Tally, score, score_blocking};
pub use seat::{Question, Seat};
pub use session::Session;
pub use summary::{Agreement, Summary};
pub use verdict::Reading;
pub use write::{Destination, Watch, write};
