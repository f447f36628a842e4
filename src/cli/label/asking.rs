//! The ask pass of a run: what model judges are asked, all of them at once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::Labelling;
use super::args::LabelArgs;
use super::panel::Kind;
use crate::cli::display::Display;
use crate::judge::{Activity, Judge, Remote};
use crate::run::{self, AskPass, Covered, Progress, RunError, Samples, Seat};
use crate::store::{Reuse, Store};

impl Labelling {
    /// Asks all model judges; returns how far each member of the panel came.
    pub(super) async fn ask(&mut self, args: &LabelArgs) -> Result<Vec<Covered>, RunError> {
        let mut covered = vec![Covered::All; self.plan.panel.len()];
        let Some(store) = self.plan.store.clone() else { return Ok(covered) };
        store.manifest(self.plan.manifest.started().to_string(), false).await?;
        let mut passes = Vec::new();
        let mut places = Vec::new();
        for (place, member) in self.plan.panel.iter().enumerate() {
            if let Kind::Model(seat) = &member.kind {
                places.push(place);
                passes.push(Arc::new(self.pass(args, seat, &store)?));
            }
        }
        let asked = self.ask_all(&passes).await;
        self.learn(&store).await?;
        for (place, outcome) in places.into_iter().zip(asked?) {
            covered[place] = outcome;
        }
        Ok(covered)
    }

    fn pass(
        &self,
        args: &LabelArgs,
        seat: &Arc<Seat<Remote>>,
        store: &Arc<Store>,
    ) -> Result<AskPass<Remote>, RunError> {
        Ok(AskPass {
            samples: Arc::clone(&self.plan.source) as Arc<dyn Samples>,
            seat: Arc::clone(seat),
            store: Arc::clone(store),
            earlier: Mutex::new(store.reader()?),
            reuse: if args.store.fresh { Reuse::OwnOnly } else { Reuse::All },
            retry: args.store.retry.clone(),
            keep_prompts: args.store.keep_prompts,
            // Rows that rest after a failure hold no place in flight, so there are more questions than places.
            window: (4 * seat.judge.most_in_flight()).max(64),
        })
    }

    async fn ask_all(&self, passes: &[Arc<AskPass<Remote>>]) -> Result<Vec<Covered>, RunError> {
        let progress = Arc::new(Progress::default());
        let mut judges: Vec<Arc<Remote>> = Vec::new();
        for pass in passes {
            if !judges.iter().any(|judge| Arc::ptr_eq(judge, &pass.seat.judge)) {
                judges.push(Arc::clone(&pass.seat.judge));
            }
        }
        let activity = move || {
            Some(judges.iter().map(|judge| judge.activity()).fold(Activity::default(), Activity::plus))
        };
        let asks: u64 = passes.iter().map(|pass| u64::from(pass.seat.votes.get())).sum();
        let total = self.plan.source.table.rows().map(|rows| rows * asks);
        let _display = Display::start(self.printer, "asking", total, Arc::clone(&progress), activity);
        run::ask_all(passes, &progress, &self.stop).await
    }

    /// Keeps what endpoints turned out not to support, for later runs and for the manifest.
    async fn learn(&mut self, store: &Store) -> Result<(), RunError> {
        let mut kept = BTreeSet::new();
        for (member, record) in self.plan.panel.iter().zip(&mut self.plan.manifest.panel) {
            let Some(seat) = member.seat() else { continue };
            let identity = seat.judge.identity();
            for adaptation in seat.judge.adaptations() {
                let name = adaptation.as_str().to_owned();
                let (endpoint, model) = (identity.endpoint.clone(), identity.model.clone());
                if kept.insert((endpoint.clone(), model.clone(), name.clone())) {
                    store.learn(endpoint, model, name.clone()).await?;
                }
                record.judge.adaptations.push(name);
            }
        }
        Ok(())
    }
}
