//! All figures as one long table, for plots and filters elsewhere.

use std::sync::Arc;

use super::Outcome;
use crate::bench::{Measured, Slice};
use crate::domain::Json;
use crate::run::RunError;
use crate::stats::Estimate;
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, cell};
use crate::write::{Finished, Output, Sink};

/// A figure, and what it is a figure of.
struct Known<'a> {
    judge: &'a Measured,
    slice: &'a Slice,
    name: &'a str,
    figure: &'a Estimate,
}

type ValueOf = fn(&Known<'_>) -> Json;

/// Name, kind, and the cell of a figure.
const COLUMNS: [(&str, Kind, ValueOf); 13] = [
    ("judge", Kind::Text, |of| Json::from(of.judge.judge.as_str())),
    ("template", Kind::Text, |of| Json::from(of.judge.template.as_str())),
    ("task", Kind::Text, |of| cell::text(of.judge.task)),
    ("baseline", Kind::Bool, |of| Json::Bool(of.judge.baseline)),
    ("by", Kind::Text, |of| cell::text(of.slice.by.as_deref())),
    ("slice", Kind::Words, |of| cell::text(of.slice.value.as_deref())),
    ("rows", Kind::Int, |of| cell::int(Some(of.slice.rows as u64))),
    ("clusters", Kind::Int, |of| cell::int(Some(of.slice.clusters as u64))),
    ("unjudged", Kind::Int, |of| cell::int(Some(of.slice.confusion.unjudged()))),
    ("figure", Kind::Text, |of| Json::from(of.name)),
    ("value", Kind::Float, |of| cell::float(Some(of.figure.value))),
    ("low", Kind::Float, |of| cell::float(Some(of.figure.low))),
    ("high", Kind::Float, |of| cell::float(Some(of.figure.high))),
];

pub(super) fn write(outcome: &Outcome, output: &Output) -> Result<Finished, RunError> {
    let columns = COLUMNS.map(|(name, kind, _)| Column { name: name.to_owned(), kind }).to_vec();
    let schema = Arc::new(Schema::of(columns));
    let mut records = Vec::new();
    for judge in &outcome.measured {
        for slice in std::iter::once(&judge.overall).chain(&judge.slices) {
            let coverage = slice.coverage.as_ref().map(|share| (&"coverage", share));
            let figures = coverage.into_iter().chain(&slice.figures);
            records.extend(figures.map(|(name, figure)| record(judge, slice, name, figure)));
        }
        let calibration = judge
            .calibration
            .iter()
            .flat_map(|calibration| [("brier", calibration.brier), ("ece", calibration.ece)]);
        let consistency = judge.consistency.iter().flat_map(|consistency| {
            [("flip_rate", consistency.flip_rate), ("repeat_kappa", consistency.kappa)]
        });
        for (name, figure) in calibration.chain(consistency) {
            records.extend(figure.map(|figure| record(judge, &judge.overall, name, &figure)));
        }
    }
    let mut sink = Sink::create(&output.path, output.format, &schema)?;
    sink.write(Batch { schema, rows: Rows::Records(records) })?;
    Ok(sink.finish()?)
}

fn record(judge: &Measured, slice: &Slice, name: &str, figure: &Estimate) -> Record {
    let known = Known { judge, slice, name, figure };
    Record { cells: COLUMNS.iter().map(|(.., value)| Some(value(&known))).collect(), item: None }
}
