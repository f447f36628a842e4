//! Who judges in which words: every judge with every template.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::args::JudgingArgs;
use super::judge_spec::JudgeSpec;
use super::model::{self, Shared};
use super::route::Route;
use super::wording;
use crate::bench::Words;
use crate::check::BaseRate;
use crate::cli::config::{Config, JudgeConfig};
use crate::cli::defaults::Given;
use crate::cli::printer::Printer;
use crate::domain::{Rails, Task};
use crate::judge::{Judge, Purse, Remote};
use crate::render::Template;
use crate::run::{JudgeRecord, MemberRecord, RunError, Seat, TemplateRecord};
use crate::snap::Rules;
use crate::store::{Store, StoreError};

/// All who judge in a run, and what they share.
pub struct Panel {
    pub members: Vec<Member>,
    /// Where replies are kept; absent where only the built-in judge judges.
    pub store: Option<Arc<Store>>,
    /// Where the rows of model judges go.
    pub routes: Vec<Route>,
}

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To ask judges and write what they say.
    Label,
    /// To see what would be asked.
    DryRun,
    /// To read stored replies again, with these rails where they are not the ones that were asked for.
    Resnap { rails: Vec<String> },
}

/// A judge with its wording: gives each row one verdict.
pub struct Member {
    /// As the `judge` column spells it.
    pub judge: String,
    /// The template's name, which for the built-in judge is the task's.
    pub criterion: String,
    /// What the names of its columns begin with.
    pub prefix: String,
    /// Which time this is that it is asked the same, from 0.
    pub repeat: u32,
    pub kind: Kind,
}

/// How a member comes to its verdicts.
pub enum Kind {
    Builtin(Task, BaseRate),
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
pub fn judges<'a>(args: &JudgingArgs, config: &'a Config) -> anyhow::Result<Vec<Named<'a>>> {
    for (at, name) in args.judges.iter().enumerate() {
        if args.judges[..at].contains(name) {
            bail!(
                "--judge {name} is given twice; to ask a model several times use --votes, or `bench --repeat` to see whether it \
                 says the same again"
            );
        }
    }
    args.judges.iter().map(|name| Named::find(name, config)).collect()
}

impl Panel {
    /// Every one of `judges` with every template, judge by judge, for the run of that name.
    ///
    /// `prefix` goes before the names of all columns; each question is asked `repeats` times over, by members of their own.
    pub fn convene(
        args: &JudgingArgs,
        run: &str,
        config: &Config,
        given: &Given,
        purpose: &Purpose,
        judges: &[Named<'_>],
        (prefix, repeats): (&str, u32),
    ) -> anyhow::Result<Panel> {
        let path = &args.store.store;
        let models = judges.iter().any(|judge| judge.spec != JudgeSpec::Builtin);
        let store = match purpose {
            _ if !models => None,
            Purpose::DryRun if !path.exists() => None,
            Purpose::Resnap { .. } if !path.exists() => {
                return Err(StoreError::Missing { path: path.clone() }.into());
            }
            _ => Some(Arc::new(Store::open(path, run).map_err(RunError::from)?)),
        };
        let read_as = match purpose {
            Purpose::Resnap { rails } => wording::rails(rails).context("--rails")?,
            _ => None,
        };
        let mut shared = Shared {
            config,
            store: store.as_deref(),
            online: *purpose == Purpose::Label,
            purse: args.limits.max_cost.map(Purse::new),
            limiters: HashMap::new(),
            routes: Vec::new(),
        };
        let seating = Seating { prefix, repeats, judges: judges.len(), read_as: read_as.map(Arc::new) };
        let templates: Vec<Arc<Template>> = wording::templates(args)?.into_iter().map(Arc::new).collect();
        let mut members = Vec::new();
        for judge in judges {
            let remote = match &judge.spec {
                JudgeSpec::Builtin => None,
                JudgeSpec::Model { .. } => Some(Arc::new(model::connect(args, given, judge, &mut shared)?)),
            };
            for template in &templates {
                members.extend(seating.members(args, judge, remote.as_ref(), template, templates.len())?);
            }
        }
        Ok(Panel { members, routes: shared.routes, store })
    }
}

impl Panel {
    /// Says where rows go, and with which variables of the environment.
    pub fn say_routes(&self, config: &Config, printer: Printer) {
        self.routes.iter().for_each(|route| route.say(&config.path, printer));
    }
}

/// How judges get their places.
struct Seating<'a> {
    prefix: &'a str,
    repeats: u32,
    judges: usize,
    read_as: Option<Arc<Rails>>,
}

impl Seating<'_> {
    /// `judge` with `template`, once for each repeat; what needs no model says the same every time.
    fn members(
        &self,
        args: &JudgingArgs,
        judge: &Named<'_>,
        remote: Option<&Arc<Remote>>,
        template: &Arc<Template>,
        templates: usize,
    ) -> anyhow::Result<Vec<Member>> {
        let prefix = self.prefix(templates, &judge.name, template.name());
        let member = |repeat: u32, kind| Member {
            judge: judge.name.clone(),
            criterion: template.name().to_owned(),
            prefix: if repeat == 0 { prefix.clone() } else { format!("{prefix}r{}_", repeat + 1) },
            repeat,
            kind,
        };
        let Some(remote) = remote else {
            let base_rate = args.base_rate.unwrap_or_default();
            return Ok(vec![member(0, Kind::Builtin(builtin_task(template)?, base_rate))]);
        };
        let seat = |repeat| Seat {
            judge: Arc::clone(remote),
            template: Arc::clone(template),
            read_as: self.read_as.clone(),
            explain: args.wording.explain,
            rules: args.wording.snap,
            votes: args.wording.votes,
            repeat,
            roll: Some(Mutex::default()),
        };
        Ok((0..self.repeats).map(|repeat| member(repeat, Kind::Model(Arc::new(seat(repeat))))).collect())
    }

    /// Nothing where one judge uses one template; else as much as tells their columns apart.
    fn prefix(&self, templates: usize, judge: &str, template: &str) -> String {
        let own = self.prefix;
        let plain =
            |name: &str| name.replace(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.')), "_");
        match (self.judges, templates) {
            (1, 1) => own.to_owned(),
            (1, _) => format!("{own}{}_", plain(template)),
            _ => format!("{own}{}_{}_", plain(judge), plain(template)),
        }
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
            Kind::Builtin(..) => None,
            Kind::Model(seat) => Some(seat),
        }
    }

    /// The label that means right.
    pub fn positive(&self) -> String {
        match &self.kind {
            Kind::Builtin(..) => "correct".to_owned(),
            Kind::Model(seat) => seat.reading().rails.positive().label.clone(),
        }
    }

    /// What its labels and their gold mean.
    pub fn words(&self) -> Words {
        Words::of(self.seat().map(|seat| seat.reading().rails)).unwrap_or_default()
    }

    /// The task that is judged; templates of one's own may not say.
    pub fn task(&self) -> Option<Task> {
        match &self.kind {
            Kind::Builtin(task, _) => Some(*task),
            Kind::Model(seat) => seat.template.task(),
        }
    }

    /// What its confidences rest on; model judges are told of none.
    pub fn base_rate(&self) -> BaseRate {
        match &self.kind {
            Kind::Builtin(_, base_rate) => *base_rate,
            Kind::Model(_) => BaseRate::default(),
        }
    }

    /// For the manifest.
    pub fn record(&self) -> MemberRecord {
        let judge = |seat: Option<&Seat<Remote>>| JudgeRecord {
            name: self.judge.clone(),
            endpoint: seat.map(|seat| seat.judge.identity().endpoint.clone()),
            model: seat.map(|seat| seat.judge.identity().model.clone()),
            parameters: match &self.kind {
                Kind::Builtin(_, base_rate) if *base_rate == BaseRate::default() => Value::Null,
                Kind::Builtin(_, base_rate) => json!({ "base_rate": base_rate.share() }),
                Kind::Model(seat) => seat.judge.parameters().to_record(),
            },
            adaptations: Vec::new(),
        };
        let (task, template, votes) = match &self.kind {
            Kind::Builtin(task, _) => (Some(*task), None, 1),
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
