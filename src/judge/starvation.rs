//! Detects that an endpoint refuses everything as too fast and states no wait: then the quota may be spent, and waiting does not
//! help.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Questions that are refused and are no accident. Chosen: as many as are in flight to begin with.
const ENOUGH: u32 = 8;

/// Since when an endpoint has done nothing but refuse.
#[derive(Debug, Default)]
pub(super) struct Starvation(Mutex<Option<Refusals>>);

#[derive(Debug)]
struct Refusals {
    since: Instant,
    questions: u32,
}

impl Starvation {
    /// A request was refused, for its question the first or not. Returns how long refusals have been all that came, if they came for enough
    /// questions to be no matter of a single one.
    pub(super) fn refused(&self, is_first: bool) -> Option<Duration> {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refusals = refusals.get_or_insert_with(|| Refusals { since: Instant::now(), questions: 0 });
        refusals.questions += u32::from(is_first);
        (refusals.questions >= ENOUGH).then(|| refusals.since.elapsed())
    }

    /// For so long nothing is asked, since the endpoint said until when: that is no refusal.
    pub(super) fn waits(&self, pause: Duration) {
        if let Some(refusals) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            refusals.since += pause;
        }
    }

    /// Something else came.
    pub(super) fn ended(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// How long refusals have been all that came, if they are.
    pub(super) fn lasts(&self) -> Option<Duration> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(|refusals| refusals.since.elapsed())
    }
}
