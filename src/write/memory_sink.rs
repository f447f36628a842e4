//! Collects a table in memory.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use polars::prelude::{ArrowSchema, DataFrame, PolarsResult};
use polars_arrow::array::{Array, StructArray};
use polars_arrow::datatypes::ArrowDataType;

use super::WriteError;
use crate::domain::{Json, Object};
use crate::table::arrow::{map_types, record_batch, with_arrow_name};
use crate::table::{Batch, Kind, Rows, Schema, TableError};

/// Where a job leaves its table, for whoever holds a copy of this. Nothing is there before the job is done.
#[derive(Debug, Clone, Default)]
pub struct Collected(Arc<Mutex<Option<CollectedTable>>>);

/// A table as an Arrow file of it would hold it.
#[derive(Debug, Clone)]
pub struct CollectedTable {
    frame: DataFrame,
    columns: Arc<Schema>,
    schema: Arc<ArrowSchema>,
}

/// One place is itself, whatever lies there.
impl PartialEq for Collected {
    fn eq(&self, other: &Collected) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Collected {}

impl Collected {
    /// What stands where the path of a file would.
    pub(super) fn place() -> PathBuf {
        PathBuf::new()
    }

    /// The table, if the job wrote one and nobody took it yet.
    pub fn take(&self) -> Option<DataFrame> {
        Some(self.take_table()?.frame)
    }

    /// The table with the types that its columns have outside of frames.
    #[doc(hidden)]
    pub fn take_table(&self) -> Option<CollectedTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl CollectedTable {
    /// The columns, and how many rows there are.
    pub fn shape(&self) -> (&ArrowSchema, usize) {
        (&self.schema, self.frame.height())
    }

    /// The columns from the one at `first` on in JSON Lines, each row a line. Nested values are nested.
    ///
    /// # Errors
    /// If a cell cannot be read.
    pub fn json_lines(&self, first: usize) -> Result<String, TableError> {
        let columns = self.columns.columns.get(first..).unwrap_or_default();
        let frame = DataFrame::new(self.frame.height(), self.frame.columns()[first..].to_vec());
        let batch = Batch { schema: Arc::new(Schema::of(columns.to_vec())), rows: Rows::Frame(frame?) };
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let mut lines = String::new();
        for record in batch.into_records()? {
            let cells =
                record.cells.into_iter().zip(columns).map(|(cell, column)| nested(cell, &column.kind));
            let row: Object = names.iter().map(|name| (*name).to_owned()).zip(cells).collect();
            lines.push_str(&Json::Object(row).to_string());
            lines.push('\n');
        }
        Ok(lines)
    }

    /// The rows as one array of structs, with the input's own types.
    ///
    /// # Errors
    /// If a type cannot be turned back into the input's.
    pub fn to_array(&self) -> PolarsResult<Box<dyn Array>> {
        let rows = self.frame.height();
        let columns = record_batch(&self.frame, &self.schema)?.into_arrays();
        let dtype = ArrowDataType::Struct(self.schema.iter_values().cloned().collect());
        Ok(StructArray::try_new(dtype, rows, columns, None)?.boxed())
    }
}

/// Gathers rows in memory.
pub(super) struct MemorySink {
    frame: DataFrame,
    columns: Arc<Schema>,
    schema: Arc<ArrowSchema>,
    to: Collected,
}

impl MemorySink {
    pub(super) fn create(to: &Collected, schema: &Schema) -> Result<MemorySink, WriteError> {
        let columns = Arc::new(schema.clone());
        let empty = Batch { schema: Arc::clone(&columns), rows: Rows::Records(Vec::new()) };
        let frame = empty.into_frame().map_err(explain)?;
        let schema = Arc::new(map_types(&schema.arrow(), &with_arrow_name));
        Ok(MemorySink { frame, columns, schema, to: to.clone() })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let frame = batch.into_frame().map_err(explain)?;
        self.frame.vstack_mut(&frame).map_err(explain)?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> u64 {
        self.frame.align_chunks_par();
        let bytes = self.frame.estimated_size() as u64;
        let table = CollectedTable { frame: self.frame, columns: self.columns, schema: self.schema };
        *self.to.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(table);
        bytes
    }
}

/// A cell of a frame, where nested values are texts, as the rows had it.
fn nested(cell: Option<Json>, kind: &Kind) -> Json {
    match cell {
        Some(Json::String(text))
            if matches!(kind, Kind::Json | Kind::Padded | Kind::OtherKeys(_))
                && text.starts_with(['[', '{']) =>
        {
            Json::parse(&text).unwrap_or(Json::String(text))
        }
        cell => cell.unwrap_or(Json::Null),
    }
}

fn explain(error: impl ToString) -> WriteError {
    WriteError::Rows { why: error.to_string() }
}
