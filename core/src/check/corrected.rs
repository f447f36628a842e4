//! Values in words that the last message names and then replaces: `in celsius. No, fahrenheit`.
//!
//! Numbers and codes are `features/latest.rs`'s business.

use std::sync::LazyLock;

use super::clause::clauses;
use super::node::Node;
use super::observation::{Observation, Place, step};
use super::toolbox::Toolbox;
use crate::domain::{Role, Sample, ToolCall};
use crate::language::phrases;
use crate::reading::words::{WordSet, fold, is_content, words};

/// Bytes of a message, calls, values of a call and bytes of one that are looked at: bounds the work on hostile rows.
const MAX_BYTES: usize = 4 * 1024;
const MAX_CALLS: usize = 8;
const MAX_VALUES: usize = 32;
const MAX_VALUE: usize = 40;
/// Words between a value and the phrase that takes it back, and between that phrase and the other value.
const NEAR: usize = 2;

/// Phrases that take back what was said, between spaces.
static CORRECTIONS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.corrections));
/// Words that do so where they are a clause by themselves.
static NO: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(["no", "nope", "nah"]));

/// Those of them that have no other meaning.
static MEANT: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.meant));

/// A place in the folded message behind which something else is said.
#[derive(Clone, Copy)]
struct Mark {
    start: usize,
    end: usize,
    /// Whether the phrase has no other meaning.
    is_plain: bool,
}

/// The values of the calls that the user replaced.
pub(super) fn corrected(sample: &Sample, calls: &[ToolCall], toolbox: &Toolbox) -> Vec<Observation> {
    let said = said(sample);
    if said.len() > MAX_BYTES || calls.is_empty() {
        return Vec::new();
    }
    let mut text = String::new();
    let mut marks = Vec::new();
    for clause in clauses(&said) {
        let first = words(&clause.folded).next().unwrap_or_default();
        // `No voucher` keeps something out; `no, a voucher` asks for it.
        if NO.has(first) && clause.folded.trim() == first {
            marks.push(Mark { start: text.len(), end: text.len() + first.len() + 1, is_plain: false });
        }
        text.push_str(&clause.folded);
    }
    for phrase in CORRECTIONS.iter() {
        let found = text.match_indices(phrase.as_str()).take(MAX_VALUES);
        marks.extend(found.map(|(at, _)| Mark {
            start: at,
            end: at + phrase.len() - 1,
            is_plain: MEANT.contains(phrase),
        }));
    }
    let mut found = Vec::new();
    if marks.is_empty() {
        return found;
    }
    // Of `sorry, I mean` the last one stands before what is meant.
    marks.sort_by_key(|mark| std::cmp::Reverse(mark.start));
    let used: String = calls.iter().take(MAX_CALLS).map(|call| fold(&call.to_json().to_string())).collect();
    for (at, call) in calls.iter().enumerate().take(MAX_CALLS) {
        let tool = toolbox.find(&call.name).map(|at| &toolbox.tools[at]);
        let Some(arguments) = call.parsed() else { continue };
        for (name, value) in arguments.iter().take(MAX_VALUES) {
            let node = tool.and_then(|tool| tool.root.property(name));
            let Some(value) = value.as_str().filter(|value| value.len() <= MAX_VALUE) else { continue };
            let named = marks.iter().find_map(|mark| replaced(&text, *mark, value, node, &used));
            let place = Place { call: at, path: step("", name) };
            found.extend(named.map(|named| Observation::Corrected {
                at: place,
                value: value.to_owned(),
                named,
            }));
        }
    }
    found
}

/// What the user said last: with the message before it, where the last one begins by taking something back.
fn said(sample: &Sample) -> String {
    let users = || sample.before_turn().iter().rev().filter(|message| message.role == Role::User);
    let before =
        users().nth(1).filter(|own| own.content.len() <= MAX_BYTES && own.content != sample.question);
    let begins = || {
        let head = fold(&sample.question[..sample.question.floor_char_boundary(MAX_VALUE)]);
        words(&head).next().is_some_and(|first| NO.has(first))
            || CORRECTIONS.iter().any(|phrase| head.starts_with(phrase.as_str()))
    };
    match before.filter(|_| begins()) {
        Some(before) => format!("{}\n{}", before.content, sample.question),
        None => sample.question.clone(),
    }
}

/// What was said in a value's place behind a mark.
fn replaced(text: &str, mark: Mark, value: &str, node: Option<&Node>, used: &str) -> Option<String> {
    let own = fold(&value.replace('_', " "));
    if own.trim().len() < 3 || own.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (before, behind) = (&text[..=mark.start], &text[mark.end..]);
    let at = before.rfind(own.as_str())?;
    if behind.contains(own.as_str()) {
        return None;
    }
    let choices = node.map(|node| &node.choices[..]).unwrap_or_default();
    if !choices.is_empty() {
        // Right behind the phrase: `make it short. Celsius, or Fahrenheit in the report` corrects nothing.
        let end = words(behind).take(NEAR + 2).map(|word| word.len() + 1).sum::<usize>();
        let near = &behind[..behind.floor_char_boundary(end + 1)];
        let is_other = |folded: &str| folded != own && near.contains(folded) && !used.contains(folded);
        return choices
            .iter()
            .map(|choice| &choice.folded)
            .find(|own| is_other(own))
            .map(|own| own.trim().to_owned());
    }
    // Two values of any kind take each other's place only where hardly a word parts them.
    let between = words(&before[at + own.len() - 1..]).count();
    if !mark.is_plain || between > NEAR {
        return None;
    }
    let next = words(behind).take(NEAR + 1).find(|word| is_content(word))?;
    (!used.contains(&format!(" {next} "))).then(|| next.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use crate::domain::{Json, ToolDefinition};

    #[test]
    fn the_last_word_counts() {
        let schema = r#"{"type": "object", "properties": {"unit": {"enum": ["celsius", "fahrenheit"]},
            "to": {"type": "string"}}}"#;
        let definitions = vec![ToolDefinition {
            name: "f".to_owned(),
            description: String::new(),
            parameters: Json::parse(schema).unwrap(),
        }];
        for (text, name, value, named) in [
            ("Rome in celsius. No, fahrenheit please", "unit", "celsius", Some("fahrenheit")),
            ("Rome in celsius. No, fahrenheit please", "unit", "fahrenheit", None),
            ("Rome in fahrenheit, no, celsius, no, fahrenheit", "unit", "fahrenheit", None),
            ("Rome in celsius, no fahrenheit this time", "unit", "celsius", None),
            ("Rome in celsius, no rain I hope", "unit", "celsius", None),
            ("send it to Anna, sorry, I mean Hannah", "to", "Anna", Some("hannah")),
            ("send it to Anna, sorry, I mean Hannah", "to", "Hannah", None),
            ("play it in the kitchen I mean bathroom", "to", "kitchen", Some("bathroom")),
            ("write to Anna that we are sorry about the noise", "to", "Anna", None),
            ("to the Louvre by transit rather than driving", "to", "Louvre", None),
            ("email kim, sorry in advance for the noise", "to", "kim", None),
            ("a Margherita, no onions", "to", "Margherita", None),
            ("schick es an Anna, ich meine Hanna", "to", "Anna", Some("hanna")),
        ] {
            let call = ToolCall::new("f", [(name.to_owned(), Json::from(value))].into_iter().collect());
            let sample = sample(text, definitions.clone(), vec![]);
            let toolbox = Toolbox::new(&definitions.clone().into());
            let found = corrected(&sample, &[call], &toolbox);
            let told = found.first().map(|own| match own {
                Observation::Corrected { named, .. } => named.as_str(),
                other => panic!("{other:?}"),
            });
            assert_eq!(told, named, "{text} {value}");
        }
    }
}
