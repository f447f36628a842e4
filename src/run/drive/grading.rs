//! What a judge says of the agents' answers, where these have a reference.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::plan::{DrivePlan, has_reference};
use super::replay::Played;
use crate::domain::{Json, Object, Task};
use crate::drive::record::{case_record, question};
use crate::drive::{Expected, Grade, Stage};
use crate::run::score::{CASE, judged};
use crate::run::settings::PanelSettings;
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
