//! `templates`: list, show, check.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::Ending;
use super::host::Host;
use crate::domain::did_you_mean;
use crate::render::{self, Origin};
use crate::report::{Column, Table, wrapped};
use crate::run::panel;

/// List, show and check judge templates.
#[derive(Debug, Args)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    command: TemplatesCommand,
}

#[derive(Debug, Subcommand)]
enum TemplatesCommand {
    /// The built-in templates
    List,
    /// Print a built-in template, as a start for your own
    Show {
        /// Its name
        name: String,
    },
    /// Check a template file for mistakes before you spend money
    Check {
        /// The file
        file: PathBuf,

        /// The labels to use it with, the one for right calls first [default: its own, or correct,incorrect]
        #[arg(long, value_name = "LABEL,LABEL", value_delimiter = ',')]
        rails: Vec<String>,
    },
}

pub fn run(args: TemplatesArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(false);
    match args.command {
        TemplatesCommand::List => {
            let mut table = Table::new([Column::Name, Column::Words]);
            for (task, _) in render::builtins() {
                let template = render::builtin(task)?;
                table.add_row([template.name(), template.description()]);
            }
            printer.data(&table.text(printer.width_of_list()));
        }
        TemplatesCommand::Show { name } => {
            let (_, source) =
                render::builtins().find(|(task, _)| task.as_str() == name).with_context(|| {
                    let near = did_you_mean(&name, render::builtins().map(|(task, _)| task.as_str()));
                    format!("there is no built-in template `{name}`; see `tooljudge templates list`{near}")
                })?;
            printer.data(source.trim_end());
        }
        TemplatesCommand::Check { file, rails } => {
            let template = panel::read_template(&file, &rails, &[])?;
            if let Some(unnamed) = panel::unnamed_labels(&template) {
                bail!("template {}: its text {unnamed}", file.display());
            }
            let labels = template.rails().labels().collect::<Vec<_>>();
            let passing: Vec<&str> =
                labels.iter().copied().filter(|label| template.rails().passes_label(label)).collect();
            let rails = labels.join(", ");
            let kind = match template.origin() {
                Origin::Jinja => "jinja, values fenced".to_owned(),
                Origin::Plain => "placeholders, values as they are".to_owned(),
                origin @ Origin::Prompty => format!("{}, values fenced", origin.as_str()),
                origin => format!("{}, values as they are", origin.as_str()),
            };
            let explains =
                if template.can_explain() { "yes" } else { "by a request that --explain adds at its end" };
            let shows: Vec<String> = template.variables().iter().map(ToString::to_string).collect();
            let shows = shows.join(", ");
            let mut found = format!(
                "{} is fine\n  name     {}\n  kind     {kind}\n  shows    {shows}\n  rails    {rails}\n",
                file.display(),
                template.name(),
            );
            // A template of ours names the one that passes; of others, what was understood is worth a look.
            if !matches!(template.origin(), Origin::Jinja | Origin::Plain) {
                found.push_str(&format!("  passes   {}\n", passing.join(", ")));
            }
            found.push_str(&format!("  explains {explains}"));
            for note in template.notes() {
                found.push_str(&format!("\n  note     {note}"));
            }
            printer.data(&wrapped(&found, "           ", printer.width_of_data()));
        }
    }
    Ok(Ending::Done)
}
