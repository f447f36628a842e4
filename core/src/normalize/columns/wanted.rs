//! The values that judges are shown, and so the columns to look for.

use std::collections::BTreeSet;

use crate::domain::{Slot, Variable};
use crate::normalize::logs::Turns;

/// What judges are shown of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// No row can be judged without these.
    pub required: BTreeSet<Variable>,
    /// These are read where there are some.
    pub optional: BTreeSet<Variable>,
    /// The turns of a transcript that they are asked about, unless somebody says otherwise.
    pub turns: Turns,
}

impl Default for Wanted {
    /// A question and a call; definitions too, where there are some.
    fn default() -> Wanted {
        Wanted {
            required: BTreeSet::from([Slot::Question, Slot::ToolCall].map(Variable::Slot)),
            optional: BTreeSet::from([Variable::Slot(Slot::ToolDefinitions)]),
            turns: Turns::Calls,
        }
    }
}

impl Wanted {
    /// Nothing at all, to add to.
    pub fn nothing() -> Wanted {
        Wanted { required: BTreeSet::new(), optional: BTreeSet::new(), turns: Turns::Calls }
    }

    pub(super) fn shows(&self, slot: Slot) -> bool {
        let variable = Variable::Slot(slot);
        self.required.contains(&variable) || self.optional.contains(&variable)
    }

    pub(super) fn has(&self, slot: Slot) -> bool {
        // A transcript that has no column is put together out of its parts.
        let of_transcript = || match slot {
            Slot::ToolCall | Slot::ToolResult | Slot::NextMessage | Slot::Response => {
                self.shows(Slot::Transcript)
            }
            _ => false,
        };
        // What the agent did next may be no more than its answer.
        let next = || slot == Slot::Response && self.shows(Slot::NextMessage);
        self.shows(slot) || next() || of_transcript()
    }

    /// The names of columns that hold the slot. What may be the answer is not the call where judges are shown both.
    pub(super) fn aliases(&self, slot: Slot) -> impl Iterator<Item = &'static str> {
        let answered = slot == Slot::ToolCall && self.has(Slot::Response);
        let is_answer = move |name: &&str| answered && Slot::Response.aliases().contains(name);
        slot.aliases().iter().copied().filter(move |name| !is_answer(name))
    }
}
