//! Writes a small text to its own file: a report, a model.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::WriteError;
use super::output::{is_stdout, is_stream};
use super::whole_file::{self, WholeFile, folder, write_whole};

/// How texts of ours begin, or what stands near their beginning.
const MARKS: [&str; 5] = [
    "<!-- tooljudge ",
    "{ \"kind\": \"tooljudge ",
    "<meta name=\"generator\" content=\"tooljudge ",
    "{\"tooljudge_model\":",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?> <!-- tooljudge ",
];
/// How near.
const NEAR: u64 = 512;

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
    let text = String::from_utf8_lossy(&beginning);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let [comment, json, html, model, xml] = MARKS;
    let ours = words.starts_with(comment)
        || words.starts_with(json)
        || words.starts_with(model)
        || words.starts_with(xml)
        || (words.starts_with("<!doctype html>") && words.contains(html));
    if force || read.is_ok() && (words.is_empty() || ours) {
        Ok(())
    } else {
        Err(WriteError::NotOurs(path.to_owned()))
    }
}

/// Writes `text` to `path`, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), WriteError> {
    write_whole(path, text.as_bytes()).map(drop)
}

/// Writes to `path` what `write` puts out, whole or not at all; where that says `false`, nothing appears. Returns what it says.
///
/// # Errors
/// When the file cannot be written.
pub fn write_parts(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<bool>,
) -> Result<bool, WriteError> {
    let failed = |error: io::Error| WriteError::io(path, &error);
    let file = WholeFile::create(path)?;
    let mut writer = BufWriter::new(file.writer()?);
    let is_whole = write(&mut writer).map_err(failed)?;
    writer.flush().map_err(failed)?;
    drop(writer);
    if is_whole {
        file.commit()?;
    }
    Ok(is_whole)
}

/// Writes `text` to `path`, whole or not at all, for its owner's eyes only; returns its size. A stream takes it as it is.
///
/// # Errors
/// When the file cannot be written.
pub fn write_private(path: &Path, text: &str) -> Result<u64, WriteError> {
    if !is_stream(path) {
        return whole_file::write_private(path, text.as_bytes());
    }
    let written = match is_stdout(path) {
        true => std::io::stdout().lock().write_all(text.as_bytes()),
        false => File::options().write(true).open(path).and_then(|mut to| to.write_all(text.as_bytes())),
    };
    written.map_err(|error| WriteError::io(path, &error))?;
    Ok(text.len() as u64)
}

/// Writes `text` behind what `path` holds already.
///
/// # Errors
/// When the file cannot be written.
#[cfg(feature = "cli")]
pub fn append_text(path: &Path, text: &str) -> Result<(), WriteError> {
    let file = File::options().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| WriteError::io(path, &error))
}
