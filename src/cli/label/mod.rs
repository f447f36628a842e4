//! `label`: plan, judge, write, tell.

pub mod args;
mod builtin;
mod ending;
mod judge_spec;
mod plan;
mod remote;
mod summary_table;

use std::sync::Arc;
use std::time::Instant;

use args::LabelArgs;
use plan::{Jury, Plan};

use super::printer::Printer;
use super::{Ending, signals};
use crate::run::{self, Destination, Labeller, Manifest, Progress, RunError, Source, Stop, Summary};
use crate::write::{Finished, WriteError};

/// A run under way, whoever judges.
struct Labelling {
    printer: Printer,
    json: bool,
    /// The share of rows that may end without a label.
    allow_unjudged: f64,
    began: Instant,
    stop: Stop,
    destination: Destination,
    manifest: Manifest,
}

pub fn run(args: &LabelArgs) -> anyhow::Result<Ending> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(label(args));
    // A second Ctrl-C does not wait for what a thread is still reading.
    runtime.shutdown_background();
    match outcome {
        // As with any filter: whoever reads our output has seen enough.
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

async fn label(args: &LabelArgs) -> anyhow::Result<Ending> {
    let began = Instant::now();
    let printer = Printer { quiet: args.result.quiet };
    // Nothing is under way yet that a signal should end gently; a standard input may keep us waiting here.
    let Plan { source, destination, manifest, jury } = plan::plan(args, printer)?;
    let stop = Stop::default();
    signals::watch(&stop, printer);
    let labelling = Labelling {
        printer,
        json: args.result.json,
        allow_unjudged: args.result.allow_unjudged,
        began,
        stop,
        destination,
        manifest,
    };
    match jury {
        Jury::Builtin(task) => builtin::label(source, task, labelling).await,
        Jury::Remote(jury) => remote::label(args, source, *jury, labelling).await,
    }
}

impl Labelling {
    /// The write pass, on the thread it is called on.
    fn write_table(
        &self,
        source: &Source,
        labeller: &mut dyn Labeller,
        progress: &Arc<Progress>,
    ) -> Result<(Summary, Finished), RunError> {
        let stopped = || self.stop.gently.is_cancelled() || self.stop.now.is_cancelled();
        run::write(source, labeller, &self.destination, progress, &stopped)
    }
}
