//! Whether a tool failed, by what it gave back: an error status, an error object, an exception, an HTTP code.
//!
//! What a tool says about the world is no failure: an order that is cancelled, a search without hits.

use super::{Fault, Ruling, calls_made, speaks_of_failure};
use crate::domain::{Calls, Json, Lack, Object, RowError, Sample, ToolResult};

/// How a call ended.
pub(super) enum Ending {
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

/// How texts begin that report a failure, in lower case, whatever follows.
const OPENINGS: &[&str] = &[
    "traceback (most recent call last)",
    "request timed out",
    "connection refused",
    "connection error",
    "connection reset",
    "permission denied",
    "access denied",
    "internal server error",
    "service unavailable",
    "bad gateway",
    "too many requests",
    "rate limit exceeded",
    "<tool_use_error>",
    "command not found",
    "tool error",
    "tool execution failed",
    "no such tool",
    "unknown tool",
    "invalid arguments",
    "failed to ",
    "an error occurred",
    "an exception occurred",
    "authentication failed",
    "authorization failed",
    "not authenticated",
    "not authorized",
    "invalid api key",
    "incorrect api key",
    "invalid credentials",
    "invalid token",
    "segmentation fault",
    "out of memory",
    "panic: runtime error",
    "bash: ",
    "sh: ",
    "zsh: ",
    "the request was aborted",
    "request aborted",
];

/// Pieces of text that report a failure wherever they stand in the beginning of a result, in lower case.
const MARKS: &[&str] = &[
    "traceback (most recent call last)",
    "cuda out of memory",
    "segmentation fault",
    ": no such file or directory",
    ": permission denied",
    "authenticationfailed",
    "connection reset by peer",
    "connection before response",
    "<error><code>",
    "core dumped",
    "! [remote rejected]",
    "! [rejected]",
    "<faultcode>",
    "mcp error -",
    "/bin/sh: ",
];

/// Words that open the report of a failure in other languages.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "fehler", "fehler bei", "fehler beim", "erreur", "erreur de", "échec", "échec de", "error interno", "error al", "falha", "falha na", "falha no", "falha ao", "erro", "errore", "fout", "fel", "fejl", "feil", "virhe",
    "błąd", "chyba", "hiba", "eroare", "ошибка", "сбой", "помилка", "hata", "lỗi", "kesalahan", "gagal", "σφάλμα", "خطأ", "त्रुटि",
    "zeitüberschreitung", "zugriff verweigert", "accès refusé", "accès impossible", "délai dépassé", "acceso denegado", "operación denegada",
    "accesso negato", "acesso negado", "toegang geweigerd", "odmowa", "brak dostępu", "タイムアウト", "系统繁忙", "エラー", "错误", "錯誤", "系统异常", "请求失败", "操作失败", "오류", "ข้อผิดพลาด",
];

/// What stands behind a code from 400 to 599 that opens a text and means a failure: `409 Conflict`, but not `450 reviews`.
#[rustfmt::skip]
const STATUS_WORDS: &[&str] = &[
    "bad", "unauthorized", "forbidden", "not", "method", "conflict", "gone", "unsupported", "unprocessable", "internal", "too",
    "precondition",
];
/// The same anywhere in its line.
#[rustfmt::skip]
const STATUS_PHRASES: &[&str] = &[
    " not found", " not allowed", " unavailable", " error", " timeout", " time-out", " timed out", " unknown", " denied", " too large",
    " expired",
];

/// Words that report a failure where they are all that is said, or what went wrong follows: not so in `Error handling in Rust`, nor in
/// `Forbidden City`.
const WORDS: &[&str] = &[
    "error",
    "exception",
    "fatal",
    "failure",
    "failed",
    "unauthorized",
    "forbidden",
    "timeout",
    "timed out",
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
pub(super) fn ending(result: &ToolResult) -> Ending {
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
    &["exit_code", "exitcode", "exit_status", "exitstatus", "returncode", "return_code", "rc"];

fn is_of_envelope(key: &str) -> bool {
    ENVELOPE.contains(&key.to_ascii_lowercase().as_str())
}

/// Whether there is anything in an error's place.
fn holds(value: &Json) -> bool {
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
    // Some services put two digits of their own behind it.
    (400.0..600.0).contains(&code) || (40_000.0..60_000.0).contains(&code)
}

fn of_text(text: &str) -> Option<String> {
    let lower: String = text.chars().take(200).collect::<String>().to_lowercase();
    let first = || text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let says_only = |rest: &str| {
        let rest = rest.trim_start();
        let follows = [":", "-", "(", "!", ".", "[", ",", "occurred", "while ", "when ", "code"];
        rest.is_empty()
            || follows.iter().any(|start| rest.starts_with(start))
            || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let opening = OPENINGS.iter().any(|opening| lower.starts_with(opening))
        || WORDS.iter().any(|word| {
            let rest = lower
                .strip_prefix(word)
                .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'));
            rest.is_some_and(says_only)
        });
    let foreign = ELSEWHERE.iter().any(|word| {
        let rest = lower.strip_prefix(word);
        // `Hata Tsutomu` is a name.
        let is_phrase = word.contains(' ') || word.chars().all(|c| !c.is_ascii_alphabetic());
        rest.is_some_and(|rest| is_phrase || rest.trim_start().starts_with([':', '：', '(', '-', '!']))
    });
    // What asks or tells about an error is none.
    let is_short = first().len() <= 160 && !first().contains('?');
    let marked =
        is_short && (MARKS.iter().any(|mark| lower.contains(mark)) || lower.split_whitespace().any(is_errno));
    let page = title(&lower).is_some_and(opens_with_status) || opens_with_status(&lower);
    let raised =
        || [text.lines().next(), text.lines().last()].into_iter().flatten().find(|line| is_exception(line));
    let exited = has_failing_exit(text);
    let http = ["http ", "http/1.1 ", "status code ", "status code: "].iter().any(|opening| {
        lower.strip_prefix(opening).is_some_and(|rest| {
            let code: String = rest.chars().take_while(char::is_ascii_digit).collect();
            code.len() == 3 && code.starts_with(['4', '5'])
        })
    });
    let line = match raised() {
        Some(line) => line,
        None if opening || foreign || marked || page || exited || http => first(),
        None => return None,
    };
    Some(format!("`{}`", RowError::excerpt(line.trim())))
}

/// Whether a program is said to have ended with another code than 0, in the first line or the last, and nothing else.
fn has_failing_exit(text: &str) -> bool {
    const WORDS: &[&str] =
        &["exit code", "exit status", "exited with code", "exited with", "returned non-zero exit status"];
    /// Letters before them: `Process exited with code 1`.
    const BEFORE: usize = 40;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (lines.next(), lines.next_back());
    first.into_iter().chain(last).any(|line| {
        let line = line.to_lowercase();
        WORDS.iter().any(|words| {
            let Some((before, behind)) = line.split_once(words) else { return false };
            let behind = behind.trim_start_matches([':', ' ', '=', '-']);
            let code = behind.strip_prefix("0x").unwrap_or(behind);
            let end = code.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(code.len());
            let (code, rest) = code.split_at(end);
            let ends = rest.trim_start_matches([')', '.', ',', ';', ':', ']']).is_empty();
            before.len() <= BEFORE && ends && !code.is_empty() && code.bytes().any(|byte| byte != b'0')
        })
    })
}

/// `ECONNREFUSED` and the like, in lower case.
fn is_errno(word: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "econnrefused", "econnreset", "econnaborted", "etimedout", "enotfound", "eai_again", "ehostunreach", "enetunreach", "epipe",
        "eacces", "eperm", "enoent", "eaddrinuse", "enospc", "esockettimedout",
    ];
    NAMES.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// The title of an HTML page.
fn title(lower: &str) -> Option<&str> {
    let (_, rest) = lower.split_once("<title>")?;
    Some(rest.split("</title>").next().unwrap_or(rest))
}

/// Whether a text in lower case begins with a status that means a failure, and its words.
fn opens_with_status(lower: &str) -> bool {
    let Some((code, rest)) = lower.trim_start().split_at_checked(3) else { return false };
    let is_code = code.starts_with(['4', '5']) && code.bytes().all(|byte| byte.is_ascii_digit());
    let Some(behind) = rest.strip_prefix([' ', '-', ':']).filter(|_| is_code) else { return false };
    // The enhanced codes of mail servers: `550 5.1.1`.
    let first = behind.split_whitespace().next().unwrap_or_default();
    let is_mail =
        first.split('.').count() == 3 && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let line = rest.lines().next().unwrap_or_default();
    let word = behind.trim_start().split(|c: char| !c.is_alphanumeric()).next();
    is_mail
        || word.is_some_and(|word| STATUS_WORDS.contains(&word))
        || STATUS_PHRASES.iter().any(|phrase| line.contains(phrase))
}

/// Whether a text that reports no failure in a form that is known holds a word for one all the same.
pub(super) fn may_have_failed(result: &ToolResult) -> bool {
    let text = result.content.trim();
    let is_structured = text.starts_with(['{', '[']) && Json::parse(text).is_ok();
    !is_structured && speaks_of_failure(text)
}

/// `ValueError: no such city`, `requests.exceptions.Timeout`-like names with what was wrong behind them.
fn is_exception(line: &str) -> bool {
    let name = line.trim().split(':').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_name =
        last.starts_with(char::is_uppercase) && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && (last.ends_with("Error") || last.ends_with("Exception"))
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
        ] {
            let result = ToolResult { tool_call_id: None, content: content.to_owned(), is_error: false };
            assert_eq!(matches!(ending(&result), Ending::Failed(_)), failed, "{content}");
        }
        let result = ToolResult { tool_call_id: None, content: "fine".to_owned(), is_error: true };
        assert!(matches!(ending(&result), Ending::Failed(_)), "the log's own word counts");
    }
}
