//! One question on its way to a model and back: asked under a claim, and what came of it kept. The same for verdicts and for turns.

use std::future::{Future, poll_fn};
use std::pin::pin;

use tokio_util::sync::CancellationToken;

use crate::domain::Paid;
use crate::judge::{AskError, Asked};
use crate::run::RunError;
use crate::store::{Failure, Fingerprint, LeaseToken, ReplyKind, Store};

/// How a question that was asked is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Its reply is kept.
    Kept,
    /// There is no reply; the store knows why.
    Failed,
    /// It was not asked, or nobody knows what came of it: the run stops.
    Stopped,
    /// There was no money left for it.
    Ceiling,
}

/// Does what is done under a claim; `lost` is cancelled as soon as that may have lapsed, and before anything is sent on its strength.
pub async fn while_held<T>(
    store: &Store,
    lease_token: LeaseToken,
    lost: &CancellationToken,
    asking: impl Future<Output = T>,
) -> T {
    let mut asking = pin!(asking);
    poll_fn(|context| {
        if store.is_expired(lease_token) {
            lost.cancel();
        }
        asking.as_mut().poll(context)
    })
    .await
}

/// The same, of a question to a model; beside what came of it is what was paid for answers of no use.
pub async fn ask_held(
    store: &Store,
    lease_token: LeaseToken,
    lost: &CancellationToken,
    asking: impl Future<Output = Result<Asked, AskError>>,
) -> (Result<Asked, AskError>, Option<Paid>) {
    match while_held(store, lease_token, lost, asking).await {
        Ok(asked) => (Ok(asked), None),
        Err(error) => {
            let (error, paid) = error.apart();
            (Err(error), paid)
        }
    }
}

/// Keeps what came of asking `fingerprint`, with the `prompt` if that is to be kept, and drops the claim. `stop` is cancelled where nobody
/// else is to be asked.
///
/// # Errors
/// If the store cannot be written; [`RunError::Judge`] if going on is pointless.
pub async fn settle(
    store: &Store,
    (fingerprint, kind): (Fingerprint, ReplyKind),
    asked: Result<Asked, AskError>,
    prompt: Option<String>,
    stop: &CancellationToken,
) -> Result<Settled, RunError> {
    match asked {
        Ok(Asked { reply, slot }) => {
            let stored = store.answer(fingerprint, kind, reply, prompt).await;
            if stored.is_err() {
                // Before its place is free: nobody else is to be asked whose reply cannot be kept either.
                stop.cancel();
            }
            // Only now: a reply in flight is one that a crash can lose.
            drop(slot);
            stored?;
            Ok(Settled::Kept)
        }
        Err(AskError::Question { code, message, attempts }) => {
            store.fail(fingerprint, Failure { code, message, attempts }).await?;
            Ok(Settled::Failed)
        }
        Err(AskError::Stopped) => {
            store.release(fingerprint).await?;
            Ok(Settled::Stopped)
        }
        Err(AskError::Ceiling) => {
            stop.cancel();
            store.release(fingerprint).await?;
            Ok(Settled::Ceiling)
        }
        Err(AskError::AfterAnswers { .. }) => unreachable!("what was paid has been taken off"),
        Err(AskError::Run { code, message }) => {
            // At once, before others are sent to the same end.
            stop.cancel();
            store.release(fingerprint).await?;
            Err(RunError::Judge { code, message })
        }
    }
}
