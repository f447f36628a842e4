//! The tools on offer, by name.

use std::collections::HashMap;

use super::Reader;
use crate::domain::ToolDefinition;

/// Tools by name; of several by one name, the first.
pub(in crate::normalize) struct ByName<'a> {
    exact: HashMap<&'a str, &'a ToolDefinition>,
    folded: HashMap<String, &'a ToolDefinition>,
}

impl<'a> ByName<'a> {
    pub(in crate::normalize) fn of(tools: &'a [ToolDefinition]) -> ByName<'a> {
        let (mut exact, mut folded) = (HashMap::new(), HashMap::new());
        for tool in tools {
            exact.entry(tool.name.as_str()).or_insert(tool);
            folded.entry(fold(&tool.name)).or_insert(tool);
        }
        ByName { exact, folded }
    }

    /// The tool `name`; if there is none, one whose name differs in signs that some providers do not allow.
    pub(in crate::normalize) fn get(&self, name: &str) -> Option<&'a ToolDefinition> {
        self.exact.get(name).or_else(|| self.folded.get(&fold(name))).copied()
    }
}

/// A name without the signs that some providers do not allow.
fn fold(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

impl<'a> Reader<'a> {
    /// The definition of the tool `name`; if there is none, of one that differs in signs some providers do not allow.
    pub(super) fn definition(&self, name: &str) -> Option<&'a ToolDefinition> {
        self.by_name.get_or_init(|| ByName::of(self.tools)).get(name)
    }
}
