//! Converts any log or table to rows, and reports what was found.

mod file;
mod job;
mod pass;

pub use file::{ConvertedFile, TranscriptCounts};
pub use job::{ConvertSummary, convert, convert_blocking};
pub use pass::{Converted, Form, convert_rows};
