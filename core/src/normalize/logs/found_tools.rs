//! Tools that a search adds during the conversation: `{"type": "tool_search_output", "tools": [{"name": "get_rate"}]}`.
//!
//! The same holds for the tools of an MCP server that the provider lists: `{"type": "mcp_list_tools", "tools": [{"name":
//! "get_rate", "input_schema": {…}}]}`. Some searches send the definitions of what they find; others only name tools that the
//! request defines with `"defer_loading": true`.

use std::collections::{HashMap, HashSet};

use crate::domain::{Cell, Json};

/// The type of an item that lists the tools of a server of MCP, which the provider asked.
pub(super) const TOOLS_OF_SERVER: &str = "mcp_list_tools";

/// The tools on offer, and the element of a conversation from which on they are.
#[derive(Debug, Default)]
pub(super) struct Stages(Vec<(usize, Cell)>);

/// How many searches are told apart; what others find is on offer from the last of these on.
const MAX_STAGES: usize = 64;

impl Stages {
    /// What is on offer in the course of a conversation, given the `tools` of its request. A deferred tool that an element calls,
    /// as `called` tells, was found before, be it nowhere in the log. Each element is read once, however many tools are deferred.
    pub(super) fn of<'a>(
        tools: Cell,
        elements: impl Iterator<Item = &'a Json> + Clone,
        called: impl Fn(&Json) -> Vec<String>,
    ) -> Stages {
        if !may_be_deferred(&tools) && elements.clone().all(|element| found_by(element).is_none()) {
            return Stages(vec![(0, tools)]);
        }
        // What was on offer beside what was found is not known, and a list of these alone would say that nothing was.
        let Some(all) = list(&tools) else { return Stages(vec![(0, tools)]) };
        let (deferred, mut offered): (Vec<Json>, Vec<Json>) = all.into_iter().partition(is_deferred);
        let at_first = if deferred.is_empty() { Some(tools) } else { None };
        let mut known: HashSet<String> = offered.iter().filter_map(name).map(str::to_owned).collect();
        let mut waiting: HashMap<&str, Vec<&Json>> = HashMap::new();
        for tool in &deferred {
            waiting.entry(name(tool).unwrap_or_default()).or_default().push(tool);
        }
        // From which element on how many of the tools are on offer.
        let mut stages = vec![(0, offered.len())];
        for (at, element) in elements.enumerate() {
            let before = offered.len();
            let mut names = called(element);
            refer_to(element, MAX_DEPTH, &mut names);
            for found in names {
                for tool in waiting.remove(found.as_str()).into_iter().flatten() {
                    known.insert(found.clone());
                    offered.push(tool.clone());
                }
            }
            for tool in found_by(element).unwrap_or_default() {
                if name(tool).is_some_and(|name| known.insert(name.to_owned())) {
                    offered.push(tool.clone());
                }
            }
            if offered.len() > before {
                let last = if stages.len() == MAX_STAGES { stages.pop() } else { None };
                stages.push((last.map_or(at, |(from, _)| from), offered.len()));
            }
        }
        let offer = |number: usize| Cell::Json(Json::Array(offered[..number].to_vec()));
        let (first, others) = (stages[0].1, &stages[1..]);
        let others = others.iter().map(|(from, number)| (*from, offer(*number)));
        Stages(std::iter::once((0, at_first.unwrap_or_else(|| offer(first)))).chain(others).collect())
    }

    /// What is on offer at one stage after another.
    pub(super) fn all(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().map(|(_, tools)| tools)
    }

    /// The stage of a turn that ends before an element: it may hold the search.
    pub(super) fn at(&self, end: usize) -> usize {
        self.0.partition_point(|(from, _)| *from < end).max(1) - 1
    }

    /// What is on offer for a turn that ends before an element.
    pub(super) fn until(&self, end: usize) -> &Cell {
        self.0.get(self.at(end)).map_or(&Cell::Missing, |(_, tools)| tools)
    }

    /// What is on offer at the end.
    pub(super) fn into_last(mut self) -> Cell {
        self.0.pop().map_or(Cell::Missing, |(_, tools)| tools)
    }
}

/// The tools of a request, if they are a list.
fn list(tools: &Cell) -> Option<Vec<Json>> {
    match tools {
        Cell::Json(Json::Array(items)) => Some(items.clone()),
        Cell::Text(text) => match Json::parse(text) {
            Ok(Json::Array(items)) => Some(items),
            _ => None,
        },
        Cell::Missing | Cell::Null | Cell::Json(_) => None,
    }
}

fn may_be_deferred(tools: &Cell) -> bool {
    match tools {
        Cell::Json(Json::Array(items)) => items.iter().any(is_deferred),
        Cell::Text(text) => text.contains("defer_loading"),
        Cell::Missing | Cell::Null | Cell::Json(_) => false,
    }
}

fn is_deferred(tool: &Json) -> bool {
    let own = |tool: &Json| tool.get("defer_loading") == Some(&Json::Bool(true));
    own(tool) || tool.get("function").is_some_and(own)
}

/// What a search found, or what a server of MCP has, be it an element of its own or an item of a response.
fn found_by(element: &Json) -> Option<&[Json]> {
    ["tool_search_output", TOOLS_OF_SERVER].contains(&element.get("type")?.as_str()?).then_some(())?;
    element.get("tools")?.as_array()
}

/// How deep within an element a search names what it found.
const MAX_DEPTH: usize = 6;

/// Adds the tools that searches within an element name: `{"type": "tool_reference", "tool_name": "get_rate"}`.
fn refer_to(element: &Json, depth: usize, names: &mut Vec<String>) {
    match element {
        Json::Array(items) if depth > 0 => items.iter().for_each(|item| refer_to(item, depth - 1, names)),
        Json::Object(object) => {
            let word = |key: &str| object.get(key).and_then(Json::as_str);
            if found_by(element).is_some() {
                let found = found_by(element).unwrap_or_default().iter().filter_map(name);
                return names.extend(found.map(str::to_owned));
            }
            if word("type") == Some("tool_reference") {
                names.extend(word("tool_name").map(str::to_owned));
            }
            if depth > 0 {
                object.values().for_each(|value| refer_to(value, depth - 1, names));
            }
        }
        _ => {}
    }
}

fn name(tool: &Json) -> Option<&str> {
    tool.get("name").or_else(|| tool.get("function")?.get("name"))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_on_offer_once_they_are_found() {
        const ASKED: &str = r#"{"role":"user","content":"Rate?"}"#;
        const OUTPUT: &str = r#"{"type":"tool_search_output","tools":[{"name":"g"},{"name":"f"}]}"#;
        const NAMED: &str = r#"{"role":"assistant","content":[{"type":"tool_search_tool_result",
            "content":{"tool_references":[{"type":"tool_reference","tool_name":"d"}]}}]}"#;
        const CALLS: &str = "\"d\"";
        let parse = |text: &str| Json::parse(text).unwrap();
        for (tools, elements, known) in [
            (r#"[{"name":"f"}]"#, vec![ASKED, OUTPUT], "f|f|f g"),
            (r#"[{"name":"f"}]"#, vec![OUTPUT, ASKED], "f|f g|f g"),
            (r#"[{"name":"f"},{"name":"d","defer_loading":true}]"#, vec![ASKED, NAMED, ASKED], "f|f|f d|f d"),
            (r#"[{"name":"f"},{"name":"d","defer_loading":true}]"#, vec![ASKED, CALLS], "f|f|f d"),
            (r#"[{"name":"f","defer_loading":true}]"#, vec![ASKED, OUTPUT], "||f g"),
            (r#"[{"function":{"name":"f","defer_loading":true}}]"#, vec![ASKED], "|"),
        ] {
            let elements: Vec<Json> = elements.iter().map(|element| parse(element)).collect();
            for tools in [Cell::Json(parse(tools)), Cell::Text(tools.to_owned())] {
                let called = |element: &Json| element.as_str().map(str::to_owned).into_iter().collect();
                let stages = Stages::of(tools, elements.iter(), called);
                let names = |tools: &Cell| {
                    let tools = list(tools).unwrap();
                    tools.iter().filter_map(name).collect::<Vec<_>>().join(" ")
                };
                let found: Vec<String> = (0..=elements.len()).map(|end| names(stages.until(end))).collect();
                assert_eq!(found.join("|"), known, "{elements:?}");
                assert_eq!(names(&stages.into_last()), known.rsplit('|').next().unwrap());
            }
        }
        let found = [parse(OUTPUT)];
        for tools in [Cell::Missing, Cell::Null] {
            assert_eq!(Stages::of(tools.clone(), found.iter(), |_| Vec::new()).into_last(), tools);
        }
    }

    #[test]
    fn thousands_of_turns_find_thousands_of_tools() {
        const MANY: usize = 20_000;
        let parse = |text: String| Json::parse(&text).unwrap();
        let tool = |at: usize| parse(format!(r#"{{"name":"f{at}","defer_loading":true}}"#));
        let tools = Cell::Json(Json::Array((0..MANY).map(tool).collect()));
        let turns: Vec<Json> = (0..MANY).map(|at| parse(format!(r#""f{at}""#))).collect();
        let called = |element: &Json| element.as_str().map(str::to_owned).into_iter().collect();
        let stages = Stages::of(tools, turns.iter(), called);
        assert_eq!(stages.all().count(), MAX_STAGES);
        assert_eq!(list(&stages.into_last()).unwrap().len(), MANY);
    }
}
