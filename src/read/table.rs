//! One table from one or several files, with known columns and chosen rows, which can be read repeatedly.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::input::{Inputs, expand};
use super::log::{self, Log, LogOptions};
use super::log_survey::LogSurvey;
use super::pick::{Pick, Take};
use super::{Format, InMemory, Input, ReadError, Slices, arrow_file, csv_file, json_file, parquet_file};
use crate::domain::Json;
use crate::normalize::columns::Place;
use crate::table::{Batch, Column, Kind, Rows, Schema, SchemaBuilder};

/// Names the file of a row where a table has several.
const SOURCE_FILE: &str = "source_file";

/// Which rows of the input are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Columns and the text that they must hold, all of them.
    pub filters: Vec<(String, String)>,
    /// Which of the rows that meet them.
    pub take: Take,
}

/// The rows of all inputs, in order. Holds no rows itself: every pass reads the files again.
#[derive(Debug, Clone)]
pub struct Table {
    inputs: Vec<Input>,
    folders: Vec<PathBuf>,
    passed_over: Vec<PathBuf>,
    schema: Arc<Schema>,
    filters: Vec<(String, String)>,
    pick: Pick,
    rows: Option<u64>,
    /// What makes rows of whole logs, and what it found in each input.
    log: Option<(Log, Vec<LogSurvey>)>,
    /// Whether all that was looked at are chats that nobody answered.
    is_unanswered: bool,
}

/// What the files are taken for.
#[derive(Clone, Default)]
pub struct Understanding {
    /// Overrides what the files' endings say.
    pub format: Option<Format>,
    /// How to read whole logs; without it, every file is a table.
    pub logs: Option<LogOptions>,
}

impl Table {
    /// Finds the files that `patterns` name and their columns.
    pub fn open(
        patterns: &[String],
        understanding: Understanding,
        selection: Selection,
    ) -> Result<Table, ReadError> {
        Table::open_with(patterns, &[], understanding, selection)
    }

    /// The same with `tables` in memory beside the files.
    pub fn open_with(
        patterns: &[String],
        tables: &[InMemory],
        understanding: Understanding,
        selection: Selection,
    ) -> Result<Table, ReadError> {
        Table::open_unless(patterns, tables, understanding, selection, |_| false)
    }

    /// The same; what has a schema that `are_rows` knows is a table, whatever its columns are called. A stream is read once.
    ///
    /// # Errors
    /// Those of [`Table::open`].
    pub fn open_unless(
        patterns: &[String],
        tables: &[InMemory],
        understanding: Understanding,
        selection: Selection,
        are_rows: impl Fn(&Schema) -> bool,
    ) -> Result<Table, ReadError> {
        let Understanding { format, mut logs } = understanding;
        let Inputs { files: mut inputs, folders, passed_over } = expand(patterns, tables, format)?;
        if logs.is_some() && survey(&inputs).is_ok_and(|(schema, _)| are_rows(&schema)) {
            logs = None;
        }
        let kind = logs.as_ref().map(|options| are_logs(&inputs, options)).transpose()?;
        let log = match logs {
            Some(options) if kind == Some(Some(true)) => Some(log::survey(&inputs, options)?),
            _ => None,
        };
        let (mut schema, rows) = match &log {
            Some((log, surveys)) => (log.schema(surveys), surveys.iter().map(|survey| survey.items).sum()),
            None => survey(&inputs)?,
        };
        let several = inputs.len() > 1 || !folders.is_empty() || log.is_some();
        add_constants(&mut schema, &mut inputs, several);
        if log.is_some()
            && let Some(at) = schema.position(SOURCE_FILE)
        {
            schema.columns[..=at].rotate_right(1);
        }
        for (name, _) in &selection.filters {
            if schema.position(name).is_none() {
                let there = schema.names().filter(|name| *name != InMemory::ROW);
                let there = there.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                return Err(ReadError::UnknownWhere { name: name.clone(), there });
            }
        }
        let Selection { filters, take } = selection;
        // Conditions make the number unknown until the rows are read.
        let known = filters.is_empty().then_some(rows);
        let schema = Arc::new(schema);
        let pick = Pick::first(u64::MAX);
        let is_unanswered = kind == Some(None);
        let mut table =
            Table { inputs, folders, passed_over, schema, filters, pick, rows: known, log, is_unanswered };
        match take {
            Take::All => {}
            Take::First(rows) => {
                table.pick = Pick::first(rows);
                table.rows = known.map(|known| known.min(rows));
            }
            Take::Sample { rows, seed } => {
                let of = table.count()?;
                table.pick = Pick::sample(rows, of, seed);
                table.rows = Some(rows.min(of));
            }
        }
        Ok(table)
    }

    /// The files that `patterns` name, not looked into yet.
    pub fn files(patterns: &[String]) -> Result<Vec<Input>, ReadError> {
        Ok(expand(patterns, &[], None)?.files)
    }

    fn count(&self) -> Result<u64, ReadError> {
        match self.rows {
            Some(rows) => Ok(rows),
            None => self.batches(Some(&[])).map(|batch| Ok(batch?.len() as u64)).sum(),
        }
    }

    /// The files, in the order in which they are read.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The folders that were named as inputs.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Files in these folders that are of no known kind and are not read.
    pub fn passed_over(&self) -> &[PathBuf] {
        &self.passed_over
    }

    /// The columns of all inputs.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// What the inputs hold, one by one, if they are whole logs.
    pub fn logs(&self) -> Option<&[LogSurvey]> {
        self.log.as_ref().map(|(_, surveys)| surveys.as_slice())
    }

    /// Why there is nothing to judge, if all that was looked at are chats that nobody answered.
    pub fn unanswered(&self) -> Option<ReadError> {
        let first = self.inputs.first().filter(|_| self.is_unanswered)?;
        Some(ReadError::Unanswered { path: first.name(), others: self.inputs.len() - 1 })
    }

    /// Why there are no columns at all: what is wrong with the first row that is wrong.
    pub fn without_columns(&self) -> Option<ReadError> {
        let first = self.inputs.first().filter(|_| self.schema.columns.is_empty())?;
        let Rows::Records(rows) = self.batches(None).next()?.ok()?.rows else { return None };
        let why = rows.into_iter().find_map(|row| row.item?.err())?;
        Some(ReadError::NoObjects { path: first.name(), why: why.to_string() })
    }

    /// How many rows there are, where that is known without reading them.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// All chosen rows. With `only`, just these columns and those that choose, which for Parquet saves reading the rest.
    pub fn batches(&self, only: Option<&[String]>) -> Batches {
        // What has no column of its own is read out of others.
        let has = |name: &str| self.schema.position(name).is_some();
        let only = only.map(|only| {
            let columns = |name| Place::of(name, &has).map_or_else(Vec::new, |place| place.columns());
            only.iter().flat_map(|name: &String| columns(name.as_str())).collect::<Vec<_>>()
        });
        let wanted = |name: &str| {
            only.as_ref().is_none_or(|only| only.contains(&name))
                || self.filters.iter().any(|(filter, _)| filter == name)
        };
        let columns = self.schema.columns.iter().filter(|column| wanted(&column.name)).cloned().collect();
        Batches {
            inputs: self.inputs.clone().into_iter().enumerate(),
            log: self.log.as_ref().map(|(log, _)| log.clone()),
            schema: Arc::new(Schema::of(columns)),
            filters: self.filters.clone(),
            pick: self.pick.clone(),
            current: None,
        }
    }

    /// All rows of each input by itself, with the columns of `schema`.
    pub fn each(&self, schema: &Arc<Schema>) -> Vec<Batches> {
        let of = |input: &Input| Batches {
            inputs: vec![input.clone()].into_iter().enumerate(),
            log: None,
            schema: Arc::clone(schema),
            filters: Vec::new(),
            pick: Pick::first(u64::MAX),
            current: None,
        };
        self.inputs.iter().map(of).collect()
    }
}

/// Whether the inputs are whole logs: all of them, or none; `None` if they are chats that nobody answered.
fn are_logs(inputs: &[Input], options: &LogOptions) -> Result<Option<bool>, ReadError> {
    if options.format.is_some() {
        return Ok(Some(true));
    }
    let kinds = inputs.iter().map(|input| log::is_log(input, options)).collect::<Result<Vec<_>, _>>()?;
    let at = |kind: bool| kinds.iter().position(|found| *found == Some(kind));
    match (at(true), at(false)) {
        (Some(log), Some(table)) => {
            Err(ReadError::LogAndTable { log: inputs[log].name(), table: inputs[table].name() })
        }
        (None, None) if !inputs.is_empty() => Ok(None),
        (log, _) => Ok(Some(log.is_some())),
    }
}

/// The columns of all inputs together, and their rows.
fn survey(inputs: &[Input]) -> Result<(Schema, u64), ReadError> {
    let mut objects = SchemaBuilder::default();
    let mut schema = Schema::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows = 0;
    let mut pandas = Vec::with_capacity(inputs.len());
    for input in inputs {
        let (own, count) = match input.format {
            Format::Csv | Format::Tsv | Format::Ssv => csv_file::survey(input)?,
            Format::Parquet => parquet_file::survey(input)?,
            Format::Arrow => arrow_file::survey(input)?,
            Format::Jsonl | Format::Json => (Schema::default(), json_file::survey(input, &mut objects)?),
        };
        rows += count;
        pandas.push(own.pandas);
        for column in own.columns {
            match places.get(&column.name).copied() {
                None => {
                    places.insert(column.name.clone(), schema.columns.len());
                    schema.columns.push(column);
                }
                Some(at) if schema.columns[at].kind == column.kind => {}
                Some(at) => return Err(conflict(input, &schema.columns[at], &column)),
            }
        }
    }
    if inputs.len() > 1 {
        for column in &mut schema.columns {
            if let Kind::Typed(typed) = &column.kind {
                column.kind = Kind::Typed(typed.clone().nullable());
            }
        }
    }
    let padded = inputs.iter().any(|input| input.padded);
    schema.columns.extend(objects.finish().columns.into_iter().map(|column| match column.kind {
        Kind::Json if padded => Column { kind: Kind::Padded, ..column },
        _ => column,
    }));
    schema.pandas = pandas.into_iter().reduce(|all, own| all?.joined(&own?)).flatten();
    Ok((schema, rows))
}

/// Columns that are the same for all rows of a file: what its folders say, and where `several` files make the table, its
/// name. What a file says of itself counts more.
fn add_constants(schema: &mut Schema, inputs: &mut [Input], several: bool) {
    let in_files = schema.clone();
    for input in inputs {
        if several {
            let name = input.path.display().to_string();
            input.constants.push((SOURCE_FILE.to_owned(), Some(name)));
        }
        input.constants.retain(|(name, _)| in_files.position(name).is_none());
        for (name, _) in &input.constants {
            if schema.position(name).is_none() {
                schema.columns.push(Column { name: name.clone(), kind: Kind::Text });
            }
        }
    }
}

fn conflict(input: &Input, first: &Column, other: &Column) -> ReadError {
    let kind = |column: &Column| match &column.kind {
        Kind::Typed(_) => column.kind.dtype().to_string(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    ReadError::TypeConflict {
        path: input.name(),
        name: first.name.clone(),
        first: kind(first),
        other: kind(other),
    }
}

/// The chosen rows, slice by slice.
pub struct Batches {
    inputs: std::iter::Enumerate<std::vec::IntoIter<Input>>,
    log: Option<Log>,
    schema: Arc<Schema>,
    filters: Vec<(String, String)>,
    pick: Pick,
    current: Option<(Input, Slices)>,
}

impl Batches {
    fn next_slice(&mut self) -> Option<Result<(Batch, Input), ReadError>> {
        loop {
            if let Some((input, slices)) = &mut self.current {
                match slices.next() {
                    Some(slice) => return Some(slice.map(|batch| (batch, input.clone()))),
                    None => self.current = None,
                }
            }
            let (number, input) = self.inputs.next()?;
            if self.none_chosen(&input) {
                continue;
            }
            let slices = match (&self.log, input.format) {
                (Some(log), _) => log.slices(&input, number, &self.schema),
                (None, Format::Csv | Format::Tsv | Format::Ssv) => csv_file::slices(&input, &self.schema),
                (None, Format::Jsonl | Format::Json) => json_file::slices(&input, &self.schema),
                (None, Format::Parquet) => parquet_file::slices(&input, &self.schema),
                (None, Format::Arrow) => arrow_file::slices(&input, &self.schema),
            };
            match slices {
                Ok(slices) => self.current = Some((input, slices)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Whether what is the same for all rows of `input` already says that none of them is meant.
    fn none_chosen(&self, input: &Input) -> bool {
        let constant = |name| input.constants.iter().find(|(constant, _)| constant == name);
        self.filters.iter().any(|(name, text)| {
            constant(name).is_some_and(|(_, value)| value.as_deref().unwrap_or_default() != text)
        })
    }

    fn choose(&mut self, mut batch: Batch, input: &Input) -> Result<Batch, ReadError> {
        let wrap = |error| ReadError::malformed(&input.name(), error);
        for (name, value) in &input.constants {
            batch.fill(name, value.as_deref()).map_err(wrap)?;
        }
        if !self.filters.is_empty() {
            let mut keep = vec![true; batch.len()];
            for (name, text) in &self.filters {
                for (keep, value) in keep.iter_mut().zip(batch.column(name).map_err(wrap)?) {
                    *keep &= holds(value.as_ref(), text);
                }
            }
            batch = batch.retain(&keep).map_err(wrap)?;
        }
        self.pick.of(batch).map_err(wrap)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.pick.is_done() {
            let chosen = match self.next_slice()? {
                Ok((batch, input)) => self.choose(batch, &input),
                Err(error) => Err(error),
            };
            match chosen {
                Ok(batch) if batch.is_empty() => {}
                chosen => return Some(chosen),
            }
        }
        None
    }
}

/// Whether a cell's text is `text`; null and absent cells have none.
fn holds(value: Option<&Json>, text: &str) -> bool {
    match value {
        None | Some(Json::Null) => text.is_empty(),
        Some(Json::String(value)) => value == text,
        Some(value) => value.to_string() == text,
    }
}
