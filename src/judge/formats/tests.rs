//! What holds for every provider: errors mean the same whoever sends them, and nothing but an answer gives a label.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::SecretString;
use serde_json::{Value, json};

use crate::domain::{AnswerForm, Prompt, Rails, Stop};
use crate::judge::adaptation::AdaptationSet;
use crate::judge::body_template::{self, BodyTemplates};
use crate::judge::failure::Failure;
use crate::judge::provider_format::{Answer, ProviderFormat, Response, understand};
use crate::judge::{Adaptation, Endpoint, Parameters, Provider, Target};

fn target(provider: Provider) -> Target {
    let endpoint = Endpoint::new("https://host.example/v1", Some(SecretString::from("key"))).unwrap();
    let parameters = Parameters {
        temperature: Some(0.0),
        max_tokens: Some(64),
        body: json!({"top_k": 3}).as_object().unwrap().clone(),
        ..Parameters::default()
    };
    Target { provider, model: "m".into(), endpoint, parameters }
}

fn formats() -> impl Iterator<Item = (Provider, Box<dyn ProviderFormat>)> {
    Provider::ALL.into_iter().map(|provider| (provider, target(provider).format()))
}

fn prompt(explain: bool) -> Prompt {
    Prompt {
        text: "judge this".into(),
        rails: Arc::new(Rails::correctness()),
        form: AnswerForm::explained(explain),
    }
}

fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let headers = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
    Response { status, headers, body: body.into(), received: SystemTime::UNIX_EPOCH }
}

fn meaning(format: &dyn ProviderFormat, response: &Response) -> Result<Answer, Failure> {
    understand(format, &prompt(false), &AdaptationSet::new(), response)
}

#[test]
fn errors_mean_what_they_mean() {
    #[derive(Debug, PartialEq)]
    enum Means {
        Run(&'static str),
        Question(String),
        BadRequest,
        Throttled(Option<u64>),
        Passing,
        Filtered,
    }
    use Means::*;
    let error = |fields: Value| json!({ "error": fields }).to_string();
    let too_long = || Question("prompt_too_long".to_owned());
    let cases = [
        (401, error(json!({"message": "bad key"})), Run("unauthorized")),
        (
            400,
            error(json!({"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]})),
            Run("unauthorized"),
        ),
        (403, error(json!({"message": "no"})), Run("forbidden")),
        (404, error(json!({"code": "model_not_found", "message": "m"})), Run("unknown_model")),
        (400, error(json!({"code": "model_not_found", "message": "m"})), Run("unknown_model")),
        (404, error(json!("model \"m\" not found, try pulling it first")), Run("unknown_model")),
        (404, "Not Found".into(), Run("unknown_path")),
        (402, "{}".into(), Run("insufficient_quota")),
        (429, error(json!({"code": "insufficient_quota", "message": "pay"})), Run("insufficient_quota")),
        (
            400,
            error(json!({"message": "Your credit balance is too low to go on"})),
            Run("insufficient_quota"),
        ),
        (429, error(json!({"message": "Limit 200 requests per day (RPD)"})), Run("daily_quota")),
        (
            429,
            error(
                json!({"details": [{"violations": [{"quotaId": "RequestsPerDayPerModel"}]}, {"retryDelay": "3s"}]}),
            ),
            Run("daily_quota"),
        ),
        (
            429,
            error(
                json!({"details": [{"violations": [{"quotaId": "RequestsPerMinute"}]}, {"retryDelay": "3.2s"}]}),
            ),
            Throttled(Some(3)),
        ),
        (429, error(json!({"message": "slow down, try again in 3s"})), Throttled(Some(3))),
        (429, error(json!({"message": "Please retry after 60 seconds."})), Throttled(Some(60))),
        (429, "".into(), Throttled(None)),
        (302, "".into(), Run("redirected")),
        (500, "<html>oops</html>".into(), Passing),
        (503, "".into(), Passing),
        (529, error(json!({"type": "overloaded_error", "message": "Overloaded"})), Passing),
        (200, "<html>".into(), Passing),
        (200, "{}".into(), Passing),
        (200, r#"{"choices":[{"message":{"content":"corr"#.into(), Passing),
        (200, error(json!({"code": 429, "message": "busy"})), Throttled(None)),
        (200, error(json!({"message": "oops"})), Passing),
        (413, "".into(), too_long()),
        (400, error(json!({"code": "context_length_exceeded", "message": "m"})), too_long()),
        (500, error(json!({"message": "the request exceeds the available context size"})), too_long()),
        (400, error(json!({"code": "content_filter", "message": "m"})), Filtered),
        (
            400,
            error(json!({"innererror": {"code": "ResponsibleAIPolicyViolation"}, "message": "m"})),
            Filtered,
        ),
        (400, error(json!("what is this")), BadRequest),
        (400, error(json!({"param": "messages", "message": "temperature in a quoted row"})), BadRequest),
        (400, error(json!({"message": "unknown field `top_k`"})), Run("refused_parameter")),
        (
            422,
            json!({"detail": [{"loc": ["body", "top_k"], "msg": "Extra"}]}).to_string(),
            Run("refused_parameter"),
        ),
        (418, "".into(), Question("http_418".to_owned())),
    ];
    for (provider, format) in formats() {
        for (status, body, expected) in &cases {
            let means = match meaning(format.as_ref(), &response(*status, &[], body)) {
                Ok(answer) if answer.stop == Stop::Filtered => Filtered,
                Ok(answer) => panic!("{provider} {status} {body}: {answer:?}"),
                Err(Failure::Run { code, .. }) => Run(code),
                Err(Failure::Question { code, .. }) => Question(code),
                Err(Failure::BadRequest { .. }) => BadRequest,
                Err(Failure::Unsupported(adaptation, _)) => {
                    panic!("{provider} {status} {body}: {adaptation:?}")
                }
                Err(Failure::Throttled { wait, .. }) => Throttled(wait.as_ref().map(Duration::as_secs)),
                Err(Failure::Passing { .. }) => Passing,
                Err(Failure::Stopped) => panic!("{provider} {status} {body}: nothing stops here"),
            };
            assert_eq!(means, *expected, "{provider} {status} {body}");
        }
    }
}

#[test]
fn a_hint_in_the_headers_is_obeyed() {
    for (_, format) in formats() {
        let failure = meaning(format.as_ref(), &response(503, &[("retry-after", "4")], "")).unwrap_err();
        assert!(
            matches!(failure, Failure::Passing { wait: Some(wait), .. } if wait == Duration::from_secs(4))
        );
    }
}

/// Refused part by part, every request ends as the plainest one, and no part is refused twice.
#[test]
fn every_part_can_be_left_out() {
    for (provider, format) in formats() {
        let mut adapted = AdaptationSet::new();
        let mut steps = 0;
        while let Some(part) = format.parts(&adapted).first() {
            assert!(!adapted.contains(&part.instead), "{provider} {part:?}");
            crate::judge::adaptation::add(&mut adapted, part.instead);
            steps += 1;
        }
        assert!(steps >= 2, "{provider}");
        assert!(format.plain().iter().all(|plain| adapted.contains(plain)), "{provider}");
        let body = format.body(&prompt(true), &adapted).to_string();
        for part in ["logprobs", "temperature", "schema", "grammar", "enum", "tool"] {
            assert!(!body.to_lowercase().contains(part), "{provider} {body}");
        }
    }
}

/// What a request holds, in whatever spelling, is what its parts speak of.
#[test]
fn a_named_part_is_traced_to_its_adaptation() {
    use Adaptation::*;
    let cases: &[(Provider, &[Adaptation], &str, Adaptation)] = &[
        (
            Provider::OpenAi,
            &[],
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            MaxCompletionTokens,
        ),
        (Provider::OpenAi, &[MaxCompletionTokens], "max_completion_tokens is unknown", WithoutMaxTokens),
        (
            Provider::OpenAi,
            &[],
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
            TextRail,
        ),
        (Provider::OpenAi, &[], "logprobs are not supported with this model", WithoutLogprobs),
        (Provider::Vllm, &[], "structured_outputs: extra fields", GuidedRail),
        (Provider::Vllm, &[GuidedRail], "guided_choice is gone", ResponseFormatRail),
        (Provider::Vllm, &[ResponseFormatRail], "response_format: no", TextRail),
        (Provider::LlamaCpp, &[], "Failed to parse grammar", ResponseFormatRail),
        (Provider::Anthropic, &[], "output_config: Extra inputs are not permitted", ToolRail),
        (Provider::Anthropic, &[ToolRail], "tool_choice forces tool use", TextRail),
        (Provider::Anthropic, &[], "`temperature` is deprecated for this model.", WithoutTemperature),
        (Provider::Gemini, &[], "Logprobs is not enabled for models/m", WithoutLogprobs),
        (Provider::Gemini, &[], "Unknown name \"responseSchema\" at 'generation_config'", TextRail),
        (Provider::OpenAiResponses, &[], "max_output_tokens: too large", WithoutMaxTokens),
        (Provider::Ollama, &[], "invalid format: no", TextRail),
    ];
    for (provider, adapted, message, expected) in cases {
        let adapted = adapted.iter().copied().collect();
        let body = json!({"error": {"message": message}}).to_string();
        let failure = understand(
            target(*provider).format().as_ref(),
            &prompt(false),
            &adapted,
            &response(400, &[], &body),
        );
        assert!(
            matches!(&failure, Err(Failure::Unsupported(got, _)) if got == expected),
            "{message}: {failure:?}"
        );
    }
}

#[test]
fn names_are_known_and_formats_on_one_address_are_told_apart() {
    for provider in Provider::ALL {
        assert_eq!(provider.as_str().parse(), Ok(provider));
        assert_eq!(provider.needs_key(), provider.key_variable().is_some());
    }
    let endpoints: std::collections::BTreeSet<String> =
        Provider::ALL.into_iter().map(|provider| target(provider).identity().endpoint).collect();
    // OpenAI and Azure speak the same format.
    assert_eq!(endpoints.len(), Provider::ALL.len() - 1);
    assert!(endpoints.contains("https://host.example/v1"));
}

proptest::proptest! {
    #[test]
    fn any_response_means_something(
        provider in proptest::sample::select(&Provider::ALL),
        status in 100_u16..600,
        wait in "[0-9a-zA-Z ,:.-]{0,12}",
        body in "(\\{|\\}|\"|:|,|\\[|\\]|null|1|choices|message|content|error|code|refusal|output|candidates|parts|text|[a-z ])*",
    ) {
        let headers = [("retry-after", wait.as_str()), ("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", &wait)];
        // A label can only come out of a completion.
        if let Ok(answer) = meaning(target(provider).format().as_ref(), &response(status, &headers, &body)) {
            proptest::prop_assert!((200..300).contains(&status) || answer.stop == Stop::Filtered);
        }
    }

    #[test]
    fn any_logprobs_leave_the_answer_alone(logprobs in "(\\{|\\}|\"|:|,|\\[|\\]|null|1|content|token|logprob|top_logprobs)*") {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"correct"}},"logprobs":{logprobs}}}]}}"#);
        if serde_json::from_str::<Value>(&body).is_ok() {
            let answer = meaning(target(Provider::OpenAi).format().as_ref(), &response(200, &[], &body));
            proptest::prop_assert_eq!(answer.unwrap().text, "correct");
        }
    }
}

#[test]
fn what_stands_beside_an_answer_does_not_spoil_it() {
    // Another model and another usage than any documentation has: N stands for a number of tokens, M for the model.
    let odd = |provider| match provider {
        Provider::OpenAi | Provider::Azure | Provider::Vllm | Provider::LlamaCpp => {
            r#"{"model": M, "choices": [{"message": {"content": "correct"}}], "usage":
                {"prompt_tokens": N, "completion_tokens": N, "prompt_tokens_details": {"cached_tokens": N}}}"#
        }
        Provider::OpenAiResponses => {
            r#"{"model": M, "output": [{"type": "message", "content": [{"text": "correct"}]}], "usage":
                {"input_tokens": N, "output_tokens": N, "input_tokens_details": {"cached_tokens": N}}}"#
        }
        Provider::Anthropic => {
            r#"{"model": M, "content": [{"type": "text", "text": "correct"}], "usage": {"input_tokens": N,
                "output_tokens": N, "cache_read_input_tokens": N, "cache_creation_input_tokens": N}}"#
        }
        Provider::Gemini => {
            r#"{"modelVersion": M, "candidates": [{"content": {"parts": [{"text": "correct"}]}}], "usageMetadata":
                {"promptTokenCount": N, "candidatesTokenCount": N, "thoughtsTokenCount": N}}"#
        }
        Provider::Ollama => {
            r#"{"model": M, "message": {"content": "correct"}, "prompt_eval_count": N, "eval_count": N}"#
        }
    };
    let max = u64::MAX.to_string();
    for (provider, format) in formats() {
        for (number, counted) in [
            ("7", true),
            ("7.0", true),
            ("7.5", false),
            ("-7", false),
            ("\"7\"", false),
            ("1e99", false),
            (&max, false),
        ] {
            let body = odd(provider).replace('N', number).replace(": M,", ": 7,");
            let answer = meaning(format.as_ref(), &response(200, &[], &body));
            let answer = answer.unwrap_or_else(|failure| panic!("{provider} {number}: {failure:?}"));
            assert_eq!((answer.text.as_str(), answer.model), ("correct", None), "{provider} {number}");
            assert_eq!(answer.usage.prompt_tokens.is_some(), counted, "{provider} {number}");
            assert_eq!(answer.usage.completion_tokens.is_some(), counted, "{provider} {number}");
        }
        for usage in ["[]", "\"none\"", "7", "null"] {
            let (before, after) = odd(provider).split_once(r#""usage""#).unwrap_or((odd(provider), ""));
            if after.is_empty() {
                continue;
            }
            let body = format!("{}\"usage\": {usage}}}", before.replace(": M,", ": null,"));
            assert_eq!(meaning(format.as_ref(), &response(200, &[], &body)).unwrap().text, "correct");
        }
    }
}

#[test]
fn framed_bodies_equal_those_made_whole() {
    let all_rails = [Arc::new(Rails::correctness()), Arc::new(Rails::correctness())];
    let texts =
        ["Right?\n\"f(1)\" \u{7}\u{2028}é", "Answer with {\"label\": ...}.", body_template::PLACEHOLDER, ""];
    for (provider, format) in formats() {
        let body_templates = BodyTemplates::default();
        for adapted in std::iter::once(None).chain(Adaptation::ALL.into_iter().map(Some)) {
            let adapted: AdaptationSet = adapted.into_iter().collect();
            for (explain, rails, text) in [false, true].into_iter().flat_map(|explain| {
                all_rails.iter().flat_map(move |rails| texts.map(|text| (explain, rails, text)))
            }) {
                let prompt = Prompt {
                    text: text.to_owned(),
                    rails: Arc::clone(rails),
                    form: AnswerForm::explained(explain),
                };
                let framed = body_templates.body(format.as_ref(), &prompt, &adapted);
                let whole = body_template::whole(format.as_ref(), &prompt, &adapted);
                assert_eq!(String::from_utf8(framed).unwrap(), whole, "{provider:?} {adapted:?}");
            }
        }
    }
}

#[test]
fn a_field_of_the_users_own_may_take_the_texts_place() {
    let mut target = target(Provider::OpenAi);
    target.parameters.body = json!({"messages": [], "prompt": "mine"}).as_object().unwrap().clone();
    let (format, body_templates) = (target.format(), BodyTemplates::default());
    for _ in 0..2 {
        let framed = body_templates.body(format.as_ref(), &prompt(false), &AdaptationSet::new());
        assert_eq!(
            String::from_utf8(framed).unwrap(),
            body_template::whole(format.as_ref(), &prompt(false), &AdaptationSet::new())
        );
    }
}
