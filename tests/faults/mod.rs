//! A hostile operating system: full and broken disks, damaged stores, clocks that jump, signals, closed pipes.
//!
//! `cargo test faults` tries a few cases of each; `TOOLJUDGE_FAULTS=400 cargo test faults -- --nocapture` tries so many.

mod clock;
mod damage;
mod disk;
mod sharing;
pub mod signals;
mod streams;

pub use signals::send;

/// How many cases of a kind are tried: `few`, unless the environment says more.
pub fn cases(few: usize) -> usize {
    std::env::var("TOOLJUDGE_FAULTS").ok().map_or(few, |cases| cases.parse().unwrap())
}
