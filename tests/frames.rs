//! Frames as pandas, polars, pyarrow, DuckDB and `datasets` write them: the judge sees what the same rows say as JSON.
//!
//! `tests/fixtures/frames/write.py` wrote them out of the `.jsonl` files beside it.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polars::prelude::*;
use polars_arrow::io::ipc::read::{deserialize_schema, read_file_metadata, read_stream_metadata};
use tooljudge::domain::Task;
use tooljudge::frames::{self, FrameOptions};
use tooljudge::judge::Provider;
use tooljudge::run::settings::{
    Collected, InMemory, JudgeKind, JudgeSettings, LabelSettings, StorePlace, Take,
};
use tooljudge::run::{Labeler, label_blocking};

use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/frames")
}

/// All prompts of a file, and the built-in judge's labels with all that it says about them.
fn judged(file: &Path) -> (String, Vec<String>) {
    let work = Workspace::new();
    let file = file.display().to_string();
    let shown = work.run(&["label", &file, "--judge", "openai:m", "--dry-run", "20"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    // What the run would take is said with the file's name.
    let prompts = shown.stdout.split_once("rows to").map_or(shown.stdout.as_str(), |(prompts, _)| prompts);
    let labelled = work.run(&["label", &file, "-o", "out.csv"]);
    assert_eq!(labelled.code, Some(0), "{}", labelled.stderr);
    let shown = |row: &std::collections::HashMap<String, String>| {
        ["id", "label", "confidence", "explanation", "error"].map(|column| row[column].clone()).join(" | ")
    };
    (prompts.to_owned(), work.rows("out.csv").iter().map(shown).collect())
}

/// The frames of the rows in `name`.jsonl.
fn written(name: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let is_frame = |file: &PathBuf| {
        let file = file.file_name().unwrap().to_str().unwrap();
        file.starts_with(name) && !file.ends_with(".jsonl")
    };
    files.filter(is_frame).collect()
}

#[test]
fn fields_that_only_other_rows_have_are_absent() {
    let (prompts, labels) = judged(&folder().join("calls.jsonl"));
    assert!(labels[2].starts_with("3 | incorrect"), "{labels:?}");
    let frames = written("calls");
    assert_eq!(frames.len(), 7);
    for file in frames {
        assert_eq!(judged(&file), (prompts.clone(), labels.clone()), "{}", file.display());
    }
}

#[test]
fn texts_that_a_file_calls_json_are_what_they_say() {
    let json = judged(&folder().join("mixed.jsonl"));
    assert!(json.0.contains(r#"{"value":40}"#) && json.0.contains(r#"{"value":"40"}"#), "{}", json.0);
    assert_eq!(judged(&folder().join("mixed.duckdb.parquet")), json);
}

#[test]
fn maps_and_lists_of_their_entries_are_objects() {
    let (_, labels) = judged(&folder().join("maps.jsonl"));
    assert!(labels[1].starts_with("2 | incorrect"), "{labels:?}");
    let frames = written("maps");
    assert_eq!(frames.len(), 6);
    for file in frames {
        assert_eq!(judged(&file).1, labels, "{}", file.display());
    }
}

#[test]
fn a_file_with_maps_shows_the_judge_objects() {
    let (prompts, _) = judged(&folder().join("maps.jsonl"));
    for file in
        ["maps.pyarrow.parquet", "maps.pyarrow.arrow", "maps.duckdb.parquet", "maps.json.duckdb.parquet"]
    {
        assert_eq!(judged(&folder().join(file)).0, prompts, "{file}");
    }
}

#[test]
fn frames_in_memory_have_no_padding_either() {
    let frame = |name: &str| {
        let file = std::fs::File::open(folder().join(name)).unwrap();
        let frame = ParquetReader::new(file).finish().unwrap();
        let labeler = Labeler::builtin(Task::ToolCalling);
        frames::label_blocking(frame, &labeler, &FrameOptions::default()).unwrap()
    };
    for (file, wrong) in [("calls.polars.parquet", 2), ("maps.duckdb.parquet", 1)] {
        let labelled = frame(file);
        assert_eq!(labelled.column("label").unwrap().str().unwrap().get(wrong), Some("incorrect"), "{file}");
    }
}

/// Labels the rows of a table in memory; the table that comes of it.
fn run(mut settings: LabelSettings, table: InMemory) -> DataFrame {
    let collected = Collected::default();
    settings.input.tables = vec![table];
    settings.output.collected = Some(collected.clone());
    label_blocking(settings).unwrap();
    collected.take().unwrap()
}

#[test]
fn tables_in_memory_are_labelled_as_files_are() {
    let read = |path: PathBuf| ParquetReader::new(std::fs::File::open(path).unwrap()).finish().unwrap();
    let settings = || LabelSettings::new::<String>([]);
    for file in ["calls.polars.parquet", "calls.pyarrow.parquet", "maps.pandas.parquet"] {
        let (work, input) = (Workspace::new(), folder().join(file));
        work.run(&["label", &input.display().to_string(), "-o", "out.parquet"]).ended(0);
        let labelled = run(settings(), read(input).into());
        assert_eq!(labelled, read(work.path("out.parquet")), "{file}");
        // The same rows as a text.
        let lines = folder().join(file.split('.').next().unwrap()).with_extension("jsonl");
        work.run(&["label", &lines.display().to_string(), "-o", "lines.parquet"]).ended(0);
        let labelled = run(settings(), InMemory::json_lines(&std::fs::read(lines).unwrap()).unwrap());
        assert!(labelled.equals_missing(&read(work.path("lines.parquet"))), "{file}");
    }
    let two = || {
        let mut settings = settings();
        settings.input.take = Take::First(2);
        settings.input.filters = vec![("id".to_owned(), "3".to_owned())];
        settings
    };
    let labelled = run(two(), read(folder().join("calls.polars.parquet")).into());
    assert_eq!(
        (labelled.height(), labelled.column("label").unwrap().str().unwrap().get(0)),
        (1, Some("incorrect"))
    );
    let empty = run(settings(), read(folder().join("calls.polars.parquet")).head(Some(0)).into());
    assert_eq!((empty.height(), empty.column("label").unwrap().dtype()), (0, &DataType::String));
}

#[test]
fn a_table_in_memory_needs_a_place() {
    let mut settings = LabelSettings::new::<String>([]);
    settings.input.tables =
        vec![InMemory::json_lines(b"{\"question\": \"a\", \"tool_call\": \"f()\"}\n").unwrap()];
    let error = label_blocking(settings).unwrap_err().to_string();
    assert!(error.contains("a table in memory needs an output"), "{error}");
}

#[test]
fn what_a_file_was_asked_is_not_asked_again_of_a_frame() {
    let (server, work) = (Server::start(|_| Answer::label("incorrect")), Workspace::new());
    let input = folder().join("calls.polars.parquet");
    let judge = ["--judge", "vllm:m", "--base-url", &server.url, "--store", "s.sqlite"];
    let file = input.display().to_string();
    work.run(&[&["label", &file, "-o", "out.parquet"], &judge[..]].concat()).ended(0);
    let asked = server.requests();
    assert!(asked > 0);
    let frame = ParquetReader::new(std::fs::File::open(input).unwrap()).finish().unwrap();
    let mut settings = LabelSettings::new::<String>([]);
    let mut judge = JudgeSettings::model(Provider::Vllm, "m");
    if let JudgeKind::Model(model) = &mut judge.kind {
        model.endpoint.base_url = Some(server.url.clone());
    }
    settings.panel.judges = vec![judge];
    settings.panel.store.place = StorePlace::File(work.path("s.sqlite"));
    let labelled = run(settings, frame.into());
    assert_eq!(server.requests(), asked);
    let labels = labelled.column("label").unwrap().str().unwrap().clone();
    assert!(labels.iter().all(|label| label == Some("incorrect")));
    assert!(labelled.column("cached").unwrap().bool().unwrap().iter().all(|cached| cached == Some(true)));
}

#[test]
fn columns_of_structs_are_written_as_they_were_read() {
    let work = Workspace::new();
    let input = folder().join("calls.pyarrow.parquet");
    work.run(&["label", &input.display().to_string(), "-o", "out.parquet"]);
    let read = |path: PathBuf| ParquetReader::new(std::fs::File::open(path).unwrap()).finish().unwrap();
    let (before, after) = (read(input), read(work.path("out.parquet")));
    for column in ["question", "tool_call", "tool_definitions"] {
        assert_eq!(before.column(column).unwrap(), after.column(column).unwrap());
    }
    // A text has no padding.
    work.run(&["label", &folder().join("calls.pyarrow.parquet").display().to_string(), "-o", "out.jsonl"]);
    let line = work.read("out.jsonl").lines().nth(2).unwrap().to_owned();
    assert!(
        line.contains(r#""tool_call":{"name":"book_table","arguments":{"guests":4,"city":"Oslo"}}"#),
        "{line}"
    );
}

/// What pandas noted in a file.
fn noted(file: &Path) -> serde_json::Value {
    let open = || std::fs::File::open(file).unwrap();
    let note = match file.extension().unwrap().to_str().unwrap() {
        "parquet" => {
            let mut reader = ParquetReader::new(open());
            let notes = reader.get_metadata().unwrap().key_value_metadata.clone().unwrap();
            let value = |key| notes.iter().find(|note| note.key == key).and_then(|note| note.value.clone());
            // pyarrow looks into the Arrow schema only.
            let message = STANDARD.decode(value("ARROW:schema").unwrap()).unwrap();
            let (.., within) = deserialize_schema(&message[8..]).unwrap();
            let within = within.and_then(|notes| notes.get("pandas").map(ToString::to_string));
            assert_eq!(within, value("pandas"), "{}", file.display());
            within
        }
        _ => {
            let notes = match read_file_metadata(&mut open()) {
                Ok(footer) => footer.custom_schema_metadata.map(std::sync::Arc::unwrap_or_clone),
                Err(_) => read_stream_metadata(&mut open()).unwrap().custom_schema_metadata,
            };
            notes.and_then(|notes| notes.get("pandas").map(ToString::to_string))
        }
    };
    note.map_or(serde_json::Value::Null, |note| serde_json::from_str(&note).unwrap())
}

#[test]
fn the_index_of_a_pandas_frame_is_its_index_again() {
    let frames = written("indexed");
    assert_eq!(frames.len(), 3);
    for file in frames {
        let work = Workspace::new();
        let input = file.display().to_string();
        let before = noted(&file);
        assert_ne!(before["index_columns"], serde_json::json!([]), "{input}");
        for out in ["out.parquet", "out.arrow"] {
            for command in ["label", "convert"] {
                let ran = work.run(&[command, &input, "-o", out]);
                assert_eq!(ran.code, Some(0), "{}", ran.stderr);
                let after = noted(&work.path(out));
                assert_eq!(after["index_columns"], before["index_columns"], "{command} {input} to {out}");
                std::fs::remove_file(work.path(out)).unwrap();
            }
        }
        // Ours are columns like others, and what takes an index's place is none.
        work.run(&["label", &input, "-o", "once.parquet"]);
        let columns = noted(&work.path("once.parquet"))["columns"].as_array().unwrap().clone();
        assert!(columns.iter().all(|column| column["field_name"] != "label"), "{input}");
        assert_eq!(columns.len(), before["columns"].as_array().unwrap().len(), "{input}");
        let counts = before["index_columns"][0].is_object();
        work.run(&["label", &input, &input, "-o", "twice.parquet"]);
        let twice = noted(&work.path("twice.parquet"));
        assert_eq!(twice["index_columns"] == before["index_columns"], !counts, "{input}");
    }
}

/// Whether texts or bytes of this type are views: a map of them in an Arrow file cannot be read by anyone.
fn has_views(dtype: &ArrowDataType) -> bool {
    use ArrowDataType::{Extension, FixedSizeList, LargeList, List, Map, Struct};
    match dtype {
        ArrowDataType::Utf8View | ArrowDataType::BinaryView => true,
        List(inner) | LargeList(inner) | FixedSizeList(inner, _) | Map(inner, _) => has_views(&inner.dtype),
        Struct(members) => members.iter().any(|member| has_views(&member.dtype)),
        ArrowDataType::Dictionary(_, values, _) => has_views(values),
        Extension(extension) => has_views(&extension.inner),
        _ => false,
    }
}

/// Labels and what is said of them, by row.
fn labels(work: &Workspace, input: &str, output: &str) -> Vec<String> {
    work.label(input, output, |settings| settings.overwrite = true);
    work.label(output, "shown.csv", |settings| settings.prefix = "again_".to_owned());
    let rows = work.rows("shown.csv");
    let shown = |row: &std::collections::HashMap<String, String>| {
        let own =
            ["label", "confidence", "explanation", "error"].map(|column| row[column].clone()).join(" | ");
        let again = ["label", "confidence", "explanation", "error"]
            .map(|column| row[&format!("again_{column}")].clone())
            .join(" | ");
        assert_eq!(own, again, "{output} of {input}");
        own
    };
    rows.iter().map(shown).collect()
}

#[test]
fn labelled_files_are_labelled_alike_again() {
    let work = Workspace::new();
    let frames: Vec<PathBuf> =
        ["calls", "maps", "mixed", "nested"].iter().flat_map(|name| written(name)).collect();
    assert_eq!(frames.len(), 15);
    for file in frames {
        let input = file.display().to_string();
        let first = labels(&work, &input, "once.parquet");
        for (input, output) in [
            ("once.parquet", "twice.parquet"),
            ("once.parquet", "twice.arrow"),
            ("twice.arrow", "thrice.jsonl"),
            ("twice.arrow", "thrice.parquet"),
            (input.as_str(), "once.arrow"),
        ] {
            assert_eq!(labels(&work, input, output), first, "{}: {input} to {output}", file.display());
        }
        for arrow in ["once.arrow", "twice.arrow"] {
            let mut opened = std::fs::File::open(work.path(arrow)).unwrap();
            let footer = read_file_metadata(&mut opened).unwrap();
            let views: Vec<_> = footer.schema.iter_values().filter(|field| has_views(&field.dtype)).collect();
            assert!(views.is_empty(), "{arrow} of {input}: {views:?}");
            // This build of polars knows no extension types; what `label` made of such files is compared above.
            if !format!("{:?}", footer.schema).contains("arrow.json") {
                let frame = IpcReader::new(std::fs::File::open(work.path(arrow)).unwrap()).finish().unwrap();
                assert_eq!(frame.height(), first.len());
            }
        }
    }
}

/// The types of the leaves of a Parquet file's column, as its schema has them.
fn leaves(file: &Path, column: &str) -> Vec<String> {
    let mut reader = ParquetReader::new(std::fs::File::open(file).unwrap());
    let footer = reader.get_metadata().unwrap();
    let columns = footer.schema_descr.columns().iter();
    let of_column = columns.filter(|leaf| leaf.path_in_schema.first().is_some_and(|name| *name == column));
    of_column
        .map(|leaf| {
            format!("{} {:?}", leaf.path_in_schema.join("."), leaf.descriptor.primitive_type.logical_type)
        })
        .collect()
}

#[test]
fn parquet_keeps_json_and_maps_at_any_depth() {
    let work = Workspace::new();
    let input = folder().join("nested.duckdb.parquet");
    work.run(&["label", &input.display().to_string(), "-o", "out.parquet"]);
    let expected = [
        "tool_call.list.element.name Some(String)",
        "tool_call.list.element.arguments.key_value.key Some(String)",
        "tool_call.list.element.arguments.key_value.value Some(Json)",
    ];
    assert_eq!(leaves(&work.path("out.parquet"), "tool_call"), expected);
    assert_eq!(leaves(&work.path("out.parquet"), "tool_definitions"), ["tool_definitions Some(Json)"]);
}

/// What a parameter may be that is null or a text.
const NULLABLE: [&str; 5] = [
    r#"{"type":["string","null"]}"#,
    r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
    r#"{"type":"string","nullable":true}"#,
    r#"{"enum":["celsius","fahrenheit",null]}"#,
    r##"{"$ref":"#/$defs/unit"}"##,
];

/// Tools one of whose arguments is required and has the schema `unit`.
fn strict(unit: &str) -> String {
    format!(
        r##"[{{"name":"get_weather","description":"Weather of a city","parameters":{{"type":"object","properties":
            {{"city":{{"type":"string"}},"unit":{unit}}},"required":["city","unit"],"additionalProperties":false,
            "$defs":{{"unit":{{"type":["string","null"]}}}}}}}}]"##
    )
}

/// A row whose call passes null, in a struct beside one that passes a text.
fn passes_null(tools: Option<&str>) -> DataFrame {
    let texts = |name: &str, texts: [Option<&str>; 2]| Series::new(name.into(), texts.to_vec());
    let fields = |name: &str, fields: [Series; 2]| {
        StructChunked::from_series(name.into(), 2, fields.iter()).unwrap().into_series()
    };
    let arguments = fields(
        "arguments",
        [texts("city", [Some("Oslo"), Some("Rome")]), texts("unit", [None, Some("celsius")])],
    );
    let call = fields("tool_call", [texts("name", [Some("get_weather"); 2]), arguments]);
    let question = texts("question", [Some("Weather in Oslo?"), Some("Weather in Rome in celsius?")]);
    let mut columns = vec![question.into_column(), call.clone().into_column()];
    columns.push(call.with_name("expected_tool_calls".into()).into_column());
    columns.extend(tools.map(|tools| texts("tool_definitions", [Some(tools); 2]).into_column()));
    DataFrame::new(2, columns).unwrap()
}

fn write_frames(work: &Workspace, mut frame: DataFrame) -> [&'static str; 2] {
    let open = |name| std::fs::File::create(work.path(name)).unwrap();
    ParquetWriter::new(open("in.parquet")).finish(&mut frame).unwrap();
    IpcWriter::new(open("in.arrow")).finish(&mut frame).unwrap();
    ["in.parquet", "in.arrow"]
}

#[test]
fn an_argument_that_must_be_there_and_may_be_null_was_passed() {
    let labels = |unit: &str, expected: Option<&str>| {
        let (work, tools) = (Workspace::new(), strict(unit));
        let run = |frame: DataFrame, settings| {
            let labelled = run(settings, frame.into());
            assert_eq!(labelled.column("label").unwrap().str().unwrap().get(0), expected, "{unit}");
        };
        run(passes_null(Some(&tools)), LabelSettings::new::<String>([]));
        // Definitions of all rows.
        let mut settings = LabelSettings::new::<String>([]);
        settings.input.tools = Some(work.file("tools.json", &tools));
        run(passes_null(None), settings);
        let labelled = frames::label_blocking(
            passes_null(Some(&tools)),
            &Labeler::builtin(Task::ToolCalling),
            &FrameOptions::default(),
        );
        let labelled = labelled.unwrap();
        assert_eq!(labelled.column("label").unwrap().str().unwrap().get(0), expected, "{unit}");
        for file in write_frames(&work, passes_null(Some(&tools))) {
            work.run(&["label", file, "-o", "out.csv", "--overwrite", "--force"]).ended(0);
            assert_eq!(work.column("out.csv", "label")[0], expected.unwrap_or_default(), "{unit} in {file}");
        }
    };
    // Nothing speaks against it.
    NULLABLE.iter().for_each(|unit| labels(unit, None));
    labels(r#"{"type":"string"}"#, Some("incorrect"));
    // Where absent is absent.
    let work = Workspace::new();
    let absent =
        r#"{"question":"Weather in Oslo?","tool_call":{"name":"get_weather","arguments":{"city":"Oslo"}}"#;
    work.file(
        "in.jsonl",
        format!("{absent},\"tool_definitions\":{}}}\n", strict(NULLABLE[0]).replace('\n', "")),
    );
    work.run(&["label", "in.jsonl", "-o", "out.csv"]).ended(0);
    assert_eq!(work.column("out.csv", "label"), ["incorrect"]);
}

#[test]
fn every_command_sees_the_null_that_was_passed() {
    let work = Workspace::new();
    for file in write_frames(&work, passes_null(Some(&strict(NULLABLE[0])))) {
        let shown = work.run(&["label", file, "--judge", "openai:m", "--dry-run", "2"]).ended(0).stdout;
        assert!(shown.contains(r#""arguments":{"city":"Oslo","unit":null}"#), "{file}: {shown}");
        work.run(&["convert", file, "-o", "out.jsonl", "--force"]).ended(0);
        assert!(work.read("out.jsonl").contains(r#""arguments":{"city":"Oslo","unit":null}"#), "{file}");
        let args = ["--scorer", "bfcl_ast", "-o", "scored.csv", "--force"];
        work.run(&[&["score", "--allow-failures", file], &args[..]].concat()).ended(0);
        assert_eq!(work.column("scored.csv", "score"), ["1.0", "1.0"], "{file}");
    }
}
