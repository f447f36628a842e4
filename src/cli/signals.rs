//! Ctrl-C and similar signals: the first asks the run to stop, the second ends it.

use std::future::Future;
use std::time::Duration;

use super::Ending;
use super::printer::Printer;
use crate::run::Stop;

/// How long a run that was told twice to stop may take to do so in order.
const LET_GO: Duration = Duration::from_millis(500);

/// Does `work` until a second signal comes; then it has only a moment left.
pub async fn until_told_twice(
    stop: &Stop,
    work: impl Future<Output = anyhow::Result<Ending>>,
) -> anyhow::Result<Ending> {
    let mut work = Box::pin(work);
    tokio::select! {
        outcome = &mut work => return outcome,
        () = stop.now.cancelled() => {}
    }
    match tokio::time::timeout(LET_GO, &mut work).await {
        Ok(outcome) => outcome,
        Err(_) => {
            // It waits for what may never come, such as a store that somebody else has locked. Dropping it would wait too.
            std::mem::forget(work);
            Ok(Ending::Interrupted)
        }
    }
}

/// Watches for signals for as long as the runtime lives.
pub fn watch(stop: &Stop, printer: Printer<'static>) {
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
            printer.warn("stopping after the requests in flight (press Ctrl-C again to quit at once)");
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
