//! Looks up replies.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::line;
use super::link::Link;
use super::reply_row;
use super::server::Session;
use super::statements::LookUp;
use super::text::unescaped;
use crate::domain::{Paid, Usage};
use crate::store::stored_reply::StoredReply;
use crate::store::{Asking, Failure, Fingerprint, Found, StoppedRun, StoreError};

/// Asks over the run's connection for looking up. The questions go off at once; what is returned is their answer.
#[derive(Debug)]
pub(in crate::store) struct Reader(Link);

/// An answer on its way.
macro_rules! answer {
    ($of:ty) => { impl Future<Output = Result<$of, StoreError>> + Send + 'static + use<> };
}

impl Reader {
    pub(in crate::store) fn new(link: Link) -> Reader {
        Reader(link)
    }

    /// Waits for an answer.
    pub(in crate::store) fn wait<T: Send + 'static>(
        &self,
        answer: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.wait(answer)
    }

    pub(in crate::store) fn get_all(&self, fingerprints: &[Fingerprint]) -> answer!(Vec<Found>) {
        let asked: Arc<[Fingerprint]> = fingerprints.into();
        self.0.ask(move |session| {
            let asked = Arc::clone(&asked);
            async move {
                let rows = query(&session, LookUp::Find, &[&&asked[..]]).await?;
                let found: HashMap<Fingerprint, Found> = rows
                    .iter()
                    .map(|row| Ok((row.try_get(0)?, found(row)?)))
                    .collect::<Result<_, Error>>()?;
                let known = |fingerprint| found.get(fingerprint).cloned().unwrap_or(Found::Nothing);
                Ok(asked.iter().map(known).collect())
            }
        })
    }

    pub(in crate::store) fn failure_of(
        &self,
        fingerprint: Fingerprint,
        run: &str,
    ) -> answer!(Option<Failure>) {
        let run: Arc<str> = run.into();
        self.0.ask(move |session| {
            let run = Arc::clone(&run);
            async move {
                let rows = query(&session, LookUp::Failure, &[&fingerprint, &&*run]).await?;
                rows.first().map(|row| failure(row, 0)).transpose()
            }
        })
    }

    pub(in crate::store) fn wasted(
        &self,
        fingerprints: &[Fingerprint],
        run: &str,
    ) -> answer!(HashMap<Fingerprint, Paid>) {
        let (asked, run): (Arc<[Fingerprint]>, Arc<str>) = (fingerprints.into(), run.into());
        self.0.ask(move |session| {
            let (asked, run) = (Arc::clone(&asked), Arc::clone(&run));
            async move {
                let mut wasted: HashMap<Fingerprint, Paid> = HashMap::new();
                for row in query(&session, LookUp::Wasted, &[&&asked[..], &&*run]).await? {
                    let tokens =
                        |column| row.try_get(column).map(|count: Option<i64>| count.map(i64::cast_unsigned));
                    let usage = Usage {
                        prompt_tokens: tokens(1)?,
                        cached_tokens: None,
                        completion_tokens: tokens(2)?,
                    };
                    let (fingerprint, paid) =
                        (row.try_get(0)?, Paid { usage, cost_usd: row.try_get(3)?, attempts: 0 });
                    let sum = Paid::sum(wasted.get(&fingerprint).copied(), Some(paid));
                    wasted.extend(sum.map(|sum| (fingerprint, sum)));
                }
                Ok(wasted)
            }
        })
    }

    pub(in crate::store) fn holds_replies(&self) -> answer!(bool) {
        self.0.ask(|session| async move {
            let rows = query(&session, LookUp::AnyReply, &[]).await?;
            rows.first().map_or(Ok(false), |row| row.try_get(0))
        })
    }

    pub(in crate::store) fn holds_replies_of(&self, run: &str) -> answer!(bool) {
        let run: Arc<str> = run.into();
        self.0.ask(move |session| {
            let run = Arc::clone(&run);
            async move {
                let rows = query(&session, LookUp::ReplyOf, &[&&*run]).await?;
                rows.first().map_or(Ok(false), |row| row.try_get(0))
            }
        })
    }

    pub(in crate::store) fn stopped_run(&self, keys: &[&str], value: &str) -> answer!(Option<StoppedRun>) {
        let (place, value): (Arc<str>, Arc<str>) = (format!("/{}", keys.join("/")).into(), value.into());
        let outermost: Arc<str> = format!("\"{}\"", keys.first().copied().unwrap_or_default()).into();
        self.0.ask(move |session| {
            let (place, value, outermost) = (Arc::clone(&place), Arc::clone(&value), Arc::clone(&outermost));
            async move {
                for row in query(&session, LookUp::LastRun, &[&&*outermost]).await? {
                    let manifest = unescaped(row.try_get(1)?);
                    let read: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
                    if read.pointer(&place).and_then(serde_json::Value::as_str) == Some(&*value) {
                        let (run, started_at) = (row.try_get(0)?, row.try_get(2)?);
                        return Ok(row.try_get::<_, bool>(3)?.then_some(StoppedRun {
                            run,
                            manifest,
                            started_at,
                        }));
                    }
                }
                Ok(None)
            }
        })
    }

    pub(in crate::store) fn asking(&self, endpoint: &str, model: &str) -> answer!(Asking) {
        let (endpoint, model): (Arc<str>, Arc<str>) = (endpoint.into(), model.into());
        self.0.ask(move |session| {
            let (endpoint, model) = (Arc::clone(&endpoint), Arc::clone(&model));
            async move {
                let rows = query(&session, LookUp::Asking, &[&&*endpoint, &&*model]).await?;
                let Some(row) = rows.first() else { return Ok(Asking::default()) };
                let runs: i64 = row.try_get(0)?;
                Ok(Asking { runs: u32::try_from(runs).unwrap_or(u32::MAX), pause: line::span(row, 1)? })
            }
        })
    }

    pub(in crate::store) fn adaptations(&self, endpoint: &str, model: &str) -> answer!(Vec<String>) {
        let (endpoint, model): (Arc<str>, Arc<str>) = (endpoint.into(), model.into());
        self.0.ask(move |session| {
            let (endpoint, model) = (Arc::clone(&endpoint), Arc::clone(&model));
            async move {
                let rows = query(&session, LookUp::Adaptations, &[&&*endpoint, &&*model]).await?;
                rows.iter().map(|row| row.try_get(0)).collect()
            }
        })
    }
}

async fn query(
    session: &Session,
    what: LookUp,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, Error> {
    session.client.query(&session.statements[what as usize], parameters).await
}

fn found(row: &Row) -> Result<Found, Error> {
    let (fingerprint, id): (Fingerprint, Option<i64>) = (row.try_get(0)?, row.try_get(5)?);
    let reply = id.and_then(|id| Some((id, reply_row::read(fingerprint, row, 6)?)));
    if let Some((id, StoredReply { reply, run, .. })) = reply {
        return Ok(Found::Reply { id, reply, run });
    }
    match row.try_get::<_, Option<String>>(4)? {
        Some(run) => Ok(Found::Failure { failure: failure(row, 1)?, run }),
        None => Ok(Found::Nothing),
    }
}

/// The code, message and attempts that stand from column `first` on.
fn failure(row: &Row, first: usize) -> Result<Failure, Error> {
    let text = |column| row.try_get(column).map(|text: &str| unescaped(text));
    let attempts: i64 = row.try_get(first + 2)?;
    Ok(Failure {
        code: text(first)?,
        message: text(first + 1)?,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
    })
}
