//! Reports of benchmarks and audits for people: terminal, Markdown, HTML.

mod audit;
mod comparison;
mod html;
mod markdown;
mod numbers;
mod plain;
mod step_summary;
mod table;
mod terminal;
mod trend;
mod trend_page;

pub use audit::{AuditCounts, audit_markdown, audit_terminal};
pub use comparison::{Compared, comparison};
pub use html::{html, review_page, rows_page};
pub use markdown::markdown;
pub use numbers::counted;
pub use plain::{plain, within as plain_within, wrapped};
pub use step_summary::{GateVerdict, StepPart, StepSummary, StepTable, step_summary};
pub use table::{Column, Table};
pub use terminal::terminal;
pub use trend::{p_is, pass_rate, trend};
pub use trend_page::trend_page;

/// The columns of a text that is not for a terminal.
pub const USUAL_WIDTH: usize = 100;
/// The least columns that texts are arranged to: figures are not cut to fit fewer.
pub const MIN_WIDTH: usize = 60;
