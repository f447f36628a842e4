//! The `next` job: a labelled table or a log in, a list of rows to mark out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::NextError;
use super::known::{Known, KnownRow};
use super::queue::{Picked, pick};
use crate::bench::columns;
use crate::domain::Json;
use crate::read::{Selection, Table, Understanding};
use crate::run::input::judged;
use crate::run::settings::{NextSettings, QueueSettings};
use crate::run::{RunError, Source};
use crate::table::{Batch, Column, Kind, Record, Schema, cell};
use crate::write::{Finished, Output, Sink, write_manifest};
use tooljudge_core::sampling::{Draw, Queue};

/// What was picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextSummary {
    /// How rows were picked: `random`, `stratified`, `active`, `unsure`, `disagreement`.
    pub queue: &'static str,
    /// The round, where chance picked them.
    pub round: Option<u64>,
    /// Rows that were picked.
    pub rows: u64,
    /// Rows that they were picked from.
    pub of: u64,
    /// Rows among them that have a mark already.
    pub marked: u64,
    /// Whether no judge has labelled the rows yet.
    pub is_unlabelled: bool,
    /// The column that marks go into.
    pub gold: String,
    /// Where the list is; empty if it is in memory.
    pub output: PathBuf,
}

/// Picks rows of a labelled table, or of a log that is to be labelled, to mark next, and writes them with an empty column of gold. Rows that chance draws carry how probable
/// that was, so that `label --errata` can tell from their marks how many of all rows are right; marks of other rows are never taken
/// for marks of drawn ones.
///
/// # Errors
/// If rows have no names, the table lacks what the queue goes by, marks cannot be read or are not whole, or the list cannot be written.
///
/// ```
/// use tooljudge::run::settings::{LabelSettings, NextSettings};
/// use tooljudge::run::{label_blocking, next};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = |name: &str| folder.path().join(name).display().to_string();
/// # let row = |id: u32| format!("{id},Say {id},say(n=1),say: Says\n");
/// # std::fs::write(path("calls.csv"), format!("id,question,tool_call,tool_definitions\n{}", (0..9).map(row).collect::<String>()))?;
/// let mut settings = LabelSettings::new([path("calls.csv")]);
/// settings.output.path = Some(path("labelled.csv").into());
/// label_blocking(settings)?;
/// let summary = next(&NextSettings { rows: 3, ..NextSettings::new([path("labelled.csv")], path("todo.csv")) })?;
/// assert_eq!((summary.rows, summary.of, summary.round), (3, 9, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn next(settings: &NextSettings) -> Result<NextSummary, RunError> {
    if settings.rows == 0 {
        return Err(NextError::NoRows.into());
    }
    let to = &settings.output;
    let (inputs, tables) = (&settings.inputs, &settings.tables);
    // The rows of a table that judges have labelled, and else those that `label` will make of the log, so that it finds the marks' rows again.
    let table = Source::usual_table(inputs, tables, is_labelled)?;
    let value = match &settings.queue {
        QueueSettings::Stratified(column) => Some(column.as_str()),
        _ => None,
    };
    let mut known = Known::new(table.schema(), settings.id.as_deref(), value)?;
    check_judges(&known, settings.queue.queue(), table.schema())?;
    let output = match (&to.collected, &to.path) {
        (None, Some(path)) => {
            Output::new(path.clone(), to.format, table.inputs()[0].format)?.with_formulas(to.formulas)
        }
        (Some(collected), _) => Output::in_memory(collected),
        (None, None) => return Err(NextError::NoOutput.into()),
    };
    let mut gold_files: Vec<PathBuf> = Vec::new();
    for file in &settings.gold {
        let opened = Table::open(std::slice::from_ref(file), Understanding::default(), Selection::default())
            .map_err(|why| NextError::Gold { path: PathBuf::from(file), why: why.to_string() })?;
        gold_files.extend(opened.inputs().iter().map(|input| input.path.clone()));
    }
    let inputs: Vec<&Path> = table
        .inputs()
        .iter()
        .map(|input| input.path.as_path())
        .chain(gold_files.iter().map(PathBuf::as_path))
        .collect();
    output.check(&inputs, table.folders(), to.force)?;
    let rows = known.rows(&table, &settings.gold)?;
    let picked = pick(&rows, &settings.queue, settings.rows, settings.seed)?;
    let written = write(&table, &known, &rows, &picked, &output)?;
    let marked = picked.rows.iter().filter(|(at, _)| rows[*at].mark.is_some()).count() as u64;
    let summary = NextSummary {
        queue: picked.queue.as_str(),
        round: picked.rows.first().and_then(|(_, draw)| draw.as_ref()).map(|draw| draw.round),
        rows: picked.rows.len() as u64,
        of: picked.of as u64,
        marked,
        is_unlabelled: !is_labelled(table.schema()),
        gold: known.gold,
        output: output.path.clone(),
    };
    if output.has_manifest() {
        write_manifest(&output.path, &summary.record(settings, written.bytes))?;
    }
    Ok(summary)
}

fn is_labelled(schema: &Schema) -> bool {
    !judged::prefixes(&schema.names().collect::<Vec<_>>()).is_empty()
}

impl NextSummary {
    fn record(&self, settings: &NextSettings, bytes: u64) -> serde_json::Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": settings.inputs,
            "gold": settings.gold,
            "seed": settings.seed,
            "picked": self.to_json(),
            "output": { "path": self.output.display().to_string(), "rows": self.rows, "bytes": bytes },
        })
    }

    /// For `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let NextSummary { queue, round, rows, of, marked, gold, output, is_unlabelled: _ } = self;
        json!({
            "queue": queue,
            "round": round,
            "rows": rows,
            "of": of,
            "marked": marked,
            "gold": gold,
            "output": (!output.as_os_str().is_empty()).then(|| output.display().to_string()),
        })
    }
}

fn check_judges(known: &Known, queue: Queue, schema: &Schema) -> Result<(), NextError> {
    let (judges, name) = (known.judges(), queue.as_str());
    let columns = || schema.names().collect::<Vec<_>>().join(", ");
    match queue {
        Queue::Random | Queue::Stratified => Ok(()),
        _ if judges == 0 => Err(NextError::NoLabels { queue: name, columns: columns() }),
        Queue::Disagreement if judges == 1 => Err(NextError::OneJudge),
        _ => Ok(()),
    }
}

/// Writes the picked rows in the order in which they were picked: what the judges said is left out, so that it sways nobody.
fn write(
    table: &Table,
    known: &Known,
    rows: &[KnownRow],
    picked: &Picked,
    output: &Output,
) -> Result<Finished, RunError> {
    let turns: HashMap<usize, usize> =
        picked.rows.iter().enumerate().map(|(turn, (at, _))| (*at, turn)).collect();
    let (mut batches, mut found, mut first) = (Vec::new(), Vec::new(), 0);
    for batch in table.batches(None) {
        let batch = batch?;
        let here: Vec<Option<usize>> =
            (first..first + batch.len()).map(|at| turns.get(&at).copied()).collect();
        first += batch.len();
        let keep: Vec<bool> = here.iter().map(Option::is_some).collect();
        found.extend(here.into_iter().flatten());
        if keep.contains(&true) {
            batches.push(batch.retain(&keep)?);
        }
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| found[*at]);
    let mut left_out = known.of_judges();
    left_out.extend(columns::DRAW.map(str::to_owned));
    left_out.push(known.gold.clone());
    let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
    let batch = Batch::arranged(batches, &order)?.without(&left_out);
    let kinds = [Kind::Text, Kind::Int, Kind::Int, Kind::Int, Kind::Float];
    let gold = Column { name: known.gold.clone(), kind: Kind::Text };
    let of_draws =
        columns::DRAW.iter().zip(kinds).map(|(name, kind)| Column { name: (*name).to_owned(), kind });
    let added = Schema::of(std::iter::once(gold).chain(of_draws).collect());
    let cells =
        picked.rows.iter().map(|(at, draw)| record(&rows[*at], picked.queue, draw.as_ref())).collect();
    let batch = batch.append(&added, cells)?;
    let mut sink = Sink::open(output, &batch.schema)?;
    sink.write(batch)?;
    Ok(sink.finish()?)
}

fn record(row: &KnownRow, queue: Queue, draw: Option<&Draw>) -> Record {
    let mark = match &row.mark {
        Some(Json::String(text)) => Json::from(text.as_str()),
        Some(other) => Json::from(other.to_string().as_str()),
        None => Json::Null,
    };
    let int = |of: fn(&Draw) -> u64| cell::int(draw.map(of));
    let cells = [
        mark,
        Json::from(queue.as_str()),
        int(|draw| draw.round),
        int(|draw| draw.drawn),
        int(|draw| draw.drawn_from),
        cell::float(draw.map(|draw| draw.probability)),
    ];
    Record { cells: cells.into_iter().map(Some).collect(), item: None }
}
