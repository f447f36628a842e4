//! `tooljudge.toml`: judges by name, and defaults of flags.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use toml::Spanned;

use super::entry::{Entry, without_text};
use super::host::Host;
use super::judging::entry::JudgeEntry;
use super::layers::Origins;
use super::printer::Printer;
use crate::domain::{RowError, did_you_mean};
use crate::judge::{Price, Provider};
use crate::run::settings::JudgeSettings;

/// Where settings are looked for unless told otherwise.
const FILE: &str = "tooljudge.toml";

/// The file's content.
#[derive(Debug, Clone, Default)]
pub struct Config {
    sections: BTreeMap<&'static str, Vec<Entry>>,
    /// Judges by name.
    pub judges: BTreeMap<String, JudgeEntry>,
    /// Prices by `provider:model`, where ours are missing or wrong.
    pub prices: BTreeMap<String, Price>,
    /// The file itself, for errors.
    pub path: PathBuf,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Flags of `label` by their long names, with underscores: `rpm = 500`.
    #[serde(default)]
    label: Entries,
    /// Flags of `score` likewise.
    #[serde(default)]
    score: Entries,
    /// Flags of `drive` likewise.
    #[serde(default)]
    drive: Entries,
    #[serde(default)]
    judges: BTreeMap<Spanned<String>, Entries>,
    #[serde(default)]
    prices: BTreeMap<Spanned<String>, toml::Value>,
}

type Entries = BTreeMap<Spanned<String>, toml::Value>;

impl Config {
    /// The entries of a section, for commands that do not own it.
    pub fn entries(&self, name: &str) -> &[Entry] {
        self.sections.get(name).map_or(&[][..], Vec::as_slice)
    }

    /// The same, each of which must be `known` to the command that owns it.
    pub fn section(&self, name: &'static str, known: &BTreeSet<String>) -> anyhow::Result<&[Entry]> {
        let entries = self.entries(name);
        if let Some(entry) = entries.iter().find(|entry| !known.contains(&entry.key)) {
            bail!(
                "{}: line {}: [{name}] has no setting `{}`; its settings are the flags of `tooljudge {name}`, with underscores{}",
                self.path.display(),
                entry.line,
                entry.key,
                did_you_mean(&entry.key, known.iter().map(String::as_str))
            );
        }
        Ok(entries)
    }

    /// Where `entry` of `section` is, for errors.
    pub fn place(&self, section: &str, entry: &Entry) -> String {
        format!("{}: line {}: [{section}] `{}`", self.path.display(), entry.line, entry.key)
    }

    /// Says which settings file is used and what it sets, unless the user wants it quiet; a file that says so is not asked.
    pub fn say(&self, origins: &Origins, printer: Printer<'_>) {
        if !self.is_used() {
            return;
        }
        let set = match &origins.set()[..] {
            [] => String::new(),
            set => {
                let line = |(flag, line): &(String, usize)| format!("{flag} (line {line})");
                format!(" sets {}", set.iter().map(line).collect::<Vec<_>>().join(", "))
            }
        };
        printer.talk(&format!("settings: {}{set}", self.path.display()));
    }

    /// Whether there is a file.
    pub fn is_used(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Reads `named`, or else the file of the usual name in the current folder, and in no other, where there is one.
    pub fn read(named: Option<&Path>, host: &Host) -> anyhow::Result<Config> {
        let mut config = Config::of_file(named)?;
        config.add(&host.settings).map_err(|why| anyhow!(why))?;
        Ok(config)
    }

    fn of_file(named: Option<&Path>) -> anyhow::Result<Config> {
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
        let File { label, score, drive, judges, prices } =
            toml::from_str(text).map_err(|error| unreadable(&error, text))?;
        let line = |span: Range<usize>| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
        let entries = |entries: Entries| -> Vec<Entry> {
            let entry = |(key, value): (Spanned<String>, toml::Value)| {
                let line = line(key.span());
                Entry { key: key.into_inner(), value, line }
            };
            entries.into_iter().map(entry).collect()
        };
        let mut config = Config::default();
        for (name, price) in prices {
            let line = line(name.span());
            let name = name.into_inner();
            let price = is_priced(&name)
                .and_then(|()| price_in(price))
                .map_err(|why| format!("line {line}: [prices.\"{}\"]: {why}", RowError::excerpt(&name)))?;
            config.prices.insert(name, price);
        }
        config.sections = [("label", label), ("score", score), ("drive", drive)]
            .map(|(name, section)| (name, entries(section)))
            .into();
        for (name, entry) in judges {
            let line = line(name.span());
            let name = name.into_inner();
            is_name(&name).and_then(|()| is_no_model(&name)).map_err(|why| wrong_name(&name, line, why))?;
            let entry = JudgeEntry::new(&name, line, entries(entry))?;
            config.judges.insert(name, entry);
        }
        config.check_prices()?;
        Ok(config)
    }

    /// Adds what a host says of judges and prices.
    fn add(&mut self, settings: &toml::Table) -> Result<(), String> {
        let table = |key| settings.get(key).and_then(toml::Value::as_table).into_iter().flatten();
        for (name, entry) in table("judges") {
            is_name(name).map_err(|why| format!("the judge `{}`: {why}", RowError::excerpt(name)))?;
            let entries = entry.as_table().into_iter().flatten();
            let entries =
                entries.map(|(key, value)| Entry { key: key.clone(), value: value.clone(), line: 0 });
            self.judges.insert(name.clone(), JudgeEntry::of_host(name, entries.collect())?);
        }
        for (name, price) in table("prices") {
            let price = price_in(price.clone());
            let price = price.map_err(|why| format!("the price of {}: {why}", RowError::excerpt(name)))?;
            is_priced(name).map_err(|why| format!("the price of {}: {why}", RowError::excerpt(name)))?;
            self.prices.insert(name.clone(), price);
        }
        self.check_prices()
    }

    fn check_prices(&self) -> Result<(), String> {
        for (name, price) in self.named_prices() {
            let numbers = [Some(price.input), price.cached_input, Some(price.output)];
            if numbers.into_iter().flatten().any(|dollars| !(0.0..1e9).contains(&dollars)) {
                return Err(format!("the price of {} is not an amount in dollars", RowError::excerpt(name)));
            }
        }
        Ok(())
    }

    fn named_prices(&self) -> impl Iterator<Item = (&String, &Price)> {
        let own = self.judges.iter().filter_map(|(name, judge)| Some((name, judge.price.as_ref()?)));
        self.prices.iter().chain(own)
    }
}

/// The price that a file names. Numbers in a row would not say which is which.
pub(super) fn price_in(value: toml::Value) -> Result<Price, String> {
    if !value.is_table() {
        return Err(
            "write the price as { input = 0.25, output = 2.0 }: US dollars per million tokens in and out"
                .to_owned(),
        );
    }
    value.try_into().map_err(|error: toml::de::Error| without_text(error.message()))
}

/// Whether a price can stand under `name`; why not otherwise: it would never be used.
fn is_priced(name: &str) -> Result<(), String> {
    let is_model = name
        .split_once(':')
        .is_some_and(|(provider, model)| provider.parse::<Provider>().is_ok() && !model.trim().is_empty());
    match is_model {
        true => Ok(()),
        false => Err(format!(
            "a price is that of a PROVIDER:MODEL, with one of the providers {}; the price of an entry of [judges] is its `price`",
            Provider::ALL.map(Provider::as_str).join(", ")
        )),
    }
}

/// Whether an entry of `[judges]` can be named so; why not otherwise.
fn is_name(name: &str) -> Result<(), String> {
    if JudgeSettings::is_reserved(name) {
        return Err(format!("{}, and an entry cannot take its place", JudgeSettings::RESERVED));
    }
    // It would forge lines of what is said about it.
    if name.trim().is_empty() || name.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        return Err("the name is blank or holds a line break".to_owned());
    }
    Ok(())
}

/// Whether an entry of a file has a name without a colon; why not otherwise. A host's own name for a model may have one.
fn is_no_model(name: &str) -> Result<(), String> {
    match JudgeSettings::is_like_a_model(name) {
        true => {
            Err("a name with a colon looks like PROVIDER:MODEL, a judge that no entry stands for".to_owned())
        }
        false => Ok(()),
    }
}

/// What is wrong and in which line.
fn unreadable(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, without_text(error.message()))
}

/// That an entry of `[judges]` cannot have its name, and `why`.
fn wrong_name(name: &str, line: usize, why: String) -> String {
    let name = RowError::excerpt(name);
    format!(
        "line {line}: [judges.\"{name}\"]: {why}. Rename the entry, for example to [judges.mine], and select it with --judge mine"
    )
}

/// `text` with every `${NAME}` replaced by that environment variable.
///
/// # Errors
/// When a variable is not set; the message names it and never shows a value.
pub fn with_variables(text: &str, host: &Host) -> anyhow::Result<String> {
    let mut parts = text.split("${");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once('}') else { bail!("a `${{` is never closed by `}}`") };
        filled.push_str(
            &host.variable(name).with_context(|| format!("the environment variable {name} is not set"))?,
        );
        filled.push_str(rest);
    }
    Ok(filled)
}

/// The names in the `${NAME}`s of `text`.
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_without_what_stands_there() {
        for (text, expected) in [
            ("[judges.a]\napi_key = \"sk-1\"", "line 2: [judges.a] unknown field `api_key`, expected one of"),
            (
                "[judges.a]\njudge = \"openai:m\"\nheaders = \"Authorization: Bearer sk-1\"",
                "line 3: [judges.a] `headers`: invalid type: string, expected a map",
            ),
            ("[judges.a]\njudge = sk-1", "line 2: "),
            (
                "[judges.a]\njudge = \"openai:m\"\ntimeout = -1",
                "line 3: [judges.a] `timeout`: expected a number of seconds",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\nmax_wait = inf",
                "line 3: [judges.a] `max_wait`: expected a number of seconds",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\ntemperature = nan",
                "line 3: [judges.a] `temperature`: expected a number",
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
            (
                "[prices]\n\"openai:m\" = { input = 1, output = 1 }\n[prices.\"gpt-5\"]\ninput = 1\noutput = 1",
                "line 3: [prices.\"gpt-5\"]: a price is that of a PROVIDER:MODEL",
            ),
            (
                "[prices]\n\"openai:m\" = [1, 1]",
                "line 2: [prices.\"openai:m\"]: write the price as { input = 0.25, output = 2.0 }",
            ),
            // Four numbers would be all that a price has.
            ("[prices]\n\"openai:m\" = [1, 1, 1, 1]", "line 2: [prices.\"openai:m\"]: write the price as"),
            (
                "[prices]\n\"openai:m\" = { input = 1 }",
                "line 2: [prices.\"openai:m\"]: missing field `output`",
            ),
            (
                "[judges.a]\njudge = \"openai:m\"\nprice = [1, 1]",
                "line 3: [judges.a] `price`: write the price as { input = 0.25, output = 2.0 }",
            ),
            ("[prices.\"OpenAI:m\"]\ninput = 1\noutput = 1", "line 1: [prices.\"OpenAI:m\"]: "),
            ("[prices]\n\"openai:m\" = { input = nan, output = 1 }", "the price of openai:m"),
        ] {
            let why = Config::parse(text).unwrap_err();
            assert!(why.starts_with(expected) && !why.contains("sk-1"), "{why}");
        }
    }
}
