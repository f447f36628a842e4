//! Describes in words why requests wait.

use std::fmt;

use super::quota::Stated;

/// For whose sake requests wait that places in flight are free for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitedBy {
    /// The user told a limit, by this flag.
    Told(&'static str),
    /// The endpoint's headers state one.
    Stated(Stated),
    /// The endpoint refuses what comes faster than so many requests a minute.
    Refused(f64),
}

impl fmt::Display for LimitedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitedBy::Told(flag) => write!(f, "limited by {flag}"),
            LimitedBy::Stated(stated) => write!(f, "limited by the server's header {stated}"),
            LimitedBy::Refused(rate) => {
                write!(f, "limited to {rate:.0} requests per minute, because the server refused more")
            }
        }
    }
}
