//! Texts kept on disk until the page is written; memory holds only their positions.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A file without a name, which is gone when it is dropped.
pub(super) struct Spool {
    file: BufWriter<File>,
    end: u64,
}

/// Where a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    at: u64,
    pub len: u32,
}

impl Spool {
    /// A spool on the disk of `folder`.
    pub fn new(folder: &Path) -> io::Result<Spool> {
        Ok(Spool { file: BufWriter::new(tempfile::tempfile_in(folder)?), end: 0 })
    }

    pub fn put(&mut self, text: &str) -> io::Result<Span> {
        let len = u32::try_from(text.len()).map_err(|_| io::Error::other("a row of more than 4 GB"))?;
        self.file.write_all(text.as_bytes())?;
        let span = Span { at: self.end, len };
        self.end += u64::from(len);
        Ok(span)
    }

    /// Appends the text at `span` to `to`.
    pub fn get(&mut self, span: Span, to: &mut String) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(span.at))?;
        let taken = self.file.get_mut().take(span.len.into()).read_to_string(to)?;
        if taken == span.len as usize { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_comes_back() {
        let mut spool = Spool::new(&std::env::temp_dir()).unwrap();
        let spans: Vec<Span> = ["one", "", "zwei é"].map(|text| spool.put(text).unwrap()).to_vec();
        let mut text = String::new();
        for span in spans.iter().rev() {
            spool.get(*span, &mut text).unwrap();
        }
        assert_eq!(text, "zwei éone");
    }
}
