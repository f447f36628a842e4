//! The figures of the card: what the fitted trees are worth on rows they had not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tooljudge_core::check::model::{FittedTask, HeldOut};
use tooljudge_core::domain::Random;
use tooljudge_core::stats::{Weighted, decidable, weighted_auc, weighted_balanced_accuracy, weighted_ece};

use super::rows::Row;
use super::{TASKS, everyday};

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

/// The balanced accuracy of looking at nothing but the definitions. It is one half for taking every call for right.
fn schema_only(rows: &[Row], held_out: &[HeldOut], task: usize) -> f64 {
    let plain: Vec<Weighted> = held_out
        .iter()
        .filter_map(|own| {
            let row = &rows[own.row];
            let score = f64::from(u8::from(!row.breaks_schema[task]));
            Some(Weighted { score, gold: row.training.right[task]?, weight: 1.0 })
        })
        .collect();
    weighted_balanced_accuracy(&plain, 0.5).unwrap_or(f64::NAN)
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
pub fn figures(rows: &[Row], tasks: &[FittedTask], categories: &[Vec<HeldOut>]) -> String {
    let mut text = String::new();
    let real = |held: &[HeldOut]| -> Vec<HeldOut> {
        held.iter().filter(|own| rows[own.row].training.source == "bfcl").copied().collect()
    };
    let balanced = |rows: &[Weighted]| weighted_balanced_accuracy(rows, 0.5);
    writeln!(text, "Real calls of the benchmark, each by trees that had not seen its question:\n").unwrap();
    writeln!(
        text,
        "| task | calls | balanced accuracy | `schema_only` | AUC | ECE | decided at 5 % error | right over wrong call |"
    )
    .unwrap();
    writeln!(text, "|---|---|---|---|---|---|---|---|").unwrap();
    for (task, (_, name)) in TASKS.iter().enumerate() {
        let own = weighted(rows, &real(&tasks[task].near), task, &|own| own.probability);
        let plain: Vec<Weighted> = own.iter().map(|(_, row)| *row).collect();
        writeln!(
            text,
            "| `{name}` | {} | {} | {:.3} | {} | {:.3} | {:.0} % | {:.3} |",
            own.len(),
            figure(&own, &balanced),
            schema_only(rows, &real(&tasks[task].near), task),
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
    writeln!(
        text,
        "| source | right | wrong | balanced accuracy | `schema_only` | AUC |\n|---|---|---|---|---|---|"
    )
    .unwrap();
    let foreign: Vec<HeldOut> =
        tasks[0].wide.iter().filter(|own| !is_everyday(&rows[own.row])).copied().collect();
    let sources: BTreeSet<&str> = rows
        .iter()
        .filter(|row| !row.training.near && !is_everyday(row))
        .map(|row| row.training.family.as_str())
        .collect();
    let mut means = [0.0; 3];
    for source in &sources {
        let held: Vec<HeldOut> =
            foreign.iter().filter(|own| rows[own.row].training.family == *source).copied().collect();
        let own = weighted(rows, &held, 0, &|own| own.probability);
        let plain: Vec<Weighted> = own.iter().map(|(_, row)| *row).collect();
        let right = plain.iter().filter(|row| row.gold).count();
        means[0] += balanced(&plain).unwrap() / sources.len() as f64;
        means[2] += schema_only(rows, &held, 0) / sources.len() as f64;
        means[1] += weighted_auc(&plain).unwrap() / sources.len() as f64;
        writeln!(
            text,
            "| {source} | {right} | {} | {} | {:.3} | {} |",
            plain.len() - right,
            figure(&own, &balanced),
            schema_only(rows, &held, 0),
            figure(&own, &weighted_auc)
        )
        .unwrap();
    }
    writeln!(text, "| mean of sources | | | {:.3} | {:.3} | {:.3} |", means[0], means[2], means[1]).unwrap();
    writeln!(text, "\nThe same rows, the surest first:\n\n| share of rows | accuracy | balanced accuracy |\n|---|---|---|").unwrap();
    let mut surest: Vec<Weighted> =
        weighted(rows, &foreign, 0, &|own| own.probability).into_iter().map(|(_, row)| row).collect();
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
    everyday_calls(&mut text, rows, &tasks[0].wide);
    by_evidence(&mut text, rows, &tasks[0].wide);
    mid_transcript(&mut text, rows, &foreign);
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

fn is_everyday(row: &Row) -> bool {
    row.training.family.starts_with(everyday::SOURCE)
}

/// Everyday calls: of domains that were left out in turn, and of those that no trees ever saw.
fn parts<'a>(rows: &'a [Row], wide: &'a [HeldOut]) -> [(&'static str, Vec<HeldOut>); 3] {
    let of = |is: &dyn Fn(&Row) -> bool| wide.iter().filter(|own| is(&rows[own.row])).copied().collect();
    [
        ("everyday, domain left out", of(&|row| is_everyday(row) && !row.training.held)),
        ("everyday, domains never fitted", of(&|row| is_everyday(row) && row.training.held)),
        ("other sources, each left out", of(&|row| !is_everyday(row))),
    ]
}

fn everyday_calls(text: &mut String, rows: &[Row], wide: &[HeldOut]) {
    writeln!(text, "\nEveryday calls, `datasets/everyday.jsonl`, by trees that had seen no call of the domain (`tool_calling`):\n").unwrap();
    writeln!(text, "| rows | right | wrong | balanced accuracy | `schema_only` | AUC | right over wrong call |\n|---|---|---|---|---|---|---|").unwrap();
    for (name, held) in parts(rows, wide).into_iter().take(2) {
        let own = weighted(rows, &held, 0, &|own| own.probability);
        let right = own.iter().filter(|(_, row)| row.gold).count();
        writeln!(
            text,
            "| {name} | {right} | {} | {} | {:.3} | {} | {:.3} |",
            own.len() - right,
            figure(&own, &|rows| weighted_balanced_accuracy(rows, 0.5)),
            schema_only(rows, &held, 0),
            figure(&own, &weighted_auc),
            pairs(&own)
        )
        .unwrap();
    }
}

/// Labels of `--decide evidence`, where half of all calls are right and where nine in ten are.
fn by_evidence(text: &mut String, rows: &[Row], wide: &[HeldOut]) {
    writeln!(text, "\nThe same and the rows of other sources with `--decide evidence`; precision as if half of all calls were right / as if nine in ten were:\n").unwrap();
    writeln!(text, "| rows | labeled | right calls passed | failed | wrong calls found | passed | precision of `correct` | of `incorrect` |\n|---|---|---|---|---|---|---|---|").unwrap();
    for (name, held) in parts(rows, wide) {
        let mut counts = [[0.0f64; 3]; 2];
        for own in held {
            let row = &rows[own.row];
            let Some(right) = row.training.right[0] else { continue };
            let label = match row.settled[0] {
                true => Some(false),
                false => tooljudge_core::check::by_evidence(own.probability, row.contradicted[0]),
            };
            counts[usize::from(right)][label.map_or(2, usize::from)] += 1.0;
        }
        let share = |side: usize, label: usize| counts[side][label] / counts[side].iter().sum::<f64>();
        let all: f64 = counts.iter().flatten().sum();
        let precision = |label: usize, base: f64| {
            let (right, wrong) = (base * share(1, label), (1.0 - base) * share(0, label));
            (if label == 1 { right } else { wrong }) / (right + wrong)
        };
        writeln!(
            text,
            "| {name} | {:.2} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} / {:.2} | {:.2} / {:.2} |",
            1.0 - (counts[0][2] + counts[1][2]) / all,
            share(1, 1),
            share(1, 0),
            share(0, 0),
            share(0, 1),
            precision(1, 0.5),
            precision(1, 0.9),
            precision(0, 0.5),
            precision(0, 0.9)
        )
        .unwrap();
    }
}

/// Where a step is not clear, the judge abstains.
fn mid_transcript(text: &mut String, rows: &[Row], wide: &[HeldOut]) {
    let step = tooljudge_core::check::feature_names().iter().position(|name| name == "chat_step").unwrap();
    writeln!(text, "\nThe rows of other sources with `--decide always`:\n").unwrap();
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
