//! The flags about judges: which, with which prompt, where, how fast, and where replies are kept.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::check::{BaseRate, Decide};
use crate::cli::named;
use crate::domain::{Status, Task, Unit};
use crate::judge::Concurrency;
use crate::snap::Rules;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Judges")]
pub struct JudgingArgs {
    /// The judge: `builtin`, `builtin:FILE` with a model of `tooljudge train`, PROVIDER:MODEL, or a name from tooljudge.toml. Can be
    /// repeated: each judge then has its own columns,
    /// PROVIDER_MODEL_TASK_label and so on [default: builtin]
    #[arg(long = "judge", value_name = "JUDGE")]
    pub judges: Vec<String>,

    /// Let the built-in judge look first, for free: what it settles by evidence is not sent to the models. `builtin`, or `builtin:FILE`
    /// with a model of `tooljudge train`
    #[arg(long, value_name = "JUDGE")]
    pub first: Option<String>,

    /// What to judge: tool_calling, tool_selection, parameter_extraction, tool_call_success, tool_response_handling, call_need,
    /// trajectory, task_completion or answer_correctness. Can be repeated [default: tool_calling]
    #[arg(long = "task", value_name = "TASK", value_parser = named::task(), hide_possible_values = true)]
    pub tasks: Vec<Task>,

    /// Judge each call of a turn by itself; the row's label is that of its worst call, and three columns tell of the calls one by one
    /// [default: turn]
    #[arg(long, value_name = "UNIT")]
    pub per: Option<Per>,

    /// Also list what is wrong, in the column `findings`: call, argument, kind, and the words of the row that show it
    #[arg(long)]
    pub findings: bool,

    /// The settings file: named judges, headers, prices, and defaults for these flags under [label] [default: tooljudge.toml, if it
    /// exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// When the built-in judge gives a label: `evidence`, only where it is nearly sure, or `always`. Rows without evidence get the status
    /// abstained, and their probability in p_correct [default: evidence]
    #[arg(long, value_name = "WHEN")]
    pub decide: Option<Decide>,

    /// The share of right calls that you expect: 0.9 for nine in ten. The built-in judge's labels and probabilities rest on it
    /// [default: 0.9 with --decide evidence, 0.5 with --decide always]
    #[arg(long, value_name = "SHARE")]
    pub base_rate: Option<BaseRate>,

    #[command(flatten)]
    pub wording: WordingArgs,
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// The choices of `--per`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Per {
    /// All calls of a turn together.
    Turn,
    /// Each call by itself.
    Call,
}

impl From<Per> for Unit {
    fn from(per: Per) -> Unit {
        match per {
            Per::Turn => Unit::Turn,
            Per::Call => Unit::Call,
        }
    }
}

/// The choices of `--scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    Five,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Wording (model judges)")]
pub struct WordingArgs {
    /// A template file, or the name of a built-in template. Can be repeated [default: the template of the task]
    #[arg(long = "template", value_name = "NAME|FILE")]
    pub templates: Vec<String>,

    /// The labels of a template that declares none, the one for right calls first
    #[arg(long, value_name = "LABEL,LABEL", value_delimiter = ',')]
    pub rails: Vec<String>,

    /// Ask for five grades, all_right to wrong, instead of right or wrong; for tool_selection and parameter_extraction
    #[arg(long, value_name = "SCALE")]
    pub scale: Option<Scale>,

    /// Ask for an explanation before the label
    #[arg(long)]
    pub explain: bool,

    /// Ask each question K times; the label with the most votes wins, and its share is the confidence. K must be odd [default: 1]
    #[arg(long, value_name = "K", value_parser = votes)]
    pub votes: Option<NonZeroU32>,

    /// How to read labels from replies: `careful`, or `legacy` as Phoenix 2 does [default: careful]
    #[arg(long, value_name = "RULES")]
    pub snap: Option<Rules>,
}

/// The flags that an entry of `[judges]` can set for its judge alone.
#[derive(Debug, Clone, Default, Args)]
pub struct JudgeFlags {
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Endpoint (model judges)")]
pub struct EndpointArgs {
    /// Base URL of the API, for a local server or a gateway [default: the provider's; for openai, OPENAI_BASE_URL]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Allow unencrypted http:// to a host other than this machine: rows and keys are then sent in clear text
    #[arg(long)]
    pub allow_http: bool,

    /// The environment variable with the API key [default: the provider's usual one, such as OPENAI_API_KEY]
    #[arg(long, value_name = "NAME")]
    pub api_key_env: Option<String>,

    /// Sampling temperature; not sent if the endpoint refuses it [default: 0; with several votes 1]
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub temperature: Option<f64>,

    /// Maximum tokens of an answer, reasoning included [default: for local servers 512, with --explain 1024, more for reasoning
    /// models; otherwise none]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<NonZeroU32>,

    /// Timeout of one attempt, in seconds [default: 120]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,

    /// Attempts for one row, retries included, before it counts as errored [default: 6]
    #[arg(long, value_name = "N")]
    pub max_attempts: Option<NonZeroU32>,

    /// The longest wait that an endpoint may ask for, in seconds; a longer one stops the run [default: 600]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub max_wait: Option<f64>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits (model judges)")]
pub struct LimitArgs {
    /// Requests in flight at once; `auto` adapts to what the endpoint can serve [default: auto]
    #[arg(long, value_name = "N|auto")]
    pub concurrency: Option<Concurrency>,

    /// Rate limit: requests per minute
    #[arg(long, value_name = "N")]
    pub rpm: Option<NonZeroU32>,

    /// Rate limit: tokens per minute, prompts and answers together
    #[arg(long, value_name = "N")]
    pub tpm: Option<NonZeroU32>,

    /// Rate limit: prompt tokens per minute
    #[arg(long, value_name = "N")]
    pub itpm: Option<NonZeroU32>,

    /// Rate limit: answer tokens per minute
    #[arg(long, value_name = "N")]
    pub otpm: Option<NonZeroU32>,

    /// Ignore the endpoint's rate limit headers (`x-ratelimit-*`, `anthropic-ratelimit-*`); refusals (429) and the waits that they
    /// ask for are still respected
    #[arg(long)]
    pub ignore_rate_headers: bool,

    /// Cost limit of this run in US dollars, failed requests included; needs --max-tokens
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Store (model judges)")]
pub struct StoreArgs {
    /// The store (cache) of the replies: a file, or postgres://USER@HOST/DATABASE (password in PGPASSWORD) [default:
    /// .tooljudge/replies.sqlite]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Ignore stored replies, and send all requests again
    #[arg(long)]
    pub fresh: bool,

    /// Retry rows that ended with this status: unparseable, refused, filtered, empty, truncated
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', value_parser = status)]
    pub retry: Vec<Status>,

    /// Also keep the prompts in the store
    #[arg(long)]
    pub keep_prompts: bool,
}

impl JudgingArgs {
    /// The flags given that only model judges use.
    pub fn of_models(&self) -> Vec<&'static str> {
        let JudgingArgs { wording, limits, store, .. } = self;
        let wording = given([
            ("--explain", wording.explain),
            ("--votes", wording.votes.is_some()),
            ("--snap", wording.snap.is_some()),
        ]);
        let others = given([
            ("--concurrency", limits.concurrency.is_some()),
            ("--rpm", limits.rpm.is_some()),
            ("--tpm", limits.tpm.is_some()),
            ("--itpm", limits.itpm.is_some()),
            ("--otpm", limits.otpm.is_some()),
            ("--ignore-rate-headers", limits.ignore_rate_headers),
            ("--max-cost", limits.max_cost.is_some()),
            ("--store", store.store.is_some()),
            ("--fresh", store.fresh),
            ("--retry", !store.retry.is_empty()),
            ("--keep-prompts", store.keep_prompts),
        ]);
        wording.chain(self.of_endpoints()).chain(others).collect()
    }

    /// The given ones that only model judges behind an endpoint use.
    pub fn of_endpoints(&self) -> Vec<&'static str> {
        let endpoint = &self.endpoint;
        let flags = given([
            ("--base-url", endpoint.base_url.is_some()),
            ("--allow-http", endpoint.allow_http),
            ("--api-key-env", endpoint.api_key_env.is_some()),
            ("--temperature", endpoint.temperature.is_some()),
            ("--max-tokens", endpoint.max_tokens.is_some()),
            ("--timeout", endpoint.timeout.is_some()),
            ("--max-attempts", endpoint.max_attempts.is_some()),
            ("--max-wait", endpoint.max_wait.is_some()),
        ]);
        flags.collect()
    }
}

fn given<const N: usize>(flags: [(&'static str, bool); N]) -> impl Iterator<Item = &'static str> {
    flags.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag))
}

pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // The shortest is what a clock can tell.
        Ok(seconds) if (1e-3..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(temperature) if (0.0..=100.0).contains(&temperature) => Ok(temperature),
        _ => Err("expected a number from 0; most providers take up to 1 or 2".to_owned()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(dollars) if dollars > 0.0 && dollars <= 1e6 => Ok(dollars),
        _ => Err("expected an amount of US dollars above 0".to_owned()),
    }
}

fn votes(text: &str) -> Result<NonZeroU32, String> {
    match text.parse::<NonZeroU32>() {
        Ok(votes) if votes.get() % 2 == 1 => Ok(votes),
        _ => Err("expected an odd number, so that two labels cannot tie".to_owned()),
    }
}

fn status(text: &str) -> Result<Status, String> {
    use Status::{Empty, Filtered, Refused, Truncated, Unparseable};
    [Unparseable, Refused, Filtered, Empty, Truncated]
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| {
            "only unparseable, refused, filtered, empty and truncated can be retried; errored rows always are"
                .to_owned()
        })
}
