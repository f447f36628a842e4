//! The templates of a panel.

use std::path::{Path, PathBuf};

use crate::domain::{Rail, Rails, RailsError, Scope, Slot, Task, Unit, Variable, not_shown};
use crate::normalize::columns::Wanted;
use crate::normalize::logs::Turns;
use crate::render::{self, Template};
use crate::run::settings::{PanelSettings, SettingsError};

/// The templates that a panel judges with: those that are named, else those of its tasks.
///
/// # Errors
/// If a template cannot be read, two could not be told apart, or no template has a variable that the settings speak of.
pub fn templates(settings: &PanelSettings) -> Result<Vec<Template>, SettingsError> {
    let named: Vec<Template> = if settings.templates.is_empty() {
        let tasks = if settings.tasks.is_empty() { &[Task::ToolCalling][..] } else { &settings.tasks };
        tasks.iter().map(|task| graded(*task, settings.five_grades)).collect::<Result<_, _>>()?
    } else {
        settings.templates.iter().map(|name| named(name, settings)).collect::<Result<_, _>>()?
    };
    for (at, template) in named.iter().enumerate() {
        if named[..at].iter().any(|other| other.name() == template.name()) {
            return Err(SettingsError::SameTemplate(template.name().to_owned()));
        }
    }
    let variables = &settings.variables;
    let twice = variables.iter().enumerate().find(|(at, (name, column))| {
        variables[..*at].iter().any(|(other, first)| other == name && first != column)
    });
    if let Some((_, (name, _))) = twice {
        return Err(SettingsError::SameVariable(name.clone()));
    }
    let is_in_text = |name: &String| named.iter().any(|template| template.bound().contains(name));
    if let Some((name, column)) = settings.variables.iter().find(|(name, _)| !is_in_text(name)) {
        let why = not_shown(name, column);
        return Err(SettingsError::NoSuchVariable { name: name.clone(), column: column.clone(), why });
    }
    named.into_iter().map(|template| adjust(template, &settings.rails)).collect()
}

/// What the judges of a panel are shown of a row.
///
/// # Errors
/// Those of [`templates`].
pub(in crate::run) fn wanted(settings: &PanelSettings) -> Result<Wanted, SettingsError> {
    let mut wanted = Wanted::nothing();
    // Calls are read by their definitions, and rows belong together by their questions.
    wanted.optional.extend([Slot::Question, Slot::ToolDefinitions].map(Variable::Slot));
    let templates = templates(settings)?;
    for template in &templates {
        wanted.required.extend(template.required());
        // An empty cell says that nothing was called; a column that is not there says nothing.
        let calls = Variable::Slot(Slot::ToolCall);
        wanted.required.extend(template.variables().into_iter().filter(|variable| *variable == calls));
        wanted.optional.extend(template.variables());
    }
    // The built-in judge reads no template, but what it judges calls by stands in these.
    let builtin = settings.models() < settings.judges.len();
    if builtin
        && templates.iter().any(|template| template.task().is_none_or(|task| task.about_calls().is_some()))
    {
        wanted.required.extend(Wanted::default().required);
    }
    let of_transcripts =
        |template: &Template| template.task().is_some_and(|task| task.scope() == Scope::Transcript);
    if templates.iter().all(of_transcripts) {
        wanted.turns = Turns::Last;
    }
    Ok(wanted)
}

fn graded(task: Task, five_grades: bool) -> Result<Template, SettingsError> {
    match render::builtin_five(task) {
        _ if !five_grades => builtin(task),
        Some(template) => {
            template.map_err(|why| SettingsError::Template { path: PathBuf::from(task.as_str()), why })
        }
        None => Err(SettingsError::NoFiveGrades(task.as_str())),
    }
}

fn builtin(task: Task) -> Result<Template, SettingsError> {
    render::builtin(task).map_err(|why| SettingsError::Template { path: PathBuf::from(task.as_str()), why })
}

fn named(name: &str, settings: &PanelSettings) -> Result<Template, SettingsError> {
    let tasks = &settings.tasks;
    let template = match name.parse::<Task>() {
        Ok(task) => graded(task, settings.five_grades)?,
        Err(_) => read_template(Path::new(name), &settings.rails, &settings.variables)?,
    };
    if let Some(worded) = template.task()
        && !tasks.is_empty()
        && !tasks.contains(&worded)
    {
        return Err(SettingsError::TemplateTask {
            template: template.name().to_owned(),
            worded: worded.as_str(),
            asked: tasks[0].as_str(),
        });
    }
    Ok(template)
}

/// The template in `file`, with `labels` instead of its own if there are any; `variables` are names in it, each with the column that it
/// shows.
///
/// # Errors
/// If it cannot be read or understood, or the labels cannot be told apart.
pub fn read_template(
    file: &Path,
    labels: &[String],
    variables: &[(String, String)],
) -> Result<Template, SettingsError> {
    let rails = rails(labels).map_err(SettingsError::Rails)?;
    let source = std::fs::read_to_string(file)
        .map_err(|why| SettingsError::TemplateFile { path: file.to_owned(), why: why.to_string() })?;
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or("template");
    Template::parse_bound(name, &source, rails, variables)
        .map_err(|why| SettingsError::Template { path: file.to_owned(), why })
}

fn adjust(template: Template, labels: &[String]) -> Result<Template, SettingsError> {
    Ok(match rails(labels).map_err(SettingsError::Rails)? {
        Some(rails) => template.with_rails(rails),
        None => template,
    })
}

/// Whether a template shows what the agent said after all results of a turn: it cannot be held against those of one call.
fn shows_what_came_of_all(template: &Template) -> bool {
    let after = [Slot::NextMessage, Slot::Response].map(Variable::Slot);
    template.variables().iter().any(|variable| after.contains(variable))
}

/// Refuses to ask about single calls where a template shows none.
///
/// # Errors
/// If a template is about a whole transcript, and those of [`templates`].
pub(super) fn check_about_calls(settings: &PanelSettings) -> Result<(), SettingsError> {
    let flag = match (settings.unit, settings.findings) {
        (Unit::Call, _) => "--per call",
        (Unit::Turn, true) => "--findings",
        (Unit::Turn, false) => return Ok(()),
    };
    let shows_calls = |template: &Template| {
        let calls = [Slot::ToolCall, Slot::ToolResult].map(Variable::Slot);
        template.task().is_none_or(|task| task.scope() == Scope::Turn)
            && !(settings.unit == Unit::Call && shows_what_came_of_all(template))
            && template.variables().iter().any(|variable| calls.contains(variable))
    };
    match templates(settings)?.into_iter().find(|template| !shows_calls(template)) {
        Some(template) => Err(SettingsError::NotAboutCalls { flag, template: template.name().to_owned() }),
        None => Ok(()),
    }
}

/// What is odd about the templates, in words for the user.
pub(super) fn remarks(settings: &PanelSettings) -> Result<Vec<String>, SettingsError> {
    let mut remarks = Vec::new();
    for template in templates(settings)? {
        let name = template.name();
        remarks.extend(template.notes().iter().map(|note| format!("the template {name}: {note}")));
        if let Some(unnamed) = unnamed_labels(&template) {
            remarks.push(format!("the template {} {unnamed}", template.name()));
        }
        if settings.explain && !template.can_explain() {
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

/// Rails out of a list of labels: the first is the good one and counts 1, the others 0. None of no labels.
///
/// # Errors
/// If the labels cannot be told apart, or are too few.
pub(super) fn rails(labels: &[String]) -> Result<Option<Rails>, RailsError> {
    let Some(positive) = labels.first().map(|label| label.trim().to_owned()) else { return Ok(None) };
    let rail = |(at, label): (usize, &String)| Rail {
        label: label.trim().to_owned(),
        score: if at == 0 { 1.0 } else { 0.0 },
    };
    Rails::new(labels.iter().enumerate().map(rail).collect(), &positive).map(Some)
}
