//! Keys with secret values (tokens, passwords, headers), which are kept out of every table.

use crate::domain::Json;

/// What stands for a value that opens a door.
pub(super) const LEFT_OUT: &str = "[left out]";

/// The last word of keys whose values open doors, and the last two.
const SECRET: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "authorization",
    "auth",
    "cookie",
    "cookies",
    "bearer",
    "jwt",
    "header",
    "headers",
    "token",
    "apikey",
    "api key",
    "access key",
    "private key",
    "secret key",
];

/// The value of a key, without values that open doors at any depth.
pub(super) fn without_secrets(key: &str, value: &Json) -> Json {
    match value {
        Json::Null | Json::Bool(_) => value.clone(),
        // A measurement opens nothing: `time_to_first_token`.
        Json::Number(_) if !is_password(key) => value.clone(),
        _ if is_secret(key) => Json::from(LEFT_OUT),
        // JSON within a text stays as it is written, unless there is something in it to leave out.
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => {
            let Ok(inner) = Json::parse(text) else { return value.clone() };
            let cleaned = without_secrets("", &inner);
            if cleaned == inner { value.clone() } else { Json::from(cleaned.to_string()) }
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| without_secrets("", item)).collect()),
        Json::Object(object) => {
            let entries = object.iter().map(|(key, value)| (key.to_owned(), without_secrets(key, value)));
            Json::Object(entries.collect())
        }
        _ => value.clone(),
    }
}

fn is_password(key: &str) -> bool {
    let key = key.to_lowercase();
    ["password", "passwd", "pwd", "passphrase", "secret"].iter().any(|word| key.ends_with(word))
}

fn is_secret(key: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_lower = false;
    for c in key.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && after_lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    let last = |count: usize| words.len().checked_sub(count).map(|from| words[from..].join(" "));
    [1, 2].into_iter().filter_map(last).any(|words| SECRET.contains(&words.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_whose_values_open_doors_are_known_by_their_last_words() {
        for key in [
            "token",
            "accessToken",
            "HF_TOKEN",
            "api_key",
            "openaiApiKey",
            "private-key",
            "passwd",
            "Authorization",
            "request_headers",
            "db.password",
        ] {
            assert!(is_secret(key), "{key}");
        }
        for key in [
            "tokens",
            "max_tokens",
            "cookie_consent",
            "password_policy",
            "api_key_id",
            "secretary",
            "key",
            "headers_count",
            "author",
        ] {
            assert!(!is_secret(key), "{key}");
        }
    }
}
