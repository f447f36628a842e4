//! Why parts cannot be joined, and what to do about it.

use std::path::PathBuf;

/// Parts that cannot be joined; nothing was written.
///
/// Paths are those of the parts; rows are counted from 1 in their part.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum MergeError {
    /// No output was named.
    #[error("name a file for the table with -o")]
    NoOutput,
    /// A table without the record of a run that labelled a shard.
    #[error(
        "{}: {}; give the tables that `tooljudge label --shard` wrote, with the record that lies beside each",
        path.display(),
        if manifest.exists() {
            format!("{} does not say which shard it is", manifest.display())
        } else {
            format!("its record {} is not there", manifest.display())
        }
    )]
    NoShard { path: PathBuf, manifest: PathBuf },
    /// A table that is not as its run wrote it.
    #[error("{}: the table was changed after its run wrote it; label this shard again", .0.display())]
    Changed(PathBuf),
    /// A shard of another run.
    #[error(
        "{} and {} are not parts of one run: {what}; label one of them again with the settings of the other",
        path.display(), other.display()
    )]
    OtherRun { path: PathBuf, other: PathBuf, what: String },
    /// The same shard twice.
    #[error("{} and {} are both shard {shard}; leave one of them out", path.display(), other.display())]
    SameShard { path: PathBuf, other: PathBuf, shard: String },
    /// Shards that are not there.
    #[error("of {count} shards {missing} {is} missing; label with --shard {first}/{count} and so on",
        is = if missing.contains(',') { "are" } else { "is" })]
    Missing { count: u32, missing: String, first: u32 },
    /// A row whose number is none, or is out of order.
    #[error("{}: row {row}: `{text}` in the column `shard_row` is not the number of a later row", path.display())]
    NoNumber { path: PathBuf, row: u64, text: String },
    /// Two rows with one number, or none where one should be.
    #[error("{}: row {row} of the whole run is {how}; the parts do not fit together", path.display())]
    Gap { path: PathBuf, row: u64, how: &'static str },
    /// Other numbers of rows than the records say.
    #[error("the parts have {found} rows, and their records say {said}; label the shards again")]
    Rows { found: u64, said: u64 },
    /// An output in another format.
    #[error("the parts are {parts}, and {} would be {output}; merge writes the format of its parts", path.display())]
    OtherFormat { path: PathBuf, parts: &'static str, output: &'static str },
}
