//! The source of samples: an input table, or the caller's list.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::shard::Shard;
use super::text_fields::TextFields;
use crate::domain::{Cell, Item, Json, RawRow, RowError, RowErrorCode, Slot, Variable};
use crate::normalize::columns::{self, Columns, Wanted};
use crate::normalize::{Conversation, Normalizer, Options};
use crate::read::{Batches, InMemory, LogOptions, Selection, Table, Understanding, passed};
use crate::report::counted;
use crate::run::settings::{InputKind, InputSettings, SettingsError};
use crate::run::{Observer, Row, RunError};
use crate::table::{Batch, Schema, TableError};

/// Items that can be gone through as often as needed, in batches and always in the same order.
pub trait Samples: Send + Sync {
    /// All rows, from the first.
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Row>, RunError>> + '_>;
}

/// Samples of a list in one batch: small enough that a batch of prompts fits in memory.
const CHUNK: usize = 512;

impl Samples for Vec<Item> {
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Row>, RunError>> + '_> {
        Box::new(self.chunks(CHUNK).map(|chunk| Ok(chunk.iter().cloned().map(Row::known).collect())))
    }
}

/// An input table and how its rows are to be understood.
pub struct Source {
    /// The rows.
    pub table: Table,
    /// Which columns are meant.
    pub columns: Columns,
    /// Reads the cells.
    pub normalizer: Arc<Normalizer>,
    /// The part of the rows that is meant.
    pub shard: Option<Shard>,
    /// What is noticed of a column of structs that calls are read from.
    text_fields: Option<Arc<TextFields>>,
}

/// Rows of a batch that are meant.
pub struct Chosen {
    pub batch: Batch,
    pub rows: Vec<Row>,
    /// Which of all rows they are, where only a part is meant.
    pub positions: Option<Vec<u64>>,
}

impl Samples for Source {
    fn batches(&self) -> Box<dyn Iterator<Item = Result<Vec<Row>, RunError>> + '_> {
        let mut position = 0;
        Box::new(self.judged_columns().map(move |batch| Ok(self.chosen(batch?, &mut position)?.rows)))
    }
}

impl Source {
    /// The rows that `label` makes of `inputs` where no setting says otherwise: the turns of whole logs, the rows of tables. What has a
    /// schema that `are_rows` knows is a table.
    ///
    /// # Errors
    /// If an input cannot be read, or holds only chats that nobody answered.
    pub(in crate::run) fn usual_table(
        inputs: &[String],
        tables: &[InMemory],
        are_rows: impl Fn(&Schema) -> bool,
    ) -> Result<Table, RunError> {
        let settings = InputSettings::new(inputs);
        let options = LogOptions {
            normalizer: Arc::new(settings.normalizer()?),
            format: None,
            agents: settings.agents,
            turns: settings.turns.unwrap_or(Wanted::default().turns),
            with_skipped: false,
        };
        let understanding = Understanding { format: None, logs: Some(options) };
        let table = Table::open_unless(inputs, tables, understanding, Selection::default(), are_rows)?;
        table.unanswered().map_or(Ok(table), |why| Err(why.into()))
    }

    /// Opens what `settings` name, and tells what seems wrong with it; `with_skipped` also gives what holds nothing to judge.
    ///
    /// # Errors
    /// If an input cannot be read, or no column holds questions or calls.
    pub fn open(
        settings: &InputSettings,
        with_skipped: bool,
        observer: &dyn Observer,
    ) -> Result<Source, RunError> {
        Source::open_wanted(settings, &Wanted::default(), with_skipped, observer)
    }

    /// The same for judges that are shown what is `wanted`.
    ///
    /// # Errors
    /// If an input cannot be read, or a column that is required is not there.
    pub fn open_wanted(
        settings: &InputSettings,
        wanted: &Wanted,
        with_skipped: bool,
        observer: &dyn Observer,
    ) -> Result<Source, RunError> {
        let normalizer = Arc::new(settings.normalizer()?);
        let named_columns = !settings.columns.is_empty();
        let (format, logs) = match settings.from {
            Some(InputKind::File(format)) => (Some(format), !named_columns),
            Some(InputKind::Rows) => (None, false),
            Some(InputKind::Log(_)) => (None, true),
            None => (None, !named_columns),
        };
        let options = LogOptions {
            normalizer: Arc::clone(&normalizer),
            format: match settings.from {
                Some(InputKind::Log(format)) => Some(format),
                _ => None,
            },
            agents: settings.agents,
            turns: settings.turns.unwrap_or(wanted.turns),
            with_skipped,
        };
        let understanding = Understanding { format, logs: logs.then_some(options) };
        let selection = Selection { filters: settings.filters.clone(), take: settings.take };
        let table = Table::open_with(&settings.inputs, &settings.tables, understanding, selection)?;
        if let [first, rest @ ..] = table.passed_over() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            observer.warning(&format!(
                "{}{others}: unknown file format, not read; --from names the format of all files",
                first.display()
            ));
        }
        if let Some(others) = table.schema().other_keys() {
            let name = &table.schema().columns[others].name;
            observer.note(&format!(
                "the rows have too many different keys to give each a column: the rare ones are kept together in `{name}` (in JSON \
                 output, they stay keys of their rows)"
            ));
        }
        let names = table.schema().names().filter(|name| *name != InMemory::ROW);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let columns = columns::resolve_wanted(&names, &settings.columns, true, wanted);
        let columns = columns.map_err(|why| {
            let of_table = table.unanswered().or_else(|| table.without_columns());
            of_table.map_or_else(|| why.into(), RunError::Read)
        })?;
        let judges_calls = columns.tool_call.is_some();
        if judges_calls && columns.tool_definitions.is_none() && settings.tools.is_none() {
            observer.warning(
                "no column holds tool definitions, so calls are judged without them; give them with --tools FILE, or name \
                 their column with --column tool_definitions=COLUMN",
            );
        }
        Ok(Source::new(table, columns, normalizer))
    }

    /// All rows of `table`, of which `columns` are meant.
    pub fn new(table: Table, columns: Columns, normalizer: Arc<Normalizer>) -> Source {
        let text_fields = text_fields(&columns, table.schema());
        Source { table, columns, normalizer, shard: None, text_fields }
    }

    /// Tells what logs among the inputs hold, since it is not what a line of the file is.
    pub(in crate::run) fn announce(&self, observer: &dyn Observer) {
        for (input, survey) in self.table.inputs().iter().zip(self.table.logs().unwrap_or_default()) {
            let formats: Vec<String> =
                survey.formats.keys().map(|(name, dialect)| dialect.unwrap_or(name).to_owned()).collect();
            let skipped: Vec<String> =
                survey.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
            let skipped =
                if skipped.is_empty() { String::new() } else { format!("; skipped: {}", skipped.join(", ")) };
            let (file, items) = (input.path.display(), survey.items);
            let held = match survey.transcripts {
                0 => String::new(),
                transcripts => format!(
                    "{} with {} and {}, ",
                    counted(transcripts, "transcript"),
                    counted(survey.turns, "assistant turn"),
                    counted(survey.calls, "call"),
                ),
            };
            let rows = counted(items, "row");
            observer.note(&format!("{file} ({}): {held}{rows} to judge{skipped}", formats.join(", ")));
        }
    }

    /// Warns of numbers that the table may have turned into texts, of the rows read so far; in how many `rows`, where that is known.
    pub(in crate::run) fn tell_text_fields(&self, rows: Option<u64>, observer: &dyn Observer) {
        let warning = self.text_fields.as_ref().and_then(|fields| fields.warning(rows, TextFields::TOOL));
        warning.into_iter().for_each(|warning| observer.warning(&warning));
    }

    /// The files that are read.
    pub fn paths(&self) -> Vec<&Path> {
        self.table.inputs().iter().map(|input| input.path.as_path()).collect()
    }

    /// The rows with the columns that judging needs.
    fn judged_columns(&self) -> Batches {
        let names: Vec<String> = judged(&self.columns).cloned().collect();
        self.table.batches(Some(&names))
    }

    /// Every row, its cells not looked into yet.
    pub fn unread(&self, batch: &Batch) -> Result<Vec<Row>, TableError> {
        unread(batch, &self.columns, &self.normalizer, self.text_fields.as_ref())
    }

    /// The rows of `batch` that are meant, the first of which is at `position` among all.
    pub fn chosen(&self, batch: Batch, position: &mut u64) -> Result<Chosen, TableError> {
        let rows = self.unread(&batch)?;
        let first = *position;
        *position += rows.len() as u64;
        let Some(shard) = self.shard else { return Ok(Chosen { batch, rows, positions: None }) };
        let keep: Vec<bool> =
            rows.par_iter().enumerate().map(|(at, row)| shard.holds(row.item(), first + at as u64)).collect();
        let positions = (first..).zip(&keep).filter_map(|(at, keep)| keep.then_some(at)).collect();
        let rows = rows.into_iter().zip(&keep).filter_map(|(row, keep)| keep.then_some(row)).collect();
        Ok(Chosen { batch: batch.retain(&keep)?, rows, positions: Some(positions) })
    }

    /// Every row's sample.
    pub fn items(&self, batch: &Batch) -> Result<Vec<Item>, TableError> {
        Ok(self.unread(batch)?.into_par_iter().map(Row::into_item).collect())
    }
}

impl InputSettings {
    fn normalizer(&self) -> Result<Normalizer, SettingsError> {
        let tools = match &self.tools {
            Some(path) => Some(
                std::fs::read_to_string(path)
                    .map_err(|why| SettingsError::ToolsFile { path: path.clone(), why: why.to_string() })?,
            ),
            None => None,
        };
        let options = Options {
            null_call: self.null_call,
            tools,
            include_server_tools: self.include_server_tools,
            require_definitions: self.require_definitions,
        };
        Normalizer::new(options).map_err(|why| SettingsError::Tools {
            path: self.tools.clone().unwrap_or_default(),
            why: why.to_string(),
        })
    }
}

/// Every row's sample, read in parallel.
pub fn items(
    batch: &Batch,
    columns: &Columns,
    normalizer: &Arc<Normalizer>,
) -> Result<Vec<Item>, TableError> {
    let text_fields = text_fields(columns, &batch.schema);
    let rows = unread(batch, columns, normalizer, text_fields.as_ref())?;
    Ok(rows.into_par_iter().map(Row::into_item).collect())
}

/// For the calls, where they are in a column of structs.
fn text_fields(columns: &Columns, schema: &Schema) -> Option<Arc<TextFields>> {
    let structs = columns.tool_call.as_ref().filter(|name| schema.has_structs(name))?;
    Some(Arc::new(TextFields::of(structs)))
}

fn unread(
    batch: &Batch,
    columns: &Columns,
    normalizer: &Arc<Normalizer>,
    text_fields: Option<&Arc<TextFields>>,
) -> Result<Vec<Row>, TableError> {
    if let Some(items) = logged(batch, columns)? {
        return Ok(items.into_iter().map(Row::known).collect());
    }
    let unsayable = unsayable(batch, columns)?;
    let row = |(at, (cells, conversation))| match (batch.item(at), unsayable.get(&at)) {
        (Some(item), _) => Row::known(item.clone()),
        (None, Some(error)) => Row::known(Err(error.clone())),
        (None, None) => Row::unread(cells, conversation, text_fields.cloned(), Arc::clone(normalizer)),
    };
    Ok(raw_rows(batch, columns, normalizer)?.into_iter().enumerate().map(row).collect())
}

/// The samples of a log, with what its columns hold beside them; `None` of a table.
fn logged(batch: &Batch, columns: &Columns) -> Result<Option<Vec<Item>>, TableError> {
    let known: Option<Vec<&Item>> = (0..batch.len()).map(|at| batch.item(at)).collect();
    let Some(known) = known else { return Ok(None) };
    let mut items: Vec<Item> = known.into_iter().cloned().collect();
    for (variable, column) in &columns.extras {
        // What a transcript holds itself is in its samples.
        if !matches!(
            variable,
            Variable::Column(_) | Variable::Slot(Slot::Reference | Slot::ExpectedToolCalls)
        ) {
            continue;
        }
        for (item, cell) in items.iter_mut().zip(batch.column(column)?) {
            let text = match cell {
                Some(Json::String(text)) => text,
                None | Some(Json::Null) => continue,
                Some(json) => json.to_string(),
            };
            if let Ok(sample) = item {
                sample.extras.insert(variable.clone(), text);
            }
        }
    }
    Ok(Some(items))
}

/// Rows of a typed file with a number that JSON has no word for: in JSON Lines such a row is not JSON, and here its judge
/// would be shown null.
fn unsayable(batch: &Batch, columns: &Columns) -> Result<HashMap<usize, RowError>, TableError> {
    let mut errors = HashMap::new();
    for name in judged(columns) {
        let rows = batch.non_finite(name)?.unwrap_or_default();
        for (at, _) in rows.iter().enumerate().filter(|(_, non_finite)| **non_finite) {
            let why = format!("`{name}` holds NaN or an infinity, which JSON has no word for");
            errors.entry(at).or_insert_with(|| RowError::new(RowErrorCode::InvalidJson, why));
        }
    }
    Ok(errors)
}

/// The columns that judging needs.
fn judged(columns: &Columns) -> impl Iterator<Item = &String> {
    let Columns { question, tool_call, tool_definitions, messages, raw, next_message, extras, .. } = columns;
    let own = [question, tool_call, tool_definitions, raw, next_message];
    own.into_iter().flatten().chain(messages).chain(extras.iter().map(|(_, column)| column))
}

fn raw_rows(
    batch: &Batch,
    columns: &Columns,
    normalizer: &Normalizer,
) -> Result<Vec<(RawRow, Option<Conversation>)>, TableError> {
    let none = || vec![None; batch.len()];
    let definitions = columns.tool_definitions.as_ref().map(|name| batch.column(name)).transpose()?;
    let definitions = definitions.unwrap_or_else(none);
    let cells = |name: Option<&String>| {
        let column = name.map(|name| passed::column(batch, name, &definitions, normalizer)).transpose()?;
        Ok::<_, TableError>(column.unwrap_or_else(none).into_iter())
    };
    let mut questions = cells(columns.question.as_ref())?;
    let mut calls = cells(columns.tool_call.as_ref())?;
    let mut contexts =
        columns.messages.iter().map(|name| cells(Some(name))).collect::<Result<Vec<_>, TableError>>()?;
    let mut raws = cells(columns.raw.as_ref())?;
    let mut nexts = cells(columns.next_message.as_ref())?;
    let mut extras = columns
        .extras
        .iter()
        .map(|(variable, column)| Ok((variable, cells(Some(column))?)))
        .collect::<Result<Vec<_>, TableError>>()?;
    let mut definitions = definitions.into_iter();
    let cell = |value: Option<Json>| value.map_or(Cell::Missing, Cell::from);
    let row = |_| {
        let question = match (questions.next().flatten(), &columns.question) {
            // Nobody is shown one.
            (None, None) => Cell::Text("-".to_owned()),
            (question, _) => cell(question),
        };
        let messages = contexts.iter_mut().map(|cells| cells.next().flatten());
        let context = Conversation::of(messages.collect::<Vec<_>>(), columns.before_turn);
        let next = nexts.next().flatten();
        let (call, definitions) = (calls.next().flatten(), definitions.next().flatten());
        let raw = raws.next().flatten();
        let original = |key: &str| raw.as_ref()?.get(key).filter(|text| !text.is_null()).cloned();
        let context = context.map(|context| Conversation {
            // The normal form has no calls, not even an empty list, beside the text of one that cannot be read.
            unread: columns.tool_call.is_some()
                && call.as_ref().is_none_or(Json::is_null)
                && original("tool_call").is_some(),
            next,
            ..context
        });
        let call = original("tool_call").or(match call {
            // There is no text of calls because there was none: a judge is told that, and not `[]`.
            Some(Json::Array(calls)) if raw.is_some() && calls.is_empty() => Some(Json::Null),
            call => call,
        });
        let definitions = original("tool_definitions").or(definitions);
        let tool_call = match (call, &columns.tool_call) {
            (None, None) => Cell::Json(Json::Array(Vec::new())),
            (call, _) => cell(call),
        };
        let extras =
            extras.iter_mut().map(|(variable, cells)| ((*variable).clone(), cell(cells.next().flatten())));
        let extras = extras.collect();
        (RawRow { question, tool_call, tool_definitions: cell(definitions), extras }, context)
    };
    Ok((0..batch.len()).map(row).collect())
}
