//! The conversion pass: every item in normal form, or as columns for judging.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, mpsc};

use crate::domain::{Calls, Json, Sample};
use crate::read::of_transcripts;
use crate::run::{Item, Progress, RunError, Source};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, samples};
use crate::write::{Finished, Output, Sink};

/// What is written of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// [`Sample::to_json`], for JSON.
    Normal,
    /// Columns with texts, for tables; those of an input table that are no part of the sample stay beside them.
    Columns,
}

/// What became of the items of one input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Converted {
    /// Items that can be judged.
    pub items: u64,
    /// Calls in them, of those that can be read.
    pub calls: u64,
    /// Those that cannot be read, by the code of their error, with one error's message.
    pub errors: BTreeMap<&'static str, (u64, String)>,
    /// How many items have each flag.
    pub flags: BTreeMap<&'static str, u64>,
}

/// Batches read ahead, so that reading and writing overlap.
const AHEAD: usize = 1;
/// Names the file of a row.
const SOURCE_FILE: &str = "source_file";
/// Where a log's row stands, and why it is none.
const PLACE: [&str; 4] = [SOURCE_FILE, "record", "item", samples::SKIPPED];
const STATUS: [&str; 3] = ["status", "error", "reason"];
const NORMAL: [&str; 10] = [
    "source_id",
    "question",
    "messages",
    "tool_calls",
    "tool_definitions",
    "raw",
    "model",
    "timestamp",
    "latency_s",
    "flags",
];

/// Converts all items of `source`; writes them to `output`, if there is one. With `all`, what cannot be read or judged is
/// written too, and every row says its status. Returns what became of each input, by its name.
///
/// # Errors
/// When the input cannot be read or the output not be written; nothing appears there then. [`RunError::Interrupted`] when
/// `stop` says so, which is asked between batches.
pub fn convert_rows(
    source: &Source,
    output: Option<(&Output, Form)>,
    all: bool,
    progress: &Progress,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(BTreeMap<String, Converted>, Option<Finished>), RunError> {
    let mut found: BTreeMap<String, Converted> = BTreeMap::new();
    let mut sink = match output {
        None => None,
        Some((output, form)) => {
            let schema = form.schema(source, all);
            Some((Sink::open(output, &schema)?, form))
        }
    };
    std::thread::scope(|scope| {
        let (to_convert, read) = mpsc::sync_channel(AHEAD);
        // A log's items are read whatever its columns are. Nobody who only counts them needs conversations as cells, each of which
        // repeats the one before it.
        let counted = [samples::SKIPPED, SOURCE_FILE].map(str::to_owned);
        let only = (output.is_none() && source.table.logs().is_some()).then_some(&counted[..]);
        let batches = source.table.batches(only);
        // Nobody takes a batch when the conversion has failed or stopped.
        scope.spawn(move || batches.into_iter().all(|batch| to_convert.send(batch).is_ok()));
        for batch in read {
            if stop() {
                return Err(RunError::Interrupted);
            }
            let batch = batch?;
            let items = source.items(&batch)?;
            let skipped = batch.column(samples::SKIPPED)?;
            let rows: Vec<Row> = items
                .iter()
                .zip(&skipped)
                .map(|(item, skipped)| Row { item, skipped: skipped.as_ref().and_then(Json::as_str) })
                .collect();
            count(&batch, &rows, &mut found)?;
            progress.asks_done(rows.len() as u64);
            if let Some((sink, form)) = &mut sink {
                sink.write(form.batch(batch, &rows, source, all)?)?;
            }
        }
        Ok(())
    })?;
    let finished = sink.map(|(sink, _)| sink.finish()).transpose()?;
    Ok((found, finished))
}

/// Counts what became of the rows, file by file.
fn count(batch: &Batch, rows: &[Row<'_>], found: &mut BTreeMap<String, Converted>) -> Result<(), RunError> {
    let files = batch.column(SOURCE_FILE)?;
    for (row, file) in rows.iter().zip(&files).filter(|(row, _)| row.skipped.is_none()) {
        let file = file.as_ref().and_then(Json::as_str).unwrap_or_default();
        match found.get_mut(file) {
            Some(converted) => converted.count(row.item),
            None => found.entry(file.to_owned()).or_default().count(row.item),
        }
    }
    Ok(())
}

impl Converted {
    /// Both.
    pub(super) fn and(mut self, other: Converted) -> Converted {
        self.items += other.items;
        self.calls += other.calls;
        for (code, (count, message)) in other.errors {
            self.errors.entry(code).or_insert((0, message)).0 += count;
        }
        for (flag, count) in other.flags {
            *self.flags.entry(flag).or_default() += count;
        }
        self
    }

    fn count(&mut self, item: &Item) {
        match item {
            Ok(sample) => {
                self.items += 1;
                if let Calls::Parsed(calls) = &sample.calls {
                    self.calls += calls.len() as u64;
                }
                for flag in &sample.flags {
                    *self.flags.entry(flag.as_str()).or_default() += 1;
                }
            }
            Err(error) => {
                let code = error.code.as_str();
                self.errors.entry(code).or_insert_with(|| (0, error.message.clone())).0 += 1;
            }
        }
    }
}

struct Row<'a> {
    item: &'a Item,
    skipped: Option<&'a str>,
}

impl Row<'_> {
    fn sample(&self) -> Option<&Sample> {
        self.item.as_ref().ok().filter(|_| self.skipped.is_none())
    }

    /// `status`, `error`, `reason`.
    fn status(&self) -> [Json; 3] {
        match (self.skipped, self.item) {
            (Some(why), _) => [Json::from("skipped"), Json::Null, Json::from(why)],
            (None, Ok(_)) => [Json::from("ok"), Json::Null, Json::Null],
            (None, Err(error)) => {
                [Json::from("error"), Json::from(error.code.as_str()), Json::from(error.message.as_str())]
            }
        }
    }
}

impl Form {
    fn schema(self, source: &Source, all: bool) -> Schema {
        let added = self.added(source, all);
        let input = source.table.schema().renamed(&aside(source, all));
        match self {
            Form::Normal => {
                let kept = others(&input, source).into_iter();
                input.with(added.columns.into_iter().chain(kept).collect())
            }
            Form::Columns => {
                let replaced = replaced(source);
                let kept = input.columns.iter();
                let kept = kept.filter(|column| !replaced.contains(&column.name)).cloned();
                input.with(kept.chain(added.columns).collect())
            }
        }
    }

    /// The columns that come from the items.
    fn added(self, source: &Source, all: bool) -> Schema {
        let mut columns = match self {
            Form::Normal => {
                let normal = NORMAL.iter().map(|name| Column { name: (*name).to_owned(), kind: Kind::Json });
                normal.chain(transcript_columns(source)).collect()
            }
            Form::Columns => own_columns(source),
        };
        if all {
            columns.extend(STATUS.iter().map(|name| Column { name: (*name).to_owned(), kind: Kind::Text }));
        }
        Schema::of(columns)
    }

    fn batch(self, batch: Batch, rows: &[Row<'_>], source: &Source, all: bool) -> Result<Batch, RunError> {
        let added = self.added(source, all);
        let batch = batch.renamed(&aside(source, all))?;
        let keep: Vec<bool> = rows.iter().map(|row| all || row.sample().is_some()).collect();
        let origins = match self {
            Form::Normal => Origins::of(&batch, source)?,
            Form::Columns => Origins::default(),
        };
        let places = places(&batch, &added, source)?;
        let records: Vec<Record> = rows
            .iter()
            .enumerate()
            .filter(|(at, _)| keep[*at])
            .map(|(at, row)| {
                let mut cells = self.cells(row, &added);
                origins.fill(&mut cells, at);
                if row.sample().is_none() {
                    for (position, values) in &places {
                        cells[*position] = values[at].clone().filter(|value| !value.is_null());
                    }
                }
                if all {
                    cells.extend(row.status().map(|cell| Some(cell).filter(|cell| !cell.is_null())));
                }
                Record { cells, item: None }
            })
            .collect();
        match self {
            Form::Normal => {
                let normal = Batch { schema: added.into(), rows: Rows::Records(records) };
                let kept: HashSet<String> =
                    others(&batch.schema, source).into_iter().map(|column| column.name).collect();
                let others = batch.with_columns(|column| kept.contains(&column.name)).retain(&keep)?;
                let schema = Arc::clone(&others.schema);
                Ok(normal.append(&schema, others.into_records()?)?)
            }
            Form::Columns => {
                let replaced = replaced(source);
                let replaced: Vec<&str> = replaced.iter().map(String::as_str).collect();
                Ok(batch.without(&replaced).retain(&keep)?.append(&added, records)?)
            }
        }
    }

    fn cells(self, row: &Row<'_>, added: &Schema) -> Vec<Option<Json>> {
        let sample = row.sample();
        let own = added.names().filter(|name| !STATUS.contains(name));
        match (self, sample.map(Sample::to_json)) {
            (Form::Normal, Some(Json::Object(object))) => {
                let normal = object.into_iter().map(|(_, value)| Some(value));
                normal.chain(own.skip(NORMAL.len()).map(|name| Some(samples::cell(sample, name)))).collect()
            }
            // A line that only tells why there is nothing: keys without a value are left out.
            (Form::Normal, _) => vec![None; own.count()],
            (Form::Columns, _) => own.map(|name| Some(samples::cell(sample, name))).collect(),
        }
    }
}

/// What a table says of its rows in columns named as the normal form's.
#[derive(Default)]
struct Origins(Vec<(usize, Vec<Option<Json>>)>);

impl Origins {
    fn of(batch: &Batch, source: &Source) -> Result<Origins, RunError> {
        let mut columns = Vec::new();
        if source.table.logs().is_none() {
            for (name, column) in [
                ("source_id", "source_id"),
                ("source_id", "id"),
                ("model", "model"),
                ("timestamp", "timestamp"),
                ("latency_s", "latency_s"),
            ] {
                if batch.schema.position(column).is_some()
                    && let Some(place) = NORMAL.iter().position(|key| *key == name)
                {
                    columns.push((place, batch.column(column)?));
                }
            }
        }
        Ok(Origins(columns))
    }

    fn fill(&self, cells: &mut [Option<Json>], row: usize) {
        for (place, values) in &self.0 {
            if let Some(cell @ Some(Json::Null)) = cells.get_mut(*place) {
                *cell = Some(values.get(row).cloned().flatten().unwrap_or(Json::Null));
            }
        }
    }
}

/// Positions of columns, and their values.
type Places = Vec<(usize, Vec<Option<Json>>)>;

/// The columns that say where in a log something stands that cannot be read, with their positions among the `added`.
fn places(batch: &Batch, added: &Schema, source: &Source) -> Result<Places, RunError> {
    const NAMES: [&str; 4] = ["source_id", "transcript_id", "turn", "turns"];
    let mut places = Vec::new();
    for name in NAMES.iter().filter(|_| source.table.logs().is_some()) {
        if let Some(position) = added.position(name)
            && batch.schema.position(name).is_some()
        {
            places.push((position, batch.column(name)?));
        }
    }
    Ok(places)
}

/// The columns of a sample that a table's rows get; rows of a log have all of them.
fn own_columns(source: &Source) -> Vec<Column> {
    const OF_ROWS: [&str; 5] = ["question", "messages", "tool_call", "tool_definitions", "flags"];
    if source.table.logs().is_some() {
        return Vec::new();
    }
    samples::columns().into_iter().filter(|column| OF_ROWS.contains(&column.name.as_str())).collect()
}

/// What is told of transcripts, where the inputs are logs with some. A table's own columns of these names pass by as they are.
fn transcript_columns(source: &Source) -> Vec<Column> {
    source.table.logs().map(of_transcripts).unwrap_or_default()
}

/// The columns of a table that its normal form does not take up: they go with it, such as gold and expected calls.
fn others(schema: &Schema, source: &Source) -> Vec<Column> {
    if source.table.logs().is_some() {
        // What a log says beside the words; where its rows stand is said in the others' way.
        let ours = samples::columns().into_iter().chain(transcript_columns(source)).map(|column| column.name);
        let ours: HashSet<String> = ours.chain(PLACE.map(str::to_owned)).collect();
        let is_beside =
            |column: &&Column| !NORMAL.contains(&column.name.as_str()) && !ours.contains(&column.name);
        return schema.columns.iter().filter(is_beside).cloned().collect();
    }
    let taken = replaced(source);
    // An id becomes the `source_id` where there is no other.
    let has_source_id = schema.position("source_id").is_some();
    let is_other = |column: &&Column| {
        let name = column.name.as_str();
        !NORMAL.contains(&name) && (name != "id" || has_source_id) && !taken.contains(&column.name)
    };
    schema.columns.iter().filter(is_other).cloned().collect()
}

/// Columns of the input that have the name of one that says what became of the row, and what they are called beside these.
fn aside(source: &Source, all: bool) -> Vec<(String, String)> {
    if !all || source.table.logs().is_some() {
        return Vec::new();
    }
    let (schema, replaced) = (source.table.schema(), replaced(source));
    let is_theirs =
        |name: &&&str| schema.position(name).is_some() && !replaced.iter().any(|own| own == **name);
    let renamed = |name: &&str| {
        let mut other = format!("input_{name}");
        while schema.position(&other).is_some() {
            other.insert_str(0, "input_");
        }
        ((*name).to_owned(), other)
    };
    STATUS.iter().filter(is_theirs).map(renamed).collect()
}

/// Columns of the input that ours take the place of.
fn replaced(source: &Source) -> Vec<String> {
    if source.table.logs().is_some() {
        return vec![samples::SKIPPED.to_owned()];
    }
    let columns = &source.columns;
    let own = [&columns.question, &columns.tool_call, &columns.tool_definitions];
    let mut names: Vec<String> = own.into_iter().flatten().cloned().collect();
    names.extend(own_columns(source).into_iter().map(|column| column.name));
    names.push(samples::SKIPPED.to_owned());
    names
}
