//! The vocabulary: the nouns every other room speaks. Pure data; imports nothing of ours.

mod call;
mod conversation;
mod definition;
mod flag;
mod json;
mod normal_form;
mod origin;
mod prompt;
mod rails;
mod reply;
mod row;
mod sample;
mod shared;
mod suggestion;
mod task;
mod transcript;
mod verdict;

pub use call::{Arguments, ToolCall};
pub use conversation::{Message, Role};
pub use definition::ToolDefinition;
pub use flag::Flag;
pub use json::{Json, JsonError, Number, Object};
pub use origin::{Gold, Origin};
pub use prompt::Prompt;
pub use rails::{Rail, Rails, RailsError};
pub use reply::{Paid, RailProbability, Reply, Stop, Usage};
pub use row::{Cell, Item, RawRow, RowError, RowErrorCode};
pub use sample::{Calls, Definitions, RawText, Sample};
pub use shared::{Messages, SharedText};
pub use suggestion::did_you_mean;
pub use task::{Task, UnknownTask};
pub use transcript::{Aftermath, Episode, Place, ToolResult};
pub use verdict::{Outcome, Status, Verdict};
