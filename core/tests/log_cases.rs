//! Logs in which an answer was cut, blocked or recorded in part: a table of records, and what each must give.

use tooljudge_core::domain::{Calls, Cell, Definitions, Item, Json, Object, RawRow, RowError, Sample};
use tooljudge_core::normalize::logs::{Entry, Turns};
use tooljudge_core::normalize::{Conversation, Normalizer, Options, columns};

/// One line a case: `record`, or `text` where a log has several records, and the rows that are `wanted`.
const CASES: &str = include_str!("cases/log_cases.jsonl");

/// The rows that a log gives, and the reasons for which turns were left out.
fn read(text: &str) -> Vec<Item> {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    if let Ok(Json::Object(row)) = Json::parse(text)
        && row.contains_key("question")
    {
        return vec![row_of(row, &normalizer)];
    }
    let mut items = Vec::new();
    tooljudge_laws::read_log(text, None, false, Turns::Calls, |_, entry| match entry {
        Entry::Turn(turn) => items.push(normalizer.turn(*turn)),
        Entry::Unreadable(error) => items.push(Err(error)),
        Entry::Transcript(_) | Entry::NotTaken(..) | Entry::Skipped(_) | Entry::Fragment(_) => {}
    });
    items
}

/// A row of a table, read as the columns of its keys say.
fn row_of(mut row: Object, normalizer: &Normalizer) -> Result<Sample, RowError> {
    let names: Vec<String> = row.keys().map(str::to_owned).collect();
    let columns = columns::resolve(&names, &[], true).unwrap();
    let called = columns.tool_call.as_ref().and_then(|name| {
        let place = columns::Place::of(name, &|key| row.contains_key(key))?;
        let values = place.values(&|key| Ok::<_, std::convert::Infallible>(vec![row.get(key).cloned()]));
        values.unwrap_or_default().pop().flatten()
    });
    let mut take = |name: Option<&String>| name.and_then(|name| row.remove(name));
    let mut cell = |name| take(name).map_or(Cell::Missing, Cell::from);
    let raw = RawRow {
        question: cell(columns.question.as_ref()),
        tool_call: called.map_or(Cell::Missing, Cell::from),
        tool_definitions: cell(columns.tool_definitions.as_ref()),
        ..RawRow::default()
    };
    let messages: Vec<_> = columns.messages.iter().map(|name| take(Some(name))).collect();
    let context = Conversation::of(messages, columns.before_turn);
    normalizer.sample_in_context(raw, context.as_ref())
}

/// What is wrong with an item, if it is not what is wanted.
fn problem(item: &Item, wanted: &Json) -> Option<String> {
    let text = |key: &str| wanted.get(key).and_then(Json::as_str);
    let sample = match (item, text("error")) {
        (Err(error), Some(code)) if error.code.as_str() == code => return None,
        (Err(error), _) => return Some(format!("it gives {error}")),
        (Ok(sample), Some(code)) => return Some(format!("no {code}: {:?}", sample.calls)),
        (Ok(sample), None) => sample,
    };
    let calls = match &sample.calls {
        Calls::Parsed(calls) => {
            let shown = calls.iter().map(|call| {
                let arguments = call.parsed().map_or(Json::Null, |arguments| Json::Object(arguments.clone()));
                Json::Array(vec![Json::from(call.name.as_str()), arguments])
            });
            Json::Array(shown.collect())
        }
        Calls::Unparsed => Json::from("unread"),
    };
    let differs = |what: &str, is: String| Some(format!("{what}: {is}"));
    if wanted.get("calls").is_some_and(|wanted| *wanted != calls) {
        return differs("calls", calls.to_string());
    }
    if text("q").is_some_and(|wanted| wanted != sample.question) {
        return differs("question", sample.question.clone());
    }
    let list = |key: &str| wanted.get(key).and_then(Json::as_array).unwrap_or_default();
    let shown = sample.raw.question.to_string();
    if let Some(missing) = list("has").iter().filter_map(Json::as_str).find(|text| !shown.contains(text)) {
        return Some(format!("`{missing}` is not shown: {shown}"));
    }
    if let Some(leak) = list("lacks").iter().filter_map(Json::as_str).find(|text| shown.contains(text)) {
        return Some(format!("`{leak}` is shown: {shown}"));
    }
    if let Some(once) = text("once").filter(|text| shown.matches(*text).count() != 1) {
        return Some(format!("`{once}` is not shown once: {shown}"));
    }
    let known = match &sample.definitions {
        Definitions::Known(tools) => &tools[..],
        _ => &[],
    };
    let tools = known.iter().map(|tool| Json::from(tool.name.as_str()));
    let tools = Json::Array(tools.collect());
    if wanted.get("tools").is_some_and(|wanted| *wanted != tools) {
        return differs("tools", tools.to_string());
    }
    let results = sample.after.results.iter().map(|result| Json::from(result.content.as_str()));
    let results = Json::Array(results.collect());
    if wanted.get("results").is_some_and(|wanted| *wanted != results) {
        return differs("results", results.to_string());
    }
    let at = sample.origin.timestamp.map(|at| at.to_string()).unwrap_or_default();
    if text("at").is_some_and(|wanted| wanted != at) {
        return differs("time", at);
    }
    let failed = sample.after.results.iter().any(|result| result.is_error);
    if wanted.get("failed").is_some_and(|wanted| *wanted != Json::Bool(failed)) {
        return differs("failed", failed.to_string());
    }
    let remarks = [
        "unfinished_answer",
        "arguments_not_recorded",
        "history_ambiguous",
        "history_left_out",
        "history_elsewhere",
        "hidden_content",
        "tool_choice_limited",
        "unknown_role",
        "raw_tool_call",
        "missing_parent",
        "unreadable_definition",
        "unknown_parameters",
        "maybe_truncated",
    ];
    let flags: Vec<&str> =
        sample.flags.iter().map(|flag| flag.as_str()).filter(|flag| remarks.contains(flag)).collect();
    let wanted: Vec<&str> = list("flags").iter().filter_map(Json::as_str).collect();
    (flags != wanted).then(|| format!("flags: {flags:?}, not {wanted:?}"))
}

#[test]
fn every_log_gives_what_its_case_says() {
    let mut problems = Vec::new();
    let mut cases = 0;
    for line in CASES.lines() {
        let case = Json::parse(line).unwrap();
        let name = case.get("case").and_then(Json::as_str).unwrap();
        let text = match (case.get("text").and_then(Json::as_str), case.get("record")) {
            (Some(text), _) => text.to_owned(),
            (None, record) => record.unwrap().to_string(),
        };
        let wanted = case.get("wanted").and_then(Json::as_array).unwrap();
        let items = read(&text);
        cases += 1;
        let found = if items.len() == wanted.len() {
            items.iter().zip(wanted).find_map(|(item, wanted)| problem(item, wanted))
        } else {
            Some(format!("{} rows, not {}", items.len(), wanted.len()))
        };
        problems.extend(found.map(|problem| format!("{name}: {problem}")));
    }
    println!("{} of {cases} cases are right", cases - problems.len());
    assert!(problems.is_empty(), "{} of {cases}:\n{}", problems.len(), problems.join("\n"));
}
