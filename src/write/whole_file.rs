//! Writes a file completely or not at all: beside its target, flushed to disk, renamed.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;
use super::append::lock;

/// How the names of unfinished files begin and end.
const PREFIX: &str = ".tooljudge-";
const SUFFIX: &str = ".part";

/// A file on its way to `path`; dropped before [`WholeFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(super) struct WholeFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl WholeFile {
    pub(super) fn create(path: &Path) -> Result<WholeFile, WriteError> {
        // The permissions any new file would get, instead of a temporary file's.
        WholeFile::create_with(path, 0o666)
    }

    fn create_with(path: &Path, mode: u32) -> Result<WholeFile, WriteError> {
        // Where a link stands, the file that it leads to is meant.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
        let named = |error: io::Error| WriteError::io(path, &without_name(&error));
        loop {
            let file = builder.tempfile_in(folder(path)).map_err(named)?;
            // Marks it as one that is being written. Where files cannot be locked nobody sweeps them away either.
            let swept = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
            if !swept && file.path().exists() {
                return Ok(WholeFile { path: path.to_owned(), file });
            }
        }
    }

    /// A second handle to write through.
    pub(super) fn writer(&self) -> Result<File, WriteError> {
        self.file.as_file().try_clone().map_err(|error| WriteError::io(&self.path, &error))
    }

    /// Puts the file in its place; returns its size. Everything written through a writer must be flushed.
    pub(super) fn commit(self) -> Result<u64, WriteError> {
        self.commit_after(|_| Ok(()))
    }

    /// As [`WholeFile::commit`]; tells the size to `announce` when all is on disk and nothing is in its place yet.
    pub(super) fn commit_after(
        self,
        announce: impl FnOnce(u64) -> Result<(), WriteError>,
    ) -> Result<u64, WriteError> {
        self.file.as_file().sync_all().map_err(|error| WriteError::io(&self.path, &error))?;
        let bytes = self.file.as_file().metadata().map_err(|error| WriteError::io(&self.path, &error))?.len();
        let folder = File::open(folder(&self.path));
        // Of two runs that end at once, the second sees what the first has announced. Where a folder cannot be locked, that is left to chance.
        if let Ok(folder) = &folder {
            let _ = lock(folder);
        }
        announce(bytes)?;
        self.place()?;
        // Without this the new name itself may be lost in a power cut. Not every file system can do it.
        if let Ok(folder) = folder {
            let _ = folder.sync_all();
        }
        Ok(bytes)
    }

    fn place(mut self) -> Result<(), WriteError> {
        std::fs::rename(self.file.path(), &self.path).map_err(|error| WriteError::io(&self.path, &error))?;
        self.file.disable_cleanup(true);
        Ok(())
    }
}

/// Removes what runs that were killed have left in the folder of `path`: files that nobody is writing any more.
pub(super) fn sweep(path: &Path) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Ok(entries) = std::fs::read_dir(folder(&path)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        // Those that cannot be opened or removed are somebody else's.
        if is_ours
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes a small file whole. A power cut may lose it.
pub(super) fn write_lightly(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let file = WholeFile::create(path)?;
    file.writer()?.write_all(content).map_err(|error| WriteError::io(path, &error))?;
    file.place()
}

/// Writes a small file whole.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<u64, WriteError> {
    write_to(WholeFile::create(path)?, path, content)
}

/// Writes a file whole that nobody else may read, where the system knows such files.
pub(super) fn write_private(path: &Path, content: &[u8]) -> Result<u64, WriteError> {
    write_to(WholeFile::create_with(path, 0o600)?, path, content)
}

fn write_to(file: WholeFile, path: &Path, content: &[u8]) -> Result<u64, WriteError> {
    let mut writer = file.writer()?;
    writer.write_all(content).map_err(|error| WriteError::io(path, &error))?;
    file.commit()
}

/// What the system said, without the name of a temporary file that nobody has asked for.
fn without_name(error: &io::Error) -> io::Error {
    let source = error.get_ref().and_then(|named| named.source());
    let code = source.and_then(|source| source.downcast_ref::<io::Error>()).and_then(io::Error::raw_os_error);
    code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// The folder that a file lies in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
