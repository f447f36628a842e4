//! `cargo run`, `cargo test` and the Python package's tests compile each dependency with the same features, so that they share it;
//! what is shipped has none of the features that only tests need. `tests/workspace-hack` is where they meet.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::child::Deadline;
use crate::support::workspace::repository;

/// Each dependency with the sets of features that it is compiled with: one for the program, perhaps another for build scripts.
type Features = BTreeMap<String, BTreeSet<String>>;

/// What `cargo tree` prints. Nothing where a dependency of the Python package was never downloaded: plain `cargo test` does not need it.
fn tree(args: &[&str]) -> Option<String> {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.current_dir(repository("")).args(["tree", "--offline"]);
    let output = cargo.args(args).finish();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("--offline") && args.contains(&"tooljudge-py") {
        println!("skipped: the dependencies of the Python package are not here");
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn features(args: &[&str]) -> Option<Features> {
    let tree = tree(&[&["--prefix", "none", "--format", "{p}|{f}"], args].concat())?;
    let mut all = Features::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        // Our own crates are compiled for each purpose anyway.
        if !package.contains(" (/") {
            all.entry(package.to_owned()).or_default().insert(features.to_owned());
        }
    }
    assert!(all.len() > 200, "{} dependencies", all.len());
    Some(all)
}

#[test]
fn all_builds_share_their_dependencies() {
    let run = features(&["--edges", "normal,build"]).unwrap();
    for other in [
        &["--edges", "normal,build,dev"][..],
        &["--package", "tooljudge-py", "--features", "shared-build", "--edges", "normal,build"],
    ] {
        for (package, features) in features(other).into_iter().flatten() {
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
        let Some(tree) = tree(&[&["--edges", "normal,build"], args].concat()) else { continue };
        assert!(tree.contains("serde_json"), "{tree}");
        assert!(!tree.contains("tooljudge-workspace-hack"), "{args:?}:\n{tree}");
    }
    let shipped = features(&["--package", "tooljudge", "--edges", "normal,build"]).unwrap();
    let of = |name: &str| {
        let found = shipped.iter().filter(|(package, _)| package.starts_with(&format!("{name} v")));
        found.flat_map(|(_, features)| features.clone()).collect::<Vec<_>>().join(" ")
    };
    assert!(of("tokio").contains("rt-multi-thread") && !of("tokio").contains("test-util"), "{}", of("tokio"));
    // Pages are served to browsers of the machine; nobody needs more of a server than that.
    assert!(of("hyper").contains("client") && !of("axum").contains("json"), "{} {}", of("hyper"), of("axum"));
}
