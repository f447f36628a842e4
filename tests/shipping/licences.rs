//! `packaging/THIRD_PARTY.txt`: the licences of all that is in the binary and the wheel. `TOOLJUDGE_DOCS=write cargo test --test tests
//! licences` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tooljudge::internal::toml;

use crate::support::child::Deadline;
use crate::support::workspace::repository;

const FILE: &str = "packaging/THIRD_PARTY.txt";

/// What crates compile that others wrote in C, and where its licence is; nothing if it has none or needs none.
const EMBEDDED: &[(&str, Option<&str>)] = &[
    ("libmimalloc-sys", Some("c_src/mimalloc/v3/LICENSE")),
    // SQLite is in the public domain.
    ("libsqlite3-sys", None),
    // Numbers of the kernel's interface.
    ("linux-raw-sys", None),
    ("lz4-sys", Some("liblz4/lib/LICENSE")),
    ("zstd-sys", Some("zstd/LICENSE")),
];

/// Data that is compiled in, and its licence.
const DATA: &[(&str, &str)] = &[
    ("Number words made from Unicode CLDR", "core/languages/LICENSE-UNICODE"),
    ("Tasks of LangChain Benchmarks", "core/langchain/LICENSE"),
];

const HEAD: &str = "\
Other people's software in tooljudge

The binary and the Python package of tooljudge contain the packages below. First come their names, versions and licenses; then the texts of
the licenses, each with the packages that it holds for. Where a package leaves the choice and has the text of the MIT license, that one is
chosen. They also contain Rust's standard library (MIT OR Apache-2.0, https://rust-lang.org).
";

/// A crate that is compiled in.
struct Crate {
    name: String,
    version: String,
    license: String,
    authors: Vec<String>,
    folder: String,
}

/// All crates of others in the binary and the wheel for Linux. Nothing where one was never downloaded: plain `cargo test` does not need those
/// of the Python package.
fn crates() -> Option<Vec<Crate>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repository("")).args(["metadata", "--format-version", "1", "--offline", "--locked"]);
    cargo.args(["--features", "postgres", "--filter-platform", "x86_64-unknown-linux-gnu"]);
    let output = cargo.finish();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("--offline") {
        println!("skipped: some dependencies are not here");
        return None;
    }
    assert!(output.status.success(), "{said}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        list.as_array().unwrap().iter().map(|entry| (text(&entry["id"]), entry.clone())).collect()
    };
    let (packages, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let is_shipped =
        |package: &&Value| ["tooljudge", "tooljudge-py"].contains(&package["name"].as_str().unwrap());
    let mut open: Vec<String> =
        packages.values().filter(is_shipped).map(|package| text(&package["id"])).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let is_macro = packages[&id]["targets"]
            .as_array()
            .unwrap()
            .iter()
            .any(|target| target["kind"][0] == "proc-macro");
        // What runs only while it is compiled is not in what is compiled.
        if is_macro || !seen.insert(id.clone()) {
            continue;
        }
        for dependency in nodes[&id]["deps"].as_array().unwrap() {
            if dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null()) {
                open.push(text(&dependency["pkg"]));
            }
        }
    }
    let others = seen.iter().map(|id| &packages[id]).filter(|package| !package["source"].is_null());
    let mut crates: Vec<Crate> = others
        .map(|package| Crate {
            name: text(&package["name"]),
            version: text(&package["version"]),
            license: text(&package["license"]).replace('/', " OR ").replace("  ", " "),
            authors: package["authors"].as_array().unwrap().iter().map(without_address).collect(),
            folder: text(&package["manifest_path"]).replace("Cargo.toml", ""),
        })
        .collect();
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Some(crates)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn without_address(author: &Value) -> String {
    author.as_str().unwrap().split('<').next().unwrap().trim().to_owned()
}

/// Names of the files in a folder that hold licences.
fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files
        .map(|file| file.file_name().into_string().unwrap())
        .filter(|name| {
            let upper = name.to_uppercase();
            ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
                .iter()
                .any(|word| upper.starts_with(word))
        })
        .collect();
    names.sort();
    names
}

/// The texts that go with a crate.
fn texts(it: &Crate) -> Vec<String> {
    let mut names = files(&it.folder);
    let mit: Vec<String> = names.iter().filter(|name| name.to_uppercase().contains("MIT")).cloned().collect();
    if !mit.is_empty() && !it.license.contains(" AND ") && it.license.split(' ').any(|word| word == "MIT") {
        names = mit;
    }
    let embedded = EMBEDDED.iter().find(|(name, _)| *name == it.name);
    assert!(
        embedded.is_some() || !it.name.ends_with("-sys"),
        "{}: what does it compile, and whose is it?",
        it.name
    );
    names.extend(embedded.and_then(|(_, place)| place.map(str::to_owned)));
    names.iter().map(|name| read(&Path::new(&it.folder).join(name))).collect()
}

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// The file as it should be.
fn third_party(crates: &[Crate]) -> String {
    // By their words: blanks and breaks differ without meaning.
    let mut found: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut note = |text: String, whose: String| {
        let words = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        found.entry(words).or_insert_with(|| (text, Vec::new())).1.push(whose);
    };
    let mut list = String::new();
    for it in crates {
        let Crate { name, version, license, authors, .. } = it;
        let texts = texts(it);
        let without = match texts.is_empty() {
            true if authors.is_empty() => "  (its package holds no text)".to_owned(),
            true => format!("  (its package holds no text; by {})", authors.join(", ")),
            false => String::new(),
        };
        list.push_str(&format!("{name} {version}  {license}{without}\n"));
        texts.into_iter().for_each(|text| note(text, format!("{name} {version}")));
    }
    for (what, file) in DATA {
        note(read(&repository(file)), (*what).to_owned());
    }
    let mut sections: Vec<(String, Vec<String>)> = found.into_values().collect();
    for (_, whose) in &mut sections {
        whose.dedup();
    }
    sections.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let sections: String = sections
        .into_iter()
        .map(|(text, whose)| format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), whose.join(", ")))
        .collect();
    format!("{HEAD}\n{list}{sections}")
}

#[test]
fn the_licences_of_all_that_is_shipped_go_with_it() {
    let Some(crates) = crates() else { return };
    assert!(crates.len() > 200, "{}", crates.len());
    let text = third_party(&crates);
    if std::env::var("TOOLJUDGE_DOCS").is_ok_and(|value| value == "write") {
        std::fs::write(repository(FILE), &text).unwrap();
    }
    let found = std::fs::read_to_string(repository(FILE)).unwrap_or_default();
    let differs = found.lines().zip(text.lines()).find(|(found, text)| found != text);
    assert!(
        found == text,
        "{FILE} is not what the dependencies say ({differs:?}); `TOOLJUDGE_DOCS=write cargo test --test tests licences` writes it"
    );
}

#[test]
fn no_dependency_is_under_a_licence_that_was_not_agreed_to() {
    let Some(crates) = crates() else { return };
    let deny: toml::Table = std::fs::read_to_string(repository("deny.toml")).unwrap().parse().unwrap();
    let allowed: Vec<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for Crate { name, version, license, .. } in &crates {
        let is_agreed = license
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|one| allowed.contains(&one.trim_matches(['(', ')', ' ']))));
        assert!(is_agreed, "{name} {version}: {license}");
    }
}
