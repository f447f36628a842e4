//! A copy of a read-once input in a temporary file, for as long as it is needed.

use std::fs::File;
use std::io::{self, BufRead, Read};

use super::handle::Handle;
use super::text;
use crate::normalize::logs::is_log_of_mcp;
use crate::table::Format;

/// A copy of all that `source` gives. The file is private, has no name, and is gone with its last user.
pub(super) fn keep(source: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(source, &mut file)?;
    Ok(file)
}

/// What a file without a name that tells seems to hold, by its first bytes.
pub(super) fn guess(file: Handle) -> io::Result<Format> {
    let mut text = text::unpack(file)?;
    let start = text.fill_buf()?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    Ok(match start.trim_ascii_start().first() {
        _ if start.starts_with(b"PAR1") => Format::Parquet,
        // A stream begins with a mark that no text can hold.
        _ if start.starts_with(b"ARROW1") || start.starts_with(b"\xff\xff\xff\xff") => Format::Arrow,
        _ if start.starts_with(b"PK\x03\x04") => Format::Json,
        Some(b'{') => Format::Jsonl,
        // Lines of text that hold JSON.
        _ if is_log_of_mcp(start) => Format::Jsonl,
        Some(b'[') => Format::Json,
        _ => Format::Csv,
    })
}
