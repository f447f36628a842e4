//! The flags that select the input.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::named;
use crate::domain::{Slot, not_shown};
use crate::normalize::NullCall;
use crate::normalize::logs::Turns;
use crate::read::Take;
use crate::run::settings::{InputKind, InputSettings};

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The format of all inputs, instead of detection: a file format (csv, tsv, ssv for semicolons, jsonl, json, parquet, arrow), a
    /// log format (`tooljudge convert --formats` lists them), or `rows` for a table whose columns look like a log's keys
    #[arg(long, value_name = "FORMAT", value_parser = named::input_kind(), hide_possible_values = true)]
    pub from: Option<InputKind>,

    /// Columns with names of their own: question=user_msg; where --template is taken, other variables of it too: document_text=body
    #[arg(long = "column", value_name = "WHAT=COLUMN", value_parser = shown)]
    pub columns: Vec<(Shown, String)>,

    /// A file with tool definitions for all rows that have none
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,

    /// Only rows in which the column has exactly this value. Can be repeated
    #[arg(long = "where", value_name = "COLUMN=TEXT", value_parser = pair)]
    pub filters: Vec<(String, String)>,

    /// Read at most N rows; 1k and 2M are valid
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub limit: Option<u64>,

    /// Sample N rows at random, after --where
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, conflicts_with = "limit")]
    pub sample: Option<u64>,

    /// Seed of --sample: the same seed gives the same rows [default: 0]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// What an empty tool call means: the agent called nothing (nothing), or the row is invalid (invalid) [default: nothing]
    #[arg(long, value_name = "MEANING")]
    pub null_call: Option<NullCallArg>,

    /// Treat rows without tool definitions as errors, instead of judging them without definitions
    #[arg(long)]
    pub require_definitions: bool,

    /// Also judge calls that the model's provider ran itself, such as web searches
    #[arg(long)]
    pub include_server_tools: bool,

    /// Also judge spans of whole agents, although they repeat the spans of their model calls (OpenTelemetry)
    #[arg(long)]
    pub agents: bool,

    /// The turns of a transcript to judge: those with calls, or the last one of a transcript without any (calls), every turn
    /// (all), or the last turn only (last) [default: calls]
    #[arg(long, value_name = "WHICH")]
    pub turns: Option<TurnsArg>,
}

/// What a column is said to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    Slot(Slot),
    /// What a template calls so.
    Variable(String),
}

/// The choices of `--turns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TurnsArg {
    Calls,
    All,
    Last,
}

/// The choices of `--null-call`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NullCallArg {
    Nothing,
    Invalid,
}

impl InputArgs {
    /// What they say of variables of templates, each with its column; it is taken out.
    pub fn take_variables(&mut self) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        self.columns.retain(|(shown, column)| match shown {
            Shown::Slot(_) => true,
            Shown::Variable(name) => {
                variables.push((name.clone(), column.clone()));
                false
            }
        });
        variables
    }

    /// What these flags say of `inputs`.
    ///
    /// # Errors
    /// If they speak of variables of templates, where there are none.
    pub fn settings(self, inputs: Vec<String>) -> anyhow::Result<InputSettings> {
        let slot = |(shown, column): (Shown, String)| match shown {
            Shown::Slot(slot) => Ok((slot, column)),
            Shown::Variable(name) => {
                Err(anyhow::anyhow!("--column {name}={column}: {}", not_shown(&name, &column)))
            }
        };
        Ok(InputSettings {
            inputs,
            tables: Vec::new(),
            from: self.from,
            columns: self.columns.into_iter().map(slot).collect::<anyhow::Result<_>>()?,
            tools: self.tools,
            filters: self.filters,
            take: match (self.limit, self.sample) {
                (Some(rows), _) => Take::First(rows),
                (None, Some(rows)) => Take::Sample { rows, seed: self.seed.unwrap_or_default() },
                (None, None) => Take::All,
            },
            null_call: match self.null_call {
                None | Some(NullCallArg::Nothing) => NullCall::NothingCalled,
                Some(NullCallArg::Invalid) => NullCall::Invalid,
            },
            require_definitions: self.require_definitions,
            include_server_tools: self.include_server_tools,
            agents: self.agents,
            turns: self.turns.map(|turns| match turns {
                TurnsArg::Calls => Turns::Calls,
                TurnsArg::All => Turns::All,
                TurnsArg::Last => Turns::Last,
            }),
        })
    }
}

/// A name and what it stands for, as the flag's help calls them: `NAME=VALUE`, `COLUMN=TEXT`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("there is no `=` in it")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A number of rows: `200`, `1_000`, `1k`, `2.5M`.
pub fn count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let (digits, factor) = match plain.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => plain.strip_suffix(['m', 'M']).map_or((plain.as_str(), 1), |digits| (digits, 1_000_000)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let scaled = || {
        let places = u32::try_from(fraction.len()).ok()?;
        let all: u64 = format!("{whole}{fraction}").parse().ok()?;
        let product = all.checked_mul(factor)?;
        let divisor = 10_u64.checked_pow(places)?;
        (product % divisor == 0).then_some(product / divisor)
    };
    scaled().ok_or_else(|| format!("`{text}` is not a number of rows, such as 500, 1k or 2M"))
}

/// What a column holds that every row may have, and the column.
pub fn column(text: &str) -> Result<(Slot, String), String> {
    match shown(text)? {
        (Shown::Slot(slot), column) => Ok((slot, column)),
        (Shown::Variable(name), column) => Err(not_shown(&name, &column)),
    }
}

/// The same, or the name of a variable and the column that it shows.
pub fn shown(text: &str) -> Result<(Shown, String), String> {
    let (name, column) = pair(text)?;
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match (name.parse::<Slot>(), Slot::of_variable(&name)) {
        (Ok(slot), _) => Ok((Shown::Slot(slot), column)),
        (_, Some(slot)) if column.parse() == Ok(slot) => {
            Err(format!("in a template, `{name}` is the {slot} already: leave this out"))
        }
        (_, Some(slot)) if column.parse::<Slot>().is_err() => Err(format!(
            "in a template, `{name}` is the {slot}: say which column holds that, as {slot}={column}"
        )),
        (Err(_), None) if is_name(&name) && !column.is_empty() => Ok((Shown::Variable(name), column)),
        _ => Err(not_shown(&name, &column)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_first_is_what_a_column_holds() {
        for (text, says) in [
            ("question=msg", None),
            ("document_text=question", None),
            ("query=msg", Some("say which column holds that, as question=msg")),
            ("query=question", Some("`query` is the question already")),
            ("msg text=question", Some("`question=msg text`")),
        ] {
            let error = shown(text).err();
            assert_eq!(error.is_some(), says.is_some(), "{text}: {error:?}");
            assert!(error.unwrap_or_default().contains(says.unwrap_or_default()), "{text}");
        }
    }

    #[test]
    fn counts_may_be_written_short() {
        for (text, number) in [
            ("500", Some(500)),
            ("1k", Some(1000)),
            ("2.5M", Some(2_500_000)),
            ("1_000", Some(1000)),
            ("0", Some(0)),
        ] {
            assert_eq!(count(text).ok(), number, "{text}");
        }
        for text in ["", "k", "1.5", "-1", "1e3", "1kk", "0.0001k", "99999999999999999999"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
