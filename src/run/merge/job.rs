//! The merge job: parts in, the table of the whole run out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::MergeError;
use super::part::{Part, ShardRecord};
use crate::domain::Status;
use crate::read::{Selection, Table, Understanding};
use crate::run::input::SHARD_ROW;
use crate::run::settings::MergeSettings;
use crate::run::{Observer, Pass, RunError};
use crate::table::{Batch, Format, Schema};
use crate::write::{Finished, Formulas, Output, Sink, write_manifest};

/// What was joined.
#[derive(Debug, Clone)]
pub struct MergeSummary {
    /// The table of all rows.
    pub output: PathBuf,
    /// The parts, in the order of their shards.
    pub parts: Vec<PathBuf>,
    /// Its rows and bytes.
    pub written: Finished,
    /// How its rows ended, by their status; with several judges or tasks, the sum over them.
    pub statuses: BTreeMap<String, u64>,
    /// The rows of these in which a judge found no evidence.
    pub without_evidence: u64,
}

impl MergeSummary {
    /// Labels that are missing, by the status of their rows; that there was no evidence is an answer.
    pub fn missing(&self) -> impl Iterator<Item = (&str, u64)> {
        let statuses = self.statuses.iter().filter(|(status, _)| *status != Status::Judged.as_str());
        let missing = statuses.map(|(status, rows)| match *status == Status::Abstained.as_str() {
            true => (status.as_str(), rows.saturating_sub(self.without_evidence)),
            false => (status.as_str(), *rows),
        });
        missing.filter(|(_, rows)| *rows > 0)
    }
}

/// Joins the tables that `label --shard` wrote to the one that a single run would have written: the same rows in the order of the
/// input. A part that is missing, given twice, changed, or of another run is an error, and nothing is written. Labels that are missing
/// are counted by the status of their rows.
///
/// # Errors
/// If the parts do not belong together or cannot be read, or the table cannot be written.
///
/// ```
/// use tooljudge::run::settings::{LabelSettings, MergeSettings};
/// use tooljudge::run::{Silent, label_blocking, merge};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = |name: &str| folder.path().join(name).display().to_string();
/// # std::fs::write(path("calls.csv"), "question,tool_call,tool_definitions\nSay 1,say(n=1),say: Says\nSay 2,say(n=3),say: Says\n")?;
/// for index in 0..2 {
///     let mut settings = LabelSettings::new([path("calls.csv")]);
///     settings.shard = Some(format!("{index}/2").parse()?);
///     settings.output.path = Some(path(&format!("part{index}.csv")).into());
///     label_blocking(settings)?;
/// }
/// let summary = merge(MergeSettings::new([path("part*.csv")], path("all.csv")), &Silent)?;
/// assert_eq!(summary.written.rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge(settings: MergeSettings, observer: &dyn Observer) -> Result<MergeSummary, RunError> {
    let to = &settings.output;
    let path = to.path.clone().ok_or(MergeError::NoOutput)?;
    let files = Table::files(&settings.parts)?;
    let paths: Vec<PathBuf> = files.iter().map(|input| input.path.clone()).collect();
    let Checked { order, columns, with_rows, rows, statuses, without_evidence, escaped } = checked(&paths)?;
    let format = files[0].format;
    let formulas = if escaped { Formulas::Escaped } else { to.formulas };
    let output = Output::new(path, to.format, format)?.with_formulas(formulas);
    if output.format.format != format {
        let (parts, output_format) = (format.as_str(), output.format.format.as_str());
        return Err(MergeError::OtherFormat { path: output.path, parts, output: output_format }.into());
    }
    let inputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    output.check(&inputs, &[], to.force)?;
    let (schema, parts) = match with_rows.is_empty() && matches!(format, Format::Json | Format::Jsonl) {
        // Such a file without rows does not even have columns.
        true => (Arc::new(Schema::default()), Vec::new()),
        false => opened(if with_rows.is_empty() { &paths[..1] } else { &with_rows }, &columns)?,
    };
    let written = join(parts, rows, &schema, &output, observer)?;
    let parts: Vec<PathBuf> = order.into_iter().map(|at| paths[at].clone()).collect();
    if output.has_manifest() {
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "merged": parts.iter().map(|part| part.display().to_string()).collect::<Vec<_>>(),
            "output": { "path": output.path.display().to_string(), "rows": written.rows, "bytes": written.bytes },
        });
        write_manifest(&output.path, &manifest)?;
    }
    Ok(MergeSummary { output: output.path, parts, written, statuses, without_evidence })
}

/// Parts that belong together.
struct Checked {
    /// Their places in the order of their shards.
    order: Vec<usize>,
    /// The columns of the whole table.
    columns: Vec<String>,
    /// Those that have rows.
    with_rows: Vec<PathBuf>,
    /// The rows of all.
    rows: u64,
    /// How they ended.
    statuses: BTreeMap<String, u64>,
    without_evidence: u64,
    /// Whether formulas are escaped.
    escaped: bool,
}

/// Checks that each shard is there once, and all are of one run.
fn checked(paths: &[PathBuf]) -> Result<Checked, RunError> {
    let mut records = paths.iter().map(|path| ShardRecord::of(path)).collect::<Result<Vec<_>, _>>()?;
    let mut places: Vec<Option<usize>> = vec![None; records[0].count as usize];
    // Records of older programs do not say all: they differ from none, and no two others may meet beside them.
    let full = records.iter().position(ShardRecord::says_all).unwrap_or(0);
    for (at, (record, path)) in records.iter().zip(paths).enumerate() {
        for other in [0, full] {
            if let Some(what) = record.differs(&records[other]) {
                return Err(
                    MergeError::OtherRun { path: path.clone(), other: paths[other].clone(), what }.into()
                );
            }
        }
        if let Some(other) = places.get_mut(record.index as usize).and_then(|place| place.replace(at)) {
            let shard = record.name();
            return Err(
                MergeError::SameShard { path: path.clone(), other: paths[other].clone(), shard }.into()
            );
        }
    }
    let missing: Vec<usize> = (0..places.len()).filter(|index| places[*index].is_none()).collect();
    if let Some(first) = missing.first() {
        let shown: Vec<String> = missing.iter().take(10).map(ToString::to_string).collect();
        let more = if missing.len() > 10 { ", ..." } else { "" };
        let (count, first) = (records[0].count, u32::try_from(*first).unwrap_or(u32::MAX));
        return Err(MergeError::Missing { count, missing: shown.join(", ") + more, first }.into());
    }
    let with_rows = records.iter().zip(paths).filter(|(record, _)| record.rows > 0);
    let with_rows = with_rows.map(|(_, path)| path.clone()).collect();
    let (rows, escaped) = (records.iter().map(|record| record.rows).sum(), records[0].escaped);
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for (status, rows) in records.iter().flat_map(|record| &record.statuses) {
        *statuses.entry(status.clone()).or_default() += rows;
    }
    let without_evidence = records.iter().map(|record| record.without_evidence).sum();
    let columns = std::mem::take(&mut records[0].columns);
    Ok(Checked {
        order: places.into_iter().flatten().collect(),
        columns,
        with_rows,
        rows,
        statuses,
        without_evidence,
        escaped,
    })
}

/// The parts at these paths, with the columns of the whole table.
fn opened(paths: &[PathBuf], columns: &[String]) -> Result<(Arc<Schema>, Vec<Part>), RunError> {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let table = Table::open(&names, Understanding::default(), Selection::default())?;
    let schema = schema(&names, &table, columns)?;
    let parts =
        paths.iter().cloned().zip(table.each(&schema)).map(|(path, batches)| Part::new(path, batches));
    Ok((schema, parts.collect()))
}

/// The columns of the parts: of each alone where all have the same, so that types stay what a single run would have written.
fn schema(paths: &[String], together: &Table, columns: &[String]) -> Result<Arc<Schema>, RunError> {
    let mut alone: Option<Arc<Schema>> = None;
    for path in paths {
        let table = Table::open(std::slice::from_ref(path), Understanding::default(), Selection::default())?;
        match &alone {
            Some(first) if first.columns != table.schema().columns => {
                return Ok(in_order(together.schema(), columns));
            }
            Some(_) => {}
            None => alone = Some(Arc::clone(table.schema())),
        }
    }
    // A key that comes late in every part comes last in each, and not in the whole table.
    Ok(in_order(alone.as_deref().unwrap_or(together.schema()), columns))
}

/// Those of `columns` that the files hold: not all have the keys of rare rows, and their own names are no column of the run's.
fn in_order(schema: &Schema, columns: &[String]) -> Arc<Schema> {
    let column = |name: &String| Some(schema.columns[schema.position(name)?].clone());
    Arc::new(schema.with(columns.iter().filter_map(column).collect()))
}

/// Writes the rows of all parts in the order of their numbers, from 0 on without a gap.
fn join(
    mut parts: Vec<Part>,
    rows: u64,
    schema: &Schema,
    output: &Output,
    observer: &dyn Observer,
) -> Result<Finished, RunError> {
    let kept = schema.columns.iter().filter(|column| column.name != SHARD_ROW).cloned().collect();
    let mut sink = Sink::open(output, &schema.with(kept))?;
    let pass = Pass::new("merging", None);
    let progress = Arc::clone(&pass.progress);
    let _shown = observer.pass(pass);
    let mut next = 0;
    loop {
        let mut end: Option<u64> = None;
        for part in &mut parts {
            if let Some(reached) = part.reaches()? {
                end = Some(end.map_or(reached, |end| end.min(reached)));
            }
        }
        let Some(end) = end else { break };
        let (mut batches, mut numbered) = (Vec::new(), Vec::new());
        for (of, part) in parts.iter_mut().enumerate() {
            if let Some((batch, numbers)) = part.take(end) {
                numbered.extend(numbers.into_iter().map(|number| (number, of)));
                batches.push(batch);
            }
        }
        let mut order: Vec<usize> = (0..numbered.len()).collect();
        order.sort_by_key(|at| numbered[*at]);
        for at in &order {
            let (row, of) = numbered[*at];
            if row != next {
                let how = if row < next { "there twice" } else { "preceded by one that is nowhere" };
                return Err(MergeError::Gap { path: parts[of].path().to_owned(), row, how }.into());
            }
            next += 1;
        }
        let batch = Batch::arranged(batches, &order)?.without(&[SHARD_ROW]);
        progress.asks_done(batch.len() as u64);
        sink.write(batch)?;
    }
    if next != rows {
        return Err(MergeError::Rows { found: next, said: rows }.into());
    }
    Ok(sink.finish()?)
}
