//! Additions to the flags' help texts: examples at the end of every `--help`, and a short selection of flags for `-h`.
//!
//! A test parses each example; the documentation shows their output, and its tests run them.

/// A command's name, and its examples: what one wants, and the command that does it.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: &[Examples] = &[
    (
        "label",
        &[
            ("Label a table offline, with the built-in judge", "tooljudge label calls.csv"),
            (
                "Ask a model; the key comes from OPENAI_API_KEY",
                "tooljudge label calls.parquet --judge openai:gpt-5-mini -o labeled.parquet",
            ),
            (
                "Show the prompts and the cost first; nothing is sent",
                "tooljudge label calls.csv --judge openai:gpt-5-mini --dry-run 2",
            ),
            (
                "Ask a local server",
                "tooljudge label traces.jsonl --judge vllm:my-model --base-url http://localhost:8000/v1",
            ),
        ],
    ),
    (
        "convert",
        &[
            ("Show what a log holds, without writing a file", "tooljudge convert traces.jsonl --summary"),
            ("Convert a log to rows for `label`", "tooljudge convert traces.jsonl -o calls.parquet"),
        ],
    ),
    (
        "resnap",
        &[(
            "Read stored replies again, by the rules of Phoenix 2",
            "tooljudge resnap calls.csv --judge openai:gpt-5-mini --snap legacy -o again.csv",
        )],
    ),
    (
        "score",
        &[
            (
                "Score calls against the expected ones",
                "tooljudge score cases.jsonl --scorer tool_correctness",
            ),
            (
                "Reproduce DeepEval's numbers, as a CI gate",
                "tooljudge score cases.jsonl --scorer tool_correctness --compat deepeval --min-pass-rate 0.9 --junit report.xml",
            ),
        ],
    ),
    (
        "drive",
        &[
            (
                "Try a suite offline, with written replies",
                "tooljudge drive datasets/weather.toml --agent script:datasets/weather_script.jsonl",
            ),
            (
                "Drive a model through it, as a CI gate",
                "tooljudge drive datasets/weather.toml --agent openai:gpt-5-mini -o episodes.jsonl --min-pass-rate 0.9 --junit report.xml",
            ),
            (
                "Compare two models on a task of LangChain Benchmarks, four times each",
                "tooljudge drive langchain:multiverse --agent openai:gpt-5-mini --agent anthropic:claude-haiku-4-5 --repeats 4",
            ),
        ],
    ),
    (
        "bench",
        &[
            ("Measure the built-in judge", "tooljudge bench datasets/benchmark.jsonl"),
            (
                "Compare two judges, with an HTML report",
                "tooljudge bench gold.csv --judge builtin --judge openai:gpt-5-mini --report bench.html",
            ),
            (
                "Fail a CI build if the judge is too weak",
                "tooljudge bench gold.csv --min-balanced-accuracy 0.8",
            ),
        ],
    ),
    (
        "next",
        &[
            ("Draw 20 rows to mark", "tooljudge next labeled.parquet -n 20 -o todo.csv"),
            ("Then: how many calls of the log are right?", "tooljudge label log.jsonl --errata todo.csv"),
            (
                "Draw 20 more, the less sure rows more often",
                "tooljudge next labeled.parquet --gold todo.csv --queue active -o todo2.csv",
            ),
        ],
    ),
    (
        "review",
        &[
            ("Look at the labels and mark them", "tooljudge review labeled.parquet"),
            ("Another reviewer, with marks of their own", "tooljudge review labeled.parquet --reviewer ben"),
            ("The marks as a table of gold", "tooljudge review export labeled.parquet -o gold.csv"),
        ],
    ),
    (
        "merge",
        &[(
            "Label a table by two processes, then join what they wrote",
            "tooljudge merge part0.parquet part1.parquet -o labeled.parquet",
        )],
    ),
    (
        "compare",
        &[("Is the second judge better on the same rows?", "tooljudge compare before.csv after.csv")],
    ),
    (
        "trend",
        &[
            ("Is the agent getting better or worse, run by run?", "tooljudge trend history.jsonl"),
            ("Fail a build if it is shown to do worse", "tooljudge trend history.jsonl --max-drop 0"),
        ],
    ),
    (
        "audit",
        &[("Does planted text change the labels?", "tooljudge audit calls.csv --judge openai:gpt-5-mini")],
    ),
    (
        "gold",
        &[(
            "Generate a test set from calls that are known to be right",
            "tooljudge gold right_calls.jsonl -o gold.jsonl --seed 1",
        )],
    ),
    (
        "train",
        &[
            (
                "Measure what your labels would change, without writing a file",
                "tooljudge train labeled.parquet --gold gold --dry-run",
            ),
            (
                "Train the built-in judge, then label with it",
                "tooljudge train labeled.parquet --gold gold -o mine.model",
            ),
            (
                "Compare it with the judge as shipped, on other rows",
                "tooljudge bench other.parquet --judge builtin --judge builtin:mine.model",
            ),
        ],
    ),
    (
        "suite",
        &[(
            "Turn calls that were labeled correct into regression cases",
            "tooljudge suite from-log labeled.parquet --where label=correct -o regress.jsonl",
        )],
    ),
    ("store", &[("Show what the store holds and what it cost", "tooljudge store stat")]),
    (
        "templates",
        &[("Print a built-in template, as a start for your own", "tooljudge templates show tool_calling")],
    ),
    ("privacy", &[("Read it in a pager", "tooljudge privacy")]),
    ("completions", &[("Load completions into this bash", "source <(tooljudge completions bash)")]),
    ("man", &[("Write all manual pages to a folder", "tooljudge man share/man/man1")]),
];

/// What `-h` shows of commands with many flags; `--help` has all of them.
const ESSENTIAL: &[(&str, &[&str])] = &[
    (
        "resnap",
        &[
            "inputs",
            "output",
            "snap",
            "read_rails",
            "judges",
            "tasks",
            "templates",
            "base_url",
            "store",
            "columns",
            "limit",
            "report",
            "json",
        ],
    ),
    (
        "score",
        &[
            "inputs",
            "scorer",
            "compat",
            "output",
            "scorers",
            "columns",
            "limit",
            "threshold",
            "ordered",
            "allow_extras",
            "params",
            "judge",
            "min_pass_rate",
            "allow_failures",
            "junit",
            "json",
        ],
    ),
    (
        "label",
        &[
            "inputs",
            "output",
            "report",
            "judges",
            "tasks",
            "templates",
            "explain",
            "base_url",
            "rpm",
            "max_cost",
            "columns",
            "limit",
            "dry_run",
            "json",
        ],
    ),
    (
        "drive",
        &[
            "inputs",
            "agents",
            "output",
            "turns",
            "tasks",
            "repeats",
            "limit",
            "grade",
            "base_url",
            "rpm",
            "max_cost",
            "min_pass_rate",
            "junit",
            "dry_run",
            "json",
        ],
    ),
    (
        "bench",
        &[
            "inputs",
            "gold",
            "judges",
            "tasks",
            "templates",
            "base_url",
            "max_cost",
            "reports",
            "limit",
            "dry_run",
            "min_balanced_accuracy",
            "json",
        ],
    ),
    (
        "audit",
        &[
            "inputs",
            "output",
            "judges",
            "tasks",
            "templates",
            "base_url",
            "rpm",
            "max_cost",
            "reports",
            "limit",
            "dry_run",
            "max_flip_rate",
            "json",
        ],
    ),
];

/// `command` with examples for its subcommands, and with short help for those that have many flags.
pub fn add(command: clap::Command) -> clap::Command {
    let command = command.mut_subcommand("drive", |command| {
        command
            .mut_arg("temperature", |arg| {
                arg.help("Sampling temperature; not sent if the endpoint refuses it [default: not sent]")
            })
            .mut_arg("max_tokens", |arg| {
                arg.help(
                    "Maximum tokens of a reply, reasoning included [default: for Anthropic 8192, for local servers 2048, more for reasoning \
                     models; otherwise none]",
                )
            })
            .mut_arg("base_url", |arg| {
                arg.help(
                    "Base URL of the agent's API, for a local server or a gateway [default: the provider's; for openai, OPENAI_BASE_URL]",
                )
            })
            .mut_arg("max_attempts", |arg| {
                arg.help("Attempts for one reply, retries included, before its episode counts as errored [default: 6]")
            })
            .mut_arg("retry", |arg| {
                arg.help("Ask again for stored replies that ended so: refused, filtered, empty, truncated")
            })
    });
    let command = command.mut_subcommand("train", |command| {
        command.mut_arg("seed", |arg| {
            arg.help("Seed of --sample, folds and trees: the same seed gives the same model [default: 0]")
        })
    });
    let command = EXAMPLES.iter().fold(command, |command, (name, examples)| {
        command.mut_subcommand(name, |command| command.after_long_help(text(examples)))
    });
    ESSENTIAL.iter().fold(command, |command, (name, essential)| {
        command.mut_subcommand(name, |command| {
            let command = command.mut_args(|arg| {
                let shown = essential.contains(&arg.get_id().as_str());
                arg.hide_short_help(!shown)
            });
            command.after_help(format!("All flags, and examples: tooljudge {name} --help"))
        })
    })
}

fn text(examples: &[(&str, &str)]) -> String {
    let shown: Vec<String> =
        examples.iter().map(|(what, command)| format!("  # {what}\n  {command}")).collect();
    format!("Examples:\n{}", shown.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_parses() {
        let command = crate::cli::all_flags();
        for line in EXAMPLES.iter().flat_map(|(_, examples)| *examples).map(|(_, line)| *line) {
            let line = line.trim_start_matches("source <(").trim_end_matches(')');
            let parsed = command.clone().try_get_matches_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn short_help_shows_flags_that_exist() {
        let flags = crate::cli::all_flags();
        for (name, essential) in ESSENTIAL {
            let command = flags.find_subcommand(name).expect("a command");
            for id in *essential {
                assert!(command.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
        }
    }

    /// Who asks in a terminal sees all of it at once.
    #[test]
    fn short_help_is_a_screen() {
        const LINES: usize = 60;
        for (name, _) in ESSENTIAL {
            let mut command = crate::cli::all_flags().term_width(100);
            command.build();
            let command = command.find_subcommand_mut(name).expect("a command");
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= LINES, "{name}: {lines} lines");
        }
    }

    #[test]
    fn every_command_has_examples() {
        for command in crate::cli::all_flags().get_subcommands() {
            assert!(EXAMPLES.iter().any(|(name, _)| *name == command.get_name()), "{}", command.get_name());
        }
    }
}
