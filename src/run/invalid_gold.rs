//! Gold that is not a label: it is reported, and counts as no gold, never as disagreement.

use crate::bench::Words;
use crate::report::counted;

/// A gold that is not a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidGold {
    /// The column of gold.
    pub column: String,
    /// Counted from 1.
    pub row: u64,
    /// The cell, at most its first characters.
    pub text: String,
}

/// Characters of a cell that messages show.
const SHOWN: usize = 40;

impl InvalidGold {
    /// What is there, and what would be gold.
    pub(crate) fn message(&self, words: &Words) -> String {
        let text: String = self.text.chars().filter(|char| !char.is_control()).take(SHOWN).collect();
        format!(
            "in the column `{}`, row {} has `{text}`, which is not {}",
            self.column,
            self.row,
            words.list()
        )
    }
}

/// How many rows have such a gold, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvalidGolds {
    /// How many.
    pub rows: u64,
    /// The first of them; absent where there are none.
    pub first: Option<InvalidGold>,
}

impl InvalidGolds {
    pub(super) fn add(&mut self, invalid: impl FnOnce() -> InvalidGold) {
        self.rows += 1;
        self.first.get_or_insert_with(invalid);
    }

    /// A warning, if there are any.
    pub(crate) fn warning(&self, words: &Words) -> Option<String> {
        let first = self.first.as_ref()?;
        let rows = counted(self.rows, "row");
        let have = if self.rows == 1 { "has" } else { "have" };
        Some(format!(
            "{rows} {have} a gold that is not a label, which counts as none: {}",
            first.message(words)
        ))
    }
}
