//! Polars frames in, the same frames with labels out.

use std::sync::Arc;

use polars::prelude::{CompatLevel, DataFrame, DataType, PlSmallStr};
use tokio_util::sync::CancellationToken;

use crate::domain::Slot;
use crate::normalize::columns::{self, ColumnError};
use crate::normalize::{Normalizer, Options};
use crate::run::settings::{Collected, LabelSettings, OutputSettings};
use crate::run::{self, Control, LabelSummary, Labeler, RunError};
use crate::table::{Batch, Column, Kind, Rows, Schema, Typed};
use crate::write::LabelColumns;

/// How a frame's columns are to be understood and ours named.
#[derive(Debug, Clone, Default)]
pub struct FrameOptions {
    /// Columns with unusual names.
    pub columns: Vec<(Slot, String)>,
    /// Tool definitions, as text, for rows that bring none.
    pub tools: Option<String>,
    /// Goes before the names of the columns that are added.
    pub prefix: String,
}

/// Why a frame cannot be labelled.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The columns of question, call and definitions cannot be determined.
    #[error(transparent)]
    Columns(#[from] ColumnError),
    /// [`FrameOptions::tools`] cannot be read; the cause.
    #[error("tool definitions: {0}")]
    Tools(String),
    /// The frame has a column of a name that would be added.
    #[error("the frame has a column `{0}` already; choose a prefix")]
    Clash(String),
    /// The run cannot go on.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// `frame` with the columns `label`, `score`, `status` and so on beside its own, row by row.
///
/// # Errors
/// When no column holds questions or calls, when a name is taken, and those of [`Labeler::label`].
pub async fn label(
    frame: DataFrame,
    labeler: &Labeler,
    options: &FrameOptions,
    cancel: &CancellationToken,
) -> Result<DataFrame, FrameError> {
    let batch = batch(frame);
    let names: Vec<String> = batch.schema.names().map(str::to_owned).collect();
    let columns = columns::resolve(&names, &options.columns, true)?;
    let normalizer = Normalizer::new(Options { tools: options.tools.clone(), ..Options::default() })
        .map_err(|error| FrameError::Tools(error.to_string()))?;
    let labels = LabelColumns::new(&options.prefix, labeler.judge_name(), labeler.criterion())
        .with_first(labeler.first_name());
    if let Some(name) = labels.schema().names().find(|name| batch.schema.position(name).is_some()) {
        return Err(FrameError::Clash(name.to_owned()));
    }
    let items = run::items(&batch, &columns, &Arc::new(normalizer)).map_err(RunError::from)?;
    let labelled = labeler.labelled(items, cancel).await?;
    let records = labelled.iter().map(|labelled| labels.record(labelled)).collect();
    let labelled = batch.append(labels.schema(), records).and_then(Batch::into_frame);
    Ok(labelled.map_err(RunError::from)?)
}

/// `frame` labelled by a whole run, as a file is: by a panel, with a store, limits and a ceiling, in the order and with the columns
/// that a file of these rows would get. What `settings` say of inputs and of the output does not count.
///
/// # Errors
/// Those of [`run::label()`].
///
/// ```
/// use polars::prelude::df;
/// use tooljudge::frames;
/// use tooljudge::run::{Control, settings::LabelSettings};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let frame = df!("question" => ["Weather in Oslo?"], "tool_call" => ["weather(town='Oslo')"], "tool_definitions" =>
///     [r#"[{"name": "weather", "parameters": {"properties": {"city": {}}}}]"#])?;
/// let (labelled, summary) = frames::run(frame, LabelSettings::new::<String>([]), &Control::default()).await?;
/// assert_eq!(labelled.column("label")?.str()?.get(0), Some("incorrect"));
/// assert_eq!(summary.members[0].summary.rows, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn run(
    frame: DataFrame,
    mut settings: LabelSettings,
    control: &Control,
) -> Result<(DataFrame, LabelSummary), RunError> {
    let collected = Collected::default();
    settings.input.inputs = Vec::new();
    settings.input.tables = vec![frame.into()];
    settings.output = OutputSettings { collected: Some(collected.clone()), ..OutputSettings::default() };
    let summary = run::label(settings, control).await?;
    Ok((collected.take().unwrap_or_default(), summary))
}

/// [`label()`] for programs that are not asynchronous.
///
/// # Errors
/// As there.
///
/// # Panics
/// Within an asynchronous runtime.
pub fn label_blocking(
    frame: DataFrame,
    labeler: &Labeler,
    options: &FrameOptions,
) -> Result<DataFrame, FrameError> {
    run::runtime()?.block_on(label(frame, labeler, options, &CancellationToken::new()))
}

fn batch(frame: DataFrame) -> Batch {
    let column = |(name, dtype): (&PlSmallStr, &DataType)| {
        let field = dtype.to_arrow_field(name.clone(), CompatLevel::newest());
        Column { name: name.to_string(), kind: Kind::Typed(Typed::new(&field, dtype.clone())) }
    };
    let schema = Schema::of(frame.schema().iter().map(column).collect());
    Batch { schema: Arc::new(schema), rows: Rows::Frame(frame) }
}
