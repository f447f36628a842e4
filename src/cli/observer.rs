//! Observes a command's job: messages on stderr, a progress bar, Ctrl-C.

use super::display::Display;
use super::printer::Printer;
use super::{gold, signals};
use crate::run::{GoldCounts, Observer, Pass, Stop};

/// Shows what happens, and passes on that the user wants it to stop.
pub struct Console {
    pub quiet: bool,
    /// Whether GitHub reads it.
    pub annotates: bool,
    pub stop: Stop,
}

impl Console {
    fn printer(&self) -> Printer<'static> {
        Printer::new(self.quiet, self.annotates)
    }
}

impl Observer for Console {
    fn note(&self, text: &str) {
        self.printer().talk(text);
    }

    fn warning(&self, text: &str) {
        self.printer().warn(text);
    }

    fn generated(&self, counts: &GoldCounts) {
        self.printer().talk(&format!("{}\n", gold::report::render(counts, self.printer().width_of_talk())));
    }

    // Until here nothing was under way that a signal should end gently, however long an input took.
    fn begins(&self) {
        signals::watch(&self.stop, self.printer());
    }

    fn pass(&self, pass: Pass) -> Box<dyn Send> {
        Box::new(Display::start(self.printer(), pass))
    }
}
