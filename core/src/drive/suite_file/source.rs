//! The text of a suite file, parsed into values with line numbers.

use super::node::{Fault, Mark, Node, Place, Read};
use super::{SuiteFormat, json, toml, yaml};

/// The text of a suite file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub format: SuiteFormat,
    pub text: &'a str,
}

impl Source<'_> {
    /// Reads the text; the outermost value is a table.
    pub fn read(self) -> Read<Node> {
        match self.format {
            SuiteFormat::Toml => toml::read(self.text),
            SuiteFormat::Json => json::read(self.text, 0),
            SuiteFormat::Jsonl => json::read_lines(self.text),
            SuiteFormat::Yaml => yaml::read(self.text),
        }
    }

    /// The line of a value, from 1.
    pub fn line(self, mark: Mark) -> Option<usize> {
        match self.format {
            SuiteFormat::Yaml => yaml::line(self.text, mark),
            _ => Some(line_of_byte(self.text, mark)),
        }
    }

    /// The line of a fault, from 1.
    pub fn line_of(self, fault: &Fault) -> Option<usize> {
        match fault.place {
            Place::At(mark) => self.line(mark),
            Place::Line(line) => Some(line),
            Place::Unknown => None,
        }
    }
}

/// The line that holds a byte, from 1.
pub(super) fn line_of_byte(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
