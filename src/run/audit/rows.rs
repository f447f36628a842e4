//! The table of all questions of an audit with their answers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::plan::Plan;
use super::probing::ProbedRow;
use super::{Answers, ProbeBatches};
use crate::audit::{Probe, ProbeCase};
use crate::domain::{Item, Json, RawText};
use crate::run::{Member, ProbeBatch, RunError, Session};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, cell};
use crate::write::{self, Labelled, Output, Sink};

/// A question of the audit and its answer.
struct Known<'a> {
    row: &'a ProbedRow,
    member: &'a Member,
    /// What unchanged rows were asked for.
    kind: &'a str,
    case: &'a ProbeCase,
    /// The label that the probe is after.
    target_label: Option<&'a str>,
    /// The row as it was shown, if it could be read.
    raw: Option<&'a RawText>,
    /// The label before anything was changed.
    first: Option<&'a str>,
    labelled: &'a Labelled,
}

impl Known<'_> {
    fn is_unchanged(&self) -> bool {
        self.case.probe == Probe::Repeat
    }

    fn label(&self) -> Option<&str> {
        self.labelled.verdict.label()
    }
}

type ValueOf = fn(&Known<'_>) -> Json;

/// Name, kind, and the cell of an answer.
const COLUMNS: [(&str, Kind, ValueOf); 17] = [
    ("row", Kind::Int, |of| Json::Number(of.row.number.into())),
    ("id", Kind::Words, |of| cell::text(of.row.id.as_deref())),
    ("judge", Kind::Text, |of| Json::from(of.member.name())),
    ("template", Kind::Text, |of| Json::from(of.member.criterion.as_str())),
    ("kind", Kind::Text, |of| {
        Json::from(if of.is_unchanged() { of.kind } else { of.case.probe.kind().as_str() })
    }),
    ("probe", Kind::Text, |of| if of.is_unchanged() { Json::Null } else { Json::from(of.case.probe.name()) }),
    ("place", Kind::Text, |of| cell::text(of.case.probe.place().map(|place| place.as_str()))),
    ("aim", Kind::Text, |of| cell::text(of.target_label)),
    ("first_label", Kind::Text, |of| cell::text(of.first)),
    ("label", Kind::Text, |of| cell::text(of.label())),
    ("flipped", Kind::Bool, |of| {
        of.first.zip(of.label()).map_or(Json::Null, |(first, label)| Json::Bool(first != label))
    }),
    ("status", Kind::Text, |of| Json::from(of.labelled.verdict.status().as_str())),
    ("error", Kind::Words, |of| cell::text(of.labelled.verdict.error().as_deref())),
    ("raw_reply", Kind::Words, |of| cell::text(of.labelled.reply.as_ref().map(|reply| reply.text.as_str()))),
    ("question", Kind::Words, |of| cell::text(of.raw.map(|raw| &*raw.question))),
    ("tool_call", Kind::Words, |of| cell::text(of.raw.and_then(|raw| raw.tool_call.as_deref()))),
    ("tool_definitions", Kind::Words, |of| {
        cell::text(of.raw.and_then(|raw| raw.tool_definitions.as_deref()))
    }),
];

/// The table under construction.
pub struct RowTable {
    output: Output,
    schema: Arc<Schema>,
    sink: Sink,
}

/// ProbeBatches with their answers, for each member of the panel.
type Asked<'a> = (&'a ProbeBatches, &'a [Answers]);

impl RowTable {
    pub fn create(output: &Output) -> Result<RowTable, RunError> {
        let columns = COLUMNS.map(|(name, kind, _)| Column { name: name.to_owned(), kind }).to_vec();
        let schema = Arc::new(Schema::of(columns));
        let sink = Sink::open(output, &schema)?;
        Ok(RowTable { output: output.clone(), schema, sink })
    }

    /// What the judge at `place` was asked, and those who repeat it.
    pub fn write(
        &mut self,
        (plan, members): (&Plan, &[Member]),
        place: usize,
        first: Asked<'_>,
        second: Asked<'_>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), RunError> {
        let asked = (plan, members);
        let base = &first.1[place];
        self.probe_batch(asked, place, "first", (&first.0[place], base), base, stopped)?;
        for again in (place + 1..members.len()).take_while(|again| members[*again].repeat > 0) {
            self.probe_batch(asked, again, "repeat", (&first.0[again], &first.1[again]), base, stopped)?;
        }
        self.probe_batch(asked, place, "", (&second.0[place], &second.1[place]), base, stopped)
    }

    /// `kind` names what unchanged rows were asked for.
    fn probe_batch(
        &mut self,
        asked: (&Plan, &[Member]),
        place: usize,
        kind: &str,
        (probe_batch, answers): (&ProbeBatch, &Answers),
        base: &Answers,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), RunError> {
        let mut answers = answers.iter();
        for (cases, items) in probe_batch.chunks() {
            if stopped() {
                return Err(RunError::Interrupted);
            }
            let records = cases
                .iter()
                .zip(&items)
                .zip(answers.by_ref())
                .map(|((case, item), labelled)| {
                    record(asked, place, kind, probe_batch, (case, item, labelled), base)
                })
                .collect();
            self.sink.write(Batch { schema: Arc::clone(&self.schema), rows: Rows::Records(records) })?;
        }
        Ok(())
    }

    /// Ends the table. How a manifest tells of it.
    pub fn finish(self, session: &Session) -> Result<Value, RunError> {
        let path = &self.output.path;
        let written = self.sink.finish()?;
        let output =
            json!({"path": path.display().to_string(), "rows": written.rows, "bytes": written.bytes});
        if self.output.has_manifest() {
            write::write_manifest(path, &json!({"run": session.manifest.run, "output": output}))?;
        }
        Ok(output)
    }
}

fn record(
    (plan, members): (&Plan, &[Member]),
    place: usize,
    kind: &str,
    probe_batch: &ProbeBatch,
    (case, item, labelled): (&ProbeCase, &Item, &Labelled),
    base: &Answers,
) -> Record {
    let target_label = probe_batch.rails.get(case.target_label).filter(|_| case.probe.place().is_some());
    let known = Known {
        row: &plan.rows[case.row],
        member: &members[place],
        kind,
        case,
        target_label: target_label.map(|rail| rail.label.as_str()),
        raw: item.as_ref().ok().map(|sample| &sample.raw),
        first: base[case.row].verdict.label(),
        labelled,
    };
    Record { cells: COLUMNS.iter().map(|(.., value)| Some(value(&known))).collect(), item: None }
}
