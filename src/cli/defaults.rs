//! Flags that the settings file sets: they are put on the command line, where the user gave none.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::config::Config;
use super::printer::Printer;

/// A command line with the file's defaults, and what the user gave himself.
pub struct Completed {
    pub arguments: Vec<OsString>,
    pub config: Config,
    pub given: Given,
    /// The flags that the file set.
    pub set: Vec<String>,
}

impl Completed {
    /// Says which settings file is used and what it sets, unless the user wants it quiet; a file that says so is not asked.
    pub fn say(&self) {
        if !self.config.is_used() {
            return;
        }
        let set = match &self.set[..] {
            [] => String::new(),
            set => format!(" sets {}", set.join(", ")),
        };
        let printer = Printer { quiet: self.given.has("quiet") };
        printer.talk(&format!("settings: {}{set}", self.config.path.display()));
    }
}

/// Names of the flags that stood on the command line, as opposed to defaults.
#[derive(Debug, Clone, Default)]
pub struct Given(BTreeSet<String>);

impl Given {
    /// `flag` by the name of its field, such as `base_url`.
    pub fn has(&self, flag: &str) -> bool {
        self.0.contains(flag)
    }
}

/// Completes the `arguments` of `command`'s subcommand `name`, which were parsed as `matches`.
pub fn complete(
    arguments: Vec<OsString>,
    command: &Command,
    name: &str,
    matches: &ArgMatches,
) -> anyhow::Result<Completed> {
    let config = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let flags = command.find_subcommand(name).context("an unknown subcommand")?;
    let from_user = |id: &str| {
        matches!(matches.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable))
    };
    let given = Given(
        flags
            .get_arguments()
            .map(|flag| flag.get_id().as_str())
            .filter(|id| from_user(id))
            .map(str::to_owned)
            .collect(),
    );
    let (mut added, mut set) = (Vec::new(), Vec::new());
    let (section, settings) = match name {
        "score" => ("score", &config.score),
        _ => ("label", &config.label),
    };
    let owner = command.find_subcommand(section).context("an unknown subcommand")?;
    for (key, value) in settings {
        let long = key.replace('_', "-");
        let of = |flags: &'_ Command| {
            flags.get_arguments().find(|flag| flag.get_long() == Some(&long) && long != "config").cloned()
        };
        if of(owner).is_none() {
            bail!(
                "{}: [{section}] has no setting `{key}`; its settings are the flags of `tooljudge {section}`, with underscores",
                config.path.display()
            );
        }
        // What only `label` can do is no setting of the others that share its section.
        let Some(flag) = of(flags) else { continue };
        if given.has(flag.get_id().as_str()) {
            continue;
        }
        set.push(format!("--{long}"));
        for text in texts(value)
            .with_context(|| format!("{}: [{section}] `{key}` is no plain value", config.path.display()))?
        {
            match text {
                Text::Switch(true) => added.push(format!("--{long}").into()),
                Text::Switch(false) => {}
                Text::Value(text) => added.push(format!("--{long}={text}").into()),
            }
        }
    }
    let at = arguments.iter().position(|argument| argument == name).map_or(arguments.len(), |at| at + 1);
    let mut arguments = arguments;
    arguments.splice(at..at, added);
    Ok(Completed { arguments, config, given, set })
}

enum Text {
    Switch(bool),
    Value(String),
}

/// A setting as the command line would spell it, once for each of its values.
fn texts(value: &toml::Value) -> Option<Vec<Text>> {
    Some(match value {
        toml::Value::String(text) => vec![Text::Value(text.clone())],
        toml::Value::Integer(number) => vec![Text::Value(number.to_string())],
        toml::Value::Float(number) => vec![Text::Value(number.to_string())],
        toml::Value::Boolean(on) => vec![Text::Switch(*on)],
        toml::Value::Array(values) => {
            values.iter().map(texts).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => return None,
    })
}
