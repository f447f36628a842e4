//! The columns that a verdict adds to its row.

use crate::domain::{Findings, Json, Object, Paid, Reply, Unit, Usage, Verdict};
use crate::table::{Column, Kind, Record, Schema, cell};

use super::WriteError;

/// Everything known about one row's verdict.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// The label, or why there is none.
    pub verdict: Verdict,
    /// The reply it was read from; absent for the built-in judge and where nobody answered.
    pub reply: Option<Reply>,
    /// Requests sent for it, where no reply says so.
    pub attempts: Option<u32>,
    /// Whether the reply was there before: from an earlier run, or for an equal row above.
    pub cached: bool,
    /// What this run paid for answers that were of no use and are part of no reply.
    pub wasted: Option<Paid>,
    /// Whether the verdict is that of the judge that looks first.
    pub is_of_first: bool,
    /// Whether that judge settled all of it, and nobody was asked.
    pub is_settled: bool,
    /// What was not paid for what it settled, in US dollars, as far as a price is known; once for equal questions.
    pub spared: Option<f64>,
    /// The verdicts on the calls of the turn, in order, where each was judged by itself; `None` where the turn was.
    pub calls: Option<Vec<CallVerdict>>,
}

/// What became of one call of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct CallVerdict {
    /// The called tool.
    pub tool: String,
    /// The label, or why there is none.
    pub verdict: Verdict,
    /// Whether it has a label that passes.
    pub passes: bool,
}

impl Labelled {
    /// What its reply and the answers that were of no use cost.
    pub fn paid(&self) -> Option<Paid> {
        Paid::sum(self.reply.as_ref().map(Reply::paid), self.wasted)
    }
}

/// A verdict, and whose it is.
struct Known<'a> {
    labelled: &'a Labelled,
    paid: Option<Paid>,
    /// The one that gave it.
    judge: &'a str,
    template: &'a str,
}

impl Known<'_> {
    fn usage(&self) -> Usage {
        self.paid.map(|paid| paid.usage).unwrap_or_default()
    }

    /// What is said of the calls one by one; nothing of a row without any verdict on them.
    fn calls(&self, value: impl Fn(&[CallVerdict]) -> Json) -> Json {
        self.labelled.calls.as_deref().map_or(Json::Null, value)
    }

    fn reply(&self) -> Option<&Reply> {
        self.labelled.reply.as_ref()
    }
}

impl CallVerdict {
    /// `tool`, `label`, `score`, `status`, and where there are such `confidence`, `p_correct`, `explanation` and `error`.
    fn to_json(&self) -> Json {
        let CallVerdict { tool, verdict, .. } = self;
        let mut object = Object::new();
        object.insert("tool", tool.as_str());
        object.insert("label", cell::text(verdict.label()));
        object.insert("score", cell::float(verdict.score()));
        object.insert("status", verdict.status().as_str());
        for (name, value) in [
            ("confidence", cell::float(verdict.confidence.map(rounded))),
            ("p_correct", cell::float(verdict.p_correct.map(rounded))),
            ("explanation", cell::text(verdict.explanation.as_deref())),
            ("error", cell::text(verdict.error().as_deref())),
        ] {
            if value != Json::Null {
                object.insert(name, value);
            }
        }
        Json::Object(object)
    }
}

/// Four digits are more than any judge's probability means.
fn rounded(probability: f64) -> f64 {
    (probability * 1e4).round() / 1e4
}

type ValueOf = fn(&Known<'_>) -> Json;

/// Name, kind, and the cell of a verdict; `docs` and tests read the names from here.
const COLUMNS: [(&str, Kind, ValueOf); 16] = [
    ("label", Kind::Text, |of| cell::text(of.labelled.verdict.label())),
    ("score", Kind::Float, |of| cell::float(of.labelled.verdict.score())),
    ("status", Kind::Text, |of| Json::from(of.labelled.verdict.status().as_str())),
    ("explanation", Kind::Words, |of| cell::text(of.labelled.verdict.explanation.as_deref())),
    ("confidence", Kind::Float, |of| cell::float(of.labelled.verdict.confidence.map(rounded))),
    ("p_correct", Kind::Float, |of| cell::float(of.labelled.verdict.p_correct.map(rounded))),
    ("error", Kind::Words, |of| cell::text(of.labelled.verdict.error().as_deref())),
    ("raw_reply", Kind::Words, |of| cell::text(of.reply().map(|reply| reply.text.as_str()))),
    ("judge", Kind::Text, |of| Json::from(of.judge)),
    ("template", Kind::Text, |of| Json::from(of.template)),
    ("prompt_tokens", Kind::Int, |of| cell::int(of.usage().prompt_tokens)),
    ("completion_tokens", Kind::Int, |of| cell::int(of.usage().completion_tokens)),
    ("cost_usd", Kind::Float, |of| cell::float(of.paid.and_then(|paid| paid.cost_usd))),
    ("latency_ms", Kind::Int, |of| cell::int(of.reply().map(|reply| reply.latency_ms))),
    ("attempts", Kind::Int, |of| {
        let attempts = of.reply().map(|reply| reply.attempts).or(of.labelled.attempts);
        cell::int(attempts.map(u64::from))
    }),
    ("cached", Kind::Bool, |of| Json::Bool(of.labelled.cached)),
];

/// The same of a turn whose calls were judged one by one.
const OF_CALLS: [(&str, Kind, ValueOf); 3] = [
    ("calls_judged", Kind::Int, |of| {
        of.calls(|calls| number(calls.iter().filter(|call| call.verdict.label().is_some()).count()))
    }),
    ("calls_correct", Kind::Int, |of| {
        of.calls(|calls| number(calls.iter().filter(|call| call.passes).count()))
    }),
    ("call_labels", Kind::Json, |of| {
        of.calls(|calls| Json::Array(calls.iter().map(CallVerdict::to_json).collect()))
    }),
];

/// The same where findings were asked for.
const FINDINGS: [(&str, Kind, ValueOf); 1] = [("findings", Kind::Json, |of| {
    of.labelled.verdict.findings.as_ref().map_or(Json::Null, Findings::to_json)
})];

fn number(count: usize) -> Json {
    cell::int(Some(count as u64))
}

/// Which columns of `input` have the name of one of `ours`: an error, unless they may be overwritten.
pub(super) fn clashes(ours: &Schema, input: &Schema, overwrite: bool) -> Result<Vec<String>, WriteError> {
    let clashes: Vec<String> =
        ours.names().filter(|name| input.position(name).is_some()).map(str::to_owned).collect();
    match clashes.first() {
        Some(name) if !overwrite => Err(WriteError::Clash { name: name.clone() }),
        _ => Ok(clashes),
    }
}

/// The columns of one judge and template.
#[derive(Debug, Clone)]
pub struct LabelColumns {
    schema: Schema,
    values: Vec<ValueOf>,
    judge: String,
    /// The judge that looks first, if there is one.
    first: Option<String>,
    template: String,
}

impl LabelColumns {
    /// `prefix` goes before every name.
    pub fn new(prefix: &str, judge: &str, template: &str) -> LabelColumns {
        LabelColumns::of(prefix, judge, template, COLUMNS.iter())
    }

    /// The same with what is known of the calls one by one, and of what is wrong with them, where a panel asks for these.
    pub fn detailed(prefix: &str, judge: &str, template: &str, unit: Unit, findings: bool) -> LabelColumns {
        let of_calls = OF_CALLS.iter().filter(|_| unit == Unit::Call);
        let columns = COLUMNS.iter().chain(of_calls).chain(FINDINGS.iter().filter(|_| findings));
        LabelColumns::of(prefix, judge, template, columns)
    }

    fn of<'a>(
        prefix: &str,
        judge: &str,
        template: &str,
        columns: impl Iterator<Item = &'a (&'static str, Kind, ValueOf)>,
    ) -> LabelColumns {
        let named = |(name, kind, value): &(&str, Kind, ValueOf)| {
            (Column { name: format!("{prefix}{name}"), kind: kind.clone() }, *value)
        };
        let (columns, values) = columns.map(named).unzip();
        let (judge, template) = (judge.to_owned(), template.to_owned());
        LabelColumns { schema: Schema::of(columns), values, judge, first: None, template }
    }

    /// The same where the judge of that name looks first.
    pub(crate) fn with_first(self, first: Option<String>) -> LabelColumns {
        LabelColumns { first, ..self }
    }

    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Which columns of `input` have one of our names: an error, unless they may be overwritten.
    pub fn clashes(&self, input: &Schema, overwrite: bool) -> Result<Vec<String>, WriteError> {
        clashes(&self.schema, input, overwrite)
    }

    /// The cells of one row.
    pub fn record(&self, labelled: &Labelled) -> Record {
        let first = self.first.as_ref().filter(|_| labelled.is_of_first);
        let (judge, template) = (first.unwrap_or(&self.judge).as_str(), self.template.as_str());
        let known = Known { labelled, paid: labelled.paid(), judge, template };
        Record { cells: self.values.iter().map(|value| Some(value(&known))).collect(), item: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_of_a_log_has_the_name_of_one_of_ours() {
        for (name, ..) in COLUMNS.iter().chain(&OF_CALLS).chain(&FINDINGS) {
            assert!(crate::normalize::logs::is_of_the_row(name), "{name}");
        }
    }
}
