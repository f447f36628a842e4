//! The form of values, and the form that an argument's name asks for.

use crate::reading::dates::Times;
use crate::reading::words::fold;

/// What a text looks like, or an argument asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Date,
    Clock,
    Email,
    Phone,
    Address,
    Number,
    Letters,
}

/// What prepositions may stand before an argument's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Place,
    Maker,
    /// In which language, format or month.
    Manner,
}

/// What a text looks like.
pub(super) fn look(text: &str) -> Option<Look> {
    let text = text.trim();
    if text.len() < 2 || text.len() > 60 {
        return None;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if text.contains('@') && !text.contains(' ') {
        return Some(Look::Email);
    }
    if text.contains("://") || text.starts_with("www.") {
        return Some(Look::Address);
    }
    if digits == 0 {
        // Of other scripts nobody here knows the words for tomorrow.
        let letters =
            text.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | ',' | '.' | '-' | '\''));
        return (letters && text.len() > 2).then_some(Look::Letters);
    }
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Some(if digits > 8 { Look::Phone } else { Look::Number });
    }
    let parts = |sign: char| text.split(sign).filter(|part| part.bytes().all(|b| b.is_ascii_digit())).count();
    if text.bytes().all(|b| b.is_ascii_digit() || b"+-() .".contains(&b)) && digits > 8 {
        return Some(Look::Phone);
    }
    let mut times = Times::default();
    times.read(text, &fold(text));
    if times.has_dates() {
        return Some(Look::Date);
    }
    (parts(':') > 1).then_some(Look::Clock)
}

/// What an argument asks for, by its name.
pub(super) fn asks(name: &[&str]) -> Option<Look> {
    let has = |list: &[&str]| name.iter().any(|word| list.contains(word));
    let last = *name.last()?;
    if has(&["email", "mail"]) {
        return Some(Look::Email);
    }
    if has(&["phone", "mobile", "telephone"]) {
        return Some(Look::Phone);
    }
    if matches!(last, "url" | "website" | "link") {
        return Some(Look::Address);
    }
    if has(&["date", "datetime"]) || last == "day" {
        return Some(Look::Date);
    }
    match last {
        "time" => Some(Look::Clock),
        "year" | "age" | "count" | "quantity" | "amount" => Some(Look::Number),
        "city" | "name" | "location" | "country" | "place" | "destination" | "origin" | "area" | "title"
        | "artist" | "author" | "state" | "language" | "audience" | "species" | "sport" | "genre"
        | "description" => Some(Look::Letters),
        _ => None,
    }
}

/// What prepositions the words of an argument's name suggest.
pub(super) fn class(name: &[&str]) -> Option<Class> {
    const PLACES: &[&str] = &[
        "city",
        "location",
        "place",
        "country",
        "state",
        "region",
        "area",
        "town",
        "venue",
        "jurisdiction",
        "address",
        "destination",
        "district",
        "county",
        "room",
        "where",
        "hotel",
        "theater",
        "theatre",
        "restaurant",
        "museum",
        "library",
        "habitat",
        "league",
        "school",
        "university",
        "store",
        "ecosystem",
        "building",
    ];
    const MAKERS: &[&str] =
        &["artist", "author", "director", "directed", "composer", "painter", "writer", "creator", "singer"];
    const MANNERS: &[&str] = &[
        "language", "format", "unit", "units", "currency", "detail", "details", "date", "month", "year",
        "time", "period", "season", "style", "color", "colour", "size", "mode", "field", "timezone", "frame",
        "sport", "subject", "topic", "industry",
    ];
    let has = |list: &[&str]| name.iter().any(|word| list.contains(word));
    if has(MANNERS) {
        return Some(Class::Manner);
    }
    match (has(PLACES), has(MAKERS)) {
        (true, false) => Some(Class::Place),
        (false, true) => Some(Class::Maker),
        _ => None,
    }
}
/// A value nobody hits on by chance: letters and digits mixed, an address, a date or time that is no
/// identifier.
pub(super) fn is_telling(text: &str, path: &str) -> bool {
    let text = text.trim();
    if !(5..=64).contains(&text.len()) || text.contains(' ') {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let has = |test: fn(&u8) -> bool| text.bytes().any(|b| test(&b));
    let mixed = digits > 0 && has(u8::is_ascii_alphabetic);
    let is_date = digits == 8 && text.matches('-').count() == 2;
    let timely = digits > 3 && has(|b| b"-:/".contains(b)) && !(is_date && path.ends_with("id"));
    mixed || timely || text.contains('@')
}
