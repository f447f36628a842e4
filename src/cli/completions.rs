//! Shell completions and man pages, generated from the flags.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use clap_complete::Shell;

use super::Ending;
use super::printer::Printer;
use crate::drive::Loop;
use crate::score::SCORERS;
use crate::stats::Measure;

/// Print a completion script for a shell
///
/// Save it to the shell's folder for completions, or load it directly, for instance `source <(tooljudge completions bash)` in
/// ~/.bashrc.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Write manual pages for tooljudge and each of its commands
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder to write them to, for instance ~/.local/share/man/man1; it is created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Values that shells offer for flags whose own parser does not list them, by their long names. Others may be given too, such as files.
const VALUES: &[(&str, &[&str])] = &[
    ("args", &["ignore", "exact", "subset", "superset", "partial"]),
    ("concurrency", &["auto"]),
    ("decide", &["evidence", "always"]),
    ("evaluate", &["input_parameters", "output"]),
    ("first", &["builtin"]),
    ("match", &["strict", "unordered", "in_order", "any_order", "superset", "subset"]),
    ("metric", &["match", "precision", "recall", "f1", "single_tool_use"]),
    ("params", &["strict", "fuzzy"]),
    ("queue", &["random", "stratified:", "active", "unsure", "disagreement"]),
    ("retry", &["unparseable", "refused", "filtered", "empty", "truncated"]),
    ("snap", &["careful", "legacy"]),
    ("to", &["csv", "tsv", "ssv", "jsonl", "json", "parquet", "arrow"]),
];
/// How names of judges begin.
const JUDGES: &[&str] = &[
    "builtin",
    "openai:",
    "openai-responses:",
    "azure:",
    "anthropic:",
    "gemini:",
    "vllm:",
    "llamacpp:",
    "ollama:",
];

pub fn completions(args: &CompletionsArgs, command: clap::Command) -> Ending {
    let hinted = |command: clap::Command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| offering(&name, arg))
    };
    let mut command = command.mut_subcommands(|command| hinted(command.mut_subcommands(hinted)));
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tooljudge", &mut script);
    Printer::default().data(String::from_utf8_lossy(&script).trim_end());
    Ending::Done
}

/// The flag with what a shell offers for it.
fn offering(command: &str, arg: clap::Arg) -> clap::Arg {
    let long = arg.get_long().unwrap_or_default();
    match (command, long) {
        (_, "judge") => return arg.value_parser(PossibleValuesParser::new(JUDGES)),
        (_, "grade") => return arg.value_parser(PossibleValuesParser::new(&JUDGES[1..])),
        ("drive", "agent") => {
            let own = ["script:", "exec:", "http://", "https://"];
            let names = JUDGES[1..].iter().copied().chain(own);
            return arg.value_parser(PossibleValuesParser::new(names));
        }
        ("drive", "compat") => return arg.value_parser(PossibleValuesParser::new(Loop::PEERS)),
        (_, "compat") => {
            let peers: BTreeSet<&str> = SCORERS.iter().flat_map(|scorer| scorer.peers).copied().collect();
            return arg.value_parser(PossibleValuesParser::new(peers));
        }
        (_, "measure") => {
            return arg.value_parser(PossibleValuesParser::new(Measure::ALL.map(Measure::as_str)));
        }
        _ => {}
    }
    if let Some((_, values)) = VALUES.iter().find(|(flag, _)| *flag == long) {
        return arg.value_parser(PossibleValuesParser::new(*values));
    }
    // Shells would offer files for columns and numbers.
    match arg.is_positional() || !arg.get_action().takes_values() || is_path(&arg) {
        true => arg,
        false => arg.value_hint(ValueHint::Other),
    }
}

fn is_path(arg: &clap::Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

pub fn man(args: &ManArgs, command: clap::Command) -> anyhow::Result<Ending> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // What the short help leaves out belongs into a manual.
    let whole = |command: clap::Command| command.mut_args(|arg| arg.hide_short_help(false));
    let command = command.disable_help_subcommand(true).mut_subcommands(whole);
    clap_mangen::generate_to(command, folder).with_context(|| folder.display().to_string())?;
    let pages = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?.count();
    Printer::default().talk(&format!("written  {} ({pages} files)", folder.display()));
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Provider;

    #[test]
    fn every_provider_is_offered() {
        let offered: Vec<&str> = JUDGES.iter().filter_map(|name| name.strip_suffix(':')).collect();
        assert_eq!(offered, Provider::ALL.map(Provider::as_str));
    }

    #[test]
    fn what_is_offered_is_taken() {
        let all = crate::cli::all_flags();
        for (long, values) in VALUES {
            let has =
                |command: &&clap::Command| command.get_arguments().any(|arg| arg.get_long() == Some(*long));
            let command = all.get_subcommands().find(has).unwrap_or_else(|| panic!("no --{long}"));
            for value in *values {
                let column = if value.ends_with(':') { "x" } else { "" };
                let words = [
                    "tooljudge".to_owned(),
                    command.get_name().to_owned(),
                    format!("--{long}={value}{column}"),
                ];
                let kind = all.clone().try_get_matches_from(words).err().map(|error| error.kind());
                let refused = [clap::error::ErrorKind::ValueValidation, clap::error::ErrorKind::InvalidValue];
                assert!(kind.is_none_or(|kind| !refused.contains(&kind)), "--{long}={value}: {kind:?}");
            }
        }
    }
}
