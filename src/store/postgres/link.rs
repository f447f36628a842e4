//! The shared connection for lookups, reopened when it breaks.

use std::future::Future;
use std::sync::{Arc, mpsc};
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tokio_postgres::Error;

use super::error::{Fault, Trouble};
use super::server::{Server, Session};
use super::{PAUSES, answered};
use crate::store::{Seen, StoreError};

/// A way to ask the server, from any thread: the thread of the store does it.
#[derive(Clone)]
pub(in crate::store) struct Link {
    handle: Handle,
    pub(super) server: Arc<Server>,
    session: Arc<Mutex<Option<Arc<Session>>>>,
    statements: Arc<[String]>,
    seen: Arc<Seen>,
}

impl Link {
    pub(super) fn new(handle: Handle, server: Arc<Server>, seen: Arc<Seen>) -> Link {
        let statements = super::statements::look_ups().into();
        Link { handle, server, session: Arc::default(), statements, seen }
    }

    /// What `question` comes to, asked again for as long as the server is away.
    pub(super) fn ask<T, F, Q>(
        &self,
        question: Q,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + 'static + use<T, F, Q>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
        Q: Fn(Arc<Session>) -> F + Send + Sync + 'static,
    {
        let (link, place) = (self.clone(), self.server.place.clone());
        let task = self.handle.spawn(async move { link.until_answered(question).await });
        async move { task.await.unwrap_or(Err(StoreError::Gone { place })) }
    }

    /// Waits for an answer.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        answer: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, answered) = mpsc::channel();
        self.handle.spawn(async move { done.send(answer.await) });
        answered.recv().unwrap_or_else(|_| Err(StoreError::Gone { place: self.server.place.clone() }))
    }

    async fn until_answered<T, F>(&self, question: impl Fn(Arc<Session>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let (mut heard, mut pause) = (Instant::now(), PAUSES[0]);
        let (wait, longest) = (self.seen.outage.wait(self.server.silence()), self.server.longest(1));
        loop {
            let attempt = async {
                // Has a deadline of its own: of several hosts each has its turn.
                let session = self.session().await?;
                let silent = Err(Trouble::Silent(longest));
                timeout(longest, answered(question(session))).await.unwrap_or(silent)
            };
            let trouble = match attempt.await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            let why = match trouble.fault(&self.server.place) {
                Fault::Lasting(error) => return Err(error),
                Fault::Busy(why) => {
                    wait.because(self.server.tell_busy(&why));
                    heard = Instant::now();
                    sleep(PAUSES[0]).await;
                    continue;
                }
                Fault::Away(why) => why,
            };
            drop(self.session.lock().await.take());
            if heard.elapsed() >= self.server.patience {
                let (place, seconds) = (self.server.place.clone(), heard.elapsed().as_secs());
                return Err(StoreError::Lost { place, seconds, why });
            }
            wait.because(self.server.tell_away(&why));
            sleep(pause).await;
            pause = (2 * pause).min(PAUSES[1]);
        }
    }

    async fn session(&self) -> Result<Arc<Session>, Trouble> {
        let mut session = self.session.lock().await;
        match &*session {
            Some(session) if !session.client.is_closed() => Ok(Arc::clone(session)),
            _ => {
                let begun = Arc::new(self.server.begin(&self.statements).await?);
                *session = Some(Arc::clone(&begun));
                Ok(begun)
            }
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Link({})", self.server.place)
    }
}
