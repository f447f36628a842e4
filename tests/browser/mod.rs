//! A headless Chromium, where there is one: opens a page from a file and says what became of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::child::Deadline;

pub mod payloads;

/// What the browser made of a page.
pub struct Seen {
    /// The document as it stood at the end, as HTML.
    pub document: String,
    /// What the page wrote to the console, errors and refusals of its policy among it.
    pub console: Vec<String>,
}

/// The browser to use: what `CHROME` names, or the first of the usual names in `PATH`.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROME") {
        return Some(PathBuf::from(named));
    }
    let folders = std::env::var_os("PATH")?;
    ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| {
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
    })
}

/// Opens `html` from a file, at the address's `fragment` ("" for none), and waits until its timers have run.
pub fn open(browser: &Path, html: &str, fragment: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    std::fs::write(&page, html).unwrap();
    let (document, talk) = (folder.path().join("document"), folder.path().join("talk"));
    let run = || {
        Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("file://{}{fragment}", page.display()))
            .stdin(Stdio::null())
            .stdout(File::create(&document).unwrap())
            .stderr(File::create(&talk).unwrap())
            .start()
            .wait()
    };
    let mut ran = run();
    if ran.code().is_none() {
        // The browser itself has crashed, which says nothing of the page; twice is no chance.
        ran = run();
    }
    assert!(ran.success(), "{ran}: {}", String::from_utf8_lossy(&std::fs::read(&talk).unwrap()));
    let talk = String::from_utf8_lossy(&std::fs::read(&talk).unwrap()).into_owned();
    Seen {
        document: String::from_utf8_lossy(&std::fs::read(&document).unwrap()).into_owned(),
        console: talk.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect(),
    }
}
