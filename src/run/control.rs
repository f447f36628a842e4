//! Observing and stopping a job.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Observer, Silent};

/// The signal for a job to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Ask nothing new; wait for what is in flight.
    pub gently: CancellationToken,
    /// Wait for nothing.
    pub now: CancellationToken,
}

impl Stop {
    /// Whether the job is to stop, gently or not.
    pub fn is_told(&self) -> bool {
        self.gently.is_cancelled() || self.now.is_cancelled()
    }
}

/// How to observe and stop a job. By default it has no observer, and is never stopped.
#[derive(Clone)]
pub struct Control {
    /// Stops it.
    pub stop: Stop,
    /// Looks on.
    pub observer: Arc<dyn Observer>,
}

impl Default for Control {
    fn default() -> Control {
        Control { stop: Stop::default(), observer: Arc::new(Silent) }
    }
}
