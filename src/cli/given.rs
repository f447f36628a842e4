//! What was given on the command line: which flags, and what was turned off (`--explain=false`, `--max-cost=false`).

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The flags that were typed, by their keys: the long name with underscores.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// With their values.
    on: BTreeMap<String, Vec<String>>,
    off: BTreeSet<String>,
}

impl Given {
    /// Whether `key` was typed, be it to turn it off.
    pub fn contains(&self, key: &str) -> bool {
        self.is_on(key) || self.off.contains(key)
    }

    /// Whether `key` was typed, and not turned off.
    pub fn is_on(&self, key: &str) -> bool {
        self.on.contains_key(key)
    }

    /// The values that were typed for `key`.
    pub fn values(&self, key: &str) -> &[String] {
        self.on.get(key).map_or(&[], Vec::as_slice)
    }

    /// That `key` was turned off.
    pub fn turn_off(&mut self, key: &str) {
        self.off.insert(key.to_owned());
    }

    /// Only those of `keys`.
    pub fn only(&self, keys: &[&str]) -> Given {
        let is_kept = |key: &str| keys.contains(&key);
        let on =
            self.on.iter().filter(|(key, _)| is_kept(key)).map(|(key, values)| (key.clone(), values.clone()));
        Given { on: on.collect(), off: self.off.iter().filter(|key| is_kept(key)).cloned().collect() }
    }

    /// The same, and what `matches` holds of the flags of `command` and the subcommand that was called.
    pub fn with(mut self, command: &Command, matches: &ArgMatches) -> Given {
        let is_typed = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            matches!(matches.try_contains_id(id), Ok(true))
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let values = |arg: &Arg| {
            let raw = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
            raw.map(|value| value.to_string_lossy().into_owned()).collect()
        };
        let typed = command.get_arguments().filter(is_typed);
        self.on.extend(typed.filter_map(|arg| Some((key(arg.get_long()?), values(arg)))));
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
pub fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Why `false` cannot stand for `arg`, where there is nothing that it could mean.
pub fn refuses_false(arg: &Arg) -> Option<&'static str> {
    match arg.get_long() {
        Some("store") => {
            Some("replies are always kept, so that nothing is paid for twice; name a store, or leave it out")
        }
        // They would choose all cases, each of which may cost.
        Some("case" | "category") => Some("leave it out to choose all"),
        Some("config") => Some("name an empty file where no settings are to hold"),
        _ => None,
    }
}

/// The `arguments` with each `--switch=true` as the plain switch, and without those that `false` turns off, which are given. Those
/// are switches, and what a settings file can set: `can_be_set` tells by the command's name and the key.
///
/// # Errors
/// In words, for a `false` that means nothing and would be the name of a file.
pub fn switched(
    command: &Command,
    arguments: &[OsString],
    can_be_set: impl Fn(&str, &str) -> bool,
) -> Result<(Vec<OsString>, Given), String> {
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let (flags, rest) = arguments.split_at(end);
    let (mut kept, mut off): (Vec<OsString>, Given) = (Vec::new(), Given::default());
    // Flags of a command hold for its subcommands, too.
    let mut commands = vec![command];
    let mut flags = flags.iter().peekable();
    while let Some(argument) = flags.next() {
        let text = argument.to_str().unwrap_or_default();
        commands.extend(commands[commands.len() - 1].find_subcommand(text));
        let Some((of, arg, value)) = commands.iter().find_map(|command| named(command, text)) else {
            kept.push(argument.clone());
            continue;
        };
        let key = key(arg.get_long().unwrap_or_default());
        if is_switch(arg)
            && let Some(on) = value.and_then(|value| value.parse::<bool>().ok())
        {
            // The last one counts.
            let plain = OsString::from(format!("--{}", arg.get_long().unwrap_or_default()));
            let short = arg.get_short().map(|short| OsString::from(format!("-{short}")));
            kept.retain(|kept| *kept != plain && Some(kept) != short.as_ref());
            off.off.remove(&key);
            if on {
                kept.push(plain);
            } else {
                off.turn_off(&key);
            }
            continue;
        }
        let may_be_bare = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
        let apart = value.is_none() && !may_be_bare && flags.peek().is_some_and(|next| *next == "false");
        let is_false = value == Some("false") || apart;
        let repeats = matches!(arg.get_action(), ArgAction::Append) && is_repeated(arg, arguments);
        if !is_false || !arg.get_action().takes_values() || takes_bool(arg) || repeats {
            kept.push(argument.clone());
        } else if may_be_bare || can_be_set(of.get_name(), &key) && refuses_false(arg).is_none() {
            flags.next_if(|_| apart);
            let long = arg.get_long().unwrap_or_default();
            if has_value(arg, &arguments[..end]) {
                return Err(format!("--{long} is given a value and turned off: give either"));
            }
            off.turn_off(&key);
        } else if let Some(why) = refuses_false(arg).or_else(|| is_path(arg).then_some(NO_FILE)) {
            return Err(format!("--{}=false: {why}", arg.get_long().unwrap_or_default()));
        } else {
            kept.push(argument.clone());
        }
    }
    kept.extend_from_slice(rest);
    Ok((kept, off))
}

const NO_FILE: &str =
    "no settings file sets it, so that there is nothing to turn off; a file of that name is ./false";

/// The flag of `command` that `text` names, and its value behind a `=`.
fn named<'c, 't>(command: &'c Command, text: &'t str) -> Option<(&'c Command, &'c Arg, Option<&'t str>)> {
    let (name, value) = split(text);
    Some((command, command.get_arguments().find(|arg| is_called(arg, name))?, value))
}

/// The name of a flag, and its value behind a `=`.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)))
}

/// Whether `name`, with its dashes, is one of the names of `arg`.
fn is_called(arg: &Arg, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|short| name == format!("-{short}")),
    }
}

/// Whether these `arguments` name `arg` more than once: then each is one of its values.
fn is_repeated(arg: &Arg, arguments: &[OsString]) -> bool {
    let flag = format!("--{}", arg.get_long().unwrap_or_default());
    let texts = arguments.iter().filter_map(|argument| argument.to_str());
    texts.filter(|text| text.split('=').next() == Some(&flag)).count() > 1
}

/// Whether these `arguments` give `arg` something else than `false`.
fn has_value(arg: &Arg, arguments: &[OsString]) -> bool {
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let values = texts.iter().enumerate().filter_map(|(at, text)| {
        let (name, value) = split(text);
        is_called(arg, name).then(|| value.or_else(|| texts.get(at + 1).copied()).unwrap_or_default())
    });
    { values }.any(|value| value != "false")
}

fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

/// Whether its value is true or false.
pub fn takes_bool(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<bool>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_set_can_be_turned_off() {
        let command = crate::cli::all_flags();
        let all = |typed: &str| {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            switched(&command, &words, crate::cli::can_be_set)
        };
        for (typed, kept, off) in [
            ("tooljudge label --explain=false q.csv", "tooljudge label q.csv", "explain"),
            ("tooljudge label --explain=true q.csv", "tooljudge label --explain q.csv", ""),
            ("tooljudge label --explain --explain=false q.csv", "tooljudge label q.csv", "explain"),
            ("tooljudge label --explain=false --explain=true q.csv", "tooljudge label --explain q.csv", ""),
            ("tooljudge label --dry-run=false q.csv", "tooljudge label q.csv", "dry_run"),
            ("tooljudge label -q --quiet=false q.csv", "tooljudge label q.csv", "quiet"),
            ("tooljudge store stat --json=true", "tooljudge store stat --json", ""),
            ("tooljudge label -- --explain=false", "tooljudge label -- --explain=false", ""),
            ("tooljudge bench --gold=true q.csv", "tooljudge bench --gold=true q.csv", ""),
            (
                "tooljudge suite from-log --redact=false q.csv",
                "tooljudge suite from-log --redact=false q.csv",
                "",
            ),
            ("tooljudge label --max-cost=false q.csv", "tooljudge label q.csv", "max_cost"),
            ("tooljudge label --max-cost false q.csv", "tooljudge label q.csv", "max_cost"),
            ("tooljudge label -o=false q.csv", "tooljudge label q.csv", "output"),
            ("tooljudge label -o false q.csv", "tooljudge label q.csv", "output"),
            ("tooljudge label --explain false", "tooljudge label --explain false", ""),
            ("tooljudge label --per=false q.csv", "tooljudge label q.csv", "per"),
            ("tooljudge drive --agent=false q.csv", "tooljudge drive q.csv", "agent"),
            // `label` has a setting of that name.
            ("tooljudge bench --report=false q.csv", "tooljudge bench q.csv", "report"),
            // A list may hold the word.
            ("tooljudge label --drop=false q.csv", "tooljudge label q.csv", "drop"),
            ("tooljudge label --rails=true --rails=false", "tooljudge label --rails=true --rails=false", ""),
            ("tooljudge label --where day=false q.csv", "tooljudge label --where day=false q.csv", ""),
            // Nothing sets these.
            ("tooljudge convert --limit=false q.csv", "tooljudge convert --limit=false q.csv", ""),
            ("tooljudge bench --gold=false q.csv", "tooljudge bench --gold=false q.csv", ""),
        ] {
            let (found, given) = all(typed).unwrap();
            assert_eq!(found.join(std::ffi::OsStr::new(" ")), *kept, "{typed}");
            assert_eq!(given.off.into_iter().collect::<Vec<_>>().join(" "), off, "{typed}");
        }
        for (typed, words) in [
            ("tooljudge label --store=false q.csv", "--store=false: replies are always kept"),
            ("tooljudge label --store false q.csv", "--store=false: replies are always kept"),
            ("tooljudge store stat --store=false", "--store=false: replies are always kept"),
            ("tooljudge label --config=false q.csv", "--config=false: name an empty file"),
            ("tooljudge convert -o=false q.csv", "--output=false: no settings file sets it"),
            ("tooljudge --log-file=false label q.csv", "--log-file=false: no settings file sets it"),
        ] {
            assert!(all(typed).unwrap_err().starts_with(words), "{typed}");
        }
    }
}
