//! Pass rates for each value of a column, such as an agent, a version or a tool.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{Calls, Rails, Sample};
use crate::run::input::{Clusters, text};
use crate::run::{Row, RunError, Watch};
use crate::stats::{self, Estimate};
use crate::table::{Batch, TableError};
use crate::write::Labelled;

/// The tools that a turn calls, where the table has no column of that name.
pub const TOOL: &str = "tool";
/// Values of a column that are met after so many others are counted together: a column that differs in every row is an id.
const MANY: usize = 10_000;

/// The rows with one value in a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The column.
    pub column: String,
    /// The value as text; `None` for rows without one.
    pub value: Option<String>,
    /// Whether these are the rows of all values that were met after ten thousand others.
    pub is_rest: bool,
    /// How many rows there are.
    pub rows: u64,
    /// How many of them have a label.
    pub judged: u64,
    /// The share of the labels that pass, with its interval; rows of one conversation or question are not independent.
    pub share: Option<Estimate>,
}

impl Group {
    pub(super) fn to_json(&self) -> Value {
        let Group { column, value, is_rest, rows, judged, share } = self;
        json!({"column": column, "value": value, "rest": is_rest, "rows": rows, "judged": judged, "share": share})
    }
}

/// Counts groups, for each labeller.
pub struct GroupWatch {
    columns: Vec<String>,
    rails: Vec<Arc<Rails>>,
    /// By labeller and column.
    tallies: Vec<Vec<Tallies>>,
    number: u64,
}

#[derive(Debug, Clone, Default)]
struct Tallies {
    of_values: HashMap<Option<String>, Tally>,
    rest: Tally,
}

#[derive(Debug, Clone, Default)]
struct Tally {
    rows: u64,
    /// Labels that pass, and all labels, by cluster.
    labels: HashMap<u64, (u64, u64)>,
}

impl GroupWatch {
    /// Groups by these columns the labels of labellers with these rails.
    pub fn new(columns: &[String], rails: Vec<Arc<Rails>>) -> GroupWatch {
        let tallies = vec![vec![Tallies::default(); columns.len()]; rails.len()];
        GroupWatch { columns: columns.to_vec(), rails, tallies, number: 0 }
    }

    /// What each labeller's labels come to: column by column, the largest group first.
    pub fn groups(self) -> Vec<Vec<Group>> {
        let of_column = |(column, tallies): (&String, Tallies)| {
            let Tallies { of_values, rest } = tallies;
            let mut groups: Vec<Group> =
                of_values.into_iter().map(|(value, tally)| tally.group(column, value, false)).collect();
            groups.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.value.cmp(&b.value)));
            groups.extend((rest.rows > 0).then(|| rest.group(column, None, true)));
            groups
        };
        let columns = &self.columns;
        self.tallies.into_iter().map(|all| columns.iter().zip(all).flat_map(of_column).collect()).collect()
    }
}

impl Tallies {
    fn of(&mut self, value: Option<String>) -> &mut Tally {
        if self.of_values.len() >= MANY && !self.of_values.contains_key(&value) {
            return &mut self.rest;
        }
        self.of_values.entry(value).or_default()
    }
}

impl Tally {
    fn group(self, column: &str, value: Option<String>, is_rest: bool) -> Group {
        let clusters: Vec<(u64, u64)> = self.labels.into_values().collect();
        Group {
            column: column.to_owned(),
            value,
            is_rest,
            rows: self.rows,
            judged: clusters.iter().map(|(_, labels)| labels).sum(),
            share: stats::share(&clusters),
        }
    }
}

/// The values of a column as texts; of a row without one, nothing.
fn values(batch: &Batch, rows: &[Row], column: &str) -> Result<Vec<Option<String>>, TableError> {
    if column == TOOL && batch.schema.position(TOOL).is_none() {
        return Ok(rows.iter().map(|row| tools(row.item().as_ref().ok()?)).collect());
    }
    Ok(batch.column(column)?.iter().map(|cell| text(cell.as_ref())).collect())
}

/// The tools that a turn calls, each once, in the order of their names.
fn tools(sample: &Sample) -> Option<String> {
    let Calls::Parsed(calls) = &sample.calls else { return None };
    let mut names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

impl Watch for GroupWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let clusters = Clusters::usual(batch)?;
        let cluster = |(at, row): (usize, &Row)| {
            let question = row.item().as_ref().ok().map(|sample| sample.question.as_str());
            let [a, b, c, d, e, f, g, h, ..] = clusters.cluster(at, question, self.number + at as u64);
            u64::from_le_bytes([a, b, c, d, e, f, g, h])
        };
        let clusters: Vec<u64> = rows.iter().enumerate().map(cluster).collect();
        self.number += rows.len() as u64;
        for (at, column) in self.columns.iter().enumerate() {
            let values = values(batch, rows, column)?;
            for ((rails, tallies), labels) in self.rails.iter().zip(&mut self.tallies).zip(labels) {
                for ((value, cluster), labelled) in values.iter().zip(&clusters).zip(labels) {
                    let tally = tallies[at].of(value.clone());
                    tally.rows += 1;
                    if let Some(label) = labelled.verdict.label() {
                        let (passed, all) = tally.labels.entry(*cluster).or_default();
                        (*passed, *all) = (*passed + u64::from(rails.passes_label(label)), *all + 1);
                    }
                }
            }
        }
        Ok(())
    }
}
