//! A long sequence of which several samples share a prefix: a transcript of ten thousand turns is stored once, and each turn
//! shows the part before it.

use std::ops::Deref;
use std::sync::Arc;

use super::Message;

/// Messages, the same for all turns of a transcript as far as each of them goes.
#[derive(Clone)]
pub struct Messages {
    all: Arc<[Message]>,
    len: usize,
}

impl Messages {
    /// The first `len` of these messages; all of them if there are fewer.
    pub fn first(&self, len: usize) -> Messages {
        Messages { all: Arc::clone(&self.all), len: len.min(self.len) }
    }

    /// All of them, those after the first included that this holder does not show.
    pub fn whole(&self) -> Messages {
        Messages { all: Arc::clone(&self.all), len: self.all.len() }
    }

    /// Changes them for this holder only, by copying them.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Vec<Message>)) {
        let mut own = self.to_vec();
        edit(&mut own);
        *self = Messages::from(own);
    }
}

impl Deref for Messages {
    type Target = [Message];

    fn deref(&self) -> &[Message] {
        &self.all[..self.len]
    }
}

impl From<Vec<Message>> for Messages {
    fn from(messages: Vec<Message>) -> Messages {
        Messages { len: messages.len(), all: messages.into() }
    }
}

impl Default for Messages {
    fn default() -> Messages {
        Messages::from(Vec::new())
    }
}

impl std::fmt::Debug for Messages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Messages {
    fn eq(&self, other: &Messages) -> bool {
        **self == **other
    }
}

impl<'a> IntoIterator for &'a Messages {
    type Item = &'a Message;
    type IntoIter = std::slice::Iter<'a, Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A text, the same for all turns of a transcript as far as each of them goes.
#[derive(Clone)]
pub struct SharedText {
    all: Arc<str>,
    len: usize,
}

impl SharedText {
    /// The first `len` bytes of this text, which must end where a character does.
    pub fn first(&self, len: usize) -> SharedText {
        debug_assert!(self.is_char_boundary(len.min(self.len)));
        SharedText { all: Arc::clone(&self.all), len: len.min(self.len) }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.all[..self.len]
    }
}

impl<T: Into<Arc<str>>> From<T> for SharedText {
    fn from(text: T) -> SharedText {
        let all: Arc<str> = text.into();
        SharedText { len: all.len(), all }
    }
}

impl Default for SharedText {
    fn default() -> SharedText {
        SharedText::from("")
    }
}

impl std::fmt::Debug for SharedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl std::fmt::Display for SharedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        **self == **other
    }
}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl std::hash::Hash for SharedText {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
