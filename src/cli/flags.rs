//! The flags of a command as keys of a settings file: a value is parsed like its flag.

use std::collections::BTreeSet;
use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Args, Command};

use super::given::{is_switch, key, refuses_false, takes_bool};

/// Flags that can be filled from a settings file.
pub struct Flags {
    command: Command,
    /// The same, for values that are no lists.
    whole: Command,
}

impl Flags {
    pub fn of<A: Args>() -> Flags {
        // Without a default, a switch that is not mentioned leaves alone what it may already be.
        let free = |arg: Arg| match is_switch(&arg) {
            true => arg
                .action(ArgAction::Set)
                .value_parser(clap::value_parser!(bool))
                .num_args(0..=1)
                .require_equals(true),
            false => arg,
        };
        let mut command = A::augment_args_for_update(Command::new("settings")).mut_args(free);
        command.build();
        Flags { whole: whole(command.clone()), command }
    }

    /// All that can be set.
    pub fn keys(&self) -> BTreeSet<String> {
        let longs = self.command.get_arguments().filter_map(Arg::get_long);
        longs.filter(|long| !["config", "help", "version"].contains(long)).map(key).collect()
    }

    pub fn find(&self, key: &str) -> Option<&Arg> {
        self.command.get_arguments().find(|arg| arg.get_long().is_some_and(|long| self::key(long) == key))
    }

    /// Reads `value` as `arg` would be read, into its place in `args`.
    ///
    /// # Errors
    /// In words of the flag's own; those of what an entry of `[judges]` can set show nothing of the value, which may be a secret.
    pub fn fill<A: Args>(&self, arg: &Arg, value: &toml::Value, args: &mut A) -> Result<(), String> {
        let words = words(arg, value)?;
        if words.is_empty() {
            return Ok(());
        }
        let words: Vec<String> = std::iter::once("settings".to_owned()).chain(words).collect();
        let matches = match self.whole.clone().try_get_matches_from(&words) {
            // What else it needs may be typed, or is told apart later.
            Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => {
                self.whole.clone().ignore_errors(true).try_get_matches_from(&words)
            }
            matches => matches,
        };
        let filled = matches.and_then(|matches| args.update_from_arg_matches(&matches));
        filled.map_err(|error| match value {
            // A number is no secret.
            toml::Value::Integer(_) | toml::Value::Float(_) => format!("{} (it is {value})", reason(&error)),
            _ => reason(&error),
        })
    }

    /// The first key among those that are on that `key` cannot be used with.
    pub fn rival(&self, key: &str, is_on: impl Fn(&str) -> bool) -> Option<String> {
        let ours = self.find(key)?;
        let rivals = |arg| self.command.get_arg_conflicts_with(arg);
        let mut theirs = self.command.get_arguments().filter(|other| {
            rivals(ours).iter().any(|rival| rival.get_id() == other.get_id())
                || rivals(other).iter().any(|rival| rival.get_id() == ours.get_id())
        });
        theirs.find_map(|other| other.get_long().map(self::key).filter(|key| is_on(key)))
    }
}

/// `command` and its subcommands, of which no flag takes a text for a list: [`words`] has told them apart.
pub fn whole(command: Command) -> Command {
    command.mut_args(|arg| arg.value_delimiter(None)).mut_subcommands(whole)
}

/// The keys of all flags of `A`.
pub fn keys<A: Args>() -> BTreeSet<String> {
    Flags::of::<A>().keys()
}

/// The flag with this key.
pub fn flag(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// A value as it would be typed for flags that are [`whole`]: an item of a list is one value, whatever is in it. A plain `false` for what takes another value is as if it were left out.
pub fn words(arg: &Arg, value: &toml::Value) -> Result<Vec<String>, String> {
    let long = arg.get_long().unwrap_or_default();
    let takes_bool = takes_bool(arg);
    let repeats = matches!(arg.get_action(), ArgAction::Append);
    let word = |text: &str| format!("--{long}={text}");
    match value {
        toml::Value::Boolean(on) if takes_bool => Ok(vec![word(&on.to_string())]),
        _ if takes_bool => Err("expected true or false".to_owned()),
        toml::Value::Boolean(false) => refuses_false(arg).map_or(Ok(Vec::new()), |why| Err(why.to_owned())),
        toml::Value::Boolean(true) if arg.get_num_args().is_some_and(|range| range.min_values() == 0) => {
            Ok(vec![format!("--{long}")])
        }
        toml::Value::Boolean(true) => Err("expected a value, not true".to_owned()),
        toml::Value::Array(values) if repeats => {
            values.iter().map(|value| text(value).map(|text| word(&text))).collect()
        }
        toml::Value::Table(pairs) if repeats => pairs
            .iter()
            .map(|(name, value)| {
                let text = if long == "set" { json(value) } else { text(value) };
                text.map(|text| word(&format!("{name}={text}")))
            })
            .collect(),
        value => {
            let text = text(value)?;
            Ok(match arg.get_value_delimiter() {
                Some(comma) => text.split(comma).map(word).collect(),
                None => vec![word(&text)],
            })
        }
    }
}

/// A setting of a scorer as JSON; a text may be that already.
fn json(value: &toml::Value) -> Result<String, String> {
    fn holds_date(value: &toml::Value) -> bool {
        match value {
            toml::Value::Datetime(_) => true,
            toml::Value::Array(items) => items.iter().any(holds_date),
            toml::Value::Table(members) => members.values().any(holds_date),
            _ => false,
        }
    }
    match value {
        toml::Value::String(text) if serde_json::from_str::<serde_json::Value>(text).is_ok() => {
            Ok(text.clone())
        }
        value if holds_date(value) => Err("JSON has no dates; write it as a text, within quotes".to_owned()),
        value => serde_json::to_string(value).map_err(|error| error.to_string()),
    }
}

/// A plain value as text.
fn text(value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        // With its point: `1.0`, and not `1`.
        toml::Value::Float(number) => Ok(format!("{number:?}")),
        toml::Value::Boolean(on) => Ok(on.to_string()),
        toml::Value::Array(_) => Err("expected one value, not a list".to_owned()),
        toml::Value::Datetime(_) | toml::Value::Table(_) => Err("expected a plain value".to_owned()),
    }
}

/// What the standard library says of a number, in plain words.
pub fn plain(reason: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("number would be zero for non-zero type", "expected a whole number above 0"),
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("invalid float literal", "expected a number"),
    ];
    WORDS.iter().fold(reason.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// What is wrong with a value, without the value.
fn reason(error: &clap::Error) -> String {
    if let Some(source) = error.source() {
        return plain(&source.to_string());
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => format!("expected {}", values.join(", ")),
        _ => error.kind().to_string(),
    }
}
