//! Several judges and templates in one run, votes, and reading replies again.

use serde_json::{Value, json};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Workspace, shown};

/// A server whose model `strict` finds every call incorrect, and whose other models are right.
fn server() -> Server {
    Server::start(|seen| match seen.body["model"].as_str() {
        Some("strict") => Answer::label("incorrect"),
        _ => Answer::label(gold(row_of(seen))),
    })
}

fn settings(server: &Server) -> String {
    format!(
        "[judges.strict]\njudge = 'openai:strict'\nbase_url = '{url}'\n\n[judges.fair]\njudge = 'openai:fair'\nbase_url = \
         '{url}'\n",
        url = server.url
    )
}

#[test]
fn every_judge_and_template_has_columns_of_its_own() {
    let (server, work) = (server(), Workspace::new());
    work.file("in.csv", numbered(30));
    work.file("tooljudge.toml", settings(&server));
    let tasks = ["--task", "tool_calling", "--task", "tool_selection"];
    let judges = ["--judge", "builtin", "--judge", "fair", "--judge", "strict"];
    let args: Vec<&str> =
        ["label", "in.csv"].into_iter().chain(judges).chain(tasks).chain(["--allow-unjudged", "1"]).collect();
    let ran = work.run(&args).ended(0);
    shown("summary_of_a_panel", &ran.stdout);
    assert_eq!(server.requests(), 30 * 2 * 2);
    let rows = work.rows("in.labeled.csv");
    assert_eq!(rows.len(), 30);
    for row in &rows {
        for task in ["tool_calling", "tool_selection"] {
            assert_eq!(row[&format!("fair_{task}_label")], row["gold"]);
            assert_eq!(row[&format!("strict_{task}_label")], "incorrect");
            assert_eq!(row[&format!("strict_{task}_judge")], "strict");
            // It has nothing to go on in these rows.
            assert_eq!(row[&format!("builtin_{task}_status")], "abstained");
        }
    }
    let manifest: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    assert_eq!(manifest["panel"].as_array().unwrap().len(), 6);
    assert_eq!(manifest["panel"][2]["prefix"], "fair_tool_calling_");
    assert_eq!(
        manifest["panel"][2]["summary"]["gold"],
        json!({"column": "gold", "agree": 30, "compared": 30, "invalid": 0})
    );

    // One of the judges again, alone: nothing is asked, and its columns need no prefix.
    work.run(&["label", "in.csv", "--judge", "fair", "-o", "fair.csv"]).ended(0);
    assert_eq!(server.requests(), 30 * 2 * 2);
    assert_eq!(work.column("fair.csv", "label"), work.column("fair.csv", "gold"));
}

#[test]
fn one_judge_whose_key_is_wrong_stops_all_and_keeps_what_came() {
    let server = Server::start(|seen| match seen.body["model"].as_str() {
        Some("strict") if seen.number > 20 => Answer::status(401, "no such key"),
        _ => Answer::label(gold(row_of(seen))),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(60));
    work.file("tooljudge.toml", settings(&server));
    let ran = work.run(&["label", "in.csv", "--judge", "fair", "--judge", "strict"]).ended(2);
    assert!(ran.stderr.contains("no such key"), "{}", ran.stderr);
    assert!(!work.path("in.labeled.csv").exists());
    let asked = server.requests();
    work.run(&["label", "in.csv", "--judge", "fair"]).ended(0);
    assert!(server.requests() < asked + 60, "replies of the other judge were lost");
}

#[test]
fn mistakes_in_a_panel_are_named() {
    let work = Workspace::new();
    work.file("in.csv", numbered(1));
    work.file("tooljudge.toml", "[judges.fair]\njudge = 'openai:fair'\n");
    for (args, words) in [
        (&["--judge", "fiar"][..], "tooljudge.toml names fair; did you mean `fair`?"),
        (&["--judge", "buildin"], "did you mean `builtin`?"),
        (&["--judge", "builtin", "--judge", "builtin"], "is given twice"),
        (&["--judge", "fair", "--judge", "openai:m", "--base-url", "http://x"], "describes one endpoint"),
        (&["--task", "tool_calling", "--task", "tool_calling"], "two templates are named tool_calling"),
        (&["--judge", "openai:m", "--votes", "2"], "odd"),
    ] {
        let ran = work.run(&[&["label", "in.csv"], args].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
    for (settings, words) in [
        ("[judges.x]\njudge = 'openai:m'\ncolour = 'red'\n", "unknown field `colour`"),
        ("[label]\nrpn = 3\n", "[label] has no setting `rpn`"),
        ("[judges.x]\njudge = 'gpt'\n", "[judges.x]"),
        ("rpm = 3\n", "unknown field `rpm`"),
        ("[label]\nrpm = 'many'\n", "tooljudge.toml: line 2: [label] `rpm`: expected a whole number"),
        ("[prices.'openai:m']\ninput = -1\noutput = 2\n", "price of openai:m"),
        ("nonsense", "tooljudge.toml"),
        (
            "[judges.x]\njudge = 'openai:m'\nbase_url = 'http://x'\nheaders = { A = 'Bearer ${NOT_SET_HERE}' }\n",
            "[judges.x]: header A: the environment variable NOT_SET_HERE is not set",
        ),
        (
            "[judges.x]\njudge = 'openai:m'\nbase_url = 'http://x'\nca_cert = 'none.pem'\n",
            "cannot read none.pem",
        ),
        ("[judges.x]\njudge = 'azure:m'\n", "azure has no default address"),
    ] {
        work.file("tooljudge.toml", settings);
        let ran = work.run(&["label", "in.csv", "--judge", "x"]).ended(2);
        assert!(ran.stderr.contains(words), "{settings:?}: {}", ran.stderr);
    }
}

#[test]
fn settings_give_defaults_and_flags_override_them() {
    let (server, work) = (server(), Workspace::new());
    work.file("in.csv", numbered(4));
    let judge = settings(&server);
    work.file(
        "my.toml",
        format!("[label]\njudge = ['fair']\nlimit = 3\nexplain = true\ntask = 'tool_selection'\n{judge}"),
    );
    work.run(&["label", "in.csv", "--config", "my.toml"]).ended(0);
    let rows = work.rows("in.labeled.csv");
    assert_eq!(
        (rows.len(), rows[0]["judge"].as_str(), rows[0]["template"].as_str()),
        (3, "fair", "tool_selection")
    );
    assert!(server.seen()[0].body.to_string().contains("explanation"));
    work.run(&["label", "in.csv", "--config", "my.toml", "--limit", "1", "--judge", "builtin"]).ended(1);
    let rows = work.rows("in.labeled.csv");
    assert_eq!((rows.len(), rows[0]["judge"].as_str()), (1, "builtin"));
}

#[test]
fn most_votes_decide_and_their_share_is_the_confidence() {
    // Of three replies to row n, n % 4 say `incorrect`, in the order in which they come; row 3 is refused once besides.
    let server = Server::start(|seen| {
        let wrong = row_of(seen) % 4;
        Answer::label(if seen.earlier < wrong { "incorrect" } else { "correct" })
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(8));
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--votes", "3"];
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 24);
    let labels = ["correct", "correct", "incorrect", "incorrect"].repeat(2);
    assert_eq!(work.column("in.labeled.csv", "label"), labels);
    let confidences = ["1.0", "0.6667", "0.6667", "1.0"].repeat(2);
    assert_eq!(work.column("in.labeled.csv", "confidence"), confidences);
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 24);
    // More votes cost only the new ones.
    work.run(&["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--votes", "5"]).ended(0);
    assert_eq!(server.requests(), 40);
}

#[test]
fn stored_replies_are_read_again_without_a_network() {
    let server = Server::start(|seen| match row_of(seen) % 3 {
        0 => Answer::Text("The call is right.".to_owned()),
        1 => Answer::Text("acceptable".to_owned()),
        _ => Answer::Text("It is incorrectly phrased".to_owned()),
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(6));
    let base = ["in.csv", "--judge", "openai:m", "--base-url", &server.url];
    work.run(&[&["label"], &base[..]].concat());
    let first = work.column("in.labeled.csv", "label");
    let asked = server.requests();

    let unstored = Workspace::new();
    unstored.file("in.csv", numbered(6));
    let ran = unstored.run(&[&["resnap"], &base[..]].concat()).ended(2);
    assert!(ran.stderr.contains("there is no reply store"), "{}", ran.stderr);

    work.run(&[&["resnap"], &base[..], &["-o", "same.csv"]].concat());
    assert_eq!(work.column("same.csv", "label"), first);
    work.run(&[&["resnap"], &base[..], &["--snap", "legacy", "-o", "legacy.csv"]].concat());
    assert_eq!(work.column("legacy.csv", "label")[2], "incorrect");
    work.run(
        &[&["resnap"], &base[..], &["--read-rails", "acceptable,unacceptable", "-o", "rails.csv"]].concat(),
    );
    let again = work.rows("rails.csv");
    assert_eq!((again[1]["label"].as_str(), again[1]["score"].as_str()), ("acceptable", "1.0"));
    assert_eq!(again[2]["status"], "unparseable");
    assert_eq!(server.requests(), asked);

    // Where nothing is stored, nothing takes the place of the labels that are there.
    let before = work.read("same.csv");
    for other in [
        &["--judge", "openai:other", "--base-url", &server.url][..],
        &["--judge", "openai:m", "--base-url", "http://localhost:1/v1"],
    ] {
        let ran = work
            .run(&[&["resnap", "in.csv"], other, &["-o", "same.csv", "--allow-unjudged", "1"]].concat())
            .ended(2);
        assert!(
            ran.stderr.contains("no reply is stored for any row") && ran.stderr.contains("`tooljudge label`"),
            "{}",
            ran.stderr
        );
        assert_eq!(work.read("same.csv"), before);
    }
    let both = ["--judge", "openai:other", "--judge", "builtin", "--base-url", &server.url, "-o", "both.csv"];
    let ran = work.run(&[&["resnap", "in.csv"], &both[..]].concat()).ended(2);
    assert!(ran.stderr.contains("openai:other") && !work.path("both.csv").exists(), "{}", ran.stderr);

    // What one of several judges has is worth a table.
    work.file(
        "tooljudge.toml",
        format!("[judges.other]\njudge = 'openai:other'\nbase_url = '{0}'\n[judges.m]\njudge = 'openai:m'\nbase_url = '{0}'\n", server.url),
    );
    let ran = work.run(&["resnap", "in.csv", "--judge", "m", "--judge", "other", "-o", "both.csv"]).ended(1);
    assert_eq!(work.column("both.csv", "m_tool_calling_label"), first, "{}", ran.stderr);
    assert_eq!(work.column("both.csv", "other_tool_calling_status"), ["not_asked"; 6]);

    // A row that was never asked is not asked now.
    work.file("in.csv", numbered(7));
    work.run(&[&["resnap"], &base[..], &["-o", "more.csv"]].concat()).ended(1);
    assert_eq!(work.rows("more.csv")[6]["status"], "not_asked");
    assert_eq!(server.requests(), asked);
}

#[test]
fn a_dry_run_shows_prompts_and_asks_nobody() {
    let (server, work) = (server(), Workspace::new());
    work.file("in.csv", numbered(10));
    let price = "price = { input = 1.0, output = 10.0 }\n";
    work.file(
        "tooljudge.toml",
        format!("{}\n[judges.priced]\njudge = 'openai:gpt-4o'\n{price}", settings(&server)),
    );
    // No key is needed, for nobody is called.
    let args =
        ["label", "in.csv", "--judge", "priced", "--judge", "fair", "--judge", "builtin", "--dry-run", "2"];
    let ran = work.run(&args).ended(0);
    assert_eq!(ran.stdout.matches("--- priced, tool_calling, prompt ").count(), 2);
    assert!(ran.stdout.contains("Say 1 please") && !ran.stdout.contains("Say 2 please"));
    assert_eq!(work.names(), ["in.csv", "tooljudge.toml"]);
    assert_eq!(server.requests(), 0);

    let forecast =
        |args: &[&str]| -> Value { serde_json::from_str(&work.run(args).ended(0).stdout).unwrap() };
    let before = forecast(&[&args[..], &["--json"]].concat());
    assert_eq!((&before[0]["questions"], &before[0]["completion_tokens"]), (&10.into(), &200.into()));
    let tokens = before[0]["prompt_tokens"].as_f64().unwrap();
    let cost = before[0]["cost_usd"].as_f64().unwrap();
    assert!((cost - (tokens + 200.0 * 10.0) / 1e6).abs() < 1e-12, "{cost} for {tokens} tokens");
    assert_eq!(before[1]["cost_usd"], Value::Null);

    // What is paid for already costs nothing more.
    work.file("in.csv", numbered(4));
    work.run(&["label", "in.csv", "--judge", "fair"]).ended(0);
    work.file("in.csv", numbered(10));
    let after = forecast(&[&args[..], &["--json"]].concat());
    assert_eq!((&after[1]["questions"], &after[1]["answered"]), (&10.into(), &4.into()));
}

#[test]
fn a_dry_run_tells_of_rows_that_cannot_be_read_or_are_unusual() {
    let work = Workspace::new();
    let good = r#"{"question":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}],"tool_call":{"name":"f","arguments":{}},"tool_definitions":[{"name":"f","parameters":{}}]}"#;
    let bad = r#"{"question":"Weather?","tool_definitions":[{"name":"f","parameters":{}}]}"#;
    work.file("in.jsonl", format!("{good}\n{bad}\n{bad}\n"));
    let dry = ["label", "in.jsonl", "--judge", "openai:m", "--dry-run", "0"];
    let said = work.run(&dry).ended(0).stdout;
    // Wherever the lines end.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 of 3 rows cannot be read (invalid_row)"), "{said}");
    assert!(said.contains("The first is row 2: missing_tool_call: "), "{said}");
    assert!(said.contains("flags of rows: 1 judged_turn_cut"), "{said}");
    let told: Value =
        serde_json::from_str(&work.run(&[&dry[..], &["--json"]].concat()).ended(0).stdout).unwrap();
    assert_eq!(
        (&told[0]["first_invalid"]["row"], &told[0]["flags"]["judged_turn_cut"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_ceiling_leaves_the_rest_for_another_day() {
    let (server, work) = (server(), Workspace::new());
    work.file("in.csv", numbered(40));
    let price = "price = { input = 10.0, output = 10.0 }\n";
    work.file(
        "tooljudge.toml",
        format!("[judges.fair]\njudge = 'openai:fair'\nbase_url = '{}'\n{price}", server.url),
    );
    let args = ["label", "in.csv", "--judge", "fair", "--max-tokens", "50"];
    let unpriced =
        ["label", "in.csv", "--judge", "openai:fair", "--base-url", &server.url, "--max-tokens", "50"];
    let ran = work.run(&[&unpriced[..], &["--max-cost", "0.1"]].concat()).ended(2);
    assert!(ran.stderr.contains("the price of fair"), "{}", ran.stderr);
    let elsewhere = unpriced.map(|arg| if arg == "openai:fair" { "openai:gpt-5-mini" } else { arg });
    let ran = work.run(&[&elsewhere[..], &["--max-cost", "0.1"]].concat()).ended(2);
    assert!(
        ran.stderr.contains("the price of gpt-5-mini at this address, for its list price holds"),
        "{}",
        ran.stderr
    );
    let ran = work.run(&["label", "in.csv", "--judge", "fair", "--max-cost", "0.1"]).ended(2);
    assert!(ran.stderr.contains("--max-tokens N"), "{}", ran.stderr);

    let ran = work.run(&[&args[..], &["--max-cost", "0.1", "--json"]].concat()).ended(1);
    assert!(ran.stderr.contains("the cost limit --max-cost was reached"), "{}", ran.stderr);
    let manifest: Value = serde_json::from_str(&ran.stdout).unwrap();
    let statuses = &manifest["panel"][0]["summary"]["statuses"];
    let judged = usize::try_from(statuses["judged"].as_u64().unwrap()).unwrap();
    assert_eq!(judged, server.requests());
    assert_eq!(statuses["skipped_budget"], 40 - judged);
    assert!((1..40).contains(&judged), "{judged} rows for 0.1 dollars");
    let paid = manifest["panel"][0]["summary"]["cost_usd"].as_f64().unwrap();
    assert!(paid > 0.0 && paid <= 0.1, "{paid} dollars");

    // The same command goes on with another budget, and without a ceiling it comes to its end.
    work.run(&[&args[..], &["--max-cost", "0.1"]].concat()).ended(1);
    assert!(server.requests() > judged);
    work.run(&args).ended(0);
    assert_eq!(server.requests(), 40);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
}
