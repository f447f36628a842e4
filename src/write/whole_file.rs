//! A file that appears whole or not at all: written beside its place, flushed to disk, renamed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::WriteError;

/// A file on its way to `path`; dropped before [`WholeFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(super) struct WholeFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl WholeFile {
    pub(super) fn create(path: &Path) -> Result<WholeFile, WriteError> {
        // Where a link stands, the file that it leads to is meant.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tooljudge-").suffix(".part");
        // The permissions any new file would get, instead of a temporary file's.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The error names a file that nobody has asked for; only its kind is of interest.
        let named = |error: io::Error| WriteError::io(path, &error.kind().into());
        let file = builder.tempfile_in(folder(path)).map_err(named)?;
        Ok(WholeFile { path: path.to_owned(), file })
    }

    /// A second handle to write through.
    pub(super) fn writer(&self) -> Result<File, WriteError> {
        self.file.as_file().try_clone().map_err(|error| WriteError::io(&self.path, &error))
    }

    /// Puts the file in its place; returns its size. Everything written through a writer must be flushed.
    pub(super) fn commit(self) -> Result<u64, WriteError> {
        let io = |error: std::io::Error| WriteError::io(&self.path, &error);
        self.file.as_file().sync_all().map_err(io)?;
        let bytes = self.file.as_file().metadata().map_err(io)?.len();
        self.file.persist(&self.path).map_err(|error| WriteError::io(&self.path, &error.error))?;
        // Without this the new name itself may be lost in a power cut. Not every file system can do it.
        if let Ok(folder) = File::open(folder(&self.path)) {
            let _ = folder.sync_all();
        }
        Ok(bytes)
    }
}

/// Writes a small file whole.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<u64, WriteError> {
    let file = WholeFile::create(path)?;
    let mut writer = file.writer()?;
    writer.write_all(content).map_err(|error| WriteError::io(path, &error))?;
    file.commit()
}

/// The folder that a file lies in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
