//! Errors of a store, and what to do about them.

/// A store that cannot be used. Every reply committed before stays where it is.
///
/// `place` is the store as it may be shown, and `why` what SQLite, the server or the system says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum StoreError {
    /// The file cannot be opened or made.
    #[error("cannot open the reply store {place}: {why}; name another place with --store FILE")]
    Open { place: String, why: String },
    /// There is no store, and the job needs replies that were kept.
    #[error("there is no reply store {place}; name another one with --store FILE")]
    Missing { place: String },
    /// What is there is not a store of this program; it stays as it is.
    #[error("{place} is not a reply store of tooljudge; name another place with --store FILE")]
    NotOurs { place: String },
    /// A newer program has written the store, in a later version of its tables.
    #[error(
        "a newer tooljudge has written the reply store {place} (version {version}; this one reads up to version {known}): \
             use the newer one, or another store with --store FILE"
    )]
    Newer { place: String, version: i64, known: i64 },
    /// The store's tables are of a version that cannot be upgraded.
    #[error(
        "the reply store {place} has version {version}, which is older than any that tooljudge can upgrade; name another \
             place with --store FILE"
    )]
    TooOld { place: String, version: i64 },
    /// SQLite finds the file damaged.
    #[error(
        "the reply store {place} is damaged ({why}); move it away to start a new one, or rescue what is readable with \
             `sqlite3 {place} .recover`"
    )]
    Damaged { place: String, why: String },
    /// There is no space left on the disk.
    #[error("no space left on the disk of the reply store {place}; free some and run the same command again")]
    Full { place: String },
    /// The disk cannot be written.
    #[error(
        "the reply store {place} failed: {why}; its disk is full or broken. Run the same command again when it works: \
             every reply kept before is still there"
    )]
    Disk { place: String, why: String },
    /// Another process has held the store's lock for so long; its name, where it is known.
    #[error("the reply store {place} has been locked for {seconds} seconds by {}; stop that process, or use another store with \
             --store FILE", lock_owner.as_deref().unwrap_or("another process"))]
    Locked { place: String, lock_owner: Option<String>, seconds: u64 },
    /// Any other failure of SQLite or of the server.
    #[error("the reply store {place} failed: {why}")]
    Failed { place: String, why: String },
    /// The thread that writes the store has ended, after an error of its own.
    #[error("the writer thread of the reply store {place} has ended")]
    Gone { place: String },
    /// What was named is neither a file nor the address of a server. It may hold a password: it is not shown.
    #[error("--store: {why}. A store is a file, or a PostgreSQL server: postgres://USER@HOST/DATABASE")]
    Address { why: String },
    /// What was named is no file to SQLite, and may keep nothing.
    #[error(
        "--store {place} names no file: a store keeps what was paid for. Name a file, such as replies.sqlite"
    )]
    NoFile { place: String },
    /// This program was built without what it takes to reach a server.
    #[error(
        "this tooljudge cannot use the reply store {place}: it was built without PostgreSQL. The Python package has it; from \
             source, build with `--features postgres`"
    )]
    NoServers { place: String },
    /// The server, or the database on it, does not let us in.
    #[error("cannot reach the reply store {place}: {why}{}", remedy.as_deref().map(|remedy| format!("; {remedy}")).unwrap_or_default())]
    Connect { place: String, why: String, remedy: Option<String> },
    /// The role lacks a right.
    #[error(
        "the role that uses the reply store {place} lacks a right: {why}; docs/scale.md lists what it needs"
    )]
    Rights { place: String, why: String },
    /// The server went away and did not come back in time.
    #[error(
        "the reply store {place} has not answered for {seconds} seconds: {why}. Run the same command again when it works: \
             every reply kept before is still there"
    )]
    Lost { place: String, seconds: u64, why: String },
}
