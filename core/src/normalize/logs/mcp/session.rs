//! Pairs requests and answers of one log, and finds the calls with what they returned and the tools that were on offer.
//!
//! Ids begin again with each connection, and requests of the server have ids of their own. Where a log does not tell connections or
//! sides apart, nobody knows what answers what: then the calls are errors.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::Side;
use super::order::Logged;
use super::result::{Returned, asks_for_input, is_empty, is_of_client, is_of_tool, returned, task_of};
use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// What begins a connection, and so its ids.
const BEGINS: &str = "initialize";
const LIST: &str = "tools/list";
const LIST_CHANGED: &str = "notifications/tools/list_changed";
const CALL: &str = "tools/call";
const TASK_RESULT: &str = "tasks/result";
const PING: &str = "ping";
/// What servers ask of clients: a model's or a person's word, no tool call.
const OF_SERVERS: &[&str] = &["sampling/createMessage", "elicitation/create", "roots/list"];
/// How methods of MCP begin.
const OWN: &[&str] = &[
    "initialize",
    "ping",
    "tools/",
    "resources/",
    "prompts/",
    "completion/",
    "logging/",
    "sampling/",
    "elicitation/",
    "roots/",
    "notifications/",
    "server/discover",
    "subscriptions/",
    "tasks/",
];
/// Other protocols that speak JSON-RPC, and how methods begin that only they have.
const OTHERS: &[(&str, &[&str])] = &[
    ("ACP, the Agent Client Protocol", &["session/", "fs/", "terminal/", "authenticate"]),
    (
        "A2A, the protocol between agents",
        &[
            "message/send",
            "message/stream",
            "tasks/send",
            "tasks/sendSubscribe",
            "tasks/resubscribe",
            "tasks/pushNotificationConfig",
            "agent/",
            "SendMessage",
            "SendStreamingMessage",
        ],
    ),
    ("LSP, the protocol of language servers", &["textDocument/", "workspace/", "window/", "$/"]),
];

/// How many lists are looked at for one that is the same.
const LATEST: usize = 8;

/// Whether a message has to do with calls. What answers what is only known when all are read.
pub(super) fn matters(message: &Object) -> bool {
    match message.get("method").and_then(Json::as_str) {
        None => true,
        Some(method) => {
            message.contains_key("id") || method == LIST_CHANGED || other_protocol(method).is_some()
        }
    }
}

/// The protocol that a method belongs to, if it is another one.
pub(super) fn other_protocol(method: &str) -> Option<&'static str> {
    let found = OTHERS.iter().find(|(_, methods)| methods.iter().any(|begin| method.starts_with(begin)));
    found.map(|(name, _)| *name)
}

/// One call with what became of it.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Option<Json>,
    pub(super) result: Option<Returned>,
    pub(super) began: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// Which list of tools was on offer, if that is known.
    pub(super) list: Option<usize>,
    /// The number of its connection.
    pub(super) connection: usize,
    /// Whether the log cut its result.
    pub(super) is_cut: bool,
}

/// What an open request asked for.
enum Open {
    Connection,
    /// A page of the list of tools, and what the pages before it had; `None` if these are not known.
    List(Option<Vec<Json>>),
    Call(usize),
    Other,
}

/// What one log says.
#[derive(Default)]
pub(super) struct Session {
    pub(super) server: Option<String>,
    pub(super) calls: Vec<Call>,
    /// Lists of tools, each whole.
    pub(super) lists: Vec<Arc<Json>>,
    /// Calls that the log cut, or that name no tool.
    pub(super) broken: usize,
    /// Messages that are no part of a call.
    pub(super) others: usize,
    /// Why nobody can say what answers what.
    pub(super) mixed: Option<&'static str>,
    /// Whether anything is MCP's own.
    pub(super) is_mcp: bool,
    /// The list that is on offer, if it is known.
    list: Option<usize>,
    /// Pages that are followed by another, by what leads there.
    pages: HashMap<String, Vec<Json>>,
    /// Open requests of the client's and of the server's.
    asked: HashMap<String, Open>,
    asked_back: HashSet<String>,
    pings: HashSet<String>,
    /// Calls that wait for what the server asked for.
    waiting: Vec<usize>,
    /// Tasks that began in the place of an answer, with their calls.
    tasks: HashMap<String, usize>,
    /// The ids that the client used in this connection.
    used: HashSet<String>,
    connection: usize,
    begins: bool,
}

const SEVERAL: &str = "several connections are in the log and nothing tells them apart; give each its own file, or its name in `server` or \
                       `session_id` beside each message";

impl Session {
    pub(super) fn of(messages: Vec<Logged>) -> Session {
        let begins = messages.iter().any(|message| message.method() == Some(BEGINS));
        let mut session = Session { begins, ..Session::default() };
        for message in messages {
            session.server = session.server.take().or_else(|| message.server.clone());
            match message.method().map(str::to_owned) {
                Some(method) => session.request(&method, &message),
                None => session.answer(&message),
            }
        }
        session.check_lists();
        session
    }

    fn request(&mut self, method: &str, logged: &Logged) {
        self.is_mcp |= OWN.iter().any(|own| method.starts_with(own));
        let id = logged.id();
        if method == LIST_CHANGED {
            // Many servers say so before they answer a request for the list: that answer has the new one.
            if !self.asked.values().any(|open| matches!(open, Open::List(_))) {
                self.list = None;
            }
            self.others += 1;
            return;
        }
        let is_servers =
            logged.side == Some(Side::Server) || logged.side.is_none() && OF_SERVERS.contains(&method);
        if is_servers || method == PING {
            self.others += 1;
            let open = if method == PING { &mut self.pings } else { &mut self.asked_back };
            open.extend(id);
            return;
        }
        let is_cut = logged.is_cut;
        if method == BEGINS {
            self.connect();
        } else if let Some(id) = id.as_ref().filter(|id| self.used.contains(*id)) {
            // Without a word about where connections begin, one that ended may be followed by another.
            match self.begins || !self.asked.is_empty() || self.asked.contains_key(id) {
                true => self.mixed = Some(SEVERAL),
                false => self.connect(),
            }
        }
        self.used.extend(id.clone());
        let open = match method {
            CALL => match self.call(logged, is_cut) {
                Some(at) => Open::Call(at),
                None => Open::Other,
            },
            _ => {
                self.others += 1;
                self.asked_for(method, &logged.message)
            }
        };
        if let Some(id) = id {
            self.asked.insert(id, open);
        }
    }

    /// Something that is no call.
    fn asked_for(&mut self, method: &str, message: &Object) -> Open {
        let param = |key: &str| value::at(message, &["params", key]);
        match method {
            BEGINS => Open::Connection,
            LIST => Open::List(match param("cursor") {
                None => Some(Vec::new()),
                Some(cursor) => self.pages.remove(&cursor.to_string()),
            }),
            TASK_RESULT => {
                let call = param("taskId").and_then(|id| self.tasks.get(&id.to_string()));
                call.map_or(Open::Other, |at| Open::Call(*at))
            }
            _ => Open::Other,
        }
    }

    /// A connection begins, in which nothing is known yet.
    fn connect(&mut self) {
        self.connection += 1;
        self.asked.clear();
        self.asked_back.clear();
        self.pings.clear();
        self.pages.clear();
        self.tasks.clear();
        self.waiting.clear();
        self.used.clear();
        self.list = None;
    }

    /// The place of a call; `None` if nobody knows what it calls.
    fn call(&mut self, logged: &Logged, is_cut: bool) -> Option<usize> {
        let param = |key: &str| value::at(&logged.message, &["params", key]);
        let (name, arguments) = (param("name").and_then(Json::as_str), param("arguments").cloned());
        let Some(name) = name.filter(|name| !is_cut && !name.is_empty()) else {
            self.broken += 1;
            return None;
        };
        let again = |at: &usize| self.calls[*at].name == name && self.calls[*at].arguments == arguments;
        if let Some(place) = self.waiting.iter().position(again) {
            return Some(self.waiting.swap_remove(place));
        }
        let id = logged.message.get("id").filter(|id| !id.is_null());
        let number = self.calls.len();
        let id = id.map_or_else(
            || number.to_string(),
            |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned),
        );
        self.calls.push(Call {
            id,
            name: name.to_owned(),
            arguments,
            result: None,
            began: logged.time,
            ended: None,
            list: self.list,
            connection: self.connection,
            is_cut: false,
        });
        Some(number)
    }

    fn answer(&mut self, logged: &Logged) {
        let message = &logged.message;
        // An error with null for an id answers a message that could not be read.
        let has_null = message.get("id").is_some_and(Json::is_null);
        let id = match logged.id() {
            Some(id) => id,
            // Some logs lack the ids of answers.
            None if !has_null && self.asked.len() == 1 && self.asked_back.is_empty() => {
                self.asked.keys().next().cloned().unwrap_or_default()
            }
            None => {
                self.others += 1;
                return;
            }
        };
        let is_clients = logged.side == Some(Side::Client);
        if is_empty(message) && self.pings.remove(&id) || is_clients && self.asked_back.remove(&id) {
            self.others += 1;
            return;
        }
        if logged.side.is_none() && self.asked_back.contains(&id) {
            let is_asked = self.asked.contains_key(&id);
            if !is_asked || is_of_client(message) {
                self.asked_back.remove(&id);
                self.others += 1;
                return;
            }
            if !is_of_tool(message) {
                // It may answer either.
                self.asked_back.remove(&id);
                self.asked.remove(&id);
                self.others += 1;
                return;
            }
        }
        let Some(open) = self.asked.remove(&id).filter(|_| !is_clients) else {
            self.others += 1;
            // What was answered already was asked in two connections.
            if !is_clients && self.used.contains(&id) {
                self.mixed = Some(SEVERAL);
            }
            return;
        };
        match open {
            Open::Call(at) => self.returned(at, logged),
            Open::List(before) => {
                self.others += 1;
                self.listed(before, logged);
            }
            Open::Connection => {
                self.others += 1;
                let name = value::at(message, &["result", "serverInfo", "name"]).and_then(Json::as_str);
                self.server = self.server.take().or_else(|| name.map(str::to_owned));
            }
            Open::Other => self.others += 1,
        }
    }

    fn returned(&mut self, at: usize, logged: &Logged) {
        let message = &logged.message;
        let call = &mut self.calls[at];
        if asks_for_input(message) {
            self.waiting.push(at);
            return;
        }
        if let Some(task) = task_of(message) {
            self.tasks.insert(task, at);
            return;
        }
        if value::at(message, &["result", "tools"]).is_some() {
            // That is a list of tools, not what a call returned.
            self.mixed = Some(SEVERAL);
        }
        call.ended = logged.time;
        call.is_cut = logged.is_cut;
        call.result = returned(message);
    }

    fn listed(&mut self, before: Option<Vec<Json>>, logged: &Logged) {
        let result = value::at(&logged.message, &["result"]);
        let tools = result.and_then(|result| result.get("tools")?.as_array()).filter(|_| !logged.is_cut);
        let (Some(mut all), Some(tools)) = (before, tools) else {
            // An error changes nothing; of a list that is not whole, nobody knows what else is on it.
            if !logged.message.contains_key("error") {
                self.list = None;
            }
            return;
        };
        all.extend(tools.iter().cloned());
        let next = result.and_then(|result| result.get("nextCursor")).filter(|next| !next.is_null());
        if let Some(next) = next.filter(|next| next.as_str() != Some("")) {
            self.pages.insert(next.to_string(), all);
            self.list = None;
            return;
        }
        let list = Json::Array(all);
        let mut latest = self.lists.iter().enumerate().rev().take(LATEST);
        let known = latest.find(|(_, known)| ***known == list).map(|(at, _)| at);
        self.list = Some(known.unwrap_or_else(|| {
            self.lists.push(Arc::new(list));
            self.lists.len() - 1
        }));
    }

    /// A tool that is not on the list of its connection, and is on another's of the same log, was called in that one.
    fn check_lists(&mut self) {
        if self.lists.len() < 2 {
            return;
        }
        let names = |list: &Arc<Json>| -> HashSet<String> {
            let tools = list.as_array().unwrap_or_default().iter();
            tools.filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned())).collect()
        };
        let names: Vec<HashSet<String>> = self.lists.iter().map(names).collect();
        let everywhere: HashSet<&String> = names.iter().flatten().collect();
        let strays = |call: &Call| {
            call.list.is_some_and(|list| !names[list].contains(&call.name)) && everywhere.contains(&call.name)
        };
        if self.calls.iter().any(strays) {
            self.mixed = Some(SEVERAL);
        }
    }
}
