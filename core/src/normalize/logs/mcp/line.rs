//! Lines of text that hold messages of JSON-RPC, as Claude Desktop and others log them.

use crate::domain::{Json, Object};

/// The mark by which a line shows that it holds a message.
const MARKS: [&str; 2] = ["{\"jsonrpc\":\"2.0\"", "{\"jsonrpc\": \"2.0\""];

/// The key of a line that holds no message.
const OTHER: &str = "line of an MCP log";

/// How much of a message that a log cut is looked at for what the message was.
const HEAD: usize = 4096;

/// Whether a line of text, which is not JSON, holds a message of MCP.
pub fn is_line_of_mcp(line: &str) -> bool {
    let is_json = || match line.trim_start().as_bytes().first() {
        Some(b'{') => true,
        Some(b'[') => Json::parse(line).is_ok(),
        _ => false,
    };
    place(line).is_some() && !is_json()
}

fn place(line: &str) -> Option<usize> {
    MARKS.iter().filter_map(|mark| line.find(mark)).min().or_else(|| {
        // Others write the id or the method first, and the log may cut what comes last.
        let said = line.find("Message from ").unwrap_or(0);
        let at = said + line[said..].find(": {\"")?;
        let head = &line[at + 2..line.floor_char_boundary(at + HEAD)];
        (said > 0 || head.contains("\"jsonrpc\":\"2.0\"")).then_some(at + 2)
    })
}

/// A line of such a log, as a record.
#[derive(Debug)]
pub struct McpLine;

impl McpLine {
    /// The record that a line is: when, which server, and the message; of a line without one, only that it is there.
    pub fn record(line: &str) -> Object {
        let Some(at) = place(line) else { return Object::from_iter([(OTHER.to_owned(), Json::Bool(true))]) };
        let (head, said) = line.split_at(at);
        let mut record = Object::new();
        if let Some(time) = head.split_whitespace().next() {
            record.insert("time", time);
        }
        if let Some(server) = server(head) {
            record.insert("server", server);
        }
        match Json::parse_prefix(said) {
            Ok((message @ Json::Object(_), _)) => record.insert("message", message),
            // Cut in the middle: what it was can be said all the same.
            _ => {
                if let Some(message) = begun(said) {
                    record.insert("message", Json::Object(message));
                    record.insert("cut", Json::Bool(true));
                } else {
                    record.insert(OTHER, Json::Bool(true));
                }
            }
        }
        record
    }
}

pub(super) fn is_other(record: &Object) -> bool {
    record.contains_key(OTHER)
}

/// The server's name: what stands in brackets and is no level. Claude Desktop changes the order of the two.
fn server(head: &str) -> Option<&str> {
    const LEVELS: [&str; 8] = ["info", "error", "warn", "warning", "debug", "trace", "fatal", "notice"];
    let mut names = head.split('[').skip(1).filter_map(|part| Some(part.split_once(']')?.0.trim()));
    let is_name = |name: &&str| !name.is_empty() && !LEVELS.contains(&name.to_lowercase().as_str());
    names.find(is_name)
}

/// What a message was that the log cut: its id, its method or that it is a result, the tool that it calls.
fn begun(text: &str) -> Option<Object> {
    let head = &text[..text.floor_char_boundary(HEAD)];
    let mut message = Object::from_iter([("jsonrpc".to_owned(), Json::from("2.0"))]);
    let value = |key: &str| {
        let at = head.find(&format!("\"{key}\":"))?;
        Json::parse_prefix(head[at + key.len() + 3..].trim_start()).ok().map(|(value, _)| value)
    };
    // What stands in the result has ids of its own.
    let result = head.find("\"result\":").filter(|at| head[..*at].len() < 200);
    let outer = &head[..result.unwrap_or(head.len())];
    if let Some(id) = value("id").filter(|_| outer.contains("\"id\":")) {
        message.insert("id", id);
    }
    match (result, value("method")) {
        (Some(at), _) => message.insert("result", &text[at + "\"result\":".len()..]),
        (None, Some(method)) => {
            // Where the id came after the cut, there was one.
            if !message.contains_key("id") {
                message.insert("id", Json::Null);
            }
            message.insert("method", method);
            let name = value("name").map(|name| ("name".to_owned(), name));
            message.insert("params", Json::Object(name.into_iter().collect()));
        }
        (None, None) => return None,
    }
    Some(message)
}
