//! Tells which of an agent's logged tool calls were right.
//!
//! ```text
//!  file ─read─▶ RawRow ─normalize─▶ Sample ─render─▶ Prompt ─judge─▶ Reply ─(store)─ snap─▶ Verdict ─write─▶ labelled table
//!                                      │
//!                                      └─ check (schema, grounding) ─▶ Verdict of the built-in judge
//! ```
//!
//! Data flows in one direction, one noun per stage. The code is two crates. `tooljudge-core` (folder `core/`) is pure: [`domain`],
//! [`normalize`], [`render`], [`snap`], [`check`], [`score`], [`stats`], and on them [`gold`], [`bench`], [`audit`], [`report`].
//! This crate re-exports those rooms and adds the edges, which touch files, network, clock or database ([`table`], [`read`],
//! [`write`], [`judge`], [`store`]), and what decides order and concurrency ([`run`]). A room uses only rooms on lower floors:
//!
//! ```text
//! main → cli → frames → run → {read, judge, store, write} → table → core
//! ```
//!
//! The command line is one user of this library: it turns arguments into [settings](run::settings), calls a job of [`run`]
//! (`label`, `resnap`, `convert`, `score`, `bench`, `compare`, `gold`, `audit`), and prints what came of it. Each job can be called
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
//! use tooljudge::run::{Labeler, JudgeTask};
//!
//! # async fn job(samples: Vec<Sample>, key: secrecy::SecretString) -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::new(Provider::OpenAi, "gpt-5-mini", Some(key))?;
//! let judge = connect(target, Settings::default(), &[])?;
//! let judge_task = JudgeTask::new(Arc::new(judge), tooljudge::render::builtin(Task::ToolCalling)?);
//! let labeler = Labeler::model(judge_task).keep_replies("replies.sqlite");
//! let cancel = CancellationToken::new();
//! for verdict in labeler.label(samples, &cancel).await? {
//!     println!("{:?} {:?}", verdict.label(), verdict.error());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`frames`] does the same for polars: a `DataFrame` in, the same `DataFrame` with label columns out.

pub use tooljudge_core::{audit, bench, check, domain, gold, normalize, render, report, score, snap, stats};

#[cfg(feature = "cli")]
pub mod cli;
pub mod frames;
pub mod judge;
pub mod read;
pub mod run;
pub mod store;
pub mod table;
pub mod write;
