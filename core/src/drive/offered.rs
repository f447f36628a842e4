//! Tools under names that every provider accepts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{ToolCall, ToolDefinition};

/// What a case offers, as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The definitions under the names that are sent.
    pub tools: Arc<[ToolDefinition]>,
    /// The names that are sent otherwise, to the tools' own.
    own: HashMap<String, String>,
}

/// Two tools that would be sent under one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tools `{0}` and `{1}` would both be sent as `{2}`: names may have letters, digits, `_` and `-`, and at most 64 of them; \
     rename one of the two"
)]
pub struct NameClash(pub String, pub String, pub String);

/// The longest name that all providers take.
const LONGEST: usize = 64;

impl Offered {
    /// `tools` as they are sent.
    pub fn new(tools: &Arc<[ToolDefinition]>) -> Result<Offered, NameClash> {
        let mut sent: HashMap<String, &str> = HashMap::with_capacity(tools.len());
        for tool in tools.iter() {
            if let Some(other) = sent.insert(safe(&tool.name), &tool.name) {
                return Err(NameClash(other.to_owned(), tool.name.clone(), safe(&tool.name)));
            }
        }
        let own: HashMap<String, String> = sent
            .into_iter()
            .filter(|(name, own)| name != own)
            .map(|(name, own)| (name, own.to_owned()))
            .collect();
        let tools = match own.is_empty() {
            true => Arc::clone(tools),
            false => {
                tools.iter().map(|tool| ToolDefinition { name: safe(&tool.name), ..tool.clone() }).collect()
            }
        };
        Ok(Offered { tools, own })
    }

    /// A call under the tool's own name.
    pub fn own_name(&self, call: ToolCall) -> ToolCall {
        match self.own.get(&call.name) {
            Some(own) => ToolCall { name: own.clone(), ..call },
            None => call,
        }
    }
}

/// `name` as it is sent.
pub fn safe(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    // Some providers want a letter or `_` to begin with.
    let begins = name.starts_with(|c: char| c.is_ascii_digit() || c == '-') || name.is_empty();
    begins.then_some('_').into_iter().chain(name.chars().map(allowed)).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Json, Object};

    fn offer(names: &[&str]) -> Result<Offered, NameClash> {
        let tool = |name: &&str| ToolDefinition {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: Json::Object(Object::new()),
        };
        Offered::new(&names.iter().map(tool).collect())
    }

    #[test]
    fn names_go_out_safe_and_come_back_as_they_were() {
        let long = "x".repeat(80);
        let offered = offer(&["get_weather", "math.add", "Größe", &long, "2nd"]).unwrap();
        let sent: Vec<&str> = offered.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(sent, ["get_weather", "math_add", "Gr__e", &long[..64], "_2nd"]);
        for (sent, own) in [
            ("get_weather", "get_weather"),
            ("math_add", "math.add"),
            (&long[..64], &long),
            ("other", "other"),
            ("_2nd", "2nd"),
        ] {
            assert_eq!(offered.own_name(ToolCall::new(sent, Object::new())).name, own);
        }
    }

    #[test]
    fn two_tools_under_one_name_are_an_error() {
        let error = offer(&["math.add", "math_add"]).unwrap_err();
        assert_eq!(error, NameClash("math.add".into(), "math_add".into(), "math_add".into()));
        assert!(offer(&["a", "a"]).is_err());
    }
}
