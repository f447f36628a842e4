//! Labelled tables side by side: the same rows, found again in each of them.

use std::collections::HashMap;

use super::RunError;
use super::gather::text;
use crate::bench::{Ballots, Entrant, Facts, Rows, columns};
use crate::domain::{Json, Rails, Status};
use crate::read::Table;
use crate::table::{Batch, Schema};

/// A labelled table, and what it is called.
pub struct LabelledTable {
    pub name: String,
    pub table: Table,
}

/// Which columns say what.
pub struct Pairing {
    pub gold: String,
    /// Names the rows; without it, rows are the same that have the same question, call and definitions.
    pub id: Option<String>,
    pub cluster: Option<String>,
    /// What labels and gold may say.
    pub rails: Rails,
}

/// Rows of the first table with the labels of all.
pub struct Paired {
    pub rows: Rows,
    pub entrants: Vec<Entrant>,
    /// For each further table: rows of it that the first does not have.
    pub strangers: Vec<u64>,
}

/// The ends of the names of columns that a judge writes.
const LABEL: &str = "label";
const STATUS: &str = "status";
const JUDGE: &str = "judge";
const TEMPLATE: &str = "template";

/// What the names of each judge's columns begin with.
pub fn prefixes(schema: &Schema) -> Vec<String> {
    schema
        .names()
        .filter_map(|name| name.strip_suffix(LABEL))
        .filter(|prefix| schema.position(&format!("{prefix}{STATUS}")).is_some())
        .map(str::to_owned)
        .collect()
}

/// Reads all tables; the gold is that of the first.
///
/// # Errors
/// When a table cannot be read.
pub fn pair(tables: &[LabelledTable], pairing: &Pairing) -> Result<Paired, RunError> {
    let mut paired =
        Paired { rows: Rows::new([pairing.gold.as_str()], []), entrants: Vec::new(), strangers: Vec::new() };
    let mut places: HashMap<(String, u32), usize> = HashMap::new();
    for (at, labelled) in tables.iter().enumerate() {
        let prefixes = prefixes(labelled.table.schema());
        let first = paired.entrants.len();
        let nobody = Ballots { labels: vec![None; paired.rows.len()], ..Ballots::default() };
        paired.entrants.extend(prefixes.iter().map(|prefix| Entrant {
            judge: prefix.clone(),
            template: labelled.name.clone(),
            repeats: vec![nobody.clone()],
            ..Entrant::default()
        }));
        let mut met: HashMap<String, u32> = HashMap::new();
        let mut strangers = 0;
        let mut number = 0;
        for batch in labelled.table.batches(None) {
            let batch = batch?;
            let keys = keys(&batch, pairing)?;
            let golds = if at == 0 { Some(batch.column(&pairing.gold)?) } else { None };
            let clusters = match &pairing.cluster {
                Some(cluster) if at == 0 => Some(batch.column(cluster)?),
                _ => None,
            };
            let mut row_places = Vec::with_capacity(batch.len());
            for (row, key) in keys.into_iter().enumerate() {
                // The second of two rows of one name is the second in the other table as well.
                let times = met.entry(key.clone()).or_default();
                let key = (key, *times);
                *times += 1;
                if let Some(golds) = &golds {
                    let right = columns::is_right(golds[row].as_ref(), &pairing.rails).ok().flatten();
                    let cluster = clusters.as_ref().and_then(|cells| text(cells[row].as_ref()));
                    let cluster = cluster.unwrap_or_else(|| key.0.clone());
                    let facts = Facts {
                        number,
                        golds: &[right],
                        slices: &[],
                        cluster: &cluster,
                        checked: None,
                        identity: None,
                    };
                    places.insert(key, paired.rows.len());
                    row_places.push(Some(paired.rows.len()));
                    paired.rows.push(facts);
                } else {
                    let place = places.get(&key).copied();
                    strangers += u64::from(place.is_none());
                    row_places.push(place);
                }
                number += 1;
            }
            for (prefix, entrant) in prefixes.iter().zip(&mut paired.entrants[first..]) {
                read(&batch, prefix, entrant, &row_places, pairing)?;
            }
        }
        paired.strangers.push(strangers);
    }
    Ok(paired)
}

fn read(
    batch: &Batch,
    prefix: &str,
    entrant: &mut Entrant,
    places: &[Option<usize>],
    pairing: &Pairing,
) -> Result<(), RunError> {
    let optional = |name: &str| -> Result<Option<Vec<Option<Json>>>, RunError> {
        let name = format!("{prefix}{name}");
        Ok(batch.schema.position(&name).map(|_| batch.column(&name)).transpose()?)
    };
    let labels = batch.column(&format!("{prefix}{LABEL}"))?;
    let (judges, templates) = (optional(JUDGE)?, optional(TEMPLATE)?);
    let name = |cells: &Option<Vec<Option<Json>>>| {
        cells.as_ref().and_then(|cells| cells.iter().find_map(|cell| text(cell.as_ref())))
    };
    if entrant.judge == prefix
        && let Some(judge) = name(&judges)
    {
        entrant.judge = judge;
        if let Some(template) = name(&templates) {
            entrant.template = format!("{template}, {}", entrant.template);
        }
    }
    let Some(ballots) = entrant.repeats.first_mut() else { return Ok(()) };
    for (label, place) in labels.iter().zip(places) {
        let label = columns::is_right(label.as_ref(), &pairing.rails).ok().flatten();
        match place {
            Some(place) if *place < ballots.labels.len() => ballots.labels[*place] = label,
            Some(_) => ballots.push(label, None, Status::Judged),
            None => {}
        }
    }
    Ok(())
}

/// What each row of a batch is known by.
fn keys(batch: &Batch, pairing: &Pairing) -> Result<Vec<String>, RunError> {
    let columns: Vec<Vec<Option<Json>>> = match &pairing.id {
        Some(id) => vec![batch.column(id)?],
        None => {
            let names: Vec<String> = batch.schema.names().map(str::to_owned).collect();
            let found = crate::normalize::columns::resolve(&names, &[], true)?;
            let names = [Some(found.question), Some(found.tool_call), found.tool_definitions];
            names.iter().flatten().map(|name| batch.column(name)).collect::<Result<_, _>>()?
        }
    };
    let key = |row: usize| {
        let parts = columns.iter().map(|cells| text(cells[row].as_ref()).unwrap_or_default());
        parts.collect::<Vec<_>>().join("\u{0}")
    };
    Ok((0..batch.len()).map(key).collect())
}
