//! Arrows between rooms point down only.
//!
//! The compiler keeps the core from naming the edges, and from crates with side effects. It does not see which room of a
//! crate uses which, nor what of the standard library the core uses: these tests do.

mod paths;

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::workspace::repository;
use paths::paths;

/// All rooms, from the bottom up. A room may use itself and whatever is on a lower floor, never its neighbours.
const FLOORS: &[&[&str]] = &[
    &["domain"],
    &["language", "python"],
    &["reading", "schema", "learn"],
    &["normalize", "render", "snap", "check", "score", "environment", "stats", "sampling"],
    &["gold", "bench", "audit", "drive", "train"],
    &["report"],
    // Up to here in `core/src`, from here in `src`.
    &["table"],
    &["read", "write", "judge", "store"],
    &["run"],
    &["frames"],
    &["cli"],
];
/// What only tests are compiled with, and so only tests can use.
const FOR_TESTS: &str = "on_time";
/// Floors of the core.
const CORE: usize = 6;

/// What the core does not use of the standard library: I/O, clock, threads; and async code.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::io",
    "std::env",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "async",
];

#[test]
fn every_room_uses_only_rooms_below_it() {
    let mut wrong = Vec::new();
    for (file, text) in core().iter().chain(&product()) {
        wrong.extend(arrows_up(file, text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (core, product) = (core(), product());
    for (floor, rooms) in FLOORS.iter().enumerate() {
        let sources = if floor < CORE { &core } else { &product };
        for room in *rooms {
            assert!(sources.keys().any(|file| file.starts_with(&format!("{room}/"))), "no room {room}/");
        }
    }
}

#[test]
fn the_core_is_pure() {
    let mut wrong = Vec::new();
    for (file, text) in core() {
        wrong.extend(impurities(&file, &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn polars_stays_in_the_rooms_of_tables() {
    for (file, text) in product() {
        let table_room = ["table/", "read/", "write/", "frames/"].iter().any(|room| file.starts_with(room));
        let speaks = || paths(&file, &text).iter().any(|path| path[0].starts_with("polars"));
        assert!(table_room || !speaks(), "src/{file}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (file, text) in core().into_iter().chain(product()) {
        assert!(text.starts_with("//! "), "{file} does not begin with a sentence about its purpose");
    }
}

#[test]
fn no_file_hides_a_second_noun() {
    let long: Vec<String> = core()
        .into_iter()
        .chain(product())
        .map(|(file, text)| (text.lines().count(), file))
        .filter(|(lines, _)| *lines > 500)
        .map(|(lines, file)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// What the tests above look through must be all of the code, wherever tests stand in it and however paths are written.
#[test]
fn no_arrow_escapes() {
    for (file, text) in [
        ("judge/mod.rs", "#[cfg(test)]\nmod laws;\nuse crate::cli::Printer;"),
        ("judge/mod.rs", "#[cfg(test)]\n#[path = \"x.rs\"]\nmod laws;\nfn f() { crate::cli::main() }"),
        ("judge/mod.rs", "#[cfg(test)]\nmod tests { fn f() {} }\nuse crate::cli;"),
        ("judge/mod.rs", "use super::cli::Printer;"),
        ("judge/remote.rs", "use super::super::cli::Printer;"),
        ("judge/remote.rs", "use super::{provider_format::Answer, super::{run, table}};"),
        ("judge/formats/mod.rs", "use super::super::cli as door;"),
        ("judge/formats/chat.rs", "fn f() { self::super::super::super::cli::main() }"),
        ("judge/remote.rs", "mod inner { use super::super::super::cli::Printer; }"),
        ("judge/remote.rs", "use crate::{domain::{Json, Prompt}, table::Batch, cli};"),
        ("judge/remote.rs", "fn f() { println!(\"{}\", crate::cli::name()) }"),
        ("judge/remote.rs", "struct S<'a>(&'a crate :: cli :: Printer);"),
        ("judge/remote.rs", "use crate::store::Store;"),
        ("judge/remote.rs", "use tooljudge::store::Store;"),
        ("table/batch.rs", "use crate::read::Table;"),
        ("domain/json.rs", "use crate::normalize::Normalizer;"),
        ("gold/row.rs", "use crate::table::Record;"),
        ("gold/row.rs", "use crate::bench::Entrant;"),
        ("reading/dates.rs", "use crate::check::findings;"),
        ("language/files.rs", "use crate::reading::words::fold;"),
        ("schema/validator.rs", "use crate::check::findings;"),
        ("learn/fit.rs", "use crate::stats::auc;"),
    ] {
        assert!(!arrows_up(file, text).is_empty(), "{file}: {text}");
    }
    for (file, text) in [
        ("judge/mod.rs", "//! [`crate::cli`]\n// crate::cli\nconst A: &str = \"crate::cli\";"),
        ("judge/mod.rs", "#[cfg(test)]\nmod tests { use crate::cli::Printer; }\nuse crate::domain::Json;"),
        ("judge/mod.rs", "#[cfg(test)]\nuse crate::cli::{Printer, main};\nuse tooljudge_core::stats::Rate;"),
        ("judge/formats/chat.rs", "use super::super::{provider_format::ProviderFormat, cli};"),
        ("cli/store.rs", "use crate::{store, run::Row, domain::Json};"),
        ("gold/row.rs", "use super::question::Question; use crate::score::Scorer;"),
        ("main.rs", "fn main() { tooljudge::cli::main() }"),
    ] {
        assert_eq!(arrows_up(file, text), Vec::<String>::new(), "{file}: {text}");
    }
    for (text, is_pure) in [
        ("use std::time::{Duration, Instant};", false),
        ("use std::{collections::HashMap, fs};", false),
        ("#[cfg(test)]\nmod tests;\nfn f() { std::thread::yield_now() }", false),
        ("async fn f() {}", false),
        ("use std::time::Duration; /* std::fs */", true),
        ("#[cfg(test)]\nmod tests { use std::fs; }", true),
    ] {
        assert_eq!(impurities("snap/rule.rs", text).is_empty(), is_pure, "{text}");
    }
}

/// What a file uses that is not below its room.
fn arrows_up(file: &str, text: &str) -> Vec<String> {
    let floor = |room: &str| FLOORS.iter().position(|rooms| rooms.contains(&room));
    let Some((room, _)) = file.split_once('/') else { return Vec::new() };
    let Some(own) = floor(room) else { panic!("{room}/ is not a known room: give it a floor in this test") };
    let of_this_house =
        |path: &[String]| ["crate", "tooljudge", "tooljudge_core"].contains(&path[0].as_str());
    paths(file, text)
        .into_iter()
        .filter(|path| path.len() > 1 && of_this_house(path) && path[1] != room && path[1] != FOR_TESTS)
        .filter(|path| floor(&path[1]).is_none_or(|used| used >= own))
        .map(|path| format!("{file} uses {}", path.join("::")))
        .collect()
}

/// What a file uses that is neither a value nor a computation.
fn impurities(file: &str, text: &str) -> Vec<String> {
    let found = paths(file, text).into_iter().map(|path| path.join("::"));
    let impure = found.filter(|path| {
        IMPURE
            .iter()
            .any(|word| path.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
    });
    impure.map(|path| format!("{file} uses {path}")).collect()
}

fn core() -> BTreeMap<String, String> {
    sources("core/src")
}

fn product() -> BTreeMap<String, String> {
    sources("src")
}

/// All source files by their path below `folder`.
fn sources(folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(&repository(folder), "", &mut found);
    assert!(found.len() > 30);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else if name.ends_with(".rs") {
            found.insert(name, std::fs::read_to_string(entry.path()).unwrap());
        }
    }
}
