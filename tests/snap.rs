//! Replies to rails: our table, the corpus of old, and what holds for every text.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde::Deserialize;
use tooljudge::domain::{Rail, Rails};
use tooljudge::snap::{Rules, snap};

const TABLE: &str = include_str!("cases/snap.jsonl");
/// Written by somebody else after the rules were finished; the rules have not been changed for it since.
const UNSEEN: &str = include_str!("cases/snap_unseen.jsonl");
const CORPUS: &[u8] = include_bytes!("cases/phoenix_snap_to_rail.jsonl.gz");

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
        let label =
            |snapped: Result<tooljudge::snap::Snapped<'_>, _>| snapped.ok().map(|s| s.rail.label.clone());
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
        pieces in prop::collection::vec(
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
        let _ = snap(&pieces.concat(), &rails, Rules::Careful, explain);
        let _ = snap(&pieces.concat(), &rails, Rules::Legacy, explain);
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

    #[test]
    fn negation_never_flips(
        negation in prop::sample::select(vec![
            "not", "never", "isn't", "isn’t", "is not", "can't be", "cannot be", "is in no way", "was not", "not at all", "NOT", "*not*",
            "hardly", "neither", "not really", "not entirely",
        ]),
        before in prop::sample::select(vec!["", "It ", "The tool call ", "Label: ", "Therefore the call ", "**Verdict:** ", "- "]),
        rail in prop::sample::select(vec!["correct", "incorrect", "**correct**", "\"correct\"", "Correct."]),
    ) {
        let reply = format!("{before}{negation} {rail}");
        prop_assert!(snap(&reply, &Rails::correctness(), Rules::Careful, false).is_err(), "{}", reply);
    }
}

/// Hostile text is read in about the time that its length asks for.
#[test]
fn hostile_text_is_read() {
    let pieces = [
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
    ];
    let rails = Rails::correctness();
    for piece in pieces {
        // Whatever grows faster than its text would not come back from this.
        let _ = snap(&piece.repeat(256_000 / piece.len()), &rails, Rules::Careful, true);
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
