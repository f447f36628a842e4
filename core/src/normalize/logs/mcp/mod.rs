//! The messages between a client and servers of MCP: JSON-RPC as records, in wrappers, and in the lines of text that Claude Desktop
//! and others write.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "find", "arguments": {"x": "a"}}}
//! {"time": "2026-01-01T10:00:00Z", "server": "files", "message": {"jsonrpc": "2.0", "id": 3, "result": {…}}}
//! ```
//! ```text
//! 2026-01-01T10:00:00.000Z [files] [info] Message from client: {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{…}}
//! ```
//!
//! Each `tools/call` is a turn of its own, with what it returned and with the tools that its server had listed. No user speaks in such a
//! log, and what other calls returned is not shown again with each: a log of n calls would be n² long.

mod entries;
mod line;
mod order;
mod result;
mod session;

pub use line::{McpLine, is_log_of_mcp};

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped, unreadable};
use super::format::LogFormat;
use super::value;
use crate::domain::{Json, Object, RowError, RowErrorCode};

pub(super) const JSONRPC: LogFormat = LogFormat {
    name: NAME,
    sign: "a key `jsonrpc`, beside `method`, `result` or `error`, in the record or in its `message`, `payload` or `data`, and no other structure; lines of text with such messages",
    matches: |record| is_alone(record) || record.contains_key(OTHER),
    read,
    unmatched: Some(entries::unmatched),
};

const NAME: &str = "mcp_jsonrpc";

/// Where recorders put a message, and what they say of it beside it.
const WRAPPERS: &[&str] = &["message", "payload", "data", "msg", "body", "jsonrpc_message", "rpc"];
const TIMES: &[&str] = &["timestamp", "time", "ts", "created_at", "at"];
const SERVERS: &[&str] = &["server", "server_name", "serverName", "mcp_server"];
const SESSIONS: &[&str] =
    &["session_id", "sessionId", "session", "mcp_session_id", "connection_id", "connectionId"];
const SIDES: &[&str] = &[SIDE, "direction", "dir"];

/// Structures that may stand beside a message without being what the record is about.
const BESIDE: &[&str] = &["meta", "metadata", "_meta", "headers", "tags", "labels"];
/// Keys of records that are about something else, though they have a message with them.
const OF_CHATS: &[&str] = &[
    "messages",
    "question",
    "query",
    "prompt",
    "completion",
    "response",
    "answer",
    "input",
    "output",
    "role",
    "content",
    "tool_call",
    "tool_calls",
    "tool_name",
    "choices",
    "request",
    "attributes",
    "span_id",
    "spanId",
    "trace_id",
    "traceId",
];

/// Keys of a message.
const OWN: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// Keys of what a fragment says.
const MESSAGE: &str = "message";
const TIME: &str = "time";
const SERVER: &str = "server";
const SIDE: &str = "side";
const SOURCE: &str = "source";
const CUT: &str = "cut";

/// The key of a line that holds no message; its value if it holds one that cannot be read.
const OTHER: &str = "line of an MCP log";
const UNREAD: &str = "unread";

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

impl Side {
    fn as_str(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }

    /// Who sent it, by words such as `editor -> server`, `STDIN`, `from_client`; of `in` and `out` nobody knows whose they are.
    fn said_by(words: &str) -> Option<Side> {
        const SENDERS: [(&str, Side); 10] = [
            ("client", Side::Client),
            ("server", Side::Server),
            ("stdin", Side::Client),
            ("stdout", Side::Server),
            ("from_client", Side::Client),
            ("from_server", Side::Server),
            ("to_server", Side::Client),
            ("to_client", Side::Server),
            ("client_to_server", Side::Client),
            ("server_to_client", Side::Server),
        ];
        let words = words.trim().to_lowercase().replace(['-', ' '], "_");
        let arrow = ["_>", ">", "→", "=>"].iter().find_map(|arrow| words.split_once(arrow));
        if let Some((from, to)) = arrow {
            let is_server = |name: &str| name.trim_matches(['_', '=']) == "server";
            return match (is_server(from), is_server(to)) {
                (true, false) => Some(Side::Server),
                (false, true) => Some(Side::Client),
                _ => None,
            };
        }
        SENDERS.iter().find(|(name, _)| *name == words).map(|(_, side)| *side)
    }
}

fn is_message(object: &Object) -> bool {
    let has = |key: &str| object.contains_key(key);
    object.get("jsonrpc").and_then(Json::as_str) == Some("2.0")
        && (has("method") || has("result") || has("error"))
}

/// The key under which a record holds a message, be it as text.
fn wrapped(record: &Object) -> Option<&'static str> {
    let holds = |held: &Json| match held {
        Json::Object(inner) => is_message(inner),
        Json::String(text) if text.contains("\"jsonrpc\"") => {
            value::unfolded(held.clone()).as_object().is_some_and(is_message)
        }
        _ => false,
    };
    WRAPPERS.iter().copied().find(|key| record.get(key).is_some_and(holds))
}

/// Whether a record is about a message of JSON-RPC, and about nothing else: a chat that stands in it counts more.
fn is_alone(record: &Object) -> bool {
    let wrapper = if is_message(record) { None } else { wrapped(record) };
    if wrapper.is_none() && !is_message(record) {
        return false;
    }
    record.iter().all(|(key, value)| match wrapper {
        None if OWN.contains(&key) => true,
        Some(wrapper) if key == wrapper => true,
        _ => !OF_CHATS.contains(&key) && (BESIDE.contains(&key) || !value::is_structure(value)),
    })
}

/// The message of JSON-RPC that a record is, or holds.
fn message_in(record: &mut Object) -> Option<Object> {
    match wrapped(record) {
        _ if is_message(record) => {
            Some(std::mem::take(record).into_iter().filter(|(key, _)| OWN.contains(&key.as_str())).collect())
        }
        Some(key) => value::take_object(record, key),
        None => None,
    }
}

fn read(mut record: Object, context: &Context) -> Entries {
    if record.get(OTHER).and_then(Json::as_str) == Some(UNREAD) {
        let why = "the line holds a message of MCP that is cut, goes on in the next line, or has words before it that are not known; \
                   write each message as a line of JSON";
        return unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, why));
    }
    let name = |record: &Object, keys: &[&str]| keys.iter().find_map(|key| value::name(record, key));
    let server = name(&record, SERVERS).filter(|server| !line::is_direction(server));
    let session = name(&record, SESSIONS);
    let time = TIMES.iter().find_map(|key| value::instant(record.get(key)?));
    let side = SIDES.iter().find_map(|key| Side::said_by(record.get(key)?.as_str()?));
    let is_cut = record.contains_key(CUT);
    let Some(message) = message_in(&mut record) else { return skipped(Skip::NotAMessage) };
    if !session::matters(&message) {
        return skipped(Skip::NotAMessage);
    }
    let mut object = Object::new();
    // Of a server with a name, several files may tell; which of them do is seen by the times.
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let key = match (server.is_some() || session.is_some()) && time.is_some() {
        true => format!("{NAME} {}\0{}", part(&server), part(&session)),
        false => format!("{NAME} {}\0{}\0{}", part(&server), part(&session), context.source),
    };
    if let Some(time) = time {
        object.insert(TIME, time.to_string());
    }
    if let Some(server) = server {
        object.insert(SERVER, server);
    }
    if let Some(side) = side {
        object.insert(SIDE, side.as_str());
    }
    object.insert(SOURCE, context.source);
    if is_cut {
        object.insert(CUT, Json::Bool(true));
    }
    object.insert(MESSAGE, Json::Object(message));
    one(Entry::Fragment(Fragment { key, object }))
}
