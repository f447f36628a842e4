//! The loop of one agent in one case: what it is sent next, and what its reply leads to.
//!
//! The loop is the same for every provider. A reply has calls if it contains them, whatever its stated end; those of a reply that
//! was cut off, refused or filtered are recorded and not executed. Calls run one after another in the order of the reply, and all
//! results go back before the next reply is requested. A reply without calls ends the user's turn: the user's next message
//! follows, or else the episode is finished. No user is simulated.

use std::collections::HashSet;
use std::sync::Arc;

use super::compat::Loop;
use super::record::case_record;
use super::stage::{Stage, result_message};
use super::suite::World;
use super::world::{Came, Live, Returned, refusal};
use crate::domain::{
    Arguments, CallResult, Dialogue, Ended, Entry, Json, Message, Object, Role, Stop, ToolCall, Turn,
    is_blank,
};
use crate::normalize::{CallsInWords, calls_in_words};
use crate::python::write_repr;
use crate::score::{Issue, IssueKind, can_only_fail};

/// An episode under way, or at its end.
///
/// ```text
/// while let Some(dialogue) = episode.asks() { episode.hear(…the reply to dialogue…) }
/// ```
#[derive(Debug, Clone)]
pub struct Episode {
    stage: Arc<Stage>,
    follows: Loop,
    dialogue: Dialogue,
    world: Live,
    /// All that was said, under the tools' own names.
    messages: Vec<Message>,
    /// Where the agent's turns stand in `messages`.
    turns: Vec<usize>,
    /// What the user has said of what there is to say after the first message.
    said: usize,
    executed: u32,
    /// What LangChain Benchmarks calls intermediate steps: actions with their observations.
    steps: Vec<(Json, Json)>,
    issues: Vec<Issue>,
    /// The ids of calls whose arguments their tool refused.
    refused: HashSet<String>,
    tool_ms: u64,
    ended: Option<Ended>,
    /// Why, where more is known than the name says.
    why: Option<String>,
    response: Json,
    /// What a reply said before its provider broke off, to go on in the next.
    begun: String,
}

/// A reply of the model, as an episode hears it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// As the provider wrote it, to be sent back.
    pub message: Arc<str>,
    /// Why it ends where it does.
    pub stop: Stop,
    /// What it says.
    pub turn: Turn,
}

impl Episode {
    /// The beginning of an episode of `stage`.
    pub fn new(stage: &Arc<Stage>, follows: Loop) -> Episode {
        Episode {
            follows,
            dialogue: Dialogue {
                system: stage.case.system.clone(),
                tools: Arc::clone(&stage.offered.tools),
                entries: stage.start.clone(),
            },
            world: Live::new(&stage.case.world),
            messages: stage.messages.clone(),
            turns: Vec::new(),
            said: 0,
            executed: 0,
            steps: Vec::new(),
            issues: Vec::new(),
            refused: HashSet::new(),
            tool_ms: 0,
            ended: None,
            why: None,
            response: Json::from(""),
            begun: String::new(),
            stage: Arc::clone(stage),
        }
    }

    /// What the model is to be sent next; `None` once the episode has ended.
    pub fn asks(&self) -> Option<&Dialogue> {
        self.ended.is_none().then_some(&self.dialogue)
    }

    /// All that has been sent or is to be sent.
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    /// Ends the episode for a reason that lies outside of it.
    pub fn end(&mut self, ended: Ended, why: Option<String>) {
        if self.ended.is_none() {
            (self.ended, self.why) = (Some(ended), why);
        }
    }

    /// Ends the episode by the agent's own fault, be it in the middle or after its answer: it has a score, and fails.
    pub fn fail(&mut self, ended: Ended, why: String) {
        if matches!(self.ended, None | Some(Ended::Finished)) {
            self.issue(IssueKind::StoppedEarly, None, None, format!("{}: {why}", ended.in_words()));
            (self.ended, self.why) = (Some(ended), Some(why));
        }
    }

    /// Goes on with the model's reply: executes its calls, or ends.
    pub fn hear(&mut self, heard: Heard) {
        if self.ended.is_some() {
            return;
        }
        let Heard { message, stop, turn } = heard;
        let number = self.turns.len() + 1;
        let calls = self.named(&turn.calls, number);
        self.turns.push(self.messages.len());
        self.messages
            .push(Message { tool_calls: calls.clone(), ..Message::new(Role::Assistant, turn.text.as_str()) });
        let ids = calls.iter().filter_map(|call| call.id.clone()).collect();
        let own = Entry::Reply { message, ids };
        if stop != Stop::Finished {
            return self.broken_off(stop, turn.text);
        }
        if turn.paused {
            self.begun.push_str(&turn.text);
            self.dialogue.entries.push(own);
            return self.check_steps(number);
        }
        let turn = Turn { text: std::mem::take(&mut self.begun) + &turn.text, ..turn };
        if let Some(why) = &turn.unread_call {
            let issue = format!("the provider could not read a call: {why}");
            self.issue(IssueKind::Undecodable, None, None, issue);
            if self.stage.case.world == World::Recorded {
                return self.end(Ended::Finished, None);
            }
            // There is nothing to send back but that it was not understood.
            let told = format!("Your last tool call could not be read ({why}). Call the tool again.");
            self.dialogue.entries.push(Entry::User(told.clone()));
            self.messages.push(Message::new(Role::User, told));
            return self.check_steps(number);
        }
        if calls.is_empty() {
            return self.answered(turn, own);
        }
        match self.follows {
            Loop::LangChain => self.act_as_langchain(&calls, own),
            Loop::Own | Loop::Article => self.act(&calls, own),
        }
        if self.ended.is_none() {
            self.check_steps(number);
        }
    }

    /// `calls` under the tools' own names, each with an id of its own.
    fn named(&self, calls: &[ToolCall], number: usize) -> Vec<ToolCall> {
        let earlier = self.messages.iter().flat_map(|message| &message.tool_calls);
        let mut taken: HashSet<String> = earlier.filter_map(|call| call.id.clone()).collect();
        let named = |(at, call): (usize, &ToolCall)| {
            // The peer takes ids as they come.
            let is_free =
                |id: &String| !id.is_empty() && (self.follows == Loop::LangChain || !taken.contains(id));
            let own = call.id.clone().filter(is_free);
            let id = own.unwrap_or_else(|| {
                let mut id = format!("call_{number}_{at}", at = at + 1);
                while taken.contains(&id) {
                    id.push('_');
                }
                id
            });
            taken.insert(id.clone());
            ToolCall { id: Some(id), ..self.stage.offered.own_name(call.clone()) }
        };
        calls.iter().enumerate().map(named).collect()
    }

    fn broken_off(&mut self, stop: Stop, text: String) {
        if self.follows == Loop::Article {
            return self.end(Ended::Finished, None);
        }
        self.response = Json::from(text);
        self.stop_early(match stop {
            Stop::Truncated => Ended::Truncated,
            Stop::Refused => Ended::Refused,
            Stop::Filtered | Stop::Finished => Ended::Filtered,
        });
    }

    fn answered(&mut self, turn: Turn, own: Entry) {
        if self.follows == Loop::Own
            && let Some(what) = self.called_in_words(&turn.text)
        {
            let message = format!(
                "{what} was called in words: the server that answers gives calls as text, which runs no tool. Turn on its reading of tool \
                 calls (vLLM: --enable-auto-tool-choice with --tool-call-parser, llama.cpp: --jinja, others: a template of a model with tools)"
            );
            self.response = Json::from(turn.text);
            self.issue(IssueKind::Undecodable, None, None, message);
            return self.end(Ended::CallAsText, None);
        }
        if let Some(next) = self.stage.case.follow_ups.get(self.said) {
            self.said += 1;
            self.dialogue.entries.extend([own, Entry::User(next.clone())]);
            self.messages.push(Message::new(Role::User, next.as_str()));
            return self.check_steps(self.turns.len());
        }
        let says_nothing = is_blank(&turn.text);
        self.response = match turn.parts {
            Some(parts) if self.follows == Loop::LangChain => parts,
            _ => Json::from(turn.text),
        };
        // Who is told to type and say nothing has finished without a word.
        if says_nothing && self.follows == Loop::Own && !self.stage.case.expected.is_without_words() {
            return self.stop_early(Ended::Empty);
        }
        self.end(Ended::Finished, None);
    }

    /// What `text` calls, where it is written as models write their calls and a tool on offer is meant.
    fn called_in_words(&self, text: &str) -> Option<String> {
        let offered = &self.stage.offered;
        match calls_in_words(text, &offered.tools) {
            CallsInWords::None => None,
            CallsInWords::Read(calls) => {
                let call =
                    calls.into_iter().find(|call| offered.tools.iter().any(|tool| tool.name == call.name))?;
                Some(format!("`{}`", offered.own_name(call).name))
            }
            CallsInWords::Unreadable => {
                offered.tools.iter().any(|tool| text.contains(&tool.name)).then(|| "a tool".to_owned())
            }
        }
    }

    fn act(&mut self, calls: &[ToolCall], own: Entry) {
        let stage = Arc::clone(&self.stage);
        if stage.case.world == World::Recorded {
            self.response = Json::from(self.messages.last().map_or("", |message| &message.content));
            for call in calls {
                let Some(refusal) = refusal(&stage, call) else { continue };
                if let Some((kind, path)) = refusal.issue {
                    self.refused.extend(call.id.clone());
                    self.issue(kind, Some(&call.name), path, refusal.content);
                }
            }
            return self.end(Ended::Finished, None);
        }
        let most = match self.follows {
            Loop::Own | Loop::LangChain => stage.case.bounds.max_tool_calls,
            // It counts replies.
            Loop::Article => u32::MAX,
        };
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            if self.executed >= most {
                return self.stop_early(Ended::MaxCalls);
            }
            self.executed += 1;
            match self.world.call(&stage, self.follows, call) {
                Came::Back(returned) => results.push(self.take(call, returned)),
                Came::OffScript => {
                    if self.follows == Loop::Own && can_only_fail(&case_record(self, 0)) {
                        return self.stop_early(Ended::Unexpected);
                    }
                    let why = format!("`{}` was called with arguments that no rule answers", call.name);
                    return self.end(Ended::OffScript, Some(why));
                }
                Came::Raised(error) => return self.end(Ended::Errored, Some(error.to_string())),
            }
        }
        self.dialogue.entries.extend([own, Entry::Results(results)]);
    }

    /// Records what a call returned.
    fn take(&mut self, call: &ToolCall, returned: Returned) -> CallResult {
        let Returned { content, observation, is_error, issue, latency_ms } = returned;
        if let Some((kind, path)) = issue {
            if kind == IssueKind::InvalidArguments {
                self.refused.extend(call.id.clone());
            }
            let message = match kind {
                IssueKind::Undecodable => format!("`{}`: {content}", call.name),
                _ => content.clone(),
            };
            self.issue(kind, Some(&call.name), path, message);
        }
        self.tool_ms = self.tool_ms.saturating_add(latency_ms);
        let input = call.parsed().map_or(Json::Null, |arguments| Json::Object(arguments.clone()));
        let seen = observation.map_or_else(|| Json::from(content.as_str()), |seen| seen.to_json());
        self.steps.push((action(&call.name, input), seen));
        let id = call.id.clone().unwrap_or_default();
        let result = CallResult { id, tool: self.sent_name(&call.name), content, is_error };
        self.messages.push(result_message(&result));
        result
    }

    fn sent_name(&self, own: &str) -> String {
        super::offered::safe(own)
    }

    /// Goes on as long as there are replies to be had.
    fn check_steps(&mut self, number: usize) {
        let most = match self.follows {
            Loop::Own => self.stage.case.bounds.max_steps,
            Loop::LangChain => LANGCHAIN_STEPS,
            Loop::Article => self.stage.case.bounds.max_tool_calls.saturating_add(1),
        };
        if (number as u64) < u64::from(most) {
            return;
        }
        match self.follows {
            Loop::Own => self.stop_early(Ended::MaxSteps),
            Loop::LangChain => {
                self.response = Json::from("Agent stopped due to max iterations.");
                self.end(Ended::MaxSteps, None);
            }
            Loop::Article => self.end(Ended::Finished, None),
        }
    }

    /// Ends an episode that comes to no answer.
    fn stop_early(&mut self, ended: Ended) {
        if ended.is_scored() {
            let why = format!("the episode ended before an answer: {}", ended.in_words());
            self.issue(IssueKind::StoppedEarly, None, None, why);
        }
        self.end(ended, None);
    }

    fn issue(&mut self, kind: IssueKind, tool: Option<&str>, path: Option<String>, message: String) {
        self.issues.push(Issue { kind, tool: tool.map(str::to_owned), path, message });
    }

    fn act_as_langchain(&mut self, calls: &[ToolCall], own: Entry) {
        let stage = Arc::clone(&self.stage);
        let readable: Vec<&ToolCall> = calls.iter().filter(|call| call.parsed().is_some()).collect();
        if readable.is_empty() {
            let Some(first) = calls.first() else { return };
            return self.misread_as_langchain(first);
        }
        let mut results = Vec::new();
        for call in readable {
            self.executed += 1;
            match self.world.call(&stage, self.follows, call) {
                Came::Back(returned) => {
                    let result = self.take(call, returned);
                    if !results.contains(&result) && !self.was_shown(&result) {
                        results.push(result);
                    }
                }
                Came::Raised(error) => {
                    let why = format!("{}: {error}", error.exception());
                    self.steps.clear();
                    return self.end(Ended::Errored, Some(why));
                }
                Came::OffScript => return self.end(Ended::OffScript, None),
            }
        }
        if !self.dialogue.entries.contains(&own) {
            self.dialogue.entries.push(own);
        }
        if !results.is_empty() {
            self.dialogue.entries.push(Entry::Results(results));
        }
    }

    /// Whether the model has been shown this very result before.
    fn was_shown(&self, result: &CallResult) -> bool {
        let shown = |entry: &Entry| matches!(entry, Entry::Results(results) if results.contains(result));
        self.dialogue.entries.iter().any(shown)
    }

    /// Arguments that are no JSON: the peer takes a step of its own, and tells the model in words as if they were the model's.
    fn misread_as_langchain(&mut self, call: &ToolCall) {
        const OBSERVED: &str = "Invalid or incomplete response";
        let Arguments::Malformed(arguments) = &call.arguments else { return };
        let message = format!("the arguments of `{}` are not valid JSON", call.name);
        self.issue(IssueKind::Undecodable, Some(&call.name), None, message);
        let mut function = Object::new();
        function.insert("name", call.name.as_str());
        function.insert("arguments", arguments.as_str());
        let mut shown = String::new();
        write_repr(&mut shown, &Json::Object(function));
        let text = format!("Could not parse tool input: {shown} because the `arguments` is not valid JSON.");
        self.dialogue.entries.push(Entry::Assistant { text, calls: Vec::new() });
        self.steps.push((action("_Exception", Json::from(OBSERVED)), Json::from(OBSERVED)));
    }
}

/// Replies that LangChain Benchmarks' agents have.
const LANGCHAIN_STEPS: u32 = 15;

fn action(tool: &str, input: Json) -> Json {
    let mut action = Object::new();
    action.insert("tool", tool);
    action.insert("tool_input", input);
    Json::Object(action)
}

/// What has become of it.
impl Episode {
    /// The case.
    pub fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// Whose loop it follows.
    pub fn follows(&self) -> Loop {
        self.follows
    }

    /// How it ended; `None` while it goes on.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// More about its end, where there is more to say.
    pub fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// All that was said, the case's beginning included.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Where the agent's turns stand among the messages.
    pub fn turns(&self) -> &[usize] {
        &self.turns
    }

    /// All calls that the agent made, those that were not executed included.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.turns.iter().flat_map(|at| &self.messages[*at].tool_calls)
    }

    /// LangChain Benchmarks' intermediate steps: each executed call with what it returned.
    pub fn intermediate_steps(&self) -> Json {
        let pair = |(action, seen): &(Json, Json)| Json::Array(vec![action.clone(), seen.clone()]);
        Json::Array(self.steps.iter().map(pair).collect())
    }

    /// What the agent answered in the end; empty where it came to no answer.
    pub fn response(&self) -> &Json {
        &self.response
    }

    /// What the environment was left in; `None` where nothing changes.
    pub fn state(&self) -> Option<&str> {
        self.world.state()
    }

    /// What was found in the loop itself.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Whether its tool refused the arguments of a call.
    pub(super) fn refused(&self, call: &ToolCall) -> bool {
        call.id.as_ref().is_some_and(|id| self.refused.contains(id))
    }

    /// How long the tools took, in milliseconds that nobody waited.
    pub fn tool_ms(&self) -> u64 {
        self.tool_ms
    }
}
