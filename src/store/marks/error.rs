//! Errors of a file of marks, and what to do about them.

use std::path::Path;

use rusqlite::ErrorCode;

/// A file of marks that cannot be used. Every mark that was acknowledged is still in it.
///
/// `place` is the file, and `why` what SQLite or the system says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum MarksError {
    /// The file cannot be opened or made.
    #[error(
        "cannot write the marks {place}: {why}; name a file in a folder that you can write to with --marks"
    )]
    Open { place: String, why: String },
    /// There is no such file, and the job needs marks that were made.
    #[error("there are no marks at {place}; name their file with --marks")]
    Missing { place: String },
    /// What is there is another kind of file; it stays as it is.
    #[error("{place} is not a file of marks; name another place with --marks")]
    NotOurs { place: String },
    /// A newer program has written it.
    #[error(
        "a newer tooljudge has written the marks {place} (version {version}; this one reads up to version {known}): use the newer one"
    )]
    Newer { place: String, version: i64, known: i64 },
    /// The file is gone, or another one is in its place.
    #[error(
        "the marks {place} were removed or replaced while they were in use, so nothing more is saved there; end the command and start it again"
    )]
    Replaced { place: String },
    /// What is written there is not what this program writes.
    #[error(
        "in the marks {place}, {why}, so that they are not used; nothing was changed. Copy the file, then correct that line of the \
         table `marks` or `draws` with the program `sqlite3`"
    )]
    Damaged { place: String, why: String },
    /// Any other failure of SQLite.
    #[error("the marks {place} failed: {why}; what was acknowledged before is still there")]
    Failed { place: String, why: String },
}

pub(super) fn of(path: &Path, error: &rusqlite::Error) -> MarksError {
    // Some show the statement too, which is ours and tells nobody anything.
    let why = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    let place = path.display().to_string();
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, why) => {
            return MarksError::Damaged { place, why: why.to_string() };
        }
        rusqlite::Error::InvalidColumnType(_, column, kind) => {
            return MarksError::Damaged { place, why: format!("a `{column}` is damaged (it is {kind})") };
        }
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => MarksError::NotOurs { place },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            MarksError::Open { place, why }
        }
        _ => MarksError::Failed { place, why },
    }
}
