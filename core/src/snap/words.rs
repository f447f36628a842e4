//! A list of words that is written as one text, and looked up as a set.

use std::collections::HashSet;
use std::sync::OnceLock;

pub(super) struct Words {
    list: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    /// `list`: in lower case, with white space between the words.
    pub const fn new(list: &'static str) -> Words {
        Words { list, set: OnceLock::new() }
    }

    pub fn has(&self, word: &str) -> bool {
        self.set.get_or_init(|| self.list.split_whitespace().collect()).contains(word)
    }
}
