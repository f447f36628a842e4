//! A folder of its own for each test, and the binary run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use tooljudge::run::settings::{ConvertSettings, LabelSettings, OutputSettings};
use tooljudge::run::{ConvertSummary, LabelSummary, convert_blocking, label_blocking};

use super::child::{Deadline, Running};

/// A temporary folder, gone with the test.
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub fn new() -> Workspace {
        Workspace { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The rows of a CSV in this folder, as maps from column to text.
    pub fn rows(&self, name: &str) -> Vec<std::collections::HashMap<String, String>> {
        csv::Reader::from_path(self.path(name)).unwrap().deserialize().map(Result::unwrap).collect()
    }

    /// One column of a CSV in this folder.
    pub fn column(&self, name: &str, column: &str) -> Vec<String> {
        self.rows(name).into_iter().map(|mut row| row.remove(column).unwrap()).collect()
    }

    /// The binary, to be run here. It sees none of the environment's settings.
    pub fn tooljudge(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tooljudge"));
        command
            .current_dir(self.folder.path())
            .args(args)
            .env_remove("OPENAI_API_KEY")
            .env_remove("OPENAI_BASE_URL")
            .env_remove("COLUMNS")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("GITHUB_STEP_SUMMARY")
            .env("NO_COLOR", "1");
        command
    }

    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.tooljudge(args).finish())
    }

    #[track_caller]
    pub fn start(&self, args: &[&str]) -> Running {
        self.tooljudge(args).stdout(Stdio::piped()).stderr(Stdio::piped()).start()
    }

    /// Labels a file with the built-in judge in this process: for tables of cases, since a program that starts for each of them spends
    /// most of its time on starting.
    #[track_caller]
    pub fn label(&self, input: &str, output: &str, change: impl FnOnce(&mut LabelSettings)) -> LabelSummary {
        let mut settings = LabelSettings::new([self.path(input).display().to_string()]);
        settings.output = self.replacing(output);
        change(&mut settings);
        label_blocking(settings).unwrap_or_else(|error| panic!("{input}: {error}"))
    }

    /// Converts a file in this process.
    #[track_caller]
    pub fn convert(&self, input: &str, output: &str) -> ConvertSummary {
        let mut settings = ConvertSettings::new([self.path(input).display().to_string()]);
        settings.output = self.replacing(output);
        convert_blocking(settings).unwrap_or_else(|error| panic!("{input}: {error}"))
    }

    fn replacing(&self, output: &str) -> OutputSettings {
        OutputSettings { path: Some(self.path(output)), force: true, ..OutputSettings::default() }
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// A finished run of the binary.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// The run, which must have ended with `code`.
    #[track_caller]
    pub fn ended(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// A path of this repository.
pub fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares what people see with what was reviewed; times and rates may differ.
#[track_caller]
pub fn shown(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        filters => [
            (r"in [0-9.:]+ s?, [0-9.]+ rows/s", "in TIME, RATE"),
            (r"(\| milliseconds, [^|]*\|) [0-9]+", "$1 TIME"),
        ],
    }, {
        insta::assert_snapshot!(name, text);
    });
}
