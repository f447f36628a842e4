//! Which argument a value of the question belongs to, where the question itself says so: `from A to B`, `3 bedrooms and 2 baths`.

use super::affinity;
use super::affinity::{Given, Side, are_out_of_order, is_kin};
use super::assess::Assessor;
use super::node::Node;
use super::observation::{Observation, Place, step};
use super::roles::{Ends, by_counts, by_ends, by_labels};
use super::schema::{folded_of, text_of};
use super::score::Signal;
use crate::domain::{Json, Object, ToolCall};
use crate::reading::words::{fold, fold_identifier, words};

/// Arguments of one call that are compared with each other.
const MAX_ARGUMENTS: usize = 16;
/// Calls looked at.
const MAX_CALLS: usize = 16;
/// Words of the conversation that are looked at.
const MAX_WORDS: usize = 2_000;
/// Words before and behind a value that may say what it is.
const BEFORE: usize = 3;
const BEHIND: usize = 2;

/// A way has two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    From,
    To,
}

/// What a text looks like, or an argument's name asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Date,
    Clock,
    Name,
}

/// An argument, and what the question says next to its value.
struct Bound<'a> {
    name: &'a str,
    /// The words of the name.
    own: Vec<String>,
    /// The words around each place where the value stands; those before it, and those behind.
    around: Vec<(Vec<&'a str>, Vec<&'a str>)>,
    shape: Option<Shape>,
}

impl Assessor<'_> {
    /// Finds values that each belong where the other one was put.
    pub(super) fn swaps(&mut self, calls: &[ToolCall]) {
        let evidence = self.evidence;
        let parsed = calls.iter().take(MAX_CALLS).enumerate().filter_map(|(i, c)| Some((i, c.parsed()?)));
        let several: Vec<(usize, &Object)> = parsed.filter(|(_, arguments)| arguments.len() > 1).collect();
        if several.is_empty() {
            return;
        }
        let question: Vec<&str> = words(&evidence.question).take(MAX_WORDS).collect();
        let said: Vec<&str> = words(&evidence.text).take(MAX_WORDS).collect();
        for (call, arguments) in several {
            let root = self.toolbox.find(&calls[call].name).map(|at| &self.toolbox.tools[at].root);
            let by_affinity = || by_affinity(root, arguments, &said, &evidence.text);
            let asked = evidence.asked();
            let by_ends = match by_ends(arguments, &question) {
                Some(Ends::LastAsCount { count, last }) => {
                    let at = Place { call, path: step("", &count) };
                    self.find(Observation::WrongUnit { at, value: last }, Signal::WrongUnit, 1.0);
                    continue;
                }
                Some(Ends::Crossed { first, count }) => Some((first, count)),
                None => None,
            };
            let by_roles =
                by_ends.or_else(|| by_labels(arguments, asked)).or_else(|| by_counts(arguments, &question));
            let swapped = by_roles.or_else(by_affinity).or_else(|| {
                let bound = bind(arguments, &question);
                bound.iter().enumerate().find_map(|(i, a)| {
                    bound[i + 1..]
                        .iter()
                        .find(|b| are_swapped(a, b))
                        .map(|b| (a.name.to_owned(), b.name.to_owned()))
                })
            });
            if let Some((name, other)) = swapped {
                let at = Place { call, path: step("", &name) };
                self.find(Observation::Swapped { at, other }, Signal::Swapped, 1.0);
            }
        }
    }
}

/// Two arguments whose values go better with each other's, by all that the definition and the conversation tell.
fn by_affinity(
    root: Option<&Node>,
    arguments: &Object,
    said: &[&str],
    text: &str,
) -> Option<(String, String)> {
    let root = root?;
    let scalars = arguments.iter().take(MAX_ARGUMENTS).filter_map(|(name, value)| {
        let is_short = match value {
            Json::Number(_) => true,
            Json::String(text) => text.len() <= 60,
            _ => false,
        };
        Some((name, value, root.property(name).filter(|_| is_short)?))
    });
    let could_swap = |(_, a, own): &(&str, &Json, &Node), (_, b, other): &(&str, &Json, &Node)| {
        a.type_name() == b.type_name() && a != b && own.types.allow(b) && other.types.allow(a)
    };
    let all: Vec<(&str, &Json, &Node)> = scalars.collect();
    all.iter().enumerate().find(|(i, a)| all[i + 1..].iter().any(|b| could_swap(a, b)))?;
    let given: Vec<(&str, Given)> =
        all.iter().map(|(name, value, node)| (*name, Given::new(node, value, said))).collect();
    let mut taken = vec![false; said.len()];
    for (from, to) in given.iter().flat_map(|(_, own)| &own.places) {
        taken[*from..*to].fill(true);
    }
    let sides: Vec<(&str, Side)> =
        given.into_iter().map(|(name, own)| (name, Side::new(own, said, &taken))).collect();
    sides.iter().enumerate().find_map(|(i, (name, a))| {
        let other =
            sides[i + 1..].iter().find(|(_, b)| are_out_of_order(a, b, text) || affinity::are_swapped(a, b));
        other.map(|(other, _)| ((*name).to_owned(), (*other).to_owned()))
    })
}

fn bind<'a>(arguments: &'a Object, question: &[&'a str]) -> Vec<Bound<'a>> {
    let mut bound = Vec::new();
    for (name, value) in arguments.iter().take(MAX_ARGUMENTS) {
        if !matches!(value, Json::String(_) | Json::Number(_)) {
            continue;
        }
        let text = text_of(value);
        if text.len() > 60 {
            continue;
        }
        let folded = folded_of(value);
        let parts: Vec<&str> = words(&folded).collect();
        let mut around = if parts.is_empty() { Vec::new() } else { surroundings(question, &parts) };
        // `Oslo, NO` for the Oslo of the question.
        if let Some((head, _)) =
            text.split_once(',').filter(|(head, _)| around.is_empty() && head.trim().len() > 2)
        {
            let head = fold(head);
            around = surroundings(question, &words(&head).collect::<Vec<_>>());
        }
        let own = words(&fold_identifier(name)).map(str::to_owned).collect();
        bound.push(Bound { name, own, around, shape: shape(value) });
    }
    bound
}

/// The words around each place where a value stands; another number or a conjunction ends what belongs to it.
fn surroundings<'a>(question: &[&'a str], value: &[&str]) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    // A value without a letter or digit stands nowhere.
    if value.is_empty() {
        return Vec::new();
    }
    let belongs = |word: &&&str| {
        !matches!(**word, "and" | "or" | "then") && !word.starts_with(|c: char| c.is_ascii_digit())
    };
    let places = question.windows(value.len()).enumerate().filter(|(_, window)| *window == value).take(4);
    places
        .map(|(at, _)| {
            let before = question[..at].iter().rev().take(BEFORE).take_while(belongs).copied().collect();
            let end = at + value.len();
            let behind = question[end..].iter().take(BEHIND).take_while(belongs).copied().collect();
            (before, behind)
        })
        .collect()
}

fn are_swapped(a: &Bound, b: &Bound) -> bool {
    if let (Some(x), Some(y)) = (end_named(a), end_named(b))
        && x != y
    {
        // One of them may be given by another name than the question's.
        let (x_told, y_told) = (end_told(a), end_told(b));
        // One that is told is not enough where the question names both: who moved to Berlin may set out from there.
        let misplaced =
            |told: Option<End>, other: End, bound: &Bound| told == Some(other) || bound.around.is_empty();
        return (x_told.is_some() || y_told.is_some()) && misplaced(x_told, y, a) && misplaced(y_told, x, b);
    }
    if let (Some(x), Some(y)) = (shape_named(a), shape_named(b))
        && x != y
        && a.shape == Some(y)
        && b.shape == Some(x)
    {
        return true;
    }
    belongs_to(a, b) && belongs_to(b, a)
}

/// Whether the words around a value are those of another argument's name, and not of its own.
fn belongs_to(value: &Bound, other: &Bound) -> bool {
    let only = |own: &[String], others: &[String], word: &str| {
        own.iter().any(|own| is_kin(own, word)) && !others.iter().any(|own| is_kin(own, word))
    };
    let near = |bound: &Bound, without: &Bound| {
        value.around.iter().any(|(before, behind)| {
            before.iter().chain(behind).any(|word| only(&bound.own, &without.own, word))
        })
    };
    near(other, value) && !near(value, other)
}

/// The end of a way that an argument's name means.
fn end_named(bound: &Bound) -> Option<End> {
    let has = |names: &[&str]| bound.own.iter().any(|word| names.contains(&word.as_str()));
    let place = has(&["location", "point", "place", "city", "station", "address", "airport", "port", "stop"]);
    let from = has(&["from", "origin", "source", "departure", "depart"])
        || (place && has(&["start", "starting", "begin"]));
    let to = has(&["to", "destination", "dest", "target", "arrival", "arrive"])
        || (place && has(&["end", "ending", "final"]));
    // `departure_date` is no place.
    let when = has(&["date", "time", "day", "year", "month", "hour"]);
    match (from, to) {
        (true, false) if !when => Some(End::From),
        (false, true) if !when => Some(End::To),
        _ => None,
    }
}

/// The end of a way that the question says a value is, if it says the same at every place.
fn end_told(bound: &Bound) -> Option<End> {
    let told = |before: &[&str]| match before
        .iter()
        .find(|word| !matches!(**word, "the" | "city" | "of" | "airport"))?
    {
        &"from" => Some(End::From),
        &"to" | &"into" | &"towards" => Some(End::To),
        _ => None,
    };
    let mut ends = bound.around.iter().map(|(before, _)| told(before));
    let first = ends.next()??;
    ends.all(|end| end == Some(first)).then_some(first)
}

/// What an argument's name asks for, if it asks for a kind of thing that can be told by its look.
fn shape_named(bound: &Bound) -> Option<Shape> {
    let last = bound.own.last()?.as_str();
    Some(match last {
        "date" | "day" => Shape::Date,
        "time" => Shape::Clock,
        "city" | "name" | "location" | "country" | "place" | "destination" | "origin" | "area" | "title" => {
            Shape::Name
        }
        _ => return None,
    })
}

fn shape(value: &Json) -> Option<Shape> {
    let text = value.as_str()?.trim();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_of = |sign: char, parts: usize| {
        text.split(sign).count() == parts
            && text.split(sign).all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    };
    match digits {
        0 if text.len() > 2
            && text.chars().all(|c| c.is_alphabetic() || c == ' ' || c == ',' || c == '.') =>
        {
            Some(Shape::Name)
        }
        3.. if is_of('-', 3) || is_of('/', 3) => Some(Shape::Date),
        3.. if is_of(':', 2) || is_of(':', 3) => Some(Shape::Clock),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_where_the_question_puts_them() {
        for (question, arguments, swapped) in [
            ("fly from JFK to London Heathrow", r#"{"origin":"LHR","destination":"JFK"}"#, true),
            ("fly from JFK to London Heathrow", r#"{"origin":"JFK","destination":"LHR"}"#, false),
            (
                "I just moved to Berlin and want to visit Hamburg",
                r#"{"origin":"Berlin","destination":"Hamburg"}"#,
                false,
            ),
            (
                "I have come to Berlin; find me trains for Hamburg",
                r#"{"origin":"Berlin","destination":"Hamburg"}"#,
                false,
            ),
            (
                "the trip from Berlin to Munich; the destination stays Vienna",
                r#"{"origin":"Munich","destination":"Vienna"}"#,
                false,
            ),
            ("from JFK to LHR, then back from LHR to JFK", r#"{"origin":"LHR","destination":"JFK"}"#, false),
            ("Convert from EUR to USD", r#"{"from_currency":"USD","to_currency":"EUR"}"#, true),
            ("Convert from EUR to USD", r#"{"from_currency":"EUR","to_currency":"USD"}"#, false),
            ("a home with 3 bedrooms and 2 bathrooms", r#"{"number_of_beds":2,"number_of_baths":3}"#, true),
            ("a home with 3 bedrooms and 2 bathrooms", r#"{"number_of_beds":3,"number_of_baths":2}"#, false),
            ("a rectangle with length 12 meters and width 5 meters", r#"{"length":5,"width":12}"#, true),
            ("a rectangle with length 12 meters and width 5 meters", r#"{"length":12,"width":5}"#, false),
            ("a 5 by 12 rectangle", r#"{"length":12,"width":5}"#, false),
            ("to LA on 22 April", r#"{"to_city":"2023-04-22","departure_date":"Los Angeles"}"#, true),
            ("cars from 22 April 10:00", r#"{"start_date":"10:00","pickup_time":"2023-04-22"}"#, true),
        ] {
            let folded = fold(question);
            let question: Vec<&str> = words(&folded).collect();
            let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!() };
            let bound = bind(&arguments, &question);
            assert_eq!(are_swapped(&bound[0], &bound[1]), swapped, "{question:?} {arguments}");
            assert_eq!(are_swapped(&bound[1], &bound[0]), swapped, "{question:?} {arguments}");
        }
    }
}
