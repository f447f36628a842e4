//! `label` with the built-in judge: one ordered pass.

use std::sync::Arc;

use anyhow::Context;

use super::Labelling;
use crate::check::BuiltinJudge;
use crate::cli::Ending;
use crate::cli::display::Display;
use crate::domain::Task;
use crate::run::{BuiltinLabeller, Progress, RunError, Source};

pub async fn label(source: Source, task: Task, labelling: Labelling) -> anyhow::Result<Ending> {
    let progress = Arc::new(Progress::default());
    let display =
        Display::start(labelling.printer, "judging", source.table.rows(), Arc::clone(&progress), || None);
    let worker = tokio::task::spawn_blocking(move || {
        let mut labeller = BuiltinLabeller(BuiltinJudge::new(task));
        let outcome = labelling.write_table(&source, &mut labeller, &progress);
        (outcome, labelling)
    });
    let (outcome, labelling) = worker.await.context("the run broke down")?;
    drop(display);
    match outcome {
        Ok((summary, written)) => {
            labelling.conclude(&summary, &labelling.finished_manifest(&summary, written))
        }
        Err(RunError::Interrupted) => {
            labelling.printer.talk("interrupted; nothing was written");
            Ok(Ending::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}
