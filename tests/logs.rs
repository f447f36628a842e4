//! Every record of the log fixtures gives the turns, or is skipped for the reason, that is written down for it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::BTreeMap;
use std::sync::Arc;

use tooljudge::domain::{Item, Json};
use tooljudge::internal::{LogOptions, Selection, Source, Table, Understanding};
use tooljudge_core::normalize::logs::{LogFormat, Turns};
use tooljudge_core::normalize::{Normalizer, Options, columns};
use tooljudge_laws::fixtures::{LOG_EXPECTATIONS, compare, folder, read, text};

enum Found {
    Item(Box<Item>),
    Skipped(String),
}

#[test]
fn log_fixtures_give_their_turns() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let mut files: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    let (mut passed, mut problems) = (0, Vec::new());
    let expectations = LOG_EXPECTATIONS.map(read);
    for line in expectations.iter().flat_map(|text| text.lines()) {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        if !file.contains("logs/") {
            continue;
        }
        let join = text(&expected, "join").map(str::to_owned);
        // A format that no record gives away.
        let from = text(&expected, "from").map(|name| LogFormat::named(name).unwrap());
        let found = files.entry(file.to_owned()).or_insert_with(|| {
            // Fixtures of one turn a record were written before transcripts had several.
            let turns = if text(&expected, "turns") == Some("calls") { Turns::Calls } else { Turns::Last };
            rows(file, join.as_deref(), from, turns)
        });
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let problem = match (found.get(record.as_i64().unwrap() as usize), text(&expected, "status").unwrap())
        {
            (None, _) => Some("there are not so many".to_owned()),
            (Some(Found::Skipped(why)), "skipped") => {
                (text(&expected, "reason") != Some(why)).then(|| format!("skipped: {why:?}"))
            }
            (Some(Found::Skipped(why)), _) => Some(format!("skipped: {why:?}")),
            (Some(Found::Item(_)), "skipped") => Some("not skipped".to_owned()),
            (Some(Found::Item(item)), _) => compare((**item).clone(), &expected, &standard),
        };
        match problem {
            None => passed += 1,
            Some(problem) => {
                problems.push(format!(
                    "{file}#{}: {}",
                    record.as_str(),
                    problem.chars().take(600).collect::<String>()
                ));
            }
        }
    }
    println!("{passed} expectations met");
    assert!(problems.is_empty(), "{passed} met, {} problems:\n{}", problems.len(), problems.join("\n"));
}

/// What the rows of a file are, read as users' files are.
fn rows(file: &str, join: Option<&str>, format: Option<&'static LogFormat>, turns: Turns) -> Vec<Found> {
    let path = |file: &str| folder().join(file).display().to_string();
    let normalizer = Arc::new(Normalizer::new(Options::default()).unwrap());
    let logs =
        LogOptions { normalizer: Arc::clone(&normalizer), format, agents: false, turns, with_skipped: true };
    let joined = join.unwrap_or_default().split_whitespace();
    let inputs: Vec<String> = std::iter::once(file).chain(joined).map(path).collect();
    let understanding = Understanding { format: None, logs: Some(logs) };
    let table = Table::open(&inputs, understanding, Selection::default()).unwrap();
    let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
    let source = Source::new(table, columns::resolve(&names, &[], true).unwrap(), normalizer);
    let mut found = Vec::new();
    for batch in source.table.batches(None) {
        let batch = batch.unwrap();
        let items = source.items(&batch).unwrap();
        let skipped = batch.column("skipped").unwrap();
        let files = batch.column("source_file").unwrap();
        for ((item, skipped), source_file) in items.into_iter().zip(skipped).zip(files) {
            if source_file.as_ref().and_then(Json::as_str) != Some(&inputs[0]) {
                continue;
            }
            found.push(match skipped.as_ref().and_then(Json::as_str) {
                Some("earlier_turn" | "text_turn") => continue,
                Some(why) => Found::Skipped(why.to_owned()),
                None => Found::Item(Box::new(item)),
            });
        }
    }
    found
}

mod properties {
    use proptest::prelude::*;
    use tooljudge::domain::Object;
    use tooljudge_core::normalize::logs::{self, Context, Entry, FORMATS, RelatedRecords};

    use super::*;

    /// Keys and texts that mean something to a reader of logs.
    const WORDS: &[&str] = &[
        "id",
        "type",
        "object",
        "role",
        "name",
        "data",
        "list",
        "chat.completion",
        "response",
        "request",
        "body",
        "messages",
        "content",
        "parts",
        "contents",
        "input",
        "output",
        "result",
        "message",
        "choices",
        "candidates",
        "text",
        "user",
        "assistant",
        "tool",
        "model",
        "ai",
        "human",
        "lc",
        "kwargs",
        "query",
        "user_input",
        "tools_called",
        "turns",
        "testCases",
        "results",
        "promptIdx",
        "prompt",
        "raw",
        "spans",
        "attributes",
        "mlflow.spanType",
        "mlflow.spanInputs",
        "mlflow.spanOutputs",
        "op_name",
        "openai.x",
        "inputs",
        "trace_id",
        "llm",
        "start_time",
        "additional_kwargs",
        "tools",
        "tool_calls",
        "function",
        "function_call",
        "arguments",
        "args",
        "toolUse",
        "toolResult",
        "functionResponse",
        "tool_result",
        "tool-f",
        "function_call_output",
        "reasoning",
        "custom_id",
        "params",
        "call_type",
        "completion",
        "standard_logging_object",
        "proxy_server_request",
        "redacted-by-litellm",
        "question",
        "ground_truth",
        "latency",
        "inference_log",
        "begin_of_turn_query",
        "step_0",
        "intermediate_steps",
        "tool_input",
        "config",
        "system",
        "instructions",
        "created",
        "total_duration",
        "metrics",
        "error",
        "",
        "{",
        "[",
        "data: ",
        "[1]",
        "f(a=1)",
    ];

    fn json() -> impl Strategy<Value = Json> {
        let word = || prop::sample::select(WORDS);
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(|number| Json::Number(number.into())),
            word().prop_map(Json::from),
        ];
        leaf.prop_recursive(5, 48, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::vec((word(), inner.clone()), 0..6).prop_map(|entries| {
                    Json::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
                }),
                inner.prop_map(|json| Json::from(json.to_string())),
            ]
        })
    }

    fn record() -> impl Strategy<Value = Object> {
        prop::collection::vec((prop::sample::select(WORDS), json()), 0..10)
            .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    struct Same(Object);

    impl RelatedRecords for Same {
        fn find(&self, _: &str) -> Vec<Object> {
            vec![self.0.clone()]
        }
    }

    proptest! {
        /// Any record may be forced upon any format.
        #[test]
        fn no_record_panics(record in record(), companion in record()) {
            let normalizer = Arc::new(Normalizer::new(Options::default()).unwrap());
            let context = Context { agents: true, turns: Turns::All, normalizer: &normalizer, related: &Same(companion), source: "" };
            let _ = logs::detect(&record);
            for format in FORMATS {
                for entry in format.read(record.clone(), &context) {
                    if let Entry::Turn(turn) = entry {
                        let _ = normalizer.turn(*turn);
                    }
                }
                let _ = format.unmatched(vec![record.clone()], &context).count();
            }
        }
    }
}
