//! How long the readers take for hostile texts of half a megabyte and of a whole one: `cargo run --release --example timing`.
//! Whatever takes much more than twice as long is not linear.

#![allow(clippy::disallowed_methods, reason = "a program of its own may read its arguments")]

use std::time::{Duration, Instant};

use tooljudge_core::domain::{Cell, RawRow};
use tooljudge_laws::hostile_inputs::{CELLS, RECORDS};
use tooljudge_laws as laws;
use tooljudge_core::normalize::logs::{Entry, Turns};
use tooljudge_core::normalize::{Normalizer, Options};

const SIZES: [usize; 2] = [512 << 10, 1 << 20];

fn main() {
    let only = std::env::args().nth(1);
    let chosen = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    for (name, write) in CELLS.iter().filter(|(name, _)| chosen(name)) {
        for (place, row) in PLACES {
            show(name, place, |size| {
                let row = row(Cell::Text(write(size)));
                let normalizer = Normalizer::new(Options::default()).expect("no tools are given");
                timed(|| drop(normalizer.sample(row)))
            });
        }
        show(name, "calls with tools", |size| {
            let tools =
                Cell::Text(CELLS.iter().find(|(name, _)| *name == "definitions").expect("it is there").1(
                    size,
                ));
            let row = RawRow {
                tool_call: Cell::Text(write(size)),
                tool_definitions: tools,
                question: Cell::Text("q".into()),
                ..RawRow::default()
            };
            let normalizer = Normalizer::new(Options::default()).expect("no tools are given");
            timed(|| drop(normalizer.sample(row)))
        });
    }
    for (name, write) in RECORDS.iter().filter(|(name, _)| chosen(name)) {
        show(name, "record", |size| {
            let text = write(size);
            timed(|| read(&text))
        });
    }
}

type Place = (&'static str, fn(Cell) -> RawRow);

const PLACES: &[Place] = &[
    ("question", |cell| RawRow { question: cell, tool_call: Cell::Null, tool_definitions: Cell::Null, ..RawRow::default() }),
    ("tool_call", |cell| RawRow {
        question: Cell::Text("q".into()),
        tool_call: cell,
        tool_definitions: Cell::Null,
        ..RawRow::default()
    }),
    ("tool_definitions", |cell| RawRow {
        question: Cell::Text("q".into()),
        tool_call: Cell::Null,
        tool_definitions: cell,
        ..RawRow::default()
    }),
];

fn read(text: &str) {
    let normalizer = Normalizer::new(Options::default()).expect("no tools are given");
    laws::read_log(text, None, true, Turns::All, |_, entry| {
        if let Entry::Turn(turn) = entry {
            drop(normalizer.turn(*turn));
        }
    });
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn show(name: &str, place: &str, run: impl Fn(usize) -> Duration) {
    // The best of some runs: other programs want the processor too.
    let best = |size| (0..5).map(|_| run(size).as_secs_f64() * 1e3).fold(f64::MAX, f64::min);
    let [half, whole] = SIZES.map(best);
    let ratio = whole / half.max(0.01);
    let mark = if whole > 20.0 && ratio > 2.7 || whole > 500.0 { " <--" } else { "" };
    println!("{whole:9.1} ms {ratio:6.2} x  {name}: {place}{mark}");
}
