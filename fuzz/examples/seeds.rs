//! Writes what the fuzzer starts from: `seeds/TARGET/` out of the tests' fixtures, and `seeds/words` out of the readers.
//!
//! `cargo run --example seeds`, in this folder.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tooljudge_fuzz::domain::{Json, Object};

/// Longer texts cost more than they teach.
const LONGEST: usize = 16 << 10;

/// The first byte of a log's seed: its format is to be detected.
const DETECTED: char = '\u{7f}';

fn main() -> io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = fuzz.join("../tests");
    let fixtures = tests.join("fixtures/formats");
    let mut seeds = Seeds { folder: fuzz.join("seeds"), written: BTreeSet::new() };
    for file in files(&fixtures.join("calls"))?.into_iter().chain(files(&fixtures.join("own/calls"))?) {
        for row in values(&fs::read_to_string(file)?) {
            seeds.add("json", &row.to_string())?;
            for (column, target) in [
                ("question", "question"),
                ("tool_call", "tool_call"),
                ("tool_definitions", "tool_definitions"),
            ] {
                seeds.add(target, &text(row.get(column)))?;
            }
        }
    }
    for file in files(&fixtures.join("definitions"))? {
        seeds.add("tool_definitions", fs::read_to_string(file)?.trim_end())?;
    }
    for line in values(&fs::read_to_string(fixtures.join("expected.jsonl"))?) {
        seeds.add("question", &text(line.get("messages")))?;
    }
    for file in files(&fixtures.join("logs"))?.into_iter().chain(files(&fixtures.join("own/logs"))?) {
        let Ok(content) = fs::read_to_string(file) else { continue };
        seeds.add("log_record", &format!("{DETECTED}{content}"))?;
        for record in values(&content) {
            let record = Json::Object(record);
            seeds.add("log_record", &format!("{DETECTED}{record}"))?;
            for key in ["messages", "input"] {
                seeds.add("question", &text(record.get(key)))?;
            }
        }
    }
    for reply in values(&fs::read_to_string(tests.join("cases/snap.jsonl"))?) {
        seeds.add("snap", &text(reply.get("reply")))?;
    }
    for table in [
        "question\ntool_call\ntools",
        "userMessages\ngenerated\ninput\n\nquestion=userMessages",
        "messages\nraw\ninput\noutput",
    ] {
        seeds.add("columns", table)?;
    }
    let words = words(&fuzz.join("../src/normalize"))?;
    println!("{} seeds, {} words", seeds.written.len(), words.len());
    fs::write(fuzz.join("seeds/words"), words.join("\n"))
}

struct Seeds {
    folder: PathBuf,
    written: BTreeSet<(&'static str, String)>,
}

impl Seeds {
    fn add(&mut self, target: &'static str, text: &str) -> io::Result<()> {
        let folder = self.folder.join(target);
        if text.is_empty() || text.len() > LONGEST || !self.written.insert((target, text.to_owned())) {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{:04}", self.written.len())), text)
    }
}

/// All files below a folder, in the same order every time.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The objects in a text, one after another or in lists.
fn values(text: &str) -> Vec<Object> {
    let mut objects = Vec::new();
    let mut rest = text;
    while let Ok((value, end)) = Json::parse_prefix(rest) {
        let items = match value {
            Json::Array(items) => items,
            other => vec![other],
        };
        objects.extend(items.into_iter().filter_map(|item| match item {
            Json::Object(object) => Some(object),
            _ => None,
        }));
        rest = &rest[end..];
    }
    objects
}

fn text(value: Option<&Json>) -> String {
    match value {
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// The words that the readers look for: whatever stands in quotes there.
fn words(folder: &Path) -> io::Result<Vec<String>> {
    let mut words = BTreeSet::new();
    for file in files(folder)? {
        let source = fs::read_to_string(file)?;
        let code = source.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        let code = code.filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            words.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let plain = |word: &String| {
        (2..40).contains(&word.len())
            && word.bytes().all(|byte| matches!(byte, b' '..=b'~'))
            && !word.contains('\\')
    };
    Ok(words.into_iter().filter(plain).map(|word| format!("\"{word}\"")).collect())
}
