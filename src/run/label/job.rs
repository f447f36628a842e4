//! The labelling job: rows in, labelled rows out.

use std::iter;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::plan::Plan;
use super::report::ReportWatch;
use super::{LabelSummary, MemberSummary};
use crate::read::ReadError;
use crate::report::counted;
use crate::run::junit::{self, CaseOutcome};
use crate::run::panel::Purpose;
use crate::run::session::go_on;
use crate::run::settings::{LabelSettings, ResnapSettings};
use crate::run::{
    AskOutcome, Ceiling, Control, Failures, Forecast, RunError, Samples, Summary, forecasts, runtime,
};
use crate::write::{self, Finished};

/// Labels every row of a table: asks the judges, and writes the rows with their labels. Replies of models are kept in the store;
/// the same settings again resume a run that was stopped, and ask nothing twice.
///
/// # Errors
/// If the settings cannot hold, the input cannot be read or the table not be written; [`RunError::Unfinished`] if the run was
/// stopped, or if no question will have an answer. No table appears then.
///
/// ```
/// use tooljudge::run::settings::LabelSettings;
/// use tooljudge::run::{Control, label};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let calls = folder.path().join("calls.jsonl");
/// std::fs::write(&calls, r#"{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')", "tool_definitions":
///     [{"name": "weather", "parameters": {"properties": {"city": {}}}}]}"#.replace('\n', ""))?;
/// let summary = label(LabelSettings::new([calls.display().to_string()]), &Control::default()).await?;
/// assert_eq!(summary.members[0].summary.labels["incorrect"], 1);
/// assert!(summary.output.ends_with("calls.labeled.jsonl"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn label(settings: LabelSettings, control: &Control) -> Result<LabelSummary, RunError> {
    run(settings, &Purpose::Label, control).await
}

/// [`label()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`label()`] there.
pub fn label_blocking(settings: LabelSettings) -> Result<LabelSummary, RunError> {
    runtime()?.block_on(label(settings, &Control::default()))
}

/// Reads stored replies again and writes the labels: by other rules, or onto other rails. Nobody is asked; rows that were never
/// asked have the status `not_asked`.
///
/// # Errors
/// As for [`label()`], and if there is no store, or no reply in it for any row and no `force`: no table is written then.
///
/// ```
/// use tooljudge::run::settings::{LabelSettings, ResnapSettings};
/// use tooljudge::run::resnap_blocking;
///
/// # let folder = tempfile::tempdir()?;
/// # let calls = folder.path().join("calls.jsonl");
/// std::fs::write(&calls, r#"{"question": "Weather in Oslo?", "tool_call": "weather()"}"#)?;
/// // The built-in judge has no replies: it judges again.
/// let summary = resnap_blocking(ResnapSettings::new(LabelSettings::new([calls.display().to_string()])))?;
/// assert_eq!(summary.members[0].summary.rows, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn resnap(settings: ResnapSettings, control: &Control) -> Result<LabelSummary, RunError> {
    run(settings.label, &Purpose::Resnap { rails: settings.read_rails }, control).await
}

/// [`resnap()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`resnap()`] there.
pub fn resnap_blocking(settings: ResnapSettings) -> Result<LabelSummary, RunError> {
    runtime()?.block_on(resnap(settings, &Control::default()))
}

/// What [`label()`] would ask each model judge, with the first `shown` prompts. Calls nobody and writes nothing.
///
/// # Errors
/// If the settings cannot hold or the input cannot be read.
pub fn forecast(settings: LabelSettings, shown: usize, control: &Control) -> Result<Vec<Forecast>, RunError> {
    let plan = Plan::new(settings, &Purpose::DryRun, control)?;
    let panel = &plan.session.panel;
    let samples = vec![Arc::clone(&plan.source) as Arc<dyn Samples>; panel.members.len()];
    forecasts(panel, &samples, shown)
}

async fn run(
    settings: LabelSettings,
    purpose: &Purpose,
    control: &Control,
) -> Result<LabelSummary, RunError> {
    let began = Instant::now();
    let mut plan = Plan::new(settings, purpose, control)?;
    control.observer.begins();
    let everything = vec![AskOutcome::All; plan.session.panel.members.len()];
    let asked = match purpose {
        Purpose::Label | Purpose::Bench => plan.session.ask(&plan.source).await,
        Purpose::DryRun | Purpose::Resnap { .. } => Ok(everything.clone()),
    };
    let stopped = match asked {
        Ok(outcomes) => return plan.write(&outcomes, began).await,
        Err(error @ (RunError::Interrupted | RunError::Judge { .. })) => error,
        Err(error) => return Err(error),
    };
    // Where nothing came, there is nothing to go on from, and whatever is wrong with the judge will be wrong again.
    let again = go_on(plan.session.panel.settings.store.fresh);
    let in_vain = matches!(stopped, RunError::Judge { .. }) && !plan.session.has_replies();
    let kept = |table: &str| match in_vain {
        true => format!("no reply came and {table}"),
        false => format!("every reply that came is kept and {table}. {again}"),
    };
    if !plan.partial {
        return Err(stopped.unfinished(&kept("no table was written")));
    }
    // The table is written after all, although the run was told to stop; a second request to stop still ends it.
    plan.session.control.stop.gently = CancellationToken::new();
    match plan.write(&everything, began).await {
        Ok(summary) => {
            let unfinished = Some(stopped.unfinished(&kept("the partial table was written")));
            Ok(LabelSummary { unfinished, ..summary })
        }
        Err(again) if again.is_interruption() => match stopped {
            RunError::Interrupted => Err(again),
            stopped => {
                control.observer.note(&again.to_string());
                Err(stopped.unfinished(&kept("no table was written")))
            }
        },
        Err(error) => Err(error),
    }
}

/// The names of the first files, without their folders.
fn title(inputs: &[String]) -> String {
    const NAMED: usize = 3;
    let names = inputs.iter().take(NAMED).map(|input| {
        Path::new(input).file_name().map_or_else(|| input.clone(), |name| name.to_string_lossy().into_owned())
    });
    let names = names.collect::<Vec<_>>().join(", ");
    match inputs.len().saturating_sub(NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// A gate as a case beside those of rows.
fn gate(ceiling: &Ceiling, summary: &Summary) -> (String, CaseOutcome) {
    let outcome = ceiling.exceeded(summary).map_or(CaseOutcome::Passed, CaseOutcome::Failed);
    (format!("--max-fail {ceiling}"), outcome)
}

impl Plan {
    async fn write(&self, outcomes: &[AskOutcome], began: Instant) -> Result<LabelSummary, RunError> {
        let mut labellers = self.session.labellers(outcomes)?;
        let report = self.reporting()?;
        if report.is_some() {
            labellers.iter_mut().for_each(|labeller| labeller.keep_findings());
        }
        let (doing, kept) = match self.session.panel.store {
            Some(_) => ("writing", "no table was written, and every reply is kept"),
            None => ("judging", "nothing was written"),
        };
        let destination = Some(&self.destination);
        let watch =
            (((self.rates(), self.listing()), ((self.folding(), self.grouping()), report)), self.storing());
        let written = self.session.write(doing, &self.source, labellers, destination, watch).await;
        let (mut summaries, finished, (((rates, listing), ((folds, groups), report)), _)) =
            written.map_err(|error| error.if_interrupted(kept))?;
        if let Some(groups) = groups {
            summaries.iter_mut().zip(groups.groups()).for_each(|(summary, groups)| summary.groups = groups);
        }
        let failures = listing.iter().flat_map(|listing| listing.failures(self.failures)).collect();
        if let (Some(file), Some(mut listing)) = (&self.junit, listing) {
            for (suite, summary) in listing.suites.iter_mut().zip(&summaries) {
                suite.cases.extend(self.max_fail.iter().map(|ceiling| gate(ceiling, summary)));
            }
            write::write_text(file, &junit::render(&listing.suites))?;
        }
        if let (Some((_, output)), Some(folds)) = (&self.fold, folds) {
            let written = folds.write(output)?;
            if folds.unnamed > 0 {
                self.session.control.observer.warning(&format!(
                    "{} without a value in the columns of --fold belong to no fold",
                    counted(folds.unnamed, "row")
                ));
            }
            self.session.control.observer.note(&format!(
                "{} by {} written to {}",
                counted(written.rows, "fold"),
                self.fold.as_ref().map(|(by, _)| by.join(", ")).unwrap_or_default(),
                output.path.display()
            ));
        }
        if let Some(report) = report {
            self.write_report(report).await?;
        }
        self.finish(self.rated(summaries, rates), failures, finished, began).await
    }

    async fn write_report(&self, report: ReportWatch) -> Result<(), RunError> {
        let manifest = &self.session.manifest;
        let about = json!({
            "command": "label",
            "version": manifest.version,
            "run": manifest.run,
            "created_at": Timestamp::now().to_string(),
        });
        let title = title(&manifest.inputs);
        let path = report.path().display().to_string();
        let written = spawn_blocking(move || report.write(&title, &about)).await;
        written.map_err(|error| RunError::Worker(error.to_string()))??;
        self.session.control.observer.note(&format!("every row is on the page {path}: open it in a browser"));
        Ok(())
    }

    /// Records the run in the store and beside its output.
    async fn finish(
        &self,
        summaries: Vec<Summary>,
        failures: Vec<Failures>,
        written: Finished,
        began: Instant,
    ) -> Result<LabelSummary, RunError> {
        let output = &self.destination.output;
        let path = &output.path;
        let (shown, now) = (path.display().to_string(), Timestamp::now().to_string());
        let mut manifest = self.session.manifest.finished(&now, Some(&shown), &summaries, written);
        if let Some(shard) = &self.shard {
            let record = shard
                .record(path)
                .map_err(|why| ReadError::Io { path: path.clone(), why: why.to_string() })?;
            manifest["shard"] = record;
        }
        self.session.keep(&manifest).await?;
        if output.has_manifest() {
            write::write_manifest(path, &manifest)?;
        }
        let columns = self.destination.labels.iter();
        let columns = columns.map(|columns| columns.schema().names().map(str::to_owned).collect());
        let failures = failures.into_iter().chain(iter::repeat_with(Failures::default));
        let members = self.session.panel.members.iter().zip(summaries).zip(columns).zip(failures);
        let members = members.map(|(((member, summary), columns), failures)| MemberSummary {
            columns,
            judge: member.judge.clone(),
            first: member.first().map(|first| first.name.clone()),
            template: member.criterion.clone(),
            prefix: member.prefix.clone(),
            capped: member.judge_task().is_some_and(|judge_task| judge_task.judge.parameters().is_capped()),
            words: member.words(),
            summary,
            failures,
        });
        let judges = self.session.panel.members.iter().filter_map(|member| member.judge_task());
        let mut budgets = judges.filter_map(|judge_task| judge_task.judge.cost_budget());
        let limit_too_small = budgets.any(|budget| budget.too_small_for().is_some());
        let logs = self.source.table.logs().unwrap_or_default().iter();
        Ok(LabelSummary {
            output: path.clone(),
            members: members.collect(),
            formats: logs.flat_map(|log| log.formats.keys()).map(|(name, _)| *name).collect(),
            manifest,
            elapsed: began.elapsed(),
            unfinished: None,
            limit_too_small,
        })
    }
}
