//! OpenHands: the events of a conversation, as a list in a record (`history`, `trajectory`) or as records themselves.
//!
//! ```json
//! {"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it."}}
//! {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": {"function_name": "execute_bash",
//!     "tool_call_id": "c1", "model_response": {"id": "m1", "choices": [{"message": {"tool_calls": […]}}]}}}
//! {"id": 3, "source": "agent", "observation": "run", "content": "a.py", "cause": 2, "tool_call_metadata": {"tool_call_id": "c1"}}
//! {"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": "c1", "tool_call": {"name": "terminal", "arguments": "{}"}}
//! ```

use std::collections::HashMap;

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Cell, Json, Object};

pub(super) const EVENTS: LogFormat = LogFormat {
    name: "openhands",
    sign: "events with `source` and `action` or `observation`, or a `kind` such as `ActionEvent`, or a list of them",
    matches,
    read,
    unmatched: Some(unmatched),
};

/// Where a record has its events.
const LISTS: &[&str] = &["history", "trajectory", "events"];

/// Actions that are no calls of the model's.
const NO_CALLS: &[&str] = &[
    "message",
    "system",
    "recall",
    "change_agent_state",
    "condensation",
    "condensation_request",
    "null",
    "loop_recovery",
];

fn is_event(event: &Object) -> bool {
    let text = |key: &str| event.get(key).and_then(Json::as_str);
    let is_source = matches!(text("source"), Some("agent" | "user" | "environment" | "hook"));
    let is_old = text("action").is_some() && event.contains_key("args")
        || text("observation").is_some() && event.contains_key("content");
    let is_new = text("kind").is_some_and(|kind| kind.ends_with("Event") || kind == "UserRejectObservation");
    is_source && (is_old || is_new)
}

fn matches(record: &Object) -> bool {
    is_event(record) || list(record).is_some()
}

/// The key whose list holds events.
fn list(record: &Object) -> Option<&'static str> {
    let holds = |key: &str| {
        let events = record.get(key).and_then(Json::as_array).unwrap_or_default();
        events.iter().take(3).filter_map(Json::as_object).any(is_event)
    };
    LISTS.iter().copied().find(|key| holds(key))
}

fn read(mut record: Object, context: &Context) -> Entries {
    match list(&record).and_then(|key| record.remove(key)) {
        Some(Json::Array(events)) => {
            let id =
                ["instance_id", "conversation_id", "id"].iter().find_map(|key| value::text(&record, &[key]));
            transcript(id, events, context)
        }
        _ if !is_event(&record) => skipped(Skip::NotAMessage),
        _ => {
            let (home, number) = home(context.source);
            if let Some(number) = number {
                record.insert(FILE, number);
            }
            one(Entry::Fragment(Fragment { key: format!("openhands {home}"), object: record }))
        }
    }
}

/// The key of a file's number, where each event is a file.
const FILE: &str = "number of its file";

/// What all events of a conversation have in common: the file that holds them, or, of `NAME/events/event-00007-ID.json`, the
/// folder; and the number of such a file.
fn home(source: &str) -> (&str, Option<&str>) {
    let file = || {
        let (folder, name) = source.rsplit_once(['/', '\\'])?;
        let number = name.strip_prefix("event-")?.split(['-', '.']).next()?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (folder.ends_with("events") && is_number).then_some((folder, number))
    };
    file().map_or((source, None), |(folder, number)| (folder, Some(number)))
}

fn unmatched(mut fragments: Vec<Object>, context: &Context) -> Entries {
    let number = |event: &Object| event.get(FILE).and_then(value::number).unwrap_or_default();
    fragments.sort_by(|a, b| number(a).total_cmp(&number(b)));
    let (home, file) = home(context.source);
    let name = file.and_then(|_| home.rsplit(['/', '\\']).nth(1)).map(str::to_owned);
    transcript(name, fragments.into_iter().map(Json::Object).collect(), context)
}

fn transcript(id: Option<String>, events: Vec<Json>, context: &Context) -> Entries {
    let mut told = Told::default();
    for event in events {
        match event {
            Json::Object(event) if event.contains_key("kind") => told.new_event(event),
            Json::Object(event) => told.old_event(event),
            other => told.elements.push(other),
        }
    }
    Transcript { id, elements: told.elements, tools: told.tools, model: told.model, ..Transcript::default() }
        .entries(context)
}

#[derive(Default)]
struct Told {
    elements: Vec<Json>,
    tools: Cell,
    model: Option<String>,
    /// The answer of each response that made several calls, by the response's id.
    answers: HashMap<String, usize>,
    /// The id of the call that each event is.
    calls: HashMap<String, String>,
}

impl Told {
    fn say(&mut self, role: &str, content: Option<Json>) {
        if let Some(content) = content.filter(|content| !content.is_null()) {
            self.elements.push(value::message(role, content));
        }
    }

    /// A call, with those that the same response made.
    fn call(&mut self, response: Option<String>, said: Json, call: Json) {
        let known = response.as_ref().and_then(|id| self.answers.get(id)).copied();
        if let Some(Json::Object(message)) = known.and_then(|at| self.elements.get_mut(at))
            && let Some(Json::Array(calls)) = message.get_mut("tool_calls")
        {
            calls.push(call);
            return;
        }
        if let Some(id) = response {
            self.answers.insert(id, self.elements.len());
        }
        self.elements.push(Json::Object(value::calling("assistant", said, vec![call])));
    }

    fn result(&mut self, id: Option<String>, content: Json, is_error: bool) {
        let mut message = Object::new();
        message.insert("role", "tool");
        if let Some(id) = id {
            message.insert("tool_call_id", id);
        }
        message.insert("content", content);
        if is_error {
            message.insert("is_error", Json::Bool(true));
        }
        self.elements.push(Json::Object(message));
    }

    fn old_event(&mut self, mut event: Object) {
        let source = value::text(&event, &["source"]).unwrap_or_default();
        let metadata = value::take_object(&mut event, "tool_call_metadata").unwrap_or_default();
        let call_id = value::text(&metadata, &["tool_call_id"]);
        let id = event.get("id").map(Json::to_string);
        if let Some(action) = value::text(&event, &["action"]) {
            let mut args = value::take_object(&mut event, "args").unwrap_or_default();
            match (action.as_str(), source.as_str()) {
                ("message", "user") => self.say("user", args.remove("content")),
                ("message", _) => self.say("assistant", args.remove("content")),
                ("system", _) => {
                    if let Some(tools) = value::take(&mut args, "tools") {
                        self.tools = value::tools(Some(tools));
                    }
                    self.say("system", args.remove("content"));
                }
                (action, "agent") if !NO_CALLS.contains(&action) => {
                    let call_id =
                        call_id.unwrap_or_else(|| format!("event_{}", id.clone().unwrap_or_default()));
                    let said = args
                        .remove("thought")
                        .filter(|said| said.as_str().is_some())
                        .unwrap_or(Json::from(""));
                    let response = value::text(&metadata, &["model_response", "id"]);
                    self.model =
                        self.model.take().or_else(|| value::text(&metadata, &["model_response", "model"]));
                    let call = made(&metadata, &call_id).unwrap_or_else(|| {
                        let name =
                            value::text(&metadata, &["function_name"]).unwrap_or_else(|| action.to_owned());
                        function(&call_id, &name, Json::Object(args))
                    });
                    if let Some(id) = id {
                        self.calls.insert(id, call_id);
                    }
                    self.call(response, said, call);
                }
                _ => {}
            }
        } else if let Some(kind) = value::text(&event, &["observation"]) {
            let cause = event.get("cause").map(Json::to_string);
            let call_id = call_id.or_else(|| self.calls.get(&cause?).cloned());
            let is_reply = call_id.is_some() || source == "agent" && kind != "agent_state_changed";
            if is_reply && !["agent_state_changed", "recall", "null"].contains(&kind.as_str()) {
                self.result(call_id, event.remove("content").unwrap_or(Json::Null), kind == "error");
            }
        }
    }

    fn new_event(&mut self, mut event: Object) {
        let call_id = value::text(&event, &["tool_call_id"]);
        match value::text(&event, &["kind"]).as_deref() {
            Some("SystemPromptEvent") => {
                if let Some(tools) = value::take(&mut event, "tools") {
                    self.tools = value::tools(Some(tools));
                }
                let prompt = event.remove("system_prompt").map(|prompt| match prompt {
                    Json::Object(part) => Json::Array(vec![Json::Object(part)]),
                    prompt => prompt,
                });
                self.say("system", prompt);
            }
            Some("MessageEvent") => {
                let message = value::take_object(&mut event, "llm_message").unwrap_or_default();
                let role = value::text(&message, &["role"]).unwrap_or_else(|| "user".to_owned());
                self.say(&role, message.get("content").cloned());
            }
            Some("ActionEvent") => {
                let mut call = value::take_object(&mut event, "tool_call").unwrap_or_default();
                let id = call_id.or_else(|| value::text(&call, &["id"])).unwrap_or_default();
                let name = value::text(&call, &["name"])
                    .or_else(|| value::text(&call, &["function", "name"]))
                    .or_else(|| value::text(&event, &["tool_name"]));
                let arguments = call
                    .remove("arguments")
                    .or_else(|| value::at(&call, &["function", "arguments"]).cloned())
                    .or_else(|| event.remove("action"))
                    .unwrap_or(Json::Null);
                let said = event.remove("thought").filter(|said| !said.is_null()).unwrap_or(Json::from(""));
                let call = function(&id, &name.unwrap_or_default(), arguments);
                self.call(value::text(&event, &["llm_response_id"]), said, call);
            }
            Some("ObservationEvent") => {
                let mut observation = value::take_object(&mut event, "observation").unwrap_or_default();
                let is_error = observation.get("is_error") == Some(&Json::Bool(true));
                observation.remove("kind");
                let content = match observation.remove("content") {
                    Some(content) if !content.is_null() => content,
                    _ => Json::Object(observation),
                };
                self.result(call_id, content, is_error);
            }
            Some("AgentErrorEvent") => {
                self.result(call_id, event.remove("error").unwrap_or(Json::Null), true);
            }
            Some("UserRejectObservation") => {
                self.result(call_id, event.remove("rejection_reason").unwrap_or(Json::Null), true);
            }
            _ => {}
        }
    }
}

/// The call as the model wrote it.
fn made(metadata: &Object, id: &str) -> Option<Json> {
    let choices = value::at(metadata, &["model_response", "choices"])?.as_array()?;
    let calls = choices.first()?.get("message")?.get("tool_calls")?.as_array()?;
    calls.iter().find(|call| call.get("id").and_then(Json::as_str) == Some(id)).cloned()
}

fn function(id: &str, name: &str, arguments: Json) -> Json {
    let mut function = Object::new();
    function.insert("name", name);
    function.insert("arguments", arguments);
    let mut call = Object::new();
    call.insert("id", id);
    call.insert("type", "function");
    call.insert("function", Json::Object(function));
    Json::Object(call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::logs::{NoRelated, Turns};
    use crate::normalize::{Normalizer, Options};

    #[test]
    fn events_of_a_folder_are_one_conversation_in_the_order_of_their_numbers() {
        for (source, expected) in [
            ("log.jsonl", ("log.jsonl", None)),
            ("a/c1/events/event-00012-x.json", ("a/c1/events", Some("00012"))),
            ("a/events/event-log.json", ("a/events/event-log.json", None)),
            ("a/logs/event-1.json", ("a/logs/event-1.json", None)),
        ] {
            assert_eq!(home(source), expected);
        }
        let normalizer = Normalizer::new(Options::default()).unwrap().into();
        let context = |source| Context {
            agents: false,
            turns: Turns::All,
            normalizer: &normalizer,
            related: &NoRelated,
            source,
        };
        const ASKED: &str =
            r#"{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":"Fix it."}}"#;
        const CALLED: &str = r#"{"kind":"ActionEvent","source":"agent","tool_name":"f","tool_call":{"name":"f","arguments":"{}"}}"#;
        let files = [("s/c1/events/event-10-b.json", CALLED), ("s/c1/events/event-9-a.json", ASKED)];
        let mut fragments = Vec::new();
        for (source, event) in files {
            let Json::Object(event) = Json::parse(event).unwrap() else { panic!("{event}") };
            fragments.extend(read(event, &context(source)));
        }
        let fragments: Vec<Fragment> = fragments
            .into_iter()
            .map(|entry| match entry {
                Entry::Fragment(fragment) => fragment,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(fragments[0].key, fragments[1].key);
        let fragments = fragments.into_iter().map(|fragment| fragment.object).collect();
        let entries: Vec<Entry> = unmatched(fragments, &context(files[0].0)).collect();
        let [Entry::Transcript(_), Entry::Turn(turn)] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!(turn.origin.source_id.as_deref(), Some("c1"));
        assert_eq!(normalizer.turn((**turn).clone()).unwrap().question, "Fix it.");
    }
}
