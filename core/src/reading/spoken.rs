//! Detects the languages of a text by frequent small words, to know whose number words may occur.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::spelled::of_long_number;
use super::words::{is_hangul, words};
use crate::language::{FILES, all};

/// A set of languages, by their places in [`all`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Languages(u64);

/// English stands first, and is in every set: every text may hold words of it.
const ENGLISH: u64 = 1;

impl Languages {
    pub(super) const ENGLISH_ONLY: Languages = Languages(ENGLISH);

    pub fn every() -> Languages {
        Languages(u64::MAX)
    }

    /// Of words that count in every text.
    pub(super) fn everywhere() -> Languages {
        Languages(ENGLISH)
    }

    pub fn only(at: usize) -> Languages {
        Languages(1 << at)
    }

    /// Whether words of one of these languages count in a text of those.
    pub fn share(self, spoken: Languages) -> bool {
        self.0 & (spoken.0 | ENGLISH) != 0
    }

    /// Whether another language than English is among them.
    pub fn is_foreign(self) -> bool {
        self.0 & !ENGLISH != 0
    }

    pub fn join(&mut self, other: Languages) {
        self.0 |= other.0;
    }

    /// The languages whose small words a folded text may hold: those it shows about as often as any other, those `heard` around
    /// it, and those that are told by nothing. Where a single small word is all that tells, every language.
    pub fn likely(folded: &str, heard: Languages) -> Languages {
        let mut counts = [0_usize; MAX_LANGUAGES];
        for word in words(folded).take(MAX_WORDS) {
            let Languages(mut set) = MARKS.get(word).copied().unwrap_or_default();
            while set != 0 {
                counts[set.trailing_zeros() as usize] += 1;
                set &= set - 1;
            }
        }
        let most = counts.into_iter().max().unwrap_or(0);
        if most < 2 {
            return Languages::every();
        }
        let found = counts.iter().enumerate().filter(|(_, count)| **count * 2 >= most);
        Languages(found.fold(heard.0 | *UNMARKED, |set, (at, _)| set | 1 << at))
    }

    /// The languages of a folded text: those that at least two of its small words belong to, or one where they are not English
    /// besides. Where there are none of either, a long number word tells them: `fünfundzwanzig`.
    pub fn of(folded: &str) -> Languages {
        let mut counts = [0_usize; MAX_LANGUAGES];
        let mut english = 0;
        for word in words(folded).take(MAX_WORDS) {
            let Some(Languages(mut set)) = MARKS.get(word).copied().or_else(|| script(word)) else {
                continue;
            };
            if set == ENGLISH {
                english += 1;
                continue;
            }
            while set != 0 {
                counts[set.trailing_zeros() as usize] += 1;
                set &= set - 1;
            }
        }
        let least = if english > 0 { (2 + english / 4).min(6) } else { 1 };
        // Languages share small words with their kin.
        let best = counts.iter().max().copied().unwrap_or(0);
        let found = counts.iter().enumerate().filter(|(_, count)| **count >= least && **count * 2 > best);
        let found = found.fold(0, |set, (at, _)| set | 1 << at);
        if found == 0 && english == 0 { of_long_number(folded) } else { Languages(found) }
    }
}

/// The languages that a word is of by its letters.
fn script(word: &str) -> Option<Languages> {
    let first = word.chars().next().filter(|c| !c.is_ascii())?;
    // What Persian and Arabic do not share tells them apart.
    let codes: &[&str] = match first {
        '\u{370}'..='\u{3ff}' => &["el"],
        '\u{400}'..='\u{4ff}' => &["ru", "uk"],
        '\u{5d0}'..='\u{5ea}' => &["he"],
        '\u{600}'..='\u{6ff}' if word.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی']) => &["fa"],
        '\u{600}'..='\u{6ff}' if word.contains(['ة', 'ي', 'ك', 'ى', 'أ', 'إ']) => &["ar"],
        '\u{900}'..='\u{97f}' => &["hi"],
        '\u{e00}'..='\u{e7f}' => &["th"],
        '\u{3040}'..='\u{30ff}' => &["ja"],
        '\u{4e00}'..='\u{9fff}' => &["zh", "ja"],
        c if is_hangul(c) => &["ko"],
        _ => return None,
    };
    Some(codes.iter().filter_map(|code| BY_CODE.get(code)).fold(Languages::default(), |mut all, one| {
        all.join(*one);
        all
    }))
}

static BY_CODE: LazyLock<HashMap<&'static str, Languages, FixedState>> =
    LazyLock::new(|| FILES.iter().enumerate().map(|(at, (code, _))| (*code, Languages::only(at))).collect());

/// Words of a text that are looked at.
const MAX_WORDS: usize = 200;
/// Bits of a set.
const MAX_LANGUAGES: usize = 64;

/// The languages of each small word. Those that English has are no other language's.
static MARKS: LazyLock<HashMap<&'static str, Languages, FixedState>> = LazyLock::new(|| {
    let mut marks: HashMap<&'static str, Languages, FixedState> = HashMap::default();
    for (at, language) in all().iter().enumerate().rev() {
        for word in language.text.marks.iter() {
            let own = Languages::only(at);
            match at {
                0 => *marks.entry(word).or_default() = own,
                _ => marks.entry(word).or_default().join(own),
            }
        }
    }
    marks
});

/// Languages without marks in a script of their own.
static UNMARKED: LazyLock<u64> = LazyLock::new(|| {
    let unmarked = all().iter().enumerate().filter(|(_, of)| of.text.marks.is_empty());
    unmarked.fold(ENGLISH, |set, (at, _)| set | 1 << at)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_tell_a_language() {
        for (text, language, spoken) in [
            (" zwei karten bitte ", "de", true),
            (" quiero dos billetes para manana ", "es", true),
            (" pon ojala a la mitad del volumen ", "es", true),
            (" je voudrais sept billets ", "fr", true),
            (" vorrei due biglietti ", "it", true),
            (" preciso de dois bilhetes ", "pt", true),
            (" the report is due ", "it", false),
            (" buy shares of meta ", "it", false),
            (" show me the dos prompt of los angeles ", "es", false),
            (" what was the weather on 7 sept in le mans ", "fr", false),
            (" set the field to null ", "de", false),
            (" meta report ", "it", false),
            (" translate ich brauche zwei karten to english ", "de", true),
        ] {
            let at = FILES.iter().position(|(code, _)| *code == language).unwrap();
            assert_eq!(Languages::only(at).share(Languages::of(text)), spoken, "{text}");
        }
    }
}
