//! Whether a tool failed, by its result: an error status, an error object, an exception, an HTTP code.
//!
//! Bad news is not a failure: a canceled order, a search without hits.

use super::failure_text::of_text;
use super::{Fault, Ruling, calls_made, says_done, speaks_of_failure};
use crate::domain::{Calls, Json, Lack, Object, RowError, Sample, ToolResult};
use crate::reading::words::{fold, fold_identifier, words};

/// How a call ended.
pub(in crate::check) enum Ending {
    Worked,
    /// What says so.
    Failed(String),
    /// It gave nothing back, which says neither.
    Silent,
}

/// Keys of an object that is nothing but the report of a failure.
const ENVELOPE: &[&str] = &[
    "status",
    "state",
    "code",
    "cod",
    "status_code",
    "statuscode",
    "message",
    "msg",
    "reason",
    "detail",
    "details",
    "title",
    "type",
    "success",
    "ok",
    "timestamp",
    "request_id",
    "path",
    "documentation_url",
    "help",
];

/// Keys of an object that does no more than hold what came back.
const WRAPPERS: &[&str] = &["result", "data", "response", "output", "content", "text", "body"];

/// Characters of a quotation.
const MAX_QUOTE: usize = 200;

pub(super) fn rule(sample: &Sample) -> Ruling {
    let results = &sample.after.results;
    if results.is_empty() {
        return Ruling::Missing("no result was logged".to_owned());
    }
    let (mut silent, mut unclear, mut wordy) = (None, None, None);
    let first = |result: &ToolResult| {
        result.content.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    let excerpt = |result| first(result).map(|line| line.chars().take(MAX_QUOTE).collect());
    for (at, result) in results.iter().enumerate() {
        match ending(result) {
            // Whoever looks for errors has found what was looked for.
            Ending::Failed(_) if !result.is_error && looks_for_errors(sample, at) => {
                unclear = unclear.or(Some(at + 1));
            }
            Ending::Failed(why) => {
                return Ruling::Fails(Fault {
                    why: format!("Result {} reports a failure: {why}.", at + 1),
                    call: call_of(sample, at),
                    quotes: excerpt(result).into_iter().collect(),
                });
            }
            Ending::Silent => silent = silent.or(Some(at + 1)),
            Ending::Worked if may_have_failed(result) => unclear = unclear.or(Some(at + 1)),
            Ending::Worked if !can_be_read(result) => wordy = wordy.or(Some(at + 1)),
            Ending::Worked => {}
        }
    }
    match silent {
        _ if results.len() < calls_made(sample) => Ruling::Missing(format!(
            "{} calls, but {} results were logged",
            calls_made(sample),
            results.len()
        )),
        Some(number) => {
            Ruling::Open(Lack::Balance, format!("result {number} is empty, which may mean either"))
        }
        None if let Some(number) = unclear => {
            Ruling::Open(Lack::Balance, format!("result {number} may report a failure, or only tell of one"))
        }
        None if let Some(number) = wordy => Ruling::Open(
            Lack::Balance,
            format!(
                "result {number} is a few words without a value, which may be an answer or the report of a failure"
            ),
        ),
        None if results.len() == 1 => Ruling::Passes("The result reports no failure.".to_owned()),
        None => Ruling::Passes(format!("None of {} results reports a failure.", results.len())),
    }
}

/// Whether a text that looks like a failure may be what was looked for: of a log's or a linter's tool, or of one that only tells of what the
/// call itself speaks of as a failure.
fn looks_for_errors(sample: &Sample, at: usize) -> bool {
    #[rustfmt::skip]
    const BUSINESS: &[&str] =
        &["error", "errors", "exception", "exceptions", "lint", "linter", "traceback", "tracebacks", "logs", "spelling", "grammar"];
    const TELLS: &[&str] =
        &["translate", "explain", "define", "summarize", "rewrite", "traduci", "traducir", "traduire"];
    let Calls::Parsed(calls) = &sample.calls else { return false };
    let Some(call) = call_of(sample, at).and_then(|at| calls.get(at)) else { return false };
    let text = sample.after.results[at].content.trim();
    let name = fold_identifier(&call.name);
    let is_named = |list: &[&str]| words(&name).any(|word| list.contains(&word));
    // `explain_status(503)` gives back `503 Service Unavailable: ...`.
    let code = text.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
    let tells = || {
        call.parsed().is_some_and(|own| {
            let own = Json::Object(own.clone()).to_string();
            speaks_of_failure(&own) || code.is_some_and(|code| own.contains(code))
        })
    };
    is_named(BUSINESS) || is_named(TELLS) && Json::parse(text).is_err() && tells()
}

/// Whether a result without a word for a failure says more than that something was or was not done: an object with more in it than a
/// report, a list, a quantity, a long text, or words for something that is done.
fn can_be_read(result: &ToolResult) -> bool {
    /// Bytes and lines from which a text is no message of a program any more.
    const LONG: usize = 400;
    const LINES: usize = 3;
    let text = result.content.trim();
    match Json::parse(text) {
        Ok(json) => holds_data(&json),
        Err(_) => text.len() >= LONG || text.lines().count() >= LINES || tells(text),
    }
}

fn holds_data(json: &Json) -> bool {
    match json {
        Json::Object(object) => {
            let is_data = |(key, value): (&str, &Json)| match value {
                Json::Null => false,
                _ if matches!(key.to_ascii_lowercase().as_str(), "error" | "errors" | "stderr") => false,
                Json::String(text) if is_state(key) => !text.is_empty(),
                Json::String(text) if is_of_envelope(key) => tells(text),
                Json::Number(number) if is_of_envelope(key) => (200.0..300.0).contains(&number.as_f64()),
                Json::Bool(value) if SUCCESS.contains(&key.to_ascii_lowercase().as_str()) => *value,
                Json::String(text) => !text.is_empty(),
                _ => !is_of_envelope(key),
            };
            object.is_empty() || object.iter().any(is_data)
        }
        Json::Array(parts) => match text_of_parts(parts) {
            Some(text) => tells(text) || Json::parse(text).is_ok_and(|json| holds_data(&json)),
            None => true,
        },
        Json::String(text) => tells(text),
        // A number by itself may be a status.
        Json::Number(_) => !is_error_code(json),
        Json::Bool(value) => *value,
        Json::Null => false,
    }
}

/// Whether a key holds the state of a thing: no state is a failure that does not say so.
fn is_state(key: &str) -> bool {
    matches!(key.to_ascii_lowercase().as_str(), "status" | "state")
}

/// Whether a text tells something: a quantity, that something is done, or that nothing was found.
fn tells(text: &str) -> bool {
    #[rustfmt::skip]
    const DONE: &[&str] = &[
        " ok ", " okay ", " success ", " successful ", " successfully ", " completed ", " complete ", " delivered ", " set ", " started ",
        " passed ", " written ", " finished ", " true ", " yes ", " no results ", " no matches ", " no hits ", " no matching ", " none found ",
        " navigated ", " opened ", " closed ", " recorded ", " posted ", " registered ",
    ];
    #[rustfmt::skip]
    const NOT: &[&str] = &[
        "not", "never", "nothing", "nobody", "cannot", "already", "yet", "without", "nicht", "nichts", "kein", "keine", "pas", "non", "nao",
        "nie", "nem", "не", "нет", "inte", "niet", "geen", "hicbir", "gia", "deja", "ya", "bereits", "ikke", "tidak", "belum",
    ];
    let folded = fold(text);
    let denies = words(&folded).any(|word| NOT.contains(&word));
    let none =
        folded.starts_with(" no ") && [" found ", " available "].iter().any(|end| folded.ends_with(end));
    let done = || says_done(text) || DONE.iter().any(|phrase| folded.contains(phrase));
    let is_code = |word: &str| is_error_code(&Json::from(word));
    let is_quantity = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let starts = word.starts_with(|c: char| c.is_ascii_digit());
        // Neither an address nor a version.
        starts && word.matches(['.', ':', '-', '/']).count() <= 1 && word.len() <= 12
    };
    let first = text.split_whitespace().next().unwrap_or_default();
    // `450` may be a status, `450 EUR` is none; nor is anything behind `503` a quantity.
    let is_of_code = is_code(first.trim_end_matches(':')) && (text.len() == first.len() || text.len() > 14);
    let quantity = || text.split_whitespace().any(is_quantity) || text.contains(['°', '%']);
    let trouble = TROUBLE.iter().any(|word| folded.contains(word));
    !trouble && (none || !denies && done() || !denies && !is_of_code && quantity())
}

/// Words of short texts in which something went wrong, though they are no words for a failure elsewhere.
#[rustfmt::skip]
const TROUBLE: &[&str] = &[
    " offline ", " gave up ", " giving up ", " aborted ", " abort ", " used up ", " limit ", " exceeded ", " quota ", " went wrong ",
    " has ended ", " sign in ", " log in ", " err ", " too many ", " unauthorized ", " forbidden ", " missing ", " incorrect ", " wrong ",
    " conflict ", " unknown ", " unsupported ", " interrupted ", " disconnected ", " unreachable ", " crashed ", " killed ", " insuficiente ",
    " insufficiente ", " insuffisant ", " nicht genug ", " недостаточно ", " bad ", " panicked ", " rejected ", " blocked by ",
];

/// The text of a message in parts, as MCP servers answer.
fn text_of_parts(parts: &[Json]) -> Option<&str> {
    let of = |part: &Json| part.get("type").and_then(Json::as_str) == Some("text");
    parts.iter().all(of).then(|| parts.first()?.get("text")?.as_str()).flatten()
}

/// The place of the call that gave a result: by its id, or by its place where each call has one.
fn call_of(sample: &Sample, at: usize) -> Option<usize> {
    let Calls::Parsed(calls) = &sample.calls else { return None };
    let id = &sample.after.results[at].tool_call_id;
    let named = id.as_ref().and_then(|id| calls.iter().position(|call| call.id.as_ref() == Some(id)));
    named.or((sample.after.results.len() == calls.len()).then_some(at))
}

/// How the call ended that gave this back.
pub(in crate::check) fn ending(result: &ToolResult) -> Ending {
    let text = result.content.trim();
    if result.is_error {
        return Ending::Failed(match text.is_empty() {
            true => "its status in the log".to_owned(),
            false => format!("its status in the log, with `{}`", RowError::excerpt(text)),
        });
    }
    if text.is_empty() || text == "null" || text == "None" {
        return Ending::Silent;
    }
    let said = match Json::parse(text) {
        Ok(json) => of_json(&json),
        Err(_) => of_text(text),
    };
    said.map_or(Ending::Worked, Ending::Failed)
}

fn of_json(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => of_text(text),
        Json::Object(object) => of_object(object).or_else(|| match object.iter().next() {
            // What an MCP server answers has its flag beside it.
            _ if let Some(Json::Array(parts)) = object.get("content") => of_said(text_of_parts(parts)?),
            Some((key, only)) if object.len() == 1 && WRAPPERS.contains(&key) => of_json(only),
            // `{"detail": "Not authenticated"}`: nothing but words.
            Some((key, Json::String(said))) if object.len() == 1 && is_of_envelope(key) => of_text(said),
            _ => None,
        }),
        Json::Array(parts) => match text_of_parts(parts) {
            Some(text) => of_said(text),
            None => None,
        },
        _ => None,
    }
}

/// Of a part's text, which may be JSON again.
fn of_said(text: &str) -> Option<String> {
    match Json::parse(text) {
        Ok(Json::Object(object)) => of_object(&object),
        _ => of_text(text),
    }
}

fn of_object(object: &Object) -> Option<String> {
    let shown = |key: &str, value: &Json| format!("`{key}` is `{}`", RowError::excerpt(&plain(value)));
    let is_envelope = object.iter().all(|(key, value)| is_of_envelope(key) || matches!(value, Json::Null));
    object.iter().find_map(|(key, value)| {
        let says = match (key.to_ascii_lowercase().as_str(), value) {
            ("error" | "errors" | "exception" | "traceback" | "error_message" | "errormessage", value) => {
                holds(value)
            }
            ("is_error" | "iserror", value) => *value == Json::Bool(true),
            (key, value) if SUCCESS.contains(&key) => is_no(value),
            ("status" | "state", Json::String(text)) => match text.to_ascii_lowercase().as_str() {
                "error" | "exception" | "timeout" | "timed_out" => true,
                // Orders and payments fail too.
                "failed" | "failure" => is_envelope,
                _ => false,
            },
            ("status_code" | "statuscode" | "http_status", value) => is_error_code(value),
            // Some services put two digits of their own behind the status.
            ("code", Json::Number(number)) if (40_000.0..60_000.0).contains(&number.as_f64()) => is_envelope,
            ("status" | "code" | "cod", value) => is_envelope && is_error_code(value),
            (key, Json::Number(number)) if EXIT_CODES.contains(&key) => number.as_f64() != 0.0,
            ("errcode" | "err_code" | "error_code" | "errno", Json::Number(number)) => number.as_f64() != 0.0,
            _ => false,
        };
        says.then(|| shown(key, value))
    })
}

/// Keys that say whether a call succeeded.
#[rustfmt::skip]
const SUCCESS: &[&str] = &[
    "success", "ok", "succeeded", "successful", "issuccess", "is_success", "issuccessful", "is_successful", "exito", "éxito", "sucesso", "succes", "succès", "successo", "erfolg", "erfolgreich", "成功",
];

/// Keys, in lower case, that hold the code a program ended with.
const EXIT_CODES: &[&str] =
    &["exit_code", "exitcode", "exit_status", "exitstatus", "returncode", "return_code"];

fn is_of_envelope(key: &str) -> bool {
    ENVELOPE.contains(&key.to_ascii_lowercase().as_str())
}

/// Whether a value says no, in whatever type.
fn is_no(value: &Json) -> bool {
    match value {
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == 0.0,
        Json::String(text) => matches!(text.trim().to_ascii_lowercase().as_str(), "false" | "no" | "0"),
        _ => false,
    }
}

/// Whether there is anything in an error's place.
pub(in crate::check) fn holds(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => false,
        Json::Bool(true) => true,
        // How far something is off is no failure.
        Json::Number(_) => is_error_code(value),
        Json::String(text) => !matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "" | "none" | "null" | "false" | "no" | "n/a"
        ),
        Json::Array(items) => !items.is_empty(),
        Json::Object(object) => !object.is_empty(),
    }
}

fn is_error_code(value: &Json) -> bool {
    let code = match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().unwrap_or_default(),
        _ => return false,
    };
    (400.0..600.0).contains(&code)
}

/// Whether a text that reports no failure in a form that is known holds a word for one all the same.
pub(super) fn may_have_failed(result: &ToolResult) -> bool {
    let text = result.content.trim();
    match Json::parse(text) {
        Ok(Json::Object(object)) => {
            let failed = |(_, value): (&str, &Json)| {
                value.as_array().is_some_and(|items| items.iter().any(has_failed))
            };
            may_report(&object) || object.iter().any(failed)
        }
        Ok(Json::Array(items)) => match text_of_parts(&items) {
            Some(text) => speaks_of_failure(text),
            None => items.iter().any(has_failed),
        },
        _ => speaks_of_failure(text),
    }
}

/// Whether an entry of a list reports a failure.
fn has_failed(item: &Json) -> bool {
    matches!(item, Json::Object(object) if of_object(object).is_some())
}

/// Whether an object says no to something, or is as short as a report and has a word for a failure, whatever its key is called.
fn may_report(object: &Object) -> bool {
    /// Entries of a report in keys of its own.
    const FEW: usize = 4;
    let is_empty = |value: &Json| match value {
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
        _ => true,
    };
    let says = |(key, value): (&str, &Json)| match value {
        Json::String(text) => {
            // `OVER_QUERY_LIMIT`, `fail`.
            let is_constant =
                text.contains('_') && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            let is_bad = text == "KO" || text == "fail" || is_constant && !text.starts_with("ZERO");
            speaks_of_failure(text) || is_state(key) && is_bad
        }
        // `{"sent": false}`; more beside it is what was asked for.
        Json::Bool(value) => !value && object.len() <= 2,
        _ => false,
    };
    let is_short = object.len() <= FEW || object.iter().all(|(key, _)| is_of_envelope(key));
    let is_flat = object.iter().all(|(_, value)| is_empty(value));
    let is_bad_state =
        |(key, value): (&str, &Json)| is_state(key) && says((key, value)) && value.as_str().is_some();
    let text = |key: &str| object.get(key).and_then(Json::as_str).map(str::trim);
    let only_complains = text("stdout") == Some("") && text("stderr").is_some_and(|text| !text.is_empty());
    only_complains
        || is_short && is_flat && object.iter().any(says)
        || object.iter().any(is_bad_state) && is_short
}

/// Texts without their quotation marks.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_from_bad_news() {
        for (content, failed) in [
            (r#"{"temperature": 7}"#, false),
            (r#"{"error": "no such city"}"#, true),
            (r#"{"error": null, "data": []}"#, false),
            (r#"{"errors": []}"#, false),
            (r#"{"success": false, "message": "denied"}"#, true),
            (r#"{"order_id": "W1", "status": "cancelled"}"#, false),
            (r#"{"payment": "p1", "status": "failed"}"#, false),
            (r#"{"status": "failed", "message": "upstream"}"#, true),
            (r#"{"status": "error", "data": 1}"#, true),
            (r#"{"status_code": 503, "body": ""}"#, true),
            (r#"{"code": 404, "message": "gone"}"#, true),
            (r#"{"code": 404, "room": "a lecture hall"}"#, false),
            (r#"{"isError": true, "content": []}"#, true),
            ("[]", false),
            ("No flights found.", false),
            ("Error: user not found", true),
            ("error-free run", false),
            ("Errors in the report were mended.", false),
            ("ValueError: month must be in 1..12", true),
            ("Traceback (most recent call last):\n  File \"x.py\"\nKeyError: 'a'", true),
            ("requests.exceptions.ConnectionError: refused", true),
            ("HTTP 500 from upstream", true),
            ("HTTP 200", false),
            ("Exit code 1\nls: cannot access", true),
            ("Exit code 0\nfine", false),
            ("Terror attack in the news", false),
            ("timeouts are configured to 5 s", false),
            ("\"Error: nested\"", true),
            ("Forbidden City: open from 8:30", false),
            ("Forbidden", true),
            ("Error handling in Rust: use Result", false),
            ("Error 503", true),
            (r#"{"value": 3.2, "error": 0.1}"#, false),
            (r#"{"result": {"error": "timeout"}}"#, true),
            (r#"[{"type": "text", "text": "Error: connection refused"}]"#, true),
            (r#"[{"type": "text", "text": "12 hits"}]"#, false),
            // Codes, and numbers that only look like them.
            ("404 page not found", true),
            ("409 Conflict: the room is taken", true),
            ("550 5.1.1 recipient unknown", true),
            ("<html><title>502 Bad Gateway</title></html>", true),
            ("450 user reviews, average 4.3", false),
            ("450 4.5 star ratings", false),
            ("500-page report attached.", false),
            ("500 service requests closed", false),
            (r#"{"code": 40301, "msg": "no right to change this"}"#, true),
            (r#"{"value": 3, "error": 45000}"#, false),
            (r#"{"detail": "Not authenticated"}"#, true),
            // Programs.
            (r#"{"exit_code": 1, "stdout": "", "stderr": "make: *** [all] Error 2"}"#, true),
            (r#"{"exit_code": 0, "stdout": "fine"}"#, false),
            ("Process exited with code -1", true),
            ("exit code 0xC0000005", true),
            ("Docs: exit code 2 means misuse of builtins", false),
            ("connect ECONNREFUSED 10.0.0.4:5432", true),
            ("Results: What does ENOENT mean?", false),
            ("bash: cargo: command not found", true),
            ("bash: a short guide", false),
            // Other languages, and names.
            ("Fehler: Verbindung nicht hergestellt", true),
            ("エラーが発生しました", true),
            ("Hata Tsutomu, prime minister of Japan", false),
            ("Chyba, Michal - dentist", false),
        ] {
            let result = ToolResult { tool_call_id: None, content: content.to_owned(), is_error: false };
            assert_eq!(matches!(ending(&result), Ending::Failed(_)), failed, "{content}");
        }
        let result = ToolResult { tool_call_id: None, content: "fine".to_owned(), is_error: true };
        assert!(matches!(ending(&result), Ending::Failed(_)), "the log's own word counts");
    }
}
