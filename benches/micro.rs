//! What single steps cost, one thread: time per unit, and bytes per second where a step goes through bytes.
//!
//! ```text
//! cargo bench --bench micro                      everything
//! cargo bench --bench micro -- render store      the groups or steps whose name holds one of these words
//! ```
//!
//! Rows are those of `datasets/benchmark.jsonl` and `tests/fixtures/formats`. Each figure is the best of several passes of
//! at least half a second together; it depends on the machine, ratios between two builds on one machine mean something.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tooljudge::check::BuiltinJudge;
use tooljudge::domain::{AnswerForm, Cell, Json, Prompt, Rails, RawRow, Reply, Sample, Stop, Task, Usage};
use tooljudge::internal::{
    AskHasher, Batch, Column, Fingerprint, Kind, Record, ReplyKind, Reuse, Rows, Schema, Selection, Sink,
    Store, Table, Understanding,
};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge::render;
use tooljudge::run::settings::{OutputFormat, StorePlace};
use tooljudge::snap::{self, Rules};

/// The binary's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PATIENCE: Duration = Duration::from_millis(500);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let steps = Steps { words };
    println!("| step | unit | time per unit | MB/s |\n|:--|:--|--:|--:|");
    let rows = benchmark();
    parse(&steps, &rows);
    normalize(&steps, &rows);
    let samples = samples(&rows);
    prompts(&steps, &samples);
    replies(&steps);
    check(&steps, &samples);
    store(&steps);
    files(&steps, &rows);
}

/// Which steps are wanted.
struct Steps {
    words: Vec<String>,
}

impl Steps {
    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    /// Measures a step that goes through `units` and, where they are counted, `bytes`.
    fn measure(&self, name: &str, unit: &str, units: usize, bytes: usize, mut pass: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        let began = Instant::now();
        let mut best = Duration::MAX;
        while began.elapsed() < PATIENCE {
            let start = Instant::now();
            pass();
            best = best.min(start.elapsed());
        }
        let each = best.as_nanos() as f64 / units as f64;
        let speed = match bytes {
            0 => String::new(),
            bytes => format!("{:.0}", bytes as f64 / best.as_secs_f64() / 1e6),
        };
        println!("| {name} | {unit} | {} | {speed} |", time(each));
    }
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        small if small < 10_000.0 => format!("{small:.0} ns"),
        large if large < 1e7 => format!("{:.1} µs", large / 1e3),
        huge => format!("{:.1} ms", huge / 1e6),
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Question, call and definitions, as the cells of a text format would hold them.
type Texts = [String; 3];

fn texts(line: &str) -> Texts {
    let row = Json::parse(line).unwrap();
    ["question", "tool_call", "tool_definitions"].map(|name| match row.get(name) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    })
}

fn benchmark() -> Vec<Texts> {
    let file = std::fs::read_to_string(root().join("datasets/benchmark.jsonl")).unwrap();
    file.lines().map(texts).collect()
}

fn size(rows: &[Texts]) -> usize {
    rows.iter().flatten().map(String::len).sum()
}

fn parse(steps: &Steps, rows: &[Texts]) {
    let json: Vec<&str> =
        rows.iter().flat_map(|row| &row[1..]).map(String::as_str).filter(|text| !text.is_empty()).collect();
    let bytes = json.iter().map(|text| text.len()).sum();
    steps.measure("parse JSON", "text", json.len(), bytes, || {
        json.iter().for_each(|text| drop(black_box(Json::parse(black_box(text)))));
    });
    let values: Vec<Json> = json.iter().map(|text| Json::parse(text).unwrap()).collect();
    steps.measure("write JSON", "text", json.len(), bytes, || {
        values.iter().for_each(|value| drop(black_box(black_box(value).to_string())));
    });
}

fn raw([question, call, definitions]: &Texts) -> RawRow {
    let cell = |text: &String| if text.is_empty() { Cell::Null } else { Cell::Text(text.clone()) };
    RawRow {
        question: cell(question),
        tool_call: cell(call),
        tool_definitions: cell(definitions),
        ..RawRow::default()
    }
}

fn samples(rows: &[Texts]) -> Vec<Sample> {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    rows.iter().map(|row| normalizer.sample(raw(row)).unwrap()).collect()
}

fn normalize(steps: &Steps, rows: &[Texts]) {
    let known = Normalizer::new(Options::default()).unwrap();
    let pass = |normalizer: &Normalizer, rows: &[Texts]| {
        rows.iter().for_each(|row| drop(black_box(normalizer.sample(raw(black_box(row))))));
    };
    steps.measure("normalize benchmark, definitions seen before", "row", rows.len(), size(rows), || {
        pass(&known, rows);
    });
    steps.measure("normalize benchmark, definitions new", "row", rows.len(), size(rows), || {
        for row in rows {
            pass(&Normalizer::new(Options::default()).unwrap(), std::slice::from_ref(row));
        }
    });
    for (folder, what) in [("calls", "call"), ("definitions", "definitions")] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/fixtures/formats").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let rows = match what {
                "call" => text.lines().map(texts).collect(),
                _ => vec![["q".to_owned(), "[]".to_owned(), text]],
            };
            let name = format!("normalize {what} {}", file.file_stem().unwrap().to_str().unwrap());
            steps.measure(&name, "row", rows.len(), size(&rows), || match what {
                "call" => pass(&known, &rows),
                _ => pass(&Normalizer::new(Options::default()).unwrap(), &rows),
            });
        }
    }
}

fn prompts(steps: &Steps, samples: &[Sample]) {
    let template = render::builtin(Task::ToolCalling).unwrap();
    let render = |sample| template.render(sample, AnswerForm::LABEL).unwrap();
    let prompts: Vec<Prompt> = samples.iter().map(render).collect();
    let bytes = prompts.iter().map(|prompt| prompt.text.len()).sum();
    steps.measure("render", "prompt", prompts.len(), bytes, || {
        samples.iter().for_each(|sample| drop(black_box(render(black_box(sample)))));
    });
    let hasher = AskHasher::new("http://judge", "m", "{}");
    steps.measure("fingerprint", "prompt", prompts.len(), bytes, || {
        prompts.iter().for_each(|prompt| {
            black_box(hasher.fingerprint(black_box(prompt), 0));
        });
    });
}

fn replies(steps: &Steps) {
    let prose = "The question asks for the weather in Oslo. The call passes the city as asked, and the unit follows from \
                 the country. Nothing is missing.\n\n**Verdict: correct**";
    let long =
        format!("<think>{}</think>\n{prose}", "Is the date right? It says the ninth of July. ".repeat(40));
    let replies = [
        ("word", "correct"),
        ("JSON", r#"{"label":"correct"}"#),
        ("prose", prose),
        ("thinking", &long),
        (
            "nonsense",
            "I am sorry, but as a language model I would rather not say whether this is right or wrong.",
        ),
    ];
    let rails = Rails::correctness();
    for (name, text) in replies {
        steps.measure(&format!("snap {name}"), "reply", 1000, 1000 * text.len(), || {
            for _ in 0..1000 {
                let _ = black_box(snap::snap(black_box(text), &rails, Rules::Careful, false));
            }
        });
    }
}

fn check(steps: &Steps, samples: &[Sample]) {
    for task in Task::ALL {
        let judge = BuiltinJudge::new(task);
        steps.measure(&format!("check {}", task.as_str()), "row", samples.len(), 0, || {
            samples.iter().for_each(|sample| drop(black_box(judge.judge(black_box(sample)))));
        });
    }
}

/// Claims and answers of questions that are asked at once, as a run makes them.
fn store(steps: &Steps) {
    const QUESTIONS: usize = 4096;
    let reply = Reply {
        text: r#"{"label":"correct"}"#.to_owned(),
        stop: Stop::Finished,
        usage: Usage { prompt_tokens: Some(1200), cached_tokens: None, completion_tokens: Some(5) },
        model: Some("m".to_owned()),
        latency_ms: 12,
        attempts: 1,
        adapted: Vec::new(),
        probabilities: Vec::new(),
        cost_usd: Some(0.000_12),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let hasher = AskHasher::new("http://judge", "m", "{}");
    let rails = Arc::new(Rails::correctness());
    let mut number = 0_u64;
    let mut fingerprints = || -> Vec<Fingerprint> {
        let prompt = |number: u64| Prompt {
            text: number.to_string(),
            rails: Arc::clone(&rails),
            form: AnswerForm::LABEL,
        };
        number += QUESTIONS as u64;
        (number - QUESTIONS as u64..number).map(|number| hasher.fingerprint(&prompt(number), 0)).collect()
    };
    for at_once in [1, 16, 64, 256] {
        let name = format!("store claim and answer, {at_once} at once");
        if !steps.wants(&name) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(StorePlace::File(folder.path().join("replies.sqlite")), "bench").unwrap();
        let questions = if at_once == 1 { QUESTIONS / 16 } else { QUESTIONS };
        steps.measure(&name, "question", questions, 0, || {
            let asked = fingerprints();
            for together in asked[..questions].chunks(at_once) {
                runtime.block_on(async {
                    let claims = together.iter().map(|one| store.claim(*one, Reuse::All));
                    futures_util::future::try_join_all(claims).await.unwrap();
                    let answers = together
                        .iter()
                        .map(|one| store.answer(*one, ReplyKind::Verdict, reply.clone(), None));
                    futures_util::future::try_join_all(answers).await.unwrap();
                });
            }
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StorePlace::File(folder.path().join("replies.sqlite")), "bench").unwrap();
    let asked = fingerprints();
    let answers = asked.iter().map(|one| store.answer(*one, ReplyKind::Verdict, reply.clone(), None));
    runtime.block_on(futures_util::future::try_join_all(answers)).unwrap();
    let reader = store.reader().unwrap();
    steps.measure("store look up", "question", QUESTIONS, 0, || {
        asked.iter().for_each(|one| drop(black_box(reader.get(*one).unwrap())));
    });
}

/// Reads and writes what `label` would: the benchmark's rows, many times over.
fn files(steps: &Steps, rows: &[Texts]) {
    const TIMES: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "jsonl", "json", "jsonl.gz", "jsonl.zst", "parquet", "arrow"] {
        let (read, written) = (format!("read {ending}"), format!("write {ending}"));
        if !steps.wants(&read) && !steps.wants(&written) {
            continue;
        }
        let path = folder.path().join(format!("table.{ending}"));
        let schema = Arc::new(schema());
        let batch =
            Batch { schema: Arc::clone(&schema), rows: Rows::Records(rows.iter().map(record).collect()) };
        let write = || {
            let mut sink = Sink::create(&path, OutputFormat::of(&path).unwrap(), &schema).unwrap();
            for _ in 0..TIMES {
                sink.write(batch.clone()).unwrap();
            }
            sink.finish().unwrap()
        };
        write();
        let bytes = TIMES * size(rows);
        steps.measure(&written, "row", TIMES * rows.len(), bytes, || {
            write();
        });
        steps.measure(&read, "row", TIMES * rows.len(), bytes, || {
            assert_eq!(count(&path), TIMES * rows.len())
        });
    }
}

/// Reads a file as a run does: its columns first, then its rows.
fn count(path: &Path) -> usize {
    let patterns = [path.to_str().unwrap().to_owned()];
    let table = Table::open(&patterns, Understanding::default(), Selection::default()).unwrap();
    table.batches(None).map(|batch| black_box(batch.unwrap()).len()).sum()
}

fn schema() -> Schema {
    let names = ["question", "tool_call", "tool_definitions"];
    Schema::of(names.map(|name| Column { name: name.to_owned(), kind: Kind::Text }).to_vec())
}

fn record(row: &Texts) -> Record {
    Record { cells: row.iter().map(|text| Some(Json::String(text.clone()))).collect(), item: None }
}
