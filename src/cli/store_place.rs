//! Parses `--store`, and keeps a password in it out of everything that repeats arguments.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use super::host::Host;
use crate::store::{StoreError, StorePlace};

/// Where PostgreSQL's own tools look for a password that stands nowhere else.
const PASSWORD: &str = "PGPASSWORD";

/// Addresses that were typed, by what stands in their place.
#[derive(Clone, Default)]
pub struct Addresses(Arc<[(String, SecretString)]>);

/// The store that `given` names.
///
/// # Errors
/// For what is neither a file nor an address.
pub fn store_place(given: &Path, host: &Host) -> Result<StorePlace, StoreError> {
    let typed = host.addresses.0.iter().find(|(shown, _)| given.to_str() == Some(shown));
    let place = match typed {
        Some((_, address)) => StorePlace::parse(address.expose_secret())?,
        None => StorePlace::parse(given)?,
    };
    Ok(match host.untrimmed(PASSWORD) {
        Some(password) => place.with_password(&password),
        None => place,
    })
}

/// The `arguments` with addresses of databases as they may be shown, and what they were. An address may stand where none belongs, and
/// whoever reads an argument there repeats it: in an error, in the record of a run.
pub fn hidden(arguments: &[OsString]) -> (Vec<OsString>, Addresses) {
    let mut addresses = Vec::new();
    let mut hide = |argument: &OsString| {
        let text = argument.to_str()?;
        let begins = if text.starts_with("--") { text.find('=')? + 1 } else { 0 };
        let (flag, address) = text.split_at(begins);
        let shown = StorePlace::shown(address).filter(|shown| shown != address)?;
        let argument = format!("{flag}{shown}");
        addresses.push((shown, SecretString::from(address)));
        Some(OsString::from(argument))
    };
    let arguments = arguments.iter().map(|argument| hide(argument).unwrap_or_else(|| argument.clone()));
    (arguments.collect(), Addresses(addresses.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_store_is_hidden_and_other_values_stay() {
        for (typed, shown) in [
            ("postgres://u:secret@h/d", "postgres://u@h/d"),
            ("--store=postgres://u:secret@h/d", "--store=postgres://u@h/d"),
            ("--store=postgres:/u:secret@h/d", "--store=postgres://..."),
            ("db=postgres://h/d?sslmode=require", "db=postgres://h/d?sslmode=require"),
            ("a=b", "a=b"),
        ] {
            let (hidden, _) = hidden(&[OsString::from(typed)]);
            assert!(hidden[0].to_string_lossy().starts_with(shown), "{typed}: {hidden:?}");
        }
    }
}
