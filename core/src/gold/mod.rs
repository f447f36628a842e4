//! Generates tables of calls with known labels: accepted answers, typed mistakes, real models' mistakes.
//!
//! ```
//! use tooljudge_core::domain::Json;
//! use tooljudge_core::gold::{bfcl, generate};
//!
//! let record = |text: &str| Json::parse(text).ok().and_then(|json| json.as_object().cloned()).unwrap_or_default();
//! let question = record(
//!     r#"{"id": "simple_python_0", "question": [[{"role": "user", "content": "A room in Oslo for 2, please"}]],
//!         "function": [{"name": "book", "parameters": {"type": "dict", "required": ["city", "guests"], "properties":
//!             {"city": {"type": "string"}, "guests": {"type": "integer"}}}}]}"#,
//! );
//! let answer = record(r#"{"id": "simple_python_0", "ground_truth": [{"book": {"city": ["Oslo"], "guests": [2]}}]}"#);
//! let question = bfcl::question(&question, Some(&answer), "simple_python")?;
//! let generated = generate(&question, 0)?;
//! assert!(generated.negatives.iter().any(|wrong| wrong.mistake.as_str() == "number_off_by_one"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The scorer [`bfcl_ast`](crate::score::bfcl) checks that every right call is right and every wrong one wrong; other calls are
//! discarded and counted. All draws depend only on the seed, the question's id and the type of edit.

mod accepted;
mod arithmetic;
pub mod bfcl;
mod call_source;
mod choice;
mod dates;
mod decimal;
mod filler;
mod filler_table;
mod findings;
mod generated;
mod literal;
mod mistakes;
pub mod own;
mod question;
mod random;
pub mod results;
mod row;
mod source;
#[cfg(test)]
mod tests;
mod tool;
mod words;

pub use accepted::Benign;
pub use choice::{Candidate, Wanted, chosen};
pub use generated::{Generated, Kind, Negative, Rejected, generate};
pub use mistakes::Mistake;
pub use question::{Question, ScorerVerdict};
pub use row::{Column, Holds, Row, columns};
