//! Detects that all questions of a run fail for one reason, which then cannot be in the rows.

use std::sync::{Mutex, PoisonError};

use super::function::FAILED;
use super::provider_format::UNREADABLE;

/// Questions in a row, from the first on, that fail in the same way and are no accident; or answers that nobody can read.
const ENOUGH: u32 = 20;

/// What the questions so far ended as.
#[derive(Debug, Default)]
pub(super) struct UniformFailure(Mutex<Seen>);

#[derive(Debug, Default)]
enum Seen {
    #[default]
    Nothing,
    /// Only errors of this code, and how many.
    Only(String, u32),
    /// An answer, or several errors.
    Different,
}

impl UniformFailure {
    pub(super) fn answered(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Seen::Different;
    }

    /// A question failed with `code`. Returns how many did, where all of them did and they are enough; only what an endpoint says counts
    /// (a refusal, an error of its own, an answer that nobody can read) and a function's failures, for anything else may pass: an endpoint
    /// that is too busy, one that is silent.
    pub(super) fn failed(&self, code: &str) -> Option<u32> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = code.starts_with("http_4") || code == "unsupported_parameter" || code == FAILED;
        let broken = code == UNREADABLE || code.starts_with("http_5") && !is_overload(code);
        *seen = match std::mem::take(&mut *seen) {
            Seen::Nothing if refused || broken => Seen::Only(code.to_owned(), 1),
            Seen::Only(only, times) if only == code => Seen::Only(only, times + 1),
            _ => Seen::Different,
        };
        match &*seen {
            Seen::Only(_, times) if *times >= ENOUGH => Some(*times),
            _ => None,
        }
    }
}

/// Whether an endpoint says by this that it has too much to do.
pub(super) fn is_overload(code: &str) -> bool {
    matches!(code, "http_503" | "http_529")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_all_the_same_counts() {
        let at = |codes: &[&str]| {
            let uniform_failure = UniformFailure::default();
            codes.iter().position(|code| match *code {
                "" => {
                    uniform_failure.answered();
                    false
                }
                code => uniform_failure.failed(code).is_some(),
            })
        };
        assert_eq!(at(&["http_400"; 30]), Some(19));
        assert_eq!(at(&["http_400"; 19]), None);
        assert_eq!(at(&[&[""], &["http_400"; 30][..]].concat()), None);
        assert_eq!(at(&[&["http_404"], &["http_400"; 30][..]].concat()), None);
        assert_eq!(at(&[&["http_400"; 10][..], &["prompt_too_long"], &["http_400"; 30]].concat()), None);
        assert_eq!(at(&["timeout"; 30]), None);
        assert_eq!(at(&["http_503"; 30]), None);
        assert_eq!(at(&["http_500"; 30]), Some(19));
        assert_eq!(at(&[UNREADABLE; 30]), Some(19));
        assert_eq!(at(&[&["timeout"], &["http_400"; 30][..]].concat()), None);
        assert_eq!(at(&[FAILED; 30]), Some(19));
    }
}
