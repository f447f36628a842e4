//! The thread that owns the writing connection.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{sleep, timeout};
use tokio_postgres::Error;

use super::batch::{Answers, Known, Pipeline, add_claims, add_outcomes, together};
use super::error::{Fault, Trouble};
use super::server::{Server, Session};
use super::statements::{self, Write};
use super::{PAUSES, STALL, answered, schema};
use crate::domain::{Given, Granted};
use crate::store::job::{BATCH, CommitAck, Job, Op, Written};
use crate::store::lease_clock::{LEASE, RENEWAL};
use crate::store::stored_reply::StoredReply;
use crate::store::{Access, Claim, Fingerprint, Reuse, Seen, StoreError};

/// A question that is alone sends its answer and the claim of the next one: more than these are a crowd.
const ALONE: usize = 2;
/// How long a crowd is let grow before it is sent off together.
const GATHER: Duration = Duration::from_millis(2);

/// A claim of this run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// Whether any reply would have settled the question.
    pub any_reply: bool,
    /// Another run has it now.
    is_lost: bool,
}

pub(super) struct Writer {
    server: Arc<Server>,
    run: String,
    access: Access,
    seen: Arc<Seen>,
    session: Option<Session>,
    statements: Vec<String>,
    /// What this run has claimed and not settled.
    held: HashMap<Fingerprint, Held>,
    /// Claims that were made and turned out to be needless: they are dropped with what is sent next.
    needless: Vec<Fingerprint>,
    /// What this run has joined.
    joined: BTreeSet<(String, String)>,
    /// Claims of other runs whose lease is over, with that lease and since when we know.
    overdue: HashMap<Fingerprint, (SystemTime, Instant)>,
    renewed: Option<Instant>,
    /// Operations that had a number: none is given twice, whatever became of the one that had it.
    numbered: i64,
    /// Why nothing is written any more.
    lost: Option<StoreError>,
}

impl Writer {
    pub(super) fn new(server: Arc<Server>, run: String, access: Access, seen: Arc<Seen>) -> Writer {
        Writer {
            server,
            run,
            access,
            seen,
            session: None,
            statements: statements::all(),
            held: HashMap::new(),
            needless: Vec::new(),
            joined: BTreeSet::new(),
            overdue: HashMap::new(),
            renewed: None,
            numbered: 0,
            lost: None,
        }
    }

    /// Makes what is missing, and clears away what dead runs have left. A server that is away at first is not waited for: its address
    /// may be wrong. One that has spoken is.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        let server = Arc::clone(&self.server);
        let (mut heard, mut pause, mut is_known) = (Instant::now(), PAUSES[0], false);
        loop {
            let Err(trouble) = self.try_begin(&mut is_known).await else { return Ok(()) };
            is_known |= trouble.is_of_server();
            let why = match trouble.fault(&server.place) {
                Fault::Lasting(error) => return Err(error),
                Fault::Busy(why) => {
                    server.tell_busy(&why);
                    (heard, pause) = (Instant::now(), PAUSES[0]);
                    sleep(pause).await;
                    continue;
                }
                Fault::Away(why) => why,
            };
            if !is_known || heard.elapsed() >= server.patience {
                return Err(trouble.lasting(&server.place));
            }
            server.tell_away(&why);
            sleep(pause).await;
            pause = (2 * pause).min(PAUSES[1]);
        }
    }

    async fn try_begin(&mut self, is_known: &mut bool) -> Result<(), Trouble> {
        let mut client = self.server.connect().await?;
        *is_known = true;
        let rights = match self.access {
            Access::Read => schema::TO_READ,
            Access::Write => schema::ALL_RIGHTS,
        };
        schema::migrate(&mut client, &self.server, rights).await?;
        drop(client);
        let session = self.connect().await?;
        if self.access == Access::Write {
            for sql in statements::tidy() {
                answered(session.client.execute(&sql, &[])).await?;
            }
        }
        self.session = Some(session);
        Ok(())
    }

    /// Commits whatever is queued, until the last sender is gone.
    pub(super) async fn serve(mut self, mut queue: UnboundedReceiver<Job>) {
        let mut is_crowded = false;
        loop {
            let mut jobs = Vec::new();
            match timeout(RENEWAL, queue.recv_many(&mut jobs, BATCH)).await {
                Ok(0) => break,
                Ok(_) if is_crowded => {
                    sleep(GATHER).await;
                    while jobs.len() < BATCH
                        && let Ok(job) = queue.try_recv()
                    {
                        jobs.push(job);
                    }
                }
                Ok(_) | Err(_) => {}
            }
            is_crowded = jobs.len() > ALONE;
            loop {
                let (batch, later) = together(jobs);
                self.commit(batch).await;
                if later.is_empty() {
                    break;
                }
                jobs = later;
            }
        }
        // What stays behind is void when its lease is over.
        if self.lost.is_some() || self.access == Access::Read {
            return;
        }
        if !self.is_connected() {
            self.session = self.connect().await.ok();
        }
        if let Some(Session { client, .. }) = &self.session {
            for sql in statements::leave() {
                let _ = answered(client.execute(&sql, &[&self.run])).await;
            }
        }
    }

    fn is_connected(&self) -> bool {
        self.session.as_ref().is_some_and(|session| !session.client.is_closed())
    }

    /// Writes `jobs`, and tells everyone who waits.
    async fn commit(&mut self, jobs: Vec<Job>) {
        let outcome = self.persist(&jobs).await;
        self.numbered += jobs.len() as i64;
        let ack = match outcome {
            Ok(written) => {
                jobs.into_iter().zip(written).map(|(job, written)| (job.done, Ok(written))).collect()
            }
            Err(error) => jobs.into_iter().map(|job| (job.done, Err(error.clone()))).collect(),
        };
        CommitAck::tell(ack);
    }

    /// Tries for as long as the server is given to come back.
    async fn persist(&mut self, jobs: &[Job]) -> Result<Vec<Written>, StoreError> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let (mut heard, mut pause) = (Instant::now(), PAUSES[0]);
        let seen = Arc::clone(&self.seen);
        let wait = seen.outage.wait(self.server.silence());
        loop {
            let trouble = match self.attempt(jobs).await {
                Ok(written) => {
                    // Apart from the attempt, which counts as a whole or not at all.
                    let _ = timeout(STALL, self.watch_overdue(jobs, &written)).await;
                    return Ok(written);
                }
                Err(trouble) => trouble,
            };
            // Whatever the server has heard of it: all of it is said again.
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
            self.session = None;
            if heard.elapsed() >= self.server.patience {
                let (place, seconds) = (self.server.place.clone(), heard.elapsed().as_secs());
                let lost = StoreError::Lost { place, seconds, why };
                self.lost = Some(lost.clone());
                return Err(lost);
            }
            wait.because(self.server.tell_away(&why));
            sleep(pause).await;
            pause = (2 * pause).min(PAUSES[1]);
        }
    }

    async fn connect(&self) -> Result<Session, Trouble> {
        let session = self.server.begin(&self.statements).await?;
        answered(session.client.execute(&statements::hold_lock(), &[&self.run])).await?;
        Ok(session)
    }

    async fn attempt(&mut self, jobs: &[Job]) -> Result<Vec<Written>, Trouble> {
        if !self.is_connected() {
            self.session = Some(self.connect().await?);
            self.renewed = None;
        }
        let Some(session) = &self.session else { return Ok(Vec::new()) };
        let now = (Instant::now(), SystemTime::now());
        let renews = self.renewed.is_none_or(|renewed| now.0.duration_since(renewed) >= RENEWAL);
        let mut pipeline = Pipeline::new(session);
        let mut joined = self.joined.clone();
        for Job { op, .. } in jobs {
            match op {
                Op::Join { endpoint, model } => drop(joined.insert((endpoint.clone(), model.clone()))),
                Op::Leave { endpoint, model } => drop(joined.remove(&(endpoint.clone(), model.clone()))),
                _ => {}
            }
        }
        let held = self.held.iter().filter(|(_, held)| !held.is_lost);
        let held: Vec<Fingerprint> = held.map(|(fingerprint, _)| *fingerprint).collect();
        if renews && !held.is_empty() {
            pipeline.add(Write::Renew, vec![Box::new(held), Box::new(&self.run)]);
        }
        if (renews || joined != self.joined) && !joined.is_empty() {
            let (endpoints, models): (Vec<String>, Vec<String>) = joined.iter().cloned().unzip();
            pipeline.add(Write::Join, vec![Box::new(endpoints), Box::new(models), Box::new(&self.run)]);
        }
        // Looking for replies of others costs the server a fifth more.
        let may_be_late = self.renewed.is_none()
            || self.seen.lease_clock.is_late()
            || self.held.values().any(|held| held.is_lost);
        let late = may_be_late
            .then_some(|fingerprint| self.held.get(&fingerprint).is_none_or(|held: &Held| held.any_reply));
        add_outcomes(&mut pipeline, jobs, &self.run, (&self.needless, self.numbered), late);
        let hung = |fingerprint| {
            let overdue: Option<&(SystemTime, Instant)> = self.overdue.get(&fingerprint);
            overdue.filter(|(_, since)| since.elapsed() >= LEASE).map(|(lease_until, _)| *lease_until)
        };
        add_claims(&mut pipeline, jobs, &self.run, hung);
        let answers = pipeline.run(&self.server).await?;
        // It is committed: from here on it counts.
        let claimed = prints(&answers, Write::Claim)?;
        let renewed = prints(&answers, Write::Renew)?;
        let (known, given, granted) = (answers.known()?, answers.given()?, answers.granted()?);
        self.joined = joined;
        self.needless.clear();
        if renews {
            self.keep_renewed(now, &renewed);
        }
        Ok(self.settle(jobs, &claimed, &known, (given, granted)))
    }

    /// All claims were renewed at `now`, but for those that another run has, or has had and answered.
    fn keep_renewed(&mut self, now: (Instant, SystemTime), renewed: &HashSet<Fingerprint>) {
        let mut has_lost = false;
        for (fingerprint, held) in &mut self.held {
            if !held.is_lost && !renewed.contains(fingerprint) {
                (held.is_lost, has_lost) = (true, true);
            }
        }
        if has_lost {
            self.seen.lease_clock.lapsed();
        }
        self.renewed = Some(now.0);
        self.seen.lease_clock.renewed(now);
    }

    /// What each of `jobs` came to, once it is committed.
    fn settle(
        &mut self,
        jobs: &[Job],
        claimed: &HashSet<Fingerprint>,
        known: &HashMap<Fingerprint, Known>,
        (given, granted): (Vec<Given>, Vec<Granted>),
    ) -> Vec<Written> {
        let (mut given, mut granted) = (given.into_iter(), granted.into_iter());
        for Job { op, .. } in jobs {
            match op {
                Op::Answer { fingerprint, .. }
                | Op::Fail { fingerprint, .. }
                | Op::Release { fingerprint } => {
                    self.held.remove(fingerprint);
                }
                _ => {}
            }
        }
        let written = jobs.iter().map(|Job { op, .. }| match op {
            Op::Claim { fingerprint, reuse } => {
                let is_ours = claimed.contains(fingerprint);
                Written::Claim(self.claim(*fingerprint, *reuse, is_ours, known.get(fingerprint)))
            }
            Op::Take { .. } => Written::Given(given.next().unwrap_or_default()),
            Op::Grant { .. } => Written::Granted(granted.next().unwrap_or_default(), Instant::now()),
            _ => Written::Kept,
        });
        written.collect()
    }

    fn claim(
        &mut self,
        fingerprint: Fingerprint,
        reuse: Reuse,
        is_ours: bool,
        known: Option<&Known>,
    ) -> Claim {
        let counts = |stored: &StoredReply| match reuse {
            Reuse::All => true,
            Reuse::OwnOnly => stored.run == self.run,
            Reuse::Nothing => false,
        };
        let is_answered = known.and_then(|known| known.reply.as_ref()).is_some_and(counts);
        if is_answered || known.is_some_and(|known| known.failed_here) {
            if is_ours && !self.held.contains_key(&fingerprint) {
                self.needless.push(fingerprint);
            }
            return if is_answered { Claim::Answered } else { Claim::Pending };
        }
        if !is_ours {
            return Claim::Theirs;
        }
        let held = Held { any_reply: reuse == Reuse::All, is_lost: false };
        if self.held.insert(fingerprint, held).is_some_and(|held| !held.is_lost) {
            return Claim::Pending;
        }
        self.overdue.remove(&fingerprint);
        let is_damaged = known.is_some_and(|known| known.is_damaged);
        self.seen.damaged.fetch_add(is_damaged.into(), Ordering::Relaxed);
        Claim::Ours
    }

    /// Remembers which claims of other runs should have been renewed: a run that hangs keeps its lock. What comes late here is seen
    /// at the next claim.
    async fn watch_overdue(&mut self, jobs: &[Job], written: &[Written]) {
        let is_theirs = |written: &Written| matches!(written, Written::Claim(Claim::Theirs));
        let theirs = jobs.iter().zip(written).filter(|(_, written)| is_theirs(written));
        let theirs: Vec<Fingerprint> = theirs.filter_map(|(job, _)| job.claimed()).collect();
        let Some(Session { client, statements }) = self.session.as_ref().filter(|_| !theirs.is_empty())
        else {
            return;
        };
        let Ok(rows) = client.query(&statements[Write::Overdue as usize], &[&theirs]).await else { return };
        let found: HashMap<Fingerprint, SystemTime> =
            rows.iter().filter_map(|row| Some((row.try_get(0).ok()?, row.try_get(1).ok()?))).collect();
        for fingerprint in theirs {
            match found.get(&fingerprint) {
                None => drop(self.overdue.remove(&fingerprint)),
                Some(lease_until) => {
                    let since = self.overdue.entry(fingerprint).or_insert((*lease_until, Instant::now()));
                    if since.0 != *lease_until {
                        *since = (*lease_until, Instant::now());
                    }
                }
            }
        }
    }
}

/// The questions that a statement returned.
fn prints(answers: &Answers, statement: Write) -> Result<HashSet<Fingerprint>, Error> {
    answers.of(statement).map(|row| row.try_get(0)).collect()
}
