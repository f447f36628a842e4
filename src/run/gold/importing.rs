//! A benchmark's folders of results and scores, as a table.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::GoldError;
use super::folder::{self, Category};
use super::making::{self, AT_ONCE};
use crate::domain::Json;
use crate::gold::results::{Answer, Official, answer, failure, imported, writes_underscores};
use crate::gold::{Question, Row};
use crate::run::RunError;
use crate::score::bfcl::of_file;
use crate::table::gold;
use crate::write::{Finished, Output, Sink};

/// Folders between a model's and its files.
const GROUPS: [&str; 10] = [
    "non_live",
    "live",
    "multi_turn",
    "agentic",
    "memory",
    "web_search",
    "format_sensitivity",
    "single_turn",
    "non-live",
    "result",
];
/// Folders within folders beyond this are not looked into.
const MAX_DEPTH: usize = 8;

/// What became of real models' answers.
#[derive(Debug, Default)]
pub struct ImportedGold {
    /// By model: rows that are right, and wrong.
    pub models: BTreeMap<String, (usize, usize)>,
    /// Answers without a row, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Rows whose verdict is a score file's.
    pub scored: usize,
    /// Those of them of which the scorer says otherwise, by name.
    pub disagreements: Vec<String>,
    /// Categories of results whose questions are not read.
    pub passed_over: Vec<String>,
    /// Models and categories whose scores are missing.
    pub unscored: Vec<String>,
}

/// Files of one kind by category and model.
type Files = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// Writes a row for every answer of every model.
pub(super) fn import(
    categories: &[Category],
    folder: &Path,
    scores: Option<&Path>,
    output: &Output,
) -> Result<(ImportedGold, Finished), RunError> {
    let results = files(folder, "_result.json")?;
    let has_scores = scores.is_some();
    let scores = match scores {
        Some(folder) => files(folder, "_score.json")?,
        None => Files::new(),
    };
    if !categories.iter().any(|category| results.contains_key(category.name)) {
        return Err(GoldError::NoResults(folder.to_owned()).into());
    }
    let is_read = |name: &&String| categories.iter().any(|category| category.name == **name);
    let passed_over = results.keys().filter(|name| !is_read(name)).cloned().collect();
    let mut counts = ImportedGold { passed_over, ..ImportedGold::default() };
    let schema = Arc::new(gold::schema(true));
    let mut sink = Sink::open(output, &schema)?;
    for category in categories {
        let Some(models) = results.get(category.name) else { continue };
        let mut questions: Vec<Question> = Vec::new();
        category.each(&mut |question| {
            match question {
                Ok(question) => questions.push(question),
                Err(error) => counts.skip(error.reason),
            }
            Ok(())
        })?;
        let mut rows: Vec<Vec<Row>> = vec![Vec::new(); questions.len()];
        for (model, file) in models {
            let official = match scores.get(category.name).and_then(|models| models.get(model)) {
                Some(file) => Some(failures(file)?),
                None => {
                    if has_scores {
                        counts.unscored.push(format!("{model}, {}", category.name));
                    }
                    None
                }
            };
            counts.read(model, file, official.as_ref(), &questions, &mut rows)?;
        }
        let mut records = Vec::new();
        for (question, mut rows) in questions.iter().zip(rows) {
            // Right ones first, models in order.
            rows.sort_by_key(|row| !row.right);
            records.extend(rows.iter().map(|row| gold::record(row, question)));
            if records.len() >= AT_ONCE {
                making::flush(&mut sink, &schema, &mut records)?;
            }
        }
        making::flush(&mut sink, &schema, &mut records)?;
    }
    Ok((counts, sink.finish()?))
}

impl ImportedGold {
    fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
    }

    /// The rows of one model's file.
    fn read(
        &mut self,
        model: &str,
        file: &Path,
        official: Option<&HashMap<String, Official>>,
        questions: &[Question],
        rows: &mut [Vec<Row>],
    ) -> Result<(), GoldError> {
        let places: HashMap<&str, usize> =
            questions.iter().enumerate().map(|(at, question)| (question.id.as_str(), at)).collect();
        let mut answers: Vec<(usize, Answer)> = Vec::new();
        for line in folder::lines(file)? {
            let (id, line) = line?;
            match places.get(id.as_str()) {
                Some(at) => {
                    let result = line.get("result").unwrap_or(&Json::Null);
                    answers.push((*at, answer(&questions[*at], result)));
                }
                None => self.skip("no question has this id; these results may be of another version"),
            }
        }
        let underscores = writes_underscores(answers.iter().map(|(at, answer)| (&questions[*at], answer)));
        for (at, answer) in answers {
            let question = &questions[at];
            let valid = Official { valid: true, error_type: None };
            let verdict = official.map(|failures| failures.get(&question.id).unwrap_or(&valid));
            let number = rows[at].iter().filter(|row| row.model.as_deref() == Some(model)).count();
            match imported(question, model, answer, verdict, underscores, number) {
                Err(reason) => self.skip(reason),
                Ok(imported) => {
                    let of_model = self.models.entry(model.to_owned()).or_default();
                    *(if imported.row.right { &mut of_model.0 } else { &mut of_model.1 }) += 1;
                    self.scored += usize::from(verdict.is_some());
                    if imported.disagrees {
                        self.disagreements.push(imported.row.id.clone());
                    }
                    rows[at].push(imported.row);
                }
            }
        }
        Ok(())
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let model = |(name, (right, wrong)): (&String, &(usize, usize))| json!({ "model": name, "correct": right, "incorrect": wrong });
        json!({
            "models": self.models.iter().map(model).collect::<Vec<_>>(),
            "left_out": self.skipped,
            "categories_not_read": self.passed_over,
            "scored_by_files": self.scored,
            "scorer_disagrees": self.disagreements,
            "without_scores": self.unscored,
        })
    }
}

/// The answers that a score file lists: those that are not valid.
fn failures(file: &Path) -> Result<HashMap<String, Official>, GoldError> {
    let mut failures = HashMap::new();
    let mut stated = None;
    for line in folder::objects(file)? {
        let (number, line) = line?;
        match failure(&line) {
            Some((id, official)) => {
                failures.insert(id, official);
            }
            None if number == 1 => {
                let count = |key| line.get(key).and_then(|count| count.to_string().parse::<usize>().ok());
                stated = count("total_count").zip(count("correct_count"));
            }
            None => return Err(GoldError::NoScore { path: file.to_owned(), line: number }),
        }
    }
    let (total, correct) = stated.ok_or_else(|| GoldError::NoTotals(file.to_owned()))?;
    let failed = failures.values().filter(|official| !official.valid).count();
    if total.checked_sub(correct) != Some(failed) {
        return Err(GoldError::NotWhole { path: file.to_owned(), failed, correct, total });
    }
    Ok(failures)
}

fn files(folder: &Path, ending: &str) -> Result<Files, GoldError> {
    if !folder.is_dir() {
        return Err(GoldError::NoFolder(folder.to_owned()));
    }
    let mut found = Files::new();
    let above = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    collect(folder, above.as_deref().unwrap_or("model"), ending, MAX_DEPTH, &mut found)?;
    Ok(found)
}

/// `model` is the nearest folder above that is no mere group.
fn collect(
    folder: &Path,
    model: &str,
    ending: &str,
    depth: usize,
    found: &mut Files,
) -> Result<(), GoldError> {
    let unreadable =
        |why: std::io::Error| GoldError::Folder { path: folder.to_owned(), why: why.to_string() };
    let entries = folder.read_dir().map_err(unreadable)?;
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && depth > 0 {
            let model = if GROUPS.contains(&name.as_str()) { model } else { &name };
            collect(&path, model, ending, depth - 1, found)?;
        } else if let Some(category) = name.ends_with(ending).then(|| of_file(&name)).flatten() {
            found.entry(category.to_owned()).or_default().insert(model.to_owned(), path);
        }
    }
    Ok(())
}
