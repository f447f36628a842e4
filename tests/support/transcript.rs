//! Commands as a document shows them, with their output; run in one shell, in order, and compared.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex_lite::Regex;

use super::child::Deadline;
use super::markdown::Block;

/// A command and the output that the document shows below it.
#[derive(Debug)]
pub struct Step {
    pub command: String,
    /// Where the output begins among the lines of the block, and how many lines it has.
    pub at: usize,
    pub shown: Vec<String>,
}

/// The commands of a block. In `console` a line with `$ ` begins one and all else is output; `sh` and `bash` are one script.
pub fn steps(block: &Block) -> Vec<Step> {
    if block.language != "console" {
        return vec![Step { command: block.lines.join("\n"), at: block.lines.len(), shown: Vec::new() }];
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut continues = false;
    for (index, line) in block.lines.iter().enumerate() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), at: index + 1, shown: Vec::new() });
            }
            (None, Some(step)) if continues => {
                step.command.push('\n');
                step.command.push_str(line);
                step.at = index + 1;
            }
            (None, Some(step)) => step.shown.push(line.clone()),
            (None, None) => panic!("line {}: output before any command", block.line),
        }
        continues = line.ends_with('\\') && (continues || line.starts_with("$ "));
    }
    for step in &mut steps {
        while step.shown.last().is_some_and(|line| line.trim().is_empty()) {
            step.shown.pop();
        }
    }
    steps
}

/// What a command printed, stdout and stderr as a terminal shows them, and its exit code.
#[derive(Debug)]
pub struct Printed {
    pub lines: Vec<String>,
    pub code: i32,
}

/// What stands between the outputs of two commands.
const END: char = '\u{1}';

/// `cargo run` is the binary; nothing else of cargo is run.
const SHIMS: &str = r#"exec 2>&1
cargo() {
    [ "$1" = run ] || { echo "cargo $1 is not run here"; return 97; }
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
    shift
    tooljudge "$@"
}
"#;

/// Runs these commands in one shell, one after the other: what one exports or changes holds for the next.
pub fn run(mut shell: Command, commands: &[String]) -> Vec<Printed> {
    let mut script = SHIMS.to_owned();
    for command in commands {
        script
            .push_str(&format!("{command}\ncode=$?; printf '\\n\\001%s\\001' \"$code\"; (exit \"$code\")\n"));
    }
    let output = shell.arg("-c").arg(script).stdin(Stdio::null()).finish();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut parts = text.split(END);
    let printed: Vec<Printed> = commands
        .iter()
        .map_while(|_| {
            let lines = parts.next()?.trim_end().lines().map(|line| line.trim_end().to_owned());
            // A command that takes its time says how far it is.
            let lines = lines.filter(|line| !PROGRESS.is_match(line)).collect();
            Some(Printed { lines, code: parts.next()?.parse().unwrap() })
        })
        .collect();
    assert_eq!(printed.len(), commands.len(), "the shell ended early:\n{text}");
    printed
}

/// A shell in `folder` that finds the binary, and none of this machine's settings and keys.
pub fn shell(folder: &Path) -> Command {
    let binary = assert_cmd::cargo::cargo_bin!("tooljudge").parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).env_clear().env("PATH", format!("{}:{path}", binary.display()));
    shell.env("HOME", folder).env("NO_COLOR", "1").env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    shell
}

static PROGRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[a-z]+: [0-9,]+ (of [0-9,]+ )?[a-z]+  [0-9.]+/s\b").unwrap());

/// Figures that are others on each machine and at each time, by name.
static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    [
        ("SECONDS", r"\b[0-9]+\.[0-9]+ s\b"),
        ("RATE", r"\b[0-9]+(\.[0-9]+)? (rows|cases)/s"),
        ("MILLISECONDS", r"\b[0-9]+ ms\b"),
        ("MOMENT", r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?"),
        ("VERSION", r"\btooljudge [0-9]+\.[0-9]+\.[0-9]+"),
    ]
    .map(|(name, pattern)| (name, Regex::new(pattern).unwrap()))
    .into()
});

fn without_figures(line: &str) -> String {
    PATTERNS.iter().fold(line.trim_end().to_owned(), |line, (name, pattern)| {
        pattern.replace_all(&line, format!("<{name}>")).into_owned()
    })
}

/// Whether these lines are what the document shows, where a line `...` stands for any lines, and ` ...` for the rest of one. Decimal
/// numbers may differ by `within`.
pub fn agrees(shown: &[String], printed: &[String], within: Option<f64>) -> bool {
    let Some((line, rest)) = shown.split_first() else {
        return printed.is_empty();
    };
    match line.trim() {
        "..." | "…" => (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..], within)),
        _ => printed.split_first().is_some_and(|(first, others)| {
            let (line, first) = (without_figures(line), without_figures(first));
            let alike = match line.strip_suffix(" ...") {
                Some(begin) => first.starts_with(begin),
                None => line == first || within.is_some_and(|within| about_equal(&line, &first, within)),
            };
            alike && agrees(rest, others, within)
        }),
    }
}

/// Whether two lines are the same but for decimal numbers that differ by at most `within`.
fn about_equal(one: &str, other: &str, within: f64) -> bool {
    static DECIMAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"-?\b[0-9]*\.[0-9]+\b").unwrap());
    let numbers = |line: &str| -> Vec<f64> {
        DECIMAL.find_iter(line).map(|found| found.as_str().parse().unwrap()).collect()
    };
    let words =
        |line: &str| DECIMAL.replace_all(line, "<DECIMAL>").split_whitespace().collect::<Vec<_>>().join(" ");
    let (one_numbers, other_numbers) = (numbers(one), numbers(other));
    words(one) == words(other)
        && one_numbers.iter().zip(&other_numbers).all(|(one, other)| (one - other).abs() <= within)
}

#[test]
fn figures_of_a_block_agree_within_what_it_says() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let shown = lines(" builtin  0  0.638  -0.02–0.50\n...");
    for (printed, within, expected) in [
        (" builtin  0  0.638  -0.02–0.50", None, true),
        (" builtin  0  0.639  -0.02–0.50", None, false),
        (" builtin  0 0.639   -0.05–0.53", Some(0.05), true),
        (" builtin  0  0.690  -0.02–0.50", Some(0.05), false),
        (" builtin  0  0.638  0.04–0.50", Some(0.05), false),
        (" builtin  1  0.638  -0.02–0.50", Some(0.05), false),
        (" gold     0  0.638  -0.02–0.50", Some(0.05), false),
        (" builtin  0  0.638", Some(0.05), false),
    ] {
        assert_eq!(agrees(&shown, &lines(printed), within), expected, "{printed}");
    }
}

/// The arguments of `tooljudge` in a command line, or nothing if it runs something else.
pub fn arguments(command: &str) -> Option<Vec<String>> {
    let joined = command.replace("\\\n", " ");
    let mut words = Vec::new();
    let mut rest = joined.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => rest[1..].split_once(first).unwrap_or((&rest[1..], "")),
            '#' | '|' | '>' | '<' | ';' | '&' => break,
            _ => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    let is_assignment = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let begin = words.iter().take_while(is_assignment).count();
    match (words.get(begin)?.as_str(), words.get(begin + 1).map(String::as_str)) {
        ("tooljudge", _) => Some(words[begin + 1..].to_vec()),
        ("cargo", Some("run")) => {
            words.iter().position(|word| word == "--").map(|at| words[at + 1..].to_vec())
        }
        _ => None,
    }
}
