//! Merges a command's arguments from layers: the command line takes precedence over the settings file.
//!
//! The flags are declared once, for clap, and a value of the file is parsed like its flag. So every flag is a setting without
//! further code: its key is its long name with underscores.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{anyhow, bail};
use clap::Args;

use super::config::Config;
use super::flags::{Flags, flag};
use super::given::Given;

/// A section of the settings file, and what a command takes of it.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    pub name: &'static str,
    /// The command that takes it.
    pub command: &'static str,
    /// Everything that may stand in it.
    pub keys: fn() -> BTreeSet<String>,
    /// What this command leaves to others, although it has a flag of that name.
    pub except: &'static [&'static str],
}

/// Arguments, and where they come from.
#[derive(Debug, Clone)]
pub struct Layered<A> {
    /// What was typed.
    pub typed: A,
    /// The same, completed by the settings file.
    pub args: A,
    pub origins: Origins,
}

/// Where arguments come from.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// What was typed, by its key.
    pub given: Given,
    /// Where in the settings file the others stand, by their keys.
    places: BTreeMap<String, String>,
    /// The lines that they stand in.
    lines: BTreeMap<String, usize>,
    /// What it says there.
    values: BTreeMap<String, toml::Value>,
    /// What it says under keys whose flags were typed, or others that cannot stand beside them.
    outdone: BTreeMap<String, toml::Value>,
}

/// Flags that say the same in two ways, although both can be typed: what is typed of them goes before what a file says of the others.
const GROUPS: &[&[&str]] = &[&["task", "template"], &["match", "order_matters"]];

/// What a file says of the first is about the second that it says: typed, the second goes by itself.
const OF: &[(&str, &str)] = &[("to", "output")];

/// What a file says of something that it names, by a key: it is left to that where another thing is typed, under one of these flags.
const BESIDE: &[(&str, &[&str], &[&str])] =
    &[("scorer", &["scorer"], OF_SCORERS), ("template", &["task"], &["rails"])];

/// Settings of scorers.
const OF_SCORERS: &[&str] = &[
    "threshold",
    "strict",
    "evaluate",
    "consider_ordering",
    "exact_match",
    "ordered",
    "require_all",
    "allow_extras",
    "params",
    "tolerance",
    "order_matters",
    "match",
    "args",
    "metric",
    "allowed_tools",
    "denied_tools",
    "set",
];

impl Origins {
    /// What was typed, where no settings file is read.
    pub fn typed(given: Given) -> Origins {
        Origins { given, ..Origins::default() }
    }

    /// Where in the settings file `key` stands, if it was set there.
    pub fn place(&self, key: &str) -> Option<String> {
        self.places.get(key).cloned()
    }

    /// What the settings file says under `key`, although its flag was typed.
    pub fn outdone(&self, key: &str) -> Option<&toml::Value> {
        self.outdone.get(key)
    }

    /// Whether `key` is set, be it typed or in the settings file.
    pub fn is_on(&self, key: &str) -> bool {
        self.given.is_on(key) || self.values.get(key).is_some_and(|value| value.as_bool() != Some(false))
    }

    /// What `key` is set to, as texts.
    pub fn texts(&self, key: &str) -> Vec<String> {
        if self.given.is_on(key) {
            return self.given.values(key).to_vec();
        }
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match self.values.get(key) {
            Some(toml::Value::Array(values)) => values.iter().map(text).collect(),
            value => value.map(text).into_iter().collect(),
        }
    }

    /// An error that begins with a flag which the settings file sets, with its place there.
    pub fn placed(&self, error: anyhow::Error) -> anyhow::Error {
        let text = format!("{error:#}");
        let named = text.strip_prefix("--");
        let named = named.and_then(|rest| rest.split(|c: char| !c.is_ascii_lowercase() && c != '-').next());
        let key = named.unwrap_or_default().replace('-', "_");
        // What is wrong may be one of the scorer's settings.
        let place = self.place(&key).filter(|_| key != "scorer" || !self.is_on("set"));
        match place.filter(|place| !text.contains(place.as_str())) {
            Some(place) => error.context(place),
            None => error,
        }
    }

    /// The flags that the settings file sets, each with the line that says so.
    pub fn set(&self) -> Vec<(String, usize)> {
        self.places.keys().map(|key| (flag(key), self.lines.get(key).copied().unwrap_or_default())).collect()
    }

    /// The same, of which only `keys` were typed.
    pub fn only(&self, keys: &[&str]) -> Origins {
        Origins { given: self.given.only(keys), ..self.clone() }
    }
}

impl<A: Args + Clone> Layered<A> {
    /// Completes what was `typed`, which `given` names.
    ///
    /// # Errors
    /// Where the section holds what is no setting, or no value of its flag, or what cannot stand beside another.
    pub fn new(typed: A, given: Given, config: &Config, section: Section) -> anyhow::Result<Layered<A>> {
        let flags = Flags::of::<A>();
        let mut args = typed.clone();
        let (mut places, mut values, mut outdone) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut lines = BTreeMap::new();
        let mut on: BTreeSet<&str> = BTreeSet::new();
        let entries = config.section(section.name, &(section.keys)())?;
        let of_others: BTreeSet<&str> = BESIDE
            .iter()
            .filter(|(named, flags, _)| {
                let entry = entries.iter().find(|entry| entry.key == *named);
                let says = entry.and_then(|entry| entry.value.as_str());
                let is_another = |flag: &&str| given.is_on(flag) && given.values(flag) != says.as_slice();
                entry.is_some() && flags.iter().any(is_another)
            })
            .flat_map(|(_, _, keys)| keys.iter().copied())
            .collect();
        for entry in entries {
            let key = entry.key.as_str();
            let Some(arg) = flags.find(key).filter(|_| !section.except.contains(&key)) else { continue };
            let is_on = entry.value.as_bool() != Some(false);
            let is_outdone = || {
                let typed = |key: &str| given.is_on(key);
                let mut groups = GROUPS.iter().filter(|group| group.contains(&key));
                groups.any(|group| group.iter().any(|other| typed(other)))
                    || OF.iter().any(|(of, what)| *of == key && typed(what))
                    || of_others.contains(key)
                    || flags.rival(key, typed).is_some()
            };
            if given.contains(key) || is_on && is_outdone() {
                outdone.insert(key.to_owned(), entry.value.clone());
                continue;
            }
            let place = config.place(section.name, entry);
            flags.fill(arg, &entry.value, &mut args).map_err(|why| anyhow!("{place}: {why}"))?;
            places.insert(key.to_owned(), place);
            lines.insert(key.to_owned(), entry.line);
            values.insert(key.to_owned(), entry.value.clone());
            if is_on {
                on.insert(key);
            }
        }
        for ours in &on {
            let place = &places[*ours];
            if let Some(key) = flags.rival(ours, |key| on.contains(key)) {
                bail!("{place}: cannot be used with `{key}`");
            }
        }
        Ok(Layered { typed, args, origins: Origins { given, places, lines, values, outdone } })
    }
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, Command};

    use super::*;
    use crate::cli::{audit, bench, drive, label, resnap, score, train};

    #[test]
    fn every_setting_of_scorers_is_known_as_one() {
        let command = score::args::SettingArgs::augment_args(Command::new("command"));
        let flags = command.get_arguments().filter_map(clap::Arg::get_long);
        assert_eq!(flags.map(crate::cli::given::key).collect::<Vec<_>>(), OF_SCORERS);
    }

    /// It would be filled in with every key, over what is there. Defaults are for the settings of the job.
    #[test]
    fn no_flag_that_a_file_can_set_has_a_default_of_its_own() {
        fn check<A: Args>() {
            let command = A::augment_args(Command::new("command"));
            let switch = |arg: &clap::Arg| matches!(arg.get_action(), ArgAction::SetTrue);
            let with_default = |arg: &&clap::Arg| !switch(arg) && !arg.get_default_values().is_empty();
            assert_eq!(command.get_arguments().find(with_default).and_then(clap::Arg::get_long), None);
        }
        check::<label::args::LabelArgs>();
        check::<resnap::ResnapArgs>();
        check::<score::args::ScoreArgs>();
        check::<drive::args::DriveArgs>();
        check::<bench::args::BenchArgs>();
        check::<audit::args::AuditArgs>();
        check::<train::args::TrainArgs>();
    }
}
