//! What a settings file can do to whoever runs in its folder: it may come with the folder, and be somebody else's.

use crate::support::child::Deadline;
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace};

const KEY: &str = "sk-0123456789-the-users-own";

const ROWS: &str = "question,tool_call,tool_definitions\nSay 1 please,say(n=1),say: Says a number\n";

fn run(work: &Workspace, args: &[&str]) -> Ran {
    let mut command = work.tooljudge(args);
    command.env("OPENAI_API_KEY", KEY).env("TEAM_TOKEN", "team-token-0123456789");
    Ran::from(command.finish())
}

#[test]
fn a_key_goes_to_another_address_only_where_it_is_named_for_it() {
    let server = Server::start(|_| Answer::label("correct"));
    let url = &server.url;
    let entry = |more: &str| {
        format!("[label]\njudge = ['x']\n[judges.x]\njudge = 'openai:m'\nbase_url = '{url}'\n{more}")
    };
    // The settings, what is added on the command line, whether the key is sent, what is said of it.
    let cases = [
        (entry(""), &[][..], false, "OPENAI_API_KEY is not sent to"),
        (
            format!("[label]\nbase_url = '{url}'\njudge = ['openai:m']"),
            &[],
            false,
            "OPENAI_API_KEY is not sent to",
        ),
        (entry("api_key_env = 'OPENAI_API_KEY'"), &[], true, "with the content of OPENAI_API_KEY"),
        (entry(""), &["--api-key-env", "OPENAI_API_KEY"], true, "with the content of OPENAI_API_KEY"),
        (entry(""), &["--base-url", url], true, "settings: tooljudge.toml sets --judge (line "),
        (entry("headers = { 'X-Team' = 'a ${TEAM_TOKEN}' }"), &[], false, "with the content of TEAM_TOKEN"),
    ];
    for (settings, more, sent, said) in cases {
        let work = Workspace::new();
        work.file("in.csv", ROWS);
        work.file("tooljudge.toml", &settings);
        let before = server.requests();
        let ran = run(&work, &[&["label", "in.csv"], more].concat()).ended(0);
        let seen = server.seen();
        assert_eq!(seen.len(), before + 1);
        let key = seen[before].headers.get("authorization").cloned();
        assert_eq!(key, sent.then(|| format!("Bearer {KEY}")), "{settings}");
        assert!(ran.stderr.contains(said), "{settings}\n{}", ran.stderr);
        assert!(ran.stderr.contains("settings: tooljudge.toml"), "{}", ran.stderr);
        assert!(!ran.stderr.contains(KEY) && !ran.stderr.contains("team-token"), "{}", ran.stderr);
    }
}

#[test]
fn what_an_entry_holds_for_its_own_address_goes_to_no_other() {
    let [own, other] = [(); 2].map(|()| Server::start(|_| Answer::label("correct")));
    let header = "headers = { 'X-Token' = '${TEAM_TOKEN}' }";
    let key = "api_key_env = 'TEAM_TOKEN'";
    let query = "query = { token = '${TEAM_TOKEN}' }";
    for (held, server, more, refused) in [
        (header, &other, &[][..], Some("headers")),
        (query, &other, &[], Some("query")),
        (key, &other, &[], Some("api_key_env")),
        (header, &other, &["--api-key-env", "OPENAI_API_KEY"], Some("headers")),
        (key, &other, &["--api-key-env", "OPENAI_API_KEY"], None),
        ("temperature = 0.5", &other, &[], None),
        (header, &own, &[], None),
        (key, &own, &[], None),
    ] {
        let work = Workspace::new();
        work.file("in.csv", ROWS);
        let entry = format!("[judges.x]\njudge = 'openai:m'\nbase_url = '{}'\n{held}", own.url);
        work.file("tooljudge.toml", &entry);
        let before = server.requests();
        let args = ["label", "in.csv", "--judge", "x", "--base-url", &server.url];
        let ran = run(&work, &[&args[..], more].concat());
        let Some(named) = refused else {
            ran.ended(0);
            assert_eq!(server.requests(), before + 1, "{held}");
            continue;
        };
        let ran = ran.ended(2);
        let said = format!("what its entry sends along ({named}) is meant for that one");
        assert!(ran.stderr.contains(&said) && ran.stderr.contains("--judge openai:m"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("team-token"), "{}", ran.stderr);
        assert_eq!(server.requests(), before, "{held}");
    }
}

#[test]
fn where_rows_go_is_said_even_if_the_file_wants_it_quiet() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    let elsewhere = "base_url = 'https://me:pass1234@elsewhere.example/v1?t=12345678'";
    for (settings, args, expected) in [
        (
            format!("[label]\njudge = ['x']\nquiet = true\n[judges.x]\njudge = 'openai:m'\n{elsewhere}"),
            &[][..],
            true,
        ),
        (format!("[label]\njudge = ['x']\n[judges.x]\njudge = 'openai:m'\n{elsewhere}"), &["--quiet"], true),
        (format!("[label]\n{elsewhere}"), &["--judge", "openai:m", "--quiet"], true),
        // Its own address is where its rows are meant to go; nobody named another.
        ("[label]\njudge = ['openai:m']".to_owned(), &["--quiet"], false),
        (
            "[judges.x]\njudge = 'openai:m'\nbase_url = 'https://api.openai.com/v1'".to_owned(),
            &["--judge", "x"],
            false,
        ),
    ] {
        work.file("tooljudge.toml", &settings);
        let ran = run(&work, &[&["label", "in.csv", "--dry-run"], args].concat()).ended(0);
        let said = ran.stderr.contains("go to https://elsewhere.example/v1");
        assert_eq!(said, expected, "{settings}\n{}", ran.stderr);
        assert_eq!(ran.stderr.contains("OPENAI_API_KEY is not sent"), expected, "{settings}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("pass1234") && !ran.stderr.contains("12345678"), "{}", ran.stderr);
    }
}

#[test]
fn a_proxy_is_said_and_gets_no_key_where_it_can_read_along() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    work.file("root.pem", include_str!("fixtures/tls/ca.pem"));
    let entry = "[judges.x]\njudge = 'openai:m'\nproxy = 'http://me:pass1234@proxy.example:3128'\n";
    for (more, withheld) in [("", false), ("ca_cert = 'root.pem'", true)] {
        work.file("tooljudge.toml", format!("{entry}{more}"));
        let ran = run(&work, &["label", "in.csv", "--judge", "x", "--dry-run", "--quiet"]).ended(0);
        assert!(ran.stderr.contains("by way of http://proxy.example:3128"), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("OPENAI_API_KEY is not sent"), withheld, "{}", ran.stderr);
    }
    // Over plain http any proxy reads along, whoever named the address.
    work.file("tooljudge.toml", entry);
    let mut command = work.tooljudge(&["label", "in.csv", "--judge", "x", "--dry-run", "--quiet"]);
    command.env("OPENAI_API_KEY", "sk-12345678").env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let ran = Ran::from(command.finish()).ended(0);
    assert!(ran.stderr.contains("OPENAI_API_KEY is not sent"), "{}", ran.stderr);
}

#[test]
fn an_entry_cannot_take_the_place_of_a_judge() {
    let server = Server::start(|_| Answer::label("correct"));
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    work.file(
        "gold.csv",
        "question,tool_call,tool_definitions,gold\nSay 1,say(n=1),say: Says a number,correct\n",
    );
    work.file("suite.toml", "[[cases]]\nid = 'a'\ninput = 'Say 1'\n");
    let allowed = |name: &str| format!("--judge={name}");
    for name in [
        "builtin",
        "Builtin",
        " builtin ",
        "built\u{200b}in",
        "builtin:mine",
        "openai:gpt-5-mini",
        "OpenAI:gpt-5-mini",
        "vllm:org/model",
        "ollama:qwen3:8b",
        "script:agent.jsonl",
        "all_correct",
        "schema_only",
        "built-in",
        "ｂｕｉｌｔｉｎ",
        "𝐛𝐮𝐢𝐥𝐭𝐢𝐧",
        "openai：gpt-5-mini",
        "open_ai:m",
        // Who reads the column `judge` takes these for a provider's models too.
        "mistral:m",
        "team:mini",
        "my openai:m",
        "qwen3：8b",
    ] {
        let key = format!("{name:?}").replace("\\u{200b}", "\\u200b");
        let entry = format!(
            "# Settings.\n[judges.{key}]\njudge = 'openai:m'\nbase_url = '{}'\napi_key_env = 'TEAM_TOKEN'\n",
            server.url
        );
        work.file("tooljudge.toml", entry);
        let named = allowed(name);
        for args in [
            &["label", "in.csv"][..],
            &["label", "in.csv", &named],
            &["resnap", "in.csv", &named],
            &["bench", "gold.csv"],
            &["bench", "gold.csv", &named],
            &["audit", "in.csv", &named],
            &["score", "--allow-failures", "gold.csv", &named],
            &["drive", "suite.toml", "--agent", name],
            &["drive", "suite.toml", "--agent", "openai:m", "--grade", name],
        ] {
            let ran = run(&work, args).ended(2);
            let said = "tooljudge.toml: line 2: [judges.";
            assert!(
                ran.stderr.contains(said) && ran.stderr.contains("--judge mine"),
                "{args:?}\n{}",
                ran.stderr
            );
            assert!(!ran.stderr.contains("team-token"), "{}", ran.stderr);
        }
    }
    assert_eq!(server.requests(), 0);
    // Names that only contain such a name are names of their own.
    for name in ["mini", "my-builtin", "team-mini", "gateway/openai", "openai"] {
        work.file(
            "tooljudge.toml",
            format!("[judges.'{name}']\njudge = 'openai:m'\nbase_url = '{}'\n", server.url),
        );
        run(&work, &["label", "in.csv", &allowed(name), "--fresh", "--force"]).ended(0);
        assert_eq!(work.column("in.labeled.csv", "judge"), [name]);
    }
    assert_eq!(server.requests(), 5);
}

#[test]
fn settings_of_a_folder_above_are_not_used() {
    let work = Workspace::new();
    work.file("tooljudge.toml", "[label]\nlimit = 0\nnonsense = true\n");
    std::fs::create_dir(work.path("inner")).unwrap();
    work.file("inner/in.csv", ROWS);
    let allowed = ["label", "in.csv", "--allow-unjudged", "1"];
    let mut command = work.tooljudge(&allowed);
    let ran = Ran::from(command.current_dir(work.path("inner")).finish()).ended(0);
    assert!(!ran.stderr.contains("settings"), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_in_the_file_is_said_of_the_file() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    let label = &["label", "in.csv"][..];
    for (settings, args, said) in [
        ("[label]\nrpm = 'many'", label, "tooljudge.toml: line 2: [label] `rpm`: expected a whole number"),
        ("[label]\nquiet = 'yes'", label, "tooljudge.toml: line 2: [label] `quiet`: expected true or false"),
        (
            "[label]\nvotes = [1, 3]",
            label,
            "tooljudge.toml: line 2: [label] `votes`: expected one value, not a list",
        ),
        ("[label]\nretry = ['lost']", label, "tooljudge.toml: line 2: [label] `retry`: only unparseable,"),
        ("[label]\nconfig = 'x.toml'", label, "tooljudge.toml: line 2: [label] has no setting `config`"),
        (
            "[label]\nlimit = 1\nsample = 1",
            label,
            "tooljudge.toml: line 2: [label] `limit`: cannot be used with `sample`",
        ),
        (
            "[label]\nbase_url = 'nowhere'\njudge = 'openai:m'",
            label,
            "tooljudge.toml: line 2: [label] `base_url`: no URL",
        ),
        (
            "[label]\njudge = 'x'\n[judges.x]\njudge = 'openai:m'\nbase_url = 'host:80'",
            label,
            "tooljudge.toml: [judges.x]: no http or https URL",
        ),
        (
            "[label]\njudge = 'x'\n[judges.x]\njudge = 'ollama:m'\nheaders = { A = '${NOT_SET}' }",
            label,
            "tooljudge.toml: [judges.x]: header A: the environment variable NOT_SET is not set",
        ),
        (
            "[label]\nforce = 1",
            &["bench", "in.csv"],
            "tooljudge.toml: line 2: [label] `force`: expected true or false",
        ),
        (
            "[score]\nquestions = 'q.json'",
            &["score", "--allow-failures"],
            "tooljudge.toml: line 2: [score] `questions`: --questions, --answers and --results belong together",
        ),
    ] {
        work.file("tooljudge.toml", settings);
        let ran = run(&work, args).ended(2);
        assert!(ran.stderr.contains(said), "{settings}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("Usage:"), "{settings}\n{}", ran.stderr);
    }
}

#[test]
fn a_flag_counts_more_than_the_judges_entry_and_that_more_than_the_defaults() {
    let server = Server::start(|_| Answer::label("correct"));
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    let entry = format!(
        "[label]\ntemperature = 0.125\nmax_tokens = 64\n[judges.x]\njudge = 'openai:m'\nbase_url = '{}'\ntemperature = 0.25\n",
        server.url
    );
    work.file("tooljudge.toml", entry);
    for (args, temperature, max_tokens) in [
        (&["--judge", "x"][..], 0.25, 64),
        (&["--judge", "x", "--temperature", "0.5", "--max-tokens", "32"], 0.5, 32),
        (&["--judge", "openai:m", "--base-url", &server.url], 0.125, 64),
    ] {
        let before = server.requests();
        run(&work, &[&["label", "in.csv", "--fresh"], args].concat()).ended(0);
        let body = &server.seen()[before].body;
        assert_eq!(body["temperature"], temperature, "{args:?}");
        let tokens = body.get("max_completion_tokens").or(body.get("max_tokens")).unwrap();
        assert_eq!(tokens, max_tokens, "{args:?}");
    }
}

#[test]
fn a_switch_can_be_turned_off_in_the_file() {
    let work = Workspace::new();
    let case = r#"{"tool_call": {"name": "a", "arguments": {}}, "expected_tool_calls": [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]}"#;
    work.file("cases.jsonl", case);
    let score = ["score", "--allow-failures", "cases.jsonl", "--scorer", "tool_call", "--json"];
    work.file("tooljudge.toml", "");
    assert!(run(&work, &score).ended(0).stdout.contains("\"mean_score\": 0.0"));
    work.file("tooljudge.toml", "[score]\nrequire_all = false\n");
    let ran = run(&work, &score).ended(0);
    assert!(ran.stdout.contains("\"mean_score\": 0.5"), "{}", ran.stdout);
    let ran = run(&work, &[&score[..], &["--require-all"]].concat()).ended(0);
    assert!(ran.stdout.contains("\"mean_score\": 0.0"), "{}", ran.stdout);
}

#[test]
fn a_switch_that_the_file_turns_on_can_be_turned_off() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    work.file("tooljudge.toml", "[label]\njson = true\ncolumn = { question = 'question' }\n");
    let label = ["label", "in.csv", "--allow-unjudged", "1", "--max-abstained", "1"];
    for (more, is_json) in [
        (&[][..], true),
        (&["--json=false"], false),
        (&["--json", "--json=false"], false),
        (&["--json=false", "--json=true"], true),
    ] {
        let ran = run(&work, &[&label[..], more].concat()).ended(0);
        assert_eq!(ran.stdout.starts_with('{'), is_json, "{more:?}\n{}", ran.stdout);
    }
}

#[test]
fn a_judges_entry_turns_off_what_the_defaults_turn_on() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    // Nothing listens there, and nobody is asked: the address alone is refused.
    let entry = "[label]\nallow_http = true\n[judges.x]\njudge = 'ollama:m'\nbase_url = 'http://192.0.2.1:1'\nallow_http = false\n";
    work.file("tooljudge.toml", entry);
    let ran = run(&work, &["label", "in.csv", "--judge", "x"]).ended(2);
    assert!(ran.stderr.contains("allow_http"), "{}", ran.stderr);
}

#[test]
fn what_only_label_can_do_is_passed_over_by_the_others() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    work.file(
        "tooljudge.toml",
        "[label]\ndry_run = true\nfresh = true\nretry = ['empty']\npartial = true\nlimit = 1\n",
    );
    let ran = run(&work, &["label", "in.csv"]).ended(0);
    assert!(ran.stdout.contains("sends no requests"), "{}", ran.stdout);
    // Whose replies are meant is to be said: a table is replaced.
    let ran = run(&work, &["resnap", "in.csv"]).ended(2);
    assert!(ran.stderr.contains("name the judge that gave them"), "{}", ran.stderr);
    run(&work, &["resnap", "in.csv", "--judge", "builtin", "--allow-unjudged", "1"]).ended(0);
    assert!(work.path("in.labeled.csv").exists());
}

#[test]
fn a_key_of_the_defaults_goes_to_one_provider_and_one_address() {
    let [own, other] = [(); 2].map(|()| Server::start(|_| Answer::label("correct")));
    let [here, there] = [&own.url, &other.url];
    let key = "api_key_env = 'TEAM_TOKEN'";
    // The settings, what is typed, what ends the run, or else the server and whether it gets the key.
    for (settings, typed, refused, served) in [
        (format!("judge = ['openai:m', 'anthropic:m']\n{key}"), &[][..], Some("different providers"), None),
        (
            format!("judge = ['openai:m', 'anthropic:m']\nbase_url = '{here}'"),
            &[],
            Some("different providers"),
            None,
        ),
        (
            format!("judge = ['openai:m', 'openai:n']\n{key}\nbase_url = '{here}'"),
            &[],
            None,
            Some((&own, true)),
        ),
        (
            format!("judge = ['x']\n{key}\n[judges.x]\njudge = 'openai:m'\nbase_url = '{here}'"),
            &[],
            None,
            Some((&own, false)),
        ),
        (
            format!("judge = ['openai:m']\n{key}\nbase_url = '{here}'"),
            &["--base-url", there],
            Some("--api-key-env"),
            None,
        ),
        (
            format!("judge = ['openai:m']\n{key}\nbase_url = '{here}'"),
            &["--base-url", there, "--api-key-env", "TEAM_TOKEN"],
            None,
            Some((&other, true)),
        ),
        (format!("judge = ['openai:m']\n{key}"), &["--base-url", there], None, Some((&other, true))),
    ] {
        let work = Workspace::new();
        work.file("in.csv", ROWS);
        work.file("tooljudge.toml", format!("[label]\n{settings}"));
        let before = [&own, &other].map(Server::requests);
        let ran = run(&work, &[&["label", "in.csv"], typed].concat());
        assert!(!ran.stderr.contains("team-token"), "{}", ran.stderr);
        let ran = ran.ended(if refused.is_some() { 2 } else { 0 });
        let said = refused.is_none_or(|why| ran.stderr.contains(why) && ran.stderr.contains("line "));
        assert!(said, "{settings}\n{}", ran.stderr);
        let asked = [&own, &other].map(Server::requests) != before;
        assert_eq!(asked, served.is_some(), "{settings}");
        if let Some((server, sent)) = served {
            let last = server.seen().pop().unwrap().headers.get("authorization").cloned();
            assert_eq!(last, sent.then(|| "Bearer team-token-0123456789".to_owned()), "{settings}");
            assert_eq!(ran.stderr.contains("TEAM_TOKEN is not sent to"), !sent, "{settings}\n{}", ran.stderr);
        }
    }
}

#[test]
fn a_benchmark_and_an_audit_leave_the_labelled_table_alone() {
    let work = Workspace::new();
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/quickstart.csv");
    work.file(
        "tooljudge.toml",
        "[label]\noutput = 'labelled.csv'\nreport = 'page.html'\nto = 'csv'\nlimit = 6\n",
    );
    run(&work, &["label", table, "--allow-unjudged", "1"]).ended(0);
    let files = ["labelled.csv", "labelled.csv.run.json", "page.html"];
    let read = || files.map(|name| std::fs::read(work.path(name)).unwrap());
    let before = read();
    run(&work, &["bench", table, "--allow-unjudged", "1"]).ended(0);
    run(&work, &["audit", table]).ended(0);
    assert_eq!(read(), before);
}

#[test]
fn an_item_of_a_list_is_one_value() {
    let work = Workspace::new();
    work.file("in.csv", ROWS);
    work.file("own.txt", "{question} {tool_call} {tool_definitions}: correct, all of it, or wrong?");
    let server = Server::start(|_| Answer::label("wrong"));
    let label = ["label", "in.csv", "--judge", "openai:m", "--template", "own.txt", "--fresh"];
    for (rails, expected) in [
        ("['correct, all of it', 'wrong']", "correct, all of it"),
        ("'right,wrong'", "right"),
        ("['right', 'wrong']", "right"),
    ] {
        work.file("tooljudge.toml", format!("[label]\nrails = {rails}\n"));
        run(&work, &[&label[..], &["--base-url", &server.url]].concat()).ended(0);
        let sent = server.seen().pop().unwrap().body.to_string();
        assert!(sent.contains(&format!("\"{expected}\",\"wrong\"")), "{rails}: {sent}");
    }
}

#[test]
fn a_number_of_the_file_is_compared_as_it_is_written() {
    let work = Workspace::new();
    work.file(
        "in.csv",
        ROWS.replacen(",tool_definitions\n", ",tool_definitions,version\n", 1)
            .replace("number\n", "number,1.0\n"),
    );
    work.file("tooljudge.toml", "[label]\nwhere = { version = 1.0 }\n");
    run(&work, &["label", "in.csv", "--allow-unjudged", "1"]).ended(0);
}
