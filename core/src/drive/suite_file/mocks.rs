//! The mocks of a suite or a case: `{tool = "get_weather", when = {city = "Hue"}, result = {temp = 31}}`.

use super::node::{Mark, Node, Read};
use super::table::Table;
use super::tools::undefined;
use crate::domain::{Json, Object, ToolDefinition};
use crate::drive::{Matching, MockResult, Rule, Unmatched};
use crate::score::Equality;

const KEYS: &[&str] = &["tool", "when", "match", "result", "text", "error", "results", "times", "latency_ms"];

/// Ways of saying what a call returns; one of them is needed.
const OUTCOMES: [&str; 3] = ["result", "text", "error"];

pub(super) const MATCHINGS: [(&str, Matching); 3] =
    [("strict", Matching::Strict), ("fuzzy", Matching::Fuzzy), ("exact", Matching::Exact)];

pub(super) const UNMATCHED: [(&str, Unmatched); 3] =
    [("error", Unmatched::Error), ("echo", Unmatched::Echo), ("stop", Unmatched::Stop)];

/// A rule with its table, for errors.
#[derive(Debug, Clone)]
pub(super) struct Mock<'a> {
    pub rule: Rule,
    table: Table<'a>,
}

/// Reads the key `mocks` of a table; the rules must be able to match.
pub(super) fn read<'a>(table: &Table<'a>) -> Read<Vec<Mock<'a>>> {
    let items = table.list("mocks")?.unwrap_or_default();
    let mut mocks: Vec<Mock> = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let comma = if table.who().is_empty() { "" } else { ", " };
        let mock = mock(item, format!("{}{comma}mock {}", table.who(), number + 1))?;
        let earlier = mocks.iter().position(|earlier| shadows(&earlier.rule, &mock.rule));
        if let Some(earlier) = earlier {
            let why = format!(
                "it never matches: mock {} answers all of its calls; put this one before it, or give that one `times`",
                earlier + 1
            );
            return Err(mock.table.fault(mock.table.at(), why));
        }
        mocks.push(mock);
    }
    Ok(mocks)
}

fn mock(node: &Node, who: String) -> Read<Mock<'_>> {
    let table = Table::of(node, who, KEYS)?;
    let tool = table
        .text("tool")?
        .ok_or_else(|| table.fault(table.at(), "`tool` is missing: the name of the tool"))?;
    let given: Vec<&str> =
        OUTCOMES.into_iter().chain(["results"]).filter(|key| has_outcome(node, key)).collect();
    let outcomes = match given[..] {
        ["results"] => {
            let items = table.list("results")?.unwrap_or_default();
            if items.is_empty() {
                return Err(table
                    .fault(table.place("results"), "`results` is empty: list what calls return, in turn"));
            }
            let each = |(number, item): (usize, &Node)| {
                let table = Table::of(item, format!("{}, result {}", table.who(), number + 1), &OUTCOMES)?;
                let given: Vec<&str> = OUTCOMES.into_iter().filter(|key| has_outcome(item, key)).collect();
                outcome(&table, item, &given)
            };
            items.iter().enumerate().map(each).collect::<Read<_>>()?
        }
        _ => vec![outcome(&table, node, &given)?],
    };
    let rule = Rule {
        tool: tool.to_owned(),
        when: table.table("when")?.map(Node::to_object).unwrap_or_default(),
        matching: table.word("match", &MATCHINGS)?.unwrap_or_default(),
        outcomes,
        times: table.count("times", 1)?,
        latency_ms: table.count("latency_ms", 0)?.unwrap_or_default(),
    };
    Ok(Mock { rule, table })
}

/// Whether a key is there; a `result` may be null.
fn has_outcome(node: &Node, key: &str) -> bool {
    node.members().iter().any(|member| member.key == key)
}

fn outcome(table: &Table, node: &Node, given: &[&str]) -> Read<MockResult> {
    let text = |key| Ok(table.get(key).and_then(|member| member.value.text()).map(str::to_owned));
    let wrong = |key| match table.get(key) {
        Some(member) => table.wrong(member, "a text"),
        None => table.fault(table.at(), format!("`{key}` must be a text")),
    };
    match given {
        ["result"] => {
            let result = node.members().iter().find(|member| member.key == "result");
            Ok(MockResult::Result(result.map_or(Json::Null, |member| member.value.to_json())))
        }
        ["text"] => text("text")?.map(MockResult::Text).ok_or_else(|| wrong("text")),
        ["error"] => text("error")?.map(MockResult::Error).ok_or_else(|| wrong("error")),
        [] => Err(table.fault(table.at(), "it returns nothing: set `result`, `text`, `error` or `results`")),
        [_, second, ..] => {
            let both = given.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
            Err(table.fault(table.place(second), format!("{both} are both set: keep one of them")))
        }
        [other] => Err(table.fault(table.at(), format!("`{other}` cannot stand here"))),
    }
}

/// Whether every call that `later` matches is answered by `earlier`. Fuzzy values count as equal only if they are the same: what is about
/// equal to one value need not be about equal to another.
fn shadows(earlier: &Rule, later: &Rule) -> bool {
    if earlier.tool != later.tool || earlier.times.is_some() {
        return false;
    }
    let implied = || {
        earlier
            .when
            .iter()
            .all(|(key, value)| later.when.get(key).is_some_and(|other| Equality::Json.values(value, other)))
    };
    match (earlier.matching, later.matching) {
        (Matching::Exact, Matching::Exact) => Equality::Json.objects(&earlier.when, &later.when),
        (Matching::Exact, _) => false,
        (Matching::Strict, Matching::Fuzzy) => earlier.when.is_empty(),
        (Matching::Strict | Matching::Fuzzy, _) => implied(),
    }
}

impl Mock<'_> {
    pub fn tool_at(&self) -> Mark {
        self.table.place("tool")
    }

    /// An error if the tool is not among `tools`, or a call of it that passes `validate` can never match.
    pub fn check(&self, tools: &[ToolDefinition], validate: bool) -> Read<()> {
        let Some(tool) = tools.iter().find(|tool| tool.name == self.rule.tool) else {
            return Err(undefined(&self.table, self.tool_at(), "tool", &self.rule.tool, tools));
        };
        if !validate {
            return Ok(());
        }
        match never(&tool.parameters, &self.rule.when, self.rule.matching) {
            Some(why) => Err(self.table.fault(self.table.place("when"), format!("it never matches: {why}"))),
            None => Ok(()),
        }
    }
}

/// Why no arguments that a schema allows can have these values, if that can be told from the schema's own keywords.
pub(super) fn never(schema: &Json, when: &Object, matching: Matching) -> Option<String> {
    let properties = schema.get("properties").and_then(Json::as_object);
    let is_closed = schema.get("additionalProperties") == Some(&Json::Bool(false))
        && ["patternProperties", "$ref"].iter().all(|key| schema.get(key).is_none());
    for (name, value) in when.iter() {
        let Some(property) = properties.and_then(|properties| properties.get(name)) else {
            if is_closed {
                let names = properties.into_iter().flat_map(Object::keys);
                let meant = crate::domain::did_you_mean(name, names);
                return Some(format!("the tool has no parameter `{name}`{meant}"));
            }
            continue;
        };
        if !allows_type(property, value) {
            return Some(format!("the schema does not allow {value} as `{name}`: it is of another type"));
        }
        let choices = property.get("enum").and_then(Json::as_array);
        let is_choice = |choices: &[Json]| choices.iter().any(|choice| Equality::Json.values(choice, value));
        if matching != Matching::Fuzzy && choices.is_some_and(|choices| !is_choice(choices)) {
            return Some(format!("the schema does not allow {value} as `{name}`: it is not in its `enum`"));
        }
    }
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default().iter();
    let missing = required.filter_map(Json::as_str).find(|name| !when.contains_key(name));
    missing.filter(|_| matching == Matching::Exact).map(|name| {
        format!("the schema requires `{name}`, which `match = \"exact\"` does not allow beside `when`")
    })
}

/// Whether a value is of a type that the schema of a parameter names, if it names any.
pub(super) fn allows_type(property: &Json, value: &Json) -> bool {
    let types: Vec<&str> = match property.get("type") {
        Some(Json::String(kind)) => vec![kind],
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
        _ => return true,
    };
    let is = |kind: &str| match (kind, value) {
        ("integer", Json::Number(number)) => number.as_f64().fract() == 0.0,
        ("number", Json::Number(_)) => true,
        (kind, value) => kind == value.type_name(),
    };
    types.into_iter().any(is)
}
