//! Settings for scoring calls against the expected ones.

use std::path::PathBuf;

use super::{OutputSettings, PanelSettings};
use crate::domain::{Object, Slot};
use crate::read::{InMemory, Take};
use crate::score::OwnFunctions;
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
    /// Columns of actual and expected calls, if they have unusual names. Default: none.
    pub columns: Vec<(Slot, String)>,
    /// Only cases whose column holds exactly this text: pairs of column and text, all of which must hold. Default: all.
    pub filters: Vec<(String, String)>,
    /// How many of the filtered cases are read. Default: all.
    pub take: Take,
    /// BFCL's own files, which replace `inputs`. Default: none.
    pub bfcl: Option<BfclFiles>,
    /// The scorer's name. Default: the one that `compat` implies, or that the cases' keys indicate.
    pub scorer: Option<String>,
    /// The peer whose exact numbers are reproduced, bugs and exceptions included. Default: none.
    pub compat: Option<String>,
    /// The judge and template for questions that the scorer's peer asks a model. Default: none; only answers in a
    /// case's record count.
    pub panel: Option<PanelSettings>,
    /// Options of the scorer under its peer's own names, such as `threshold`. Default: the scorer's own.
    pub options: Object,
    /// Functions that options and cases can name. Default: none.
    pub functions: OwnFunctions,
    /// Options, by the same names, that are an error where they have no effect beside the others. Default: none.
    pub demanded: Vec<String>,
    /// The cases with their scores. Default: nowhere.
    pub output: OutputSettings,
    /// A prefix for the names of the added columns. Default: none.
    pub prefix: String,
    /// Whether added columns replace input columns of the same name. Default: no; such a name is an error.
    pub overwrite: bool,
    /// A report for continuous integration in JUnit's XML. Default: none.
    pub junit: Option<PathBuf>,
    /// A page of all cases (HTML), those that fail first. Default: none.
    pub report: Option<PathBuf>,
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
            functions: OwnFunctions::default(),
            demanded: Vec::new(),
            output: OutputSettings::default(),
            prefix: String::new(),
            overwrite: false,
            junit: None,
            report: None,
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
