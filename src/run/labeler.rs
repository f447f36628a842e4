//! Labels samples in memory: samples in, verdicts out.

use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use super::Labeller;
use super::{
    AskPass, BuiltinLabeller, Item, JudgeTask, Progress, Row, RunError, Samples, Stop, StoredLabeller, ask,
};
use crate::check::{BuiltinJudge, Decide, TrainedModel};
use crate::domain::{Sample, Task, Verdict};
use crate::store::{Reuse, Store, StorePlace};
use crate::write::Labelled;

/// Labels samples with one judge, whichever it is.
pub struct Labeler {
    kind: Kind,
}

enum Kind {
    Builtin { task: Task, model: Option<Arc<TrainedModel>>, decide: Decide },
    Model { judge_task: Arc<JudgeTask>, store: Option<StorePlace> },
}

/// Questions under way at once.
const WINDOW: usize = 1024;

impl Labeler {
    /// The built-in judge: offline, free, deterministic.
    pub fn builtin(task: Task) -> Labeler {
        Labeler { kind: Kind::Builtin { task, model: None, decide: Decide::default() } }
    }

    /// The built-in judge with what [`train`](super::train()) made of it.
    pub fn trained(task: Task, model: Arc<TrainedModel>) -> Labeler {
        Labeler { kind: Kind::Builtin { task, model: Some(model), decide: Decide::default() } }
    }

    /// Says when the built-in judge gives a label. Default: by evidence. A model judge decides by itself.
    #[must_use]
    pub fn decide(mut self, when: Decide) -> Labeler {
        if let Kind::Builtin { decide, .. } = &mut self.kind {
            *decide = when;
        }
        self
    }
}

impl Labeler {
    /// A model judge. Its replies are forgotten with the process unless [`Labeler::keep_replies`] names a store.
    pub fn model(judge_task: JudgeTask) -> Labeler {
        Labeler { kind: Kind::Model { judge_task: Arc::new(judge_task), store: None } }
    }

    /// Keeps replies in the store at `place`, so that nothing is paid for twice, across crashes and other runs. The
    /// built-in judge has nothing to keep.
    #[must_use]
    pub fn keep_replies(mut self, place: StorePlace) -> Labeler {
        if let Kind::Model { store, .. } = &mut self.kind {
            *store = Some(place);
        }
        self
    }

    /// One verdict for each sample, in their order. Failures of single samples are verdicts without a label.
    ///
    /// # Errors
    /// [`RunError::Judge`] when no sample can be judged, such as for a wrong key; [`RunError::Interrupted`] once `cancel`
    /// is cancelled and what was in flight has come back; errors of the store. Replies that came are kept.
    pub async fn label(
        &self,
        samples: Vec<Sample>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Verdict>, RunError> {
        let labelled = self.labelled(samples.into_iter().map(Ok).collect(), cancel).await?;
        Ok(labelled.into_iter().map(|labelled| labelled.verdict).collect())
    }

    /// [`Labeler::label`] for programs that are not asynchronous.
    ///
    /// # Errors
    /// As there, and when no runtime can be started.
    ///
    /// # Panics
    /// Within an asynchronous runtime: await [`Labeler::label`] there.
    pub fn label_blocking(&self, samples: Vec<Sample>) -> Result<Vec<Verdict>, RunError> {
        runtime()?.block_on(self.label(samples, &CancellationToken::new()))
    }

    /// Like [`Labeler::label`], for rows of which some may be unreadable, with all that is known of each verdict.
    ///
    /// # Errors
    /// As there.
    pub async fn labelled(
        &self,
        items: Vec<Item>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Labelled>, RunError> {
        let (judge_task, store) = match &self.kind {
            Kind::Builtin { task, model, decide } => {
                let judge = BuiltinJudge::new(*task).with_decide(*decide);
                let judge = match model {
                    Some(model) => judge.with_model(Arc::clone(model)),
                    None => judge,
                };
                return BuiltinLabeller::new(judge, *task).label(&rows(items), &|| cancel.is_cancelled());
            }
            Kind::Model { judge_task, store } => (judge_task, store),
        };
        let run = format!("library-{:016x}", fastrand::u64(..));
        // Forgotten, folder and all, at the end of this function.
        let folder = tempfile::tempdir().map_err(|error| RunError::Worker(error.to_string()))?;
        let place = store.clone().unwrap_or_else(|| StorePlace::File(folder.path().join("replies.sqlite")));
        let name = run.clone();
        // A server may take its time to let us in.
        let opened = tokio::task::spawn_blocking(move || Store::open(place, &name)).await;
        let store = Arc::new(opened.map_err(|error| RunError::Worker(error.to_string()))??);
        let items = Arc::new(items);
        let pass = AskPass {
            samples: Arc::clone(&items) as Arc<dyn Samples>,
            judge_task: Arc::clone(judge_task),
            earlier: store.reader()?,
            store: Arc::clone(&store),
            reuse: Reuse::All,
            retry: Vec::new(),
            keep_prompts: false,
            doubtful: Mutex::default(),
            window: WINDOW,
        };
        let stop = Stop { gently: cancel.clone(), now: CancellationToken::new() };
        let outcomes = ask(&Arc::new(pass), &Arc::new(Progress::default()), &stop).await?;
        let labeller = StoredLabeller::new(Arc::clone(judge_task), store.reader()?, &run, false, outcomes);
        let looked_up = tokio::task::spawn_blocking(move || look_up(labeller, &items));
        looked_up.await.map_err(|error| RunError::Worker(error.to_string()))?
    }

    /// As the `judge` column names it.
    pub fn judge_name(&self) -> &str {
        match &self.kind {
            Kind::Builtin { model: None, .. } => "builtin",
            Kind::Builtin { model: Some(_), .. } => "builtin:trained",
            Kind::Model { judge_task, .. } => &judge_task.judge.identity().model,
        }
    }

    /// The judge that looks first, if there is one, as the `judge` column names it where that one decides.
    pub(crate) fn first_name(&self) -> Option<String> {
        match &self.kind {
            Kind::Builtin { .. } => None,
            Kind::Model { judge_task, .. } => judge_task.first.as_ref().map(|first| first.name.clone()),
        }
    }

    /// As the `template` column names it.
    pub fn criterion(&self) -> &str {
        match &self.kind {
            Kind::Builtin { task, .. } => task.as_str(),
            Kind::Model { judge_task, .. } => judge_task.template.name(),
        }
    }
}

fn look_up(mut labeller: StoredLabeller, items: &[Item]) -> Result<Vec<Labelled>, RunError> {
    labeller.label(&rows(items.to_vec()), &|| false)
}

fn rows(items: Vec<Item>) -> Vec<Row> {
    items.into_iter().map(Row::known).collect()
}

/// The runtime behind blocking variants of asynchronous functions. One thread is more than enough for what an endpoint accepts,
/// and avoids wake-ups for each step of each question; reading, rendering, the store and writing have threads of their own.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, RunError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| RunError::Worker(format!("no asynchronous runtime: {error}")))
}
