//! The workflow of a release, played through with stand-ins, and the small scripts that it runs.

use std::process::Command;

use super::workflow::{Runner, make_executable, read, text};
use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository};

/// Scripts of ours that it runs.
const SCRIPTS: [&str; 4] = [".ci/run", "packaging/version", "packaging/build", "packaging/notes"];

fn play(broken: &str) -> (Vec<String>, Runner) {
    let workflow = read(".github/workflows/release.yml");
    let mut runner = Runner::new();
    for folder in ["job/.ci", "job/packaging"] {
        std::fs::create_dir_all(runner.work.path(folder)).unwrap();
    }
    for script in SCRIPTS {
        assert!(repository(script).exists(), "{script}");
        let code = i32::from(script == broken);
        let file = runner.work.file(
            &format!("job/{script}"),
            format!("#!/bin/bash\necho {script} $* >> \"$ROOT/log\"\nexit {code}\n"),
        );
        make_executable(&file);
    }
    runner.stub("rustup", "echo no such target; exit 1");
    runner.stub("gh", r#"echo "gh $*" >> "$ROOT/log"; cat notes.md > /dev/null"#);
    runner.work.file("job/dist", "");
    let jobs = workflow["jobs"].as_mapping().unwrap();
    // Each needs the one before it.
    let mut before = None;
    for (name, job) in jobs {
        assert_eq!(job.get("needs").map(text), before);
        before = Some(text(name));
        runner.steps(&job["steps"]);
    }
    (runner.file("log").lines().map(str::to_owned).collect(), runner)
}

#[test]
fn a_tag_becomes_a_draft() {
    let (log, runner) = play("");
    assert!(!runner.failed, "{}", runner.log);
    assert_eq!(
        log,
        [
            ".ci/run",
            "packaging/version v0.1.0",
            "packaging/build",
            "packaging/notes v0.1.0",
            "gh release create v0.1.0 dist/* --draft --verify-tag --title v0.1.0 --notes-file notes.md",
        ]
    );
}

#[test]
fn nothing_is_released_if_a_step_fails() {
    for script in SCRIPTS {
        let (log, runner) = play(script);
        assert!(runner.failed, "{script}");
        assert!(!log.iter().any(|line| line.starts_with("gh")), "{script}: {log:?}");
        assert!(log.last().unwrap().starts_with(script), "{script}: {log:?}");
    }
}

/// A repository with this changelog, and one script run in it.
fn script(name: &str, changelog: &str, tag: &str) -> Ran {
    let work = Workspace::new();
    for folder in ["packaging", "python"] {
        std::fs::create_dir(work.path(folder)).unwrap();
    }
    for file in ["Cargo.toml", "Cargo.lock", "python/Cargo.toml", "packaging/version", "packaging/notes"] {
        std::fs::copy(repository(file), work.path(file)).unwrap();
    }
    work.file("CHANGELOG.md", changelog);
    Ran::from(Command::new(work.path(&format!("packaging/{name}"))).arg(tag).finish())
}

#[test]
fn a_tag_must_be_the_version_of_all() {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = format!("# Changelog\n\n## {version}\n\n- News.\n");
    script("version", &changelog, &format!("v{version}")).ended(0);
    for (changelog, tag, why) in [
        (&*changelog, "v9.9.9", "the tag is v9.9.9"),
        (&changelog, version, "the tag is"),
        ("## Unreleased\n", &*format!("v{version}"), "CHANGELOG.md has no"),
    ] {
        let ran = script("version", changelog, tag).ended(1);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn notes_are_what_the_changelog_says_of_the_version() {
    let changelog = "# Changelog\n\n## 1.10.0\n\n- C.\n\n## 1.1.0\n\nB:\n\n- B.\n\n## 1.0.0\n\n- A.\n";
    let said = |tag: &str| script("notes", changelog, tag);
    assert_eq!(said("v1.1.0").ended(0).stdout.split_whitespace().collect::<Vec<_>>(), ["B:", "-", "B."]);
    let ran = said("v1.1").ended(1);
    assert!(ran.stderr.contains("CHANGELOG.md says nothing of v1.1"), "{}", ran.stderr);
}

/// `packaging/build`, with stand-ins for what compiles; what they make needs this glibc.
fn build(runner: &Runner, glibc: &str) -> Ran {
    let binary = assert_cmd::cargo::cargo_bin!("tooljudge").display().to_string();
    runner.stub(
        "python3",
        r#"mkdir -p "$3/bin" && printf '#!/bin/sh\n' > "$3/bin/pip" && chmod +x "$3/bin/pip""#,
    );
    runner.stub(
        "cargo-zigbuild",
        &format!(
            r#"[ "${{@: -1}}" = x86_64-unknown-linux-gnu.2.17 ] || exit 1
folder=$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release
mkdir -p "$folder" && printf '#!/bin/sh\nexec "{binary}" "$@"\n' > "$folder/tooljudge" && chmod +x "$folder/tooljudge""#
        ),
    );
    runner.stub("readelf", &format!("echo 'Name: GLIBC_2.9  Name: GLIBC_{glibc}  Name: GLIBC_2.2.5'"));
    let wheel = format!("tooljudge-{}-cp311-abi3-manylinux_2_17_x86_64.whl", env!("CARGO_PKG_VERSION"));
    runner.stub("maturin", &format!("echo wheel > \"${{@: -1}}/{wheel}\""));
    runner.stub("auditwheel", "cat \"$2\"");
    let path = format!("{}:{}", runner.work.path("stubs").display(), std::env::var("PATH").unwrap());
    let mut build = Command::new(repository("packaging/build"));
    build.env("PATH", path).env("CARGO_TARGET_DIR", runner.work.path("built"));
    Ran::from(build.env("DIST", runner.work.path("dist")).finish())
}

#[test]
fn a_build_makes_what_the_action_fetches() {
    let runner = Runner::new();
    build(&runner, "2.17").ended(0);
    let dist = runner.work.path("dist");
    let name = format!("tooljudge-v{}-x86_64-unknown-linux-gnu", env!("CARGO_PKG_VERSION"));
    let said = |script: &str| {
        let ran = Ran::from(Command::new("bash").args(["-c", script]).current_dir(&dist).finish());
        ran.ended(0).stdout
    };
    let files = said(&format!("tar -tzf {name}.tar.gz"));
    for file in [
        "tooljudge",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "THIRD_PARTY.txt",
        "man/tooljudge-label.1",
        "tooljudge.bash",
        "tooljudge.zsh",
        "tooljudge.fish",
    ] {
        assert!(files.lines().any(|line| line == format!("{name}/{file}")), "{file}: {files}");
    }
    assert_eq!(said("sha256sum --check *.sha256").matches(": OK").count(), 2);
    let first = said("cat *.sha256");
    build(&runner, "2.17").ended(0);
    assert_eq!(said("cat *.sha256"), first, "the same binary gives the same archive");
}

#[test]
fn what_needs_a_newer_system_is_not_shipped() {
    let runner = Runner::new();
    let ran = build(&runner, "2.34").ended(1);
    assert!(ran.stderr.contains("needs glibc 2.34, newer than 2.17"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(runner.work.path("dist")).unwrap().count(), 0);
}
