//! The flags of `drive`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::cli::flags::keys;
use crate::cli::input::{count, pair};
use crate::cli::judging::args::{EndpointArgs, JudgingArgs, LimitArgs, StoreArgs, WordingArgs, seconds};
use crate::cli::label::args::share;
use crate::cli::layers::Section;
use crate::cli::named;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::write::OutputFormat;

/// Drive agents through cases with mocked tools, and score what they call.
///
/// Reads suites of cases (TOML, YAML, JSON, JSON Lines), lets each agent answer and call tools until it has finished, executes the calls
/// by the suite's mocks, and scores calls and answers against what the case expects. LangChain Benchmarks' four tool-usage tasks are
/// built in. Replies are stored: run the same command again to resume a run that was stopped; what it had is not paid for twice. With
/// -v, each step of an agent is told as it happens, in --log-file too.
#[derive(Debug, Clone, Default, Args)]
pub struct DriveArgs {
    /// Suites: .toml, .yaml, .json or .jsonl; or tasks of LangChain Benchmarks: langchain:typewriter-1, langchain:typewriter-26,
    /// langchain:relational, langchain:multiverse, or 'langchain:*' for all four
    #[arg(required_unless_present = "tasks", value_name = "SUITE")]
    pub inputs: Vec<String>,

    /// The agent: PROVIDER:MODEL, a name from tooljudge.toml, or script:FILE for replies that are written down. An agent of your own is a
    /// program, exec:COMMAND, or a server, http://... or https://... Can be repeated
    #[arg(long = "agent", value_name = "AGENT")]
    pub agents: Vec<String>,

    /// What names the agents' code, such as a commit. Replies that the same version gave in earlier runs are used again [default: every
    /// run asks anew. After a stopped run, models go on, and agents of your own begin again]
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub agent_version: Option<String>,

    /// Files with the agents' code, as a pattern such as 'agent/**/*.py' or 'agent/**': a hash of their contents is part of the version.
    /// Can be repeated
    #[arg(long = "agent-files", value_name = "GLOB")]
    pub agent_files: Vec<String>,

    /// The time that an agent of your own has for an episode, in seconds [default: 300]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub agent_timeout: Option<f64>,

    /// Keep the program of exec:COMMAND for further cases, instead of starting it for each
    #[arg(long)]
    pub agent_keep: bool,

    /// Write the episodes with their scores to this file, a row for each [default: not written; the summary is printed]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the agents' turns to this file, a row for each: what `label`, `score`, `bench` and `convert` read
    #[arg(long, value_name = "FILE")]
    pub turns: Option<PathBuf>,

    /// The format of both files: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extensions]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// Dry run: send nothing, print what each agent would be asked first in N episodes, and an estimate of tokens and cost
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub dry_run: Option<usize>,

    /// List the built-in tasks
    #[arg(long)]
    pub tasks: bool,

    /// The settings file: named agents, headers, prices, and defaults for these flags under [drive] [default: tooljudge.toml, if it
    /// exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub cases: CaseArgs,
    #[command(flatten)]
    pub scoring: ScoringArgs,
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,
}

/// What of the settings file is for `drive`.
pub const SECTION: Section =
    Section { name: "drive", command: "drive", keys: keys::<DriveArgs>, except: &["tasks"] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Cases")]
pub struct CaseArgs {
    /// Drive every case N times; the summary then tells pass@k and pass^k [default: 1]
    #[arg(long, value_name = "N")]
    pub repeats: Option<NonZeroU32>,

    /// Only the case with this id. Can be repeated
    #[arg(long = "case", value_name = "ID")]
    pub ids: Vec<String>,

    /// Only the cases of this category. Can be repeated
    #[arg(long = "category", value_name = "NAME")]
    pub categories: Vec<String>,

    /// At most N cases; 1k and 2M are valid
    #[arg(long, value_name = "N", value_parser = count)]
    pub limit: Option<u64>,

    /// A file with the instructions (the system message) of all cases, in place of their own; {system} in it stands for those
    #[arg(long, value_name = "FILE")]
    pub system: Option<PathBuf>,

    /// The most replies that an agent has in an episode, where the suite does not say [default: 15]
    #[arg(long, value_name = "N")]
    pub max_steps: Option<NonZeroU32>,

    /// Other examples for a task of LangChain Benchmarks: an export of its data set, .json or .jsonl
    #[arg(long, value_name = "FILE")]
    pub examples: Option<PathBuf>,

    /// Follow the loop of this peer, and give its scores: langchain (for its tasks) or article (for suites)
    #[arg(long, value_name = "PEER")]
    pub compat: Option<String>,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Scores")]
pub struct ScoringArgs {
    /// The scorer of suites; `tooljudge score --scorers` lists them [default: tool_evaluator]
    #[arg(long, value_name = "NAME", value_parser = named::scorer(), hide_possible_values = true)]
    pub scorer: Option<String>,

    /// A setting of the scorer, under its own name: threshold=0.9
    #[arg(long = "set", value_name = "NAME=JSON", value_parser = pair)]
    pub settings: Vec<(String, String)>,

    /// Ask this judge whether answers agree with their references: PROVIDER:MODEL, or a name from tooljudge.toml. --base-url is the
    /// agent's; a judge at another address needs a name
    #[arg(long, value_name = "JUDGE")]
    pub grade: Option<String>,

    /// A template file for --grade [default: that of the task answer_correctness]
    #[arg(long, value_name = "FILE")]
    pub template: Option<String>,

    /// Add the columns `gold` and `trajectory_label` to the episodes: `correct` where the episode passed. `bench --task trajectory`
    /// then measures judges against it
    #[arg(long)]
    pub gold: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Result")]
pub struct ResultArgs {
    /// Exit with code 1 if fewer than this share of the scored episodes passes, of any agent [default: all must pass, unless another
    /// gate is given]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_pass_rate: Option<f64>,

    /// Exit with code 0 although episodes fail, if no gate is given
    #[arg(long)]
    pub allow_failures: bool,

    /// Exit with code 1 if pass^K, the chance that all of K tries pass, is below SHARE. Needs at least K repeats
    #[arg(long, value_name = "K=SHARE")]
    pub min_pass_hat: Option<PassHat>,

    /// Exit with code 1 if more than this share of the episodes has no score [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub allow_unscored: Option<f64>,

    /// Exit with code 1 if an agent is shown to do worse than in these episodes, which an earlier `drive -o` wrote
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Add the results to this file, a line for each agent: `trend` shows how they change from run to run. It holds counts, names and
    /// hashes
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,

    /// The experiment that the run is of, for --history, --json and the record beside the outputs
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub experiment: Option<String>,

    /// What else the records say of the run: branch=main. Can be repeated
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = pair)]
    pub tags: Vec<(String, String)>,

    /// Write a JUnit XML report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Show a line for each episode: PASS or FAIL, its id, score and latency, and the first two issues
    #[arg(long)]
    pub each: bool,

    /// Overwrite output files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// The least that pass^k must be for some k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassHat {
    pub k: NonZeroU32,
    pub least: f64,
}

impl FromStr for PassHat {
    type Err = String;

    fn from_str(text: &str) -> Result<PassHat, String> {
        let form = || format!("`{text}` is not K=SHARE, as in 4=0.8");
        let (k, least) = text.split_once('=').ok_or_else(form)?;
        Ok(PassHat {
            k: k.trim().parse().map_err(|_| form())?,
            least: share(least.trim()).map_err(|_| form())?,
        })
    }
}

/// The flags of endpoint and limits that hold for the judge that grades, too.
pub const GRADING: &[&str] = &["allow_http", "timeout", "max_attempts", "max_wait", "max_tokens", "max_cost"];

impl DriveArgs {
    /// The agents' settings as flags of `label`.
    pub fn judging(&self, agents: Vec<String>) -> JudgingArgs {
        JudgingArgs {
            judges: agents,
            endpoint: self.endpoint.clone(),
            limits: self.limits.clone(),
            store: self.store.clone(),
            ..JudgingArgs::default()
        }
    }

    /// The same of the judge that grades: limits and store are shared, the endpoint is its own.
    pub fn grading(&self) -> JudgingArgs {
        let wording = WordingArgs {
            templates: self.scoring.template.iter().cloned().collect(),
            ..WordingArgs::default()
        };
        let endpoint = EndpointArgs {
            allow_http: self.endpoint.allow_http,
            timeout: self.endpoint.timeout,
            max_attempts: self.endpoint.max_attempts,
            max_wait: self.endpoint.max_wait,
            max_tokens: self.endpoint.max_tokens,
            ..EndpointArgs::default()
        };
        JudgingArgs {
            judges: self.scoring.grade.iter().cloned().collect(),
            wording,
            endpoint,
            limits: LimitArgs { max_cost: self.limits.max_cost, ..LimitArgs::default() },
            store: self.store.clone(),
            ..JudgingArgs::default()
        }
    }
}
