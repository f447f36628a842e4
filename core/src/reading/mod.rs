//! What a text says: its words, numbers, amounts, dates and times of day, in the languages of `core/languages/`.
//!
//! Everything reads text [folded](words::fold) once. What words mean is looked up in `vocabulary.rs`; number words of a
//! language other than English count only in texts that `spoken.rs` finds to be in that language.

pub mod aliases;
pub mod calendar;
mod clock;
pub mod codes;
pub mod dates;
mod digits;
mod figure;
mod number_words;
pub mod numbers;
mod relative_days;
mod spelled;
pub mod spoken;
pub mod units;
mod vocabulary;
pub mod words;

use dates::Times;
use numbers::Figures;
use vocabulary::Word;

/// Adds what a text says in numbers and in times; `folded` is that text [folded](words::fold). Each word is looked up once for both.
pub fn read(text: &str, folded: &str, figures: &mut Figures, times: &mut Times) {
    let words = Word::all(folded);
    figures.read_words(text, folded, &words);
    times.read_words(text, folded, &words);
}
