//! The variables that a template can use.

use std::fmt;
use std::sync::Arc;

use super::Slot;

/// A value of a row that a template shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// One that rows of every table and log may have.
    Slot(Slot),
    /// The value of any column: `row["policy"]`.
    Column(Arc<str>),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Slot(slot) => slot.fmt(f),
            Variable::Column(column) => write!(f, "row[\"{column}\"]"),
        }
    }
}
