//! A logged conversation in any vendor's form, as the messages from which an agent continues.

use std::collections::HashSet;

use super::node::{Node, Read};
use super::table::Table;
use crate::domain::{CallResult, Entry, Flag, Message, Role, RowError, ToolCall};
use crate::normalize::messages_of;

/// A conversation before the first reply.
#[derive(Debug, Default)]
pub(super) struct Prefix {
    /// The system messages at its beginning.
    pub system: Option<String>,
    pub entries: Vec<Entry>,
}

/// Reads the items of `messages`.
pub(super) fn read(table: &Table, items: &[Node]) -> Read<Prefix> {
    let mut reader = Reader { table, prefix: Prefix::default(), ids: HashSet::new(), open: None };
    for (number, item) in items.iter().enumerate() {
        let (messages, flags) = messages_of(&item.to_json()).map_err(|_| {
            let shown = RowError::excerpt(&item.to_json().to_string());
            let why = format!("message {} is in no form that `tooljudge convert` reads: {shown}", number + 1);
            table.fault(item.at, why)
        })?;
        if flags.contains(&Flag::NonTextContent) {
            let why = format!(
                "message {} holds something other than text, such as an image, which cannot be sent",
                number + 1
            );
            return Err(table.fault(item.at, why));
        }
        for message in messages {
            reader.message(message, item.at)?;
        }
    }
    reader.close(table.place("messages"))?;
    match reader.prefix.entries.last() {
        Some(Entry::User(_) | Entry::Results(_)) => Ok(reader.prefix),
        Some(_) => Err(table.fault(
            items.last().map_or(table.at(), |item| item.at),
            "`messages` must end with a user message or with tool results, so that the model is to speak: remove the assistant's last message",
        )),
        None => Err(table.fault(table.place("messages"), "`messages` holds no message of the user's")),
    }
}

struct Reader<'a> {
    table: &'a Table<'a>,
    prefix: Prefix,
    /// Ids of calls so far.
    ids: HashSet<String>,
    /// The results of the last calls, in the order of these: those that are known.
    open: Option<Open>,
}

/// Calls that wait for their results.
struct Open {
    /// As the log has them, before missing and repeated ones got others.
    logged_ids: Vec<Option<String>>,
    results: Vec<Option<CallResult>>,
}

impl Reader<'_> {
    fn message(&mut self, message: Message, at: usize) -> Read<()> {
        match message.role {
            Role::Tool => return self.result(message, at),
            Role::Assistant => self.assistant(message, at)?,
            Role::User => {
                self.close(at)?;
                self.prefix.entries.push(Entry::User(message.content));
            }
            Role::System if self.prefix.entries.is_empty() => {
                let system = self.prefix.system.get_or_insert_default();
                if !system.is_empty() {
                    system.push_str("\n\n");
                }
                system.push_str(&message.content);
            }
            Role::System => {
                let why = "a system message after the beginning cannot be sent to every provider: move it to `system`";
                return Err(self.table.fault(at, why));
            }
        }
        Ok(())
    }

    fn assistant(&mut self, message: Message, at: usize) -> Read<()> {
        if message.content.is_empty() && message.tool_calls.is_empty() {
            return Ok(());
        }
        // Calls that follow each other in a log are of one reply, until a result comes.
        let goes_on = match &self.open {
            Some(open) => open.results.iter().all(Option::is_none),
            None => matches!(self.prefix.entries.last(), Some(Entry::Assistant { .. })),
        };
        if !goes_on {
            self.close(at)?;
            self.prefix.entries.push(Entry::Assistant { text: String::new(), calls: Vec::new() });
        }
        let turn = self.prefix.entries.len();
        let Some(Entry::Assistant { text, calls }) = self.prefix.entries.last_mut() else { return Ok(()) };
        if !text.is_empty() && !message.content.is_empty() {
            text.push('\n');
        }
        text.push_str(&message.content);
        for call in message.tool_calls {
            let logged = call.id.clone();
            let id = match call.id.filter(|id| !self.ids.contains(id)) {
                Some(id) => id,
                // Not `call_…`: those are the loop's own.
                None => format!("logged_{turn}_{}", calls.len() + 1),
            };
            self.ids.insert(id.clone());
            calls.push(ToolCall { id: Some(id), ..call });
            let open = self.open.get_or_insert(Open { logged_ids: Vec::new(), results: Vec::new() });
            open.logged_ids.push(logged);
            open.results.push(None);
        }
        Ok(())
    }

    fn result(&mut self, message: Message, at: usize) -> Read<()> {
        let orphan = "a tool result that answers no call of the assistant message before it";
        let Some(open) = &mut self.open else { return Err(self.table.fault(at, orphan)) };
        let waits = |(place, result): (usize, &Option<CallResult>)| result.is_none().then_some(place);
        let place = match &message.tool_call_id {
            Some(id) => {
                let of_id = |place: &usize| open.logged_ids[*place].as_ref() == Some(id);
                open.results.iter().enumerate().filter_map(waits).find(of_id)
            }
            None => open.results.iter().enumerate().find_map(waits),
        };
        let Some(Entry::Assistant { calls, .. }) = self.prefix.entries.last() else {
            return Err(self.table.fault(at, orphan));
        };
        let Some((place, call)) = place.and_then(|place| Some((place, calls.get(place)?))) else {
            return Err(self.table.fault(at, orphan));
        };
        open.results[place] = Some(CallResult {
            id: call.id.clone().unwrap_or_default(),
            tool: call.name.clone(),
            content: message.content,
            is_error: message.is_error,
        });
        Ok(())
    }

    /// Puts the results of the last calls in, before something else is said.
    fn close(&mut self, at: usize) -> Read<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let missing = open.results.iter().position(Option::is_none);
        if let (Some(missing), Some(Entry::Assistant { calls, .. })) = (missing, self.prefix.entries.last()) {
            let name = calls.get(missing).map_or("", |call| &call.name);
            let why = format!("`messages`: the call of `{name}` has no result: add it, or remove the call");
            return Err(self.table.fault(at, why));
        }
        self.prefix.entries.push(Entry::Results(open.results.into_iter().flatten().collect()));
        Ok(())
    }
}
