//! What a file says of itself before SQLite opens it to write: that changes a file, and only our own files may be changed.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::PATIENCE;

/// Bytes of the header, and how it begins.
const HEADER: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where in it the version and the mark of the program stand.
const VERSION: usize = 60;
const APPLICATION: usize = 68;

/// What a file is for the program whose mark (SQLite's `application_id`) was asked for.
pub(in crate::store) enum Origin {
    /// Empty, just being made by that program, or such that SQLite has to say why it cannot be read.
    Open,
    /// That program's, of this version (SQLite's `user_version`).
    Ours(i64),
    /// Anything else.
    Foreign,
}

/// Whose the file is. Nothing of it is changed.
pub(in crate::store) fn origin(path: &Path, application: i64) -> rusqlite::Result<Origin> {
    let mut header = Vec::new();
    match File::open(path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut header)) {
        Ok(0) | Err(_) => return Ok(Origin::Open),
        Ok(_) => {}
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(|bytes| i64::from(i32::from_be_bytes(bytes)))
    };
    let (true, Some(version), Some(stated)) =
        (header.starts_with(MAGIC), number(VERSION), number(APPLICATION))
    else {
        return Ok(Origin::Foreign);
    };
    Ok(match (stated, version) {
        (stated, version) if stated == application => Origin::Ours(version),
        (0, 0) if may_become_ours(path, application)? => Origin::Open,
        _ => Origin::Foreign,
    })
}

/// Whether nothing is in the file, or it is one of ours that is just being made: then its mark may be in the log still.
fn may_become_ours(path: &Path, application: i64) -> rusqlite::Result<bool> {
    let look = || -> rusqlite::Result<bool> {
        // To read only: who opens it to write moves the log into the file.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let stated: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let is_empty: bool =
            connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
        Ok(is_empty || stated == application)
    };
    let began = Instant::now();
    loop {
        match look() {
            // Somebody is making one of it, perhaps: SQLite does not wait for that.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}
