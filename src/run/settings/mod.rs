//! What the jobs of this room are told: plain structs in the field's terms. A caller sets what differs from the defaults; the
//! command line merges flags, settings file and environment into the same structs.

mod audit;
mod bench;
mod compare;
mod convert;
mod drive;
mod error;
mod gold;
mod input;
mod judge;
mod label;
mod merge;
mod next;
mod output;
mod panel;
mod resnap;
mod score;
mod store;
mod suite;
mod train;

pub use crate::read::{InMemory, Take};
pub use crate::run::input::{NoShard, Shard};
pub use crate::store::StorePlace;
pub use crate::table::{Compression, Format, UnknownFormat};
pub use crate::write::{Collected, Formulas, OutputFormat, UnknownOutputFormat};
pub use audit::AuditSettings;
pub use bench::BenchSettings;
pub use compare::{CompareSettings, Compared, ComparedTable};
pub use convert::ConvertSettings;
pub use drive::{AgentKind, AgentSettings, DriveSettings, DriveSource, OwnKind, OwnSettings};
pub use error::SettingsError;
pub use gold::{BfclSettings, GoldOrigin, GoldSettings, MakingSettings};
pub use input::{InputKind, InputSettings, UnknownInputKind};
pub use judge::{EndpointSettings, FunctionSettings, JudgeKind, JudgeSettings, ModelSettings, UnknownJudge};
pub use label::LabelSettings;
pub use merge::MergeSettings;
pub use next::{NextSettings, QueueSettings};
pub use output::OutputSettings;
pub use panel::PanelSettings;
pub use resnap::ResnapSettings;
pub use score::{BfclFiles, ScoreSettings};
pub use store::StoreSettings;
pub use suite::SuiteSettings;
pub use tooljudge_core::drive::from_log::{CaseMode, ExpectedParts};
pub use train::TrainSettings;
