//! How well labels agree with gold.

mod auc;
mod confusion;
mod interval;
pub mod votes;

pub use auc::auc;
pub use confusion::Confusion;
pub use interval::wilson;
