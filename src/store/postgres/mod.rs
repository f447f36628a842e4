//! A store in a schema of a PostgreSQL database, shared by all runs that can reach the server.
//!
//! A run has two connections: one on which its writing thread claims and answers, and one for lookups. Operations are sent in
//! batches, one statement for each kind: to claim or answer any number of questions takes one round trip. Every statement may be
//! sent twice, since a connection can break before it is known whether the server received it.
//!
//! Leases use the server's clock. A living run holds a lock that belongs to its connection: a lease that seems to have expired,
//! for example because the server's clock was set, is respected as long as that lock is held and the lease is renewed.

#[cfg(feature = "cli")]
pub(super) mod archive;
mod batch;
mod error;
mod line;
mod link;
pub(super) mod reader;
mod reply_row;
mod schema;
mod server;
mod statements;
mod text;
mod tls;
mod writer;

use std::future::Future;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;

use super::job::Job;
use super::place::Address;
use super::{Access, Seen, StoreError};
use error::Trouble;
pub(super) use link::Link;
use server::Server;
use writer::Writer;

/// How long an answer of the server is waited for before the connection counts as broken.
const STALL: Duration = Duration::from_secs(30);
/// How long to wait before a first new attempt, and at most before a further one.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// Opens the store at `address`, making its schema and tables if need be: where its writing thread takes jobs, the way to look things
/// up, and that thread.
pub(super) fn open(
    address: &Address,
    run: &str,
    access: Access,
    seen: &Arc<Seen>,
) -> Result<(UnboundedSender<Job>, Link, JoinHandle<()>), StoreError> {
    let server = Server::new(address)?;
    let (jobs, queue) = tokio::sync::mpsc::unbounded_channel();
    let mut writer = Writer::new(Arc::clone(&server), run.to_owned(), access, Arc::clone(seen));
    let (opened, is_open) = mpsc::channel();
    let (handle, thread) = thread(&server.place, async move {
        match writer.begin().await {
            Ok(()) => {
                let _ = opened.send(Ok(()));
                writer.serve(queue).await;
            }
            // Whoever opens the store waits for this.
            Err(error) => drop(opened.send(Err(error))),
        }
    })?;
    is_open.recv().unwrap_or_else(|_| Err(StoreError::Gone { place: server.place.clone() }))?;
    Ok((jobs, Link::new(handle, server, Arc::clone(seen)), thread))
}

/// Whether the schema at `address` has no tables yet.
pub(super) fn is_missing(address: &Address) -> Result<bool, StoreError> {
    let server = Server::new(address)?;
    let (place, gone) = (server.place.clone(), StoreError::Gone { place: server.place.clone() });
    let (done, looked) = mpsc::channel();
    let look = async move {
        let client = server.connect().await?;
        Ok(answered_by(schema::found(&client, &server)).await?.is_none())
    };
    let (_, thread) = thread(&place.clone(), async move {
        let _ = done.send(look.await.map_err(|trouble: Trouble| trouble.lasting(&place)));
    })?;
    let is_missing = looked.recv().unwrap_or(Err(gone));
    let _ = thread.join();
    is_missing
}

/// `answer`, unless the server is silent for too long.
async fn answered<T>(answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Trouble> {
    answered_by(async { answer.await.map_err(Trouble::Said) }).await
}

/// The same.
async fn answered_by<T>(answer: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    timeout(STALL, answer).await.unwrap_or(Err(Trouble::Silent(STALL)))
}

/// A thread that does `work`, and with it all that is asked of its runtime meanwhile.
fn thread(
    place: &str,
    work: impl Future<Output = ()> + Send + 'static,
) -> Result<(Handle, JoinHandle<()>), StoreError> {
    let wrap = |error: std::io::Error| StoreError::Open { place: place.to_owned(), why: error.to_string() };
    let runtime = Builder::new_current_thread().enable_all().build().map_err(wrap)?;
    let handle = runtime.handle().clone();
    let thread = std::thread::Builder::new().name("store".to_owned()).spawn(move || runtime.block_on(work));
    Ok((handle, thread.map_err(wrap)?))
}
