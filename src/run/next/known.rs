//! What is known about the rows of a labelled table: ids, labels, marks and earlier draws.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::NextError;
use crate::bench::{NotALabel, Words, columns};
use crate::domain::{Json, Rails, Task};
use crate::read::{Selection, Table, Understanding};
use crate::run::RunError;
use crate::run::input::{Draws, judged, text};
use crate::table::{Batch, Schema};
use tooljudge_core::sampling::Draw;

/// A row, as far as queues look at it.
#[derive(Debug, Default)]
pub(super) struct KnownRow {
    /// What it is marked with, as it is written.
    pub mark: Option<Json>,
    /// How an earlier round drew it.
    pub draw: Option<Draw>,
    /// How probable its labels are right, the least sure one; `None` where no judge says.
    pub sure: Option<f64>,
    /// Whether judges of the same task contradict each other.
    pub is_disputed: bool,
    /// The value of the column that strata are made of.
    pub value: Option<String>,
}

/// The columns of a labelled table that matter here.
pub(super) struct Known {
    /// The column that names rows.
    pub id: String,
    /// The column that holds marks.
    pub gold: String,
    /// What goes before the names of each judge's columns.
    prefixes: Vec<String>,
    /// The column that strata are made of.
    value: Option<String>,
}

/// The mark and the draw of a row, by a table of marks.
type Marks = HashMap<String, (Option<Json>, Option<Draw>)>;

impl Known {
    pub fn new(schema: &Schema, id: Option<&str>, value: Option<&str>) -> Result<Known, NextError> {
        let names: Vec<&str> = schema.names().collect();
        let there = |flag, column: &str| match names.contains(&column) {
            true => Ok(column.to_owned()),
            false => {
                let (column, columns) = (column.to_owned(), names.join(", "));
                Err(NextError::NoColumn { flag, column, columns })
            }
        };
        let id = match id {
            Some(id) => there("id", id)?,
            None => columns::NAMES
                .into_iter()
                .find(|name| names.contains(name))
                .map(str::to_owned)
                .ok_or(NextError::NoNames)?,
        };
        let value = value.map(|value| there("queue stratified", value)).transpose()?;
        Ok(Known { id, gold: String::new(), prefixes: judged::prefixes(&names), value })
    }

    pub fn judges(&self) -> usize {
        self.prefixes.len()
    }

    /// The columns that judges added.
    pub fn of_judges(&self) -> Vec<String> {
        judged::added(&self.prefixes)
    }

    /// All rows in order, with the marks that `gold` names beside their own; finds the column of marks.
    pub fn rows(&mut self, table: &Table, gold: &[String]) -> Result<Vec<KnownRow>, RunError> {
        let names: Vec<&str> = table.schema().names().collect();
        let task = self.task(table)?;
        self.gold = columns::gold(task, &names).unwrap_or(columns::gold_name(task)).to_owned();
        let mut marks = self.marks(gold)?;
        let mut wanted: Vec<String> = vec![self.id.clone(), self.gold.clone()];
        wanted.extend(self.value.clone());
        wanted.extend(columns::DRAW.map(str::to_owned));
        for prefix in &self.prefixes {
            wanted.extend(
                ["label", "template", "p_correct", "confidence"].map(|name| format!("{prefix}{name}")),
            );
        }
        wanted.retain(|name| names.contains(&name.as_str()));
        wanted.sort();
        wanted.dedup();
        let (mut rows, mut met) = (Vec::new(), HashSet::new());
        let words = self.words(task);
        let (mut labels, mut strange) = (HashSet::new(), Vec::new());
        for batch in table.batches(Some(&wanted)) {
            let batch = batch?;
            let ids = batch.column(&self.id)?;
            let own = Draws::of(&batch)?;
            let golds = self.optional(&batch, &self.gold)?;
            let values = self.value.as_ref().map(|value| batch.column(value)).transpose()?;
            let judges = self.judges_of(&batch)?;
            for at in 0..batch.len() {
                let row = rows.len() as u64 + 1;
                let column = self.id.clone();
                let Some(name) = text(ids[at].as_ref()) else {
                    return Err(NextError::NoName { row, column }.into());
                };
                if !met.insert(name.clone()) {
                    return Err(NextError::SameName { row, column, name }.into());
                }
                let drawn = own.as_ref().map(|draws| draws.at(at)).transpose();
                let drawn = drawn.map_err(|bad| NextError::NotADraw { row, why: bad.why() })?.flatten();
                let (mark, draw) = marks.remove(&name).unwrap_or_default();
                let here = golds.as_ref().and_then(|golds| golds[at].clone());
                let here = here.filter(|cell| text(Some(cell)).is_some());
                let mark = mark.or(here);
                labels.extend(judges.iter().filter_map(|judge| JudgeCells::text(judge.label.as_ref(), at)));
                if let Some(Err(NotALabel(text))) = words.as_ref().map(|words| words.read(mark.as_ref())) {
                    strange.push((name, text));
                }
                rows.push(KnownRow {
                    mark,
                    draw: draw.or(drawn),
                    sure: judges.iter().filter_map(|judge| judge.sure(at)).min_by(f64::total_cmp),
                    is_disputed: is_disputed(&judges, at),
                    value: values.as_ref().and_then(|values| text(values[at].as_ref())),
                });
            }
        }
        // A judge may have been told to use other labels than its task has.
        if let (Some(words), Some((name, text))) =
            (words, strange.into_iter().find(|(_, text)| !labels.contains(text)))
        {
            return Err(NextError::NotAMark { id: self.id.clone(), name, text, words: words.list() }.into());
        }
        match marks.into_keys().min() {
            Some(name) => {
                let why = format!("no row of the labeled table has the `{}` `{name}`", self.id);
                Err(NextError::Gold { path: PathBuf::from(gold.join(", ")), why }.into())
            }
            None => Ok(rows),
        }
    }

    /// What marks may say, where judges of a task of ours say it.
    fn words(&self, task: Option<Task>) -> Option<Words> {
        let task = task.filter(|_| !self.prefixes.is_empty())?;
        Words::of([&Rails::pass_and_fail(task.labels())]).ok()
    }

    /// The task of the first judge's labels, where it is one of ours.
    fn task(&self, table: &Table) -> Result<Option<Task>, RunError> {
        let Some(prefix) = self.prefixes.first() else { return Ok(Some(Task::ToolCalling)) };
        let column = format!("{prefix}template");
        if table.schema().position(&column).is_none() {
            return Ok(None);
        }
        let Some(batch) = table.batches(Some(std::slice::from_ref(&column))).next() else { return Ok(None) };
        let cells = batch?.column(&column)?;
        Ok(cells.first().and_then(|cell| text(cell.as_ref())).and_then(|name| name.parse().ok()))
    }

    /// What tables of marks say.
    fn marks(&self, files: &[String]) -> Result<Marks, RunError> {
        let mut marks = Marks::new();
        for file in files {
            let wrong = |why: String| NextError::Gold { path: PathBuf::from(file), why };
            let table =
                Table::open(std::slice::from_ref(file), Understanding::default(), Selection::default())
                    .map_err(|why| wrong(why.to_string()))?;
            for column in [&self.id, &self.gold] {
                if table.schema().position(column).is_none() {
                    return Err(wrong(format!("there is no column `{column}`")).into());
                }
            }
            for batch in table.batches(None) {
                let batch = batch.map_err(|why| wrong(why.to_string()))?;
                let (ids, golds) = (batch.column(&self.id)?, batch.column(&self.gold)?);
                let draws = Draws::of(&batch)?;
                for (at, (id, gold)) in ids.iter().zip(golds).enumerate() {
                    let Some(name) = text(id.as_ref()) else {
                        return Err(wrong(format!("a row has no `{}`", self.id)).into());
                    };
                    let draw = draws.as_ref().map(|draws| draws.at(at)).transpose();
                    let draw = draw.map_err(|bad| wrong(format!("row `{name}`: {}", bad.why())))?.flatten();
                    let mark = gold.filter(|cell| text(Some(cell)).is_some());
                    let known = marks.entry(name.clone()).or_default();
                    if matches!((&known.0, &mark), (Some(a), Some(b)) if a != b) {
                        return Err(wrong(format!("row `{name}` is marked twice, and not alike")).into());
                    }
                    if matches!((known.1, draw), (Some(a), Some(b)) if a != b) {
                        return Err(wrong(format!("row `{name}` was drawn twice: keep it once")).into());
                    }
                    *known = (mark.or(known.0.take()), draw.or(known.1));
                }
            }
        }
        Ok(marks)
    }

    fn judges_of(&self, batch: &Batch) -> Result<Vec<JudgeCells>, RunError> {
        let column = |prefix: &str, name: &str| self.optional(batch, &format!("{prefix}{name}"));
        let judge = |prefix: &String| {
            Ok(JudgeCells {
                label: column(prefix, "label")?,
                template: column(prefix, "template")?,
                p_correct: column(prefix, "p_correct")?,
                confidence: column(prefix, "confidence")?,
            })
        };
        self.prefixes.iter().map(judge).collect()
    }

    fn optional(&self, batch: &Batch, name: &str) -> Result<Option<Vec<Option<Json>>>, RunError> {
        let is_there = batch.schema.position(name).is_some();
        Ok(is_there.then(|| batch.column(name)).transpose()?)
    }
}

/// The columns of one judge.
struct JudgeCells {
    label: Option<Vec<Option<Json>>>,
    template: Option<Vec<Option<Json>>>,
    p_correct: Option<Vec<Option<Json>>>,
    confidence: Option<Vec<Option<Json>>>,
}

impl JudgeCells {
    fn text(cells: Option<&Vec<Option<Json>>>, at: usize) -> Option<String> {
        text(cells?[at].as_ref())
    }

    /// How probable the likelier answer is, from 0.5 for a judge that does not know.
    fn sure(&self, at: usize) -> Option<f64> {
        let number = |cells| Self::text(cells, at).and_then(|text| text.parse::<f64>().ok());
        let sure = match number(self.p_correct.as_ref()) {
            Some(p) => Some(p.max(1.0 - p)),
            None => number(self.confidence.as_ref()),
        };
        sure.filter(|sure| (0.0..=1.0).contains(sure))
    }
}

fn is_disputed(judges: &[JudgeCells], at: usize) -> bool {
    let said: Vec<(Option<String>, String)> = judges
        .iter()
        .filter_map(|judge| {
            let label = JudgeCells::text(judge.label.as_ref(), at)?;
            Some((JudgeCells::text(judge.template.as_ref(), at), label))
        })
        .collect();
    said.iter().any(|(task, label)| said.iter().any(|(other, says)| other == task && says != label))
}
