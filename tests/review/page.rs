//! The page in a browser: the one of `label --report`, with its marks on the server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::json;

use super::{Desk, labelled};
use crate::browser::{self, available, probe};
use crate::support::http::ask;
use crate::support::workspace::Workspace;

/// A server in front of another, which puts a script into its page and changes nothing else.
pub(super) fn with_script(to: SocketAddr, script: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, script) = (listener.local_addr().unwrap(), format!("<script>{script}</script></body>"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let script = script.clone();
            std::thread::spawn(move || passed_on(stream, address, to, &script));
        }
    });
    address
}

fn passed_on(mut stream: TcpStream, own: SocketAddr, to: SocketAddr, script: &str) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let (mut bytes, mut part) = (Vec::new(), [0; 65536]);
    let (head, at) = loop {
        let read = stream.read(&mut part).ok().filter(|read| *read > 0)?;
        bytes.extend(&part[..read]);
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&bytes[..at]).into_owned(), at + 4);
        }
    };
    // Its own address stands where the other server's belongs; cookies are the same for all ports.
    let head = head.replace(&own.to_string(), &to.to_string());
    let mut lines = head.lines();
    let line = lines.next()?.strip_suffix(" HTTP/1.1")?.to_owned();
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
    while bytes.len() < at + length {
        let read = stream.read(&mut part).ok().filter(|read| *read > 0)?;
        bytes.extend(&part[..read]);
    }
    let kept: Vec<(&str, &str)> = headers
        .iter()
        .copied()
        .filter(|(name, _)| {
            !["connection", "content-length"].iter().any(|known| name.eq_ignore_ascii_case(known))
        })
        .collect();
    let answer = ask(to, &line, &kept, &bytes[at..])?;
    let mut body = answer.body;
    let is_page =
        answer.headers.iter().any(|(name, value)| name == "content-type" && value.starts_with("text/html"));
    if is_page {
        let page = String::from_utf8_lossy(&body).into_owned();
        let (before, after) = page.rsplit_once("</body>").unwrap();
        body = format!("{before}{script}{after}").into_bytes();
    }
    let mut said =
        format!("HTTP/1.1 {} OK\r\ncontent-length: {}\r\nconnection: close\r\n", answer.status, body.len());
    for (name, value) in
        answer.headers.iter().filter(|(name, _)| !["content-length", "connection"].contains(&name.as_str()))
    {
        said += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{said}\r\n").as_bytes()).ok()?;
    stream.write_all(&body).ok()
}

#[test]
fn a_browser_marks_reloads_and_takes_back() {
    let Some(browser) = available() else { return };
    let work = Workspace::new();
    labelled(&work, 15);
    let ben = Desk::open(&work, "ben", &[]);
    assert_eq!(ben.mark(1, 0, "incorrect", "<i>hm</i>").unwrap().status, 200);
    let anna = Desk::open(&work, "anna", &[]);
    let address = with_script(anna.address, include_str!("../browser/review_probe.js"));
    let seen =
        browser::open_address(&browser, &format!("http://{address}/?token={}", anna.token), "1280,900");
    assert_eq!(seen.console, Vec::<String>::new());
    let probe = probe(&seen);
    assert_eq!(probe["late"], json!([]), "{probe:#}");
    assert_eq!(probe["address"], "", "the token does not stay in the address");
    assert_eq!(probe["others"], "ben: incorrect, “<i>hm</i>”");
    assert_eq!(probe["at"], json!(["1 row marked", "2 rows marked", "3 rows marked"]));
    assert_eq!(probe["kept"], json!(["3 rows marked", "3", "correct1", "=because <b>so</b>"]));
    assert_eq!(probe["undone"], "2 rows marked");
    assert_eq!(probe["behind"], 200);
    let conflict = probe["conflict"][0].as_str().unwrap();
    assert!(conflict.contains("Saved there: incorrect. Not saved from here: correct."), "{conflict}");
    assert_eq!(probe["conflict"][1], "incorrect2");
    assert_eq!(probe["held"], json!([true, "held back", false]));
    assert_eq!(probe["settled"], "correct1");
    assert_eq!(probe["failed"], json!([true, "not lost"]));
    assert_eq!((&probe["at_last"], &probe["download"]), (&json!("not lost"), &json!(null)));
    assert_eq!(probe["trouble"], json!([]));
    assert_eq!(probe["foreign"], 0);
    let said: Vec<(u64, String)> = anna
        .marks()
        .iter()
        .filter(|mark| mark["by"] == "anna")
        .map(|mark| {
            (mark["row"].as_u64().unwrap(), mark["gold"]["gold"].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    let said: Vec<(u64, &str)> = said.iter().map(|(row, label)| (*row, label.as_str())).collect();
    let expected = [
        (1, "correct"),
        (2, "incorrect"),
        (3, "correct"),
        (3, "correct"),
        (3, "correct"),
        (3, ""),
        (4, "incorrect"),
        (4, "correct"),
        (4, "correct"),
        (4, "correct"),
    ];
    assert_eq!(said, expected);
    let notes: Vec<String> = anna.marks().iter().rev().take(3).map(|mark| mark["note"].to_string()).collect();
    assert_eq!(notes, [r#""not lost""#, r#""held back""#, r#""""#], "each note came after its mark");
    let draws = anna.get("/marks").unwrap().json()["draws"].clone();
    assert_eq!((draws[0]["queue"].as_str(), draws[0]["of"].as_u64()), (Some("random"), Some(15)));
}
