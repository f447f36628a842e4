//! All values in the calls, to look up which parts of the request they use.

use super::toolbox::MAX_STEMS;
use crate::reading;
use crate::reading::dates::Times;
use crate::reading::numbers::Figures;
use crate::reading::words::{StemSet, is_content, stem, words};

/// What the calls make use of.
#[derive(Default)]
pub(super) struct Used {
    pub(super) text: String,
    pub(super) stems: StemSet,
    pub(super) numbers: Figures,
    pub(super) times: Times,
}

impl Used {
    /// Adds a text; `folded` is that text [folded](crate::reading::words::fold).
    pub(super) fn add(&mut self, text: &str, folded: &str) {
        if text.len() <= 40 {
            reading::read(text, folded, &mut self.numbers, &mut self.times);
        } else {
            self.numbers.read(text, folded);
        }
        self.stems.extend(words(folded).filter(|word| is_content(word)).take(MAX_STEMS).map(stem));
        self.text.push_str(folded);
        self.text.push('|');
    }
}
