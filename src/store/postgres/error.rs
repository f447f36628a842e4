//! What the server or the way to it says, as an error of the store.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use crate::store::StoreError;

/// How a server failed us.
#[derive(Debug)]
pub(super) enum Fault {
    /// It may be otherwise in a moment: the connection is gone, the server restarts or is full, two transactions stood in each
    /// other's way.
    Passing(String),
    /// It will be the same next time.
    Lasting(StoreError),
}

/// What `error` means for the store shown as `place`.
pub(super) fn fault(place: &str, error: &tokio_postgres::Error) -> Fault {
    if is_passing(error) { Fault::Passing(said(error)) } else { Fault::Lasting(lasting(place, error)) }
}

fn is_passing(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        // Of the connection, not of a value that cannot be read.
        let of_stream = error.source().is_some_and(|source| source.is::<std::io::Error>());
        return error.is_closed() || of_stream;
    };
    let passing = [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::TOO_MANY_CONNECTIONS,
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        &SqlState::QUERY_CANCELED,
        &SqlState::LOCK_NOT_AVAILABLE,
        // What was the main server has become a copy of another one.
        &SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    code.code().starts_with("08") || passing.contains(&code)
}

/// An error that stays, in words that say what to do.
pub(super) fn lasting(place: &str, error: &tokio_postgres::Error) -> StoreError {
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
            connect("the password stands in the address or in PGPASSWORD")
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
        None => connect(""),
        Some(_) => StoreError::Failed { place, why },
    }
}

/// What `error` says, once: the cause where it has one, since what is around it says the same with fewer words.
pub(super) fn said(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    match error.source() {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    }
}
