//! A cell of calls that holds what several turns called, with the results between them: `[call, result, call]`.

use super::{ending, question};
use crate::domain::{Cell, Json, Role, RowError, RowErrorCode};

/// Refuses a cell that holds several turns: they are steps, each of which saw what the one before it returned.
pub(super) fn refused(cell: &Cell) -> Result<(), RowError> {
    // Only a text with one of these can hold a result, and few have any.
    const SIGNS: &[&str] = &["\"tool\"", "'tool'", "_output", "tool_result", "\"function\"", "ToolMessage"];
    let parsed = match cell {
        Cell::Text(text)
            if text.trim_start().starts_with('[') && SIGNS.iter().any(|sign| text.contains(sign)) =>
        {
            ending::structure(text)
        }
        _ => None,
    };
    let items = match (cell, &parsed) {
        (Cell::Json(Json::Array(items)), _) | (_, Some(Json::Array(items))) => items,
        _ => return Ok(()),
    };
    let turns = turns(items);
    if turns < 2 {
        return Ok(());
    }
    let why = format!(
        "tool_call: {turns} turns with results between them, and a row is one turn; write the question and these as one list \
         `messages`, without a column of calls, and each turn is judged"
    );
    Err(RowError::new(RowErrorCode::SeveralTurns, why))
}

/// How many times something is called, be it in parallel, before the next result.
fn turns(items: &[Json]) -> usize {
    let (mut turns, mut open) = (0, false);
    for item in items {
        let Ok((messages, _)) = question::messages_of(item) else { continue };
        let calls = messages.iter().any(|message| !message.tool_calls.is_empty());
        let returned = messages.iter().any(|message| message.role == Role::Tool);
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
    fn results_part_turns() {
        const CALL: &str =
            r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}"#;
        const RESULT: &str = r#"{"role":"tool","tool_call_id":"1","content":"7"}"#;
        const ITEM: &str = r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#;
        const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"1","output":"7"}"#;
        const OWN: &str = r#"{"type":"mcp_call","id":"1","name":"f","arguments":"{}","output":"7"}"#;
        const SAID: &str = r#"{"role":"assistant","content":"It is 7."}"#;
        for (items, is_refused) in [
            (vec![CALL], false),
            (vec![CALL, CALL], false),
            (vec![CALL, RESULT], false),
            (vec![CALL, RESULT, SAID], false),
            (vec![CALL, RESULT, CALL], true),
            (vec![ITEM, ITEM, OUTPUT, OUTPUT], false),
            (vec![ITEM, OUTPUT, ITEM, OUTPUT], true),
            (vec![OWN, OWN, ITEM], false),
        ] {
            let text = format!("[{}]", items.join(","));
            for cell in [Cell::Text(text.clone()), Cell::from(Json::parse(&text).unwrap())] {
                assert_eq!(refused(&cell).is_err(), is_refused, "{text}");
            }
        }
    }
}
