//! The ask pass of a run: what model judges are asked, all of them at once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::args::StoreArgs;
use super::{Kind, Panel};
use crate::check::BuiltinJudge;
use crate::cli::display::Display;
use crate::cli::printer::Printer;
use crate::judge::{ANSWERS_TO_TELL, Activity, Adaptation, Judge, Remote};
use crate::run::{
    self, AskPass, BuiltinLabeller, Covered, Labeller, Manifest, Progress, RunError, Samples, Seat, Source,
    Stop, StoredLabeller,
};
use crate::store::{Reuse, Store};

impl Panel {
    /// Asks all model judges about `source`; returns how far each member of the panel came.
    pub async fn ask(
        &self,
        args: &StoreArgs,
        source: &Arc<Source>,
        manifest: &mut Manifest,
        printer: Printer,
        stop: &Stop,
    ) -> Result<Vec<Covered>, RunError> {
        let samples = vec![Arc::clone(source) as Arc<dyn Samples>; self.members.len()];
        let votes = self.members.iter().filter_map(|member| member.seat()).map(|seat| seat.votes.get());
        let asks: u64 = votes.map(u64::from).sum();
        let total = source.table.rows().map(|rows| rows * asks);
        self.ask_about(args, &samples, total, manifest, printer, stop).await
    }

    /// Asks each model judge about the samples at its member's place; `total` is the number of questions, where it is known.
    pub async fn ask_about(
        &self,
        args: &StoreArgs,
        samples: &[Arc<dyn Samples>],
        total: Option<u64>,
        manifest: &mut Manifest,
        printer: Printer,
        stop: &Stop,
    ) -> Result<Vec<Covered>, RunError> {
        let mut covered = vec![Covered::All; self.members.len()];
        let Some(store) = &self.store else { return Ok(covered) };
        store.manifest(manifest.started().to_string(), false).await?;
        let mut passes = Vec::new();
        let mut places = Vec::new();
        for (place, (member, samples)) in self.members.iter().zip(samples).enumerate() {
            if let Kind::Model(seat) = &member.kind {
                places.push(place);
                passes.push(Arc::new(pass(args, samples, seat, store)?));
            }
        }
        let asked = ask_all(&passes, total, printer, stop).await;
        self.say_fallbacks(printer);
        self.learn(store, manifest).await?;
        if store.damaged() > 0 {
            printer.warn(&format!(
                "damaged replies in {}, asked for again: {}; look at its disk, and at the store with `tooljudge store stat`",
                store.path().display(),
                store.damaged()
            ));
        }
        for (place, outcome) in places.into_iter().zip(asked?) {
            covered[place] = outcome;
        }
        Ok(covered)
    }

    /// What gives the rows of `run` their labels, once they were asked about as far as `covered` says.
    pub fn labellers(
        &self,
        args: &StoreArgs,
        run: &str,
        covered: &[Covered],
    ) -> Result<Vec<Box<dyn Labeller>>, RunError> {
        let labeller =
            |(member, covered): (&super::Member, &Covered)| -> Result<Box<dyn Labeller>, RunError> {
                Ok(match (&member.kind, &self.store) {
                    (Kind::Builtin(task, base_rate), _) => {
                        Box::new(BuiltinLabeller(BuiltinJudge::new(*task).with_base_rate(*base_rate)))
                    }
                    (Kind::Model(seat), Some(store)) => {
                        let seat = Arc::clone(seat);
                        Box::new(StoredLabeller::new(seat, store.reader()?, run, args.fresh, *covered))
                    }
                    (Kind::Model(_), None) => unreachable!("model judges come with a store"),
                })
            };
        self.members.iter().zip(covered).map(labeller).collect()
    }

    /// Says which endpoints passed over the rail that they were asked to force.
    fn say_fallbacks(&self, printer: Printer) {
        let mut said = BTreeSet::new();
        for seat in self.members.iter().filter_map(super::Member::seat) {
            let identity = seat.judge.identity();
            if let Some(form) = seat.judge.fallback()
                && said.insert((&identity.endpoint, &identity.model))
            {
                let now = match form {
                    Adaptation::InstructedRail => "the label is asked for in words at the end of the prompt",
                    _ => "the label is forced in another way that its API has",
                };
                printer.warn(&format!(
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
    async fn learn(&self, store: &Store, manifest: &mut Manifest) -> Result<(), RunError> {
        let mut kept = BTreeSet::new();
        for (member, record) in self.members.iter().zip(&mut manifest.panel) {
            let Some(seat) = member.seat() else { continue };
            let identity = seat.judge.identity();
            for adaptation in seat.judge.adaptations() {
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
}

fn pass(
    args: &StoreArgs,
    samples: &Arc<dyn Samples>,
    seat: &Arc<Seat<Remote>>,
    store: &Arc<Store>,
) -> Result<AskPass<Remote>, RunError> {
    Ok(AskPass {
        samples: Arc::clone(samples),
        seat: Arc::clone(seat),
        store: Arc::clone(store),
        earlier: Mutex::new(store.reader()?),
        reuse: if args.fresh { Reuse::OwnOnly } else { Reuse::All },
        retry: args.retry.clone(),
        keep_prompts: args.keep_prompts,
        doubtful: Mutex::default(),
        // Rows that rest after a failure hold no place in flight, so there are more questions than places.
        window: (4 * seat.judge.most_in_flight()).max(64),
    })
}

async fn ask_all(
    passes: &[Arc<AskPass<Remote>>],
    total: Option<u64>,
    printer: Printer,
    stop: &Stop,
) -> Result<Vec<Covered>, RunError> {
    let progress = Arc::new(Progress::default());
    let mut judges: Vec<Arc<Remote>> = Vec::new();
    for pass in passes {
        if !judges.iter().any(|judge| Arc::ptr_eq(judge, &pass.seat.judge)) {
            judges.push(Arc::clone(&pass.seat.judge));
        }
    }
    let activity =
        move || Some(judges.iter().map(|judge| judge.activity()).fold(Activity::default(), Activity::plus));
    let _display = Display::start(printer, "asking", total, Arc::clone(&progress), activity);
    run::ask_all(passes, &progress, stop).await
}
