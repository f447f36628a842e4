//! What the server does not answer, and what the command does not begin.

use serde_json::json;

use super::{Desk, labelled};
use crate::support::child::Deadline;
use crate::support::http::ask;
use crate::support::workspace::{Ran, Workspace};

/// A request line, its headers and body, and the status that answers it.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, u16);

#[test]
fn only_its_own_page_is_answered() {
    let work = Workspace::new();
    labelled(&work, 8);
    let desk = Desk::open(&work, "anna", &[]);
    assert!(desk.address.ip().is_loopback());
    let (host, cookie) = (desk.address.to_string(), desk.cookie());
    let origin = format!("http://{host}");
    let port = desk.address.port();
    let mark = json!({"table": desk.table, "since": 0, "row": 1, "version": 0, "gold": {"gold": "correct"}, "note": ""}).to_string();
    let kind = ("content-type", "application/json");
    let [own, let_in, from_here] = [("host", &*host), ("cookie", &*cookie), ("origin", &*origin)];
    let elsewhere = format!("evil.example:{port}");
    let token = format!("GET /?token={}", desk.token);
    let wrong_token = format!("GET /?token={}0", &desk.token[1..]);
    let token_of_marks = format!("GET /marks?token={}", desk.token);
    let absolute = format!("GET http://evil.example/?token={}", desk.token);
    let large = "x".repeat(400_000);
    let cases: &[Case<'_>] = &[
        (&token, &[own], "", 200),
        ("GET /", &[own, let_in], "", 200),
        ("GET /", &[own], "", 403),
        (&wrong_token, &[own], "", 403),
        (&token, &[("host", &elsewhere)], "", 403),
        (&token, &[("host", "127.0.0.1")], "", 403),
        (&token, &[], "", 403),
        (&token, &[own, ("host", &elsewhere)], "", 403),
        (&token, &[own, ("origin", "http://evil.example")], "", 403),
        (&absolute, &[("host", "evil.example")], "", 403),
        (&token_of_marks, &[own], "", 403),
        ("GET /marks", &[own, let_in, ("sec-fetch-site", "cross-site")], "", 403),
        ("GET /marks", &[own, let_in], "", 200),
        ("GET /marks?since=-1", &[own, let_in], "", 400),
        ("GET /marks?since=99999999999999999999999", &[own, let_in], "", 400),
        ("POST /marks", &[own, from_here, kind], &mark, 403),
        ("POST /marks", &[own, let_in, kind], &mark, 403),
        ("POST /marks", &[own, let_in, kind, ("origin", "http://evil.example")], &mark, 403),
        ("POST /marks", &[own, let_in, kind, ("origin", "null")], &mark, 403),
        ("POST /marks", &[own, let_in, kind, from_here, ("sec-fetch-site", "same-site")], &mark, 403),
        ("POST /marks", &[("host", &elsewhere), let_in, kind, from_here], &mark, 403),
        ("POST /marks", &[own, let_in, from_here], &mark, 415),
        ("POST /marks", &[own, let_in, from_here, ("content-type", "text/plain")], &mark, 415),
        ("POST /marks", &[own, let_in, from_here, kind], &large, 413),
        ("POST /marks", &[own, let_in, from_here, kind], "{", 400),
        ("POST /marks", &[own, let_in, from_here, kind], "[]", 400),
        ("POST /undo", &[own, let_in, from_here, kind], &mark, 400),
        ("POST /", &[own, let_in, from_here, kind], &mark, 405),
        ("PUT /marks", &[own, let_in, from_here, kind], &mark, 405),
        ("DELETE /marks", &[own, let_in, from_here], "", 405),
        ("OPTIONS /marks", &[own, let_in, from_here], "", 405),
        ("OPTIONS /marks", &[own, ("origin", "http://evil.example")], "", 403),
        ("GET /undo", &[own, let_in], "", 405),
        ("GET /labelled.jsonl", &[own, let_in], "", 404),
        ("GET /../labelled.jsonl", &[own, let_in], "", 404),
        ("GET /..%2flabelled.jsonl", &[own, let_in], "", 404),
        ("GET //etc/passwd", &[own, let_in], "", 404),
        ("GET /%00", &[own, let_in], "", 404),
        ("GET /marks/", &[own, let_in], "", 404),
        ("HEAD /marks", &[own, let_in], "", 200),
    ];
    for (line, headers, body, status) in cases {
        let answer = ask(desk.address, line, headers, body.as_bytes());
        let answer = answer.unwrap_or_else(|| panic!("{line} {headers:?}: no answer"));
        assert_eq!(answer.status, *status, "{line} {headers:?}: {}", answer.text());
        if *status == 403 {
            let said = answer.text();
            assert!(
                said.starts_with("This server answers only") || said.starts_with("Open the whole address"),
                "{said}"
            );
            assert_eq!(answer.header("set-cookie"), None);
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
    assert_eq!(desk.marks(), Vec::<serde_json::Value>::new(), "none of these was a mark");
    let page = desk.page();
    let cookie = page.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(page.text().contains("connect-src 'self'; base-uri"), "the page says the same itself");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert!(!page.text().contains(&desk.token), "the token is in no text that a page could give away");
}

#[test]
fn what_makes_no_sense_is_not_kept() {
    let work = Workspace::new();
    labelled(&work, 8);
    let desk = Desk::open(&work, "anna", &[]);
    let mark = json!({"table": desk.table, "since": 0, "row": 1, "version": 0, "gold": {"gold": "correct"}, "note": ""});
    let changed = |name: &str, value: serde_json::Value| {
        let mut mark = mark.clone();
        mark[name] = value;
        mark
    };
    for wrong in [
        changed("table", json!("another")),
        changed("row", json!(0)),
        changed("row", json!(9)),
        changed("row", json!(-1)),
        changed("row", json!(1.5)),
        changed("row", json!(u64::MAX)),
        changed("gold", json!({"gold": "perfect"})),
        changed("gold", json!({"gold": null})),
        changed("gold", json!({"judge": "correct"})),
        changed("gold", json!("correct")),
        changed("note", json!("x".repeat(10_001))),
        changed("reviewer", json!("ben")),
    ] {
        let answer = desk.post("/marks", &wrong).unwrap();
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
        assert!(answer.json()["error"].as_str().is_some_and(|why| !why.is_empty()));
    }
    let draw = |rows: serde_json::Value, of: u64, queue: &str| {
        let draw =
            json!({"table": desk.table, "since": 0, "queue": queue, "rows": rows, "of": of, "seen": 0});
        desk.post("/draws", &draw).unwrap().status
    };
    for (rows, of, queue) in [
        (json!([]), 8, "random"),
        (json!([1, 1]), 8, "random"),
        (json!([9]), 8, "random"),
        (json!([1]), 7, "random"),
        (json!([1]), 8, "mine"),
    ] {
        assert_eq!(draw(rows.clone(), of, queue), 400, "{rows} of {of} by {queue}");
    }
    assert_eq!(draw(json!([2, 1]), 8, "random"), 200);
    assert_eq!(draw(json!([3]), 6, "random"), 409, "somebody drew before");
    assert_eq!(desk.marks(), Vec::<serde_json::Value>::new());
}

#[test]
fn what_cannot_be_reviewed_is_said() {
    let work = Workspace::new();
    labelled(&work, 4);
    work.file("more.jsonl", work.read("labelled.jsonl"));
    work.file("empty.jsonl", "");
    work.file("notes.txt", "not a database, by far\n".repeat(100));
    let rows: Vec<serde_json::Value> =
        work.read("labelled.jsonl").lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let changed = |name: &str, change: &dyn Fn(usize, &mut serde_json::Value)| {
        let row = |(at, row): (usize, &serde_json::Value)| {
            let mut row = row.clone();
            change(at, &mut row);
            row.to_string()
        };
        work.file(name, rows.iter().enumerate().map(row).collect::<Vec<_>>().join("\n"));
    };
    changed("status.jsonl", &|at, row| {
        if at == 2 {
            row["status"] = json!("decided");
        }
    });
    changed("scores.jsonl", &|at, row| {
        row["label"] = json!(["good", "bad"][at % 2]);
        row.as_object_mut().unwrap().remove("score");
    });
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let cases: &[(&[&str], &str)] = &[
        (&["calls.jsonl"], "calls.jsonl has no labels"),
        (&["none.jsonl"], "none.jsonl"),
        (&["empty.jsonl"], "empty.jsonl"),
        (&["status.jsonl"], "row 3: `status` is `decided`"),
        (&["scores.jsonl"], "no row with the label `bad` has a number in `score`"),
        (&["labelled.jsonl", "--port", &port], "name another one with --port"),
        (&["labelled.jsonl", "--marks", "notes.txt"], "notes.txt is not a file of marks"),
        (
            &["labelled.jsonl", "--marks", "notes.txt/marks.sqlite"],
            "name a file in a folder that you can write to",
        ),
        (&["labelled.jsonl", "--reviewer", " "], "1 to 100 characters"),
        (&["labelled.jsonl", "--reviewer", "a\nb"], "1 to 100 characters"),
        (&["labelled.jsonl", "--id", "name"], "there is no column `name`"),
        (&["labelled.jsonl", "more.jsonl"], "name a file for its marks"),
        (&["export", "labelled.jsonl", "-o", "gold.csv"], "there are no marks at labelled.marks.sqlite"),
    ];
    for (args, why) in cases {
        let mut command = work.tooljudge(&[&["review"], *args].concat());
        command.env("USER", "ana");
        let ran = Ran::from(command.finish()).ended(2);
        assert!(ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
    }
    let mut command = work.tooljudge(&["review", "labelled.jsonl"]);
    let ran = Ran::from(command.env_remove("USER").env_remove("USERNAME").finish()).ended(2);
    assert!(ran.stderr.contains("add --reviewer NAME"), "{}", ran.stderr);
    assert!(!work.names().iter().any(|name| name.contains("gold.csv")));
    assert!(work.read("notes.txt").starts_with("not a database"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let work = Workspace::new();
    labelled(&work, 4);
    let folder = work.path("sealed");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(work.path("labelled.jsonl"), folder.join("labelled.jsonl")).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(folder.join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    let ran = work.run(&["review", "sealed/labelled.jsonl", "--reviewer", "ana", "--no-open"]).ended(2);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        ran.stderr.contains("sealed/labelled.marks.sqlite") && ran.stderr.contains("--marks"),
        "{}",
        ran.stderr
    );
}
