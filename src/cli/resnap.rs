//! `resnap`: stored replies read again, by other rules or onto other rails.

use anyhow::bail;
use clap::Args;

use super::Ending;
use super::config::{Config, Environment};
use super::label::args::LabelArgs;

/// Read stored replies again and write the labels: other rules, other rails, no network.
///
/// Give the flags of the `label` run whose replies are meant, and what is to be read differently: --snap for other rules,
/// --read-rails for other labels. Rows that were never asked are not_asked.
#[derive(Debug, Args)]
pub struct ResnapArgs {
    #[command(flatten)]
    pub label: LabelArgs,

    /// Labels to read out of the replies, the good one first, instead of those that were asked for
    #[arg(long, value_name = "LABEL,LABEL", value_delimiter = ',')]
    pub read_rails: Vec<String>,
}

pub fn run(args: ResnapArgs, config: &Config, environment: Environment) -> anyhow::Result<Ending> {
    let ResnapArgs { label, read_rails } = args;
    if label.dry_run.is_some() || label.judging.store.fresh || !label.judging.store.retry.is_empty() {
        bail!("resnap asks nobody: --dry-run, --fresh and --retry belong to `tooljudge label`");
    }
    super::label::resnap(label, read_rails, config, environment)
}
