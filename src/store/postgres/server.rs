//! The server of a store: how to connect, and how each session begins.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use secrecy::ExposeSecret;
use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, Error, NoTls, Statement};

use super::error::Trouble;
use super::tls::Tls;
use super::{STALL, answered};
use crate::domain::did_you_mean;
use crate::store::StoreError;
use crate::store::place::Address;

/// How long a host may take to answer at first.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a silent connection is trusted before either side asks whether the other is still there; how long until it asks again, and
/// how often, before the connection counts as broken; how long what was sent may stay without a word. In seconds, but for the third.
const SILENCE: [u32; 4] = [5, 3, 3, 15];

/// How long a statement may take that waits for a lock: [`BRISK`] has it give up before.
const LOCKED: Duration = Duration::from_secs(6);

/// How long a server that went away is waited for, unless the address says otherwise.
const PATIENCE: Duration = Duration::from_secs(120);

/// Options of an address that are ours to read.
const OWN: &[&str] = &["patience", "schema", "sslmode", "sslrootcert"];

/// All options of an address.
const OPTIONS: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "patience",
    "port",
    "schema",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// What a session that asks and claims begins with. Its tables grow while it lasts and its statements are planned once: they must go
/// by the indexes, which also keeps their rows in order. What it begins it ends at once, or it hangs and must hold up nobody. The server
/// gives up a statement before we give up the server, and tells: a lock that others hold is no silence.
const BRISK: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; \
     SET plan_cache_mode = force_generic_plan; SET lock_timeout = '4s'; SET statement_timeout = '20s'; \
     SET idle_in_transaction_session_timeout = '10s'";

/// A schema on a server, and the way there.
pub(in crate::store) struct Server {
    /// As it may be shown.
    pub(super) place: String,
    pub(super) schema: String,
    /// How long a server that went away is waited for.
    pub(super) patience: Duration,
    /// How long it may take to let us in.
    deadline: Duration,
    config: Config,
    tls: Option<Tls>,
}

/// A connection with its prepared statements.
pub(super) struct Session {
    pub client: Client,
    pub statements: Vec<Statement>,
}

impl Server {
    pub(super) fn new(address: &Address) -> Result<Arc<Server>, StoreError> {
        let wrong = |why: String| StoreError::Address { why };
        let (url, own) = address.apart(OWN);
        let option =
            |key: &str| own.iter().rev().find(|(own, _)| own == key).map(|(_, value)| value.as_str());
        // What it says may be part of a password.
        let mut config: Config = url.expose_secret().parse().map_err(|_| {
            let meant = Address::keys(url.expose_secret()).map(meant).collect::<String>();
            wrong(format!(
                "an option of the address {address} is unknown or has no valid value{meant}; docs/scale.md lists them"
            ))
        })?;
        if config.get_hosts().is_empty() {
            return Err(wrong(format!("the address {address} names no host")));
        }
        let authorities = option("sslrootcert");
        let (mode, tls) = match option("sslmode") {
            Some("disable") => (SslMode::Disable, None),
            None | Some("prefer") => (SslMode::Prefer, Some(Tls::unverified())),
            Some("require") if authorities.is_none() => (SslMode::Require, Some(Tls::unverified())),
            Some("verify-full") => (SslMode::Require, Some(Tls::verified(authorities))),
            Some("require") => return Err(wrong("sslrootcert goes with sslmode=verify-full".to_owned())),
            Some(_) => {
                let known = "disable, prefer (the default), require and verify-full";
                return Err(wrong(format!("sslmode of the address {address} is none of {known}")));
            }
        };
        let patience = match option("patience").map(str::parse::<u16>) {
            None => PATIENCE,
            Some(Ok(seconds)) => Duration::from_secs(seconds.into()),
            Some(Err(_)) => {
                return Err(wrong(format!("patience of the address {address} is no number of seconds")));
            }
        };
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("tooljudge");
        }
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            // Of several hosts, the one that can be written to.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        config.ssl_mode(mode);
        let [idle, interval, count, unheard] = SILENCE;
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let is_left_open = |option: &str| !url.expose_secret().contains(&format!("{option}="));
        if is_left_open("keepalives_idle") {
            config.keepalives_idle(seconds(idle));
        }
        if is_left_open("keepalives_interval") {
            config.keepalives_interval(seconds(interval));
        }
        if is_left_open("keepalives_retries") {
            config.keepalives_retries(count);
        }
        if is_left_open("tcp_user_timeout") {
            config.tcp_user_timeout(seconds(unheard));
        }
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
        let deadline = config.get_connect_timeout().copied().unwrap_or(CONNECT).saturating_mul(hosts);
        let tls = tls.transpose().map_err(wrong)?;
        Ok(Arc::new(Server {
            place: address.to_string(),
            schema: address.schema.clone(),
            patience,
            deadline,
            config,
            tls,
        }))
    }

    /// A new connection, driven by the runtime at hand. Whoever takes it and says nothing is no server.
    pub(super) async fn connect(&self) -> Result<Client, Trouble> {
        let reached = timeout(self.deadline, self.reach()).await;
        reached.map_or(Err(Trouble::Silent(self.deadline)), |reached| reached.map_err(Trouble::Said))
    }

    async fn reach(&self) -> Result<Client, Error> {
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await?;
                tokio::spawn(connection);
                client
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                tokio::spawn(connection);
                client
            }
        };
        let [idle, interval, count, unheard] = SILENCE;
        // A machine that is gone says no farewell, and its locks stay until the server has noticed. Not every server has every setting.
        let begin = format!(
            "SET search_path TO {}; SET TimeZone = 'UTC'; SET client_min_messages = warning; SET standard_conforming_strings = on; \
             SELECT set_config(name, value::text, false) FROM pg_settings JOIN (VALUES ('tcp_keepalives_idle', {idle}), \
             ('tcp_keepalives_interval', {interval}), ('tcp_keepalives_count', {count}), ('tcp_user_timeout', {unheard}000)) \
             AS ours (name, value) USING (name)",
            self.quoted_schema()
        );
        client.batch_execute(&begin).await?;
        Ok(client)
    }

    /// The same for questions and claims, with these statements prepared.
    pub(super) async fn begin(&self, statements: &[String]) -> Result<Session, Trouble> {
        let client = self.connect().await?;
        answered(client.batch_execute(BRISK)).await?;
        let statements = answered(try_join_all(statements.iter().map(|sql| client.prepare(sql)))).await?;
        Ok(Session { client, statements })
    }

    /// Whether the server's `process` is doing something: a connection that is silent may be broken.
    #[cfg(feature = "cli")]
    pub(super) async fn is_at_work(&self, process: i32) -> Result<bool, Trouble> {
        let client = self.connect().await?;
        let sql = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active')";
        Ok(answered(client.query_one(sql, &[&process])).await?.try_get(0)?)
    }

    /// Says that somebody else's transaction stands in the way of what is asked: that is waited for, however long it takes.
    pub(super) fn tell_busy(&self, why: &str) -> String {
        let text = format!("is locked by somebody else ({why}); waiting until it is free");
        tracing::info!("the reply store {} {text}", self.place);
        text
    }

    /// What is said of it while nothing is known but that an answer takes long.
    pub(super) fn silence(&self) -> String {
        format!("does not answer; waiting, for {} seconds at most", self.patience.as_secs())
    }

    /// How long so many `statements` may take together: each may wait for a lock, one after the other, and there must be time for another
    /// attempt.
    pub(super) fn longest(&self, statements: usize) -> Duration {
        let statements = u32::try_from(statements).unwrap_or(u32::MAX);
        (self.patience / 2).max(LOCKED.saturating_mul(statements)).min(STALL.saturating_mul(statements))
    }

    /// Says that the server is away.
    pub(super) fn tell_away(&self, why: &str) -> String {
        let patience = self.patience.as_secs();
        let text = format!("does not answer ({why}); trying again, for {patience} seconds at most");
        tracing::info!("the reply store {} {text}", self.place);
        text
    }

    /// The name of the schema as statements have it.
    pub(super) fn quoted_schema(&self) -> String {
        format!("\"{}\"", self.schema.replace('"', "\"\""))
    }
}

/// What was probably meant instead of an option called `key` that nobody knows. What it is called is not shown: it may be part of a
/// password.
fn meant(key: &str) -> String {
    let meant =
        if OPTIONS.contains(&key) { String::new() } else { did_you_mean(key, OPTIONS.iter().copied()) };
    meant.trim_end_matches('?').to_owned()
}

impl std::fmt::Debug for Server {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Server({})", self.place)
    }
}
