//! Encodes an output's bytes: compresses by extension, counts, and writes to a file or a stream.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flate2::write::GzEncoder;

use crate::table::Compression;

/// Where bytes go in the end.
pub(super) enum Outlet {
    File(File),
    Stdout(io::Stdout),
}

/// How many bytes went through an encoder, packed, and whether there was no room for more.
#[derive(Debug, Clone, Default)]
pub(super) struct Count(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    bytes: AtomicU64,
    is_full: AtomicBool,
}

impl Count {
    pub(super) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Whether the disk was full, which not every format's library says.
    pub(super) fn is_full(&self) -> bool {
        self.0.is_full.load(Ordering::Relaxed)
    }
}

pub(super) struct Counted {
    outlet: Outlet,
    count: Count,
}

/// Takes the bytes of a table. Nothing is complete before [`Encoder::finish`].
pub(super) enum Encoder {
    Plain(BufWriter<Counted>),
    Gzip(GzEncoder<BufWriter<Counted>>),
    Zstd(zstd::Encoder<'static, BufWriter<Counted>>),
}

impl Encoder {
    pub(super) fn new(outlet: Outlet, compression: Option<Compression>, count: Count) -> io::Result<Encoder> {
        let writer = BufWriter::with_capacity(1 << 18, Counted { outlet, count });
        Ok(match compression {
            None => Encoder::Plain(writer),
            Some(Compression::Gzip) => Encoder::Gzip(GzEncoder::new(writer, flate2::Compression::default())),
            Some(Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                // So that damage is noticed by whoever unpacks it, as gzip's is.
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Encoder::Plain(writer) => writer,
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
        }
        .flush()
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(writer) => writer.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(writer) => writer.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.outlet {
            Outlet::File(file) => file.write(bytes),
            Outlet::Stdout(stdout) => stdout.write(bytes),
        };
        match &written {
            Ok(written) => drop(self.count.0.bytes.fetch_add(*written as u64, Ordering::Relaxed)),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                self.count.0.is_full.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.outlet {
            Outlet::File(file) => file.flush(),
            Outlet::Stdout(stdout) => stdout.flush(),
        }
    }
}
