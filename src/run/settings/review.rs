//! Settings of the server for reading and marking labels.

use std::path::PathBuf;

use super::OutputSettings;

/// What [`review`](crate::run::review()) shows, and where marks are kept.
#[derive(Debug, Clone)]
pub struct ReviewSettings {
    /// The labelled table: files and globs.
    pub inputs: Vec<String>,
    /// The file of marks. Default: beside the first file of the table, `labelled.marks.sqlite` for `labelled.parquet`.
    pub marks: Option<PathBuf>,
    /// The reviewer's name: 1 to 100 characters.
    pub reviewer: String,
    /// The port on 127.0.0.1; 0 takes any free one. Default: 0.
    pub port: u16,
    /// The column with row ids. Default: the first usual one that exists.
    pub id: Option<String>,
    /// Whether to show neither the judges' labels nor gold nor what other reviewers say. Default: false.
    pub blind: bool,
    /// Which rows the page asks for first. Default: those that need attention most. Not with [`blind`](ReviewSettings::blind).
    pub queue: Option<ReviewQueue>,
}

/// Rows that a reviewer is asked for before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewQueue {
    /// Rows on which the other reviewers disagree; then those on which judges of one task do and nobody has said what is right, in the
    /// order of [`next`](crate::run::next()). What the reviewer marks, or the others come to agree on, leaves it.
    Disagreement,
}

impl ReviewQueue {
    /// As settings spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewQueue::Disagreement => "disagreement",
        }
    }
}

/// What [`review_export`](crate::run::review_export()) writes.
#[derive(Debug, Clone)]
pub struct ReviewExportSettings {
    /// The labelled table: files and globs.
    pub inputs: Vec<String>,
    /// The file of marks. Default: as for [`ReviewSettings`].
    pub marks: Option<PathBuf>,
    /// The column with row ids. Default: the first usual one that exists.
    pub id: Option<String>,
    /// A reviewer whose labels decide where the others disagree. Default: nobody.
    pub adjudicator: Option<String>,
    /// The table of marked rows. It must have a path.
    pub output: OutputSettings,
}

impl ReviewSettings {
    /// All rows of `inputs` for `reviewer`, on any free port.
    pub fn new<I: Into<String>>(
        inputs: impl IntoIterator<Item = I>,
        reviewer: impl Into<String>,
    ) -> ReviewSettings {
        ReviewSettings {
            inputs: inputs.into_iter().map(Into::into).collect(),
            marks: None,
            reviewer: reviewer.into(),
            port: 0,
            id: None,
            blind: false,
            queue: None,
        }
    }
}
