//! What the calls make use of: every value they hold, ready to be asked whether it holds a part of the request.

use super::toolbox::stems;
use crate::reading::dates::Times;
use crate::reading::numbers::Figures;
use crate::reading::words::{StemSet, fold};

/// What the calls make use of.
#[derive(Default)]
pub(super) struct Used {
    pub(super) text: String,
    pub(super) stems: StemSet,
    pub(super) numbers: Figures,
    pub(super) times: Times,
}

impl Used {
    pub(super) fn add(&mut self, text: &str) {
        let folded = fold(text);
        self.numbers.read(text, &folded);
        if text.len() <= 40 {
            self.times.read(text, &folded);
        }
        self.stems.extend(stems(&folded));
        self.text.push_str(&folded);
        self.text.push('|');
    }
}
