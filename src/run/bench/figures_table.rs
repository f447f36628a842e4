//! All figures as one long table, for whoever draws or sifts them elsewhere.

use std::sync::Arc;

use super::Outcome;
use crate::bench::{Measured, Slice};
use crate::domain::{Json, Number};
use crate::run::RunError;
use crate::stats::Estimate;
use crate::table::{Batch, Column, Kind, Record, Rows, Schema};
use crate::write::{Finished, Output, Sink};

const COLUMNS: [(&str, Kind); 13] = [
    ("judge", Kind::Text),
    ("template", Kind::Text),
    ("task", Kind::Text),
    ("baseline", Kind::Bool),
    ("by", Kind::Text),
    ("slice", Kind::Words),
    ("rows", Kind::Int),
    ("clusters", Kind::Int),
    ("unjudged", Kind::Int),
    ("figure", Kind::Text),
    ("value", Kind::Float),
    ("low", Kind::Float),
    ("high", Kind::Float),
];

pub(super) fn write(outcome: &Outcome, output: &Output) -> Result<Finished, RunError> {
    let columns = COLUMNS.map(|(name, kind)| Column { name: name.to_owned(), kind }).to_vec();
    let schema = Arc::new(Schema::of(columns));
    let mut records = Vec::new();
    for judge in &outcome.measured {
        for slice in std::iter::once(&judge.overall).chain(&judge.slices) {
            records.extend(slice.figures.iter().map(|(name, figure)| record(judge, slice, name, figure)));
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
    let text = |text: Option<&str>| text.map_or(Json::Null, Json::from);
    let count = |count: u64| Json::Number(count.into());
    let number = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let cells = [
        Json::from(judge.judge.as_str()),
        Json::from(judge.template.as_str()),
        text(judge.task),
        Json::Bool(judge.baseline),
        text(slice.by.as_deref()),
        text(slice.value.as_deref()),
        count(slice.rows as u64),
        count(slice.clusters as u64),
        count(slice.confusion.unjudged()),
        Json::from(name),
        number(figure.value),
        number(figure.low),
        number(figure.high),
    ];
    Record { cells: cells.map(Some).to_vec(), item: None }
}
