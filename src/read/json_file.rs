//! JSON Lines, and arrays of objects.

use std::sync::Arc;

use super::texts::{Text, Texts};
use super::{Input, ReadError, SLICE_BYTES, SLICE_ROWS, Slices};
use crate::domain::Json;
use crate::table::{Batch, Record, Rows, Schema, SchemaBuilder};

/// Reads the whole file once, since any object may bring a new column.
pub(super) fn survey(input: &Input, builder: &mut SchemaBuilder) -> Result<u64, ReadError> {
    let mut texts = Texts::open(input)?;
    let mut rows = 0;
    while let Some(text) = texts.next_text()? {
        rows += 1;
        if let Ok(object) = text.object() {
            builder.add(&object);
        }
    }
    if rows == 0 {
        return Err(ReadError::Empty(input.name()));
    }
    Ok(rows)
}

pub(super) fn slices(input: &Input, schema: &Arc<Schema>) -> Result<Slices, ReadError> {
    let texts = Texts::open(input)?;
    Ok(Box::new(JsonSlices { texts, schema: Arc::clone(schema), done: false }))
}

struct JsonSlices {
    texts: Texts,
    schema: Arc<Schema>,
    done: bool,
}

impl Iterator for JsonSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut records = Vec::new();
        let mut bytes = 0;
        while !self.done && records.len() < SLICE_ROWS && bytes < SLICE_BYTES {
            match self.texts.next_text() {
                Ok(Some(text)) => {
                    bytes += text.bytes.len();
                    records.push(record(&text, &self.schema));
                }
                Ok(None) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            }
        }
        let batch = Batch { schema: Arc::clone(&self.schema), rows: Rows::Records(records) };
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

fn record(text: &Text, schema: &Schema) -> Record {
    match text.object() {
        Ok(mut object) => {
            let cells = schema
                .names()
                .map(|name| object.get_mut(name).map(|value| std::mem::replace(value, Json::Null)))
                .collect();
            Record { cells, item: None }
        }
        Err(error) => Record { cells: vec![None; schema.columns.len()], item: Some(Err(error)) },
    }
}
