//! `resnap`: stored replies read again, by other rules or onto other rails.

use anyhow::bail;
use clap::Args;

use super::Ending;
use super::config::Config;
use super::defaults::Given;
use super::judging::Purpose;
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

pub fn run(args: ResnapArgs, config: &Config, given: &Given) -> anyhow::Result<Ending> {
    if args.label.dry_run.is_some()
        || args.label.judging.store.fresh
        || !args.label.judging.store.retry.is_empty()
    {
        bail!("resnap asks nobody: --dry-run, --fresh and --retry belong to `tooljudge label`");
    }
    super::label::run(&args.label, config, given, &Purpose::Resnap { rails: args.read_rails })
}
