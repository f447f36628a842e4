//! The jobs: order, concurrency and stopping.
//!
//! Two passes. The *ask* pass sends questions in any order and keeps the replies in the store; memory holds only ids, so a slow
//! row blocks no other. The *write* pass reads the input again, in order, looks up replies, snaps and writes them. The built-in
//! judge needs no store: it labels in the write pass itself.

mod ask;
mod audit;
mod bench;
mod ceiling;
mod compare;
mod control;
pub(crate) mod convert;
mod drive;
mod error;
mod forecast;
mod gold;
pub(crate) mod input;
mod invalid_gold;
mod junit;
mod label;
mod labeler;
mod manifest;
mod merge;
mod next;
mod observer;
mod outputs;
pub(crate) mod panel;
mod progress;
mod purse;
mod review;
mod score;
mod session;
pub mod settings;
mod suite;
mod train;
mod trend;
mod write;

pub(crate) use crate::domain::Item;
pub use crate::read::ReadError;
pub use crate::store::{MarksError, StoreError};
pub use crate::table::TableError;
pub use crate::write::{Finished, Labelled, WriteError};
pub use ask::{First, JudgeTask};
pub use audit::{AuditError, AuditSummary, audit, audit_blocking, audit_forecast};
pub use bench::{BenchError, BenchSummary, DoubtfulGold, Repeated, bench, bench_blocking, bench_forecast};
pub use ceiling::{Ceiling, NotACeiling};
pub use compare::{CompareError, CompareSummary, compare};
pub use control::{Control, Stop};
pub use convert::{ConvertSummary, Converted, ConvertedFile, TranscriptCounts, convert, convert_blocking};
pub use drive::{
    AgentSummary, BaselineComparison, CategoryTally, DriveError, DriveForecast, DriveSummary, EpisodeLine,
    drive, drive_blocking, drive_forecast,
};
pub use error::RunError;
pub use forecast::Forecast;
pub use gold::{GeneratedGold, GoldCounts, GoldError, GoldSummary, ImportedGold, KindCount, gold};
pub use invalid_gold::{InvalidGold, InvalidGolds};
pub use label::{LabelSummary, MemberSummary, forecast, label, label_blocking, resnap, resnap_blocking};
pub use labeler::Labeler;
pub use merge::{MergeError, MergeSummary, merge};
pub use next::{NextError, NextSummary, next};
pub use observer::{Observer, Pass, Silent};
pub use progress::{Progress, ProgressSnapshot};
pub use review::{
    PairAgreement, ReviewError, ReviewExportSummary, ReviewServer, ReviewerAgreement, review, review_export,
};
#[cfg(feature = "cli")]
pub(crate) use score::asked;
pub use score::{Failure, ScoreSummary, ScoringError, Tally, score, score_blocking};
pub use suite::{
    LeftOut, LeftOutCount, LoggedSuite, SuiteError, SuiteSummary, suite_from_log, suite_from_log_blocking,
};
pub use train::{RowCounts, TrainError, TrainSummary, train};
pub use trend::{TrendError, TrendSummary, trend};
pub use write::{Agreement, CallCounts, Decider, Deciders, Failures, FindingCounts, Group, Summary};

pub(crate) use ask::{
    AskIndex, AskOutcome, AskPass, Part, Question, Reading, Settled, ask, ask_all, ask_held, dollars,
    open_store, settle, sharing, tell_spending, telling, while_held,
};
pub(crate) use audit::{ProbeBatch, ProbeColumns, ProbedRow, ProbedRows, probed_rows};
pub(crate) use bench::{CaseBook, Gatherer, GoldPlan, cases};
use forecast::{forecasts, forecasts_together};
#[cfg(feature = "cli")]
pub(crate) use gold::gold_of;
pub(crate) use input::{Row, Samples, Source, items};
pub(crate) use labeler::runtime;
pub(crate) use manifest::{JudgeRecord, Manifest, MemberRecord, SampleRecord, TemplateRecord};
pub(crate) use panel::{Member, MemberKind, Panel};
pub(crate) use session::Session;
pub(crate) use train::FINDING;
pub(crate) use write::{
    BaselineLabeller, BuiltinLabeller, Destination, FoldWatch, GroupWatch, Labeller, ListWatch, Listed,
    NamedGold, RateInput, RateWatch, StoredLabeller, TOOL, Watch, write,
};
