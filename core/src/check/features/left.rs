//! Parts of the request that no call uses: an allowed value, a parameter by name, a number with its unit.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::clauses::Request;
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::node::Node;
use crate::check::schema::plain_of;
use crate::check::toolbox::Tool;
use crate::domain::{Json, Object, ToolCall};
use crate::reading::words::{Prehashed, Stem, StemSet, fold, fold_identifier, is_content, stem, words};

/// Calls and parameters of each looked at, and values of an argument.
const MAX_CALLS: usize = 8;
const MAX_PARAMETERS: usize = 40;
const MAX_VALUES: usize = 64;
const MAX_CHOICES: usize = 40;
/// Words taken of a value.
const MAX_WORDS: usize = 300;
/// Words between a number and what it counts.
const NEAR: usize = 2;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, request: &Request, calls: &[ToolCall]) {
    let parsed = calls.iter().take(MAX_CALLS).filter_map(|call| {
        let at = assessor.toolbox.find(&call.name)?;
        Some((&assessor.toolbox.tools[at], call.parsed()?))
    });
    let parsed: Vec<(&Tool, &Object)> = parsed.collect();
    if request.words.is_empty() || parsed.is_empty() {
        return;
    }
    let mut used = StemSet::default();
    for (tool, arguments) in &parsed {
        note(&mut used, &tool.name);
        let mut left = MAX_VALUES;
        arguments.iter().for_each(|(name, value)| {
            note(&mut used, name);
            note_values(&mut used, value, &mut left, 6);
        });
    }
    // What is denied is left out with reason, and what is used is not left out.
    let says = |word: &str| is_content(word) || is_number(word);
    let plain: StemSet = request
        .words
        .iter()
        .filter(|word| word.denied.is_none() && says(word.text) && !used.contains(&word.stem))
        .map(|word| word.stem)
        .collect();
    for (tool, arguments) in parsed {
        let mut shared: Option<Counts> = None;
        let parameters = tool.root.properties.iter().zip(&tool.parameters).take(MAX_PARAMETERS);
        for ((name, node), parameter) in parameters.filter(|((name, _), _)| !arguments.contains_key(name)) {
            if node.default == Some(Json::Bool(true)) {
                continue;
            }
            choice(features, node, &plain);
            if !parameter.name.is_empty() && parameter.name.iter().all(|stem| plain.contains(stem)) {
                features.raise(Feature::way_left_name, 1.0);
            } else if parameter.name.iter().any(|stem| plain.contains(stem)) {
                features.raise(Feature::way_left_name, 0.4);
            }
            let numeric = !node.types.is_anything() && node.types.allow(&Json::Number(0_i64.into()));
            if numeric && counts(request, &used, name) {
                features.set(Feature::way_left_number, 1.0);
            }
            let shared = shared.get_or_insert_with(|| Counts::of(tool));
            let own = parameter.described(node).iter();
            let told = own.filter(|stem| plain.contains(*stem) && shared.is_only_of_one(**stem)).count();
            features.raise(Feature::way_left_described, told.min(3) as f32);
        }
    }
}

/// Notes an allowed value of a parameter left out that the request has word for word.
fn choice(features: &mut Features, node: &Node, plain: &StemSet) {
    let own = node.choices.iter().chain(node.items.iter().flat_map(|items| &items.choices));
    for own in own.take(MAX_CHOICES).filter(|own| node.default.as_ref() != Some(&own.value)) {
        let mut stems = words(&own.folded).map(stem).peekable();
        if stems.peek().is_some() && stems.all(|stem| plain.contains(&stem)) {
            features.set(Feature::way_left_choice, 1.0);
        }
    }
}

/// Whether a number that no call has stands beside a word of the parameter's name: `after 15 minutes`, `delay_minutes`.
fn counts(request: &Request, used: &StemSet, name: &str) -> bool {
    let folded = fold_identifier(name);
    let own: Vec<Stem> = words(&folded).filter(|word| word.len() > 1).map(stem).collect();
    let is_own = |at: usize| {
        let near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(request.words.len());
        near.into_iter().any(|at| !is_number(request.words[at].text) && own.contains(&request.words[at].stem))
    };
    let mut numbers = request.words.iter().enumerate().filter(|(_, word)| is_number(word.text));
    numbers.any(|(at, word)| word.denied.is_none() && !used.contains(&word.stem) && is_own(at))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Adds the stems of a value's words.
fn note(used: &mut StemSet, text: &str) {
    used.extend(words(&fold_identifier(text)).take(MAX_WORDS).map(stem));
    // Written apart, a word with a capital inside is another.
    used.extend(words(&fold(text)).take(MAX_WORDS).map(stem));
}

fn note_values(used: &mut StemSet, value: &Json, left: &mut usize, depth: usize) {
    if *left == 0 || depth == 0 {
        return;
    }
    *left -= 1;
    match value {
        Json::Array(entries) => entries.iter().for_each(|entry| note_values(used, entry, left, depth - 1)),
        Json::Object(object) => object.iter().for_each(|(name, entry)| {
            note(used, name);
            note_values(used, entry, left, depth - 1);
        }),
        value => note(used, &plain_of(value)),
    }
}

/// In how many parameters of a tool a word stands.
struct Counts(HashMap<Stem, u8, BuildHasherDefault<Prehashed>>);

impl Counts {
    fn of(tool: &Tool) -> Counts {
        let mut counts = Counts(HashMap::default());
        for ((_, node), parameter) in tool.root.properties.iter().zip(&tool.parameters).take(MAX_PARAMETERS) {
            let names = parameter.name.iter().filter(|stem| !parameter.described(node).contains(stem));
            for stem in names.chain(parameter.described(node)) {
                let count = counts.0.entry(*stem).or_default();
                *count = count.saturating_add(1);
            }
        }
        counts
    }

    fn is_only_of_one(&self, stem: Stem) -> bool {
        self.0.get(&stem) == Some(&1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_what_stands_beside_them() {
        for (text, name, expected) in [
            ("restart it after 15 minutes", "delay_minutes", true),
            ("restart 15 servers", "delay_minutes", false),
        ] {
            let clauses: Vec<String> = text.split(',').map(fold).collect();
            assert_eq!(counts(&Request::new(&clauses), &StemSet::default(), name), expected, "{text}");
        }
    }
}
