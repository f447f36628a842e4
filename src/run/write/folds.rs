//! Folds the labels of turns by columns: one row per session, case or other group.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Calls, Json, Message, Rails, Role, Sample, Task, Unit};
use crate::run::input::{hash, text};
use crate::run::{Member, Panel, Row, RunError, Watch};
use crate::stats::{RequestMean, RequestScores};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, cell};
use crate::write::{Finished, Labelled, Output, Sink};

/// Folds the labels of each member of a panel.
pub struct FoldWatch {
    /// The columns whose values tell the folds apart.
    by: Vec<String>,
    members: Vec<Folded>,
    /// Whether calls are judged one by one.
    per_call: bool,
    /// The folds by their values, in order of appearance.
    folds: Vec<(Vec<Option<String>>, Fold)>,
    places: HashMap<Vec<Option<String>>, usize>,
    /// Rows met so far.
    number: u64,
    /// Rows that have no value of any of the columns: they belong to no fold.
    pub unnamed: u64,
}

/// Whose labels are folded.
struct Folded {
    prefix: String,
    /// The lowest and the highest score that a label has.
    range: (f64, f64),
    /// Whether turns that call nothing have nothing to be judged.
    of_arguments: bool,
}

#[derive(Default)]
struct Fold {
    rows: u64,
    members: Vec<Scores>,
}

#[derive(Default, Clone)]
struct Scores {
    judged: u64,
    scores: RequestScores,
    /// Calls, of these those with a label, of these those that pass; where calls are judged one by one.
    calls: Option<(u64, u64, u64)>,
}

impl FoldWatch {
    /// Folds by the values of these columns.
    pub(in crate::run) fn new(by: &[String], panel: &Panel) -> FoldWatch {
        let folded = |member: &Member| Folded {
            prefix: member.prefix.clone(),
            range: range(&member.rails()),
            of_arguments: member.task() == Some(Task::ParameterExtraction),
        };
        FoldWatch {
            by: by.to_vec(),
            members: panel.members.iter().map(folded).collect(),
            per_call: panel.settings.unit == Unit::Call,
            folds: Vec::new(),
            places: HashMap::new(),
            number: 0,
            unnamed: 0,
        }
    }

    /// A column that the folds would have twice: one to fold by that is named as one of theirs.
    pub(in crate::run) fn clash(&self) -> Option<String> {
        let schema = self.schema();
        let ours: Vec<&str> = schema.names().skip(self.by.len()).collect();
        self.by
            .iter()
            .enumerate()
            .find(|(at, name)| ours.contains(&name.as_str()) || self.by[..*at].contains(name))
            .map(|(_, name)| name.clone())
    }

    fn fold(&mut self, values: Vec<Option<String>>) -> &mut Fold {
        let next = self.folds.len();
        let place = *self.places.entry(values.clone()).or_insert(next);
        if place == next {
            let members = vec![Scores::default(); self.members.len()];
            self.folds.push((values, Fold { rows: 0, members }));
        }
        &mut self.folds[place].1
    }

    /// Writes the folds as a table.
    ///
    /// # Errors
    /// If it cannot be written; nothing appears then.
    pub(in crate::run) fn write(&self, output: &Output) -> Result<Finished, RunError> {
        let schema = Arc::new(self.schema());
        let mut sink = Sink::create(&output.path, output.format, &schema)?;
        let record = |(values, fold): &(Vec<Option<String>>, Fold)| Record {
            cells: self.cells(values, fold).into_iter().map(Some).collect(),
            item: None,
        };
        let records = self.folds.iter().map(record).collect();
        sink.write(Batch { schema: Arc::clone(&schema), rows: Rows::Records(records) })?;
        Ok(sink.finish()?)
    }

    fn schema(&self) -> Schema {
        let column = |name: String, kind| Column { name, kind };
        let mut columns: Vec<Column> = self.by.iter().map(|by| column(by.clone(), Kind::Text)).collect();
        columns.push(column("rows".to_owned(), Kind::Int));
        for Folded { prefix, .. } in &self.members {
            for (name, kind) in [
                ("judged", Kind::Int),
                ("score", Kind::Float),
                ("score_low", Kind::Float),
                ("score_high", Kind::Float),
            ] {
                columns.push(column(format!("{prefix}{name}"), kind));
            }
            let of_calls = [
                ("calls", Kind::Int),
                ("calls_judged", Kind::Int),
                ("calls_correct", Kind::Int),
                ("call_score", Kind::Float),
            ];
            let of_calls = of_calls.into_iter().filter(|_| self.per_call);
            columns.extend(of_calls.map(|(name, kind)| column(format!("{prefix}{name}"), kind)));
        }
        if self.members.len() > 1 {
            columns.extend(
                ["lowest_score", "lowest_score_low", "lowest_score_high"]
                    .map(|name| column(name.to_owned(), Kind::Float)),
            );
        }
        Schema::of(columns)
    }

    fn cells(&self, values: &[Option<String>], fold: &Fold) -> Vec<Json> {
        let mut cells: Vec<Json> = values.iter().map(|value| cell::text(value.as_deref())).collect();
        cells.push(cell::int(Some(fold.rows)));
        let mut lowest: Option<RequestMean> = None;
        for (member, scores) in self.members.iter().zip(&fold.members) {
            let mean = scores.scores.mean(member.range);
            cells.push(cell::int(Some(scores.judged)));
            cells.extend(of_mean(mean));
            let (calls, judged, correct) = match scores.calls {
                Some((calls, judged, correct)) => (Some(calls), Some(judged), Some(correct)),
                None => (None, None, None),
            };
            let of_calls = [calls, judged, correct].map(cell::int);
            let all_judged = calls.zip(judged).is_some_and(|(calls, judged)| calls == judged && calls > 0);
            let share = calls
                .zip(correct)
                .filter(|_| all_judged)
                .map(|(calls, correct)| correct as f64 / calls as f64);
            if self.per_call {
                cells.extend(of_calls);
                cells.push(cell::float(share));
            }
            // Who had nothing to judge does not lower what the others found.
            if mean.bounds.is_some() {
                lowest = Some(lowest.map_or(mean, |lowest| lowest.min(mean)));
            }
        }
        if self.members.len() > 1 {
            cells.extend(of_mean(lowest.unwrap_or(RequestMean { value: None, bounds: None })));
        }
        cells
    }
}

fn of_mean(mean: RequestMean) -> [Json; 3] {
    [mean.value, mean.bounds.map(|(low, _)| low), mean.bounds.map(|(_, high)| high)].map(cell::float)
}

fn range(rails: &Rails) -> (f64, f64) {
    let widest = |(low, high): (f64, f64), score: f64| (low.min(score), high.max(score));
    rails.scores().fold((f64::INFINITY, f64::NEG_INFINITY), widest)
}

impl Watch for FoldWatch {
    fn labelled(&mut self, batch: &Batch, rows: &[Row], labels: &[Vec<Labelled>]) -> Result<(), RunError> {
        let columns: Vec<Vec<Option<Json>>> =
            self.by.iter().map(|name| batch.column(name)).collect::<Result<_, _>>()?;
        for (at, row) in rows.iter().enumerate() {
            let values: Vec<Option<String>> = columns
                .iter()
                .map(|cells| text(cells[at].as_ref()).filter(|text| !text.is_empty()))
                .collect();
            if values.iter().all(Option::is_none) {
                self.unnamed += 1;
                continue;
            }
            let sample = row.item().as_ref().ok();
            // What could not be read is a request of its own.
            self.number += 1;
            let request = match sample {
                Some(sample) => request(sample),
                None => named(&[b"unread", &self.number.to_le_bytes()]),
            };
            let calls_nothing = sample.is_some_and(|sample| sample.calls == Calls::Parsed(Vec::new()));
            let of_arguments: Vec<bool> = self.members.iter().map(|member| member.of_arguments).collect();
            let fold = self.fold(values);
            fold.rows += 1;
            for ((scores, labelled), of_arguments) in fold.members.iter_mut().zip(labels).zip(of_arguments) {
                let labelled = &labelled[at];
                scores.judged += u64::from(labelled.verdict.label().is_some());
                if !(of_arguments && calls_nothing) {
                    scores.scores.add(request, labelled.verdict.score());
                }
                if let Some(calls) = &labelled.calls {
                    let (all, judged, correct) = scores.calls.get_or_insert_default();
                    for call in calls {
                        *all += 1;
                        *judged += u64::from(call.verdict.label().is_some());
                        *correct += u64::from(call.passes);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which of the user's requests a turn works on, and of which transcript: a request begins where the user speaks after the assistant
/// did.
fn request(sample: &Sample) -> u64 {
    let mut requests = 0_u64;
    let mut answered = false;
    for Message { role, .. } in sample.before_turn() {
        match role {
            Role::User if answered => (requests, answered) = (requests + 1, false),
            Role::Assistant => answered = true,
            _ => {}
        }
    }
    let transcript =
        sample.place.as_ref().and_then(|place| place.transcript_id.as_deref()).unwrap_or_default();
    named(&[b"request", transcript.as_bytes(), &requests.to_le_bytes()])
}

fn named(parts: &[&[u8]]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = hash(parts);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
