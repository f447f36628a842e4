//! The ask pass: sends every question without a stored reply to its judge, in any order.

mod ask_index;
mod asked;
mod feed;
mod first;
mod judge_task;
mod pass;
mod reading;
mod sharing;
mod spending;
mod telling;

pub use ask_index::AskIndex;
pub use asked::{Settled, ask_held, settle, while_held};
pub use first::First;
pub use judge_task::{JudgeTask, Part, Question};
pub use pass::{AskOutcome, AskPass, ask, ask_all};
pub use reading::Reading;
pub use sharing::sharing;
pub use spending::{dollars, tell_spending};
pub use telling::{open_store, telling};
