//! README and docs say what the program does: every block of commands runs, and prints what the document shows.
//!
//! `TOOLJUDGE_DOCS=write cargo test --test tests docs` writes what the program prints into the documents; the difference
//! belongs in the review.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tooljudge::domain::Status;

use crate::support::markdown::{Block, blocks, code_spans, prose};
use crate::support::server::{Answer, Seen, Server};
use crate::support::transcript::{agrees, arguments, run, shell, steps};
use crate::support::workspace::{Workspace, repository};

/// Why a block may be left unrun.
const REASONS: [&str; 5] = [
    "needs an API key",
    "needs files that are not shipped",
    "needs the network",
    "runs tests or benchmarks",
    "takes minutes",
];

/// Languages of blocks that are commands.
const COMMANDS: [&str; 3] = ["console", "sh", "bash"];

/// Where documents say that a server of one's own answers. In its place the tests put a stand-in.
const OWN_SERVER: &str = "localhost:8000";

/// Mistakes in `datasets/langfuse_gold.csv` that the stand-in finds: it answers `incorrect` where a prompt holds one of them.
const KNOWN_MISTAKES: [&str; 6] =
    ["BK-2042", "BK-1978", "2026-05-12", "e-bike", "K-02", "but make it Leiden"];

/// Commands of other programs: their flags are not ours.
const OTHER_PROGRAMS: [&str; 5] = ["cargo", "docker", "nice cargo", "fuzz/run", "tests/real/run"];

/// README and `docs/*.md`, by their paths in the repository.
fn documents() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(repository("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()))
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.push("README.md".to_owned());
    names.sort();
    names
}

fn read(name: &str) -> String {
    std::fs::read_to_string(repository(name)).unwrap()
}

/// A folder with the files that the repository ships in `datasets/`.
fn workspace() -> Workspace {
    let work = Workspace::new();
    std::fs::create_dir(work.path("datasets")).unwrap();
    for file in std::fs::read_dir(repository("datasets")).unwrap() {
        let file = file.unwrap();
        // Not what runs of people have left there, and no folder of what is built in.
        let name = file.file_name().into_string().unwrap();
        let is_file = file.file_type().unwrap().is_file();
        if is_file && !name.contains(".labeled.") && !name.ends_with(".run.json") {
            std::fs::copy(file.path(), work.path("datasets").join(name)).unwrap();
        }
    }
    work
}

/// A model that finds some mistakes and overlooks others.
fn stand_in(seen: &Seen) -> Answer {
    let prompt = seen.prompt();
    match KNOWN_MISTAKES.iter().find(|mistake| prompt.contains(**mistake)) {
        Some(mistake) => {
            Answer::Text(format!(r#"{{"explanation":"`{mistake}` is wrong.","label":"incorrect"}}"#))
        }
        None => Answer::Text(r#"{"explanation":"All as asked.","label":"correct"}"#.to_owned()),
    }
}

/// Runs the blocks of one document. What it shows otherwise than the program prints is a line each, or rewritten.
fn differences(name: &str, write: bool) -> Vec<String> {
    let document = read(name);
    let server = Server::start(stand_in);
    let address = server.origin.strip_prefix("http://").unwrap();
    let blocks: Vec<Block> = blocks(&document)
        .into_iter()
        .filter(|block| block.not_run.is_none() && COMMANDS.contains(&block.language.as_str()))
        .collect();
    let steps: Vec<_> = blocks
        .iter()
        .flat_map(|block| steps(block).into_iter().map(move |step| (block.line, block.within, step)))
        .collect();
    let commands: Vec<String> =
        steps.iter().map(|(.., step)| step.command.replace(OWN_SERVER, address)).collect();
    let work = workspace();
    let printed = run(shell(&work.path("")), &commands);
    let mut differences = Vec::new();
    let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
    // From the end, so that what is rewritten moves no line that is still to come.
    for (index, ((line, within, step), printed)) in steps.iter().zip(printed).enumerate().rev() {
        let shows_code = steps.get(index + 1).is_some_and(|(.., next)| next.command == "echo $?");
        let said: Vec<String> = printed.lines.iter().map(|line| line.replace(address, OWN_SERVER)).collect();
        if printed.code != 0 && !shows_code {
            differences.push(format!(
                "{name}:{line}: `{}` ends with {}, and no `echo $?` behind it says so:\n{}",
                step.command,
                printed.code,
                said.join("\n")
            ));
        }
        if step.shown.is_empty() || agrees(&step.shown, &said, *within) {
            continue;
        }
        if write {
            let begin = line + step.at;
            lines.splice(begin..begin + step.shown.len(), said);
            std::fs::write(repository(name), lines.join("\n") + "\n").unwrap();
        } else {
            differences.push(format!(
                "{name}:{line}: `{}` prints otherwise.\n--- the document\n{}\n--- the program\n{}",
                step.command,
                step.shown.join("\n"),
                said.join("\n")
            ));
        }
    }
    differences
}

#[test]
#[cfg(unix)]
fn every_block_runs_and_prints_what_is_shown() {
    let write = std::env::var("TOOLJUDGE_DOCS").is_ok_and(|mode| mode == "write");
    let names = documents();
    let found: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = names.iter().map(|name| scope.spawn(move || differences(name, write))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(
        found.is_empty(),
        "{}\n\n`TOOLJUDGE_DOCS=write cargo test --test tests docs` writes what the program prints into the documents",
        found.join("\n\n")
    );
}

#[test]
fn every_block_is_of_a_known_kind_and_unrun_for_a_known_reason() {
    for name in documents() {
        let document = read(&name);
        let blocks = blocks(&document);
        for block in &blocks {
            let Block { line, language, not_run, .. } = block;
            let known = ["rust", "python", "javascript", "text", "toml", "json", "jsonl", "yaml", "csv"];
            assert!(
                COMMANDS.contains(&language.as_str()) || known.contains(&language.as_str()),
                "{name}:{line}: `{language}`"
            );
            if let Some(reason) = not_run {
                assert!(COMMANDS.contains(&language.as_str()), "{name}:{line}: only commands can be run");
                assert!(
                    REASONS.contains(&reason.as_str()),
                    "{name}:{line}: `{reason}`, not one of {REASONS:?}"
                );
            }
            if not_run.is_none() && COMMANDS.contains(&language.as_str()) {
                for step in steps(block) {
                    let says_nothing = step.shown.iter().all(|line| ["...", "…"].contains(&line.trim()));
                    assert!(
                        step.shown.is_empty() || !says_nothing,
                        "{name}:{line}: `{}` shows nothing that can be compared; leave the output out",
                        step.command
                    );
                }
            }
            // What looks like a command is one that is run.
            let is_plain = !COMMANDS.contains(&language.as_str());
            let hides = block.lines.iter().any(|line| line.starts_with("$ "));
            assert!(!(is_plain && hides), "{name}:{line}: commands in a block of `{language}`");
        }
        // A comment that stands above no block is of no effect.
        let comments = document.matches("<!-- not run: ").count();
        let marked = blocks.iter().filter(|block| block.not_run.is_some()).count();
        assert_eq!(comments, marked, "{name}: a comment `not run` stands directly above its block");
        let comments = document.matches("<!-- figures: within ").count();
        let marked = blocks.iter().filter(|block| block.within.is_some()).count();
        assert_eq!(comments, marked, "{name}: a comment `figures` stands directly above its block");
    }
}

/// The help of a command, such as `label` or `store stat`.
fn help(work: &Workspace, command: &[&str]) -> String {
    work.run(&[command, &["--help"]].concat()).ended(0).stdout
}

#[test]
fn every_command_line_that_is_shown_parses() {
    let work = Workspace::new();
    let mut checked = BTreeSet::new();
    for name in documents() {
        let document = read(&name);
        let unrun = blocks(&document)
            .into_iter()
            .filter(|block| block.not_run.is_some())
            .flat_map(|block| steps(&block))
            .flat_map(|step| {
                step.command.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>()
            });
        let inline = code_spans(&prose(&document)).into_iter().map(|span| span.replace("\\|", "|"));
        for command in unrun.chain(inline) {
            let Some(args) = arguments(&command).filter(|args| !args.is_empty()) else { continue };
            // Help is printed once everything before it could be read.
            let ran =
                work.run(&[&args.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--help"]].concat());
            assert_eq!(ran.code, Some(0), "{name}: `{command}` does not parse:\n{}", ran.stderr);
            checked.insert(command);
        }
    }
    assert!(checked.len() > 40, "{}", checked.len());
}

#[test]
fn every_flag_that_a_document_names_exists_in_a_command_that_it_names() {
    let work = Workspace::new();
    let commands: Vec<String> = help(&work, &[])
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .map_while(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned))
        .filter(|name| name != "help")
        .collect();
    assert!(commands.iter().any(|name| name == "label"), "{commands:?}");
    let mut helps: BTreeMap<&str, String> =
        commands.iter().map(|name| (name.as_str(), help(&work, &[name]))).collect();
    for (command, inner) in [
        ("store", "stat"),
        ("store", "prune"),
        ("store", "merge"),
        ("suite", "from-log"),
        ("review", "export"),
    ] {
        let more = help(&work, &[command, inner]);
        helps.get_mut(command).unwrap().push_str(&more);
    }
    let mut checked = 0;
    for name in documents() {
        let document = read(&name);
        let spans = code_spans(&prose(&document));
        let named: String = helps
            .iter()
            .filter(|(command, _)| {
                document.contains(&format!("tooljudge {command}"))
                    || document.contains(&format!("-- {command} "))
                    || spans.iter().any(|span| span.split(' ').next() == Some(command))
            })
            .map(|(_, help)| help.as_str())
            .collect();
        for span in spans {
            if OTHER_PROGRAMS.iter().any(|program| span.starts_with(&format!("{program} "))) {
                continue;
            }
            for flag in flags(&span) {
                assert!(
                    has_flag(&named, &flag),
                    "{name}: `{span}`: no command that the page names has {flag}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

/// Words such as `--max-cost`; of `--min-*` the part that all share.
fn flags(span: &str) -> Vec<String> {
    span.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.starts_with("--") && word.len() > 3)
        .map(str::to_owned)
        .collect()
}

fn has_flag(help: &str, flag: &str) -> bool {
    help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .any(|word| word == flag || (flag.ends_with('-') && word.starts_with(flag)))
}

#[test]
fn settings_and_records_that_are_shown_can_be_read() {
    let work = workspace();
    let mut settings = 0;
    for name in documents() {
        for block in blocks(&read(&name)) {
            let (line, text) = (block.line, block.lines.join("\n"));
            match block.language.as_str() {
                // Of a suite only the cases are shown that matter; what is left out stands beside it.
                "toml" if text.contains("[[cases]]") => {
                    work.file("datasets/shown.toml", &text);
                    let args =
                        ["drive", "datasets/shown.toml", "--agent", "script:datasets/weather_script.jsonl"];
                    let ran = work.run(&[&args[..], &["--dry-run", "-q", "--case", "now"]].concat());
                    assert_eq!(ran.code, Some(0), "{name}:{line}: {}", ran.stderr);
                    settings += 1;
                }
                "toml" => {
                    work.file("shown.toml", &text);
                    let args =
                        ["label", "datasets/quickstart.csv", "--config", "shown.toml", "--judge", "builtin"];
                    let ran = work.run(&[&args[..], &["--dry-run", "-q"]].concat());
                    assert_eq!(ran.code, Some(0), "{name}:{line}: {}", ran.stderr);
                    settings += 1;
                }
                "json" => {
                    let read: Result<serde_json::Value, _> = serde_json::from_str(&text);
                    assert!(read.is_ok(), "{name}:{line}: {read:?}");
                }
                "jsonl" => {
                    for record in block.lines {
                        let read: Result<serde_json::Value, _> = serde_json::from_str(&record);
                        assert!(read.is_ok(), "{name}:{line}: {read:?}");
                    }
                }
                _ => {}
            }
        }
    }
    assert!(settings > 0);
}

/// All Rust sources below a folder, if there is one.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn messages_that_are_explained_are_messages_of_the_program() {
    let mut files = Vec::new();
    for folder in ["src", "core/src"] {
        sources(&repository(folder), &mut files);
    }
    // A text that goes over several lines is one text.
    let continued = regex_lite::Regex::new(r"\\\n\s*").unwrap();
    let code: String = files
        .iter()
        .map(|file| continued.replace_all(&std::fs::read_to_string(file).unwrap(), "").replace("\\\"", "\""))
        .collect();
    let page = read("docs/troubleshooting.md");
    let mut messages = 0;
    for heading in page.lines().filter_map(|line| line.strip_prefix("### ")) {
        for message in code_spans(heading) {
            for part in message.split('…').map(str::trim).filter(|part| part.len() > 3) {
                assert!(code.contains(part), "no source says `{part}` of `{message}`");
            }
            messages += 1;
        }
    }
    assert!(messages >= 15, "{messages}");
}

/// The places that links can name in a page: its headings, as GitHub spells them.
fn anchors(document: &str) -> BTreeSet<String> {
    let spelled = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    prose(document).lines().filter(|line| line.starts_with('#')).map(spelled).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let link = regex_lite::Regex::new(r"\]\(([^)#]*)(#[^)]*)?\)").unwrap();
    for name in documents() {
        let page = repository(&name);
        for found in link.captures_iter(&prose(&read(&name))) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let path = if target.is_empty() { page.clone() } else { page.parent().unwrap().join(target) };
            assert!(path.exists(), "{name} links to {target}");
            if let Some(place) = found.get(2).map(|place| &place.as_str()[1..])
                && path.extension().is_some_and(|extension| extension == "md")
            {
                let anchors = anchors(&std::fs::read_to_string(path).unwrap());
                assert!(
                    anchors.contains(place),
                    "{name} links to {target}#{place}, and no heading is called so"
                );
            }
        }
    }
}

#[test]
fn the_page_of_what_comes_out_names_every_column_and_status() {
    let (work, page) = (workspace(), read("docs/output.md"));
    let args = "label datasets/quickstart.csv -o out.csv --per call --findings --shard 0/1";
    work.run(&args.split(' ').collect::<Vec<_>>()).ended(0);
    let of_input = ["id", "question", "tool_call", "tool_definitions", "gold", "note"];
    for column in work.rows("out.csv")[0].keys().filter(|column| !of_input.contains(&column.as_str())) {
        assert!(page.contains(&format!("`{column}`")), "{column}");
    }
    for status in Status::ALL {
        assert!(page.contains(&format!("\n| `{}` |", status.as_str())), "{}", status.as_str());
    }
}

#[test]
fn the_index_links_every_page() {
    let index = read("docs/README.md");
    for name in documents() {
        if let Some(page) = name.strip_prefix("docs/").filter(|page| *page != "README.md") {
            assert!(index.contains(&format!("]({page})")), "docs/README.md does not link {page}");
        }
    }
    assert!(read("README.md").contains("](docs/README.md)"));
}

#[test]
fn the_readme_stays_a_front_door() {
    assert!(
        read("README.md").len() <= 10_000,
        "move to docs/ what is more than a stranger reads in ten minutes"
    );
    assert!(std::fs::metadata(repository("docs/pictures/report.png")).unwrap().len() <= 200_000);
}
