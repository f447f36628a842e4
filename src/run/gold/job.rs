//! The gold job: questions in, calls with gold out.

use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use super::source::Source;
use super::{GoldCounts, GoldError, GoldSummary, folder, importing, making};
use crate::run::settings::{BfclSettings, GoldOrigin, GoldSettings, MakingSettings};
use crate::run::{Observer, RunError};
use crate::table::Format;
use crate::write::{Finished, Output, is_stream, write_manifest};

/// Writes a table of calls of which it is known whether they are right: made of questions and their accepted calls, or real models'
/// answers to the Berkeley function-calling benchmark.
///
/// # Errors
/// If the settings cannot hold, or a file cannot be read or written. A table without rows is not an error.
///
/// ```
/// use tooljudge::run::settings::{GoldOrigin, GoldSettings, InputSettings};
/// use tooljudge::run::{Silent, gold};
///
/// # let folder = tempfile::tempdir()?;
/// # let (right, table) = (folder.path().join("right.jsonl"), folder.path().join("gold.jsonl"));
/// std::fs::write(&right, r#"{"question": "How warm is it in Oslo?", "tool_call": {"name": "weather", "arguments": {"city": "Oslo"}},
///     "tool_definitions": [{"name": "weather", "description": "Weather of a city", "parameters": {"type": "object", "properties":
///     {"city": {"type": "string"}}, "required": ["city"]}}]}"#.replace('\n', ""))?;
/// let source = GoldOrigin::Own(InputSettings::new([right.display().to_string()]));
/// let summary = gold(GoldSettings::new(source, &table), &Silent)?;
/// assert!(summary.written.rows >= 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gold(settings: GoldSettings, observer: &dyn Observer) -> Result<GoldSummary, RunError> {
    let to = &settings.output;
    let output = match (&to.collected, &to.path) {
        (Some(collected), _) => Output::in_memory(collected),
        (None, Some(path)) => Output::new(path.clone(), to.format, Format::Jsonl)?.with_formulas(to.formulas),
        (None, None) => return Err(GoldError::NoOutput.into()),
    };
    let source = Source::open(&settings.source, observer)?;
    let inputs: Vec<&Path> = match &source {
        Source::Own(source) => source.paths(),
        Source::Bfcl(_) => Vec::new(),
    };
    if inputs.iter().any(|input| is_stream(input)) {
        return Err(GoldError::Stream.into());
    }
    output.check(&inputs, &[], to.force)?;
    let bfcl = match &settings.source {
        GoldOrigin::Bfcl(bfcl) => Some(bfcl),
        GoldOrigin::Own(_) => None,
    };
    let (counts, written) = write(&source, bfcl, &settings.making, &output)?;
    if let Source::Own(source) = &source {
        source.tell_text_fields(None, observer);
    }
    if output.has_manifest() {
        let own: &[String] = match &settings.source {
            GoldOrigin::Own(input) => &input.inputs,
            GoldOrigin::Bfcl(_) => &[],
        };
        let categories: &[String] = bfcl.map_or(&[], |bfcl| &bfcl.categories);
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": own,
            "bfcl": bfcl.map(|bfcl| &bfcl.folder),
            "categories": categories,
            "seed": settings.making.seed,
            "results": bfcl.and_then(|bfcl| bfcl.results.as_ref()),
            "scores": bfcl.and_then(|bfcl| bfcl.scores.as_ref()),
            "summary": counts.to_json(),
            "output": { "path": output.path.display().to_string(), "rows": written.rows, "bytes": written.bytes },
        });
        write_manifest(&output.path, &manifest)?;
    }
    Ok(GoldSummary { counts, output: output.path, written })
}

/// Rows made of the benchmark's files, or of models' answers to them, as a table that goes with the folder it lies in.
pub(in crate::run) fn temporary(
    bfcl: &BfclSettings,
    observer: &dyn Observer,
) -> Result<(TempDir, PathBuf), RunError> {
    let folder = tempfile::tempdir().map_err(|why| GoldError::NoTemporary(why.to_string()))?;
    let path = folder.path().join("gold.parquet");
    let output = Output::new(path.clone(), None, Format::Parquet)?;
    let source = Source::Bfcl(folder::categories(&bfcl.folder, &bfcl.categories)?);
    let (counts, written) = write(&source, Some(bfcl), &MakingSettings::default(), &output)?;
    observer.generated(&counts);
    if written.rows == 0 {
        return Err(GoldError::NoRows(bfcl.folder.clone()).into());
    }
    Ok((folder, path))
}

fn write(
    source: &Source,
    bfcl: Option<&BfclSettings>,
    making: &MakingSettings,
    output: &Output,
) -> Result<(GoldCounts, Finished), RunError> {
    let answers = bfcl.and_then(|bfcl| Some((bfcl.results.as_deref()?, bfcl.scores.as_deref())));
    Ok(match (answers, source) {
        (Some((results, scores)), Source::Bfcl(categories)) => {
            let (counts, written) = importing::import(categories, results, scores, output)?;
            (GoldCounts::Imported(counts), written)
        }
        _ => {
            let (counts, written) = making::make(source, making, output)?;
            (GoldCounts::Generated(counts), written)
        }
    })
}
