//! The write pass: reads the input again in order, and writes it with its labels.

use std::sync::mpsc;

use super::Labeller;
use crate::normalize::columns::Place;
use crate::read::ReadError;
use crate::run::input::{Chosen, SHARD_ROW};
use crate::run::settings::PanelSettings;
use crate::run::{Member, Panel, Progress, Row, RunError, Source, Summary};
use crate::table::{Batch, Column, Kind, Record, Schema, cell};
use crate::write::{Finished, InPlace, LabelColumns, Labelled, Output, Sink, WriteError};

/// Batches read ahead, so that reading, judging and writing overlap.
const AHEAD: usize = 1;

/// Where the labelled table goes.
pub struct Destination {
    pub output: Output,
    /// One set of columns for each labeller.
    pub labels: Vec<LabelColumns>,
    /// Input columns that ours take the place of.
    pub replaced: Vec<String>,
    /// Input columns that are left out because nobody wants them.
    pub dropped: Vec<String>,
    /// Input columns that are read even if they are left out: by their values labels are counted.
    pub counted: Vec<String>,
    /// Whether each row says which of all it is.
    pub numbered: bool,
    /// What it takes the place of, where that matters.
    pub in_place: Option<InPlace>,
}

impl Destination {
    /// Columns for each member of `panel` beside those of `source`; with `overwrite`, in their place where names are the same.
    pub(in crate::run) fn of(
        panel: &Panel,
        source: &Source,
        output: Output,
        overwrite: bool,
    ) -> Result<Destination, WriteError> {
        let columns = |member: &Member| {
            let PanelSettings { unit, findings, .. } = panel.settings;
            LabelColumns::detailed(&member.prefix, &member.judge, &member.criterion, unit, findings)
                .with_first(member.first().map(|first| first.name.clone()))
        };
        let labels: Vec<LabelColumns> = panel.members.iter().map(columns).collect();
        let mut replaced = Vec::new();
        for labels in &labels {
            replaced.extend(labels.clashes(source.table.schema(), overwrite)?);
        }
        Ok(Destination {
            output,
            labels,
            replaced,
            dropped: Vec::new(),
            counted: Vec::new(),
            numbered: source.shard.is_some(),
            in_place: None,
        })
    }

    /// The same without the input's columns of these names; those that are `counted` by are read nevertheless.
    pub(in crate::run) fn without(self, dropped: &[String], counted: &[String]) -> Destination {
        Destination { dropped: dropped.to_vec(), counted: counted.to_vec(), ..self }
    }

    /// Input columns that are not written.
    pub(in crate::run) fn left_out(&self) -> Vec<&str> {
        self.replaced.iter().chain(&self.dropped).map(String::as_str).collect()
    }

    /// What is read of a log, whose rows know what is judged without their columns: all but what is dropped and heavy. The conversation
    /// before every turn of a long transcript is most of what there is to write. What is light may be looked at nevertheless: gold, ids.
    fn read_of_log(&self, schema: &Schema) -> Vec<String> {
        const HEAVY: [&str; 5] = ["question", "messages", "tool_definitions", "tool_results", "next_message"];
        let is_needed = |name: &&str| {
            let is_counted = |counted: &String| Place::of(counted, &|column| column == *name).is_some();
            let is_dropped = self.dropped.iter().any(|dropped| dropped == name);
            !HEAVY.contains(name) || !is_dropped || self.counted.iter().any(is_counted)
        };
        schema.names().filter(is_needed).map(str::to_owned).collect()
    }

    /// The columns that are written of an `input`.
    pub(in crate::run) fn schema(&self, input: &Schema) -> Schema {
        let left_out = self.left_out();
        let kept = input.columns.iter().filter(|column| !left_out.contains(&column.name.as_str()));
        let ours = self.labels.iter().flat_map(|labels| &labels.schema().columns);
        let number = self.numbered.then(number).into_iter();
        input.with(kept.chain(ours).cloned().chain(number).collect())
    }
}

/// The column that says which of all rows a row is.
fn number() -> Column {
    Column { name: SHARD_ROW.to_owned(), kind: Kind::Int }
}

/// Looks on while rows are labelled.
pub trait Watch {
    /// The rows of a batch with their labels by each labeller.
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError>;

    /// An error if the table must not take its place, now that all rows were seen.
    fn accepts(&self) -> Result<(), RunError> {
        Ok(())
    }
}

/// Somebody looks on, or nobody.
impl<W: Watch> Watch for Option<W> {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        self.as_mut().map_or(Ok(()), |watch| watch.labelled(batch, rows, labels))
    }

    fn accepts(&self) -> Result<(), RunError> {
        self.as_ref().map_or(Ok(()), Watch::accepts)
    }
}

/// Two look on.
impl<A: Watch, B: Watch> Watch for (A, B) {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        self.0.labelled(batch, rows, labels)?;
        self.1.labelled(batch, rows, labels)
    }

    fn accepts(&self) -> Result<(), RunError> {
        self.0.accepts()?;
        self.1.accepts()
    }
}

/// Nobody looks on.
impl Watch for () {
    fn labelled(&mut self, _: &Batch, _: &[Row], _: &[Vec<Labelled>]) -> Result<(), RunError> {
        Ok(())
    }
}

/// Labels every row of `source` once per labeller and writes the table, if there is a `destination`, with the labels of as
/// many labellers as it has columns for; returns what each labeller came to. `stop` is asked between batches, and between rows that are
/// computed.
///
/// # Errors
/// On any error, and when `stop` says so, nothing appears at the destination.
pub fn write(
    source: &Source,
    labellers: &mut [Box<dyn Labeller>],
    destination: Option<&Destination>,
    watch: &mut dyn Watch,
    progress: &Progress,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<Summary>, Finished), RunError> {
    let create = |destination: &Destination| {
        let schema = destination.schema(source.table.schema());
        Sink::open(&destination.output, &schema)
    };
    let only = destination
        .filter(|destination| !destination.dropped.is_empty() && source.table.logs().is_some())
        .map(|destination| destination.read_of_log(source.table.schema()));
    let mut sink = destination.map(create).transpose()?;
    let mut summaries: Vec<Summary> =
        labellers.iter().map(|labeller| Summary::of(labeller.lists_findings())).collect();
    std::thread::scope(|scope| {
        let (to_label, read) = mpsc::sync_channel(AHEAD);
        let (to_write, labelled) = mpsc::sync_channel(AHEAD);
        scope.spawn(move || read_ahead(source, only.as_deref(), &to_label));
        let writer = scope.spawn(move || {
            for batch in labelled {
                if let Some(sink) = &mut sink {
                    sink.write(batch)?;
                }
            }
            Ok::<_, RunError>(sink)
        });
        let mut position = 0;
        let outcome = (|| {
            for batch in read {
                if stop() {
                    return Err(RunError::Interrupted);
                }
                let chosen = source.chosen(batch?, &mut position)?;
                let batch = label(chosen, labellers, destination, (&mut summaries, watch), stop)?;
                progress.asks_done(batch.len() as u64);
                if to_write.send(batch).is_err() {
                    // The writer stopped; its error is below.
                    break;
                }
            }
            Ok(())
        })();
        drop(to_write);
        let sink = writer.join().map_err(|_| RunError::Worker("the writer panicked".to_owned()))?;
        outcome?;
        let sink = sink?;
        watch.accepts()?;
        let in_place = destination.and_then(|destination| destination.in_place.as_ref());
        let written = sink.map(|sink| sink.finish_over(in_place)).transpose()?;
        Ok((summaries, written.unwrap_or_default()))
    })
}

fn read_ahead(
    source: &Source,
    only: Option<&[String]>,
    to_label: &mpsc::SyncSender<Result<Batch, ReadError>>,
) {
    for batch in source.table.batches(only) {
        // Nobody takes it when the run has failed or stopped.
        if to_label.send(batch).is_err() {
            return;
        }
    }
}

fn label(
    Chosen { batch, rows, positions }: Chosen,
    labellers: &mut [Box<dyn Labeller>],
    destination: Option<&Destination>,
    (summaries, watch): (&mut [Summary], &mut dyn Watch),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Batch, RunError> {
    let mut labels = Vec::with_capacity(labellers.len());
    for (labeller, summary) in labellers.iter_mut().zip(summaries) {
        let labelled = labeller.label(&rows, stop)?;
        for (labelled, row) in labelled.iter().zip(&rows) {
            summary.add(labelled);
            summary.remark(row);
        }
        labels.push(labelled);
    }
    watch.labelled(&batch, &rows, &labels)?;
    // Freeing what a batch was read into takes a while.
    rayon::spawn(move || drop(rows));
    let Some(destination) = destination else { return Ok(batch) };
    let mut batch = batch.without(&destination.left_out());
    for (labelled, columns) in labels.iter().zip(&destination.labels) {
        let records = labelled.iter().map(|labelled| columns.record(labelled)).collect();
        batch = batch.append(columns.schema(), records)?;
    }
    if let Some(positions) = positions {
        let record = |position: u64| Record { cells: vec![Some(cell::int(Some(position)))], item: None };
        batch = batch.append(&Schema::of(vec![number()]), positions.into_iter().map(record).collect())?;
    }
    Ok(batch)
}
