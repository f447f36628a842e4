//! Stores cut off, with bits flipped, with pages mixed up: what is intact is used or the run refuses; no label is wrong.

use std::path::Path;

use super::cases;
use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace};
use tooljudge_laws::mutations::Dice;

const ROWS: usize = 90;
const STORE: &str = "s.sqlite";
const PAGE: usize = 4096;

fn honest() -> Server {
    Server::start(|seen| Answer::label(gold(row_of(seen))))
}

fn label(work: &Workspace, server: &Server) -> Ran {
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--store", STORE];
    work.run(&args)
}

/// A workspace with a store of all replies, and the server that gave them. With `log`, the last of them are in the log
/// beside the store, as a killed run leaves it.
fn stored(log: bool) -> (Workspace, Server) {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(ROWS));
    if log {
        // Whoever looks on keeps the log from being folded into the store.
        work.file("few.csv", numbered(ROWS / 2));
        let args = ["label", "few.csv", "--judge", "openai:m", "--base-url", &server.url, "--store", STORE];
        work.run(&args).ended(0);
        let onlooker = rusqlite::Connection::open(work.path(STORE)).unwrap();
        onlooker.query_row("SELECT count(*) FROM replies", [], |row| row.get::<_, i64>(0)).unwrap();
        label(&work, &server).ended(0);
        for ending in ["", "-wal", "-shm"] {
            std::fs::copy(work.path(&format!("{STORE}{ending}")), work.path(&format!("kept{ending}")))
                .unwrap();
        }
        drop(onlooker);
        for ending in ["", "-wal", "-shm"] {
            std::fs::rename(work.path(&format!("kept{ending}")), work.path(&format!("{STORE}{ending}")))
                .unwrap();
        }
    } else {
        label(&work, &server).ended(0);
    }
    (work, server)
}

/// Damages a file somehow, and says how.
fn damage(file: &Path, dice: &mut Dice) -> String {
    let mut bytes = std::fs::read(file).unwrap();
    let (pages, size) = (bytes.len() / PAGE, bytes.len());
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let how = match dice.roll(8) {
        0 => {
            let end = dice.roll(pages + 1) * PAGE;
            bytes.truncate(end);
            format!("cut at page {}", end / PAGE)
        }
        1 => {
            let end = dice.roll(size);
            bytes.truncate(end);
            format!("cut at byte {end}")
        }
        2 => {
            let page = dice.roll(pages.max(1)) * PAGE;
            let end = (page + PAGE).min(size);
            bytes[page..end].fill(0);
            format!("page {} of zeros", page / PAGE)
        }
        3 => {
            let (a, b) = (dice.roll(pages.max(1)) * PAGE, dice.roll(pages.max(1)) * PAGE);
            let copy = bytes[a..(a + PAGE).min(size)].to_vec();
            let end = (b + copy.len()).min(size);
            bytes[b..end].copy_from_slice(&copy[..end - b]);
            format!("page {} in the place of page {}", a / PAGE, b / PAGE)
        }
        flips => {
            let flips = [1, 1, 8, 200][flips - 4];
            for _ in 0..flips {
                let at = dice.roll(size);
                bytes[at] ^= 1 << dice.roll(8);
            }
            format!("{flips} bits flipped")
        }
    };
    std::fs::write(file, bytes).unwrap();
    format!("{name} ({size} bytes): {how}")
}

#[test]
fn a_damaged_store_gives_no_wrong_label() {
    let (closed, killed) = (stored(false), stored(true));
    let (mut asked_again, mut refused, mut harmless, mut unfound) = (0, 0, 0, 0);
    let mut messages = std::collections::BTreeMap::<String, usize>::new();
    let count = cases(16);
    for case in 0..count {
        let mut dice = Dice::new(0xdead + case as u64);
        let (from, file) = match case % 4 {
            0 | 1 => (&closed, STORE.to_owned()),
            2 => (&killed, format!("{STORE}-wal")),
            _ => (&killed, [STORE.to_owned(), format!("{STORE}-shm")][case / 4 % 2].clone()),
        };
        let work = Workspace::new();
        for name in ["in.csv", STORE, &format!("{STORE}-wal"), &format!("{STORE}-shm")] {
            if from.0.path(name).exists() {
                std::fs::copy(from.0.path(name), work.path(name)).unwrap();
            }
        }
        let how = format!("case {case}, {}", damage(&work.path(&file), &mut dice));
        let before = from.1.requests();
        let ran = label(&work, &from.1);
        assert!(!ran.stderr.contains("panicked"), "{how}\n{}", ran.stderr);
        let stat = work.run(&["store", "stat", "--store", STORE]);
        match ran.code {
            Some(0) => {
                // The judge's own labels, every one.
                let labels = work.column("in.labeled.csv", "label");
                assert!(labels == work.column("in.labeled.csv", "gold"), "{how}: a wrong label");
                match from.1.requests() - before {
                    0 => harmless += 1,
                    _ => asked_again += 1,
                }
            }
            Some(1) => {
                lost_and_told(&work, &stat, &how);
                unfound += 1;
            }
            Some(2) => {
                assert!(ran.stderr.contains(STORE), "{how}\n{}", ran.stderr);
                assert!(!work.path("in.labeled.csv").exists(), "{how}");
                refused += 1;
                *messages.entry(ran.stderr).or_default() += 1;
            }
            code => panic!("{how}: {code:?}\n{}", ran.stderr),
        }
        // Looking it over neither panics nor hangs.
        let stat = work.run(&["store", "stat", "--store", STORE]);
        assert!(
            matches!(stat.code, Some(0 | 2)) && !stat.stderr.contains("panicked"),
            "{how}\n{}",
            stat.stderr
        );
    }
    println!(
        "{count} damaged stores: {refused} refused, {asked_again} asked again in part, {unfound} with replies not found, {harmless} harmless"
    );
    for (message, times) in messages {
        println!("{times:>5}  {}", message.trim());
    }
}

/// A damaged index may lose what was put into it: the rows are without a label then, and the store's order is found broken.
fn lost_and_told(work: &Workspace, stat: &Ran, how: &str) {
    for row in work.rows("in.labeled.csv") {
        let is_right = row["label"] == row["gold"] || row["label"].is_empty() && row["status"] == "not_asked";
        assert!(is_right, "{how}: {row:?}");
    }
    assert!(
        stat.code == Some(2) && stat.stderr.contains("is damaged"),
        "{how}: {}{}",
        stat.stdout,
        stat.stderr
    );
}

/// Everything in a row is under its checksum, the question that it answers too.
#[test]
fn rows_that_tell_lies_are_asked_again() {
    let (work, server) = stored(false);
    let swap = |column: &str| {
        // Each takes the value of the row after it, by way of one that no row has.
        format!(
            "CREATE TEMP TABLE old AS SELECT id, {column} AS value FROM replies WHERE id <= 4; \
             UPDATE replies SET {column} = randomblob(16) WHERE id <= 4 AND '{column}' = 'fingerprint'; \
             UPDATE replies SET {column} = (SELECT value FROM old WHERE old.id = replies.id % 4 + 1) WHERE id <= 4; \
             DROP TABLE old;"
        )
    };
    for (lie, rows) in [
        (swap("fingerprint"), 4),
        (swap("text"), 4),
        (swap("checksum"), 4),
        ("UPDATE replies SET run = 'other' WHERE id % 9 = 0;".to_owned(), 10),
        ("UPDATE replies SET cost_usd = 7.0 WHERE id = (SELECT max(id) FROM replies);".to_owned(), 1),
        ("UPDATE replies SET stop = 'refused' WHERE id = (SELECT max(id) FROM replies);".to_owned(), 1),
    ] {
        let copy = Workspace::new();
        for name in ["in.csv", STORE] {
            std::fs::copy(work.path(name), copy.path(name)).unwrap();
        }
        let store = rusqlite::Connection::open(copy.path(STORE)).unwrap();
        let texts = |store: &rusqlite::Connection| -> Vec<(String, Vec<u8>)> {
            let mut rows = store.prepare("SELECT text, checksum FROM replies ORDER BY id").unwrap();
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
        };
        let before = texts(&store);
        store.execute_batch(&lie).unwrap();
        // Neighbours may have the same text: only rows that changed can be found out.
        let same = before.iter().zip(texts(&store)).take(4).filter(|(old, new)| *old == new).count();
        let rows = if lie.contains("AS value") && lie.contains("text") { rows - same } else { rows };
        drop(store);
        let before = server.requests();
        let ran = label(&copy, &server).ended(0);
        assert_eq!(copy.column("in.labeled.csv", "label"), copy.column("in.labeled.csv", "gold"));
        assert_eq!(server.requests() - before, rows, "{lie}");
        assert!(
            ran.stderr.contains(&format!("damaged replies in {STORE}, sent again: {rows};")),
            "{}",
            ran.stderr
        );
    }
}

/// The index finds rows by their fingerprint; one that leads to another row is no way to that row's reply.
#[test]
fn an_index_that_leads_astray_is_found_out() {
    let (work, server) = stored(false);
    let store = rusqlite::Connection::open(work.path(STORE)).unwrap();
    let prints: Vec<Vec<u8>> = store
        .prepare("SELECT fingerprint FROM replies ORDER BY id LIMIT 2")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(store);
    // Each fingerprint stands twice in the file: in its row, and in the index with the row's number behind it. Only the
    // index is changed.
    let mut bytes = std::fs::read(work.path(STORE)).unwrap();
    let places = |bytes: &[u8], print: &[u8]| -> Vec<usize> {
        (0..bytes.len() - 16).filter(|at| &bytes[*at..*at + 16] == print).collect()
    };
    let places = [places(&bytes, &prints[0]), places(&bytes, &prints[1])];
    assert!(places.iter().all(|places| places.len() >= 2), "{places:?}");
    let index = |places: &[usize]| {
        let with_row = |at: &usize| bytes[at + 16..at + 20].iter().all(u8::is_ascii_digit);
        places.iter().copied().filter(|at| !with_row(at)).collect::<Vec<_>>()
    };
    let (a, b) = (index(&places[0]), index(&places[1]));
    for at in a {
        bytes[at..at + 16].copy_from_slice(&prints[1]);
    }
    for at in b {
        bytes[at..at + 16].copy_from_slice(&prints[0]);
    }
    std::fs::write(work.path(STORE), bytes).unwrap();
    let before = server.requests();
    let stat = work.run(&["store", "stat", "--store", STORE]);
    assert!(stat.code == Some(2) && stat.stderr.contains("is damaged"), "{}", stat.stdout);
    let ran = label(&work, &server);
    match ran.code {
        Some(1) => lost_and_told(&work, &stat, "the index"),
        Some(0) => {
            assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
            assert!(server.requests() > before, "a row was trusted that the index should not lead to");
        }
        code => assert!(code == Some(2) && ran.stderr.contains(STORE), "{}", ran.stderr),
    }
}
