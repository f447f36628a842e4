//! Checks, prunes and merges a schema on a server.

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, mpsc};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use super::error::Trouble;
use super::reply_row::{self, COLUMNS, IN_ITS_PLACE, IN_ORDER, INSERT, Rows};
use super::schema;
use super::server::Server;
use super::statements::{is_away, present};
use super::text::{escaped, unescaped};
use super::{STALL, answered, answered_by};
use crate::store::archive::{
    Archive as AnyArchive, ArchivedReply, ArchivedRun, Contents, Dropped, LearntAdaptation, Merged,
    ModelContents, Pruning, PurseContents, Wasted,
};
use crate::store::place::Address;
use crate::store::stored_reply::StoredReply;
use crate::store::{Fingerprint, ReplyKind, StoreError};

/// Replies that are read or written at once.
const PAGE: usize = 1000;

/// Columns of a time, as other stores write it.
macro_rules! time {
    ($column:literal) => {
        concat!("to_char(", $column, ", 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
    };
}

/// A store that exists, without a writer of its own. What it asks, a thread of its own does.
#[derive(Debug)]
pub(in crate::store) struct Archive {
    client: Arc<Client>,
    /// The server's process at the other end.
    process: i32,
    server: Arc<Server>,
    handle: Handle,
    /// Gone, it ends the thread.
    _open: oneshot::Sender<()>,
}

impl Archive {
    pub(in crate::store) fn open(address: &Address) -> Result<Archive, StoreError> {
        Archive::begin(address, false)
    }

    pub(in crate::store) fn open_or_create(address: &Address) -> Result<Archive, StoreError> {
        Archive::begin(address, true)
    }

    fn begin(address: &Address, makes: bool) -> Result<Archive, StoreError> {
        let server = Server::new(address)?;
        let (open, closed) = oneshot::channel();
        let (handle, _) = super::thread(&server.place, async move { drop(closed.await) })?;
        let to = Arc::clone(&server);
        let client = wait(&handle, async move {
            let mut client = to.connect().await?;
            if !makes && answered_by(schema::found(&client, &to)).await?.is_none() {
                return Err(StoreError::Missing { place: to.place.clone() }.into());
            }
            let rights = if makes { schema::ALL_RIGHTS } else { schema::TO_READ };
            schema::migrate(&mut client, &to, rights).await?;
            let process = answered(client.query_one("SELECT pg_backend_pid()", &[])).await?.try_get(0)?;
            Ok((Arc::new(client), process))
        });
        let gone = || Err(Trouble::Found(StoreError::Gone { place: server.place.clone() }));
        let (client, process) = { client.unwrap_or_else(gone) }.map_err(|why| why.lasting(&server.place))?;
        Ok(Archive { client, process, server, handle, _open: open })
    }

    /// Counts everything, and checks every reply against its checksum.
    pub(in crate::store) fn contents(&self) -> Result<Contents, StoreError> {
        let mut contents = self.ask(async |client| count(&client).await)?;
        self.each_reply(&mut |archived| {
            contents.damaged += u64::from(archived.reply.is_none());
            Ok(())
        })?;
        contents.adaptations = self.learnt()?;
        Ok(contents)
    }

    /// The room of what is dropped is given back by the server, in its own time.
    pub(in crate::store) fn prune(&self, pruning: &Pruning, rehearse: bool) -> Result<Dropped, StoreError> {
        let Pruning { before, model, run, kind } = pruning.clone();
        let kind = kind.map(ReplyKind::as_str);
        let count = self.ask(async move |client| {
            let condition = "($1::text IS NULL OR answered_at < $1::text::timestamptz) AND ($2::text IS NULL OR model = $2) \
                             AND ($3::text IS NULL OR run = $3) AND ($4::text IS NULL OR kind = $4)";
            let parameters: [&(dyn ToSql + Sync); 4] = [&before, &model, &run, &kind];
            if rehearse {
                let sql = format!("SELECT count(*) FROM replies WHERE {condition}");
                return number(&client.query_one(&sql, &parameters).await?, 0);
            }
            client.execute(&format!("DELETE FROM replies WHERE {condition}"), &parameters).await
        })?;
        Ok(Dropped { count, not_shrunk: None })
    }

    pub(in crate::store) fn forget_prompts(&self) -> Result<Dropped, StoreError> {
        let count = self.ask(async |client| {
            client.execute("UPDATE replies SET prompt = NULL WHERE prompt IS NOT NULL", &[]).await
        })?;
        Ok(Dropped { count, not_shrunk: None })
    }

    pub(in crate::store) fn forget_adaptations(&self) -> Result<u64, StoreError> {
        self.ask(async |client| client.execute("DELETE FROM adaptations", &[]).await)
    }

    /// Takes over what `other` has and this store lacks or has damaged. All or nothing.
    pub(in crate::store) fn merge(&mut self, other: &AnyArchive) -> Result<Merged, StoreError> {
        self.ask(async |client| client.batch_execute("BEGIN").await)?;
        let merged = self.take_over(other);
        let end = if merged.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.ask(async move |client| client.batch_execute(end).await)?;
        merged
    }

    fn take_over(&self, other: &AnyArchive) -> Result<Merged, StoreError> {
        let mut merged = Merged::default();
        let mut page = Vec::with_capacity(PAGE);
        other.each_reply(&mut |archived| {
            merged.damaged += u64::from(archived.reply.is_none());
            page.extend(archived.reply.is_some().then_some(archived));
            if page.len() == PAGE { self.take(std::mem::take(&mut page), &mut merged) } else { Ok(()) }
        })?;
        self.take(page, &mut merged)?;
        let (learnt, runs) = (other.learnt()?, other.runs()?);
        self.ask(async move |client| {
            let sql = "INSERT INTO adaptations (endpoint, model, adaptation, learnt_at) \
                       VALUES ($1, $2, $3, $4::text::timestamptz) ON CONFLICT DO NOTHING";
            let insert = client.prepare(sql).await?;
            for LearntAdaptation { endpoint, model, adaptation, learnt_at } in &learnt {
                client.execute(&insert, &[endpoint, model, adaptation, learnt_at]).await?;
            }
            let sql = "INSERT INTO runs (id, started_at, finished_at, manifest) \
                       VALUES ($1, $2::text::timestamptz, $3::text::timestamptz, $4) ON CONFLICT (id) DO UPDATE \
                       SET started_at = excluded.started_at, finished_at = excluded.finished_at, manifest = excluded.manifest \
                       WHERE runs.finished_at IS NULL AND excluded.finished_at IS NOT NULL";
            let insert = client.prepare(sql).await?;
            for ArchivedRun { id, started_at, finished_at, manifest } in &runs {
                client.execute(&insert, &[id, started_at, finished_at, &escaped(manifest)]).await?;
            }
            Ok(())
        })?;
        Ok(merged)
    }

    fn take(&self, page: Vec<ArchivedReply>, merged: &mut Merged) -> Result<(), StoreError> {
        let count = page.len() as u64;
        let (added, mended) = self.ask(async move |client| {
            let added = insert(&client, page.iter(), " ON CONFLICT DO NOTHING").await?;
            let prints: Vec<Fingerprint> = page.iter().map(|archived| archived.fingerprint).collect();
            if added == count {
                return Ok((added, 0));
            }
            // Of those that were there already, what is damaged gives way.
            let sql = format!("SELECT fingerprint, {COLUMNS} FROM replies WHERE fingerprint = ANY($1)");
            let mut damaged = HashSet::new();
            for row in client.query(&sql, &[&prints]).await? {
                let fingerprint = row.try_get(0)?;
                if reply_row::read(fingerprint, &row, 1).is_none() {
                    damaged.insert(fingerprint);
                }
            }
            let sound = page.iter().filter(|archived| damaged.contains(&archived.fingerprint));
            let mended = match damaged.is_empty() {
                true => 0,
                false => insert(&client, sound, IN_ITS_PLACE).await?,
            };
            Ok((added, mended))
        })?;
        merged.added += added;
        merged.mended += mended;
        merged.known += count - added - mended;
        Ok(())
    }

    /// Visits all replies.
    pub(in crate::store) fn each_reply(
        &self,
        visit: &mut dyn FnMut(ArchivedReply) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // No hash comes before it, nor is one.
        let mut after = Fingerprint([0; 16]);
        loop {
            let page = self.ask(async move |client| {
                let sql = format!(
                    "SELECT fingerprint, prompt, {}, {COLUMNS} FROM replies WHERE fingerprint > $1 \
                     ORDER BY fingerprint LIMIT {PAGE}",
                    time!("answered_at")
                );
                let rows = client.query(&sql, &[&after]).await?;
                rows.iter().map(archived).collect::<Result<Vec<_>, _>>()
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.fingerprint;
            page.into_iter().try_for_each(&mut *visit)?;
        }
    }

    pub(in crate::store) fn learnt(&self) -> Result<Vec<LearntAdaptation>, StoreError> {
        self.ask(async |client| {
            let sql = concat!(
                "SELECT endpoint, model, adaptation, ",
                time!("learnt_at"),
                " FROM adaptations ORDER BY 1, 2, 3"
            );
            let learnt = |row: &Row| {
                let (endpoint, model, adaptation) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
                Ok(LearntAdaptation { endpoint, model, adaptation, learnt_at: row.try_get(3)? })
            };
            client.query(sql, &[]).await?.iter().map(learnt).collect()
        })
    }

    pub(in crate::store) fn runs(&self) -> Result<Vec<ArchivedRun>, StoreError> {
        self.ask(async |client| {
            let sql = concat!(
                "SELECT id, ",
                time!("started_at"),
                ", ",
                time!("finished_at"),
                ", manifest FROM runs"
            );
            let run = |row: &Row| {
                let (id, started_at, finished_at) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
                Ok(ArchivedRun { id, started_at, finished_at, manifest: unescaped(row.try_get(3)?) })
            };
            client.query(sql, &[]).await?.iter().map(run).collect()
        })
    }

    /// Waits for what `question` comes to, for as long as the server is at work at it.
    fn ask<T, F>(&self, question: impl FnOnce(Arc<Client>) -> F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (server, process) = (Arc::clone(&self.server), self.process);
        let answer = question(Arc::clone(&self.client));
        let answer = wait(&self.handle, async move {
            let mut answer = pin!(answer);
            loop {
                match timeout(STALL, &mut answer).await {
                    Ok(answer) => return answer.map_err(Trouble::Said),
                    Err(_) if server.is_at_work(process).await? => {}
                    Err(_) => return answered(answer).await,
                }
            }
        });
        let gone = || Err(Trouble::Found(StoreError::Gone { place: self.server.place.clone() }));
        { answer.unwrap_or_else(gone) }.map_err(|trouble| trouble.lasting(&self.server.place))
    }
}

/// Waits for `work`, which the thread of `handle` does; nothing if that is gone.
fn wait<T: Send + 'static>(handle: &Handle, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let (done, answer) = mpsc::channel();
    handle.spawn(async move { done.send(work.await) });
    answer.recv().ok()
}

/// Writes these replies; `conflict` says what becomes of those whose question has one. Returns how many were written.
async fn insert(
    client: &Client,
    replies: impl Iterator<Item = &ArchivedReply>,
    conflict: &str,
) -> Result<u64, Error> {
    let mut rows = Rows::default();
    for ArchivedReply { fingerprint, reply, prompt, answered_at } in replies {
        let Some(StoredReply { reply, kind, run }) = reply else { continue };
        rows.push(*fingerprint, run, (*kind, reply), prompt.as_deref(), Some(answered_at));
    }
    let parameters = rows.into_parameters();
    let parameters: Vec<&(dyn ToSql + Sync)> =
        parameters.iter().map(|parameter| parameter.as_ref() as &(dyn ToSql + Sync)).collect();
    client.execute(&format!("{INSERT}{IN_ORDER}{conflict}"), &parameters).await
}

async fn count(client: &Client) -> Result<Contents, Error> {
    let counts = format!(
        "SELECT (SELECT count(*) FROM replies), (SELECT count(*) FROM replies WHERE kind = 'turn'), \
         (SELECT count(*) FROM failures), (SELECT count(*) FROM claims WHERE {}), (SELECT count(*) FROM runs), \
         (SELECT count(*) FROM runs WHERE finished_at IS NULL), (SELECT count(*) FROM replies WHERE prompt IS NOT NULL), \
         (SELECT sum(pg_total_relation_size(pg_class.oid))::bigint FROM pg_class \
         WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')",
        present("lease_until")
    );
    let row = client.query_one(&counts, &[]).await?;
    let mut contents = Contents {
        replies: number(&row, 0)?,
        turns: number(&row, 1)?,
        failures: number(&row, 2)?,
        claims: number(&row, 3)?,
        runs: number(&row, 4)?,
        unfinished: number(&row, 5)?,
        prompts: number(&row, 6)?,
        bytes: number(&row, 7)?,
        ..Contents::default()
    };
    let span =
        concat!("SELECT ", time!("min(answered_at)"), ", ", time!("max(answered_at)"), " FROM replies");
    let row = client.query_one(span, &[]).await?;
    contents.span = row.try_get::<_, Option<String>>(0)?.zip(row.try_get(1)?);
    let sums = "count(*), coalesce(sum(prompt_tokens), 0)::bigint, coalesce(sum(completion_tokens), 0)::bigint, \
                coalesce(sum(cost_usd), 0), count(*) - count(cost_usd)";
    let row = client.query_one(&format!("SELECT {sums} FROM wasted"), &[]).await?;
    contents.wasted = Wasted {
        questions: number(&row, 0)?,
        prompt_tokens: number(&row, 1)?,
        completion_tokens: number(&row, 2)?,
        cost_usd: row.try_get(3)?,
        unpriced: number(&row, 4)?,
    };
    let models = format!("SELECT {sums}, model FROM replies GROUP BY model ORDER BY 1 DESC, 6");
    for row in client.query(&models, &[]).await? {
        contents.models.push(ModelContents {
            model: row.try_get::<_, Option<&str>>(5)?.map(unescaped),
            replies: number(&row, 0)?,
            prompt_tokens: number(&row, 1)?,
            completion_tokens: number(&row, 2)?,
            cost_usd: row.try_get(3)?,
            unpriced: number(&row, 4)?,
        });
    }
    let purses = format!(
        "SELECT purse, sum(taken)::bigint, sum(spent)::bigint, \
         coalesce(sum(taken - spent) FILTER (WHERE taken > spent AND {}), 0)::bigint FROM purses GROUP BY purse ORDER BY purse",
        is_away("purses.run")
    );
    for row in client.query(&purses, &[]).await? {
        let amounts = [number(&row, 1)?, number(&row, 2)?, number(&row, 3)?];
        contents.purses.push(PurseContents::new(row.try_get(0)?, amounts));
    }
    Ok(contents)
}

/// A count.
fn number(row: &Row, column: usize) -> Result<u64, Error> {
    row.try_get(column).map(i64::cast_unsigned)
}

fn archived(row: &Row) -> Result<ArchivedReply, Error> {
    let fingerprint = row.try_get(0)?;
    Ok(ArchivedReply {
        fingerprint,
        reply: reply_row::read(fingerprint, row, 3),
        prompt: row.try_get::<_, Option<&str>>(1)?.map(unescaped),
        answered_at: row.try_get(2)?,
    })
}
