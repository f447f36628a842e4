//! Resolves inputs to files, and detects the format of each.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::handle::Handle;
use super::memory::{FrameTable, Held};
use super::{InMemory, ReadError, folder, spool};
use crate::domain::did_you_mean;
use crate::table::Format;

/// Stands for the standard input.
const STDIN: &str = "-";

/// One file to read.
#[derive(Debug, Clone)]
pub struct Input {
    /// As it was named, or found; `-` for the standard input.
    pub path: PathBuf,
    pub format: Format,
    /// Columns that are the same for all its rows, such as those that its folders name (`day=2026-11-01`); `None` is null.
    pub(super) constants: Vec<(String, Option<String>)>,
    /// What it held, where it can be read once only.
    spooled: Option<Arc<File>>,
    /// The frame that it is, where it is no file.
    pub(super) frame: Option<Arc<FrameTable>>,
    /// Whether it has no place among the files.
    in_memory: bool,
    /// Whether nested objects may have null fields that their rows did not have.
    pub(super) padded: bool,
}

impl Input {
    fn of_table(table: InMemory) -> Input {
        let of = |format| Input { in_memory: true, ..Input::of_file(Path::new(InMemory::NAME), format) };
        match table.0 {
            Held::Frame(frame) => Input { frame: Some(frame), ..of(Format::Arrow) },
            Held::Lines { file, padded } => Input { spooled: Some(file), padded, ..of(Format::Jsonl) },
        }
    }

    fn of_file(path: &Path, format: Format) -> Input {
        let path = path.to_owned();
        let constants = Vec::new();
        Input { path, format, constants, spooled: None, frame: None, in_memory: false, padded: false }
    }

    /// Columns that are the same for all its rows.
    pub fn constants(&self) -> &[(String, Option<String>)] {
        &self.constants
    }

    /// Whether it is a table of the caller's and no file.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    pub(super) fn open(&self) -> Result<Handle, ReadError> {
        let file = match &self.spooled {
            Some(file) => Arc::clone(file),
            None => Arc::new(File::open(&self.path).map_err(|error| ReadError::io(&self.path, &error))?),
        };
        Ok(Handle::new(file))
    }

    /// What messages call it.
    pub(super) fn name(&self) -> PathBuf {
        if self.is_stdin() { PathBuf::from("standard input") } else { self.path.clone() }
    }

    fn is_stdin(&self) -> bool {
        self.path.as_os_str() == STDIN
    }
}

/// The files that patterns name.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// In the order given; those of one glob or folder sorted by name.
    pub files: Vec<Input>,
    /// Folders among the names.
    pub folders: Vec<PathBuf>,
    /// Files in these folders that are of no known kind.
    pub passed_over: Vec<PathBuf>,
}

/// The files that `patterns` name: files, globs, folders, or `-`; then the `tables` in memory. `format` overrides the files' endings.
pub(super) fn expand(
    patterns: &[String],
    tables: &[InMemory],
    format: Option<Format>,
) -> Result<Inputs, ReadError> {
    let mut inputs = Inputs::default();
    for pattern in patterns {
        let path = Path::new(pattern);
        if pattern == STDIN {
            if inputs.files.iter().any(Input::is_stdin) {
                return Err(ReadError::StdinTwice);
            }
            inputs.files.push(once(path, format)?);
        } else if path.is_dir() {
            add_folder(path, format, &mut inputs)?;
        } else if path.exists() {
            inputs.files.push(file(path, format)?);
        } else {
            let root = fixed_part(pattern);
            for path in matches(pattern)? {
                let mut input = file(&path, format)?;
                input.constants = folder::partition(&root, &path);
                inputs.files.push(input);
            }
        }
    }
    inputs.files.extend(tables.iter().cloned().map(Input::of_table));
    if let Some((first, rest)) = inputs.files.split_first()
        && let Some(other) = rest.iter().find(|other| !other.format.mixes_with(first.format))
    {
        return Err(ReadError::MixedFormats {
            first: first.name(),
            first_format: first.format.as_str(),
            other: other.name(),
            other_format: other.format.as_str(),
        });
    }
    Ok(inputs)
}

fn file(path: &Path, format: Option<Format>) -> Result<Input, ReadError> {
    let kind = path.metadata().map_err(|error| ReadError::io(path, &error))?.file_type();
    if !kind.is_file() {
        // A pipe, such as what shells put in place of `<(command)`.
        return once(path, format);
    }
    let mut input = Input::of_file(path, Format::Csv);
    input.format = match format.or_else(|| Format::of(path)) {
        Some(format) => format,
        None => {
            let guess = spool::guess(input.open()?).map_err(|error| ReadError::io(path, &error))?;
            // Any text might be CSV.
            Some(guess)
                .filter(|format| format.delimiter().is_none())
                .ok_or_else(|| ReadError::UnknownFormat(path.to_owned()))?
        }
    };
    Ok(input)
}

/// An input that can be read once only, while every pass reads its input anew.
fn once(path: &Path, format: Option<Format>) -> Result<Input, ReadError> {
    let mut input = Input::of_file(path, Format::Csv);
    let io = |error: std::io::Error| ReadError::io(&input.name(), &error);
    let spooled = match input.is_stdin() {
        true => spool::keep(&mut std::io::stdin().lock()).map_err(io)?,
        false => spool::keep(&mut File::open(path).map_err(io)?).map_err(io)?,
    };
    let spooled = Arc::new(spooled);
    input.format = match format.or_else(|| Format::of(path)) {
        Some(format) => format,
        None => spool::guess(Handle::new(Arc::clone(&spooled))).map_err(io)?,
    };
    input.spooled = Some(spooled);
    Ok(input)
}

fn add_folder(path: &Path, format: Option<Format>, inputs: &mut Inputs) -> Result<(), ReadError> {
    let before = inputs.files.len();
    for found in folder::files(path).map_err(|error| ReadError::io(path, &error))? {
        let Some(format) = format.or_else(|| Format::of(&found)) else {
            inputs.passed_over.push(found);
            continue;
        };
        let constants = folder::partition(path, &found);
        inputs.files.push(Input { constants, ..Input::of_file(&found, format) });
    }
    if inputs.files.len() == before {
        return Err(ReadError::EmptyFolder(path.to_owned()));
    }
    inputs.folders.push(path.to_owned());
    Ok(())
}

/// The folders of a pattern before its first wildcard.
fn fixed_part(pattern: &str) -> PathBuf {
    Path::new(pattern)
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']))
        .collect()
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, ReadError> {
    let invalid = |why: String| ReadError::Pattern { pattern: pattern.to_owned(), why };
    let mut paths = glob::glob(pattern)
        .map_err(|error| invalid(error.to_string()))?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| invalid(error.to_string()))?;
    // `**` meets folders too.
    paths.retain(|path| !path.is_dir());
    if paths.is_empty() {
        return Err(ReadError::NoMatch { pattern: pattern.to_owned(), near: near(Path::new(pattern)) });
    }
    Ok(paths)
}

/// Offers a file in the same folder whose name is nearly that of `path`.
fn near(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let meant = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    did_you_mean(meant, names.iter().map(String::as_str).filter(|name| !name.starts_with('.')))
}
