//! Scored cases as rows of the page: what was expected stands beside what was called.

use std::path::Path;
use std::sync::Arc;

use super::index::{Codes, MemberCodes};
use super::row::{self, Facts};
use super::{Entry, ReportWatch, Shown, first_step};
use crate::bench::columns;
use crate::domain::{Calls, Item, Json, Object, Rail, Rails, Sample, Task, ToolCall};
use crate::run::RunError;
use crate::score::{Issue, ScoreError, Scored};
use crate::table::{Schema, cell};
use crate::write::WriteError;

/// What a scorer says of a case, as its page names it.
const LABELS: [&str; 2] = ["passed", "failed"];
/// What the page calls a case without such a word: no threshold, an error, a turn that counts with the last one of its transcript.
const UNDECIDED: &str = "no_threshold";
const ERROR: &str = "error";
const PART: &str = "part_of_a_transcript";

/// A case with its score.
pub struct ScoredCase {
    /// What was asked and called, as far as that can be read.
    pub item: Item,
    pub name: Option<String>,
    pub cells: Vec<Option<String>>,
    /// The text of what was called, of a case whose calls cannot be read.
    pub unread: Option<String>,
    pub expected: Expected,
    /// None for a turn that is scored with the last one of its transcript.
    pub scored: Option<Result<Scored, ScoreError>>,
}

/// What should have been called.
pub enum Expected {
    /// The case does not say.
    Unsaid,
    Calls(Vec<ToolCall>),
    /// In another form than that of calls.
    Text(String),
}

impl ReportWatch {
    /// Takes down what `scorer` says of the cases of a table with these columns, of which those `left_out` are shown otherwise.
    pub fn of_scores(
        path: &Path,
        scorer: &str,
        schema: &Schema,
        left_out: &[&str],
    ) -> Result<ReportWatch, RunError> {
        let rail = |(label, score): (&str, f64)| Rail { label: label.to_owned(), score };
        let rails = LABELS.into_iter().zip([1.0, 0.0]).map(rail).collect();
        let rails =
            Rails::new(rails, LABELS[0]).unwrap_or_else(|_| Rails::pass_and_fail(Task::ToolCalling.labels()));
        let shown = Shown {
            judge: scorer.to_owned(),
            first: None,
            template: String::new(),
            task: None,
            rails: Arc::new(rails),
            gold: columns::gold_name(None),
        };
        ReportWatch::over(path, vec![shown], schema, left_out)
    }

    /// Takes down the next case; `cells` are those of [`ReportWatch::columns`].
    pub fn scored(&mut self, case: ScoredCase) -> Result<(), RunError> {
        let taken = self.take_scored(case);
        taken.map_err(|error| WriteError::io(&self.path, &error).into())
    }

    fn take_scored(&mut self, case: ScoredCase) -> std::io::Result<()> {
        let ScoredCase { item, name, cells, unread, expected, scored } = case;
        let facts = Facts { id: name, cells, unread: (None, unread) };
        let number = self.all[0] + self.all[1] + 1;
        self.hash(&item, &facts);
        let said = scored.as_ref().map(Result::as_ref);
        let passed = said.and_then(Result::ok).and_then(|scored| scored.passed);
        let share = said.and_then(Result::ok).and_then(|scored| scored.score).unwrap_or(0.5);
        let order = match passed {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        };
        let (order, passes) = ((order, (share * 1e4) as i64), passed == Some(true));
        self.all[usize::from(passes)] += 1;
        if !self.bounds.keep(number, passes) {
            return Ok(());
        }
        let calls = match &item {
            Ok(Sample { calls: Calls::Parsed(calls), .. }) => &calls[..],
            _ => &[],
        };
        let issues = said.and_then(Result::ok).map_or(&[][..], |scored| &scored.issues);
        let status = match said {
            None => PART,
            Some(Err(_)) => ERROR,
            Some(Ok(Scored { passed: None, .. })) => UNDECIDED,
            Some(Ok(_)) => "scored",
        };
        let label = passed.map(|passed| LABELS[usize::from(!passed)]);
        let words = &mut self.vocabulary;
        let member = MemberCodes {
            label: label.map(|label| words.labels.code(label)),
            status: words.statuses.code(status),
            reason: match said {
                Some(Err(error)) => Some(words.reasons.code(error.kind)),
                _ if passed.is_none() => Some(words.reasons.code(status)),
                _ => None,
            },
            confidence: None,
        };
        let values = words.columns.iter_mut().zip(&facts.cells);
        let codes = Codes {
            row: number,
            members: vec![member],
            columns: values.map(|(values, cell)| values.code(cell.as_deref())).collect(),
            tools: words.tools.codes(calls.iter().map(|call| call.name.as_str())),
            arguments: words
                .arguments
                .codes(issues.iter().filter_map(|issue| issue.path.as_deref()).map(first_step)),
            kinds: words.kinds.codes(issues.iter().map(|issue| issue.kind.as_str())),
        };
        let verdict = verdict(said, label, status, calls);
        let (talk, toolbox) = match &item {
            Ok(sample) => (self.talks.place(&sample.messages, &mut self.spool)?, self.toolbox(sample)?),
            Err(_) => (None, None),
        };
        let mut json = row::row(&item, facts, vec![verdict]);
        if let Json::Object(object) = &mut json {
            match expected {
                Expected::Unsaid => {}
                Expected::Calls(calls) => object.insert("expected", row::calls(&calls)),
                Expected::Text(text) => object.insert("expected_text", row::shown(&text)),
            }
        }
        let span = self.spool.put(&json.to_string())?;
        self.rows.push(Entry { codes, span, talk, toolbox, passes, order });
        if self.rows.len() > self.limits.rows {
            self.thin(self.limits.rows as u64 / 2);
        }
        Ok(())
    }
}

/// What the scorer says, as the page has the verdict of a judge.
fn verdict(
    scored: Option<Result<&Scored, &ScoreError>>,
    label: Option<&str>,
    status: &str,
    calls: &[ToolCall],
) -> Json {
    let mut object = Object::new();
    object.insert("label", cell::text(label));
    object.insert("status", status);
    match scored {
        Some(Ok(scored)) => {
            object.insert("score", cell::float(scored.score));
            let why = scored.reason.clone().unwrap_or_default();
            let issues: Vec<&str> = scored.issues.iter().map(|issue| issue.message.as_str()).collect();
            let why = if why.trim().is_empty() { issues.join("; ") } else { why };
            object.insert("why", row::shown(&why));
            let findings = scored.issues.iter().map(|issue| finding(issue, calls)).collect();
            object.insert("findings", Json::Array(findings));
        }
        Some(Err(error)) => object.insert("error", row::shown(&error.to_string())),
        None => object.insert("why", "scored with the last turn of its transcript"),
    }
    Json::Object(object)
}

fn finding(issue: &Issue, calls: &[ToolCall]) -> Json {
    let mut object = Object::new();
    object.insert("kind", issue.kind.as_str());
    object.insert("tool", cell::text(issue.tool.as_deref()));
    object.insert("argument", cell::text(issue.path.as_deref()));
    object.insert("message", row::shown(&issue.message));
    // An issue names its tool only: where it was called once, that is the call.
    let mut places = (1_u64..).zip(calls).filter(|(_, call)| Some(&call.name) == issue.tool.as_ref());
    if let (Some((place, _)), None) = (places.next(), places.next()) {
        object.insert("call", cell::int(Some(place)));
    }
    Json::Object(object)
}
