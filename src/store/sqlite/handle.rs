//! A connection to a file, and which files this process has open. On Unix, a process that closes a file drops every lock that it holds
//! on it, whoever set them. Another program would then take itself for the last user of the file and remove its log. So while a file is
//! in use here, nobody but SQLite opens it, which knows of this.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

/// A file, whatever it is called: its device and its number there.
type Identity = (u64, u64);

/// How many handles of this process a file has.
static IN_USE: Mutex<BTreeMap<Identity, usize>> = Mutex::new(BTreeMap::new());

/// A connection, counted for as long as it lives.
#[derive(Debug)]
pub(in crate::store) struct Handle {
    connection: Connection,
    /// Goes after the connection.
    _counted: Counted,
}

/// `None` where the system has no such numbers, and no such locks.
#[derive(Debug)]
struct Counted(Option<Identity>);

impl Handle {
    /// What `connect` gives for the file at `path`. Before that, `look` may look at the file by itself, unless this process has it
    /// open: then it was looked at before.
    ///
    /// # Errors
    /// Those of both.
    pub(in crate::store) fn open<E>(
        path: &Path,
        look: impl FnOnce() -> Result<(), E>,
        connect: impl FnOnce() -> Result<Connection, E>,
    ) -> Result<Handle, E> {
        let counted = {
            let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
            let identity = identity(path);
            if identity.is_none_or(|identity| !in_use.contains_key(&identity)) {
                look()?;
            }
            if let Some(identity) = identity {
                *in_use.entry(identity).or_default() += 1;
            }
            Counted(identity)
        };
        Ok(Handle { connection: connect()?, _counted: counted })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let Some(identity) = self.0 else { return };
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = in_use.get_mut(&identity) {
            *count -= 1;
            if *count == 0 {
                in_use.remove(&identity);
            }
        }
    }
}

impl Deref for Handle {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Handle {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// Absent where there is no file.
pub(in crate::store) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}
