//! Results over time: what is kept of each run of an agent, and which changes are more than chance.

mod before;
mod bunches;
mod case_hash;
mod change;
mod evidence;
mod ledger;
mod line;
mod order;
mod record;
mod trend;

pub use case_hash::{Rules, asked, question, setup, together};
pub use change::{Against, CaseChange, Change, LEVEL, SuiteChange, Verdict};
pub use evidence::{Evidence, Outcome};
pub use line::{BadLine, FORMAT, History, read, write};
pub use order::{in_future, out_of_order};
pub use record::{CaseRecord, Counts, RunRecord, SuiteRecord};
pub use trend::{AgentTrend, NoTrend, trends};
