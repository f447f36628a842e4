//! Reads the labels of a labelled table.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ReviewError;
use crate::bench::columns;
use crate::domain::{
    Abstention, Finding, FindingKind, Findings, Item, Json, Lack, Outcome, Rail, Rails, Reply, RowErrorCode,
    Status, Stop, Task, Usage, Verdict,
};
use crate::read::Table;
use crate::render::{Template, builtin, builtin_five};
use crate::run::RunError;
use crate::run::input::{judged, text};
use crate::run::label::Shown;
use crate::table::Batch;
use crate::write::{CallVerdict, Labelled};

/// A judge whose labels are in the table.
pub(super) struct Judge {
    prefix: String,
    name: String,
    /// Another judge, that looked first.
    first: Option<String>,
    template: String,
    task: Option<Task>,
    rails: Arc<Rails>,
    /// Whether these are all labels of its template, and not only those in the table.
    is_known: bool,
}

/// What is met in the columns of a judge.
#[derive(Default)]
struct Met {
    /// Who judged, and how many rows.
    judges: BTreeMap<String, u64>,
    template: Option<String>,
    /// Labels with their scores, where a row says it.
    labels: BTreeMap<String, Option<f64>>,
}

/// The judges of a table, by their columns; it is read once for that.
pub(super) fn judges(table: &Table) -> Result<Vec<Judge>, RunError> {
    const READ: [&str; 5] = ["judge", "template", "label", "score", "status"];
    let names: Vec<&str> = table.schema().names().collect();
    let prefixes = judged::prefixes(&names);
    let mut wanted: Vec<String> =
        prefixes.iter().flat_map(|prefix| READ.map(|name| format!("{prefix}{name}"))).collect();
    wanted.retain(|name| names.contains(&name.as_str()));
    let mut met: Vec<Met> = prefixes.iter().map(|_| Met::default()).collect();
    if prefixes.is_empty() {
        return Ok(Vec::new());
    }
    let mut first = 1;
    for batch in table.batches(Some(&wanted)) {
        let batch = batch?;
        for (prefix, met) in prefixes.iter().zip(&mut met) {
            let cells = Cells::of(&batch, prefix, &READ)?;
            for at in 0..batch.len() {
                if let Some(judge) = cells.text("judge", at) {
                    *met.judges.entry(judge).or_default() += 1;
                }
                if met.template.is_none() {
                    met.template = cells.text("template", at);
                }
                let said = cells.text("status", at);
                if let Some(status) = said.filter(|said| status(said).is_none()) {
                    let column = format!("{prefix}status");
                    return Err(ReviewError::Status { row: first + at, column, status }.into());
                }
                if let Some(label) = cells.text("label", at) {
                    let score = cells.number("score", at);
                    let known = met.labels.entry(label).or_default();
                    *known = known.or(score);
                }
            }
        }
        first += batch.len();
    }
    prefixes.into_iter().zip(met).map(|(prefix, met)| Judge::of(prefix, met)).collect()
}

impl Judge {
    fn of(prefix: String, met: Met) -> Result<Judge, RunError> {
        let template = met.template.unwrap_or_default();
        let built_in = built_in(&template);
        let task = built_in.as_ref().and_then(Template::task);
        let mut judges: Vec<(u64, String)> =
            met.judges.into_iter().map(|(name, rows)| (rows, name)).collect();
        judges.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut names = judges.into_iter().map(|(_, name)| name);
        let (name, first, more) = (names.next().unwrap_or_default(), names.next(), names.next());
        // Of more than two, the columns do not say who looked first.
        let (name, first) = match more {
            Some(_) => ("several judges".to_owned(), None),
            None => (name, first),
        };
        let known = built_in.map(|template| Rails::clone(template.rails()));
        let is_known = known.is_some();
        let rails = Arc::new(rails(known, met.labels, &prefix)?);
        Ok(Judge { prefix, name, first, template, task, rails, is_known })
    }

    pub fn shown(&self) -> Shown {
        Shown {
            judge: self.name.clone(),
            first: self.first.clone(),
            template: self.template.clone(),
            task: self.task.map(Task::as_str),
            rails: Arc::clone(&self.rails),
            gold: self.gold(),
        }
    }

    /// The column that gold for it goes into.
    pub fn gold(&self) -> &'static str {
        columns::gold_name(self.task)
    }

    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.rails.labels()
    }

    /// Whether a label lets its calls pass.
    pub fn passes(&self, label: &str) -> bool {
        self.rails.passes_label(label)
    }

    pub fn template(&self) -> &str {
        &self.template
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The template, if only its labels in the table are known.
    pub fn unknown_template(&self) -> Option<&str> {
        (!self.is_known).then_some(&self.template)
    }

    /// What it says of the rows of a batch.
    pub fn labelled(&self, batch: &Batch, items: &[&Item]) -> Result<Vec<Labelled>, RunError> {
        const READ: [&str; 9] = [
            "label",
            "score",
            "status",
            "explanation",
            "confidence",
            "p_correct",
            "error",
            "raw_reply",
            "judge",
        ];
        let cells = Cells::of(batch, &self.prefix, &READ)?;
        let nested = Cells::of(batch, &self.prefix, &["findings", "call_labels"])?;
        let labelled = |(at, item): (usize, &&Item)| {
            let mut verdict = verdict(item, &self.rails, &|name| cells.get(name, at));
            verdict.findings = nested.json("findings", at).map(|json| findings(&json));
            let calls = nested.json("call_labels", at);
            let calls = calls.as_ref().and_then(Json::as_array).map(|calls| {
                let call = |call: &Json| {
                    let verdict = self::verdict(item, &self.rails, &|name| call.get(name).cloned());
                    let passes = verdict.label().is_some_and(|label| self.rails.passes_label(label));
                    let tool = text(call.get("tool")).unwrap_or_default();
                    CallVerdict { tool, verdict, passes }
                };
                calls.iter().map(call).collect()
            });
            Labelled {
                verdict,
                reply: cells.text("raw_reply", at).map(reply),
                attempts: None,
                cached: true,
                wasted: None,
                is_of_first: self.first.is_some() && cells.text("judge", at) == self.first,
                is_settled: false,
                spared: None,
                calls,
            }
        };
        Ok(items.iter().enumerate().map(labelled).collect())
    }
}

/// Rows of which nothing is said.
pub(super) fn hidden(rows: usize) -> Vec<Labelled> {
    let nothing = || Labelled {
        verdict: Verdict {
            outcome: Outcome::NotAsked,
            explanation: None,
            confidence: None,
            p_correct: None,
            findings: None,
        },
        reply: None,
        attempts: None,
        cached: true,
        wasted: None,
        is_of_first: false,
        is_settled: false,
        spared: None,
        calls: None,
    };
    std::iter::repeat_with(nothing).take(rows).collect()
}

/// The built-in template of that name.
fn built_in(name: &str) -> Option<Template> {
    let of = |task: Task| [Some(builtin(task)), builtin_five(task)];
    let mut all = Task::ALL.into_iter().flat_map(of).flatten().filter_map(Result::ok);
    all.find(|template| template.name() == name)
}

/// The labels of a template; of any that is not ours, those that the table has.
fn rails(
    known: Option<Rails>,
    met: BTreeMap<String, Option<f64>>,
    prefix: &str,
) -> Result<Rails, ReviewError> {
    let ours = known.unwrap_or_else(|| Rails::pass_and_fail(Task::ToolCalling.labels()));
    if met.keys().all(|label| ours.find(label).is_some()) {
        return Ok(ours);
    }
    let of_ours =
        ours.labels().zip(ours.scores()).map(|(label, score)| Rail { label: label.to_owned(), score });
    // One label alone is no choice.
    let mut rails: Vec<Rail> =
        of_ours.filter(|rail| met.len() == 1 && !met.contains_key(&rail.label)).collect();
    for (label, score) in met {
        let column = || format!("{prefix}score");
        // Without it, a label would fail its calls.
        let score = score.ok_or_else(|| ReviewError::NoScore { column: column(), label: label.clone() })?;
        rails.push(Rail { label, score });
    }
    rails.sort_by(|a, b| b.score.total_cmp(&a.score));
    let positive = rails.first().map(|rail| rail.label.clone()).unwrap_or_default();
    // Without a threshold, all labels of the best score would have to be one.
    let best = rails.first().map(|rail| rail.score);
    let read = Rails::new(rails, &positive);
    Ok(read.and_then(|rails| rails.clone().with_threshold(best).or(Ok(rails))).unwrap_or(ours))
}

fn status(said: &str) -> Option<Status> {
    Status::ALL.into_iter().find(|known| known.as_str() == said)
}

/// A verdict as `label` writes it, out of the cells that `cell` gives.
fn verdict(item: &Item, rails: &Rails, cell: &dyn Fn(&str) -> Option<Json>) -> Verdict {
    let said = |name: &str| text(cell(name).as_ref());
    let error = said("error").unwrap_or_default();
    let (code, message) = error.split_once(": ").unwrap_or(("", &error));
    let status = said("status").and_then(|said| status(&said));
    let outcome = match (status, said("label")) {
        (Some(Status::Judged), Some(label)) => {
            let score = number(cell("score").as_ref()).or_else(|| rails.find(&label).map(|rail| rail.score));
            Outcome::Judged { label, score: score.unwrap_or_default(), rule: None }
        }
        (Some(Status::Unparseable), _) => Outcome::Unparseable(message.to_owned()),
        (Some(Status::Refused), _) => Outcome::Refused,
        (Some(Status::Filtered), _) => Outcome::Filtered,
        (Some(Status::Empty), _) => Outcome::Empty,
        (Some(Status::Truncated), _) => Outcome::Truncated,
        (Some(Status::Errored), _) => Outcome::Errored { code: code.to_owned(), message: message.to_owned() },
        (Some(Status::InvalidRow), _) => {
            let known = RowErrorCode::ALL.into_iter().find(|known| known.as_str() == code);
            let known = known.or(item.as_ref().err().map(|error| error.code));
            Outcome::InvalidRow {
                code: known.map_or(Status::InvalidRow.as_str(), RowErrorCode::as_str),
                message: message.to_owned(),
            }
        }
        // The table does not say what kind of evidence was lacking; the message does.
        (Some(Status::Abstained), _) if code == "no_evidence" => {
            Outcome::Abstained(Abstention::no_evidence(Lack::Balance, message))
        }
        (Some(Status::Abstained), _) => Outcome::Abstained(Abstention::missing(message)),
        (Some(Status::SkippedBudget), _) => Outcome::SkippedBudget,
        _ => Outcome::NotAsked,
    };
    Verdict {
        outcome,
        explanation: said("explanation"),
        confidence: number(cell("confidence").as_ref()),
        p_correct: number(cell("p_correct").as_ref()),
        findings: None,
    }
}

fn findings(json: &Json) -> Findings {
    let finding = |json: &Json| {
        let said = |name: &str| text(json.get(name));
        Some(Finding {
            call: number(json.get("call")).map(|call| call as usize),
            tool: said("tool"),
            argument: said("argument"),
            kind: said("kind")?.parse::<FindingKind>().ok()?,
            quote: said("quote"),
            supported: json.get("supported") == Some(&Json::Bool(true)),
        })
    };
    let all = json.as_array().unwrap_or_default();
    let list: Vec<Finding> = all.iter().filter_map(finding).collect();
    let dropped = (all.len() - list.len()) as u64;
    Findings { list, dropped }
}

fn reply(text: String) -> Reply {
    Reply {
        text,
        stop: Stop::Finished,
        usage: Usage::default(),
        model: None,
        latency_ms: 0,
        attempts: 1,
        adapted: Vec::new(),
        probabilities: Vec::new(),
        cost_usd: None,
    }
}

fn number(cell: Option<&Json>) -> Option<f64> {
    text(cell)?.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The columns of one judge in a batch, without the prefix of their names.
struct Cells {
    columns: Vec<(&'static str, Vec<Option<Json>>)>,
}

impl Cells {
    /// Those of these names that are there.
    fn of(batch: &Batch, prefix: &str, names: &[&'static str]) -> Result<Cells, RunError> {
        let mut columns = Vec::new();
        for name in names {
            let column = format!("{prefix}{name}");
            if batch.schema.position(&column).is_some() {
                columns.push((*name, batch.column(&column)?));
            }
        }
        Ok(Cells { columns })
    }

    fn get(&self, name: &str, at: usize) -> Option<Json> {
        let (_, cells) = self.columns.iter().find(|(known, _)| *known == name)?;
        cells[at].clone()
    }

    fn text(&self, name: &str, at: usize) -> Option<String> {
        text(self.get(name, at).as_ref())
    }

    fn number(&self, name: &str, at: usize) -> Option<f64> {
        number(self.get(name, at).as_ref())
    }

    /// A nested value: files of one type per column hold it as a text.
    fn json(&self, name: &str, at: usize) -> Option<Json> {
        match self.get(name, at)? {
            Json::Null => None,
            Json::String(text) => Json::parse(&text).ok(),
            nested => Some(nested),
        }
    }
}
