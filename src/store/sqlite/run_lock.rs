//! Whether a run is alive: each holds a lock on its own file beside the store.
//!
//! The system releases the lock when the process ends, however it ends. So the questions of a killed run are free at once, and
//! setting the clock takes no questions from a living run. If a file system has no locks, only leases decide.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How the names of files begin that have no name of a run yet.
const NAMELESS: &str = ".begins-";
/// How often a run tries to begin while others take folder and file from it.
const TRIES: usize = 8;

/// What is known of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Liveness {
    Alive,
    Dead,
    Unknown,
}

/// A lock that tells that a run is alive.
#[derive(Debug)]
pub(super) struct RunLock {
    path: PathBuf,
    _locked: File,
}

impl RunLock {
    /// Nothing where no file can be made or locked: others go by this run's leases then.
    pub(super) fn begin(store: &Path, run: &str) -> Option<RunLock> {
        let path = place(store, run)?;
        let folder = path.parent()?;
        // A run that ends may take the folder with it, and one that begins the file that has no name yet.
        let locked = (0..TRIES).find_map(|_| {
            std::fs::create_dir_all(folder).ok()?;
            let file = tempfile::Builder::new().prefix(NAMELESS).tempfile_in(folder).ok()?;
            // Gets its name when it is locked: nobody finds a living run without its lock.
            file.as_file().lock().ok()?;
            file.persist(&path).ok()
        })?;
        Some(RunLock { path, _locked: locked })
    }

    /// The run has ended and left nothing behind.
    pub(super) fn end(self) {
        remove(&self.path);
    }
}

/// Whether `run` is alive.
pub(super) fn liveness(store: &Path, run: &str) -> Liveness {
    place(store, run).map_or(Liveness::Unknown, |path| liveness_at(&path))
}

/// The runs that died and left something behind. [`forget`] them when that is cleared away.
pub(super) fn dead(store: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder(store)) else { return Vec::new() };
    entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let run = entry.file_name().into_string().ok()?;
            if run.starts_with(NAMELESS) {
                clear_nameless(&entry.path());
                return None;
            }
            (place(store, &run).is_some() && liveness_at(&entry.path()) == Liveness::Dead).then_some(run)
        })
        .collect()
}

/// A run that was killed before its file had its name asked nothing: the file goes. If its run is alive after all and was about to
/// lock it, it finds it gone and makes another.
fn clear_nameless(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    if file.try_lock().is_ok() {
        // While it is locked: afterwards it may be somebody's.
        remove(path);
    }
}

/// Nothing is left of a dead `run`.
pub(super) fn forget(store: &Path, run: &str) {
    if let Some(path) = place(store, run) {
        remove(&path);
    }
}

fn liveness_at(path: &Path) -> Liveness {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(_) => return Liveness::Unknown,
    };
    match file.try_lock() {
        Ok(()) => Liveness::Dead,
        Err(TryLockError::WouldBlock) => Liveness::Alive,
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::WouldBlock => Liveness::Alive,
        Err(TryLockError::Error(_)) => Liveness::Unknown,
    }
}

fn remove(path: &Path) {
    // Somebody else may have been quicker; the folder goes with its last file.
    let _ = std::fs::remove_file(path);
    if let Some(folder) = path.parent() {
        let _ = std::fs::remove_dir(folder);
    }
}

/// `replies.sqlite` has its runs in `replies.sqlite-runs`.
fn folder(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-runs");
    PathBuf::from(name)
}

/// The file of `run`. A store that was tampered with may name runs so that they lead elsewhere.
fn place(store: &Path, run: &str) -> Option<PathBuf> {
    let plain = !run.is_empty() && run.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
    plain.then(|| folder(store).join(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_time::on_time;

    #[test]
    fn the_living_are_told_from_the_dead() {
        let work = tempfile::tempdir().unwrap();
        let store = work.path().join("replies.sqlite");
        assert_eq!(liveness(&store, "a"), Liveness::Unknown);
        let (a, b) = (RunLock::begin(&store, "a").unwrap(), RunLock::begin(&store, "b").unwrap());
        assert_eq!((liveness(&store, "a"), dead(&store)), (Liveness::Alive, vec![]));
        // As when its process ends.
        drop(a);
        assert_eq!((liveness(&store, "a"), liveness(&store, "b")), (Liveness::Dead, Liveness::Alive));
        assert_eq!(dead(&store), ["a"]);
        forget(&store, "a");
        assert_eq!((liveness(&store, "a"), dead(&store)), (Liveness::Unknown, vec![]));
        b.end();
        assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_was_killed_before_it_had_a_name_is_cleared_away() {
        let work = tempfile::tempdir().unwrap();
        let store = work.path().join("replies.sqlite");
        std::fs::create_dir(folder(&store)).unwrap();
        let begins = |name: &str| File::create(folder(&store).join(format!("{NAMELESS}{name}"))).unwrap();
        let living = begins("living");
        living.lock().unwrap();
        drop(begins("killed"));
        assert_eq!(dead(&store), [""; 0]);
        let left: Vec<_> =
            std::fs::read_dir(folder(&store)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [".begins-living"]);
    }

    #[test]
    fn runs_that_begin_while_others_clear_away_have_their_locks() {
        let _on_time = on_time();
        let work = tempfile::tempdir().unwrap();
        let store = work.path().join("replies.sqlite");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..50 {
                        // One that ends just then may count as dead.
                        dead(store);
                        let run = format!("{thread}-{round}");
                        let lock = RunLock::begin(store, &run).expect("a lock");
                        assert_eq!(liveness(store, &run), Liveness::Alive);
                        lock.end();
                    }
                });
            }
        });
        assert!(!folder(&store).exists());
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let store = Path::new("replies.sqlite");
        for run in ["", "..", "../x", "/etc/passwd", "a\0b"] {
            assert_eq!(place(store, run), None, "{run:?}");
        }
    }
}
