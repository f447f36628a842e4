//! Laws for any response of any sender, checked by property tests and the fuzz targets of `fuzz/`.

#![allow(clippy::unwrap_used, reason = "a broken law is a panic")]

use std::cell::LazyCell;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::adaptation::AdaptationSet;
use super::failure::Failure;
use super::formats::anthropic::Anthropic;
use super::formats::chat::{Chat, Dialect};
use super::formats::gemini::Gemini;
use super::formats::ollama::Ollama;
use super::formats::responses::Responses;
use super::limiter::{Cost, Permit};
use super::problem::says_nothing;
use super::provider_format::{Answer, ProviderFormat, Response, understand};
use super::{Limiter, Limits, Parameters, Price, body_hints, hints, retry};
use crate::domain::{AnswerForm, Prompt, Rails, Stop};

/// How many formats there are to choose from.
pub const FORMATS: usize = 7;

fn format(choice: usize) -> Box<dyn ProviderFormat> {
    let (model, parameters) = ("m".to_owned(), Parameters { max_tokens: Some(64), ..Parameters::default() });
    let chat =
        |dialect| Chat { path: String::new(), model: model.clone(), parameters: parameters.clone(), dialect };
    match choice % FORMATS {
        0 => Box::new(chat(Dialect::OpenAi)),
        1 => Box::new(chat(Dialect::Vllm)),
        2 => Box::new(chat(Dialect::LlamaCpp)),
        3 => Box::new(Responses { model, parameters }),
        4 => Box::new(Anthropic::new("", model, parameters)),
        5 => Box::new(Gemini::new("m", parameters)),
        _ => Box::new(Ollama { model, parameters }),
    }
}

/// Only an answer gives a text, no longer than the response; probabilities are some; counts can be paid and waited for;
/// what is said of tokens changes nothing else.
pub fn reply(choice: usize, status: u16, explain: bool, body: &[u8]) {
    let format = format(choice);
    let prompt = Prompt {
        text: "judge this".to_owned(),
        rails: Arc::new(Rails::correctness()),
        form: AnswerForm::explained(explain),
    };
    let response = |body: &[u8]| Response {
        status,
        headers: HeaderMap::new(),
        body: body.to_vec(),
        received: SystemTime::UNIX_EPOCH,
    };
    let text = String::from_utf8_lossy(body);
    let json = serde_json::from_str::<Value>(&text);
    let is_error = !(200..300).contains(&status)
        // A server that writes its keys with escapes is not known.
        || !text.contains('\\') && json.as_ref().is_ok_and(|json| !says_nothing(&json["error"]) || json["type"] == "error");
    let understood = understand(format.as_ref(), &prompt, &AdaptationSet::new(), &response(body));
    match &understood {
        Ok(answer) if is_error => {
            assert_eq!((answer.text.as_str(), answer.stop), ("", Stop::Filtered), "out of an error")
        }
        Ok(answer) => check_answer(answer, &text, &prompt),
        Err(failure) => check_failure(failure),
    }
    let Ok(mut json) = json else { return };
    // Written anew, since a server that repeats a key is not known.
    let again = |json: &Value| {
        understand(format.as_ref(), &prompt, &AdaptationSet::new(), &response(json.to_string().as_bytes()))
    };
    let with = again(&json);
    let Some(object) = json.as_object_mut() else { return };
    for name in ["usage", "usageMetadata", "eval_count"] {
        object.shift_remove(name);
    }
    if let Ok(Answer { text, stop, probabilities, model, .. }) = again(&json) {
        let with = with.unwrap();
        assert_eq!(
            (with.text, with.stop, with.probabilities, with.model),
            (text, stop, probabilities, model)
        );
    }
}

fn check_answer(answer: &Answer, body: &str, prompt: &Prompt) {
    // Numbers in an answer that is an object are written anew.
    assert!(answer.text.len() <= 8 * body.len(), "{} bytes out of {}", answer.text.len(), body.len());
    let mut sum = 0.0;
    for (at, rail) in answer.probabilities.iter().enumerate() {
        assert!(prompt.rails.find(&rail.label).is_some(), "{rail:?}");
        assert!((0.0..=1.0).contains(&rail.probability), "{rail:?}");
        assert!(answer.probabilities[..at].iter().all(|other| other.label != rail.label), "{rail:?}");
        sum += rail.probability;
    }
    assert!(sum <= 1.0 + 1e-9, "{:?}", answer.probabilities);
    let usage = &answer.usage;
    for count in [usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens].into_iter().flatten() {
        assert!(count < 1 << 50, "{usage:?}");
    }
    let price = Price { input: 15.0, cached_input: Some(1.5), output: 60.0, up_to: None };
    assert!(price.cost(usage).is_none_or(|dollars| dollars.is_finite() && dollars >= 0.0));
    let count = |count: Option<u64>| count.unwrap_or(0);
    let used = Cost { input: count(usage.prompt_tokens), output: count(usage.completion_tokens) };
    after(|limiter, permit| limiter.succeeded(permit.reservation, Duration::from_secs(1), Some(used)));
}

fn check_failure(failure: &Failure) {
    let (message, wait) = match failure {
        Failure::Stopped => panic!("no response stops a run"),
        Failure::Run { message, .. } | Failure::Question { message, .. } => (message, None),
        Failure::BadRequest { message, .. } | Failure::Unsupported(_, message) => (message, None),
        Failure::Throttled { message, wait } | Failure::Passing { message, wait, .. } => (message, *wait),
    };
    assert!(message.chars().count() < 500, "{message}");
    check_wait(wait);
}

/// The clock can be told of it.
fn check_wait(wait: Option<Duration>) {
    assert!(wait.is_none_or(|wait| retry::delay(3, Some(wait), 0.999) >= wait));
    after(|limiter, permit| assert!(wait <= Some(limiter.refused(&permit.reservation, wait, 0.999))));
}

/// Waits that headers or words ask for, in any spelling: the same one in each, and the limiter can live with them. The text
/// has a header a line, and after a blank line the words.
pub fn headers(text: &str) {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let (lines, message) = text.split_once("\n\n").unwrap_or((text, ""));
    let headers: HeaderMap = lines
        .lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().parse::<HeaderName>().ok()?, value.parse::<HeaderValue>().ok()?))
        })
        .collect();
    let claims = hints::claims(&headers, now);
    after(|limiter, permit| {
        limiter.learn(&permit.reservation, &claims);
        limiter.learn(&permit.reservation, &claims);
    });
    for wait in
        [hints::wait(&headers, message, now), body_hints::in_words(message), body_hints::duration(message)]
    {
        check_wait(wait);
    }
    let Some(wait) = hints::wait(&headers, message, now) else { return };
    let alone = |name: &'static str, value: String| {
        let headers = [(HeaderName::from_static(name), value.parse().unwrap())].into_iter().collect();
        hints::wait(&headers, "", now)
    };
    let seconds = wait.as_secs();
    if seconds > 1_000_000_000 {
        return;
    }
    let whole = Some(Duration::from_secs(seconds));
    for value in
        [format!("{seconds}"), format!(" {seconds}.0 "), format!("{seconds}s"), format!("0h{seconds}s")]
    {
        assert_eq!(alone("retry-after", value.clone()), whole, "{value}");
    }
    assert_eq!(alone("retry-after-ms", format!("{seconds}000")), whole);
    let then = jiff::Timestamp::try_from(now + Duration::from_secs(seconds)).unwrap();
    // The three forms of RFC 9110, 5.6.7.
    for form in ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] {
        // Two digits of a year say little.
        if !form.contains("%y") || seconds < 1_000_000_000 {
            let value = then.strftime(form).to_string();
            assert_eq!(alone("retry-after", value.clone()), whole, "{value}");
        }
    }
    for message in [
        format!("retry in {seconds}s"),
        format!("Try again in {seconds} seconds."),
        format!("retry after {seconds}"),
    ] {
        assert_eq!(body_hints::in_words(&message), whole, "{message}");
    }
}

thread_local! {
    static CLOCK: LazyCell<Runtime> =
        LazyCell::new(|| Builder::new_current_thread().enable_time().build().unwrap());
}

/// What a limiter makes of one request's end. It goes on to say when the next one may be sent.
fn after(end: impl FnOnce(&Limiter, Permit)) {
    let limiter = Limiter::new(Limits { tpm: Some(1000.try_into().unwrap()), ..Limits::default() });
    let at_once = || {
        CLOCK.with(|clock| {
            let _entered = clock.enter();
            let asking = pin!(limiter.admit(Cost { input: 1, output: 1 }));
            asking.poll(&mut Context::from_waker(Waker::noop()))
        })
    };
    let Poll::Ready(permit) = at_once() else { panic!("nothing was used yet") };
    end(&limiter, permit);
    drop(at_once());
    assert_eq!(limiter.in_flight(), 0);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_reply_means_something(
            choice in 0..FORMATS,
            status in prop_oneof![Just(200_u16), 100_u16..600],
            explain: bool,
            body in "(\\{|\\}|\"|:|,|\\[|\\]|null|-1|1e30|18446744073709551615|choices|message|content|error|code|refusal|output|candidates|parts|text|usage|input_tokens|[a-z ])*",
            usage in "(\\{|\\}|\"|:|,|\\[|\\]|null|-1|9.0|18446744073709551615|\"prompt_tokens\":|\"input_tokens\":|\"cache_creation_input_tokens\":|\"output_tokens\":|\"promptTokenCount\":){1,8}",
        ) {
            reply(choice, status, explain, body.as_bytes());
            for answer in [
                r#""choices":[{"message":{"content":"correct"}}],"usage""#,
                r#""output":[{"type":"message","content":[{"text":"correct"}]}],"usage""#,
                r#""content":[{"text":"correct"}],"usage""#,
                r#""candidates":[{"content":{"parts":[{"text":"correct"}]}}],"usageMetadata""#,
                r#""message":{"content":"correct"},"eval_count""#,
            ] {
                reply(choice, status, explain, format!("{{{answer}:{usage}}}").as_bytes());
            }
        }

        #[test]
        fn any_wait_can_be_waited_for(
            name in "(retry-after|retry-after-ms|x-ratelimit-(limit|remaining|reset)-(requests|tokens))",
            value in "([0-9]{1,22}|\\.|ms|[smhd]|NaN|inf|-|1e9|Sun, 06 Nov 2094 08:49:37 GMT|2094-11-06T08:48:37Z){0,4}",
            message in "(retry (in|after) |try again in )?([0-9.]{1,24})?( ?ms|s| minutes| hours)?",
        ) {
            headers(&format!("{name}: {value}\nx-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: {value}\n\n{message}"));
        }
    }
}
