//! A headless Chromium, where there is one: opens a page from a file and says what became of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::child::Deadline;
use crate::support::skipped;

pub mod payloads;

/// How long a browser may take to end when it has written the document.
const TO_END: Duration = Duration::from_secs(10);

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

/// The same. Where there is none, says what is missing, unless there must be one.
pub fn available() -> Option<PathBuf> {
    let found = find();
    if found.is_none() {
        let missing = "no chromium, chromium-browser or google-chrome in PATH, and CHROME is not set";
        // Continuous integration says what must not be skipped.
        assert!(std::env::var_os("TOOLJUDGE_BROWSER").is_none(), "TOOLJUDGE_BROWSER is set, but {missing}");
        skipped(missing);
    }
    found
}

/// What a probe on the page has written down.
pub fn probe(seen: &Seen) -> Value {
    let Some((_, rest)) = seen.document.split_once(r#"<pre id="probe">"#) else {
        panic!("the probe did not come to its end: {:?}", seen.console);
    };
    serde_json::from_str(&rest.split_once("</pre>").unwrap().0.replace("&nbsp;", "\u{a0}")).unwrap()
}

/// An attribute of the document's body.
pub fn attribute<'a>(seen: &'a Seen, name: &str) -> Option<&'a str> {
    let (_, rest) = seen.document.split_once("<body").unwrap();
    let (tag, _) = rest.split_once('>').unwrap();
    let (_, value) = tag.split_once(&format!("{name}=\""))?;
    value.split('"').next()
}

/// Opens `html` from a file, at the address's `fragment` ("" for none), and waits until its timers have run.
pub fn open(browser: &Path, html: &str, fragment: &str) -> Seen {
    open_in(browser, html, fragment, "1280,900")
}

/// The same in a window of so many pixels, as `1280,900`.
pub fn open_in(browser: &Path, html: &str, fragment: &str, size: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    std::fs::write(&page, html).unwrap();
    open_address(browser, &format!("file://{}{fragment}", page.display()), size)
}

/// Opens an address.
pub fn open_address(browser: &Path, address: &str, size: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let (document, talk) = (folder.path().join("document"), folder.path().join("talk"));
    let run = || {
        let running = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"])
            .arg(format!("--window-size={size}"))
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(address)
            .stdin(Stdio::null())
            .stdout(File::create(&document).unwrap())
            .stderr(File::create(&talk).unwrap())
            .start();
        // Now and then a browser that has written everything does not end.
        let is_whole = || std::fs::read(&document).unwrap().trim_ascii_end().ends_with(b"</html>");
        let mut since = None;
        while running.ended().is_none() {
            if is_whole() && since.get_or_insert_with(Instant::now).elapsed() > TO_END {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        running.wait().success()
    };
    // A browser that has crashed says nothing of the page; twice is no chance.
    let ran = run() || run();
    assert!(ran, "{}", String::from_utf8_lossy(&std::fs::read(&talk).unwrap()));
    let talk = String::from_utf8_lossy(&std::fs::read(&talk).unwrap()).into_owned();
    Seen {
        document: String::from_utf8_lossy(&std::fs::read(&document).unwrap()).into_owned(),
        console: talk.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect(),
    }
}

#[test]
fn where_a_browser_must_be_none_is_a_failure() {
    const LOOKS: &str = "TOOLJUDGE_TEST_LOOKS";
    let name = "browser::where_a_browser_must_be_none_is_a_failure";
    if std::env::var_os(LOOKS).is_some() {
        assert!(available().is_none());
        return;
    }
    for (required, code) in [(false, 0), (true, 101)] {
        let mut itself = Command::new(std::env::current_exe().unwrap());
        itself.args(["--exact", name]).env(LOOKS, "1").env("PATH", "").env_remove("CHROME");
        match required {
            true => itself.env("TOOLJUDGE_BROWSER", "required"),
            false => itself.env_remove("TOOLJUDGE_BROWSER"),
        };
        let ended = itself.finish();
        let said = [ended.stdout, ended.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(ended.status.code(), Some(code), "{said}");
        let told =
            if required { "TOOLJUDGE_BROWSER is set, but no chromium" } else { "skipped: no chromium" };
        assert!(said.contains(told), "{said}");
    }
    // What runs before a change lands requires one where there is one, and says what became of these tests.
    let ci = std::fs::read_to_string(crate::support::workspace::repository(".ci/run")).unwrap();
    for part in ["TOOLJUDGE_BROWSER=required", "browser tests: skipped, no Chromium", "browser tests: ran"] {
        assert!(ci.contains(part), "{part}");
    }
}
