//! Flags to validated settings: what is wrong with them is said before anything is judged or paid for.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use jiff::Timestamp;

use super::args::LabelArgs;
use super::judge_spec::JudgeSpec;
use super::model::Shared;
use super::panel::{self, Member, Named};
use super::wording;
use crate::cli::config::Config;
use crate::cli::defaults::Given;
use crate::cli::input::InputArgs;
use crate::cli::printer::Printer;
use crate::judge::Purse;
use crate::read::Format;
use crate::run::{Destination, Manifest, RunError, SampleRecord, Source};
use crate::store::{Store, StoreError};
use crate::write::{LabelColumns, Output, WriteError};

/// A run that can begin.
pub struct Plan {
    pub source: Arc<Source>,
    pub destination: Destination,
    pub manifest: Manifest,
    pub panel: Vec<Member>,
    /// Where replies are kept; absent where only the built-in judge judges.
    pub store: Option<Arc<Store>>,
}

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To ask judges and write what they say.
    Label,
    /// To see what would be asked.
    DryRun,
    /// To read stored replies again, with these rails where they are not the ones that were asked for.
    Resnap { rails: Vec<String> },
}

pub fn plan(
    args: &LabelArgs,
    config: &Config,
    given: &Given,
    purpose: &Purpose,
    printer: Printer,
) -> anyhow::Result<Plan> {
    let run = format!("{}-{:08x}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..));
    let judges = panel::judges(args, config)?;
    let models = check_flags(args, given, &judges, printer)?;
    let source = args.input.open(&args.inputs, false, printer)?;
    InputArgs::announce(&source, printer);
    let output = output(args, &source, purpose)?;
    let store = match models {
        0 => None,
        _ if *purpose == Purpose::DryRun && !args.store.store.exists() => None,
        _ if matches!(purpose, Purpose::Resnap { .. }) && !args.store.store.exists() => {
            return Err(StoreError::Missing { path: args.store.store.clone() }.into());
        }
        _ => Some(Arc::new(Store::open(&args.store.store, &run).map_err(RunError::from)?)),
    };
    let read_as = match purpose {
        Purpose::Resnap { rails } => wording::rails(rails).context("--rails")?,
        _ => None,
    };
    let mut shared = Shared {
        config,
        store: store.as_deref(),
        online: *purpose == Purpose::Label,
        purse: args.limits.max_cost.map(Purse::new),
        limiters: HashMap::new(),
    };
    let panel = panel::members(args, given, &judges, &mut shared, read_as)?;
    let destination = destination(args, &source, output, &panel)?;
    let manifest = Manifest {
        run,
        version: env!("CARGO_PKG_VERSION"),
        started_at: Timestamp::now().to_string(),
        inputs: inputs(&source).iter().map(|input| input.display().to_string()).collect(),
        filters: args.input.filters.iter().map(|(column, text)| format!("{column}={text}")).collect(),
        limit: args.input.limit,
        sample: args.input.sample.map(|rows| SampleRecord { rows, seed: args.input.seed }),
        panel: panel.iter().map(Member::record).collect(),
        store: store.as_ref().map(|store| store.path().display().to_string()),
    };
    Ok(Plan { source: Arc::new(source), destination, manifest, panel, store })
}

/// Warns of flags that do nothing and refuses those that could mean two things; returns how many judges are models.
fn check_flags(
    args: &LabelArgs,
    given: &Given,
    judges: &[Named<'_>],
    printer: Printer,
) -> anyhow::Result<usize> {
    let models = judges.iter().filter(|judge| judge.spec != JudgeSpec::Builtin).count();
    let found = |flags: &[&str]| -> Vec<String> {
        flags.iter().filter(|flag| given.has(flag)).map(|flag| format!("--{}", long(flag))).collect()
    };
    if models == 0 {
        if !args.wording.templates.is_empty()
            && args.wording.templates.iter().all(|name| name.parse::<crate::domain::Task>().is_err())
        {
            anyhow::bail!(
                "the built-in judge reads no template; choose a model with --judge, or a task with --task"
            );
        }
        let idle = found(MODEL_FLAGS);
        if !idle.is_empty() {
            printer.warn(&format!(
                "the built-in judge has no use for {}; choose a model with --judge",
                idle.join(", ")
            ));
        }
    }
    if models > 1 {
        let ambiguous = found(&["base_url", "api_key_env"]);
        if let Some(flag) = ambiguous.first() {
            anyhow::bail!(
                "{flag} describes one endpoint, and there are {models} model judges; give each its own in tooljudge.toml"
            );
        }
    }
    Ok(models)
}

/// Flags that only model judges heed, by their fields' names.
const MODEL_FLAGS: &[&str] = &[
    "rails",
    "explain",
    "votes",
    "snap",
    "base_url",
    "api_key_env",
    "temperature",
    "max_tokens",
    "timeout",
    "max_attempts",
    "max_wait",
    "concurrency",
    "rpm",
    "tpm",
    "itpm",
    "otpm",
    "max_cost",
    "store",
    "fresh",
    "retry",
    "keep_prompts",
];

fn long(field: &str) -> String {
    field.replace('_', "-")
}

fn inputs(source: &Source) -> Vec<&Path> {
    source.table.inputs().iter().map(|input| input.path.as_path()).collect()
}

fn output(args: &LabelArgs, source: &Source, purpose: &Purpose) -> anyhow::Result<Output> {
    let table = &source.table;
    let formats: Vec<(&Path, Format)> =
        table.inputs().iter().map(|input| (input.path.as_path(), input.format)).collect();
    let output = match &args.output {
        Some(path) => Output::new(path.clone(), args.to, formats[0].1)?,
        // A folder's files change; a table beside one of them would be read as another.
        None if !table.folders().is_empty() => return Err(WriteError::NoDefault.into()),
        None => Output::beside(&formats, args.to)?,
    };
    if *purpose != Purpose::DryRun {
        output.check(&inputs(source), table.folders(), args.result.force)?;
    }
    Ok(output)
}

fn destination(
    args: &LabelArgs,
    source: &Source,
    output: Output,
    panel: &[Member],
) -> anyhow::Result<Destination> {
    let labels: Vec<LabelColumns> = panel
        .iter()
        .map(|member| LabelColumns::new(&member.prefix, &member.judge, &member.criterion))
        .collect();
    let mut replaced = Vec::new();
    for labels in &labels {
        replaced.extend(labels.clashes(source.table.schema(), args.result.overwrite)?);
    }
    Ok(Destination { output, labels, replaced })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[derive(clap::Parser)]
    struct Flags {
        #[command(flatten)]
        _label: LabelArgs,
    }

    #[test]
    fn flags_are_named_as_they_are() {
        let flags = Flags::command();
        for field in MODEL_FLAGS {
            let flag = flags.get_arguments().find(|flag| flag.get_id() == *field);
            let flag = flag.unwrap_or_else(|| panic!("there is no flag {field}"));
            assert_eq!(flag.get_long(), Some(long(field).as_str()));
        }
    }
}
