//! Who is measured: how it is installed, started, and told what to do.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::limited_server::LimitedServer;
use crate::support::child::{self, Took};

/// One way to ask a model about every row.
pub struct Peer {
    pub name: &'static str,
    pub how: How,
    /// As many as take it some ten seconds where the server answers at once.
    pub rows: usize,
}

pub enum How {
    /// The binary, with flags of its own.
    Tooljudge(&'static [&'static str]),
    /// A script beside this file, in an environment that holds these packages.
    Python { environment: &'static str, packages: &'static [&'static str], script: &'static str },
}

const CLIENTS: &[&str] = &["openai", "aiohttp", "litellm"];

/// Ours comes first: the others are measured by it.
pub const PEERS: &[Peer] = &[
    Peer { name: "tooljudge", how: How::Tooljudge(&[]), rows: 60_000 },
    Peer { name: "aiohttp, a bare loop", how: python("clients", CLIENTS, "aiohttp_loop.py"), rows: 30_000 },
    Peer {
        name: "openai, asyncio and a semaphore",
        how: python("clients", CLIENTS, "openai_semaphore.py"),
        rows: 5_000,
    },
    Peer {
        name: "litellm, batch_completion",
        how: python("clients", CLIENTS, "litellm_batch.py"),
        rows: 2_000,
    },
    Peer {
        name: "Phoenix evals 2.13, llm_classify",
        how: python(
            "phoenix2",
            &["arize-phoenix-evals==2.13.*", "openai<3", "pandas"],
            "phoenix_classify.py",
        ),
        rows: 1_500,
    },
    Peer {
        name: "Phoenix evals, the newest",
        how: python("phoenix3", &["arize-phoenix-evals", "openai", "pandas"], "phoenix_evaluate.py"),
        rows: 1_500,
    },
];

/// Ours, where there is a limit to be told.
pub const TOLD: Peer =
    Peer { name: "tooljudge, told the limit", how: How::Tooljudge(&["--rpm", "6000"]), rows: 60_000 };

const fn python(environment: &'static str, packages: &'static [&'static str], script: &'static str) -> How {
    How::Python { environment, packages, script }
}

/// What a peer that paces itself is told of the endpoint. Phoenix begins with 5 or 10 requests a second and takes minutes to
/// find out that there is no limit.
#[derive(Debug, Clone, Copy)]
pub enum Throttle {
    /// Nothing: its own default.
    Default,
    /// That there is no limit.
    Off,
}

impl Throttle {
    /// The requests per second to begin with; 0 for the peer's own default.
    fn requests_per_second(self) -> &'static str {
        match self {
            Throttle::Default => "0",
            Throttle::Off => "100000",
        }
    }
}

/// What a run took, and came to.
pub struct Ran {
    pub took: Took,
    /// Rows that have a label.
    pub labelled: usize,
}

impl Peer {
    /// Whether it can be run; what can be installed is.
    pub fn install(&self) -> bool {
        let How::Python { environment, packages, .. } = &self.how else { return true };
        let folder = environments().join(environment);
        let done = folder.join("installed");
        let wanted = packages.join("\n");
        if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
            return true;
        }
        let run = |command: &mut Command| command.status().is_ok_and(|status| status.success());
        let installed = run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && run(Command::new(folder.join("bin/pip")).args(["install", "--quiet"]).args(*packages));
        if installed {
            std::fs::write(done, wanted).unwrap();
        } else {
            println!("{} is left out: {} cannot be installed", self.name, packages.join(" "));
        }
        installed
    }

    /// Asks about a table of `rows` rows.
    pub fn run(
        &self,
        folder: &Path,
        server: &LimitedServer,
        rows: usize,
        in_flight: usize,
        throttle: Throttle,
    ) -> Ran {
        crate::write_table(&folder.join("rows.csv"), rows);
        let in_flight = in_flight.to_string();
        let mut command = match &self.how {
            How::Tooljudge(flags) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_tooljudge"));
                command
                    .args(["label", "rows.csv", "--quiet", "--judge", "openai:m"])
                    .args(["--base-url", &server.url, "--concurrency", &in_flight])
                    .args(["-o", "labels.csv", "--store", "replies.sqlite"])
                    .args(*flags);
                command
            }
            How::Python { environment, script, .. } => {
                let mut command = Command::new(environments().join(environment).join("bin/python"));
                command
                    .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers").join(script))
                    .args([&server.url, &in_flight])
                    .arg(throttle.requests_per_second());
                command
            }
        };
        for left in ["labels.csv", "labels.csv.run.json", "replies.sqlite"] {
            let _ = std::fs::remove_file(folder.join(left));
        }
        let log = std::fs::File::create(folder.join("log.txt")).unwrap();
        command.current_dir(folder).env("OPENAI_API_KEY", "none").stdin(Stdio::null());
        let took = child::run_until(command.stdout(log.try_clone().unwrap()).stderr(log), || false);
        if !took.status.success() {
            let log = std::fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
            println!("{} ended with {}: {}", self.name, took.status, log.lines().last().unwrap_or(""));
        }
        Ran { took, labelled: labelled(&folder.join("labels.csv")) }
    }
}

/// Kept from run to run, since installing takes minutes.
fn environments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers")
}

/// Rows whose label is the one that the server gives.
fn labelled(path: &Path) -> usize {
    let Ok(mut table) = csv::Reader::from_path(path) else { return 0 };
    let Some(label) = table.headers().unwrap().iter().position(|name| name == "label") else { return 0 };
    table.records().filter(|row| row.as_ref().is_ok_and(|row| &row[label] == "correct")).count()
}
