//! The text of an input, decompressed as it is read: memory does not grow with its size.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use super::handle::Handle;
use super::{Input, ReadError};

/// A row may take this many bytes; beyond that something is wrong with the file.
pub(super) const ROW_BYTES: u64 = 256 << 20;
const BUFFER: usize = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Beginnings of files that are no text, and what they are.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"PAR1", "Parquet: read it with --from parquet"),
    (b"ARROW1", "Arrow: read it with --from arrow"),
    (b"FEA1", "Feather version 1: write it again as version 2 or Parquet"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save it as CSV"),
    (b"BZh", "compressed with bzip2: unpack it, or compress it with gzip or zstd"),
    (b"\xfd7zXZ\0", "compressed with xz: unpack it, or compress it with gzip or zstd"),
    (b"\x04\x22\x4d\x18", "compressed with lz4: unpack it, or compress it with gzip or zstd"),
    (b"\x1f\x8b", "compressed twice: unpack it once"),
    (b"\x28\xb5\x2f\xfd", "compressed twice: unpack it once"),
    (b"SQLite format 3", "an SQLite database: export its table as CSV"),
    (b"\xff\xfe", "text in UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16: save it as UTF-8"),
];

pub(super) type Text = Box<dyn BufRead + Send>;

/// The text of `input`, without a byte order mark. Whether it is packed is told by its first bytes, not by its name.
pub(super) fn open(input: &Input) -> Result<Text, ReadError> {
    let io = |error: io::Error| ReadError::io(&input.name(), &error);
    let mut text = unpack(input.open()?).map_err(io)?;
    let start = text.fill_buf().map_err(io)?;
    if start.is_empty() {
        return Err(ReadError::Empty(input.name()));
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)) {
        let expected = input.format.as_str();
        return Err(ReadError::Foreign { path: input.name(), expected, what });
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        text.consume(BYTE_ORDER_MARK.len());
    }
    Ok(text)
}

/// The text of `input` from its byte `start` on. What comes before is not read, unless it has to be unpacked.
pub(super) fn open_at(input: &Input, start: u64) -> Result<Text, ReadError> {
    let io = |error: io::Error| ReadError::io(&input.name(), &error);
    let mut plain = BufReader::with_capacity(BUFFER, input.open()?);
    let head = plain.fill_buf().map_err(io)?;
    if is_gzip(head) || is_zstd(head) {
        let mut text = open(input)?;
        io::copy(&mut text.by_ref().take(start), &mut io::sink()).map_err(io)?;
        return Ok(text);
    }
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u64 } else { 0 };
    plain.seek(SeekFrom::Start(mark + start)).map_err(io)?;
    Ok(Box::new(plain))
}

/// The bytes of a file, unpacked if they are packed with gzip or zstd.
pub(super) fn unpack(file: Handle) -> io::Result<Text> {
    let mut packed = BufReader::with_capacity(BUFFER, file);
    let start = packed.fill_buf()?;
    if is_gzip(start) {
        Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(packed))))
    } else if is_zstd(start) {
        let unpacked = zstd::Decoder::with_buffer(packed)?;
        Ok(Box::new(BufReader::with_capacity(BUFFER, unpacked)))
    } else {
        Ok(Box::new(packed))
    }
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

/// A zstd frame, or one to be skipped before it.
fn is_zstd(start: &[u8]) -> bool {
    match start {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => true,
        [first, 0x2a, 0x4d, 0x18, ..] => first & 0xf0 == 0x50,
        _ => false,
    }
}

/// A reader that gives out [`ROW_BYTES`] and then fails, until it is told that the next row begins.
pub(super) struct Rationed {
    text: Text,
    left: u64,
}

/// A row that does not end.
#[derive(Debug, thiserror::Error)]
#[error("a row of more than {} MB", ROW_BYTES >> 20)]
struct RowTooLong;

/// Whether reading failed because a row does not end.
pub(super) fn is_row_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<RowTooLong>())
}

impl Rationed {
    pub(super) fn new(text: Text) -> Rationed {
        Rationed { text, left: ROW_BYTES }
    }

    pub(super) fn next_row(&mut self) {
        self.left = ROW_BYTES;
    }
}

impl Read for Rationed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(RowTooLong));
        }
        let read = self.text.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
