//! The unit of judging: a turn with all of its calls, or each call by itself.

use std::sync::Arc;

use super::{
    Calls, Message, Role, Sample, SharedText, Slot, ToolCall, ToolResult, Variable, conversation_text,
};

/// What one question to a judge is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// All calls of an assistant turn together.
    #[default]
    Turn,
    /// Each call of a turn by itself.
    Call,
}

impl Unit {
    /// As records of runs name it, where it is not the usual one.
    pub fn recorded(self) -> Option<&'static str> {
        match self {
            Unit::Turn => None,
            Unit::Call => Some("call"),
        }
    }
}

/// Which of a turn's calls a sample is.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The call's place among them, from 0.
    pub at: usize,
    /// All calls of the turn: two or more.
    pub turn: Arc<[ToolCall]>,
}

impl Sample {
    /// Each call of the turn as a turn of its own: what came before it includes the calls that the turn made earlier, and beside it
    /// stands what it returned itself, as far as the log tells which result is whose. `with_transcript`: the whole transcript stays
    /// to be shown.
    ///
    /// A turn with a single call, with none, or with calls that could not be read, cannot be taken apart: nothing then.
    pub fn each_call(&self, with_transcript: bool) -> impl ExactSizeIterator<Item = Sample> + '_ {
        let calls: &[ToolCall] = match &self.calls {
            Calls::Parsed(calls) if calls.len() > 1 => calls,
            _ => &[],
        };
        let transcript = Variable::Slot(Slot::Transcript);
        let whole = with_transcript.then(|| self.shown(&transcript).map(|text| text.into_owned())).flatten();
        let turn: Arc<[ToolCall]> = calls.into();
        let alone = move |at: usize| {
            let mut sample = self.clone();
            sample.part = Some(Part { at, turn: Arc::clone(&turn) });
            sample.calls = Calls::Parsed(vec![calls[at].clone()]);
            sample.raw.tool_call = Some(calls[at].to_json().to_string());
            sample.after.results = self.results_of(calls, at);
            sample.extras.remove(&Variable::Slot(Slot::ToolResult));
            if let Some(whole) = &whole {
                sample.extras.insert(transcript.clone(), whole.clone());
            }
            if at > 0 {
                sample.follows(&calls[..at]);
            }
            sample
        };
        (0..calls.len()).map(alone)
    }

    /// What came before the turn; of a call by itself, without the calls that its turn made before it.
    pub fn before_turn(&self) -> &[Message] {
        match &self.part {
            Some(part) if part.at > 0 => &self.messages[..self.messages.len().saturating_sub(1)],
            _ => &self.messages,
        }
    }

    /// Adds what the same turn called before.
    fn follows(&mut self, calls: &[ToolCall]) {
        let earlier = Message { tool_calls: calls.to_vec(), ..Message::new(Role::Assistant, "") };
        let shown = match &self.messages[..] {
            // A question of words only is shown without saying whose they are, which two messages need.
            [only] if self.raw.question == *only.content => {
                format!("{}\n\n{}", conversation_text(&self.messages), earlier.paragraph(false))
            }
            _ => format!("{}\n\n{}", self.raw.question, earlier.paragraph(false)),
        };
        self.raw.question = SharedText::from(shown);
        self.messages.edit(|messages| messages.push(earlier));
    }

    /// What the call at a place returned: by its id, or by its place where no ids are known and each call has a result.
    fn results_of(&self, calls: &[ToolCall], at: usize) -> Vec<ToolResult> {
        let results = &self.after.results;
        let id = &calls[at].id;
        let own = |call: &&ToolCall| call.id == *id;
        if id.is_some() && results.iter().any(|result| result.tool_call_id == *id) {
            // An id that several calls have names none of them.
            if calls.iter().filter(own).count() > 1 {
                return Vec::new();
            }
            return results.iter().filter(|result| result.tool_call_id == *id).cloned().collect();
        }
        let by_place = results.len() == calls.len()
            && (calls.iter().all(|call| call.id.is_none())
                || results.iter().all(|result| result.tool_call_id.is_none()));
        if by_place { vec![results[at].clone()] } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Aftermath, Json, Object};

    fn calls(ids: bool) -> Vec<ToolCall> {
        let call = |(at, name): (usize, &str)| {
            let mut arguments = Object::new();
            arguments.insert("n", Json::Number((at as u64).into()));
            ToolCall { id: ids.then(|| format!("c{at}")), ..ToolCall::new(name, arguments) }
        };
        ["f", "g", "f"].into_iter().enumerate().map(call).collect()
    }

    fn sample(calls: Vec<ToolCall>, results: Vec<ToolResult>, messages: &[Message]) -> Sample {
        let raw = crate::domain::RawText {
            question: match messages {
                [only] => SharedText::from(only.content.as_str()),
                several => conversation_text(several).into(),
            },
            tool_call: Some("as logged".to_owned()),
            tool_definitions: None,
        };
        Sample {
            question: "Do it".to_owned(),
            messages: messages.to_vec().into(),
            calls: Calls::Parsed(calls),
            definitions: crate::domain::Definitions::Unknown,
            raw,
            flags: Vec::new(),
            origin: crate::domain::Origin::default(),
            place: None,
            after: Aftermath { results, ..Aftermath::default() },
            extras: Default::default(),
            part: None,
        }
    }

    fn result(id: Option<&str>, content: &str) -> ToolResult {
        ToolResult { tool_call_id: id.map(str::to_owned), content: content.to_owned(), is_error: false }
    }

    #[test]
    fn a_call_is_seen_with_the_calls_before_it() {
        let one = [Message::new(Role::User, "Do it")];
        let parts = sample(calls(false), Vec::new(), &one).each_call(false).collect::<Vec<_>>();
        let shown: Vec<(&str, &str)> =
            parts.iter().map(|part| (&*part.raw.question, part.raw.tool_call.as_deref().unwrap())).collect();
        assert_eq!(shown[0], ("Do it", r#"{"name":"f","arguments":{"n":0}}"#));
        assert_eq!(
            shown[1],
            (
                "user: Do it\n\nassistant: [{\"name\":\"f\",\"arguments\":{\"n\":0}}]",
                r#"{"name":"g","arguments":{"n":1}}"#
            )
        );
        assert!(
            shown[2].0.ends_with(r#"[{"name":"f","arguments":{"n":0}},{"name":"g","arguments":{"n":1}}]"#)
        );
        assert_eq!(parts[2].messages.last().unwrap().tool_calls.len(), 2);
        let two = [Message::new(Role::System, "Today is Monday."), Message::new(Role::User, "Do it")];
        let parts: Vec<Sample> = sample(calls(false), Vec::new(), &two).each_call(false).collect();
        assert!(
            parts[1].raw.question.starts_with("system: Today is Monday.\n\nuser: Do it\n\nassistant: [{")
        );
        let single = sample(calls(false)[..1].to_vec(), Vec::new(), &one);
        assert!(single.each_call(false).len() == 0, "there is nothing to take apart");
        assert!(sample(Vec::new(), Vec::new(), &one).each_call(false).len() == 0);
    }

    #[test]
    fn a_result_belongs_to_its_call_or_to_nobody() {
        let one = [Message::new(Role::User, "Do it")];
        let (plain, named) = (calls(false), calls(true));
        let by_place = vec![result(None, "a"), result(None, "b"), result(None, "c")];
        let by_id = vec![result(Some("c2"), "c"), result(Some("c0"), "a")];
        for (calls, results, expected) in [
            (&plain, by_place.clone(), ["a", "b", "c"]),
            (&named, by_place.clone(), ["a", "b", "c"]),
            (&named, by_id.clone(), ["a", "", "c"]),
            (&plain, by_place[..2].to_vec(), ["", "", ""]),
            (
                &named,
                vec![result(Some("x"), "a"), result(Some("y"), "b"), result(Some("z"), "c")],
                ["", "", ""],
            ),
        ] {
            let parts: Vec<Sample> = sample(calls.clone(), results.clone(), &one).each_call(false).collect();
            let got: Vec<String> = parts
                .iter()
                .map(|part| part.after.results.iter().map(|result| result.content.as_str()).collect())
                .collect();
            assert_eq!(got, expected, "{results:?}");
        }
    }
}
