//! The manifest of a run: enough to say later what its labels depend on. It holds no rows, no prompts, no keys and no other secrets.

use serde::Serialize;
use serde_json::{Value, json};

use super::Summary;
use crate::write::Finished;

/// Settings and outcome of a run, as they go into the store and beside the output.
#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    pub run: String,
    pub version: &'static str,
    pub started_at: String,
    pub inputs: Vec<String>,
    /// Conditions that rows had to meet, as `column=value`.
    pub filters: Vec<String>,
    pub limit: Option<u64>,
    pub sample: Option<SampleRecord>,
    /// One entry for each judge and wording.
    pub panel: Vec<MemberRecord>,
    pub store: Option<String>,
}

/// Rows chosen at random.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SampleRecord {
    pub rows: u64,
    pub seed: u64,
}

/// A judge with its wording: who gave one set of the output's columns.
#[derive(Debug, Clone, Serialize)]
pub struct MemberRecord {
    /// What its columns' names begin with.
    pub prefix: String,
    pub judge: JudgeRecord,
    pub task: Option<&'static str>,
    pub template: Option<TemplateRecord>,
    /// How often each question was sent.
    pub votes: u32,
    /// Who settled what it could before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<JudgeRecord>,
    /// What each question was about, where that is not a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<&'static str>,
}

/// Who judged.
#[derive(Debug, Clone, Serialize)]
pub struct JudgeRecord {
    pub name: String,
    pub endpoint: Option<String>,
    pub model: Option<String>,
    /// As requested; of body fields out of the settings only a hash, as they may hold secrets.
    pub parameters: Value,
    /// What was sent otherwise than requested.
    pub adaptations: Vec<String>,
}

/// By which words.
#[derive(Debug, Clone, Serialize)]
pub struct TemplateRecord {
    pub name: String,
    /// BLAKE3 of the template file.
    pub hash: String,
    pub explain: bool,
    /// Whether a list of findings was requested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub findings: bool,
    pub rails: Vec<String>,
    /// The rules that read labels out of replies.
    pub snap: &'static str,
}

impl Manifest {
    /// The record while the run goes on.
    pub fn started(&self) -> Value {
        json!(self)
    }

    /// The record with the outcome of the run, with one summary for each entry of the panel. `output` is the written table, if
    /// any.
    pub fn finished(
        &self,
        finished_at: &str,
        output: Option<&str>,
        summaries: &[Summary],
        written: Finished,
    ) -> Value {
        let mut record = json!(self);
        record["finished_at"] = json!(finished_at);
        let output = output.map(|path| json!({"path": path, "rows": written.rows, "bytes": written.bytes}));
        record["output"] = json!(output);
        for (at, summary) in summaries.iter().enumerate() {
            record["panel"][at]["summary"] = summary.to_json();
        }
        record
    }
}
