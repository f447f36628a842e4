//! The write pass of a run: every row with the labels of all members of the panel.

use std::sync::Arc;

use anyhow::Context;

use super::Labelling;
use super::args::LabelArgs;
use crate::cli::Ending;
use crate::cli::display::Display;
use crate::run::{self, Covered, Progress, RunError};

impl Labelling {
    pub(super) async fn write(self, args: &LabelArgs, covered: &[Covered]) -> anyhow::Result<Ending> {
        let mut labellers =
            self.plan.panel.labellers(&args.judging.store, &self.plan.manifest.run, covered)?;
        let progress = Arc::new(Progress::default());
        let doing = if self.plan.panel.store.is_some() { "writing" } else { "judging" };
        let rows = self.plan.source.table.rows();
        let display = Display::start(self.printer, doing, rows, Arc::clone(&progress), || None);
        let worker = tokio::task::spawn_blocking(move || {
            let plan = &self.plan;
            let stopped = || self.stop.gently.is_cancelled() || self.stop.now.is_cancelled();
            let outcome = run::write(
                &plan.source,
                &mut labellers,
                Some(&plan.destination),
                &mut (),
                &progress,
                &stopped,
            );
            (outcome, self)
        });
        let (outcome, labelling) = worker.await.context("the run broke down")?;
        drop(display);
        match outcome {
            Ok((summaries, written)) => {
                let manifest = labelling.finished_manifest(&summaries, written);
                if let Some(store) = &labelling.plan.panel.store {
                    store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
                }
                labelling.conclude(&summaries, &manifest)
            }
            Err(RunError::Interrupted) => {
                let kept = if labelling.plan.panel.store.is_some() {
                    "no table was written, and every reply is kept"
                } else {
                    "nothing was written"
                };
                labelling.printer.talk(&format!("interrupted; {kept}"));
                Ok(Ending::Interrupted)
            }
            Err(error) => Err(error.into()),
        }
    }
}
