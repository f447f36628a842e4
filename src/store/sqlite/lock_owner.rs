//! Finds the process that holds a lock on a store, if the system tells.

use std::path::Path;

/// `process 4711 (tooljudge)`: the first process other than this one with a lock on `path` or on what SQLite keeps beside
/// it. Linux only; elsewhere, and where nobody is found, nothing.
pub(super) fn of(path: &Path) -> Option<String> {
    other_than(std::process::id(), path)
}

fn other_than(own: u32, path: &Path) -> Option<String> {
    let files: Vec<String> = ["", "-shm", "-wal"]
        .into_iter()
        .filter_map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            inode(Path::new(&name))
        })
        .collect();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let process = locks
        .lines()
        .filter_map(lock_owner)
        .find(|(process, inode)| *process != own && files.contains(inode))?
        .0;
    Some(match std::fs::read_to_string(format!("/proc/{process}/comm")) {
        Ok(name) => format!("process {process} ({})", name.trim()),
        Err(_) => format!("process {process}"),
    })
}

/// Of a line such as `1: POSIX  ADVISORY  WRITE 4711 08:01:131099 0 EOF`: the process and the file's number. Lines of
/// those who only wait have an arrow in second place.
fn lock_owner(line: &str) -> Option<(u32, String)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    match fields[..] {
        [_, "POSIX" | "OFDLCK" | "FLOCK", _, _, process, file, ..] => {
            Some((process.parse().ok()?, file.rsplit(':').next()?.to_owned()))
        }
        _ => None,
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    Some(std::fs::metadata(path).ok()?.ino().to_string())
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn whoever_locks_a_store_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let store = rusqlite::Connection::open(&path).unwrap();
        assert_eq!(other_than(0, &path), None);
        store.execute_batch("BEGIN EXCLUSIVE").unwrap();
        // The kernel's list, read while other locks come and go, may lack a line.
        let lock_owner = (0..100).find_map(|_| other_than(0, &path)).unwrap();
        assert!(lock_owner.starts_with(&format!("process {} (", std::process::id())), "{lock_owner}");
        assert_eq!(of(&path), None, "we do not wait for ourselves");
    }

    #[test]
    fn lines_of_the_kernel() {
        let read = |line| lock_owner(line).map(|(process, inode)| format!("{process} {inode}"));
        assert_eq!(read("1: POSIX  ADVISORY  WRITE 4711 08:01:131099 0 EOF").as_deref(), Some("4711 131099"));
        assert_eq!(read("1: -> POSIX  ADVISORY  WRITE 4712 08:01:131099 0 EOF"), None);
        assert_eq!(read(""), None);
    }
}
