//! What a file says of itself before SQLite opens it to write: that changes a file, and only our own stores may be changed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{APPLICATION_ID, PATIENCE, error, upgrade};
use crate::store::StoreError;

/// Bytes of the header, and how it begins.
const HEADER: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where in it the version and the mark of the program stand.
const VERSION: usize = 60;
const APPLICATION: usize = 68;

/// Refuses a file that is no store of ours, or one of a version that cannot be used. One that cannot be read is left to SQLite, which
/// says why.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let mut header = Vec::new();
    let Ok(read) = File::open(path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut header)) else {
        return Ok(());
    };
    if read == 0 {
        return Ok(());
    }
    let not_ours = || StoreError::NotOurs { place: path.display().to_string() };
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(|bytes| i64::from(i32::from_be_bytes(bytes)))
    };
    let (true, Some(version), Some(application)) =
        (header.starts_with(MAGIC), number(VERSION), number(APPLICATION))
    else {
        return Err(not_ours());
    };
    match (application, version) {
        (APPLICATION_ID, version) => upgrade::check(path, version),
        (0, 0) if may_become_ours(path)? => Ok(()),
        _ => Err(not_ours()),
    }
}

/// Whether nothing is in the file, or it is one of ours that is just being made: then its mark may be in the log still.
fn may_become_ours(path: &Path) -> Result<bool, StoreError> {
    let look = || -> rusqlite::Result<bool> {
        // To read only: who opens it to write moves the log into the file.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let is_empty: bool =
            connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
        Ok(is_empty || application == APPLICATION_ID)
    };
    match look() {
        // Somebody is making a store of it, perhaps.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(true),
        outcome => outcome.map_err(|error| error::of(path, &error)),
    }
}
