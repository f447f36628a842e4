//! The TOML head of a template file, between two `+++` lines.

use serde::Deserialize;

use super::error::{TemplateError, excerpt};
use super::variable::{ROW, named};
use crate::domain::{Rail, Rails, Task, UnknownTask, Variable};

/// What a template says about itself.
#[derive(Debug, Clone)]
pub(super) struct FrontMatter {
    pub name: String,
    pub task: Task,
    pub description: String,
    pub rails: Rails,
    /// What the text says that it shows, where it says so.
    pub variables: Option<Vec<Variable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    task: String,
    #[serde(default)]
    description: String,
    rails: Vec<WrittenRail>,
    positive: String,
    #[serde(default)]
    threshold: Option<f64>,
    variables: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRail {
    label: String,
    score: f64,
}

/// Splits `source` into head and body; `None` if it has no head.
pub(super) fn split(source: &str) -> Option<(&str, &str)> {
    let rest = source.strip_prefix("+++")?.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "+++" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

pub(super) fn parse(head: &str) -> Result<FrontMatter, TemplateError> {
    let written: Written = toml::from_str(head).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        // The head begins in the file's second line.
        let line = 2 + head.bytes().take(start).filter(|byte| *byte == b'\n').count();
        TemplateError::FrontMatter(format!("line {line}: {}", excerpt(error.message())))
    })?;
    let task = written.task.parse();
    let task = task.map_err(|why: UnknownTask| TemplateError::FrontMatter(excerpt(&why.to_string())))?;
    let rails = written.rails.into_iter().map(|rail| Rail { label: rail.label, score: rail.score });
    let rails = Rails::new(rails.collect(), &written.positive)
        .and_then(|rails| rails.with_threshold(written.threshold))
        .map_err(|error| TemplateError::FrontMatter(excerpt(&error.to_string())))?;
    let variable =
        |name: &String| named(name).ok_or_else(|| TemplateError::UnknownVariables(vec![name.clone()]));
    let variables = written
        .variables
        .map(|names| names.iter().filter(|name| *name != ROW).map(variable).collect::<Result<_, _>>())
        .transpose()?;
    Ok(FrontMatter { name: written.name, task, description: written.description, rails, variables })
}
