//! The location and format of an output table, and whether it may be overwritten.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::manifest_file::{is_as_written, is_ours};
use super::whole_file::WholeFile;
use super::{Collected, WriteError, whole_file};
use crate::table::format::{of_name, stem};
use crate::table::{Compression, Format};

/// Names of the standard output; the first stands for the standard input too.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// How an output holds its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputFormat {
    /// How rows are written.
    pub format: Format,
    /// Never of Parquet and Arrow, which are compressed within.
    pub compression: Option<Compression>,
    pub(crate) formulas: Formulas,
    pub(crate) when_empty: WhenEmpty,
}

/// What a table without rows does to a file in its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhenEmpty {
    #[default]
    Replace,
    /// A file with rows stays, and that is an error.
    Keep,
}

impl WhenEmpty {
    /// What an input or a selection without rows does: that is more likely a mistake than a wish for an empty table.
    pub(crate) fn unless(force: bool) -> WhenEmpty {
        if force { WhenEmpty::Replace } else { WhenEmpty::Keep }
    }
}

/// What becomes of texts in CSV that a spreadsheet would take for formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Formulas {
    /// The words of models get an apostrophe before them; the input's own cells stay as they are.
    #[default]
    Kept,
    /// Every such text gets one, headers included, and all texts stand in quotation marks.
    Escaped,
}

impl OutputFormat {
    /// By the file's endings.
    pub fn of(path: &Path) -> Result<OutputFormat, WriteError> {
        let kind = path.file_name().and_then(|name| of_name(name.to_str()?));
        kind.and_then(OutputFormat::new).ok_or_else(|| WriteError::UnknownFormat(path.to_owned()))
    }

    fn new((format, compression): (Format, Option<Compression>)) -> Option<OutputFormat> {
        let packed_twice = format.is_typed() && compression.is_some();
        (!packed_twice).then_some(OutputFormat {
            format,
            compression,
            formulas: Formulas::Kept,
            when_empty: WhenEmpty::Replace,
        })
    }

    /// What tables read from `input` are written as, if nobody says otherwise: arrays cannot grow row by row.
    fn like(input: Format) -> OutputFormat {
        let format = if input == Format::Json { Format::Jsonl } else { input };
        OutputFormat { format, compression: None, formulas: Formulas::Kept, when_empty: WhenEmpty::Replace }
    }
}

/// A name that is no output format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a format: use {names}; all but the last two also with .gz or .zst", names = Format::NAMES)]
pub struct UnknownOutputFormat(pub String);

impl FromStr for OutputFormat {
    type Err = UnknownOutputFormat;

    fn from_str(text: &str) -> Result<OutputFormat, UnknownOutputFormat> {
        let format = of_name(&format!("table.{text}")).and_then(OutputFormat::new);
        format.ok_or_else(|| UnknownOutputFormat(text.to_owned()))
    }
}

/// A file or stream for a table, or a place in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// `-` for the standard output, nothing for a place in memory.
    pub path: PathBuf,
    /// What the file holds.
    pub format: OutputFormat,
    /// The place in memory.
    pub(super) collected: Option<Collected>,
}

impl Output {
    /// At `path`, in the format `to`, or the one that its name tells; a stream gets the format of the `input`.
    pub fn new(path: PathBuf, to: Option<OutputFormat>, input: Format) -> Result<Output, WriteError> {
        let format = match to {
            Some(format) => format,
            None if is_stream(&path) => OutputFormat::like(input),
            None => OutputFormat::of(&path)?,
        };
        Ok(Output { path, format, collected: None })
    }

    /// In memory.
    pub fn in_memory(to: &Collected) -> Output {
        let format = OutputFormat::like(Format::Arrow);
        Output { path: Collected::place(), format, collected: Some(to.clone()) }
    }

    /// Whether a record of the run lies beside it: beside files only.
    pub fn has_manifest(&self) -> bool {
        self.collected.is_none() && !is_stream(&self.path)
    }

    /// Beside the only input: `calls.csv.gz` becomes `calls.labeled.csv.gz`; a JSON array becomes JSON Lines. What
    /// came from a stream goes to the standard output.
    pub fn beside(inputs: &[(&Path, Format)], to: Option<OutputFormat>) -> Result<Output, WriteError> {
        let [(input, format)] = inputs else { return Err(WriteError::NoDefault) };
        if is_stream(input) {
            return Output::new(STDOUT[0].into(), to, *format);
        }
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let (of_input, packed) =
            of_name(&name).map_or((None, None), |(format, packed)| (Some(format), packed));
        let like_input = OutputFormat { compression: packed, ..OutputFormat::like(*format) };
        let format = to.unwrap_or(like_input);
        let stem = stem(&name);
        // The input's own ending, if it says the same.
        let endings = match format == like_input && of_input == Some(format.format) {
            true => name[stem.len() + 1..].to_owned(),
            false => match format.compression {
                Some(compression) => format!("{}.{}", format.format.as_str(), compression.ending()),
                None => format.format.as_str().to_owned(),
            },
        };
        let path = input.with_file_name(format!("{stem}.labeled.{endings}"));
        Ok(Output { path, format, collected: None })
    }

    /// The same output with `formulas`; other formats than CSV know none.
    #[must_use]
    pub fn with_formulas(mut self, formulas: Formulas) -> Output {
        self.format.formulas = formulas;
        self
    }

    /// The same output, of a table that may turn out to have no rows.
    #[must_use]
    pub fn when_empty(mut self, when_empty: WhenEmpty) -> Output {
        self.format.when_empty = when_empty;
        self
    }

    /// Whether it may be written: its folder is there and can be written to, it is no input, and what it would replace
    /// is ours.
    ///
    /// Ours is a file whose manifest lies beside it and has its size: one that somebody edited since is theirs.
    pub fn check(&self, inputs: &[&Path], folders: &[PathBuf], force: bool) -> Result<(), WriteError> {
        let path = &self.path;
        if self.collected.is_some() {
            return Ok(());
        }
        if is_stdout(path) && self.format.format.is_typed() && std::io::stdout().is_terminal() {
            return Err(WriteError::Terminal(self.format.format.as_str()));
        }
        if is_stdout(path) && is_closed() {
            return Err(WriteError::Closed);
        }
        if inputs.iter().any(|input| is_same(input, path)) {
            return Err(WriteError::IsInput(path.clone()));
        }
        if is_stream(path) {
            return Ok(());
        }
        let folder = whole_file::folder(path);
        if !folder.is_dir() {
            return Err(WriteError::NoFolder(folder.to_owned()));
        }
        if path.is_dir() {
            return Err(WriteError::IsFolder(path.clone()));
        }
        if let Some(input) = folders.iter().find(|input| is_within(folder, input)) {
            return Err(WriteError::InsideInput { path: path.clone(), folder: input.clone() });
        }
        if let Ok(existing) = path.metadata()
            && !force
            && !(is_ours(path, existing.len()) && is_as_written(path, &existing))
        {
            return Err(WriteError::NotOurs(path.clone()));
        }
        // Gone at once; better to fail now than when everything is judged and paid for.
        WholeFile::create(path).map(drop)
    }
}

/// Whether `path` takes bytes as they come: the standard output, a pipe, a device. Such an output has no manifest.
pub fn is_stream(path: &Path) -> bool {
    is_stdout(path) || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether `path` means the standard output.
pub fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path.as_os_str() == *name)
}

/// Whether the standard output was closed when the program began. Its place was then taken by a device that swallows
/// everything, open for reading too, as nobody opens it who wants output swallowed.
fn is_closed() -> bool {
    let device = std::fs::read_link("/proc/self/fd/1").is_ok_and(|target| target == Path::new("/dev/null"));
    let flags = || {
        let info = std::fs::read_to_string("/proc/self/fdinfo/1").ok()?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        u32::from_str_radix(flags.trim(), 8).ok()
    };
    const ACCESS: u32 = 3;
    const READ_AND_WRITE: u32 = 2;
    device && flags().is_some_and(|flags| flags & ACCESS == READ_AND_WRITE)
}

/// Whether two names mean one file, be it there already or not.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = whole_file::folder(path).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    is_same(a, b) || matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}

/// Whether two names mean one file: through links too, symbolic or hard.
fn is_same(a: &Path, b: &Path) -> bool {
    let (Ok(of_a), Ok(of_b)) = (a.metadata(), b.metadata()) else { return false };
    if !of_a.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        of_a.dev() == of_b.dev() && of_a.ino() == of_b.ino()
    }
    #[cfg(not(unix))]
    {
        of_b.is_file() && matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
    }
}

fn is_within(folder: &Path, above: &Path) -> bool {
    matches!((folder.canonicalize(), above.canonicalize()), (Ok(folder), Ok(above)) if folder.starts_with(&above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_lie_beside_their_input() {
        for (input, format, to, expected) in [
            ("a/calls.csv", Format::Csv, None, "a/calls.labeled.csv as csv"),
            ("calls.csv.gz", Format::Csv, None, "calls.labeled.csv.gz as csv gz"),
            ("calls.json.zstd", Format::Json, None, "calls.labeled.jsonl.zst as jsonl zst"),
            ("calls.json", Format::Json, None, "calls.labeled.jsonl as jsonl"),
            ("calls.ndjson", Format::Jsonl, None, "calls.labeled.ndjson as jsonl"),
            ("x.pq", Format::Parquet, None, "x.labeled.pq as parquet"),
            ("x.feather", Format::Arrow, None, "x.labeled.feather as arrow"),
            ("x.csv", Format::Ssv, None, "x.labeled.ssv as ssv"),
            ("calls.log", Format::Jsonl, None, "calls.labeled.jsonl as jsonl"),
            ("calls.csv.gz", Format::Csv, Some("parquet"), "calls.labeled.parquet as parquet"),
            ("calls.csv", Format::Csv, Some("jsonl.zst"), "calls.labeled.jsonl.zst as jsonl zst"),
            ("-", Format::Json, None, "- as jsonl"),
            ("-", Format::Parquet, None, "- as parquet"),
            ("-", Format::Parquet, Some("csv"), "- as csv"),
        ] {
            let to = to.map(|to| to.parse().unwrap());
            let output = Output::beside(&[(Path::new(input), format)], to).unwrap();
            let packed = output.format.compression.map(|packed| format!(" {}", packed.ending()));
            let found = format!(
                "{} as {}{}",
                output.path.display(),
                output.format.format.as_str(),
                packed.unwrap_or_default()
            );
            assert_eq!(found, expected, "{input}");
        }
    }

    #[test]
    fn nothing_is_packed_twice() {
        assert!("csv.gz".parse::<OutputFormat>().is_ok());
        for text in ["parquet.gz", "arrow.zst", "gz", "xlsx", ""] {
            assert!(text.parse::<OutputFormat>().is_err(), "{text}");
        }
        assert!(OutputFormat::of(Path::new("out.parquet.gz")).is_err());
    }
}
