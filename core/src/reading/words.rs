//! Words of a text, folded to ignore letter case, accents and punctuation.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::language::{self, english};

/// Lower-cased words between single spaces, one space at either end, so that a phrase is found by a plain search.
///
/// A change between letters and digits ends a word, and an ideograph is a word of its own, because languages that write them put
/// no spaces.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + text.len() / 8 + 2);
    folded.push(' ');
    let mut last = Kind::Gap;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let kind = Kind::of(c);
        // Plain letters and digits are taken in runs, any other character by itself.
        let run = if c.is_ascii() { ascii_run(rest, kind) } else { c.len_utf8() };
        let (own, behind) = rest.split_at(run);
        rest = behind;
        if kind == Kind::Silent {
            continue;
        }
        if kind != Kind::Gap {
            if (kind != last || kind == Kind::Ideograph) && !folded.ends_with(' ') {
                folded.push(' ');
            }
            if c.is_ascii() { folded.push_str(own) } else { push_folded(&mut folded, c) }
        }
        last = kind;
    }
    folded.make_ascii_lowercase();
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded
}

/// The bytes at the start of a text that are ASCII characters of one kind.
fn ascii_run(text: &str, kind: Kind) -> usize {
    let is_other = |byte: u8| !byte.is_ascii() || Kind::of(char::from(byte)) != kind;
    text.bytes().position(is_other).unwrap_or(text.len())
}

/// The words of an identifier: `getUserInfo`, `get_user_info` and `get.userInfo` all are ` get user info `.
pub fn fold_identifier(name: &str) -> String {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    fold(&spaced)
}

/// The words of a folded text.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    let mut rest = folded;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(|byte| byte != b' ')?;
        let length = rest[start..].bytes().position(|byte| byte == b' ').unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        rest = &rest[start + length..];
        Some(word)
    })
}

/// A word without its ending: enough to see that `calculated` and `calculation` are kin. Never shown to anyone.
pub type Stem = u64;

/// Letters a stem keeps; longer ones keep endings that differ, shorter ones take strangers for kin.
const STEM_LETTERS: usize = 6;

pub fn stem(word: &str) -> Stem {
    if let Some(inner) = without_particle(word) {
        return fnv(inner.chars().take(STEM_LETTERS));
    }
    let base = match word {
        word if word.len() > 4 && word.ends_with("ies") => &word[..word.len() - 3],
        word if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") => &word[..word.len() - 1],
        word => word,
    };
    let base = base.strip_suffix("ing").filter(|rest| rest.len() > 3).unwrap_or(base);
    let base = base.strip_suffix("ed").filter(|rest| rest.len() > 3).unwrap_or(base);
    let base = base.strip_suffix(['e', 'y']).filter(|rest| rest.len() > 2).unwrap_or(base);
    fnv(base.chars().take(STEM_LETTERS))
}

/// A Korean letter: small words are written together with the word they belong to.
pub fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether a text is one of the small words that are written together with the word before them.
pub fn is_particle(text: &str) -> bool {
    PARTICLES.iter().any(|particle| particle == text)
}

/// A word without the small word that is written together with it.
fn without_particle(word: &str) -> Option<&str> {
    if !word.chars().next_back().is_some_and(is_hangul) {
        return None;
    }
    let rest =
        |particle: &String| word.strip_suffix(particle.as_str()).filter(|rest| rest.chars().count() > 1);
    PARTICLES.iter().find_map(rest)
}

/// Longest first.
static PARTICLES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all: Vec<String> = language::words(|of| &of.text.particles).map(str::to_owned).collect();
    all.sort_by_key(|particle| std::cmp::Reverse(particle.len()));
    all
});

/// FNV-1a over characters: stable everywhere, and fast on short words.
fn fnv(chars: impl Iterator<Item = char>) -> u64 {
    chars.fold(EMPTY_HASH, hash_on)
}

/// The [`hash`] of nothing.
pub const EMPTY_HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// The [`hash`] of a text that goes on with a character.
#[inline]
pub fn hash_on(hash: u64, c: char) -> u64 {
    (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3)
}

/// A set of stems. They are hashes already: hashing them again would only cost time.
pub type StemSet = HashSet<Stem, BuildHasherDefault<Prehashed>>;

/// What a [`WordSet`] knows a folded word by.
#[inline]
pub fn hash(word: &str) -> u64 {
    fnv(word.chars())
}

/// A set of folded words.
pub struct WordSet(StemSet);

impl WordSet {
    /// Of words that are folded.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> WordSet {
        WordSet(words.into_iter().map(hash).collect())
    }

    pub fn has(&self, word: &str) -> bool {
        self.has_hashed(hash(word))
    }

    /// Whether a word of that [`hash`] is in it.
    pub fn has_hashed(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }
}

#[derive(Default)]
pub struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        // The table looks at the top bits, which FNV leaves poor.
        self.0 = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Stems are `u64`; anything else would not come through here.
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }
}

/// Whether a word carries meaning of its own. Function words, and the verbs and nouns nearly every tool's description uses, do not.
pub fn is_content(word: &str) -> bool {
    !STOP_WORDS.has(word)
        && (word.len() > 1 || !word.is_ascii())
        && !word.starts_with(|c: char| c.is_ascii_digit())
}

static STOP_WORDS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of(language::words(|of| &of.text.stop_words)));

/// Whether a folded text of some length is English, by the small words no English text does without.
pub fn is_english(folded: &str) -> bool {
    let (mut all, mut small) = (0, 0);
    for word in words(folded).take(200) {
        all += 1;
        small += usize::from(SMALL_WORDS.has(word));
    }
    all < 4 && folded.is_ascii() || small * 12 > all
}

static SMALL_WORDS: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(english().text.frequent.iter()));

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Gap,
    Letter,
    Digit,
    Ideograph,
    Hangul,
    /// Neither stands in a folded word nor ends it.
    Silent,
}

impl Kind {
    #[inline]
    fn of(c: char) -> Kind {
        match c {
            'a'..='z' | 'A'..='Z' => Kind::Letter,
            '0'..='9' => Kind::Digit,
            c if is_silent(c) => Kind::Silent,
            c if c.is_ascii() => Kind::Gap,
            c if digit(c).is_some() => Kind::Digit,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Kind::Ideograph,
            '\u{20000}'..='\u{3ffff}' => Kind::Ideograph,
            c if is_hangul(c) => Kind::Hangul,
            // Vowel signs and tone marks of Indian scripts and of Thai do not end a word.
            c if c.is_alphanumeric() || is_combining_mark(c) => Kind::Letter,
            _ => Kind::Gap,
        }
    }
}

/// Apostrophes, combining marks and what has no width neither stand in a folded word nor end it.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{93c}' | '\u{94d}' | '\u{e47}'..='\u{e4e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// The ASCII digit that a digit of another script stands for.
pub(super) fn digit(c: char) -> Option<char> {
    let c = u32::from(c);
    let at = ZEROS.partition_point(|zero| *zero <= c).checked_sub(1)?;
    char::from_digit(c - ZEROS[at], 10)
}

/// The zeros of scripts that count in tens, each before its nine others: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati,
/// Oriya, Tamil, Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer, full-width.
#[rustfmt::skip]
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0xff10,
];

fn push_folded(folded: &mut String, c: char) {
    for c in c.to_lowercase() {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => folded.push('a'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => folded.push('e'),
            'ì'..='ï' | 'ī' | 'ı' => folded.push('i'),
            'ñ' | 'ń' | 'ň' => folded.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => folded.push('o'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => folded.push('u'),
            'ý' | 'ÿ' => folded.push('y'),
            'š' | 'ś' | 'ş' | 'ș' => folded.push('s'),
            'ž' | 'ź' | 'ż' => folded.push('z'),
            'ł' => folded.push('l'),
            'ğ' => folded.push('g'),
            'ř' => folded.push('r'),
            'ť' | 'ț' => folded.push('t'),
            'ď' | 'đ' => folded.push('d'),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            c if is_silent(c) => {}
            c => folded.push(digit(c).unwrap_or(c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        for (text, folded) in [
            ("", " "),
            ("Zürich, it's 5km!", " zurich its 5 km "),
            ("東京タワー 2024", " 東 京 タ ワ ー 2024 "),
            ("U.S.A.", " u s a "),
            ("Große İstanbul", " grosse istanbul "),
            ("٥٠ ५० ５０", " 50 50 50 "),
            // Tone marks, and what joins two consonants, are left out by many.
            ("ห้าคน पच्चीस", " หาคน पचचीस "),
            ("O\u{200b}s\u{200d}l\u{feff}o", " oslo "),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
        assert_eq!(fold_identifier("getUserInfo_v2"), " get user info v 2 ");
        assert_eq!(fold_identifier("math.factorialOf"), " math factorial of ");
    }

    #[test]
    fn kin_share_a_stem() {
        for (a, b) in [
            ("calculate", "calculation"),
            ("cities", "city"),
            ("restaurants", "restaurant"),
            ("booked", "book"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        for (a, b) in [("paris", "parity"), ("bus", "but"), ("weather", "whether")] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
    }
}
