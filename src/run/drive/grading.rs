//! Grades the agents' answers with a judge if a case has a reference.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::cases::has_reference;
use super::plan::DrivePlan;
use super::replay::Played;
use crate::domain::{Dialogue, Json, Object, Task};
use crate::drive::record::{case_record, question};
use crate::drive::{Expected, Grade, Stage};
use crate::judge::Remote;
use crate::run::score::{CASE, judged};
use crate::run::settings::{AgentKind, DriveSettings, PanelSettings};
use crate::run::{Control, MemberSummary, RunError, ScoringError};
use crate::score::{Answer, SCORERS};

/// The grades of episodes, by their numbers, counted from 0 over all agents.
#[derive(Debug, Default)]
pub(super) struct Grades(HashMap<u64, Result<Answer, String>>);

impl Grades {
    /// What is to be said of an episode's answer, beside its case where the scorer reads it there.
    pub(super) fn of(&self, number: u64, stage: &Stage, record: &mut Object, asked: bool) -> Grade {
        let grade = match self.0.get(&number) {
            Some(Ok(answer)) => Grade::Graded(answer.passes),
            Some(Err(_)) => Grade::Missing,
            None if asked && has_reference(&stage.case) && !record.contains_key("llm_reply") => {
                Grade::Missing
            }
            None => Grade::NotAsked,
        };
        if let (Expected::Example { .. }, Grade::Graded(passes)) = (&stage.case.expected, grade) {
            record.insert("llm_reply", if passes { "CORRECT" } else { "INCORRECT" });
        }
        grade
    }
}

/// What the prompt that asks for a grade holds beside question, answer and reference, in bytes. Chosen: the shipped ones have less.
const TEMPLATE: usize = 4096;
/// Bytes of a token of an answer. Four is the usual rule of thumb.
const TOKEN: usize = 4;
/// The largest part of the ceiling that is kept. Chosen: an episode takes several replies, and a grade one.
const MOST: f64 = 0.5;

/// What of the ceiling the agents leave to the judges of their answers, in US dollars: the most that grading every episode may cost, but
/// not more than half. An answer that nobody can grade any more was paid for in vain.
pub(super) fn kept_for_grading(graders: &[Remote], settings: &DriveSettings, stages: &[Arc<Stage>]) -> f64 {
    let Some(ceiling) = settings.max_cost else { return 0.0 };
    let longest = settings.agents.iter().filter_map(|agent| match &agent.kind {
        AgentKind::Model(model) => model.max_tokens,
        AgentKind::Script(_) | AgentKind::Own(_) => None,
    });
    let answer = longest.max().map_or(0, |tokens| tokens.get() as usize) * TOKEN;
    let of_stage = |stage: &Arc<Stage>| {
        let start = Dialogue { system: None, tools: Arc::new([]), entries: stage.case.start.clone() };
        let question = start.text_bytes();
        let reference = stage.case.reference.as_ref().map_or(0, String::len);
        let bytes = TEMPLATE + question + reference + answer;
        graders.iter().filter_map(|grader| grader.worst_cost(bytes)).sum::<f64>()
    };
    let once: f64 = stages.iter().filter(|stage| has_reference(&stage.case)).map(of_stage).sum();
    let times = f64::from(settings.repeats.get()) * settings.agents.len() as f64;
    (once * times).min(MOST * ceiling)
}

/// What is done with each scored episode and its number.
pub(super) type Visit<'a> = &'a mut dyn FnMut(u64, &Arc<Stage>, &Played) -> Result<(), RunError>;

/// Asks the judge of `panel` about every answer that has a reference. `play` calls its argument with each scored episode and its
/// number.
///
/// # Errors
/// Those of labelling, and if the panel cannot grade.
pub(super) async fn grades(
    panel: &PanelSettings,
    play: impl FnOnce(Visit<'_>) -> Result<(), RunError>,
    control: &Control,
) -> Result<(Grades, Option<MemberSummary>), RunError> {
    let folder = tempfile::tempdir().map_err(ScoringError::NoTemporary)?;
    let asked = folder.path().join("answers.jsonl");
    let failed = |why| RunError::from(ScoringError::NoTemporary(why));
    let mut file = BufWriter::new(File::create(&asked).map_err(failed)?);
    let mut rows = 0_u64;
    play(&mut |number, stage, played| {
        if let Some(row) = row(number, stage, played) {
            writeln!(file, "{}", Json::Object(row)).map_err(failed)?;
            rows += 1;
        }
        Ok(())
    })?;
    file.flush().map_err(failed)?;
    drop(file);
    if rows == 0 {
        control.observer.note("no answer is left for --grade to judge");
        return Ok((Grades::default(), None));
    }
    let (answers, member) = judged(&asked, (Task::AnswerCorrectness, false), panel, control).await?;
    Ok((Grades(answers), member))
}

/// What the judge is shown of an episode; nothing where there is nothing to grade, or the answer is a number that needs no judge.
fn row(number: u64, stage: &Stage, played: &Played) -> Option<Object> {
    let episode = &played.episode;
    if !has_reference(&stage.case) {
        return None;
    }
    let mut row = match &stage.case.expected {
        Expected::Example { .. } => {
            let inquiry = SCORERS.iter().find(|scorer| scorer.name == "trajectory")?.inquiry.as_ref()?;
            (inquiry.row)(&case_record(episode, 0))?
        }
        Expected::Test(_) => {
            let mut row = Object::new();
            row.insert("question", question(episode));
            row.insert("response", episode.response().clone());
            row.insert("reference", stage.case.reference.clone()?);
            row
        }
    };
    row.insert(CASE, Json::Number(number.into()));
    Some(row)
}

/// Cases whose answer has a reference and nobody is asked about.
pub(super) fn ungraded(plan: &DrivePlan) -> u64 {
    let is_open = |stage: &&Arc<Stage>| has_reference(&stage.case);
    if plan.settings.grade.is_some() { 0 } else { plan.stages.iter().filter(is_open).count() as u64 }
}
