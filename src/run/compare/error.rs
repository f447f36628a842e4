//! Why judges cannot be compared, and what to do about it.

use std::path::PathBuf;

/// Judges that cannot be compared.
///
/// `table` and the paths are files; `a` and `b` are names of judges.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum CompareError {
    /// A report whose file name does not say what kind of report it is.
    #[error("--report {}: a report ends in .md or .json", .0.display())]
    ReportEnding(PathBuf),
    /// A table without columns of a judge's labels.
    #[error(
        "{}: no judge's labels are in it: there should be columns `label` and `status`, as `tooljudge label` and `bench -o` \
         write them",
        .0.display()
    )]
    NoJudge(PathBuf),
    /// The only table has the labels of one judge only.
    #[error("there is only one judge in {}; give a second table", .0.display())]
    OneJudge(PathBuf),
    /// A table that holds no episodes, where agents are compared, or damaged ones.
    #[error("{}: {why}", table.display())]
    Episodes { table: PathBuf, why: String },
    /// The only table has scored episodes of one agent, or of none.
    #[error("there are not two agents with scored episodes in {}; give a second table", .0.display())]
    OneAgent(PathBuf),
    /// A setting that has a meaning for judges only.
    #[error("{0} is for judges: agents are compared by whether their episodes pass")]
    ForJudges(&'static str),
    /// No tables were given.
    #[error("there is no table to compare")]
    NoTable,
    /// No column of gold was named, and none has a usual name.
    #[error("{}: no column says what the labels should be; name it with --gold", .0.display())]
    NoGoldColumn(PathBuf),
    /// A setting names a column that the table does not have.
    #[error("{}: there is no column `{column}`", table.display())]
    NoColumn { table: PathBuf, column: String },
    /// The column of gold is empty in all rows.
    #[error("no row of {table} has a gold in the column `{column}`")]
    NoGold { table: String, column: String },
    /// Nothing in the tables is the label that counts as right.
    #[error(
        "--positive {positive}: neither a label nor the gold of any row in {table} or the other tables is that"
    )]
    NoPositive { positive: String, table: String },
    /// No row with gold has a label of both judges.
    #[error(
        "no row with gold has a label of both {a} and {b}: are these tables of the same rows? --id names the column by which \
         they are found"
    )]
    NothingInCommon { a: String, b: String },
    /// No episode has a score of both agents.
    #[error(
        "no episode of a case that expects the same has a score of both {a} and {b}: are these of the same suite and repeats?"
    )]
    NoCaseInCommon { a: String, b: String },
}
