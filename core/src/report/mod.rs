//! What a benchmark or an audit came to, for people: terminal, Markdown, one HTML file.

mod audit;
mod comparison;
mod html;
mod markdown;
mod numbers;
mod plain;
mod table;
mod terminal;

pub use audit::{AuditCounts, audit_markdown, audit_terminal};
pub use comparison::comparison;
pub use html::html;
pub use markdown::markdown;
pub use numbers::counted;
pub use plain::plain;
pub use terminal::terminal;
