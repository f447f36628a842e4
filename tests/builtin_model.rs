//! The shipped trees of the built-in judge: scored as recorded, and in a lane of its own fitted again.
//!
//! Fitting takes many minutes, so only `TOOLJUDGE_MODEL=check` (or `write`) `cargo test --release builtin_model` does it: the result must
//! have the same bytes and the figures of `docs/builtin-judge.md`. CONTRIBUTING says when to run it.

mod card;
mod copies;
mod everyday;
mod recorded;
mod rows;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tooljudge_core::check::model::{
    FittedTask, HeldOut, TrainingRow, assemble, fit_gate, fit_task, without_category,
};
use tooljudge_core::domain::CallTask;

const TASKS: [(CallTask, &str); 3] = [
    (CallTask::ToolCalling, "tool_calling"),
    (CallTask::ParameterExtraction, "parameter_extraction"),
    (CallTask::ToolSelection, "tool_selection"),
];

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What the environment variable `TOOLJUDGE_MODEL` asks for.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    /// Compares what is recorded; the only one that takes seconds.
    Fast,
    /// Writes the recorded scores.
    Scores,
    /// Fits the trees again and compares them.
    Check,
    /// Fits the trees again and writes them, with their figures.
    Write,
}

fn lane() -> Lane {
    match std::env::var("TOOLJUDGE_MODEL").as_deref() {
        Err(_) => Lane::Fast,
        Ok("scores") => Lane::Scores,
        Ok("check") => Lane::Check,
        Ok("write") => Lane::Write,
        Ok(other) => panic!("TOOLJUDGE_MODEL is `scores`, `check` or `write`, not `{other}`"),
    }
}

/// The folder of data that cannot be shipped.
fn shared() -> Option<PathBuf> {
    let shared = PathBuf::from(std::env::var_os("TOOLJUDGE_SHARED")?);
    Some(repository(shared.to_str().unwrap()))
}

const FROM: &str = "<!-- figures: written by tests/builtin_model.rs -->\n";
const TO: &str = "<!-- end of figures -->";

/// The cells of a table's row that begins with `first`.
fn cells(page: &str, first: &str) -> Vec<String> {
    let row = page.lines().find(|line| line.starts_with(&format!("| {first}")));
    let row = row.unwrap_or_else(|| panic!("no row of {first}"));
    row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The words of each line that the card shows of a run of `bench`.
fn printed<'a>(card: &'a str, arguments: &str) -> Vec<Vec<&'a str>> {
    let begin = format!("$ tooljudge bench {arguments}\n");
    let (_, run) = card.split_once(&begin).unwrap_or_else(|| panic!("the card shows no {begin}"));
    let (run, _) = run.split_once("\n```").unwrap();
    run.lines().map(|line| line.split_whitespace().collect()).collect()
}

/// What the README says of such a run: the share of rows with a label, and what became of them.
fn share_and_counts(run: &[Vec<&str>]) -> String {
    let mut of_judge = (0..run.len()).filter(|line| run[*line].first() == Some(&"builtin"));
    let (figures, counts) = (of_judge.next().unwrap(), of_judge.next().unwrap());
    let share = run[figures + 1][0];
    let counts: Vec<u64> = run[counts].iter().filter_map(|word| word.parse().ok()).collect();
    let [passed, failed, _, overlooked, found, _] = counts[..] else { panic!("{counts:?}") };
    let (right, wrong) = (passed + failed, overlooked + found);
    format!(
        "labels {share} %; of these it fails {failed} of {right} right calls, passes {overlooked} of {wrong} wrong ones"
    )
}

/// The share of rows that get a label in such a run.
fn share_labelled(run: &[Vec<&str>]) -> String {
    let figures = run.iter().position(|words| words.first() == Some(&"builtin")).unwrap();
    format!("labels {} %", run[figures + 1][0])
}

/// The balanced accuracy of such a run, with its interval.
fn balanced_accuracy(run: &[Vec<&str>]) -> String {
    let figures = run.iter().position(|words| words.first() == Some(&"builtin")).unwrap();
    format!("{} ({})", run[figures][2], run[figures + 1][2].replace('–', " to "))
}

#[test]
fn the_readme_tells_the_figures_of_the_card() {
    let [card, proof, readme] =
        [CARD, "docs/proof.md", "README.md"].map(|path| std::fs::read_to_string(repository(path)).unwrap());
    let table = readme.split_once("## How far to trust it").unwrap().1.split_once("\n## ").unwrap().0;
    let (hard, everyday) = ("datasets/benchmark.jsonl", "datasets/everyday.jsonl --where split=held");
    let told = [
        share_and_counts(&printed(&card, hard)),
        share_and_counts(&printed(&card, everyday)),
        share_labelled(&printed(&card, &format!("{hard} --decide always"))),
        balanced_accuracy(&printed(&card, &format!("{hard} --decide always"))),
        share_labelled(&printed(&card, &format!("{everyday} --decide always --no-baselines"))),
        balanced_accuracy(&printed(&card, &format!("{everyday} --decide always --no-baselines"))),
        cells(&card, "`tool_calling` |")[2].clone(),
    ];
    for figure in told {
        assert!(table.contains(&figure), "the README does not say: {figure}");
    }
    let of_model = "0.549 (0.35 to 0.72)";
    assert!(table.contains(of_model) && proof.contains(of_model));
}

/// The first line of the figures: which trees they were measured on.
fn measured_on(file: &str) -> String {
    format!("Measured on trees whose file has the BLAKE3 hash `{}`.", blake3::hash(file.as_bytes()))
}

#[test]
fn the_card_tells_the_figures_of_the_shipped_trees() {
    let [file, card] = [MODEL, CARD].map(|path| std::fs::read_to_string(repository(path)).unwrap());
    assert!(card.contains(&measured_on(&file)), "{CARD} does not say: {}\n{HOW}", measured_on(&file));
    assert_eq!(blake3::hash(file.as_bytes()).to_hex().as_str(), tooljudge_core::check::model::fingerprint());
}

const MODEL: &str = "core/src/check/model/builtin.jsonl";
const CARD: &str = "docs/builtin-judge.md";
const HOW: &str = "TOOLJUDGE_MODEL=write TOOLJUDGE_SHARED=FOLDER cargo test --release builtin_model";

#[test]
fn builtin_model_is_fitted_again() {
    let lane = lane();
    if !matches!(lane, Lane::Check | Lane::Write) {
        println!("skipped: TOOLJUDGE_MODEL is not `check` or `write`");
        return;
    }
    let shared = shared().expect("TOOLJUDGE_SHARED names the folder of the data");
    let rows = rows::everything(&shared);
    let training: Vec<TrainingRow> = rows.iter().map(|row| row.training.clone()).collect();
    let gate = fit_gate(&training).unwrap();
    let tasks: Vec<FittedTask> =
        TASKS.par_iter().map(|(task, _)| fit_task(&training, &gate, *task).unwrap()).collect();
    let categories: Vec<Vec<HeldOut>> =
        TASKS.par_iter().map(|(task, _)| without_category(&training, *task).unwrap()).collect();
    let figures = card::figures(&rows, &tasks, &categories);
    let file = assemble(&gate, tasks.try_into().ok().unwrap());
    assert!(file.len() <= 640_000, "{} bytes", file.len());
    let told = format!("{}\n\n{figures}", measured_on(&file));
    println!("{} rows\n{told}", rows.len());
    let (model, card) = (repository(MODEL), repository(CARD));
    let page = std::fs::read_to_string(&card).unwrap();
    let (head, rest) = page.split_once(FROM).unwrap();
    let (shown, tail) = rest.split_once(TO).unwrap();
    if lane == Lane::Write {
        std::fs::write(&model, &file).unwrap();
        std::fs::write(&card, format!("{head}{FROM}\n{told}\n{TO}{tail}")).unwrap();
        return;
    }
    let shipped = std::fs::read_to_string(&model).unwrap();
    assert!(shipped == file, "fitted again, the trees differ: {HOW}");
    assert_eq!(shown.trim(), told.trim(), "the card's figures differ: {HOW}");
}
