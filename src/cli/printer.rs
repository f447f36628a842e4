//! The only code that prints: data to stdout, messages to stderr.

use std::borrow::Cow;
use std::io::{Error, ErrorKind, Write};
use std::sync::OnceLock;

use super::annotation;
use super::colour::{ERROR, WARNING, marked, tinted};
use super::host::{Hear, Said};
use super::width::{self, Stream};
use crate::report::USUAL_WIDTH;

/// Why the standard output did not take everything.
static LOST: OnceLock<Error> = OnceLock::new();

/// Why a result did not reach the standard output, if so.
pub fn lost() -> Option<&'static Error> {
    LOST.get()
}

/// Knows how talkative to be, and to whom: to the terminal unless somebody else hears it.
#[derive(Clone, Copy, Default)]
pub struct Printer<'a> {
    pub quiet: bool,
    hear: Option<&'a Hear>,
    /// Whether failures are marked for GitHub.
    annotates: bool,
}

impl<'a> Printer<'a> {
    /// To the terminal; `annotates` if GitHub reads it.
    pub fn new(quiet: bool, annotates: bool) -> Printer<'a> {
        Printer { quiet, hear: None, annotates }
    }

    /// To somebody else, who hears it.
    pub fn hearing(quiet: bool, hear: &'a Hear) -> Printer<'a> {
        Printer { quiet, hear: Some(hear), annotates: false }
    }

    /// Whether failures are marked for GitHub, which shows ten of a step.
    pub fn annotates(self) -> bool {
        self.annotates
    }

    /// `text` as whoever reads it may see it.
    fn shown(self, text: &str) -> Cow<'_, str> {
        let text = harmless(text);
        if self.annotates { Cow::Owned(annotation::disarmed(&text)) } else { text }
    }

    /// Whether somebody else hears it.
    fn heard(self, said: fn(String) -> Said, text: &str) -> bool {
        self.hear.map(|hear| hear(said(text.to_owned()))).is_some()
    }

    /// The columns of whoever reads `stream`, where that is known: 60 at least.
    fn reader(self, stream: Stream) -> Option<usize> {
        self.hear.is_none().then(|| width::of(stream)).flatten()
    }

    /// The columns that tables and sentences for [`Printer::data`] are arranged to.
    pub fn width_of_data(self) -> usize {
        self.reader(Stream::Out).unwrap_or(USUAL_WIDTH)
    }

    /// The same for lists, of which a program may read a line each: without a terminal, these are not wrapped.
    pub fn width_of_list(self) -> usize {
        self.reader(Stream::Out).unwrap_or(usize::MAX)
    }

    /// The same for [`Printer::talk`].
    pub fn width_of_talk(self) -> usize {
        self.reader(Stream::Err).unwrap_or(USUAL_WIDTH)
    }

    /// The same for what goes to the standard output, or to stderr if that `is_taken` by rows.
    pub fn width(self, is_taken: bool) -> usize {
        if is_taken { self.width_of_talk() } else { self.width_of_data() }
    }

    /// A result. A reader who has gone away does not mind; whatever else it is lost by, [`lost`] tells.
    pub fn data(self, text: &str) {
        if self.heard(Said::Data, text) {
            return;
        }
        let mut stdout = std::io::stdout().lock();
        // In JSON, the same value has a spelling that GitHub takes for no command.
        let is_json = self.annotates && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let shown = match is_json {
            true => Cow::Owned(harmless(text).replace("##[", "##\\u005b")),
            false => self.shown(text),
        };
        match writeln!(stdout, "{shown}").and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => drop(LOST.set(error)),
            _ => {}
        }
    }

    /// A result in words, whose lines are tinted where they begin with a word that `passes` knows.
    pub fn summary(self, text: &str, passes: impl Fn(&str) -> Option<bool>) {
        if self.annotates || self.hear.is_some() {
            return self.data(text);
        }
        let mut stdout = anstream::stdout().lock();
        match writeln!(stdout, "{}", tinted(&self.shown(text), passes)).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => drop(LOST.set(error)),
            _ => {}
        }
    }

    /// Something good to know; not when quiet.
    pub fn talk(self, text: &str) {
        if !self.quiet && !self.heard(Said::Talk, text) {
            let _ = writeln!(std::io::stderr().lock(), "{}", self.shown(text));
        }
    }

    /// Something that must be known, quiet or not.
    pub fn notice(self, text: &str) {
        if !self.heard(Said::Warning, text) {
            let _ = writeln!(std::io::stderr().lock(), "{}", self.shown(text));
        }
    }

    /// Something that needs attention, quiet or not.
    pub fn warn(self, text: &str) {
        if self.heard(Said::Warning, text) {
            return;
        }
        let text = marked(&self.shown(text));
        let _ = writeln!(anstream::stderr().lock(), "{WARNING}warning:{WARNING:#} {text}");
    }

    /// What failed, by name, quiet or not. A program that called finds it in its rows, and is not warned.
    pub fn failure(self, text: &str) {
        if !self.heard(Said::Talk, text) {
            self.gate(text);
        }
    }

    /// Why a command fails although it is done, quiet or not.
    pub fn gate(self, text: &str) {
        match self.annotates {
            true => self.annotation(text),
            false => self.warn(text),
        }
    }

    fn annotation(self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{}", annotation::error(&harmless(text)));
    }

    /// Why the command ends.
    pub fn error(self, error: &anyhow::Error) {
        let error = format!("{error:#}");
        if self.annotates {
            return self.annotation(&error);
        }
        let _ = writeln!(anstream::stderr().lock(), "{ERROR}error:{ERROR:#} {}", harmless(&error));
    }
}

/// `text` without what a terminal would obey, or show as something else than it is: it may quote rows and replies.
fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |char: char| match char {
        '\n' | '\t' => false,
        // Marks that change the direction of what follows.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        char => char.is_control(),
    };
    match text.contains(is_harmful) {
        true => Cow::Owned(text.replace(is_harmful, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_nothing() {
        assert_eq!(harmless("a\tb\nc é 東"), "a\tb\nc é 東");
        assert_eq!(harmless("\u{1b}[2Jx\u{202e}y\r\u{9b}"), "\u{fffd}[2Jx\u{fffd}y\u{fffd}\u{fffd}");
    }
}
