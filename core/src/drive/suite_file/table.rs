//! A table of a suite file: its known keys, each of its type.

use super::node::{Fault, Mark, Member, Node, Read, Value, shown};
use crate::domain::{Number, did_you_mean};

/// A table whose keys are all known.
#[derive(Debug, Clone)]
pub(super) struct Table<'a> {
    node: &'a Node,
    /// What an error says first: "case `T002`".
    who: String,
}

impl<'a> Table<'a> {
    /// A table with none but `known` keys.
    pub fn of(node: &'a Node, who: impl Into<String>, known: &[&str]) -> Read<Table<'a>> {
        let table = Table { node, who: who.into() };
        if !matches!(node.value, Value::Table(_)) {
            return Err(table.fault(node.at, format!("this must be a table, but is {}", shown(node))));
        }
        for member in node.members() {
            if !known.contains(&member.key.as_str()) {
                let meant = did_you_mean(&member.key, known.iter().copied());
                let known =
                    if meant.is_empty() { format!("; the keys are: {}", known.join(", ")) } else { meant };
                return Err(table.fault(member.at, format!("unknown key `{}`{known}", member.key)));
            }
        }
        Ok(table)
    }

    pub fn at(&self) -> Mark {
        self.node.at
    }

    pub fn who(&self) -> &str {
        &self.who
    }

    /// The place of a key, or of the table where it does not have the key.
    pub fn place(&self, key: &str) -> Mark {
        self.get(key).map_or(self.node.at, |member| member.at)
    }

    /// An error about this table.
    pub fn fault(&self, at: Mark, message: impl std::fmt::Display) -> Fault {
        let colon = if self.who.is_empty() { "" } else { ": " };
        Fault::at(at, format!("{}{colon}{message}", self.who))
    }

    /// The member `key`; a null counts as none.
    pub fn get(&self, key: &str) -> Option<&'a Member> {
        self.node.get(key)
    }

    /// An error about a value of the wrong type.
    pub fn wrong(&self, member: &Member, allowed: &str) -> Fault {
        self.fault(member.at, format!("`{}` must be {allowed}, but is {}", member.key, shown(&member.value)))
    }

    fn read<T>(&self, key: &str, allowed: &str, read: impl Fn(&'a Node) -> Option<T>) -> Read<Option<T>> {
        let Some(member) = self.get(key) else { return Ok(None) };
        read(&member.value).map(Some).ok_or_else(|| self.wrong(member, allowed))
    }

    /// A text that is not blank.
    pub fn text(&self, key: &str) -> Read<Option<&'a str>> {
        self.read(key, "a text that is not blank", |node| node.text().filter(|text| !text.trim().is_empty()))
    }

    /// `true` or `false`.
    pub fn boolean(&self, key: &str) -> Read<Option<bool>> {
        self.read(key, "true or false", |node| match node.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        })
    }

    /// A share, from 0 to 1.
    pub fn share(&self, key: &str) -> Read<Option<&'a Number>> {
        self.read(key, "a number from 0 to 1", |node| match &node.value {
            Value::Number(number) => Some(number).filter(|number| (0.0..=1.0).contains(&number.as_f64())),
            _ => None,
        })
    }

    /// A whole number from `least` on.
    pub fn count<T: TryFrom<i64>>(&self, key: &str, least: i64) -> Read<Option<T>> {
        self.read(key, &format!("a whole number from {least} on"), |node| match &node.value {
            Value::Number(number) => number.as_i64().filter(|number| *number >= least)?.try_into().ok(),
            _ => None,
        })
    }

    /// One of some words.
    pub fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Read<Option<T>> {
        let allowed: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        self.read(key, &allowed.join(" or "), |node| {
            words.iter().find(|(word, _)| node.text() == Some(word)).map(|(_, meaning)| *meaning)
        })
    }

    /// The items of a list.
    pub fn list(&self, key: &str) -> Read<Option<&'a [Node]>> {
        self.read(key, "a list", |node| match &node.value {
            Value::List(items) => Some(&items[..]),
            _ => None,
        })
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Read<Option<Vec<(&'a str, Mark)>>> {
        self.read(key, "a list of texts", |node| match &node.value {
            Value::List(items) => items.iter().map(|item| Some((item.text()?, item.at))).collect(),
            _ => None,
        })
    }

    /// A table with any keys.
    pub fn table(&self, key: &str) -> Read<Option<&'a Node>> {
        self.read(key, "a table", |node| matches!(node.value, Value::Table(_)).then_some(node))
    }
}
