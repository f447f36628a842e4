//! The common part of labelling, benchmarks and audits: asks a panel, reads its answers, and writes rows. It can be stopped at
//! any time, and keeps every reply that has arrived.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::spawn_blocking;

use super::{
    AskOutcome, AskPass, Control, Destination, Labeller, Manifest, Member, Panel, Pass, RunError, Samples,
    Source, Stop, Summary, Watch, ask_all, tell_spending, telling, write,
};
use crate::domain::{Flag, Unit};
use crate::judge::{ANSWERS_TO_TELL, Adaptation, Remote};
use crate::store::{Access, Store, StorePlace};
use crate::write::Finished;

/// A panel at work.
pub struct Session {
    /// Who judges.
    pub panel: Panel,
    /// The record of the run.
    pub manifest: Manifest,
    /// Who looks on, and who may stop it.
    pub control: Control,
}

/// The message about a run that was stopped in the ask pass and wrote no table. If it was `fresh`, the same command would send
/// everything again.
pub(super) fn kept(fresh: bool) -> String {
    format!("every reply that came is kept. {}", go_on(fresh))
}

/// How to go on with a run that was stopped.
pub(super) fn go_on(fresh: bool) -> &'static str {
    match fresh {
        false => "Run the same command again to go on from there",
        true => {
            "Run the same command again without --fresh to go on from there (replies of earlier runs count then too)"
        }
    }
}

impl Session {
    /// Asks all model judges about `source`; returns how far each member of the panel came.
    ///
    /// # Errors
    /// [`RunError::Interrupted`] if stopped; [`RunError::Judge`] if no question will have an answer; errors of the input and the
    /// store. Every reply that came is kept.
    pub async fn ask(&mut self, source: &Arc<Source>) -> Result<Vec<AskOutcome>, RunError> {
        let samples = vec![Arc::clone(source) as Arc<dyn Samples>; self.panel.members.len()];
        let votes =
            self.panel.members.iter().filter_map(Member::judge_task).map(|judge_task| judge_task.votes.get());
        let asks: u64 = votes.map(u64::from).sum();
        // How many calls there are is known when all rows have been read.
        let counted = self.panel.settings.unit == Unit::Turn;
        let total = source.table.rows().filter(|_| counted).map(|rows| rows * asks);
        self.ask_about(&samples, total).await
    }

    /// Asks each model judge about the samples at its member's place; `total` is the number of questions, where it is known.
    ///
    /// # Errors
    /// As for [`Session::ask`].
    pub async fn ask_about(
        &mut self,
        samples: &[Arc<dyn Samples>],
        total: Option<u64>,
    ) -> Result<Vec<AskOutcome>, RunError> {
        let mut outcomes = vec![AskOutcome::All; self.panel.members.len()];
        let Some(store) = self.panel.store.clone() else { return Ok(outcomes) };
        store.manifest(self.manifest.started().to_string(), false).await?;
        let mut passes = Vec::new();
        let mut places = Vec::new();
        for (place, (member, samples)) in self.panel.members.iter().zip(samples).enumerate() {
            if let Some(judge_task) = member.judge_task() {
                places.push(place);
                passes.push(Arc::new(AskPass::new(&self.panel.settings, samples, judge_task, &store)?));
            }
        }
        let asked = self.ask_all(&passes, total).await;
        self.tell_fallbacks();
        if store.unkept() > 0 {
            self.control.observer.warning(&unkept(&store));
        }
        self.learn(&store).await?;
        if store.damaged() > 0 {
            self.control.observer.warning(&format!(
                "damaged replies in {}, sent again: {}; check its disk, and the store with `tooljudge store stat`",
                store.place(),
                store.damaged()
            ));
        }
        for (place, outcome) in places.into_iter().zip(asked?) {
            outcomes[place] = outcome;
        }
        Ok(outcomes)
    }

    async fn ask_all(
        &self,
        passes: &[Arc<AskPass>],
        total: Option<u64>,
    ) -> Result<Vec<AskOutcome>, RunError> {
        let mut judges: Vec<Arc<Remote>> = Vec::new();
        for pass in passes {
            if !judges.iter().any(|judge| Arc::ptr_eq(judge, &pass.judge_task.judge)) {
                judges.push(Arc::clone(&pass.judge_task.judge));
            }
        }
        let pass = Pass::new("asking", total).asking(judges.clone());
        let progress = Arc::clone(&pass.progress);
        let shown = self.control.observer.pass(pass);
        let judges = || judges.iter().map(Arc::as_ref);
        let asking = ask_all(passes, &progress, &self.control.stop);
        let asked =
            telling(judges(), self.panel.store.as_deref(), self.control.observer.as_ref(), asking).await;
        drop(shown);
        tell_spending(judges(), 0.0, self.control.observer.as_ref());
        asked
    }

    /// Reports the endpoints that ignored a forced rail.
    fn tell_fallbacks(&self) {
        let mut told = BTreeSet::new();
        for judge_task in self.panel.members.iter().filter_map(Member::judge_task) {
            let identity = judge_task.judge.identity();
            if let Some(form) = judge_task.judge.fallback()
                && told.insert((&identity.endpoint, &identity.model))
            {
                let now = match form {
                    Adaptation::InstructedRail => "the label is asked for in words at the end of the prompt",
                    _ => "the label is forced in another way that its API has",
                };
                self.control.observer.warning(&format!(
                    "{} at {} does not force labels: each request told its API to let the model answer with a label and nothing else, \
                     but {ANSWERS_TO_TELL} of {ANSWERS_TO_TELL} answers were other text. From now on {now} ({}); the rows that had no \
                     label were asked again that way",
                    identity.model,
                    identity.endpoint,
                    form.as_str()
                ));
            }
        }
    }

    /// Keeps what endpoints turned out not to support, for later runs and for the manifest.
    async fn learn(&mut self, store: &Store) -> Result<(), RunError> {
        let mut kept = BTreeSet::new();
        for (member, record) in self.panel.members.iter().zip(&mut self.manifest.panel) {
            let Some(judge_task) = member.judge_task() else { continue };
            let identity = judge_task.judge.identity();
            for adaptation in judge_task.judge.adaptations() {
                let name = adaptation.as_str().to_owned();
                let (endpoint, model) = (identity.endpoint.clone(), identity.model.clone());
                if kept.insert((endpoint.clone(), model.clone(), name.clone())) {
                    store.learn(endpoint, model, name.clone()).await?;
                }
                if !record.judge.adaptations.contains(&name) {
                    record.judge.adaptations.push(name);
                }
            }
        }
        Ok(())
    }

    /// The labellers of rows, one per member, after the ask pass, whose results are in `outcomes`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn labellers(&self, outcomes: &[AskOutcome]) -> Result<Vec<Box<dyn Labeller>>, RunError> {
        self.panel.labellers(&self.manifest.run, outcomes)
    }

    /// Labels the rows of `source` in order and writes the table, if there is a `destination`; `watch` sees every row. Returns what
    /// each labeller came to.
    ///
    /// # Errors
    /// As [`write`]: nothing appears at the destination then.
    pub async fn write<W: Watch + Send + 'static>(
        &self,
        doing: &'static str,
        source: &Arc<Source>,
        mut labellers: Vec<Box<dyn Labeller>>,
        destination: Option<&Arc<Destination>>,
        mut watch: W,
    ) -> Result<(Vec<Summary>, Finished, W), RunError> {
        let pass = Pass::new(doing, source.table.rows());
        let progress = Arc::clone(&pass.progress);
        let _pass = self.control.observer.pass(pass);
        let (of_rows, destination) = (Arc::clone(source), destination.cloned());
        let writing = apart(&self.control.stop, move |stopped| {
            let destination = destination.as_deref();
            let (summaries, written) =
                write(&of_rows, &mut labellers, destination, &mut watch, &progress, stopped)?;
            Ok((summaries, written, watch))
        });
        let observer = self.control.observer.as_ref();
        // A file can always be read.
        let server =
            self.panel.store.as_deref().filter(|store| matches!(store.place(), StorePlace::Server(_)));
        let written = telling([], server, observer, writing).await?;
        let rows = written.0.first().and_then(|summary| summary.flags.get(&Flag::TextInStruct)).copied();
        source.tell_text_fields(rows, observer);
        Ok(written)
    }

    /// Keeps the finished record of the run in the store, where there is one that it writes to.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub async fn keep(&self, record: &Value) -> Result<(), RunError> {
        match &self.panel.store {
            Some(store) if store.access() == Access::Write => {
                Ok(store.manifest(record.to_string(), true).await?)
            }
            _ => Ok(()),
        }
    }

    /// Whether this run got any reply.
    pub(super) fn has_replies(&self) -> bool {
        self.panel.store.as_ref().is_some_and(|store| store.kept() > 0)
    }
}

/// What is said of replies that came and could not be kept.
pub(super) fn unkept(store: &Store) -> String {
    format!(
        "replies that were paid for could not be kept in {}: {}; they will be asked for again",
        store.place(),
        store.unkept()
    )
}

/// Does long `work` on another thread, so that this one can react to a stop; `work` checks its argument for one.
pub(super) async fn apart<T: Send + 'static>(
    stop: &Stop,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T, RunError> + Send + 'static,
) -> Result<T, RunError> {
    let stop = stop.clone();
    let worker = spawn_blocking(move || work(&|| stop.is_told()));
    worker.await.map_err(|error| RunError::Worker(error.to_string()))?
}
