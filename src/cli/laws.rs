//! Laws for any settings file, checked by property tests and the fuzz targets of `fuzz/`.

#![allow(clippy::unwrap_used, reason = "a broken law is a panic")]

use std::time::Duration;

use super::config::{Config, with_variables};
use super::host::Host;

/// What no message may show.
const SECRET: &str = "sk-7f3a9c-secret";

const SECTIONS: [&str; 4] = ["label", "score", "judges", "prices"];
const JUDGE: [&str; 18] = [
    "judge",
    "base_url",
    "api_key_env",
    "temperature",
    "max_tokens",
    "num_ctx",
    "timeout",
    "max_attempts",
    "max_wait",
    "concurrency",
    "rpm",
    "tpm",
    "itpm",
    "otpm",
    "headers",
    "query",
    "body",
    "proxy",
];

/// Settings are those that there are, and in range; what is wrong is said shortly, and without what stands in the file.
pub fn config(text: &str) {
    // A key in quotes, as a value; and without quotes, as people paste it.
    let text = text.replace("=@", &format!("= \"{SECRET}\"")).replace("=$", &format!("= {SECRET}"));
    let config = match Config::parse(&text) {
        Ok(config) => config,
        Err(why) => {
            assert!(why.chars().count() < 1000 && !why.contains('\n'), "{why}");
            return assert!(!why.contains(SECRET), "{why}");
        }
    };
    let table: toml::Table = text.parse().unwrap();
    assert!(table.keys().all(|key| SECTIONS.contains(&key.as_str())), "{text}");
    for judge in table.get("judges").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values)
    {
        let known =
            |key: &String| JUDGE.contains(&key.as_str()) || ["ca_cert", "price"].contains(&key.as_str());
        assert!(judge.as_table().unwrap().keys().all(known), "{text}");
    }
    for judge in config.judges.values() {
        for seconds in [judge.flags.endpoint.timeout, judge.flags.endpoint.max_wait].into_iter().flatten() {
            assert!(
                Duration::try_from_secs_f64(seconds).is_ok_and(|seconds| !seconds.is_zero()),
                "{seconds}"
            );
        }
        assert!(judge.flags.endpoint.temperature.is_none_or(f64::is_finite));
        for value in judge.headers.values().chain(judge.query.values()) {
            match with_variables(value, &Host::default()) {
                Ok(filled) => assert!(value.contains("${") || filled == *value),
                Err(why) => assert!(!format!("{why:#}").contains(SECRET) || value.contains("${"), "{why:#}"),
            }
        }
        let price = judge.price.into_iter().chain(config.prices.values().copied());
        for price in price {
            assert!(
                price.input >= 0.0
                    && price.output >= 0.0
                    && price.cached_input.is_none_or(|cached| cached >= 0.0)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_can_be_offered_as_settings(
            section in "(\\[label\\]|\\[judges\\.a\\]|\\[prices\\]|\\[judges\\.a\\.headers\\]|\\[x\\])?",
            lines in prop::collection::vec(
                "(judge|base_url|timeout|max_wait|api_key|headers|body|rpm|concurrency|temperature|price|\"openai:m\")\
                 ( ?= ?|=)(@|\\$|-1|inf|nan|0\\.5|\"auto\"|7|\\{ input = 1, output = 2 \\}|\\{ a=@, b = 1|\\[@\\]|\"[a-z$\\{\\}]{0,8}\")",
                0..5,
            ),
        ) {
            super::config(&format!("{section}\n{}", lines.join("\n")));
            super::config(&format!("[judges.a]\njudge = \"openai:m\"\n{}", lines.join("\n")));
        }
    }
}
