//! `review`: who may ask, what a mark survives, and what becomes of marks.

mod agreement;
mod corrected;
mod decide;
mod desk;
mod kept;
mod page;
mod refused;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::child::{Deadline, Running};
use crate::support::http::{Answer, ask};
use crate::support::workspace::Workspace;

/// A running server, as one reviewer's browser speaks to it.
pub struct Desk {
    pub server: Running,
    pub address: SocketAddr,
    pub token: String,
    /// The key of its table.
    pub table: String,
}

/// A labelled table of so many rows with ids, every fourth of them wrong.
pub fn labelled(work: &Workspace, rows: usize) {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tools = json!([{"name": "get_weather", "description": "Weather of a city", "parameters": schema}]);
    let row = |at: usize| {
        let arguments = if at.is_multiple_of(4) { json!({}) } else { json!({"city": format!("Oslo {at}")}) };
        let call = json!([{"name": "get_weather", "arguments": arguments}]);
        json!({"id": format!("r{at}"), "question": format!("Weather in Oslo {at}?"), "tool_call": call, "tool_definitions": tools})
            .to_string()
    };
    work.file("calls.jsonl", (1..=rows).map(row).collect::<Vec<_>>().join("\n"));
    work.run(&["label", "calls.jsonl", "-o", "labelled.jsonl", "--decide", "always", "-q", "--force"])
        .ended(0);
}

impl Desk {
    #[track_caller]
    pub fn open(work: &Workspace, reviewer: &str, more: &[&str]) -> Desk {
        let args = [&["review", "labelled.jsonl", "--reviewer", reviewer, "--no-open"], more].concat();
        let mut server = work.tooljudge(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some((address, token)) =
            line.trim().strip_prefix("http://").and_then(|line| line.split_once("/?token="))
        else {
            let said = server.output();
            panic!("{line:?}: {}", String::from_utf8_lossy(&said.stderr));
        };
        let (address, token) = (address.parse().unwrap(), token.to_owned());
        let mut desk = Desk { server, address, token, table: String::new() };
        let page = desk.page().text();
        let (_, about) = page.split_once(r#"id="about">"#).unwrap();
        let about: Value = serde_json::from_str(about.split_once("</script>").unwrap().0).unwrap();
        desk.table = about["review"]["table"].as_str().unwrap().to_owned();
        desk
    }

    pub fn page(&self) -> Answer {
        self.get(&format!("/?token={}", self.token)).unwrap()
    }

    pub fn get(&self, path: &str) -> Option<Answer> {
        let (host, cookie) = (self.address.to_string(), self.cookie());
        ask(self.address, &format!("GET {path}"), &[("host", &host), ("cookie", &cookie)], b"")
    }

    pub fn cookie(&self) -> String {
        format!("tooljudge-review-{}={}", self.address.port(), self.token)
    }

    /// Sends what the page sends.
    pub fn post(&self, path: &str, body: &Value) -> Option<Answer> {
        let (host, cookie) = (self.address.to_string(), self.cookie());
        let origin = format!("http://{host}");
        let headers = [
            ("host", &*host),
            ("cookie", &cookie),
            ("origin", &origin),
            ("content-type", "application/json"),
        ];
        ask(self.address, &format!("POST {path}"), &headers, body.to_string().as_bytes())
    }

    /// Marks a row whose mark had the version `seen`; `None` if the server is gone.
    pub fn mark(&self, row: usize, seen: u64, label: &str, note: &str) -> Option<Answer> {
        let gold = if label.is_empty() { json!({}) } else { json!({"gold": label}) };
        let mark =
            json!({"table": self.table, "since": 0, "row": row, "version": seen, "gold": gold, "note": note});
        self.post("/marks", &mark)
    }

    /// Draws rows of a table of so many as the first who does.
    pub fn draw(&self, rows: &[u64], of: u64) -> u16 {
        let draw =
            json!({"table": self.table, "since": 0, "queue": "random", "rows": rows, "of": of, "seen": 0});
        self.post("/draws", &draw).unwrap().status
    }

    /// Kills the server; what it said before.
    pub fn said(mut self) -> String {
        self.server.kill();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.server.stderr.take().unwrap(), &mut said).unwrap();
        said
    }

    /// All that was marked.
    pub fn marks(&self) -> Vec<Value> {
        self.get("/marks?since=0").unwrap().json()["marks"].as_array().unwrap().clone()
    }
}
