//! The last part of a program's standard error, bounded, for people.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept. Chosen: a long traceback.
const MOST: usize = 8 << 10;
/// Bytes before them that are kept until keys are masked: a key that the cut would halve is found whole.
const BEFORE: usize = 4 << 10;
/// Characters of its last line that a reason shows. Chosen: an exception with its message.
const LINE: usize = 200;
/// Characters of a reason. Chosen: a sentence of ours, and an exception with its message.
const REASON: usize = 500;

/// The last bytes of a stream that another thread reads.
#[derive(Debug, Clone, Default)]
pub(super) struct LogTail(Arc<Mutex<VecDeque<u8>>>);

impl LogTail {
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&bytes[bytes.len().saturating_sub(MOST + BEFORE)..]);
        let surplus = kept.len().saturating_sub(MOST + BEFORE);
        kept.drain(..surplus);
    }

    /// What is kept; it begins anew.
    pub(super) fn take(&self) -> Vec<u8> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept).into()
    }
}

/// The last bytes of a log without keys.
pub(super) fn cut(mut log: String) -> String {
    let surplus = log.len().saturating_sub(MOST);
    log.drain(..log.ceil_char_boundary(surplus));
    log
}

/// The last line of a log that says something, cut short.
pub(super) fn last_line(log: &str) -> Option<String> {
    let line = log.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(LINE).collect())
}

/// A reason as one line, cut short: what an agent made up begins no line of a report.
pub(super) fn one_line(why: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    why.trim().chars().map(shown).take(REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = LogTail::default();
        tail.push(&[b'a'; 3 * MOST]);
        tail.push(b"\nValueError: no such city\n\n");
        let log = String::from_utf8(tail.take()).unwrap();
        assert_eq!((log.len(), tail.take().len()), (MOST + BEFORE, 0));
        assert_eq!(cut(log.clone()).len(), MOST);
        assert_eq!(last_line(&log).as_deref(), Some("ValueError: no such city"));
        assert_eq!(last_line(" \n"), None);
    }
}
