//! Agents of the user's own behind an address.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::own::{SUITE, documented_server, has};
use super::rows;
use crate::support::child::Deadline;
use crate::support::on_time::on_time;
use crate::support::workspace::{Ran, Workspace, repository};

/// A server that writes what `answer` says to each request; what it was sent comes out.
fn serve(answer: fn(&Value, &mut TcpStream)) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/agent", listener.local_addr().unwrap());
    let (seen, all) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = seen.clone();
            std::thread::spawn(move || {
                let Some((mut stream, body)) = request(stream) else { return };
                let _ = seen.send(body.clone());
                answer(&body, &mut stream);
            });
        }
    });
    (address, all)
}

fn request(stream: TcpStream) -> Option<(TcpStream, Value)> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((reader.into_inner(), serde_json::from_slice(&body).ok()?))
}

fn say(stream: &mut TcpStream, status: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

fn drive_unread(url: &str, more: &[&str]) -> Ran {
    let work = Workspace::new();
    work.file("suite.toml", SUITE);
    work.run(&[&["drive", "suite.toml", "--agent", url][..], more].concat())
}

fn drive(url: &str, more: &[&str]) -> (Ran, Vec<Value>) {
    let work = Workspace::new();
    work.file("suite.toml", SUITE);
    let args = ["drive", "suite.toml", "--agent", url, "-o", "episodes.jsonl"];
    let ran = work.run(&[&args[..], more].concat());
    (ran, rows(&work, "episodes.jsonl"))
}

#[test]
fn of_a_server_no_program_is_kept() {
    let ran = drive_unread("http://127.0.0.1:9/agent", &["--agent-keep"]);
    assert!(ran.ended(2).stderr.contains("--agent-keep: no agent is a program"));
}

#[test]
fn a_server_is_sent_all_that_was_said() {
    let _on_time = on_time();
    let (url, seen) = serve(|body, stream| {
        let said = match body["history"].as_array().unwrap().len() {
            0 => json!({ "type": "calls", "calls": [
                { "id": "1", "name": "get_weather", "arguments": { "city": "Hue" } },
                { "id": "2", "name": "get_wether", "arguments": {} },
            ] }),
            _ => json!({ "type": "answer", "text": "31", "cost": 0.1 }),
        };
        say(stream, "200 OK", said.to_string().as_bytes());
    });
    let (ran, rows) = drive(&url, &["--set", "threshold=0.5"]);
    ran.ended(0);
    assert_eq!((&rows[0]["ended"], &rows[0]["steps"]), (&json!("finished"), &json!(2)));
    let (first, second) = (seen.recv().unwrap(), seen.recv().unwrap());
    assert_eq!(
        (&first["type"], &first["version"], &first["id"]),
        (&json!("case"), &json!(1), &json!("hue#1"))
    );
    assert_eq!((&first["history"], first["tools"][0]["name"].as_str()), (&json!([]), Some("get_weather")));
    assert_eq!(second["messages"], first["messages"]);
    let history = second["history"].as_array().unwrap();
    let types: Vec<&str> = history.iter().map(|entry| entry["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["call", "call", "result", "result"]);
    assert_eq!(
        history[0],
        json!({ "type": "call", "id": "1", "name": "get_weather", "arguments": { "city": "Hue" } })
    );
    assert_eq!(
        (&history[3]["id"], &history[3]["name"], &history[3]["is_error"]),
        (&json!("2"), &json!("get_wether"), &json!(true))
    );
    assert!(seen.try_recv().is_err(), "nothing is sent twice");
}

/// A server may close a connection that nobody uses, whenever it likes.
#[test]
fn a_server_that_closes_idle_connections_fails_nothing() {
    fn answer(body: &Value, stream: &mut TcpStream) {
        let said = match body["history"].as_array().unwrap().len() {
            0 => json!({ "type": "call", "id": "1", "name": "get_weather", "arguments": { "city": "Hue" } }),
            _ => json!({ "type": "answer", "text": "31" }),
        };
        let said = said.to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", said.len());
        let _ = stream.write_all((head + &said).as_bytes());
        std::thread::sleep(Duration::from_millis(3));
    }
    let (url, _seen) = serve(answer);
    let (ran, rows) = drive(&url, &["--repeats", "48", "--allow-failures"]);
    ran.ended(0);
    let ends: Vec<&Value> = rows.iter().map(|row| &row["ended"]).collect();
    assert!(rows.len() == 48 && ends.iter().all(|ended| *ended == "finished"), "{ends:?}");
}

/// What stands beside an address's place may choose another agent there.
#[test]
fn addresses_that_differ_in_what_is_hidden_are_two_agents() {
    let (url, seen) = serve(|_, stream| say(stream, "200 OK", br#"{"type": "answer", "text": "31"}"#));
    let asked = |more: &[&str]| {
        let (ran, rows) = drive(&format!("{url}?model=a"), &[&["--allow-failures"], more].concat());
        ran.ended(0);
        let names: Vec<String> = rows.iter().map(|row| row["agent"].as_str().unwrap().to_owned()).collect();
        (names, seen.try_iter().count())
    };
    let other = format!("{url}?model=b");
    assert_eq!(asked(&["--agent", &other]), (vec![url.clone(), format!("{url} (2)")], 2));
    // And none is replayed for another.
    let work = Workspace::new();
    work.file("suite.toml", SUITE);
    let with_user = url.replace("http://", "HTTP://user:secret1@");
    for (address, count) in
        [(format!("{url}?model=a"), 1), (format!("{url}?model=a"), 0), (other, 1), (with_user, 1)]
    {
        work.run(&["drive", "suite.toml", "--agent", &address, "--agent-version", "1", "--allow-failures"])
            .ended(0);
        assert_eq!(seen.try_iter().count(), count, "{address}");
    }
}

#[test]
fn no_error_repeats_a_password() {
    let work = Workspace::new();
    work.file("suite.toml", SUITE);
    for address in ["HTTP://user:hunter2@", "htp://user:hunter2@localhost/", " https://user:hunter2@h:x/"] {
        let ran = work.run(&["drive", "suite.toml", "--agent", address]);
        assert!(ran.code != Some(0) && !ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
}

#[test]
fn a_server_that_names_another_case_is_at_fault() {
    let (url, _seen) =
        serve(|_, stream| say(stream, "200 OK", br#"{"type": "answer", "text": "31", "case": "hue#2"}"#));
    let (ran, rows) = drive(&url, &[]);
    ran.ended(1);
    assert_eq!(rows[0]["ended"], "protocol_error");
}

#[test]
fn no_server_that_misbehaves_passes_or_hangs() {
    type Answer = fn(&Value, &mut TcpStream);
    let servers: [(&str, Answer, &str); 10] = [
        ("an error", |_, stream| say(stream, "500 Internal Server Error", b"ValueError"), "agent_error"),
        ("too busy", |_, stream| say(stream, "503 Service Unavailable", b""), "agent_error"),
        (
            "an error on a connection that stays open",
            |_, stream| {
                let _ = stream.write_all(b"HTTP/1.1 500 Internal Server Error\r\n\r\nValueError");
                std::thread::sleep(Duration::from_secs(1000));
            },
            "agent_error",
        ),
        ("elsewhere", |_, stream| say(stream, "302 Found", b""), "agent_error"),
        ("words", |_, stream| say(stream, "200 OK", b"31 degrees"), "protocol_error"),
        ("nothing", |_, stream| say(stream, "200 OK", b""), "protocol_error"),
        ("binary", |_, stream| say(stream, "200 OK", &[0xff; 100]), "protocol_error"),
        ("too long", |_, stream| say(stream, "200 OK", &vec![b' '; 10 << 20]), "protocol_error"),
        ("hang up", |_, _| {}, "agent_error"),
        (
            "one call without end",
            |body, stream| {
                let at = body["history"].as_array().unwrap().len();
                let call = json!({ "type": "call", "id": at.to_string(), "name": "get_weather", "arguments": { "city": "Hue" } });
                say(stream, "200 OK", call.to_string().as_bytes());
            },
            "max_steps",
        ),
    ];
    for (what, answer, ended) in servers {
        let (url, _seen) = serve(answer);
        let (ran, rows) = drive(&url, &[]);
        assert_eq!(
            (&rows[0]["ended"], &rows[0]["passed"]),
            (&json!(ended), &json!(false)),
            "{what}: {}",
            rows[0]
        );
        ran.ended(1);
    }
    let (url, _seen) = serve(|_, _| std::thread::sleep(Duration::from_secs(1000)));
    let (ran, rows) = drive(&url, &["--agent-timeout", "1"]);
    assert_eq!(rows[0]["ended"], "timed_out");
    ran.ended(1);
}

#[test]
fn a_server_that_is_not_there_has_no_score_and_no_password_is_shown() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://me:pw-canary-1234@127.0.0.1:{port}/agent?token=tok-canary-5678");
    let (ran, rows) = drive(&url, &["--allow-failures"]);
    assert_eq!(
        (&rows[0]["ended"], &rows[0]["passed"], &rows[0]["score"]),
        (&json!("errored"), &Value::Null, &Value::Null)
    );
    let ran = ran.ended(1);
    assert_eq!(rows[0]["agent"], format!("http://127.0.0.1:{port}/agent"));
    assert!(!format!("{ran:?}{rows:?}").contains("canary"), "{ran:?}");
}

#[test]
fn the_documented_server_does_what_it_should() {
    if !has("python3") {
        return;
    }
    let work = Workspace::new();
    work.file("my_server.py", documented_server());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = std::process::Command::new("python3");
    command.current_dir(work.path("")).args(["my_server.py", &port.to_string()]);
    let server = command.stderr(std::process::Stdio::null()).start();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let suite = repository("datasets/weather.toml");
    let url = format!("http://localhost:{port}/agent");
    let args =
        ["drive", suite.to_str().unwrap(), "--agent", &url, "-o", "episodes.jsonl", "--allow-failures"];
    work.run(&args).ended(0);
    let rows = rows(&work, "episodes.jsonl");
    let now = rows.iter().find(|row| row["case"] == "now").unwrap();
    assert_eq!((&now["passed"], &now["ended"]), (&json!(true), &json!("finished")));
    server.kill();
    server.wait();
}
