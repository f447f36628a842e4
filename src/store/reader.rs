//! Looks up replies on a separate connection.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

#[cfg(feature = "postgres")]
use super::postgres;
use super::{Failure, Fingerprint, StoreError, sqlite};
use crate::domain::{Paid, Reply};

/// A connection that only reads. Its methods wait for a server's answer; those that asynchronous code calls are asynchronous.
#[derive(Debug)]
pub struct Reader(Kind);

#[derive(Debug)]
enum Kind {
    Sqlite(sqlite::reader::Reader),
    #[cfg(feature = "postgres")]
    Postgres(postgres::reader::Reader),
}

/// What the store knows of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// The reply, and the run that paid for it.
    Reply {
        /// Its row in the store: no other reply has the same, unless this one is pruned.
        id: i64,
        /// What was answered.
        reply: Reply,
        /// The run that paid for it.
        run: String,
    },
    /// The last attempt to get one failed, in the run named.
    Failure {
        /// Why there is no reply.
        failure: Failure,
        /// The run that tried.
        run: String,
    },
    /// Nobody has tried.
    Nothing,
}

/// Who asks one model right now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asking {
    /// Runs, this one included.
    pub runs: u32,
    /// How long the endpoint wants to be left alone, as far as any of them was told.
    pub pause: Duration,
}

/// A run that came to no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedRun {
    pub run: String,
    pub manifest: String,
    /// RFC 3339, in UTC.
    pub started_at: String,
}

/// Asks whichever there is; the answer of a server is waited for.
macro_rules! ask {
    ($reader:expr, $method:ident($($argument:expr),*)) => {
        match &$reader.0 {
            Kind::Sqlite(reader) => reader.$method($($argument),*),
            #[cfg(feature = "postgres")]
            Kind::Postgres(reader) => reader.wait(reader.$method($($argument),*)),
        }
    };
}

impl Reader {
    pub(super) fn of_file(path: &Path) -> Result<Reader, StoreError> {
        sqlite::reader::Reader::open(path).map(Kind::Sqlite).map(Reader)
    }

    #[cfg(feature = "postgres")]
    pub(super) fn of_server(link: postgres::Link) -> Reader {
        Reader(Kind::Postgres(postgres::reader::Reader::new(link)))
    }

    /// A reply whose bytes changed on disk counts as absent: it is asked again, never trusted.
    pub fn get(&self, fingerprint: Fingerprint) -> Result<Found, StoreError> {
        Ok(self.get_all(&[fingerprint])?.pop().unwrap_or(Found::Nothing))
    }

    /// What is known of each of these questions, all at one moment.
    pub fn get_all(&self, fingerprints: &[Fingerprint]) -> Result<Vec<Found>, StoreError> {
        ask!(self, get_all(fingerprints))
    }

    /// [`Reader::get`] for asynchronous code: it holds up nobody while a server answers.
    pub async fn find(&self, fingerprint: Fingerprint) -> Result<Found, StoreError> {
        let mut found = match &self.0 {
            Kind::Sqlite(reader) => reader.get_all(&[fingerprint])?,
            #[cfg(feature = "postgres")]
            Kind::Postgres(reader) => reader.get_all(&[fingerprint]).await?,
        };
        Ok(found.pop().unwrap_or(Found::Nothing))
    }

    /// Why `run` got no reply to a question, of which an earlier run may have one.
    pub fn failure_of(&self, fingerprint: Fingerprint, run: &str) -> Result<Option<Failure>, StoreError> {
        ask!(self, failure_of(fingerprint, run))
    }

    /// [`Reader::failure_of`] for asynchronous code.
    pub async fn find_failure_of(
        &self,
        fingerprint: Fingerprint,
        run: &str,
    ) -> Result<Option<Failure>, StoreError> {
        match &self.0 {
            Kind::Sqlite(reader) => reader.failure_of(fingerprint, run),
            #[cfg(feature = "postgres")]
            Kind::Postgres(reader) => reader.failure_of(fingerprint, run).await,
        }
    }

    /// Who is asking `model` at `endpoint` right now.
    pub async fn asking(&self, endpoint: &str, model: &str) -> Result<Asking, StoreError> {
        match &self.0 {
            Kind::Sqlite(reader) => reader.asking(endpoint, model),
            #[cfg(feature = "postgres")]
            Kind::Postgres(reader) => reader.asking(endpoint, model).await,
        }
    }

    /// What `run` paid for answers to each of these questions that were of no use and are part of no reply.
    pub fn wasted(
        &self,
        fingerprints: &[Fingerprint],
        run: &str,
    ) -> Result<HashMap<Fingerprint, Paid>, StoreError> {
        ask!(self, wasted(fingerprints, run))
    }

    /// Whether there is any reply.
    pub fn holds_replies(&self) -> Result<bool, StoreError> {
        ask!(self, holds_replies())
    }

    /// Whether `run` paid for any reply.
    pub fn holds_replies_of(&self, run: &str) -> Result<bool, StoreError> {
        ask!(self, holds_replies_of(run))
    }

    /// The last run whose manifest has `value` under these keys, one within the other, if it came to no end and is not under way.
    pub fn stopped_run(&self, keys: &[&str], value: &str) -> Result<Option<StoppedRun>, StoreError> {
        ask!(self, stopped_run(keys, value))
    }

    /// What is known not to be supported by `model` at `endpoint`.
    pub fn adaptations(&self, endpoint: &str, model: &str) -> Result<Vec<String>, StoreError> {
        ask!(self, adaptations(endpoint, model))
    }
}
