//! The observer of a job: messages for people, and the progress of passes.

use std::sync::Arc;

use super::{GoldCounts, Progress};
use crate::judge::{Activity, Remote};

/// Looks on while a job runs. All methods do nothing unless they are given.
pub trait Observer: Send + Sync {
    /// Something good to know, in one or more lines.
    fn note(&self, text: &str) {
        let _ = text;
    }

    /// Something that needs attention.
    fn warning(&self, text: &str) {
        let _ = text;
    }

    /// Rows were made for a benchmark, before it begins.
    fn generated(&self, counts: &GoldCounts) {
        let _ = counts;
    }

    /// The settings hold and the input is there; from here on something is under way that a stop should end gently.
    fn begins(&self) {}

    /// A pass over the rows begins. It ends when what is returned is dropped.
    fn pass(&self, pass: Pass) -> Box<dyn Send> {
        drop(pass);
        Box::new(())
    }
}

/// Nobody looks on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// A pass over the rows, as it can be looked at while it goes on.
pub struct Pass {
    /// What it does: `asking`, `judging`, `writing` and so on.
    pub name: &'static str,
    /// Rows, or questions if there are model judges; absent while their number is unknown.
    pub rows: Option<u64>,
    /// How many are done.
    pub progress: Arc<Progress>,
    /// The model judges in use, each once.
    judges: Vec<Arc<Remote>>,
}

impl Pass {
    pub(super) fn new(name: &'static str, rows: Option<u64>) -> Pass {
        Pass { name, rows, progress: Arc::default(), judges: Vec::new() }
    }

    pub(super) fn asking(mut self, judges: Vec<Arc<Remote>>) -> Pass {
        self.judges = judges;
        self
    }

    /// What the model judges are doing right now; empty in a pass without them.
    pub fn activity(&self) -> Option<Activity> {
        let all = self.judges.iter().map(|judge| judge.activity());
        (!self.judges.is_empty()).then(|| all.fold(Activity::default(), Activity::plus))
    }
}
