//! The job: rows with gold in, figures out.

use jiff::Timestamp;
use rayon::prelude::*;

use super::plan::{self, Plan, SeatPlan};
use super::{BenchError, BenchSummary, Outcome, doubt, reports};
use crate::bench::{self, Entrant};
use crate::report::counted;
use crate::run::session::{KEPT, apart};
use crate::run::settings::BenchSettings;
use crate::run::{
    BaselineLabeller, Control, Covered, Gatherer, Labeller, Observer, RunError, Session, Summary, runtime,
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
    measure_all(settings, control).await.map_err(|error| error.if_stopped(KEPT))
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

async fn measure_all(settings: BenchSettings, control: &Control) -> Result<BenchSummary, RunError> {
    let reports = reports::destinations(&settings)?;
    let (plan, mut session) = plan::plan(settings, control)?;
    control.observer.begins();
    let covered = session.ask(&plan.source).await?;
    let gathered = gather(&plan, &session, &covered).await?;
    check(&gathered, &plan, control.observer.as_ref())?;
    apart(&control.stop, move |stopped| {
        let measuring = Measuring { plan: &plan, session: &session, covered: &covered, stopped };
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
    pub(super) covered: &'a [Covered],
    /// Whether somebody stops it.
    pub(super) stopped: &'a dyn Fn() -> bool,
}

impl Measuring<'_> {
    pub(super) fn labellers(&self) -> Result<Vec<Box<dyn Labeller>>, RunError> {
        labellers(self.plan, self.session, self.covered)
    }
}

/// Whoever labels: the panel, then the baselines.
fn labellers(
    plan: &Plan,
    session: &Session,
    covered: &[Covered],
) -> Result<Vec<Box<dyn Labeller>>, RunError> {
    let mut labellers = session.labellers(covered)?;
    let baselines = plan.seats.iter().filter_map(SeatPlan::baseline);
    labellers.extend(baselines.map(|baseline| Box::new(BaselineLabeller(baseline)) as Box<dyn Labeller>));
    Ok(labellers)
}

/// Everybody's labels for all rows.
async fn gather(plan: &Plan, session: &Session, covered: &[Covered]) -> Result<Gatherer, RunError> {
    let positives = plan.seats.iter().map(|seat| seat.positive.clone()).collect();
    let gatherer = Gatherer::new(plan.gold.clone(), positives);
    let (labellers, destination) = (labellers(plan, session, covered)?, plan.destination.as_ref());
    let (mut summaries, written, gatherer) =
        session.write("judging", &plan.source, labellers, destination, gatherer).await?;
    for (entrant, places) in &plan.entrants {
        for place in places {
            summaries[*place].gold = Some(gatherer.agreement(*place, entrant.gold));
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
    let path = plan.destination.as_ref().map(|destination| &destination.output.path);
    let output = path.map(|path| path.display().to_string());
    let now = Timestamp::now().to_string();
    let manifest = session.manifest.finished(&now, output.as_deref(), summaries, written);
    session.keep(&manifest).await?;
    if let Some(path) = path.filter(|path| !write::is_stream(path)) {
        write::write_manifest(path, &manifest)?;
    }
    Ok(())
}

/// Tells what is odd about the gold; an error where there is none.
fn check(gathered: &Gatherer, plan: &Plan, observer: &dyn Observer) -> Result<(), BenchError> {
    let counts = &gathered.counts;
    let column = plan.gold.golds.first().map_or("gold", String::as_str);
    let strange = gathered.strange.as_ref().map(|strange| strange.message(&plan.gold.words));
    if counts.benched == 0 {
        return Err(match strange {
            Some(strange) => BenchError::NoGoldIsALabel(strange),
            None if counts.disputed_gold > 0 => BenchError::AllDisputed,
            None if counts.read == 0 => BenchError::NoRows,
            None => BenchError::EmptyGold { column: column.to_owned(), rows: counts.read },
        });
    }
    if let Some(strange) = strange {
        observer.warning(&format!(
            "{} {} a gold that is no label, which counts as none: {strange}",
            counted(counts.strange_gold, "row"),
            if counts.strange_gold == 1 { "has" } else { "have" }
        ));
    }
    if let Some(id) = gathered.ambiguous_erratum() {
        return Err(BenchError::AmbiguousErratum(id.to_owned()));
    }
    if counts.disputed_gold > 0 {
        observer.warning(&format!(
            "{} calls have rows of opposite gold, which then counts for neither; --audit without --dedup shows them",
            counts.disputed_gold
        ));
    }
    let unmet = gathered.unmet_errata();
    if unmet > 0 {
        observer.warning(&format!("{unmet} of the corrections of --errata are of rows that are not there"));
    }
    if counts.correct == 0 || counts.incorrect == 0 {
        observer.warning("all rows have the same gold: only the share that is recognised can be told");
    }
    Ok(())
}

fn measure(plan: &Plan, gathered: Gatherer) -> Outcome {
    let Gatherer { rows, ballots, counts, .. } = gathered;
    let mut ballots: Vec<Option<bench::Ballots>> = ballots.into_iter().map(Some).collect();
    let entrants: Vec<Entrant> = plan
        .entrants
        .iter()
        .map(|(entrant, places)| Entrant {
            repeats: places.iter().filter_map(|place| ballots.get_mut(*place)?.take()).collect(),
            ..entrant.clone()
        })
        .collect();
    let measured = entrants.par_iter().map(|entrant| bench::measure(&rows, entrant)).collect();
    let agreement = bench::agreement(&rows, &entrants);
    Outcome { rows, counts, entrants, measured, agreement }
}
