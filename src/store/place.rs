//! The location of a store: a file, or an address on a PostgreSQL server. A password in it is never shown.

use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};

use super::StoreError;

/// The schema that holds a store's tables where the address names no other.
const SCHEMA: &str = "tooljudge";
/// Options of an address that tell one store from another.
const TELLING: &[&str] = &["host", "hostaddr", "port", "dbname", "user"];

/// Where a store is.
#[derive(Debug, Clone)]
pub enum StorePlace {
    /// An SQLite file.
    File(PathBuf),
    /// A schema in a PostgreSQL database.
    Server(Address),
}

/// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`, with the options that `docs/scale.md` lists.
#[derive(Clone)]
pub struct Address {
    url: SecretString,
    /// The same without password, and of the options only those that tell where it is.
    shown: String,
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "nobody goes there"))]
    pub(super) schema: String,
}

impl StorePlace {
    /// What `given` names: a file, unless it is an address. So no path becomes a place but by this:
    ///
    /// ```compile_fail
    /// let path = std::path::PathBuf::from("postgres://u@h/d");
    /// let place: tooljudge::run::settings::StorePlace = path.into();
    /// ```
    ///
    /// # Errors
    /// For what is neither, but was plainly meant as an address: it may hold a password, and makes no file of that name.
    pub fn parse(given: impl AsRef<Path>) -> Result<StorePlace, StoreError> {
        let path = given.as_ref();
        let Some(text) = path.to_str().filter(|text| is_meant_as_address(text)) else {
            return match path.to_str().is_some_and(is_sqlites_own) {
                true => Err(StoreError::NoFile { place: path.display().to_string() }),
                false => Ok(StorePlace::File(path.to_owned())),
            };
        };
        Address::parse(text).map(StorePlace::Server).map_err(|why| StoreError::Address { why })
    }

    /// How `text` may be shown, if it is the address of a database, or was plainly meant as one.
    #[cfg(feature = "cli")]
    pub(crate) fn shown(text: &str) -> Option<String> {
        let lower = text.to_ascii_lowercase();
        let behind = lower.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
        let is_one = lower.starts_with("postgre") && [":/", "//"].iter().any(|it| behind.starts_with(it));
        is_one.then(|| Address::parse(text).map_or("postgres://...".to_owned(), |address| address.shown))
    }

    /// Whether nothing is there yet; a server is asked.
    ///
    /// # Errors
    /// If the server cannot be.
    pub(crate) fn is_missing(&self) -> Result<bool, StoreError> {
        match self {
            StorePlace::File(path) => Ok(!path.exists()),
            #[cfg(feature = "postgres")]
            StorePlace::Server(address) => super::postgres::is_missing(address),
            #[cfg(not(feature = "postgres"))]
            StorePlace::Server(address) => Err(StoreError::NoServers { place: address.to_string() }),
        }
    }

    /// The same place; for a server that has no password in its address, with this one.
    #[must_use]
    pub fn with_password(self, password: &str) -> StorePlace {
        match self {
            StorePlace::Server(address) => StorePlace::Server(address.with_password(password)),
            file => file,
        }
    }

    /// Whether both name one store, as far as names tell.
    pub fn is_same(&self, other: &StorePlace) -> bool {
        match (self, other) {
            (StorePlace::File(a), StorePlace::File(b)) => {
                matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
            }
            (StorePlace::Server(a), StorePlace::Server(b)) => a.shown == b.shown,
            _ => false,
        }
    }
}

impl fmt::Display for StorePlace {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorePlace::File(path) => path.display().fmt(to),
            StorePlace::Server(address) => address.fmt(to),
        }
    }
}

impl Address {
    /// What is wrong is said without a word of `text`: where one part is taken for another, it may be the password.
    fn parse(text: &str) -> Result<Address, String> {
        let rest = text
            .strip_prefix("postgres://")
            .or_else(|| text.strip_prefix("postgresql://"))
            .ok_or("it looks like an address, but does not begin with postgres:// or postgresql://; a file of that name is ./NAME")?;
        let (user, rest) = match rest.rsplit_once('@') {
            Some((user, rest)) => (user, rest),
            None => ("", rest),
        };
        if user.contains(['/', '?', '#', '@']) {
            return Err(
                "in the address, a / ? # or @ in the user or the password must be written %2F %3F %23 or %40"
                    .into(),
            );
        }
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        for host in hosts.split(',') {
            let port = host.rsplit_once(':').map_or("", |(_, port)| port);
            if !port.ends_with(']') && port.parse::<u16>().is_err() && !port.is_empty() {
                return Err("the port in the address is not a number up to 65535".into());
            }
        }
        let mut schema = SCHEMA.to_owned();
        let mut telling = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').ok_or("an option in the address has no value")?;
            if key == "schema" {
                schema = percent_decode_str(value).decode_utf8_lossy().into_owned();
            } else if TELLING.contains(&key) {
                telling.push(option.to_owned());
            }
        }
        if schema.is_empty() || schema.contains('\0') {
            return Err("the schema in the address is not a name".into());
        }
        let name = user.split(':').next().filter(|name| !name.is_empty()).map(|name| format!("{name}@"));
        let mut shown = format!("postgres://{}{hosts}/{database}", name.unwrap_or_default());
        if schema != SCHEMA {
            telling.push(format!("schema={schema}"));
        }
        if !telling.is_empty() {
            shown.push_str(&format!("?{}", telling.join("&")));
        }
        Ok(Address { url: text.to_owned().into(), shown, schema })
    }

    /// As it was given. Of the options, those with one of these keys are returned beside it, and not part of it.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "nobody goes there"))]
    pub(super) fn apart(&self, own: &[&str]) -> (SecretString, Vec<(String, String)>) {
        let url = self.url.expose_secret();
        let Some((place, options)) = url.split_once('?') else { return (self.url.clone(), Vec::new()) };
        let options = options.split('&').filter_map(|option| option.split_once('='));
        let (ours, theirs): (Vec<_>, Vec<_>) = options.partition(|(key, _)| own.contains(key));
        let theirs: Vec<String> = theirs.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        let decoded = |value: &str| percent_decode_str(value).decode_utf8_lossy().into_owned();
        let ours = ours.into_iter().map(|(key, value)| (key.to_owned(), decoded(value))).collect();
        let rest = if theirs.is_empty() { String::new() } else { format!("?{}", theirs.join("&")) };
        (format!("{place}{rest}").into(), ours)
    }

    /// What the options of the address at `url` are called.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "nobody goes there"))]
    pub(super) fn keys(url: &str) -> impl Iterator<Item = &str> {
        let options = url.split_once('?').map_or("", |(_, options)| options);
        options.split('&').filter_map(|option| option.split_once('=')).map(|(key, _)| key)
    }

    fn with_password(self, password: &str) -> Address {
        let url = self.url.expose_secret();
        let Some((scheme, rest)) = url.split_once("://") else { return self };
        let has_one = rest.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
            || url.contains("?password=")
            || url.contains("&password=");
        if has_one {
            return self;
        }
        let password = percent_encoding::utf8_percent_encode(password, percent_encoding::NON_ALPHANUMERIC);
        let joint = if rest.contains('?') { '&' } else { '?' };
        Address { url: format!("{scheme}://{rest}{joint}password={password}").into(), ..self }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Address({})", self.shown)
    }
}

/// Whether it is no file to SQLite: a store in memory is forgotten with what was paid for, and a URI may say that nothing is kept.
fn is_sqlites_own(text: &str) -> bool {
    text == ":memory:" || text.starts_with("file:")
}

/// Whether somebody who typed this meant a server: by a scheme, by credentials before a host, or in the other form that PostgreSQL's
/// own tools take.
fn is_meant_as_address(text: &str) -> bool {
    // A file beyond doubt.
    if ["./", "../", "/"].iter().any(|start| text.starts_with(start)) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let has_scheme = text.contains("://")
        || ["postgres", "postgresql"].iter().any(|name| {
            lower.strip_prefix(name).is_some_and(|rest| rest.starts_with(':') || rest.starts_with("//"))
        });
    // `jdbc:postgresql:`, `user@host/database`, `host:5432/database`, unless there is such a folder, or the name is a file's.
    let is_jdbc = lower.starts_with("jdbc:postgres");
    let is_host = text.split_once('/').is_some_and(|(host, database)| {
        let port = host.rsplit_once(':').is_some_and(|(name, port)| {
            !name.is_empty() && port.len() >= 4 && port.chars().all(|digit| digit.is_ascii_digit())
        });
        let database = database.split('?').next().unwrap_or_default().trim_end_matches('/');
        (host.contains('@') || port) && !database.contains(['.', '/']) && !Path::new(host).exists()
    });
    // `user:password@host`; the colon in `C:\a@b` is behind a drive.
    let is_drive = |user: &str| user.get(1..3).is_some_and(|start| [":\\", ":/"].contains(&start));
    let has_credentials = text.split_once('@').is_some_and(|(user, _)| user.contains(':') && !is_drive(user));
    // Blanks around `=` are allowed there.
    let closed = lower.split('=').map(str::trim).collect::<Vec<_>>().join("=");
    let is_listed = closed
        .split_whitespace()
        .any(|word| ["host=", "hostaddr=", "dbname=", "password="].iter().any(|key| word.starts_with(key)));
    has_scheme || is_jdbc || is_host || has_credentials || is_listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_addresses() {
        for (given, shown) in [
            ("postgres://u:hidden@h:5433/d?sslmode=require", "postgres://u@h:5433/d"),
            ("postgresql://u:hidden@h/d", "postgres://u@h/d"),
            ("postgres://h/d?user=u&password=hidden&schema=mine", "postgres://h/d?user=u&schema=mine"),
            ("postgres://u:hidden@[::1]:5432/d", "postgres://u@[::1]:5432/d"),
            ("postgres://u:hidden@a,b:1/d", "postgres://u@a,b:1/d"),
            ("postgres:///d?host=/run/postgresql", "postgres:///d?host=/run/postgresql"),
            ("postgres://u:hidden@/?host=h&dbname=d&sslmode=require", "postgres://u@/?host=h&dbname=d"),
        ] {
            let place = StorePlace::parse(given).unwrap();
            assert!(matches!(place, StorePlace::Server(_)), "{given}");
            assert_eq!(place.to_string(), shown);
            assert!(!format!("{place:?}").contains("hidden"), "{place:?}");
        }
        for given in [
            "s.sqlite",
            ".tooljudge/replies.sqlite",
            r"C:\a@b.sqlite",
            "postgres",
            "postgres.sqlite",
            "a@b:c",
            "me@home",
            "src/a@b.sqlite",
            "runs@v2/x.sqlite",
            "results:2024/x.sqlite",
            "llama3:70/s",
            "jdbc:x.sqlite",
            "./u@h/d",
            "./mysql://h/d",
            "/stores/a:b@c",
            "C:/stores/a.sqlite",
        ] {
            assert!(matches!(StorePlace::parse(given).unwrap(), StorePlace::File(_)), "{given}");
        }
    }

    #[test]
    #[cfg(feature = "cli")]
    fn whatever_is_meant_as_a_database_is_known() {
        for (text, shown) in [
            ("postgres://u:hidden@h/d", Some("postgres://u@h/d")),
            ("Postgresql://u:hidden@h/d", Some("postgres://...")),
            ("postgresq://u:hidden@h/d", Some("postgres://...")),
            ("postgres:/u:hidden@h/d", Some("postgres://...")),
            ("postgres//u:hid/den@h/d", Some("postgres://...")),
            ("postgres.csv", None),
            ("postgres:16@sha256:1", None),
            ("http://u:p@h/v1", None),
        ] {
            assert_eq!(StorePlace::shown(text).as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_neither_makes_no_file_and_shows_no_password() {
        for given in [
            "postgresq://u:hidden@h/d",
            "http://u:hidden@h/d",
            "postgres:/u:hidden@h/d",
            "Postgres:u:hidden@h/d",
            "postgres//u:hidden@h/d",
            "u:hidden@h/d",
            "u@h.example.com/d",
            "h.example.com:5432/d",
            "localhost:5432/d?sslrootcert=/etc/ca.pem",
            "u@h.example.com/d?options=-c%20a.b",
            "u@h/d/",
            "jdbc:postgresql:h",
            "host=h password=hidden",
            "user=u password = hidden host = h",
            "postgres://u:hid/den@h/d",
            "postgres://u:hid?den@h/d",
            "postgres://u:hid@den@h/d",
            "postgres://u:hidden",
            "postgres://u:hidden/d",
            "postgres://u@h/d?hidden",
            "postgres://u@h/d?schema=",
        ] {
            let error = StorePlace::parse(given).unwrap_err().to_string();
            assert!(error.starts_with("--store: ") && !error.contains("hid"), "{given}: {error}");
        }
        for given in [":memory:", "file:replies.sqlite?mode=memory"] {
            let error = StorePlace::parse(given).unwrap_err().to_string();
            assert!(error.contains("names no file"), "{given}: {error}");
        }
    }

    #[test]
    fn a_password_comes_from_elsewhere_only_where_there_is_none() {
        let url = |given: &str| {
            let StorePlace::Server(address) = StorePlace::parse(given).unwrap().with_password("a/b") else {
                panic!()
            };
            let (url, own) = address.apart(&["schema", "sslmode"]);
            (
                url.expose_secret().to_owned(),
                own.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
            )
        };
        assert_eq!(url("postgres://u@h/d"), ("postgres://u@h/d?password=a%2Fb".into(), vec![]));
        assert_eq!(
            url("postgres://u@h/d?schema=x&sslmode=disable"),
            ("postgres://u@h/d?password=a%2Fb".into(), vec!["schema=x".into(), "sslmode=disable".into()])
        );
        assert_eq!(url("postgres://u:own@h/d").0, "postgres://u:own@h/d");
        assert_eq!(url("postgres://h/d?password=own").0, "postgres://h/d?password=own");
    }
}
