//! The typewriters: one with a tool that types any letter, one with a tool for each.

use super::observation::Observation;
use super::tool::{Action, Tool};

pub const ONE: &[Tool] = &[Tool {
    name: "type_letter",
    description: "Print the given letter on the paper.",
    action: Action::TypeText("letter"),
}];

pub const LETTERS: &[Tool] = &[
    key("a"),
    key("b"),
    key("c"),
    key("d"),
    key("e"),
    key("f"),
    key("g"),
    key("h"),
    key("i"),
    key("j"),
    key("k"),
    key("l"),
    key("m"),
    key("n"),
    key("o"),
    key("p"),
    key("q"),
    key("r"),
    key("s"),
    key("t"),
    key("u"),
    key("v"),
    key("w"),
    key("x"),
    key("y"),
    key("z"),
];

/// Its description is made of its name.
const fn key(name: &'static str) -> Tool {
    Tool { name, description: "", action: Action::TypeName }
}

/// Types a text that is one character: one code point, so that a letter with a combining accent is two.
pub fn type_letter(paper: &mut String, letter: &str) -> Observation {
    let mut characters = letter.chars();
    if characters.next().is_none() || characters.next().is_some() {
        return Observation::text("ERROR: The letter must be a single character.");
    }
    paper.push_str(letter);
    Observation::text("OK")
}
