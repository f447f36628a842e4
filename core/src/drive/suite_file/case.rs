//! One case of a suite file.

use std::sync::Arc;

use super::defaults::{CASE_DEFAULTS, Defaults};
use super::expected;
use super::messages;
use super::mocks::{self, Mock};
use super::node::{Node, Read};
use super::table::Table;
use super::tools::Tools;
use crate::domain::{Entry, Json, Object, ToolDefinition};
use crate::drive::{Bounds, Case, Expected, Mocks, World};

const OWN_KEYS: &[&str] = &[
    "id",
    "system",
    "tools",
    "mocks",
    "user_message",
    "messages",
    "turns",
    "expected_tool_calls",
    "should_not_call_tools",
    "not_calls",
    "expected_output_contains",
    "reference",
];

/// What holds for all cases of a suite that say nothing else.
pub(super) struct Shared<'a> {
    pub system: Option<Arc<str>>,
    pub tools: Option<Arc<[ToolDefinition]>>,
    pub mocks: Vec<Mock<'a>>,
    pub defaults: Defaults<'a>,
}

/// The id of a case, before anything else of it is read: errors name it.
pub(super) fn id(node: &Node, number: usize) -> Read<&str> {
    let known: Vec<&str> = OWN_KEYS.iter().chain(CASE_DEFAULTS).copied().collect();
    let named = node.get("id").and_then(|id| id.value.text());
    let who = named.map_or(format!("case number {number}"), |id| format!("case `{id}`"));
    let table = Table::of(node, who, &known)?;
    let id = table.text("id")?;
    id.ok_or_else(|| table.fault(table.at(), "`id` is missing: a name of its own within the suite"))
}

/// Reads a case.
pub(super) fn read(node: &Node, id: &str, shared: &Shared, tools: &mut Tools) -> Read<Case> {
    let known: Vec<&str> = OWN_KEYS.iter().chain(CASE_DEFAULTS).copied().collect();
    let table = Table::of(node, format!("case `{id}`"), &known)?;
    let defaults = shared.defaults.overridden(&table)?;
    let offered = match tools.read(&table)?.or_else(|| shared.tools.clone()) {
        Some(tools) => tools,
        None => {
            let why = "there are no tools: set `tools` in the suite or in the case (`[]` for none)";
            return Err(table.fault(table.at(), why));
        }
    };
    let own_mocks = mocks::read(&table)?;
    for mock in &own_mocks {
        mock.check(&offered, defaults.validate)?;
    }
    if !defaults.execute && !own_mocks.is_empty() {
        let why = "`mocks` are never used, because `execute = false` executes no call: remove one of them";
        return Err(table.fault(table.place("mocks"), why));
    }
    let dialogue = dialogue(&table, &offered, defaults.validate && defaults.execute)?;
    if !defaults.execute && !dialogue.follow_ups.is_empty() {
        let why =
            "`execute = false` asks for one reply: give one turn, or what was said before as `messages`";
        return Err(table.fault(table.place("turns"), why));
    }
    let system = match (table.text("system")?, dialogue.system) {
        (Some(_), Some(_)) => {
            let why = "`system` is set, and `messages` begin with a system message: keep one of them";
            return Err(table.fault(table.place("system"), why));
        }
        (own, logged) => own.map(Arc::from).or(logged.map(Arc::from)).or_else(|| shared.system.clone()),
    };
    let test = test(&table, &dialogue.expected, &defaults, &offered)?;
    let reference = table.text("reference")?.map(str::to_owned);
    let is_empty = |key: &str| match test.get(key) {
        None => true,
        Some(value) => value.as_array().is_some_and(<[Json]>::is_empty) || *value == Json::Bool(false),
    };
    let expectations = [
        "expected_tool_calls",
        "should_not_call_tools",
        "forbidden_tools",
        "not_calls",
        "expected_output_contains",
    ];
    if reference.is_none() && expectations.into_iter().all(is_empty) {
        let why = "it expects nothing, so it would pass whatever happens: set `expected_tool_calls`, \
                   `should_not_call_tools = true` if no call is right, `forbidden_tools`, `not_calls`, `expected_output_contains` or `reference`";
        return Err(table.fault(table.at(), why));
    }
    let world = match defaults.execute {
        false => World::Recorded,
        true => World::Mocked(Mocks {
            // A rule for a tool that is not on offer here would never match.
            rules: own_mocks
                .iter()
                .chain(&shared.mocks)
                .filter(|mock| offered.iter().any(|tool| tool.name == mock.rule.tool))
                .map(|mock| mock.rule.clone())
                .collect(),
            unmatched: defaults.unmatched,
        }),
    };
    Ok(Case {
        id: id.to_owned(),
        category: defaults.category.map(str::to_owned),
        system,
        tools: offered,
        world,
        start: dialogue.start,
        follow_ups: dialogue.follow_ups,
        bounds: Bounds {
            max_steps: defaults.max_steps(),
            max_tool_calls: defaults.max_tool_calls,
            validate: defaults.validate,
        },
        expected: Expected::Test(test),
        reference,
    })
}

/// What is said, and which calls are expected.
struct Dialogue<'a> {
    system: Option<String>,
    start: Vec<Entry>,
    follow_ups: Vec<String>,
    expected: Vec<&'a Node>,
}

fn dialogue<'a>(table: &Table<'a>, tools: &[ToolDefinition], validates: bool) -> Read<Dialogue<'a>> {
    const WAYS: [&str; 3] = ["user_message", "messages", "turns"];
    let given: Vec<&str> = WAYS.into_iter().filter(|key| table.get(key).is_some()).collect();
    match given[..] {
        ["user_message"] => Ok(Dialogue {
            system: None,
            start: vec![Entry::User(table.text("user_message")?.unwrap_or_default().to_owned())],
            follow_ups: Vec::new(),
            expected: expected::calls(table, tools, validates)?,
        }),
        ["messages"] => {
            let prefix = messages::read(table, table.list("messages")?.unwrap_or_default())?;
            Ok(Dialogue {
                system: prefix.system,
                start: prefix.entries,
                follow_ups: Vec::new(),
                expected: expected::calls(table, tools, validates)?,
            })
        }
        [_] => turns(table, tools, validates),
        [] => {
            let why = "what the user says is missing: set `user_message`, `messages` or `turns`";
            Err(table.fault(table.at(), why))
        }
        [first, second, ..] => {
            let why = format!("`{first}` and `{second}` are both set: keep one of them");
            Err(table.fault(table.place(second), why))
        }
    }
}

fn turns<'a>(table: &Table<'a>, tools: &[ToolDefinition], validates: bool) -> Read<Dialogue<'a>> {
    if table.get("expected_tool_calls").is_some() {
        let why =
            "`expected_tool_calls` stands beside `turns`: give the expected calls of each turn in the turn";
        return Err(table.fault(table.place("expected_tool_calls"), why));
    }
    let (mut said, mut expected) = (Vec::new(), Vec::new());
    for (number, item) in table.list("turns")?.unwrap_or_default().iter().enumerate() {
        let who = format!("{}, turn {}", table.who(), number + 1);
        let turn = Table::of(item, who, &["user", "expected_tool_calls"])?;
        let user = turn.text("user")?;
        let user = user.ok_or_else(|| turn.fault(turn.at(), "`user` is missing: what the user says"))?;
        said.push(user.to_owned());
        expected.extend(expected::calls(&turn, tools, validates)?);
    }
    let mut said = said.into_iter();
    let Some(first) = said.next() else {
        return Err(
            table.fault(table.place("turns"), "`turns` is empty: give what the user says, one table a turn")
        );
    };
    Ok(Dialogue { system: None, start: vec![Entry::User(first)], follow_ups: said.collect(), expected })
}

/// The test, as the scorer reads it. Both budgets always stand in it: the scorer's own defaults are the article's.
fn test(table: &Table, expected: &[&Node], defaults: &Defaults, tools: &[ToolDefinition]) -> Read<Object> {
    let none = table.boolean("should_not_call_tools")?.unwrap_or(false);
    if none && !expected.is_empty() {
        let why = "`should_not_call_tools` is true, but calls are expected: keep one of them";
        return Err(table.fault(table.place("should_not_call_tools"), why));
    }
    if expected.len() > defaults.max_tool_calls as usize {
        let (calls, most) = (expected.len(), defaults.max_tool_calls);
        let key =
            if table.get("max_tool_calls").is_some() { "max_tool_calls" } else { "expected_tool_calls" };
        let why =
            format!("more calls are expected ({calls}) than `max_tool_calls` allows ({most}): raise it");
        return Err(table.fault(table.place(key), why));
    }
    let own = expected::forbidden_tools(table, tools)?;
    let forbidden = own.as_deref().unwrap_or(&defaults.forbidden_tools);
    for call in expected {
        let name = expected::tool_name(call);
        if forbidden.contains(&name) {
            let why =
                format!("the tool `{name}` is both expected and forbidden: remove it from `forbidden_tools`");
            return Err(table.fault(call.at, why));
        }
    }
    let not_calls = expected::not_calls(table, tools)?;
    let keywords = expected::keywords(table)?;
    let mut test = Object::new();
    let texts = |texts: &[&str]| Json::Array(texts.iter().map(|text| Json::from(*text)).collect());
    let list = |nodes: &mut dyn Iterator<Item = &Node>| Json::Array(nodes.map(Node::to_json).collect());
    test.insert("expected_tool_calls", list(&mut expected.iter().copied()));
    if none {
        test.insert("should_not_call_tools", Json::Bool(true));
    }
    if defaults.ordered {
        test.insert("ordered", Json::Bool(true));
    }
    if !forbidden.is_empty() {
        test.insert("forbidden_tools", texts(forbidden));
    }
    if !not_calls.is_empty() {
        test.insert("not_calls", list(&mut not_calls.iter()));
    }
    if !keywords.is_empty() {
        test.insert("expected_output_contains", texts(&keywords));
    }
    if let Some(threshold) = defaults.threshold {
        test.insert("threshold", Json::Number(threshold.clone()));
    }
    test.insert("max_tool_calls", Json::Number(i64::from(defaults.max_tool_calls).into()));
    test.insert("max_latency_ms", Json::Number(defaults.max_latency_ms.into()));
    Ok(test)
}
