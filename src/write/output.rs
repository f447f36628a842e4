//! Where a labelled table goes, and whether it may go there.

use std::path::{Path, PathBuf};

use super::WriteError;
use super::manifest_file::written_bytes;

/// How an output holds its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Csv,
    Tsv,
    Jsonl,
    Parquet,
}

impl OutputFormat {
    /// By the file's ending.
    pub fn of(path: &Path) -> Result<OutputFormat, WriteError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Ok(OutputFormat::Csv),
            "tsv" => Ok(OutputFormat::Tsv),
            "jsonl" | "ndjson" => Ok(OutputFormat::Jsonl),
            "parquet" | "pq" => Ok(OutputFormat::Parquet),
            _ => Err(WriteError::UnknownFormat(path.to_owned())),
        }
    }
}

/// `calls.csv` becomes `calls.labeled.csv`; a JSON array becomes JSON Lines.
pub fn default_output(inputs: &[&Path]) -> Result<PathBuf, WriteError> {
    let [input] = inputs else { return Err(WriteError::NoDefault) };
    let ending = match input.extension().and_then(|ending| ending.to_str()) {
        Some(ending) if OutputFormat::of(input).is_ok() => ending,
        _ => "jsonl",
    };
    let mut name = input.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".labeled.{ending}"));
    Ok(input.with_file_name(name))
}

/// Whether `output` may be written: its folder is there, it is no input, and what it would replace is ours.
///
/// Ours is a file whose manifest lies beside it and has its size: one that somebody edited since is theirs.
pub fn check_replaceable(output: &Path, inputs: &[&Path], force: bool) -> Result<(), WriteError> {
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(WriteError::NoFolder(folder.to_owned()));
    }
    let Ok(existing) = output.metadata() else { return Ok(()) };
    let same =
        |input: &&&Path| matches!((input.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if inputs.iter().find(same).is_some() {
        return Err(WriteError::IsInput(output.to_owned()));
    }
    if force || written_bytes(output) == Some(existing.len()) {
        return Ok(());
    }
    Err(WriteError::NotOurs(output.to_owned()))
}
