//! The words of languages, as data: one file per language, one reader.
//!
//! `core/languages/` holds the files; `data.rs` says what each of their lists is for. The rooms that read texts (`reading`,
//! `check`, `gold` and `snap`) decide which language a text is in, and what its words mean.

mod data;
mod files;

pub use data::{Held, Language, Talk, Verdict, Words};
pub use files::{FILES, NUMBERS, all, english, phrases, words};
