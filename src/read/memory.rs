//! A table in memory, read like a file.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use polars::prelude::{
    ArrowDataType, ArrowField, ArrowSchema, CompatLevel, DataFrame, DataType, IntoColumn, PlSmallStr,
    PolarsResult, Series,
};
use polars_arrow::array::{Array, new_empty_array};

use super::typed::{self, Cuts};
use super::{ReadError, Slices, spool};
use crate::table::arrow::{map_types, marked_padded, storage, stored};
use crate::table::{self, Column, Kind, Typed};

/// A table in memory: a job reads it as it reads a file of these rows.
#[derive(Debug, Clone)]
pub struct InMemory(pub(super) Held);

/// The rows in the form that their owner had them.
#[derive(Debug, Clone)]
pub(super) enum Held {
    Frame(Arc<FrameTable>),
    /// JSON Lines, in a temporary file.
    Lines {
        file: Arc<File>,
        /// Whether nested objects may have null fields that their rows did not have.
        padded: bool,
    },
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

    /// The column by which the owner of a table finds its rows again, if not all are wanted. No user knows of it.
    #[doc(hidden)]
    pub const ROW: &str = "tooljudge row";

    /// The columns of an Arrow stream, each with its record batches: `rows` rows in all.
    ///
    /// # Errors
    /// If a type has no JSON, or two columns have one name.
    #[doc(hidden)]
    pub fn arrow(
        fields: &[ArrowField],
        columns: Vec<Vec<Box<dyn Array>>>,
        rows: usize,
    ) -> Result<InMemory, ReadError> {
        InMemory::check(fields)?;
        let path = Path::new(InMemory::NAME);
        let own = schema(fields);
        let known = map_types(&own, &storage);
        let column = |(field, chunks): (&ArrowField, Vec<Box<dyn Array>>)| {
            let chunks =
                chunks.iter().map(|chunk| stored(chunk.as_ref())).collect::<PolarsResult<Vec<_>>>()?;
            match chunks.is_empty() {
                true => Ok(Series::try_from((field, new_empty_array(field.dtype.clone())))?.into_column()),
                false => Ok(Series::try_from((field, chunks))?.into_column()),
            }
        };
        let frame = typed::shielded(path, || {
            let columns = known.iter_values().zip(columns).map(column).collect::<PolarsResult<Vec<_>>>();
            let frame = columns.and_then(|columns| DataFrame::new(rows, columns));
            frame.map_err(|error| ReadError::malformed(path, error))
        })?;
        Ok(InMemory(Held::Frame(Arc::new(FrameTable { frame, own }))))
    }

    /// Refuses columns that no table can have, before anything of them is read: readers panic at some types.
    ///
    /// # Errors
    /// As for [`InMemory::arrow`].
    #[doc(hidden)]
    pub fn check(fields: &[ArrowField]) -> Result<(), ReadError> {
        let path = Path::new(InMemory::NAME);
        let mut names = HashSet::with_capacity(fields.len());
        if let Some(twice) = fields.iter().find(|field| !names.insert(&field.name)) {
            let name = twice.name.to_string();
            return Err(ReadError::DuplicateColumn { path: path.to_owned(), name });
        }
        let own = schema(fields);
        typed::refuse_unreadable(path, &own)?;
        typed::refuse(path, &own, &|dtype| matches!(dtype, ArrowDataType::Decimal256(..)))
    }

    /// The rows of a text in JSON Lines: an object in each line.
    ///
    /// # Errors
    /// If no temporary file can be written.
    pub fn json_lines(text: &[u8]) -> Result<InMemory, ReadError> {
        let kept = spool::keep(&mut &*text).map_err(|error| ReadError::Spool(error.to_string()))?;
        Ok(InMemory(Held::Lines { file: Arc::new(kept), padded: false }))
    }

    /// The same of rows whose objects were given the fields of each other, null where they have none: such a field is absent, unless the
    /// definition of a called tool says that it must have been passed.
    #[doc(hidden)]
    #[must_use]
    pub fn padded(self) -> InMemory {
        InMemory(match self.0 {
            Held::Lines { file, .. } => Held::Lines { file, padded: true },
            frame => frame,
        })
    }

    /// A column of JSON in texts of which the same holds.
    #[doc(hidden)]
    pub fn padded_column(field: &ArrowField) -> ArrowField {
        marked_padded(field)
    }
}

fn schema(fields: &[ArrowField]) -> ArrowSchema {
    fields.iter().map(|field| (field.name.clone(), field.clone())).collect()
}

impl From<DataFrame> for InMemory {
    fn from(frame: DataFrame) -> InMemory {
        let field = |(name, dtype): (&PlSmallStr, &DataType)| {
            let field = dtype.to_arrow_field(name.clone(), CompatLevel::newest());
            (field.name.clone(), field)
        };
        let own = frame.schema().iter().map(field).collect();
        InMemory(Held::Frame(Arc::new(FrameTable { frame, own })))
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
        let wanted = schema.places();
        let present =
            self.frame.columns().iter().filter(|column| wanted.contains_key(column.name().as_str()));
        // Its columns are as long as they were in the whole.
        let frame = DataFrame::new(self.frame.height(), present.cloned().collect()).unwrap_or_default();
        let (mut cuts, schema) = (Cuts::new(frame), Arc::clone(schema));
        Box::new(std::iter::from_fn(move || {
            let rows = cuts.next()?;
            Some(typed::batch(Path::new(InMemory::NAME), &rows, &schema))
        }))
    }
}
