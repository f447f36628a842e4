//! Ctrl-C and its kin: the first asks the run to stop, the second ends it.

use crate::run::Stop;

use super::printer::Printer;

/// Watches for signals for as long as the runtime lives.
pub fn watch(stop: &Stop, printer: Printer) {
    let stop = stop.clone();
    tokio::spawn(async move {
        while signal().await {
            if stop.gently.is_cancelled() {
                stop.now.cancel();
                return;
            }
            printer.warn("stopping; what is in flight is waited for (press Ctrl-C again to quit at once)");
            stop.gently.cancel();
        }
    });
}

/// Waits for an interrupt or a request to terminate; `false` if none can be waited for.
async fn signal() -> bool {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return false };
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted.is_ok(),
            received = terminate.recv() => received.is_some(),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.is_ok()
}
