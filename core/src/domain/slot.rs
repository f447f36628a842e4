//! The values of a row that judges can be shown, and the columns that hold them.

use std::fmt;
use std::str::FromStr;

use super::did_you_mean;

/// A value of a row: a column can hold it, and a template can show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// What was asked: the text of the last user message, or the conversation up to the judged turn.
    Question,
    /// What the agent called.
    ToolCall,
    /// The tools on offer.
    ToolDefinitions,
    /// What the calls returned.
    ToolResult,
    /// What the agent did next, once it had the results: words or calls.
    NextMessage,
    /// What the agent answered in the end.
    Response,
    /// The whole conversation: what was said before the turn, the turn, and what came after.
    Transcript,
    /// The answer that was expected.
    Reference,
    /// The calls that were expected.
    ExpectedToolCalls,
}

/// The names of a slot.
struct Names {
    slot: Slot,
    /// Names of columns that hold it: its own, then usual other names, the likeliest first.
    columns: &'static [&'static str],
    /// Of variables that mean it in other tools' templates.
    variables: &'static [&'static str],
    /// What a template shows where the row has none; without such words the row cannot be judged.
    absent: Option<&'static str>,
}

/// In the order in which columns are looked for: what is called `response` is the call, where no other column is.
const NAMES: [Names; 9] = [
    Names {
        slot: Slot::Question,
        columns: &["question", "input", "user_input", "query", "prompt", "messages", "conversation"],
        variables: &["conversation", "input", "inputs", "query"],
        absent: None,
    },
    Names {
        slot: Slot::ToolCall,
        columns: &["tool_call", "tool_calls", "generated", "output", "response", "completion"],
        variables: &["tool_calls", "tool_selection", "tools_called"],
        absent: Some("No tool was called."),
    },
    Names {
        slot: Slot::ToolDefinitions,
        columns: &["tool_definitions", "tools", "available_tools", "functions", "function"],
        variables: &["available_tools"],
        absent: Some("No definitions were logged."),
    },
    Names {
        slot: Slot::ToolResult,
        columns: &["tool_result", "tool_results", "tool_output", "tool_outputs"],
        variables: &["tool_results", "tool_output"],
        absent: None,
    },
    Names { slot: Slot::NextMessage, columns: &["next_message"], variables: &[], absent: None },
    Names {
        slot: Slot::Response,
        columns: &["response", "final_answer", "answer", "actual_output", "output", "outputs"],
        variables: &["output", "outputs", "final_answer", "actual_output"],
        absent: None,
    },
    Names {
        slot: Slot::Transcript,
        columns: &["transcript", "trace", "trajectory"],
        variables: &["trace", "trajectory"],
        absent: None,
    },
    Names {
        slot: Slot::Reference,
        columns: &["reference", "expected_output", "ground_truth", "reference_answer", "expected_answer"],
        variables: &[
            "expected_output",
            "ground_truth",
            "expectations",
            "reference_output",
            "reference_outputs",
        ],
        absent: None,
    },
    Names {
        slot: Slot::ExpectedToolCalls,
        columns: &["expected_tool_calls", "expected_tools", "reference_tool_calls", "expected_calls"],
        variables: &["expected_tools", "reference_tool_calls"],
        absent: None,
    },
];

impl Slot {
    /// All of them.
    pub const ALL: [Slot; 9] = {
        let mut all = [Slot::Question; 9];
        let mut at = 0;
        while at < all.len() {
            all[at] = NAMES[at].slot;
            at += 1;
        }
        all
    };

    /// Those that every template may show, and that are read of every row.
    pub const ALWAYS: [Slot; 3] = [Slot::Question, Slot::ToolCall, Slot::ToolDefinitions];

    fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }

    /// As settings, templates and the usual column spell it.
    pub fn as_str(self) -> &'static str {
        self.aliases()[0]
    }

    /// The usual column names, the likeliest first.
    pub fn aliases(self) -> &'static [&'static str] {
        self.names().columns
    }

    /// The slot that a template means by a variable of that exact name: its own, or another tool's.
    pub fn of_variable(name: &str) -> Option<Slot> {
        let own = Slot::ALL.into_iter().find(|slot| slot.as_str() == name);
        own.or_else(|| Slot::ALL.into_iter().find(|slot| slot.names().variables.contains(&name)))
    }

    /// What a template shows where a row has none; `None` if the row cannot be judged without it.
    pub fn absent(self) -> Option<&'static str> {
        self.names().absent
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is not a slot's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not one of {all}{near}",
    all = Slot::ALL.map(Slot::as_str).join(", "),
    near = did_you_mean(.0, Slot::ALL.map(Slot::as_str))
)]
pub struct UnknownSlot(pub String);

/// Why nothing has `name`, which is to be shown from `column`: often the two were turned round.
pub fn not_shown(name: &str, column: &str) -> String {
    match column.parse::<Slot>() {
        Ok(slot) => format!("what it holds comes first: `{slot}={name}`"),
        Err(_) => UnknownSlot(name.to_owned()).to_string(),
    }
}

impl FromStr for Slot {
    type Err = UnknownSlot;

    fn from_str(text: &str) -> Result<Slot, UnknownSlot> {
        Slot::ALL.into_iter().find(|slot| slot.as_str() == text).ok_or_else(|| UnknownSlot(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_have_names_of_their_own() {
        for slot in Slot::ALL {
            assert_eq!(slot.as_str().parse(), Ok(slot));
            assert_eq!(slot.names().slot, slot);
            assert_eq!(Slot::of_variable(slot.as_str()), Some(slot));
        }
        let variables = NAMES.iter().flat_map(|names| names.variables).collect::<Vec<_>>();
        for (at, name) in variables.iter().enumerate() {
            assert!(!variables[..at].contains(name), "{name} means two things");
            assert!(name.parse::<Slot>().is_err(), "{name} is a slot's own name");
        }
        assert!("answer".parse::<Slot>().is_err());
    }
}
