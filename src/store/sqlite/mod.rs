//! A store in an SQLite file, shared by all runs on a machine.

#[cfg(feature = "cli")]
pub(super) mod archive;
mod error;
pub(super) mod handle;
pub(super) mod header;
mod line;
mod lock_owner;
mod purse;
pub(super) mod reader;
mod reply_row;
mod run_lock;
mod upgrade;
mod writer;

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::job::Job;
use super::{Seen, StoreError};
use handle::Handle;
use upgrade::migrate;
use writer::Writer;

/// Marks the file as ours: "tjdg".
const APPLICATION_ID: i64 = 0x746a_6467;

/// How long a lock of another process is waited for.
const PATIENCE: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(30) };

/// Opens the store at `path`, creating it (mode 0600) and its folder if need be: where its writing thread takes jobs, and that thread.
pub(super) fn open(
    path: &Path,
    run: &str,
    seen: &Arc<Seen>,
) -> Result<(mpsc::Sender<Job>, JoinHandle<()>), StoreError> {
    create_private(path)?;
    let connection = connect(path)?;
    migrate(&connection, path)?;
    let (jobs, queue) = mpsc::channel();
    let writer = Writer::new(connection, path.to_owned(), run.to_owned(), Arc::clone(seen))
        .map_err(|error| error::of(path, &error))?;
    let thread = std::thread::Builder::new()
        .name("store".to_owned())
        .spawn(move || writer.serve(&queue))
        .map_err(|error| StoreError::Open { place: path.display().to_string(), why: error.to_string() })?;
    Ok((jobs, thread))
}

fn create_private(path: &Path) -> Result<(), StoreError> {
    private_file(path)
        .map_err(|why| StoreError::Open { place: path.display().to_string(), why: why.to_string() })
}

/// Makes the file at `path` and its folder if need be, for its owner's eyes only.
pub(super) fn private_file(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    // One that is there may be in use.
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // A link to where there is nothing yet: SQLite would make that for all eyes.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && !path.exists() => {
            options.create_new(false).create(true).truncate(false).open(path).map(drop)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

fn connect(path: &Path) -> Result<Handle, StoreError> {
    let wrap = |error| error::of(path, &error);
    let look = || match header::origin(path, APPLICATION_ID).map_err(wrap)? {
        header::Origin::Ours(version) => upgrade::check(path, version),
        header::Origin::Open => Ok(()),
        header::Origin::Foreign => Err(StoreError::NotOurs { place: path.display().to_string() }),
    };
    Handle::open(path, look, || durable(path).map_err(wrap))
}

/// A connection whose commits reach the disk before anybody is told: a lost reply is a paid call, and a lost mark somebody's work.
pub(super) fn durable(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Has changes written ahead, so that readers and a writer do not wait for each other.
///
/// Of two that ask so of a new file at once, each would wait for the other; SQLite refuses one of them without any wait.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
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

#[cfg(test)]
mod tests;
