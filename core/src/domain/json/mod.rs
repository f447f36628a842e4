//! JSON values that keep the text of numbers, the order of keys, and repeated keys.
//!
//! `serde_json::Value` would turn `30000000000000000000000` into a float and forget repeated keys, but a judge must see what the
//! model really wrote.

mod number;
mod object;
mod parse;

use std::fmt::{self, Write};

pub use number::Number;
pub use object::Object;
pub use parse::JsonError;

/// A JSON value that writes back what it was read from, white space aside.
///
/// `==` is equality *by text*, key order aside: `1` and `1.0` differ; [`Json::is_equivalent`] takes numbers by their
/// value. Python's and JavaScript's equalities belong to the
/// scorers.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in the spelling of its source.
    Number(Number),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// Keys and values, in the order of their source.
    Object(Object),
}

impl Json {
    /// Whether the text this was read from named a key of an object twice, at any depth.
    pub fn repeats_a_key(&self) -> bool {
        match self {
            Json::Object(object) => object.repeats_a_key(),
            Json::Array(items) => items.iter().any(Json::repeats_a_key),
            _ => false,
        }
    }

    /// Deepest nesting that is read; beyond it a value is an error, not a stack overflow.
    pub const MAX_DEPTH: usize = 128;

    /// Parses one JSON text (RFC 8259), white space around it allowed.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        parse::whole(text)
    }

    /// Parses the JSON value at the start of `text`, and returns where it ends, in bytes.
    ///
    /// For texts that hold a value among other things: the end is found by parsing, never by searching for a brace.
    pub fn parse_prefix(text: &str) -> Result<(Json, usize), JsonError> {
        parse::prefix(text)
    }

    /// The text, without quotation marks; `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items; `None` for other values.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members; `None` for other values.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Equal, with numbers by their value: a table makes `4.0` of a `4` where another row has none.
    pub fn is_equivalent(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Number(one), Json::Number(two)) => one.is_equivalent(two),
            (Json::Array(one), Json::Array(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.is_equivalent(two))
            }
            (Json::Object(one), Json::Object(two)) => one.is_equivalent(two),
            _ => self == other,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// The member `key` of an object; `None` for other values.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// The value without the null members of its objects, at any depth.
    #[must_use]
    pub fn without_nulls(self) -> Json {
        match self {
            Json::Array(items) => Json::Array(items.into_iter().map(Json::without_nulls).collect()),
            Json::Object(object) => {
                let present = object.into_iter().filter(|(_, value)| !value.is_null());
                Json::Object(present.map(|(key, value)| (key, value.without_nulls())).collect())
            }
            other => other,
        }
    }

    pub(crate) fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }

    /// [`Json::get`], to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.as_object_mut()?.get_mut(key)
    }

    /// The JSON Schema name of this value's type; a number without fraction or exponent is an `integer`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(number) if number.is_integer() => "integer",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::String(text)
    }
}

/// Lossy where `serde_json` is: numbers beyond 64 bits become floats. For libraries that speak `serde_json` only.
impl From<&Json> for serde_json::Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => serde_json::from_str(number.as_str())
                .unwrap_or_else(|_| Self::String(number.as_str().to_owned())),
            Json::String(text) => Self::String(text.clone()),
            Json::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Json::Object(object) => {
                Self::Object(object.iter().map(|(key, value)| (key.to_owned(), Self::from(value))).collect())
            }
        }
    }
}

/// Compact JSON: no white space between tokens.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(true) => f.write_str("true"),
            Json::Bool(false) => f.write_str("false"),
            Json::Number(number) => f.write_str(number.as_str()),
            Json::String(text) => write_string(f, text),
            Json::Array(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_char(',')?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_char(']')
            }
            Json::Object(object) => write!(f, "{object}"),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (i, (key, value)) in self.iter().enumerate() {
            if i > 0 {
                f.write_char(',')?;
            }
            write_string(f, key)?;
            write!(f, ":{value}")?;
        }
        f.write_char('}')
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut plain = 0;
    for (i, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => {
                f.write_str(&text[plain..i])?;
                write!(f, "\\u{byte:04x}")?;
                plain = i + 1;
                continue;
            }
            _ => continue,
        };
        f.write_str(&text[plain..i])?;
        f.write_str(escape)?;
        plain = i + 1;
    }
    f.write_str(&text[plain..])?;
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_back_what_it_read() {
        for text in [
            r#"{"b":1,"a":[300,300.0,9007199254740993,123456789012345678901234567890,1E+2,-0]}"#,
            r#"["é\"\\\n\u0001",null,true,false,{},[]]"#,
        ] {
            assert_eq!(Json::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn repeated_keys_are_noticed_and_the_last_wins() {
        let json = Json::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        let object = json.as_object().unwrap();
        assert!(object.has_repeated_key());
        assert_eq!(json.to_string(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn equivalent_values_may_be_spelled_apart() {
        for (one, two, is) in [
            ("4", "4.0", true),
            ("4e0", "4", true),
            ("2.50", "2.5", true),
            ("-0.0", "-0", true),
            ("0", "-0.0", true),
            ("-0", "0", true),
            ("1234567890123456", "1234567890123456.0", true),
            ("1e20", "1E+20", true),
            ("1E-7", "0.0000001", true),
            ("4", "\"4\"", false),
            ("9007199254740993", "9007199254740992", false),
            (r#"{"a":[1,{"b":2.0}],"c":null}"#, r#"{"c":null,"a":[1.0,{"b":2}]}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            ("[1,2]", "[2,1]", false),
        ] {
            let [one, two] = [one, two].map(|text| Json::parse(text).unwrap());
            assert_eq!((one.is_equivalent(&two), two.is_equivalent(&one)), (is, is), "{one} {two}");
        }
    }

    #[test]
    fn objects_are_equal_in_any_order() {
        for size in [2, 100] {
            let object = |keys: &mut dyn Iterator<Item = i64>| -> Object {
                keys.map(|key| (format!("k{key}"), Json::Number(key.into()))).collect()
            };
            let (forward, backward) = (object(&mut (0..size)), object(&mut (0..size).rev()));
            assert_eq!(forward, backward);
            assert_ne!(forward, object(&mut (1..=size)));
            let mut changed = backward;
            changed.insert("k1", "other");
            assert_ne!(forward, changed);
        }
    }

    #[test]
    fn rejects_what_is_not_json() {
        for text in [
            "",
            "{",
            "[1,]",
            "{'a':1}",
            "01",
            "1.",
            ".5",
            "+1",
            "NaN",
            "\"\n\"",
            "\"\\x\"",
            "\"\\ud800\"",
            "[1] 2",
            "{\"a\" 1}",
            "tru",
            "1e",
        ] {
            assert!(Json::parse(text).is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = "[".repeat(10_000);
        assert!(Json::parse(&deep).unwrap_err().is_too_deep());
        let fine = format!("{}{}", "[".repeat(Json::MAX_DEPTH), "]".repeat(Json::MAX_DEPTH));
        assert!(Json::parse(&fine).is_ok());
    }

    #[test]
    fn a_prefix_ends_where_its_value_ends() {
        let text = r#"{"s":"} ]"} tail"#;
        let (json, end) = Json::parse_prefix(text).unwrap();
        assert_eq!(json.to_string(), r#"{"s":"} ]"}"#);
        assert_eq!(&text[end..], " tail");
    }
}
