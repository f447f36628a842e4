//! How well the rules that need no model see faults in answers: faults are planted into faithful answers, harmless edits beside
//! them, and `docs/tasks.md` shows the figures that come out here.

use std::collections::BTreeMap;

use tooljudge_core::check::BuiltinJudge;
use tooljudge_core::domain::{Cell, Json, Object, RawRow, Sample, Slot, Task, Variable};
use tooljudge_core::normalize::{Normalizer, Options};
use tooljudge_core::stats::wilson;

const ROWS: &str = include_str!("../../datasets/results.jsonl");
const DOCS: &str = include_str!("../../docs/tasks.md");

/// An answer with something done to it.
struct Planted {
    kind: &'static str,
    faulty: bool,
    answer: String,
}

fn rows() -> Vec<Object> {
    let row = |line| match Json::parse(line).unwrap() {
        Json::Object(row) => row,
        other => panic!("{other} is no row"),
    };
    ROWS.lines().map(row).collect()
}

fn text<'a>(row: &'a Object, key: &str) -> &'a str {
    row.get(key).and_then(Json::as_str).unwrap()
}

fn sample(row: &Object, answer: &str, normalizer: &Normalizer) -> Sample {
    let cell = |key: &str| row.get(key).cloned().map_or(Cell::Missing, Cell::from);
    let extras = [
        (Variable::Slot(Slot::ToolResult), cell("tool_result")),
        (Variable::Slot(Slot::Response), Cell::Text(answer.to_owned())),
    ];
    let row = RawRow {
        question: cell("question"),
        tool_call: cell("tool_call"),
        tool_definitions: Cell::Missing,
        extras: extras.into(),
    };
    normalizer.sample(row).unwrap()
}

/// Where the runs of digits stand that have at least two, decimals apart.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let is_word = at > 0
            && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'-' | b'.' | b',' | b':'));
        if end - at >= 2 && !is_word {
            found.push((at, end));
        }
        at = end.max(at + 1);
    }
    found
}

/// The same text with the first digit at `place` another one.
fn altered(text: &str, (start, _): (usize, usize)) -> String {
    let digit = text.as_bytes()[start] - b'0';
    let other = char::from(b'0' + if digit >= 8 { digit - 3 } else { digit + 2 });
    format!("{}{other}{}", &text[..start], &text[start + 1..])
}

fn planted(row: &Object) -> Vec<Planted> {
    let answer = text(row, "response");
    let fails = text(row, "tool_result").to_lowercase();
    let fails = ["error", "\"success\": false"].iter().any(|word| fails.contains(word));
    let fault = |kind, answer: String| Planted { kind, faulty: true, answer };
    let harmless = |kind, answer: String| Planted { kind, faulty: false, answer };
    let mut made = vec![
        harmless("as it was", answer.to_owned()),
        harmless("politeness around it", format!("Sure! {answer} Is there anything else I can do for you?")),
        harmless("digits written together", together(answer)),
    ];
    if fails {
        made.push(fault("a failure passed off as done", "Done, that is taken care of.".to_owned()));
        return made;
    }
    let places = numbers(answer);
    if let Some(place) = places.first() {
        made.push(fault("an altered number", altered(answer, *place)));
    }
    if let [(a, b), .., (c, d)] = places[..] {
        let (first, last) = (&answer[a..b], &answer[c..d]);
        if first != last {
            let swapped = [&answer[..a], last, &answer[b..c], first, &answer[d..]].concat();
            made.push(fault("two numbers swapped", swapped));
        }
    }
    let id = answer.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).find(
        |word| {
            word.contains(|c: char| c.is_ascii_alphabetic())
                && word.bytes().filter(u8::is_ascii_digit).count() >= 3
        },
    );
    if let Some(id) = id {
        let at = id.bytes().position(|b| b.is_ascii_digit()).unwrap();
        made.push(fault("an altered id", answer.replace(id, &altered(id, (at, at)))));
    }
    made.push(fault("an invented number", format!("{answer} This took 847 attempts.")));
    made.push(fault("an invented id", format!("{answer} The reference is QX-58213.")));
    if let Some((kept, _)) = answer.rsplit_once([',', ':']).filter(|_| places.len() > 1) {
        made.push(fault("a value left out", format!("{kept}.")));
    }
    made
}

/// `1,840,233` as `1840233`.
fn together(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let groups = |at: &usize| {
        let (before, behind) =
            (*at > 0 && digit(*at - 1), (1..4).all(|step| digit(*at + step)) && !digit(*at + 4));
        chars[*at] == ',' && before && behind
    };
    (0..chars.len()).filter(|at| !groups(at)).map(|at| chars[at]).collect()
}

#[test]
fn what_is_seen_without_a_model() {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let judge = BuiltinJudge::new(Task::ToolResponseHandling);
    // By kind: whether it is a fault, labelled wrong, labelled right, and all.
    let mut seen: BTreeMap<(bool, &str), [u64; 3]> = BTreeMap::new();
    for row in rows() {
        for planted in planted(&row) {
            let verdict = judge.judge(&sample(&row, &planted.answer, &normalizer));
            let counts = seen.entry((!planted.faulty, planted.kind)).or_default();
            counts[0] += u64::from(verdict.label() == Some("incorrect"));
            counts[1] += u64::from(verdict.label() == Some("correct"));
            counts[2] += 1;
        }
    }
    let share = |part: u64, all: u64| {
        let (low, high) = wilson(part, all).unwrap();
        format!("{:.0} % ({:.0}-{:.0})", 100.0 * part as f64 / all as f64, 100.0 * low, 100.0 * high)
    };
    let mut lines = vec![
        "| planted into faithful answers | rows | called incorrect | called correct | no label |".to_owned(),
        "|---|---:|---:|---:|---:|".to_owned(),
    ];
    for ((harmless, kind), [wrong, right, all]) in &seen {
        let kind = if *harmless { format!("harmless: {kind}") } else { (*kind).to_owned() };
        lines.push(format!(
            "| {kind} | {all} | {} | {right} | {} |",
            share(*wrong, *all),
            all - wrong - right
        ));
    }
    let table = lines.join("\n");
    assert!(DOCS.contains(&table), "docs/tasks.md should hold\n{table}");
}

#[test]
fn failures_are_told_from_what_tools_say() {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let judge = BuiltinJudge::new(Task::ToolCallSuccess);
    for row in rows() {
        let verdict = judge.judge(&sample(&row, text(&row, "response"), &normalizer));
        // The last six of the data set failed.
        let expected = if text(&row, "id") >= "r35" { "failed" } else { "succeeded" };
        assert_eq!(verdict.label(), Some(expected), "{}", text(&row, "id"));
    }
}
