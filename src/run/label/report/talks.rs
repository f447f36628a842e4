//! Conversations, each message stored once: the turns of a transcript share a prefix.

use std::io;

use super::row;
use super::spool::{Span, Spool};
use crate::domain::{Json, Messages};

/// All conversations met so far.
#[derive(Default)]
pub(super) struct Talks {
    /// The places of each one's messages.
    pub talks: Vec<Vec<Span>>,
    /// The longest form of the last one.
    last: Messages,
}

impl Talks {
    /// The conversation that `messages` are the beginning of, and their number; nothing of none.
    pub fn place(&mut self, messages: &Messages, spool: &mut Spool) -> io::Result<Option<(u32, u32)>> {
        if messages.is_empty() {
            return Ok(None);
        }
        let common = messages.len().min(self.last.len());
        let goes_on = common > 0
            && (messages.as_ptr() == self.last.as_ptr() || messages[..common] == self.last[..common]);
        if !goes_on {
            self.talks.push(Vec::new());
        }
        let known = if goes_on { self.last.len() } else { 0 };
        if let (Some(talk), true) = (self.talks.last_mut(), messages.len() > known) {
            for message in &messages[known..] {
                let mut cut = false;
                let mut json = row::message(message, &mut cut);
                if let (true, Json::Object(object)) = (cut, &mut json) {
                    object.insert("cut", Json::Bool(true));
                }
                talk.push(spool.put(&json.to_string())?);
            }
            self.last = messages.clone();
        }
        Ok(Some((self.talks.len() as u32 - 1, messages.len() as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Message, Role};

    #[test]
    fn turns_of_a_transcript_share_its_messages() {
        let mut spool = Spool::new(&std::env::temp_dir()).unwrap();
        let mut talks = Talks::default();
        let message = |text: &str| Message::new(Role::User, text);
        let whole = Messages::from(["a", "b", "c"].map(message).to_vec());
        let mut place = |messages: &Messages| talks.place(messages, &mut spool).unwrap();
        assert_eq!(place(&Messages::default()), None);
        assert_eq!(place(&whole.first(1)), Some((0, 1)));
        assert_eq!(place(&whole.first(3)), Some((0, 3)));
        assert_eq!(place(&Messages::from(["a", "b"].map(message).to_vec())), Some((0, 2)));
        assert_eq!(place(&Messages::from(["a", "x"].map(message).to_vec())), Some((1, 2)));
        assert_eq!(talks.talks.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
    }
}
