//! The findings that a judge should list for a wrong call: its differences from the right one.

use super::mistakes::Mistake;
use crate::domain::{Finding, FindingKind, Findings, ToolCall};

/// What is wrong with `made`, which is `right` with one mistake.
pub fn findings(mistake: Mistake, right: &[ToolCall], made: &[ToolCall]) -> Findings {
    let list = match mistake {
        Mistake::CallMissing | Mistake::DroppedCall | Mistake::MergedCall => {
            vec![about(None, None, FindingKind::MissingCall)]
        }
        Mistake::CallNotNeeded => made
            .iter()
            .enumerate()
            .map(|(at, call)| about(Some((at, call)), None, FindingKind::UnexpectedCall))
            .collect(),
        Mistake::DuplicatedCall => repeated(made),
        _ => differences(mistake, right, made),
    };
    Findings { list, dropped: 0 }
}

/// The last of two equal calls.
fn repeated(made: &[ToolCall]) -> Vec<Finding> {
    let again = |(at, call): &(usize, &ToolCall)| {
        made[..*at].iter().any(|other| other.name == call.name && other.arguments == call.arguments)
    };
    let twice = made.iter().enumerate().filter(again);
    twice.map(|call| about(Some(call), None, FindingKind::RepeatedCall)).collect()
}

/// Call by call, argument by argument.
fn differences(mistake: Mistake, right: &[ToolCall], made: &[ToolCall]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (call, right) in made.iter().enumerate().zip(right) {
        if call.1.name != right.name {
            found.push(about(Some(call), None, FindingKind::WrongTool));
            continue;
        }
        let (Some(own), Some(other)) = (call.1.parsed(), right.parsed()) else { continue };
        let missing = other
            .keys()
            .filter(|name| !own.contains_key(name))
            .map(|name| (name, FindingKind::MissingParameter));
        let kept = own.iter().filter_map(|(name, value)| match other.get(name) {
            None => Some((name, FindingKind::ExtraParameter)),
            Some(other) if other == value => None,
            Some(_) if mistake == Mistake::WrongType => Some((name, FindingKind::WrongType)),
            Some(_) => Some((name, FindingKind::WrongValue)),
        });
        found.extend(missing.chain(kept).map(|(name, kind)| about(Some(call), Some(name), kind)));
    }
    found
}

fn about(call: Option<(usize, &ToolCall)>, parameter: Option<&str>, kind: FindingKind) -> Finding {
    Finding {
        call: call.map(|(at, _)| at + 1),
        tool: call.map(|(_, call)| call.name.clone()),
        argument: parameter.map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))),
        kind,
        quote: None,
        supported: true,
    }
}
