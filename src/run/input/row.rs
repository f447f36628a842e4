//! One row on its way through a pass. Its cells are parsed only when the sample is needed: the write pass of a model judge only
//! has to recognize a row, and parsing takes longer than writing its label.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::text_fields::TextFields;
use crate::domain::{Cell, Flag, Item, Message, RawRow, Sample};
use crate::normalize::{Conversation, Normalizer};

/// A row whose sample is read at most once.
pub struct Row {
    unread: Option<Unread>,
    item: OnceLock<Item>,
    /// What an earlier pass found unusual about it.
    flags: OnceLock<Arc<[Flag]>>,
}

/// What a row's sample is read out of.
struct Unread {
    cells: RawRow,
    conversation: Option<Conversation>,
    /// Notes what fields may have become, where the calls are out of a column that gives each field one type.
    text_fields: Option<Arc<TextFields>>,
    normalizer: Arc<Normalizer>,
}

impl Unread {
    /// Reads `cells`, which are its own.
    fn read(&self, cells: RawRow) -> Item {
        let Unread { conversation, text_fields, normalizer, .. } = self;
        let structs = text_fields.as_ref().map(|fields| (fields, cells.tool_call.clone()));
        let mut item = normalizer.sample_in_context(cells, conversation.as_ref());
        if let (Some((fields, Cell::Json(structs))), Ok(sample)) = (structs, &mut item)
            && fields.are_in(&structs, sample)
        {
            sample.flags.push(Flag::TextInStruct);
        }
        item
    }
}

impl Row {
    /// A row that has been read.
    pub fn known(item: Item) -> Row {
        Row { unread: None, item: OnceLock::from(item), flags: OnceLock::new() }
    }

    pub(in crate::run) fn unread(
        cells: RawRow,
        conversation: Option<Conversation>,
        text_fields: Option<Arc<TextFields>>,
        normalizer: Arc<Normalizer>,
    ) -> Row {
        let unread = Unread { cells, conversation, text_fields, normalizer };
        Row { unread: Some(unread), item: OnceLock::new(), flags: OnceLock::new() }
    }

    /// Its sample, or why there is none.
    pub fn item(&self) -> &Item {
        self.item.get_or_init(|| match &self.unread {
            Some(unread) => unread.read(unread.cells.clone()),
            None => unreachable!("a row that is not to be read is a known one"),
        })
    }

    /// The same, for good.
    pub fn into_item(self) -> Item {
        match (self.item.into_inner(), self.unread) {
            (Some(item), _) => item,
            (None, Some(mut unread)) => {
                let cells = std::mem::take(&mut unread.cells);
                unread.read(cells)
            }
            (None, None) => unreachable!("a row that is not to be read is a known one"),
        }
    }

    /// What is unusual about it; reads it where no earlier pass has.
    pub(in crate::run) fn flags(&self) -> &[Flag] {
        match self.flags.get() {
            Some(flags) => flags,
            None => self.item().as_ref().map_or(&[], |sample| &sample.flags),
        }
    }

    /// Notes what an earlier pass found unusual, so that nobody need read the row for it.
    pub(in crate::run) fn found(&self, flags: Arc<[Flag]>) {
        // Whoever came first has found the same.
        let _ = self.flags.set(flags);
    }

    /// All that a prompt about it is made of.
    pub(in crate::run) fn hash_into(&self, hasher: &mut impl Hasher) {
        match (&self.unread, self.item.get()) {
            (Some(Unread { cells, conversation, .. }), _) => {
                let RawRow { question, tool_call, tool_definitions, extras } = cells;
                [question, tool_call, tool_definitions].into_iter().for_each(|cell| hash(cell, hasher));
                extras.iter().for_each(|(_, cell)| hash(cell, hasher));
                if let Some(Conversation { messages, before_turn, unread, next, .. }) = conversation {
                    (messages.to_string(), before_turn).hash(hasher);
                    if *unread {
                        unread.hash(hasher);
                    }
                    if let Some(next) = next {
                        next.to_string().hash(hasher);
                    }
                }
            }
            (None, Some(Ok(Sample { raw, after, extras, .. }))) => {
                (&raw.question, &raw.tool_call, &raw.tool_definitions, extras).hash(hasher);
                (&after.results, &after.final_answer).hash(hasher);
                after.next.as_ref().map(Message::shown).hash(hasher);
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
