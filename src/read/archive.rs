//! Inspect's `.eval` archives: a zip with one JSON file per sample.

use std::io::{self, Read};
use std::path::PathBuf;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::handle::Handle;
use super::texts::{Place, RECORD_BYTES, Text};
use super::{Input, ReadError};

/// The samples of one archive, in its order.
pub(super) struct Archive {
    zip: ZipArchive<Handle>,
    path: PathBuf,
    /// Places of the samples in the archive, those that come next last.
    left: Vec<usize>,
}

impl Archive {
    /// The archive in `input`, if it is one.
    pub(super) fn open(input: &Input) -> Result<Option<Archive>, ReadError> {
        let io = |error: io::Error| ReadError::io(&input.name(), &error);
        let mut start = Vec::new();
        input.open()?.take(4).read_to_end(&mut start).map_err(io)?;
        if start != b"PK\x03\x04" {
            return Ok(None);
        }
        let path = input.name();
        let damaged = |why: zip::result::ZipError| {
            ReadError::malformed(&path, format!("the archive is damaged or cut short ({why})"))
        };
        let zip = ZipArchive::new(input.open()?).map_err(damaged)?;
        let names: Vec<String> =
            zip.file_names().map(|name| name.map(|name| name.into_owned()).unwrap_or_default()).collect();
        if !names.iter().any(|name| name == "header.json" || name.starts_with("_journal/")) {
            // Text is expected, and says what is wrong.
            return Ok(None);
        }
        let is_sample = |name: &str| name.starts_with("samples/") && name.ends_with(".json");
        let samples = names.iter().enumerate().filter(|(_, name)| is_sample(name)).map(|(at, _)| at);
        let left: Vec<usize> = samples.rev().collect();
        Ok(Some(Archive { zip, path, left }))
    }

    pub(super) fn next_text(&mut self) -> Result<Option<Text>, ReadError> {
        let Some(at) = self.left.pop() else { return Ok(None) };
        let damaged = |name: &str, why: &dyn std::fmt::Display| {
            ReadError::malformed(&self.path, format!("{name} in the archive cannot be read ({why})"))
        };
        let member = self.zip.by_index_raw(at).map_err(|error| damaged("a file", &error))?;
        let name = member.name().map(|name| name.into_owned()).unwrap_or_default();
        let (method, crc) = (member.compression(), member.crc32());
        if member.encrypted() {
            return Err(damaged(&name, &"it is encrypted"));
        }
        let mut bytes = Vec::new();
        let read = match method {
            CompressionMethod::STORE => read_checked(member, &mut bytes),
            CompressionMethod::DEFLATE => read_checked(DeflateDecoder::new(member), &mut bytes),
            CompressionMethod::ZSTD => {
                zstd::Decoder::new(member).and_then(|unpacked| read_checked(unpacked, &mut bytes))
            }
            other => return Err(damaged(&name, &format!("compression {other} is not known"))),
        };
        let found = read.map_err(|error| damaged(&name, &error))?;
        let too_large = bytes.len() > RECORD_BYTES;
        if too_large {
            bytes = Vec::new();
        } else if found != crc {
            return Err(damaged(&name, &"its checksum is wrong"));
        }
        Ok(Some(Text { bytes, too_large, place: Place::Member(name) }))
    }
}

/// Reads at most one byte more than a record may have; returns the checksum of what was read.
fn read_checked(unpacked: impl Read, bytes: &mut Vec<u8>) -> io::Result<u32> {
    let mut unpacked = CrcReader::new(unpacked).take(RECORD_BYTES as u64 + 1);
    unpacked.read_to_end(bytes)?;
    Ok(unpacked.get_ref().crc().sum())
}
