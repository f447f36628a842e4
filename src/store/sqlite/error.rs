//! Converts SQLite's errors to errors of the store.

use std::path::Path;

use rusqlite::ErrorCode;

use super::lock_owner;
use crate::store::StoreError;

pub(super) fn of(path: &Path, error: &rusqlite::Error) -> StoreError {
    // Some show the statement too, which is ours and tells nobody anything.
    let why = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    let why = why.lines().next().unwrap_or_default().to_owned();
    let place = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { place },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Locked { place, lock_owner: lock_owner::of(path), seconds: super::PATIENCE.as_secs() }
        }
        Some(ErrorCode::SystemIoFailure) => StoreError::Disk { place, why },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { place, why },
        Some(ErrorCode::NotADatabase) => StoreError::NotOurs { place },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            StoreError::Open { place, why }
        }
        _ => StoreError::Failed { place, why },
    }
}
