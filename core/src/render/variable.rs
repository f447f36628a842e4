//! What of a row a template can show.

/// A value of a row that a template can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variable {
    Question,
    ToolCall,
    ToolDefinitions,
}

impl Variable {
    pub const ALL: [Variable; 3] = [Variable::ToolDefinitions, Variable::Question, Variable::ToolCall];

    pub fn as_str(self) -> &'static str {
        match self {
            Variable::Question => "question",
            Variable::ToolCall => "tool_call",
            Variable::ToolDefinitions => "tool_definitions",
        }
    }

    pub fn named(name: &str) -> Option<Variable> {
        Variable::ALL.into_iter().find(|variable| variable.as_str() == name)
    }
}
