//! Arrows between rooms point down only.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::workspace::repository;

/// All rooms, from the bottom up. A room may use itself and whatever is on a lower floor, never its neighbours.
const FLOORS: &[&[&str]] = &[
    &["domain"],
    &["normalize", "render", "snap", "check", "score", "stats", "table"],
    &["read", "write", "judge", "store", "gold", "bench", "audit"],
    &["report"],
    &["run"],
    &["frames"],
    &["cli"],
];

/// Rooms without I/O, clock, randomness or async, and what would bring one in.
const PURE: &[&str] =
    &["domain", "normalize", "render", "snap", "check", "score", "stats", "gold", "bench", "audit", "report"];
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::io",
    "std::env",
    "std::process",
    "Instant",
    "SystemTime",
    "tokio",
    "reqwest",
    "rusqlite",
    "polars",
    "fastrand",
    "async fn",
    "std::thread",
];

#[test]
fn every_room_uses_only_rooms_below_it() {
    let floor = |room: &str| FLOORS.iter().position(|rooms| rooms.contains(&room));
    let mut wrong = Vec::new();
    let sources = sources();
    for (file, text) in &sources {
        let Some((room, _)) = file.split_once('/') else { continue };
        let Some(own) = floor(room) else {
            panic!("src/{room}/ is no known room: give it a floor in this test");
        };
        for used in uses(text) {
            if used != room && floor(&used).is_none_or(|used| used >= own) {
                wrong.push(format!("src/{file} uses {used}"));
            }
        }
        if PURE.contains(&room) {
            let code = code_lines(text);
            wrong.extend(
                IMPURE
                    .iter()
                    .filter(|word| code.iter().any(|line| line.contains(*word)))
                    .map(|word| format!("src/{file} mentions {word}, but {room} is pure")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for room in FLOORS.concat() {
        assert!(sources.keys().any(|file| file.starts_with(&format!("{room}/"))), "no room src/{room}/");
    }
}

#[test]
fn polars_stays_in_the_rooms_of_tables() {
    for (file, text) in sources() {
        let table_room = ["table/", "read/", "write/", "frames/"].iter().any(|room| file.starts_with(room));
        assert!(table_room || !code_lines(&text).iter().any(|line| line.contains("polars")), "src/{file}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (file, text) in sources() {
        assert!(text.starts_with("//! "), "src/{file} does not begin with a sentence about its purpose");
    }
}

#[test]
fn no_file_hides_a_second_noun() {
    let long: Vec<String> = sources()
        .into_iter()
        .map(|(file, text)| (text.lines().count(), file))
        .filter(|(lines, _)| *lines > 500)
        .map(|(lines, file)| format!("src/{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// All source files by their path below `src`.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(&repository("src"), "", &mut found);
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

/// The rooms that a file names after `crate::`, grouped imports included.
fn uses(text: &str) -> Vec<String> {
    let code = code_lines(text).join("\n");
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let room = name.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
            if !room.is_empty() {
                rooms.push(room.to_owned());
            }
        }
    }
    rooms
}

/// Lines outside of comments and of the tests at a file's foot.
fn code_lines(text: &str) -> Vec<&str> {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect()
}
