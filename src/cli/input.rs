//! The flags that say what is read, and the source of samples that they describe.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::printer::Printer;
use crate::normalize::columns::{self, Slot};
use crate::normalize::logs::LogFormat;
use crate::normalize::{Normalizer, NullCall, Options};
use crate::read::{Format, LogOptions, Selection, Table, Take, Understanding};
use crate::run::Source;
use crate::write::WhenEmpty;

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// What all inputs are, whatever their endings and keys say: a kind of file (csv, tsv, ssv for semicolons, jsonl, json,
    /// parquet, arrow), a kind of log (`tooljudge convert --formats` lists them), or `rows` for tables that look like one
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<From>,

    /// Which column holds what, if it has an unusual name: question=user_msg, tool_call=..., tool_definitions=...
    #[arg(long = "column", value_name = "WHAT=COLUMN", value_parser = column)]
    pub columns: Vec<(Slot, String)>,

    /// Tool definitions for all rows that bring none of their own
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,

    /// Only rows whose column holds exactly this text; may be given several times
    #[arg(long = "where", value_name = "COLUMN=TEXT", value_parser = pair)]
    pub filters: Vec<(String, String)>,

    /// At most so many rows
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,

    /// So many rows at random, after --where
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    pub sample: Option<u64>,

    /// Which rows --sample draws: the same ones for the same seed
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,

    /// What an empty tool call means: that nothing was called, or that the row is invalid
    #[arg(long, value_name = "MEANING", default_value = "nothing")]
    pub null_call: NullCallArg,

    /// Take rows without tool definitions for errors, instead of judging them without
    #[arg(long)]
    pub require_definitions: bool,

    /// Judge calls that the model's provider ran itself too, such as web searches
    #[arg(long)]
    pub include_server_tools: bool,

    /// Judge spans of whole agents too, although they repeat the spans of their model calls (OpenTelemetry)
    #[arg(long)]
    pub agents: bool,
}

/// The choices of `--null-call`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NullCallArg {
    Nothing,
    Invalid,
}

/// The choices of `--from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum From {
    File(Format),
    Log(&'static LogFormat),
    /// A table, be its columns named as a log's keys.
    Rows,
}

impl FromStr for From {
    type Err = String;

    fn from_str(text: &str) -> Result<From, String> {
        match text {
            "rows" => Ok(From::Rows),
            text => match text.parse() {
                Ok(format) => Ok(From::File(format)),
                Err(_) => LogFormat::named(text).map(From::Log).ok_or_else(|| {
                    format!(
                        "`{text}` is no format: use {}, `rows`, or a kind of log (`tooljudge convert --formats` lists them)",
                        Format::NAMES
                    )
                }),
            },
        }
    }
}

impl InputArgs {
    /// Opens `inputs`; says what seems wrong with them.
    pub fn open(&self, inputs: &[String], with_skipped: bool, printer: Printer) -> anyhow::Result<Source> {
        let normalizer = Arc::new(self.normalizer()?);
        let named_columns = !self.columns.is_empty();
        let (format, logs) = match self.from {
            Some(From::File(format)) => (Some(format), !named_columns),
            Some(From::Rows) => (None, false),
            Some(From::Log(_)) => (None, true),
            None => (None, !named_columns),
        };
        let options = LogOptions {
            normalizer: Arc::clone(&normalizer),
            format: match self.from {
                Some(From::Log(format)) => Some(format),
                _ => None,
            },
            agents: self.agents,
            with_skipped,
        };
        let understanding = Understanding { format, logs: logs.then_some(options) };
        let table = Table::open(inputs, understanding, self.selection())?;
        if let [first, rest @ ..] = table.passed_over() {
            let others = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            printer.warn(&format!(
                "{}{others}: unknown kind of file, not read; --from says what all files are",
                first.display()
            ));
        }
        let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
        let columns = columns::resolve(&names, &self.columns, true)?;
        if columns.tool_definitions.is_none() && self.tools.is_none() {
            printer.warn(
                "no column holds tool definitions, so calls are judged without them; give them with --tools FILE, or name \
                 their column with --column tool_definitions=COLUMN",
            );
        }
        Ok(Source { table, columns, normalizer })
    }

    /// Says what logs among the inputs hold, since it is not what a line of the file is.
    pub fn announce(source: &Source, printer: Printer) {
        for (input, survey) in source.table.inputs().iter().zip(source.table.logs().unwrap_or_default()) {
            let formats: Vec<String> =
                survey.formats.keys().map(|(name, dialect)| dialect.unwrap_or(name).to_owned()).collect();
            let skipped: Vec<String> =
                survey.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
            let skipped =
                if skipped.is_empty() { String::new() } else { format!("; skipped: {}", skipped.join(", ")) };
            let (file, items) = (input.path.display(), survey.items);
            printer.talk(&format!("{file} ({}): {items} turns to judge{skipped}", formats.join(", ")));
        }
    }

    fn normalizer(&self) -> anyhow::Result<Normalizer> {
        let tools = match &self.tools {
            Some(file) => Some(
                std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read the tool definitions {}", file.display()))?,
            ),
            None => None,
        };
        let null_call = match self.null_call {
            NullCallArg::Nothing => NullCall::NothingCalled,
            NullCallArg::Invalid => NullCall::Invalid,
        };
        let options = Options {
            null_call,
            tools,
            include_server_tools: self.include_server_tools,
            require_definitions: self.require_definitions,
        };
        Normalizer::new(options)
            .with_context(|| format!("--tools {}", self.tools.clone().unwrap_or_default().display()))
    }

    /// A selection of no rows is more likely a slip than a wish for an empty table.
    pub fn when_empty(&self, force: bool) -> WhenEmpty {
        let selects = !self.filters.is_empty() || self.limit.is_some() || self.sample.is_some();
        if selects && !force { WhenEmpty::Keep } else { WhenEmpty::Replace }
    }

    fn selection(&self) -> Selection {
        let take = match (self.limit, self.sample) {
            (Some(rows), _) => Take::First(rows),
            (None, Some(rows)) => Take::Sample { rows, seed: self.seed },
            (None, None) => Take::All,
        };
        Selection { filters: self.filters.clone(), take }
    }
}

/// `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn column(text: &str) -> Result<(Slot, String), String> {
    let (slot, column) = pair(text)?;
    Ok((slot.parse()?, column))
}
