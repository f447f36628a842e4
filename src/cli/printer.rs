//! The one place that prints: stdout is data, stderr is talk.

use std::io::Write;

/// Knows how talkative to be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Printer {
    pub quiet: bool,
}

impl Printer {
    /// A result. A reader who has gone away does not mind.
    pub fn data(self, text: &str) {
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }

    /// Something good to know; not when quiet.
    pub fn talk(self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// Something that needs attention, quiet or not.
    pub fn warn(self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
    }

    /// Why the command ends.
    pub fn error(self, error: &anyhow::Error) {
        let _ = writeln!(std::io::stderr().lock(), "error: {error:#}");
    }
}
