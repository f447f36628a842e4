//! Finds the names in a conversation in one pass over its words.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::super::words::{EMPTY_HASH, Prehashed, fold, hash, hash_on, is_hangul, is_particle, words};
use super::index::{Care, Entry, Form, INDEX, Kind, LEAST_UNSPACED, MOST_UNSPACED, Sense, is_unspaced};

/// The things that a conversation names.
#[derive(Default)]
pub struct Text {
    pub(super) mentions: Vec<Mention>,
    /// The words of the mentions.
    said: String,
    /// Whether something was left out, because there is too much.
    pub(super) is_cut: bool,
}

/// One name in it.
pub(super) struct Mention {
    pub senses: Vec<Sense>,
    /// The kind of which it plainly names one thing.
    pub sure: Option<Kind>,
    words: Range<usize>,
}

/// Bytes read, and different names kept: bound the work on hostile rows, whose values are each compared with all names.
const MAX_BYTES: usize = 128 * 1024;
const MAX_MENTIONS: usize = 256;

/// In front of a month.
const DATE_WORDS: &[&str] = &[
    "in", "of", "since", "until", "till", "by", "next", "last", "this", "early", "late", "mid", "end", "en",
    "de", "im", "ab", "bis", "seit", "anfang", "ende", "mitte", "fin", "debut", "courant", "depuis", "desde",
    "di", "em", "v", "w",
];

/// In front of the language that something is put into, or is in.
const LANGUAGE_WORDS: &[&str] = &[
    "in", "into", "to", "from", "auf", "ins", "aus", "en", "al", "del", "em", "para", "nach", "pa", "fran",
    "till", "til", "fra", "naar", "het", "vers", "na", "do", "z", "v", "w", "на", "с", "στα",
];

/// What may follow the letters of a name, by how many letters the name has to have: Finnish, Hungarian, Turkish, Polish and others
/// decline it.
#[rustfmt::skip]
const ENDINGS: &[(usize, &[&str])] = &[
    (4, &[
        "s", "а", "у", "е", "ом", "і", "ові", "ем", "ю", "я", "ів", "ов", "ами", "ах", "ам", "ы", "и",
    ]),
    (5, &[
        "ssa", "sta", "lla", "lta", "lle", "ista", "issa", "iin", "een", "oon", "aan", "ksi", "ban", "ben", "bol", "ba", "be", "ra", "re",
        "rol", "nak", "nek", "hoz", "hez", "tol", "ig", "on", "da", "de", "ta", "te", "dan", "den", "tan", "ten", "ya", "ye", "nin", "nun",
        "daki", "deki", "taki", "teki", "yi", "yu", "ie", "em", "owi", "ach", "ami", "ului", "ul",
    ]),
    (6, &["a", "e", "u", "y", "i", "n", "t"]),
];

/// What may follow a name that has lost its last vowel.
#[rustfmt::skip]
const STEM_ENDINGS: &[&str] = &[
    "е", "ы", "у", "ой", "и", "ю", "ей", "і", "ї", "ою", "єю", "ею", "ям", "ях", "ах", "ами", "ями", "ом", "ем", "а", "я", "ию", "ии",
    "ією", "ью", "y", "ie", "e", "i", "u", "o", "ou", "om", "ami", "ach",
];

/// Letters written together with the word behind them.
const HEBREW_PREFIXES: &str = "בלמהושכ";
const ARABIC_PREFIXES: &str = "بلوفك";
/// Letters of a name behind one of them.
const LEAST_PREFIXED: usize = 3;

impl Text {
    /// Of messages, those that matter most first.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a str>) -> Text {
        let mut reader = Reader::default();
        let mut left = MAX_BYTES;
        for message in messages {
            let own = &message[..message.floor_char_boundary(left)];
            left -= own.len();
            reader.read(own);
            if own.len() < message.len() {
                reader.text.is_cut = true;
                break;
            }
        }
        reader.text
    }

    pub(super) fn words(&self, mention: &Mention) -> &str {
        &self.said[mention.words.clone()]
    }
}

#[derive(Default)]
struct Reader {
    text: Text,
    seen: HashSet<u64, BuildHasherDefault<Prehashed>>,
    /// The [`hash`]es of this message's words with a capital.
    capitals: HashSet<u64, BuildHasherDefault<Prehashed>>,
}

impl Reader {
    fn read(&mut self, raw: &str) {
        let folded = fold(raw);
        self.read_raw(raw);
        let words: Vec<&str> = words(&folded).collect();
        let mut at = 0;
        while at < words.len() {
            at += self.read_name(&words, at);
        }
        if folded.contains(is_unspaced) {
            self.read_unspaced(&folded);
        }
    }

    /// What only the unfolded text shows: capitals, codes and signs.
    fn read_raw(&mut self, raw: &str) {
        self.capitals.clear();
        let has_small = raw.contains(char::is_lowercase);
        let mut before = "";
        // A code waits for the word behind it.
        let mut pending: Option<&str> = None;
        for chunk in raw.split_whitespace() {
            for word in chunk.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
                if word.starts_with(char::is_uppercase) {
                    self.capitals.insert(hash_folded(word));
                }
            }
            for word in chunk.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
                if let Some(code) = pending.take().filter(|_| !is_shouted(word)) {
                    self.read_code(code);
                }
                let is_code = (2..=3).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_uppercase());
                let may_be = word.len() == 3 || has_small && !before.ends_with(|c: char| c.is_ascii_digit());
                if is_code && may_be && !is_shouted(before) {
                    pending = Some(word);
                }
                before = word;
            }
            let locale = chunk.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            if super::is_locale(locale) {
                let senses = super::language_senses(locale);
                self.add(hash(locale), locale, senses, None);
            }
        }
        if let Some(code) = pending {
            self.read_code(code);
        }
        if raw.bytes().any(|byte| byte == b'$' || byte >= 0xc2) {
            self.read_signs(raw);
        }
    }

    fn read_code(&mut self, code: &str) {
        if let Some(senses) = INDEX.codes.get(code).filter(|_| !INDEX.common_codes.contains(code)) {
            self.add(hash(code), code, senses.clone(), sure_kind(senses));
        }
    }

    fn read_signs(&mut self, raw: &str) {
        for (at, c) in raw.char_indices() {
            if !matches!(c, '$' | '£' | '¥' | '￥' | '฿' | '\u{20a0}'..='\u{20cf}') {
                continue;
            }
            let sign = at..at + c.len_utf8();
            let letters = raw[..at].bytes().rev().take_while(u8::is_ascii_uppercase).take(3).count();
            // `US$` is another sign than `$`, and one of a word in front of it is none.
            let long = &raw[at - letters..sign.end];
            let (sign, senses) = match (INDEX.signs.get(long), INDEX.signs.get(&raw[sign.clone()])) {
                (Some(senses), _) => (long, senses),
                (None, Some(senses)) => (&raw[sign], senses),
                (None, None) => continue,
            };
            self.add(hash(sign), sign, senses.clone(), Some(Kind::Currency));
        }
    }

    /// Reads the longest name that begins with a word; gives back how many words are read.
    fn read_name(&mut self, words: &[&str], at: usize) -> usize {
        let own = hash(words[at]);
        let longest = INDEX.names.get(&own).map_or(1, |entry| entry.longest.max(1));
        // Names of more words first take up those of fewer: `New York` is not York.
        let mut found: Option<(&Entry, usize, u64, bool)> = None;
        let mut start = EMPTY_HASH;
        for (count, word) in words[at..].iter().take(longest).enumerate() {
            if count > 0 {
                start = hash_on(start, ' ');
            }
            let whole = word.chars().fold(start, hash_on);
            match INDEX.names.get(&whole).filter(|entry| !entry.stem && !entry.senses.is_empty()) {
                Some(entry) => found = Some((entry, count + 1, whole, false)),
                None => {
                    if let Some((entry, inner)) = declined(start, word) {
                        found = Some((entry, count + 1, inner, true));
                    }
                }
            }
            start = whole;
        }
        match found {
            Some((entry, count, key, is_declined)) => {
                self.add_name(words, at, count, entry, key, is_declined);
                count
            }
            None => {
                self.read_prefixed(words, at);
                1
            }
        }
    }

    /// Hebrew and Arabic write small words together with the word behind them.
    fn read_prefixed(&mut self, words: &[&str], at: usize) {
        let mut letters = words[at].chars();
        let Some(first) = letters.next() else { return };
        if !HEBREW_PREFIXES.contains(first) && !ARABIC_PREFIXES.contains(first) {
            return;
        }
        let rest = letters.as_str();
        let key = hash(rest);
        if rest.chars().nth(LEAST_PREFIXED - 1).is_some()
            && let Some(entry) = INDEX.names.get(&key)
        {
            self.add_name(words, at, 1, entry, key, true);
        }
    }

    fn add_name(
        &mut self,
        all: &[&str],
        at: usize,
        count: usize,
        entry: &Entry,
        key: u64,
        is_declined: bool,
    ) {
        let before = at.checked_sub(1).map_or("", |before| all[before]);
        let behind = all.get(at + count).copied().unwrap_or_default();
        let is_number = |word: &str| word.starts_with(|c: char| c.is_numeric());
        let by_digits = is_number(before) || is_number(behind);
        let dated = by_digits || DATE_WORDS.contains(&before);
        let has_capital = || self.capitals.contains(&hash(all[at]));
        let senses: Vec<Sense> = entry
            .senses
            .iter()
            .filter(|sense| match sense.care {
                Care::Plain | Care::Weak => true,
                Care::Capital => has_capital(),
                Care::Dated => dated,
                Care::Digits => by_digits,
            })
            .copied()
            .collect();
        if senses.is_empty() {
            return;
        }
        // A French restaurant says nothing of the language.
        let sure = sure_kind(&senses)
            .filter(|kind| !is_declined && (*kind != Kind::Language || LANGUAGE_WORDS.contains(&before)));
        let words = all[at..at + count].join(" ");
        self.add(key, &words, senses, sure);
    }

    /// Names in a script that puts no spaces between words.
    fn read_unspaced(&mut self, folded: &str) {
        let letters: Vec<char> = folded.chars().filter(|c| *c != ' ').collect();
        let mut at = 0;
        while at < letters.len() {
            let mut hash = EMPTY_HASH;
            let mut found = None;
            for (count, c) in letters[at..].iter().take(MOST_UNSPACED).enumerate() {
                if !is_unspaced(*c) {
                    break;
                }
                hash = hash_on(hash, *c);
                let Some(senses) = INDEX.unspaced.get(&hash) else {
                    if count + 1 == LEAST_UNSPACED {
                        break;
                    }
                    continue;
                };
                if !senses.is_empty() {
                    found = Some((senses, count + 1, hash));
                }
            }
            let Some((senses, count, key)) = found else {
                at += 1;
                continue;
            };
            let words: String = letters[at..at + count].iter().collect();
            self.add(key, &words, senses.clone(), None);
            at += count;
        }
    }

    fn add(&mut self, key: u64, words: &str, senses: Vec<Sense>, sure: Option<Kind>) {
        // The same name may be told with other meanings: at first without its capital.
        let key = key.rotate_left(8) ^ (senses.len() as u64 * 2 + u64::from(sure.is_some()));
        if senses.is_empty() || self.seen.contains(&key) {
            return;
        }
        if self.text.mentions.len() == MAX_MENTIONS {
            self.text.is_cut = true;
            return;
        }
        self.seen.insert(key);
        let start = self.text.said.len();
        self.text.said.push_str(words);
        let words = start..self.text.said.len();
        self.text.mentions.push(Mention { senses, sure, words });
    }
}

/// The kind of all that a name surely means.
fn sure_kind(senses: &[Sense]) -> Option<Kind> {
    let mut kinds = senses
        .iter()
        .filter(|sense| matches!(sense.care, Care::Plain | Care::Dated))
        .map(|sense| INDEX.thing(sense.thing).kind);
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

/// Whether a word belongs to a text in capitals, where codes are not told from words.
fn is_shouted(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase())
}

fn hash_folded(word: &str) -> u64 {
    if word.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return word.bytes().map(|b| char::from(b.to_ascii_lowercase())).fold(EMPTY_HASH, hash_on);
    }
    hash(words(&fold(word)).next().unwrap_or_default())
}

/// The name that a word is with an ending; `start` is the hash of what stands in front of the word.
fn declined(start: u64, word: &str) -> Option<(&'static Entry, u64)> {
    /// Bytes of the longest ending, and of the shortest name.
    const LONGEST: usize = 8;
    const LEAST: usize = 4;
    let mut hash = start;
    let mut found = None;
    for (letters, (at, c)) in word.char_indices().enumerate() {
        let rest = &word[at..];
        if at >= LEAST
            && rest.len() <= LONGEST
            && let Some(entry) = INDEX.names.get(&hash).filter(|entry| !entry.senses.is_empty())
            && is_ending(rest, letters, entry.stem)
        {
            found = Some((entry, hash));
        }
        hash = hash_on(hash, c);
    }
    found
}

fn is_ending(rest: &str, letters: usize, of_stem: bool) -> bool {
    if rest.starts_with(is_hangul) {
        return letters > 1 && is_particle(rest);
    }
    match of_stem {
        true => STEM_ENDINGS.contains(&rest),
        false => ENDINGS.iter().any(|(least, all)| letters >= *least && all.contains(&rest)),
    }
}

/// A locale's language, with what its region says of the script.
pub(super) fn senses_of(things: impl Iterator<Item = super::index::ThingId>) -> Vec<Sense> {
    things.map(|thing| Sense { thing, care: Care::Weak, form: Form::Code }).collect()
}
