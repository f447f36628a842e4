//! YAML into values with places.
//!
//! The parser gives positions only for errors. So values are numbered in the order in which they occur, and to find the line of
//! one for an error, the text is parsed again up to it.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use yaml_serde::Deserializer;

use super::json::once_each;
use super::node::{Fault, Mark, Member, Node, Place, Read, Value};
use super::source::line_of_byte;
use crate::domain::Number;

/// Reads a document.
pub(super) fn read(text: &str) -> Read<Node> {
    if let Some(at) = deep_place(text) {
        return Err(Fault {
            place: Place::Line(line_of_byte(text, at)),
            message: "nesting without end".to_owned(),
        });
    }
    let count = Count::default();
    let document = Seed(&count).deserialize(Deserializer::from_str(text));
    let node = document.map_err(|error| Fault {
        place: error.location().map_or(Place::Unknown, |location| Place::Line(location.line())),
        message: format!("not YAML that tooljudge reads: {error}"),
    })?;
    if let Some(at) = count.strange_key.get() {
        return Err(Fault::at(at, "a key that is not a text: put it in quotation marks"));
    }
    check(&node)?;
    Ok(node)
}

fn check(node: &Node) -> Read<()> {
    once_each(node.members())?;
    node.items().iter().try_for_each(check)?;
    node.members().iter().try_for_each(|member| check(&member.value))
}

/// Where so many brackets are open that the parser, whose work grows with their square, would take seconds. Those in texts count too, but
/// no suite leaves thousands of them open.
fn deep_place(text: &str) -> Option<usize> {
    const MAX_OPEN: usize = 2_000;
    let mut open = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX_OPEN
    })
}

/// The line of a value, from 1.
pub(super) fn line(text: &str, mark: Mark) -> Option<usize> {
    let count = Count { wanted: Some(mark), ..Count::default() };
    let error = Seed(&count).deserialize(Deserializer::from_str(text)).err()?;
    error.location().map(|location| location.line())
}

/// How many values were met, and at which an error is wanted.
#[derive(Default)]
struct Count {
    met: Cell<Mark>,
    wanted: Option<Mark>,
    /// The first key that is not a text: an error made where it is met would tell the place of its table.
    strange_key: Cell<Option<Mark>>,
}

impl Count {
    fn next<E: Error>(&self) -> Result<Mark, E> {
        let at = self.met.get();
        self.met.set(at + 1);
        if self.wanted == Some(at) { Err(E::custom("here")) } else { Ok(at) }
    }
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a Count);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Seed<'_> {
    fn node<E: Error>(self, value: Value) -> Result<Node, E> {
        Ok(Node { at: self.0.next()?, value })
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value without a tag")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        self.node(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        self.node(Value::Null)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Node, E> {
        self.node(Value::Bool(truth))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        self.node(Value::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        self.node(Value::Number(number.into()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Node, E> {
        self.node(Number::parse(&number.to_string()).map_or(Value::Null, Value::Number))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Node, E> {
        self.node(Number::parse(&number.to_string()).map_or(Value::Null, Value::Number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        let number = Number::from_f64(number).ok_or_else(|| E::custom("a number that JSON cannot write"))?;
        self.node(Value::Number(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        self.node(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let at = self.0.next()?;
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node { at, value: Value::List(items) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Node, A::Error> {
        let at = self.0.next()?;
        let mut members = Vec::new();
        while let Some(key) = table.next_key_seed(self)? {
            let value = table.next_value_seed(self)?;
            let Value::Text(name) = key.value else {
                self.0.strange_key.set(self.0.strange_key.get().or(Some(key.at)));
                continue;
            };
            members.push(Member { key: name, at: key.at, value });
        }
        Ok(Node { at, value: Value::Table(members) })
    }
}
