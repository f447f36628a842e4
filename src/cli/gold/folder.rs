//! The benchmark's own files: where they are, and their lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::domain::{Json, Object};
use crate::gold::Question;
use crate::gold::bfcl::{self, Unusable};
use crate::score::bfcl::of_file;

/// Where a user gets them.
const SOURCE: &str = "the files are in berkeley-function-call-leaderboard/bfcl_eval/data of the gorilla repository, and in the \
                      package bfcl-eval";
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
pub fn categories(folder: &Path, wanted: &[String]) -> anyhow::Result<Vec<Category>> {
    if !folder.is_dir() {
        bail!("{}: there is no such folder; {SOURCE}", folder.display());
    }
    let mut found = Vec::new();
    for below in BELOW {
        found = within(&folder.join(below))?;
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        bail!("{}: no files like BFCL_v4_multiple.json are in it; {SOURCE}", folder.display());
    }
    if let Some(unknown) = wanted.iter().find(|name| !found.iter().any(|category| category.name == **name)) {
        let names: Vec<&str> = found.iter().map(|category| category.name).collect();
        bail!("{}: no category `{unknown}`; there are {}", folder.display(), names.join(", "));
    }
    Ok(found
        .into_iter()
        .filter(|found| wanted.is_empty() || wanted.iter().any(|name| name == found.name))
        .collect())
}

/// The categories of a data folder; none where there is no such folder.
fn within(data: &Path) -> anyhow::Result<Vec<Category>> {
    let mut found: Vec<Category> = Vec::new();
    for (questions, answers) in PAIRS {
        let folder = data.join(questions);
        if !folder.is_dir() {
            continue;
        }
        let mut names = Vec::new();
        for entry in folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
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
        take: &mut dyn FnMut(Result<Question, Unusable>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut answers = HashMap::new();
        if self.answers.is_file() {
            for line in lines(&self.answers)? {
                let (id, answer) = line?;
                answers.insert(id, answer);
            }
        } else if !self.name.contains("relevance") && !self.answers_inside()? {
            bail!(
                "{}: the accepted answers of {} are missing; {SOURCE}",
                self.answers.display(),
                self.questions.display()
            );
        }
        for line in lines(&self.questions)? {
            let (id, question) = line?;
            take(bfcl::question(&question, answers.remove(&id).as_ref(), self.name))?;
        }
        Ok(())
    }

    /// Whether answers stand beside their questions, as they did in the benchmark's third version.
    fn answers_inside(&self) -> anyhow::Result<bool> {
        let first = lines(&self.questions)?.next().transpose()?;
        Ok(first.is_some_and(|(_, question)| question.contains_key("ground_truth")))
    }
}

/// The objects of a file of JSON Lines, each with its id.
pub fn lines(file: &Path) -> anyhow::Result<impl Iterator<Item = anyhow::Result<(String, Object)>>> {
    let path = file.to_owned();
    Ok(objects(file)?.map(move |line| {
        let (number, object) = line?;
        let id = object.get("id").and_then(Json::as_str).map(str::to_owned);
        let id = id.with_context(|| format!("{}, line {number}: no text `id`; {SOURCE}", path.display()))?;
        Ok((id, object))
    }))
}

/// The objects of a file of JSON Lines, each with the number of its line.
pub fn objects(file: &Path) -> anyhow::Result<impl Iterator<Item = anyhow::Result<(usize, Object)>>> {
    let path = file.to_owned();
    let opened = File::open(file).with_context(|| format!("cannot read {}; {SOURCE}", path.display()))?;
    let lines = BufReader::new(opened).lines().enumerate();
    Ok(lines.filter_map(move |(at, line)| {
        let place = || format!("{}, line {}", path.display(), at + 1);
        let line = match line.with_context(place) {
            Ok(line) if line.trim().is_empty() => return None,
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        Some(match Json::parse(&line) {
            Ok(Json::Object(object)) => Ok((at + 1, object)),
            Ok(_) => Err(anyhow::anyhow!("{}: no JSON object; every line should be one", place())),
            Err(error) => Err(anyhow::anyhow!(
                "{}: no JSON ({error}); every line should be a JSON object, unchanged",
                place()
            )),
        })
    }))
}
