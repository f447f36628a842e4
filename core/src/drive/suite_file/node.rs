//! A value of a suite file with its position in the text, common to TOML, JSON and YAML.

use crate::domain::{Json, Number, Object};

/// Where a value begins: a byte of a TOML or JSON text, a number of a value in a YAML text. [`Source`](super::source::Source) knows the line.
pub(super) type Mark = usize;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub at: Mark,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Member>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub key: String,
    /// Where the key is.
    pub at: Mark,
    pub value: Node,
}

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub message: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    At(Mark),
    Line(usize),
    Unknown,
}

pub(super) type Read<T> = Result<T, Fault>;

impl Fault {
    pub fn at(mark: Mark, message: impl Into<String>) -> Fault {
        Fault { place: Place::At(mark), message: message.into() }
    }
}

impl Node {
    /// The value without its places.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(truth) => Json::Bool(*truth),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Value::Table(_) => Json::Object(self.to_object()),
        }
    }

    /// The members of a table; an empty object for anything else.
    pub fn to_object(&self) -> Object {
        self.members().iter().map(|member| (member.key.clone(), member.value.to_json())).collect()
    }

    /// The members of a table; none for anything else.
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Value::Table(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The member `key` of a table, unless it is null.
    pub fn get(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key && member.value.value != Value::Null)
    }

    /// A text; `None` for anything else.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The place of `a.b` or `a[0]` in it: of as much of the path as is there.
    pub fn place_of(&self, path: &str) -> Mark {
        let mut node = self;
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let next = match step.strip_suffix(']') {
                Some(index) => index.parse::<usize>().ok().and_then(|index| node.items().get(index)),
                None => node.members().iter().find(|member| member.key == step).map(|member| &member.value),
            };
            let Some(next) = next else { break };
            node = next;
        }
        node.at
    }

    /// The places of all tables in it whose `name` is this one.
    pub fn named(&self, name: &str) -> Vec<Mark> {
        let mut found = Vec::new();
        self.find_named(name, &mut found);
        found
    }

    fn find_named(&self, name: &str, found: &mut Vec<Mark>) {
        if let Some(member) = self.get("name").filter(|member| member.value.text() == Some(name)) {
            return found.push(member.at);
        }
        self.items().iter().for_each(|item| item.find_named(name, found));
        self.members().iter().for_each(|member| member.value.find_named(name, found));
    }
}

/// A value for a message: no longer than a line.
pub(super) fn shown(node: &Node) -> String {
    const MAX_LENGTH: usize = 60;
    let text = node.to_json().to_string();
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
