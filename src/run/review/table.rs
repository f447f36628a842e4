//! A labelled table under review: its rows by key, its judges by column.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::ReviewError;
use super::correction::{self, Turn};
use super::labels::{self, Judge};
use super::row_key::{ADDED, Cells, Judged, RowKeys};
use crate::bench::columns;
use crate::domain::{Item, Random, gold_columns};
use crate::report::counted;
use crate::run::input::{judged, text};
use crate::run::label::{ReportWatch, Shown};
use crate::run::settings::InputSettings;
use crate::run::{Observer, Row, RunError, Source, Watch};
use crate::store::{MarkStore, MarksError};
use crate::table::Batch;
use crate::write::Labelled;

/// An open table.
pub(super) struct ReviewTable {
    pub source: Source,
    pub judges: Vec<Judge>,
    /// The column that names rows.
    pub id: Option<String>,
}

/// A row by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowName {
    pub key: String,
    pub id: Option<String>,
}

/// The rows of a table in order.
#[derive(Debug, Default)]
pub(super) struct RowNames {
    pub rows: Vec<RowName>,
    /// The key of all of them in this order.
    pub table: String,
    /// The key of all of them in any order: what was drawn from them stays drawn.
    pub set: String,
}

/// A table as its page shows it.
pub(super) struct Reported {
    pub watch: ReportWatch,
    pub names: RowNames,
    /// The calls of the rows, which corrected ones are compared with.
    pub turns: Vec<Turn>,
    /// The numbers of the rows on which judges contradict each other, in the order of their queue.
    pub disputed: Vec<u64>,
}

/// What the marks beside a table are called by.
const MARKS: &str = "marks.sqlite";

impl ReviewTable {
    pub fn open(
        inputs: &[String],
        id: Option<&str>,
        observer: &dyn Observer,
    ) -> Result<ReviewTable, RunError> {
        let source = Source::open(&InputSettings::new(inputs), false, observer)?;
        let names: Vec<&str> = source.table.schema().names().collect();
        let id = match id {
            Some(id) if !names.contains(&id) => {
                return Err(ReviewError::NoColumn { column: id.to_owned(), columns: names.join(", ") }.into());
            }
            Some(id) => Some(id.to_owned()),
            None => columns::NAMES.into_iter().find(|name| names.contains(name)).map(str::to_owned),
        };
        let judges = labels::judges(&source.table)?;
        if judges.is_empty() {
            return Err(ReviewError::NoLabels { table: inputs.join(" ") }.into());
        }
        Ok(ReviewTable { source, judges, id })
    }

    /// Where marks are, if no other place is named: beside the only file.
    pub fn marks(&self, named: Option<&Path>) -> Result<PathBuf, ReviewError> {
        match (named, self.source.table.inputs()) {
            (Some(named), _) => Ok(named.to_owned()),
            (None, [only]) if only.path.file_name().is_some() && only.path.is_file() => {
                Ok(only.path.with_extension(MARKS))
            }
            (None, _) => Err(ReviewError::NoPlace),
        }
    }

    /// Tells of labels that cannot be given, and of those that would be taken for each other.
    pub fn tell_of_labels(&self, observer: &dyn Observer) {
        for judge in &self.judges {
            if let Some(template) = judge.unknown_template() {
                let labels = judge.labels().collect::<Vec<_>>().join(", ");
                observer.note(&format!(
                    "{template} is not a built-in template, so that marks can say only the labels in this table: {labels}"
                ));
            }
        }
        for (at, first) in self.judges.iter().enumerate() {
            let labels = |judge: &Judge| judge.labels().map(str::to_owned).collect::<BTreeSet<_>>();
            let other = self.judges[at + 1..]
                .iter()
                .find(|other| other.gold() == first.gold() && labels(other) != labels(first));
            if let Some(other) = other {
                observer.warning(&format!(
                    "`{}label` and `{}label` are different labels, and their marks go into the same column `{}`: of two marks on a row the \
                     later one counts. Label with one template at a time",
                    first.prefix(),
                    other.prefix(),
                    first.gold()
                ));
                return;
            }
        }
    }

    /// The columns of gold that marks go into, each once.
    pub fn golds(&self) -> Vec<&'static str> {
        let mut golds = Vec::new();
        for judge in &self.judges {
            if !golds.contains(&judge.gold()) {
                golds.push(judge.gold());
            }
        }
        golds
    }

    /// The columns that judges added.
    pub fn of_judges(&self) -> Vec<String> {
        let prefixes: Vec<String> = self.judges.iter().map(|judge| judge.prefix().to_owned()).collect();
        judged::added(&prefixes)
    }

    /// Whether a label of a column of gold lets calls pass, if some judge can say it.
    pub fn passes(&self, gold: &str, label: &str) -> Option<bool> {
        let judge = self
            .judges
            .iter()
            .find(|judge| judge.gold() == gold && judge.labels().any(|known| known == label))?;
        Some(judge.passes(label))
    }

    /// Takes all rows down for their page; a `blind` one says nothing of what anybody thinks of them.
    pub fn report(&self, spool: &Path, blind: bool) -> Result<Reported, RunError> {
        let mut left_out = self.of_judges();
        if blind {
            let names = self.source.table.schema().names();
            left_out.extend(names.filter(|name| tells(name)).map(str::to_owned));
        }
        let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
        let members: Vec<Shown> = self.judges.iter().map(Judge::shown).collect();
        let mut watch = ReportWatch::of(spool, members, &self.source, &left_out, self.id.as_deref())?;
        let (mut turns, mut disputed, mut chance) = (Vec::new(), Vec::new(), Random::new(0));
        let names = self.each(|batch, rows| {
            let items: Vec<&Item> = rows.iter().map(Row::item).collect();
            turns.extend(items.iter().map(|item| Turn::of(item)));
            let labels = self.judges.iter().map(|judge| match blind {
                true => Ok(labels::hidden(items.len())),
                false => judge.labelled(batch, &items),
            });
            let labels = labels.collect::<Result<Vec<_>, RunError>>()?;
            let first = turns.len() - rows.len();
            // As `next` draws them: one number for each row, whether it needs it or not.
            disputed.extend((0..rows.len()).filter_map(|at| {
                let turn = chance.unit();
                self.is_disputed(&labels, at).then_some((turn, (first + at) as u64 + 1))
            }));
            watch.labelled(batch, rows, &labels)
        })?;
        disputed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let disputed = disputed.into_iter().map(|(_, row)| row).collect();
        Ok(Reported { watch, names, turns, disputed })
    }

    /// Whether two judges with one template give a row different labels.
    fn is_disputed(&self, labels: &[Vec<Labelled>], at: usize) -> bool {
        let said: Vec<(&str, &str)> = { self.judges.iter().zip(labels) }
            .filter_map(|(judge, labels)| Some((judge.template(), labels[at].verdict.label()?)))
            .collect();
        said.iter().any(|(of, label)| said.iter().any(|(other, says)| of == other && label != says))
    }

    /// Goes through all rows; returns their names.
    pub fn each(
        &self,
        mut see: impl FnMut(&Batch, &[Row]) -> Result<(), RunError>,
    ) -> Result<RowNames, RunError> {
        let (mut keys, mut names) = (RowKeys::default(), Vec::new());
        let Source { table, columns, .. } = &self.source;
        let judged = Judged::of(table.schema().names(), columns, &self.of_judges());
        for batch in self.source.table.batches(None) {
            let batch = batch?;
            let rows = self.source.unread(&batch)?;
            let ids = self.id.as_ref().map(|id| batch.column(id)).transpose()?;
            let columns = |names: &'_ [String]| {
                let there = names.iter().filter(|name| batch.schema.position(name).is_some());
                there
                    .map(|name| Ok((name.clone(), batch.column(name)?)))
                    .collect::<Result<Vec<_>, RunError>>()
            };
            let (others, read) = (columns(judged.others())?, columns(judged.read())?);
            for (at, row) in rows.iter().enumerate() {
                let id = ids.as_ref().and_then(|ids| text(ids[at].as_ref()));
                let raw = if row.item().is_ok() { &[][..] } else { &read[..] };
                let cells = others.iter().chain(raw);
                let cells: Cells<'_> = cells
                    .filter_map(|(name, cells)| Some((name.as_str(), text(cells[at].as_ref())?)))
                    .collect();
                names.push(RowName { key: keys.key(id.as_deref(), row.item(), &cells), id });
            }
            see(&batch, &rows)?;
        }
        let table = keys.table();
        Ok(RowNames { rows: names, table, set: keys.set() })
    }
}

/// Whether a column says what somebody thinks of a row: gold, expected calls, faults, marks; or that chance preferred it for a judge's label.
fn tells(name: &str) -> bool {
    const OF_GENERATED: [&str; 2] = ["error_type", "edit"];
    gold_columns::is_expectation(name)
        || name == correction::COLUMN
        || [&ADDED[..], &columns::FINDINGS, &columns::DRAW, &OF_GENERATED]
            .iter()
            .any(|names| names.contains(&name))
}

impl RowNames {
    /// The place of each row, from 0, by its key.
    pub fn places(&self) -> HashMap<&str, usize> {
        self.rows.iter().enumerate().map(|(at, name)| (name.key.as_str(), at)).collect()
    }

    /// Tells of draws that count no more: rows were added to those that were drawn from, or have changed.
    pub fn tell_of_draws(&self, store: &MarkStore, observer: &dyn Observer) -> Result<(), MarksError> {
        let places = self.places();
        let others = store.other_draws(&self.set)?;
        let gone = others.iter().filter(|draw| draw.rows.iter().any(|row| places.contains_key(row.as_str())));
        let gone = gone.count() as u64;
        if gone > 0 {
            observer.warning(&format!(
                "{} in {} no longer {}, because the table has other rows than were drawn from. The marks on their rows are kept as \
                 chosen marks; draw again for the share of right calls",
                counted(gone, "draw"),
                store.path().display(),
                if gone == 1 { "holds" } else { "hold" },
            ));
        }
        Ok(())
    }
}
