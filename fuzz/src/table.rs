//! Tables as far as texts have them, without the typed ones: the frames' library would take half an hour to build.

use std::sync::Arc;

pub use format::Format;

use crate::domain::{Item, Json};

#[path = "../../src/table/format.rs"]
pub mod format;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Text,
}

impl Schema {
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

#[derive(Debug, Clone)]
pub struct Batch {
    pub schema: Arc<Schema>,
    pub rows: Rows,
}

#[derive(Debug, Clone)]
pub enum Rows {
    Records(Vec<Record>),
    /// Never made here.
    Frame,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    pub cells: Vec<Option<Json>>,
    pub item: Option<Item>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        matches!(&self.rows, Rows::Records(records) if records.is_empty())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no typed table")]
pub struct TableError;
