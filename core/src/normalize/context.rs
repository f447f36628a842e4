//! The conversation around a question, where a row holds both: `question` is its last user message, `messages` all of it.

use super::python_literal::{self, Dialect};
use super::question::{self, Judged, Question};
use crate::domain::{Aftermath, Flag, Json};

/// A row's conversation, in a cell of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// A list of messages, or such a list as text.
    pub messages: Json,
    /// Whether it is known to end before the judged turn.
    pub before_turn: bool,
    /// Whether the row was converted from a log in which its call could not be read.
    pub unread: bool,
    /// What the assistant did after the judged turn, where that is known.
    pub next: Option<Json>,
}

impl Conversation {
    /// What came after the judged turn, as far as it is known.
    pub(super) fn after(&self) -> Aftermath {
        let parsed = match &self.next {
            Some(Json::String(text)) => Json::parse(text).ok(),
            next => next.clone(),
        };
        let next = parsed.and_then(|next| question::message_of(&next));
        Aftermath { next, ..Aftermath::default() }
    }

    /// What was said before the judged turn: the conversation, if it leads to `asked`. One that ends with the assistant's words,
    /// which are not the judged turn, may answer it, and is left alone.
    pub(super) fn around(&self, cell: &str, asked: Question, judged: &Judged) -> Question {
        let parsed = match &self.messages {
            Json::String(text) => {
                Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr))
            }
            _ => None,
        };
        let read = parsed.as_ref().unwrap_or(&self.messages).as_array().map(question::conversation);
        let before = |question: Question| if self.before_turn { question } else { question.before(judged) };
        let asked = before(asked);
        let Some(Ok(read)) = read else { return asked };
        let mut read = before(read);
        // A column of conversations may hold what became of its row. A conversation that is the question does not.
        if !self.before_turn && read.repeats(judged) {
            read.flags.insert(Flag::JudgedTurnAmbiguous);
        }
        // The words that a user said may be a conversation in JSON; beside a conversation that ends with them they are words.
        if self.before_turn && read.text == cell {
            return read;
        }
        if read.text != asked.text {
            return asked;
        }
        if self.before_turn || !read.ends_with_an_answer() {
            return read;
        }
        let flags = asked.flags.into_iter().chain([Flag::JudgedTurnNotFound]).collect();
        Question { flags, ..asked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Cell, RawRow, Sample};
    use crate::normalize::{Normalizer, Options};

    fn sample(messages: Json, before_turn: bool) -> Sample {
        let row = RawRow {
            question: Cell::Text("B".to_owned()),
            tool_call: Cell::Text(r#"{"name":"f","arguments":{"a":1}}"#.to_owned()),
            tool_definitions: Cell::Null,
            ..RawRow::default()
        };
        let context = Conversation { messages, before_turn, unread: false, next: None };
        Normalizer::new(Options::default()).unwrap().sample_in_context(row, Some(&context)).unwrap()
    }

    #[test]
    fn only_the_conversation_that_leads_to_the_question_counts() {
        const USER: &str = r#"{"role":"user","content":"B"}"#;
        const BEFORE: &str = r#"{"role":"user","content":"A"},{"role":"assistant","content":"a"}"#;
        const RESULT: &str = r#"{"role":"tool","content":"7"}"#;
        const SAID: &str = r#"{"role":"assistant","content":"b"}"#;
        let call = |a: f64| {
            let arguments = Json::from(format!(r#"{{"a": {a:?}}}"#)).to_string();
            format!(
                r#"{{"role":"assistant","tool_calls":[{{"function":{{"name":"f","arguments":{arguments}}}}}]}}"#
            )
        };
        let (judged, other) = (call(1.0), call(2.0));
        const CUT: &[Flag] = &[Flag::JudgedTurnCut];
        const LOST: &[Flag] = &[Flag::JudgedTurnNotFound];
        const AGAIN: &[Flag] = &[Flag::JudgedTurnAmbiguous];
        // The list, how many of its messages are shown if it may go on after the turn, with which flags, and how many if not.
        for (messages, shown, flags, shown_before_turn) in [
            (format!("[{BEFORE},{USER}]"), 3, &[][..], 3),
            (format!("[{USER}]"), 1, &[], 1),
            (format!("[{BEFORE},{USER},{other},{RESULT}]"), 5, &[], 5),
            (format!("[{BEFORE},{USER},{judged},{RESULT}]"), 3, CUT, 5),
            (format!("[{BEFORE},{USER},{judged},{RESULT},{SAID}]"), 3, CUT, 6),
            (format!("[{BEFORE},{USER},{other},{RESULT},{judged}]"), 5, CUT, 6),
            (format!("[{judged},{RESULT},{USER}]"), 3, AGAIN, 3),
            (format!("[{USER},{SAID}]"), 1, LOST, 2),
            (format!("[{BEFORE}]"), 1, &[], 1),
            ("[]".to_owned(), 1, &[], 1),
            ("7".to_owned(), 1, &[], 1),
        ] {
            let json = Json::parse(&messages).unwrap();
            for given in [json.clone(), Json::from(messages.clone())] {
                let read = sample(given.clone(), false);
                assert_eq!(read.messages.len(), shown, "{messages}");
                let found: Vec<Flag> =
                    read.flags.into_iter().filter(|flag| *flag != Flag::NoDefinitions).collect();
                assert_eq!(found, flags, "{messages}");
                assert_eq!(sample(given, true).messages.len(), shown_before_turn, "{messages}");
            }
        }
    }

    #[test]
    fn words_that_look_like_a_conversation_are_words_beside_one_that_ends_with_them() {
        let said = r#"[{"role":"user","contents":"B?"}]"#;
        let row = RawRow {
            question: Cell::Text(said.to_owned()),
            tool_call: Cell::Text("f(a=1)".to_owned()),
            ..RawRow::default()
        };
        let messages = format!(r#"[{{"role":"user","content":{}}}]"#, Json::from(said));
        let messages = Json::parse(&messages).unwrap();
        let context = Conversation { messages, before_turn: true, unread: false, next: None };
        let normalizer = Normalizer::new(Options::default()).unwrap();
        assert_eq!(normalizer.sample_in_context(row.clone(), Some(&context)).unwrap().question, said);
        assert!(normalizer.sample(row).is_err(), "alone it is a conversation, and its message is blank");
    }
}
