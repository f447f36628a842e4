//! The training job: labelled rows in, a model of the built-in judge out.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::rows::{Reader, TrainColumns};
use super::{TrainError, TrainSummary};
use crate::bench::{Words, columns};
use crate::check::{BuiltinJudge, Decide, StageKind, TaskStage, TrainedModel};
use crate::domain::{Rails, Task};
use crate::run::bench::{check_met, read_errata};
use crate::run::outputs::check_places;
use crate::run::panel::read_model;
use crate::run::settings::TrainSettings;
use crate::run::{Control, RunError, Source};
use crate::stats::Estimate;
use crate::write::{check_text, is_stream, write_text};
use tooljudge_core::train::{Changes, Evaluation, Figures, Trained, Training, Trial};

/// Columns by which changes are told apart, where they are.
const KINDS: [&str; 2] = ["error_type", "edit"];
/// Where a review leaves what should have been called.
const CORRECTED: &str = "corrected_tool_calls";

/// Trains the built-in judge on labelled rows: its log-odds are read otherwise, or corrected, or replaced, whichever is best on rows
/// held out by question and by tools. Writes the model only if it is better than the shipped judge beyond chance.
///
/// # Errors
/// If the settings cannot hold, there is too little to learn from, or a file cannot be read or written. No gain is no error:
/// [`TrainSummary::kept`] is none then.
pub fn train(settings: TrainSettings, control: &Control) -> Result<TrainSummary, RunError> {
    let observer = control.observer.as_ref();
    let go_on = || if control.stop.is_told() { Err(RunError::Interrupted) } else { Ok(()) };
    if settings.task.about_calls().is_none() {
        return Err(TrainError::Task(settings.task.as_str()).into());
    }
    let source = Source::open(&settings.input, false, observer)?;
    source.announce(observer);
    let before = beginning(&settings, &source)?;
    let columns = train_columns(&settings, &source)?;
    let rails = Rails::pass_and_fail(settings.task.labels());
    let words = Words::of([&rails]).unwrap_or_default();
    let errata = match (&settings.errata, &columns.id) {
        (None, _) => None,
        (Some(_), None) => return Err(TrainError::ErrataWithoutNames.into()),
        (Some(file), Some(id)) => {
            let errata = read_errata(file, id, &[vec![columns.gold.clone()]], &words)?;
            check_met((file, &errata), id, (&source.table, &settings.input), observer)?;
            errata.into_iter().next_back()
        }
    };
    // What it finds tells rows apart, and is told where there is a label.
    let judge = BuiltinJudge::new(settings.task).with_decide(Decide::Always);
    let mut reader = Reader::new(&columns, (&words, errata.as_ref()), settings.review_weight, &judge);
    reader.read(&source)?;
    source.tell_text_fields(None, observer);
    reader.invalid.warning(&words).into_iter().for_each(|warning| observer.warning(&warning));
    let (material, counts) = (reader.material, reader.counts);
    let share_right = material.share_right().unwrap_or_default();
    let training = Training::new(material, settings.seed)
        .map_err(|why| TrainError::Unusable { why, counts: Box::new(counts.clone()) })?;
    let trials: Vec<Trial> = training.trials();
    let carry_out = |trial: &Trial| go_on().map(|()| training.carry_out(*trial));
    let trained: Vec<Trained> = trials.par_iter().map(carry_out).collect::<Result<_, _>>()?;
    let evaluations = training.evaluations(&trained);
    let kept = training.best(&evaluations).map(|best| best.kind);
    let fitted = evaluations.iter().filter(|evaluation| evaluation.failure.is_none());
    let nearest = fitted.max_by(|a, b| a.lower_bound().total_cmp(&b.lower_bound())).map(|found| found.kind);
    let changes = match kept.or(nearest) {
        Some(kind) => Some(training.changes(kind, &trained).map_err(TrainError::Fit)?),
        None => None,
    };
    let mut summary = TrainSummary {
        task: settings.task,
        counts,
        measures_tools: training.measures_tools(),
        kept,
        changes,
        model: None,
        share_right,
        record: Value::Null,
        output: None,
        evaluations,
    };
    summary.record = record(&summary, &settings);
    if let Some(kind) = kept {
        let stage = training.stage(kind, &trained).map_err(TrainError::Fit)?;
        let notes = notes(&summary, &settings);
        let mut model = before.map_or_else(|| TrainedModel::new([]), |before| (*before).clone());
        model.set(TaskStage { task: settings.task, stage, notes });
        summary.record["model"] = json!(model.checksum());
        if let Some(path) = &settings.output {
            go_on()?;
            write_text(path, &model.to_text())?;
            summary.output = Some(path.clone());
        }
        summary.model = Some(model);
    }
    Ok(summary)
}

/// The model that is added to, if so; refuses a place that cannot be written before any work is done.
fn beginning(settings: &TrainSettings, source: &Source) -> Result<Option<Arc<TrainedModel>>, RunError> {
    let Some(path) = &settings.output else { return Ok(None) };
    if is_stream(path) {
        return Err(TrainError::Stream(path.clone()).into());
    }
    check_places(&source.paths(), settings.errata.iter().chain([path]))?;
    check_text(path, settings.force)?;
    if !Path::new(path).exists() {
        return Ok(None);
    }
    if settings.add {
        return Ok(Some(read_model(path)?));
    }
    // What is no model was written by nobody, or is replaced by --force.
    let there = read_model(path).ok().filter(|_| !settings.force);
    let others = there.iter().flat_map(|model| model.stages()).map(|stage| stage.task);
    let others: Vec<&str> = others.filter(|task| *task != settings.task).map(Task::as_str).collect();
    match others.is_empty() {
        true => Ok(None),
        false => Err(TrainError::OtherTasks { path: path.clone(), others: others.join(", ") }.into()),
    }
}

fn train_columns(settings: &TrainSettings, source: &Source) -> Result<TrainColumns, TrainError> {
    let names: Vec<&str> = source.table.schema().names().collect();
    let all = || names.join(", ");
    let there = |flag: &'static str, column: &String| match names.contains(&column.as_str()) {
        true => Ok(column.clone()),
        false => Err(TrainError::NoColumn { flag, column: column.clone(), columns: all() }),
    };
    let named = |flag: &'static str, column: &Option<String>, usual: &[&str]| match column {
        Some(column) => there(flag, column).map(Some),
        None => Ok(usual.iter().find(|usual| names.contains(usual)).map(|usual| (*usual).to_owned())),
    };
    let gold = match &settings.gold {
        Some(gold) => there("gold", gold)?,
        None => columns::gold(Some(settings.task), &names)
            .map(str::to_owned)
            .ok_or_else(|| TrainError::NoGoldColumn(all()))?,
    };
    let kinds = match &settings.kinds[..] {
        [] => KINDS.iter().filter(|kind| names.contains(kind)).map(|kind| (*kind).to_owned()).collect(),
        kinds => kinds.iter().map(|kind| there("kind", kind)).collect::<Result<_, _>>()?,
    };
    Ok(TrainColumns {
        gold,
        cluster: named("cluster", &settings.cluster, &columns::CLUSTERS)?,
        id: named("id", &settings.id, &columns::IDS)?,
        weight: named("weight", &settings.weight, &[])?,
        kinds,
        reviewed: named("reviewed", &settings.reviewed, &[CORRECTED])?,
    })
}

/// What is kept in the model for people.
fn notes(summary: &TrainSummary, settings: &TrainSettings) -> Value {
    let kept = summary.evaluations.iter().find(|evaluation| Some(evaluation.kind) == summary.kept);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "stage": summary.kept.map(StageKind::as_str),
        "rows": summary.counts,
        "share_right": rounded(summary.share_right),
        "seed": settings.seed,
        "gain": kept.map(gains),
        "figures": summary.changes.as_ref().map(figures_of),
    })
}

/// The record of the training.
fn record(summary: &TrainSummary, settings: &TrainSettings) -> Value {
    let candidates = summary.evaluations.iter().map(|evaluation| {
        json!({
            "stage": evaluation.kind.as_str(),
            "kept": Some(evaluation.kind) == summary.kept,
            "is_better": evaluation.is_kept(),
            "gain": gains(evaluation),
            "failure": evaluation.failure,
        })
    });
    let slices = summary.changes.iter().flat_map(|changes| &changes.slices).map(|slice| {
        json!({
            "column": slice.column, "value": slice.value, "rows": slice.rows,
            "right_before": slice.right_before, "right_after": slice.right_after,
        })
    });
    let changed = summary
        .changes
        .iter()
        .flat_map(|changes| &changes.changed)
        .map(|change| json!({"row": change.row, "gold": change.right, "label": change.now}));
    json!({
        "kind": "tooljudge train",
        "version": env!("CARGO_PKG_VERSION"),
        "task": summary.task.as_str(),
        "inputs": settings.input.inputs,
        "seed": settings.seed,
        "rows": summary.counts,
        "share_right": rounded(summary.share_right),
        "candidates": candidates.collect::<Vec<_>>(),
        "kept": summary.kept.map(StageKind::as_str),
        "other_tools_measured": summary.measures_tools,
        "figures": summary.changes.as_ref().map(figures_of),
        "changed": changed.collect::<Vec<_>>(),
        "slices": slices.collect::<Vec<_>>(),
        "model": null,
    })
}

fn gains(evaluation: &Evaluation) -> Value {
    let gain = |gain: &tooljudge_core::train::Gain| {
        json!({
            "held_out": gain.by.as_str(), "groups": gain.groups, "over_shipped": estimate(&gain.over_shipped),
            "over_nothing": estimate(&gain.over_nothing),
        })
    };
    evaluation.gains.iter().map(gain).collect()
}

fn figures_of(changes: &Changes) -> Value {
    let of = |figures: &Figures| {
        json!({
            "balanced_accuracy": figures.balanced_accuracy.as_ref().map(estimate),
            "auc": figures.auc.as_ref().map(estimate),
            "ece": figures.ece.as_ref().map(estimate),
            "abstained": rounded(figures.abstained),
        })
    };
    json!({"before": of(&changes.before), "after": of(&changes.after)})
}

fn estimate(found: &Estimate) -> Value {
    json!({"value": rounded(found.value), "low": rounded(found.low), "high": rounded(found.high)})
}

/// As many digits as mean something.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
