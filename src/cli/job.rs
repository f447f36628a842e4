//! Runs a job of `run`, from its settings to its exit code.

use super::host::Host;
use super::printer::Printer;
use super::{Ending, signals};
use crate::run::{self, Control, RunError};
use crate::write::WriteError;

/// Runs `work` while the host looks on, until it ends or the user ends it.
pub fn run(
    host: &Host,
    printer: Printer<'_>,
    work: impl AsyncFnOnce(&Control) -> anyhow::Result<Ending>,
) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    let control = host.control(printer.quiet);
    let outcome = runtime.block_on(signals::until_told_twice(&host.stop, work(&control)));
    // A second Ctrl-C does not wait for what a thread is still reading.
    runtime.shutdown_background();
    ended(outcome, printer)
}

/// What an error means that is the user's wish.
pub fn ended(outcome: anyhow::Result<Ending>, printer: Printer<'_>) -> anyhow::Result<Ending> {
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
