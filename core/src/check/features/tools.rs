//! How well the called tools fit the request, by word prefixes, compared with tools that have not been called yet.

use super::counts::leaves;
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::prefixes::{Prefix, prefixes};
use crate::check::schema::folded_of;
use crate::domain::{Json, Message, Role, Sample, ToolCall};

/// Calls looked at, and values of each: bounds the work on hostile rows.
const MAX_CALLS: usize = 16;
const MAX_VALUES: usize = 48;

/// A message of fewer words only makes sense with the one before.
const FEW_WORDS: usize = 3;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    if calls.is_empty() || assessor.toolbox.tools.is_empty() {
        return;
    }
    let asked = asked(assessor, sample);
    let covers = assessor.toolbox.prefixes().cover(&asked);
    let cover = |call: &ToolCall| assessor.toolbox.find(&call.name).and_then(|at| covers.get(at)).copied();
    let made = || calls.iter().chain(made(sample)).take(MAX_CALLS);
    let served: Vec<usize> = made().filter_map(|call| assessor.toolbox.find(&call.name)).collect();
    let own = calls.iter().filter_map(cover).fold(f32::INFINITY, f32::min);
    let idle = || covers.iter().enumerate().filter(|(at, _)| !served.contains(at)).map(|(_, cover)| *cover);
    if own.is_finite() {
        features.set(Feature::tool_cover, own);
        features.set(Feature::tool_margin, own - idle().fold(0.0, f32::max));
    }
    features.set(Feature::tool_left, left(assessor, &asked, made(), &served));
    if calls.len() > 1 {
        let supports: Vec<f32> = calls
            .iter()
            .take(MAX_CALLS)
            .map(|call| {
                let named = words_of(call).iter().filter(|word| asked.binary_search(word).is_ok()).count();
                cover(call).unwrap_or_default() + named as f32
            })
            .collect();
        let most = supports.iter().copied().fold(0.0, f32::max);
        let least = supports.iter().copied().fold(f32::INFINITY, f32::min);
        features.set(Feature::tool_gap, most - least);
    }
}

/// The calls made since the user last spoke.
pub(super) fn made(sample: &Sample) -> impl Iterator<Item = &ToolCall> {
    let before = sample.before_turn();
    let since = before.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1);
    before[since..].iter().flat_map(|message| &message.tool_calls)
}

/// The words of what the user asks for.
pub(super) fn asked(assessor: &Assessor, sample: &Sample) -> Vec<Prefix> {
    let mut asked = prefixes(&assessor.evidence.question);
    if asked.len() < FEW_WORDS {
        let is_user = |message: &&Message| message.role == Role::User;
        let before = sample.before_turn().iter().rev().filter(is_user).nth(1);
        if let Some(message) = before {
            let text = &message.content[..message.content.floor_char_boundary(2_000)];
            asked.extend(prefixes(&crate::reading::words::fold(text)));
            asked.sort_unstable();
            asked.dedup();
        }
    }
    asked
}

/// The words of a call's values.
fn words_of(call: &ToolCall) -> Vec<Prefix> {
    let mut found: Vec<&Json> = Vec::new();
    let values = call.parsed().into_iter().flat_map(|arguments| arguments.values());
    values.take(MAX_VALUES).for_each(|value| leaves(value, MAX_VALUES, &mut found));
    let mut all: Vec<Prefix> = found.into_iter().flat_map(|value| prefixes(&folded_of(value))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How much a tool that nothing was asked of covers of the words that neither the called tools nor their values have.
pub(super) fn left<'a>(
    assessor: &Assessor,
    asked: &[Prefix],
    made: impl Iterator<Item = &'a ToolCall>,
    served: &[usize],
) -> f32 {
    let tools = assessor.toolbox.prefixes();
    let values: Vec<Vec<Prefix>> = made.map(words_of).collect();
    let is_open = |word: &Prefix| {
        served.iter().all(|tool| tools.weight(*word, *tool) == 0.0)
            && values.iter().all(|own| own.binary_search(word).is_err())
    };
    let open: Vec<Prefix> = asked.iter().copied().filter(is_open).collect();
    let covers = tools.cover(&open);
    let idle = covers.iter().enumerate().filter(|(at, _)| !served.contains(at));
    idle.map(|(_, cover)| *cover).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use super::*;

    #[test]
    fn the_judged_calls_are_looked_at_first() {
        let tools = r#"[{"name": "water_lawn", "parameters": {"type": "object", "properties": {"note": {"type": "string"}}}},
            {"name": "feed_cat", "parameters": {"type": "object", "properties": {"note": {"type": "string"}}}}]"#;
        let made =
            r#"{"id": "c", "type": "function", "function": {"name": "water_lawn", "arguments": "{}"}}"#;
        let all = vec![made; 20].join(", ");
        let messages = format!(
            r#"[{{"role": "user", "content": "Water the lawn often, then feed the cat"}},
                {{"role": "assistant", "content": null, "tool_calls": [{all}]}},
                {{"role": "tool", "tool_call_id": "c", "content": "done"}}]"#
        );
        let calls = r#"[{"name": "feed_cat", "arguments": {}}]"#;
        assert_eq!(measured(Feature::tool_left, &messages, tools, calls), 0.0);
    }
}
