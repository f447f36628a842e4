//! A transcript's messages, parsed once: each turn's judge is shown a prefix of them.
//!
//! Everything that is the same for all turns is computed in one pass, so the cost is linear in the length of the transcript,
//! however many turns it has.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::{Question, error, message};
use crate::domain::{
    Aftermath, Flag, Json, Message, Messages, Role, RowError, RowErrorCode, SharedText, ToolResult,
};
use crate::normalize::calls::thought;

/// All messages of a transcript.
#[derive(Debug, Default, PartialEq)]
pub struct History {
    messages: Messages,
    /// The conversation as judges are shown it, one paragraph a message.
    shown: SharedText,
    /// Where in `shown` each number of messages ends.
    ends: Vec<usize>,
    /// Which message is the user's last among each number of messages.
    asked: Vec<Option<usize>>,
    /// What was unusual, and the number of messages in which it was met first.
    flags: Vec<(usize, Flag)>,
    /// How many messages there are before each element of the log.
    starts: Vec<usize>,
    /// Of each call's id, the messages that make a call by it.
    callers: HashMap<String, Vec<usize>>,
    /// Of each call's id, the messages that say what it returned.
    results: HashMap<String, Vec<usize>>,
    /// The assistant's last words to the user, and the message that holds them.
    final_answer: Option<(usize, Arc<str>)>,
}

impl History {
    /// Reads the elements of a transcript in any vendor's form.
    ///
    /// # Errors
    /// If an element is neither a message nor a call nor a result.
    pub(in crate::normalize) fn read(elements: &[Json]) -> Result<History, RowError> {
        let mut history = History::default();
        let mut messages: Vec<Message> = Vec::with_capacity(elements.len());
        let mut met = BTreeSet::new();
        for element in elements {
            history.starts.push(messages.len());
            let mut flags = BTreeSet::new();
            let object = element.as_object().ok_or_else(|| super::unrecognised(element))?;
            message::read_any(object, true, &mut messages, &mut flags)?;
            for flag in flags.into_iter().filter(|flag| met.insert(*flag)) {
                history.flags.push((messages.len(), flag));
            }
        }
        history.starts.push(messages.len());
        history.look_through(messages);
        Ok(history)
    }

    fn look_through(&mut self, messages: Vec<Message>) {
        let mut shown = String::new();
        let (mut parallel, mut asked) = (false, None);
        (self.ends, self.asked) = (vec![0], vec![None]);
        for (at, message) in messages.iter().enumerate() {
            parallel = match message.role {
                Role::Tool => parallel,
                _ => message.tool_calls.len() > 1,
            };
            if at > 0 {
                shown.push_str("\n\n");
            }
            shown.push_str(&message.paragraph(parallel));
            if message.role == Role::User {
                asked = Some(at);
            }
            self.ends.push(shown.len());
            self.asked.push(asked);
            self.look_at_ids(at, message);
        }
        let says = |message: &&Message| {
            message.role == Role::Assistant
                && message.tool_calls.is_empty()
                && !message.content.trim().is_empty()
        };
        let last = messages.iter().rposition(|message| says(&message));
        self.final_answer = last.map(|at| {
            let said = messages[at].content.as_str();
            (at, Arc::from(thought::after(said).map_or(said, str::trim_start)))
        });
        self.shown = shown.into();
        self.messages = messages.into();
    }

    fn look_at_ids(&mut self, at: usize, message: &Message) {
        let mut met = |flag| {
            if self.flags.iter().all(|(_, other)| *other != flag) {
                self.flags.push((at + 1, flag));
            }
        };
        for call in &message.tool_calls {
            let Some(id) = &call.id else { continue };
            let callers = self.callers.entry(id.clone()).or_default();
            if !callers.is_empty() {
                met(Flag::RepeatedCallId);
            }
            callers.push(at);
        }
        if message.role == Role::Tool
            && let Some(id) = &message.tool_call_id
        {
            if !self.callers.contains_key(id) {
                met(Flag::OrphanResult);
            }
            self.results.entry(id.clone()).or_default().push(at);
        }
    }

    /// The assistant's turns, as ranges of the `elements` that were read: consecutive elements of the assistant's are one, until
    /// a call returns.
    pub(in crate::normalize) fn turns(&self, elements: &[Json]) -> Vec<Range<usize>> {
        let mut turns: Vec<Range<usize>> = Vec::new();
        let mut open = false;
        let mut agent = None;
        for (at, element) in elements.iter().enumerate() {
            match element.as_object().and_then(message::speaker) {
                Some(Role::Assistant) => {
                    // Some logs give a call's message the name of its tool.
                    let calls = |name: &str| {
                        let own = &self.messages[self.starts[at]..self.starts[at + 1]];
                        own.iter().flat_map(|message| &message.tool_calls).any(|call| call.name == name)
                    };
                    let next = element.as_object().and_then(message::agent).filter(|name| !calls(name));
                    // What another agent says is a turn of its own.
                    let is_other = next.is_some() && agent.is_some() && agent != next;
                    agent = next.or(agent);
                    match turns.last_mut().filter(|_| open && !is_other && !begins_step(element)) {
                        Some(turn) => turn.end = at + 1,
                        None => turns.push(at..at + 1),
                    }
                    open = self.within(&(at..at + 1)).all(|message| message.role != Role::Tool);
                }
                // Thoughts and bookkeeping end no turn.
                None if element.as_object().is_some_and(message::is_aside) => {}
                _ => open = false,
            }
        }
        turns
    }

    /// Whether the user has said anything before an element.
    pub(in crate::normalize) fn is_asked(&self, element: usize) -> bool {
        self.asked[self.starts[element]].is_some()
    }

    /// How many bytes of the conversation come before an element.
    pub(in crate::normalize) fn length(&self, element: usize) -> usize {
        self.ends[self.starts[element]]
    }

    fn within(&self, elements: &Range<usize>) -> impl Iterator<Item = &Message> {
        self.messages[self.starts[elements.start]..self.starts[elements.end]].iter()
    }

    /// What was said before an element.
    pub(in crate::normalize) fn before(&self, element: usize) -> Result<Question, RowError> {
        let kept = self.starts[element];
        let Some(asked) = self.asked[kept] else {
            let why = "no message before the turn is the user's";
            return Err(error(RowErrorCode::NoUserMessage, why, &self.shown[..self.ends[kept]]));
        };
        let text = self.messages[asked].content.clone();
        if text.trim().is_empty() {
            return Err(error(RowErrorCode::EmptyQuestion, "the last user message is blank", ""));
        }
        let slot = match kept {
            1 => SharedText::from(self.messages[0].content.as_str()),
            _ => self.shown.first(self.ends[kept]),
        };
        let flags = self.flags.iter().filter(|(met, _)| *met <= kept).map(|(_, flag)| *flag).collect();
        Ok(Question { text, messages: self.messages.first(kept), slot, flags })
    }

    /// What came before an element of a log that holds no user's words.
    pub(in crate::normalize) fn before_unasked(&self, element: usize) -> Question {
        let kept = self.starts[element];
        let flags = self.flags.iter().filter(|(met, _)| *met <= kept).map(|(_, flag)| *flag).collect();
        Question { flags, ..Question::unasked(self.messages.first(kept)) }
    }

    /// Whether a call of the turn that these elements are has no result, though the transcript goes on.
    pub(in crate::normalize) fn lacks_results(&self, turn: &Range<usize>) -> bool {
        let calls: Vec<_> = self.within(turn).flat_map(|message| &message.tool_calls).collect();
        if calls.is_empty() || self.starts[turn.end] == self.messages.len() {
            return false;
        }
        let results = self.results_of(turn);
        let ids: HashSet<&String> =
            results.iter().filter_map(|at| self.messages[*at].tool_call_id.as_ref()).collect();
        let answered = |id: &String| ids.contains(id);
        match ids.len() == results.len() {
            true if calls.iter().all(|call| call.id.is_some()) => {
                !calls.iter().filter_map(|call| call.id.as_ref()).all(answered)
            }
            _ => results.len() < calls.len(),
        }
    }

    /// What came after the turn that these elements are.
    pub(in crate::normalize) fn after(&self, turn: &Range<usize>) -> Aftermath {
        let end = self.starts[turn.end];
        let results = self.results_of(turn).into_iter().map(|at| {
            let message = &self.messages[at];
            ToolResult {
                tool_call_id: message.tool_call_id.clone(),
                content: message.content.clone(),
                is_error: message.is_error,
            }
        });
        let results = results.collect();
        let next = self.next_turn(end);
        // Words beside calls are no answer.
        let says_only = self.within(turn).all(|message| message.tool_calls.is_empty());
        let from = if says_only { self.starts[turn.start] } else { end };
        let last = self.final_answer.as_ref().filter(|(at, _)| *at >= from);
        Aftermath { results, next, final_answer: last.map(|(_, text)| Arc::clone(text)) }
    }

    /// What the assistant did next, counted from a message: all of its turn, be it one message or several.
    fn next_turn(&self, end: usize) -> Option<Message> {
        let is_assistants = |message: &&Message| message.role == Role::Assistant;
        let from = end + self.messages[end..].iter().position(|message| is_assistants(&message))?;
        let mut turn = self.messages[from..].iter().take_while(is_assistants).cloned();
        let mut next = turn.next()?;
        for message in turn {
            if !next.content.is_empty() && !message.content.is_empty() {
                next.content.push('\n');
            }
            next.content.push_str(&message.content);
            next.tool_calls.extend(message.tool_calls);
        }
        Some(next)
    }

    /// The messages that say what the turn's calls returned: those with the ids of its calls, wherever they stand before the id is
    /// used again; and those without an id that follow the turn at once.
    fn results_of(&self, turn: &Range<usize>) -> BTreeSet<usize> {
        let (start, end) = (self.starts[turn.start], self.starts[turn.end]);
        let calls = || self.messages[start..end].iter().flat_map(|message| &message.tool_calls);
        if calls().next().is_none() {
            return BTreeSet::new();
        }
        let beside = (start..end).filter(|at| self.messages[*at].role == Role::Tool);
        let following = (end..self.messages.len()).take_while(|at| self.messages[*at].role == Role::Tool);
        let has_ids = calls().all(|call| call.id.is_some());
        let told = |at: &usize| self.messages[*at].tool_call_id.is_some();
        let mut found: BTreeSet<usize> =
            beside.chain(following).filter(|at| !(has_ids && told(at))).collect();
        for id in calls().filter_map(|call| call.id.as_ref()) {
            let after = |places: Option<&Vec<usize>>, from: usize| -> Vec<usize> {
                let places = places.map_or(&[][..], Vec::as_slice);
                places[places.partition_point(|at| *at < from)..].to_vec()
            };
            let again = after(self.callers.get(id), end).first().copied().unwrap_or(usize::MAX);
            found.extend(after(self.results.get(id), start).into_iter().take_while(|at| *at < again));
        }
        found
    }

    /// Whether the turn that these elements are calls something, and every call has an id.
    pub(in crate::normalize) fn is_known_by_ids(&self, turn: &Range<usize>) -> bool {
        let mut calls = self.within(turn).flat_map(|message| &message.tool_calls).peekable();
        calls.peek().is_some() && calls.all(|call| call.id.is_some())
    }

    /// Whether two calls up to the end of the turn that these elements are have one id, and one of them is the turn's.
    pub(in crate::normalize) fn repeats_ids(&self, turn: &Range<usize>) -> bool {
        let (start, end) = (self.starts[turn.start], self.starts[turn.end]);
        let ids = self.messages[start..end].iter().flat_map(|message| &message.tool_calls);
        ids.filter_map(|call| self.callers.get(call.id.as_ref()?))
            .any(|callers| callers.partition_point(|at| *at < end) > 1)
    }
}

/// Whether an element says that the model was asked again before it.
fn begins_step(element: &Json) -> bool {
    let first = element.get("parts").and_then(|parts| parts.as_array()?.first()?.get("type")?.as_str());
    first == Some("step-start")
}
