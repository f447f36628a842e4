//! Flags that do nothing, or could mean two things.

use anyhow::bail;

use super::args::JudgingArgs;
use super::judge_spec::JudgeSpec;
use super::panel::Named;
use super::wording;
use crate::cli::defaults::Given;
use crate::cli::printer::Printer;
use crate::domain::Task;

/// Warns of flags that do nothing and refuses those that could mean two things.
pub fn check(
    args: &JudgingArgs,
    given: &Given,
    judges: &[Named<'_>],
    printer: Printer,
) -> anyhow::Result<()> {
    let models = judges.iter().filter(|judge| judge.spec != JudgeSpec::Builtin).count();
    let found = |flags: &[&str]| -> Vec<String> {
        flags.iter().filter(|flag| given.has(flag)).map(|flag| format!("--{}", long(flag))).collect()
    };
    if models == 0 {
        if !args.wording.templates.is_empty()
            && args.wording.templates.iter().all(|name| name.parse::<Task>().is_err())
        {
            bail!("the built-in judge reads no template; choose a model with --judge, or a task with --task");
        }
        let idle = [found(MODEL_FLAGS), found(&[REPEAT])].concat();
        if !idle.is_empty() {
            printer.warn(&format!(
                "the built-in judge has no use for {}; choose a model with --judge",
                idle.join(", ")
            ));
        }
    }
    if models == judges.len() && args.base_rate.is_some() {
        printer.warn("--base-rate is of use to the built-in judge only; choose it with --judge builtin");
    }
    if models > 0 {
        wording::remarks(args)?.iter().for_each(|remark| printer.warn(remark));
    }
    if models > 1 {
        let ambiguous = found(&["base_url", "api_key_env"]);
        if let Some(flag) = ambiguous.first() {
            bail!(
                "{flag} describes one endpoint, and there are {models} model judges; give each its own in tooljudge.toml"
            );
        }
    }
    Ok(())
}

/// Flags that only model judges heed, by their fields' names.
const MODEL_FLAGS: &[&str] = &[
    "rails",
    "explain",
    "votes",
    "snap",
    "base_url",
    "allow_http",
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
    "ignore_rate_headers",
    "max_cost",
    "store",
    "fresh",
    "retry",
    "keep_prompts",
];

/// One more, of `bench` only.
const REPEAT: &str = "repeat";

fn long(field: &str) -> String {
    field.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::bench::args::BenchArgs;

    #[derive(clap::Parser)]
    struct Flags {
        #[command(flatten)]
        _bench: BenchArgs,
    }

    #[test]
    fn flags_are_named_as_they_are() {
        let flags = Flags::command();
        for field in MODEL_FLAGS.iter().chain([&REPEAT]) {
            let flag = flags.get_arguments().find(|flag| flag.get_id() == *field);
            let flag = flag.unwrap_or_else(|| panic!("there is no flag {field}"));
            assert_eq!(flag.get_long(), Some(long(field).as_str()));
        }
    }
}
