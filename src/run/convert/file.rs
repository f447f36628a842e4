//! What was found in one input file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Converted;
use crate::normalize::logs::LogFormat;
use crate::run::Source;

/// What was understood of one input.
#[derive(Debug, Clone)]
pub struct ConvertedFile {
    /// Its name.
    pub name: String,
    /// Formats, and what gave each away; how many records.
    pub formats: Vec<(String, String, u64)>,
    /// Records that were joined to others by their ids.
    pub fragments: u64,
    /// What its transcripts hold, if it has any: `200 transcripts with 1,364 assistant turns and 1,164 calls`.
    pub transcripts: Option<TranscriptCounts>,
    /// Records, and turns of transcripts, that are not judged, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// What became of its items.
    pub converted: Converted,
}

/// What the transcripts of an input hold, judged or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptCounts {
    /// Records that are transcripts.
    pub transcripts: u64,
    /// Turns of the assistant's in them.
    pub turns: u64,
    /// Calls in these turns.
    pub calls: u64,
    /// Those of the calls that stand in turns that are not taken.
    pub calls_not_taken: u64,
}

/// What was `found` in each input of `source`.
pub(super) fn files(source: &Source, found: &BTreeMap<String, Converted>) -> Vec<ConvertedFile> {
    let inputs = source.table.inputs();
    let columns = &source.columns;
    let names = [&columns.question, &columns.tool_call, &columns.tool_definitions];
    let sign = names.into_iter().flatten().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    inputs
        .iter()
        .enumerate()
        .map(|(number, input)| {
            let name = input.path.display().to_string();
            // A single table has no column for its name, or one of its own that names the files it was made of.
            let converted = match inputs {
                [_] => found.values().cloned().reduce(Converted::and).unwrap_or_default(),
                _ => found.get(&name).cloned().unwrap_or_default(),
            };
            let survey = source.table.logs().and_then(|surveys| surveys.get(number));
            let formats = match survey {
                None => {
                    let rows =
                        converted.items + converted.errors.values().map(|(count, _)| count).sum::<u64>();
                    vec![(format!("rows ({})", input.format.as_str()), format!("columns {sign}"), rows)]
                }
                Some(survey) => survey
                    .formats
                    .iter()
                    .map(|((format, dialect), records)| {
                        let name =
                            dialect.map_or((*format).to_owned(), |dialect| format!("{format}, {dialect}"));
                        let sign = LogFormat::named(format).map_or("", |format| format.sign);
                        (name, sign.to_owned(), *records)
                    })
                    .collect(),
            };
            let transcripts = survey.filter(|survey| survey.transcripts > 0).map(|survey| TranscriptCounts {
                transcripts: survey.transcripts,
                turns: survey.turns,
                calls: survey.calls,
                calls_not_taken: survey.calls_not_taken.values().sum(),
            });
            let skipped = survey.map(|survey| survey.skipped.clone()).unwrap_or_default();
            let fragments = survey.map_or(0, |survey| survey.fragments);
            ConvertedFile { name, formats, fragments, transcripts, skipped, converted }
        })
        .collect()
}

impl ConvertedFile {
    /// Items that cannot be read.
    pub fn errors(&self) -> u64 {
        self.converted.errors.values().map(|(count, _)| count).sum()
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "file": self.name,
            "formats": self.formats.iter().map(|(format, sign, records)| {
                json!({ "format": format, "by": sign, "records": records })
            }).collect::<Vec<_>>(),
            "items": self.converted.items,
            "calls": self.converted.calls,
            "joined": self.fragments,
            "transcripts": self.transcripts.map(|held| json!({
                "transcripts": held.transcripts,
                "assistant_turns": held.turns,
                "calls": held.calls,
                "calls_not_taken": held.calls_not_taken,
            })),
            "skipped": self.skipped,
            "errors": self.converted.errors.iter().map(|(code, (count, example))| {
                ((*code).to_owned(), json!({ "count": count, "first": example }))
            }).collect::<serde_json::Map<_, _>>(),
            "flags": self.converted.flags,
        })
    }

    /// Most of the file fails for one reason: it is probably something else than it seems.
    pub fn hint(&self) -> Option<String> {
        let (code, (count, _)) = self.converted.errors.iter().max_by_key(|(_, (count, _))| *count)?;
        if count * 2 <= self.converted.items + self.errors() {
            return None;
        }
        let formats: Vec<&str> = self.formats.iter().map(|(format, ..)| format.as_str()).collect();
        let taken = if formats.is_empty() { "no known format".to_owned() } else { formats.join(" and ") };
        Some(format!(
            "more than half fail with {code}; the file was taken for {taken}: if it is something else, say so with --from"
        ))
    }
}
