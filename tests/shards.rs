//! A table that is labelled in parts by several processes, and joined, is the one that a single process writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tooljudge::internal::{Selection, Table, Understanding};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::Running;
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/");

/// Labels `input` whole and in `count` parts with these `flags`, and gives what both came to.
fn both(work: &Workspace, input: &str, count: usize, ending: &str, flags: &[&str]) -> [Vec<u8>; 2] {
    let label = |more: &[&str]| {
        let accepted = ["--allow-unjudged", "1", "--max-abstained", "1"];
        work.run(&[&["label", input][..], &accepted, flags, more].concat()).ended(0);
    };
    label(&["-o", &format!("whole.{ending}")]);
    let parts: Vec<String> = (0..count).map(|index| format!("part{index}.{ending}")).collect();
    for (index, part) in parts.iter().enumerate() {
        // A part of the case before is of other shards, and would not be replaced.
        let _ = std::fs::remove_file(work.path(part));
        label(&["--shard", &format!("{index}/{count}"), "-o", part]);
    }
    let mut named: Vec<&str> = parts.iter().map(String::as_str).collect();
    // The order in which they are named does not matter.
    named.reverse();
    work.run(&[&["merge"][..], &named, &["--allow-empty", "-o", &format!("all.{ending}")]].concat()).ended(0);
    ["whole", "all"].map(|name| std::fs::read(work.path(&format!("{name}.{ending}"))).unwrap())
}

#[test]
fn joined_parts_are_the_whole() {
    let work = Workspace::new();
    for (file, format) in
        [("quickstart.csv", "parquet"), ("quickstart.csv", "arrow"), ("chats.jsonl", "parquet")]
    {
        let stem = file.split('.').next().unwrap();
        work.run(&["convert", &format!("{DATA}{file}"), "-o", &format!("{stem}.{format}")]).ended(0);
    }
    // One row that cannot be read, keys that only some rows have, nulls and empty texts.
    let odd = [
        r#"{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number", "a": null}"#,
        r#"{"question": "", "tool_call": 7, "b": ""}"#,
        r#"{"question": "Say 2", "tool_call": {"name": "say", "arguments": {"n": 2.50}}, "c": {"d": [1, "x"]}}"#,
        r#"{"tool_call": "say(n=1)"}"#,
        r#"{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number", "a": 1e3}"#,
    ];
    work.file("odd.jsonl", odd.join("\n"));
    // A key that no part begins with.
    let late = |n: u32| {
        let note = if n.is_multiple_of(5) && n > 0 { r#", "note": "x""# } else { "" };
        format!(
            r#"{{"question": "Book {n} nights", "tool_call": "book(nights={n})", "tool_definitions": "book: Books"{note}}}"#
        )
    };
    work.file("late.jsonl", (0..40).map(late).collect::<Vec<_>>().join("\n"));
    let (csv, chats) = (format!("{DATA}quickstart.csv"), format!("{DATA}chats.jsonl"));
    for (input, count, ending, flags) in [
        (csv.as_str(), 2, "csv", &[][..]),
        (&csv, 3, "tsv", &["--findings", "--decide", "always"]),
        (&csv, 2, "jsonl", &["--where", "gold=correct", "--drop", "note"]),
        (&csv, 5, "csv.gz", &["--limit", "7", "--prefix", "ours_"]),
        (&csv, 2, "jsonl", &["--keep", "id,note"]),
        (&csv, 2, "json", &[]),
        (&chats, 2, "jsonl", &["--turns", "all"]),
        (&chats, 3, "csv", &["--task", "tool_selection", "--task", "tool_calling"]),
        ("odd.jsonl", 2, "jsonl", &[]),
        ("odd.jsonl", 4, "csv", &["--per", "call"]),
        ("odd.jsonl", 64, "jsonl", &[]),
        ("late.jsonl", 2, "jsonl", &[]),
        (&csv, 2, "csv", &["--escape-formulas"]),
        (&csv, 2, "jsonl", &["--where", "gold=nobody", "--force"]),
    ] {
        let [whole, all] = both(&work, input, count, ending, flags);
        assert!(whole == all, "{input} {count} {ending}: {}", String::from_utf8_lossy(&all));
    }
    for (input, count, ending) in [
        ("quickstart.parquet", 2, "parquet"),
        ("quickstart.arrow", 3, "arrow"),
        ("chats.parquet", 2, "parquet"),
    ] {
        both(&work, input, count, ending, &[]);
        let rows = ["whole", "all"].map(|name| {
            let text = format!("{name}.jsonl");
            work.run(&["convert", &format!("{name}.{ending}"), "--from", "rows", "-o", &text, "--force"])
                .ended(0);
            work.read(&text)
        });
        assert_eq!(rows[0], rows[1], "{input}");
        let schema = |name: &str| {
            let path = work.path(&format!("{name}.{ending}")).display().to_string();
            Table::open(&[path], Understanding::default(), Selection::default())
                .unwrap()
                .schema()
                .columns
                .clone()
        };
        assert_eq!(schema("whole"), schema("all"), "{input}");
    }
}

fn start(work: &Workspace, server: &Server, shard: &str, output: &str) -> Running {
    let judge = ["--judge", "openai:m", "--base-url", &server.url, "--concurrency", "4"];
    work.start(&[&["label", "in.csv", "--shard", shard, "-o", output][..], &judge].concat())
}

#[test]
fn two_processes_ask_each_question_once_though_one_is_killed() {
    let server = Server::start(|seen| {
        Answer::After(std::time::Duration::from_millis(10), Box::new(Answer::label(gold(row_of(seen)))))
    });
    let work = Workspace::new();
    // Each row twice: equal questions are in one shard.
    let rows = numbered(60);
    let (header, lines) = rows.split_once('\n').unwrap();
    work.file("in.csv", format!("{header}\n{lines}{lines}"));
    let killed = start(&work, &server, "0/2", "a.csv");
    let other = start(&work, &server, "1/2", "b.csv");
    server.await_requests(20);
    killed.kill();
    killed.wait();
    assert!(other.output().status.success());
    let missing = work.run(&["merge", "b.csv", "-o", "all.csv"]).ended(2);
    assert!(missing.stderr.contains("of 2 shards 0 is missing"), "{}", missing.stderr);
    assert!(start(&work, &server, "0/2", "a.csv").output().status.success());
    work.run(&["merge", "a.csv", "b.csv", "-o", "all.csv"]).ended(0);
    assert_eq!(work.column("all.csv", "label"), work.column("all.csv", "gold"));
    assert_eq!(work.column("all.csv", "question"), work.column("in.csv", "question"));
    let asked = server.asked().len();
    assert!(asked == 60 && server.answered_twice() <= 4, "{asked} {}", server.answered_twice());
}

#[test]
fn what_does_not_belong_together_is_not_joined() {
    let work = Workspace::new();
    let rows: String = (0..40).map(|n| format!("Say {n},say(n={n}),say: Says a number,{n}\n")).collect();
    work.file("in.csv", format!("question,tool_call,tool_definitions,id\n{rows}"));
    work.file(
        "other.csv",
        format!("question,tool_call,tool_definitions,id\n{}", rows.replace(",39\n", ",40\n")),
    );
    let label = |input: &str, shard: &str, output: &str, more: &[&str]| {
        let args =
            ["label", input, "--shard", shard, "-o", output, "--max-abstained", "1", "--allow-unjudged", "1"];
        work.run(&[&args[..], more].concat()).ended(0);
    };
    label("in.csv", "0/2", "a.csv", &[]);
    label("in.csv", "1/2", "b.csv", &[]);
    for (output, input, shard, more) in [
        ("input.csv", "other.csv", "1/2", &[][..]),
        ("defs.csv", "in.csv", "1/2", &["--require-definitions"]),
        ("decide.csv", "in.csv", "1/2", &["--decide", "always"]),
        ("dropped.csv", "in.csv", "1/2", &["--drop", "id"]),
        ("kept.csv", "in.csv", "1/2", &["--keep", "question,tool_call,tool_definitions"]),
        ("three.csv", "in.csv", "1/3", &[]),
        ("again.csv", "in.csv", "0/2", &[]),
    ] {
        label(input, shard, output, more);
    }
    // Of the same length.
    std::fs::copy(work.path("b.csv"), work.path("edited.csv")).unwrap();
    std::fs::copy(work.path("b.csv.run.json"), work.path("edited.csv.run.json")).unwrap();
    let edited = work.read("edited.csv").replacen("Says a number", "Says a numbeR", 1);
    std::fs::write(work.path("edited.csv"), edited).unwrap();
    work.file("plain.csv", work.read("b.csv"));
    for (parts, said) in [
        (&["a.csv", "input.csv"][..], "their inputs differ (other.csv and in.csv;"),
        (&["a.csv", "defs.csv"], "they differ in `require_definitions`;"),
        (&["a.csv", "decide.csv"], "they differ in `decide`;"),
        (&["a.csv", "dropped.csv"], "they differ in `drop`;"),
        (&["a.csv", "kept.csv"], "they differ in `keep`;"),
        (&["a.csv", "three.csv"], "different numbers of shards"),
        (&["a.csv", "again.csv"], "are both shard 0/2"),
        (&["a.csv", "edited.csv"], "was changed"),
        (&["a.csv", "plain.csv"], "its record plain.csv.run.json is not there"),
        (&["a.csv"], "of 2 shards 1 is missing"),
        (&["a.csv", "b.csv", "--output=all.jsonl"], "writes the format of its parts"),
        (&["a.csv", "b.csv", "--output=in.csv"], "--force"),
    ] {
        let output =
            if parts.iter().any(|part| part.starts_with("--")) { &[][..] } else { &["-o", "all.csv"] };
        let ran = work.run(&[&["merge"][..], parts, output].concat()).ended(2);
        assert!(ran.stderr.contains(said), "{parts:?}: {}", ran.stderr);
        assert!(!work.path("all.csv").exists(), "{parts:?}");
    }
    for (args, said) in [
        (&["label", "in.csv", "--shard", "2/2", "-o", "x.csv"][..], "0/16 to 15/16"),
        (&["label", "in.csv", "--shard", "0/2", "-o", "-"], "give one with -o"),
        (&["label", "a.csv", "--overwrite", "--shard", "0/2", "-o", "x.csv"], "`shard_row` already"),
    ] {
        let ran = work.run(args).ended(2);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_part_replaces_only_an_earlier_one_of_its_own() {
    let work = Workspace::new();
    let input = format!("{DATA}quickstart.csv");
    let label = |more: &[&str]| {
        work.run(
            &[&["label", &input, "-o", "out.csv", "--limit", "8", "--allow-unjudged", "1"], more].concat(),
        )
    };
    label(&["--shard", "0/2"]).ended(0);
    label(&["--shard", "0/2"]).ended(0);
    let first = std::fs::read(work.path("out.csv")).unwrap();
    for other in ["1/2", "0/3"] {
        let ran = label(&["--shard", other]).ended(2);
        assert!(ran.stderr.contains("out.csv is shard 0/2") && ran.stderr.contains("-o"), "{}", ran.stderr);
        assert_eq!(std::fs::read(work.path("out.csv")).unwrap(), first);
    }
    label(&["--shard", "1/2", "--force"]).ended(0);
    label(&[]).ended(0);
    let ran = label(&["--shard", "0/2"]).ended(2);
    assert!(ran.stderr.contains("out.csv is a whole table"), "{}", ran.stderr);
}

/// Neither saw the other's table when it began.
#[test]
fn of_two_parts_that_are_written_to_one_place_at_once_the_first_stays() {
    let is_open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&is_open);
    let server = Server::start(move |seen| match gate.load(Ordering::SeqCst) {
        true => Answer::label(gold(row_of(seen))),
        false => {
            Answer::Raw { status: 429, headers: vec![("retry-after", "1".to_owned())], body: String::new() }
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(12));
    let late = start(&work, &server, "0/2", "out.csv");
    server.await_requests(1);
    work.run(&["label", "in.csv", "--shard", "1/2", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    let first = work.read("out.csv");
    is_open.store(true, Ordering::SeqCst);
    let late = late.output();
    let said = String::from_utf8_lossy(&late.stderr);
    assert_eq!(late.status.code(), Some(2), "{said}");
    assert!(said.contains("labeled as shard 1/2; it stays"), "{said}");
    assert_eq!(work.read("out.csv"), first);
}

/// Nothing else in the record tells these parts from parts of one run.
#[test]
fn parts_of_other_headers_or_prices_are_not_joined_and_missing_labels_are_told() {
    let server = Server::start(|seen| Answer::label(gold(row_of(seen))));
    let work = Workspace::new();
    work.file("in.csv", numbered(12));
    let label = |shard: &str, output: &str, entry: &str| {
        let url = &server.url;
        let toml = format!("[judges.a]\njudge = \"openai:m\"\nbase_url = \"{url}\"\n{entry}\n");
        work.file("tooljudge.toml", toml);
        work.run(&["label", "in.csv", "--judge", "a", "--shard", shard, "-o", output]).ended(0);
    };
    let (small, price) = (r#"headers = { X-Route = "small" }"#, "price = { input = 1.0, output = 2.0 }");
    label("0/2", "a.csv", small);
    label("1/2", "b.csv", small);
    label("1/2", "large.csv", r#"headers = { X-Route = "large" }"#);
    label("1/2", "query.csv", &format!("{small}\nquery = {{ tenant = \"42\" }}"));
    label("1/2", "price.csv", &format!("{small}\n{price}"));
    label("1/2", "tokens.csv", &format!("{small}\nmax_tokens = 30"));
    let merge = |part: &str, ended: i32| work.run(&["merge", "a.csv", part, "-o", "all.csv"]).ended(ended);
    for (part, said) in [
        ("large.csv", "the headers or queries of their judges differ"),
        ("query.csv", "the headers or queries of their judges differ"),
        ("price.csv", "the prices of their judges differ"),
        ("tokens.csv", "they differ in `max_tokens` ("),
    ] {
        let ran = merge(part, 2);
        assert!(ran.stderr.contains(said), "{part}: {}", ran.stderr);
        assert!(!work.path("all.csv").exists(), "{part}");
    }
    assert!(!merge("b.csv", 0).stderr.contains("missing"));
    // What older programs wrote does not say.
    let record: serde_json::Value = serde_json::from_str(&work.read("large.csv.run.json")).unwrap();
    let mut older = record.clone();
    for key in ["routes", "prices"] {
        older["shard"].as_object_mut().unwrap().remove(key);
    }
    work.file("large.csv.run.json", older.to_string());
    merge("large.csv", 0);
    let mut skipped = record;
    skipped["shard"]["routes"] = serde_json::from_str::<serde_json::Value>(&work.read("a.csv.run.json"))
        .unwrap()["shard"]["routes"]
        .clone();
    let statuses = &mut skipped["panel"][0]["summary"]["statuses"];
    statuses["skipped_budget"] = 3.into();
    statuses["errored"] = 29.into();
    statuses["abstained"] = 6.into();
    skipped["panel"][0]["summary"]["no_evidence"] = serde_json::json!({"balance": 5});
    work.file("large.csv.run.json", skipped.to_string());
    let ran = merge("large.csv", 0);
    assert!(
        ran.stderr.contains("labels are missing: 1 abstained, 29 errored, 3 skipped_budget\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn joined_parts_without_a_label_say_so() {
    let work = Workspace::new();
    let row = |n: usize| {
        let tools =
            serde_json::json!([{"name": "act", "parameters": {"properties": {"id": {"type": "string"}}}}]);
        let call = format!("act(id='x{n}')");
        let row =
            serde_json::json!({"question": "Do what we said", "tool_call": call, "tool_definitions": tools});
        format!("{row}\n")
    };
    work.file("in.jsonl", (0..6).map(row).collect::<String>());
    for shard in ["0/2", "1/2"] {
        let part = format!("part{}.jsonl", &shard[..1]);
        work.run(&["label", "in.jsonl", "--shard", shard, "-o", &part]).ended(0);
        let gate = ["--min-pass-rate", "0.1"];
        let ran = work.run(
            &[&["label", "in.jsonl", "--shard", shard, "-o", "gated.jsonl", "--force"], &gate[..]].concat(),
        );
        assert!(
            ran.ended(1).stderr.contains("no row has a label"),
            "a gate that was asked for holds for each shard"
        );
    }
    work.run(&["label", "in.jsonl", "-o", "all.jsonl"]).ended(1);
    let merge = ["merge", "part0.jsonl", "part1.jsonl", "-o", "all.jsonl", "--json"];
    let ran = work.run(&merge).ended(1);
    assert!(ran.stderr.contains("none of 6 rows has a label; --allow-empty"), "{}", ran.stderr);
    let ran = work.run(&[&merge[..], &["--allow-empty"]].concat()).ended(0);
    assert!(ran.stderr.contains("none of 6 rows has a label"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("missing"), "an answer is not missing: {}", ran.stderr);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["statuses"], serde_json::json!({"abstained": 6}));
    assert_eq!(work.read("all.jsonl").lines().count(), 6);
}
