//! The messages between a client and servers of MCP: JSON-RPC as records, in wrappers, and in the lines of text that Claude Desktop
//! writes.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "find", "arguments": {"x": "a"}}}
//! {"time": "2026-01-01T10:00:00Z", "server": "files", "direction": "outgoing", "message": {"jsonrpc": "2.0", "id": 3, "result": {…}}}
//! ```
//! ```text
//! 2026-01-01T10:00:00.000Z [files] [info] Message from client: {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{…}}
//! ```
//!
//! Each `tools/call` is a turn, with what it returned and with the tools that its server had listed. No user speaks in such a log.

mod line;
mod result;
mod session;

pub use line::{McpLine, is_line_of_mcp};

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::value;
use crate::domain::{Json, Object};

pub(super) const JSONRPC: LogFormat = LogFormat {
    name: NAME,
    sign: "a key `jsonrpc`, beside `method`, `result` or `error`, in the record or in its `message`, `payload` or `data`; lines of text with such messages",
    matches: |record| is_message(record) || wrapped(record).is_some() || line::is_other(record),
    read,
    unmatched: Some(session::unmatched),
};

const NAME: &str = "mcp_jsonrpc";

/// Where recorders put a message, and what they say of it beside it.
const WRAPPERS: &[&str] = &["message", "payload", "data", "msg", "body", "jsonrpc_message", "rpc"];
const TIMES: &[&str] = &["timestamp", "time", "ts", "created_at", "at"];
const SERVERS: &[&str] = &["server", "server_name", "serverName", "mcp_server"];
const SESSIONS: &[&str] = &["session_id", "sessionId", "session", "mcp_session_id", "connection_id"];

/// Keys of what a fragment says.
const MESSAGE: &str = "message";
const TIME: &str = "time";
const SERVER: &str = "server";
const SOURCE: &str = "source";
const CUT: &str = "cut";

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

/// The message of JSON-RPC that a record is, or holds.
fn message_in(record: &mut Object) -> Option<Object> {
    match wrapped(record) {
        _ if is_message(record) => Some(std::mem::take(record)),
        Some(key) => value::take_object(record, key),
        None => None,
    }
}

fn read(mut record: Object, context: &Context) -> Entries {
    let Some(message) = message_in(&mut record) else { return skipped(Skip::NotAMessage) };
    if !session::matters(&message) {
        return skipped(Skip::NotAMessage);
    }
    let name = |keys: &[&str]| keys.iter().find_map(|key| value::name(&record, key));
    let (server, session) = (name(SERVERS), name(SESSIONS));
    let mut object = Object::new();
    // Of a server with a name, several files may tell.
    let key = match (&server, &session) {
        (None, None) => format!("{NAME} of {}", context.source),
        (server, session) => {
            format!(
                "{NAME} {} {}",
                server.as_deref().unwrap_or_default(),
                session.as_deref().unwrap_or_default()
            )
        }
    };
    if let Some(time) = TIMES.iter().find_map(|key| value::instant(record.get(key)?)) {
        object.insert(TIME, time.to_string());
    }
    if let Some(server) = server {
        object.insert(SERVER, server);
    }
    object.insert(SOURCE, context.source);
    if record.contains_key(CUT) {
        object.insert(CUT, Json::Bool(true));
    }
    object.insert(MESSAGE, Json::Object(message));
    one(Entry::Fragment(Fragment { key, object }))
}
