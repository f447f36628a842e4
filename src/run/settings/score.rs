//! Calls scored against the expected ones.

use std::path::PathBuf;

use super::{OutputSettings, PanelSettings};
use crate::domain::{Object, Slot};
use crate::read::{InMemory, Take};
use crate::table::Format;

/// What [`score`](crate::run::score()) reads, by which scorer, and what it writes.
#[derive(Debug, Clone)]
pub struct ScoreSettings {
    /// Files, globs and folders of cases, read as one table; `-` is the standard input.
    pub inputs: Vec<String>,
    /// Tables of cases in memory, after the files. Default: none.
    pub tables: Vec<InMemory>,
    /// The kind of all files. Default: detected from names and contents.
    pub from: Option<Format>,
    /// Columns of what was called and of what should have been, where they have other names than the usual ones. Default: none.
    pub columns: Vec<(Slot, String)>,
    /// Only cases whose column holds exactly this text: pairs of column and text, all of which must hold. Default: all.
    pub filters: Vec<(String, String)>,
    /// How many of the cases that the filters leave. Default: all.
    pub take: Take,
    /// BFCL's own files, which take the place of `inputs`. Default: none.
    pub bfcl: Option<BfclFiles>,
    /// The scorer's name. Default: the one that `compat` implies, or that the cases' keys give away.
    pub scorer: Option<String>,
    /// The peer whose numbers are to be given, quirks and exceptions included. Default: none.
    pub compat: Option<String>,
    /// Who says what the scorer's peer asks a model, and in which words. Default: nobody; what a case's record says of it counts.
    pub panel: Option<PanelSettings>,
    /// Options of the scorer under its peer's own names, such as `threshold`. Default: the scorer's own.
    pub options: Object,
    /// Options, by the same names, that are an error where they have no effect beside the others. Default: none.
    pub demanded: Vec<String>,
    /// The cases with their scores. Default: nowhere.
    pub output: OutputSettings,
    /// Goes before the names of the columns that are added. Default: nothing.
    pub prefix: String,
    /// Whether the columns that are added replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// A report for continuous integration in JUnit's XML. Default: none.
    pub junit: Option<PathBuf>,
}

impl ScoreSettings {
    /// Scores all cases of `inputs`; writes nothing.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> ScoreSettings {
        ScoreSettings {
            inputs: inputs.into_iter().map(Into::into).collect(),
            tables: Vec::new(),
            from: None,
            columns: Vec::new(),
            filters: Vec::new(),
            take: Take::All,
            bfcl: None,
            scorer: None,
            compat: None,
            panel: None,
            options: Object::new(),
            demanded: Vec::new(),
            output: OutputSettings::default(),
            prefix: String::new(),
            overwrite: false,
            junit: None,
        }
    }
}

/// BFCL's own files, which are joined into cases.
#[derive(Debug, Clone)]
pub struct BfclFiles {
    /// The questions (`BFCL_v4_multiple.json`).
    pub questions: PathBuf,
    /// Their accepted answers (`possible_answer/BFCL_v4_multiple.json`).
    pub answers: PathBuf,
    /// What a model answered: a list of `{name: arguments}`, or text in call syntax.
    pub results: PathBuf,
    /// Whether the model could not use dots in names and wrote underscores.
    pub underscore_to_dot: bool,
}
