//! One row on its way through a pass, its cells read when somebody needs the sample: the write pass of a model judge needs
//! no more of a row than to recognise it, and to read one takes longer than to write its label.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::domain::{Cell, Flag, Item, RawRow, Sample};
use crate::normalize::Normalizer;

/// A row whose sample is read at most once.
pub struct Row {
    cells: Option<(RawRow, Arc<Normalizer>)>,
    item: OnceLock<Item>,
    /// What an earlier pass found unusual about it.
    flags: OnceLock<Arc<[Flag]>>,
}

impl Row {
    /// A row that has been read.
    pub fn known(item: Item) -> Row {
        Row { cells: None, item: OnceLock::from(item), flags: OnceLock::new() }
    }

    pub(super) fn unread(cells: RawRow, normalizer: Arc<Normalizer>) -> Row {
        Row { cells: Some((cells, normalizer)), item: OnceLock::new(), flags: OnceLock::new() }
    }

    /// Its sample, or why there is none.
    pub fn item(&self) -> &Item {
        self.item.get_or_init(|| match &self.cells {
            Some((cells, normalizer)) => normalizer.sample(cells.clone()),
            None => unreachable!("a row without cells is a known one"),
        })
    }

    /// The same, for good.
    pub fn into_item(self) -> Item {
        match (self.item.into_inner(), self.cells) {
            (Some(item), _) => item,
            (None, Some((cells, normalizer))) => normalizer.sample(cells),
            (None, None) => unreachable!("a row without cells is a known one"),
        }
    }

    /// What is unusual about it; reads it where no earlier pass has.
    pub(super) fn flags(&self) -> &[Flag] {
        match self.flags.get() {
            Some(flags) => flags,
            None => self.item().as_ref().map_or(&[], |sample| &sample.flags),
        }
    }

    /// Notes what an earlier pass found unusual, so that nobody need read the row for it.
    pub(super) fn found(&self, flags: Arc<[Flag]>) {
        // Whoever came first has found the same.
        let _ = self.flags.set(flags);
    }

    /// All that a prompt about it is made of.
    pub(super) fn hash_into(&self, hasher: &mut impl Hasher) {
        match (&self.cells, self.item.get()) {
            (Some((RawRow { question, tool_call, tool_definitions }, _)), _) => {
                [question, tool_call, tool_definitions].into_iter().for_each(|cell| hash(cell, hasher));
            }
            (None, Some(Ok(Sample { raw, .. }))) => {
                (&raw.question, &raw.tool_call, &raw.tool_definitions).hash(hasher);
            }
            (None, _) => {}
        }
    }
}

fn hash(cell: &Cell, hasher: &mut impl Hasher) {
    std::mem::discriminant(cell).hash(hasher);
    match cell {
        Cell::Missing | Cell::Null => {}
        Cell::Text(text) => text.hash(hasher),
        Cell::Json(json) => json.to_string().hash(hasher),
    }
}
