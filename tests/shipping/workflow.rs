//! As much of GitHub's runner as our workflows need: steps in order, their environment, outputs, `if: always()`, our own action.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use yaml_serde::Value;

use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository};

/// A runner: a folder of the job, stand-ins for other programs, and what steps have said so far.
pub struct Runner {
    pub work: Workspace,
    /// What `github.` and `runner.` mean in expressions.
    pub context: BTreeMap<String, String>,
    /// Whether a step has failed.
    pub failed: bool,
    /// All that steps have printed.
    pub log: String,
    /// Actions of others that were used, with what they were given.
    pub used: Vec<(String, Value)>,
    /// The outputs of the last use of our action.
    pub outputs: BTreeMap<String, String>,
}

impl Runner {
    pub fn new() -> Runner {
        let work = Workspace::new();
        for folder in ["job", "stubs", "temp", "files"] {
            std::fs::create_dir(work.path(folder)).unwrap();
        }
        let temp = work.path("temp").display().to_string();
        let context = [
            ("github.server_url", "https://github.test"),
            ("github.action_repository", "OWNER/tooljudge"),
            ("github.action_ref", "v0.1.0"),
            ("github.action_path", "/action"),
            ("github.token", "token"),
            ("runner.os", "Linux"),
            ("runner.arch", "X64"),
            ("runner.temp", &temp),
        ];
        let context = context.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Runner {
            work,
            context,
            failed: false,
            log: String::new(),
            used: Vec::new(),
            outputs: BTreeMap::new(),
        }
    }

    /// Puts a program into the way of the real one. Its script finds the runner's folder in `ROOT`.
    pub fn stub(&self, name: &str, script: &str) {
        let file = self.work.file(&format!("stubs/{name}"), format!("#!/bin/bash\n{script}\n"));
        make_executable(&file);
    }

    /// What a file of the runner's holds; nothing if nothing was written.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.work.path(name)).unwrap_or_default()
    }

    /// Runs steps, one after the other.
    pub fn steps(&mut self, steps: &Value) {
        for step in steps.as_sequence().unwrap() {
            let is_always = match step.get("if").map(|condition| condition.as_str().unwrap()) {
                None => false,
                Some("always()") => true,
                Some(other) => panic!("if: {other}"),
            };
            if self.failed && !is_always {
                continue;
            }
            let went = match (step.get("uses"), step.get("run")) {
                (Some(action), None) => self.uses(action.as_str().unwrap(), step.get("with")),
                (None, Some(script)) => self.run(script.as_str().unwrap(), step),
                _ => panic!("a step has either `uses` or `run`: {step:?}"),
            };
            self.failed |= !went && step.get("continue-on-error").and_then(Value::as_bool) != Some(true);
        }
    }

    fn uses(&mut self, action: &str, with: Option<&Value>) -> bool {
        let (name, version) = action.split_once('@').unwrap();
        let with = with.cloned().unwrap_or_default();
        if name != "OWNER/tooljudge" {
            assert!(name.starts_with("actions/"), "{action}: of whom is that?");
            self.used.push((name.to_owned(), with));
            return true;
        }
        self.context.insert("github.action_ref".to_owned(), version.to_owned());
        let given: Vec<(String, String)> = with
            .as_mapping()
            .into_iter()
            .flatten()
            .map(|(name, value)| (text(name), self.expand(&text(value))))
            .collect();
        let given: Vec<(&str, &str)> =
            given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.action(&given)
    }

    /// Runs our action with these inputs.
    pub fn action(&mut self, inputs: &[(&str, &str)]) -> bool {
        let action = read("action.yml");
        let known = action["inputs"].as_mapping().unwrap();
        for (name, _) in inputs {
            assert!(known.contains_key(*name), "the action has no input `{name}`");
        }
        for (name, input) in known {
            let name = text(name);
            let given = inputs.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
            let is_required = input.get("required").and_then(Value::as_bool) == Some(true);
            assert!(given.is_some() || !is_required, "`{name}` is required");
            let value = given.unwrap_or_else(|| text(&input["default"]));
            self.context.insert(format!("inputs.{name}"), value);
        }
        let outer = std::mem::take(&mut self.failed);
        self.steps(&action["runs"]["steps"]);
        for (name, output) in action["outputs"].as_mapping().unwrap() {
            let value = self.expand(&text(&output["value"]));
            self.outputs.insert(text(name), value);
        }
        !std::mem::replace(&mut self.failed, outer)
    }

    fn run(&mut self, script: &str, step: &Value) -> bool {
        // What a stranger can choose, such as the name of a branch, would be taken for commands.
        assert!(!script.contains("${{"), "a script takes values from its environment only:\n{script}");
        let paths: Vec<String> = self.file("files/path").lines().rev().map(str::to_owned).collect();
        let system = std::env::var("PATH").unwrap();
        let path = [paths, vec![self.work.path("stubs").display().to_string(), system]].concat().join(":");
        self.work.file("files/output", "");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script])
            .current_dir(self.work.path("job"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.work.path(""))
            .env("ROOT", self.work.path(""))
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_REF_NAME", "v0.1.0")
            .env("GITHUB_PATH", self.work.path("files/path"))
            .env("GITHUB_OUTPUT", self.work.path("files/output"))
            .env("GITHUB_STEP_SUMMARY", self.work.path("files/summary"));
        for (name, value) in step.get("env").and_then(Value::as_mapping).into_iter().flatten() {
            bash.env(text(name), self.expand(&text(value)));
        }
        let ran = Ran::from(bash.finish());
        self.log.push_str(&ran.stdout);
        self.log.push_str(&ran.stderr);
        if let Some(id) = step.get("id") {
            for line in self.file("files/output").lines() {
                let (name, value) = line.split_once('=').unwrap();
                self.context.insert(format!("steps.{}.outputs.{name}", text(id)), value.to_owned());
            }
        }
        ran.code == Some(0)
    }

    /// A text with its expressions replaced: names, and `||` between them.
    fn expand(&self, text: &str) -> String {
        let Some((before, rest)) = text.split_once("${{") else { return text.to_owned() };
        let (expression, after) = rest.split_once("}}").unwrap();
        let value = expression
            .split("||")
            .map(|name| self.context.get(name.trim()).cloned().unwrap_or_default())
            .find(|value| !value.is_empty())
            .unwrap_or_default();
        format!("{before}{value}{}", self.expand(after))
    }
}

/// A YAML file of the repository.
pub fn read(file: &str) -> Value {
    yaml_serde::from_str(&std::fs::read_to_string(repository(file)).unwrap()).unwrap()
}

/// A word or a number, as a text.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => panic!("no text: {value:?}"),
    }
}

pub fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}
