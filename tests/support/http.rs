//! Requests as they go over the wire, so that tests can send what no browser would.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// Sends a request line, headers and a body; `None` if the server is gone before it has answered whole.
pub fn ask(to: SocketAddr, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect_timeout(&to, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let mut head = format!("{line} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    // A server that refuses a body need not read it.
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let ended = stream.read_to_end(&mut bytes);
    let at = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let body = bytes[at + 4..].to_vec();
    let answer = Answer { status, headers, body };
    let length = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
    (ended.is_ok() || status >= 400).then_some(())?;
    (line.starts_with("HEAD") || length.is_none_or(|length| length == answer.body.len())).then_some(answer)
}
