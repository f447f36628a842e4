//! The shipped trees of the built-in judge, fitted again: the same bytes, and the figures that `docs/builtin-judge.md` tells.
//!
//! `TOOLJUDGE_MODEL=write TOOLJUDGE_SHARED=../shared cargo test --release builtin_model` writes the file and the figures anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, ParquetReader, SerReader};
use rayon::prelude::*;
use tooljudge::domain::{Cell, RawRow};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::check::model::{
    FittedTask, HeldOut, TrainingRow, assemble, fit_gate, fit_task, without_category,
};
use tooljudge_core::check::{Measured, measure};
use tooljudge_core::domain::{CallTask, Random};
use tooljudge_core::stats::{Weighted, decidable, weighted_auc, weighted_balanced_accuracy, weighted_ece};

use crate::support::workspace::Workspace;

const TASKS: [(CallTask, &str); 3] = [
    (CallTask::ToolCalling, "tool_calling"),
    (CallTask::ParameterExtraction, "parameter_extraction"),
    (CallTask::ToolSelection, "tool_selection"),
];

/// A labelled sample with what the figures are told by.
struct Row {
    training: TrainingRow,
    settled: [bool; 3],
    /// The mistake, of made calls.
    kind: Option<String>,
}

/// A table's rows before they are measured.
struct Raw {
    cells: [Option<String>; 3],
    right: [Option<bool>; 3],
    source: String,
    family: String,
    question: String,
    near: bool,
    measured: bool,
    kind: Option<String>,
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn table(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

/// The texts of a column; nothing where there is no such column.
fn column(table: &DataFrame, name: &str) -> Vec<Option<String>> {
    let Ok(column) = table.column(name) else { return vec![None; table.height()] };
    match column.str() {
        Ok(texts) => texts.iter().map(|text| text.map(str::to_owned)).collect(),
        Err(_) => vec![None; table.height()],
    }
}

/// The rows of a table of calls; `about` says the rest of a row by its source and category.
fn rows(path: &Path, gold: &str, about: &dyn Fn(&mut Raw, Option<&str>)) -> Vec<Raw> {
    let table = table(path);
    let names = [
        "question",
        "tool_call",
        "tool_definitions",
        gold,
        "params_label",
        "selection_label",
        "question_id",
        "category",
        "source",
        "error_type",
        "call_key",
        "decode_status",
    ];
    let columns = names.map(|name| column(&table, name));
    let mut keys = BTreeSet::new();
    let right = |label: &Option<String>| label.as_deref().map(|label| label == "correct");
    (0..table.height())
        .filter(|row| columns[11][*row].as_deref().is_none_or(|status| status == "ok"))
        .filter(|row| columns[10][*row].clone().is_none_or(|key| keys.insert(key)))
        .map(|row| {
            let mut raw = Raw {
                cells: [0, 1, 2].map(|at| columns[at][row].clone()),
                right: [3, 4, 5].map(|at| right(&columns[at][row])),
                source: columns[8][row].clone().unwrap_or_default(),
                family: String::new(),
                question: columns[6][row].clone().unwrap_or_default(),
                near: false,
                measured: false,
                kind: columns[9][row].clone().filter(|_| right(&columns[3][row]) == Some(false)),
            };
            about(&mut raw, columns[7][row].as_deref());
            raw
        })
        .collect()
}

/// The benchmark's questions that may be learned from, as a folder of its files.
fn visible_questions(shared: &Path, to: &Path) -> PathBuf {
    let ids = std::fs::read_to_string(shared.join("data/training_questions.txt")).unwrap();
    let ids: BTreeSet<&str> = ids.split_whitespace().collect();
    let folder = to.join("bfcl");
    copy_visible(&shared.join("data/bfcl"), &folder, &ids);
    folder
}

fn copy_visible(from: &Path, to: &Path, ids: &BTreeSet<&str>) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_visible(&path, &target, ids);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read_to_string(&path).unwrap();
            let is_visible = |line: &&str| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                ids.contains(row["id"].as_str().unwrap())
            };
            let kept: Vec<&str> =
                text.lines().filter(|line| !line.trim().is_empty()).filter(is_visible).collect();
            std::fs::write(target, kept.join("\n")).unwrap();
        }
    }
}

/// Everything to learn from: real calls, calls of other sources, and what `tooljudge gold` makes of the right ones of both.
fn everything(shared: &Path) -> Vec<Row> {
    let workspace = Workspace::new();
    let folder = visible_questions(shared, &workspace.path(""));
    let gold = |input: &[&str], negatives: &str, output: &str| {
        let fixed = [
            "--per-question",
            "3",
            "--negatives-per-question",
            negatives,
            "--per-type",
            "100000",
            "--seed",
            "1",
            "-o",
            output,
        ];
        workspace.run(&[&["gold"], input, &fixed[..]].concat()).ended(0);
        workspace.path(output)
    };
    let made = gold(&["--bfcl", folder.to_str().unwrap()], "6", "made.parquet");
    let foreign = shared.join("data/foreign_calls.parquet");
    let family = |source: &str| source.trim_end_matches("_made").to_owned();
    let mut raw = rows(&shared.join("data/bfcl_real_calls.parquet"), "verdict", &|row, category| {
        (row.source, row.family, row.near, row.measured) =
            ("bfcl".to_owned(), category.unwrap_or_default().to_owned(), true, true);
        row.kind = None;
    });
    raw.extend(rows(&made, "gold", &|row, category| {
        (row.source, row.family, row.near) =
            ("bfcl_made".to_owned(), category.unwrap_or_default().to_owned(), true);
    }));
    let others = rows(&foreign, "gold", &|row, _| {
        row.family = family(&row.source);
        row.measured = true;
    });
    let sources: BTreeSet<String> =
        others.iter().filter(|row| row.right[0] == Some(true)).map(|row| row.source.clone()).collect();
    for source in sources {
        let lines: Vec<String> = others
            .iter()
            .filter(|row| row.source == source && row.right[0] == Some(true))
            .map(|row| {
                let [question, call, tools] = &row.cells;
                serde_json::json!({
                    "question_id": row.question, "question": question, "tool_call": call, "tool_definitions": tools, "gold": "correct",
                })
                .to_string()
            })
            .collect();
        let input = workspace.file(&format!("{source}.jsonl"), lines.join("\n"));
        let made = gold(&[input.to_str().unwrap()], "5", &format!("{source}.parquet"));
        raw.extend(rows(&made, "gold", &|row, _| {
            (row.source, row.family) = (format!("{source}_gold"), source.clone());
        }));
    }
    raw.extend(others);
    raw.into_par_iter().filter_map(measured).collect()
}

fn measured(raw: Raw) -> Option<Row> {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let cell = |text: &Option<String>| text.clone().map_or(Cell::Null, Cell::Text);
    let [question, tool_call, tool_definitions] = [0, 1, 2].map(|at| cell(&raw.cells[at]));
    let sample =
        normalizer.sample(RawRow { question, tool_call, tool_definitions, ..RawRow::default() }).ok()?;
    let Measured { features, settled } = measure(&sample)?;
    let hash = blake3::hash(raw.question.as_bytes());
    let question = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap());
    let Raw { right, source, family, near, measured, kind, .. } = raw;
    Some(Row {
        training: TrainingRow { features, right, source, family, question, near, measured },
        settled,
        kind,
    })
}

/// What a figure is told of: the score of being right, and the label.
fn weighted(
    rows: &[Row],
    held_out: &[HeldOut],
    task: usize,
    of: &dyn Fn(&HeldOut) -> f64,
) -> Vec<(u64, Weighted)> {
    let one = |own: &HeldOut| {
        let row = &rows[own.row];
        // A fault settles it.
        let score = if row.settled[task] { of(own).min(SETTLED) } else { of(own) };
        Some((row.training.question, Weighted { score, gold: row.training.right[task]?, weight: 1.0 }))
    };
    held_out.iter().filter_map(one).collect()
}

/// What a fault leaves to a call.
const SETTLED: f64 = 0.15;

fn even(rows: &[Weighted]) -> Vec<Weighted> {
    let right = rows.iter().filter(|row| row.gold).count() as f64;
    let share = |gold: bool| if gold { right } else { rows.len() as f64 - right };
    rows.iter().map(|row| Weighted { weight: 1.0 / share(row.gold), ..*row }).collect()
}

/// The log-odds as they are with `--base-rate`, by the share of right calls.
fn at_home(rows: &[Weighted]) -> Vec<Weighted> {
    let share = rows.iter().filter(|row| row.gold).count() as f64 / rows.len() as f64;
    let log_odds = |share: f64| (share / (1.0 - share)).ln();
    let here = |even: f64| log_odds(even) + log_odds(share);
    rows.iter().map(|row| Weighted { score: here(row.score), ..*row }).collect()
}

/// A figure with its 95 % interval over questions drawn again.
fn figure(rows: &[(u64, Weighted)], of: &dyn Fn(&[Weighted]) -> Option<f64>) -> String {
    let mut by_question: BTreeMap<u64, Vec<Weighted>> = BTreeMap::new();
    rows.iter().for_each(|(question, row)| by_question.entry(*question).or_default().push(*row));
    let questions: Vec<&Vec<Weighted>> = by_question.values().collect();
    let all: Vec<Weighted> = rows.iter().map(|(_, row)| *row).collect();
    let mut random = Random::new(7);
    let mut drawn: Vec<f64> = (0..200)
        .filter_map(|_| {
            let mut again = Vec::new();
            for _ in 0..questions.len() {
                again.extend(questions[(random.unit() * questions.len() as f64) as usize].iter().copied());
            }
            of(&again)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn.get((share * drawn.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    format!("{:.3} ({:.2} to {:.2})", of(&all).unwrap_or(f64::NAN), at(0.025), at(0.975))
}

/// How often the right one of two calls for one question has the higher score.
fn pairs(rows: &[(u64, Weighted)]) -> f64 {
    let mut by_question: BTreeMap<u64, [Vec<f64>; 2]> = BTreeMap::new();
    rows.iter().for_each(|(question, row)| {
        by_question.entry(*question).or_default()[usize::from(row.gold)].push(row.score)
    });
    let (mut won, mut all) = (0.0, 0.0);
    for [wrong, right] in by_question.values() {
        for (a, b) in wrong.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
            all += 1.0;
            won += if b > a {
                1.0
            } else if b == a {
                0.5
            } else {
                0.0
            };
        }
    }
    won / all
}

/// The tables of the card.
fn figures(rows: &[Row], tasks: &[FittedTask], categories: &[Vec<HeldOut>]) -> String {
    let mut text = String::new();
    let real = |held: &[HeldOut]| -> Vec<HeldOut> {
        held.iter().filter(|own| rows[own.row].training.source == "bfcl").copied().collect()
    };
    let balanced = |rows: &[Weighted]| weighted_balanced_accuracy(rows, 0.5);
    writeln!(text, "Real calls of the benchmark, each by trees that had not seen its question:\n").unwrap();
    writeln!(
        text,
        "| task | calls | balanced accuracy | AUC | ECE | decided at 5 % error | right over wrong call |"
    )
    .unwrap();
    writeln!(text, "|---|---|---|---|---|---|---|").unwrap();
    for (task, (_, name)) in TASKS.iter().enumerate() {
        let own = weighted(rows, &real(&tasks[task].near), task, &|own| own.probability);
        let plain: Vec<Weighted> = own.iter().map(|(_, row)| *row).collect();
        writeln!(
            text,
            "| `{name}` | {} | {} | {} | {:.3} | {:.0} % | {:.3} |",
            own.len(),
            figure(&own, &balanced),
            figure(&own, &weighted_auc),
            weighted_ece(&even(&plain), 15).unwrap(),
            100.0 * decidable(&at_home(&plain), 0.05).map_or(0.0, |decided| decided.share),
            pairs(&own)
        )
        .unwrap();
    }
    writeln!(
        text,
        "\nCalls of other sources, each by trees that had not seen its source (`tool_calling`):\n"
    )
    .unwrap();
    writeln!(text, "| source | right | wrong | balanced accuracy | AUC |\n|---|---|---|---|---|").unwrap();
    let sources: BTreeSet<&str> =
        rows.iter().filter(|row| !row.training.near).map(|row| row.training.family.as_str()).collect();
    let mut means = [0.0, 0.0];
    for source in &sources {
        let held: Vec<HeldOut> =
            tasks[0].wide.iter().filter(|own| rows[own.row].training.family == *source).copied().collect();
        let own = weighted(rows, &held, 0, &|own| own.probability);
        let plain: Vec<Weighted> = own.iter().map(|(_, row)| *row).collect();
        let right = plain.iter().filter(|row| row.gold).count();
        means[0] += balanced(&plain).unwrap() / sources.len() as f64;
        means[1] += weighted_auc(&plain).unwrap() / sources.len() as f64;
        writeln!(
            text,
            "| {source} | {right} | {} | {} | {} |",
            plain.len() - right,
            figure(&own, &balanced),
            figure(&own, &weighted_auc)
        )
        .unwrap();
    }
    writeln!(text, "| mean of sources | | | {:.3} | {:.3} |", means[0], means[1]).unwrap();
    writeln!(text, "\nThe same rows, the surest first:\n\n| share of rows | accuracy | balanced accuracy |\n|---|---|---|").unwrap();
    let mut surest: Vec<Weighted> =
        weighted(rows, &tasks[0].wide, 0, &|own| own.probability).into_iter().map(|(_, row)| row).collect();
    surest.sort_by(|a, b| (b.score - 0.5).abs().total_cmp(&(a.score - 0.5).abs()));
    for share in [50, 80, 100] {
        let part = &surest[..surest.len() * share / 100];
        let right = part.iter().filter(|row| (row.score >= 0.5) == row.gold).count();
        writeln!(
            text,
            "| {share} % | {:.3} | {:.3} |",
            right as f64 / part.len() as f64,
            balanced(part).unwrap()
        )
        .unwrap();
    }
    mid_transcript(&mut text, rows, &tasks[0].wide);
    by_kind(&mut text, rows, tasks);
    if !categories.is_empty() {
        writeln!(
            text,
            "\nReal calls of the benchmark by trees that had seen no call of the same category:\n"
        )
        .unwrap();
        writeln!(text, "| task | balanced accuracy | AUC |\n|---|---|---|").unwrap();
        for (task, (_, name)) in TASKS.iter().enumerate() {
            let own = weighted(rows, &categories[task], task, &|own| 1.0 / (1.0 + (-own.margin).exp()));
            writeln!(text, "| `{name}` | {} | {} |", figure(&own, &balanced), figure(&own, &weighted_auc))
                .unwrap();
        }
    }
    text
}

/// Where the experts contradict each other, or a step is not clear, the judge abstains.
fn mid_transcript(text: &mut String, rows: &[Row], wide: &[HeldOut]) {
    let step = tooljudge_core::check::feature_names().iter().position(|name| name == "chat_step").unwrap();
    writeln!(text, "\nThe same rows, as the judge decides:\n").unwrap();
    writeln!(text, "| rows | abstained | wrong calls found | wrong calls abstained on | right calls failed |\n|---|---|---|---|---|").unwrap();
    for (name, only) in [("all", false), ("after a tool's result", true)] {
        let mut counts = [[0.0; 3]; 2];
        let mut all = [0.0, 0.0];
        for own in wide.iter().filter(|own| !only || rows[own.row].training.features[step] == 2.0) {
            let row = &rows[own.row];
            let Some(right) = row.training.right[0] else { continue };
            let under_way = row.training.features[step] == 2.0;
            let outcome = match (row.settled[0], own.is_doubtful(under_way)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => usize::from(own.probability >= 0.5) * 2,
            };
            counts[usize::from(right)][outcome] += 1.0;
            all[usize::from(right)] += 1.0;
        }
        let [wrong, right] = counts;
        writeln!(
            text,
            "| {name} | {:.3} | {:.3} | {:.3} | {:.3} |",
            (wrong[1] + right[1]) / (all[0] + all[1]),
            wrong[0] / all[0],
            wrong[1] / all[0],
            right[0] / all[1]
        )
        .unwrap();
    }
}

/// Recall by kind of mistake, of made calls.
fn by_kind(text: &mut String, rows: &[Row], tasks: &[FittedTask]) {
    writeln!(text, "\nMistakes that `tooljudge gold` makes, by trees that had not seen the question, or the source (`tool_calling`):\n").unwrap();
    writeln!(text, "| mistake | benchmark | found | other sources | found |\n|---|---|---|---|---|").unwrap();
    let mut kinds: BTreeMap<&str, [[f64; 2]; 2]> = BTreeMap::new();
    for (side, held_out) in [&tasks[0].near, &tasks[0].wide].into_iter().enumerate() {
        for own in held_out {
            let row = &rows[own.row];
            if let Some(kind) = row.kind.as_deref().filter(|_| row.training.source.ends_with("_made")) {
                let found = row.settled[0] || own.probability < 0.5;
                let slot = &mut kinds.entry(kind).or_default()[side];
                slot[0] += 1.0;
                slot[1] += f64::from(u8::from(found));
            }
        }
    }
    let share =
        |[all, found]: [f64; 2]| if all > 0.0 { format!("{:.2}", found / all) } else { String::new() };
    for (kind, [near, wide]) in kinds {
        writeln!(text, "| `{kind}` | {} | {} | {} | {} |", near[0], share(near), wide[0], share(wide))
            .unwrap();
    }
}

const FROM: &str = "<!-- figures: written by tests/builtin_model.rs -->\n";
const TO: &str = "<!-- end of figures -->";

#[test]
fn builtin_model_is_fitted_again() {
    let Some(shared) = std::env::var("TOOLJUDGE_SHARED").ok().map(PathBuf::from) else {
        println!("skipped: TOOLJUDGE_SHARED is not set");
        return;
    };
    let shared = if shared.is_relative() { repository(shared.to_str().unwrap()) } else { shared };
    let rows = everything(&shared);
    let training: Vec<TrainingRow> = rows.iter().map(|row| row.training.clone()).collect();
    let gate = fit_gate(&training).unwrap();
    let tasks: Vec<FittedTask> =
        TASKS.par_iter().map(|(task, _)| fit_task(&training, &gate, *task).unwrap()).collect();
    let write = std::env::var("TOOLJUDGE_MODEL").is_ok_and(|what| what == "write");
    let categories: Vec<Vec<HeldOut>> =
        TASKS.par_iter().map(|(task, _)| without_category(&training, *task).unwrap()).collect();
    let told = figures(&rows, &tasks, &categories);
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
