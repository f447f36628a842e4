//! Asks a judge about cases, for scorers whose peers use a model: the cases' questions go through a labelling run with its own
//! store, limits and cost limit.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use super::ScoringError;
use super::row::{case, records};
use crate::domain::{Json, Object, Slot, Status, Task};
use crate::normalize::{Normalizer, Options};
use crate::read::Table;
use crate::run::settings::{InputKind, InputSettings, LabelSettings, OutputSettings, PanelSettings};
use crate::run::{Control, MemberSummary, RunError, label};
use crate::score::{Answer, Inquiry, Score, ScoreError};

/// The column that names a case.
pub(in crate::run) const CASE: &str = "case";

/// What became of the cases that were asked about, by their numbers, counted from 0.
#[derive(Debug, Default)]
pub(super) struct Answers(HashMap<u64, Result<Answer, String>>);

impl Answers {
    /// The case of that number, with what the judge said of it.
    pub(super) fn fill(
        &self,
        inquiry: Option<&Inquiry>,
        number: u64,
        mut case: Object,
    ) -> Result<Object, ScoreError> {
        match (inquiry, self.0.get(&number)) {
            (Some(inquiry), Some(Ok(answer))) => {
                (inquiry.fill)(&mut case, answer);
                Ok(case)
            }
            (_, Some(Err(why))) => {
                Err(ScoreError { kind: "NoVerdict", message: format!("the judge gave no label: {why}") })
            }
            _ => Ok(case),
        }
    }
}

/// Asks the one judge of `panel` about all cases of `table` that need it.
///
/// # Errors
/// Those of [`label`], and if the panel has several judges or a wording with other labels than the task's.
pub(super) async fn answers(
    table: &Table,
    (inquiry, ready): (&Inquiry, &dyn Score),
    columns: &[(Slot, String)],
    panel: &PanelSettings,
    control: &Control,
) -> Result<(Answers, Option<MemberSummary>), RunError> {
    if panel.judges.len() != 1 || panel.templates.len() > 1 {
        return Err(ScoringError::SeveralJudges.into());
    }
    let folder = tempfile::tempdir().map_err(ScoringError::NoTemporary)?;
    let asked = folder.path().join("cases.jsonl");
    if write(table, (inquiry, ready), columns, &asked)? == 0 {
        control.observer.note("no case leaves anything for a judge to say");
        return Ok((Answers::default(), None));
    }
    let (answers, member) = judged(&asked, (inquiry.task, inquiry.five_grades), panel, control).await?;
    Ok((Answers(answers), member))
}

/// What the one judge of `panel` says of the rows of the file `asked`, by the numbers in their column [`CASE`].
///
/// # Errors
/// Those of [`label`].
pub(in crate::run) async fn judged(
    asked: &Path,
    (task, five_grades): (Task, bool),
    panel: &PanelSettings,
    control: &Control,
) -> Result<(HashMap<u64, Result<Answer, String>>, Option<MemberSummary>), RunError> {
    let labelled = asked.with_file_name("labelled.jsonl");
    let input =
        InputSettings { from: Some(InputKind::Rows), ..InputSettings::new([asked.display().to_string()]) };
    let five_grades = five_grades && panel.templates.is_empty();
    let panel = PanelSettings { tasks: vec![task], five_grades, ..panel.clone() };
    let settings = LabelSettings {
        input,
        panel,
        output: OutputSettings { path: Some(labelled.clone()), ..OutputSettings::default() },
        ..LabelSettings::new(Vec::<String>::new())
    };
    let summary = label(settings, control).await?;
    let passing = summary.members.iter().flat_map(|member| member.words.passing());
    let answers = read(&labelled, &passing.map(str::to_owned).collect::<Vec<_>>())?;
    let member = summary.members.into_iter().next();
    if let Some(MemberSummary { summary, .. }) =
        member.as_ref().filter(|member| member.summary.unjudged() > 0)
    {
        let without = summary.statuses.iter().filter(|(status, _)| **status != Status::Judged);
        let without: Vec<String> =
            without.map(|(status, rows)| format!("{rows} {}", status.as_str())).collect();
        control.observer.warning(&format!(
            "the judge gave no label for {} of {} cases ({}), which have no score",
            summary.unjudged(),
            summary.rows,
            without.join(", ")
        ));
    }
    Ok((answers, member))
}

/// Writes what is asked; returns how many cases that is.
fn write(
    table: &Table,
    (inquiry, ready): (&Inquiry, &dyn Score),
    columns: &[(Slot, String)],
    path: &Path,
) -> Result<u64, RunError> {
    let failed = |why| RunError::from(ScoringError::NoTemporary(why));
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    let normalizer = Normalizer::new(Options::default()).map_err(ScoringError::Row)?;
    let (mut number, mut asked) = (0_u64, 0);
    for batch in table.batches(None) {
        let batch = batch?;
        let schema = std::sync::Arc::clone(&batch.schema);
        for record in records(batch, columns, &normalizer)? {
            let is_read = !matches!(record.item, Some(Err(_)));
            let mut case = case(table, &schema, record.cells, columns);
            ready.complete(&mut case);
            if let Some(mut row) = (inquiry.row)(&case).filter(|_| is_read) {
                row.insert(CASE, Json::Number(number.into()));
                writeln!(file, "{}", Json::Object(row)).map_err(failed)?;
                asked += 1;
            }
            number += 1;
        }
    }
    file.flush().map_err(failed)?;
    Ok(asked)
}

/// Reads the labels; `passes` are those that pass.
fn read(path: &Path, passes: &[String]) -> Result<HashMap<u64, Result<Answer, String>>, RunError> {
    let failed = |why| RunError::from(ScoringError::NoTemporary(why));
    let mut answers = HashMap::new();
    for line in BufReader::new(File::open(path).map_err(failed)?).lines() {
        let row: Value = serde_json::from_str(&line.map_err(failed)?)
            .map_err(|why| ScoringError::NoTemporary(why.into()))?;
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        let Some(number) = row[CASE].as_u64() else { continue };
        let answer = match (text("label"), row["score"].as_f64()) {
            (Some(label), Some(score)) => {
                let passes = passes.contains(&label);
                Ok(Answer { label, score, passes, explanation: text("explanation") })
            }
            _ => Err(text("error").or_else(|| text("status")).unwrap_or_default()),
        };
        answers.insert(number, answer);
    }
    Ok(answers)
}
