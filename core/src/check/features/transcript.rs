//! Features of the conversation before the judged turn.

use super::{Feature, Features, NONE};
use crate::check::assess::Step;
use crate::domain::{Role, Sample, ToolCall};

pub(super) fn measure(features: &mut Features, sample: &Sample, calls: &[ToolCall], step: Step) {
    let before = sample.before_turn();
    let spoken = before.iter().filter(|message| message.role != Role::System).count().max(1);
    features.set(Feature::chat_messages, (spoken as f32).ln_1p());
    features.set(
        Feature::chat_step,
        match step {
            Step::Whole => 0.0,
            Step::OneOfMany => 1.0,
            Step::UnderWay => 2.0,
        },
    );
    let made: usize = before.iter().map(|message| message.tool_calls.len()).sum();
    features.set(Feature::chat_calls, (made as f32).ln_1p());
    let since = before.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1);
    let turn: usize = before[since..].iter().map(|message| message.tool_calls.len()).sum();
    features.set(Feature::chat_calls_turn, turn.min(20) as f32);
    let system = before.iter().any(|message| message.role == Role::System);
    features.set(Feature::chat_system, f32::from(u8::from(system)));
    let results = before.iter().filter(|message| message.role == Role::Tool).count();
    features.set(Feature::chat_results, (results as f32).ln_1p());
    let last = before.iter().rev().find(|message| message.role != Role::System);
    let failed = last.filter(|message| message.role == Role::Tool).map_or(NONE, |message| {
        let text: String = message.content.chars().take(400).collect::<String>().to_lowercase();
        f32::from(u8::from(FAILURES.iter().any(|sign| text.contains(sign))))
    });
    features.set(Feature::chat_failed, failed);
    let earlier = || before.iter().flat_map(|message| &message.tool_calls);
    let same_tool = calls.iter().filter(|call| earlier().any(|own| own.name == call.name)).count();
    let same_call = calls.iter().filter(|call| earlier().any(|own| own.is_equivalent(call))).count();
    features.set(Feature::chat_same_tool, same_tool.min(3) as f32);
    features.set(Feature::chat_same_call, same_call.min(3) as f32);
    features.set(
        Feature::chat_short,
        f32::from(u8::from(sample.question.split_whitespace().take(6).count() < 6)),
    );
    features.set(Feature::chat_part, f32::from(u8::from(sample.part.is_some())));
    // Whether the user answers a question of the assistant, and whether that question offered to act.
    let answered = before[..since.saturating_sub(1).min(before.len())]
        .iter()
        .rev()
        .take_while(|message| message.role != Role::User)
        .find(|message| message.role == Role::Assistant && !message.content.trim().is_empty());
    let asks = answered.is_some_and(|message| message.content.contains(['?', '？']));
    features.set(Feature::chat_asked, answered.map_or(NONE, |_| f32::from(u8::from(asks))));
    let offered = answered.map_or(NONE, |message| {
        let text = message.content.to_lowercase();
        f32::from(u8::from(OFFERS.iter().any(|sign| text.contains(sign))))
    });
    features.set(Feature::chat_offered, offered);
}

/// What the result of a call that failed says.
const FAILURES: [&str; 6] = ["error", "fail", "exception", "not found", "invalid", "denied"];
/// How an assistant asks for leave to act.
const OFFERS: [&str; 6] = ["proceed", "confirm", "would you like", "shall i", "should i", "do you want"];
