//! Masks keys in everything that an endpoint sends back, before it is read, truncated or kept.

use std::fmt;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use memchr::memmem;
use secrecy::{ExposeSecret, SecretString};

use crate::domain::Json;

/// The replacement of a secret.
pub(super) const REDACTED: &str = "[secret]";
/// Shorter texts do not count as keys.
const SHORTEST: usize = 6;
/// A text without spaces of this length is not a word.
const LONG: usize = 16;

/// A text with spaces of this length is not a phrase of an answer.
const LONG_WITH_SPACES: usize = 32;

/// All spellings of an endpoint's keys.
pub(crate) struct Redactor {
    /// The longest ones of each key first.
    spellings: Vec<SecretString>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mask").finish_non_exhaustive()
    }
}

impl Redactor {
    /// Those of `secrets` that look like a key. The placeholder `ollama` in a key's place, or a header `production`, are words that an
    /// answer may use, and a name in a response's JSON may be one of them.
    pub(crate) fn of(secrets: &[SecretString]) -> Redactor {
        let whole = secrets.iter().map(ExposeSecret::expose_secret);
        // Of a key of several lines, an agent may write one.
        let parts = whole.flat_map(|secret| {
            let lines =
                secret.lines().map(str::trim).filter(move |line| line.len() >= LONG && *line != secret);
            std::iter::once(secret).chain(lines)
        });
        let telling = parts.filter(|secret| is_telling(secret));
        Redactor { spellings: telling.flat_map(spellings).map(SecretString::from).collect() }
    }

    /// Masks the texts of a value, names of fields too; whether there were keys in it.
    fn mask_texts(&self, json: &mut Json) -> bool {
        match json {
            Json::String(text) => self.mask_text(text),
            // All of them, not only up to the first that has one.
            Json::Array(items) => {
                items.iter_mut().map(|item| usize::from(self.mask_texts(item))).sum::<usize>() > 0
            }
            Json::Object(object) => {
                let mut found = false;
                let masked = std::mem::take(object).into_iter().map(|(mut key, mut value)| {
                    found |= self.mask_text(&mut key);
                    found |= self.mask_texts(&mut value);
                    (key, value)
                });
                *object = masked.collect();
                found
            }
            _ => false,
        }
    }

    /// A line without keys, be they escaped in whatever way JSON knows: what is read of it has none.
    pub(crate) fn mask_line(&self, line: Vec<u8>) -> Vec<u8> {
        let line = self.apply(line);
        let json = std::str::from_utf8(&line).ok().and_then(|text| Json::parse(text).ok());
        // One with a key twice is refused as it is: put together anew, it would have it once.
        let json = json.filter(|json| !json.repeats_a_key());
        let masked = json.and_then(|mut json| self.mask_texts(&mut json).then(|| json.to_string()));
        masked.map_or(line, String::into_bytes)
    }

    fn mask_text(&self, text: &mut String) -> bool {
        let masked = self.apply(text.clone().into_bytes());
        let found = masked != text.as_bytes();
        if found {
            *text = String::from_utf8_lossy(&masked).into_owned();
        }
        found
    }

    /// `body` without keys, whether they are plain or encoded for URLs, in base64 or in JSON.
    pub(crate) fn apply(&self, body: Vec<u8>) -> Vec<u8> {
        let spellings = self.spellings.iter().map(ExposeSecret::expose_secret);
        let found: Vec<&str> =
            spellings.filter(|spelling| memmem::find(&body, spelling.as_bytes()).is_some()).collect();
        if found.is_empty() {
            return body;
        }
        // Answers are UTF-8; of what is not, nobody could read a label anyway.
        let text = String::from_utf8_lossy(&body).into_owned();
        found.into_iter().fold(text, |text, spelling| text.replace(spelling, REDACTED)).into_bytes()
    }
}

/// Letters and digits mixed, or long, and in one piece.
fn is_telling(secret: &str) -> bool {
    let has = |test: fn(&u8) -> bool| secret.bytes().any(|byte| test(&byte));
    let mixed = secret.len() >= SHORTEST && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit);
    match secret.contains(char::is_whitespace) {
        true => secret.len() >= LONG_WITH_SPACES,
        false => mixed || secret.len() >= LONG,
    }
}

/// A secret as it may come back.
fn spellings(secret: &str) -> Vec<String> {
    let percent = |upper: bool| -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let spell = |byte: u8| match (plain(byte), upper) {
            (true, _) => char::from(byte).to_string(),
            (false, true) => format!("%{byte:02X}"),
            (false, false) => format!("%{byte:02x}"),
        };
        secret.bytes().map(spell).collect()
    };
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"');
    let mut spellings = vec![
        BASE64_STANDARD.encode(secret),
        BASE64_STANDARD_NO_PAD.encode(secret),
        BASE64_URL_SAFE_NO_PAD.encode(secret),
        percent(true),
        percent(false),
        json.replace('/', "\\/"),
        json.to_owned(),
        secret.to_owned(),
    ];
    spellings.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(key: &str, body: &str) -> String {
        let redacted = Redactor::of(&[key.into()]).apply(body.as_bytes().to_vec());
        String::from_utf8(redacted).unwrap()
    }

    #[test]
    fn keys_are_masked_in_every_spelling() {
        let key = "sk+a1/b2~c";
        for spelling in [
            key,
            "sk%2Ba1%2Fb2~c",
            "sk%2ba1%2fb2~c",
            "c2srYTEvYjJ+Yw==",
            "c2srYTEvYjJ+Yw",
            "c2srYTEvYjJ-Yw",
            "sk+a1\\/b2~c",
        ] {
            let body = format!(r#"{{"error": "bad key {spelling}, twice {spelling}."}}"#);
            assert_eq!(
                redacted(key, &body),
                r#"{"error": "bad key [secret], twice [secret]."}"#,
                "{spelling}"
            );
        }
        assert_eq!(redacted("quo\"ted1", r#"{"a": "quo\"ted1"}"#), r#"{"a": "[secret]"}"#);
    }

    #[test]
    fn keys_of_several_lines_and_with_spaces_are_masked() {
        let pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nc2VjcmV0c2VjcmV0\n-----END KEY-----";
        assert_eq!(redacted(pem, "it is MIIEvQIBADANBgkqhkiG!"), "it is [secret]!");
        let phrase = "correct horse battery staple again";
        assert_eq!(redacted(phrase, &format!("<{phrase}>")), "<[secret]>");
    }

    #[test]
    fn escaped_keys_are_masked_where_they_are_parsed() {
        let redactor = Redactor::of(&["sk-a1b2c3".into()]);
        let escaped = r#"{"a": [{"\u0073k-a1b2c3": "x \u0073k-a1b2c3"}], "n": 1.50}"#;
        let mut json = Json::parse(escaped).unwrap();
        assert!(redactor.mask_texts(&mut json) && !redactor.mask_texts(&mut json));
        let texts = json.to_string();
        assert_eq!((texts.matches("[secret]").count(), texts.contains("a1b2c3")), (2, false), "{texts}");
    }

    #[test]
    fn words_are_not() {
        for word in ["ollama", "EMPTY", "message", "correct", "2024-10-21", "a1", "a phrase of several words"]
        {
            let body = format!(r#"{{"message": "{word} correct"}}"#);
            assert_eq!(redacted(word, &body), body);
        }
        assert_eq!(redacted("a-long-key-in-one-piece", "a-long-key-in-one-piece"), REDACTED);
    }
}
