//! The built-in judge's observations as findings, the form that every judge lists.

use super::assess::Assessment;
use super::observation::Observation;
use crate::domain::{CallTask, Finding, FindingKind, Findings, ToolCall};

/// Characters of a quotation.
const MAX_QUOTE: usize = 200;

/// The findings of a turn with these `calls`, the first of which has the place `first` in its turn. A right turn has none: what speaks
/// against it decided nothing.
pub(super) fn findings(
    assessment: &Assessment,
    calls: &[ToolCall],
    first: usize,
    task: CallTask,
    correct: bool,
) -> Findings {
    if correct {
        return Findings::default();
    }
    let relevant = || assessment.observations.iter().filter(|observation| observation.concerns(task));
    let settles = |observation: &&Observation| observation.is_fault() || observation.is_grave();
    let decisive = relevant().any(|observation| settles(&observation));
    let told = relevant().filter(|observation| !decisive || settles(observation));
    let mut list: Vec<Finding> = told.filter_map(|observation| finding(observation, calls, first)).collect();
    // Where 7 stands for 4, that the 4 is in no call is the same fault, seen from the question.
    if list.iter().any(|finding| leaves_unused(finding.kind)) {
        list.retain(|finding| finding.kind != FindingKind::Other);
    }
    Findings { list, dropped: 0 }
}

/// Whether a fault of this kind leaves something that the question says without a use.
fn leaves_unused(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::WrongTool
            | FindingKind::MissingCall
            | FindingKind::MissingParameter
            | FindingKind::WrongValue
            | FindingKind::InventedValue
    )
}

fn finding(observation: &Observation, calls: &[ToolCall], first: usize) -> Option<Finding> {
    let kind = kind(observation)?;
    let at = observation.call();
    let call = at.and_then(|at| calls.get(at.checked_sub(first)?));
    let argument = observation.place().map(|place| place.path.clone());
    let quote = match observation {
        Observation::Unused { text, .. } | Observation::HeldBack { text, .. } => Some(text.clone()),
        Observation::OtherChoice { named, .. } | Observation::Corrected { named, .. } => Some(named.clone()),
        Observation::UnknownTool { name, .. } => Some(name.clone()),
        _ => argument.as_deref().and_then(|path| written(call?, path)),
    };
    let quote = quote.filter(|quote| !quote.trim().is_empty());
    Some(Finding {
        call: at.map(|at| at + 1),
        tool: call.map(|call| call.name.clone()),
        argument: argument.filter(|path| !path.is_empty()),
        kind,
        // It was looked at, not remembered.
        supported: true,
        quote: quote.map(|quote| quote.chars().take(MAX_QUOTE).collect()),
    })
}

/// The kind of fault that an observation is; none where it is no fault of the call's.
fn kind(observation: &Observation) -> Option<FindingKind> {
    Some(match observation {
        Observation::UnknownTool { .. }
        | Observation::NoName { .. }
        | Observation::PoorFit { .. }
        | Observation::OtherState { .. }
        | Observation::BetterTool { .. } => FindingKind::WrongTool,
        Observation::MalformedArguments { .. } => FindingKind::Undecodable,
        Observation::MissingParameter { .. } => FindingKind::MissingParameter,
        Observation::UnknownParameter { .. } => FindingKind::ExtraParameter,
        Observation::WrongType { .. } | Observation::LooseType { .. } => FindingKind::WrongType,
        Observation::NotAllowed { .. }
        | Observation::BrokenRule { .. }
        | Observation::PartlyGrounded { .. }
        | Observation::OtherChoice { .. }
        | Observation::EmptyValue { .. }
        | Observation::KeptPercent { .. }
        | Observation::WrongUnit { .. }
        | Observation::WrongSign { .. }
        | Observation::Excluded { .. }
        | Observation::Corrected { .. }
        | Observation::Swapped { .. } => FindingKind::WrongValue,
        Observation::Ungrounded { .. }
        | Observation::Derived { .. }
        | Observation::Placeholder { .. }
        | Observation::CopiedExample { .. } => FindingKind::InventedValue,
        Observation::Duplicate { .. } | Observation::Repeat { .. } | Observation::MaybeTwice { .. } => {
            FindingKind::RepeatedCall
        }
        Observation::HeldBack { .. } => FindingKind::UnexpectedCall,
        Observation::LeftOut { .. } | Observation::TooFewCalls { .. } | Observation::CallDue { .. } => {
            FindingKind::MissingCall
        }
        Observation::Unused { .. } => FindingKind::Other,
        Observation::UnusableSchema { .. } | Observation::TooComplex { .. } => return None,
    })
}

/// An argument's value as the call has it, texts without quotation marks.
fn written(call: &ToolCall, path: &str) -> Option<String> {
    let value = call.parsed()?.at(path)?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
