//! Lines of text that hold messages of JSON-RPC, as Claude Desktop, editors and proxies log them.
//!
//! Before the message stand only a time, marks in brackets, and whose message it is: whatever else is in a line, nobody can say what a
//! message in it means.

use super::{CUT, MESSAGE, OTHER, SERVER, SIDE, Side, TIME, UNREAD};
use crate::domain::{Json, Object};

/// How much of a message that a log cut is looked at for what the message was.
const HEAD: usize = 4096;
/// How long a mark in brackets may be.
const MAX_MARK: usize = 80;
/// What stands before a message in a line of Claude Desktop's.
const SAID: [(&str, Side); 2] =
    [("Message from client:", Side::Client), ("Message from server:", Side::Server)];

/// Whether a line of text, which is not JSON, holds a message of MCP.
fn is_line_of_mcp(line: &str) -> bool {
    parts(line).is_some()
}

/// Whether the beginning of a file is that of lines of text, among which one holds a message of MCP. What begins as JSON is no such
/// file, whatever its texts say.
pub fn is_log_of_mcp(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let is_json = match start.split_first() {
        None | Some((b'{' | b'"', _)) => true,
        Some((b'[', rest)) => {
            matches!(rest.trim_ascii_start().first(), None | Some(b'{' | b'[' | b'"' | b']'))
        }
        Some(_) => false,
    };
    !is_json
        && start.split(|byte| *byte == b'\n').any(|line| std::str::from_utf8(line).is_ok_and(is_line_of_mcp))
}

/// A line of such a log, as a record.
#[derive(Debug)]
pub struct McpLine;

impl McpLine {
    /// The record that a line is: when, which server, whose message, and the message; of a line without one, only that it is there.
    pub fn record(line: &str) -> Object {
        let Some(Parts { time, server, side, message }) = parts(line) else {
            // What the server prints may tell of a message; one in another form must not be missed.
            let is_unread = line.contains("\"tools/call\"") && line.contains("\"jsonrpc\"");
            let why = if is_unread { Json::from(UNREAD) } else { Json::Bool(true) };
            return Object::from_iter([(OTHER.to_owned(), why)]);
        };
        let mut record = Object::new();
        if let Some(time) = time {
            record.insert(TIME, time);
        }
        if let Some(server) = server {
            record.insert(SERVER, server);
        }
        if let Some(side) = side {
            record.insert(SIDE, side.as_str());
        }
        match message {
            Message::Whole(message) => record.insert(MESSAGE, Json::Object(message)),
            Message::Cut(Some(message)) => {
                record.insert(MESSAGE, Json::Object(message));
                record.insert(CUT, Json::Bool(true));
            }
            Message::Cut(None) => record.insert(OTHER, UNREAD),
        }
        record
    }
}

/// What a line says.
struct Parts<'a> {
    time: Option<&'a str>,
    server: Option<&'a str>,
    side: Option<Side>,
    message: Message,
}

enum Message {
    Whole(Object),
    /// Cut in the middle: what it was may be known all the same.
    Cut(Option<Object>),
}

fn parts(line: &str) -> Option<Parts<'_>> {
    let line = line.trim();
    let (mut time, mut rest) = time_at(line).map_or((None, line), |(time, rest)| (Some(time), rest));
    let (mut server, mut side) = (None, None);
    let mut marks = 0;
    while let Some((mark, after)) = mark_at(rest) {
        marks += 1;
        rest = after;
        match mark_means(mark) {
            Mark::Side(of) => side = Some(of),
            Mark::Time => time = time.or(Some(mark)),
            Mark::Name => server = server.or(Some(mark)),
            Mark::Nothing => {}
            Mark::Printed => return None,
        }
    }
    let said = SAID.iter().find_map(|(words, of)| Some((rest.strip_prefix(words)?.trim_start(), *of)));
    let is_said = said.is_some();
    if let Some((after, of)) = said {
        (rest, side) = (after, Some(of));
    }
    // A line that begins with its message is JSON.
    if !rest.starts_with('{') || (time.is_none() && marks == 0 && !is_said) {
        return None;
    }
    let message = match Json::parse_prefix(rest) {
        Ok((Json::Object(message), _)) => {
            let is_rpc = message.get("jsonrpc").and_then(Json::as_str) == Some("2.0");
            Message::Whole(Some(message).filter(|_| is_rpc)?)
        }
        _ => {
            let head = &rest[..rest.floor_char_boundary(HEAD)];
            let is_rpc = head.contains("\"jsonrpc\":\"2.0\"") || head.contains("\"jsonrpc\": \"2.0\"");
            (is_said || is_rpc).then(|| Message::Cut(begun(head)))?
        }
    };
    Some(Parts { time, server, side, message })
}

/// The time with which a text begins, `2026-01-01T10:00:00.000Z` or `2026-01-01 10:00:00,000`, and what follows.
fn time_at(text: &str) -> Option<(&str, &str)> {
    let is_day = |part: &str| {
        part.len() == 10
            && part
                .char_indices()
                .all(|(at, c)| if matches!(at, 4 | 7) { c == '-' } else { c.is_ascii_digit() })
    };
    let is_hour = |part: &str| {
        part.len() >= 5
            && part.as_bytes()[2] == b':'
            && part.bytes().all(|c| c.is_ascii_digit() || b":.,+-Z".contains(&c))
    };
    let word = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let end = word(text);
    if let Some((day, hour)) = text[..end].split_once('T')
        && is_day(day)
        && is_hour(hour)
    {
        return Some((&text[..end], text[end..].trim_start()));
    }
    let second = text[end..].trim_start();
    let (hour, rest) = second.split_at(word(second));
    (is_day(&text[..end]) && is_hour(hour))
        .then(|| (text[..text.len() - rest.len()].trim_end(), rest.trim_start()))
}

/// What stands in brackets at the beginning of a text, and what follows.
fn mark_at(text: &str) -> Option<(&str, &str)> {
    let (mark, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_mark = mark.len() <= MAX_MARK && !mark.contains(['{', '"', '[', '\n']);
    is_mark.then(|| (mark.trim(), rest.trim_start()))
}

enum Mark {
    Side(Side),
    Time,
    Name,
    Nothing,
    /// That the server printed the line beside its messages, of which it may be a copy.
    Printed,
}

/// What a mark in brackets says. Claude Desktop's two files have the server's name and the level in different orders.
fn mark_means(mark: &str) -> Mark {
    const LEVELS: [&str; 8] = ["info", "error", "warn", "warning", "debug", "trace", "fatal", "notice"];
    if let Some(side) = Side::said_by(mark) {
        return Mark::Side(side);
    }
    if time_at(mark).is_some_and(|(_, rest)| rest.is_empty()) {
        return Mark::Time;
    }
    if mark.to_lowercase().ends_with("server stderr") {
        return Mark::Printed;
    }
    let is_number = mark.starts_with(|c: char| c.is_ascii_digit());
    if mark.is_empty() || is_number || is_direction(mark) || LEVELS.contains(&mark.to_lowercase().as_str()) {
        return Mark::Nothing;
    }
    Mark::Name
}

/// Whether words only say which way a message went, which is no server's name: `request`, `C->S`, `MCP Client`.
pub(super) fn is_direction(words: &str) -> bool {
    const WAYS: &[&str] = &[
        "client",
        "server",
        "request",
        "response",
        "req",
        "res",
        "resp",
        "send",
        "sent",
        "sending",
        "recv",
        "receive",
        "received",
        "receiving",
        "in",
        "out",
        "input",
        "output",
        "incoming",
        "outgoing",
        "inbound",
        "outbound",
        "says",
        "stdin",
        "stdout",
        "stderr",
        "from",
        "to",
        "mcp",
        "rpc",
        "json",
        "c",
        "s",
        "message",
    ];
    let mut parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| WAYS.contains(&part.to_lowercase().as_str()))
}

/// What a message was that the log cut: its id, its method or that it is a result, the tool that it calls.
fn begun(head: &str) -> Option<Object> {
    /// How far before a result the keys beside it may stand.
    const BESIDE: usize = 200;
    let mut message = Object::from_iter([("jsonrpc".to_owned(), Json::from("2.0"))]);
    // What stands in the parameters or the result has ids and methods of its own.
    let within = ["\"result\":", "\"params\":"].iter().filter_map(|key| head.find(key)).min();
    let outer = &head[..within.unwrap_or(head.len())];
    let value = |key: &str| {
        let at = outer.find(&format!("\"{key}\":"))?;
        let rest = head[at + key.len() + 3..].trim_start();
        Json::parse_prefix(rest).ok().map(|(value, _)| value)
    };
    if let Some(id) = value("id") {
        message.insert("id", id);
    }
    match (head.find("\"result\":").filter(|at| *at < BESIDE), value("method")) {
        (_, Some(method)) => {
            // Where the id came after the cut, there may have been one.
            if !message.contains_key("id") {
                message.insert("id", Json::Null);
            }
            message.insert("method", method);
            message.insert("params", Json::Object(Object::new()));
        }
        (Some(at), None) => message.insert("result", &head[at + "\"result\":".len()..]),
        (None, None) => return None,
    }
    Some(message)
}
