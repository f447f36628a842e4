//! What a log says beside the words stays with its rows: sessions, users, releases, whatever a team writes there, and what is right.

use crate::support::workspace::Workspace;

const ASKED: &str = r#"{"role":"user","content":"Weather in Oslo?"}"#;
const CALLED: &str = r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}"#;
const TOOLS: &str =
    r#"[{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}]"#;

/// A conversation of a team's own, with more keys.
fn chat(turns: usize, keys: &str) -> String {
    // Ids of its own: the same calls again would be the same conversation.
    let called =
        |turn: usize| CALLED.replace(r#""id":"1""#, &format!(r#""id":"{turn} {}""#, keys.replace('"', "'")));
    let messages: Vec<String> = (0..turns).map(|turn| format!("{ASKED},{}", called(turn))).collect();
    let messages = messages.join(",");
    format!(r#"{{"messages":[{messages}],"tools":{TOOLS}{keys}}}"#)
}

/// The values of some columns of the rows that a log becomes, one line a row.
fn columns(log: &str, names: &[&str]) -> Vec<String> {
    let work = Workspace::new();
    work.file("in.jsonl", log);
    work.run(&["convert", "in.jsonl", "-o", "rows.csv", "--quiet"]).ended(0);
    let rows = work.rows("rows.csv");
    let cell = |row: &std::collections::HashMap<String, String>, name: &&str| {
        row.get(*name).map_or_else(|| "-".to_owned(), String::clone)
    };
    rows.iter().map(|row| names.iter().map(|name| cell(row, name)).collect::<Vec<_>>().join(" | ")).collect()
}

#[test]
fn what_a_log_says_beside_the_words_is_kept() {
    let span = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
        {"traceId":"t1","spanId":"s1","name":"chat","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
         {"key":"gen_ai.conversation.id","value":{"stringValue":"c7"}},{"key":"user.id","value":{"stringValue":"u2"}},
         {"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Oslo?\"}]}]"}},
         {"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"f\",\"arguments\":{}}]}]"}}]}]}]}]}"#
        .replace('\n', "");
    let pair = format!(
        r#"{{"request":{{"model":"m","messages":[{ASKED}],"tools":[]}},"response":{{"choices":[{{"message":{CALLED}}}]}},"user":"u","release":3,"x-api-key":"sk","ok":true}}"#
    );
    let observation = format!(
        r#"{{"id":"o","type":"GENERATION","traceId":"t","sessionId":"s","name":"step","metadata":{{"plan":"pro","prompt":"{}"}},"input":[{ASKED}],"output":{CALLED}}}"#,
        "x".repeat(600)
    );
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            &chat(1, r#","session":"s","points":0.5,"note":null"#),
            &["session", "points", "note"],
            &["s | 0.5 | -"],
        ),
        // Each turn is of its session.
        (&chat(2, r#","session":"s""#), &["turn", "session"], &["1 | s", "2 | s"]),
        (&pair, &["user", "release", "ok", "x-api-key"], &["u | 3 | true | [left out]"]),
        (
            &observation,
            &["trace_id", "session_id", "name", "metadata"],
            &[r#"t | s | step | {"plan":"pro"}"#],
        ),
        (&span, &["trace_id", "session_id", "user_id", "service"], &["t1 | c7 | u2 | shop"]),
        // Under the name of a column of every log, it stands there.
        (
            &chat(1, r#","timestamp":"2026-01-02T03:04:05Z","source_id":"mine""#),
            &["timestamp"],
            &["2026-01-02T03:04:05Z"],
        ),
    ];
    for (log, names, rows) in cases {
        assert_eq!(columns(log, names), *rows, "{log}");
    }
}

#[test]
fn gold_of_a_conversation_is_its_turns_if_it_has_one() {
    let gold = |turns, gold: &str| chat(turns, &format!(r#","gold":"{gold}""#));
    let log = [gold(1, "correct"), gold(2, "incorrect"), chat(1, "")].join("\n");
    let rows = columns(&log, &["gold", "flags"]);
    let several = r#" | ["missing_result","gold_of_several_turns"]"#;
    let last = r#" | ["gold_of_several_turns"]"#;
    assert_eq!(rows, ["correct | []", several, last, " | []"]);
    let work = Workspace::new();
    work.file("in.jsonl", gold(3, "incorrect"));
    work.run(&["convert", "in.jsonl", "--turns", "last", "-o", "rows.csv", "--quiet"]).ended(0);
    assert_eq!(work.rows("rows.csv")[0]["gold"], "incorrect");
    let expects = |turns| {
        let keys = r#","expected_tool_calls":[{"name":"get_weather","arguments":{}}]"#;
        chat(turns, &format!(r#"{keys},"n":{turns}"#))
    };
    let log = [expects(1), expects(2), chat(1, "")].join("\n");
    let expected = r#"[{"name":"get_weather","arguments":{}}]"#;
    assert_eq!(columns(&log, &["expected_tool_calls"]), [expected, "unknown", "unknown", "unknown"]);
}

/// Rows of JSON too, and a conversation that was logged again with other keys is another record.
#[test]
fn what_is_said_beside_equal_words_tells_records_apart() {
    let work = Workspace::new();
    let chat = chat(1, "");
    let record = |keys: &str| chat.replacen('{', &format!("{{{keys},"), 1);
    let log = [
        record(r#""id":"a","gold":"correct","release":"v1""#),
        record(r#""id":"b","gold":"incorrect","release":"v2""#),
        record(r#""gold":"correct","release":"v1""#),
    ];
    work.file("in.jsonl", log.join("\n"));
    work.run(&["convert", "in.jsonl", "-o", "rows.jsonl", "--quiet"]).ended(0);
    let rows: Vec<serde_json::Value> =
        work.read("rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: Vec<String> = rows.iter().map(|row| format!("{} {}", row["gold"], row["release"])).collect();
    assert_eq!(said, [r#""correct" "v1""#, r#""incorrect" "v2""#]);
    work.run(&["convert", "in.jsonl", "--all", "-o", "rows.parquet", "--quiet"]).ended(0);
}

/// No turn is lost, and none is judged twice, where conversations go on in later records.
#[test]
fn records_that_go_on_are_judged_once() {
    let work = Workspace::new();
    let turn = |id: usize| {
        format!(
            r#"{ASKED},{},{{"role":"tool","tool_call_id":"c{id}","content":"ok"}}"#,
            CALLED.replace(r#""id":"1""#, &format!(r#""id":"c{id}""#))
        )
    };
    let record = |turns: usize, keys: &str| {
        let messages: Vec<String> = (0..turns).map(turn).collect();
        format!(r#"{{{keys},"messages":[{}],"tools":{TOOLS}}}"#, messages.join(","))
    };
    for (log, turns) in [
        (
            vec![record(1, r#""rel":"v1""#), record(1, r#""rel":"v2""#), record(2, r#""rel":"v1""#)],
            &["1", "2"][..],
        ),
        (vec![record(1, r#""partial":true"#), record(2, r#""x":null"#)], &["1", "2"]),
        (
            vec![
                record(1, r#""gold":"correct""#),
                record(2, r#""gold":"incorrect""#),
                record(3, r#""gold":"correct""#),
            ],
            &["1", "2", "3"],
        ),
    ] {
        work.file("in.jsonl", log.join("\n"));
        work.run(&["convert", "in.jsonl", "-o", "rows.csv", "--force", "--quiet"]).ended(0);
        let mut found = work.column("rows.csv", "turn");
        found.sort();
        found.dedup();
        assert_eq!(found, turns, "{log:#?}");
    }
    // The first turn keeps what is said of it.
    assert_eq!(work.rows("rows.csv").iter().filter(|row| row["gold"] == "correct").count(), 1);
}

#[test]
fn figures_are_told_apart_by_what_a_log_says() {
    let work = Workspace::new();
    let log: Vec<String> = (0..6)
        .map(|at| chat(1, &format!(r#","id":"c{at}","agent":"v{}","gold":"correct""#, at % 2)))
        .collect();
    work.file("in.jsonl", log.join("\n"));
    let ran =
        work.run(&["bench", "in.jsonl", "--by", "agent", "--decide", "always", "--json", "--quiet"]).ended(0);
    assert!(ran.stdout.contains("\"v0\"") && ran.stdout.contains("\"v1\""), "{}", ran.stdout);
}

#[test]
fn labels_are_counted_by_what_a_log_says() {
    let work = Workspace::new();
    let log: Vec<String> = (0..6)
        .map(|at| {
            let keys = format!(r#","id":"c{at}","info":{{"version":{}}}"#, at % 2);
            // Half of the calls name a parameter that there is not.
            chat(1, &keys).replace(r#"\"city\":"#, if at % 2 == 0 { r#"\"city\":"# } else { r#"\"town\":"# })
        })
        .collect();
    work.file("in.jsonl", log.join("\n"));
    let label = ["label", "in.jsonl", "-o", "out.csv", "--decide", "always", "--allow-unjudged", "1"];
    let by = [&label[..], &["--by", "info.version", "--by", "tool", "--drop", "info"]].concat();
    let ran = work.run(&[&by[..], &["--json"]].concat()).ended(0);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let summary = &summary["panel"][0]["summary"];
    let groups: Vec<String> = summary["by"]
        .as_array()
        .unwrap_or_else(|| panic!("{summary:#}"))
        .iter()
        .map(|group| {
            format!("{} {} {} {}", group["column"], group["value"], group["rows"], group["share"]["value"])
        })
        .collect();
    let expected =
        [r#""info.version" "0" 3 1.0"#, r#""info.version" "1" 3 0.0"#, r#""tool" "get_weather" 6 0.5"#];
    assert_eq!(groups, expected);
    let ran = work.run(&by).ended(0);
    let table: Vec<&str> = ran
        .stdout
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("by ") || line.starts_with("get_weather"))
        .collect();
    assert_eq!(table.len(), 3, "{}", ran.stdout);
    let ran = work.run(&[&label[..], &["--by", "infos"]].concat()).ended(2);
    assert!(ran.stderr.contains("--by: there is no column `infos`; did you mean `info`?"), "{}", ran.stderr);
}

/// The sum of all numbers under a key.
fn said(key: &str, value: &serde_json::Value) -> u64 {
    match value {
        serde_json::Value::Object(object) => object
            .iter()
            .map(|(name, value)| if name == key { value.as_u64().unwrap_or(0) } else { said(key, value) })
            .sum(),
        serde_json::Value::Array(items) => items.iter().map(|item| said(key, item)).sum(),
        _ => 0,
    }
}

/// What a log of traces holds twice is one record if all of it is the same. An id that may be the response's, or a question's, tells
/// nothing.
#[test]
fn a_record_of_a_trace_that_is_there_twice_counts_once() {
    let work = Workspace::new();
    let observation = |id: &str, city: &str, temperature: u8| {
        format!(
            r#"{{"id":"{id}","traceId":"t","type":"GENERATION","name":"g","startTime":"2026-01-01T10:00:00Z","modelParameters":{{"temperature":{temperature}}},"input":{{"messages":[{{"role":"user","content":"{city}?"}}]}},"output":{{"role":"assistant","content":"sunny"}}}}"#
        )
    };
    let span = |id: &str| {
        format!(
            r#"{{"context":{{"trace_id":"t","span_id":"{id}"}},"attributes":{{"gen_ai.operation.name":"chat","gen_ai.prompt":"Hi","gen_ai.completion":"Hello"}}}}"#
        )
    };
    // A server for tests answers everything with one id.
    let pair = |temperature: &str| {
        format!(
            r#"{{"id":"chatcmpl-mock","request":{{"model":"m","temperature":{temperature},"messages":[{{"role":"user","content":"Hi"}}]}},"response":{{"id":"chatcmpl-mock","choices":[{{"message":{{"role":"assistant","content":"Hello"}}}}]}}}}"#
        )
    };
    let chat =
        r#"{"id":"1","messages":[{"role":"user","content":"find a"},{"role":"assistant","content":"A"}]}"#;
    for (name, records, other, rows, repeated) in [
        (
            "observations",
            vec![
                observation("o", "Oslo", 0),
                observation("o", "Oslo", 0),
                observation("o", "Rome", 0),
                observation("o", "Oslo", 1),
                observation("p", "Oslo", 0),
            ],
            vec![observation("o", "Oslo", 0)],
            4,
            2,
        ),
        ("spans", vec![span("a"), span("b"), span("a")], vec![span("b")], 2, 2),
        ("pairs", vec![pair("0"), pair("0"), pair("1")], vec![pair("0")], 4, 0),
        ("chats", vec![chat.to_owned(), chat.to_owned()], vec![chat.to_owned()], 3, 0),
    ] {
        work.file("a.jsonl", records.join("\n"));
        work.file("b.jsonl", other.join("\n"));
        let ran =
            work.run(&["convert", "a.jsonl", "b.jsonl", "-o", "rows.csv", "--force", "--json"]).ended(0);
        assert_eq!(work.rows("rows.csv").len(), rows, "{name}: {}", ran.stdout);
        let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(said("repeated", &summary), repeated, "{name}: {summary}");
    }
}

/// Claude Desktop's lines are no JSON. Nobody asks anything in them, so that only results are judged.
#[test]
fn logs_of_mcp_keep_their_calls_and_say_why_they_are_not_judged() {
    let work = Workspace::new();
    let line = |second: u8, who: &str, message: &str| {
        format!(
            "2026-01-01T10:00:0{second}.000Z [files] [info] Message from {who}: {message} {{ metadata: undefined }}\n"
        )
    };
    let refused = "2026-01-01T10:00:00.000Z [files] [info] Message from client: ";
    let tools = r#"[{"name":"read","description":"Reads a file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]"#;
    let log = [
        "2026-01-01T10:00:00.000Z [files] [info] Initializing server...\nlistening\n".to_owned(),
        line(1, "client", r#"{"method":"tools/list","params":{},"jsonrpc":"2.0","id":1}"#),
        line(2, "server", &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{tools}}}}}"#)),
        line(
            3,
            "client",
            r#"{"method":"tools/call","params":{"name":"read","arguments":{"path":"a.txt"}},"jsonrpc":"2.0","id":2}"#,
        ),
        line(
            4,
            "server",
            r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ENOENT: no such file"}],"isError":true}}"#,
        ),
        line(
            5,
            "client",
            r#"{"method":"tools/call","params":{"name":"read","arguments":{}},"jsonrpc":"2.0","id":3}"#,
        ),
    ];
    work.file("mcp-server-files.log", log.concat());
    // Claude Desktop writes each line into a second file, a moment later, with its brackets the other way round.
    work.file("mcp.log", log.concat().replace(".000Z [files] [info]", ".002Z [info] [files]"));
    let logs = ["mcp-server-files.log", "mcp.log"];
    work.run(&[&["convert"], &logs[..], &["-o", "rows.csv"]].concat()).ended(0);
    let rows = work.rows("rows.csv");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["tool_call"], r#"[{"name":"read","arguments":{"path":"a.txt"},"id":"2"}]"#);
    assert!(rows[0]["tool_results"].contains("ENOENT") && rows[0]["question"].is_empty(), "{rows:?}");
    assert_eq!((rows[0]["server"].as_str(), rows[0]["latency_s"].as_str()), ("files", "1.0"));
    // The same from the log and from its table.
    for input in [&logs[..], &["rows.csv"]] {
        work.run(&[&["label"], input, &["-o", "out.csv", "--force", "--allow-unjudged", "1"]].concat())
            .ended(0);
        let labels = work.rows("out.csv");
        let said: Vec<(&str, &str)> = labels.iter().map(|row| (&*row["status"], &*row["label"])).collect();
        assert_eq!(said, [("abstained", ""), ("judged", "incorrect")], "{labels:?}");
        assert!(labels[0]["error"].contains("does not hold what the user asked"), "{labels:?}");
        let task = ["-o", "out.csv", "--force", "--allow-unjudged", "1", "--task", "tool_call_success"];
        work.run(&[&["label"], input, &task].concat()).ended(0);
        assert_eq!(work.column("out.csv", "label")[0], "failed", "{input:?}");
    }
    // A log of something else that speaks of such lines is none, nor is one that is said to be something else.
    let chat = format!(
        r#"{{"id":"ID","messages":[{{"role":"user","content":{}}},{{"role":"assistant","content":"No."}}]}}"#,
        serde_json::Value::from(format!(
            r#"{refused}{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"f"}}}}"#
        ))
    );
    work.file("chats.json", format!("[{chat},\n{}]", chat.replace("ID", "2")));
    for from in [&[][..], &["--from", "openai_messages"]] {
        work.run(
            &[&["convert", "chats.json", "-o", "chats.csv", "--force", "--turns", "all"], from].concat(),
        )
        .ended(0);
        let rows = work.rows("chats.csv");
        assert_eq!(rows.len(), 2, "{from:?}");
        assert!(
            rows.iter().all(|row| row["tool_call"].is_empty() && row["question"].starts_with(refused)),
            "{rows:?}"
        );
    }
    work.run(&["convert", "mcp.log", "-o", "no.csv", "--from", "openai_messages"]);
    assert!(
        !work.path("no.csv").exists()
            || work.rows("no.csv").iter().all(|row| !row["tool_call"].contains("read"))
    );
}

/// What a log of calls holds is as long as the log, however many calls there are.
#[test]
fn logs_of_mcp_are_read_in_linear_space() {
    let work = Workspace::new();
    let result = "r".repeat(1000);
    let log = |calls: usize| -> String {
        (0..calls)
            .map(|id| {
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"f\",\"arguments\":{{}}}}}}\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{result}\"}}]}}}}\n"
                )
            })
            .collect()
    };
    let size = |calls: usize| {
        work.file("log.jsonl", log(calls));
        work.run(&["convert", "log.jsonl", "-o", "rows.jsonl", "--force"]).ended(0);
        let rows = work.read("rows.jsonl");
        assert_eq!(rows.lines().count(), calls);
        rows.len()
    };
    let (few, many) = (size(100), size(1000));
    assert!(many < 11 * few, "{few} {many}");
}
