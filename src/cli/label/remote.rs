//! `label` with a model judge: the ask pass, then the write pass.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use anyhow::Context;
use tokio_util::sync::CancellationToken;

use super::Labelling;
use super::args::LabelArgs;
use super::plan::RemoteJury;
use crate::cli::Ending;
use crate::cli::display::Display;
use crate::judge::{Judge, Remote};
use crate::run::{self, AskPass, Progress, RunError, Source, StoredLabeller};
use crate::store::Reuse;

pub async fn label(
    args: &LabelArgs,
    source: Source,
    jury: RemoteJury,
    mut labelling: Labelling,
) -> anyhow::Result<Ending> {
    let RemoteJury { template, judge, store } = jury;
    store.manifest(labelling.manifest.started().to_string(), false).await.map_err(RunError::from)?;
    let concurrency = judge.most_in_flight();
    let earlier = Mutex::new(store.reader().map_err(RunError::from)?);
    let pass = Arc::new(AskPass {
        source,
        template,
        explain: args.wording.explain,
        rules: args.wording.snap,
        judge,
        store,
        earlier,
        reuse: if args.store.fresh { Reuse::OwnOnly } else { Reuse::All },
        retry: args.store.retry.clone(),
        keep_prompts: args.store.keep_prompts,
        // Rows that rest after a failure hold no place in flight, so there are more questions than places.
        window: (4 * concurrency).max(64),
    });

    let asked = ask(&pass, &labelling).await;
    labelling.manifest.judge.adaptations = learn(&pass).await?;
    let stopped = match asked {
        Ok(()) => None,
        Err(error @ (RunError::Interrupted | RunError::Judge { .. })) => Some(error),
        Err(error) => return Err(error.into()),
    };
    let Some(stopped) = stopped else { return write(&pass, labelling).await };

    let printer = labelling.printer;
    let table = if args.result.partial {
        // The table is written after all, although the run was told to stop; a second Ctrl-C still ends it.
        labelling.stop.gently = CancellationToken::new();
        write(&pass, labelling).await?;
        "the partial table was written"
    } else {
        "no table was written"
    };
    let kept =
        format!("every reply that came is kept and {table}. Run the same command again to go on from there");
    match stopped {
        RunError::Interrupted => {
            printer.talk(&format!("interrupted; {kept}"));
            Ok(Ending::Interrupted)
        }
        error => Err(anyhow::anyhow!("{error}\n{kept}")),
    }
}

async fn ask(pass: &Arc<AskPass<Remote>>, labelling: &Labelling) -> Result<(), RunError> {
    let progress = Arc::new(Progress::default());
    let watched = Arc::clone(pass);
    let activity = move || Some(watched.judge.activity());
    let rows = pass.source.table.rows();
    let _display = Display::start(labelling.printer, "asking", rows, Arc::clone(&progress), activity);
    run::ask(pass, &progress, &labelling.stop).await
}

/// Keeps what the endpoint turned out not to support, and says what that is.
async fn learn(pass: &AskPass<Remote>) -> anyhow::Result<Vec<String>> {
    let identity = pass.judge.identity();
    let mut names = Vec::new();
    for adaptation in pass.judge.adaptations() {
        let name = adaptation.as_str().to_owned();
        pass.store
            .learn(identity.endpoint.clone(), identity.model.clone(), name.clone())
            .await
            .map_err(RunError::from)?;
        names.push(name);
    }
    Ok(names)
}

async fn write(pass: &Arc<AskPass<Remote>>, labelling: Labelling) -> anyhow::Result<Ending> {
    let progress = Arc::new(Progress::default());
    let rows = pass.source.table.rows();
    let display = Display::start(labelling.printer, "writing", rows, Arc::clone(&progress), || None);
    let store = pass.store.reader().map_err(RunError::from)?;
    let worker = tokio::task::spawn_blocking({
        let pass = Arc::clone(pass);
        move || {
            let mut labeller = StoredLabeller {
                template: &pass.template,
                reading: pass.reading(),
                hasher: pass.hasher(),
                store,
                run: labelling.manifest.run.clone(),
                own_only: pass.reuse == Reuse::OwnOnly,
                seen: HashSet::new(),
            };
            let outcome = labelling.write_table(&pass.source, &mut labeller, &progress);
            (outcome, labelling)
        }
    });
    let (outcome, labelling) = worker.await.context("the run broke down")?;
    drop(display);
    match outcome {
        Ok((summary, written)) => {
            let manifest = labelling.finished_manifest(&summary, written);
            pass.store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
            labelling.conclude(&summary, &manifest)
        }
        Err(RunError::Interrupted) => {
            labelling.printer.talk("interrupted; no table was written, and every reply is kept");
            Ok(Ending::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}
