//! Formats in and out: what a row held before, it holds afterwards.

use polars::prelude::*;

use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const JSONL: &str = r#"{"question":"hi","tool_call":"f(a=1)","tool_definitions":null,"n":300,"f":300.0,"big":123456789012345678901234567890,"nested":{"b":[1,2.50]},"flag":true}
{"question":"ho","tool_call":[],"late":"yes","n":9007199254740993}
"#;

fn label(work: &Workspace, input: &str, output: &str) {
    work.run(&["label", input, "-o", output, "--allow-unjudged", "1"]).ended(0);
}

fn parquet(work: &Workspace, name: &str) -> DataFrame {
    ParquetReader::new(std::fs::File::open(work.path(name)).unwrap()).finish().unwrap()
}

#[test]
fn jsonl_keeps_numbers_keys_and_their_order() {
    let work = Workspace::new();
    work.file("in.jsonl", JSONL);
    label(&work, "in.jsonl", "out.jsonl");
    let out = work.read("out.jsonl");
    for (line, before) in out.lines().zip(JSONL.lines()) {
        let kept = before.trim_end_matches('}');
        // The second row's keys come in the order of the table's columns.
        if before.contains("\"late\"") {
            assert!(line.contains("\"n\":9007199254740993") && line.contains("\"late\":\"yes\""), "{line}");
            assert!(!line.contains("\"flag\""), "{line}");
        } else {
            assert!(line.starts_with(kept), "{line}");
        }
        assert!(line.contains("\"status\":\"abstained\""), "{line}");
    }
}

#[test]
fn jsonl_becomes_typed_parquet() {
    let work = Workspace::new();
    work.file("in.jsonl", JSONL);
    label(&work, "in.jsonl", "out.parquet");
    let frame = parquet(&work, "out.parquet");
    let dtype = |name: &str| frame.column(name).unwrap().dtype().clone();
    assert_eq!(dtype("n"), DataType::Int64);
    assert_eq!(dtype("f"), DataType::Float64);
    assert_eq!(dtype("flag"), DataType::Boolean);
    let text =
        |name: &str, row: usize| frame.column(name).unwrap().str().unwrap().get(row).map(str::to_owned);
    assert_eq!(text("big", 0).as_deref(), Some("123456789012345678901234567890"));
    assert_eq!(text("nested", 0).as_deref(), Some(r#"{"b":[1,2.50]}"#));
    assert_eq!(text("late", 0), None);
    // A column that is null throughout keeps its type.
    assert_eq!((dtype("cost_usd"), dtype("attempts")), (DataType::Float64, DataType::Int64));
    assert_eq!((dtype("label"), dtype("cached")), (DataType::String, DataType::Boolean));
}

#[test]
fn csv_columns_stay_text() {
    let work = Workspace::new();
    let rows = "question,tool_call,tool_definitions,zip,note\nhi,,,01234,\"a,\"\"b\"\"\nc\"\n";
    work.file("in.csv", format!("\u{feff}{rows}"));
    label(&work, "in.csv", "out.csv");
    let out = work.rows("out.csv");
    assert_eq!((out[0]["zip"].as_str(), out[0]["note"].as_str()), ("01234", "a,\"b\"\nc"));
    label(&work, "in.csv", "out.parquet");
    let frame = parquet(&work, "out.parquet");
    assert_eq!(frame.column("zip").unwrap().str().unwrap().get(0), Some("01234"));
}

#[test]
fn parquet_types_pass_through() {
    let work = Workspace::new();
    let dates = Series::new("day".into(), [20_000_i32, 20_001, 20_002]).cast(&DataType::Date).unwrap();
    let nested = Series::new(
        "tags".into(),
        [
            Series::new("".into(), ["a", "b"]),
            Series::new_empty("".into(), &DataType::String),
            Series::new("".into(), ["c"]),
        ],
    );
    let mut frame = df!(
        "question" => ["a", "b", "c"],
        "tool_call" => ["f(x=1)", "", "[]"],
        "small" => [1_u8, 2, 255],
        "keep" => ["yes", "no", "yes"],
    )
    .unwrap();
    frame = frame.hstack(&[dates.into_column(), nested.into_column()]).unwrap();
    let file = std::fs::File::create(work.path("in.parquet")).unwrap();
    ParquetWriter::new(file).finish(&mut frame.clone()).unwrap();

    work.file(
        "tools.json",
        r#"[{"name":"f","description":"","parameters":{"type":"object","properties":{}}}]"#,
    );
    work.run(&["label", "in.parquet", "--tools", "tools.json", "--where", "keep=yes", "-o", "out.parquet"])
        .ended(0);
    let out = parquet(&work, "out.parquet");
    assert_eq!(out.height(), 2);
    for name in ["small", "day", "tags"] {
        assert_eq!(out.column(name).unwrap().dtype(), frame.column(name).unwrap().dtype(), "{name}");
    }
    work.run(&["label", "in.parquet", "--tools", "tools.json", "--limit", "1", "-o", "out.csv"]).ended(0);
    let rows = work.rows("out.csv");
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["day"].as_str(), rows[0]["tags"].as_str()), ("2024-10-04", r#"["a","b"]"#));
}

#[test]
fn json_arrays_and_several_files_are_one_table() {
    let work = Workspace::new();
    work.file(
        "a.json",
        "\n[ {\"question\": \"x, ]}\\\"\", \"tool_call\": []},\n {\"question\":\"y\",\"tool_call\":null} ]\n",
    );
    work.file("b.jsonl", "{\"question\":\"z\",\"tool_call\":null,\"extra\":1}\n\n");
    work.run(&["label", "a.json", "*.jsonl", "-o", "out.csv", "--allow-unjudged", "1"]).ended(0);
    assert_eq!(work.column("out.csv", "question"), ["x, ]}\"", "y", "z"]);
    assert_eq!(work.column("out.csv", "source_file"), ["a.json", "a.json", "b.jsonl"]);
    assert_eq!(work.column("out.csv", "extra"), ["", "", "1"]);
}

#[test]
fn broken_lines_are_rows_with_a_reason() {
    let work = Workspace::new();
    let mut bytes = b"{\"question\":\"a\",\"tool_call\":[]}\n{\"question\":\n[1]\n".to_vec();
    bytes.extend_from_slice(b"{\"question\":\"\xff\",\"tool_call\":[]}\n");
    bytes.extend_from_slice(format!("{}\n{{\"question\":\"b\"}}\n", "[".repeat(100_000)).as_bytes());
    work.file("in.jsonl", bytes);
    work.run(&["label", "in.jsonl", "-o", "out.csv"]).ended(1);
    let errors: Vec<String> = work
        .column("out.csv", "error")
        .iter()
        .map(|error| error.split(':').next().unwrap().to_owned())
        .collect();
    assert_eq!(
        errors,
        [
            "abstained",
            "invalid_json",
            "row_not_object",
            "invalid_utf8",
            "nesting_too_deep",
            "missing_tool_call"
        ]
    );
    assert!(work.column("out.csv", "error")[1].contains("line 2"));
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\n");
    for output in ["out.csv", "out.parquet", "out.arrow", "out.jsonl", "out.json"] {
        let ran = work.run(&["label", "in.csv", "-o", output]).ended(1);
        assert!(ran.stderr.contains("warning: the input has no rows"), "{}", ran.stderr);
        // Where that is accepted, it is no failure.
        work.run(&["label", "in.csv", "-o", output, "--allow-unjudged", "1", "--force"]).ended(0);
    }
    assert!(work.read("out.csv").starts_with("question,tool_call,tool_definitions,label,score,"));
    assert_eq!(work.read("out.csv").lines().count(), 1);
    assert_eq!(parquet(&work, "out.parquet").column("score").unwrap().dtype(), &DataType::Float64);
    assert_eq!((work.read("out.jsonl").as_str(), work.read("out.json").as_str()), ("", "[]\n"));
    work.run(&["label", "out.parquet", "--overwrite", "-o", "again.csv"]).ended(1);
    work.run(&["label", "out.arrow", "--overwrite", "-o", "again.csv"]).ended(1);
}

#[test]
fn a_mark_at_the_start_belongs_to_no_name() {
    let work = Workspace::new();
    work.file("in.csv", "\u{feff}\"question\",tool_call\nhi,\n");
    work.file("in.jsonl", "\u{feff}{\"question\":\"hi\",\"tool_call\":[]}\n");
    work.file("in.json", "\u{feff}[{\"question\":\"hi\",\"tool_call\":[]}]\n");
    for input in ["in.csv", "in.jsonl", "in.json"] {
        label(&work, input, "out.csv");
        assert!(work.read("out.csv").starts_with("question,tool_call,label,"), "{input}");
    }
}

#[test]
fn cells_that_are_no_text_are_rows_with_a_reason() {
    let work = Workspace::new();
    let rows = b"question,tool_call,tool_definitions,note\n\xff,f(),,a\nhi,f(),,n\0l\nho,f(),,\xe9\n";
    work.file("in.csv", rows);
    work.run(&["label", "in.csv", "-o", "out.csv"]).ended(1);
    assert_eq!(work.column("out.csv", "status"), ["invalid_row", "abstained", "invalid_row"]);
    assert_eq!(
        work.column("out.csv", "error"),
        [
            "invalid_utf8: field 1 is not UTF-8 (byte 0)",
            "abstained: the tool definitions are not known",
            "invalid_utf8: field 4 is not UTF-8 (byte 0)"
        ]
    );
    assert_eq!(work.column("out.csv", "note")[1], "n\0l");
    let mut frame = df!("question" => [1_i64, 2], "tool_call" => ["f()", "g()"]).unwrap();
    ParquetWriter::new(std::fs::File::create(work.path("in.parquet")).unwrap()).finish(&mut frame).unwrap();
    work.run(&["label", "in.parquet", "-o", "out.csv", "--force"]).ended(1);
    assert_eq!(work.column("out.csv", "status"), ["invalid_row", "invalid_row"]);
    assert!(work.column("out.csv", "error")[0].starts_with("unrecognised_question: "));
}

#[test]
fn semicolons_stay_semicolons() {
    let work = Workspace::new();
    work.file("in.csv", "question;tool_call;price\nhi;;1,50\n");
    work.run(&["label", "in.csv", "--from", "ssv", "--allow-unjudged", "1"]).ended(0);
    assert!(work.read("in.labeled.ssv").starts_with("question;tool_call;price;label;"));
    assert!(work.read("in.labeled.ssv").contains("\nhi;;1,50;"));
    work.run(&["label", "in.labeled.ssv", "--overwrite", "-o", "out.tsv", "--allow-unjudged", "1"]).ended(0);
    assert!(work.read("out.tsv").starts_with("question\ttool_call\tprice\tlabel\t"));
}

#[test]
fn words_of_a_model_are_no_formulas() {
    let work = Workspace::new();
    let words = ["=HYPERLINK(1)", "+1", "-1", "@a", "\t=1", "\r1", "\u{ff1d}1", "a = b", " =1"];
    let rows: String = (0..words.len()).map(|row| format!("Say {row} please,=f(),tools,=mine()\n")).collect();
    work.file("in.csv", format!("question,tool_call,tool_definitions,note\n{rows}"));
    let server = Server::start(move |seen| {
        let (_, row) = seen.prompt().split_once("Say ").unwrap();
        let row: usize = row.split(' ').next().unwrap().parse().unwrap();
        Answer::Text(words[row].to_owned())
    });
    let judge = ["--judge", "openai:m", "--base-url", &server.url, "--allow-unjudged", "1"];
    for output in ["out.csv", "out.parquet"] {
        work.run(&[&["label", "in.csv", "-o", output], &judge[..]].concat()).ended(0);
    }
    let guarded = words.map(|text| match text.starts_with(['a', ' ']) {
        true => text.to_owned(),
        false => format!("'{text}"),
    });
    assert_eq!(work.column("out.csv", "raw_reply"), guarded);
    // What came in goes out as it was.
    assert_eq!(work.rows("out.csv")[0]["note"], "=mine()");
    assert_eq!(work.rows("out.csv")[0]["tool_call"], "=f()");
    let replies = parquet(&work, "out.parquet").column("raw_reply").unwrap().clone();
    assert_eq!(replies.str().unwrap().iter().flatten().collect::<Vec<_>>(), words);
}

#[test]
fn formulas_of_the_input_are_escaped_on_request() {
    const CELLS: [(&str, &str); 12] = [
        ("=1+1", "'=1+1"),
        ("+cmd|x", "'+cmd|x"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("\u{ff1d}1", "'\u{ff1d}1"),
        ("-inf", "'-inf"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        ("a;=1", "a;=1"),
        ("it's", "it's"),
    ];
    let work = Workspace::new();
    let mut table = "question,tool_call,tool_definitions,=head\n".to_owned();
    CELLS.iter().for_each(|(cell, _)| {
        table.push_str(&format!(
            "=q,f(a=1),\"[{{\"\"name\"\":\"\"f\"\",\"\"parameters\"\":{{}}}}]\",\"{cell}\"\n"
        ))
    });
    work.file("in.csv", &table);
    let safe = "--escape-formulas";
    work.run(&["label", "in.csv", "-o", "out.csv", safe]).ended(0);
    work.run(&["bench", "in.csv", "--gold", "label", "-o", "b.csv", safe]).ended(2);
    work.run(&["convert", "in.csv", "-o", "rows.csv", safe]).ended(0);
    work.run(&["audit", "in.csv", "-o", "audit.csv", safe]).ended(0);
    assert_eq!(work.column("out.csv", "'=head"), CELLS.map(|(_, safe)| safe));
    assert!(work.column("rows.csv", "question").iter().all(|question| question == "'=q"));
    // Nor does a text begin a cell where the spreadsheet parts columns by another sign.
    assert!(work.read("out.csv").contains("\"a;=1\""));
    for name in ["out.csv", "rows.csv", "audit.csv"] {
        let text = work.read(name);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        for record in std::iter::once(header).chain(reader.records().map(Result::unwrap)) {
            for cell in record.iter().filter(|cell| cell.parse::<f64>().is_err()) {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{name}: {cell:?}");
            }
        }
    }
    // Without the flag, and in other formats, everything is as it was.
    work.run(&["label", "in.csv", "-o", "plain.csv"]).ended(0);
    assert_eq!(work.column("plain.csv", "=head"), CELLS.map(|(cell, _)| cell));
    work.run(&["label", "in.csv", "-o", "out.jsonl", safe]).ended(0);
    assert!(work.read("out.jsonl").contains("\"=head\":\"=1+1\""));
}
