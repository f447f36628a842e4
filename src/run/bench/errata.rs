//! Corrections of gold, from a table.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::BenchError;
use crate::bench::{Errata, NotALabel, Words};
use crate::domain::Json;
use crate::read::{Selection, Table, Understanding};
use crate::report::counted;
use crate::run::input::{Draws, text};
use crate::run::settings::InputSettings;
use crate::run::{Observer, RunError};

/// The column that holds corrections, whatever the column of gold is called.
const GOLD: &str = "gold";

/// Corrections for each of `golds`, of rows named in the column `id`: from the first of its names that is there, else from `gold`,
/// which says what is right for tool calling.
pub(in crate::run) fn read(
    file: &Path,
    id: &str,
    golds: &[Vec<String>],
    words: &Words,
) -> Result<Vec<Errata>, RunError> {
    let wrong = |why: String| BenchError::Errata { path: file.to_owned(), why };
    let inputs = [file.display().to_string()];
    let table = Table::open(&inputs, Understanding::default(), Selection::default())
        .map_err(|why| wrong(why.to_string()))?;
    let has = |name: &str| table.schema().position(name).is_some();
    if !has(id) {
        return Err(wrong(format!("there is no column `{id}` with the rows' ids")).into());
    }
    let is_apart = |name: &String| matches!(name.as_str(), "params_label" | "selection_label");
    let column = |names: &Vec<String>| {
        let own = names.iter().find(|name| has(name)).cloned();
        own.or_else(|| (has(GOLD) && !names.iter().any(is_apart)).then(|| GOLD.to_owned()))
    };
    let corrected: Vec<Option<String>> = golds.iter().map(column).collect();
    if corrected.iter().all(Option::is_none) {
        let mut names = golds.concat();
        names.sort();
        names.dedup();
        let why = format!("there is no column `{}` with the corrected gold", names.join("` or `"));
        return Err(wrong(why).into());
    }
    let mut errata = vec![Errata::default(); golds.len()];
    for batch in table.batches(None) {
        let batch = batch.map_err(|why| wrong(why.to_string()))?;
        let ids = batch.column(id)?;
        let draws = Draws::of(&batch)?;
        for (errata, column) in errata.iter_mut().zip(&corrected) {
            let Some(column) = column else { continue };
            for (at, (name, cell)) in ids.iter().zip(batch.column(column)?).enumerate() {
                let name = match name {
                    None | Some(Json::Null) => {
                        return Err(wrong(format!("a row has no `{id}`")).into());
                    }
                    Some(Json::String(name)) => name.clone(),
                    Some(other) => other.to_string(),
                };
                let right = words.read(cell.as_ref()).map_err(|NotALabel(text)| {
                    wrong(format!("row `{name}`: `{text}` is not {}", words.list()))
                })?;
                let draw = match &draws {
                    Some(draws) => {
                        draws.at(at).map_err(|bad| wrong(format!("row `{name}`: {}", bad.why())))?
                    }
                    None => None,
                };
                if draws.is_some() && !errata.add_draw(&name, draw) {
                    return Err(wrong(format!("row `{name}` was drawn twice: keep it once")).into());
                }
                // In a list of rows to mark an empty cell is no mark yet: its row keeps the gold that it has.
                if right.is_none() && draws.is_some() {
                    continue;
                }
                if !errata.add(&name, right) {
                    let why = format!("row `{name}` is corrected twice, and not alike");
                    return Err(wrong(why).into());
                }
            }
        }
    }
    Ok(errata)
}

/// An error if `errata` from `file` name rows, and none of those in the column `id` of `table`: better now than when everything is judged.
/// Where `input` leaves rows out, those that are named may be among these. `observer` is told where they name none.
pub(in crate::run) fn check_met(
    (file, errata): (&Path, &[Errata]),
    id: &str,
    (table, input): (&Table, &InputSettings),
    observer: &dyn Observer,
) -> Result<(), RunError> {
    if errata.iter().all(|errata| errata.named().next().is_none() && !errata.has_draws()) {
        observer
            .warning(&format!("--errata {}: the file has no rows, so no gold is corrected", file.display()));
        return Ok(());
    }
    if input.selects() {
        return Ok(());
    }
    let named: BTreeSet<&str> = errata.iter().flat_map(Errata::named).collect();
    let Some(first) = named.first() else { return Ok(()) };
    let trimmed: HashSet<&str> = named.iter().map(|name| name.trim()).collect();
    let (mut here, mut alike) = (None, false);
    for batch in table.batches(Some(&[id.to_owned()])) {
        for cell in batch?.column(id)? {
            let Some(name) = text(cell.as_ref()) else { continue };
            if named.contains(name.as_str()) {
                return Ok(());
            }
            alike |= trimmed.contains(name.trim());
            here.get_or_insert(name);
        }
    }
    let Some(here) = here else { return Ok(()) };
    let remedy = match alike {
        true => "some are the same but for blanks at their ends: take these away",
        false => "take the marks of this input, or name the column that holds these ids with --id",
    };
    let why = format!(
        "none of its {} is that of a row: it names `{first}`, and the column `{id}` of the input has `{here}`; {remedy}",
        counted(named.len() as u64, "id"),
    );
    Err(BenchError::Errata { path: file.to_owned(), why }.into())
}

/// That corrections were for nothing, by the names of their rows; `is_part` if these are not all rows of the input.
pub(in crate::run) fn unmet(unmet: &[&str], is_part: bool) -> Option<String> {
    let first = unmet.iter().min()?;
    let number = unmet.len();
    let what = if is_part { "are not among the selected ones" } else { "do not exist" };
    Some(format!("{number} corrections in --errata are for rows that {what}, such as `{first}`"))
}
