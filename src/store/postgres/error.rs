//! Converts errors of the server or its connection to errors of the store.

use std::error::Error as _;
use std::time::Duration;

use tokio_postgres::error::SqlState;

use crate::store::StoreError;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// What the server says, or the connection to it.
    Said(tokio_postgres::Error),
    /// Nothing was heard for so long.
    Silent(Duration),
    /// What was found there cannot be used.
    Found(StoreError),
}

/// What to do where somebody is not let in.
const PASSWORD: &str = "the user stands in the address, and the password there or in PGPASSWORD";
/// What to do where nobody answers.
const UNREACHED: &str = "check that the server runs and that host and port are right";
/// What to do where no encrypted connection comes about.
const UNENCRYPTED: &str =
    "sslmode and sslrootcert of the address say what is asked of its certificate (docs/scale.md)";

/// What to do where the server knows none.
const NO_TLS: &str = "sslmode=prefer of the address does without, and sslmode=disable does not ask for it";

/// How a server failed us.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is not there, and may be in a moment: the connection is gone, the server restarts or is full.
    Away(String),
    /// It is there, and somebody else's transaction stands in the way.
    Busy(String),
    /// It will be the same next time.
    Lasting(StoreError),
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Trouble {
        Trouble::Said(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Found(error)
    }
}

impl Trouble {
    /// What it means for the store shown as `place`.
    pub(super) fn fault(&self, place: &str) -> Fault {
        match self {
            Trouble::Silent(_) => Fault::Away(self.why()),
            Trouble::Said(error) if is_away(error) => Fault::Away(self.why()),
            Trouble::Said(error) if error.code().is_some_and(is_busy) => Fault::Busy(self.why()),
            _ => Fault::Lasting(self.lasting(place)),
        }
    }

    /// It as an error that stays, in words that say what to do.
    pub(super) fn lasting(&self, place: &str) -> StoreError {
        match self {
            Trouble::Found(error) => error.clone(),
            Trouble::Silent(_) => StoreError::Connect {
                place: place.to_owned(),
                why: self.why(),
                remedy: Some(UNREACHED.to_owned()),
            },
            Trouble::Said(error) => lasting(place, error),
        }
    }

    /// Whether somebody spoke who is a server of PostgreSQL, and lets nobody in just now.
    pub(super) fn is_of_server(&self) -> bool {
        let Trouble::Said(error) = self else { return false };
        error.code().is_some_and(|code| *code != SqlState::TOO_MANY_CONNECTIONS)
    }

    fn why(&self) -> String {
        match self {
            Trouble::Said(error) => said(error),
            Trouble::Silent(time) => format!("no answer for {} seconds", time.as_secs()),
            Trouble::Found(error) => error.to_string(),
        }
    }
}

fn is_away(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        // Of the connection, not of a value that cannot be read.
        let of_stream = error.source().is_some_and(|source| source.is::<std::io::Error>());
        return error.is_closed() || of_stream;
    };
    let passing = [
        &SqlState::TOO_MANY_CONNECTIONS,
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        // What was the main server has become a copy of another one.
        &SqlState::READ_ONLY_SQL_TRANSACTION,
        // A statement took longer than a server that is well takes: it may be overloaded, and is not waited for without end.
        &SqlState::QUERY_CANCELED,
    ];
    code.code().starts_with("08") || passing.contains(&code)
}

fn is_busy(code: &SqlState) -> bool {
    let busy = [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::LOCK_NOT_AVAILABLE,
    ];
    busy.contains(&code)
}

fn lasting(place: &str, error: &tokio_postgres::Error) -> StoreError {
    let (place, why) = (place.to_owned(), said(error));
    let connect = |remedy: &str| {
        let remedy = (!remedy.is_empty()).then(|| remedy.to_owned());
        StoreError::Connect { place: place.clone(), why: why.clone(), remedy }
    };
    match error.code() {
        Some(code)
            if [&SqlState::INVALID_PASSWORD, &SqlState::INVALID_AUTHORIZATION_SPECIFICATION]
                .contains(&code) =>
        {
            connect(PASSWORD)
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            connect("the database must be there; the tables are made in it")
        }
        Some(code) if *code == SqlState::TOO_MANY_CONNECTIONS => {
            connect("each run takes two connections: raise max_connections, or start fewer runs at once")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Rights { place, why },
        Some(code) if *code == SqlState::DISK_FULL => StoreError::Full { place },
        Some(code) if code.code().starts_with("08") || *code == SqlState::CANNOT_CONNECT_NOW => connect(""),
        // A value that is not what it was written as.
        None if ["error deserializing", "error serializing", "query returned"]
            .iter()
            .any(|it| error.to_string().starts_with(it)) =>
        {
            StoreError::Failed { place, why }
        }
        None if why.contains("password") => connect(PASSWORD),
        None if why.contains("does not support TLS") => connect(NO_TLS),
        None if error.to_string().contains("TLS") => connect(UNENCRYPTED),
        None if why.contains("does not allow writes") => {
            connect("name the main server, and not a copy of it")
        }
        None if ["read only", "channel binding"].iter().any(|word| why.contains(word)) => connect(""),
        None => connect(UNREACHED),
        Some(_) => StoreError::Failed { place, why },
    }
}

/// What `error` says, once: the cause where it has one, since what is around it says the same with fewer words.
fn said(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    match error.source() {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    }
}
