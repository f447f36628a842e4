//! Records that a log holds twice: one id, and all that it says is the same. The second is no other answer of a model's.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};

use crate::normalize::logs::{Before, Ids, LogFormat, Output, Turn};

/// Where an entry stands: the number of its input, of the record in it, and of the entry in the record.
pub(super) type At = (usize, u64, u64);

/// The turns met so far, and where those stand that repeat one of them.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    met: HashSet<u64>,
    again: HashSet<At>,
}

impl Repeats {
    /// Takes note of what stands for a turn; tells whether the same was met before.
    pub(super) fn note(&mut self, print: u64, at: At) -> bool {
        let is_new = self.met.insert(print);
        if !is_new {
            self.again.insert(at);
        }
        !is_new
    }

    /// Whether what stands there repeats something.
    pub(super) fn holds(&self, at: At) -> bool {
        self.again.contains(&at)
    }

    /// The same, with nothing to compare further turns by.
    pub(super) fn closed(self) -> Repeats {
        Repeats { met: HashSet::new(), again: self.again }
    }
}

/// What stands for a turn whose record has an id that no other record has; `None` of others, of which two may be alike.
pub(super) fn print(turn: &Turn, format: &LogFormat, source: &str) -> Option<u64> {
    let id = turn.origin.source_id.as_ref()?;
    let mut text = Text(DefaultHasher::new());
    // A hasher fails never.
    match format.ids() {
        Ids::None => return None,
        Ids::OfFile => {
            let _ = writeln!(text, "{source}");
        }
        Ids::Everywhere => {}
    }
    let _ = writeln!(text, "{} {id} {:?}", format.name, turn.origin);
    match (&turn.before, turn.print()) {
        (Before::Messages(messages), _) => messages.iter().for_each(|message| {
            let _ = writeln!(text, "{message}");
        }),
        (Before::Transcript(_), Some((_, print))) => {
            let _ = writeln!(text, "{}", print.transcript);
        }
        (Before::Transcript(_), None) => return None,
    }
    let _ = match &turn.output {
        Output::Message(json) | Output::Calls(json) => writeln!(text, "{json}"),
        Output::Broken(broken) => writeln!(text, "{broken}"),
    };
    let _ = writeln!(text, "{:?} {:?}", turn.tools, turn.ending);
    Some(text.0.finish())
}

struct Text(DefaultHasher);

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
