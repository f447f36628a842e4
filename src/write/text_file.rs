//! A small text that goes into a file of its own: a report.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::WriteError;
use super::whole_file::{folder, write_whole};

/// What every text of ours says near its beginning.
const MARK: &[u8] = b"tooljudge";
/// How near.
const NEAR: u64 = 4096;

/// Whether a text may go to `path`: its folder is there, and what it would replace is a text of ours, unless by `force`.
///
/// # Errors
/// Says what is in the way.
pub fn check_text(path: &Path, force: bool) -> Result<(), WriteError> {
    if !folder(path).is_dir() {
        return Err(WriteError::NoFolder(folder(path).to_owned()));
    }
    if path.is_dir() {
        return Err(WriteError::IsFolder(path.to_owned()));
    }
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut beginning = Vec::new();
    let read = file.take(NEAR).read_to_end(&mut beginning);
    let ours =
        read.is_ok() && (beginning.is_empty() || beginning.windows(MARK.len()).any(|part| part == MARK));
    if ours || force { Ok(()) } else { Err(WriteError::NotOurs(path.to_owned())) }
}

/// Writes `text` to `path`, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteError> {
    write_whole(path, text.as_bytes()).map(drop)
}
