//! Direction: calls that turn up what should be turned down, confirm what was denied, or go back instead of there.

use super::clauses::Request;
use super::opposites::{MARKERS, OPPOSITES, Side, Sides};
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::evidence::Evidence;
use crate::check::exclusions;
use crate::check::node::Node;
use crate::check::schema::plain_of;
use crate::check::toolbox::{Tool, Toolbox};
use crate::domain::{Json, ToolCall};
use crate::reading::codes::Hint;
use crate::reading::words::{Stem, fold, fold_identifier, is_content, words};

/// Calls, arguments of each, and other tools looked at.
const MAX_CALLS: usize = 8;
const MAX_ARGUMENTS: usize = 24;
const MAX_TOOLS: usize = 64;
/// Allowed values compared, and entries of a list.
const MAX_CHOICES: usize = 40;
const MAX_ENTRIES: usize = 12;
/// Bytes of a value that may be a choice or a name.
const MAX_VALUE: usize = 48;
/// Words of a name that is about nothing else than its side.
const SHORT_NAME: usize = 2;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, request: &Request, calls: &[ToolCall]) {
    if request.words.is_empty() {
        return;
    }
    let texts: Vec<&str> = request.words.iter().map(|word| word.text).collect();
    let wanted = OPPOSITES.sides(&texts, |at| request.words[at].denied.is_some());
    for call in calls.iter().take(MAX_CALLS) {
        let tool = assessor.toolbox.find(&call.name).map(|at| &assessor.toolbox.tools[at]);
        opposed_by_name(features, assessor.toolbox, &wanted, &call.name);
        let Some(arguments) = call.parsed() else { continue };
        let mut roles = [const { Vec::new() }; 2];
        for (name, value) in arguments.iter().take(MAX_ARGUMENTS) {
            let node = tool.and_then(|tool| tool.root.property(name));
            opposed_by_value(features, &wanted, name, value, node);
            if let (Json::Bool(value), Some(tool)) = (value, tool) {
                truth(features, request, tool, name, *value);
            }
            let rids = is_about_absence(&call.name) || exclusions::rids(&fold_identifier(&call.name));
            if !is_about_absence(name) && !rids {
                denied_value(features, request, value, 2);
            }
            if let Some(side) = role(name)
                && let Some((at, length)) = place(assessor.evidence, request, name, value, node)
            {
                roles[usize::from(side == Side::Second)].push((at, length));
            }
        }
        if let [[source], [target]] = [&roles[0][..], &roles[1][..]] {
            turned(features, &texts, *source, *target);
        }
    }
}

/// The words of an identifier or value.
fn sides_of(text: &str) -> Sides {
    let folded = fold_identifier(text);
    let own: Vec<&str> = words(&folded).take(12).collect();
    OPPOSITES.sides(&own, |_| false)
}

/// Notes that a call is on a side of a line, which the request may be on too or against.
fn compare(features: &mut Features, wanted: &Sides, line: usize, side: Side) {
    if let Some(own) = wanted.of(line) {
        features.raise(if own == side { Feature::way_with } else { Feature::way_against }, 1.0);
    }
}

fn opposed_by_name(features: &mut Features, toolbox: &Toolbox, wanted: &Sides, name: &str) {
    for (line, side) in sides_of(name).each() {
        if wanted.of(line).is_some() {
            let others = toolbox.tools.iter().take(MAX_TOOLS).filter(|tool| tool.name != name);
            // Where no opposite is on offer, the word may be said of anything.
            if others.map(|tool| sides_of(&tool.name)).any(|own| own.of(line) == Some(side.other())) {
                compare(features, wanted, line, side);
            }
        }
    }
}

fn opposed_by_value(features: &mut Features, wanted: &Sides, name: &str, value: &Json, node: Option<&Node>) {
    match value {
        // In a longer name the word may be about something else: `return_to_start`.
        Json::Bool(value) if words(&fold_identifier(name)).count() <= SHORT_NAME => {
            for (line, side) in sides_of(name).each() {
                compare(features, wanted, line, if *value { side } else { side.other() });
            }
        }
        Json::String(text) if text.len() <= MAX_VALUE => {
            let choices = node.map_or(&[][..], |node| &node.choices);
            if choices.is_empty() {
                return;
            }
            for (line, side) in sides_of(text).each() {
                if wanted.of(line).is_some() {
                    let mut others = choices.iter().take(MAX_CHOICES);
                    if others.any(|own| sides_of(&own.folded).of(line) == Some(side.other())) {
                        compare(features, wanted, line, side);
                    }
                }
            }
        }
        Json::Number(_) => {
            let is_negative = plain_of(value).starts_with('-');
            let level = OPPOSITES.line("level");
            if is_negative {
                compare(features, wanted, level, Side::Second);
            } else if is_change(name) {
                compare(features, wanted, level, Side::First);
            }
        }
        _ => {}
    }
}

/// Whether a parameter says by how much something changes, which its sign gives the direction to.
fn is_change(name: &str) -> bool {
    let folded = fold_identifier(name);
    words(&folded).any(|word| {
        matches!(
            word,
            "change" | "delta" | "offset" | "shift" | "adjust" | "adjustment" | "diff" | "difference" | "by"
        )
    })
}

/// Whether a name is about what is to be left out, taken away or denied.
fn is_about_absence(name: &str) -> bool {
    let folded = fold_identifier(name);
    let absence = MARKERS.line("absence");
    words(&folded).any(|word| MARKERS.side(absence, word).is_some())
        || sides_of(name).each().any(|(_, side)| side == Side::Second)
}

/// Whether a yes goes with what the request says of it, and a no with what it denies.
fn truth(features: &mut Features, request: &Request, tool: &Tool, name: &str, value: bool) {
    let Ok(at) = tool.root.properties.binary_search_by(|(own, _)| own.as_str().cmp(name)) else { return };
    if is_absence(name) {
        return;
    }
    let parameter = &tool.parameters[at];
    let (plain, denied) = request.mentions(&parameter.name);
    let own: Vec<Stem> = parameter
        .described(&tool.root.properties[at].1)
        .iter()
        .copied()
        .filter(|stem| !tool.stems.contains(stem))
        .collect();
    let (plainly_described, described) = request.mentions(&own);
    let is_denied = match (plain, denied) {
        (0, 0) if described > 0 && plainly_described == 0 => 0.6,
        // What is not spoken of is not denied; that it is no may still go with a denial of something.
        (0, 0) if request.denies && !value => 0.3,
        (0, 1..) if denied >= parameter.name.len() => 1.0,
        (0, 1..) => 0.6,
        _ => 0.0,
    };
    features.raise(if value { Feature::way_true_denied } else { Feature::way_false_denied }, is_denied);
}

fn is_absence(name: &str) -> bool {
    let folded = fold_identifier(name);
    let absence = MARKERS.line("absence");
    words(&folded).any(|word| MARKERS.side(absence, word).is_some())
}

/// Notes values that the request names only to deny them.
fn denied_value(features: &mut Features, request: &Request, value: &Json, depth: usize) {
    match value {
        Json::Array(entries) if depth > 0 => {
            entries
                .iter()
                .take(MAX_ENTRIES)
                .for_each(|entry| denied_value(features, request, entry, depth - 1));
        }
        Json::Object(object) if depth > 0 => {
            for (_, entry) in object.iter().take(MAX_ENTRIES).filter(|(name, _)| !is_about_absence(name)) {
                denied_value(features, request, entry, depth - 1);
            }
        }
        Json::String(_) | Json::Number(_) => {
            let text = plain_of(value);
            if !request.denies || text.len() > MAX_VALUE {
                return;
            }
            let folded = fold(&text);
            let says = |word: &str| is_content(word) || word.starts_with(|c: char| c.is_ascii_digit());
            let places = if words(&folded).any(says) { request.places(&folded) } else { Vec::new() };
            let far =
                places.iter().map(|at| request.words[*at].denied).max_by_key(|far| far.unwrap_or(usize::MAX));
            match far.flatten().filter(|_| places.iter().all(|at| request.words[*at].denied.is_some())) {
                Some(0..=2) => features.raise(Feature::way_denied_value, 1.0),
                Some(3) => features.raise(Feature::way_denied_value, 0.4),
                _ => {}
            }
        }
        _ => {}
    }
}

/// Whether a parameter is what something comes from, or what it goes to.
fn role(name: &str) -> Option<Side> {
    let folded = fold_identifier(name);
    let line = MARKERS.line("role");
    let mut sides = words(&folded).filter_map(|word| MARKERS.side(line, word));
    let first = sides.next()?;
    sides.all(|side| side == first).then_some(first)
}

/// Where alone in the request a value stands, by itself or as another name of its thing, and the words it takes.
fn place(
    evidence: &Evidence,
    request: &Request,
    name: &str,
    value: &Json,
    node: Option<&Node>,
) -> Option<(usize, usize)> {
    let value = match value {
        Json::Array(entries) if entries.len() == 1 => &entries[0],
        value => value,
    };
    if !matches!(value, Json::String(_) | Json::Number(_)) {
        return None;
    }
    let text = plain_of(value);
    if text.len() > MAX_VALUE {
        return None;
    }
    request.only_place(&fold_identifier(&text)).or_else(|| {
        let hint = Hint::of(name, node.map_or("", |node| &node.description));
        request.only_place(&fold(evidence.name_of_thing(&text, hint)?))
    })
}

/// Notes whether what something comes from and what it goes to stand as the words around them say.
fn turned(features: &mut Features, texts: &[&str], source: (usize, usize), target: (usize, usize)) {
    if source.0 == target.0 {
        return;
    }
    let [beside, behind] = ["beside", "behind"].map(|name| MARKERS.line(name));
    let marked = |(at, length): (usize, usize), side: Side| {
        let front = (at.saturating_sub(2)..at).rev().find_map(|at| MARKERS.side(beside, texts[at]));
        let back = texts.get(at + length).is_some().then(|| MARKERS.at(texts, at + length));
        let back = back.and_then(|hits| hits.into_iter().find(|hit| hit.line == behind)?.side);
        // `In` and `to` stand in front of many things, `from` seldom of what is no source.
        let weight = |own: Side| if own == Side::First || side == own { 1.0 } else { 0.5 };
        let signed = |own: Side| if own == side { weight(own) } else { -weight(own) };
        front.map_or(0.0, signed) + back.map_or(0.0, signed)
    };
    let score = marked(source, Side::First) + marked(target, Side::Second);
    let is_in_order = source.0 < target.0;
    let (kept, turned): (f32, f32) = match (is_in_order, score) {
        (true, score) if score > 0.0 => (1.0, 0.0),
        (true, 0.0) => (0.0, 0.0),
        (true, _) => (0.0, 0.5),
        (false, score) if score > 0.0 => (0.5, 0.0),
        // The words around them do not say what is the one and what the other.
        (false, 0.0) => (0.0, 0.0),
        (false, _) => (0.0, 1.0),
    };
    features.raise(Feature::way_roles_kept, kept);
    features.raise(Feature::way_roles_turned, turned);
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use super::*;

    #[test]
    fn only_what_is_spoken_of_is_denied() {
        let tools = r#"[{"name": "ship", "parameters": {"type": "object", "properties": {
            "fragile": {"type": "boolean"}, "insured": {"type": "boolean"}}}}]"#;
        for (text, name, expected) in [
            ("ship the vase, glass inside, no label", "fragile", 0.0),
            ("ship the vase, but not insured", "insured", 1.0),
        ] {
            let calls = format!(r#"[{{"name": "ship", "arguments": {{"{name}": true}}}}]"#);
            assert_eq!(measured(Feature::way_true_denied, text, tools, &calls), expected, "{text}");
        }
    }

    #[test]
    fn roles_are_turned_against_words_that_mark_them() {
        let tools = r#"[{"name": "link", "parameters": {"type": "object", "properties": {
            "source": {"type": "string"}, "target": {"type": "string"}}}}]"#;
        let calls = r#"[{"name": "link", "arguments": {"source": "WEB-4", "target": "WEB-9"}}]"#;
        for (text, expected) in [
            ("WEB-9 can't start before WEB-4 is finished, link them like that", 0.0),
            ("link from WEB-9 to WEB-4", 1.0),
        ] {
            assert_eq!(measured(Feature::way_roles_turned, text, tools, calls), expected, "{text}");
        }
    }

    #[test]
    fn parameters_have_roles() {
        for (name, expected) in [
            ("from_account", Some(Side::First)),
            ("destination", Some(Side::Second)),
            ("toUnit", Some(Side::Second)),
            ("amount", None),
            ("from_to", None),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
    }

    #[test]
    fn names_tell_of_absence() {
        for (name, expected) in [("exclude_tags", true), ("remove_item", true), ("recipient", false)] {
            assert_eq!(is_about_absence(name), expected, "{name}");
        }
    }
}
