//! The kind of name or code that a parameter asks for, by its name and description.

use super::super::words::{fold, fold_identifier, words};
use super::index::Kind;

/// The kinds of things that a parameter may ask for. Short codes count only for these.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Hint(u16);

/// Words of names and descriptions.
#[rustfmt::skip]
const WORDS: &[(Kind, &[&str])] = &[
    (Kind::City, &[
        "city", "cities", "town", "airport", "airports", "iata", "origin", "destination", "departure", "arrival", "from", "to", "location",
        "place", "stadt", "ort", "flughafen", "ville", "aeroport", "ciudad", "aeropuerto", "origen", "destino", "citta", "aeroporto",
        "cidade", "origem", "stad", "luchthaven", "miasto", "lotnisko", "mesto", "letiste", "varos", "sehir", "havaalani", "город",
        "аэропорт", "місто", "πολη", "πόλη", "مدينة", "עיר", "शहर",
    ]),
    (Kind::Country, &[
        "country", "countries", "nation", "nationality", "citizenship", "region", "market", "land", "staat", "pays", "pais", "paese",
        "kraj", "zeme", "orszag", "ulke", "страна", "країна", "χωρα", "χώρα", "بلد", "מדינה", "देश", "location", "iso",
    ]),
    (Kind::Currency, &[
        "currency", "currencies", "money", "fx", "forex", "ccy", "wahrung", "devise", "monnaie", "moneda", "divisa", "valuta", "moeda",
        "waluta", "mena", "penznem", "para", "валюта", "νομισμα", "νόμισμα", "عملة", "מטבע", "मुद्रा", "base", "quote",
    ]),
    (Kind::Language, &[
        "language", "languages", "lang", "langs", "zielsprache", "quellsprache", "kieli", "kohdekieli", "limba", "bahasa", "sprog", "sprak", "locale", "locales", "translation", "translate", "sprache", "langue", "idioma", "lingua",
        "lengua", "taal", "jezyk", "jazyk", "nyelv", "dil", "язык", "мова", "γλωσσα", "γλώσσα", "لغة", "שפה", "भाषा",
    ]),
    (Kind::Zone, &["timezone", "timezones", "tz", "zeitzone", "fuseau", "huso", "fuso", "tijdzone"]),
    (Kind::Weekday, &[
        "day", "days", "weekday", "weekdays", "dow", "tag", "wochentag", "tage", "jour", "jours", "dia", "dias", "giorno", "giorni", "dag",
        "dzien", "den", "nap", "gun", "день", "ημερα", "ημέρα", "يوم", "יום", "दिन",
    ]),
    (Kind::Month, &[
        "month", "months", "monat", "mois", "mes", "mese", "maand", "miesiac", "mesic", "honap", "ay", "месяц", "місяць", "شهر", "חודש",
    ]),
    (Kind::State, &["state", "states", "province"]),
];

/// Signs in names in scripts without spaces.
const SIGNS: &[(Kind, &[&str])] = &[
    (Kind::City, &["都市", "城市", "市", "空港", "机场", "機場", "도시", "공항", "เมือง", "สนามบิน"]),
    (Kind::Country, &["国", "國", "국가", "나라", "ประเทศ"]),
    (Kind::Currency, &["通貨", "货币", "貨幣", "통화", "สกุลเงิน"]),
    (Kind::Language, &["言語", "语言", "語言", "언어", "ภาษา"]),
    (Kind::Weekday, &["曜日", "星期", "요일", "วัน"]),
    (Kind::Month, &["月", "월", "เดือน"]),
];

/// A bit that no kind has.
const SOURCE: u16 = 1 << 15;
const SOURCES: &[&str] = &[
    "source",
    "src",
    "from",
    "native",
    "original",
    "input",
    "von",
    "quellsprache",
    "origen",
    "origem",
    "origine",
];

/// Bytes of a description; what it says later is seldom about what it asks for.
const MAX_DESCRIPTION: usize = 160;

impl Hint {
    /// By the words of the name, or those of the description where the name tells nothing.
    pub fn of(name: &str, description: &str) -> Hint {
        let own = Hint::of_words(&fold_identifier(name), name);
        if !own.is_empty() {
            return own;
        }
        let start = &description[..description.floor_char_boundary(MAX_DESCRIPTION)];
        // Small words of a sentence ask for nothing.
        let folded = fold(start).replace(" to ", " ").replace(" from ", " ").replace(" base ", " ");
        Hint::of_words(&folded, start)
    }

    pub fn has(self, kind: Kind) -> bool {
        self.0 & bit(kind) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 & !SOURCE == 0
    }

    /// Whether it asks for what something comes from.
    pub fn is_source(self) -> bool {
        self.0 & SOURCE != 0
    }

    fn of_words(folded: &str, raw: &str) -> Hint {
        let is_zone = folded.contains(" time zone ");
        let mut bits = if is_zone { bit(Kind::Zone) } else { 0 };
        for word in words(folded) {
            bits |= if SOURCES.contains(&word) { SOURCE } else { 0 };
            let kinds = WORDS.iter().filter(|(_, own)| own.contains(&word));
            bits = kinds.fold(bits, |bits, (kind, _)| bits | bit(*kind));
        }
        if !raw.is_ascii() {
            let kinds = SIGNS.iter().filter(|(_, own)| own.iter().any(|sign| raw.contains(sign)));
            bits = kinds.fold(bits, |bits, (kind, _)| bits | bit(*kind));
        }
        Hint(bits)
    }
}

fn bit(kind: Kind) -> u16 {
    1 << kind as u16
}
