//! Template and sample to prompt. Decides how data is laid into a prompt, not which words surround it.

mod builtin;
mod error;
mod fence;
mod front_matter;
mod jinja;
mod peers;
mod plain;
mod requests;
mod template;
mod variable;

pub use builtin::{builtin, builtin_five, builtins};
pub use error::TemplateError;
pub use template::{Origin, Template};
