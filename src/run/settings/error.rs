//! Invalid settings, and what to do about them.

use std::path::PathBuf;

use crate::domain::RailsError;
use crate::judge::SetupError;
use crate::render::TemplateError;

/// Invalid settings.
///
/// `path` is a file, and `why` the cause in words.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum SettingsError {
    /// A file of tool definitions that cannot be read.
    #[error("cannot read the tool definitions {}: {why}", path.display())]
    ToolsFile { path: PathBuf, why: String },
    /// Tool definitions that are not understood.
    #[error("--tools {}: {why}", path.display())]
    Tools { path: PathBuf, why: String },
    /// A template file that cannot be read.
    #[error("cannot read the template {}: {why}", path.display())]
    TemplateFile { path: PathBuf, why: String },
    /// A template that is not understood.
    #[error("template {}: {why}", path.display())]
    Template { path: PathBuf, why: TemplateError },
    /// A variable that no template has.
    #[error("--column {name}={column}: no template has a variable `{name}`; {why}")]
    NoSuchVariable { name: String, column: String, why: String },
    /// A variable that is to show two columns.
    #[error("--column {0}=...: the variable `{0}` is mapped to more than one column")]
    SameVariable(String),
    /// Two judges whose columns would have the same names.
    #[error(
        "{a} and {b} would write columns of the same names, `{prefix}...`: give one of them another name"
    )]
    SameColumns { a: String, b: String, prefix: String },
    /// A page of labelled rows that is not named as one.
    #[error("--report {}: the page of labeled rows is HTML; give it a name that ends in .html", .0.display())]
    NotAPage(PathBuf),
    /// A column to fold by that does not exist.
    #[error("--fold: there is no column `{column}`{near}")]
    NoColumnToFold { column: String, near: String },
    /// A column to fold by whose name the folds have for one of their own columns, or that is named twice.
    #[error(
        "--fold: the folds would have two columns named `{0}`; rename the column of the input, or name it once"
    )]
    FoldClash(String),
    /// A column to keep that does not exist.
    #[error("--keep: there is no column `{column}`{near}")]
    NoColumnToKeep { column: String, near: String },
    /// A column that is both to be kept and to be left out.
    #[error("--keep and --drop both name the column `{0}`; take it out of one of them")]
    KeptAndDropped(String),
    /// A column to leave out that does not exist.
    #[error("--drop: there is no column `{column}`{near}")]
    NoColumnToDrop { column: String, near: String },
    /// A column to group by that does not exist.
    #[error("--by: there is no column `{column}`{near}")]
    NoColumnToGroup { column: String, near: String },
    /// A shard of rows that only one process can read.
    #[error(
        "--shard: every shard reads the whole input, so it must be files; write the rows to a file first"
    )]
    ShardOfStream,
    /// A shard that is not written to a file.
    #[error("--shard: the part is written to a file, beside which its record lies; give one with -o")]
    ShardWithoutFile,
    /// The file that the part would replace is not an earlier part of the same shard.
    #[error(
        "--shard: {} is {what}, which this part would replace; give the part a place of its own with -o, or replace it with --force",
        path.display()
    )]
    ShardReplaces { path: PathBuf, what: String },
    /// The column of the rows' numbers is taken.
    #[error(
        "--shard: the input has a column `shard_row` already; rename it, or give the whole table and not a part"
    )]
    ShardColumn,
    /// A file that cannot be hashed.
    #[error("--shard: cannot read {}: {why}", path.display())]
    ShardInput { path: PathBuf, why: String },
    /// Findings are to be counted, but no judge is asked for them.
    #[error("--max-fail {ceiling} counts findings, and none are asked for: add --findings")]
    CountsFindings { ceiling: String },
    /// Five grades were requested for a task that has no template with them.
    #[error(
        "--scale five is for tool_selection and parameter_extraction, not for {0}; a template of your own can have any rails"
    )]
    NoFiveGrades(&'static str),
    /// Calls are to be judged one by one, or findings listed, by a template that is not about calls.
    #[error(
        "{flag} is about calls, and {template} judges what came of a whole turn or transcript; leave it out, or judge something else"
    )]
    NotAboutCalls { flag: &'static str, template: String },
    /// Two templates of one name.
    #[error("two templates are named {0}; their columns would have the same names")]
    SameTemplate(String),
    /// A template and a task that contradict each other.
    #[error(
        "the template {template} words the task {worded}, not {asked}; leave out one of --task and --template"
    )]
    TemplateTask { template: String, worded: &'static str, asked: &'static str },
    /// Labels that cannot be rails.
    #[error("--rails: {0}")]
    Rails(RailsError),
    /// A judge that is named twice.
    #[error(
        "--judge {0} is given twice; to ask a model several times use --votes, or `bench --repeat` to see whether it \
         says the same again"
    )]
    SameJudge(String),
    /// Two model files that give their judges one name.
    #[error(
        "--judge {name}: {} and {} would both be called {name}; rename one, or give each a name in tooljudge.toml (docs/train.md)",
        .files[0].display(),
        .files[1].display()
    )]
    SameModelName { name: String, files: [PathBuf; 2] },
    /// The built-in judge with templates only.
    #[error("the built-in judge does not use templates; choose a model with --judge, or a task with --task")]
    BuiltinReadsNoTemplate,
    /// The built-in judge with a template that names no task.
    #[error(
        "the built-in judge does not use templates, and {0} does not name a task that it could judge instead; choose a model \
         with --judge, or a task with --task"
    )]
    NoBuiltinTask(String),
    /// A first judge, and what it cannot judge.
    #[error("--first: {0}")]
    First(String),
    /// A model file that cannot be used, and why.
    #[error("the model {}: {why}", path.display())]
    Model { path: PathBuf, why: String },
    /// A trained judge that was trained for none of the run's tasks, and the tasks that it was trained for.
    #[error(
        "--judge builtin:{file}: it was trained for {trained}, not for {asked}; train it for that too with `tooljudge train --task \
         {asked} --add`, or use --judge builtin",
        file = path.display()
    )]
    Untrained { path: PathBuf, trained: String, asked: String },
    /// A judge without the key that it needs.
    #[error(
        "no API key: set the environment variable {0}, name another one with --api-key-env, or point --base-url at a server \
         that needs none"
    )]
    NoKey(String),
    /// A judge without the key that it needs, and what else stands in its way.
    #[error("{}. And: {why}", SettingsError::NoKey(variable.clone()))]
    NoKeyAnd { variable: String, why: Box<crate::judge::SetupError> },
    /// A plain http address on another machine.
    #[error(
        "{0} is plain http to another host: anyone on the network path could read the rows and the key. Use https, or allow it with \
         --allow-http, or `allow_http = true` in tooljudge.toml"
    )]
    Exposed(String),
    /// A judge that cannot be set up.
    #[error(transparent)]
    Judge(#[from] SetupError),
    /// A benchmark's record that cannot be read.
    #[error("--calibration {}: {why}", path.display())]
    Calibration { path: PathBuf, why: String },
    /// A benchmark's record without one of the judges.
    #[error(
        "--calibration {}: {judge} ({template}) was not benchmarked in it, only {there}; run `tooljudge bench --judge {judge} --report \
         FILE.json` on rows with gold",
        path.display()
    )]
    NotBenchmarked { path: PathBuf, judge: String, template: String, there: String },
    /// Replies to read again of which there is none.
    #[error(
        "no reply is stored for any row: {store} has none of {judge} with {template} to these rows, so there is nothing to read again and no \
         table was written. Give judge, template, parameters and --store as in the run that asked, or ask with `tooljudge label`; --force writes the \
         table nevertheless"
    )]
    NothingStored { judge: String, template: String, store: String },
    /// One location for two files.
    #[error(
        "{} is an input of this run, or is written twice: {} means the same file",
        output.display(),
        other.display()
    )]
    SamePlace { output: PathBuf, other: PathBuf },
}
