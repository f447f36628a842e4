//! `resnap`: reads stored replies again, with other rules or other labels.

use anyhow::bail;
use clap::Args;

use super::Ending;
use super::config::Config;
use super::host::Host;
use super::label;
use super::label::args::LabelArgs;
use super::layers::{Layered, Section};

/// Read stored replies again, with other rules or other labels, without a network.
///
/// Give the flags of the `label` run that stored the replies, and what to read differently: --snap for other rules, --read-rails
/// for other labels. Rows that were never asked get status not_asked.
#[derive(Debug, Clone, Default, Args)]
pub struct ResnapArgs {
    #[command(flatten)]
    pub label: LabelArgs,

    /// Labels to read from the replies, the one for right calls first, instead of those that were asked for
    #[arg(long, value_name = "LABEL,LABEL", value_delimiter = ',')]
    pub read_rails: Vec<String>,
}

/// What of the settings file is for `resnap`: what `label` has too, but for what sends requests.
pub const SECTION: Section =
    Section { command: "resnap", except: &["dry_run", "fresh", "retry"], ..label::args::SECTION };

pub fn run(args: Layered<ResnapArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Layered { typed, args: ResnapArgs { label, read_rails }, origins } = args;
    if label.dry_run.is_some() || label.judging.store.fresh || !label.judging.store.retry.is_empty() {
        bail!(
            "resnap sends no requests, so it does not take --dry-run, --fresh and --retry; use `tooljudge label`"
        );
    }
    if label.judging.judges.is_empty() {
        bail!(
            "resnap reads stored replies again: name the judge that gave them, as --judge openai:gpt-5-mini. The built-in judge \
             keeps none: --judge builtin judges again"
        );
    }
    let label = Layered { typed: typed.label, args: label, origins };
    label::resnap(label, read_rails, config, host)
}
