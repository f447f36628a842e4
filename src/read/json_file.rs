//! JSON Lines, and arrays of objects.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::texts::{Text, Texts};
use super::{Input, ReadError, SLICE_BYTES, Slices, slice_rows};
use crate::domain::{Json, Object};
use crate::table::{Batch, Kind, Record, Rows, Schema, SchemaBuilder};

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
    let places = Places::of(schema);
    Ok(Box::new(JsonSlices { texts, schema: Arc::clone(schema), places, done: false }))
}

struct JsonSlices {
    texts: Texts,
    schema: Arc<Schema>,
    places: Places,
    done: bool,
}

impl Iterator for JsonSlices {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut records = Vec::new();
        let mut bytes = 0;
        let rows = slice_rows(self.schema.columns.len());
        while !self.done && records.len() < rows && bytes < SLICE_BYTES {
            match self.texts.next_text() {
                Ok(Some(text)) => {
                    bytes += text.bytes.len();
                    records.push(self.places.record(&text));
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

/// Where the values of a row go.
struct Places {
    columns: usize,
    of_keys: HashMap<String, usize>,
    /// Where the keys without a column go, and which keys have one.
    others: Option<(usize, Arc<HashSet<String>>)>,
}

impl Places {
    fn of(schema: &Schema) -> Places {
        let others = schema.other_keys().and_then(|at| match &schema.columns[at].kind {
            Kind::OtherKeys(known) => Some((at, Arc::clone(known))),
            _ => None,
        });
        let is_key = |name: &str| others.as_ref().is_none_or(|(_, known)| known.contains(name));
        let places = schema.places().into_iter().filter(|(name, _)| is_key(name));
        let of_keys = places.map(|(name, at)| (name.to_owned(), at)).collect();
        Places { columns: schema.columns.len(), of_keys, others }
    }

    fn record(&self, text: &Text) -> Record {
        let mut cells = vec![None; self.columns];
        let object = match text.object() {
            Ok(object) => object,
            Err(error) => return Record { cells, item: Some(Err(error)) },
        };
        let mut others = Vec::new();
        for (key, value) in object {
            match (self.of_keys.get(&key), &self.others) {
                (Some(&at), _) => cells[at] = Some(value),
                (None, Some((_, known))) if !known.contains(&key) => others.push((key, value)),
                (None, _) => {}
            }
        }
        if let Some((at, _)) = self.others
            && !others.is_empty()
        {
            cells[at] = Some(Json::Object(others.into_iter().collect::<Object>()));
        }
        Record { cells, item: None }
    }
}
