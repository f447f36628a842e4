//! Finds the benchmark's files, and reads their lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::GoldError;
use crate::domain::{Json, Object};
use crate::gold::Question;
use crate::gold::bfcl::{self, Unusable};
use crate::run::RunError;
use crate::score::bfcl::of_file;

/// Where the data lies in what people have: the folder itself, a package, a checkout.
const BELOW: [&str; 6] = [
    "",
    "data",
    "bfcl_eval/data",
    "berkeley-function-call-leaderboard/bfcl_eval/data",
    "berkeley-function-call-leaderboard/data",
    "gorilla/berkeley-function-call-leaderboard/bfcl_eval/data",
];
/// Folders of questions and of accepted answers within it; the retired executable ones are apart.
const PAIRS: [(&str, &str); 3] = [
    ("", "possible_answer"),
    ("exec/question", "exec/possible_answer"),
    ("unused_datasets/question", "unused_datasets/possible_answer"),
];
/// Categories of one turn, in the order in which they are written; the first three are older names.
const CATEGORIES: [&str; 20] = [
    "simple",
    "java",
    "javascript",
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "irrelevance",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "live_irrelevance",
    "live_relevance",
    "exec_simple",
    "exec_multiple",
    "exec_parallel",
    "exec_parallel_multiple",
];

/// A category's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    pub name: &'static str,
    questions: PathBuf,
    answers: PathBuf,
}

/// The categories whose files are in `folder`, those that are `wanted` if any are.
pub(super) fn categories(folder: &Path, wanted: &[String]) -> Result<Vec<Category>, GoldError> {
    if !folder.is_dir() {
        return Err(GoldError::NoBfclFolder(folder.to_owned()));
    }
    let mut found = Vec::new();
    for below in BELOW {
        found = within(&folder.join(below))?;
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        return Err(GoldError::NoBfclFiles(folder.to_owned()));
    }
    if let Some(unknown) = wanted.iter().find(|name| !found.iter().any(|category| category.name == **name)) {
        let names: Vec<&str> = found.iter().map(|category| category.name).collect();
        return Err(GoldError::NoCategory {
            path: folder.to_owned(),
            category: unknown.clone(),
            there: names.join(", "),
        });
    }
    Ok(found
        .into_iter()
        .filter(|found| wanted.is_empty() || wanted.iter().any(|name| name == found.name))
        .collect())
}

/// The categories of a data folder; none where there is no such folder.
fn within(data: &Path) -> Result<Vec<Category>, GoldError> {
    let mut found: Vec<Category> = Vec::new();
    for (questions, answers) in PAIRS {
        let folder = data.join(questions);
        if !folder.is_dir() {
            continue;
        }
        let mut names = Vec::new();
        let unreadable =
            |why: std::io::Error| GoldError::Folder { path: folder.clone(), why: why.to_string() };
        for entry in folder.read_dir().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Names that are no Unicode are none of the benchmark's.
            names.extend(entry.file_name().into_string().ok());
        }
        // Of several versions the latest.
        names.sort_by(|a, b| b.cmp(a));
        for file in names.iter().filter(|name| name.ends_with(".json")) {
            let category = of_file(file).and_then(|own| CATEGORIES.into_iter().find(|name| *name == own));
            let Some(name) = category.filter(|name| questions.is_empty() || name.starts_with("exec_")) else {
                continue;
            };
            if !found.iter().any(|other| other.name == name) {
                let (questions, answers) = (data.join(questions).join(file), data.join(answers).join(file));
                found.push(Category { name, questions, answers });
            }
        }
    }
    found.sort_by_key(|category| CATEGORIES.iter().position(|name| *name == category.name));
    Ok(found)
}

impl Category {
    /// Gives every question to `take`, in the file's order; at any time only the answers and one question are in memory.
    pub fn each(
        &self,
        take: &mut dyn FnMut(Result<Question, Unusable>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut answers = HashMap::new();
        if self.answers.is_file() {
            for line in lines(&self.answers)? {
                let (id, answer) = line?;
                answers.insert(id, answer);
            }
        } else if !self.name.contains("relevance") && !self.answers_inside()? {
            let (answers, questions) = (self.answers.clone(), self.questions.clone());
            return Err(GoldError::NoAnswers { answers, questions }.into());
        }
        for line in lines(&self.questions)? {
            let (id, question) = line?;
            take(bfcl::question(&question, answers.remove(&id).as_ref(), self.name))?;
        }
        Ok(())
    }

    /// Whether answers stand beside their questions, as they did in the benchmark's third version.
    fn answers_inside(&self) -> Result<bool, GoldError> {
        let first = lines(&self.questions)?.next().transpose()?;
        Ok(first.is_some_and(|(_, question)| question.contains_key("ground_truth")))
    }
}

/// The objects of a file of JSON Lines, each with its id.
pub(super) fn lines(
    file: &Path,
) -> Result<impl Iterator<Item = Result<(String, Object), GoldError>>, GoldError> {
    let path = file.to_owned();
    Ok(objects(file)?.map(move |found| {
        let (line, object) = found?;
        let id = object.get("id").and_then(Json::as_str).map(str::to_owned);
        Ok((id.ok_or_else(|| GoldError::NoId { path: path.clone(), line })?, object))
    }))
}

/// The objects of a file of JSON Lines, each with the number of its line.
pub(super) fn objects(
    file: &Path,
) -> Result<impl Iterator<Item = Result<(usize, Object), GoldError>>, GoldError> {
    let path = file.to_owned();
    let unreadable = |why: std::io::Error| GoldError::File { path: file.to_owned(), why: why.to_string() };
    let lines = BufReader::new(File::open(file).map_err(unreadable)?).lines().enumerate();
    Ok(lines.filter_map(move |(at, text)| {
        let (path, line) = (path.clone(), at + 1);
        let text = match text {
            Ok(text) if text.trim().is_empty() => return None,
            Ok(text) => text,
            Err(why) => return Some(Err(GoldError::Line { path, line, why: why.to_string() })),
        };
        Some(match Json::parse(&text) {
            Ok(Json::Object(object)) => Ok((line, object)),
            Ok(_) => Err(GoldError::NoObject { path, line }),
            Err(why) => Err(GoldError::NoJson { path, line, why: why.to_string() }),
        })
    }))
}
