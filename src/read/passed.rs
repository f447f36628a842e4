//! Restores null arguments that an agent must have passed, in tables that cannot distinguish null from absent.

use crate::domain::{Json, Object, Slot};
use crate::normalize::Normalizer;
use crate::table::{Batch, Record, TableError};

/// The values of a column, row by row; `definitions` are those of the rows.
pub fn column(
    batch: &Batch,
    name: &str,
    definitions: &[Option<Json>],
    normalizer: &Normalizer,
) -> Result<Vec<Option<Json>>, TableError> {
    let mut cells = batch.column(name)?;
    if let Some(padded) = batch.padded(name)? {
        for ((cell, padded), definitions) in cells.iter_mut().zip(&padded).zip(definitions) {
            if let (Some(value), Some(padded)) = (cell.take(), padded) {
                *cell = Some(normalizer.with_passed_nulls(value, padded, definitions.as_ref()));
            }
        }
    }
    Ok(cells)
}

/// All rows, whatever their columns mean: definitions are in the column `named`, or where they usually are.
pub fn records(
    batch: Batch,
    named: Option<&str>,
    normalizer: &Normalizer,
) -> Result<Vec<Record>, TableError> {
    let usual = Slot::ToolDefinitions.aliases().iter().copied();
    let places: Vec<usize> =
        named.into_iter().chain(usual).filter_map(|name| batch.schema.position(name)).collect();
    let mut padded = Vec::new();
    let columns = batch.schema.names().count();
    for at in (0..columns).filter(|at| !places.contains(at)) {
        padded.extend(batch.padded_at(at)?.map(|cells| (at, cells)));
    }
    let mut records = batch.into_records()?;
    for (at, cells) in padded {
        for (record, padded) in records.iter_mut().zip(cells) {
            let (Some(cell), Some(padded)) = (record.cells[at].take(), padded) else { continue };
            let beside = places.iter().filter_map(|place| record.cells[*place].as_ref());
            let definitions = beside.chain(within(&cell)).find(|value| !value.is_null()).cloned();
            let told = normalizer.with_passed_nulls(cell, &padded, definitions.as_ref());
            record.cells[at] = Some(told);
        }
    }
    Ok(records)
}

/// A row with null in each field that it may not have had.
pub(super) fn object(padded: Object, normalizer: &Normalizer) -> Object {
    let beside = padded.iter().filter(|(key, value)| defines(key) && !value.is_null());
    let definitions = beside.map(|(_, value)| value.clone().without_nulls()).next();
    let cell = |(key, cell): (String, Json)| {
        let told = match &definitions {
            _ if defines(&key) => cell.without_nulls(),
            Some(definitions) => normalizer.unpadded(cell, Some(definitions)),
            None => {
                let own = within(&cell).next().cloned().map(Json::without_nulls);
                normalizer.unpadded(cell, own.as_ref())
            }
        };
        (key, told)
    };
    padded.into_iter().map(cell).collect()
}

/// Whether a column or key of this name usually holds definitions.
fn defines(name: &str) -> bool {
    Slot::ToolDefinitions.aliases().contains(&name)
}

/// The definitions that a cell holds itself, such as a whole request.
fn within(cell: &Json) -> impl Iterator<Item = &Json> {
    Slot::ToolDefinitions.aliases().iter().filter_map(|alias| cell.get(alias))
}
