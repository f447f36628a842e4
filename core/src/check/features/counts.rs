//! The number of calls, of distinct tools, and of parts of the request.

use super::question::Question;
use super::{Feature, Features, NONE};
use crate::check::assess::Assessor;
use crate::check::observation::Literal;
use crate::domain::{Json, ToolCall};
use crate::reading::words::is_content;

/// Calls compared with each other.
const MAX_CALLS: usize = 24;
/// And arguments of each.
const MAX_ARGUMENTS: usize = 40;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, question: &Question, calls: &[ToolCall]) {
    let capped = |count: usize, cap: usize| count.min(cap) as f32;
    features.set(Feature::ask_words, (question.words.len() as f32).ln_1p());
    features.set(Feature::ask_marks, capped(question.marks, 8));
    features.set(Feature::ask_sentences, capped(question.sentences, 12));
    features.set(Feature::ask_and, capped(question.ands, 10));
    features.set(Feature::ask_commas, capped(question.commas, 15));
    features.set(Feature::ask_sequence, capped(question.sequence, 6));
    features.set(Feature::ask_several, capped(question.several, 6));
    features.set(Feature::ask_listed, capped(question.listed, 12));
    features.set(Feature::ask_names, capped(question.names, 15));
    features.set(Feature::ask_numbers, capped(question.numbers, 20));
    features.set(Feature::ask_verbs, capped(question.verbs, 10));
    features.set(Feature::ask_compare, capped(question.compare, 5));
    features.set(Feature::ask_relative, f32::from(u8::from(assessor.evidence.times.is_relative())));
    features.set(Feature::ask_negation, f32::from(u8::from(question.negated)));
    let count = calls.len().min(MAX_CALLS) as f32;
    features.set(Feature::use_calls, count);
    features.set(Feature::use_less_listed, count - capped(question.listed, 12));
    features.set(Feature::use_less_marks, count - capped(question.marks, 8));
    features.set(Feature::use_less_verbs, count - capped(question.verbs, 10));
    repetition(features, &calls[..calls.len().min(MAX_CALLS)]);
    let literals = &assessor.evidence.literals;
    let numbers = || literals.iter().filter(|span| span.kind == Literal::Number);
    let names = || literals.iter().filter(|span| span.kind != Literal::Number);
    let text = &assessor.used.text;
    let left_numbers = numbers()
        .filter(|span| {
            !text.contains(&span.folded)
                && span.value.is_none_or(|value| {
                    !assessor.used.numbers.contains(value) && !assessor.used.times.uses(value)
                })
        })
        .count();
    let left_names = names().filter(|span| !text.contains(span.folded.trim())).count();
    let share = |left: usize, of: usize| if of == 0 { 0.0 } else { left as f32 / of as f32 };
    features.set(Feature::use_numbers_left, capped(left_numbers, 10));
    features.set(Feature::use_numbers_left_share, share(left_numbers, numbers().count()));
    features.set(Feature::use_names_left, capped(left_names, 10));
    features.set(Feature::use_names_left_share, share(left_names, names().count()));
    let content: Vec<_> = question
        .words
        .iter()
        .zip(&question.stems)
        .filter(|(word, _)| is_content(word))
        .map(|(_, stem)| stem)
        .collect();
    let used = content.iter().filter(|stem| assessor.used.stems.contains(*stem)).count();
    features.set(Feature::use_words_share, share(used, content.len()));
    let empty = calls.iter().filter(|call| call.parsed().is_some_and(|own| own.is_empty())).count();
    features.set(Feature::use_empty, capped(empty, 3));
    features.set(Feature::use_sibling, siblings(assessor, question, calls) as f32);
}

/// How alike the calls are.
fn repetition(features: &mut Features, calls: &[ToolCall]) {
    let mut names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    let most = names.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0);
    names.dedup();
    features.set(Feature::use_names, names.len() as f32);
    features.set(Feature::use_same, most as f32);
    let equal =
        calls.iter().enumerate().filter(|(i, call)| calls[..*i].iter().any(|own| own.is_equivalent(call)));
    features.set(Feature::use_equal, equal.count() as f32);
    let (mut varying, mut overlap) = (NONE, 0.0f32);
    for (i, a) in calls.iter().enumerate() {
        for b in &calls[..i] {
            let (Some(x), Some(y)) = (a.parsed(), b.parsed()) else { continue };
            let (x, y) = (&x, &y);
            let few = || x.iter().take(MAX_ARGUMENTS);
            let shared =
                few().filter(|(_, value)| y.values().take(MAX_ARGUMENTS).any(|own| own == *value)).count();
            overlap = overlap.max(shared as f32 / x.len().min(y.len()).max(1) as f32);
            if a.name == b.name {
                let differs = few().filter(|(name, value)| y.get(name) != Some(*value)).count();
                varying = varying.max(differs.min(8) as f32);
            }
        }
    }
    features.set(Feature::use_varying, varying);
    features.set(Feature::use_overlap, overlap);
}

/// Values whose partner, joined to them by `and` or a comma, no call uses.
fn siblings(assessor: &Assessor, question: &Question, calls: &[ToolCall]) -> usize {
    let literals = &assessor.evidence.literals;
    if literals.len() < 2 || calls.is_empty() {
        return 0;
    }
    let used = |folded: &str| assessor.used.text.contains(folded.trim());
    literals
        .windows(2)
        .filter(|pair| pair[0].joins(&pair[1], question.text))
        .filter(|pair| used(&pair[0].folded) != used(&pair[1].folded))
        .count()
        .min(5)
}

/// The leaves of a value, at most `limit`.
pub(super) fn leaves<'a>(value: &'a Json, limit: usize, found: &mut Vec<&'a Json>) {
    if found.len() >= limit {
        return;
    }
    match value {
        Json::Array(items) => items.iter().take(limit).for_each(|item| leaves(item, limit, found)),
        Json::Object(object) => object.values().take(limit).for_each(|item| leaves(item, limit, found)),
        value => found.push(value),
    }
}
