//! The panel of a run: every judge with every template.

mod calibration;
mod member;
mod member_builder;
mod model;
mod purpose;
mod trained;
mod wording;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use member::{BuiltinKind, Member, MemberKind};
pub use purpose::Purpose;
pub use wording::templates;
#[cfg(feature = "cli")]
pub use wording::{read_template, unnamed_labels};

pub(in crate::run) use calibration::calibrated;
pub(in crate::run) use model::connect_agents;
pub(in crate::run) use trained::read_model;
pub(in crate::run) use wording::wanted;

use super::settings::{InputSettings, JudgeKind, JudgeSettings, PanelSettings, SettingsError};
use super::{
    AskOutcome, BuiltinLabeller, Labeller, Manifest, Observer, RunError, SampleRecord, Source,
    StoredLabeller, open_store,
};
use crate::domain::Task;
use crate::read::Take;
use crate::render::Template;
use crate::store::{Access, Store, StoreError};
use member_builder::MemberBuilder;
use model::Shared;

/// All who judge in a run, and what they share.
pub struct Panel {
    /// Judge by judge, template by template, repeat by repeat.
    pub members: Vec<Member>,
    /// Where replies are kept; absent where only the built-in judge judges.
    pub store: Option<Arc<Store>>,
    /// What it was built from.
    pub settings: PanelSettings,
}

impl Panel {
    /// Every judge with every template, for the `run` of that name. `prefix` goes before the names of all columns; each question is
    /// asked `repeats` times over, by members of their own; `observer` hears if the store does not open. Nothing is sent yet.
    ///
    /// # Errors
    /// If a judge, a template or the store cannot be used.
    pub fn build(
        settings: &PanelSettings,
        run: &str,
        purpose: &Purpose,
        (prefix, repeats): (&str, u32),
        observer: &dyn Observer,
    ) -> Result<Panel, RunError> {
        let store = store(settings, run, purpose, observer)?;
        let read_as = match purpose {
            Purpose::Resnap { rails } => wording::rails(rails).map_err(SettingsError::Rails)?,
            _ => None,
        };
        let mut shared = Shared::new(settings, store.as_ref(), purpose);
        let templates: Vec<Arc<Template>> = wording::templates(settings)?.into_iter().map(Arc::new).collect();
        let first =
            settings.first.as_ref().map(|first| trained::model(&first.kind, &templates)).transpose()?;
        let member_builder = MemberBuilder {
            settings,
            prefix,
            repeats,
            read_as: read_as.map(Arc::new),
            first_model: first.flatten(),
            is_compared: matches!(purpose, Purpose::Bench | Purpose::DryBench),
        };
        let mut members = Vec::new();
        for judge in &settings.judges {
            let remote = shared.connect(&judge.kind)?.map(Arc::new);
            let model = trained::model(&judge.kind, &templates)?;
            for template in &templates {
                let model = model.as_ref();
                members.extend(member_builder.members(
                    judge,
                    remote.as_ref(),
                    template,
                    templates.len(),
                    model,
                )?);
            }
        }
        check_columns(&members)?;
        Ok(Panel { members, store, settings: settings.clone() })
    }

    /// What is known of `run` before anybody was asked about `source`.
    pub fn manifest(&self, run: String, input: &InputSettings, source: &Source) -> Manifest {
        Manifest {
            run,
            version: env!("CARGO_PKG_VERSION"),
            started_at: jiff::Timestamp::now().to_string(),
            inputs: source.table.inputs().iter().map(|input| input.path.display().to_string()).collect(),
            filters: input.filters.iter().map(|(column, text)| format!("{column}={text}")).collect(),
            limit: if let Take::First(rows) = input.take { Some(rows) } else { None },
            sample: match input.take {
                Take::Sample { rows, seed } => Some(SampleRecord { rows, seed }),
                _ => None,
            },
            panel: self.members.iter().map(Member::record).collect(),
            store: self.store.as_ref().map(|store| store.place().to_string()),
        }
    }

    /// What gives the rows of `run` their labels, once they were asked about as far as `outcomes` says.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn labellers(
        &self,
        run: &str,
        outcomes: &[AskOutcome],
    ) -> Result<Vec<Box<dyn Labeller>>, RunError> {
        let labeller = |(at, (member, outcomes)): (usize, (&Member, &AskOutcome))| -> Result<Box<dyn Labeller>, RunError> {
            Ok(match (&member.kind, &self.store) {
                (MemberKind::Builtin(own), _) => Box::new(BuiltinLabeller {
                    judge: own.judge(),
                    rails: member.rails(),
                    unit: self.settings.unit,
                    findings: self.settings.findings,
                    keeps_findings: false,
                }),
                (MemberKind::Model(judge_task), Some(store)) => {
                    let (judge_task, fresh) = (Arc::clone(judge_task), self.settings.store.fresh);
                    // Bought once, however many members ask it.
                    let mut before = self.members[..at].iter().filter_map(Member::judge_task);
                    let is_bought = before.any(|other| judge_task.asks_what(other));
                    let labeller = StoredLabeller::new(judge_task, store.reader()?, run, fresh, *outcomes);
                    Box::new(labeller.bought_before(is_bought))
                }
                (MemberKind::Model(_), None) => unreachable!("model judges come with a store"),
            })
        };
        self.members.iter().zip(outcomes).enumerate().map(labeller).collect()
    }
}

/// Refuses members whose columns would have the same names: names of judges are cut down to what a column may have.
fn check_columns(members: &[Member]) -> Result<(), SettingsError> {
    for (at, member) in members.iter().enumerate() {
        if let Some(other) = members[..at].iter().find(|other| other.prefix == member.prefix) {
            let named = |member: &Member| format!("{} ({})", member.judge, member.criterion);
            let (a, b, prefix) = (named(other), named(member), member.prefix.clone());
            return Err(SettingsError::SameColumns { a, b, prefix });
        }
    }
    Ok(())
}

/// A name for a run: when it began, and something that tells it from others of that second.
pub(super) fn run_name() -> String {
    format!("{}-{:08x}", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..))
}

/// The store that a run of this purpose needs.
fn store(
    settings: &PanelSettings,
    run: &str,
    purpose: &Purpose,
    observer: &dyn Observer,
) -> Result<Option<Arc<Store>>, RunError> {
    let place = &settings.store.place;
    match purpose {
        _ if settings.models() == 0 => Ok(None),
        Purpose::DryRun | Purpose::DryBench if place.is_missing()? => Ok(None),
        Purpose::Resnap { .. } if place.is_missing()? => {
            Err(StoreError::Missing { place: place.to_string() }.into())
        }
        _ => {
            let access = match purpose {
                Purpose::DryRun | Purpose::DryBench | Purpose::Resnap { .. } => Access::Read,
                Purpose::Label | Purpose::Bench => Access::Write,
            };
            Ok(Some(Arc::new(open_store(access, place, run, observer)?)))
        }
    }
}

impl PanelSettings {
    /// Refuses what could mean two things; warns of what does nothing.
    ///
    /// # Errors
    /// If a judge is named twice, or templates are for a judge that reads none, or a template cannot be used.
    pub(in crate::run) fn check(&self, observer: &dyn Observer) -> Result<(), SettingsError> {
        let mut names = BTreeMap::new();
        for judge in &self.judges {
            if let Some(first) = names.insert(&judge.name, judge) {
                return Err(same_name(first, judge));
            }
        }
        let models = self.models();
        if models == 0
            && !self.templates.is_empty()
            && self.templates.iter().all(|name| name.parse::<Task>().is_err())
        {
            return Err(SettingsError::BuiltinReadsNoTemplate);
        }
        if models == 0 && self.first.is_some() {
            return Err(SettingsError::First(
                "there is no model to ask about the rest; name one with --judge".to_owned(),
            ));
        }
        if models == self.judges.len() && self.first.is_none() && self.base_rate.is_some() {
            observer
                .warning("--base-rate is of use to the built-in judge only; choose it with --judge builtin");
        }
        wording::check_about_calls(self)?;
        if models > 0 {
            wording::remarks(self)?.iter().for_each(|remark| observer.warning(remark));
        }
        Ok(())
    }
}

fn same_name(first: &JudgeSettings, second: &JudgeSettings) -> SettingsError {
    let name = second.name.clone();
    match (&first.kind, &second.kind) {
        (JudgeKind::Trained(one), JudgeKind::Trained(other)) if one != other => {
            SettingsError::SameModelName { name, files: [one.clone(), other.clone()] }
        }
        _ => SettingsError::SameJudge(name),
    }
}
