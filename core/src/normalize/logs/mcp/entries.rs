//! Makes turns of the calls that a log holds.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use super::SERVER;
use super::order::{Timeline, timelines};
use super::session::{Call, Session, other_protocol};
use crate::domain::{Cell, Flag, Json, Object, RowError, RowErrorCode};
use crate::normalize::Normalizer;
use crate::normalize::logs::context::{Context, Turns};
use crate::normalize::logs::entry::{Entries, Entry, Skip, Tally, chained, unreadable};
use crate::normalize::logs::transcript::Transcript;
use crate::normalize::logs::turn::Before;
use crate::normalize::logs::value;

/// What the messages of one server are, file by file, unless two files tell of the same.
pub(super) fn unmatched(fragments: Vec<Object>, context: &Context) -> Entries {
    let logs = timelines(fragments);
    chained(logs.into_iter().map(|log| entries(log, context)))
}

fn entries(log: Timeline, context: &Context) -> Entries {
    let refused = |code: RowErrorCode, why: String| unreadable(RowError::new(code, why));
    if let Some((protocol, method)) = log.messages.iter().find_map(|message| {
        let method = message.method()?;
        Some((other_protocol(method)?, method.to_owned()))
    }) {
        let why = format!(
            "this looks like {protocol} (`{}`), which is not read yet: give the log of the model's calls",
            RowError::excerpt(&method)
        );
        return refused(RowErrorCode::UnrecognisedRecord, why);
    }
    let source = log.source;
    let session = Session::of(log.messages);
    if !session.is_mcp && session.calls.is_empty() {
        let why =
            "messages of JSON-RPC, none of which is a request of MCP's: give the log of the model's calls";
        return refused(RowErrorCode::UnrecognisedRecord, why.to_owned());
    }
    let others = std::iter::repeat_n(Entry::Skipped(Skip::NotAMessage), session.others);
    let tally = |calls: usize| Entry::Transcript(Tally { turns: calls, calls, is_episode: false });
    if let Some(why) = session.mixed {
        let calls = session.calls.len() + session.broken;
        let error = move |_| {
            let why = format!("what came of the call is not known: {why}");
            Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, why))
        };
        return Box::new(std::iter::once(tally(calls)).chain((0..calls).map(error)).chain(others));
    }
    let broken = session.broken;
    let cut = (0..broken).map(|_| {
        let why =
            "a request `tools/call` that the log cut, or that names no tool: nobody knows what was called";
        Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedToolCall, why))
    });
    let cut = (broken > 0).then(|| tally(broken)).into_iter().chain(cut);
    Box::new(turns(session, &source, context).chain(cut).chain(others))
}

/// What all calls of a log share.
struct Shared {
    normalizer: Arc<Normalizer>,
    turns: Turns,
    source: String,
    name: String,
    about: Option<Arc<Object>>,
    lists: Vec<Arc<Json>>,
}

/// The calls of each connection, one by one: each is read when it is asked for.
fn turns(session: Session, source: &str, context: &Context) -> Entries {
    let server = session.server.as_deref();
    let shared = Shared {
        normalizer: Arc::clone(context.normalizer),
        turns: context.turns,
        source: source.to_owned(),
        name: [Some(source), server].into_iter().flatten().collect::<Vec<_>>().join("#"),
        about: server.map(|server| Arc::new(Object::from_iter([(SERVER.to_owned(), Json::from(server))]))),
        lists: session.lists,
    };
    let mut connections: Vec<Vec<Call>> = Vec::new();
    let mut last = None;
    for call in session.calls {
        if last != Some(call.connection) {
            last = Some(call.connection);
            connections.push(Vec::new());
        }
        if let Some(calls) = connections.last_mut() {
            calls.push(call);
        }
    }
    let shared = Arc::new(shared);
    Box::new((1_usize..).zip(connections).flat_map(move |(number, calls)| {
        let turns = calls.len();
        let name: Arc<str> = format!("{}#{number}", shared.name).into();
        let tally = Entry::Transcript(Tally { turns, calls: turns, is_episode: false });
        let shared = Arc::clone(&shared);
        let read = (1_usize..).zip(calls).flat_map(move |(at, call)| turn(call, (at, turns), &name, &shared));
        std::iter::once(tally).chain(read)
    }))
}

/// A call as a turn of its connection, without the calls before it.
fn turn(call: Call, (at, turns): (usize, usize), name: &Arc<str>, shared: &Shared) -> Vec<Entry> {
    let list = call.list.and_then(|list| shared.lists.get(list));
    let transcript = Transcript {
        elements: std::iter::once(called(&call)).chain(told(&call)).collect(),
        tools: list.map_or(Cell::Missing, |list| Cell::from(Json::clone(list))),
        is_unasked: true,
        ..Transcript::default()
    };
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let entries = transcript.turns(shared.turns, &shared.normalizer, &shared.source);
    let kept = entries.filter(|entry| !matches!(entry, Entry::Transcript(_)));
    kept.map(|entry| match entry {
        Entry::Turn(mut turn) => {
            if let Before::Transcript(step) = &mut turn.before {
                step.place.transcript_id = Some(Arc::clone(name));
                (step.place.turn, step.place.turns) = (number(at), number(turns));
                // All calls of a connection are of one transcript.
                let mut hasher = DefaultHasher::new();
                hasher.write(name.as_bytes());
                step.print.transcript = hasher.finish();
            }
            turn.origin.timestamp = call.began;
            turn.origin.latency_s = value::seconds_between(call.began, call.ended);
            turn.flags.extend(call.is_cut.then_some(Flag::MaybeTruncated));
            turn.origin.about.clone_from(&shared.about);
            Entry::Turn(turn)
        }
        entry => entry,
    })
    .collect()
}

/// The call as an assistant's message.
fn called(call: &Call) -> Json {
    let mut function = Object::from_iter([("name".to_owned(), Json::from(call.name.as_str()))]);
    // Clients leave empty arguments out.
    function.insert("arguments", call.arguments.clone().unwrap_or_else(|| Json::Object(Object::new())));
    let mut tool_call = Object::from_iter([("id".to_owned(), Json::from(call.id.as_str()))]);
    tool_call.insert("type", "function");
    tool_call.insert("function", Json::Object(function));
    Json::Object(value::calling("assistant", Json::from(""), vec![Json::Object(tool_call)]))
}

fn told(call: &Call) -> Option<Json> {
    let result = call.result.as_ref()?;
    let mut message = Object::from_iter([("role".to_owned(), Json::from("tool"))]);
    message.insert("tool_call_id", call.id.as_str());
    message.insert("content", result.text.as_str());
    if result.is_error {
        message.insert("is_error", Json::Bool(true));
    }
    Some(Json::Object(message))
}
