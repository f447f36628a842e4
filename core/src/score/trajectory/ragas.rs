//! Ragas' ToolCallAccuracy and ToolCallF1 (0.4.3).

use super::step::Step;
use crate::domain::{Json, Object};
use crate::python::write_str;
use crate::score::Equality;

/// Arguments by name, sorted, as Python's `str` writes them.
type Texts = Vec<(String, String)>;

/// The mean share of expected arguments whose texts are equal, if the names are the expected ones.
pub(super) fn accuracy(called: &[Step], expected: &[Step], strict_order: bool) -> f64 {
    if called.is_empty() || expected.is_empty() {
        return f64::from(u8::from(called.is_empty() && expected.is_empty()));
    }
    let (called, expected) = (with_texts(called, !strict_order), with_texts(expected, !strict_order));
    // The peer's penalty for missing calls never shows: lists of another length do not have the same names.
    if !called.iter().map(|(tool, _)| tool).eq(expected.iter().map(|(tool, _)| tool)) {
        return 0.0;
    }
    let shares = called.iter().zip(&expected).map(|((_, called), (_, expected))| share(called, expected));
    shares.sum::<f64>() / expected.len() as f64
}

fn share(called: &[(String, String)], expected: &[(String, String)]) -> f64 {
    if expected.is_empty() {
        return f64::from(u8::from(called.is_empty()));
    }
    let right = expected.iter().filter(|argument| called.contains(argument)).count();
    right as f64 / expected.len() as f64
}

fn with_texts<'a>(steps: &[Step<'a>], sorted: bool) -> Vec<(&'a str, Texts)> {
    let mut steps: Vec<(&str, Texts)> = steps.iter().map(|step| (step.tool, texts(step))).collect();
    if sorted {
        steps.sort();
    }
    steps
}

fn texts(step: &Step) -> Texts {
    let none = Object::new();
    let arguments = step.members().ok().flatten().unwrap_or(&none);
    let text = |value: &Json| {
        let mut text = String::new();
        write_str(&mut text, value);
        text
    };
    let mut texts: Texts = arguments.iter().map(|(key, value)| (key.to_owned(), text(value))).collect();
    texts.sort();
    texts
}

/// F1 over the sets of calls, rounded to four places; equal calls are one.
pub(super) fn f1(called: &[Step], expected: &[Step]) -> f64 {
    let (called, expected) = (distinct(called), distinct(expected));
    let both = called.iter().filter(|call| expected.iter().any(|other| is_same(call, other))).count() as f64;
    let share = |all: usize| if all == 0 { 0.0 } else { both / all as f64 };
    let (precision, recall) = (share(called.len()), share(expected.len()));
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    format!("{f1:.4}").parse().unwrap_or(f1)
}

fn distinct<'s, 'a>(steps: &'s [Step<'a>]) -> Vec<&'s Step<'a>> {
    let mut distinct: Vec<&Step> = Vec::new();
    for step in steps {
        if !distinct.iter().any(|other| is_same(step, other)) {
            distinct.push(step);
        }
    }
    distinct
}

fn is_same(a: &Step, b: &Step) -> bool {
    let none = Json::Object(Object::new());
    let arguments = |step: &Step| step.arguments.as_deref().unwrap_or(&none).clone();
    a.tool == b.tool && Equality::Python.values(&arguments(a), &arguments(b))
}
