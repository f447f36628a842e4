//! One part: its record, and its rows by their numbers in the whole run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::MergeError;
use crate::domain::Json;
use crate::read::{Batches, ReadError};
use crate::run::RunError;
use crate::run::input::{SHARD_ROW, Shard};
use crate::table::Batch;
use crate::write::{hash_of_file, manifest_path};

/// What the record of a shard's run says of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct ShardRecord {
    pub(super) index: u32,
    pub(super) count: u32,
    input: String,
    options: String,
    /// A hash of each option by name; absent in records of older programs.
    #[serde(default)]
    each_option: BTreeMap<String, String>,
    /// Headers and queries of the judges, as one hash; absent in records of older programs, as the next.
    routes: Option<String>,
    prices: Option<String>,
    /// The columns of the whole table, in order.
    pub(super) columns: Vec<String>,
    table: String,
    /// Whether formulas are escaped.
    pub(super) escaped: bool,
    /// How many rows the part has.
    #[serde(default)]
    pub(super) rows: u64,
    /// How its rows ended, of all judges together.
    #[serde(default)]
    pub(super) statuses: BTreeMap<String, u64>,
    /// Those of them in which there was no evidence, which is an answer.
    #[serde(default)]
    pub(super) without_evidence: u64,
    /// The judges as the manifest names them, and the inputs.
    #[serde(skip)]
    judges: Vec<Value>,
    #[serde(skip)]
    inputs: Vec<String>,
}

impl ShardRecord {
    /// Of the table at `path`, which is as its run wrote it.
    pub(super) fn of(path: &Path) -> Result<ShardRecord, RunError> {
        #[derive(Deserialize)]
        struct Manifest {
            shard: ShardRecord,
            output: Written,
            #[serde(default)]
            panel: Vec<Value>,
            #[serde(default)]
            inputs: Vec<String>,
        }
        #[derive(Deserialize)]
        struct Written {
            rows: u64,
        }
        let manifest = manifest_path(path);
        let text = std::fs::read_to_string(&manifest).unwrap_or_default();
        let no_shard = |_| MergeError::NoShard { path: path.to_owned(), manifest };
        let Manifest { shard, output, panel, inputs } = serde_json::from_str(&text).map_err(no_shard)?;
        let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
        let counts = panel.iter().filter_map(|member| member.pointer("/summary/statuses")?.as_object());
        for (status, rows) in counts.flatten() {
            *statuses.entry(status.clone()).or_default() += rows.as_u64().unwrap_or_default();
        }
        let kinds = panel.iter().filter_map(|member| member.pointer("/summary/no_evidence")?.as_object());
        let without_evidence = kinds.flatten().filter_map(|(_, rows)| rows.as_u64()).sum();
        let judges = panel
            .into_iter()
            .map(|mut member| member.get_mut("judge").map(Value::take).unwrap_or_default())
            .collect();
        let rows = output.rows;
        let shard = ShardRecord { rows, statuses, without_evidence, judges, inputs, ..shard };
        let unreadable = |why: std::io::Error| ReadError::Io { path: path.to_owned(), why: why.to_string() };
        if shard.name().parse::<Shard>().is_err() {
            return Err(MergeError::NoShard { path: path.to_owned(), manifest: manifest_path(path) }.into());
        }
        let table = hash_of_file(path).map_err(unreadable)?;
        if table != shard.table {
            return Err(MergeError::Changed(path.to_owned()).into());
        }
        Ok(shard)
    }

    /// As it is typed.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.index, self.count)
    }

    /// Whether it tells how the judges were asked and what they cost.
    pub(super) fn says_all(&self) -> bool {
        self.routes.is_some() && self.prices.is_some()
    }

    /// What shows that `self` and `other` are of two runs, if so.
    pub(super) fn differs(&self, other: &ShardRecord) -> Option<String> {
        if self.count != other.count {
            return Some("they count different numbers of shards".to_owned());
        }
        if self.input != other.input {
            let (one, other) = (self.inputs.join(", "), other.inputs.join(", "));
            return Some(match one == other {
                true => "their inputs differ".to_owned(),
                false => format!(
                    "their inputs differ ({one} and {other}; a table must hold the same bytes, a log also have the same path)"
                ),
            });
        }
        if self.options != other.options {
            return Some(match self.options_that_differ(other).as_slice() {
                [] => "their judges or options differ".to_owned(),
                differ => format!("they differ in {}", differ.join(", ")),
            });
        }
        let differ = |one: &Option<String>, other: &Option<String>| {
            one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
        };
        if differ(&self.routes, &other.routes) {
            return Some("the headers or queries of their judges differ".to_owned());
        }
        if differ(&self.prices, &other.prices) {
            return Some("the prices of their judges differ".to_owned());
        }
        (self.columns != other.columns).then(|| "their columns differ".to_owned())
    }

    /// The names of these options, in words; none where one of the two does not tell its options apart.
    fn options_that_differ(&self, other: &ShardRecord) -> Vec<String> {
        if self.each_option.is_empty() || other.each_option.is_empty() {
            return Vec::new();
        }
        let names: BTreeSet<&String> = self.each_option.keys().chain(other.each_option.keys()).collect();
        let differs = |name: &&String| self.each_option.get(*name) != other.each_option.get(*name);
        let mut differ: Vec<&String> = names.into_iter().filter(differs).collect();
        // These are told of each judge, too.
        if differ
            .iter()
            .any(|name| ["decide", "explain", "findings", "prefix", "snap"].contains(&name.as_str()))
        {
            differ.retain(|name| *name != "panel");
        }
        let judges = self.judges_that_differ(other);
        let words = |name: &String| match name.as_str() {
            "panel" if !judges.is_empty() => judges.clone(),
            name => vec![option_in_words(name)],
        };
        differ.into_iter().flat_map(words).collect()
    }

    /// The settings of the judges that differ, with both values.
    fn judges_that_differ(&self, other: &ShardRecord) -> Vec<String> {
        let mut differ = Vec::new();
        for (one, other) in self.judges.iter().zip(&other.judges) {
            collect_differences("", one, other, &mut differ);
        }
        differ.dedup();
        differ
    }
}

/// What differs between `one` and `other`, by its key; what endpoints turned out not to support is no setting.
fn collect_differences(key: &str, one: &Value, other: &Value, into: &mut Vec<String>) {
    match (one, other) {
        (one, other) if one == other || key == "adaptations" => {}
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                let of =
                    |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                collect_differences(key, &of(one), &of(other), into);
            }
        }
        (one, other) => {
            let shown = |value: &Value| match value {
                Value::Null => "none".to_owned(),
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            into.push(format!("`{key}` ({} and {})", shown(one), shown(other)));
        }
    }
}

/// An option of a shard's record, as people know it.
fn option_in_words(name: &str) -> String {
    match name {
        "version" => "the version of tooljudge".to_owned(),
        "panel" => "the judges, what they are asked, or how".to_owned(),
        "format" => "the format of the output".to_owned(),
        "take" => "`limit` or `sample`".to_owned(),
        "columns" => "`column`".to_owned(),
        own => format!("`{own}`"),
    }
}

/// The rows of a part that are still to come, the next of them read.
pub(super) struct Part {
    path: PathBuf,
    batches: Batches,
    pending: Option<(Batch, Vec<u64>)>,
    /// Rows that were read.
    read: u64,
    last: Option<u64>,
}

impl Part {
    pub(super) fn new(path: PathBuf, batches: Batches) -> Part {
        Part { path, batches, pending: None, read: 0, last: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number up to which its rows are read; `None` at its end.
    pub(super) fn reaches(&mut self) -> Result<Option<u64>, RunError> {
        if self.pending.is_none() {
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let batch = batch?;
            let numbers = self.numbers(&batch)?;
            self.pending = Some((batch, numbers));
        }
        Ok(self.last)
    }

    fn numbers(&mut self, batch: &Batch) -> Result<Vec<u64>, RunError> {
        let mut numbers = Vec::with_capacity(batch.len());
        for cell in batch.column(SHARD_ROW)? {
            self.read += 1;
            let number = cell.as_ref().and_then(|cell| match cell {
                Json::String(text) => text.parse().ok(),
                Json::Number(number) => number.as_str().parse().ok(),
                _ => None,
            });
            match number.filter(|number| self.last.is_none_or(|last| last < *number)) {
                Some(number) => {
                    self.last = Some(number);
                    numbers.push(number);
                }
                None => {
                    let text = cell.map(|cell| cell.to_string()).unwrap_or_default();
                    return Err(MergeError::NoNumber { path: self.path.clone(), row: self.read, text }.into());
                }
            }
        }
        Ok(numbers)
    }

    /// Its next rows with numbers up to `end`, and these numbers.
    pub(super) fn take(&mut self, end: u64) -> Option<(Batch, Vec<u64>)> {
        let (batch, mut numbers) = self.pending.take()?;
        let taken = numbers.partition_point(|number| *number <= end);
        let left = numbers.split_off(taken);
        let (first, rest) = batch.split(taken);
        if !left.is_empty() {
            self.pending = Some((rest, left));
        }
        Some((first, numbers))
    }
}
