//! How well a value fits an argument: by its form, by the definition's examples, and by the words around it in the conversation.

use super::asked_unit::asked_by;
use super::look::{Class, Look, asks, class, look};
use super::node::Node;
use super::schema::folded_of;
use crate::domain::Json;
use crate::reading::units::Unit;
use crate::reading::words::{Stem, is_content, stem, words};

/// By so much two values must go better with each other's argument than with their own.
const CLEARLY: f64 = 1.5;
/// Words before and behind a value that may say what it is; the nearest say most.
const BEFORE: usize = 8;
const BEHIND: usize = 3;
/// Places of a value that are looked at.
const MAX_MENTIONS: usize = 4;
/// More words that name an argument say no more.
const ENOUGH_NAMED: f64 = 1.6;
/// Words of a description that are compared.
const MAX_DESCRIPTION: usize = 40;

/// An argument with its value, and where the conversation has it.
pub(super) struct Given<'a> {
    node: &'a Node,
    value: &'a Json,
    /// The value's text.
    folded: String,
    /// First word and end of each mention.
    pub(super) places: Vec<(usize, usize)>,
}

impl<'a> Given<'a> {
    /// `said` are the words of the conversation.
    pub(super) fn new(node: &'a Node, value: &'a Json, said: &[&str]) -> Given<'a> {
        let folded = folded_of(value);
        let places = places(said, &folded);
        Given { node, value, folded, places }
    }
}

/// An argument with its value and all that is compared.
pub(super) struct Side<'a> {
    node: &'a Node,
    value: &'a Json,
    folded: String,
    /// The words of the argument's name, and of those the telling ones without the ending of a plural.
    name: Vec<&'a str>,
    telling: Vec<&'a str>,
    /// Stems of the description's words.
    described: Vec<Stem>,
    /// What the value looks like, where others that look so are likely of its kind.
    pattern: Option<String>,
    look: Option<Look>,
    asks: Option<Look>,
    class: Option<Class>,
    unit: Option<Unit>,
    /// Words around each mention, the nearest first.
    mentions: Vec<Mention<'a>>,
}

struct Mention<'a> {
    before: Vec<Near<'a>>,
    behind: Vec<Near<'a>>,
}

/// A word beside a value.
struct Near<'a> {
    word: &'a str,
    /// Without the ending of a plural.
    single: &'a str,
    /// Of a word that carries meaning.
    stem: Option<Stem>,
}

impl<'a> Near<'a> {
    fn new(word: &'a str) -> Near<'a> {
        Near { word, single: single(word), stem: is_content(word).then(|| stem(word)) }
    }
}

impl<'a> Side<'a> {
    /// `taken` tells of each word of the conversation whether it belongs to an argument's value.
    pub(super) fn new(given: Given<'a>, said: &[&'a str], taken: &[bool]) -> Side<'a> {
        let Given { node, value, folded, places } = given;
        let is_number = matches!(value, Json::Number(_));
        let mentions = places
            .into_iter()
            .map(|(from, to)| {
                let belongs = |at: &usize| {
                    !taken[*at]
                        && !matches!(said[*at], "and" | "or" | "then" | "|")
                        && !said[*at].starts_with(|c: char| c.is_ascii_digit())
                };
                let near = |at: usize| Near::new(said[at]);
                let before = (0..from).rev().take(BEFORE).take_while(belongs).map(near).collect();
                // In `title X author Y` the second name is that of the second value; of numbers the unit stands behind.
                let is_of_next = |at: usize| taken.get(at + 1).is_some_and(|taken| *taken && !is_number);
                let behind = (to..said.len())
                    .take(BEHIND)
                    .take_while(belongs)
                    .take_while(|at| !is_of_next(*at))
                    .map(near)
                    .collect();
                Mention { before, behind }
            })
            .collect();
        let name: Vec<&str> = words(&node.name).collect();
        let described = words(&node.description).take(MAX_DESCRIPTION).filter(|word| word.len() > 2);
        Side {
            node,
            value,
            telling: name.iter().copied().filter_map(telling).collect(),
            described: described.map(stem).collect(),
            pattern: telling_pattern(&folded),
            look: value.as_str().and_then(look),
            asks: asks(&name),
            class: class(&name),
            unit: is_number.then(|| asked_by(node)).flatten(),
            folded,
            name,
            mentions,
        }
    }

    /// Whether a word is one of the argument's name.
    fn is_named(&self, near: &Near) -> bool {
        self.telling.iter().any(|own| near.single.starts_with(own))
    }

    /// Whether a word that carries meaning is one of the argument's name or description.
    fn is_described(&self, near: &Near) -> bool {
        near.stem.is_some_and(|stem| self.described.contains(&stem) || self.is_named(near))
    }

    /// Whether two arguments could hold each other's value at all.
    fn is_like(&self, other: &Side) -> bool {
        self.value.type_name() == other.value.type_name()
            && self.folded != other.folded
            && self.node.types.allow(other.value)
            && other.node.types.allow(self.value)
    }
}

/// Where a value stands in the conversation; what stands behind its comma is often added.
fn places(said: &[&str], folded: &str) -> Vec<(usize, usize)> {
    let parts: Vec<&str> = words(folded).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    // Most words differ in their first letter, and need no look at the rest.
    let (first, letter) = (parts[0], parts[0].as_bytes().first());
    let found = said.iter().enumerate().filter(|(at, word)| {
        word.as_bytes().first() == letter && **word == first && said[*at..].starts_with(&parts)
    });
    found.map(|(at, _)| (at, at + parts.len())).take(MAX_MENTIONS).collect()
}

/// Whether two values each go clearly better with the other's argument.
pub(super) fn are_swapped(a: &Side, b: &Side) -> bool {
    if !a.is_like(b) {
        return false;
    }
    // `city: Oslo` settles where Oslo belongs.
    let is_told = |own: &Side, other: &Side| {
        let mut words = own.mentions.iter().filter_map(|mention| mention.before.first());
        words.any(|word| own.is_named(word) && !other.is_named(word))
    };
    if is_told(a, b) || is_told(b, a) {
        return false;
    }
    let gain =
        |value: &Side, own: &Side, other: &Side| goes_with(value, other, own) - goes_with(value, own, other);
    let first = gain(a, a, b);
    if first < 0.0 {
        return false;
    }
    let second = gain(b, b, a);
    if second < 0.0 || first + second < CLEARLY {
        return false;
    }
    // What nobody said may be anything: then the look or the definition must tell.
    let are_told = !a.mentions.is_empty() && !b.mentions.is_empty();
    let seen = |value: &Side, own: &Side, other: &Side| {
        by_look(value, other) + by_definition(value, other) - by_look(value, own) - by_definition(value, own)
    };
    are_told || seen(a, a, b) + seen(b, b, a) >= CLEARLY
}

/// How well a value goes with an argument; the words that both arguments of the pair have tell nothing.
fn goes_with(value: &Side, argument: &Side, rival: &Side) -> f64 {
    by_look(value, argument) + by_definition(value, argument) + by_words(value, argument, rival)
}

fn by_look(value: &Side, argument: &Side) -> f64 {
    use Look::*;
    match (value.look, argument.asks) {
        (Some(look), Some(asked)) if look == asked && look != Letters => 2.0,
        (Some(Clock), Some(Date)) | (Some(Date), Some(Clock)) => 0.0,
        (Some(Number), Some(Phone)) | (Some(Phone), Some(Number)) => 0.5,
        (Some(Date | Email | Phone | Address | Clock), Some(Letters)) => -2.0,
        (Some(Number), Some(Letters)) => -1.0,
        (Some(Email | Phone | Address | Letters), Some(Date)) => -2.0,
        (Some(_), Some(Email | Address)) => -2.0,
        (Some(Letters | Date | Email | Address), Some(Phone | Number)) => -2.0,
        (Some(Date | Email | Address), None) => -0.5,
        _ => 0.0,
    }
}

/// What the definition names: allowed values, examples, and what they look like.
fn by_definition(value: &Side, argument: &Side) -> f64 {
    let folded = value.folded.as_str();
    if argument.node.choices.iter().any(|choice| choice.folded == folded) {
        return 2.0;
    }
    if folded.len() > 4 && argument.node.description.contains(folded) {
        return 1.0;
    }
    let is_like = |own: &String| pattern(&argument.node.description).contains(own);
    if value.pattern.as_ref().is_some_and(is_like) { 1.5 } else { 0.0 }
}

/// The pattern of a folded text of few words, where it has both numbers and letters.
fn telling_pattern(folded: &str) -> Option<String> {
    let digits = folded.bytes().any(|b| b.is_ascii_digit());
    let letters = folded.bytes().any(|b| b.is_ascii_alphabetic());
    (digits && letters && words(folded).count() <= 4)
        .then(|| pattern(folded))
        .filter(|pattern| pattern.contains(" 9 "))
}

/// A folded text with every number the same: ` w 0000000 ` and ` w 7449508 ` are of one pattern.
fn pattern(folded: &str) -> String {
    let mut text = String::with_capacity(folded.len());
    text.push(' ');
    for word in words(folded) {
        text.push_str(if word.bytes().all(|b| b.is_ascii_digit()) { "9" } else { word });
        text.push(' ');
    }
    text
}

fn by_words(value: &Side, argument: &Side, rival: &Side) -> f64 {
    let own = |word: &Near| argument.is_named(word) && !rival.is_named(word);
    let told = |word: &Near| argument.is_described(word) && !rival.is_described(word);
    let weigh = |word: &Near| match () {
        () if own(word) => 1.2,
        () if told(word) => 0.6,
        () => 0.0,
    };
    let near = |mention: &Mention| {
        let side = |words: &[Near], reach: f64| -> f64 {
            let each = words.iter().enumerate().map(|(i, word)| weigh(word) * (1.0 - i as f64 / reach));
            each.sum::<f64>().min(ENOUGH_NAMED)
        };
        // Behind a text stands more often what belongs to the next one.
        let behind = if matches!(value.value, Json::Number(_)) { 1.0 } else { 0.5 };
        let words = side(&mention.before, 10.0).max(behind * side(&mention.behind, 4.0));
        let mut words_before = mention.before.iter().map(|near| near.word);
        let before = words_before.find(|word| !matches!(*word, "the" | "a" | "an"));
        let within = matches!(before, Some("in" | "at" | "near" | "around"));
        let made_by = before == Some("by");
        let placed = match argument.class {
            Some(Class::Place) if within => 1.0,
            Some(Class::Place) => -0.3,
            Some(Class::Manner) if within => 1.0,
            Some(Class::Manner) => 0.0,
            Some(Class::Maker) if made_by => 1.0,
            _ if within => -0.7,
            _ if made_by => -0.3,
            _ => 0.0,
        };
        let placed = if value.value.as_str().is_some() { placed } else { 0.0 };
        let behind = mention.behind.first().map(|near| near.word);
        let unit = behind.filter(|word| word.len() > 1).and_then(Unit::of_word);
        let measured =
            match (unit, argument.unit) {
                (Some(unit), Some(asked)) if matches!(value.value, Json::Number(_)) => {
                    if unit.is_like(asked) { 1.0 } else { -1.0 }
                }
                (Some(unit), None) if rival.unit.is_some_and(|asked| unit.is_like(asked)) => -0.5,
                _ => 0.0,
            };
        words + placed + measured
    };
    value.mentions.iter().map(near).reduce(f64::max).unwrap_or_default()
}

/// `beds` and `bedrooms`.
pub(super) fn is_kin(name: &str, word: &str) -> bool {
    telling(name).is_some_and(|name| single(word).starts_with(name))
}

/// A word of a name without the ending of a plural; what every name has tells nothing.
fn telling(name: &str) -> Option<&str> {
    let name = single(name);
    let common =
        matches!(name, "name" | "number" | "of" | "the" | "id" | "to" | "from" | "in" | "value" | "type");
    (!common && name.len() > 2).then_some(name)
}

fn single(word: &str) -> &str {
    word.trim_end_matches('s')
}

/// Whether one argument bounds another from below, and is above it: a start after its end, a least above its most.
pub(super) fn are_out_of_order(a: &Side, b: &Side, said: &str) -> bool {
    #[rustfmt::skip]
    const PAIRS: &[(&str, &str)] = &[
        ("start", "end"), ("begin", "end"), ("min", "max"), ("minimum", "maximum"), ("low", "high"), ("lower", "upper"),
        ("earliest", "latest"), ("from", "to"), ("in", "out"), ("since", "until"), ("after", "before"), ("departure", "return"),
    ];
    /// Names of numbers that are never above their counterparts.
    const LEASTS: [&str; 5] = ["min", "minimum", "low", "lower", "least"];
    fn others<'a>(side: &'a Side, without: &'a str) -> impl Iterator<Item = &'a str> {
        side.name.iter().copied().filter(move |word| *word != without)
    }
    let (low, high) = match (is_above(a, b), is_above(b, a)) {
        (true, _) => (a, b),
        (_, true) => (b, a),
        _ => return false,
    };
    let linked = |first: &Side, second: &Side| {
        [" to ", " until ", " and "].iter().any(|link| {
            said.contains(&format!("{}{}{}", first.folded.trim_end(), link, second.folded.trim_start()))
        })
    };
    // A start is no least: speeds fall, nights end in the morning and seasons in spring. Only the request tells which comes first.
    let is_order = |side: &Side| side.name.iter().any(|word| LEASTS.contains(word) || *word == "year");
    if matches!(low.value, Json::Number(_)) && !is_order(low) && !linked(high, low) {
        return false;
    }
    let bounds = |low: &Side, high: &Side| {
        PAIRS
            .iter()
            .any(|(l, h)| low.name.contains(l) && high.name.contains(h) && others(low, l).eq(others(high, h)))
    };
    if !bounds(low, high) || bounds(high, low) {
        return false;
    }
    let as_told = linked(low, high);
    let words_agree = by_words(low, low, high) + by_words(high, high, low)
        > by_words(low, high, low) + by_words(high, low, high);
    !as_told && !words_agree
}

/// Whether the first of two bounds is greater, as far as they have an order.
fn is_above(low: &Side, high: &Side) -> bool {
    match (low.value, high.value) {
        // `from_base: 16, to_base: 2` has a direction and no order.
        (Json::Number(l), Json::Number(h)) => {
            let has_direction =
                |side: &Side| side.name.iter().any(|word| matches!(*word, "from" | "to" | "in" | "out"));
            l.as_f64() > h.as_f64() && !(has_direction(low) && has_direction(high))
        }
        (Json::String(l), Json::String(h)) => {
            let (l, h) = (l.trim(), h.trim());
            // Years first: only such dates compare as texts do.
            let comparable = l.len() == h.len()
                && l.len() >= 4
                && l.bytes().zip(h.bytes()).all(|(a, b)| a.is_ascii_digit() == b.is_ascii_digit())
                && l.bytes().take(4).all(|b| b.is_ascii_digit());
            comparable && l > h
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Object;
    use crate::reading::words::fold;
    use crate::reading::words::fold_identifier;

    #[test]
    fn values_go_with_what_asks_for_them() {
        for (question, first, second, swapped) in [
            ("Statues of horses near Oslo", r#"{"location":"horses"}"#, r#"{"motif":"Oslo"}"#, true),
            ("Statues of horses near Oslo", r#"{"location":"Oslo"}"#, r#"{"motif":"horses"}"#, false),
            (
                "Write to ann@example.org, phone 5550192837",
                r#"{"phone":"ann@example.org"}"#,
                r#"{"email":"5550192837"}"#,
                true,
            ),
            (
                "Write to ann@example.org, phone 5550192837",
                r#"{"phone":"5550192837"}"#,
                r#"{"email":"ann@example.org"}"#,
                false,
            ),
            ("Years 1871 to 1945", r#"{"start_year":1945}"#, r#"{"end_year":1871}"#, true),
            ("Years 1945 to 1871", r#"{"start_year":1945}"#, r#"{"end_year":1871}"#, false),
            ("Going 30 before, 10 afterwards", r#"{"start_velocity":30}"#, r#"{"end_velocity":10}"#, false),
            ("The night shift, 22 to 6", r#"{"start_hour":22}"#, r#"{"end_hour":6}"#, false),
            ("The night shift, 22 to 6", r#"{"start_hour":6}"#, r#"{"end_hour":22}"#, false),
            ("Between 5 and 9", r#"{"start_hour":9}"#, r#"{"end_hour":5}"#, true),
            ("At least 3, 9 at most", r#"{"min_stars":9}"#, r#"{"max_stars":3}"#, true),
            ("Years 1871 to 1945", r#"{"start_year":1871}"#, r#"{"end_year":1945}"#, false),
            ("Set depth to 10 and trees to 100", r#"{"depth":100}"#, r#"{"trees":10}"#, true),
            ("Set depth to 10 and trees to 100", r#"{"depth":10}"#, r#"{"trees":100}"#, false),
            ("Guides in English for Oslo", r#"{"city":"Oslo"}"#, r#"{"language":"English"}"#, false),
        ] {
            let folded = fold(question);
            let said: Vec<&str> = words(&folded).collect();
            let argument = |text: &str| {
                let Json::Object(object) = Json::parse(text).unwrap() else { panic!("{text}") };
                let object: Object = object;
                let (name, value) = object.iter().next().unwrap();
                (Node { name: fold_identifier(name), required: true, ..Node::default() }, value.clone())
            };
            let ((a, x), (b, y)) = (argument(first), argument(second));
            let mut taken = vec![false; said.len()];
            let [a, b] = [(&a, &x), (&b, &y)].map(|(node, value)| Given::new(node, value, &said));
            for (from, to) in a.places.iter().chain(&b.places) {
                taken[*from..*to].fill(true);
            }
            let [a, b] = [a, b].map(|given| Side::new(given, &said, &taken));
            let found = are_out_of_order(&a, &b, &folded) || are_swapped(&a, &b);
            assert_eq!(found, swapped, "{question}: {first} {second}");
        }
    }
}
