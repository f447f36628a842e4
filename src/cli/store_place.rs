//! Where `--store` points to.

use std::path::Path;

use super::host::Host;
use crate::store::{StoreError, StorePlace};

/// Where PostgreSQL's own tools look for a password that stands nowhere else.
const PASSWORD: &str = "PGPASSWORD";

/// The store that `given` names.
///
/// # Errors
/// For what is neither a file nor an address.
pub fn store_place(given: &Path, host: &Host) -> Result<StorePlace, StoreError> {
    let place = StorePlace::parse(given)?;
    Ok(match host.variable(PASSWORD) {
        Some(password) => place.with_password(&password),
        None => place,
    })
}
