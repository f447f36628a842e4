//! Where questions come from: the benchmark's files, or a table of right calls.

use std::collections::HashSet;

use anyhow::bail;

use super::args::GoldArgs;
use super::folder::{self, Category};
use crate::cli::printer::Printer;
use crate::domain::{Json, Sample};
use crate::gold::Question;
use crate::gold::bfcl::Unusable;
use crate::gold::own;
use crate::run;

/// Can be read several times, each time with the same questions in the same order.
pub enum Source {
    Bfcl(Vec<Category>),
    Own(Box<run::Source>),
}

impl Source {
    pub fn open(args: &GoldArgs, printer: Printer) -> anyhow::Result<Source> {
        match &args.bfcl {
            Some(folder) => Ok(Source::Bfcl(folder::categories(folder, &args.category)?)),
            None => Ok(Source::Own(Box::new(args.own.input().open(&args.inputs, false, printer)?))),
        }
    }

    /// Gives every question to `take`.
    pub fn each(
        &self,
        take: &mut dyn FnMut(Result<Question, Unusable>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        match self {
            Source::Bfcl(categories) => categories.iter().try_for_each(|category| category.each(take)),
            Source::Own(source) => own_questions(source, take),
        }
    }
}

/// What a table says of itself where it is one of ours, or somebody's with the same columns.
const GOLD: &str = "gold";
const ID: &str = "id";

fn own_questions(
    source: &run::Source,
    take: &mut dyn FnMut(Result<Question, Unusable>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    let mut row = 0_usize;
    for batch in source.table.batches(None) {
        let batch = batch?;
        let (ids, gold) = (batch.column(ID)?, batch.column(GOLD)?);
        let asked = batch.column(&source.columns.question)?;
        let definitions = match &source.columns.tool_definitions {
            Some(column) => batch.column(column)?,
            None => vec![None; batch.len()],
        };
        for (at, item) in source.items(&batch)?.into_iter().enumerate() {
            row += 1;
            let right = match gold.get(at).and_then(Option::as_ref) {
                None | Some(Json::Null) => true,
                Some(Json::String(text)) if text == "correct" => true,
                Some(Json::String(text)) if text == "incorrect" => false,
                Some(other) => bail!("row {row}: `{GOLD}` is {other}; it should be `correct` or `incorrect`"),
            };
            if !right {
                continue;
            }
            let id = match ids.get(at).and_then(Option::as_ref) {
                Some(Json::String(id)) => id.clone(),
                Some(Json::Number(number)) => number.as_str().to_owned(),
                _ => format!("row_{row}"),
            };
            let id = if seen.insert(id.clone()) { id } else { format!("{id}_row_{row}") };
            let cell =
                |cells: &[Option<Json>]| cells.get(at).cloned().flatten().filter(|cell| !cell.is_null());
            take(match item {
                Err(_) => Err(Unusable { id, reason: "the row cannot be read" }),
                Ok(sample) => {
                    let asked = cell(&asked).unwrap_or_else(|| Json::from(sample.raw.question.as_str()));
                    let definitions = cell(&definitions).unwrap_or_else(|| raw_definitions(&sample));
                    own::question(id, &sample, asked, definitions)
                }
            })?;
        }
    }
    Ok(())
}

fn raw_definitions(sample: &Sample) -> Json {
    sample.raw.tool_definitions.as_deref().map_or(Json::Null, Json::from)
}
