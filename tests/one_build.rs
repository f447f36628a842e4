//! `cargo run`, `cargo test` and the Python package's tests compile each dependency with the same features, so that they share it;
//! what is shipped has none of the features that only tests need. `tests/workspace-hack` is where they meet.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::child::Deadline;
use crate::support::workspace::repository;

/// Each dependency with the sets of features that it is compiled with: one for the program, perhaps another for build scripts.
type Features = BTreeMap<String, BTreeSet<String>>;

fn features(args: &[&str]) -> Features {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.current_dir(repository("")).args(["tree", "--offline", "--prefix", "none", "--format", "{p}|{f}"]);
    let output = cargo.args(args).finish();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = Features::new();
    for line in String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        // Our own crates are compiled for each purpose anyway.
        if !package.contains(" (/") {
            all.entry(package.to_owned()).or_default().insert(features.to_owned());
        }
    }
    assert!(all.len() > 200, "{} dependencies", all.len());
    all
}

#[test]
fn all_builds_share_their_dependencies() {
    let run = features(&["--edges", "normal,build"]);
    for other in [
        &["--edges", "normal,build,dev"][..],
        &["--package", "tooljudge-py", "--features", "shared-build", "--edges", "normal,build"],
    ] {
        for (package, features) in features(other) {
            let Some(first) = run.get(&package) else { continue };
            assert_eq!(
                first, &features,
                "{package}: without and with {other:?}; tests/workspace-hack mends it"
            );
        }
    }
}

#[test]
fn what_is_shipped_has_no_features_of_tests() {
    for args in
        [&["--package", "tooljudge"][..], &["--package", "tooljudge-core"], &["--package", "tooljudge-py"]]
    {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.current_dir(repository("")).args(["tree", "--offline", "--edges", "normal,build"]).args(args);
        let tree = String::from_utf8(cargo.finish().stdout).unwrap();
        assert!(tree.contains("serde_json"), "{tree}");
        assert!(!tree.contains("tooljudge-workspace-hack"), "{args:?}:\n{tree}");
    }
    let shipped = features(&["--package", "tooljudge", "--edges", "normal,build"]);
    let of = |name: &str| {
        let found = shipped.iter().filter(|(package, _)| package.starts_with(&format!("{name} v")));
        found.flat_map(|(_, features)| features.clone()).collect::<Vec<_>>().join(" ")
    };
    assert!(of("tokio").contains("rt-multi-thread") && !of("tokio").contains("test-util"), "{}", of("tokio"));
    assert!(of("hyper").contains("client") && !of("hyper").contains("server"), "{}", of("hyper"));
}
