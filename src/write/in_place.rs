//! The labelled table that an earlier run has left in an output's place: by whom its rows were labelled, and whether it is there since
//! this run began.
//!
//! A second judge's labels take the place of the first one's where nobody names another file. That is told before, and a table that
//! another run has put there meanwhile stays.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::WriteError;
use super::manifest_file::{is_ours, manifest_path};

/// What a run found in the place of its output when it began.
#[derive(Debug, Clone)]
pub struct InPlace {
    path: PathBuf,
    /// The run that had written it.
    run: Option<String>,
    /// The record of the run that is to replace it.
    own: Value,
}

impl InPlace {
    /// What lies at `path` when the run with this record begins.
    pub fn found(path: &Path, own: Value) -> InPlace {
        let run = record(path).as_ref().and_then(run_of);
        InPlace { path: path.to_owned(), run, own }
    }

    /// How the table that lies there now was labelled, where replacing it loses something.
    pub fn otherwise(&self) -> Option<String> {
        differences(&record(&self.path)?, &self.own)
    }

    /// The record of the run whose table comes.
    pub(super) fn replacement(&self) -> &Value {
        &self.own
    }

    /// What lies there, if it is not the same part of a table as the one that comes.
    pub fn other_part(&self) -> Option<String> {
        other_part(&record(&self.path)?, &self.own)
    }

    /// An error if another run has put a table there since, whose labels would be lost.
    ///
    /// # Errors
    /// [`WriteError::TakenMeanwhile`].
    pub fn check(&self) -> Result<(), WriteError> {
        let now = record(&self.path).as_ref().and_then(run_of);
        match self.otherwise().filter(|_| now != self.run) {
            Some(what) => Err(WriteError::TakenMeanwhile { path: self.path.clone(), what }),
            None => Ok(()),
        }
    }
}

fn run_of(record: &Value) -> Option<String> {
    Some(record.get("run")?.as_str()?.to_owned())
}

/// The record of the run that wrote the file at `path` as it is now.
fn record(path: &Path) -> Option<Value> {
    let bytes = path.metadata().ok()?.len();
    let text = is_ours(path, bytes).then(|| std::fs::read_to_string(manifest_path(path)).ok())??;
    serde_json::from_str(&text).ok()
}

/// What the earlier table is, if the one of `own` is another part of a table, or no part, or the earlier one is none.
fn other_part(earlier: &Value, own: &Value) -> Option<String> {
    let shard = |record: &Value| {
        let number = |key: &str| record.pointer(&format!("/shard/{key}")).and_then(Value::as_u64);
        number("index").zip(number("count"))
    };
    match (shard(earlier), shard(own)) {
        (earlier, own) if earlier == own => None,
        (Some((index, count)), _) => Some(format!("shard {index}/{count}")),
        // A run that was killed as it put its table into place may have said no more than how large that is.
        (None, _) => {
            earlier.as_object().is_some_and(|said| said.len() > 1).then(|| "a whole table".to_owned())
        }
    }
}

/// What the earlier table has that a table of `own` will not have: another judge's labels, another question's, other rows or more.
fn differences(earlier: &Value, own: &Value) -> Option<String> {
    let panel = |record: &Value, parts: &[&str]| -> Vec<Value> {
        let members = record.get("panel").and_then(Value::as_array).into_iter().flatten();
        members
            .flat_map(|member| parts.iter().map(|part| member.pointer(part).cloned().unwrap_or_default()))
            .collect()
    };
    if let Some(part) = other_part(earlier, own) {
        return Some(format!("as {part}"));
    }
    let names = panel(earlier, &["/judge/name"]);
    // A table that nobody has labeled.
    if names.is_empty() {
        return None;
    }
    let names: Vec<String> = names.iter().filter_map(|name| Some(format!("`{}`", name.as_str()?))).collect();
    let differs = |parts: &[&str]| panel(earlier, parts) != panel(own, parts);
    if differs(&["/judge/name", "/judge/endpoint", "/judge/model"]) {
        return Some(format!("by {}", names.join(", ")));
    }
    if differs(&["/task", "/template/hash", "/template/rails", "/per"]) {
        let templates = panel(earlier, &["/template/name"]);
        let templates: Vec<&str> = templates.iter().filter_map(Value::as_str).collect();
        return Some(match templates.is_empty() {
            true => "for another task".to_owned(),
            false => format!("with the template {}", templates.join(", ")),
        });
    }
    let (before, now) = (inputs(earlier), inputs(own));
    if before != now
        && let Some(first) = before.first()
    {
        let more = if before.len() > 1 { " and others" } else { "" };
        return Some(format!("from {}{more}", first.display()));
    }
    let selects = |record: &Value| {
        let some = |key: &str| record.get(key).is_some_and(|value| !value.is_null());
        record.get("filters").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
            || some("limit")
            || some("sample")
    };
    (selects(own) && !selects(earlier)).then(|| {
        match earlier.pointer("/output/rows").and_then(Value::as_u64) {
            Some(rows) => format!("whole ({rows} rows), and only selected rows are labeled now"),
            None => "whole, and only selected rows are labeled now".to_owned(),
        }
    })
}

/// The files that a run read; a path that leads to the same file is the same.
fn inputs(record: &Value) -> Vec<PathBuf> {
    let names =
        record.get("inputs").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| Path::new(name).canonicalize().unwrap_or_else(|_| name.into())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(judge: &str, template: &str, limit: Option<u64>, explain: bool) -> Value {
        json!({
            "run": "r", "filters": [], "limit": limit, "sample": null, "output": {"rows": 7},
            "panel": [{"judge": {"name": judge}, "task": "t", "votes": 1, "template": {"name": "w", "hash": template, "explain": explain}}],
        })
    }

    #[test]
    fn a_word_is_said_where_something_is_lost() {
        let earlier = record("a", "1", None, false);
        for (own, expected) in [
            (record("a", "1", None, false), None),
            (record("a", "1", None, true), None),
            (record("b", "1", None, false), Some("by `a`")),
            (record("a", "2", None, false), Some("with the template w")),
            (
                record("a", "1", Some(2), false),
                Some("whole (7 rows), and only selected rows are labeled now"),
            ),
        ] {
            assert_eq!(differences(&earlier, &own).as_deref(), expected, "{own}");
        }
        let of = |inputs: Value| {
            let mut record = record("a", "1", None, false);
            record["inputs"] = inputs;
            record
        };
        let other = differences(&of(json!(["old/a.csv", "old/b.csv"])), &of(json!(["new/a.csv"])));
        assert_eq!(other.as_deref(), Some("from old/a.csv and others"));
        assert_eq!(differences(&of(json!(["./src"])), &of(json!(["src"]))), None);
        // More rows than before lose nothing, and a run that says nothing of itself had nothing to lose.
        assert_eq!(differences(&record("a", "1", Some(2), false), &earlier), None);
        assert_eq!(differences(&json!({"output": {"bytes": 1}}), &earlier), None);
    }

    #[test]
    fn another_shard_is_not_replaced() {
        let of = |index: u64, count: u64| {
            let mut record = record("a", "1", None, false);
            record["shard"] = json!({"index": index, "count": count});
            record
        };
        let whole = record("a", "1", None, false);
        for (earlier, own, expected) in [
            (of(0, 2), of(0, 2), None),
            (of(0, 2), of(1, 2), Some("as shard 0/2")),
            (of(0, 2), of(0, 3), Some("as shard 0/2")),
            (of(0, 2), whole.clone(), Some("as shard 0/2")),
            (whole, of(0, 2), Some("as a whole table")),
            (json!({"version": "1", "merged": [], "output": {}}), of(0, 2), Some("as a whole table")),
            (json!({"output": {}}), of(0, 2), None),
        ] {
            assert_eq!(differences(&earlier, &own).as_deref(), expected, "{own}");
        }
    }

    #[test]
    fn what_another_run_has_put_there_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let put = |run: &str, judge: &str, bytes: &str| {
            std::fs::write(&path, bytes).unwrap();
            let mut record = record(judge, "1", None, false);
            (record["run"], record["output"]["bytes"]) = (json!(run), json!(bytes.len()));
            std::fs::write(manifest_path(&path), record.to_string()).unwrap();
        };
        let own = record("own", "1", None, false);
        let begun = InPlace::found(&path, own.clone());
        assert!(begun.otherwise().is_none() && begun.check().is_ok());
        // The same judge's labels are the same.
        put("r1", "own", "1");
        assert!(begun.check().is_ok());
        put("r2", "another", "12");
        let why = begun.check().unwrap_err().to_string();
        assert!(why.contains("labeled by `another`") && why.contains("-o"), "{why}");
        // What was there in the beginning was told of.
        let begun = InPlace::found(&path, own);
        assert_eq!(begun.otherwise().as_deref(), Some("by `another`"));
        assert!(begun.check().is_ok());
        // Edited since: nobody's labels, and another check's business.
        std::fs::write(&path, "edited").unwrap();
        assert!(begun.otherwise().is_none());
    }
}
