//! What is published is whole and no more than that: the two crates as cargo packs them, and what the wheel says of itself.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;
use tooljudge::internal::toml;

use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository};

/// A crate, its folder, and all that its package may hold beside the manifests that cargo adds.
struct Package {
    name: &'static str,
    folder: &'static str,
    holds: &'static [&'static str],
}

const PACKAGES: [Package; 2] = [
    Package {
        name: "tooljudge",
        folder: "",
        holds: &[
            "src/",
            "build.rs",
            "docs/privacy.md",
            "packaging/THIRD_PARTY.txt",
            "README.md",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
        ],
    },
    Package {
        name: "tooljudge-core",
        folder: "core",
        holds: &["src/", "data/", "langchain/", "languages/", "templates/", "LICENSE-MIT", "LICENSE-APACHE"],
    },
];

/// What cargo adds to each package.
const ADDED: [&str; 4] = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig"];

fn cargo(args: &[&str]) -> Ran {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repository("")).args(args).arg("--offline");
    Ran::from(cargo.finish())
}

/// All files of a package, by their paths in it.
fn listed(package: &Package) -> BTreeSet<String> {
    let ran = cargo(&["package", "--list", "--allow-dirty", "--package", package.name]).ended(0);
    ran.stdout.lines().map(|line| line.replace('\\', "/")).collect()
}

/// All files below `path`, through links too.
fn below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries.flat_map(|entry| below(&entry.unwrap().path())).collect()
}

#[test]
fn packages_hold_what_they_are_built_of_and_nothing_else() {
    for package in &PACKAGES {
        let root = repository(package.folder);
        let expected: BTreeSet<String> = package
            .holds
            .iter()
            .flat_map(|held| below(&root.join(held)))
            .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
            // What Python leaves behind where its scripts were run.
            .filter(|path| !path.contains("__pycache__"))
            .chain(ADDED.map(str::to_owned))
            .collect();
        let listed = listed(package);
        let (missing, more): (Vec<_>, Vec<_>) =
            (expected.difference(&listed).collect(), listed.difference(&expected).collect());
        // Outside a repository, there is no commit to tell of.
        let missing: Vec<_> = missing.into_iter().filter(|name| *name != ".cargo_vcs_info.json").collect();
        assert!(missing.is_empty() && more.is_empty(), "{}: lacks {missing:?}, has {more:?}", package.name);
    }
}

#[test]
fn what_the_code_includes_is_in_its_package() {
    let included = Regex::new(r#"include_(?:str|bytes)!\(\s*"([^"]+)"\s*\)"#).unwrap();
    for package in &PACKAGES {
        let (root, listed) = (repository(package.folder), listed(package));
        let mut found = 0;
        for file in listed.iter().filter(|file| file.ends_with(".rs")) {
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            // The tests at the foot of a file are not for users.
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            for name in included.captures_iter(text).map(|found| found[1].to_owned()) {
                let path = flat(&Path::new(file).parent().unwrap().join(&name));
                assert!(listed.contains(&path), "{}: {file} includes {path}", package.name);
                found += 1;
            }
        }
        assert!(found > 5, "{}: {found}", package.name);
    }
}

/// A path without `..`, as far as it stays below its root.
fn flat(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            part => parts.push(part.as_os_str().to_str().unwrap().to_owned()),
        }
    }
    parts.join("/")
}

#[test]
fn packages_are_packed_and_small() {
    let work = Workspace::new();
    let target = work.path("target").display().to_string();
    let ran = cargo(&[
        "package",
        "--no-verify",
        "--allow-dirty",
        "--target-dir",
        &target,
        "--package",
        "tooljudge-core",
        "--package",
        "tooljudge",
    ])
    .ended(0);
    for package in &PACKAGES {
        let version = env!("CARGO_PKG_VERSION");
        let archive = work.path(&format!("target/package/{}-{version}.crate", package.name));
        let bytes =
            std::fs::metadata(&archive).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr)).len();
        // A registry takes 10 MB.
        assert!(bytes < 4_000_000, "{}: {bytes} bytes", package.name);
        println!("{}: {bytes} bytes", package.name);
    }
}

fn read(file: &str) -> toml::Table {
    std::fs::read_to_string(repository(file)).unwrap().parse().unwrap()
}

#[test]
fn packages_say_what_they_are_and_name_no_address_that_is_not_there() {
    let workspace = &read("Cargo.toml")["workspace"]["package"];
    assert_eq!(workspace["authors"].as_array().unwrap()[0].as_str(), Some("The tooljudge developers"));
    for file in ["Cargo.toml", "core/Cargo.toml"] {
        let package = &read(file)["package"];
        let length = |key: &str| package[key].as_array().unwrap().len();
        assert!((1..=5).contains(&length("keywords")) && (1..=5).contains(&length("categories")), "{file}");
        assert!(package["description"].as_str().unwrap().len() > 20, "{file}");
        for key in ["version", "license", "authors", "rust-version"] {
            assert_eq!(package[key]["workspace"].as_bool(), Some(true), "{file}: {key}");
        }
        for key in ["repository", "homepage", "documentation"] {
            assert!(package.get(key).is_none(), "{file}: {key}");
        }
    }
    let project = &read("python/pyproject.toml")["project"];
    assert_eq!(project["authors"][0]["name"].as_str(), Some("The tooljudge developers"));
    assert_eq!(project["license"].as_str(), workspace["license"].as_str());
    assert!(project["keywords"].as_array().unwrap().len() >= 5);
    assert!(project.get("urls").is_none());
    let classifiers: Vec<&str> =
        project["classifiers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    // With a licence expression, a classifier of a licence is an error.
    assert!(!classifiers.iter().any(|name| name.starts_with("License ::")), "{classifiers:?}");
    let least = project["requires-python"].as_str().unwrap().trim_start_matches(">=");
    assert!(classifiers.contains(&&*format!("Programming Language :: Python :: {least}")), "{classifiers:?}");
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD_PARTY.txt"] {
        assert!(repository("python").join(name).is_file(), "{name}");
    }
}
