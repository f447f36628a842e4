//! What was typed: which flags, and switches that were turned off (`--explain=false`).

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};

/// The flags that were typed, by their keys: the long name with underscores.
#[derive(Debug, Clone, Default)]
pub struct Given(BTreeSet<String>);

impl Given {
    /// Whether `key` was typed, be it to turn a switch off.
    pub fn contains(&self, key: &str) -> bool {
        self.0.contains(key)
    }

    /// That `key` was given, although nothing was typed for it.
    pub fn insert(&mut self, key: &str) {
        self.0.insert(key.to_owned());
    }

    /// Both.
    pub fn and(mut self, other: Given) -> Given {
        self.0.extend(other.0);
        self
    }

    /// Only those of `keys`.
    pub fn only(&self, keys: &[&str]) -> Given {
        Given(self.0.iter().filter(|key| keys.contains(&key.as_str())).cloned().collect())
    }

    /// The same, and what `matches` holds of the flags of `command` and the subcommand that was called.
    pub fn with(mut self, command: &Command, matches: &ArgMatches) -> Given {
        let is_typed = |arg: &&clap::Arg| {
            let id = arg.get_id().as_str();
            matches!(matches.try_contains_id(id), Ok(true))
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let typed = command.get_arguments().filter(is_typed).filter_map(clap::Arg::get_long);
        self.0.extend(typed.map(key));
        let inner =
            matches.subcommand().and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner)));
        match inner {
            Some((command, matches)) => self.with(command, matches),
            None => self,
        }
    }
}

/// The key of a flag by its long name.
pub fn key(long: &str) -> String {
    long.replace('-', "_")
}

/// Whether `arg` is a switch: there or not, without a value.
pub fn is_switch(arg: &clap::Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// The `arguments` with each `--switch=true` as the plain switch, and without those that are turned off, which are given.
pub fn switched(command: &Command, arguments: &[OsString]) -> (Vec<OsString>, Given) {
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let (flags, rest) = arguments.split_at(end);
    let (mut kept, mut off): (Vec<OsString>, Given) = (Vec::new(), Given::default());
    // Flags of a command hold for its subcommands, too.
    let mut commands = vec![command];
    for argument in flags {
        let text = argument.to_str().unwrap_or_default();
        commands.extend(commands[commands.len() - 1].find_subcommand(text));
        let Some((long, on)) = commands.iter().find_map(|command| switch(command, text)) else {
            kept.push(argument.clone());
            continue;
        };
        // The last one counts.
        let plain = OsString::from(format!("--{long}"));
        kept.retain(|kept| *kept != plain);
        off.0.remove(&key(long));
        if on {
            kept.push(plain);
        } else {
            off.0.insert(key(long));
        }
    }
    kept.extend_from_slice(rest);
    (kept, off)
}

/// The switch of `command` that `text` turns on or off, in so many words.
fn switch<'a>(command: &Command, text: &'a str) -> Option<(&'a str, bool)> {
    let (long, value) = text.strip_prefix("--")?.split_once('=')?;
    let on = value.parse::<bool>().ok()?;
    command.get_arguments().any(|arg| arg.get_long() == Some(long) && is_switch(arg)).then_some((long, on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_can_be_turned_off() {
        let command = crate::cli::all_flags();
        for (typed, kept, off) in [
            ("tooljudge label --explain=false q.csv", "tooljudge label q.csv", "explain"),
            ("tooljudge label --explain=true q.csv", "tooljudge label --explain q.csv", ""),
            ("tooljudge label --explain --explain=false q.csv", "tooljudge label q.csv", "explain"),
            ("tooljudge label --explain=false --explain=true q.csv", "tooljudge label --explain q.csv", ""),
            ("tooljudge label --dry-run=false q.csv", "tooljudge label --dry-run=false q.csv", ""),
            ("tooljudge store stat --json=true", "tooljudge store stat --json", ""),
            ("tooljudge label -- --explain=false", "tooljudge label -- --explain=false", ""),
            ("tooljudge bench --gold=true q.csv", "tooljudge bench --gold=true q.csv", ""),
            (
                "tooljudge suite from-log --redact=false q.csv",
                "tooljudge suite from-log --redact=false q.csv",
                "",
            ),
        ] {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let (found, given) = switched(&command, &words);
            assert_eq!(found.join(std::ffi::OsStr::new(" ")), *kept, "{typed}");
            assert_eq!(given.0.into_iter().collect::<Vec<_>>().join(" "), off, "{typed}");
        }
    }
}
