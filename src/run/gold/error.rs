//! Why no table of gold can be made, and what to do about it.

use std::path::PathBuf;

/// Where a user gets the benchmark's files.
const SOURCE: &str = "the files are in berkeley-function-call-leaderboard/bfcl_eval/data of the gorilla repository, and in the \
                      package bfcl-eval";

/// A table of gold that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    #[error("{}: the folder does not exist; {SOURCE}", .0.display())]
    NoBfclFolder(PathBuf),
    #[error("{}: the folder does not exist", .0.display())]
    NoFolder(PathBuf),
    #[error("{}: no files like BFCL_v4_multiple.json are in it; {SOURCE}", .0.display())]
    NoBfclFiles(PathBuf),
    #[error("{}: no category `{category}`; there are {there}", path.display())]
    NoCategory { path: PathBuf, category: String, there: String },
    #[error("cannot read {}: {why}", path.display())]
    Folder { path: PathBuf, why: String },
    #[error("{}: the accepted answers of {} are missing; {SOURCE}", answers.display(), questions.display())]
    NoAnswers { answers: PathBuf, questions: PathBuf },
    #[error("cannot read {}; {SOURCE}: {why}", path.display())]
    File { path: PathBuf, why: String },
    #[error("{}, line {line}: no text `id`; {SOURCE}", path.display())]
    NoId { path: PathBuf, line: usize },
    #[error("{}, line {line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
    #[error("{}, line {line}: no JSON object; every line should be one", path.display())]
    NoObject { path: PathBuf, line: usize },
    #[error("{}, line {line}: no JSON ({why}); every line should be a JSON object, unchanged", path.display())]
    NoJson { path: PathBuf, line: usize, why: String },
    #[error(
        "{}: no files like MODEL/BFCL_v4_multiple_result.json of these categories are in it",
        .0.display()
    )]
    NoResults(PathBuf),
    #[error("{}, line {line}: no text `id`; is this a score file?", path.display())]
    NoScore { path: PathBuf, line: usize },
    #[error(
        "{}: the first line should hold the totals, `total_count` and `correct_count`; is this a score file?",
        .0.display()
    )]
    NoTotals(PathBuf),
    #[error(
        "{}: {failed} answers failed by its lines, {correct} of {total} are right by its first line; the file is not whole",
        path.display()
    )]
    NotWhole { path: PathBuf, failed: usize, correct: usize, total: usize },
    #[error("row {row}: `gold` is `{text}`, not {words}; --where chooses rows")]
    Label { row: usize, text: String, words: String },
    #[error("the input is read twice, so it cannot be a stream; save it to a file first")]
    Stream,
    #[error("a temporary table cannot be written: {0}")]
    NoTemporary(String),
    #[error("--bfcl {}: no question gave a row", .0.display())]
    NoRows(PathBuf),
    #[error("say where the table goes")]
    NoOutput,
}
