//! Checks values against a JSON Schema, with a bound on the work: schemas come from logs and suites, and a small one can unfold
//! to more than any machine holds.

mod alternatives;
mod arguments;
mod compilation;
mod effort;
mod faults;
mod misplaced;
mod nulls;
mod parts;
mod patterns;
mod text;
mod undeclared;
mod validator;

pub(crate) use alternatives::{Effort, Kind, Walk, list, property};
pub use arguments::{ArgumentSchemas, UnusableSchema};
pub use faults::{CallFault, CheckedCalls, check_calls};
pub use misplaced::{MisplacedText, misplaced_texts};
pub(crate) use nulls::says_null;
pub(crate) use parts::target;
pub(crate) use undeclared::{has_undeclared, undeclared};
pub(crate) use validator::{BoundedValidator, Breach, SchemaError, Unusable, kept_pattern_bytes, plain};
