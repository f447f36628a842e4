//! The ask pass: every question that has no reply yet goes to the judge, in any order.

mod feed;
mod pass;
mod reading;
mod roll;
mod seat;
mod sharing;

pub use pass::{AskPass, Covered, ask, ask_all};
pub use reading::Reading;
pub use roll::Roll;
pub use seat::{Question, Seat};
