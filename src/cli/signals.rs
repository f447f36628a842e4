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
    /// The terminal was closed.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next one; `false` if none can come any more.
    async fn next(&mut self) -> bool {
        tokio::select! {
            received = self.interrupt.recv() => received.is_some(),
            received = self.terminate.recv() => received.is_some(),
            received = hung_up(self.hangup.as_mut()) => received.is_some(),
        }
    }
}

#[cfg(unix)]
async fn hung_up(hangup: Option<&mut tokio::signal::unix::Signal>) -> Option<()> {
    match hangup {
        Some(hangup) => hangup.recv().await,
        None => std::future::pending().await,
    }
}

/// Whether whoever started us wants hangups ignored, as `nohup` does: listening would undo that. Where nobody tells, that is
/// taken for granted, and a hangup does what it does by default.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    const HANGUP: u64 = 1;
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_none_or(|ignored| ignored & HANGUP != 0)
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
