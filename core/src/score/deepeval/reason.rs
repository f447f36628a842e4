//! The reasons as DeepEval words them.

use super::case::{Call, Case};
use super::options::Options;
use super::peer::{Mode, Outcome, is_equal};
use crate::python::{write_indented, write_indented_object, write_list, write_quoted, write_repr};

const NO_JUDGE: &str = "No available tools were provided to assess tool selection criteria";

/// The whole reason, calls and choice of tools.
pub(super) fn whole(case: &Case, options: &Options, outcome: &Outcome) -> String {
    let mut out = String::with_capacity(256);
    out.push_str("[\n\t Tool Calling Reason: ");
    match Mode::of(options) {
        Mode::Exact => exact(&mut out, case, outcome),
        Mode::Ordered => ordered(&mut out, case, outcome),
        Mode::Plain => plain(&mut out, case, outcome),
    }
    out.push_str("\n\t Tool Selection Reason: ");
    let selection = case.selection.filter(|_| case.has_available_tools);
    out.push_str(selection.map_or(NO_JUDGE, |selection| selection.reason));
    out.push_str("\n]\n");
    out
}

fn exact(out: &mut String, case: &Case, outcome: &Outcome) {
    out.push_str(if outcome.score == 1.0 { "Exact match: " } else { "Not an exact match: " });
    expected_and_called(out, case);
    out.push('.');
    let mismatches = type_mismatches(case);
    if !mismatches.is_empty() {
        out.push_str(" Tool type mismatches: ");
        names(out, mismatches.iter().map(String::as_str));
        out.push('.');
    }
    out.push_str(" See details above.");
}

fn ordered(out: &mut String, case: &Case, outcome: &Outcome) {
    if outcome.score == 1.0 {
        out.push_str("Correct ordering: all expected tools ");
        call_names(out, &case.expected);
        out.push_str(" were called in the correct order.");
        return;
    }
    out.push_str("Incorrect tool usage: ");
    let missing = distinct_names(&case.expected, |name| case.called.iter().any(|call| call.name == name));
    let in_order = |name: &str| outcome.in_order.iter().any(|at| case.expected[*at].name == name);
    let mismatches = type_mismatches(case);
    let issues: [(&str, Vec<&str>); 3] = [
        ("missing tools ", missing),
        ("out-of-order tools ", distinct_names(&case.expected, in_order)),
        ("tool type mismatches ", mismatches.iter().map(String::as_str).collect()),
    ];
    let issues = issues.into_iter().filter(|(_, tools)| !tools.is_empty());
    for (at, (what, tools)) in issues.enumerate() {
        out.push_str(if at == 0 { "" } else { " and " });
        out.push_str(what);
        names(out, tools);
    }
    out.push_str("; ");
    expected_and_called(out, case);
    out.push_str(". See more details above.");
}

fn plain(out: &mut String, case: &Case, outcome: &Outcome) {
    if outcome.score == 1.0 {
        out.push_str("All expected tools ");
        call_names(out, &case.expected);
        out.push_str(" were called (order not considered).");
        return;
    }
    out.push_str("Incomplete tool usage: ");
    let missing = missing(case);
    let mismatches = type_mismatches(case);
    if !missing.is_empty() || mismatches.is_empty() {
        out.push_str("missing tools ");
        write_list(out, missing, call);
        out.push_str("; ");
    }
    if !mismatches.is_empty() {
        out.push_str("tool type mismatches ");
        names(out, mismatches.iter().map(String::as_str));
        out.push_str("; ");
    }
    expected_and_called(out, case);
    out.push_str(". See more details above.");
}

fn expected_and_called(out: &mut String, case: &Case) {
    out.push_str("expected ");
    call_names(out, &case.expected);
    out.push_str(", called ");
    call_names(out, &case.called);
}

fn call_names(out: &mut String, calls: &[Call]) {
    names(out, calls.iter().map(|call| call.name));
}

fn names<'a>(out: &mut String, names: impl IntoIterator<Item = &'a str>) {
    write_list(out, names, write_quoted);
}

/// The names that are not in the other set, each once. The peer prints such sets in an order of chance; here it is that of
/// first appearance.
fn distinct_names<'a>(calls: &[Call<'a>], elsewhere: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for call in calls {
        if !distinct.contains(&call.name) && !elsewhere(call.name) {
            distinct.push(call.name);
        }
    }
    distinct
}

/// The expected calls that equal none that was made, each once.
fn missing<'a, 'b>(case: &'b Case<'a>) -> Vec<&'b Call<'a>> {
    let mut missing: Vec<&Call> = Vec::new();
    for expected in &case.expected {
        let known = missing.iter().copied().chain(&case.called).any(|call| is_equal(expected, call));
        if !known {
            missing.push(expected);
        }
    }
    missing
}

/// For every expected call whose name was called as another type of tool: the first such type.
fn type_mismatches(case: &Case) -> Vec<String> {
    let of = |expected: &Call| {
        let other =
            case.called.iter().find(|call| call.name == expected.name && call.kind != expected.kind)?;
        let (expected_kind, called_kind) = (expected.kind.as_str(), other.kind.as_str());
        Some(format!("{} (expected {expected_kind}, called {called_kind})", expected.name))
    };
    case.expected.iter().filter_map(of).collect()
}

/// A call as the peer prints it, one field to a line.
fn call(out: &mut String, call: &Call) {
    let quoted = |out: &mut String, key: &str, value: &str| {
        out.extend([key, "=\"", value, "\""]);
    };
    out.push_str("ToolCall(\n    ");
    quoted(out, "name", call.name);
    out.push_str(",\n    ");
    quoted(out, "type", call.kind.as_str());
    for (key, value) in [("description", call.description), ("reasoning", call.reasoning)] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push_str(",\n    ");
            quoted(out, key, value);
        }
    }
    if let Some(parameters) = call.parameters.filter(|parameters| !parameters.is_empty()) {
        out.push_str(",\n    input_parameters=");
        write_indented_object(out, parameters, 4);
    }
    if let Some(output) = call.output {
        out.push_str(",\n    output=");
        match output.as_object() {
            Some(_) => write_indented(out, output, 4),
            None => write_repr(out, output),
        }
        // The peer joins the first line to the rest, and an empty object has no rest.
        if output.as_object().is_some_and(crate::domain::Object::is_empty) {
            out.push('\n');
        }
    }
    out.push_str("\n)");
}
