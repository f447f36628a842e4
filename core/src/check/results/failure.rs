//! Whether a tool failed, by its result: an error status, an error object, an exception, an HTTP code.
//!
//! Bad news is not a failure: a canceled order, a search without hits.

use super::failure_text::of_text;
use super::{Fault, Ruling, calls_made, speaks_of_failure};
use crate::domain::{Calls, Json, Lack, Object, RowError, Sample, ToolResult};

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
    let (mut silent, mut unclear) = (None, None);
    let first = |result: &ToolResult| {
        result.content.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    let excerpt = |result| first(result).map(|line| line.chars().take(MAX_QUOTE).collect());
    for (at, result) in results.iter().enumerate() {
        match ending(result) {
            Ending::Failed(why) => {
                return Ruling::Fails(Fault {
                    why: format!("Result {} reports a failure: {why}.", at + 1),
                    call: call_of(sample, at),
                    quotes: excerpt(result).into_iter().collect(),
                });
            }
            Ending::Silent => silent = silent.or(Some(at + 1)),
            Ending::Worked if may_have_failed(result) => unclear = unclear.or(Some(at + 1)),
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
        None if let Some(number) = unclear => Ruling::Open(
            Lack::Balance,
            format!("result {number} is a text that speaks of a failure, and may report one or tell of one"),
        ),
        None if results.len() == 1 => Ruling::Passes("The result reports no failure.".to_owned()),
        None => Ruling::Passes(format!("None of {} results reports a failure.", results.len())),
    }
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
            Some((key, only)) if object.len() == 1 && WRAPPERS.contains(&key) => of_json(only),
            // `{"detail": "Not authenticated"}`: nothing but words.
            Some((key, Json::String(said))) if object.len() == 1 && is_of_envelope(key) => of_text(said),
            _ => None,
        }),
        // Parts of a message, as MCP servers answer.
        Json::Array(parts) => match &parts[..] {
            [Json::Object(part)] if part.get("type").and_then(Json::as_str) == Some("text") => {
                of_json(part.get("text")?)
            }
            _ => None,
        },
        _ => None,
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
            (key, value) if SUCCESS.contains(&key) => *value == Json::Bool(false),
            ("status" | "state", Json::String(text)) => match text.to_ascii_lowercase().as_str() {
                "error" | "exception" | "timeout" | "timed_out" => true,
                // Orders and payments fail too.
                "failed" | "failure" => is_envelope,
                _ => false,
            },
            ("status_code" | "statuscode" | "http_status", value) => is_error_code(value),
            // Some services put two digits of their own behind the status.
            ("code", Json::Number(number)) if (40_000.0..60_000.0).contains(&number.as_f64()) => is_envelope,
            ("status" | "code", value) => is_envelope && is_error_code(value),
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
    "success", "ok", "succeeded", "exito", "éxito", "sucesso", "succes", "succès", "successo", "erfolg", "erfolgreich", "成功",
];

/// Keys, in lower case, that hold the code a program ended with.
const EXIT_CODES: &[&str] =
    &["exit_code", "exitcode", "exit_status", "exitstatus", "returncode", "return_code"];

fn is_of_envelope(key: &str) -> bool {
    ENVELOPE.contains(&key.to_ascii_lowercase().as_str())
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
    let is_structured = text.starts_with(['{', '[']) && Json::parse(text).is_ok();
    !is_structured && speaks_of_failure(text)
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
