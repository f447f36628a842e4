//! `convert` and `label` on whole logs: what is written, what is told, and what happens to files that mean harm.

use std::io::Write;

use tooljudge::domain::Json;
use tooljudge::internal::{Selection, Sink, Table, Understanding};

use crate::support::archive::{Member, zip};
use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository, shown};

/// A chat that ends with a call.
const CHAT: &str = r#"{"id":"c1","model":"m","messages":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","tool_calls":[{"id":"t1","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}],"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]}"#;

/// A sample of an evaluation log, with `id`.
fn sample(id: &str) -> String {
    let rest = r#""epoch":1,"events":[{"event":"model","model":"m","input":[{"role":"user","content":"Hi"}],"tools":[],"output":{"choices":[{"message":{"role":"assistant","content":"Hello"}}]}}]}"#;
    format!(r#"{{"id":"{id}",{rest}"#)
}

fn fixture(name: &str) -> String {
    repository("tests/fixtures/formats/logs").join(name).display().to_string()
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| Json::parse(line).unwrap()).collect()
}

fn field<'a>(line: &'a Json, key: &str) -> &'a str {
    line.get(key).and_then(Json::as_str).unwrap_or_default()
}

#[test]
fn what_people_see() {
    let work = Workspace::new();
    shown("convert_help", &work.run(&["convert", "--help"]).ended(0).stdout);
    shown("convert_formats", &work.run(&["convert", "--formats"]).ended(0).stdout);
    work.file("chat.jsonl", format!("{CHAT}\n\n{{\"messages\":7}}\n"));
    let line = work.run(&["convert", "chat.jsonl", "--quiet"]).ended(0).stdout;
    shown("convert_line", &line);
    for name in ["bfcl_result_python.json", "bfcl_questions.json", "inspect_log.eval", "langsmith_runs.jsonl"]
    {
        std::fs::copy(fixture(name), work.path(name)).unwrap();
    }
    let args = ["convert", "--summary", "bfcl_result_python.json", "bfcl_questions.json", "inspect_log.eval"];
    shown(
        "convert_summary",
        &work.run(&[&args[..], &["langsmith_runs.jsonl", "chat.jsonl"]].concat()).ended(0).stdout,
    );
    shown("convert_hint", &work.run(&["convert", "--summary", "bfcl_result_python.json"]).ended(1).stdout);
    shown("label_log", &work.run(&["label", "langsmith_runs.jsonl", "-o", "out.jsonl"]).ended(0).stderr);
}

/// Labels of a file, and the texts that judges are shown.
fn labels(work: &Workspace, input: &str) -> Vec<[String; 5]> {
    work.label(input, "labels.jsonl", |_| ());
    let shown = ["question", "tool_call", "tool_definitions", "label", "status"];
    lines(&work.read("labels.jsonl"))
        .iter()
        .map(|line| {
            shown.map(|key| match line.get(key) {
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) | None => String::new(),
                Some(other) => other.to_string(),
            })
        })
        .collect()
}

#[test]
fn rows_of_a_log_are_judged_as_the_log_itself() {
    let work = Workspace::new();
    let mut logs = 0;
    for entry in std::fs::read_dir(repository("tests/fixtures/formats/logs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("bfcl_") {
            continue;
        }
        std::fs::copy(&path, work.path(&name)).unwrap();
        let direct = labels(&work, &name);
        assert!(direct.len() >= 4, "{name}");
        for to in ["rows.csv", "rows.parquet", "rows.jsonl"] {
            work.convert(&name, to);
            let converted = labels(&work, to);
            for (direct, converted) in direct.iter().zip(&converted) {
                // The normal form has other columns; what it is judged by is the same.
                let judged = if to == "rows.jsonl" { 3.. } else { 0.. };
                assert_eq!(direct[judged.clone()], converted[judged], "{name} {to}");
            }
            assert_eq!(direct.len(), converted.len(), "{name} {to}");
        }
        logs += 1;
    }
    assert!(logs > 20, "only {logs} logs");
}

#[test]
fn tables_keep_their_other_columns() {
    let work = Workspace::new();
    work.file(
        "in.csv",
        "id,user_msg,generated,tools,gold\n7,Oslo?,f(1),\"[{\"\"name\"\":\"\"f\"\",\"\"parameters\"\":{\"\"a\"\":{\"\"type\"\":\"\"integer\"\"}}}]\",correct\n",
    );
    work.run(&["convert", "in.csv", "--column", "question=user_msg", "-o", "out.csv", "--quiet"]).ended(0);
    assert_eq!(
        work.read("out.csv"),
        "id,gold,question,messages,tool_call,tool_definitions,flags\n\
         7,correct,Oslo?,\"[{\"\"role\"\":\"\"user\"\",\"\"content\"\":\"\"Oslo?\"\"}]\",f(1),\
         \"[{\"\"name\"\":\"\"f\"\",\"\"parameters\"\":{\"\"a\"\":{\"\"type\"\":\"\"integer\"\"}}}]\",\"[\"\"positional_mapped\"\"]\"\n"
    );
    let line = work.run(&["convert", "in.csv", "--column", "question=user_msg", "--quiet"]).ended(0).stdout;
    let line = &lines(&line)[0];
    assert_eq!(field(line, "source_id"), "7");
    assert_eq!(line.get("tool_calls").unwrap().to_string(), r#"[{"name":"f","arguments":{"a":1}}]"#);
}

#[test]
fn all_writes_what_is_left_out_otherwise() {
    let work = Workspace::new();
    work.file("in.jsonl", format!("{CHAT}\nnot json\n{{\"run_type\":\"chain\",\"inputs\":{{}}}}\n[1]\n"));
    let statuses = |args: &[&str]| -> Vec<String> {
        let ran = work.run(&[&["convert", "in.jsonl", "--quiet"], args].concat()).ended(0);
        lines(&ran.stdout)
            .iter()
            .map(|line| {
                format!("{} {} {}", field(line, "status"), field(line, "error"), field(line, "question"))
            })
            .collect()
    };
    assert_eq!(statuses(&[]), ["  Weather in Oslo?"]);
    assert_eq!(
        statuses(&["--all"]),
        ["ok  Weather in Oslo?", "error invalid_json ", "skipped  ", "error row_not_object "]
    );
    work.run(&["convert", "in.jsonl", "--all", "-o", "out.csv", "--quiet"]).ended(0);
    assert_eq!(work.column("out.csv", "status"), ["ok", "error", "skipped", "error"]);
    assert_eq!(work.column("out.csv", "reason")[2], "not_an_llm_run");
    assert_eq!(work.column("out.csv", "record"), ["0", "1", "2", "3"]);
}

/// How many turns were read, or what was said instead.
fn turns(ran: Ran) -> String {
    match ran.code {
        Some(0) => lines(&ran.stdout).len().to_string(),
        _ => ran.stderr.lines().last().unwrap_or_default().to_owned(),
    }
}

#[test]
fn layouts() {
    let work = Workspace::new();
    let pretty = CHAT.replacen('{', "{\n  ", 1).replacen(",\"", ",\n  \"", 3);
    let spans = r#"{"run_type":"llm","id":"1","inputs":{"messages":[{"role":"user","content":"Hi"}]},"outputs":{"output":"Hello"}}"#;
    let whole_log = format!(
        r#"{{"version":2,"status":"success","eval":{{}},"samples":[{},{}],"late":[1]}}"#,
        sample("a"),
        sample("b")
    );
    let long = "x".repeat(200_000);
    for (name, content, expected) in [
        ("lines.jsonl", format!("\u{feff}{CHAT}\n\n{CHAT}\n"), "2"),
        ("lines.json", format!("{CHAT}\n{CHAT}"), "2"),
        ("array.json", format!("[{CHAT},\n{CHAT}]"), "2"),
        ("pretty.json", pretty.clone(), "1"),
        ("pretty.jsonl", format!("{pretty}\n{pretty}\n{pretty}"), "3"),
        ("one_line.json", format!(r#"{{"has_more":false,"data":[{CHAT},{CHAT}]}}"#), "2"),
        (
            "envelope.json",
            format!("{{\n\"a\": {{\"data\": [1]}},\n\"data\": [\n{CHAT},\n{CHAT}\n],\n\"z\": 1}}\n"),
            "2",
        ),
        (
            "empty_envelope.json",
            "{\n\"data\": []\n}\n".to_owned(),
            "error: no column holds the question and the tool_call; the columns are `data`; say which it is with `--column question=COLUMN --column tool_call=COLUMN`",
        ),
        ("runs.json", format!("{{\n\"runs\": [{spans}]}}"), "1"),
        ("long.json", format!(r#"{{"note":"{long}","data":[{CHAT}]}}"#), "1"),
        ("log.json", whole_log.clone(), "2"),
        ("log.jsonl", format!("{whole_log}\n{whole_log}\n"), "4"),
        ("mylogs.whatever", CHAT.to_owned(), "1"),
        (
            "cut.json",
            format!("{{\n\"data\": [\n{CHAT},"),
            "error: cut.json: an array or object is never closed; is the file cut short?",
        ),
        ("colon.json", "{\n\"data\"\n}".to_owned(), "error: colon.json: line 3: a key without a value"),
    ] {
        work.file(name, content);
        assert_eq!(turns(work.run(&["convert", name, "--quiet"])), expected, "{name}");
    }
    let mut gzipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzipped.write_all(format!("{{\n\"data\": [{CHAT}]}}").as_bytes()).unwrap();
    work.file("packed.json.gz", gzipped.finish().unwrap());
    assert_eq!(turns(work.run(&["convert", "packed.json.gz", "--quiet"])), "1");
    let mut child = work.tooljudge(&["convert", "-", "--quiet"]);
    let child = child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = child.start();
    child.stdin.take().unwrap().write_all(pretty.as_bytes()).unwrap();
    assert_eq!(turns(Ran::from(child.output())), "1");
}

#[test]
fn archives() {
    let work = Workspace::new();
    let header = || Member::stored("header.json", "{}");
    let (a, b) = (sample("a"), sample("b"));
    let wrong = Member { crc: 1, ..Member::stored("samples/a_epoch_1.json", &a) };
    let bzip2 = Member { method: 12, ..Member::stored("samples/a_epoch_1.json", &a) };
    let torn = Member { packed: vec![0xff; 9], ..Member::zstd("samples/a_epoch_1.json", &a) };
    for (name, members, expected) in [
        (
            "zstd.eval",
            vec![
                header(),
                Member::zstd("samples/a_epoch_1.json", &a),
                Member::stored("samples/b_epoch_1.json", &b),
            ],
            "2",
        ),
        (
            "journal.eval",
            vec![Member::stored("_journal/start.json", "{}"), Member::stored("samples/a.json", &a)],
            "1",
        ),
        (
            "other.eval",
            vec![Member::stored("notes.txt", "hello")],
            "error: other.eval is not json but a zip archive or a spreadsheet: unpack it, or save it as CSV",
        ),
        (
            "wrong.eval",
            vec![header(), wrong],
            "error: wrong.eval: samples/a_epoch_1.json in the archive cannot be read (its checksum is wrong)",
        ),
        (
            "bzip2.eval",
            vec![header(), bzip2],
            "error: bzip2.eval: samples/a_epoch_1.json in the archive cannot be read (compression Bzip2 is not known)",
        ),
        (
            "torn.eval",
            vec![header(), torn],
            "error: torn.eval: samples/a_epoch_1.json in the archive cannot be read (Unknown frame descriptor)",
        ),
    ] {
        work.file(name, zip(&members));
        assert_eq!(turns(work.run(&["convert", name, "--quiet"])), expected, "{name}");
    }
    work.file("cut.eval", &zip(&[header(), Member::stored("samples/a.json", &a)])[..200]);
    assert!(
        turns(work.run(&["convert", "cut.eval"]))
            .starts_with("error: cut.eval: the archive is damaged or cut short")
    );
    // Of what unpacks to more than anybody's sample, no more is unpacked than it takes to see that.
    work.file(
        "bomb.eval",
        zip(&[header(), Member::bomb("samples/a.json", 80 << 20), Member::stored("samples/b.json", &b)]),
    );
    let ran = work.run(&["convert", "bomb.eval", "--all", "--quiet"]).ended(0);
    let read = lines(&ran.stdout);
    assert_eq!(field(&read[0], "error"), "row_too_large");
    assert_eq!(
        field(&read[0], "reason"),
        "samples/a.json: a record of more than 64 MB is not read; shorten or split it"
    );
    assert_eq!(field(&read[1], "source_id"), "b#1@0");
}

#[test]
fn hostile_records_are_errors_of_their_own() {
    let work = Workspace::new();
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let deep = nested("[", "]");
    let deeper = nested("{\"a\":", "}").replace(":}", ":1}");
    let deep_call = CHAT.replace(r#"{\"city\":\"Oslo\"}"#, &deep);
    let deep_text = CHAT.replace("Weather in Oslo?", &"[".repeat(10_000));
    let huge = CHAT.replace("Weather in Oslo?", &"x".repeat(65 << 20));
    let log = [CHAT, &deep, &deeper, &deep_call, &deep_text, &huge, CHAT].join("\n");
    work.file("in.jsonl", log);
    let ran = work.run(&["convert", "in.jsonl", "--all", "--quiet"]).ended(0);
    let statuses: Vec<String> = lines(&ran.stdout)
        .iter()
        .map(|line| format!("{} {}", field(line, "status"), field(line, "error")))
        .collect();
    let deep = "error nesting_too_deep";
    assert_eq!(statuses, ["ok ", deep, deep, "ok ", "ok ", "error row_too_large", "ok "]);
    let flags = lines(&ran.stdout)[3].get("flags").unwrap().to_string();
    assert_eq!(flags, r#"["malformed_arguments","repeated_transcript_id","maybe_truncated"]"#);
}

#[test]
fn what_is_missing_or_run_elsewhere_can_be_asked_for() {
    let work = Workspace::new();
    let output = r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}"#;
    work.file("in.jsonl", format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"Hi\"}},{output}]}}"));
    let read = |args: &[&str]| {
        let ran = work.run(&[&["convert", "in.jsonl", "--all", "--quiet"], args].concat());
        let line = lines(&ran.stdout).remove(0);
        let calls = line.get("tool_calls").map(Json::to_string).unwrap_or_default();
        let flags = line.get("flags").map(Json::to_string).unwrap_or_default();
        format!("{calls} {flags} {}", field(&line, "error"))
    };
    assert_eq!(read(&[]), r#"[] ["server_tool_skipped","no_definitions"] "#);
    let kept = r#"[{"name":"web_search","arguments":{},"id":"s"}] ["no_definitions"] "#;
    assert_eq!(read(&["--include-server-tools"]), kept);
    assert_eq!(read(&["--require-definitions"]), "  missing_tool_definitions");
    work.file("tools.json", r#"[{"name":"web_search","description":"Searches","parameters":{}}]"#);
    let given = read(&["--require-definitions", "--tools", "tools.json"]);
    assert_eq!(given, r#"[] ["server_tool_skipped"] "#);
    // A cell that nobody can have meant.
    work.file("wide.csv", format!("question,tool_call\n{},f()\nb,f()\n", "x".repeat(65 << 20)));
    let ran = work.run(&["convert", "wide.csv", "--summary"]).ended(0);
    assert!(
        ran.stdout.contains("row_too_large") && ran.stdout.contains("question: more than 64 MB"),
        "{}",
        ran.stdout
    );
}

#[test]
fn formats_can_be_named() {
    let work = Workspace::new();
    work.file("chat.jsonl", CHAT);
    work.file("table.jsonl", r#"{"question":"q","tool_call":"f()","tools":"[]"}"#);
    work.file("asked.jsonl", r#"{"messages":[{"role":"user","content":"q"}]}"#);
    // A table whose keys a log has too.
    work.file("odd.jsonl", r#"{"id":"1","result":"f()","input":"q","tools":"[]"}"#);
    for (args, code, expected) in [
        (&["chat.jsonl", "--from", "openai_messages"][..], 0, "1 row"),
        (&["odd.jsonl", "--from", "rows", "--column", "tool_call=result"], 0, "1 row"),
        (&["odd.jsonl", "--column", "tool_call=result"], 0, "1 row"),
        (&["table.jsonl", "--from", "langsmith"], 1, "skipped  empty"),
        (&["chat.jsonl", "table.jsonl"], 2, "chat.jsonl is a log and table.jsonl is a table"),
        // A run that broke off before anybody answered.
        (&["chat.jsonl", "asked.jsonl"], 0, "no_output"),
        (&["chat.jsonl", "--from", "xml"], 2, "`xml` is not a format: use csv, tsv"),
        (&["chat.jsonl", "-o", "chat.jsonl"], 2, "chat.jsonl is an input of this run"),
        (&["chat.jsonl", "--json", "-o", "-"], 2, "cannot both go to the standard output"),
    ] {
        let given = if args.contains(&"-o") { &[][..] } else { &["-o", "out.jsonl", "--force"] };
        let ran = work.run(&[&["convert"], args, given].concat()).ended(code);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn an_envelope_is_opened_whatever_its_records_are_said_to_be() {
    let work = Workspace::new();
    work.file("list.jsonl", format!("{{\"data\":[{CHAT},{CHAT}]}}\n{{\"data\":[{CHAT}]}}\n"));
    for from in [&[][..], &["--from", "openai_messages"]] {
        let ran = work.run(&[&["convert", "list.jsonl", "--quiet"], from].concat());
        assert_eq!(turns(ran), "3", "{from:?}");
    }
}

#[test]
fn pieces_find_their_records_in_any_order_and_file() {
    let work = Workspace::new();
    let result = std::fs::read_to_string(fixture("bfcl_result_python.json")).unwrap();
    let questions = std::fs::read_to_string(fixture("bfcl_questions.json")).unwrap();
    work.file("both.json", format!("{result}{questions}"));
    assert_eq!(turns(work.run(&["convert", "both.json", "--quiet"])), "5");
    work.file("result.json", &result);
    work.file("questions.json", &questions);
    work.file("twice.json", format!("{questions}{}", questions.replace("Łodzi", "Toruniu")));
    assert_eq!(turns(work.run(&["convert", "questions.json", "result.json", "--quiet"])), "5");
    let ran = work.run(&["convert", "result.json", "twice.json", "--all", "--quiet"]);
    let errors: Vec<String> = lines(&ran.stdout)
        .iter()
        .map(|line| field(line, "error").to_owned())
        .filter(|error| !error.is_empty())
        .collect();
    assert_eq!(errors, ["duplicate_id"], "two different questions of one id");
}

#[test]
fn logs_may_come_as_tables() {
    let work = Workspace::new();
    for name in
        ["phoenix_dataframe", "langsmith_runs", "langfuse_observations", "litellm_standard", "gemini_pairs"]
    {
        let input = [fixture(&format!("{name}.jsonl"))];
        // Read as the rows that it is not: nested values become JSON in the cells.
        let table = Table::open(&input, Understanding::default(), Selection::default()).unwrap();
        for to in ["parquet", "csv", "arrow"] {
            let output = format!("{name}.{to}");
            let mut sink = Sink::create(&work.path(&output), to.parse().unwrap(), table.schema()).unwrap();
            table.batches(None).for_each(|batch| sink.write(batch.unwrap()).unwrap());
            sink.finish().unwrap();
            let direct = work.run(&["convert", &input[0], "--quiet"]).ended(0).stdout;
            assert_eq!(work.run(&["convert", &output, "--quiet"]).ended(0).stdout, direct, "{output}");
        }
    }
}

#[test]
fn the_docs_name_every_format_and_flag() {
    let docs = std::fs::read_to_string(repository("docs/formats.md")).unwrap();
    for format in tooljudge_core::normalize::logs::FORMATS {
        assert!(docs.contains(&format!("| `{}` |", format.name)), "{}", format.name);
    }
    let flags = std::fs::read_to_string(repository("core/src/domain/flag.rs")).unwrap();
    let names = flags.lines().filter_map(|line| line.split_once("=> \"")?.1.split_once('"'));
    for (flag, _) in names {
        assert!(docs.contains(&format!("`{flag}`")), "{flag}");
    }
}

#[test]
fn own_columns_of_status_stay_beside_ours() {
    let work = Workspace::new();
    let header = "question,tool_call,tool_definitions,status,reason,error,input_error";
    work.file("t.csv", format!("{header}\nq,f(a=1),,200,why,boom,x\n,f(a=1),,404,,bang,y\n"));
    for output in ["out.csv", "out.parquet", "out.jsonl"] {
        work.run(&["convert", "t.csv", "--all", "-o", output]).ended(0);
        // Ours can be read and labelled.
        let ran =
            work.run(&["label", output, "-o", "seen.csv", "--overwrite", "--allow-unjudged", "1", "--force"]);
        assert_eq!(ran.code, Some(0), "{output}: {}", ran.stderr);
        let rows = work.rows("seen.csv");
        let theirs = ["input_status", "input_reason", "input_input_error", "input_error"];
        let of = |row: usize| theirs.map(|name| rows[row][name].as_str());
        assert_eq!((of(0), of(1)), (["200", "why", "boom", "x"], ["404", "", "bang", "y"]), "{output}");
        assert_eq!(rows[1]["reason"], "question: it is blank", "{output}");
    }
    // A typed table too.
    work.run(&["convert", "t.csv", "-o", "typed.parquet"]).ended(0);
    work.run(&["convert", "typed.parquet", "--all", "-o", "typed.csv"]).ended(0);
    assert_eq!(work.column("typed.csv", "input_status"), ["200"]);
    assert_eq!(work.column("typed.csv", "status"), ["ok"]);
}

/// What has no column of its own is named by its path, and calls whose names and arguments are in two columns are joined.
#[test]
fn places_within_columns_are_read() {
    let work = Workspace::new();
    let tools = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}]"#;
    work.file(
        "nested.jsonl",
        format!(r#"{{"req":{{"prompt":"Go","tools":{tools}}},"res":{{"calls":[{{"name":"f","arguments":{{"a":1}}}}]}}}}"#),
    );
    work.file("two.csv", "question,tool_name,tool_args\nGo,f,\"{\"\"a\"\": 1}\"\nStay,,\n");
    let paths = ["question=req.prompt", "tool_call=res.calls", "tool_definitions=req.tools"];
    let columns: Vec<&str> = paths.iter().flat_map(|path| ["--column", *path]).collect();
    work.run(&[&["convert", "nested.jsonl", "-o", "rows.jsonl"], &columns[..]].concat()).ended(0);
    work.run(&["convert", "two.csv", "-o", "joined.jsonl"]).ended(0);
    // Columns of structs, of which only those are read that are needed.
    work.run(&["convert", "two.csv", "-o", "two.parquet", "--column", "tool_call=tool_name+tool_args"])
        .ended(0);
    work.run(
        &[&["label", "nested.jsonl", "-o", "labels.csv", "--allow-unjudged", "1"], &columns[..]].concat(),
    )
    .ended(0);
    let calls = |name: &str| -> Vec<String> {
        let rows = work.read(name);
        let rows = rows.lines().map(|line| Json::parse(line).unwrap());
        rows.map(|row| row.get("tool_calls").unwrap().to_string()).collect()
    };
    let call = r#"[{"name":"f","arguments":{"a":1}}]"#;
    assert_eq!(calls("rows.jsonl"), [call]);
    assert_eq!(calls("joined.jsonl"), [call, "[]"]);
    let failed =
        work.run(&["convert", "nested.jsonl", "-o", "no.jsonl", "--column", "question=rek.prompt"]).ended(2);
    assert!(failed.stderr.contains("`rek.prompt`, which is not there"), "{}", failed.stderr);
    for (name, keys, product) in [
        ("dify.jsonl", r#"{"query":"Go","agent_thoughts":[]}"#, "Dify"),
        ("evals.jsonl", r#"{"run_id":"r","event_id":0,"sample_id":"s","data":{}}"#, "OpenAI Evals"),
    ] {
        work.file(name, keys);
        let failed = work.run(&["label", name, "-o", "no.csv"]).ended(2);
        assert!(
            failed.stderr.contains(product) && failed.stderr.contains("not read yet"),
            "{}",
            failed.stderr
        );
    }
}
