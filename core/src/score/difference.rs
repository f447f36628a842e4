//! Where a call's arguments differ from those expected, one issue per place.

use super::equality::{Equality, Members};
use super::{Issue, IssueKind, setting};
use crate::domain::{Json, Object};

/// An issue about a tool.
pub(super) fn issue(kind: IssueKind, tool: &str, path: Option<&str>, message: String) -> Issue {
    Issue { kind, tool: Some(tool.to_owned()), path: path.map(str::to_owned), message }
}

/// Collects what is wrong with one call's arguments.
pub(super) struct Differences<'a> {
    pub tool: &'a str,
    pub equality: Equality,
    /// Whether parameters that nobody expected are wrong.
    pub extras_count: bool,
    pub issues: &'a mut Vec<Issue>,
}

impl Differences<'_> {
    /// Adds an issue for every place where `given` is not as `expected`; objects are compared key by key, everything else as a
    /// whole. `None` and an empty object are the same.
    pub(super) fn of_arguments(&mut self, expected: Option<&Object>, given: Option<&Object>) {
        let none = Object::new();
        self.of_objects(expected.unwrap_or(&none), given.unwrap_or(&none), &mut String::new());
    }

    fn of_objects(&mut self, expected: &Object, given: &Object, path: &mut String) {
        let members = Members::of(given);
        for (key, wanted) in expected.iter() {
            at_key(path, key, |path| match members.get(key) {
                Some(value) => self.of_values(wanted, value, path),
                None => {
                    let message =
                        format!("`{}` lacks `{path}`, expected {}", self.tool, setting::shown(wanted));
                    self.add(IssueKind::MissingParameter, path, message);
                }
            });
        }
        if !self.extras_count {
            return;
        }
        let members = Members::of(expected);
        for (key, value) in given.iter().filter(|(key, _)| members.get(key).is_none()) {
            at_key(path, key, |path| {
                let message = format!("`{}` has `{path}` of its own: {}", self.tool, setting::shown(value));
                self.add(IssueKind::ExtraParameter, path, message);
            });
        }
    }

    pub(super) fn of_values(&mut self, expected: &Json, given: &Json, path: &mut String) {
        if let (Json::Object(expected), Json::Object(given)) = (expected, given) {
            return self.of_objects(expected, given, path);
        }
        if self.equality.values(expected, given) {
            return;
        }
        let kind = match (expected, given) {
            (Json::Number(_), Json::Number(_)) => IssueKind::WrongValue,
            _ if expected.type_name() == given.type_name() => IssueKind::WrongValue,
            _ => IssueKind::WrongType,
        };
        let (expected, given) = (setting::shown(expected), setting::shown(given));
        let message = format!("`{}` has {given} at `{path}`, expected {expected}", self.tool);
        self.add(kind, path, message);
    }

    fn add(&mut self, kind: IssueKind, path: &str, message: String) {
        self.issues.push(issue(kind, self.tool, Some(path), message));
    }
}

/// Runs `job` with a JSON pointer that is one key longer.
pub(super) fn at_key(path: &mut String, key: &str, job: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push('/');
    for c in key.chars() {
        match c {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            c => path.push(c),
        }
    }
    job(path);
    path.truncate(length);
}
