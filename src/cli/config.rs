//! `tooljudge.toml`: judges by name, and defaults of flags.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

use super::hosted;
use super::printer::Printer;
use super::section::Section;
use crate::domain::{RowError, did_you_mean};
use crate::judge::{Concurrency, Price};
use crate::run::settings::JudgeSettings;

/// Where settings are looked for unless told otherwise.
const FILE: &str = "tooljudge.toml";

/// Times in seconds: the longest is that of the flags, the shortest what a clock can tell.
const SECONDS: RangeInclusive<f64> = 1e-3..=1e6;

/// The file's content.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Flags of `label` by their long names, with underscores: `rpm = 500`.
    #[serde(default)]
    pub label: toml::Table,
    /// Flags of `score` likewise.
    #[serde(default)]
    pub score: toml::Table,
    /// Flags of `drive` likewise.
    #[serde(default)]
    pub drive: toml::Table,
    /// Judges by name.
    #[serde(default)]
    pub judges: BTreeMap<String, JudgeConfig>,
    /// Prices by `provider:model`, where ours are missing or wrong.
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
    /// The file itself, for errors.
    #[serde(skip)]
    pub path: PathBuf,
}

/// A judge with its endpoint's settings. A flag on the command line overrides them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeConfig {
    /// `PROVIDER:MODEL`.
    pub judge: String,
    pub base_url: Option<String>,
    /// Whether rows and keys may cross a network in the clear.
    #[serde(default)]
    pub allow_http: bool,
    /// The *name* of the environment variable that holds the key.
    pub api_key_env: Option<String>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<NonZeroU32>,
    /// Context length that a local server sets aside, in tokens.
    pub num_ctx: Option<NonZeroU32>,
    /// Seconds.
    pub timeout: Option<f64>,
    pub max_attempts: Option<NonZeroU32>,
    /// Seconds.
    pub max_wait: Option<f64>,
    /// Requests in flight: a number, or `"auto"`.
    #[serde(default, deserialize_with = "concurrency")]
    pub concurrency: Option<Concurrency>,
    pub rpm: Option<NonZeroU32>,
    pub tpm: Option<NonZeroU32>,
    pub itpm: Option<NonZeroU32>,
    pub otpm: Option<NonZeroU32>,
    /// Whether what the endpoint's rate limit headers state counts for nothing.
    #[serde(default)]
    pub ignore_rate_headers: bool,
    /// Sent with every request. `${NAME}` stands for an environment variable.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Added to the URL of every request. `${NAME}` stands for an environment variable.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
    /// Added to the body of every request.
    #[serde(default)]
    pub body: toml::Table,
    /// `http://host:port`; the usual environment variables are heeded anyway.
    pub proxy: Option<String>,
    /// A PEM file of certificates to be trusted beside the system's.
    pub ca_cert: Option<PathBuf>,
    pub price: Option<Price>,
}

impl Config {
    /// A section, of which every key must be `known` to the command that owns it.
    pub fn section<'a>(
        &'a self,
        name: &'static str,
        known: &BTreeSet<&'static str>,
    ) -> anyhow::Result<Section<'a>> {
        let table = match name {
            "score" => &self.score,
            "drive" => &self.drive,
            _ => &self.label,
        };
        if let Some(key) = table.keys().find(|key| !known.contains(key.as_str())) {
            bail!(
                "{}: [{name}] has no setting `{key}`; its settings are the flags of `tooljudge {name}`, with underscores{}",
                self.path.display(),
                did_you_mean(key, known.iter().copied())
            );
        }
        Ok(Section::new(&self.path, name, table))
    }

    /// Says which settings file is used and what it sets, unless the user wants it quiet; a file that says so is not asked.
    pub fn say(&self, section: &Section<'_>, quiet: bool) {
        if !self.is_used() {
            return;
        }
        let set = match &section.set()[..] {
            [] => String::new(),
            set => format!(" sets {}", set.join(", ")),
        };
        Printer { quiet }.talk(&format!("settings: {}{set}", self.path.display()));
    }

    /// Whether there is a file.
    pub fn is_used(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Reads `named`, or else the file of the usual name in the current folder, and in no other, where there is one.
    pub fn read(named: Option<&Path>) -> anyhow::Result<Config> {
        let path = named.unwrap_or(Path::new(FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Config::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read the settings {}", path.display()));
            }
        };
        let mut config = Config::parse(&text).map_err(|why| anyhow!("{}: {why}", path.display()))?;
        path.clone_into(&mut config.path);
        Ok(config)
    }

    /// The settings in `text`.
    ///
    /// # Errors
    /// In words that name the line or the setting, and show no text of it: a key may have got among the settings.
    pub fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| unreadable(&error, text))?;
        if let Some(name) = config.judges.keys().find(|name| JudgeSettings::is_reserved(name)) {
            let reserved = JudgeSettings::RESERVED;
            return Err(wrong_name(name, text, &format!("{reserved}, and an entry cannot take its place")));
        }
        // It would forge lines of what is said about it.
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        let is_unfit = |name: &&String| name.trim().is_empty() || name.contains(breaks);
        if let Some(name) = config.judges.keys().find(is_unfit) {
            return Err(wrong_name(name, text, "the name is blank or holds a line break"));
        }
        for (name, price) in config.named_prices() {
            let numbers = [Some(price.input), price.cached_input, Some(price.output)];
            if numbers.into_iter().flatten().any(|dollars| !(0.0..1e9).contains(&dollars)) {
                return Err(format!("the price of {} is not an amount in dollars", RowError::excerpt(name)));
            }
        }
        for (name, judge) in &config.judges {
            let name = RowError::excerpt(name);
            for (setting, seconds) in [("timeout", judge.timeout), ("max_wait", judge.max_wait)] {
                if seconds.is_some_and(|seconds| !SECONDS.contains(&seconds)) {
                    return Err(format!("[judges.{name}]: `{setting}` is not a number of seconds above 0"));
                }
            }
            if judge.temperature.is_some_and(|temperature| !temperature.is_finite()) {
                return Err(format!("[judges.{name}]: `temperature` is not a number"));
            }
        }
        Ok(config)
    }

    fn named_prices(&self) -> impl Iterator<Item = (&String, &Price)> {
        let own = self.judges.iter().filter_map(|(name, judge)| Some((name, judge.price.as_ref()?)));
        self.prices.iter().chain(own)
    }
}

/// What is wrong and in which line. Neither the line nor a text in it is shown: headers and passwords may stand there.
fn unreadable(error: &toml::de::Error, text: &str) -> String {
    const MAX_LENGTH: usize = 600;
    // As in `invalid type: string "…", expected a map`.
    let said =
        match error.message().split_once("string \"").map(|(before, rest)| (before, rest.rsplit_once('"'))) {
            Some((before, Some((_, after)))) => format!("{before}string{after}"),
            _ => error.message().to_owned(),
        };
    // A name may be of any length, and has its own line breaks.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = said.char_indices().nth(MAX_LENGTH).map_or(said.len(), |(end, _)| end);
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, &said[..end])
}

/// That an entry of `[judges]` cannot have its name, and `why`.
fn wrong_name(name: &str, text: &str, why: &str) -> String {
    /// The names of judges, and where they stand.
    #[derive(Deserialize)]
    struct Names {
        judges: BTreeMap<toml::Spanned<String>, toml::Value>,
    }
    let names = toml::from_str::<Names>(text).map(|names| names.judges).unwrap_or_default();
    let start = names.keys().find(|known| known.get_ref() == name).map_or(0, |known| known.span().start);
    let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
    let name = RowError::excerpt(name);
    format!(
        "line {line}: [judges.\"{name}\"]: {why}. Rename the entry, for example to [judges.mine], and select it with --judge mine"
    )
}

fn concurrency<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Concurrency>, D::Error> {
    let value = toml::Value::deserialize(value)?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

/// `text` with every `${NAME}` replaced by that environment variable.
///
/// # Errors
/// When a variable is not set; the message names it and never shows a value.
pub fn with_variables(text: &str, environment: Environment) -> anyhow::Result<String> {
    let mut parts = text.split("${");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once('}') else { bail!("a `${{` is never closed by `}}`") };
        filled.push_str(
            &environment(name).with_context(|| format!("the environment variable {name} is not set"))?,
        );
        filled.push_str(rest);
    }
    Ok(filled)
}

/// The names in the `${NAME}`s of `text`.
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

/// Gives the variables of an environment by their names.
pub type Environment = fn(&str) -> Option<String>;

/// A variable of the host's or the process's environment, unless it is empty.
pub fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    let value = hosted::variable(name).or_else(|| std::env::var(name).ok());
    value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_without_what_stands_there() {
        for (text, expected) in [
            ("[judges.a]\napi_key = \"sk-1\"", "line 2: unknown field `api_key`, expected one of"),
            (
                "[judges.a]\njudge = \"openai:m\"\nheaders = \"Authorization: Bearer sk-1\"",
                "line 3: invalid type: string, expected a map",
            ),
            ("[judges.a]\njudge = sk-1", "line 2: "),
            (
                "[judges.a]\njudge = \"openai:m\"\ntimeout = -1",
                "[judges.a]: `timeout` is not a number of seconds",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\nmax_wait = inf",
                "[judges.a]: `max_wait` is not a number of seconds",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\ntemperature = nan",
                "[judges.a]: `temperature` is not a number",
            ),
            (
                "[label]\nrpm = 1\n[judges.\"builtin\"]\njudge = \"openai:m\"",
                "line 3: [judges.\"builtin\"]: this name stands for a judge of tooljudge's own",
            ),
            (
                "[judges]\na.judge = \"openai:m\"\n\"openai:m\".judge = \"openai:m\"",
                "line 3: [judges.\"openai:m\"]: ",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\n[judges.\"b\\nc\"]\njudge = \"openai:m\"",
                "line 3: [judges.\"b c\"]: the name is blank or holds a line break",
            ),
            ("[judges.\" \"]\njudge = \"openai:m\"", "line 1: [judges.\" \"]: the name is blank"),
            ("[prices]\n\"openai:m\" = { input = nan, output = 1 }", "the price of openai:m"),
        ] {
            let why = Config::parse(text).unwrap_err();
            assert!(why.starts_with(expected) && !why.contains("sk-1"), "{why}");
        }
    }
}
