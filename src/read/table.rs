//! One table out of one or several files: columns known, rows chosen, read as often as needed.

use std::sync::Arc;

use polars::prelude::{PlSmallStr, PolarsError, Scalar};

use super::input::expand;
use super::{Format, Input, ReadError, Slices, csv_file, json_file, parquet_file};
use crate::domain::Json;
use crate::table::{Batch, Column, Kind, Rows, Schema, SchemaBuilder};

/// Names the file of a row where a table has several.
const SOURCE_FILE: &str = "source_file";

/// Which rows of the input are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Columns and the text that they must hold, all of them.
    pub filters: Vec<(String, String)>,
    /// At most so many rows, counted after the conditions.
    pub limit: Option<u64>,
}

/// The rows of all inputs, in order. Holds no rows itself: every pass reads the files again.
#[derive(Debug, Clone)]
pub struct Table {
    inputs: Vec<Input>,
    schema: Arc<Schema>,
    selection: Selection,
    rows: Option<u64>,
    /// Whether rows get a column that names their file.
    name_sources: bool,
}

impl Table {
    /// Finds the files that `patterns` name and their columns. `format` overrides what the files' endings say.
    pub fn open(
        patterns: &[String],
        format: Option<Format>,
        selection: Selection,
    ) -> Result<Table, ReadError> {
        let inputs = expand(patterns, format)?;
        let (mut schema, rows) = survey(&inputs)?;
        for (name, _) in &selection.filters {
            if schema.position(name).is_none() {
                let there = schema.names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                return Err(ReadError::UnknownWhere { name: name.clone(), there });
            }
        }
        let name_sources = inputs.len() > 1 && schema.position(SOURCE_FILE).is_none();
        if name_sources {
            schema.columns.push(Column { name: SOURCE_FILE.to_owned(), kind: Kind::Text });
        }
        // Conditions make the number unknown until the rows are read.
        let chosen = selection.limit.map_or(rows, |limit| limit.min(rows));
        let rows = selection.filters.is_empty().then_some(chosen);
        Ok(Table { inputs, schema: Arc::new(schema), selection, rows, name_sources })
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many rows there are, where that is known without reading them.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// All chosen rows. With `only`, just these columns and those that choose, which for Parquet saves reading the rest.
    pub fn batches(&self, only: Option<&[String]>) -> Batches {
        let wanted = |name: &str| {
            only.is_none_or(|only| only.iter().any(|wanted| wanted == name))
                || self.selection.filters.iter().any(|(filter, _)| filter == name)
        };
        let columns = self.schema.columns.iter().filter(|column| wanted(&column.name)).cloned().collect();
        Batches {
            inputs: self.inputs.clone().into_iter(),
            name_sources: self.name_sources,
            schema: Arc::new(Schema { columns }),
            filters: self.selection.filters.clone(),
            left: self.selection.limit.unwrap_or(u64::MAX),
            current: None,
        }
    }
}

/// The columns of all inputs together, and their rows.
fn survey(inputs: &[Input]) -> Result<(Schema, u64), ReadError> {
    let mut objects = SchemaBuilder::default();
    let mut schema = Schema::default();
    let mut rows = 0;
    for input in inputs {
        let (own, count) = match input.format {
            Format::Csv | Format::Tsv => csv_file::survey(input)?,
            Format::Parquet => parquet_file::schema(input)?,
            Format::Jsonl | Format::Json => (Schema::default(), json_file::survey(input, &mut objects)?),
        };
        rows += count;
        for column in own.columns {
            match schema.position(&column.name) {
                None => schema.columns.push(column),
                Some(at) if schema.columns[at].kind == column.kind => {}
                Some(at) => return Err(conflict(input, &schema.columns[at], &column)),
            }
        }
    }
    schema.columns.extend(objects.finish().columns);
    Ok((schema, rows))
}

fn conflict(input: &Input, first: &Column, other: &Column) -> ReadError {
    let kind = |column: &Column| match &column.kind {
        Kind::Typed(dtype) => dtype.to_string(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    ReadError::TypeConflict {
        path: input.path.clone(),
        name: first.name.clone(),
        first: kind(first),
        other: kind(other),
    }
}

/// The chosen rows, slice by slice.
pub struct Batches {
    inputs: std::vec::IntoIter<Input>,
    name_sources: bool,
    schema: Arc<Schema>,
    filters: Vec<(String, String)>,
    left: u64,
    current: Option<(Input, Slices)>,
}

impl Batches {
    fn next_slice(&mut self) -> Option<Result<(Batch, Input), ReadError>> {
        loop {
            if let Some((input, slices)) = &mut self.current {
                match slices.next() {
                    Some(slice) => return Some(slice.map(|batch| (batch, input.clone()))),
                    None => self.current = None,
                }
            }
            let input = self.inputs.next()?;
            let slices = match input.format {
                Format::Csv | Format::Tsv => csv_file::slices(&input, &self.schema),
                Format::Jsonl | Format::Json => json_file::slices(&input, &self.schema),
                Format::Parquet => parquet_file::slices(&input, &self.schema),
            };
            match slices {
                Ok(slices) => self.current = Some((input, slices)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn choose(&mut self, mut batch: Batch, input: &Input) -> Result<Batch, ReadError> {
        let wrap = |error| ReadError::malformed(&input.path, error);
        if self.name_sources {
            name_source(&mut batch, input).map_err(|error| ReadError::malformed(&input.path, error))?;
        }
        if !self.filters.is_empty() {
            let mut keep = vec![true; batch.len()];
            for (name, text) in &self.filters {
                for (keep, value) in keep.iter_mut().zip(batch.column(name).map_err(wrap)?) {
                    *keep &= holds(value.as_ref(), text);
                }
            }
            batch = batch.retain(&keep).map_err(wrap)?;
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        if batch.len() > left {
            batch = batch.head(left);
        }
        self.left -= batch.len() as u64;
        Ok(batch)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            let chosen = match self.next_slice()? {
                Ok((batch, input)) => self.choose(batch, &input),
                Err(error) => Err(error),
            };
            match chosen {
                Ok(batch) if batch.is_empty() => {}
                chosen => return Some(chosen),
            }
        }
        None
    }
}

/// Whether a cell's text is `text`; null and absent cells have none.
fn holds(value: Option<&Json>, text: &str) -> bool {
    match value {
        None | Some(Json::Null) => text.is_empty(),
        Some(Json::String(value)) => value == text,
        Some(value) => value.to_string() == text,
    }
}

fn name_source(batch: &mut Batch, input: &Input) -> Result<(), PolarsError> {
    let Some(at) = batch.schema.position(SOURCE_FILE) else { return Ok(()) };
    let name = input.path.display().to_string();
    match &mut batch.rows {
        Rows::Records(records) => {
            for record in records {
                record.cells[at] = Some(Json::from(name.as_str()));
            }
        }
        Rows::Frame(frame) => {
            let name = Scalar::from(PlSmallStr::from(name));
            let names = polars::prelude::Column::new_scalar(SOURCE_FILE.into(), name, frame.height());
            frame.replace_column(at, names)?;
        }
    }
    Ok(())
}
