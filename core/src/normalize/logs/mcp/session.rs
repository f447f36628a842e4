//! Pairs requests and answers of one server's log, and makes transcripts of its calls.
//!
//! Ids begin again with each connection, and requests of the server have ids of their own. So an answer belongs to the latest open
//! request with its id, on the right side where the log tells the sides apart.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::result::{asks_for_input, returned};
use super::{CUT, MESSAGE, SERVER, SOURCE, TIME};
use crate::domain::{Cell, Flag, Json, Object, RowError, RowErrorCode};
use crate::normalize::logs::context::Context;
use crate::normalize::logs::entry::{Entries, Entry, Skip, Tally, chained, unreadable};
use crate::normalize::logs::transcript::{Opening, Transcript};
use crate::normalize::logs::value;
use crate::normalize::question;

/// What begins a connection, and so its ids.
const BEGINS: &str = "initialize";
const LIST: &str = "tools/list";
const CALL: &str = "tools/call";
/// What servers ask of clients.
const OF_SERVERS: &[&str] = &["sampling/createMessage", "elicitation/create", "roots/list"];

/// Whether a message has to do with calls. What answers what is only known when all are read.
pub(super) fn matters(message: &Object) -> bool {
    match method(message) {
        None => true,
        Some(method) => message.contains_key("id") && !method.starts_with("notifications/"),
    }
}

fn method(message: &Object) -> Option<&str> {
    message.get("method")?.as_str()
}

/// One call with what became of it.
struct Call {
    /// How it is named within the transcript.
    id: String,
    name: Json,
    arguments: Option<Json>,
    result: Option<(String, bool)>,
    began: Option<Timestamp>,
    ended: Option<Timestamp>,
    /// Which of the lists of tools was the last before it.
    list: usize,
    is_cut: bool,
    /// Whether the server waits for something before it runs.
    waits: bool,
}

/// What an open request asked for.
#[derive(Clone, Copy)]
enum Open {
    Connection,
    /// A page of the list of tools; the first, or one that follows.
    List {
        follows: bool,
    },
    Call(usize),
    /// Of the server's, which the client answers.
    OfServer,
    Other,
}

#[derive(Default)]
struct Log {
    server: Option<String>,
    /// What the server calls itself.
    own_name: Option<String>,
    calls: Vec<Call>,
    /// Lists of tools, in the order in which they came; the first is that there is none.
    lists: Vec<Vec<Json>>,
    open: Vec<(Option<String>, Open)>,
    /// Where in `calls` connections begin.
    connections: Vec<usize>,
    broken: usize,
    others: usize,
}

pub(super) fn unmatched(fragments: Vec<Object>, context: &Context) -> Entries {
    let mut log = Log { lists: vec![Vec::new()], ..Log::default() };
    for mut fragment in in_order(fragments) {
        let time = fragment.get(TIME).and_then(value::instant);
        log.server = log.server.take().or_else(|| value::name(&fragment, SERVER));
        let is_cut = fragment.contains_key(CUT);
        if let Some(Json::Object(message)) = fragment.remove(MESSAGE) {
            log.add(message, time, is_cut);
        }
    }
    log.entries(context)
}

/// The messages in the order of their times, where several files tell of one server; each once.
fn in_order(mut fragments: Vec<Object>) -> Vec<Object> {
    let mut known = HashSet::new();
    let mut sources = HashSet::new();
    fragments.retain(|fragment| {
        sources.insert(value::name(fragment, SOURCE));
        let time = value::name(fragment, TIME);
        let said = fragment.get(MESSAGE).map(Json::to_string).unwrap_or_default();
        time.is_none_or(|time| known.insert((time, said)))
    });
    let time = |fragment: &Object| fragment.get(TIME).and_then(value::instant);
    if sources.len() > 1 && fragments.iter().all(|fragment| time(fragment).is_some()) {
        fragments.sort_by_key(time);
    }
    fragments
}

impl Log {
    fn add(&mut self, message: Object, time: Option<Timestamp>, is_cut: bool) {
        // The number 1 and the text "1" are two ids.
        let id = message.get("id").filter(|id| !id.is_null()).map(Json::to_string);
        match method(&message) {
            Some(method) => {
                let open = self.request(method.to_owned(), &message, &id, time, is_cut);
                self.open.push((id, open));
            }
            None => self.answer(message, id, time, is_cut),
        }
    }

    fn request(
        &mut self,
        method: String,
        message: &Object,
        id: &Option<String>,
        time: Option<Timestamp>,
        is_cut: bool,
    ) -> Open {
        let params = value::at(message, &["params"]).and_then(Json::as_object);
        let param =
            |key: &str| params.and_then(|params| params.get(key)).filter(|value| !value.is_null()).cloned();
        match method.as_str() {
            BEGINS => {
                self.open.clear();
                self.connections.push(self.calls.len());
                self.others += 1;
                Open::Connection
            }
            LIST => {
                self.others += 1;
                Open::List { follows: param("cursor").is_some() }
            }
            CALL => {
                let (name, arguments) = (param("name").unwrap_or(Json::Null), param("arguments"));
                // A call that is cut is one, of which nobody knows with what.
                if is_cut || name.as_str().is_none() {
                    self.broken += 1;
                    return Open::Other;
                }
                let again = |call: &Call| call.waits && call.name == name && call.arguments == arguments;
                if let Some(at) = self.calls.iter().rposition(again) {
                    self.calls[at].waits = false;
                    return Open::Call(at);
                }
                let id = id
                    .as_deref()
                    .map_or_else(|| self.calls.len().to_string(), |id| id.trim_matches('"').to_owned());
                self.calls.push(Call {
                    id,
                    name,
                    arguments,
                    result: None,
                    began: time,
                    ended: None,
                    list: self.lists.len() - 1,
                    is_cut: false,
                    waits: false,
                });
                Open::Call(self.calls.len() - 1)
            }
            method => {
                self.others += 1;
                if OF_SERVERS.contains(&method) { Open::OfServer } else { Open::Other }
            }
        }
    }

    fn answer(&mut self, message: Object, id: Option<String>, time: Option<Timestamp>, is_cut: bool) {
        let is_list = || value::at(&message, &["result", "tools"]).is_some();
        let is_call = || value::at(&message, &["result", "content"]).is_some();
        let fits = |open: &Open| match open {
            Open::Call(_) => !is_list(),
            Open::List { .. } => !is_call(),
            // What a model says to a server has a content too.
            Open::OfServer => !is_list(),
            Open::Connection | Open::Other => !is_list() && !is_call(),
        };
        let at = match &id {
            Some(id) => self.open.iter().rposition(|(of, open)| of.as_ref() == Some(id) && fits(open)),
            // Some logs lack the ids of answers.
            None => (self.open.len() == 1 && fits(&self.open[0].1)).then_some(0),
        };
        let Some(at) = at else {
            self.others += 1;
            return;
        };
        let (_, open) = self.open.remove(at);
        match open {
            Open::Call(at) => {
                let call = &mut self.calls[at];
                if asks_for_input(&message) {
                    call.waits = true;
                    return;
                }
                call.ended = time;
                call.is_cut = is_cut;
                call.result = returned(&message).map(|returned| (returned.text, returned.is_error));
            }
            Open::List { follows } => {
                self.others += 1;
                let Some(tools) = value::at(&message, &["result", "tools"]).and_then(Json::as_array) else {
                    return;
                };
                let before =
                    if follows { self.lists.last().cloned().unwrap_or_default() } else { Vec::new() };
                let list = before.into_iter().chain(tools.iter().cloned()).collect();
                if self.lists.last() != Some(&list) {
                    self.lists.push(list);
                }
            }
            Open::Connection => {
                self.others += 1;
                let name = value::at(&message, &["result", "serverInfo", "name"]).and_then(Json::as_str);
                self.own_name = name.map(str::to_owned).or_else(|| self.own_name.take());
            }
            Open::OfServer | Open::Other => self.others += 1,
        }
    }

    /// A transcript for each connection, and a further one where the server has other tools from then on.
    fn entries(mut self, context: &Context) -> Entries {
        // What was listed only after a call was most likely on offer before, for a client knows its tools before it calls one.
        let first = usize::from(self.lists.len() > 1);
        for call in &mut self.calls {
            call.list = call.list.max(first);
        }
        let server = self.server.take().or_else(|| self.own_name.take());
        let mut parts: Vec<Entries> = Vec::new();
        let mut begin = 0;
        let mut shared = 0;
        for end in 1..=self.calls.len() {
            let is_connection = self.connections.contains(&end);
            let is_part = self.calls.get(end).is_none_or(|next| next.list != self.calls[end - 1].list);
            if !is_connection && !is_part && end < self.calls.len() {
                continue;
            }
            parts.push(self.part(begin, shared, end, server.as_deref(), context));
            (begin, shared) = if is_connection { (end, 0) } else { (begin, end - begin) };
        }
        let others = std::iter::repeat_n(Entry::Skipped(Skip::NotAMessage), self.others);
        let broken = (0..self.broken).map(|_| {
            let why = "a request `tools/call` that the log cut, or that names no tool: nobody knows what was called";
            let tally = Entry::Transcript(Tally { turns: 1, calls: 1, is_episode: false });
            let error = unreadable(RowError::new(RowErrorCode::UnrecognisedToolCall, why));
            Box::new(std::iter::once(tally).chain(error)) as Entries
        });
        let parts = chained(parts.into_iter().chain(broken));
        Box::new(parts.chain(others))
    }

    /// The calls up to `end` of the connection that begins at `begin`, the first `shared` of which another transcript has.
    fn part(
        &self,
        begin: usize,
        shared: usize,
        end: usize,
        server: Option<&str>,
        context: &Context,
    ) -> Entries {
        let calls = &self.calls[begin..end];
        let mut elements = Vec::with_capacity(2 * calls.len());
        let mut opening = 0;
        for (at, call) in calls.iter().enumerate() {
            if at == shared {
                opening = elements.len();
            }
            elements.push(called(call));
            elements.extend(call.result.as_ref().map(|result| told(call, result)));
        }
        let tools = match &self.lists[calls[calls.len() - 1].list] {
            _ if calls[calls.len() - 1].list == 0 => Cell::Missing,
            list => Cell::from(Json::Array(list.clone())),
        };
        let times: Vec<_> = calls.iter().map(|call| (call.began, call.ended, call.is_cut)).collect();
        let about =
            server.map(|server| Arc::new(Object::from_iter([(SERVER.to_owned(), Json::from(server))])));
        let transcript = Transcript {
            elements,
            opening: Opening::Elsewhere(opening),
            tools,
            is_unasked: true,
            ..Transcript::default()
        };
        let timed = move |entry| match entry {
            Entry::Turn(mut turn) => {
                let number = turn.place().map_or(0, |place| place.turn as usize);
                if let Some((began, ended, is_cut)) = number.checked_sub(1).and_then(|at| times.get(at)) {
                    turn.origin.timestamp = *began;
                    turn.origin.latency_s = value::seconds_between(*began, *ended);
                    turn.flags.extend(is_cut.then_some(Flag::MaybeTruncated));
                }
                turn.origin.about.clone_from(&about);
                Entry::Turn(turn)
            }
            entry => entry,
        };
        Box::new(transcript.entries(context).map(timed))
    }
}

/// The call as an assistant's message. Without a mark, a call that was never answered and the next one would be parallel.
fn called(call: &Call) -> Json {
    let mut function = Object::from_iter([("name".to_owned(), call.name.clone())]);
    function.insert("arguments", call.arguments.clone().unwrap_or_else(|| Json::Object(Object::new())));
    let mut tool_call = Object::from_iter([("id".to_owned(), Json::from(call.id.as_str()))]);
    tool_call.insert("type", "function");
    tool_call.insert("function", Json::Object(function));
    let mut message = Object::from_iter([("role".to_owned(), Json::from("assistant"))]);
    message.insert(question::STEP, Json::Bool(true));
    message.insert("content", "");
    message.insert("tool_calls", Json::Array(vec![Json::Object(tool_call)]));
    Json::Object(message)
}

fn told(call: &Call, (text, is_error): &(String, bool)) -> Json {
    let mut message = Object::from_iter([("role".to_owned(), Json::from("tool"))]);
    message.insert("tool_call_id", call.id.as_str());
    message.insert("content", text.as_str());
    if *is_error {
        message.insert("is_error", Json::Bool(true));
    }
    Json::Object(message)
}
