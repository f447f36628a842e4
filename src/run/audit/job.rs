//! The audit job: rows in, flip rates of judges out.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::{Plan, plan};
use super::rows::RowTable;
use super::{Answers, AuditSummary, ProbeBatches, probe_batches, reports};
use crate::audit::{Answer, Audited, findings};
use crate::domain::Task;
use crate::run::panel::Purpose;
use crate::run::session::{apart, kept};
use crate::run::settings::AuditSettings;
use crate::run::{
    Control, Forecast, Member, MemberKind, ProbeBatch, Row, RunError, Samples, Session, forecasts, runtime,
};

/// Attacks judges, to see whether what stands in a row can change its label: asks about every row, then about the same rows with
/// texts in them that ask for another label, and in other spellings that mean the same.
///
/// # Errors
/// If the settings cannot hold, no row can be read, or a file cannot be read or written; [`RunError::Unfinished`] if the run was
/// stopped, or if no question will have an answer. Replies that came are kept.
///
/// ```
/// use tooljudge::run::audit_blocking;
/// use tooljudge::run::settings::AuditSettings;
///
/// let summary = audit_blocking(AuditSettings::new(["datasets/quickstart.csv"]))?;
/// let builtin = &summary.audited[0];
/// assert_eq!(builtin.judge, "builtin");
/// assert_eq!(builtin.unanswered, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn audit(settings: AuditSettings, control: &Control) -> Result<AuditSummary, RunError> {
    let kept = kept(settings.panel.store.fresh);
    attack(settings, control).await.map_err(|error| error.if_stopped(&kept))
}

/// [`audit()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`audit()`] there.
pub fn audit_blocking(settings: AuditSettings) -> Result<AuditSummary, RunError> {
    runtime()?.block_on(audit(settings, &Control::default()))
}

/// What [`audit()`] would ask each model judge, about, with the first `shown` prompts. Calls nobody and writes nothing.
///
/// # Errors
/// If the settings cannot hold or the input cannot be read.
pub fn audit_forecast(
    settings: AuditSettings,
    shown: usize,
    control: &Control,
) -> Result<Vec<Forecast>, RunError> {
    let (plan, session) = plan(settings, &Purpose::DryRun, control)?;
    let members = &session.panel.members;
    let asked = probe_batches::forecast(&plan, members).into_iter();
    let samples: Vec<Arc<dyn Samples>> =
        asked.map(|probe_batch| Arc::new(probe_batch) as Arc<dyn Samples>).collect();
    forecasts(&session.panel, &samples, shown)
}

async fn attack(settings: AuditSettings, control: &Control) -> Result<AuditSummary, RunError> {
    let (plan, mut session) = plan(settings, &Purpose::Label, control)?;
    control.observer.begins();
    let first: ProbeBatches = probe_batches::first(&plan, &session.panel.members);
    let base = sweep(&mut session, &first).await?;
    let (second, plan, session, first, base) = {
        let choosing = move |_: &(dyn Fn() -> bool + Sync)| {
            let second = probe_batches::second(&plan, &session.panel.members, &first, &base);
            Ok((second, plan, session, first, base))
        };
        apart(&control.stop, choosing).await?
    };
    let mut session = session;
    let answers = sweep(&mut session, &second).await?;
    let asked = Asked { first, base, second, answers };
    let (session, summary, output) = apart(&control.stop, move |stopped| {
        let (summary, output) = conclude(&plan, &session, &asked, stopped)?;
        Ok((session, summary, output))
    })
    .await?;
    let mut record = session.manifest.started();
    record["finished_at"] = json!(Timestamp::now().to_string());
    record["output"] = json!(output);
    session.keep(&record).await?;
    Ok(summary)
}

/// What was asked, and what was answered.
struct Asked {
    first: ProbeBatches,
    base: Vec<Answers>,
    second: ProbeBatches,
    answers: Vec<Answers>,
}

/// Writes what was found about each judge; with the rows' table as a manifest has it, if there is one.
fn conclude(
    plan: &Plan,
    session: &Session,
    asked: &Asked,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<(AuditSummary, Option<Value>), RunError> {
    let Asked { first, base, second, answers } = asked;
    let members = &session.panel.members[..];
    let mut table = plan.output.as_ref().map(RowTable::create).transpose()?;
    let mut audited = Vec::new();
    for (place, found) in probe_batches::answers((plan, members), (first, base), (second, answers)) {
        if let Some(table) = &mut table {
            table.write((plan, members), place, (first, base), (second, answers), stopped)?;
        }
        if stopped() {
            return Err(RunError::Interrupted);
        }
        let (asked, unanswered) = probe_batches::unanswered(members, place, base, answers);
        let judged = judged(plan, &members[place], &first[place], &base[place], &found);
        let cost_usd = probe_batches::cost(members, place, base, answers);
        audited.push(Audited { asked, unanswered, cost_usd, ..judged });
    }
    let counts = reports::counts(plan);
    let record = reports::write(plan, &session.manifest, counts, &audited)?;
    let output = table.map(|table| table.finish(session)).transpose()?;
    let reports = plan.reports.iter().map(|report| report.path.clone()).collect();
    let written = plan.output.as_ref().map(|output| output.path.clone());
    Ok((AuditSummary { counts, audited, record, output: written, reports }, output))
}

/// Asks every member of the panel its probe batch, and reads the answers.
async fn sweep(session: &mut Session, probe_batches: &ProbeBatches) -> Result<Vec<Answers>, RunError> {
    let samples: Vec<Arc<dyn Samples>> =
        probe_batches.iter().map(|probe_batch| Arc::clone(probe_batch) as Arc<dyn Samples>).collect();
    let votes =
        |member: &Member| member.judge_task().map_or(0, |judge_task| u64::from(judge_task.votes.get()));
    let asks =
        |(member, probe_batch): (&Member, &Arc<ProbeBatch>)| probe_batch.cases.len() as u64 * votes(member);
    let total = session.panel.members.iter().zip(probe_batches).map(asks).sum();
    let outcomes = session.ask_about(&samples, Some(total)).await?;
    let labellers = session.labellers(&outcomes)?;
    let probe_batches = probe_batches.clone();
    apart(&session.control.stop, move |stopped| {
        let mut answers = Vec::new();
        for (mut labeller, probe_batch) in labellers.into_iter().zip(&probe_batches) {
            let mut labelled = Vec::with_capacity(probe_batch.cases.len());
            for (_, items) in probe_batch.chunks() {
                if stopped() {
                    return Err(RunError::Interrupted);
                }
                let rows: Vec<Row> = items.into_iter().map(Row::known).collect();
                labelled.extend(labeller.label(&rows, stopped)?);
            }
            answers.push(labelled);
        }
        Ok(answers)
    })
    .await
}

/// The findings about the member at `place`, with its name and how many rows count.
fn judged(plan: &Plan, member: &Member, first: &ProbeBatch, base: &Answers, found: &[Answer]) -> Audited {
    let gold = plan.gold(member);
    let mut counts: BTreeMap<probe_batches::First, u64> = BTreeMap::new();
    for (case, labelled) in first.cases.iter().zip(base) {
        *counts
            .entry(probe_batches::first_answer(&plan.rows[case.row], &first.rails, gold, labelled).0)
            .or_default() += 1;
    }
    let count = |first| counts.get(&first).copied().unwrap_or(0);
    let wrong = count(probe_batches::First::Wrong);
    Audited {
        judge: member.name(),
        template: member.criterion.clone(),
        task: member.task().map(Task::as_str),
        rows: count(probe_batches::First::Attackable) + wrong,
        rows_without_label: count(probe_batches::First::Unlabelled),
        rows_judged_wrongly: wrong,
        record: serde_json::to_value(member.record()).unwrap_or_default(),
        ..findings(found, matches!(member.kind, MemberKind::Builtin(..)))
    }
}
