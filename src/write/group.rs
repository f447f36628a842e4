//! Frames gathered until they are worth a row group or record batch of their own.

use polars::prelude::{DataFrame, PolarsResult};

/// A group is full once it has this many rows…
const ROWS: usize = 16_384;
/// …or its columns take this many bytes.
const BYTES: usize = 8 << 20;

/// Rows on their way into a file of typed columns.
#[derive(Debug, Default)]
pub(super) struct Group(Option<DataFrame>);

impl Group {
    /// Adds `frame`; gives all rows out, in one piece, if that fills the group.
    pub(super) fn add(&mut self, frame: DataFrame) -> PolarsResult<Option<DataFrame>> {
        let group = match self.0.take() {
            Some(mut group) => {
                group.vstack_mut(&frame)?;
                group
            }
            None => frame,
        };
        let full = group.height() >= ROWS || group.estimated_size() >= BYTES;
        self.0 = Some(group);
        Ok(if full { self.take() } else { None })
    }

    /// What is left at the end.
    pub(super) fn take(&mut self) -> Option<DataFrame> {
        self.0.take().map(|mut group| {
            group.rechunk_mut();
            group
        })
    }
}
