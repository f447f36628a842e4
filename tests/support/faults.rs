//! A disk that fails and a clock that jumps: `faults.c`, put before the binary. Linux only, and only where there is a C compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::child::Deadline;
use super::workspace::repository;

fn has_compiler() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("cc").is_file())
}

/// The library, or why there is none.
static LIBRARY: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    if !cfg!(target_os = "linux") {
        return Err("only Linux has LD_PRELOAD as we use it".to_owned());
    }
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}.so", std::process::id()));
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&library);
    cc.arg(repository("tests/support/faults.c")).arg("-ldl");
    if !has_compiler() {
        return Err("no C compiler".to_owned());
    }
    let made = cc.finish();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Ok(library)
});

/// Whether processes can be given faults; says so where they cannot.
pub fn available() -> bool {
    match &*LIBRARY {
        Ok(_) => true,
        Err(why) => {
            println!("skipped: {why}");
            false
        }
    }
}

/// What happens to the operation on a file that has a number, counted from 1.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    pub at: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No space left, from there on.
    Full,
    /// No space left, once.
    FullOnce,
    /// An error of the device, once.
    Broken,
}

impl Fault {
    /// Has `command` meet this fault.
    pub fn put(self, command: &mut Command) {
        const NO_SPACE: usize = 28;
        const DEVICE: usize = 5;
        let error = if self.kind == Kind::Broken { DEVICE } else { NO_SPACE };
        let all = usize::from(self.kind == Kind::Full);
        for (name, value) in [("FAULT_AT", self.at), ("FAULT_ALL", all), ("FAULT_ERRNO", error)] {
            command.env(name, value.to_string());
        }
        command.env("LD_PRELOAD", LIBRARY.as_ref().unwrap());
    }
}

/// Has `command` note in `file` what it does to files: number, operation, path, `failed`.
pub fn note(command: &mut Command, file: &Path) {
    command.env("FAULT_LOG", file).env("LD_PRELOAD", LIBRARY.as_ref().unwrap());
}

/// Has `command` go by the clock that `file` says is wrong by so many nanoseconds, in eight bytes.
pub fn skew(command: &mut Command, file: &Path) {
    command.env("FAULT_CLOCK", file).env("LD_PRELOAD", LIBRARY.as_ref().unwrap());
}
