//! A table in memory, read as the file that it would be.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use polars::prelude::{ArrowSchema, CompatLevel, DataFrame};

use super::typed::{self, Cuts};
use super::{ReadError, Slices, spool};
use crate::table::arrow::storage;
use crate::table::{self, Column, Kind, Typed};

/// A table in memory: a job reads it as it reads a file of these rows.
#[derive(Debug, Clone)]
pub struct InMemory(pub(super) Held);

/// The rows in the form that their owner had them.
#[derive(Debug, Clone)]
pub(super) enum Held {
    Frame(Arc<FrameTable>),
    /// JSON Lines, in a temporary file.
    Lines(Arc<File>),
}

/// A frame, and the types that its owner gave its columns.
#[derive(Debug)]
pub(super) struct FrameTable {
    frame: DataFrame,
    own: ArrowSchema,
}

impl InMemory {
    /// What messages and manifests call it.
    pub const NAME: &str = "<table>";

    /// `frame`, whose columns had the types of `own` before they came into a frame: an Arrow file of that schema.
    #[doc(hidden)]
    pub fn arrow(frame: DataFrame, own: ArrowSchema) -> InMemory {
        InMemory(Held::Frame(Arc::new(FrameTable { frame, own })))
    }

    /// The rows of a text in JSON Lines: an object in each line.
    ///
    /// # Errors
    /// If no temporary file can be written.
    pub fn json_lines(text: &[u8]) -> Result<InMemory, ReadError> {
        let kept = spool::keep(&mut &*text).map_err(|error| ReadError::Spool(error.to_string()))?;
        Ok(InMemory(Held::Lines(Arc::new(kept))))
    }
}

impl From<DataFrame> for InMemory {
    fn from(frame: DataFrame) -> InMemory {
        let field = |(name, dtype): (&_, &polars::prelude::DataType)| {
            let field = dtype.to_arrow_field(Clone::clone(name), CompatLevel::newest());
            (field.name.clone(), field)
        };
        let own = frame.schema().iter().map(field).collect();
        InMemory::arrow(frame, own)
    }
}

impl FrameTable {
    /// The table's columns and its number of rows.
    pub(super) fn survey(&self) -> Result<(table::Schema, u64), ReadError> {
        typed::refuse_unreadable(Path::new(InMemory::NAME), &self.own)?;
        let column = |(field, column): (&_, &polars::prelude::Column)| Column {
            name: column.name().to_string(),
            kind: Kind::Typed(Typed::new(field, column.dtype().clone())),
        };
        let columns = self.own.iter_values().zip(self.frame.columns()).map(column).collect();
        Ok((table::Schema::of(columns), self.frame.height() as u64))
    }

    /// The table's rows, under the columns of `schema`: those that it lacks are null.
    pub(super) fn slices(&self, schema: &Arc<table::Schema>) -> Slices {
        let present = self.frame.columns().iter().filter(|column| schema.position(column.name()).is_some());
        // Its columns are as long as they were in the whole.
        let frame = DataFrame::new(self.frame.height(), present.cloned().collect()).unwrap_or_default();
        let (mut cuts, schema) = (Cuts::new(frame), Arc::clone(schema));
        Box::new(std::iter::from_fn(move || {
            let rows = cuts.next()?;
            Some(typed::batch(Path::new(InMemory::NAME), &rows, &schema))
        }))
    }
}

/// `own` as frames know it, without extension types.
#[doc(hidden)]
pub fn stored(own: &ArrowSchema) -> ArrowSchema {
    table::arrow::map_types(own, &storage)
}
