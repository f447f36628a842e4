//! Tools that were not on offer from the beginning, but found by a search: `{"type": "tool_search_output", "tools": [{"name": "get_rate"}]}`.

use crate::domain::{Cell, Json};

/// The tools on offer, and those that a search among the `elements` has found, unless they are among them.
pub(super) fn with<'a>(tools: Cell, elements: impl Iterator<Item = &'a Json>) -> Cell {
    let found: Vec<&Json> = elements.filter_map(found_by).flatten().collect();
    if found.is_empty() {
        return tools;
    }
    let mut all = match &tools {
        // What was on offer beside them is not known, and a list of these alone would say that nothing was.
        Cell::Missing | Cell::Null => return tools,
        Cell::Json(Json::Array(items)) => items.clone(),
        Cell::Text(text) => match Json::parse(text) {
            Ok(Json::Array(items)) => items,
            _ => return tools,
        },
        Cell::Json(_) => return tools,
    };
    for tool in found {
        if name(tool).is_some_and(|name| all.iter().all(|known| self::name(known) != Some(name))) {
            all.push(tool.clone());
        }
    }
    Cell::Json(Json::Array(all))
}

/// What a search found, be it an element of its own or an item of a response.
fn found_by(element: &Json) -> Option<&[Json]> {
    (element.get("type")?.as_str()? == "tool_search_output").then_some(())?;
    element.get("tools")?.as_array()
}

fn name(tool: &Json) -> Option<&str> {
    tool.get("name").or_else(|| tool.get("function")?.get("name"))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_tools_join_those_that_are_known() {
        let found = r#"{"type":"tool_search_output","tools":[{"name":"g"},{"name":"f"}]}"#;
        let elements = [Json::parse(found).expect("JSON")];
        let named = |tools: &str| Cell::Json(Json::parse(tools).expect("JSON"));
        for (tools, all) in [
            (named(r#"[{"name":"f"}]"#), named(r#"[{"name":"f"},{"name":"g"}]"#)),
            (Cell::Text(r#"[{"name":"f"}]"#.into()), named(r#"[{"name":"f"},{"name":"g"}]"#)),
            (Cell::Missing, Cell::Missing),
            (Cell::Null, Cell::Null),
        ] {
            assert_eq!(with(tools, elements.iter()), all);
        }
    }
}
