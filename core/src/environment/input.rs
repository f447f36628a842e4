//! The arguments of a tool.

use std::borrow::Cow;

use crate::domain::Object;

/// What a tool is called with.
///
/// A tool's fields are read leniently, as the first version of pydantic does it:
///
/// | field | takes | refuses |
/// |---|---|---|
/// | integer | integers of any size; `true` as 1; floats, without their fraction; texts that Python's `int` reads | infinities, `"21.0"`, lists, objects |
/// | number | numbers; `true` as 1; texts that Python's `float` reads, `nan` and `inf` too | other texts, lists, objects |
/// | text | texts; numbers and booleans as Python's `str` writes them | lists, objects |
///
/// None takes null, all are required, and arguments that no field has the name of are dropped.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Arguments by name.
    Fields(&'a Object),
    /// A text instead of arguments, which the peer makes of an argument `__arg1`. It is checked as the value of the tool's first
    /// field, and then passed as it is: a user's id `"35"` is valid, but nobody's.
    Bare(&'a str),
}

impl<'a> Input<'a> {
    /// The arguments by name, a bare text under the name of the first field.
    pub(super) fn by_name(self, first: &str) -> Cow<'a, Object> {
        match self {
            Input::Fields(fields) => Cow::Borrowed(fields),
            Input::Bare(text) => {
                let mut fields = Object::new();
                fields.insert(first, text);
                Cow::Owned(fields)
            }
        }
    }
}
