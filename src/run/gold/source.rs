//! Sources of questions: the benchmark's files, or a table of right calls.

use std::collections::{HashMap, HashSet};

use super::GoldError;
use super::folder::{self, Category};
use crate::bench::{NotALabel, Words};
use crate::domain::{Json, Sample};
use crate::gold::Question;
use crate::gold::bfcl::Unusable;
use crate::gold::own;
use crate::run::settings::GoldOrigin;
use crate::run::{self, Observer, RunError};

/// Can be read several times, each time with the same questions in the same order.
pub(super) enum Source {
    Bfcl(Vec<Category>),
    Own(Box<run::Source>),
}

impl Source {
    pub(super) fn open(origin: &GoldOrigin, observer: &dyn Observer) -> Result<Source, RunError> {
        Ok(match origin {
            GoldOrigin::Bfcl(bfcl) => Source::Bfcl(folder::categories(&bfcl.folder, &bfcl.categories)?),
            GoldOrigin::Own(input) => Source::Own(Box::new(run::Source::open(input, false, observer)?)),
        })
    }

    /// Gives every question to `take`.
    pub(super) fn each(
        &self,
        take: &mut dyn FnMut(Result<Question, Unusable>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        match self {
            Source::Bfcl(categories) => categories.iter().try_for_each(|category| category.each(take)),
            Source::Own(source) => own_questions(source, take),
        }
    }
}

/// What a table says of itself where it is one of ours, or somebody's with the same columns.
const GOLD: &str = "gold";
const ID: &str = "id";
const QUESTION_ID: &str = "question_id";

fn own_questions(
    source: &run::Source,
    take: &mut dyn FnMut(Result<Question, Unusable>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let words = Words::default();
    let mut clusters: HashMap<[u8; 32], String> = HashMap::new();
    let mut seen = HashSet::new();
    let mut row = 0_usize;
    for batch in source.table.batches(None) {
        let batch = batch?;
        let optional = |name: &str| -> Result<Option<Vec<Option<Json>>>, RunError> {
            Ok(batch.schema.position(name).map(|_| batch.column(name)).transpose()?)
        };
        let (ids, gold, questions) = (optional(ID)?, optional(GOLD)?, optional(QUESTION_ID)?);
        let asked = match &source.columns.question {
            Some(column) => batch.column(column)?,
            None => vec![None; batch.len()],
        };
        let definitions = match &source.columns.tool_definitions {
            Some(column) => batch.column(column)?,
            None => vec![None; batch.len()],
        };
        for (at, item) in source.items(&batch)?.into_iter().enumerate() {
            row += 1;
            let right = match &gold {
                None => Some(true),
                Some(cells) => words.read(cells[at].as_ref()).map_err(|NotALabel(text)| {
                    GoldError::Label { row, text: text.chars().take(40).collect(), words: words.list() }
                })?,
            };
            if right == Some(false) {
                continue;
            }
            let named =
                |cells: &Option<Vec<Option<Json>>>| match cells.as_ref().and_then(|cells| cells[at].as_ref())
                {
                    Some(Json::String(name)) if !name.is_empty() => Some(name.clone()),
                    Some(Json::Number(number)) => Some(number.as_str().to_owned()),
                    _ => None,
                };
            let id = named(&ids).unwrap_or_else(|| format!("row_{row}"));
            let id = if seen.insert(id.clone()) { id } else { format!("{id}_row_{row}") };
            let cell =
                |cells: &[Option<Json>]| cells.get(at).cloned().flatten().filter(|cell| !cell.is_null());
            take(match item {
                _ if right.is_none() => Err(Unusable { id, reason: "the row has no gold" }),
                Err(_) => Err(Unusable { id, reason: "the row cannot be read" }),
                Ok(sample) => {
                    let asked = cell(&asked).unwrap_or_else(|| Json::from(&*sample.raw.question));
                    let definitions = cell(&definitions).unwrap_or_else(|| raw_definitions(&sample));
                    // Rows that ask the same go together, under the name of the first of them.
                    let cluster = named(&questions).unwrap_or_else(|| {
                        clusters
                            .entry(*blake3::hash(asked.to_string().as_bytes()).as_bytes())
                            .or_insert(id.clone())
                            .clone()
                    });
                    own::question((id, cluster), &sample, asked, definitions)
                }
            })?;
        }
    }
    Ok(())
}

fn raw_definitions(sample: &Sample) -> Json {
    sample.raw.tool_definitions.as_deref().map_or(Json::Null, Json::from)
}
