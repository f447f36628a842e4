//! Compares a judge's findings with those of gold, by kind and by place.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Contender, Rows};
use crate::domain::{Finding, FindingKind, Findings, Json};
use crate::stats::{self, Estimate};

/// What gold says is wrong with a row; nothing where nothing is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldFindings(Vec<Finding>);

/// A cell that is no list of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFindings;

impl GoldFindings {
    /// Reads a cell: a list of objects with `kind`, and where there are such `call`, `tool` and `argument` or `path`; `None` of a row
    /// about which gold says nothing.
    pub fn read(cell: Option<&Json>) -> Result<Option<GoldFindings>, NotFindings> {
        let parsed;
        let list = match cell {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Json::String(text)) => {
                parsed = Json::parse(text).map_err(|_| NotFindings)?;
                &parsed
            }
            Some(list) => list,
        };
        let items = list.as_array().ok_or(NotFindings)?;
        items
            .iter()
            .map(finding)
            .collect::<Option<Vec<Finding>>>()
            .map(|list| Some(GoldFindings(list)))
            .ok_or(NotFindings)
    }
}

fn finding(item: &Json) -> Option<Finding> {
    let object = item.as_object()?;
    let text = |name: &str| {
        object.get(name).and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let call = match object.get("call") {
        Some(Json::Number(number)) => {
            Some(usize::try_from(number.as_i64()?).ok()?).filter(|number| *number > 0)
        }
        _ => None,
    };
    Some(Finding {
        call,
        tool: text("tool"),
        argument: text("argument").or_else(|| text("path")),
        kind: text("kind")?.parse().unwrap_or(FindingKind::Other),
        quote: None,
        supported: true,
    })
}

/// What became of the findings of a judge and of gold, row by row.
#[derive(Debug, Clone, Default)]
pub struct FindingMatches {
    /// Gold's findings: the row, the kind, and how they were met.
    gold: Vec<(u32, FindingKind, Met)>,
    /// The judge's findings, likewise.
    said: Vec<(u32, FindingKind, Met)>,
    rows: u64,
    unlisted: u64,
}

/// How a finding is met on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    Not,
    /// Something is found in its place, but something else.
    InPlace,
    /// It is found there too.
    Named,
}

impl FindingMatches {
    /// Adds a row: what gold and what the judge say is wrong with it. A reply without a list counts, and says nothing.
    pub fn add(&mut self, row: usize, gold: &GoldFindings, said: Option<&Findings>) {
        let Some(said) = said else {
            self.unlisted += 1;
            return;
        };
        self.rows += 1;
        let row = row as u32;
        let best = |own: &Finding, others: &[Finding], gold_first: bool| {
            let met = |other: &Finding| match gold_first {
                true => met(own, other),
                false => met(other, own),
            };
            others.iter().map(met).max().unwrap_or(Met::Not)
        };
        self.gold.extend(gold.0.iter().map(|own| (row, own.kind, best(own, &said.list, true))));
        self.said.extend(said.list.iter().map(|own| (row, own.kind, best(own, &gold.0, false))));
    }
}

/// How what a judge says meets what gold says.
fn met(gold: &Finding, said: &Finding) -> Met {
    let same_call = match (gold.call, &gold.tool) {
        (Some(call), _) => said.call == Some(call),
        (None, Some(tool)) => said.tool.as_ref() == Some(tool),
        (None, None) => said.kind == gold.kind,
    };
    let same_argument = match (&gold.argument, &said.argument) {
        (None, None) => true,
        (Some(one), Some(other)) => one == other || within(one, other) || within(other, one),
        _ => false,
    };
    match (same_call && same_argument, gold.kind == said.kind) {
        (true, true) => Met::Named,
        (true, false) => Met::InPlace,
        _ => Met::Not,
    }
}

/// Whether a place lies within another: `/stops/0` within `/stops`.
fn within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// How well a judge finds what is wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingFigures {
    /// Rows with findings of gold, or with gold that says there are none, that the judge listed findings for.
    pub rows: u64,
    /// Rows of that kind whose reply has a label, but no list.
    pub unlisted: u64,
    /// Over all kinds.
    pub overall: FindingRates,
    /// By gold's kind, of what gold finds.
    pub kinds: BTreeMap<&'static str, FindingRates>,
}

/// Shares of findings that the other side has too; by clusters of rows, each with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingRates {
    /// Findings of gold.
    pub gold: u64,
    /// Of these, the share for which the judge finds something in the same place: the call and the argument.
    pub located: Option<Estimate>,
    /// Of these, the share that the judge finds there, by its kind.
    pub named: Option<Estimate>,
    /// Findings of the judge; by kind, those of the kind.
    pub said: u64,
    /// Of these, the share for which gold finds something in the same place.
    pub precision: Option<Estimate>,
}

/// The figures of `contender`, by what it said the first time; `None` where gold has no findings.
pub(super) fn figures(rows: &Rows, contender: &Contender) -> Option<FindingFigures> {
    let matches = contender.repeats.first()?.findings.as_ref()?;
    if matches.rows + matches.unlisted == 0 {
        return None;
    }
    // A judge of the choice of tools is not asked about their arguments.
    let is_due = |(_, kind, _): &&(u32, FindingKind, Met)| kind.concerns(contender.task);
    let due: Vec<(u32, FindingKind, Met)> = matches.gold.iter().filter(is_due).copied().collect();
    let told: Vec<(u32, FindingKind, Met)> = matches.said.iter().filter(is_due).copied().collect();
    let rates = |kind: Option<FindingKind>| {
        let of = |findings: &[(u32, FindingKind, Met)], least: Met| {
            let mut clusters: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
            for (row, own, met) in findings {
                if kind.is_none_or(|kind| kind == *own) {
                    let (hits, all) = clusters.entry(rows.clusters[*row as usize]).or_default();
                    *hits += u64::from(*met >= least);
                    *all += 1;
                }
            }
            let clusters: Vec<(u64, u64)> = clusters.into_values().collect();
            (clusters.iter().map(|(_, all)| all).sum::<u64>(), stats::share(&clusters))
        };
        let (gold, located) = of(&due, Met::InPlace);
        let (said, precision) = of(&told, Met::InPlace);
        FindingRates { gold, located, named: of(&due, Met::Named).1, said, precision }
    };
    let mut kinds: Vec<FindingKind> = due.iter().map(|(_, kind, _)| *kind).collect();
    kinds.sort();
    kinds.dedup();
    Some(FindingFigures {
        rows: matches.rows,
        unlisted: matches.unlisted,
        overall: rates(None),
        kinds: kinds.into_iter().map(|kind| (kind.as_str(), rates(Some(kind)))).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(text: &str) -> GoldFindings {
        GoldFindings::read(Some(&Json::parse(text).unwrap())).unwrap().unwrap()
    }

    #[test]
    fn a_finding_is_met_in_its_place() {
        for (expected, said, met_as) in [
            (
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                Met::Named,
            ),
            (
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                r#"{"call": 1, "argument": "/city", "kind": "invented_value"}"#,
                Met::InPlace,
            ),
            (
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                r#"{"call": 1, "argument": "/town", "kind": "wrong_value"}"#,
                Met::Not,
            ),
            (
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                r#"{"call": 2, "argument": "/city", "kind": "wrong_value"}"#,
                Met::Not,
            ),
            (
                r#"{"call": 1, "argument": "/city", "kind": "wrong_value"}"#,
                r#"{"call": 1, "kind": "wrong_value"}"#,
                Met::Not,
            ),
            (
                r#"{"call": 1, "argument": "/stops", "kind": "wrong_value"}"#,
                r#"{"call": 1, "argument": "/stops/0/x", "kind": "wrong_value"}"#,
                Met::Named,
            ),
            (
                r#"{"call": 1, "argument": "/stops", "kind": "wrong_value"}"#,
                r#"{"call": 1, "argument": "/stops2", "kind": "wrong_value"}"#,
                Met::Not,
            ),
            (r#"{"kind": "missing_call"}"#, r#"{"kind": "missing_call"}"#, Met::Named),
            (r#"{"kind": "missing_call"}"#, r#"{"kind": "other"}"#, Met::Not),
            (
                r#"{"tool": "f", "path": "/a", "kind": "wrong_value"}"#,
                r#"{"call": 2, "tool": "f", "argument": "/a", "kind": "wrong_value"}"#,
                Met::Named,
            ),
            (
                r#"{"call": 1, "kind": "wrong_tool"}"#,
                r#"{"call": 1, "kind": "unexpected_call"}"#,
                Met::InPlace,
            ),
        ] {
            let (expected, said) = (gold(&format!("[{expected}]")), gold(&format!("[{said}]")));
            assert_eq!(met(&expected.0[0], &said.0[0]), met_as, "{expected:?} {said:?}");
        }
    }

    #[test]
    fn cells_of_gold_are_read_or_refused() {
        assert_eq!(GoldFindings::read(None), Ok(None));
        assert_eq!(GoldFindings::read(Some(&Json::from(" "))), Ok(None));
        assert_eq!(GoldFindings::read(Some(&Json::from("[]"))), Ok(Some(GoldFindings::default())));
        for cell in ["wrong_value", "{}", "[1]", r#"[{"call": 1}]"#] {
            assert_eq!(GoldFindings::read(Some(&Json::from(cell))), Err(NotFindings), "{cell}");
        }
    }
}
