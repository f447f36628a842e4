//! Copies of labelled rows with other tools on offer. How many tools a source happens to offer says nothing about a call; trees that see the
//! same calls among few tools and among many do not lean on it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tooljudge_core::domain::Random;

use super::rows::Raw;

/// The share of rows that are copied, and that lend their tools to others.
const COPIED: f64 = 0.5;
const LENDING: f64 = 0.15;
/// Sets of tools to which others are added have at most so many.
const FEW: usize = 6;
/// At most so many are added.
const ADDED: usize = 4;

/// A tool on offer and its name.
type Offered = (String, Value);

/// Half of the rows once more, without the tools that are neither called nor right, or with tools of other questions of the same source.
/// The labels stay: a tool for something else makes no call right or wrong.
pub fn with_other_tools(rows: &[Raw]) -> Vec<Raw> {
    let mut random = Random::new(5);
    let mut right: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    let mut lent: BTreeMap<&str, Vec<Offered>> = BTreeMap::new();
    let rows = || rows.iter().filter(|row| !row.held);
    for row in rows() {
        if let Some(called) = called(row).filter(|_| row.right[0] == Some(true)) {
            right.entry((place(row), &row.question)).or_default().extend(called);
        }
        if random.chance(LENDING) {
            lent.entry(place(row)).or_default().extend(offered(row).unwrap_or_default());
        }
    }
    let mut copies = Vec::new();
    for row in rows() {
        if !random.chance(COPIED) {
            continue;
        }
        let (Some(tools), Some(called)) = (offered(row), called(row)) else { continue };
        let due = right.get(&(place(row), row.question.as_str()));
        let alone = match random.chance(0.5) && (due.is_some() || row.right[2] == Some(true)) {
            true => alone(&tools, &called, due),
            false => None,
        };
        let Some(tools) = alone.or_else(|| among_others(tools, &lent[place(row)], &mut random)) else {
            continue;
        };
        let tools: Vec<Value> = tools.into_iter().map(|(_, tool)| tool).collect();
        let mut copy = row.clone();
        copy.cells[2] = Some(Value::from(tools).to_string());
        copy.source = format!("{}_tools", if row.near { "bfcl" } else { &row.family });
        copy.measured = false;
        copies.push(copy);
    }
    copies
}

/// Questions and tools of one place belong together.
fn place(row: &Raw) -> &str {
    if row.near { "" } else { &row.family }
}

/// Only the tools that are called or right, where others are on offer.
fn alone(
    tools: &[Offered],
    called: &BTreeSet<String>,
    due: Option<&BTreeSet<String>>,
) -> Option<Vec<Offered>> {
    let is_kept = |name: &String| called.contains(name) || due.is_some_and(|due| due.contains(name));
    let kept: Vec<Offered> = tools.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
    (!kept.is_empty() && kept.len() < tools.len()).then_some(kept)
}

/// The tools among some that others lend, where they are few.
fn among_others(mut tools: Vec<Offered>, lent: &[Offered], random: &mut Random) -> Option<Vec<Offered>> {
    if tools.len() > FEW {
        return None;
    }
    let mut draw = |below: usize| (random.unit() * below as f64) as usize;
    for _ in 0..=draw(ADDED) {
        let (name, tool) = &lent[draw(lent.len())];
        if tools.iter().all(|(own, _)| own != name) {
            let at = draw(tools.len() + 1);
            tools.insert(at, (name.clone(), tool.clone()));
        }
    }
    Some(tools)
}

/// The tools on offer, where all have names.
fn offered(row: &Raw) -> Option<Vec<Offered>> {
    let tools: Vec<Value> = serde_json::from_str(row.cells[2].as_deref()?).ok()?;
    let name = |tool: &Value| {
        let own = tool.get("name").or_else(|| tool.get("function")?.get("name"));
        Some(own?.as_str()?.to_owned())
    };
    let named = tools.into_iter().map(|tool| Some((name(&tool)?, tool)));
    named.collect::<Option<Vec<Offered>>>().filter(|tools| !tools.is_empty())
}

/// The names of the called tools.
fn called(row: &Raw) -> Option<BTreeSet<String>> {
    let calls: Vec<Value> = serde_json::from_str(row.cells[1].as_deref()?).ok()?;
    calls.iter().map(|call| Some(call.get("name")?.as_str()?.to_owned())).collect()
}
