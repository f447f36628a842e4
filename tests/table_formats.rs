//! Arrow, compressed text, streams and folders, through the binary.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use polars::prelude::*;
use polars_arrow::array::{
    Array, BinaryArray, FixedSizeBinaryArray, ListArray, MapArray, PrimitiveArray, StructArray, Utf8Array,
};
use polars_arrow::datatypes::ExtensionType;
use polars_arrow::io::ipc::read::{FileReader, read_file_metadata};
use polars_arrow::io::ipc::write::{FileWriter, StreamWriter, WriteOptions};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::record_batch::RecordBatchT;

use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace};

const CSV: &str = "question,tool_call,tool_definitions,note\nhi,,,x\nho,f(a=1),,\"y\nz\"\n";

const TOOLS: &str = r#"[{"name":"f","description":"","parameters":{"type":"object","properties":{}}}]"#;

fn parquet(work: &Workspace, name: &str) -> DataFrame {
    ParquetReader::new(std::fs::File::open(work.path(name)).unwrap()).finish().unwrap()
}

fn arrow(work: &Workspace, name: &str) -> DataFrame {
    IpcReader::new(std::fs::File::open(work.path(name)).unwrap()).finish().unwrap()
}

fn write_parquet(work: &Workspace, name: &str, frame: &DataFrame) {
    ParquetWriter::new(std::fs::File::create(work.path(name)).unwrap()).finish(&mut frame.clone()).unwrap();
}

fn write_arrow(work: &Workspace, name: &str, frame: &DataFrame) {
    IpcWriter::new(std::fs::File::create(work.path(name)).unwrap()).finish(&mut frame.clone()).unwrap();
}

/// The streaming format, in two batches; with its end mark if it is to be `whole`.
fn write_stream(work: &Workspace, name: &str, frame: &DataFrame, whole: bool) {
    let file = std::fs::File::create(work.path(name)).unwrap();
    let mut writer = StreamWriter::new(file, WriteOptions { compression: None });
    writer.start(&frame.schema().to_arrow(CompatLevel::oldest()), None).unwrap();
    for at in [0, 1] {
        let part = frame.slice(at, if at == 0 { 1 } else { frame.height() });
        let mut part = part.clone();
        part.rechunk_mut();
        for batch in part.iter_chunks(CompatLevel::oldest(), false) {
            writer.write(&batch, None).unwrap();
        }
    }
    if whole {
        writer.finish().unwrap();
    }
}

/// A column of every type that tables come with.
fn every_type() -> DataFrame {
    let texts = Series::new("".into(), ["lo", "hi", "lo"]);
    let long = i64::MAX;
    let calls = StructChunked::from_series(
        "".into(),
        2,
        [Series::new("name".into(), ["f", "g"]), Series::new("arguments".into(), [Some(r#"{"a":1}"#), None])]
            .iter(),
    )
    .unwrap()
    .into_series();
    let none = calls.slice(0, 0);
    let mut frame = df!(
        "question" => ["a", "b", "c"],
        "big" => [u64::MAX, 0, 1],
        "i" => [Some(long), None, Some(-long)],
        "f32" => [Some(0.1_f32), None, Some(f32::INFINITY)],
        "f64" => [0.1, f64::NAN, -0.0],
        "flag" => [Some(true), None, Some(false)],
        "bytes" => [Some(&b"\x00\xff"[..]), None, Some(b"ok")],
    )
    .unwrap();
    let ints = |name: &str, dtype: &DataType| {
        Series::new(name.into(), [Some(0_i64), None, Some(20_000)]).cast(dtype).unwrap()
    };
    let zone = ArrowDataType::Timestamp(ArrowTimeUnit::Microsecond, Some("Europe/Berlin".into()));
    let at = PrimitiveArray::from([Some(0_i64), None, Some(20_000)]).to(zone);
    let columns = [
        Series::new("tool_call".into(), [Some(calls.clone()), Some(none), None]),
        Series::new_null("nothing".into(), 3),
        texts.cast(&DataType::from_categories(Categories::global())).unwrap().with_name("category".into()),
        texts
            .cast(&DataType::from_frozen_categories(FrozenCategories::new(["lo", "hi"]).unwrap()))
            .unwrap()
            .with_name("choice".into()),
        ints("day", &DataType::Date),
        Series::from_arrow("at".into(), at.boxed()).unwrap(),
        ints("at_plain", &DataType::Datetime(TimeUnit::Nanoseconds, None)),
        ints("took", &DataType::Duration(TimeUnit::Milliseconds)),
        ints("time", &DataType::Time),
        ints("price", &DataType::Decimal(20, 2)),
        ints("half", &DataType::Float16),
        ints("tiny", &DataType::UInt16),
        Series::new(
            "lists".into(),
            [Some(Series::new("".into(), [Some(1_i32), None])), None, Some(Series::new("".into(), [2]))],
        ),
    ];
    frame = frame.hstack(&columns.map(IntoColumn::into_column)).unwrap();
    frame
}

#[test]
fn every_type_passes_through_typed_files() {
    let work = Workspace::new();
    let frame = every_type();
    write_parquet(&work, "in.parquet", &frame);
    write_arrow(&work, "in.arrow", &frame);
    write_stream(&work, "stream.ipc", &frame, true);
    for input in ["in.parquet", "in.arrow", "stream.ipc"] {
        for output in ["out.parquet", "out.feather"] {
            work.run(&["label", input, "-o", output, "--allow-unjudged", "1"]).ended(0);
            let out = if output == "out.parquet" { parquet(&work, output) } else { arrow(&work, output) };
            for column in frame.columns() {
                let name = column.name();
                let found = out.column(name).unwrap();
                assert_eq!(found.dtype(), column.dtype(), "{name}: {input} to {output}");
                assert!(found.equals_missing(column), "{name}: {input} to {output}: {found:?}");
            }
            assert_eq!(out.column("cached").unwrap().dtype(), &DataType::Boolean);
        }
    }
}

#[test]
fn every_type_has_a_text() {
    let work = Workspace::new();
    write_arrow(&work, "in.arrow", &every_type());
    work.run(&["label", "in.arrow", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    work.run(&["label", "in.arrow", "-o", "out.jsonl", "--allow-unjudged", "1"]).ended(0);
    let rows = work.rows("out.csv");
    let json: Vec<serde_json::Value> =
        work.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (name, texts) in [
        ("big", ["18446744073709551615", "0", "1"]),
        ("i", ["9223372036854775807", "", "-9223372036854775807"]),
        ("f32", ["0.1", "", "inf"]),
        ("f64", ["0.1", "NaN", "-0.0"]),
        ("flag", ["true", "", "false"]),
        ("bytes", ["\\x00ff", "", "ok"]),
        ("nothing", ["", "", ""]),
        ("category", ["lo", "hi", "lo"]),
        ("choice", ["lo", "hi", "lo"]),
        ("day", ["1970-01-01", "", "2024-10-04"]),
        ("at", ["1970-01-01T01:00:00+01:00", "", "1970-01-01T01:00:00.02+01:00"]),
        ("at_plain", ["1970-01-01T00:00:00", "", "1970-01-01T00:00:00.00002"]),
        ("took", ["PT0S", "", "PT20S"]),
        ("time", ["00:00:00", "", "00:00:00.00002"]),
        ("price", ["0.00", "", "20000.00"]),
        ("half", ["0.0", "", "20000.0"]),
        ("lists", ["[1,null]", "", "[2]"]),
        ("tool_call", [r#"[{"name":"f","arguments":"{\"a\":1}"},{"name":"g"}]"#, "[]", ""]),
    ] {
        let found: Vec<&str> = rows.iter().map(|row| row[name].as_str()).collect();
        assert_eq!(found, texts, "{name}");
    }
    assert_eq!(json[0]["tool_call"][1], serde_json::json!({"name": "g"}));
    assert_eq!(json[0]["lists"], serde_json::json!([1, null]));
}

#[test]
fn calls_and_definitions_may_be_nested_cells() {
    let work = Workspace::new();
    let texts = |name: &str, text: &str| Series::new(name.into(), [text]);
    let list = |series: Series| Series::new("".into(), [series]).slice(0, 1);
    let record = |name: &str, fields: &[Series]| {
        StructChunked::from_series(name.into(), 1, fields.iter()).unwrap().into_series()
    };
    let city = record("city", &[texts("type", "string")]);
    // A frame has one type for all rows: what another tool has and this one lacks is null here.
    let day = Series::full_null("day".into(), 1, city.dtype());
    let parameters = record("parameters", &[texts("type", "object"), record("properties", &[city, day])]);
    let definition =
        record("", &[texts("name", "weather"), texts("description", "the weather of a city"), parameters]);
    let call = record("", &[texts("name", "weather"), texts("arguments", r#"{"city":"Oslo"}"#)]);
    let frame = DataFrame::new(
        1,
        vec![
            texts("question", "What is the weather in Oslo?").into_column(),
            list(call).with_name("tool_call".into()).into_column(),
            list(definition).with_name("tool_definitions".into()).into_column(),
        ],
    )
    .unwrap();
    write_arrow(&work, "in.arrow", &frame);
    write_parquet(&work, "in.parquet", &frame);
    for input in ["in.arrow", "in.parquet"] {
        work.run(&["label", input, "-o", "out.csv"]).ended(0);
        assert_eq!(work.column("out.csv", "label"), ["correct"]);
        assert_eq!(
            work.column("out.csv", "tool_call"),
            [r#"[{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}]"#]
        );
    }
}

#[test]
fn compressed_texts_come_and_go() {
    let work = Workspace::new();
    // gzip and zstd files may be made of several parts.
    let (head, tail) = CSV.split_at(60);
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 0).unwrap();
    work.file("gz.csv.gz", [gzip(head), gzip(tail)].concat());
    work.file("zst.csv.zst", [zstd(head), zstd(tail)].concat());
    work.file("plain.csv.gz", CSV);
    for name in ["gz.csv.gz", "zst.csv.zst", "plain.csv.gz"] {
        work.run(&["label", name, "--allow-unjudged", "1"]).ended(0);
        let output = name.replace(".csv.", ".labeled.csv.");
        let packed = std::fs::read(work.path(&output)).unwrap();
        let text = match name.ends_with("gz") {
            true => std::io::read_to_string(MultiGzDecoder::new(packed.as_slice())).unwrap(),
            false => String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap(),
        };
        assert!(text.contains("\nho,f(a=1),,\"y\nz\","), "{text}");
        // What was written can be read, and is known to be ours.
        work.run(&["label", name, "--allow-unjudged", "1"]).ended(0);
        work.run(&["label", &output, "--overwrite", "-o", "again.jsonl.zst", "--allow-unjudged", "1"])
            .ended(0);
        work.run(&["label", "again.jsonl.zst", "--overwrite", "-o", "end.json.gz", "--allow-unjudged", "1"])
            .ended(0);
        let json = std::io::read_to_string(MultiGzDecoder::new(
            std::fs::File::open(work.path("end.json.gz")).unwrap(),
        ));
        let json: serde_json::Value = serde_json::from_str(&json.unwrap()).unwrap();
        assert_eq!(json[1]["note"], "y\nz");
        assert_eq!(json.as_array().map(Vec::len), Some(2));
    }
}

/// Runs `label` with `input` on its standard input.
fn piped(work: &Workspace, args: &[&str], input: &[u8]) -> Ran {
    let mut child = work
        .tooljudge(&[&["label", "-", "--allow-unjudged", "1"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Ran::from(child.output())
}

#[test]
fn standard_input_is_understood_by_its_first_bytes() {
    let work = Workspace::new();
    let frame = df!("question" => ["a"], "tool_call" => ["b"], "note" => ["n"]).unwrap();
    write_parquet(&work, "in.parquet", &frame);
    write_arrow(&work, "in.arrow", &frame);
    write_stream(&work, "in.stream", &frame, true);
    let jsonl = "{\"question\":\"a\",\"tool_call\":\"b\",\"note\":\"n\"}\n";
    let csv = "question,tool_call,note\na,b,n\n";
    let file = |name: &str| std::fs::read(work.path(name)).unwrap();
    for input in [
        csv.as_bytes().to_vec(),
        format!("\u{feff}{csv}").into_bytes(),
        jsonl.as_bytes().to_vec(),
        format!("\n [{jsonl}]").into_bytes(),
        zstd::encode_all(jsonl.as_bytes(), 0).unwrap(),
        file("in.parquet"),
        file("in.arrow"),
        file("in.stream"),
    ] {
        let ran = piped(&work, &["--to", "csv"], &input).ended(0);
        assert!(
            ran.stdout.starts_with("question,tool_call,note,label,") && ran.stdout.contains("\na,b,n,,"),
            "{}",
            ran.stdout
        );
        assert_eq!(ran.stdout.lines().count(), 2);
    }
    let ran = piped(&work, &["--from", "ssv", "--to", "tsv"], csv.replace(',', ";").as_bytes()).ended(0);
    assert!(ran.stdout.starts_with("question\ttool_call\tnote\tlabel\t"), "{}", ran.stdout);
    let ran = piped(&work, &[], b"question;tool_call\n").ended(2);
    assert!(ran.stderr.contains("error: standard input: the header is one column"), "{}", ran.stderr);
    assert_eq!(work.names(), ["in.arrow", "in.parquet", "in.stream"]);
}

#[test]
fn standard_output_holds_the_table_and_nothing_else() {
    let work = Workspace::new();
    work.file("in.csv", CSV);
    work.file("in.json", r#"[{"question":"a","tool_call":[]}]"#);
    let ran = work.run(&["label", "in.csv", "-o", "-", "--allow-unjudged", "1"]).ended(0);
    assert!(ran.stdout.starts_with("question,") && ran.stdout.ends_with(",false\n"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("2 rows judged by builtin")
            && ran.stderr.contains("written  to the standard output"),
        "{}",
        ran.stderr
    );
    let ran = work.run(&["label", "in.json", "-o", "-", "--json", "--allow-unjudged", "1"]).ended(0);
    let row: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(row["question"], "a");
    assert!(ran.stderr.contains("\"path\": \"-\""), "{}", ran.stderr);
    // No manifest beside a stream.
    assert_eq!(work.names(), ["in.csv", "in.json"]);
    // What comes from a stream may go into a file.
    piped(&work, &["-o", "out.csv"], CSV.as_bytes()).ended(0);
    assert_eq!(work.rows("out.csv").len(), 2);
    assert!(work.path("out.csv.run.json").exists());
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let work = Workspace::new();
    let rows: String = (0..20_000).map(|at| format!("question {at},f(a={at}),\n")).collect();
    work.file("in.csv", format!("question,tool_call,tool_definitions\n{rows}"));
    let mut child = work.start(&["label", "in.csv", "-o", "-"]);
    let mut start = [0; 9];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut start).unwrap();
    drop(stdout);
    let ran = child.output();
    assert_eq!((ran.status.code(), &start[..]), (Some(0), &b"question,"[..]));
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
}

#[test]
fn a_folder_is_one_table_and_its_folders_are_columns() {
    let work = Workspace::new();
    let frame = |text: &str| {
        df!("question" => [text], "tool_call" => ["f()"], "tool_definitions" => [TOOLS]).unwrap()
    };
    for (folder, name, text) in [
        ("logs/day=2026-11-02/at=10%3A30", "part-0.parquet", "third"),
        ("logs/day=2026-11-01/at=__HIVE_DEFAULT_PARTITION__", "part-1.parquet", "second"),
        ("logs/day=2026-11-01/at=__HIVE_DEFAULT_PARTITION__", "part-0.parquet", "first"),
        ("logs", "plain.parquet", "fourth"),
        ("logs/_delta_log", "part-0.parquet", "no data"),
    ] {
        std::fs::create_dir_all(work.path(folder)).unwrap();
        write_parquet(&work, &format!("{folder}/{name}"), &frame(text));
    }
    work.file("logs/_SUCCESS", "");
    work.file("logs/.part.crc", "x");
    work.file("logs/notes.txt", "x");
    let ran = work.run(&["label", "logs", "-o", "out.csv", "--decide", "always"]).ended(0);
    assert!(ran.stderr.contains("warning: logs/notes.txt: unknown file format, not read"), "{}", ran.stderr);
    assert_eq!(work.column("out.csv", "question"), ["first", "second", "third", "fourth"]);
    assert_eq!(work.column("out.csv", "day"), ["2026-11-01", "2026-11-01", "2026-11-02", ""]);
    assert_eq!(work.column("out.csv", "at"), ["", "", "10:30", ""]);
    assert!(work.column("out.csv", "source_file")[2].ends_with("part-0.parquet"));
    work.run(&["label", "logs", "-o", "out.parquet", "--where", "day=2026-11-02", "--decide", "always"])
        .ended(0);
    let out = parquet(&work, "out.parquet");
    assert_eq!(out.column("at").unwrap().str().unwrap().get(0), Some("10:30"));
    assert_eq!(out.height(), 1);
    // A glob names folders too.
    work.run(&["label", "logs/day=*/*/*.parquet", "-o", "out.arrow", "--decide", "always"]).ended(0);
    let days = arrow(&work, "out.arrow").column("day").unwrap().clone();
    assert_eq!(
        days.str().unwrap().iter().flatten().collect::<Vec<_>>(),
        ["2026-11-01", "2026-11-01", "2026-11-02"]
    );
}

#[test]
fn categories_of_many_files_come_together() {
    let work = Workspace::new();
    let category = DataType::from_categories(Categories::global());
    for (name, words) in [("a", ["x", "y"]), ("b", ["z", "y"]), ("c", ["w", "x"])] {
        let kinds = Series::new("kind".into(), words).cast(&category).unwrap();
        let frame = df!("question" => ["q", "r"], "tool_call" => ["f()", "g()"]).unwrap();
        let frame = frame.hstack(&[kinds.into_column()]).unwrap();
        write_arrow(&work, &format!("{name}.arrow"), &frame);
        write_parquet(&work, &format!("{name}.parquet"), &frame);
    }
    for input in ["*.arrow", "*.parquet"] {
        work.run(&["label", input, "-o", "out.feather", "--allow-unjudged", "1"]).ended(0);
        let kinds = arrow(&work, "out.feather").column("kind").unwrap().clone();
        assert_eq!(kinds.dtype(), &category);
        let words = kinds.cast(&DataType::String).unwrap();
        let words: Vec<&str> = words.str().unwrap().iter().flatten().collect();
        assert_eq!(words, ["x", "y", "z", "y", "w", "x"]);
        std::fs::remove_file(work.path("out.feather")).unwrap();
    }
}

#[test]
fn a_stream_without_end_mark_is_cut_short() {
    let work = Workspace::new();
    let frame = df!("question" => ["a", "b"], "tool_call" => ["c", "d"]).unwrap();
    write_stream(&work, "in.arrow", &frame, false);
    let ran = work.run(&["label", "in.arrow"]).ended(2);
    let message =
        "in.arrow: no readable Arrow file or stream, perhaps cut short (the stream has no end mark)";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

/// Columns in types that the frame library has only a kin of.
fn types_without_frames() -> RecordBatchT<Box<dyn Array>> {
    let texts = |words: [Option<&str>; 2]| Utf8Array::<i32>::from(words).boxed();
    let offsets = || OffsetsBuffer::try_from(vec![0_i32, 2, 2]).unwrap();
    let field =
        |name: &str, dtype: &ArrowDataType, nullable| ArrowField::new(name.into(), dtype.clone(), nullable);
    let ints = PrimitiveArray::<i32>::from([Some(1), None]);
    let keys = StructArray::new(
        ArrowDataType::Struct(vec![
            field("key", &ArrowDataType::Utf8, false),
            field("value", &ArrowDataType::Int32, true),
        ]),
        2,
        vec![texts([Some("a"), Some("b")]), ints.clone().boxed()],
        None,
    );
    let map = ArrowDataType::Map(Box::new(field("entries", keys.dtype(), false)), false);
    let list = ArrowDataType::List(Box::new(field("item", &ArrowDataType::Utf8, true)));
    let bytes = ArrowDataType::FixedSizeBinary(2);
    let id = ArrowDataType::Extension(Box::new(ExtensionType {
        name: "example.id".into(),
        inner: bytes.clone(),
        metadata: Some("v1".into()),
    }));
    let pair = |dtype| FixedSizeBinaryArray::new(dtype, b"abcd".to_vec().into(), None).boxed();
    let columns: Vec<(&str, Box<dyn Array>)> = vec![
        ("question", texts([Some("a"), Some("b")])),
        ("tool_call", texts([Some("f()"), None])),
        ("map", MapArray::new(map, offsets(), keys.boxed(), None).boxed()),
        ("list", ListArray::<i32>::new(list, offsets(), texts([Some("x"), None]), None).boxed()),
        ("time", ints.clone().to(ArrowDataType::Time32(ArrowTimeUnit::Second)).boxed()),
        ("short", BinaryArray::<i32>::from([Some(b"\xff".as_slice()), None]).boxed()),
        ("pair", pair(bytes)),
        ("id", pair(id)),
    ];
    let schema =
        columns.iter().map(|(name, array)| (PlSmallStr::from(*name), field(name, array.dtype(), true)));
    RecordBatchT::new(2, Arc::new(schema.collect()), columns.iter().map(|(_, array)| array.clone()).collect())
}

#[test]
fn types_that_frames_do_not_know_come_back() {
    let work = Workspace::new();
    let batch = types_without_frames();
    let file = std::fs::File::create(work.path("in.arrow")).unwrap();
    let schema = Arc::new(batch.schema().clone());
    let mut writer = FileWriter::try_new(file, schema, None, WriteOptions::default()).unwrap();
    writer.write(&batch, None).unwrap();
    writer.finish().unwrap();
    // By way of Parquet too, which has a word for all of them but for times in seconds.
    work.run(&["label", "in.arrow", "-o", "out.parquet", "--allow-unjudged", "1"]).ended(0);
    work.run(&["label", "out.parquet", "--overwrite", "-o", "by_parquet.arrow", "--allow-unjudged", "1"])
        .ended(0);
    work.run(&["label", "in.arrow", "-o", "out.arrow", "--allow-unjudged", "1"]).ended(0);
    for name in ["out.arrow", "by_parquet.arrow"] {
        let mut file = std::fs::File::open(work.path(name)).unwrap();
        let footer = read_file_metadata(&mut file).unwrap();
        let out = FileReader::new(file, footer, None, None).next().unwrap().unwrap();
        for (column, before) in batch.schema().iter_names().zip(batch.arrays()) {
            let at = out.schema().index_of(column).unwrap();
            if name == "by_parquet.arrow" && column == "time" {
                assert_eq!(out.arrays()[at].dtype(), &ArrowDataType::Time32(ArrowTimeUnit::Millisecond));
                continue;
            }
            assert_eq!(&out.arrays()[at], before, "{column} in {name}");
        }
    }
    work.run(&["label", "out.parquet", "--overwrite", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    assert_eq!(work.column("out.csv", "time"), ["00:00:01", ""]);
    assert_eq!(work.column("out.csv", "map")[0], r#"{"a":1,"b":null}"#);
}

#[test]
fn numbers_that_json_has_no_word_for_are_not_hidden() {
    let work = Workspace::new();
    let amounts = [1.5, f64::INFINITY, f64::NAN, f64::NEG_INFINITY];
    let frame = df!(
        "question" => ["pay 1.5"; 4],
        "name" => ["pay"; 4],
        "amount" => amounts,
        "weight" => amounts,
        "small" => amounts.map(|amount| amount as f32),
    )
    .unwrap();
    let arguments =
        StructChunked::from_columns("arguments".into(), 4, &[frame.column("amount").unwrap().clone()]);
    let parts = [frame.column("name").unwrap().clone(), arguments.unwrap().into_series().into_column()];
    let call =
        StructChunked::from_columns("tool_call".into(), 4, &parts).unwrap().into_series().into_column();
    let mut frame = frame.select(["question", "weight", "small"]).unwrap();
    frame.with_column(call).unwrap();
    write_parquet(&work, "in.parquet", &frame);
    write_arrow(&work, "in.arrow", &frame);
    for input in ["in.parquet", "in.arrow"] {
        let args = ["label", input, "-o", "out.csv", "--force", "--allow-unjudged", "1"];
        let ran = work.run(&args).ended(0);
        assert!(ran.stdout.contains("invalid_json 3"), "{}", ran.stdout);
        let rows = work.rows("out.csv");
        let statuses: Vec<&str> = rows.iter().map(|row| row["status"].as_str()).collect();
        assert!(statuses[0] != "invalid_row" && statuses[1..] == ["invalid_row"; 3], "{statuses:?}");
        for (row, number) in rows.iter().zip(["1.5", "inf", "NaN", "-inf"]) {
            assert_eq!((row["weight"].as_str(), row["small"].as_str()), (number, number));
        }
        assert_eq!(
            rows[1]["error"],
            "invalid_json: `tool_call` holds NaN or an infinity, which JSON has no word for"
        );
        // Each format in which they have a word keeps them.
        work.run(&["label", input, "-o", "out.parquet", "--force", "--allow-unjudged", "1"]).ended(0);
        let kept = parquet(&work, "out.parquet");
        assert!(kept.column("weight").unwrap().equals_missing(frame.column("weight").unwrap()));
        assert!(kept.column("tool_call").unwrap().equals_missing(frame.column("tool_call").unwrap()));
    }
}
