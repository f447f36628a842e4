//! The tables of names and codes, indexed by the words that texts or values may contain.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::super::words::{EMPTY_HASH, Prehashed, fold, hash, hash_on, words};

/// Out of the Unicode CLDR, written by `core/data/names.py`.
const NAMES: &str = include_str!("../../../data/names.tsv");
/// Cities with the country, a time zone that is not called after them, their codes and other names.
const CITIES: &str = include_str!("../../../data/cities.tsv");
/// What CLDR does not have.
const WORDS: &str = include_str!("../../../data/words.tsv");

/// What can have several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    City,
    Country,
    Currency,
    Language,
    Zone,
    Weekday,
    Month,
    State,
}

impl Kind {
    fn of(table: &str) -> Option<Kind> {
        Some(match table.trim_start_matches("short-") {
            "country" | "demonym" => Kind::Country,
            "currency" | "sign" => Kind::Currency,
            "language" => Kind::Language,
            "zone" => Kind::Zone,
            "weekday" | "day-set" => Kind::Weekday,
            "month" => Kind::Month,
            "state" => Kind::State,
            _ => return None,
        })
    }
}

/// A place in [`Index::things`].
pub(super) type ThingId = u16;

pub(super) struct Thing {
    pub kind: Kind,
    /// Of a city, a zone or a state.
    pub country: Option<ThingId>,
    /// Of a city; of a country, the only one it has.
    pub zone: Option<ThingId>,
}

/// When a name in a text means its thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Always.
    Plain,
    /// It means something else as often, so that it contradicts nothing: an adjective, a code.
    Weak,
    /// Only with a capital, and then as `Weak`: also another word.
    Capital,
    /// Only behind a preposition or beside digits: `may`.
    Dated,
    /// Only beside digits, and then as `Weak`: `kr`, `mar`.
    Digits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Name,
    /// A code or name of one airport of a city, by the code.
    Airport([u8; 3]),
    Code,
}

/// One of the meanings of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sense {
    pub thing: ThingId,
    pub care: Care,
    pub form: Form,
}

#[derive(Default)]
pub(super) struct Entry {
    pub senses: Vec<Sense>,
    /// Words of the longest name that begins with this one.
    pub longest: usize,
    /// Whether it is a name only with an ending: `москв`.
    pub stem: bool,
}

type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Prehashed>>;

#[derive(Default)]
pub(super) struct Index {
    pub things: Vec<Thing>,
    /// By the [`hash`] of the folded name.
    pub names: ByHash<Entry>,
    /// Names in a script without spaces between words, without any; what they begin with has no senses.
    pub unspaced: ByHash<Vec<Sense>>,
    /// In capitals.
    pub codes: HashMap<String, Vec<Sense>, FixedState>,
    /// Codes that are also other words or units.
    pub common_codes: HashSet<&'static str, FixedState>,
    /// By the sign; of a dollar, with the letters before it.
    pub signs: HashMap<&'static str, Vec<Sense>, FixedState>,
    of_key: HashMap<(Kind, String), ThingId, FixedState>,
    common: HashSet<String, FixedState>,
    ambiguous: HashSet<String, FixedState>,
    weak: HashSet<String, FixedState>,
}

pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::read);

/// Letters of a name with which `unspaced` says whether a longer one may follow.
pub(super) const LEAST_UNSPACED: usize = 3;
pub(super) const MOST_UNSPACED: usize = 24;

/// A shorter name, unless English has it, is a word of some other language.
const SHORT_NAME: usize = 4;
/// Letters that are left of a name without its last vowel.
const LEAST_STEM: [usize; 2] = [4, 6];

pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}')
}

impl Index {
    fn read() -> Index {
        let mut index = Index::default();
        for (table, _, names) in rows(WORDS) {
            match table {
                "common" => index.common.extend(folded(names)),
                "common-code" => index.common_codes.extend(names.split('|')),
                "ambiguous" => index.ambiguous.extend(folded(names)),
                "weak" => index.weak.extend(folded(names)),
                _ => {}
            }
        }
        for (table, key, names) in rows(NAMES) {
            match table {
                "zone" => index.add_zone(key, names),
                _ => index.add_row(table, key, names),
            }
        }
        for line in CITIES.lines() {
            index.add_city(line);
        }
        for (table, keys, names) in rows(WORDS) {
            match Kind::of(table) {
                Some(_) if table == "sign" => {
                    for sign in names.split('|') {
                        let senses = keys.split(' ').map(|key| index.sense(Kind::Currency, key)).collect();
                        index.signs.insert(sign, senses);
                    }
                }
                Some(Kind::State) => index.add_state(keys, names),
                None if table == "airport" => index.add_airport(keys, names),
                Some(_) => keys.split(' ').for_each(|key| index.add_row(table, key, names)),
                None => {}
            }
        }
        index.find_lone_zones();
        index
    }

    /// The thing of a key, which is new if nothing had it.
    fn enter(&mut self, kind: Kind, key: &str) -> ThingId {
        let next = self.things.len() as ThingId;
        let id = *self.of_key.entry((kind, key.to_ascii_lowercase())).or_insert(next);
        if id == next {
            self.things.push(Thing { kind, country: None, zone: None });
        }
        id
    }

    pub fn thing(&self, id: ThingId) -> &Thing {
        &self.things[usize::from(id)]
    }

    /// The thing of a code or of a zone's name.
    pub fn keyed(&self, kind: Kind, key: &str) -> Option<ThingId> {
        self.of_key.get(&(kind, key.to_ascii_lowercase())).copied()
    }

    fn sense(&mut self, kind: Kind, key: &str) -> Sense {
        Sense { thing: self.enter(kind, key), care: Care::Plain, form: Form::Name }
    }

    /// A row whose key is its codes, the first of which all rows of the thing have.
    fn add_row(&mut self, table: &str, key: &str, names: &str) {
        let Some(kind) = Kind::of(table) else { return };
        let mut codes = key.split(' ');
        let thing = self.enter(kind, codes.next().unwrap_or_default());
        if table == "country" || table == "currency" || table == "language" {
            for code in key.split(' ') {
                self.add_code(code, thing, Form::Code);
                self.of_key.insert((kind, code.to_ascii_lowercase()), thing);
            }
        }
        self.add_names(table, thing, names);
    }

    fn add_state(&mut self, code: &str, names: &str) {
        let thing = self.enter(Kind::State, code);
        self.things[usize::from(thing)].country = self.keyed(Kind::Country, "US");
        self.add_code(code, thing, Form::Code);
        self.add_names("state", thing, names);
    }

    /// A zone's city has the zone's names, and the zone is called by its path. The key is CLDR's name, the usual one and the country.
    fn add_zone(&mut self, key: &str, names: &str) {
        let mut parts = key.split(' ');
        let (Some(own), Some(usual), Some(country)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let zone = self.enter(Kind::Zone, own);
        self.of_key.insert((Kind::Zone, usual.to_ascii_lowercase()), zone);
        let country = self.enter(Kind::Country, country);
        self.things[usize::from(zone)].country = Some(country);
        self.add_names("zone", zone, &format!("{own}|{usual}"));
        let english = names.split('|').next().unwrap_or_default();
        let city = self.city(english, country);
        self.things[usize::from(city)].zone = Some(zone);
        self.add_names("city", city, names);
    }

    fn city(&mut self, english: &str, country: ThingId) -> ThingId {
        let id = self.enter(Kind::City, &format!("{}{country}", fold(english)));
        self.things[usize::from(id)].country = Some(country);
        id
    }

    fn add_city(&mut self, line: &str) {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (english, country, zone, codes, names) = (next(), next(), next(), next(), next());
        let country = self.enter(Kind::Country, country);
        let city = self.city(english, country);
        if let Some(zone) = self.keyed(Kind::Zone, zone) {
            self.things[usize::from(city)].zone = Some(zone);
        }
        for code in codes.split_whitespace() {
            match code.strip_suffix('*') {
                Some(metropolitan) => self.add_code(metropolitan, city, Form::Code),
                None => {
                    self.add_code(code, city, Form::Airport(code.as_bytes().try_into().unwrap_or_default()))
                }
            }
        }
        self.add_names("city", city, &format!("{english}|{names}"));
    }

    fn add_code(&mut self, code: &str, thing: ThingId, form: Form) {
        // A currency's code is hardly anything else.
        let care = match self.things[usize::from(thing)].kind {
            Kind::Currency => Care::Plain,
            _ => Care::Weak,
        };
        let senses = self.codes.entry(code.to_ascii_uppercase()).or_default();
        if !senses.iter().any(|sense| sense.thing == thing) {
            senses.push(Sense { thing, care, form });
        }
    }

    /// Names of an airport name its city as its code does.
    fn add_airport(&mut self, code: &str, names: &str) {
        let of_airport = |sense: &&Sense| matches!(sense.form, Form::Airport(_));
        let Some(sense) = self.codes.get(code).and_then(|all| all.iter().find(of_airport)).copied() else {
            return;
        };
        for name in folded(names) {
            self.add_sense(&name, sense);
        }
    }

    fn add_names(&mut self, table: &str, thing: ThingId, names: &str) {
        for (at, name) in names.split('|').enumerate() {
            let folded = fold(name);
            let name = folded.trim();
            if name.is_empty() {
                continue;
            }
            self.add_sense(name, Sense { thing, care: self.care(table, name, at == 0), form: Form::Name });
        }
    }

    fn add_sense(&mut self, name: &str, sense: Sense) {
        if name.contains(is_unspaced) {
            self.add_unspaced(name, sense);
        } else {
            self.add_name(name, sense);
        }
    }

    fn care(&self, table: &str, name: &str, is_english: bool) -> Care {
        let has_case = name.chars().any(|c| c.to_uppercase().next() != Some(c));
        let letters = name.chars().count();
        match table {
            "short-currency" | "short-month" => Care::Digits,
            _ if letters == 1 => Care::Digits,
            "day-set" => Care::Weak,
            _ if self.weak.contains(name) => Care::Weak,
            "month" if self.ambiguous.contains(name) => Care::Dated,
            _ if !has_case => {
                if table == "demonym" {
                    Care::Weak
                } else {
                    Care::Plain
                }
            }
            "short-weekday" => Care::Capital,
            _ if self.common.contains(name) => Care::Capital,
            // Of the languages with small alphabets only.
            "country" | "city" | "language" | "zone"
                if letters <= SHORT_NAME && !is_english && is_latin(name) =>
            {
                Care::Capital
            }
            "demonym" => Care::Weak,
            _ => Care::Plain,
        }
    }

    fn add_name(&mut self, name: &str, sense: Sense) {
        let count = words(name).count();
        let first = self.names.entry(hash(words(name).next().unwrap_or_default())).or_default();
        first.longest = first.longest.max(count);
        let entry = self.names.entry(hash(name)).or_default();
        entry.stem = false;
        push(&mut entry.senses, sense);
        // Slavic names lose their last vowel before an ending.
        let is_cyrillic = matches!(name.chars().next(), Some('\u{400}'..='\u{4ff}'));
        let last = name.chars().next_back().unwrap_or_default();
        let inner = &name[..name.len() - last.len_utf8()];
        let loses = if is_cyrillic { "аяьйеіо".contains(last) } else { last == 'a' && is_latin(name) };
        let least = LEAST_STEM[usize::from(!is_cyrillic)];
        if loses && count == 1 && inner.chars().count() >= least && sense.care == Care::Plain {
            let entry = self.names.entry(hash(inner)).or_default();
            if entry.senses.is_empty() {
                entry.stem = true;
            }
            if entry.stem {
                push(&mut entry.senses, sense);
            }
        }
    }

    fn add_unspaced(&mut self, name: &str, sense: Sense) {
        let mut hash = EMPTY_HASH;
        let letters = name.chars().filter(|c| *c != ' ');
        for (at, c) in letters.enumerate() {
            hash = hash_on(hash, c);
            if at + 1 == LEAST_UNSPACED {
                self.unspaced.entry(hash).or_default();
            }
        }
        push(self.unspaced.entry(hash).or_default(), sense);
    }

    /// A country with one zone is in that zone.
    fn find_lone_zones(&mut self) {
        let mut zones: HashMap<ThingId, Vec<ThingId>, FixedState> = HashMap::default();
        for (id, thing) in self.things.iter().enumerate().filter(|(_, thing)| thing.kind == Kind::Zone) {
            if let Some(country) = thing.country {
                zones.entry(country).or_default().push(id as ThingId);
            }
        }
        for (country, zones) in zones {
            // Germany has a second one for a village in another country.
            let busingen = self.keyed(Kind::Zone, "Europe/Busingen");
            let mut zones = zones.into_iter().filter(|zone| Some(*zone) != busingen);
            let lone = zones.next().filter(|_| zones.next().is_none());
            self.things[usize::from(country)].zone = lone;
        }
    }
}

fn push(senses: &mut Vec<Sense>, sense: Sense) {
    match senses.iter_mut().find(|own| own.thing == sense.thing) {
        // The surer of two names that fold alike.
        Some(own) if sense.care == Care::Plain => own.care = Care::Plain,
        Some(_) => {}
        None => senses.push(sense),
    }
}

fn is_latin(name: &str) -> bool {
    name.chars().all(|c| c < '\u{250}')
}

fn folded(names: &str) -> impl Iterator<Item = String> + '_ {
    names.split('|').map(|name| fold(name).trim().to_owned())
}

fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    table.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    })
}
