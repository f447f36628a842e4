//! Settings of a comparison of judges on the same rows.

use std::path::{Path, PathBuf};

use crate::read::InMemory;
pub use crate::report::Compared;
use crate::stats::Measure;

/// What [`compare`](crate::run::compare()) reads, and by which measure it decides.
#[derive(Debug, Clone)]
pub struct CompareSettings {
    /// Labelled tables, or tables of episodes; the others are compared with the first judge or agent of the first table.
    pub tables: Vec<ComparedTable>,
    /// Whether every two judges or agents are compared instead, all p-values corrected together. Default: no.
    pub all_pairs: bool,
    /// What is compared. Default: agents if the first table holds episodes, else judges.
    pub by: Option<Compared>,
    /// The column of gold in the first table. Default: as for a benchmark, by the task of the first judge.
    pub gold: Option<String>,
    /// The column by which rows of the tables are matched. Default: `id` or `row_id` if all tables have it; else question, call
    /// and definitions.
    pub id: Option<String>,
    /// Rows with the same value of this column belong together. Default: `question_id`, if there is one.
    pub cluster: Option<String>,
    /// The label that means right. Default: `correct`.
    pub positive: Option<String>,
    /// The measure that decides. Default: accuracy.
    pub measure: Measure,
    /// The margin, above 0, by which a judge may be worse and still count as not worse. Default: not tested.
    pub margin: Option<f64>,
    /// Report files, by extension: .md or .json. Default: none.
    pub reports: Vec<PathBuf>,
    /// Whether files that this program did not write are replaced. Default: no.
    pub force: bool,
}

impl CompareSettings {
    /// Compares all judges in `tables` by accuracy; writes nothing.
    pub fn new<T: Into<ComparedTable>>(tables: impl IntoIterator<Item = T>) -> CompareSettings {
        CompareSettings {
            tables: tables.into_iter().map(Into::into).collect(),
            all_pairs: false,
            by: None,
            gold: None,
            id: None,
            cluster: None,
            positive: None,
            measure: Measure::Accuracy,
            margin: None,
            reports: Vec::new(),
            force: false,
        }
    }
}

/// A labelled table.
#[derive(Debug, Clone)]
pub enum ComparedTable {
    /// In a file.
    File(PathBuf),
    /// In memory, under a name for messages and results.
    Memory(String, InMemory),
}

impl ComparedTable {
    /// Its name in messages.
    pub fn path(&self) -> &Path {
        match self {
            ComparedTable::File(path) => path,
            ComparedTable::Memory(name, _) => Path::new(name),
        }
    }

    /// Distinguishes its judges from those of other tables.
    pub(in crate::run) fn name(&self) -> String {
        let path = self.path();
        match self {
            ComparedTable::File(path) => path.file_stem().unwrap_or(path.as_os_str()),
            ComparedTable::Memory(..) => path.as_os_str(),
        }
        .to_string_lossy()
        .into_owned()
    }
}

impl<P: Into<PathBuf>> From<P> for ComparedTable {
    fn from(path: P) -> ComparedTable {
        ComparedTable::File(path.into())
    }
}
