//! `compare`: judges held against each other, on rows found again in several tables.

use std::fmt::Write;

use serde_json::Value;

use crate::bench::chance;
use crate::support::workspace::{Ran, Workspace, shown};

/// A labelled table of `rows`, right by `right` and labelled rightly as often as `skill` says.
pub fn labelled(judge: &str, rows: impl Iterator<Item = usize>, salt: u64, skill: f64) -> String {
    let mut csv = "id,question_id,question,tool_call,gold,label,status,judge,template\n".to_owned();
    for row in rows {
        let gold = chance(0, row, 0) < 0.5;
        // Judges find the same rows hard, as judges do.
        let difficulty = 0.7 * chance(0, row, 1) + 0.3 * chance(salt, row, 2);
        let label = gold == (difficulty < skill);
        let word = |right| if right { "correct" } else { "incorrect" };
        let (question, gold, label) = (row / 3, word(gold), word(label));
        writeln!(csv, "r{row},q{question},Row {row}?,f({row}),{gold},{label},judged,{judge},tool_calling")
            .unwrap();
    }
    csv
}

fn compare(work: &Workspace, args: &[&str]) -> Ran {
    work.run(&[&["compare"], args].concat())
}

/// A gate that looks at nothing, or away from what a judge left out, says so.
#[test]
fn gates_tell_what_they_do_not_look_at() {
    let work = Workspace::new();
    work.file("a.csv", labelled("a", 0..60, 1, 0.75));
    let lenient = labelled("b", 0..60, 1, 0.75);
    let lacks = |(at, line): (usize, &str)| match at % 3 {
        1 => {
            line.replace(",correct,judged,", ",,unparseable,").replace(",incorrect,judged,", ",,unparseable,")
        }
        _ => line.to_owned(),
    };
    let without: Vec<String> = lenient.lines().enumerate().map(lacks).collect();
    work.file("b.csv", without.join("\n") + "\n");
    let gate = |more: &[&str]| {
        compare(&work, &[&["a.csv", "b.csv", "--gate", "--margin", "0.5", "-q"], more].concat())
    };
    let ran = gate(&[]).ended(0);
    assert!(
        ran.stderr.contains("b has no label in 20 of 60 rows, a in 0: these do not count"),
        "{}",
        ran.stderr
    );
    let ran = gate(&["--positive", "nope"]).ended(2);
    assert!(ran.stderr.contains("--positive nope: neither a label nor the gold"), "{}", ran.stderr);
    let ran = compare(&work, &["a.csv", "b.csv", "--positive", "incorrect"]).ended(0);
    assert!(ran.stdout.contains("F1 incorrect") && ran.stdout.contains("F1 not incorrect"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("F1 correct"), "{}", ran.stdout);
}

#[test]
fn better_worse_and_undecided() {
    let work = Workspace::new();
    work.file("a.csv", labelled("a", 0..600, 1, 0.6));
    work.file("b.csv", labelled("b", 0..600, 2, 0.75));
    work.file("c.csv", labelled("c", 0..600, 3, 0.61));
    let ran = compare(
        &work,
        &["a.csv", "b.csv", "c.csv", "--margin", "0.1", "--report", "r.json", "--report", "r.md"],
    )
    .ended(0);
    shown("compare_three", &ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100));
    let record: Value = serde_json::from_str(&work.read("r.json")).unwrap();
    let verdicts: Vec<&str> = record["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["better", "undecided"]);
    assert!(work.read("r.md").contains("b is better than a"));
    for found in record["comparisons"].as_array().unwrap() {
        for measure in found["differences"].as_array().unwrap() {
            let [p, adjusted] = ["p", "p_adjusted"].map(|key| measure[key].as_f64().unwrap());
            assert!(adjusted >= p, "Holm never makes a p-value smaller: {measure}");
        }
    }
    // Every two of them: each pair as it is alone, but for the correction.
    let record = |tables: &[&str]| -> Value {
        serde_json::from_str(&compare(&work, &[tables, &["--json"]].concat()).ended(0).stdout).unwrap()
    };
    let all = record(&["a.csv", "b.csv", "c.csv", "--all-pairs"]);
    let pairs = all["comparisons"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    for (pair, tables) in pairs.iter().zip([["a.csv", "b.csv"], ["a.csv", "c.csv"], ["b.csv", "c.csv"]]) {
        let alone = &record(&tables)["comparisons"][0];
        assert_eq!(pair["only_b_right"], alone["only_b_right"], "{tables:?}");
        assert_eq!(pair["differences"][0]["difference"], alone["differences"][0]["difference"], "{tables:?}");
        assert!(pair["differences"][0]["p_adjusted"].as_f64() >= alone["differences"][0]["p"].as_f64());
    }
    assert_eq!(
        (&pairs[2]["a"], &pairs[2]["b"], &pairs[2]["verdict"]),
        (&1.into(), &2.into(), &"worse".into())
    );
    let ran = compare(&work, &["a.csv", "b.csv", "--all-pairs", "--gate"]).ended(2);
    assert!(ran.stderr.contains("--gate"), "{}", ran.stderr);
    let worse = compare(&work, &["b.csv", "a.csv"]).ended(0);
    assert!(worse.stdout.contains("a is worse than b"), "{}", worse.stdout);
    compare(&work, &["a.csv", "b.csv", "--gate", "-q"]).ended(0);
    compare(&work, &["a.csv", "c.csv", "--gate", "-q"]).ended(1);
    compare(&work, &["a.csv", "c.csv", "--gate", "--margin", "0.1", "-q"]).ended(0);
}

#[test]
fn rows_are_found_again_by_name_or_content() {
    let work = Workspace::new();
    work.file("a.csv", labelled("a", 0..200, 1, 0.6));
    // Other order, and some rows that the first table does not have.
    work.file("b.csv", labelled("b", (50..230).rev(), 2, 0.8));
    let by_name = compare(&work, &["a.csv", "b.csv", "--json"]).ended(0);
    assert!(by_name.stderr.contains("30 rows of b are not in a"), "{}", by_name.stderr);
    let record: Value = serde_json::from_str(&by_name.stdout).unwrap();
    let found = &record["comparisons"][0];
    assert_eq!((found["rows"].as_u64(), found["unpaired"].as_u64()), (Some(150), Some(50)));
    // Without names, questions and calls say which rows are the same.
    for name in ["a.csv", "b.csv"] {
        work.file(name, work.read(name).replace("id,question_id", "nr,question_id"));
    }
    let by_content = compare(&work, &["a.csv", "b.csv", "--json"]).ended(0);
    let again: Value = serde_json::from_str(&by_content.stdout).unwrap();
    assert_eq!(found["differences"], again["comparisons"][0]["differences"]);
}

#[test]
fn judges_of_one_table_are_compared_too() {
    let work = Workspace::new();
    let csv = labelled("a", 0..90, 1, 0.6);
    let csv: String = csv
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => line.replace(",label,status,judge,template", ",x_label,x_status,y_label,y_status") + "\n",
            _ => line.replace(",a,tool_calling", ",correct,judged") + "\n",
        })
        .collect();
    work.file("both.csv", csv);
    let ran = compare(&work, &["both.csv"]).ended(0);
    assert!(ran.stdout.contains("90 rows of 30 questions"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let work = Workspace::new();
    work.file("a.csv", labelled("a", 0..9, 1, 0.6));
    work.file("plain.csv", "question,tool_call,gold\nq,f(),correct\n");
    for (args, word) in [
        (&["a.csv"][..], "only one judge"),
        (&["a.csv", "plain.csv"], "no judge's labels"),
        (&["a.csv", "a.csv", "--gold", "gould"], "--gold"),
        (&["a.csv", "a.csv", "--id", "name"], "no column `name`"),
        (&["a.csv", "a.csv", "--cluster", "name"], "no column `name`"),
        (&["a.csv", "none.csv"], "none.csv"),
        (&["a.csv", "a.csv", "--measure", "luck"], "balanced_accuracy"),
        (&["a.csv", "a.csv", "--report", "r.html"], ".md or .json"),
    ] {
        let ran = compare(&work, args).ended(2);
        assert!(ran.stderr.contains(word), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn one_large_question_lends_no_power() {
    let work = Workspace::new();
    let table = |judge: &str, seed: u64, right: f64| {
        let rows = labelled(judge, 0..520, seed, right);
        let question = |(at, line): (usize, &str)| match at {
            0 => line.to_owned(),
            // Twenty rows have questions of their own.
            1..=20 => line.replace(",q", &format!(",own{at}-")),
            _ => line.split(',').enumerate().fold(String::new(), |line, (column, cell)| {
                let cell = if column == 1 { "q" } else { cell };
                if column == 0 { cell.to_owned() } else { format!("{line},{cell}") }
            }),
        };
        rows.lines().enumerate().map(question).map(|line| line + "\n").collect::<String>()
    };
    work.file("a.csv", table("a", 1, 0.6));
    work.file("b.csv", table("b", 2, 0.7));
    let ran = compare(&work, &["a.csv", "b.csv"]).ended(0);
    assert!(ran.stdout.contains("A few clusters hold most of these rows"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("four times in five"), "{}", ran.stdout);
    let json = compare(&work, &["a.csv", "b.csv", "--json"]).ended(0).stdout;
    let record: Value = serde_json::from_str(&json).unwrap();
    let differences = record["comparisons"][0]["differences"].as_array().unwrap();
    assert!(differences.iter().all(|found| found["p"].is_null() && found["p_adjusted"].is_null()), "{json}");
}
