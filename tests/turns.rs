//! Dialogues with every provider: calls and results there and back, through whatever a server does to a request.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tooljudge::domain::{CallResult, Dialogue, Entry, Json, Reply, Stop, ToolDefinition, Turn};
use tooljudge::judge::{
    AskError, CostBudget, Endpoint, Function, Parameters, Price, Provider, Remote, Settings, Target, connect,
    connect_function,
};

use crate::support::on_time::on_time;
use crate::support::server::{Answer, Format, Manner, Said, Server, TurnEnd};

fn remote(server: &Server, provider: Provider, parameters: Parameters, settings: Settings) -> Remote {
    let base_url = match provider {
        Provider::Azure | Provider::Ollama => &server.origin,
        _ => &server.url,
    };
    let endpoint = Endpoint::new(base_url, Some("test-key".into())).unwrap();
    connect(Target { provider, model: "m".into(), endpoint, parameters }, settings, &[]).unwrap()
}

fn plain(server: &Server, provider: Provider) -> Remote {
    remote(server, provider, Parameters::default(), Settings::default())
}

fn question() -> Dialogue {
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#;
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: "Tells the weather.".into(),
        parameters: Json::parse(schema).unwrap(),
    };
    Dialogue {
        system: Some("You know the weather.".into()),
        tools: [tool("get_weather"), tool("get_forecast")].into(),
        entries: vec![Entry::User("Is it warmer in Hue or in Oslo?".into())],
    }
}

/// Asks, and adds the reply and what its calls return to the dialogue.
async fn step(agent: &Remote, dialogue: &mut Dialogue) -> (Reply, Turn) {
    let reply = agent.reply(dialogue, &CancellationToken::new()).await.unwrap().reply;
    let turn = agent.turn(&reply.text).unwrap();
    let own: Option<Vec<String>> = turn.calls.iter().map(|call| call.id.clone()).collect();
    let ids = own.unwrap_or_else(|| (0..turn.calls.len()).map(|at| format!("given_{at}")).collect());
    let results = turn.calls.iter().zip(&ids).enumerate().map(|(at, (call, id))| CallResult {
        id: id.clone(),
        tool: call.name.clone(),
        content: format!("{} degrees", 30 - 20 * at),
        is_error: at == 1,
    });
    let results: Vec<CallResult> = results.collect();
    dialogue.entries.push(Entry::Reply { message: reply.text.as_str().into(), ids });
    if !results.is_empty() {
        dialogue.entries.push(Entry::Results(results));
    }
    (reply, turn)
}

/// Calls two tools at once, and then says what they returned.
fn traveller(seen: &crate::support::server::Seen) -> Answer {
    assert_eq!(seen.tools(), ["get_weather", "get_forecast"]);
    Answer::Turn(match seen.turns() {
        0 => Said::call("get_weather", &json!({"city": "Hue"}))
            .and_call("get_forecast", r#"{"city":"Oslo"}"#)
            .thinking("Two cities."),
        _ => {
            let results = seen.results();
            Said::text(&results.iter().map(|(_, content)| content.as_str()).collect::<Vec<_>>().join(", "))
        }
    })
}

#[tokio::test]
async fn every_provider_is_driven_through_calls_and_results() {
    let _on_time = on_time();
    let server = Server::start(traveller);
    for provider in Provider::ALL {
        let agent = plain(&server, provider);
        let mut dialogue = question();
        let (reply, turn) = step(&agent, &mut dialogue).await;
        assert_eq!(reply.stop, Stop::Finished, "{provider}");
        let names: Vec<&str> = turn.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["get_weather", "get_forecast"], "{provider}");
        assert_eq!(
            turn.calls[1].to_json().get("arguments"),
            Some(&Json::parse(r#"{"city":"Oslo"}"#).unwrap())
        );
        let (reply, turn) = step(&agent, &mut dialogue).await;
        assert_eq!(turn.text, "30 degrees, 10 degrees", "{provider}");
        assert!(reply.usage.prompt_tokens.is_some() && reply.adapted.is_empty(), "{provider}");
        let expected = agent.expected_turn_usage(&dialogue).unwrap();
        assert!(expected.prompt_tokens > Some(40) && expected.completion_tokens == Some(200), "{expected:?}");
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 2 * Provider::ALL.len());
    for (first, second) in seen.chunks(2).map(|pair| (&pair[0], &pair[1])) {
        assert_eq!((first.turns(), second.turns(), second.results().len()), (0, 1, 2), "{:?}", first.format);
        assert!(first.results().is_empty() && first.prompt() != second.prompt());
        // Nobody told a temperature, and nothing of a verdict's request is in it.
        let body = second.body.to_string();
        for word in ["temperature", "logprobs", "response_format", "tool_choice", "grammar"] {
            assert!(!body.contains(word), "{:?}: {word}", second.format);
        }
        if second.format != Format::GenerateContent && second.format != Format::OllamaChat {
            assert!(second.results()[0].0.starts_with("call_0_"), "{:?}", second.results());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_outlives_what_a_prompt_does() {
    let _on_time = on_time();
    type Trouble = fn(Answer) -> Answer;
    let troubles: [(&str, Trouble); 6] = [
        ("throttled", |_| Answer::Raw {
            status: 429,
            headers: vec![("retry-after", "0".to_owned())],
            body: r#"{"error": {"message": "slow down"}}"#.to_owned(),
        }),
        ("overloaded", |_| Answer::status(503, "overloaded")),
        ("cut", |answer| Answer::By(Manner::HalfThenClose, Box::new(answer))),
        ("reset", |_| Answer::Reset),
        ("error under 200", |_| Answer::Completion {
            headers: Vec::new(),
            body: json!({"error": {"code": 502, "message": "bad gateway"}}),
        }),
        ("not JSON", |_| Answer::Raw { status: 200, headers: Vec::new(), body: "<html>".to_owned() }),
    ];
    for (name, trouble) in troubles {
        let server = Server::start(move |seen| match seen.earlier {
            0 => trouble(traveller(seen)),
            _ => traveller(seen),
        });
        let agent = plain(&server, Provider::Anthropic);
        let mut dialogue = question();
        let (reply, turn) = step(&agent, &mut dialogue).await;
        assert_eq!((reply.attempts, turn.calls.len()), (2, 2), "{name}");
        let (reply, turn) = step(&agent, &mut dialogue).await;
        assert_eq!((reply.attempts, turn.text.as_str()), (2, "30 degrees, 10 degrees"), "{name}");
    }
}

#[tokio::test]
async fn how_a_turn_ends_is_told() {
    let _on_time = on_time();
    for (end, providers, stop) in [
        (TurnEnd::Length, &Provider::ALL[..], Stop::Truncated),
        (TurnEnd::Filtered, &[Provider::OpenAi, Provider::OpenAiResponses, Provider::Gemini], Stop::Filtered),
        (
            TurnEnd::Refused,
            &[Provider::OpenAi, Provider::OpenAiResponses, Provider::Anthropic],
            Stop::Refused,
        ),
    ] {
        let server = Server::start(move |_| Answer::Turn(Said::text("I").ending(end)));
        for provider in providers {
            let (reply, _) = step(&plain(&server, *provider), &mut question()).await;
            assert_eq!(reply.stop, stop, "{provider}");
        }
    }
    let server = Server::start(|seen| match seen.turns() {
        0 => Answer::Turn(Said::text("I search.").ending(TurnEnd::Paused)),
        _ => Answer::Turn(Said::text("In Hue.")),
    });
    let (agent, mut dialogue) = (plain(&server, Provider::Anthropic), question());
    assert!(step(&agent, &mut dialogue).await.1.paused);
    assert_eq!(step(&agent, &mut dialogue).await.1.text, "In Hue.");
    let server = Server::start(|_| Answer::Turn(Said::default().and_call("get_weather", "{city")));
    let (_, turn) = step(&plain(&server, Provider::Gemini), &mut question()).await;
    assert_eq!(turn.unread_call.as_deref(), Some("Malformed function call"));
}

/// What an endpoint refuses is found out once, and nothing but that is left out.
#[tokio::test]
async fn what_is_refused_is_left_out_from_then_on() {
    let _on_time = on_time();
    let server = Server::start(|seen| {
        let body = seen.body.to_string();
        if body.contains("reasoning_content") {
            return Answer::status(400, "reasoning_content may not be sent in a request");
        }
        if body.contains("temperature") {
            return Answer::status(400, "temperature is not supported with this model");
        }
        traveller(seen)
    });
    let parameters = Parameters { temperature: Some(0.5), ..Parameters::default() };
    let agent = remote(&server, Provider::OpenAi, parameters, Settings::default());
    for round in 0..2 {
        let mut dialogue = question();
        step(&agent, &mut dialogue).await;
        let (reply, _) = step(&agent, &mut dialogue).await;
        assert_eq!(reply.adapted, ["without:temperature", "without:reasoning"], "round {round}");
    }
    assert_eq!(server.requests(), 6);
    // A refusal that names nothing is the question's own.
    let server = Server::start(|_| Answer::status(400, "tools are nothing I know"));
    let error =
        plain(&server, Provider::OpenAi).reply(&question(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(&error, AskError::Question { code, .. } if code == "http_400"), "{error:?}");
    assert_eq!(server.requests(), 1);
}

/// A model that thinks through all the room we gave it gets more.
#[tokio::test]
async fn a_mere_thought_is_given_room() {
    let _on_time = on_time();
    let server = Server::start(|seen| match seen.body["max_tokens"].as_u64() {
        Some(2048) => Answer::Turn(Said::text("<think>Two cities").ending(TurnEnd::Length)),
        Some(8192) => traveller(seen),
        other => panic!("{other:?}"),
    });
    let agent = remote(
        &server,
        Provider::Vllm,
        Parameters { capped: true, ..Parameters::default() },
        Settings::default(),
    );
    let (reply, turn) = step(&agent, &mut question()).await;
    assert_eq!((turn.calls.len(), reply.adapted), (2, vec!["raised:max_tokens".to_owned()]));
    // Both answers are paid for.
    assert_eq!(reply.usage.completion_tokens, Some(10));
}

#[tokio::test]
async fn a_ceiling_holds_for_turns() {
    let _on_time = on_time();
    let server = Server::start(traveller);
    let price = Price { input: 1.0, cached_input: None, output: 1.0, up_to: None };
    let cost_budget = CostBudget::new(0.004);
    let settings =
        Settings { price: Some(price), cost_budget: Some(Arc::clone(&cost_budget)), ..Settings::default() };
    let parameters = Parameters { max_tokens: Some(1000), ..Parameters::default() };
    let agent = remote(&server, Provider::OpenAi, parameters, settings);
    step(&agent, &mut question()).await;
    let mut longer = question();
    longer.entries.push(Entry::User("x".repeat(4000)));
    let error = agent.reply(&longer, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error, AskError::Ceiling);
    assert_eq!(server.requests(), 1);
    assert!(cost_budget.spent() < 0.001);
}

#[tokio::test]
async fn a_function_takes_no_dialogues() {
    let _on_time = on_time();
    let function = Function { name: "mine".into(), version: "1".into(), ask: Arc::new(|_| {}) };
    let agent = connect_function(function, Settings::default()).unwrap();
    assert!(agent.takes_turns().unwrap_err().to_string().contains("the function mine judges prompts"));
    let error = agent.reply(&question(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, AskError::Run { code, .. } if code == "no_turns"));
    assert!(agent.turn("{}").is_none() && agent.expected_turn_usage(&question()).is_none());
}
