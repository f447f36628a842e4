//! Named values: shells complete them, and any other value gets the error of its own type.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

use crate::domain::Task;
use crate::normalize::logs::FORMATS;
use crate::run::settings::InputKind;
use crate::score::SCORERS;

type Parsed<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Reads a value that is usually one of these names.
#[derive(Clone)]
pub struct Named<T> {
    names: fn() -> Vec<&'static str>,
    read: fn(&str) -> Parsed<T>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// A task.
pub fn task() -> Named<Task> {
    Named { names: || Task::ALL.map(Task::as_str).into(), read: |text| Ok(text.parse()?) }
}

/// What an input is.
pub fn input_kind() -> Named<InputKind> {
    const FILES: [&str; 8] = ["rows", "csv", "tsv", "ssv", "jsonl", "json", "parquet", "arrow"];
    let names = || FILES.into_iter().chain(FORMATS.iter().map(|format| format.name)).collect();
    Named { names, read: |text| Ok(text.parse()?) }
}

/// The name of a scorer; whoever uses it says whether there is one.
pub fn scorer() -> Named<String> {
    Named { names: || SCORERS.iter().map(|scorer| scorer.name).collect(), read: |text| Ok(text.to_owned()) }
}
