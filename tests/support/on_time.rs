//! A deadline for a test that waits within this process, where nobody can end a thread: for an answer, a lock, a task that never wakes.
//! Children have deadlines of their own.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// So much more than any such test computes, even if many others share its core, that only one that hangs meets it.
const TIME: Duration = Duration::from_secs(900);

/// A test that is under way. Dropped, it is over.
pub struct OnTime {
    _over: Sender<()>,
}

/// Gives the test that calls it a deadline. If it is not over by then, the process says which test it is, and ends: Rust cannot end the
/// thread, and the others would wait for it for ever.
pub fn on_time() -> OnTime {
    within(TIME)
}

/// The same with a deadline of its own.
#[allow(clippy::exit, reason = "a thread that hangs has no other end")]
pub fn within(time: Duration) -> OnTime {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let (over, alive) = channel();
    std::thread::spawn(move || {
        if alive.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            // Past what is kept of a test's words until it ends, which this one does not.
            let _ = writeln!(std::io::stderr(), "\n{test}: hangs, not over after {} s", time.as_secs_f64());
            std::process::exit(101);
        }
    });
    OnTime { _over: over }
}
