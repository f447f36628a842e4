//! Responses as servers send them, and what must be read out of each.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::*;
use crate::domain::Rails;

fn chat() -> Chat {
    Chat { model: "m".into(), parameters: Parameters { temperature: Some(0.0), max_tokens: Some(64) } }
}

fn prompt(explain: bool) -> Prompt {
    Prompt { text: "judge this".into(), rails: Arc::new(Rails::correctness()), explain }
}

fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Result<Answer, Failure> {
    let headers = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
    chat().answer(&Response { status, headers, body: body.into(), received: SystemTime::UNIX_EPOCH })
}

#[test]
fn asks_for_the_rail_by_schema_with_the_explanation_first() {
    let body: Value = serde_json::from_str(&chat().body(&prompt(true), &BTreeSet::new())).unwrap();
    let schema = &body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["explanation", "label"]));
    assert_eq!(schema["properties"]["label"]["enum"], json!(["correct", "incorrect"]));
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.0), &json!(64)));
}

#[test]
fn leaves_out_what_the_endpoint_refused() {
    let adapted = [Adaptation::TextRail, Adaptation::WithoutTemperature, Adaptation::MaxCompletionTokens];
    let body: Value = serde_json::from_str(&chat().body(&prompt(false), &adapted.into())).unwrap();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "messages", "max_completion_tokens"]);
}

#[test]
fn tells_the_ways_of_stopping_apart() {
    let completion = |message: Value, finish: &str| {
        json!({"model": "m-1", "choices": [{"message": message, "finish_reason": finish}],
               "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
        .to_string()
    };
    let cases = [
        (json!({"content": "correct"}), "stop", "correct", Stop::Finished),
        (json!({"content": [{"type": "text", "text": "correct"}]}), "stop", "correct", Stop::Finished),
        (json!({"content": null}), "stop", "", Stop::Finished),
        (json!({"content": "corr"}), "length", "corr", Stop::Truncated),
        (json!({"content": null, "refusal": "I will not"}), "stop", "I will not", Stop::Refused),
        (json!({"content": ""}), "content_filter", "", Stop::Filtered),
    ];
    for (message, finish, text, stop) in cases {
        let answer = answer(200, &[], &completion(message, finish)).unwrap();
        assert_eq!((answer.text.as_str(), answer.stop), (text, stop));
        assert_eq!(
            answer.usage,
            Usage { prompt_tokens: Some(9), cached_tokens: None, completion_tokens: Some(2) }
        );
        assert_eq!(answer.model.as_deref(), Some("m-1"));
    }
}

#[test]
fn errors_mean_what_they_mean() {
    #[derive(Debug, PartialEq)]
    enum Means {
        Run(&'static str),
        Question,
        BadRequest,
        Unsupported(Adaptation),
        Throttled(Option<u64>),
        Passing,
        Filtered,
    }
    use Means::*;
    let error = |fields: Value| json!({ "error": fields }).to_string();
    let cases = [
        (401, error(json!({"message": "bad key"})), Run("unauthorized")),
        (403, error(json!({"message": "no"})), Run("forbidden")),
        (404, error(json!({"code": "model_not_found", "message": "m"})), Run("unknown_model")),
        (400, error(json!({"code": "model_not_found", "message": "m"})), Run("unknown_model")),
        (402, "{}".into(), Run("insufficient_quota")),
        (429, error(json!({"code": "insufficient_quota", "message": "pay"})), Run("insufficient_quota")),
        (429, error(json!({"message": "Limit 200 requests per day (RPD)"})), Run("daily_quota")),
        (429, error(json!({"message": "slow down, try again in 3s"})), Throttled(Some(3))),
        (429, "".into(), Throttled(None)),
        (302, "".into(), Run("redirected")),
        (500, "<html>oops</html>".into(), Passing),
        (503, "".into(), Passing),
        (529, "".into(), Passing),
        (200, "<html>".into(), Passing),
        (200, r#"{"choices":[]}"#.into(), Passing),
        (200, r#"{"choices":[{"message":{"content":"corr"#.into(), Passing),
        (200, error(json!({"code": 429, "message": "busy"})), Throttled(None)),
        (413, "".into(), Question),
        (400, error(json!({"code": "context_length_exceeded", "message": "m"})), Question),
        (400, error(json!({"code": "content_filter", "message": "m"})), Filtered),
        (
            400,
            error(json!({"param": "temperature", "code": "unsupported_value", "message": "only 1"})),
            Unsupported(Adaptation::WithoutTemperature),
        ),
        (
            400,
            error(json!({"param": "max_tokens", "message": "Use 'max_completion_tokens' instead."})),
            Unsupported(Adaptation::MaxCompletionTokens),
        ),
        (
            400,
            error(json!({"message": "response_format is not supported"})),
            Unsupported(Adaptation::TextRail),
        ),
        (
            422,
            json!({"detail": "extra fields: response_format"}).to_string(),
            Unsupported(Adaptation::TextRail),
        ),
        (400, error(json!("what is this")), BadRequest),
        (418, "".into(), Question),
    ];
    for (status, body, expected) in cases {
        let means = match answer(status, &[], &body) {
            Ok(answer) if answer.stop == Stop::Filtered => Filtered,
            Ok(answer) => panic!("{status} {body}: {answer:?}"),
            Err(Failure::Run { code, .. }) => Run(code),
            Err(Failure::Question { .. }) => Question,
            Err(Failure::BadRequest { .. }) => BadRequest,
            Err(Failure::Unsupported(adaptation, _)) => Unsupported(adaptation),
            Err(Failure::Throttled { wait, .. }) => Throttled(wait.as_ref().map(Duration::as_secs)),
            Err(Failure::Passing { .. }) => Passing,
        };
        assert_eq!(means, expected, "{status} {body}");
    }
}

#[test]
fn a_hint_in_the_headers_is_obeyed() {
    let failure = answer(503, &[("retry-after", "4")], "").unwrap_err();
    assert!(matches!(failure, Failure::Passing { wait: Some(wait), .. } if wait == Duration::from_secs(4)));
}

proptest::proptest! {
    #[test]
    fn any_response_means_something(
        status in 100_u16..600,
        wait in "[0-9a-zA-Z ,:.-]{0,12}",
        body in "(\\{|\\}|\"|:|,|\\[|\\]|null|1|choices|message|content|error|code|refusal|[a-z ])*",
    ) {
        let headers = [("retry-after", wait.as_str()), ("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", &wait)];
        let headers = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
        let response = Response { status, headers, body: body.into(), received: SystemTime::now() };
        // A label can only come out of a completion.
        if let Ok(answer) = chat().answer(&response) {
            proptest::prop_assert!(status == 200 || answer.stop == Stop::Filtered);
        }
    }
}
