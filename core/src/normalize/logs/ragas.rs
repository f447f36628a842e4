//! Ragas' multi-turn samples: a conversation under `user_input`. The expected calls, `reference_tool_calls`, are gold for the
//! whole conversation and never judged.
//!
//! ```json
//! {"user_input": [{"type": "human", "content": "Oslo?"},
//!                 {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"city": "Oslo"}}]},
//!                 {"type": "tool", "content": "Sunny."}], "reference_tool_calls": [{"name": "f", "args": {}}]}
//! ```

use super::context::Context;
use super::entry::Entries;
use super::format::LogFormat;
use super::transcript::{Episode, Transcript};
use super::value;
use crate::domain::{Json, Object, Role};
use crate::normalize::question;

pub(super) const RAGAS: LogFormat = LogFormat {
    name: "ragas_sample",
    sign: "a list `user_input` in which the assistant speaks",
    matches,
    read,
    unmatched: None,
};

fn matches(record: &Object) -> bool {
    let speaks = |messages: &[Json]| {
        let speakers = messages.iter().map(|message| message.as_object().and_then(question::speaker));
        let speakers: Vec<Option<Role>> = speakers.collect();
        speakers.iter().all(Option::is_some) && speakers.contains(&Some(Role::Assistant))
    };
    // A sample of one turn has its answer in a column of its own.
    let answered = ["response", "output", "completion", "generated"]
        .iter()
        .any(|key| value::at(record, &[key]).is_some());
    !answered
        && match record.get("user_input") {
            Some(Json::Array(messages)) => speaks(messages),
            Some(Json::String(text)) => {
                question::conversation_in(text).is_some_and(|messages| speaks(&messages))
            }
            _ => false,
        }
}

fn read(mut record: Object, context: &Context) -> Entries {
    let transcript = Transcript {
        id: value::text(&record, &["id"]),
        elements: value::take(&mut record, "user_input").map(value::messages).unwrap_or_default(),
        tools: value::tools(value::take_first(&mut record, &["tools", "tool_definitions"])),
        episode: Episode { reward: None, reference_calls: value::take(&mut record, "reference_tool_calls") },
        ..Transcript::default()
    };
    transcript.entries(context)
}
