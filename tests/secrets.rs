//! Keys appear nowhere: not in what is kept, not in what is printed, whatever goes wrong and whatever an endpoint echoes.

use std::path::Path;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Deadline;
use crate::support::server::{Answer, Said, Seen, Server};
use crate::support::workspace::Workspace;

/// In the environment, read by its usual name.
const KEY: &str = "sk-canary/4f9a+17c2=e8";
/// In a header, by way of `${...}`.
const TOKEN: &str = "tok-canary-7b31d0";
/// In the query, in the settings file as it stands.
const QUERY: &str = "sig-canary-90aa5e";
/// The password in the address.
const PASSWORD: &str = "pw-canary-6620f1";
/// Of a proxy that nobody runs.
const PROXY: &str = "proxy-canary-3c77";
const ALL: [&str; 5] = [KEY, TOKEN, QUERY, PASSWORD, PROXY];

/// A secret as it might have been written.
fn spellings(secret: &str) -> Vec<String> {
    let percent: String = secret
        .bytes()
        .map(|byte| match byte {
            b'-' | b'.' | b'_' => char::from(byte).to_string(),
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let with_user = format!("user:{secret}");
    let all = [
        secret.to_owned(),
        percent,
        BASE64_STANDARD_NO_PAD.encode(secret),
        BASE64_URL_SAFE_NO_PAD.encode(secret),
        BASE64_STANDARD_NO_PAD.encode(with_user),
        // Cut short is not harmless.
        secret[..12].to_owned(),
    ];
    all.to_vec()
}

/// Every file below `folder`, with its bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Runs the binary with all secrets at hand and looks at everything that it printed and wrote.
#[track_caller]
fn nowhere(work: &Workspace, args: &[&str]) {
    let output = work
        .tooljudge(args)
        .env("OPENAI_API_KEY", KEY)
        .env("GATEWAY_TOKEN", TOKEN)
        .env("RUST_BACKTRACE", "1")
        .env("RUST_LOG", "trace")
        .env("GITHUB_STEP_SUMMARY", work.path("page.md"))
        .finish();
    let mut seen = files(&work.path(""));
    // Written by the test itself.
    seen.retain(|(name, _)| !name.ends_with("tooljudge.toml"));
    seen.push(("stdout".to_owned(), output.stdout));
    seen.push(("stderr".to_owned(), output.stderr));
    for spelling in ALL.iter().flat_map(|secret| spellings(secret)) {
        for (name, bytes) in &seen {
            let found = bytes.windows(spelling.len()).any(|window| window == spelling.as_bytes());
            assert!(!found, "{args:?}: {spelling} stands in {name}: {}", String::from_utf8_lossy(bytes));
        }
    }
}

/// Everything that a request carried, as an echo would give it back.
fn echo(seen: &Seen) -> String {
    let key = seen.authorization.clone().unwrap_or_default();
    let basic = BASE64_STANDARD.encode(key.trim_start_matches("Bearer "));
    let percent = KEY.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D");
    // So long that an excerpt ends within a secret.
    let filler = "x".repeat(150 - seen.number % 60);
    format!("{filler} {key} {basic} {percent} {:?} {}", seen.headers, seen.uri)
}

/// Answers every row in another way, each time with all that it was sent.
fn echoing() -> Server {
    Server::start(|seen| {
        let said = echo(seen);
        match row_of(seen) % 9 {
            0 => Answer::status(400, &said),
            1 => Answer::status(500, &said),
            2 => Answer::Raw { status: 200, headers: Vec::new(), body: said },
            3 => Answer::Raw { status: 503, headers: vec![("x-echo", said.clone())], body: said },
            4 => Answer::Text(format!("{said}\nLabel: correct")),
            5 => Answer::Text(serde_json::json!({"explanation": said, "label": "incorrect"}).to_string()),
            6 => Answer::Cut,
            7 => Answer::Message(serde_json::json!({"content": null, "refusal": said}), "stop"),
            row => Answer::label(gold(row)),
        }
    })
}

/// Settings with secrets in every place that takes one.
fn settings(url: &str) -> String {
    let url = url.replace("://", &format!("://user:{PASSWORD}@"));
    format!(
        "[judges.gateway]\njudge = 'openai:m'\nbase_url = '{url}'\napi_key_env = 'OPENAI_API_KEY'\nmax_attempts = 1\n\
         headers = {{ X-Token = 'Bearer ${{GATEWAY_TOKEN}}' }}\nquery = {{ sig = '{QUERY}' }}\n"
    )
}

const JUDGE: [&str; 2] = ["--judge", "gateway"];

#[test]
fn no_key_in_anything_a_run_leaves_behind() {
    let server = echoing();
    let work = Workspace::new();
    work.file("in.csv", numbered(18));
    work.file("tooljudge.toml", settings(&server.url));
    let label = ["label", "in.csv", "--keep-prompts", "--explain", "-o", "a.csv"];
    nowhere(&work, &[&label[..], &JUDGE].concat());
    let asked = server.seen();
    assert!(asked.iter().all(|seen| seen.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
    assert!(asked.iter().all(|seen| seen.uri.contains(QUERY) && seen.headers["x-token"].contains(TOKEN)));
    let rows = work.rows("a.csv");
    assert!(rows[4]["raw_reply"].contains("[secret]") && rows[4]["label"] == "correct", "{:?}", rows[4]);

    let report = ["--report", "r.html", "--report", "r.json", "--report", "r.md", "-o", "b.jsonl"];
    nowhere(&work, &[&["bench", "in.csv", "--audit", "doubts.csv"][..], &report, &JUDGE].concat());
    let probed = ["--limit", "5", "-o", "c.jsonl", "--report", "c.json", "--allow-unanswered", "1"];
    nowhere(&work, &[&["audit", "in.csv"][..], &probed, &JUDGE].concat());
    nowhere(&work, &["compare", "a.csv", "b.jsonl"]);
    nowhere(&work, &[&["resnap", "in.csv", "-o", "d.parquet"][..], &JUDGE].concat());
    nowhere(&work, &[&["label", "in.csv", "--dry-run", "2", "--json"][..], &JUDGE].concat());
    nowhere(&work, &["store", "stat"]);
}

/// A suite whose cases are told apart as rows are.
fn suite(cases: usize) -> String {
    let mut suite = "tools = [{ name = 'say', parameters = { type = 'object' } }]\n".to_owned();
    for case in 0..cases {
        suite.push_str(&format!(
            "[[cases]]\nid = 'c{case}'\nuser_message = 'Say {case} please'\nreference = 'Said.'\n\
             expected_tool_calls = [{{ tool_name = 'say' }}]\n"
        ));
    }
    suite
}

#[test]
fn no_key_in_anything_that_a_driven_agent_leaves_behind() {
    let echoes = echoing();
    // It says and calls with what it was sent, and the tool gives that back.
    let calls = Server::start(|seen| match (seen.turns(), seen.body.get("tools")) {
        (0, Some(_)) => Answer::Turn(Said::call("say", &serde_json::json!({ "text": echo(seen) }))),
        (_, Some(_)) => Answer::Turn(Said::text(&echo(seen)).thinking(&echo(seen))),
        _ => Answer::label("correct"),
    });
    for server in [&echoes, &calls] {
        let work = Workspace::new();
        work.file("suite.toml", suite(18));
        work.file("tooljudge.toml", settings(&server.url));
        let drive = ["drive", "suite.toml", "--agent", "gateway"];
        let tables = ["-o", "a.csv", "--turns", "t.jsonl", "--junit", "r.xml", "--keep-prompts", "--gold"];
        nowhere(&work, &[&drive[..], &tables, &["--grade", "gateway"]].concat());
        nowhere(&work, &[&drive[..], &["--dry-run", "2", "--json"]].concat());
        nowhere(&work, &[&drive[..], &["--json", "--log-file", "run.log", "-v"]].concat());
        nowhere(&work, &["store", "stat"]);
        let asked = server.seen();
        assert!(asked.iter().all(|seen| seen.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
        assert!(work.rows("a.csv").iter().any(|row| row["transcript"].contains("[secret]")));
    }
}

#[test]
fn no_key_in_what_ends_a_run() {
    let elsewhere = Server::start(|_| Answer::label("correct"));
    let target = format!("{}/v1/chat/completions", elsewhere.origin);
    let endings: Vec<Server> = [401, 403, 404, 307, 302]
        .into_iter()
        .map(|status| {
            let target = target.clone();
            Server::start(move |seen| Answer::Raw {
                status,
                headers: vec![("location", format!("{target}?echo={}", KEY.replace('+', "%2B")))],
                body: serde_json::json!({"error": {"message": echo(seen)}}).to_string(),
            })
        })
        .collect();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut urls: Vec<String> = endings.iter().map(|server| server.url.clone()).collect();
    // Nobody there; no TLS there; no such host.
    urls.push(format!("http://{free}/v1"));
    urls.push(endings[0].url.replace("http://", "https://"));
    urls.push("https://no-such-host.invalid/v1".to_owned());
    for url in urls {
        let work = Workspace::new();
        work.file("in.csv", numbered(3));
        work.file("tooljudge.toml", settings(&url));
        nowhere(&work, &[&["label", "in.csv"][..], &JUDGE].concat());
        nowhere(&work, &[&["audit", "in.csv"][..], &JUDGE].concat());
        work.file("suite.toml", suite(3));
        nowhere(&work, &["drive", "suite.toml", "--agent", "gateway", "-o", "e.jsonl"]);
    }
    assert_eq!(elsewhere.requests(), 0, "a redirect was followed");
}

#[test]
fn no_key_in_errors_about_settings() {
    let whole = settings("http://127.0.0.1:9");
    for broken in [
        whole.replace("max_attempts = 1", "max_attempts = = 1"),
        whole.replace("query = { sig = ", "query = { sig = 'x', sig = "),
        format!("{whole}\nheaders = '{TOKEN}'\n"),
        format!("[judges.gateway]\njudge = 'openai:m'\nheaders = '{TOKEN}'\n"),
        format!("[judges.gateway]\njudge = 'openai:m'\nheaders = {{ A = '{TOKEN}', B = 1 }}\n"),
        format!("[judges.gateway]\njudge = 'openai:m'\nbase_url = 'ftp://user:{PASSWORD}@host'\n"),
        format!(
            "[judges.gateway]\njudge = 'openai:m'\nbase_url = 'http://user:{PASSWORD}@judge.example/v1'\n"
        ),
        format!("[judges.gateway]\njudge = 'openai:m'\nbase_url = 'https://[x{PASSWORD}'\n"),
        format!("{whole}proxy = 'http://user:{PROXY}@127.0.0.1:9'\n"),
        format!("{whole}proxy = 'x y://user:{PROXY}@'\n"),
        whole.replace("Bearer ${", "Bearer\\n{").replace('\'', "\""),
        whole.replace("${GATEWAY_TOKEN}", &format!("{TOKEN}${{")),
        whole.replace("X-Token", "\"not a header\""),
    ] {
        let work = Workspace::new();
        work.file("in.csv", numbered(2));
        work.file("tooljudge.toml", &broken);
        nowhere(&work, &[&["label", "in.csv"][..], &JUDGE].concat());
    }
}

#[test]
fn rows_and_keys_cross_no_network_in_the_clear_unless_that_was_asked_for() {
    let work = Workspace::new();
    work.file("in.csv", numbered(2));
    let label = ["label", "in.csv", "--judge", "openai:m", "--max-attempts", "1", "--timeout", "3"];
    for url in ["http://judge.invalid/v1", "http://192.0.2.7:8000/v1", "http://localhost.invalid/v1"] {
        let ran = work.run(&[&label[..], &["--base-url", url]].concat()).ended(2);
        assert!(ran.stderr.contains("plain http") && ran.stderr.contains("--allow-http"), "{}", ran.stderr);
    }
    let far = ["--base-url", "http://judge.invalid/v1"];
    let asked = work.run(&[&label[..], &far, &["--allow-http"]].concat()).ended(2);
    assert!(asked.stderr.contains("cannot be reached"), "{}", asked.stderr);
    work.file(
        "tooljudge.toml",
        "[judges.far]\njudge = 'openai:m'\nbase_url = 'http://judge.invalid/v1'\nallow_http = true\n",
    );
    let asked = work.run(&["label", "in.csv", "--judge", "far", "--max-attempts", "1"]).ended(2);
    assert!(asked.stderr.contains("cannot be reached"), "{}", asked.stderr);
    // Nobody is called, so nothing is sent.
    work.run(&[&label[..], &far, &["--dry-run"]].concat()).ended(0);
}

/// The address of a store, put where none belongs: whoever repeats the argument leaves its password out.
#[test]
fn an_address_among_the_arguments_shows_no_password() {
    for address in [
        format!("postgres://u:{PASSWORD}@h/d"),
        format!("postgres://h/d?user=u&password={PASSWORD}"),
        format!("postgresq://u:{PASSWORD}@h/d"),
        format!("postgres://u:{PASSWORD}/x@h/d"),
    ] {
        let (equal, plain) = (format!("--rpm={address}"), address.as_str());
        for args in [
            &["store", "stat", plain][..],
            &["store", "prune", "--dry-run", plain, "--json"],
            &["label", plain],
            &["label", plain, "--json"],
            &["label", "in.csv", &equal, "--judge", "openai:m"],
            &["label", "in.csv", "--judge", plain],
            &["label", "in.csv", "--report", plain, "-o", plain],
            &["bench", plain, "--sample", plain],
            &["compare", plain, plain],
            &["merge", plain, "-o", "out.csv"],
            &["score", plain],
            &["drive", plain, "--log-file", "log"],
            &["templates", plain],
            &[plain],
        ] {
            let work = Workspace::new();
            work.file("in.csv", numbered(1));
            let ran = work.run(args).ended(2);
            assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(PASSWORD), "{args:?}: {ran:?}");
            for (name, bytes) in files(&work.path("")) {
                assert!(!name.contains(PASSWORD), "{name}");
                assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD), "{name}");
            }
        }
    }
}
