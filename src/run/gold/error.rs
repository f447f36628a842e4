//! Why no gold table can be made, and what to do about it.

use std::path::PathBuf;

/// Where a user gets the benchmark's files.
const SOURCE: &str = "the files are in berkeley-function-call-leaderboard/bfcl_eval/data of the gorilla repository, and in the \
                      package bfcl-eval";

/// A table of gold that cannot be made.
///
/// `path`, `answers` and `questions` are files or folders, `line` and `row` are counted from 1, and `why` is the cause in words.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum GoldError {
    /// The folder of the benchmark's files does not exist.
    #[error("{}: the folder does not exist; {SOURCE}", .0.display())]
    NoBfclFolder(PathBuf),
    /// A folder of results or scores does not exist.
    #[error("{}: the folder does not exist", .0.display())]
    NoFolder(PathBuf),
    /// The folder holds none of the benchmark's question files.
    #[error("{}: no files like BFCL_v4_multiple.json are in it; {SOURCE}", .0.display())]
    NoBfclFiles(PathBuf),
    /// A category that the folder does not hold; `there` lists those that it does.
    #[error("{}: no category `{category}`; there are {there}", path.display())]
    NoCategory { path: PathBuf, category: String, there: String },
    /// A folder that cannot be listed.
    #[error("cannot read {}: {why}", path.display())]
    Folder { path: PathBuf, why: String },
    /// A question file without its file of accepted answers.
    #[error("{}: the accepted answers of {} are missing; {SOURCE}", answers.display(), questions.display())]
    NoAnswers { answers: PathBuf, questions: PathBuf },
    /// A file that cannot be read.
    #[error("cannot read {}; {SOURCE}: {why}", path.display())]
    File { path: PathBuf, why: String },
    /// A line without a text `id`.
    #[error("{}, line {line}: no text `id`; {SOURCE}", path.display())]
    NoId { path: PathBuf, line: usize },
    /// A line that cannot be used.
    #[error("{}, line {line}: {why}", path.display())]
    Line { path: PathBuf, line: usize, why: String },
    /// A line that holds JSON, but not an object.
    #[error("{}, line {line}: no JSON object; every line should be one", path.display())]
    NoObject { path: PathBuf, line: usize },
    /// A line that is not JSON.
    #[error("{}, line {line}: no JSON ({why}); every line should be a JSON object, unchanged", path.display())]
    NoJson { path: PathBuf, line: usize, why: String },
    /// A folder of results without a result file of these categories.
    #[error(
        "{}: no files like MODEL/BFCL_v4_multiple_result.json of these categories are in it",
        .0.display()
    )]
    NoResults(PathBuf),
    /// A line of a score file without a text `id`.
    #[error("{}, line {line}: no text `id`; is this a score file?", path.display())]
    NoScore { path: PathBuf, line: usize },
    /// A score file that does not begin with its totals.
    #[error(
        "{}: the first line should hold the totals, `total_count` and `correct_count`; is this a score file?",
        .0.display()
    )]
    NoTotals(PathBuf),
    /// A score file whose lines contradict its totals, in numbers of answers.
    #[error(
        "{}: {failed} answers failed by its lines, {correct} of {total} are right by its first line; the file is not whole",
        path.display()
    )]
    NotWhole { path: PathBuf, failed: usize, correct: usize, total: usize },
    /// A row of right calls of one's own whose gold is not a label; `words` are the labels.
    #[error("row {row}: `gold` is `{text}`, not {words}; --where chooses rows")]
    Label { row: usize, text: String, words: String },
    /// The standard input, which cannot be read twice.
    #[error("the input is read twice, so it cannot be a stream; save it to a file first")]
    Stream,
    /// A temporary table that cannot be written; the cause.
    #[error("a temporary table cannot be written: {0}")]
    NoTemporary(String),
    /// The benchmark's files in this folder gave no row.
    #[error("--bfcl {}: no question gave a row", .0.display())]
    NoRows(PathBuf),
    /// [`OutputSettings::path`](crate::run::settings::OutputSettings::path) is not set.
    #[error("say where the table goes")]
    NoOutput,
}
