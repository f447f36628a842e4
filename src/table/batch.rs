//! A slice of a table.

use std::sync::Arc;

use polars::prelude::{Column, DataFrame, IdxCa, IdxSize};

use super::arrow::is_padded;
use super::frame::{Blanks, Reading};
use super::{Kind, Schema, TableError, frame, non_finite, schema};
use crate::domain::{Item, Json};
use crate::normalize::columns::Place;

/// Consecutive rows of one table.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The columns of all rows.
    pub schema: Arc<Schema>,
    /// The cells.
    pub rows: Rows,
}

/// The rows in the form their file had.
#[derive(Debug, Clone)]
pub enum Rows {
    /// Of text formats, whose numbers keep their spelling.
    Records(Vec<Record>),
    /// Of columnar formats, whose types pass through untouched.
    Frame(DataFrame),
}

/// One row of a text format, its cells in the schema's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// `None` where the row does not have the key at all.
    pub cells: Vec<Option<Json>>,
    /// What was read out of the row, where that is known already: a log's reader reads more than cells, and a text may be
    /// no row.
    pub item: Option<Item>,
}

impl Batch {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Records(records) => records.len(),
            Rows::Frame(frame) => frame.height(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of one column, row by row. A key without a column of its own is found among the other keys, or at its [`Place`].
    pub fn column(&self, name: &str) -> Result<Vec<Option<Json>>, TableError> {
        let Some(position) = self.schema.position(name) else {
            let others = self.other_key(name);
            let is_known = others.iter().any(Option::is_some);
            return match Place::of(name, &|column| self.schema.position(column).is_some()) {
                Some(place) if !is_known => place.values(&|column| self.column(column)),
                _ => Ok(others),
            };
        };
        let kind = &self.schema.columns[position].kind;
        match &self.rows {
            Rows::Records(records) => {
                let cells = records.iter().map(|record| record.cells.get(position).cloned().flatten());
                Ok(match kind {
                    Kind::Padded => cells.map(|cell| cell.map(Json::without_nulls)).collect(),
                    _ => cells.collect(),
                })
            }
            Rows::Frame(_) => self.frame_column(name, kind, Blanks::Absent),
        }
    }

    /// The same values with null in each field that the row may not have had; `None` where no field may be such a one.
    pub fn padded(&self, name: &str) -> Result<Option<Vec<Option<Json>>>, TableError> {
        self.schema.position(name).map_or(Ok(None), |position| self.padded_at(position))
    }

    /// The same of the column at this place.
    pub fn padded_at(&self, position: usize) -> Result<Option<Vec<Option<Json>>>, TableError> {
        let Some(schema::Column { name, kind }) = self.schema.columns.get(position) else { return Ok(None) };
        match (&self.rows, kind) {
            (Rows::Records(records), Kind::Padded) => {
                let cell = |record: &Record| record.cells.get(position).cloned().flatten();
                Ok(Some(records.iter().map(cell).collect()))
            }
            (Rows::Frame(_), kind @ Kind::Typed(typed)) if typed.may_have_blanks() => {
                self.frame_column(name, kind, Blanks::Null).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn frame_column(&self, name: &str, kind: &Kind, blanks: Blanks) -> Result<Vec<Option<Json>>, TableError> {
        let Rows::Frame(frame) = &self.rows else { return Ok(Vec::new()) };
        let reading = Reading { file: kind.file(), blanks };
        let series = frame.column(name)?.as_materialized_series();
        Ok(frame::values(series, reading).into_iter().map(Some).collect())
    }

    fn other_key(&self, name: &str) -> Vec<Option<Json>> {
        match (&self.rows, self.schema.other_keys()) {
            (Rows::Records(records), Some(place)) => {
                let value = |record: &Record| record.cells.get(place)?.as_ref()?.get(name).cloned();
                records.iter().map(value).collect()
            }
            _ => vec![None; self.len()],
        }
    }

    /// Which rows have NaN or an infinity in the column `name`, at any depth: JSON has no word for these, and shows null.
    pub fn non_finite(&self, name: &str) -> Result<Option<Vec<bool>>, TableError> {
        match &self.rows {
            Rows::Frame(frame) if self.schema.position(name).is_some() => {
                Ok(non_finite::rows(frame.column(name)?.as_materialized_series()))
            }
            _ => Ok(None),
        }
    }

    /// What such numbers are called in a text, for each column of numbers that has some: by its place, row by row.
    pub fn non_finite_words(&self) -> Vec<(usize, Vec<Option<&'static str>>)> {
        let Rows::Frame(frame) = &self.rows else { return Vec::new() };
        let words =
            |(at, column): (usize, &Column)| Some((at, non_finite::words(column.as_materialized_series())?));
        frame.columns().iter().enumerate().filter_map(words).collect()
    }

    /// What was read out of a row, where that is known already.
    pub fn item(&self, row: usize) -> Option<&Item> {
        match &self.rows {
            Rows::Records(records) => records.get(row)?.item.as_ref(),
            Rows::Frame(_) => None,
        }
    }

    /// Writes `value` (null if there is none) into every row of the text column `name`, if there is such a column.
    pub fn fill(&mut self, name: &str, value: Option<&str>) -> Result<(), TableError> {
        let Some(at) = self.schema.position(name) else { return Ok(()) };
        match &mut self.rows {
            Rows::Records(records) => {
                for record in records {
                    record.cells[at] = Some(value.map_or(Json::Null, Json::from));
                }
            }
            Rows::Frame(frame) => {
                frame.replace_column(at, frame::constant(name, value, frame.height()))?;
            }
        }
        Ok(())
    }

    /// Keeps the rows for which `keep` holds.
    pub fn retain(self, keep: &[bool]) -> Result<Batch, TableError> {
        let rows = match self.rows {
            Rows::Records(mut records) => {
                let mut keep = keep.iter();
                records.retain(|_| keep.next().copied().unwrap_or(false));
                Rows::Records(records)
            }
            Rows::Frame(frame) => Rows::Frame(frame.filter(&keep.iter().copied().collect())?),
        };
        Ok(Batch { schema: self.schema, rows })
    }

    /// Keeps the first `rows` rows.
    pub fn head(self, rows: usize) -> Batch {
        let rows = match self.rows {
            Rows::Records(mut records) => {
                records.truncate(rows);
                Rows::Records(records)
            }
            Rows::Frame(frame) => Rows::Frame(frame.head(Some(rows))),
        };
        Batch { schema: self.schema, rows }
    }

    /// The first `rows` rows, and the others.
    pub fn split(self, rows: usize) -> (Batch, Batch) {
        let schema = Arc::clone(&self.schema);
        let (first, rest) = match self.rows {
            Rows::Records(mut records) => {
                let rest = records.split_off(rows.min(records.len()));
                (Rows::Records(records), Rows::Records(rest))
            }
            Rows::Frame(frame) => {
                let rest = frame.slice(i64::try_from(rows).unwrap_or(i64::MAX), frame.height());
                (Rows::Frame(frame.head(Some(rows))), Rows::Frame(rest))
            }
        };
        (Batch { schema: self.schema, rows: first }, Batch { schema, rows: rest })
    }

    /// The rows of `batches`, which have the same columns, one after the other: `order` names each by its place among all.
    pub fn arranged(batches: Vec<Batch>, order: &[usize]) -> Result<Batch, TableError> {
        let mut batches = batches.into_iter();
        let Some(Batch { schema, mut rows }) = batches.next() else {
            return Ok(Batch { schema: Arc::default(), rows: Rows::Records(Vec::new()) });
        };
        for batch in batches {
            match (&mut rows, batch.rows) {
                (Rows::Records(all), Rows::Records(more)) => all.extend(more),
                (Rows::Frame(all), Rows::Frame(more)) => {
                    all.vstack_mut(&more)?;
                }
                (Rows::Records(all), Rows::Frame(more)) => all.extend(frame::records(&more, &schema)),
                (Rows::Frame(all), Rows::Records(more)) => {
                    all.vstack_mut(&frame::from_records(&schema, &more)?)?;
                }
            }
        }
        let rows = match rows {
            Rows::Records(mut records) => {
                let take = |at: &usize| records.get_mut(*at).map(std::mem::take).unwrap_or_default();
                Rows::Records(order.iter().map(take).collect())
            }
            Rows::Frame(mut all) => {
                all.rechunk_mut();
                let places: IdxCa =
                    order.iter().map(|at| Some(IdxSize::try_from(*at).unwrap_or(IdxSize::MAX))).collect();
                Rows::Frame(all.take(&places)?)
            }
        };
        Ok(Batch { schema, rows })
    }

    /// The same rows with more columns, whose cells are `added`, row by row.
    pub fn append(self, added: &Schema, cells: Vec<Record>) -> Result<Batch, TableError> {
        let columns = self.schema.columns.iter().chain(&added.columns).cloned().collect();
        let rows = match self.rows {
            Rows::Records(mut records) => {
                for (record, more) in records.iter_mut().zip(cells) {
                    record.cells.extend(more.cells);
                }
                Rows::Records(records)
            }
            Rows::Frame(frame) => Rows::Frame(frame.hstack(frame::from_records(added, &cells)?.columns())?),
        };
        Ok(Batch { schema: Arc::new(Schema::of(columns)), rows })
    }

    /// The same rows with other names for some columns, each as it is and as it shall be.
    pub fn renamed(self, names: &[(String, String)]) -> Result<Batch, TableError> {
        if names.is_empty() {
            return Ok(self);
        }
        let schema = Arc::new(self.schema.renamed(names));
        let rows = match self.rows {
            Rows::Frame(mut frame) => {
                for (from, to) in names {
                    frame.rename(from, to.as_str().into())?;
                }
                Rows::Frame(frame)
            }
            records => records,
        };
        Ok(Batch { schema, rows })
    }

    /// The rows without the columns `names`.
    pub fn without(self, names: &[&str]) -> Batch {
        self.with_columns(|column| !names.contains(&column.name.as_str()))
    }

    /// The rows with those of their columns that are `wanted`.
    pub fn with_columns(self, wanted: impl Fn(&schema::Column) -> bool) -> Batch {
        let keep: Vec<bool> = self.schema.columns.iter().map(wanted).collect();
        if keep.iter().all(|keep| *keep) {
            return self;
        }
        let kept = |at: &usize| keep[*at];
        let columns = (0..keep.len()).filter(kept).map(|at| self.schema.columns[at].clone()).collect();
        let rows = match self.rows {
            Rows::Records(records) => Rows::Records(
                records
                    .into_iter()
                    .map(|mut record| Record {
                        cells: (0..keep.len()).filter(kept).map(|at| record.cells[at].take()).collect(),
                        item: record.item,
                    })
                    .collect(),
            ),
            Rows::Frame(frame) => {
                let kept = frame.columns().iter().zip(&keep).filter(|(_, keep)| **keep);
                let kept = kept.map(|(column, _)| column.clone()).collect();
                // As many rows as the columns had, which had different names.
                Rows::Frame(DataFrame::new(frame.height(), kept).unwrap_or_default())
            }
        };
        Batch { schema: Arc::new(Schema::of(columns)), rows }
    }

    /// The rows as records.
    pub fn into_records(self) -> Result<Vec<Record>, TableError> {
        match self.rows {
            Rows::Records(records) => Ok(unpadded(records, &self.schema)),
            Rows::Frame(frame) => Ok(frame::records(&frame, &self.schema)),
        }
    }

    /// The rows as a frame with the schema's types.
    pub fn into_frame(self) -> Result<DataFrame, TableError> {
        match self.rows {
            Rows::Records(records) => {
                Ok(frame::from_records(&self.schema, &unpadded(records, &self.schema))?)
            }
            Rows::Frame(mut frame) => {
                for (at, column) in self.schema.columns.iter().enumerate() {
                    if column.kind.file().is_some_and(is_padded) {
                        let stripped = frame::without_blanks(&frame.columns()[at])?;
                        frame.replace_column(at, stripped)?;
                    }
                }
                Ok(frame)
            }
        }
    }
}

/// The records without fields that their rows may not have had.
fn unpadded(mut records: Vec<Record>, schema: &Schema) -> Vec<Record> {
    for (at, _) in schema.columns.iter().enumerate().filter(|(_, column)| column.kind == Kind::Padded) {
        for cell in records.iter_mut().filter_map(|record| record.cells.get_mut(at)) {
            *cell = cell.take().map(Json::without_nulls);
        }
    }
    records
}
