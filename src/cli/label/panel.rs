//! Who judges in which words: every judge with every template.

use std::sync::Arc;

use anyhow::bail;

use super::args::LabelArgs;
use super::judge_spec::JudgeSpec;
use super::model::{self, Shared};
use super::wording;
use crate::cli::config::{Config, JudgeConfig};
use crate::cli::defaults::Given;
use crate::domain::{Rails, Task};
use crate::judge::{Judge, Remote};
use crate::render::Template;
use crate::run::{JudgeRecord, MemberRecord, Seat, TemplateRecord};
use crate::snap::Rules;

/// A judge with its wording: gives each row one verdict.
pub struct Member {
    /// As the `judge` column spells it.
    pub judge: String,
    /// The template's name, which for the built-in judge is the task's.
    pub criterion: String,
    /// What the names of its columns begin with.
    pub prefix: String,
    pub kind: Kind,
}

/// How a member comes to its verdicts.
pub enum Kind {
    Builtin(Task),
    Model(Arc<Seat<Remote>>),
}

/// A judge as the command line names it, with what the settings file says about it.
#[derive(Debug, Clone)]
pub struct Named<'a> {
    pub name: String,
    pub spec: JudgeSpec,
    pub own: Option<&'a JudgeConfig>,
}

impl<'a> Named<'a> {
    fn find(name: &str, config: &'a Config) -> anyhow::Result<Named<'a>> {
        let (spec, own) = match config.judges.get(name) {
            Some(own) => match own.judge.parse::<JudgeSpec>() {
                Ok(spec) => (spec, Some(own)),
                Err(why) => bail!("{}: [judges.{name}]: {why}", config.path.display()),
            },
            None => match name.parse::<JudgeSpec>() {
                Ok(spec) => (spec, None),
                Err(why) if config.judges.is_empty() => bail!("--judge {name}: {why}"),
                Err(why) => {
                    let names = config.judges.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                    bail!("--judge {name}: {why}; {} names {names}", config.path.display())
                }
            },
        };
        Ok(Named { name: name.to_owned(), spec, own })
    }
}

/// The judges that the flags name.
pub fn judges<'a>(args: &LabelArgs, config: &'a Config) -> anyhow::Result<Vec<Named<'a>>> {
    for (at, name) in args.judges.iter().enumerate() {
        if args.judges[..at].contains(name) {
            bail!("--judge {name} is given twice; to ask a model several times use --votes");
        }
    }
    args.judges.iter().map(|name| Named::find(name, config)).collect()
}

/// Every judge with every template, judge by judge.
pub fn members(
    args: &LabelArgs,
    given: &Given,
    judges: &[Named<'_>],
    shared: &mut Shared<'_>,
    read_as: Option<Rails>,
) -> anyhow::Result<Vec<Member>> {
    let templates: Vec<Arc<Template>> = wording::templates(args)?.into_iter().map(Arc::new).collect();
    let read_as = read_as.map(Arc::new);
    let mut members = Vec::new();
    for judge in judges {
        let remote = match &judge.spec {
            JudgeSpec::Builtin => None,
            JudgeSpec::Model { .. } => Some(Arc::new(model::connect(args, given, judge, shared)?)),
        };
        for template in &templates {
            let kind = match &remote {
                None => Kind::Builtin(builtin_task(template)?),
                Some(remote) => Kind::Model(Arc::new(Seat {
                    judge: Arc::clone(remote),
                    template: Arc::clone(template),
                    read_as: read_as.clone(),
                    explain: args.wording.explain,
                    rules: args.wording.snap,
                    votes: args.wording.votes,
                })),
            };
            members.push(Member {
                judge: judge.name.clone(),
                criterion: template.name().to_owned(),
                prefix: prefix(args, judges.len(), templates.len(), &judge.name, template.name()),
                kind,
            });
        }
    }
    Ok(members)
}

/// Nothing where one judge uses one template; else as much as tells their columns apart.
fn prefix(args: &LabelArgs, judges: usize, templates: usize, judge: &str, template: &str) -> String {
    let own = &args.result.prefix;
    let plain = |name: &str| name.replace(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.')), "_");
    match (judges, templates) {
        (1, 1) => own.clone(),
        (1, _) => format!("{own}{}_", plain(template)),
        _ => format!("{own}{}_{}_", plain(judge), plain(template)),
    }
}

/// The built-in judge knows tasks, not words.
fn builtin_task(template: &Template) -> anyhow::Result<Task> {
    match template.task() {
        Some(task) => Ok(task),
        None => bail!(
            "the built-in judge reads no template, and {} names no task that it could judge instead; choose a model \
             with --judge, or a task with --task",
            template.name()
        ),
    }
}

impl Member {
    pub fn seat(&self) -> Option<&Seat<Remote>> {
        match &self.kind {
            Kind::Builtin(_) => None,
            Kind::Model(seat) => Some(seat),
        }
    }

    /// For the manifest.
    pub fn record(&self) -> MemberRecord {
        let judge = |seat: Option<&Seat<Remote>>| JudgeRecord {
            name: self.judge.clone(),
            endpoint: seat.map(|seat| seat.judge.identity().endpoint.clone()),
            model: seat.map(|seat| seat.judge.identity().model.clone()),
            parameters: seat
                .and_then(|seat| serde_json::from_str(&seat.judge.identity().parameters).ok())
                .unwrap_or_default(),
            adaptations: Vec::new(),
        };
        let (task, template, votes) = match &self.kind {
            Kind::Builtin(task) => (Some(*task), None, 1),
            Kind::Model(seat) => {
                let template = &seat.template;
                let record = TemplateRecord {
                    name: template.name().to_owned(),
                    hash: template.hash(),
                    explain: seat.explain,
                    rails: seat.reading().rails.labels().map(str::to_owned).collect(),
                    snap: Rules::as_str(seat.rules),
                };
                (template.task(), Some(record), seat.votes.get())
            }
        };
        MemberRecord {
            prefix: self.prefix.clone(),
            judge: judge(self.seat()),
            task: task.map(Task::as_str),
            template,
            votes,
        }
    }
}
