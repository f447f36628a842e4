//! Numbers spelled out in a language other than English: `fünfundzwanzig`, `mil quinientos`, `三千二百`.
//!
//! A number is read as a sum of decreasing terms. A word adds a term (`zwanzig`), or multiplies the smaller terms before it
//! (`tausend`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use unicode_normalization::char::is_combining_mark;

use super::spoken::Languages;
use super::words::{fold, is_hangul, words};
use crate::language::{FILES, NUMBERS, all};

/// Reads the number that begins at a place of a folded text, where a word begins: it, and where it ends.
pub(super) fn spelled(folded: &str, at: usize, spoken: Languages) -> Option<(f64, usize)> {
    let first = folded.get(at..)?.chars().next()?;
    if first.is_ascii() && !spoken.is_foreign() {
        return None;
    }
    let spellings = FIRST.get(&first)?.iter().map(|at| &SPELLINGS[*at]);
    spellings.filter(|spelling| spelling.own.share(spoken)).find_map(|spelling| spelling.number(folded, at))
}

/// The languages of the first number in a folded text that is spelled in so many letters that it can hardly be another word.
pub(super) fn of_long_number(folded: &str) -> Languages {
    let mut at = 1;
    for word in words(folded).take(MAX_WORDS) {
        let begins = at;
        at += word.len() + 1;
        if word.len() < LONG || !word.is_ascii() || !ENDS.contains(&word.as_bytes()[word.len() - END..]) {
            continue;
        }
        let spellings =
            FIRST.get(&char::from(word.as_bytes()[0])).into_iter().flatten().map(|at| &SPELLINGS[*at]);
        let mut found = Languages::default();
        for spelling in spellings {
            let number = spelling.number(folded, begins);
            // A scale alone is a word of several languages: `millions`.
            if number.is_some_and(|(value, end)| end >= at - 1 && value < 1e6) {
                found.join(spelling.own);
            }
        }
        if found != Languages::default() {
            return found;
        }
    }
    Languages::default()
}

/// Letters of a long word, and of its end that is looked at first.
const LONG: usize = 8;
const END: usize = 3;
/// Words of a text that are looked at.
const MAX_WORDS: usize = 200;

/// The last letters of number words.
static ENDS: LazyLock<HashSet<&'static [u8], FixedState>> = LazyLock::new(|| {
    let entries = SPELLINGS.iter().flat_map(|spelling| &spelling.entries).map(|entry| entry.text.as_bytes());
    entries.filter(|text| text.len() >= END).map(|text| &text[text.len() - END..]).collect()
});

/// The same for a word of a text without spaces, in which a number may begin anywhere.
pub(super) fn begins_inside(c: char) -> bool {
    is_thai(c) && !is_combining_mark(c)
}

/// What a word behind digits multiplies them with, and how many bytes of the text it takes: `50万`, `5 тысяч`.
pub(super) fn scale(text: &str, spoken: Languages) -> Option<(f64, usize)> {
    let first = text.chars().next().filter(|c| c.is_alphabetic())?;
    if first.is_ascii() && !spoken.is_foreign() {
        return None;
    }
    let known = |length: usize| {
        let known = SCALES.get(fold(&text[..length]).trim())?;
        known.iter().find(|(own, _)| own.share(spoken)).map(|(_, factor)| (*factor, length))
    };
    let letters = |c: &char| c.is_alphabetic() || is_combining_mark(*c);
    let ends = text.chars().take_while(letters).take(LONGEST_SCALE).scan(0, |end, c| {
        *end += c.len_utf8();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    match is_unspaced(first) {
        true => ends.into_iter().rev().find_map(known),
        false => ends.last().copied().and_then(known),
    }
}

/// Letters of the longest word for a scale.
const LONGEST_SCALE: usize = 20;

fn is_thai(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}')
}

/// Whether words go on without a space behind this letter.
fn is_unspaced(c: char) -> bool {
    is_thai(c) || is_hangul(c) || matches!(c, '\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What a word does in a number. Some do several things.
#[derive(Default)]
struct Entry {
    text: String,
    value: Option<f64>,
    scale: Option<f64>,
    joins: bool,
    /// The longest other entry that this one begins with.
    inner: Option<usize>,
}

/// The words of a language, in the order of their letters.
struct Spelling {
    own: Languages,
    entries: Vec<Entry>,
    /// Words that are no number by themselves.
    weak: HashSet<String, FixedState>,
    /// Scales stand before what they multiply.
    scale_first: bool,
}

impl Spelling {
    fn number(&self, folded: &str, at: usize) -> Option<(f64, usize)> {
        let (value, end) = self.more(folded, at, Sum::default(), None, &mut { MAX_STEPS })?;
        let text = &folded[at..end];
        // A Korean syllable alone begins many another word.
        let inside = text.len() == 3 && text.starts_with(is_hangul) && !folded[end..].starts_with(' ');
        (!inside && !self.weak.contains(text)).then_some((value, end))
    }

    /// Goes on behind `sum` as far as it can. `joined` tells where a joining word ended.
    fn more(
        &self,
        folded: &str,
        at: usize,
        sum: Sum,
        joined: Option<usize>,
        steps: &mut usize,
    ) -> Option<(f64, usize)> {
        *steps = steps.checked_sub(1)?;
        let gap = sum.length > 0 && folded[at..].starts_with(' ');
        let start = at + usize::from(gap);
        for entry in self.prefixes(&folded[start..]) {
            let end = start + entry.text.len();
            // `fünfundzwanzig`, but not `fünf und zwanzig`.
            let attached = joined == Some(start);
            let terms = [entry.value.map(Term::Value), entry.scale.map(Term::Scale)];
            for term in terms.into_iter().flatten() {
                let found = sum
                    .with(term, attached, self.scale_first)
                    .and_then(|sum| self.more(folded, end, sum, None, steps));
                if found.is_some() {
                    return found;
                }
            }
            if entry.joins && joined.is_none() && sum.length > 0 {
                let found = self.more(folded, end, sum, Some(end), steps);
                if found.is_some() {
                    return found;
                }
            }
        }
        let next = folded[at..].chars().next().unwrap_or(' ');
        let ends = next == ' ' || (is_unspaced(next) && !is_combining_mark(next));
        (sum.length > 0 && joined.is_none() && ends).then(|| (sum.total(), at))
    }

    /// The entries that a text begins with, the longest first.
    fn prefixes<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a Entry> {
        let last = self.entries.partition_point(|entry| entry.text.as_str() <= text).checked_sub(1);
        std::iter::successors(last, |at| self.entries[*at].inner)
            .map(|at| &self.entries[at])
            .filter(|entry| text.starts_with(entry.text.as_str()))
    }
}

/// Bounds the work on hostile text.
const MAX_STEPS: usize = 200;

#[derive(Clone, Copy)]
enum Term {
    Value(f64),
    Scale(f64),
}

/// A number as far as it is read: terms of falling places.
#[derive(Default, Clone, Copy)]
struct Sum {
    terms: [f64; MAX_TERMS],
    length: usize,
    /// A scale before what it multiplies, and the place of the first of these.
    open: Option<(usize, f64)>,
}

const MAX_TERMS: usize = 12;

impl Sum {
    /// The sum with one more word, or nothing where none can follow.
    fn with(mut self, term: Term, attached: bool, scale_first: bool) -> Option<Sum> {
        let value = match term {
            Term::Value(value) => value,
            Term::Scale(scale) if scale_first && scale >= 1000.0 => {
                self.close();
                let fits = self.last().is_none_or(|last| place(last) >= scale);
                self.open = Some((self.length, scale));
                // The scale itself counts as a term until what it multiplies is known.
                return fits.then_some(self)?.push(scale);
            }
            Term::Scale(scale) => {
                let from = self.open.map_or(0, |(at, _)| at + 1);
                let smaller = self.terms[from..self.length].iter().rev().take_while(|term| **term < scale);
                let (count, number) = smaller.fold((0, 0.0), |(count, sum), term| (count + 1, sum + term));
                self.length -= count;
                match count {
                    0 if scale < 100.0 => return None,
                    0 => scale,
                    _ => number * scale,
                }
            }
        };
        let first = self.open.map_or(0, |(at, _)| at + 1);
        let Some(last) = self.last().filter(|_| self.length > first) else { return self.push(value) };
        let is_tens = (20.0..100.0).contains(&value) && value % 10.0 == 0.0;
        if attached && is_tens && (1.0..10.0).contains(&last) {
            self.length -= 1;
            let fits = self.length == first || place(self.terms[self.length - 1]) > value;
            return fits.then_some(self)?.push(last + value);
        }
        if value > 0.0 && value < place(last) {
            return self.push(value);
        }
        self.open.is_some().then(|| {
            self.close();
            self.with(Term::Value(value), attached, scale_first)
        })?
    }

    fn last(&self) -> Option<f64> {
        self.length.checked_sub(1).map(|at| self.terms[at])
    }

    fn push(mut self, value: f64) -> Option<Sum> {
        *self.terms.get_mut(self.length)? = value;
        self.length += 1;
        Some(self)
    }

    /// Multiplies what stands behind an open scale.
    fn close(&mut self) {
        if let Some((at, scale)) = self.open.take() {
            let count: f64 = self.terms[at + 1..self.length].iter().sum();
            self.terms[at] = if count > 0.0 { count * scale } else { scale };
            self.length = at + 1;
        }
    }

    fn total(mut self) -> f64 {
        self.close();
        self.terms[..self.length].iter().sum()
    }
}

/// The place of the last digit that is not zero: 100 of 2500.
fn place(number: f64) -> f64 {
    let mut place = 1.0;
    while number >= place * 10.0 && number % (place * 10.0) == 0.0 {
        place *= 10.0;
    }
    place
}

/// The languages with scales in front.
const SCALE_FIRST: &[&str] = &["sw"];

/// In the order of the languages.
static SPELLINGS: LazyLock<Vec<Spelling>> =
    LazyLock::new(|| FILES.iter().enumerate().filter_map(|(at, (code, _))| spelling(at, code)).collect());

/// The rows of a language: a number, or what else the words of the row are, and these.
fn rows(code: &str) -> impl Iterator<Item = (&str, &str)> {
    NUMBERS.lines().filter_map(move |line| line.strip_prefix(code)?.strip_prefix('\t')?.split_once('\t'))
}

fn own(at: usize) -> Languages {
    if all()[at].own_signs { Languages::everywhere() } else { Languages::only(at) }
}

fn spelling(at: usize, code: &str) -> Option<Spelling> {
    let mut entries: HashMap<String, Entry, FixedState> = HashMap::default();
    let mut weak: HashSet<String, FixedState> = HashSet::default();
    for (key, words) in rows(code) {
        for word in words.split(", ").map(|word| fold(word).trim().to_owned()) {
            if key == "?" {
                weak.insert(word);
                continue;
            }
            let entry = entries.entry(word).or_default();
            match (key, key.strip_prefix('x')) {
                ("+", _) => entry.joins = true,
                (_, Some(scale)) => entry.scale = scale.parse().ok(),
                (value, None) => entry.value = value.parse().ok(),
            }
        }
    }
    let mut entries: Vec<Entry> = entries.into_iter().map(|(text, entry)| Entry { text, ..entry }).collect();
    entries.sort_unstable_by(|a, b| a.text.cmp(&b.text));
    let mut open: Vec<usize> = Vec::new();
    for at in 0..entries.len() {
        while open.last().is_some_and(|inner| !entries[at].text.starts_with(&entries[*inner].text)) {
            open.pop();
        }
        entries[at].inner = open.last().copied();
        open.push(at);
    }
    let scale_first = SCALE_FIRST.contains(&code);
    (!entries.is_empty()).then(|| Spelling { own: own(at), entries, weak, scale_first })
}

/// The places of those in which a number may begin with a letter.
static FIRST: LazyLock<HashMap<char, Vec<usize>, FixedState>> = LazyLock::new(|| {
    let mut first: HashMap<char, Vec<usize>, FixedState> = HashMap::default();
    for (at, spelling) in SPELLINGS.iter().enumerate() {
        for letter in spelling.entries.iter().filter_map(|entry| entry.text.chars().next()) {
            let places = first.entry(letter).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        }
    }
    first
});

type Scales = HashMap<String, Vec<(Languages, f64)>, FixedState>;

/// Words that multiply the digits before them. Languages of one family share them.
static SCALES: LazyLock<Scales> = LazyLock::new(|| {
    let mut scales: Scales = HashMap::default();
    for (at, (code, _)) in FILES.iter().enumerate() {
        for (key, words) in rows(code) {
            let Some(scale) = key.strip_prefix('x').and_then(|key| key.parse().ok()) else { continue };
            // `50 cents` is no 5000.
            let least = if all()[at].own_signs { 100.0 } else { 1000.0 };
            for word in words.split(", ").filter(|_| scale == 12.0 || scale >= least) {
                scales.entry(fold(word).trim().to_owned()).or_default().push((own(at), scale));
            }
        }
    }
    scales
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::numbers::Figures;

    /// What a whole text in a language comes to.
    fn read(code: &str, text: &str) -> Option<f64> {
        let folded = fold(text);
        let at = FILES.iter().position(|(own, _)| *own == code).unwrap();
        let spelling = spelling(at, code).unwrap();
        spelling.number(&folded, 1).filter(|(_, end)| *end == folded.len() - 1).map(|(value, _)| value)
    }

    /// A few numbers of every language, as its speakers write them.
    #[test]
    fn numbers_are_read_in_every_language() {
        let mut missed = Vec::new();
        for (code, rows) in NUMBERS_BY_HAND {
            assert!(rows.len() >= 8, "{code}");
            let read = rows.iter().map(|(text, value)| (code, text, value, read(code, text)));
            missed.extend(read.filter(|(_, _, value, read)| *read != Some(**value)));
        }
        assert!(missed.is_empty(), "{missed:#?}");
        let known: Vec<&str> = NUMBERS_BY_HAND.iter().map(|(code, _)| *code).collect();
        let missing: Vec<&&str> =
            FILES.iter().map(|(code, _)| code).filter(|code| !known.contains(code)).collect();
        assert_eq!(missing, [&"en"], "English is read by `number_words.rs`");
    }

    type Rows = &'static [(&'static str, f64)];

    #[rustfmt::skip]
    const NUMBERS_BY_HAND: &[(&str, Rows)] = &[
        ("ar", &[("سبعة", 7.0), ("خمسة عشر", 15.0), ("خمسة وعشرون", 25.0), ("خمسين", 50.0), ("مئة", 100.0), ("مئتان", 200.0), ("ثلاثمائة", 300.0), ("ألف", 1000.0), ("خمسة آلاف", 5000.0), ("مليون", 1e6)]),
        ("ca", &[("set", 7.0), ("quinze", 15.0), ("vint-i-cinc", 25.0), ("cinquanta", 50.0), ("cent", 100.0), ("dos-cents", 200.0), ("mil cinc-cents", 1500.0), ("dos milions", 2e6)]),
        ("cs", &[("sedm", 7.0), ("patnáct", 15.0), ("dvacet pět", 25.0), ("padesát", 50.0), ("dvě stě", 200.0), ("pět set", 500.0), ("tři tisíce", 3000.0), ("pět tisíc", 5000.0), ("milion", 1e6)]),
        ("cy", &[("saith", 7.0), ("un deg pump", 15.0), ("pymtheg", 15.0), ("ugain", 20.0), ("dau ddeg pump", 25.0), ("pum deg", 50.0), ("dau gant", 200.0), ("tair mil", 3000.0), ("miliwn", 1e6)]),
        ("da", &[("syv", 7.0), ("femten", 15.0), ("femogtyve", 25.0), ("halvtreds", 50.0), ("halvfems", 90.0), ("to hundrede", 200.0), ("femten hundrede", 1500.0), ("tre tusind", 3000.0), ("en million", 1e6), ("halvanden", 1.5)]),
        ("de", &[("sieben", 7.0), ("fünfzehn", 15.0), ("fünfundzwanzig", 25.0), ("fünfzig", 50.0), ("dreißig", 30.0), ("zweihundert", 200.0), ("tausendfünfhundert", 1500.0), ("fünfzehnhundert", 1500.0), ("drei Millionen", 3e6), ("anderthalb", 1.5), ("zwei Dutzend", 24.0), ("zwölftausenddreihundertfünfundvierzig", 12345.0)]),
        ("el", &[("επτά", 7.0), ("δεκαπέντε", 15.0), ("είκοσι πέντε", 25.0), ("πενήντα", 50.0), ("εκατόν είκοσι", 120.0), ("διακόσια", 200.0), ("τρεις χιλιάδες", 3000.0), ("ένα εκατομμύριο", 1e6)]),
        ("es", &[("siete", 7.0), ("quince", 15.0), ("veinticinco", 25.0), ("cincuenta", 50.0), ("treinta y ocho", 38.0), ("doscientos", 200.0), ("quinientas", 500.0), ("mil quinientos", 1500.0), ("dos millones", 2e6), ("mil millones", 1e9), ("una docena", 12.0)]),
        ("et", &[("seitse", 7.0), ("viisteist", 15.0), ("kakskümmend viis", 25.0), ("viiskümmend", 50.0), ("sada", 100.0), ("kakssada", 200.0), ("kolm tuhat", 3000.0), ("miljon", 1e6)]),
        ("eu", &[("zazpi", 7.0), ("hamabost", 15.0), ("hogeita bost", 25.0), ("berrogeita hamar", 50.0), ("laurogeita hemeretzi", 99.0), ("ehun", 100.0), ("berrehun", 200.0), ("hiru mila", 3000.0), ("bost mila eta bostehun", 5500.0)]),
        ("fa", &[("هفت", 7.0), ("پانزده", 15.0), ("بیست و پنج", 25.0), ("پنجاه", 50.0), ("صد", 100.0), ("دویست", 200.0), ("هزار و پانصد", 1500.0), ("سه میلیون", 3e6)]),
        ("fi", &[("seitsemän", 7.0), ("viisitoista", 15.0), ("kaksikymmentäviisi", 25.0), ("viisikymmentä", 50.0), ("sata", 100.0), ("kaksisataa", 200.0), ("tuhat viisisataa", 1500.0), ("kolme miljoonaa", 3e6), ("puolitoista", 1.5)]),
        ("fr", &[("sept", 7.0), ("quinze", 15.0), ("vingt-deux", 22.0), ("vingt et un", 21.0), ("cinquante", 50.0), ("soixante-quinze", 75.0), ("quatre-vingt-dix", 90.0), ("deux cents", 200.0), ("mille cinq cents", 1500.0), ("trois millions", 3e6), ("une douzaine", 12.0), ("septante", 70.0)]),
        ("ga", &[("a seacht", 7.0), ("cúig déag", 15.0), ("fiche a cúig", 25.0), ("caoga", 50.0), ("céad", 100.0), ("dhá chéad", 200.0), ("trí mhíle", 3000.0), ("milliún", 1e6)]),
        ("he", &[("שבע", 7.0), ("חמש עשרה", 15.0), ("עשרים וחמש", 25.0), ("חמישים", 50.0), ("מאה", 100.0), ("מאתיים", 200.0), ("אלף וחמש מאות", 1500.0), ("שלושת אלפים", 3000.0), ("מיליון", 1e6)]),
        ("hi", &[("सात", 7.0), ("पंद्रह", 15.0), ("पच्चीस", 25.0), ("पचास", 50.0), ("सौ", 100.0), ("दो सौ", 200.0), ("पांच हज़ार", 5000.0), ("दो लाख", 200_000.0), ("एक करोड़", 1e7)]),
        ("hr", &[("sedam", 7.0), ("petnaest", 15.0), ("dvadeset pet", 25.0), ("pedeset", 50.0), ("dvadeset i pet", 25.0), ("dvjesto", 200.0), ("tri tisuće", 3000.0), ("milijun", 1e6), ("sto pet", 105.0)]),
        ("hu", &[("hét", 7.0), ("tizenöt", 15.0), ("huszonöt", 25.0), ("ötven", 50.0), ("száz", 100.0), ("kétszáz", 200.0), ("ezerötszáz", 1500.0), ("háromezer", 3000.0), ("kétmillió", 2e6)]),
        ("id", &[("tujuh", 7.0), ("lima belas", 15.0), ("dua puluh lima", 25.0), ("lima puluh", 50.0), ("seratus", 100.0), ("dua ratus", 200.0), ("seribu lima ratus", 1500.0), ("lima juta", 5e6)]),
        ("it", &[("sette", 7.0), ("quindici", 15.0), ("ventidue", 22.0), ("cinquanta", 50.0), ("ventitré", 23.0), ("duecento", 200.0), ("millecinquecento", 1500.0), ("tremila", 3000.0), ("due milioni", 2e6), ("centotto", 108.0)]),
        ("ja", &[("七", 7.0), ("十五", 15.0), ("二十五", 25.0), ("五十", 50.0), ("百五", 105.0), ("二百", 200.0), ("三千二百", 3200.0), ("五万", 50_000.0), ("一億二千万", 1.2e8)]),
        ("ko", &[("일곱", 7.0), ("십오", 15.0), ("이십오", 25.0), ("오십", 50.0), ("스물다섯", 25.0), ("이백", 200.0), ("천오백", 1500.0), ("이만 오천", 25_000.0), ("삼천만", 3e7)]),
        ("lt", &[("septyni", 7.0), ("penkiolika", 15.0), ("dvidešimt penki", 25.0), ("penkiasdešimt", 50.0), ("šimtas", 100.0), ("du šimtai", 200.0), ("trys tūkstančiai", 3000.0), ("milijonas", 1e6)]),
        ("lv", &[("septiņi", 7.0), ("piecpadsmit", 15.0), ("divdesmit pieci", 25.0), ("piecdesmit", 50.0), ("simts", 100.0), ("divi simti", 200.0), ("trīs tūkstoši", 3000.0), ("miljons", 1e6)]),
        ("ms", &[("tujuh", 7.0), ("lima belas", 15.0), ("dua puluh lima", 25.0), ("lima puluh", 50.0), ("seratus", 100.0), ("dua ratus", 200.0), ("tiga ribu", 3000.0), ("lapan", 8.0)]),
        ("nl", &[("zeven", 7.0), ("vijftien", 15.0), ("vijfentwintig", 25.0), ("vijftig", 50.0), ("tweeëntwintig", 22.0), ("tweehonderd", 200.0), ("duizend vijfhonderd", 1500.0), ("vijftienhonderd", 1500.0), ("drie miljoen", 3e6)]),
        ("no", &[("sju", 7.0), ("syv", 7.0), ("femten", 15.0), ("tjuefem", 25.0), ("femti", 50.0), ("to hundre", 200.0), ("tre tusen", 3000.0), ("en million", 1e6), ("halvannen", 1.5)]),
        ("pl", &[("siedem", 7.0), ("piętnaście", 15.0), ("dwadzieścia pięć", 25.0), ("pięćdziesiąt", 50.0), ("sto", 100.0), ("dwieście", 200.0), ("tysiąc pięćset", 1500.0), ("pięć tysięcy", 5000.0), ("trzy miliony", 3e6)]),
        ("pt", &[("sete", 7.0), ("quinze", 15.0), ("vinte e cinco", 25.0), ("cinquenta", 50.0), ("dezessete", 17.0), ("duzentos", 200.0), ("mil e quinhentos", 1500.0), ("três milhões", 3e6), ("cento e dez", 110.0)]),
        ("ro", &[("șapte", 7.0), ("cincisprezece", 15.0), ("douăzeci și cinci", 25.0), ("cincizeci", 50.0), ("o sută", 100.0), ("două sute", 200.0), ("o mie cinci sute", 1500.0), ("trei milioane", 3e6)]),
        ("ru", &[("семь", 7.0), ("пятнадцать", 15.0), ("двадцать пять", 25.0), ("пятьдесят", 50.0), ("двести", 200.0), ("пять тысяч", 5000.0), ("тысяча пятьсот", 1500.0), ("три миллиона", 3e6), ("двадцати пяти", 25.0), ("полтора", 1.5)]),
        ("sk", &[("sedem", 7.0), ("pätnásť", 15.0), ("dvadsaťpäť", 25.0), ("päťdesiat", 50.0), ("sto", 100.0), ("dvesto", 200.0), ("tri tisíc", 3000.0), ("milión", 1e6)]),
        ("sl", &[("sedem", 7.0), ("petnajst", 15.0), ("petindvajset", 25.0), ("petdeset", 50.0), ("sto", 100.0), ("dvesto", 200.0), ("tri tisoč", 3000.0), ("dva milijona", 2e6)]),
        ("sq", &[("shtatë", 7.0), ("pesëmbëdhjetë", 15.0), ("njëzet e pesë", 25.0), ("pesëdhjetë", 50.0), ("njëqind", 100.0), ("dyqind", 200.0), ("tre mijë", 3000.0), ("një milion", 1e6)]),
        ("sv", &[("sju", 7.0), ("femton", 15.0), ("tjugofem", 25.0), ("femtio", 50.0), ("hundra", 100.0), ("tvåhundra", 200.0), ("ettusen femhundra", 1500.0), ("tre miljoner", 3e6)]),
        ("sw", &[("saba", 7.0), ("kumi na tano", 15.0), ("ishirini na tano", 25.0), ("hamsini", 50.0), ("mia moja", 100.0), ("mia mbili", 200.0), ("elfu tatu", 3000.0), ("elfu mbili mia tano", 2500.0), ("milioni moja", 1e6)]),
        ("th", &[("เจ็ด", 7.0), ("สิบห้า", 15.0), ("ยี่สิบห้า", 25.0), ("ห้าสิบ", 50.0), ("หนึ่งร้อย", 100.0), ("สองร้อย", 200.0), ("สามพันสองร้อย", 3200.0), ("ห้าหมื่น", 50_000.0), ("หนึ่งล้าน", 1e6)]),
        ("tl", &[("pito", 7.0), ("labinlima", 15.0), ("dalawampu't lima", 25.0), ("limampu", 50.0), ("isang daan", 100.0), ("dalawang daan", 200.0), ("tatlong libo", 3000.0), ("isang milyon", 1e6)]),
        ("tr", &[("yedi", 7.0), ("on beş", 15.0), ("yirmi beş", 25.0), ("elli", 50.0), ("yirmibeş", 25.0), ("iki yüz", 200.0), ("bin beş yüz", 1500.0), ("üç milyon", 3e6)]),
        ("uk", &[("сім", 7.0), ("п'ятнадцять", 15.0), ("двадцять п’ять", 25.0), ("п'ятдесят", 50.0), ("двісті", 200.0), ("п'ять тисяч", 5000.0), ("тисяча п'ятсот", 1500.0), ("три мільйони", 3e6)]),
        ("vi", &[("bảy", 7.0), ("mười lăm", 15.0), ("hai mươi lăm", 25.0), ("năm mươi", 50.0), ("một trăm", 100.0), ("hai trăm linh năm", 205.0), ("ba nghìn", 3000.0), ("hai triệu", 2e6), ("năm chục", 50.0)]),
        ("zh", &[("七", 7.0), ("十五", 15.0), ("二十五", 25.0), ("五十", 50.0), ("一百零二", 102.0), ("两百", 200.0), ("三千二百", 3200.0), ("五万", 50_000.0), ("一亿两千万", 1.2e8)]),
    ];

    /// What `core/languages/numbers.py` spells by the rules its table comes from.
    #[test]
    fn numbers_that_rules_spell_are_read() {
        let spelled = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/numbers/spelled.tsv");
        let mut by_language = std::collections::BTreeMap::<String, (usize, Vec<String>)>::new();
        for row in std::fs::read_to_string(spelled).unwrap().lines() {
            let cells: Vec<&str> = row.split('\t').collect();
            let value: f64 = cells[1].parse().unwrap();
            // English is read by `number_words.rs`.
            let is_read = match cells[0] {
                "en" => Figures::of(cells[2]).contains(value),
                code => read(code, cells[2]) == Some(value),
            };
            let of = by_language.entry(cells[0].to_owned()).or_default();
            of.0 += 1;
            if !is_read {
                of.1.push(row.to_owned());
            }
        }
        for (code, (all, missed)) in &by_language {
            println!("{code} {} of {all}", all - missed.len());
        }
        let missed: Vec<&String> = by_language.values().flat_map(|(_, missed)| missed).collect();
        assert!(missed.is_empty(), "{} {missed:#?}", missed.len());
    }
}
