//! The record of a run as it begins.

use jiff::Timestamp;

use super::Panel;
use super::panel::Member;
use crate::cli::input::InputArgs;
use crate::run::{Manifest, SampleRecord, Source};

/// A name for a run: when it began, and something that tells it from others of that second.
pub fn run_name() -> String {
    format!("{}-{:08x}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..))
}

impl Panel {
    /// What is known of `run` before anybody was asked.
    pub fn manifest(&self, run: String, args: &InputArgs, source: &Source) -> Manifest {
        Manifest {
            run,
            version: env!("CARGO_PKG_VERSION"),
            started_at: Timestamp::now().to_string(),
            inputs: source.table.inputs().iter().map(|input| input.path.display().to_string()).collect(),
            filters: args.filters.iter().map(|(column, text)| format!("{column}={text}")).collect(),
            limit: args.limit,
            sample: args.sample.map(|rows| SampleRecord { rows, seed: args.seed }),
            panel: self.members.iter().map(Member::record).collect(),
            store: self.store.as_ref().map(|store| store.path().display().to_string()),
        }
    }
}
