//! Tells which of an agent's logged tool calls were right.
//!
//! ```text
//!  file ─read─▶ RawRow ─normalize─▶ Sample ─render─▶ Prompt ─judge─▶ Reply ─(store)─ snap─▶ Verdict ─write─▶ labelled table
//!                                      │
//!                                      └─ check (schema, grounding) ─▶ Verdict of the built-in judge
//! ```
//!
//! A program needs [`run`] (the jobs), [`run::settings`] (their settings) and [`judge`] (how to reach a model). The other public
//! modules hold the types that appear in their signatures, and the single steps: [`normalize`], [`render`], [`snap`], [`score`].
//!
//! Data flows in one direction, one noun per stage. The code is two crates. `tooljudge-core` (folder `core/`) is pure: `domain`,
//! `normalize`, `render`, `snap`, `check`, `score`, `stats`, and on them `gold`, `bench`, `audit`, `report`. This crate re-exports
//! what a user of those rooms needs. It adds the edges, which touch files, network, clock or database (`table`, `read`, `write`,
//! `judge`, `store`), and what decides order and concurrency (`run`). A room uses only rooms on lower floors:
//!
//! ```text
//! main → cli → frames → run → {read, judge, store, write} → table → core
//! ```
//!
//! The command line is one user of this library: it turns arguments into [settings](run::settings), calls a job of [`run`]
//! (`label`, `resnap`, `convert`, `score`, `bench`, `compare`, `gold`, `audit`, `train`), and prints what came of it. Each job can be called
//! from Rust in the same way:
//!
//! ```
//! use tooljudge::run::{bench_blocking, settings::BenchSettings};
//!
//! let summary = bench_blocking(BenchSettings::new(["datasets/quickstart.csv"]))?;
//! println!("{:?}", summary.measured[0].overall.figures["accuracy"]);
//! # Ok::<(), tooljudge::run::RunError>(())
//! ```
//!
//! Without files, samples in and verdicts out:
//!
//! ```
//! use tooljudge::{domain::{Cell, RawRow, Task}, normalize::{Normalizer, Options}, run::Labeler};
//!
//! let normalizer = Normalizer::new(Options::default())?;
//! let sample = normalizer.sample(RawRow {
//!     question: Cell::Text("What is the weather in Oslo?".into()),
//!     tool_call: Cell::Text(r#"{"name": "get_weather", "arguments": {"town": "Oslo"}}"#.into()),
//!     tool_definitions: Cell::Text(r#"[{"name": "get_weather", "parameters": {"properties": {"city": {}}}}]"#.into()),
//!     ..RawRow::default()
//! })?;
//! let verdicts = Labeler::builtin(Task::ToolCalling).label_blocking(vec![sample])?;
//! assert_eq!(verdicts[0].label(), Some("incorrect"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a model ([`judge`] says how to reach one), with replies that outlive the process, cancellable, in an asynchronous
//! program:
//!
//! ```no_run
//! use std::sync::Arc;
//! use tokio_util::sync::CancellationToken;
//! use tooljudge::domain::{Sample, Task};
//! use tooljudge::judge::{Provider, Settings, Target, connect};
//! use tooljudge::run::settings::StorePlace;
//! use tooljudge::run::{Labeler, JudgeTask};
//!
//! # async fn job(samples: Vec<Sample>, key: secrecy::SecretString) -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::new(Provider::OpenAi, "gpt-5-mini", Some(key))?;
//! let judge = connect(target, Settings::default(), &[])?;
//! let judge_task = JudgeTask::new(Arc::new(judge), tooljudge::render::builtin(Task::ToolCalling)?);
//! let labeler = Labeler::model(judge_task).keep_replies(StorePlace::parse("replies.sqlite")?);
//! let cancel = CancellationToken::new();
//! for verdict in labeler.label(samples, &cancel).await? {
//!     println!("{:?} {:?}", verdict.label(), verdict.error());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`frames`] does the same for polars: a `DataFrame` in, the same `DataFrame` with label columns out, by a `Labeler` or by a whole run.

#![warn(missing_docs)]

use tooljudge_core::report;

#[cfg(feature = "cli")]
mod cli;
pub mod frames;
#[doc(hidden)]
pub mod internal;
pub mod judge;
#[cfg(test)]
#[path = "../tests/support/on_time.rs"]
mod on_time;
mod read;
pub mod run;
mod store;
mod table;
mod write;

// The core, as far as it appears in public signatures. The rooms above use all of it.

/// Attacks on judges: what an [audit](run::audit()) found.
pub mod audit {
    pub(crate) use tooljudge_core::audit::*;
    #[doc(inline)]
    pub use tooljudge_core::audit::{Attack, Audited, Change, Finding, Kind, Place, Probe, Rates};
    #[doc(inline)]
    pub use tooljudge_core::report::AuditCounts;
}

/// How good judges are: the figures of a [benchmark](run::bench()) and of a [comparison](run::compare()).
pub mod bench {
    #[doc(inline)]
    pub use tooljudge_core::bench::comparison::{Comparison, MeasureDifference, Question, Verdict};
    pub(crate) use tooljudge_core::bench::*;
    #[doc(inline)]
    pub use tooljudge_core::bench::{
        AmbiguousLabel, Calibration, Consistency, Counts, LeftOut, Measured, NotALabel, Rate, Slice, Usage,
        UsageRecord, Words,
    };
}

/// The built-in judge: offline, free, deterministic.
pub mod check {
    pub(crate) use tooljudge_core::check::*;
    #[doc(inline)]
    pub use tooljudge_core::check::{
        BaseRate, BuiltinJudge, Decide, InvalidBaseRate, InvalidDecide, Stage, StageKind, TaskStage,
        TrainedModel, UnusableModel,
    };
}

/// The nouns that the stages hand on: rows, samples, prompts, dialogues, replies, verdicts, and the JSON in them.
pub mod domain {
    pub(crate) use tooljudge_core::domain::*;
    #[doc(inline)]
    pub use tooljudge_core::domain::{
        Aftermath, AnswerForm, Arguments, CallResult, Calls, Cell, Definitions, Dialogue, Entry, Episode,
        Finding, FindingKind, Findings, Flag, Item, Json, JsonError, Message, Messages, Number, Object,
        Origin, Outcome, Paid, Part, Place, Prompt, Rail, RailProbability, Rails, RailsError, RawRow,
        RawText, Reply, Role, RowError, RowErrorCode, Sample, SharedText, Slot, Status, Stop, Task, ToolCall,
        ToolDefinition, ToolResult, Turn, Unit, UnknownFindingKind, UnknownSlot, UnknownTask, Usage,
        Variable, Verdict,
    };
}

/// Agents in cases: suites, mocks, and the loop that executes an agent's calls.
pub mod drive {
    pub(crate) use tooljudge_core::drive::*;
    #[doc(inline)]
    pub use tooljudge_core::drive::{Ended, Loop};
}

/// Environments that agents can be driven in.
pub mod environment {
    #[doc(inline)]
    pub use tooljudge_core::environment::{EnvironmentName, UnknownEnvironment};
}

/// Tables of calls of which it is known whether they are right: what [`run::gold()`] made.
pub mod gold {
    pub(crate) use tooljudge_core::gold::*;
    #[doc(inline)]
    pub use tooljudge_core::gold::{Benign, Kind, Mistake};
}

/// Cells of any shape to [`domain::Sample`]s.
pub mod normalize {
    #[doc(inline)]
    pub use tooljudge_core::normalize::columns::ColumnError;
    #[doc(inline)]
    pub use tooljudge_core::normalize::logs::{LogFormat, Turns};
    pub(crate) use tooljudge_core::normalize::*;
    #[doc(inline)]
    pub use tooljudge_core::normalize::{Conversation, Normalizer, NullCall, Options};
}

/// Samples to prompts: the built-in templates, and templates of one's own.
pub mod render {
    #[doc(inline)]
    pub use tooljudge_core::render::{Origin, Template, TemplateError, builtin, builtin_five, builtins};
}

/// Calls against expected calls, record by record: what [`run::score()`] does for each case of a table.
pub mod score {
    pub(crate) use tooljudge_core::score::*;
    #[doc(inline)]
    pub use tooljudge_core::score::{
        FunctionVersion, Issue, IssueKind, OwnFunction, OwnFunctions, Ready, SCORERS, Score, ScoreError,
        Scored, Scorer,
    };
}

/// Labels out of replies.
pub mod snap {
    pub(crate) use tooljudge_core::snap::findings;
    #[doc(inline)]
    pub use tooljudge_core::snap::{NoVerdict, Rules, Snapped, UnknownRules, snap, snap_cut};
}

/// What labels of one's own make of the built-in judge: what [`run::train()`] measured.
pub mod train {
    #[doc(inline)]
    pub use tooljudge_core::train::{
        Change, Changes, Evaluation, Figures, Gain, Grouping, SliceChange, UnusableMaterial,
    };
}

/// The measures of a benchmark and their intervals.
pub mod stats {
    pub(crate) use tooljudge_core::stats::*;
    #[doc(inline)]
    pub use tooljudge_core::stats::{Bin, Confusion, Estimate, Measure, PassRate};
}
