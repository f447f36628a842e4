//! The shipped trees of the built-in judge, fitted again: the same bytes, and the figures that `docs/builtin-judge.md` tells.
//!
//! `TOOLJUDGE_MODEL=write TOOLJUDGE_SHARED=../shared cargo test --release builtin_model` writes the file and the figures anew.

mod card;
mod copies;
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

const FROM: &str = "<!-- figures: written by tests/builtin_model.rs -->\n";
const TO: &str = "<!-- end of figures -->";

/// The cells of a table's row that begins with `first`.
fn cells(page: &str, first: &str) -> Vec<String> {
    let row = page.lines().find(|line| line.starts_with(&format!("| {first}")));
    let row = row.unwrap_or_else(|| panic!("no row of {first}"));
    row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn the_readme_tells_the_figures_of_the_card() {
    let read = |path: &str| std::fs::read_to_string(repository(path)).unwrap();
    let (card, readme) = (read("docs/builtin-judge.md"), read("README.md"));
    let readme = readme.split_once("### The built-in judge").unwrap().1;
    for (_, task) in TASKS {
        // In the card: task, calls, balanced accuracy, of the schema alone, AUC.
        let (of_card, told) = (cells(&card, &format!("`{task}` |")), cells(readme, &format!("`{task}`")));
        assert_eq!(told[1..4], of_card[2..5], "{task}");
    }
    let (of_card, told) = (
        cells(&card, "mean of sources"),
        cells(readme, "`tool_calling`, sources it was not fitted to, mean of six"),
    );
    assert_eq!(told[1..4], of_card[3..6]);
}

#[test]
fn builtin_model_is_fitted_again() {
    let Some(shared) = std::env::var("TOOLJUDGE_SHARED").ok().map(PathBuf::from) else {
        println!("skipped: TOOLJUDGE_SHARED is not set");
        return;
    };
    let shared = if shared.is_relative() { repository(shared.to_str().unwrap()) } else { shared };
    let rows = rows::everything(&shared);
    let training: Vec<TrainingRow> = rows.iter().map(|row| row.training.clone()).collect();
    let gate = fit_gate(&training).unwrap();
    let tasks: Vec<FittedTask> =
        TASKS.par_iter().map(|(task, _)| fit_task(&training, &gate, *task).unwrap()).collect();
    let write = std::env::var("TOOLJUDGE_MODEL").is_ok_and(|what| what == "write");
    let categories: Vec<Vec<HeldOut>> =
        TASKS.par_iter().map(|(task, _)| without_category(&training, *task).unwrap()).collect();
    let told = card::figures(&rows, &tasks, &categories);
    println!("{} rows\n{told}", rows.len());
    let file = assemble(&gate, tasks.try_into().ok().unwrap());
    assert!(file.len() <= 400_000, "{} bytes", file.len());
    let (model, card) =
        (repository("core/src/check/model/builtin.jsonl"), repository("docs/builtin-judge.md"));
    let page = std::fs::read_to_string(&card).unwrap();
    let (head, rest) = page.split_once(FROM).unwrap();
    let (shown, tail) = rest.split_once(TO).unwrap();
    if write {
        std::fs::write(&model, &file).unwrap();
        std::fs::write(&card, format!("{head}{FROM}\n{told}\n{TO}{tail}")).unwrap();
        return;
    }
    let shipped = std::fs::read_to_string(&model).unwrap();
    assert!(
        shipped == file,
        "fitted again, the trees differ: TOOLJUDGE_MODEL=write cargo test --release builtin_model"
    );
    assert_eq!(
        shown.trim(),
        told.trim(),
        "the card's figures differ: TOOLJUDGE_MODEL=write cargo test --release builtin_model"
    );
}
