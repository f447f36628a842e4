//! The store's version: new files get the current one, older ones are upgraded in place.
//!
//! An upgrade only adds: paid replies stay where they are, and a run of an older program that has the file open goes on. It is
//! one transaction; until that is committed, a copy of the file lies beside it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::{APPLICATION_ID, create_private, error};
use crate::store::StoreError;

/// The version of the file's tables. Which questions are the same question is told apart by a version of its own, in
/// `fingerprint.rs`: replies of older files are found in newer ones.
pub(super) const SCHEMA_VERSION: i64 = 8;

/// What leads from a version to the next one. A version more is one line more here, and `schema.sql` as it then is.
const STEPS: [(i64, &str); 5] = [
    (3, include_str!("upgrades/3_to_4.sql")),
    (4, include_str!("upgrades/4_to_5.sql")),
    (5, include_str!("upgrades/5_to_6.sql")),
    (6, include_str!("upgrades/6_to_7.sql")),
    (7, include_str!("upgrades/7_to_8.sql")),
];

/// Lets `connection` have a store of today's version, new, as it is, or upgraded.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let wrap = |error| error::of(path, &error);
    // Two runs may start at once: whoever comes second waits here, and finds the tables there.
    connection.execute_batch("BEGIN IMMEDIATE").map_err(wrap)?;
    let outcome = bring_up(connection, path);
    connection.execute_batch(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).map_err(wrap)?;
    // Only the copy that was made just now: whatever else lies there may be somebody's backup.
    outcome.map(|copied| copied.into_iter().for_each(|copy| drop(fs::remove_file(copy))))
}

/// Whether a store of this version can be used, upgraded or as it is.
pub(super) fn check(path: &Path, version: i64) -> Result<(), StoreError> {
    let place = || path.display().to_string();
    match version {
        SCHEMA_VERSION => Ok(()),
        newer if newer > SCHEMA_VERSION => {
            Err(StoreError::Newer { place: place(), version, known: SCHEMA_VERSION })
        }
        old if STEPS.iter().any(|(from, _)| *from == old) => Ok(()),
        _ => Err(StoreError::TooOld { place: place(), version }),
    }
}

/// The copy of the file as it was, if it was upgraded.
fn bring_up(connection: &Connection, path: &Path) -> Result<Option<PathBuf>, StoreError> {
    let wrap = |error| error::of(path, &error);
    match version(connection, path)? {
        Some(SCHEMA_VERSION) => Ok(None),
        Some(version) => upgrade(connection, path, version).map(Some),
        None => {
            let tables: i64 = connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map_err(wrap)?;
            if tables > 0 {
                return Err(StoreError::NotOurs { place: path.display().to_string() });
            }
            connection
                .execute_batch(include_str!("schema.sql"))
                .and_then(|()| connection.pragma_update(None, "application_id", APPLICATION_ID))
                .and_then(|()| sign(connection))
                .map(|()| None)
                .map_err(wrap)
        }
    }
}

/// The version of a store of ours; `None` for a file that nobody has marked.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<Option<i64>, StoreError> {
    let pragma = |name| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.map_err(|error| error::of(path, &error))
    };
    match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION_ID, version) => Ok(Some(version)),
        (0, 0) => Ok(None),
        _ => Err(StoreError::NotOurs { place: path.display().to_string() }),
    }
}

/// Takes every step from `version` on, inside the transaction that is open; returns where the copy lies.
fn upgrade(connection: &Connection, path: &Path, version: i64) -> Result<PathBuf, StoreError> {
    check(path, version)?;
    let copied = free_place(path, version);
    copy(path, &copied)?;
    let outcome = { STEPS.iter() }
        .skip_while(|(from, _)| *from != version)
        .try_for_each(|(_, step)| connection.execute_batch(step))
        .and_then(|()| sign(connection));
    outcome.map(|()| copied).map_err(|error| error::of(path, &error))
}

/// Writes down that this program has brought the file to today's version.
fn sign(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    connection.execute(
        "INSERT INTO history (version, since, program) VALUES (?1, strftime('%Y-%m-%dT%H:%M:%SZ'), ?2)",
        params![SCHEMA_VERSION, concat!("tooljudge ", env!("CARGO_PKG_VERSION"))],
    )?;
    Ok(())
}

/// Where the copy of a store of `version` lies while it is upgraded, unless a file is there: one that somebody has put there, or that an
/// upgrade has left which was killed.
fn copy_of(path: &Path, version: i64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".version-{version}"));
    PathBuf::from(name)
}

/// The same with a number behind it where that is taken. Nobody else is at it while we hold the lock.
fn free_place(path: &Path, version: i64) -> PathBuf {
    let first = copy_of(path, version);
    let numbered = |number: u32| PathBuf::from(format!("{}.{number}", first.display()));
    let is_free = |place: &PathBuf| !place.is_file();
    if is_free(&first) { first } else { (2..).map(numbered).find(is_free).unwrap_or(first) }
}

/// Copies all that is committed, the log's part of it included, readable for its owner alone.
fn copy(path: &Path, copy: &Path) -> Result<(), StoreError> {
    create_private(copy)?;
    let copied = Connection::open(path)
        .and_then(|reader| reader.execute("VACUUM INTO ?1", [copy.to_string_lossy()]))
        .map_err(|error| error::of(path, &error));
    let written = copied.and_then(|_| {
        let sync = fs::File::open(copy).and_then(|file| file.sync_all());
        sync.map_err(|error| StoreError::Disk { place: copy.display().to_string(), why: error.to_string() })
    });
    if written.is_err() {
        let _ = fs::remove_file(copy);
    }
    written
}

#[cfg(test)]
mod tests {
    use crate::on_time::on_time;
    use std::io::{Read, Write};

    use super::*;
    use crate::store::{Archive, Store, StorePlace};

    /// Six paid replies as the last program of version 3 left them.
    fn old_store(folder: &Path) -> PathBuf {
        let packed = include_bytes!("../../../tests/fixtures/store/version_3.sqlite.gz").as_slice();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
        let path = folder.join("replies.sqlite");
        fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
        path
    }

    fn sound(path: &Path) -> (u64, u64, u64) {
        let contents = Archive::open(&StorePlace::File(path.to_owned())).unwrap().contents().unwrap();
        (contents.replies, contents.damaged, contents.runs)
    }

    fn history(path: &Path) -> Vec<(i64, Option<String>)> {
        let connection = Connection::open(path).unwrap();
        let mut rows = connection.prepare("SELECT version, program FROM history ORDER BY version").unwrap();
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn an_older_store_keeps_its_replies() {
        let folder = tempfile::tempdir().unwrap();
        let path = old_store(folder.path());
        drop(Store::at(&path, "a").unwrap());
        assert_eq!(sound(&path), (6, 0, 1));
        let program = Some(concat!("tooljudge ", env!("CARGO_PKG_VERSION")).to_owned());
        assert_eq!(history(&path), [(3, None), (SCHEMA_VERSION, program)]);
        assert!(!copy_of(&path, 3).exists(), "the copy goes when the upgrade is committed");
    }

    /// Whoever reads the definition of a new store and that of an upgraded one finds the same tables.
    #[test]
    fn an_upgraded_store_is_like_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (old_store(folder.path()), folder.path().join("new.sqlite"));
        let tables = |path: &Path| -> Vec<String> {
            drop(Store::at(path, "a").unwrap());
            let connection = Connection::open(path).unwrap();
            let mut rows = connection
                .prepare("SELECT m.name || '.' || c.name || ' ' || c.type || c.\"notnull\" FROM sqlite_schema m, pragma_table_info(m.name) c \
                          WHERE m.type = 'table' ORDER BY 1")
                .unwrap();
            rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(tables(&old), tables(&new));
    }

    /// A run of version 5 that has the file open does not know that its replies have a kind.
    #[test]
    fn an_older_program_goes_on_in_an_upgraded_store() {
        let folder = tempfile::tempdir().unwrap();
        let path = old_store(folder.path());
        let old = Connection::open(&path).unwrap();
        const COLUMNS: &str = "fingerprint, run, text, stop, prompt_tokens, cached_tokens, completion_tokens, model, latency_ms, \
                               attempts, adapted, probabilities, cost_usd, prompt, answered_at, checksum";
        old.execute_batch(&format!(
            "CREATE TEMP TABLE mine AS SELECT {COLUMNS} FROM replies WHERE id <= 3; DELETE FROM replies WHERE id <= 3"
        ))
        .unwrap();
        let mut insert =
            old.prepare(&format!("INSERT INTO replies ({COLUMNS}) SELECT {COLUMNS} FROM temp.mine")).unwrap();
        drop(Store::at(&path, "a").unwrap());
        assert_eq!(insert.execute([]).unwrap(), 3);
        assert_eq!(sound(&path), (6, 0, 1));
        assert_eq!(Archive::open(&StorePlace::File(path.clone())).unwrap().contents().unwrap().turns, 0);
    }

    /// Killed before its commit, an upgrade leaves the store of old, and perhaps its copy.
    #[test]
    fn an_upgrade_that_was_killed_is_taken_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = old_store(folder.path());
        let killed = Connection::open(&path).unwrap();
        killed.execute_batch("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE").unwrap();
        bring_up(&killed, &path).unwrap();
        let copied = Connection::open(copy_of(&path, 3)).unwrap();
        let replies: i64 = copied.query_row("SELECT count(*) FROM replies", [], |row| row.get(0)).unwrap();
        assert_eq!(
            (version(&copied, &path).unwrap(), replies),
            (Some(3), 6),
            "the copy is whole before the commit"
        );
        drop((killed, copied));
        fs::write(copy_of(&path, 3), "half a copy").unwrap();

        let untouched = Connection::open(&path).unwrap();
        assert_eq!(version(&untouched, &path).unwrap(), Some(3));
        drop(untouched);
        assert_eq!(sound(&path), (6, 0, 1));
        assert_eq!(fs::read(copy_of(&path, 3)).unwrap(), b"half a copy", "it may be anybody's");
        assert!(!free_place(&path, 3).exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the store, and what was there");
    }

    /// Whatever is called like the copy of an upgrade may be a backup that somebody has made.
    #[test]
    fn only_the_copy_of_its_own_upgrade_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = old_store(folder.path());
        for version in 3..SCHEMA_VERSION {
            fs::write(copy_of(&path, version), "a backup").unwrap();
        }
        for _ in 0..2 {
            drop(Store::at(&path, "a").unwrap());
            for version in 3..SCHEMA_VERSION {
                assert_eq!(fs::read(copy_of(&path, version)).unwrap(), b"a backup");
            }
        }
        assert!(!free_place(&path, 3).exists());
    }

    #[test]
    fn of_many_that_upgrade_at_once_one_does() {
        let _on_time = on_time();
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let path = old_store(folder.path());
            let begin = std::sync::Barrier::new(4);
            std::thread::scope(|scope| {
                for run in ["a", "b", "c", "d"] {
                    let (path, begin) = (&path, &begin);
                    scope.spawn(move || {
                        begin.wait();
                        drop(Store::at(path, run).unwrap());
                    });
                }
            });
            assert_eq!(sound(&path), (6, 0, 1));
            assert_eq!(history(&path).len(), 2);
        }
    }

    #[test]
    fn versions_without_a_way_are_refused_and_left_alone() {
        for (version, said) in [
            (SCHEMA_VERSION + 1, "a newer tooljudge has written the reply store"),
            (2, "has version 2, which is older than any that tooljudge can upgrade"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = old_store(folder.path());
            Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
            let before = fs::read(&path).unwrap();
            for error in [
                Store::at(&path, "a").unwrap_err(),
                Archive::open(&StorePlace::File(path.clone())).unwrap_err(),
            ] {
                assert!(error.to_string().contains(said), "{error}");
            }
            assert!(fs::read(&path).unwrap() == before, "not a byte is changed");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            let kept = Connection::open(&path).unwrap();
            assert_eq!(super::version(&kept, &path).unwrap(), Some(version));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_full_disk_leaves_the_old_store() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = old_store(folder.path());
        // A folder in the copy's place cannot be written to, as a full disk cannot, whoever runs this.
        fs::create_dir(copy_of(&path, 3)).unwrap();
        assert!(Store::at(&path, "a").is_err());
        fs::remove_dir(copy_of(&path, 3)).unwrap();
        assert_eq!(sound(&path), (6, 0, 1));
        let connection = Connection::open(&path).unwrap();
        copy(&path, &folder.path().join("copy")).unwrap();
        drop(connection);
        assert_eq!(fs::metadata(folder.path().join("copy")).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
