//! Results over time: what is kept of each run of an agent, and which changes are more than chance.

mod case_hash;
mod change;
mod line;
mod record;
mod trend;

pub use case_hash::{Rules, asked, setup, together};
pub use change::{Against, CaseChange, Change, LEVEL, SuiteChange, Verdict};
pub use line::{BadLine, FORMAT, History, read, write};
pub use record::{CaseRecord, Counts, Fresh, RunRecord, SuiteRecord};
pub use trend::{AgentTrend, NoTrend, trends};
