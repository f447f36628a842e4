//! The conversation around a question, if a row has both: `question` is its last user message, `messages` all of it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::python_literal::{self, Dialect};
use super::question::{self, Judged, Question};
use crate::domain::{Aftermath, Calls, Flag, Json, Message, Role};
use crate::language;
use crate::reading::words::fold;

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
    /// Whether the row holds another conversation, which nobody is shown.
    pub has_another: bool,
}

impl Conversation {
    /// The conversation of a row that may have several cells for it: the first that says something.
    pub fn of(cells: impl IntoIterator<Item = Option<Json>>, before_turn: bool) -> Option<Conversation> {
        let mut cells: Vec<Json> = cells.into_iter().flatten().collect();
        let mut said = cells.iter().filter(|cell| !is_blank(cell));
        let first = said.next();
        let has_another = said.any(|cell| Some(cell) != first);
        let at = cells.iter().position(|cell| Some(cell) == first).unwrap_or_default();
        (!cells.is_empty()).then(|| Conversation {
            messages: cells.swap_remove(at),
            before_turn,
            unread: false,
            next: None,
            has_another,
        })
    }

    /// What came before a turn that was converted out of a log without users' words.
    pub(super) fn unasked(&self) -> Question {
        let parsed = match &self.messages {
            Json::String(text) => Json::parse(text).ok(),
            _ => None,
        };
        let items = parsed.as_ref().unwrap_or(&self.messages).as_array();
        let messages = items.and_then(question::messages_in).unwrap_or_default();
        Question::unasked(messages.into())
    }

    /// What came after the judged turn, as far as it is known.
    pub(super) fn after(&self) -> Aftermath {
        let parsed = match &self.next {
            Some(Json::String(text)) => Json::parse(text).ok(),
            next => next.clone(),
        };
        let next = parsed.and_then(|next| question::message_of(&next));
        Aftermath { next, ..Aftermath::default() }
    }

    /// What was said before the judged turn, given the question `asked` that stands in its own `cell`: the conversation that leads
    /// to it, or the one before it and then the question.
    pub(super) fn around(&self, cell: &str, asked: Question, judged: &Judged) -> Question {
        let parsed = match &self.messages {
            Json::String(text) => {
                Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr))
            }
            _ => None,
        };
        let logged = parsed.as_ref().unwrap_or(&self.messages);
        if self.before_turn {
            return leading(logged, cell, asked);
        }
        let asked = asked.before(judged);
        let around = match logged.as_array().map(question::history) {
            Some(Some((history, flags))) => beside(asked, history, flags, judged),
            // Nothing was said before.
            _ if is_blank(logged) => asked,
            _ => flagged(asked, Flag::HistoryLeftOut),
        };
        if self.has_another { flagged(around, Flag::HistoryLeftOut) } else { around }
    }
}

/// Whether a cell holds no conversation, rather than one that cannot be read.
fn is_blank(logged: &Json) -> bool {
    match logged {
        Json::Null => true,
        Json::String(text) => matches!(text.trim(), "" | "null" | "None" | "nan" | "[]" | "{}"),
        Json::Array(items) => items.is_empty(),
        Json::Object(object) => object.is_empty(),
        _ => false,
    }
}

/// The conversation of a converted row, which leads to the question.
fn leading(logged: &Json, cell: &str, asked: Question) -> Question {
    let Some(Ok(read)) = logged.as_array().map(question::conversation) else { return asked };
    // The words that a user said may be a conversation in JSON; beside a conversation that ends with them they are words.
    if read.text == cell || read.text == asked.text { read } else { asked }
}

/// The conversation of a row beside its question. Where it ends with the question, it leads to it; where it goes on, the judged
/// turn or the question says how far it counts; where it does not hold the question, it came before.
fn beside(asked: Question, history: Vec<Message>, flags: BTreeSet<Flag>, judged: &Judged) -> Question {
    let whole = match Question::ending(history, flags) {
        Ok(whole) => whole,
        Err((history, flags)) => return asked.after(history, flags),
    };
    let last_asked = |question: &Question, at: usize| {
        let mut read = question.clone();
        read.messages = read.messages.first(at + 1);
        read.flags.remove(&Flag::JudgedTurnNotFound);
        Question { text: asked.text.clone(), ..read }.shown()
    };
    let repeats = whole.repeats(judged);
    let mut read = whole.clone().before(judged);
    if repeats {
        read.flags.insert(Flag::JudgedTurnAmbiguous);
    }
    if holds(&read.text, &asked.text) {
        // An answer at the end, which is not the judged turn, came after it.
        return match read.messages.iter().rposition(|message| message.role == Role::User) {
            Some(at) if read.ends_with_an_answer() => {
                flagged(last_asked(&read, at), Flag::JudgedTurnNotFound)
            }
            _ => read,
        };
    }
    if asked.messages.len() > 1 {
        return flagged(asked, Flag::HistoryLeftOut);
    }
    let is_question =
        |message: &Message| message.role == Role::User && is_same(&message.content, &asked.text);
    if let Some(at) = whole.messages.iter().rposition(is_question) {
        return flagged(last_asked(&whole, at), Flag::HistoryAmbiguous);
    }
    // An answer without calls at its end is no turn that came after the question.
    let calls_nothing = matches!(judged.calls, Calls::Parsed(calls) if calls.is_empty());
    let before = if calls_nothing { whole.clone() } else { read };
    let is_cut = before.messages.len() < whole.messages.len();
    let is_due = before.messages.last().is_some_and(|last| last.role == Role::User);
    let mut flags = before.flags;
    flags.remove(&Flag::JudgedTurnNotFound);
    if is_cut || is_due {
        flags.insert(Flag::HistoryAmbiguous);
    }
    asked.after(before.messages.to_vec(), flags)
}

fn flagged(mut question: Question, flag: Flag) -> Question {
    question.flags.insert(flag);
    question
}

/// Whether two texts say the same, whatever their spaces and letter case.
fn is_same(one: &str, other: &str) -> bool {
    words(one) == words(other)
}

/// Whether a message says the question, be it among what a prompt puts around it: a line, a quotation or a sentence at the end is
/// the question, also before thanks, and a part of a longer sentence is another request.
fn holds(message: &str, question: &str) -> bool {
    // Fewer words may be part of anything.
    const FEWEST_WORDS: usize = 3;
    const BEFORE: &[char] = &['\n', ':', '>', '"', '\'', '`', '“', '«', '*', '.', '!', '?'];
    const AFTER: &[char] = &['\n', '<', '"', '\'', '`', '”', '»', '*'];
    let asked = words(question);
    if words(message) == asked {
        return true;
    }
    let lines: Vec<String> = message.lines().map(|line| words(line).trim().to_owned()).collect();
    let (lines, asked) = (lines.join("\n"), asked.trim());
    let said = lines.replace('\n', " ");
    let stands_alone = |at: usize| {
        let before = lines[..at].trim_end_matches(' ');
        let after = lines[at + asked.len()..].trim_start_matches(' ');
        (before.is_empty() || before.ends_with(BEFORE)) && (after.starts_with(AFTER) || is_only_thanks(after))
    };
    asked.split(' ').count() >= FEWEST_WORDS && said.match_indices(asked).any(|(at, _)| stands_alone(at))
}

/// Whether a text asks nothing: it is empty, the end of a sentence, or thanks.
fn is_only_thanks(text: &str) -> bool {
    static THANKS: LazyLock<Vec<String>> = LazyLock::new(|| language::phrases(|of| &of.talk.thanks));
    let left = THANKS.iter().fold(fold(text), |left, thanks| left.replace(thanks.as_str(), " "));
    !text.contains('?') && left.trim().is_empty()
}

/// The words of a text, with a space around each.
fn words(text: &str) -> String {
    text.split_whitespace().fold(" ".to_owned(), |all, word| all + &word.to_lowercase() + " ")
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
        let context = Conversation::of([Some(messages)], before_turn).unwrap();
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
        const LEFT_OUT: &[Flag] = &[Flag::HistoryLeftOut];
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
            // The question comes after what was said.
            (format!("[{BEFORE}]"), 3, &[], 1),
            (format!("[{BEFORE},{USER},{SAID}]"), 3, LOST, 4),
            ("[]".to_owned(), 1, &[], 1),
            ("7".to_owned(), 1, LEFT_OUT, 1),
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
    fn a_question_stands_alone_in_a_prompt_around_it() {
        for (message, is_held) in [
            ("cancel  my\nORDER", true),
            ("Answer briefly.\nQuestion: cancel my order\nAnswer:", true),
            ("Answer: \"Cancel my order\".", true),
            ("<question>cancel my order</question>", true),
            ("You are a clerk. Cancel my order", true),
            ("Cancel my\norder\n\nBe brief.", true),
            ("Cancel my order. Thanks!", true),
            ("Hello! Cancel my order, thank you.", true),
            ("Cancel my order. Then refund it. Thanks!", false),
            ("Cancel my order 7. Thanks!", false),
            ("You asked: cancel my order?", false),
            ("please cancel my order 5 and refund it", false),
            ("please cancel my order", false),
            ("cancel my order 5", false),
            ("Do not cancel my orders.", false),
            ("Order", false),
        ] {
            assert_eq!(holds(message, "cancel my order"), is_held, "{message}");
        }
        assert!(!holds("Now order: yes, order", "order"), "a word may be part of anything");
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
        let context = Conversation::of([Some(messages)], true).unwrap();
        let normalizer = Normalizer::new(Options::default()).unwrap();
        assert_eq!(normalizer.sample_in_context(row.clone(), Some(&context)).unwrap().question, said);
        assert!(normalizer.sample(row).is_err(), "alone it is a conversation, and its message is blank");
    }
}
