//! Writing without spaces between words: cuts a run of letters into words of the lexicon.

use std::ops::Range;

use super::lexicon::is_known;

/// Letters that may stand side by side in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Alphabets whose words have spaces between them.
    Spaced,
    /// Chinese characters and kana.
    Han,
    /// Korean has spaces, but joins its endings to any word, Latin ones included.
    Hangul,
    Thai,
}

impl Writing {
    pub fn of(c: char) -> Writing {
        match c {
            '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' => Writing::Han,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Writing::Hangul,
            '\u{e00}'..='\u{e7f}' => Writing::Thai,
            _ => Writing::Spaced,
        }
    }

    /// Whether a word of this writing ends before the letter `next`.
    pub fn parts_from(self, next: char) -> bool {
        self != Writing::of(next)
    }
}

/// The longest word of the lexicon, in letters.
const MAX_CHARACTERS: usize = 8;

/// The words of `run`, the longest first; what lies between known words stays in one piece. `letters` are the places of the
/// run's letters and of its end.
pub(super) fn words(run: &str, letters: &[usize]) -> Vec<(Box<str>, Range<usize>)> {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    let count = starts.len() - 1;
    // Lower case may have more letters than the text; no writing without spaces has any.
    let place = |letter: usize| letters[letter.min(letters.len() - 1)];
    let mut words = Vec::new();
    let mut push = |from: usize, to: usize| {
        if from < to {
            words.push((run[starts[from]..starts[to]].into(), place(from)..place(to)));
        }
    };
    let (mut unknown, mut at) = (0, 0);
    while at < count {
        let longest = (1..=MAX_CHARACTERS.min(count - at)).rev();
        let known = longest.map(|length| at + length).find(|end| is_known(&run[starts[at]..starts[*end]]));
        match known {
            Some(end) => {
                push(unknown, at);
                push(at, end);
                (unknown, at) = (end, end);
            }
            None => at += 1,
        }
    }
    push(unknown, count);
    words
}
