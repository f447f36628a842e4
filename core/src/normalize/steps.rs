//! Refuses cells of calls that hold several turns with the results between them: `[call, result, call]`.

use super::{ending, question};
use crate::domain::{Cell, Json, Message, Role, RowError, RowErrorCode};

/// The fewest elements of several turns: a call, what it returned, and another call.
const FEWEST: usize = 3;

/// Refuses a cell that holds several turns: they are steps, each of which saw what the one before it returned.
pub(super) fn refused(cell: &Cell) -> Result<(), RowError> {
    let parsed = match cell {
        Cell::Text(text) | Cell::Json(Json::String(text)) if may_be_several(text) => ending::structure(text),
        _ => None,
    };
    let value = match (cell, &parsed) {
        (Cell::Json(json @ (Json::Array(_) | Json::Object(_))), _) | (_, Some(json)) => json,
        _ => return Ok(()),
    };
    let turns = match (STEPS.iter().find_map(|key| value.get(key)).unwrap_or(value), value) {
        (Json::Array(steps), _) if steps.len() > 1 && steps.iter().all(|step| action(step).is_some()) => {
            1 + times_apart(steps)
        }
        (_, Json::Array(items)) if items.len() >= FEWEST => turns(items),
        _ => 0,
    };
    if turns < 2 {
        return Ok(());
    }
    let why = format!(
        "tool_call: {turns} turns with results between them, and a row is one turn; write the question and these as one list \
         `messages`, without a column of calls, and each turn is judged"
    );
    Err(RowError::new(RowErrorCode::SeveralTurns, why))
}

/// The key of LangChain's steps, in Python and in JavaScript.
const STEPS: [&str; 2] = ["intermediate_steps", "intermediateSteps"];

/// The action of a step of LangChain's, which comes with what came of it: `[{"tool": "f", "tool_input": {}}, "7"]`.
fn action(step: &Json) -> Option<&Json> {
    let action = match step.as_array() {
        Some([action, _]) => action,
        _ => step.get("action").filter(|_| step.get("observation").is_some())?,
    };
    let action = action.get("kwargs").unwrap_or(action);
    ["tool_input", "toolInput"].iter().any(|key| action.get(key).is_some()).then_some(action)
}

/// How many times a step was made by another message than the one before it, as far as they tell. Where an executor writes the log itself,
/// it tells of the call alone.
fn times_apart(steps: &[Json]) -> usize {
    const EXECUTORS: [&str; 2] = ["Invoking:", "Invoking \""];
    let (mut times, mut last) = (0, None);
    for step in steps {
        let action = action(step);
        let get = |key: &str| action.and_then(|action| action.get(key));
        let message = get("message_log").or_else(|| get("messageLog"));
        let is_told_before = get("messageLog").and_then(Json::as_array).is_some_and(<[Json]>::is_empty);
        let message = message.filter(|log| log.as_array().is_some_and(|log| !log.is_empty()));
        let own = |log: &&Json| {
            log.as_str().map(str::trim).is_some_and(|log| {
                !log.is_empty() && !EXECUTORS.iter().any(|executors| log.starts_with(executors))
            })
        };
        // JavaScript gives a message to the first of its calls alone.
        let said = match is_told_before && last.is_some() {
            true => last,
            false => message.or_else(|| get("log").filter(own)),
        };
        times += usize::from(matches!((last, said), (Some(one), Some(other)) if one != other));
        last = said;
    }
    times
}

/// Whether a text may be a list of so many elements, however often it was encoded. Most are one call, and are read once.
fn may_be_several(text: &str) -> bool {
    let begins = |sign: char| text.trim_start().starts_with(sign);
    let signs = || text.bytes().filter(|byte| matches!(byte, b'{' | b'('));
    (begins('[') || begins('"') || STEPS.iter().any(|key| text.contains(key)))
        && signs().nth(FEWEST - 1).is_some()
}

/// How many times something is called, be it in parallel, before the next result, or before the user speaks.
fn turns(items: &[Json]) -> usize {
    let (mut turns, mut open) = (0, false);
    let mut messages: Vec<Message> = Vec::new();
    for item in items {
        let before = messages.len();
        if question::read_next(item, &mut messages).is_err() {
            continue;
        }
        let more = &messages[before..];
        let calls = more.iter().any(|message| !message.tool_calls.is_empty());
        let returned = more.iter().any(|message| matches!(message.role, Role::Tool | Role::User));
        match (calls, returned) {
            // A call that the provider ran itself has its result beside it, and ends nothing.
            (true, true) | (false, false) => {}
            (true, false) if open => {}
            (true, false) => (turns, open) = (turns + 1, true),
            (false, true) => open = false,
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_langchains_are_turns_unless_one_message_made_them() {
        let step = |log: &str, x: u8| format!(r#"[{{"tool":"f","tool_input":{{"x":{x}}}{log}}},"seen"]"#);
        let (a, b) = (r#","message_log":[{"content":"a"}]"#, r#","message_log":[{"content":"b"}]"#);
        let (look, drop) = (r#","log":"Thought: look""#, r#","log":"Thought: drop""#);
        let (executors, again) = (r#","log":"\nInvoking: `f`""#, r#","log":"\nInvoking: `g`""#);
        for (one, other, is_refused) in [
            // Nothing tells.
            ("", "", false),
            (r#","log":"""#, r#","log":"""#, false),
            (executors, again, false),
            (a, a, false),
            (a, b, true),
            (look, drop, true),
        ] {
            let steps = format!("{},{}", step(one, 1), step(other, 2));
            for text in [format!("[{steps}]"), format!(r#"{{"output":"","intermediate_steps":[{steps}]}}"#)] {
                for cell in [Cell::Text(text.clone()), Cell::from(Json::parse(&text).unwrap())] {
                    assert_eq!(refused(&cell).is_err(), is_refused, "{text}");
                }
            }
        }
    }

    #[test]
    fn javascript_gives_a_message_to_the_first_of_its_calls() {
        let step = |log: &str, x: u8| {
            format!(
                r#"{{"action":{{"tool":"f","toolInput":{{"x":{x}}},"log":"Invoking \"f\" with {x}","messageLog":[{log}]}},"observation":"seen"}}"#
            )
        };
        let (a, b) = (r#"{"content":"a"}"#, r#"{"content":"b"}"#);
        for (logs, is_refused) in
            [([a, "", ""], false), ([a, "", b], true), ([a, b, ""], true), (["", "", ""], false)]
        {
            let steps: Vec<String> = (1..).zip(logs).map(|(x, log)| step(log, x)).collect();
            let text = format!(r#"{{"output":"","intermediateSteps":[{}]}}"#, steps.join(","));
            assert_eq!(refused(&Cell::Text(text.clone())).is_err(), is_refused, "{text}");
        }
    }

    #[test]
    fn results_part_turns() {
        const CALL: &str =
            r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}"#;
        const RESULT: &str = r#"{"role":"tool","tool_call_id":"1","content":"7"}"#;
        const ITEM: &str = r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#;
        const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"1","output":"7"}"#;
        const OWN: &str = r#"{"type":"mcp_call","id":"1","name":"f","arguments":"{}","output":"7"}"#;
        const SAID: &str = r#"{"role":"assistant","content":"It is 7."}"#;
        const GEMINI: &str = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#;
        const GEMINI_RESULT: &str =
            r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"n":7}}}]}"#;
        const BEDROCK: &str =
            r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"f","input":{}}}]}"#;
        const BEDROCK_RESULT: &str =
            r#"{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"7"}]}}]}"#;
        const SPOKEN_RESULT: &str = r#"{"role":"user","content":"<tool_response>7</tool_response>"}"#;
        const ASKED: &str = r#"{"role":"user","content":"And b?"}"#;
        const PLAIN: &str = r#"{"name":"f","arguments":{"a":1}}"#;
        for (items, is_refused) in [
            (vec![CALL], false),
            (vec![CALL, CALL], false),
            (vec![CALL, RESULT], false),
            (vec![CALL, RESULT, SAID], false),
            (vec![CALL, RESULT, CALL], true),
            (vec![ITEM, ITEM, OUTPUT, OUTPUT], false),
            (vec![ITEM, OUTPUT, ITEM, OUTPUT], true),
            (vec![OWN, OWN, ITEM], false),
            (vec![GEMINI, GEMINI_RESULT], false),
            (vec![GEMINI, GEMINI_RESULT, GEMINI], true),
            (vec![BEDROCK, BEDROCK_RESULT, BEDROCK], true),
            (vec![CALL, SPOKEN_RESULT, CALL], true),
            (vec![CALL, ASKED, CALL], true),
            (vec![PLAIN, PLAIN, PLAIN], false),
        ] {
            let text = format!("[{}]", items.join(","));
            let (once, twice) =
                (Json::from(text.as_str()), Json::from(Json::from(text.as_str()).to_string()));
            for cell in [
                Cell::Text(text.clone()),
                Cell::Text(once.to_string()),
                Cell::Text(twice.to_string()),
                Cell::Json(once.clone()),
                Cell::from(Json::parse(&text).unwrap()),
            ] {
                assert_eq!(refused(&cell).is_err(), is_refused, "{text}");
            }
        }
    }
}
