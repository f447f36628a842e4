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
/// Where in it the format stands (2: changes are written ahead), the version and the mark of the program.
const FORMAT: usize = 18;
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
        // One that is just being made has its mark in the log still.
        (0, 0) if header.get(FORMAT) == Some(&2) => Ok(()),
        (0, 0) if !has_tables(path)? => Ok(()),
        _ => Err(not_ours()),
    }
}

fn has_tables(path: &Path) -> Result<bool, StoreError> {
    let look = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
    };
    match look() {
        // Somebody is making a store of it, perhaps.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        outcome => outcome.map_err(|error| error::of(path, &error)),
    }
}
