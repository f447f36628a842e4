//! Why judges cannot be compared, and what to do about it.

use std::path::PathBuf;

/// Judges that cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error("--report {}: a report ends in .md or .json", .0.display())]
    ReportEnding(PathBuf),
    #[error(
        "{}: no judge's labels are in it: there should be columns `label` and `status`, as `tooljudge label` and `bench -o` \
         write them",
        .0.display()
    )]
    NoJudge(PathBuf),
    #[error("there is only one judge in {}; give a second table", .0.display())]
    OneJudge(PathBuf),
    #[error("there is no table to compare")]
    NoTable,
    #[error("{}: no column says what the labels should be; name it with --gold", .0.display())]
    NoGoldColumn(PathBuf),
    #[error("{}: there is no column `{column}`", table.display())]
    NoColumn { table: PathBuf, column: String },
    #[error("no row of {table} has a gold in the column `{column}`")]
    NoGold { table: String, column: String },
    #[error(
        "no row with gold has a label of both {a} and {b}: are these tables of the same rows? --id names the column by which \
         they are found"
    )]
    NothingInCommon { a: String, b: String },
}
