//! Shell completions and man pages, generated from the flags.

use std::any::TypeId;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueHint};
use clap_complete::Shell;

use super::Ending;
use super::printer::Printer;

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

pub fn completions(args: &CompletionsArgs, command: clap::Command) -> Ending {
    // Shells would offer files for columns, judges and numbers.
    let hinted = |command: clap::Command| {
        command.mut_args(|arg| {
            match arg.is_positional() || !arg.get_action().takes_values() || is_path(&arg) {
                true => arg,
                false => arg.value_hint(ValueHint::Other),
            }
        })
    };
    let mut command = command.mut_subcommands(|command| hinted(command.mut_subcommands(hinted)));
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tooljudge", &mut script);
    Printer::default().data(String::from_utf8_lossy(&script).trim_end());
    Ending::Done
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
