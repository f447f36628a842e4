//! Collects frames until they fill a row group or record batch.

use polars::prelude::{DataFrame, PolarsResult};

/// A group is full once it has this many rows…
const ROWS: usize = 16_384;
/// …or its columns take this many bytes…
const BYTES: usize = 8 << 20;
/// …and this many each, on average: what a file says of each column of a group takes time and memory too.
const COLUMN_BYTES: usize = 16 << 10;
/// What a cell takes at least, empty or not: the frame library counts the letters of texts only.
const CELL_BYTES: usize = 16;

/// Rows on their way into a file of typed columns.
#[derive(Debug, Default)]
pub(super) struct Group {
    frame: Option<DataFrame>,
    /// What its columns take, about.
    bytes: usize,
}

impl Group {
    /// Adds `frame`; gives all rows out, in one piece, if that fills the group.
    pub(super) fn add(&mut self, frame: DataFrame) -> PolarsResult<Option<DataFrame>> {
        // Of what is new only: there may be many columns, each in many pieces.
        self.bytes += frame.estimated_size().max(frame.height() * frame.width() * CELL_BYTES);
        let group = match self.frame.take() {
            Some(mut group) => {
                group.vstack_mut(&frame)?;
                group
            }
            None => frame,
        };
        let most = BYTES.max(group.width() * COLUMN_BYTES);
        let full = group.height() >= ROWS || self.bytes >= most;
        self.frame = Some(group);
        Ok(if full { self.take() } else { None })
    }

    /// What is left at the end.
    pub(super) fn take(&mut self) -> Option<DataFrame> {
        self.bytes = 0;
        self.frame.take().map(|mut group| {
            group.rechunk_mut();
            group
        })
    }
}
