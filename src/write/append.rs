//! A line behind those that a file holds: whole, on the disk, and one after the other where several runs append at once.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::WriteError;
use super::output::is_stream;
use super::whole_file::folder;

/// How long another run may take for its own line, and how often it is asked whether it is done.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// Whether lines can be appended to `path`: its folder is there, and it is a file, or now is an empty one. It stays if the run fails
/// before it adds a line: another run may append to it meanwhile, so nobody may remove it.
///
/// # Errors
/// Says what is in the way.
pub fn check_append(path: &Path) -> Result<(), WriteError> {
    if !folder(path).is_dir() {
        return Err(WriteError::NoFolder(folder(path).to_owned()));
    }
    if path.is_dir() {
        return Err(WriteError::IsFolder(path.to_owned()));
    }
    if is_stream(path) {
        let why = "lines are appended to a file".to_owned();
        return Err(WriteError::Io { path: path.to_owned(), why });
    }
    let opened = File::options().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| WriteError::io(path, &error))
}

/// Writes `lines`, which end with their last line, behind what `path` holds, and returns when they are on the disk. `keep` is shown
/// what it holds, while nobody else appends, and says how many bytes of that stay: fewer where the last line was not finished.
///
/// # Errors
/// If `keep` refuses, or the file cannot be read or written. It holds then what it held before.
pub fn append_lines<E: From<WriteError>>(
    path: &Path,
    lines: &str,
    keep: impl FnOnce(&[u8]) -> Result<usize, E>,
) -> Result<(), E> {
    let failed = |error: io::Error| WriteError::io(path, &error);

    let mut file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
    lock(&file).map_err(failed)?;
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(failed)?;
    let kept = keep(&content)?.min(content.len());
    let is_ended = kept == 0 || content[kept - 1] == b'\n';
    let text = if is_ended { lines.to_owned() } else { format!("\n{lines}") };
    if kept < content.len() {
        file.set_len(kept as u64).map_err(failed)?;
    }
    // One write: a reader, and a run that is killed, see all of it or next to nothing.
    if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
        let _ = file.set_len(kept as u64);
        return Err(failed(error).into());
    }
    // Without this the new name itself may be lost in a power cut. Not every file system can do it.
    if content.is_empty()
        && let Ok(folder) = File::open(folder(path))
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Waits until no other run writes to a file, or puts files into a folder. Where files cannot be locked, one write at the end of the file
/// has to do.
pub(super) fn lock(file: &File) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another program has locked it for half a minute"));
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_time::on_time;

    #[test]
    fn what_is_not_finished_goes_and_what_only_lacks_its_end_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        for (before, kept, after) in [
            ("", 0, "new\n"),
            ("old\n", 4, "old\nnew\n"),
            ("old", 3, "old\nnew\n"),
            ("old\nto", 4, "old\nnew\n"),
            ("to", 0, "new\n"),
        ] {
            std::fs::write(&path, before).unwrap();
            append_lines::<WriteError>(&path, "new\n", |_| Ok(kept)).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after, "{before:?}");
        }
        std::fs::write(&path, "theirs").unwrap();
        let refused = append_lines::<WriteError>(&path, "new\n", |_| Err(WriteError::Closed));
        assert!(refused.is_err() && std::fs::read_to_string(&path).unwrap() == "theirs");
    }

    #[test]
    fn runs_at_once_lose_no_line() {
        let _on_time = on_time();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..25 {
                        let text = format!("{writer} {line} {}\n", "x".repeat(9_000));
                        append_lines::<WriteError>(path, &text, |content| Ok(content.len())).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.lines().all(|line| line.len() > 9_000)), (200, true));
    }
}
