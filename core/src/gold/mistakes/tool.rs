//! The wrong tool, and a call that nobody asked for.

use crate::domain::{Json, Object};
use crate::gold::filler::plausible;
use crate::gold::question::{Call, ExpectedAction, Question};
use crate::gold::random::Random;
use crate::gold::tool::Tool;
use crate::gold::words::{parts, says_little, words};

/// How many of the nearest tools a wrong one is drawn from.
const NEAREST: usize = 3;

/// One call of another tool.
pub(super) fn wrong(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    let at = random.below(calls.len());
    let call = calls.get(at)?;
    let right = question.tool(&call.tool);
    let mut others: Vec<&Tool> = question.tools.iter().filter(|tool| tool.name != call.tool).collect();
    others.sort_by_key(|other| std::cmp::Reverse(right.map_or(0, |right| kinship(right, other))));
    others.truncate(NEAREST);
    let weighted = others.into_iter().enumerate().map(|(rank, tool)| (NEAREST - rank, tool)).collect();
    let tool = random.weighted(weighted)?;
    let mut calls = calls.to_vec();
    calls[at] = Call { tool: tool.name.clone(), arguments: taken_over(question, call, right, tool, random) };
    Some(calls)
}

/// How alike two tools look: by the words of their names twice, by their parameters once.
fn kinship(a: &Tool, b: &Tool) -> usize {
    let names = parts(&b.name);
    let words = parts(&a.name).iter().filter(|word| names.contains(word)).count();
    let shared = a.parameters.iter().filter(|parameter| b.parameter(&parameter.name).is_some()).count();
    2 * words + shared
}

/// Arguments for `tool` out of those that were meant for another: those of the same name, then those of the same type;
/// what is required beyond that is made up.
fn taken_over(
    question: &Question,
    call: &Call,
    meant: Option<&Tool>,
    tool: &Tool,
    random: &mut Random,
) -> Object {
    let mut free: Vec<(&str, &Json)> = call.arguments.iter().collect();
    let mut arguments = Object::new();
    for parameter in &tool.parameters {
        if let Some(at) = free.iter().position(|(name, _)| *name == parameter.name) {
            let (name, value) = free.remove(at);
            arguments.insert(name, value.clone());
        }
    }
    for parameter in tool.parameters.iter().filter(|parameter| parameter.required) {
        if arguments.contains_key(&parameter.name) {
            continue;
        }
        let same_type = |(name, _): &(&str, &Json)| {
            let own = meant.and_then(|meant| meant.parameter(name));
            own.is_some_and(|own| own.shape() == parameter.shape())
        };
        let value = match free.iter().position(same_type) {
            Some(at) => free.remove(at).1.clone(),
            None => plausible(parameter, &question.text, random),
        };
        arguments.insert(parameter.name.clone(), value);
    }
    arguments
}

/// A call of the tool that sounds most like the question, where none is due.
pub(super) fn not_needed(question: &Question, calls: &[Call], random: &mut Random) -> Option<Vec<Call>> {
    if question.expected_action != ExpectedAction::Nothing || !calls.is_empty() {
        return None;
    }
    let asked: Vec<String> =
        words(&question.text).into_iter().filter(|word| !says_little(word)).map(str::to_lowercase).collect();
    let heard = |tool: &&Tool| {
        let of_name = parts(&tool.name).iter().filter(|word| asked.contains(word)).count();
        let described = tool.description.to_lowercase();
        let of_description =
            words(&described).iter().filter(|word| asked.iter().any(|own| own == *word)).count();
        2 * of_name + of_description
    };
    // Of equals the first.
    let tool = question.tools.iter().rev().max_by_key(heard)?;
    let wanted = tool.parameters.iter().filter(|parameter| parameter.required);
    let arguments: Object = wanted
        .map(|parameter| (parameter.name.clone(), plausible(parameter, &question.text, random)))
        .collect();
    Some(vec![Call { tool: tool.name.clone(), arguments }])
}
