//! Generates calls from questions in two passes: one to see what is possible, one to write what is chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::source::Source;
use crate::domain::Findings;
use crate::gold::{Candidate, Generated, Kind, Question, Row, Wanted, chosen, generate};
use crate::run::RunError;
use crate::run::settings::MakingSettings;
use crate::table::{Batch, Record, Rows, Schema, gold};
use crate::write::{Finished, Output, Sink};

/// Rows that are written at once.
pub(super) const AT_ONCE: usize = 1024;

/// What became of the questions.
#[derive(Debug, Default)]
pub struct GeneratedGold {
    /// Questions read.
    pub questions: usize,
    /// What became of each kind of call.
    pub kinds: BTreeMap<Kind, KindCount>,
    /// Questions of which nothing was made, by reason.
    pub unusable: BTreeMap<&'static str, Vec<String>>,
    /// Questions whose accepted answer the scorer itself rejects, with its type of error.
    pub rejected: Vec<(String, &'static str)>,
}

/// What became of one kind of call.
#[derive(Debug, Clone, Copy, Default)]
pub struct KindCount {
    /// Right or wrong as it should be.
    pub generated: usize,
    /// Discarded, as the scorer sees them otherwise.
    pub discarded: usize,
    /// Chosen and written.
    pub written: usize,
}

/// Makes the calls and writes the table.
pub(super) fn make(
    source: &Source,
    settings: &MakingSettings,
    output: &Output,
) -> Result<(GeneratedGold, Finished), RunError> {
    let mut counts = GeneratedGold::default();
    let (mut positives, mut benign, mut wrong) = (BTreeSet::new(), Vec::new(), Vec::new());
    source.each(&mut |question| {
        let at = counts.questions;
        counts.questions += 1;
        match question {
            Err(error) => counts.unusable.entry(error.reason).or_default().push(error.id),
            Ok(question) => match generate(&question, settings.seed) {
                Err(rejected) => counts.rejected.push((rejected.id, rejected.error_type)),
                Ok(generated) => {
                    counts.count(&generated);
                    positives.extend(generated.positive.iter().map(|_| (at, Kind::Positive)));
                    benign.extend(generated.benign.iter().map(|(edit, _)| (at, Kind::Benign(*edit))));
                    wrong.extend(generated.negatives.iter().map(|wrong| (at, Kind::Mistake(wrong.mistake))));
                }
            },
        }
        Ok(())
    })?;
    let mut wanted = positives;
    if settings.per_question == 0 {
        wanted.clear();
    }
    let more =
        Wanted { per_question: settings.per_question.saturating_sub(1), per_kind: None, total: usize::MAX };
    wanted.extend(chosen(&benign, more, settings.seed));
    let total = if settings.per_type.is_some() { usize::MAX } else { wanted.len() };
    if settings.negatives_only {
        wanted.clear();
    }
    let negatives =
        Wanted { per_question: settings.negatives_per_question, per_kind: settings.per_type, total };
    wanted.extend(chosen(&wrong, negatives, settings.seed));
    let finished = write(source, settings.seed, output, &wanted, &mut counts)?;
    Ok((counts, finished))
}

fn write(
    source: &Source,
    seed: u64,
    output: &Output,
    wanted: &BTreeSet<Candidate>,
    counts: &mut GeneratedGold,
) -> Result<Finished, RunError> {
    let schema = Arc::new(gold::schema(false));
    let mut sink = Sink::open(output, &schema)?;
    let mut records = Vec::new();
    let mut at = 0;
    source.each(&mut |question| {
        let here = at;
        at += 1;
        let wanted: Vec<Kind> =
            wanted.range((here, Kind::Positive)..(here + 1, Kind::Positive)).map(|(_, kind)| *kind).collect();
        let (Ok(question), false) = (question, wanted.is_empty()) else { return Ok(()) };
        let Ok(generated) = generate(&question, seed) else { return Ok(()) };
        for (kind, row) in rows(&question, generated).into_iter().filter(|(kind, _)| wanted.contains(kind)) {
            counts.kinds.entry(kind).or_default().written += 1;
            records.push(gold::record(&row, &question));
        }
        if records.len() >= AT_ONCE {
            flush(&mut sink, &schema, &mut records)?;
        }
        Ok(())
    })?;
    flush(&mut sink, &schema, &mut records)?;
    Ok(sink.finish()?)
}

pub(super) fn flush(
    sink: &mut Sink,
    schema: &Arc<Schema>,
    records: &mut Vec<Record>,
) -> Result<(), RunError> {
    let rows = Rows::Records(std::mem::take(records));
    Ok(sink.write(Batch { schema: Arc::clone(schema), rows })?)
}

/// Right calls first.
fn rows(question: &Question, generated: Generated) -> Vec<(Kind, Row)> {
    let row = |kind: Kind, calls, findings: Option<Findings>, error_type: Option<&str>, edit| {
        let id = format!("{}#{}.0", question.id, kind.as_str());
        let right = findings.is_none();
        let (findings, error_type) = (Some(findings.unwrap_or_default()), error_type.map(str::to_owned));
        (kind, Row { id, calls, right, error_type, findings, edit, model: None })
    };
    let positive = generated.positive.into_iter().map(|calls| row(Kind::Positive, calls, None, None, None));
    let benign = generated.benign.into_iter();
    let benign = benign.map(|(edit, calls)| row(Kind::Benign(edit), calls, None, None, Some(edit.as_str())));
    let wrong = generated.negatives.into_iter().map(|wrong| {
        let mistake = wrong.mistake;
        row(Kind::Mistake(mistake), wrong.calls, Some(wrong.findings), Some(mistake.as_str()), None)
    });
    positive.chain(benign).chain(wrong).collect()
}

impl GeneratedGold {
    fn count(&mut self, generated: &Generated) {
        let benign = generated.benign.iter().map(|(edit, _)| Kind::Benign(*edit));
        let wrong = generated.negatives.iter().map(|wrong| Kind::Mistake(wrong.mistake));
        let positive = generated.positive.iter().map(|_| Kind::Positive);
        for kind in positive.chain(benign).chain(wrong) {
            self.kinds.entry(kind).or_default().generated += 1;
        }
        for kind in &generated.discarded {
            self.kinds.entry(*kind).or_default().discarded += 1;
        }
    }

    /// The kinds of calls that there are, in their order.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (Kind, KindCount)> {
        Kind::all().filter_map(|kind| Some((kind, *self.kinds.get(&kind)?)))
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let kind = |(kind, count): (Kind, KindCount)| {
            json!({
                "kind": kind.as_str(),
                "gold": gold_of(kind),
                "written": count.written,
                "made": count.generated,
                "discarded": count.discarded,
                "discard_rate": count.discard_rate(),
            })
        };
        json!({
            "questions": self.questions,
            "kinds": self.listed().map(kind).collect::<Vec<_>>(),
            "left_out": self.unusable,
            "rejected": self.rejected.iter().map(|(id, error)| json!({ "id": id, "error_type": error })).collect::<Vec<_>>(),
        })
    }
}

impl KindCount {
    /// The share of the draws that the scorer did not see as meant.
    pub fn discard_rate(self) -> Option<f64> {
        let drawn = self.generated + self.discarded;
        (drawn > 0).then(|| self.discarded as f64 / drawn as f64)
    }
}

/// The gold of a kind of call.
pub fn gold_of(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Mistake(_)) { "incorrect" } else { "correct" }
}
