//! The flags of `score`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::flags::keys;
use crate::cli::input::{column, count, pair};
use crate::cli::judging::args::{EndpointArgs, JudgingArgs, LimitArgs, StoreArgs, WordingArgs};
use crate::cli::label::args::share;
use crate::cli::layers::Section;
use crate::cli::named;
use crate::cli::spreadsheet::SpreadsheetArgs;
use crate::domain::Slot;
use crate::run::settings::InputKind;
use crate::write::OutputFormat;

/// Score tool calls against expected calls: deterministic, offline, no model.
///
/// Reads cases in the form of each scorer's peer (the tool whose metric it reimplements) (`tools_called` and `expected_tools`,
/// `toolCalls` and `expectedTools`, `run` and `example`, `outputs` and `reference_outputs`, `predicted_trajectory` and
/// `reference_trajectory`, `actions` and `expected_actions`, `user_input` and `reference_tool_calls`, `test` and `tool_calls`,
/// `functions`, `call` and `possible_answer`), or any table with the columns tool_call and expected_tool_calls. By default, each scorer fixes the peer's known bugs; --compat PEER
/// reproduces the peer's exact numbers. Only with --judge is a model asked, for the parts of a metric for which its peer asks one.
#[derive(Debug, Clone, Default, Args)]
pub struct ScoreArgs {
    /// Cases to score: .jsonl, .json, .csv, .parquet and so on; files, globs, folders; `-` is the standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<String>,

    /// The scorer; `tooljudge score --scorers` lists them [default: the one that --compat implies, or that the cases' keys
    /// indicate]
    #[arg(long, value_name = "NAME", value_parser = named::scorer(), hide_possible_values = true)]
    pub scorer: Option<String>,

    /// Reproduce the numbers of this peer, bugs and exceptions included: deepeval, vitest-evals, vitest-evals@0.4,
    /// vitest-evals@0.16, langchain, agentevals, ragas, adk, azure, article, bfcl
    #[arg(long, value_name = "PEER")]
    pub compat: Option<String>,

    /// Write the cases with their scores to this file [default: not written; the summary is printed]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Output format: csv, tsv, ssv, jsonl, json (also with .gz or .zst), parquet or arrow [default: by the file extension]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<OutputFormat>,

    /// List the scorers, and the peers that each can reproduce
    #[arg(long)]
    pub scorers: bool,

    /// The settings file: defaults for these flags under [score] [default: tooljudge.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub cases: CaseArgs,
    #[command(flatten)]
    pub scoring: SettingArgs,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub bfcl: BfclArgs,
    #[command(flatten)]
    pub result: GateArgs,
    #[command(flatten)]
    pub spreadsheet: SpreadsheetArgs,
}

/// What of the settings file is for `score`.
pub const SECTION: Section =
    Section { name: "score", command: "score", keys: keys::<ScoreArgs>, except: &["scorers"] };

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct CaseArgs {
    /// The format of all inputs, instead of detection: csv, tsv, ssv (semicolons), jsonl, json, parquet or arrow
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<InputKind>,

    /// Column names that differ from the usual ones: tool_call=calls, expected_tool_calls=gold_calls, tool_definitions=...
    #[arg(long = "column", value_name = "WHAT=COLUMN", value_parser = column)]
    pub columns: Vec<(Slot, String)>,

    /// Only rows in which the column has exactly this value. Can be repeated
    #[arg(long = "where", value_name = "COLUMN=TEXT", value_parser = pair)]
    pub filters: Vec<(String, String)>,

    /// Score at most N cases; 1k and 2M are valid
    #[arg(long, value_name = "N", value_parser = count)]
    pub limit: Option<u64>,
}

/// Settings of the scorers. A setting that the scorer does not have is an error. A case's own `config` counts more.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings of the scorers (by their peers' names)")]
pub struct SettingArgs {
    /// The lowest score that passes [tool_correctness (0.5 by default), tool_evaluator (0.8), tool_call (1), trajectory with --metric,
    /// tool_permission, loop_detection]
    #[arg(long, value_name = "SCORE", value_parser = share)]
    pub threshold: Option<f64>,

    /// Only a perfect score passes; any other score becomes 0 [tool_correctness]
    #[arg(long)]
    pub strict: bool,

    /// Compare more than names: input_parameters, output [tool_correctness]
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub evaluate: Vec<String>,

    /// Calls must come in the expected order [tool_correctness]
    #[arg(long)]
    pub consider_ordering: bool,

    /// Calls must be the expected ones exactly [tool_correctness]
    #[arg(long)]
    pub exact_match: bool,

    /// Calls must come in the expected order [tool_call]
    #[arg(long)]
    pub ordered: bool,

    /// Whether every expected call must be there [tool_call]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub require_all: Option<bool>,

    /// Whether there may be other calls than the expected ones, also where none is expected [default: true] [tool_call]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub allow_extras: Option<bool>,

    /// How arguments are compared: strict or fuzzy [tool_call]
    #[arg(long, value_name = "MODE")]
    pub params: Option<String>,

    /// Relative tolerance for numbers, with --params fuzzy [tool_call]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub tolerance: Option<f64>,

    /// Whether steps must come in the expected order [trajectory]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub order_matters: Option<bool>,

    /// How trajectories must match: strict, unordered, in_order, any_order (also superset), subset [trajectory]
    #[arg(long = "match", value_name = "MODE")]
    pub match_mode: Option<String>,

    /// Which arguments count in trajectories: ignore, exact, subset, superset, partial [trajectory; default: exact for calls in
    /// messages and for Vertex' and Ragas' calls, else ignore]
    #[arg(long, value_name = "MODE")]
    pub args: Option<String>,

    /// The figure that is the score: match, precision, recall, f1, single_tool_use, or Vertex' and Ragas' names [trajectory]
    #[arg(long, value_name = "FIGURE")]
    pub metric: Option<String>,

    /// Tools that may be called [tool_permission]
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',')]
    pub allowed_tools: Vec<String>,

    /// Tools that may not be called [tool_permission]
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',')]
    pub denied_tools: Vec<String>,

    /// Any other setting, under the peer's own name: fuzzyOptions={"substring":false}
    #[arg(long = "set", value_name = "NAME=JSON", value_parser = pair)]
    pub others: Vec<(String, String)>,
}

/// Who answers where a scorer's peer asks a model.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Judge")]
pub struct JudgeArgs {
    /// Ask a judge what the scorer's peer asks a model: whether the right ones of the available tools were chosen [tool_correctness],
    /// whether the answer agrees with the reference [trajectory]. `builtin`, PROVIDER:MODEL, or a name from tooljudge.toml
    #[arg(long, value_name = "JUDGE")]
    pub judge: Option<String>,

    /// A template file for the judge [default: that of the task, tool_selection with five grades or answer_correctness]
    #[arg(long, value_name = "FILE")]
    pub template: Option<String>,

    /// Ask for an explanation before the label; it becomes part of the reason
    #[arg(long)]
    pub explain: bool,

    #[command(flatten)]
    pub endpoint: EndpointArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "BFCL's own files")]
pub struct BfclArgs {
    /// BFCL's questions (BFCL_v4_multiple.json)
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,

    /// Their accepted answers (possible_answer/BFCL_v4_multiple.json)
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,

    /// A model's answers: a list of `{name: arguments}`, or text in call syntax
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// The model wrote underscores, because it could not use dots in names
    #[arg(long)]
    pub underscore_to_dot: bool,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Result")]
pub struct GateArgs {
    /// Exit with code 1 if fewer than this share of the cases passes [default: all must pass]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min_pass_rate: Option<f64>,

    /// Exit with code 0 although cases fail, if no --min-pass-rate is given
    #[arg(long)]
    pub allow_failures: bool,

    /// Exit with code 0 if the input has no cases; by default, that is an error
    #[arg(long)]
    pub allow_empty: bool,

    /// Write a JUnit XML report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Also write a page of all cases, an HTML file that opens offline: those that fail first, each with the expected calls beside
    /// those that were made; filters and search
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Prefix for the names of the added columns
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,

    /// Let the added columns replace input columns of the same name
    #[arg(long, conflicts_with = "prefix")]
    pub overwrite: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl JudgeArgs {
    /// The same as flags of `label`.
    pub fn judging(&self) -> JudgingArgs {
        let wording = WordingArgs {
            templates: self.template.iter().cloned().collect(),
            explain: self.explain,
            ..WordingArgs::default()
        };
        JudgingArgs {
            judges: self.judge.iter().cloned().collect(),
            wording,
            endpoint: self.endpoint.clone(),
            limits: self.limits.clone(),
            store: self.store.clone(),
            ..JudgingArgs::default()
        }
    }
}
