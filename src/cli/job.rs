//! A job of `run` between its settings and its exit code.

use std::sync::Arc;

use super::observer::Console;
use super::printer::Printer;
use super::{Ending, hosted, signals};
use crate::run::{self, Control, RunError, Stop};
use crate::write::WriteError;

/// Runs `work` with a console that looks on, until it ends or the user ends it.
pub fn run(
    printer: Printer,
    work: impl AsyncFnOnce(&Control) -> anyhow::Result<Ending>,
) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    if let Some(host) = hosted::host() {
        let stop = host.stop.clone();
        let outcome = runtime.block_on(signals::until_told_twice(&stop, work(&host.control())));
        runtime.shutdown_background();
        return ended(outcome, printer);
    }
    let stop = Stop::default();
    let control = Control { stop: stop.clone(), observer: Arc::new(Console { printer, stop: stop.clone() }) };
    let outcome = runtime.block_on(signals::until_told_twice(&stop, work(&control)));
    // A second Ctrl-C does not wait for what a thread is still reading.
    runtime.shutdown_background();
    ended(outcome, printer)
}

/// What an error means that is the user's wish.
pub fn ended(outcome: anyhow::Result<Ending>, printer: Printer) -> anyhow::Result<Ending> {
    let Err(error) = outcome else { return outcome };
    match error.downcast_ref::<RunError>() {
        // As with any filter: whoever reads our output has seen enough.
        Some(RunError::Write(WriteError::ReaderGone(_))) => Ok(Ending::Done),
        Some(stopped) if stopped.is_interruption() => {
            printer.talk(&stopped.to_string());
            Ok(Ending::Interrupted)
        }
        _ => Err(error),
    }
}
