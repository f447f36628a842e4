//! Which words judges are asked in: the templates that the flags name.

use std::path::Path;

use anyhow::{Context, bail};

use super::args::{JudgingArgs, WordingArgs};
use crate::cli::templates;
use crate::domain::{Rail, Rails, Task};
use crate::render::{self, Template};

/// The templates asked for: those of `--template`, else those of `--task`.
pub fn templates(args: &JudgingArgs) -> anyhow::Result<Vec<Template>> {
    let named: Vec<Template> = if args.wording.templates.is_empty() {
        let tasks = if args.tasks.is_empty() { &[Task::ToolCalling][..] } else { &args.tasks };
        tasks.iter().map(|task| Ok(render::builtin(*task)?)).collect::<anyhow::Result<_>>()?
    } else {
        args.wording.templates.iter().map(|name| named(name, &args.tasks)).collect::<anyhow::Result<_>>()?
    };
    for (at, template) in named.iter().enumerate() {
        if named[..at].iter().any(|other| other.name() == template.name()) {
            bail!("two templates are named {}; their columns could not be told apart", template.name());
        }
    }
    named.into_iter().map(|template| adjust(template, &args.wording)).collect()
}

fn named(name: &str, tasks: &[Task]) -> anyhow::Result<Template> {
    let template = match name.parse::<Task>() {
        Ok(task) => render::builtin(task)?,
        Err(_) => templates::read(Path::new(name))?,
    };
    if let Some(worded) = template.task()
        && !tasks.is_empty()
        && !tasks.contains(&worded)
    {
        bail!(
            "the template {} words the task {}, not {}; leave out one of --task and --template",
            template.name(),
            worded.as_str(),
            tasks[0].as_str()
        );
    }
    Ok(template)
}

fn adjust(template: Template, wording: &WordingArgs) -> anyhow::Result<Template> {
    Ok(match rails(&wording.rails).context("--rails")? {
        Some(rails) => template.with_rails(rails),
        None => template,
    })
}

/// What is odd about the templates asked for, in words for the user.
pub fn remarks(args: &JudgingArgs) -> anyhow::Result<Vec<String>> {
    let mut remarks = Vec::new();
    for template in templates(args)? {
        if let Some(unnamed) = unnamed_labels(&template) {
            remarks.push(format!("the template {} {unnamed}", template.name()));
        }
        if args.wording.explain && !template.can_explain() {
            remarks.push(format!(
                "the template {} does not ask for explanations; --explain adds a request for one at its end",
                template.name()
            ));
        }
    }
    Ok(remarks)
}

/// Says that the template's text never names some of its labels, if that is so.
pub fn unnamed_labels(template: &Template) -> Option<String> {
    let unnamed = template.unnamed_labels();
    let list = unnamed.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(" and ");
    let words = if unnamed.len() == 1 { "the label" } else { "the labels" };
    (!unnamed.is_empty()).then(|| {
        format!(
            "never names {words} {list}: where it asks for others, name these with --rails GOOD,BAD; else let its text say what \
             to answer"
        )
    })
}

/// Rails out of a list of labels: the first is the good one and counts 1, the others 0.
pub fn rails(labels: &[String]) -> anyhow::Result<Option<Rails>> {
    let Some(positive) = labels.first().map(|label| label.trim().to_owned()) else { return Ok(None) };
    let rail = |(at, label): (usize, &String)| Rail {
        label: label.trim().to_owned(),
        score: if at == 0 { 1.0 } else { 0.0 },
    };
    Ok(Some(Rails::new(labels.iter().enumerate().map(rail).collect(), &positive)?))
}
