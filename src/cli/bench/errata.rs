//! Corrections of gold, from a table.

use std::path::Path;

use anyhow::{Context, bail};

use crate::bench::{Errata, Words};
use crate::domain::Json;
use crate::read::{Selection, Table, Understanding};

/// The column that holds corrections, whatever the column of gold is called.
const GOLD: &str = "gold";

/// Corrections for each of the columns `golds`, of rows named in the column `id`: from the column of the same name, else from
/// `gold`, which says what is right for tool calling.
pub fn read(file: &Path, id: &str, golds: &[String], words: &Words) -> anyhow::Result<Vec<Errata>> {
    let about = || format!("--errata {}", file.display());
    let inputs = [file.display().to_string()];
    let table = Table::open(&inputs, Understanding::default(), Selection::default()).with_context(about)?;
    let has = |name: &str| table.schema().position(name).is_some();
    if !has(id) {
        bail!("{}: there is no column `{id}` with the names of rows", about());
    }
    let column = |gold: &String| match has(gold) {
        true => Some(gold.clone()),
        false if has(GOLD) && !matches!(gold.as_str(), "params_label" | "selection_label") => {
            Some(GOLD.to_owned())
        }
        false => None,
    };
    let corrected: Vec<Option<String>> = golds.iter().map(column).collect();
    if corrected.iter().all(Option::is_none) {
        bail!("{}: there is no column `{}` with what is right", about(), golds.join("` or `"));
    }
    let mut errata = vec![Errata::default(); golds.len()];
    for batch in table.batches(None) {
        let batch = batch.with_context(about)?;
        let ids = batch.column(id)?;
        for (errata, column) in errata.iter_mut().zip(&corrected) {
            let Some(column) = column else { continue };
            for (name, cell) in ids.iter().zip(batch.column(column)?) {
                let name = match name {
                    None | Some(Json::Null) => bail!("{}: a row has no `{id}`", about()),
                    Some(Json::String(name)) => name.clone(),
                    Some(other) => other.to_string(),
                };
                let right = words.read(cell.as_ref()).map_err(|text| {
                    anyhow::anyhow!("{}: row `{name}`: `{text}` is not {}", about(), words.list())
                })?;
                if !errata.add(&name, right) {
                    bail!("{}: row `{name}` is corrected twice, and not alike", about());
                }
            }
        }
    }
    Ok(errata)
}
