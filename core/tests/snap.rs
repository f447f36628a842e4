//! Replies to rails: our table, the corpus of old, and what holds for every text.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde::Deserialize;
use tooljudge_core::domain::{Rail, Rails};
use tooljudge_core::snap::{Rules, snap, snap_cut};

const TABLE: &str = include_str!("../../tests/cases/snap.jsonl");
/// Written by somebody else after the rules were finished. Its labels have changed where a policy has: what is denied of one of two
/// opposite rails holds of the other, and another language's word for a rail is that rail.
const UNSEEN: &str = include_str!("../../tests/cases/snap_unseen.jsonl");
/// Written by two readers who did not know the rules, in the style of weak, verbose, thinking and foreign-language models.
const REPLIES: &str = include_str!("../../tests/cases/snap_replies.jsonl");
/// Ours: how replies come to their verdict in the end, and as many that only look so.
const ENDINGS: &str = include_str!("../../tests/cases/snap_endings.jsonl");
/// Written by readers who had never seen the rules and tried to break them: cut replies that turn round in many ways, denials and
/// restrictions in many languages, rails that are everyday words, fields that contradict each other.
const ADVERSARIAL: &str = include_str!("../../tests/cases/snap_adversarial.jsonl");
/// Ours: marks of chat templates, remarks in JSON, choices that are repeated, second thoughts, and as many that only look so.
const FORMS: &str = include_str!("../../tests/cases/snap_forms.jsonl");
const CORPUS: &[u8] = include_bytes!("../../tests/cases/phoenix_snap_to_rail.jsonl.gz");

/// A reply as real models write them, and what a careful reader takes from it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    kind: String,
    reply: String,
    /// `correct` and `incorrect` unless given.
    rails: Option<Vec<String>>,
    #[serde(default)]
    explain: bool,
    label: Option<String>,
    /// Empty for none; not checked when absent.
    explanation: Option<String>,
    note: String,
}

impl Case {
    fn rails(&self) -> Rails {
        self.rails.as_deref().map_or_else(Rails::correctness, rails)
    }

    fn snap<'a>(&self, rails: &'a Rails, rules: Rules) -> (Option<&'a str>, &'static str, Option<String>) {
        match snap(&self.reply, rails, rules, self.explain) {
            Ok(snapped) => (Some(&snapped.rail.label), snapped.rule, snapped.explanation),
            Err(none) => (None, none.why, none.explanation),
        }
    }
}

#[derive(Deserialize)]
struct Old {
    reply: String,
    rails: Vec<String>,
    with_explanation: bool,
    /// In lower case; `NOT_PARSABLE` for none.
    label: String,
}

fn rails(labels: &[String]) -> Rails {
    let rails = labels.iter().enumerate().map(|(i, label)| Rail { label: label.clone(), score: i as f64 });
    Rails::new(rails.collect(), &labels[0]).expect("well-formed")
}

fn cases(table: &str) -> Vec<Case> {
    table.lines().map(|line| serde_json::from_str(line).expect("well-formed")).collect()
}

fn corpus() -> Vec<Old> {
    let mut text = String::new();
    GzDecoder::new(CORPUS).read_to_string(&mut text).expect("well-formed");
    text.lines().map(|line| serde_json::from_str(line).expect("well-formed")).collect()
}

#[test]
fn table_holds() {
    let cases = cases(TABLE);
    assert!(cases.len() >= 350);
    let mut failures = Vec::new();
    for (line, case) in cases.iter().enumerate() {
        let rails = case.rails();
        let (label, by, explanation) = case.snap(&rails, Rules::Careful);
        let wrong = label.is_some() && label != case.label.as_deref();
        if label != case.label.as_deref() {
            failures.push(format!(
                "{}line {}, {}: {:?} ({}): got {label:?} by `{by}`, not {:?}",
                if wrong { "WRONG LABEL, " } else { "" },
                line + 1,
                case.kind,
                case.reply,
                case.note,
                case.label,
            ));
        } else if let Some(expected) = &case.explanation
            && *expected != explanation.clone().unwrap_or_default()
        {
            failures.push(format!("line {}: {:?}: explained by {explanation:?}", line + 1, case.reply));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn legacy_snaps_as_of_old() {
    let failures: Vec<String> = corpus()
        .iter()
        .enumerate()
        .filter_map(|(id, old)| {
            let rails = rails(&old.rails);
            let snapped = snap(&old.reply, &rails, Rules::Legacy, old.with_explanation);
            let label =
                snapped.map_or("NOT_PARSABLE".to_owned(), |snapped| snapped.rail.label.to_lowercase());
            (label != old.label).then(|| format!("{id}: {:?}: got {label}, not {}", old.reply, old.label))
        })
        .collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// How the two sets of rules do, by the rule (or reason) of the careful ones. `--nocapture` shows it.
#[test]
fn careful_is_never_wrong_where_legacy_often_is() {
    #[derive(Default)]
    struct Tally {
        cases: usize,
        careful: usize,
        legacy: usize,
    }
    let (mut tallies, mut wrong, mut legacy_wrong) = (BTreeMap::<_, Tally>::new(), 0, 0);
    for case in cases(TABLE) {
        let rails = case.rails();
        let (careful, by, _) = case.snap(&rails, Rules::Careful);
        let (legacy, ..) = case.snap(&rails, Rules::Legacy);
        let truth = case.label.as_deref();
        let tally = tallies.entry((careful.is_none(), by)).or_default();
        tally.cases += 1;
        tally.careful += usize::from(careful == truth);
        tally.legacy += usize::from(legacy == truth);
        wrong += usize::from(careful.is_some() && careful != truth);
        legacy_wrong += usize::from(legacy.is_some() && legacy != truth);
    }
    println!("table: rule or reason, cases, careful right, legacy right");
    for ((none, by), tally) in &tallies {
        let by = if *none { format!("({by})") } else { (*by).to_owned() };
        println!("{by:>20} {:5} {:5} {:5}", tally.cases, tally.careful, tally.legacy);
    }
    println!("wrong labels: careful {wrong}, legacy {legacy_wrong}");

    let mut differ = BTreeMap::<_, usize>::new();
    let mut examples = BTreeMap::new();
    for old in corpus() {
        let rails = rails(&old.rails);
        let careful = snap(&old.reply, &rails, Rules::Careful, old.with_explanation);
        let legacy = snap(&old.reply, &rails, Rules::Legacy, old.with_explanation);
        let by =
            careful.as_ref().map_or_else(|none| format!("({})", none.why), |snapped| snapped.rule.to_owned());
        let label = |snapped: Result<tooljudge_core::snap::Snapped<'_>, _>| {
            snapped.ok().map(|s| s.rail.label.clone())
        };
        let (careful, legacy) = (label(careful), label(legacy));
        if careful != legacy {
            *differ.entry(by.clone()).or_default() += 1;
            examples.entry((by, legacy, careful)).or_insert_with(Vec::new).push(old.reply);
        }
    }
    println!("corpus: careful differs from legacy\n{differ:#?}");
    for ((by, legacy, careful), replies) in examples {
        println!(
            "{by}: {legacy:?} -> {careful:?}: {} such as {:?}",
            replies.len(),
            &replies[..replies.len().min(4)]
        );
    }
    assert_eq!(wrong, 0);
    assert!(legacy_wrong > 0);
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>(), explain: bool) {
        let rails = Rails::correctness();
        let _ = snap(&text, &rails, Rules::Careful, explain);
        let _ = snap(&text, &rails, Rules::Legacy, explain);
    }

    /// Shuffled pieces of real replies reach deeper than random characters.
    #[test]
    fn any_reply_is_read(
        fragments in prop::collection::vec(
            prop::sample::select(vec![
                "correct", "incorrect", "not ", "Label", ":", " ", "\n", "{", "}", "[", "]", "\"", "'", "`", "```",
                "<label>", "</label>", "<think>", "</think>", "\\boxed{", "\\text{", "**", "- ", "1. ", "|", ",", ".",
                "Call 1", "Call 2", "Wait, ", "explanation", "…", "ｃ", "\u{200b}", "é", "~~", ">", "#", "?", "<", "/",
            ]),
            0..40,
        ),
        explain: bool,
    ) {
        let rails = Rails::correctness();
        let _ = snap(&fragments.concat(), &rails, Rules::Careful, explain);
        let _ = snap(&fragments.concat(), &rails, Rules::Legacy, explain);
    }

    #[test]
    fn wrapping_changes_nothing(
        label in "[a-z]{2,9}( [a-z]{2,9})?",
        wrap in prop::sample::select(vec![
            ("", ""), ("\"", "\""), ("'", "'"), ("`", "`"), ("**", "**"), ("“", "”"), ("```\n", "\n```"), ("(", ")"),
            ("{\"label\":\"", "\"}"), ("<label>", "</label>"), ("\\boxed{\\text{", "}}"), ("Label: ", ""), ("**Verdict:** ", "."),
        ]),
        space in "[ \n\t]{0,3}",
        upper: bool,
    ) {
        let labels = [label.clone(), "qqqq zzzz".to_owned()];
        let rails = rails(&labels);
        let spelled = if upper { label.to_uppercase() } else { label.clone() };
        let reply = format!("{space}{}{spelled}{}{space}", wrap.0, wrap.1);
        let snapped = snap(&reply, &rails, Rules::Careful, false).map(|snapped| &snapped.rail.label);
        prop_assert_eq!(snapped, Ok(&label), "{}", reply);
    }

    #[test]
    fn no_rail_no_verdict(text in "[a-bd-hj-z .,:;!?\"'{}\\[\\]<>*#\n]{0,200}") {
        prop_assert!(snap(&text, &Rails::correctness(), Rules::Careful, false).is_err());
    }

    /// What is denied is never the verdict: its opposite is, or there is none.
    #[test]
    fn what_is_denied_is_never_the_verdict(
        negation in prop::sample::select(vec![
            "not", "never", "isn't", "isn’t", "is not", "can't be", "cannot be", "is in no way", "was not", "not at all", "NOT", "*not*",
            "hardly", "neither", "not really", "not entirely", "would not call it", "wouldn't call this", "do not regard it as", "can't call that",
            "don't think that makes it", "will not go with", "am not going with", "never settle on", "nicht", "n'est pas", "不是", "не", "non è",
        ]),
        before in prop::sample::select(vec![
            "", "It ", "I ", "We ", "The tool call ", "Label: ", "Therefore the call ", "**Verdict:** ", "- ", "So ", "Der Aufruf ist ", "该调用",
            "No issues, ", "In my view the call ", "Without doubt it ", "Correct? ", "[x] ",
        ]),
        rail in prop::sample::select(vec![
            "correct", "incorrect", "**correct**", "\"correct\"", "Correct.", "richtig", "falsch", "a correct call", "an incorrect tool call here.",
        ]),
    ) {
        let reply = format!("{before}{negation} {rail}");
        let denied = if rail.contains("incorrect") || rail == "falsch" { "incorrect" } else { "correct" };
        let rails = Rails::correctness();
        for read in [snap, snap_cut] {
            let label = read(&reply, &rails, Rules::Careful, false).map(|snapped| snapped.rail.label.clone());
            prop_assert_ne!(label, Ok(denied.to_owned()), "{}", reply);
        }
    }

    /// Of rails that are not each other's negation, a denial tells nothing.
    #[test]
    fn only_opposites_flip(
        reply in prop::sample::select(vec!["not A", "The call is not A.", "not supported", "It isn't supported.", "Label: not good", "not ham"]),
    ) {
        for labels in [["A", "B"].as_slice(), &["supported", "unsupported", "unclear"], &["good", "excellent"], &["ham", "spam"]] {
            let rails = rails(&labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>());
            prop_assert!(snap(reply, &rails, Rules::Careful, false).is_err(), "{}", reply);
        }
    }
}

/// A reply that gives a plain verdict with its reason, and turns round later on.
const TURNS_ROUND: &str = "Incorrect, as the agent is passing a negative amount";

/// What a reply says before a cut is what the whole of it says, or nothing, but where it turns round without any notice.
#[test]
fn a_cut_reply_says_what_the_whole_one_does_or_nothing() {
    const SHORT: usize = 60;
    let (mut read, mut wrong) = (0, Vec::new());
    for line in REPLIES.lines().chain(ENDINGS.lines()) {
        let written: Written = serde_json::from_str(line).expect("well-formed");
        if written.finish == "length" || written.rails.len() != 2 {
            continue;
        }
        let rails = rails(&written.rails);
        let cuts = written.reply.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
        let misread = cuts.filter(|cut| written.reply[..*cut].chars().count() > SHORT).find(|cut| {
            let said = snap_cut(&written.reply[..*cut], &rails, Rules::Careful, false);
            read += usize::from(said.is_ok());
            said.is_ok_and(|said| written.expected.as_deref() != Some(&said.rail.label))
        });
        if misread.is_some() && !written.reply.starts_with(TURNS_ROUND) {
            wrong.push(written.reply);
        }
    }
    assert!(read > 100, "{read} prefixes read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What the missing rest may overturn is no verdict yet.
#[test]
fn what_the_rest_may_overturn_is_not_read() {
    let rails = Rails::correctness();
    for reply in CUT {
        let label = snap_cut(reply, &rails, Rules::Careful, false).map(|snapped| snapped.rail.label.clone());
        assert!(label.is_err(), "{reply:?} is {label:?}");
    }
}

const CUT: [&str; 16] = [
    r#"{"calls":[{"label":"correct"},{"label":"#,
    r#"[{"label":"correct"},"#,
    r#"{"label":"correct","verdict":"inc"#,
    r#"{"label":"correct","verd"#,
    r#"{"label":"correct"#,
    r#"{"label":"correct"} Wait, the city"#,
    r#"{"correct": true, "city"#,
    "[correct",
    "○ correct",
    "correct",
    "Label: correct",
    "Label: correct\n\nLet me double check the arguments. The city",
    "Correct. The tool is the right one, but the city that the agent",
    "Correct. The tool is right. The city is missing and so",
    "The call is correct. That is, if the user meant the Paris",
    "The agent sent no id. So that one's incorrect. As one wrong argument spoils the call, the final verdict has to be",
];

/// Hostile text is read in about the time that its length asks for.
#[test]
fn hostile_text_is_read() {
    let fragments = [
        "correct ",
        "{",
        "{\"a\":",
        "[{",
        "<a>",
        "</a>",
        "<think>",
        "</think>",
        "|",
        "correct|",
        "\"",
        "'",
        "`",
        "\n",
        "\\boxed{",
        "the ",
        "the correct ",
        "Label: correct\n",
        "Call 1: correct\n",
        ". ",
        "correct, ",
        "- x: correct\n",
        "~~",
        "\u{200b}",
        "-\u{200b}",
        "{\"label\": \"correct\", ",
        "wait. ",
        "correct. wait. ",
        "it is correct. ",
        "<label>",
        "not think ",
        "'x ",
        "<b a ",
        "{'",
        ":",
        "Label: incorrect. Label: correct. ",
        "{\"label\":\"correct\"} ",
        "{\"label\": ",
        "{\"verdict\": [",
        "{\"overall\": {\"result\": ",
        "{/*",
        "{// ",
        "{\"label\": \"correct\" /* ",
        "<parameter name=\"a\">",
        "<parameter=a></parameter>",
        "\"label\": \"correct\", ",
    ];
    let rails = Rails::correctness();
    for fragment in fragments {
        // Work that grows with the square of the text would take minutes here.
        let _ = snap(&fragment.repeat(64_000 / fragment.len()), &rails, Rules::Careful, true);
        let _ = snap_cut(&fragment.repeat(10_000 / fragment.len()), &rails, Rules::Careful, true);
    }
}

#[test]
fn unseen_replies_get_no_wrong_label() {
    let cases = cases(UNSEEN);
    let (mut wrong, mut missed) = (Vec::new(), 0);
    for case in &cases {
        let rails = case.rails();
        match (case.snap(&rails, Rules::Careful).0, case.label.as_deref()) {
            (label, expected) if label == expected => {}
            (None, Some(_)) => missed += 1,
            (label, _) => wrong.push(format!("{:?} is {label:?}, not {:?}", case.reply, case.label)),
        }
    }
    println!("{} unseen replies: {} wrong labels, {missed} verdicts missed", cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(missed * 20 < cases.len(), "{missed} verdicts missed");
}

/// A reply as somebody else wrote it down: which verdict a careful reader takes from it.
#[derive(Deserialize)]
struct Written {
    rails: Vec<String>,
    reply: String,
    /// `length` where the length limit cut it.
    finish: String,
    expected: Option<String>,
    kind: String,
}

/// How verdicts were read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Reading {
    found: usize,
    missed: usize,
    swapped: usize,
    invented: usize,
    /// Nothing to find, and nothing found.
    none: usize,
}

/// What is read of `replies`, by kind, and a line for everything that is read otherwise than expected.
fn read(replies: &str) -> (BTreeMap<String, Reading>, Vec<String>) {
    let (mut kinds, mut failures) = (BTreeMap::<String, Reading>::new(), Vec::new());
    for (line, reply) in replies.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let written: Written =
            serde_json::from_str(reply).unwrap_or_else(|e| panic!("line {}: {e}", line + 1));
        let rails = rails(&written.rails);
        let snapped = match written.finish.as_str() {
            "length" => snap_cut(&written.reply, &rails, Rules::Careful, false),
            _ => snap(&written.reply, &rails, Rules::Careful, false),
        };
        let (found, by) = match &snapped {
            Ok(snapped) => (Some(snapped.rail.label.as_str()), snapped.rule),
            Err(none) => (None, none.why),
        };
        let reading = kinds.entry(written.kind.clone()).or_default();
        let what = match (found, written.expected.as_deref()) {
            (None, None) => (&mut reading.none, ""),
            (None, Some(_)) => (&mut reading.missed, "missed"),
            (Some(_), None) => (&mut reading.invented, "INVENTED"),
            (Some(found), Some(expected)) if found == expected => (&mut reading.found, ""),
            (Some(_), Some(_)) => (&mut reading.swapped, "SWAPPED"),
        };
        *what.0 += 1;
        if !what.1.is_empty() {
            failures.push(format!(
                "{} line {}, {}, {}: {:?} of {:?} is {:?}, read as {found:?} by `{by}`",
                what.1,
                line + 1,
                written.kind,
                written.finish,
                written.reply,
                written.rails,
                written.expected,
            ));
        }
    }
    (kinds, failures)
}

/// No verdict is swapped or invented; how many are found is recorded, so that any change is seen.
#[test]
fn replies_of_others_are_read() {
    nothing_is_read_wrongly("replies_of_others", REPLIES);
}

/// The same of how replies end.
#[test]
fn endings_are_read() {
    nothing_is_read_wrongly("endings", ENDINGS);
}

/// The same of replies that were made to be misread.
#[test]
fn adversarial_replies_are_read() {
    nothing_is_read_wrongly("adversarial", ADVERSARIAL);
}

fn nothing_is_read_wrongly(name: &str, replies: &str) {
    let (kinds, failures) = read(replies);
    let wrong: Vec<&String> = failures.iter().filter(|failure| !failure.starts_with("missed")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let found: Vec<(&str, usize, usize)> =
        kinds.iter().map(|(kind, reading)| (kind.as_str(), reading.found, reading.missed)).collect();
    insta::assert_snapshot!(
        name,
        found
            .iter()
            .map(|(kind, found, missed)| format!("{kind}: {found} found, {missed} missed"))
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn forms_are_read() {
    nothing_is_read_wrongly("forms", FORMS);
}

/// Shows what is read of the file that `TOOLJUDGE_SNAP_REPLIES` names: JSON lines with `rails`, `reply`, `finish`, `expected`, `kind`.
#[test]
fn replies_of_a_file_are_counted() {
    let Some(path) = std::env::var_os("TOOLJUDGE_SNAP_REPLIES") else {
        eprintln!("skipped: TOOLJUDGE_SNAP_REPLIES names no file");
        return;
    };
    let (kinds, failures) = read(&std::fs::read_to_string(path).expect("readable"));
    let mut all = Reading::default();
    println!(
        "{:>28} {:>6} {:>6} {:>7} {:>8} {:>5}",
        "kind", "found", "missed", "swapped", "invented", "none"
    );
    for (kind, reading) in kinds.iter().map(|(kind, reading)| (kind.as_str(), *reading)) {
        show(kind, reading);
        all.found += reading.found;
        all.missed += reading.missed;
        all.swapped += reading.swapped;
        all.invented += reading.invented;
        all.none += reading.none;
    }
    show("all", all);
    println!("{}", failures.join("\n"));
}

fn show(kind: &str, Reading { found, missed, swapped, invented, none }: Reading) {
    println!("{kind:>28} {found:>6} {missed:>6} {swapped:>7} {invented:>8} {none:>5}");
}
