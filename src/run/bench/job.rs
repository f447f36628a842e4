//! The benchmark job: rows with gold in, figures out.

use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::plan::{self, LabelSource, Plan};
use super::{BenchError, BenchSummary, Outcome, doubt, errata, reports};
use crate::bench::{self, Contender};
use crate::run::panel::Purpose;
use crate::run::session::{apart, kept};
use crate::run::settings::{BenchSettings, OutputSettings};
use crate::run::{
    AskOutcome, BaselineLabeller, Control, Forecast, Gatherer, InvalidGolds, Labeller, Observer, RunError,
    Samples, Session, Summary, forecasts_together, runtime,
};
use crate::write::{self, Finished};

/// Measures judges on rows whose labels are known: asks them, holds their labels against the gold, and writes the reports.
///
/// # Errors
/// If the settings cannot hold, no row has gold, or a file cannot be read or written; [`RunError::Unfinished`] if the run was
/// stopped, or if no question will have an answer. Replies that came are kept.
///
/// ```
/// use tooljudge::run::bench_blocking;
/// use tooljudge::run::settings::BenchSettings;
///
/// let summary = bench_blocking(BenchSettings::new(["datasets/quickstart.csv"]))?;
/// let builtin = &summary.measured[0];
/// assert_eq!((builtin.judge.as_str(), builtin.template.as_str()), ("builtin", "tool_calling"));
/// assert!(builtin.overall.figures["accuracy"].value > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn bench(settings: BenchSettings, control: &Control) -> Result<BenchSummary, RunError> {
    let kept = kept(settings.panel.store.fresh);
    measure_all(settings, control).await.map_err(|error| error.if_stopped(&kept))
}

/// [`bench()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`bench()`] there.
pub fn bench_blocking(settings: BenchSettings) -> Result<BenchSummary, RunError> {
    runtime()?.block_on(bench(settings, &Control::default()))
}

/// What [`bench()`] would ask each model judge, with the first `shown` prompts. Calls nobody and writes nothing.
///
/// # Errors
/// If the settings cannot hold, or the input has no column of gold or cannot be read.
pub fn bench_forecast(
    settings: BenchSettings,
    shown: usize,
    control: &Control,
) -> Result<Vec<Forecast>, RunError> {
    let unwritten =
        BenchSettings { output: OutputSettings::default(), reports: Vec::new(), audit: None, ..settings };
    let (plan, session) = plan::plan(unwritten, &Purpose::DryBench, control)?;
    let samples = vec![Arc::clone(&plan.source) as Arc<dyn Samples>; session.panel.members.len()];
    forecasts_together(&session.panel, &samples, shown)
}

async fn measure_all(settings: BenchSettings, control: &Control) -> Result<BenchSummary, RunError> {
    let reports = reports::destinations(&settings)?;
    let (plan, mut session) = plan::plan(settings, &Purpose::Bench, control)?;
    control.observer.begins();
    let outcomes = session.ask(&plan.source).await?;
    let gathered = gather(&plan, &session, &outcomes).await?;
    check(&gathered, &plan, control.observer.as_ref())?;
    apart(&control.stop, move |stopped| {
        let measuring = Measuring { plan: &plan, session: &session, outcomes: &outcomes, stopped };
        let outcome = measure(&plan, gathered);
        let record = reports::write(&measuring, &outcome, &reports)?;
        let audit = plan.audit.as_ref().map(|output| doubt::write(&measuring, &outcome, output));
        Ok(BenchSummary {
            audit: audit.transpose()?,
            counts: outcome.counts,
            measured: outcome.measured,
            record,
            output: plan.settings.output.path.clone(),
            reports: plan.settings.reports.clone(),
        })
    })
    .await
}

/// A benchmark whose questions have been asked.
pub(super) struct Measuring<'a> {
    pub(super) plan: &'a Plan,
    pub(super) session: &'a Session,
    pub(super) outcomes: &'a [AskOutcome],
    /// Whether somebody stops it.
    pub(super) stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Measuring<'_> {
    pub(super) fn labellers(&self) -> Result<Vec<Box<dyn Labeller>>, RunError> {
        labellers(self.plan, self.session, self.outcomes)
    }
}

/// Whoever labels: the panel, then the baselines.
fn labellers(
    plan: &Plan,
    session: &Session,
    outcomes: &[AskOutcome],
) -> Result<Vec<Box<dyn Labeller>>, RunError> {
    let mut labellers = session.labellers(outcomes)?;
    let baselines = plan.label_sources.iter().filter_map(LabelSource::baseline);
    labellers.extend(baselines.map(|baseline| Box::new(BaselineLabeller(baseline)) as Box<dyn Labeller>));
    Ok(labellers)
}

/// Everybody's labels for all rows.
async fn gather(plan: &Plan, session: &Session, outcomes: &[AskOutcome]) -> Result<Gatherer, RunError> {
    let rails = plan.label_sources.iter().map(|source| Arc::clone(&source.rails)).collect();
    let lists: Vec<bool> = plan.label_sources.iter().map(|source| source.baseline.is_none()).collect();
    let gatherer = Gatherer::new(plan.gold.clone(), rails, &lists);
    let (labellers, destination) = (labellers(plan, session, outcomes)?, plan.destination.as_ref());
    let (mut summaries, written, gatherer) =
        session.write("judging", &plan.source, labellers, destination, gatherer).await?;
    for (contender, places) in &plan.contenders {
        for place in places {
            summaries[*place].gold = Some(gatherer.agreement(*place, contender.gold));
        }
    }
    record(plan, session, &summaries[..session.panel.members.len()], written).await?;
    Ok(gatherer)
}

/// Keeps the run's manifest in the store, and beside the labelled rows where they are written.
async fn record(
    plan: &Plan,
    session: &Session,
    summaries: &[Summary],
    written: Finished,
) -> Result<(), RunError> {
    let output = plan.destination.as_ref().map(|destination| &destination.output);
    let path = output.map(|output| output.path.display().to_string());
    let now = Timestamp::now().to_string();
    let manifest = session.manifest.finished(&now, path.as_deref(), summaries, written);
    session.keep(&manifest).await?;
    if let Some(output) = output.filter(|output| output.has_manifest()) {
        write::write_manifest(&output.path, &manifest)?;
    }
    Ok(())
}

/// Tells what is odd about the gold; an error where there is none.
fn check(gathered: &Gatherer, plan: &Plan, observer: &dyn Observer) -> Result<(), BenchError> {
    let counts = &gathered.counts;
    let column = plan.gold.golds.first().map_or("gold", String::as_str);
    let words = &plan.gold.words;
    let invalid = InvalidGolds { rows: counts.strange_gold, first: gathered.invalid_gold.clone() };
    if let (Some(row), Some(column)) = (gathered.invalid_findings, &plan.gold.findings) {
        return Err(BenchError::NotFindings { column: column.clone(), row });
    }
    if counts.benched == 0 {
        return Err(match &invalid.first {
            Some(first) => BenchError::NoGoldIsALabel(first.message(words)),
            None if counts.disputed_gold > 0 => BenchError::AllDisputed,
            None if counts.read == 0 => BenchError::NoRows,
            None => BenchError::EmptyGold { column: column.to_owned(), rows: counts.read },
        });
    }
    if let Some(warning) = invalid.warning(words) {
        observer.warning(&warning);
    }
    if let Some(id) = gathered.ambiguous_erratum() {
        return Err(BenchError::AmbiguousErratum(id.to_owned()));
    }
    if counts.disputed_gold > 0 {
        observer.warning(&format!(
            "{} calls have duplicate rows with opposite gold, which is then not counted; --audit without --dedup lists them",
            counts.disputed_gold
        ));
    }
    if let Some(warning) = errata::unmet(&gathered.unmet_errata(), plan.settings.input.selects()) {
        observer.warning(&warning);
    }
    if plan.settings.panel.findings && plan.gold.findings.is_none() {
        observer.warning(
            "--findings: no column gold_findings says what there is to find, so findings are not measured",
        );
    }
    if counts.correct == 0 || counts.incorrect == 0 {
        observer.warning("all rows have the same gold: only the recall of that label can be measured");
    }
    Ok(())
}

fn measure(plan: &Plan, gathered: Gatherer) -> Outcome {
    let Gatherer { rows, predictions, counts, .. } = gathered;
    let mut predictions: Vec<Option<bench::Predictions>> = predictions.into_iter().map(Some).collect();
    let contenders: Vec<Contender> = plan
        .contenders
        .iter()
        .map(|(contender, places)| Contender {
            repeats: places.iter().filter_map(|place| predictions.get_mut(*place)?.take()).collect(),
            ..contender.clone()
        })
        .collect();
    let measured = contenders.par_iter().map(|contender| bench::measure(&rows, contender)).collect();
    let agreement = bench::agreement(&rows, &contenders);
    Outcome { rows, counts, contenders, measured, agreement }
}
