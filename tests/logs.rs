//! Every record of the log fixtures gives the turns, or is skipped for the reason, that is written down for it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::BTreeMap;

use tooljudge::domain::{Json, Object, RowError};
use tooljudge::normalize::logs::{self, Companions, Context, Entry, LogFormat, Skip};
use tooljudge::normalize::{Normalizer, Options};

use crate::normalize::{compare, read, text};

/// Files that are not read yet.
const NOT_YET: &[&str] = &["logs/inspect_log.eval"];

/// What the fixtures must give: those of the specification, and our own.
const EXPECTATIONS: [&str; 3] = ["expected.jsonl", "own/expected.jsonl", "own/expected_chats.jsonl"];

enum Found {
    Item(Box<Result<tooljudge::domain::Sample, RowError>>),
    Skipped(Skip),
}

#[test]
fn log_fixtures_give_their_turns() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let mut files: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    let (mut passed, mut problems) = (0, Vec::new());
    let expectations = EXPECTATIONS.map(read);
    for line in expectations.iter().flat_map(|text| text.lines()) {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        if !file.contains("logs/") || NOT_YET.contains(&file) {
            continue;
        }
        let join = text(&expected, "join").map(str::to_owned);
        // A format that no record gives away.
        let from = text(&expected, "from").map(|name| logs::LogFormat::named(name).unwrap());
        let found = files.entry(file.to_owned()).or_insert_with(|| entries(file, join.as_deref(), from));
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let problem = match (found.get(record.as_i64().unwrap() as usize), text(&expected, "status").unwrap())
        {
            (None, _) => Some("there are not so many".to_owned()),
            (Some(Found::Skipped(why)), "skipped") => {
                (text(&expected, "reason") != Some(why.as_str())).then(|| format!("skipped: {why:?}"))
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

struct Pieces(Vec<(String, Object)>);

impl Companions for Pieces {
    fn find(&self, key: &str) -> Vec<Object> {
        self.0.iter().filter(|(own, _)| own == key).map(|(_, object)| object.clone()).collect()
    }
}

fn entries(file: &str, join: Option<&str>, from: Option<&'static LogFormat>) -> Vec<Found> {
    let joined = join.into_iter().flat_map(records).map(|record| (logs::detect(&record), record));
    let own = records(file).into_iter().map(|record| (from.or_else(|| logs::detect(&record)), record));
    let records: Vec<(Option<&LogFormat>, Object)> = joined.chain(own).collect();
    let mut pieces = Vec::new();
    let alone = Context { agents: false, companions: &logs::Alone };
    for (format, record) in &records {
        if let Some(format) = format {
            for entry in format.read(record.clone(), &alone) {
                if let Entry::Piece(piece) = entry {
                    pieces.push((piece.key, piece.object));
                }
            }
        }
    }
    let pieces = Pieces(pieces);
    let context = Context { agents: false, companions: &pieces };
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut found = Vec::new();
    for (format, record) in records {
        let Some(format) = format else {
            println!("{file}: unrecognised record with {:?}", record.keys().collect::<Vec<_>>());
            continue;
        };
        for entry in format.read(record, &context) {
            match entry {
                Entry::Turn(turn) => found.push(Found::Item(Box::new(normalizer.turn(*turn)))),
                Entry::Unreadable(error) => found.push(Found::Item(Box::new(Err(error)))),
                Entry::Skipped(why) => found.push(Found::Skipped(why)),
                Entry::Piece(_) => {}
            }
        }
    }
    found
}

/// The records of a file, however it lays them out.
fn records(file: &str) -> Vec<Object> {
    let content = read(file);
    let object = |json| match json {
        Json::Object(object) => object,
        other => panic!("{file}: {other}"),
    };
    if file.ends_with(".csv") {
        let mut reader = csv::Reader::from_reader(content.as_bytes());
        let header = reader.headers().unwrap().clone();
        return reader
            .records()
            .map(|row| {
                let row = row.unwrap();
                header.iter().zip(&row).map(|(key, cell)| (key.to_owned(), Json::from(cell))).collect()
            })
            .collect();
    }
    match Json::parse(&content) {
        Ok(Json::Array(items)) => items.into_iter().map(object).collect(),
        Ok(Json::Object(mut whole)) => match whole.remove("data").or_else(|| whole.remove("samples")) {
            Some(Json::Array(items)) => items.into_iter().map(object).collect(),
            _ => vec![whole],
        },
        _ => content
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| object(Json::parse(line).unwrap()))
            .collect(),
    }
}

mod properties {
    use proptest::prelude::*;
    use tooljudge::normalize::logs::FORMATS;

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

    impl Companions for Same {
        fn find(&self, _: &str) -> Vec<Object> {
            vec![self.0.clone()]
        }
    }

    proptest! {
        /// Any record may be forced upon any format.
        #[test]
        fn no_record_panics(record in record(), companion in record()) {
            let normalizer = Normalizer::new(Options::default()).unwrap();
            let context = Context { agents: true, companions: &Same(companion) };
            let _ = logs::detect(&record);
            for format in FORMATS {
                for entry in format.read(record.clone(), &context) {
                    if let Entry::Turn(turn) = entry {
                        let _ = normalizer.turn(*turn);
                    }
                }
                let _ = format.orphans(vec![record.clone()], &context).count();
            }
        }
    }
}
