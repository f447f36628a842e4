//! Laws for any response, in every format.

use std::time::SystemTime;

use proptest::prelude::*;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::domain::{CallResult, Dialogue, Entry, Json, ToolDefinition};
use crate::judge::adaptation::AdaptationSet;
use crate::judge::exchange::Exchange;
use crate::judge::provider_format::{Answer, ProviderFormat, Response};
use crate::judge::{Endpoint, Parameters, Provider, Target};

fn format(provider: Provider) -> Box<dyn ProviderFormat> {
    let endpoint = Endpoint::new("https://host.example/v1", Some(SecretString::from("key"))).unwrap();
    Target { provider, model: "m".into(), endpoint, parameters: Parameters::default() }.format()
}

fn dialogue() -> Dialogue {
    let parameters =
        Json::parse(r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#).unwrap();
    let tool = ToolDefinition { name: "f".into(), description: String::new(), parameters };
    Dialogue { system: None, tools: [tool].into(), entries: vec![Entry::User("q".into())] }
}

fn understand(format: &dyn ProviderFormat, dialogue: &Dialogue, body: &str) -> Option<Answer> {
    let response = Response {
        status: 200,
        headers: HeaderMap::new(),
        body: body.as_bytes().to_vec(),
        received: SystemTime::UNIX_EPOCH,
    };
    let exchange = Exchange::Turn(dialogue, format.turns().unwrap());
    exchange.understand(format, &AdaptationSet::new(), &response).ok()
}

/// The request that follows a reply and the results of its calls.
fn next(format: &dyn ProviderFormat, mut dialogue: Dialogue, message: &str) -> Value {
    let turns = format.turns().unwrap();
    let turn = turns.turn(message).unwrap();
    let ids: Vec<String> = (0..turn.calls.len()).map(|at| format!("call_1_{at}")).collect();
    let results = turn.calls.iter().zip(&ids).map(|(call, id)| CallResult {
        id: id.clone(),
        tool: call.name.clone(),
        content: "done".into(),
        is_error: false,
    });
    let results = results.collect();
    dialogue.entries.push(Entry::Reply { message: message.into(), ids });
    dialogue.entries.push(Entry::Results(results));
    turns.turn_body(&dialogue, &AdaptationSet::new())
}

/// A response of each format, with a place for anything in it.
fn around(provider: Provider, anything: &str) -> String {
    match provider {
        Provider::OpenAi | Provider::Azure | Provider::Vllm | Provider::LlamaCpp => {
            format!(r#"{{"choices":[{{"message":{{"tool_calls":[{anything}],"content":"x"}}}}]}}"#)
        }
        Provider::OpenAiResponses => format!(r#"{{"output":[{anything}]}}"#),
        Provider::Anthropic => format!(r#"{{"content":[{anything}]}}"#),
        Provider::Gemini => format!(r#"{{"candidates":[{{"content":{{"parts":[{anything}]}}}}]}}"#),
        Provider::Ollama => format!(r#"{{"message":{{"tool_calls":[{anything}],"content":"x"}}}}"#),
    }
}

proptest! {
    #[test]
    fn what_was_read_can_be_kept_read_again_and_sent_back(
        provider in proptest::sample::select(&Provider::ALL),
        wild in "(\\{|\\}|\"|:|,|\\[|\\]|null|1|\"choices\":|\"message\":|\"content\":|\"output\":|\"candidates\":|\"parts\":|\"text\"|[a-z ])*",
        inner in "(\\{|\\}|\"|:|,|\\[|\\]|null|true|7|\"type\":|\"function\":|\"tool_use\"|\"function_call\"|\"functionCall\":|\"name\":|\"arguments\":|\"args\":|\"input\":|\"id\":|\"text\":|\"\")*",
    ) {
        let format = format(provider);
        for body in [wild, around(provider, &inner)] {
            let Some(answer) = understand(format.as_ref(), &dialogue(), &body) else { continue };
            if answer.text.is_empty() {
                continue;
            }
            prop_assert!(format.turns().unwrap().turn(&answer.text).is_some(), "{}", answer.text);
            next(format.as_ref(), dialogue(), &answer.text);
        }
    }

    #[test]
    fn calls_are_read_and_linked_whatever_their_arguments(
        provider in proptest::sample::select(&Provider::ALL),
        texts in proptest::collection::vec("[ -~é\u{1F600}\n\"\\\\]{0,12}", 1..4),
        signature in "[A-Za-z0-9+/=]{1,80}",
    ) {
        let format = format(provider);
        let arguments = |text: &String| json!({"city": text, "n": 1.0});
        let calls: Vec<Value> = texts.iter().map(|text| match provider {
            Provider::OpenAi | Provider::Azure | Provider::Vllm | Provider::LlamaCpp => {
                json!({"id": "x", "type": "function", "function": {"name": "f", "arguments": arguments(text).to_string()}})
            }
            Provider::OpenAiResponses => {
                json!({"type": "function_call", "call_id": "x", "name": "f", "arguments": arguments(text).to_string()})
            }
            Provider::Anthropic => json!({"type": "tool_use", "id": "x", "name": "f", "input": arguments(text)}),
            Provider::Gemini => json!({"functionCall": {"id": "x", "name": "f", "args": arguments(text)}}),
            Provider::Ollama => json!({"id": "x", "function": {"name": "f", "arguments": arguments(text)}}),
        }).collect();
        let signed = match provider {
            Provider::Anthropic => Some(json!({"type": "thinking", "thinking": texts[0], "signature": signature})),
            Provider::Gemini => Some(json!({"text": texts[0], "thought": true, "thoughtSignature": signature})),
            Provider::OpenAiResponses => {
                Some(json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": signature}))
            }
            _ => None,
        };
        let parts: Vec<String> = signed.iter().chain(&calls).map(Value::to_string).collect();
        let answer = understand(format.as_ref(), &dialogue(), &around(provider, &parts.join(","))).unwrap();
        let turn = format.turns().unwrap().turn(&answer.text).unwrap();
        prop_assert_eq!(turn.calls.len(), texts.len());
        for (call, text) in turn.calls.iter().zip(&texts) {
            prop_assert_eq!(Value::from(&Json::Object(call.parsed().unwrap().clone())), arguments(text));
        }
        let body = next(format.as_ref(), dialogue(), &answer.text).to_string();
        // The ids of the provider were the same: ours go in their place, with each call and with its result.
        for at in 0..texts.len() {
            prop_assert_eq!(body.matches(&format!("\"call_1_{at}\"")).count(), 2, "{}", body);
        }
        if let Some(signed) = signed {
            prop_assert!(body.contains(&signed.to_string()), "{} is not in {}", signed, body);
        }
    }
}
