//! `audit`: ask, attack what was answered, ask again, report. Not to be confused with `bench --audit`, which doubts gold.

pub mod args;
mod gates;
mod plan;
mod reports;
mod rows;
mod volleys;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::bail;
use args::AuditArgs;
use jiff::Timestamp;
use plan::Plan;
use rows::RowTable;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::config::Config;
use super::defaults::Given;
use super::label::dry_run;
use super::printer::Printer;
use super::{Ending, signals};
use crate::audit::{Answer, Audited, findings};
use crate::cli::judging::Kind;
use crate::run::{self, Covered, Row, RunError, Samples, Stop, Volley};
use crate::write::{Labelled, WriteError};

pub fn run(args: AuditArgs, config: &Config, given: &Given) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    let stop = Stop::default();
    let audit = audit(Arc::new(args), config, given, &stop);
    let outcome = runtime.block_on(signals::until_told_twice(&stop, audit));
    runtime.shutdown_background();
    match outcome {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

/// What every member of the panel is asked, in one sweep.
type Volleys = Vec<Arc<Volley>>;
/// The answers to a volley, in the order of its shots.
type Answers = Vec<Labelled>;

async fn audit(args: Arc<AuditArgs>, config: &Config, given: &Given, stop: &Stop) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.result.quiet };
    let mut plan = plan::plan(&args, config, given, printer)?;
    if let Some(shown) = args.dry_run {
        let asked: Vec<Arc<dyn Samples>> = volleys::forecast(&args, &plan)
            .into_iter()
            .map(|volley| Arc::new(volley) as Arc<dyn Samples>)
            .collect();
        return dry_run::run(&plan.panel, &asked, shown, args.result.json, printer);
    }
    signals::watch(stop, printer);
    let kept = "every reply that came is kept. Run the same command again to go on from there";
    let told = async {
        let first: Volleys = volleys::first(&plan);
        let base = sweep(&args, &mut plan, &first, printer, stop).await?;
        let choosing = Arc::clone(&args);
        let chosen =
            aside(move || Ok((volleys::second(&choosing, &plan, &first, &base), plan, first, base))).await?;
        let (second, mut plan, first, base) = chosen;
        let answers = sweep(&args, &mut plan, &second, printer, stop).await?;
        let asked = Asked { first, base, second, answers };
        let (args, stop) = (Arc::clone(&args), stop.clone());
        let told = aside(move || {
            let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
            tell(&args, &plan, &asked, &stopped, printer).map(|told| (plan, told))
        });
        told.await
    };
    let (plan, (audited, output)) = match told.await {
        Ok(told) => told,
        Err(error) => match error.downcast_ref() {
            Some(RunError::Interrupted) => {
                printer.talk(&format!("interrupted; {kept}"));
                return Ok(Ending::Interrupted);
            }
            Some(RunError::Judge { .. }) => bail!("{error}\n{kept}"),
            _ => return Err(error),
        },
    };
    if let Some(store) = &plan.panel.store {
        let mut manifest = plan.manifest.started();
        manifest["finished_at"] = json!(Timestamp::now().to_string());
        manifest["output"] = json!(output);
        store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
    }
    let failures = gates::failures(&args.gates, &audited);
    failures.iter().for_each(|failure| printer.warn(failure));
    Ok(if failures.is_empty() { Ending::Done } else { Ending::GateFailed })
}

/// Does long `work` on another thread: this one hears signals meanwhile.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    spawn_blocking(work).await.map_err(|error| RunError::Worker(error.to_string()))?
}

/// What was asked, and what was answered.
struct Asked {
    first: Volleys,
    base: Vec<Answers>,
    second: Volleys,
    answers: Vec<Answers>,
}

/// Writes and shows what was found about each judge; with the rows' table as a manifest has it, if there is one.
fn tell(
    args: &AuditArgs,
    plan: &Plan,
    asked: &Asked,
    stopped: &dyn Fn() -> bool,
    printer: Printer,
) -> anyhow::Result<(Vec<Audited>, Option<Value>)> {
    let Asked { first, base, second, answers } = asked;
    let mut table = plan.output.as_ref().map(RowTable::create).transpose()?;
    let mut audited = Vec::new();
    for (place, found) in volleys::answers(plan, (first, base), (second, answers)) {
        if let Some(table) = &mut table {
            table.write(plan, place, (first, base), (second, answers), stopped)?;
        }
        if stopped() {
            return Err(RunError::Interrupted.into());
        }
        let (asked, unanswered) = volleys::unanswered(plan, place, base, answers);
        let judged = judged(args, plan, place, &first[place], &base[place], &found);
        audited.push(Audited { asked, unanswered, ..judged });
    }
    reports::write(args, plan, &audited, printer)?;
    let output = table.map(|table| table.finish(plan, printer)).transpose()?;
    Ok((audited, output))
}

/// Asks every member of the panel its volley, and reads the answers.
async fn sweep(
    args: &AuditArgs,
    plan: &mut Plan,
    volleys: &Volleys,
    printer: Printer,
    stop: &Stop,
) -> Result<Vec<Answers>, RunError> {
    let Plan { panel, manifest, .. } = plan;
    let samples: Vec<Arc<dyn Samples>> =
        volleys.iter().map(|volley| Arc::clone(volley) as Arc<dyn Samples>).collect();
    let votes = |kind: &Kind| match kind {
        Kind::Builtin(..) => 0,
        Kind::Model(seat) => u64::from(seat.votes.get()),
    };
    let of = |(member, volley): (&super::judging::Member, &Arc<Volley>)| {
        volley.shots.len() as u64 * votes(&member.kind)
    };
    let total = panel.members.iter().zip(volleys).map(of).sum();
    let covered: Vec<Covered> =
        panel.ask_about(&args.judging.store, &samples, Some(total), manifest, printer, stop).await?;
    let labellers = panel.labellers(&args.judging.store, &manifest.run, &covered)?;
    let volleys = volleys.clone();
    let (gently, now) = (stop.gently.clone(), stop.now.clone());
    let read = spawn_blocking(move || {
        let mut answers = Vec::new();
        for (mut labeller, volley) in labellers.into_iter().zip(&volleys) {
            let mut labelled = Vec::with_capacity(volley.shots.len());
            for (_, items) in volley.chunks() {
                if gently.is_cancelled() || now.is_cancelled() {
                    return Err(RunError::Interrupted);
                }
                let rows: Vec<Row> = items.into_iter().map(Row::known).collect();
                labelled.extend(labeller.label(&rows)?);
            }
            answers.push(labelled);
        }
        Ok(answers)
    });
    read.await.map_err(|error| RunError::Worker(error.to_string()))?
}

/// The findings about the member at `place`, with its name and how many rows count.
fn judged(
    args: &AuditArgs,
    plan: &Plan,
    place: usize,
    first: &Volley,
    base: &Answers,
    found: &[Answer],
) -> Audited {
    let member = &plan.panel.members[place];
    let gold = plan.gold(args, member);
    let mut counts: BTreeMap<volleys::First, u64> = BTreeMap::new();
    for (shot, labelled) in first.shots.iter().zip(base) {
        *counts
            .entry(volleys::first_answer(&plan.rows[shot.row], &first.rails, gold, labelled).0)
            .or_default() += 1;
    }
    let count = |first| counts.get(&first).copied().unwrap_or(0);
    let wrong = count(volleys::First::Wrong);
    Audited {
        judge: member.judge.clone(),
        template: member.criterion.clone(),
        task: member.task().map(crate::domain::Task::as_str),
        rows: count(volleys::First::Attackable) + wrong,
        rows_without_label: count(volleys::First::Unlabelled),
        rows_judged_wrongly: wrong,
        record: serde_json::to_value(member.record()).unwrap_or_default(),
        ..findings(found, matches!(member.kind, Kind::Builtin(..)))
    }
}
