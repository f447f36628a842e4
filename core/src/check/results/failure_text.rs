//! Whether the text of a tool's result reports a failure: by its beginning, marks, codes and exceptions.

use crate::domain::RowError;

/// How texts begin that report a failure, in lower case, whatever follows.
const OPENINGS: &[&str] = &[
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
    "out of memory",
    "panic: runtime error",
    "the request was aborted",
    "request aborted",
];

/// Pieces of text that report a failure wherever they stand in the beginning of a result, in lower case.
const MARKS: &[&str] = &[
    "traceback (most recent call last)",
    "' panicked at ",
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
    " not found", " not allowed", " unavailable", " server error", " timeout", " time-out", " timed out", " denied", " too large", " expired",
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

pub(super) fn of_text(text: &str) -> Option<String> {
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
    let complained = is_of_a_shell(&lower);
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
        None if opening || foreign || marked || complained || page || exited || http => first(),
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
            let (code, is_digit): (&str, fn(&char) -> bool) = match behind.strip_prefix("0x") {
                Some(code) => (code, char::is_ascii_hexdigit),
                None => (behind, char::is_ascii_digit),
            };
            let end = code.find(|c: char| !is_digit(&c)).unwrap_or(code.len());
            let (code, rest) = code.split_at(end);
            let rest = rest.trim_start_matches([')', '.', ',', ';', ':', ']', ' ']);
            let ends = rest.is_empty() || rest.starts_with('(');
            before.len() <= BEFORE && ends && !code.is_empty() && code.bytes().any(|byte| byte != b'0')
        })
    })
}

/// Whether a shell says that it could not do what it was told: `bash: cargo: command not found`.
fn is_of_a_shell(lower: &str) -> bool {
    const SHELLS: &[&str] = &["bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: "];
    const COMPLAINTS: &[&str] =
        &["not found", "no such file", "permission denied", "syntax error", "cannot execute"];
    let line = lower.lines().next().unwrap_or_default();
    SHELLS.iter().any(|shell| line.starts_with(shell)) && COMPLAINTS.iter().any(|words| line.contains(words))
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

/// `ValueError: no such city`, `requests.exceptions.Timeout`-like names with what was wrong behind them.
fn is_exception(line: &str) -> bool {
    let name = line.trim().split(':').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_name =
        last.starts_with(char::is_uppercase) && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && (last.ends_with("Error") || last.ends_with("Exception"))
}
