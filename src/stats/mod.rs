//! How well labels agree with gold.

mod auc;
mod confusion;
pub mod votes;

pub use auc::auc;
pub use confusion::Confusion;
