//! The conversion job: logs and tables in, rows out.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::ConvertedFile;
use super::file::files;
use super::pass::{Form, convert_rows};
use crate::run::session::apart;
use crate::run::settings::ConvertSettings;
use crate::run::{Control, Pass, RunError, Source, runtime};
use crate::table::Format;
use crate::write::{Finished, Output, WhenEmpty, write_manifest};

/// What was understood of the inputs, and what was written.
#[derive(Debug)]
pub struct ConvertSummary {
    /// What was understood of each input.
    pub files: Vec<ConvertedFile>,
    /// Where the rows were written, and how many.
    pub output: Option<(PathBuf, Finished)>,
    /// Whether there was nothing to judge, not even what cannot be read.
    pub is_empty: bool,
}

/// Turns any log of tool calls into rows, one for each turn of a model that can be judged.
///
/// # Errors
/// If an input cannot be read or the output not be written; [`RunError::Unfinished`] if the run was stopped. No rows appear then.
///
/// ```
/// use tooljudge::run::convert_blocking;
/// use tooljudge::run::settings::ConvertSettings;
///
/// let summary = convert_blocking(ConvertSettings::new(["datasets/quickstart.csv"]))?;
/// assert!(summary.files[0].converted.items > 0);
/// assert_eq!(summary.files[0].errors(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn convert(settings: ConvertSettings, control: &Control) -> Result<ConvertSummary, RunError> {
    let source = Source::open(&settings.input, settings.all, control.observer.as_ref())?;
    let output = output(&settings, &source)?;
    control.observer.begins();
    let pass = Pass::new("converting", source.table.rows());
    let progress = Arc::clone(&pass.progress);
    let shown = control.observer.pass(pass);
    let observer = Arc::clone(&control.observer);
    let converted = apart(&control.stop, move |stopped| {
        let form = output.as_ref().map(|output| (output, form(output)));
        let (found, finished) = convert_rows(&source, form, settings.all, &progress, stopped)?;
        source.tell_text_fields(None, observer.as_ref());
        let files = files(&source, &found);
        let is_file = output.as_ref().is_some_and(Output::has_manifest);
        let output = output.map(|output| output.path).zip(finished);
        Ok((ConvertSummary { files, output, is_empty: found.is_empty() }, settings.input.inputs, is_file))
    });
    let converted = converted.await;
    drop(shown);
    let (summary, inputs, is_file) =
        converted.map_err(|error| error.if_interrupted("nothing was written"))?;
    if let Some((path, finished)) = summary.output.as_ref().filter(|_| is_file) {
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": inputs,
            "files": summary.files.iter().map(ConvertedFile::to_json).collect::<Vec<_>>(),
            "output": { "path": path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes },
        });
        write_manifest(path, &manifest)?;
    }
    Ok(summary)
}

/// [`convert()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`convert()`] there.
pub fn convert_blocking(settings: ConvertSettings) -> Result<ConvertSummary, RunError> {
    runtime()?.block_on(convert(settings, &Control::default()))
}

/// JSON holds the normal form; the cells of tables are texts.
fn form(output: &Output) -> Form {
    match output.format.format {
        Format::Jsonl | Format::Json => Form::Normal,
        _ => Form::Columns,
    }
}

fn output(settings: &ConvertSettings, source: &Source) -> Result<Option<Output>, RunError> {
    let to = &settings.output;
    if let Some(collected) = &to.collected {
        return Ok(Some(Output::in_memory(collected)));
    }
    let Some(path) = to.path.clone() else { return Ok(None) };
    let output = Output::new(path, to.format, Format::Jsonl)?
        .with_formulas(to.formulas)
        .when_empty(WhenEmpty::unless(to.force));
    output.check(&source.paths(), source.table.folders(), to.force)?;
    Ok(Some(output))
}
