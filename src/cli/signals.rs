//! Ctrl-C and its kin: the first asks the run to stop, the second ends it.

use crate::run::Stop;

use super::printer::Printer;

/// Watches for signals for as long as the runtime lives.
pub fn watch(stop: &Stop, printer: Printer) {
    let stop = stop.clone();
    // Without handlers a signal ends the process, as it does by default.
    let Ok(mut signals) = Signals::new() else { return };
    tokio::spawn(async move {
        while signals.next().await {
            if stop.gently.is_cancelled() {
                stop.now.cancel();
                return;
            }
            stop.gently.cancel();
            printer.warn("stopping; what is in flight is waited for (press Ctrl-C again to quit at once)");
        }
    });
}

/// Requests to stop. Listens from its creation on, so that none is lost while another is dealt with.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one; `false` if none can come any more.
    async fn next(&mut self) -> bool {
        tokio::select! {
            received = self.interrupt.recv() => received.is_some(),
            received = self.terminate.recv() => received.is_some(),
        }
    }
}

/// Requests to stop.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        tokio::signal::windows::ctrl_c().map(Signals)
    }

    /// Waits for the next one; `false` if none can come any more.
    async fn next(&mut self) -> bool {
        self.0.recv().await.is_some()
    }
}
