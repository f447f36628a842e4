//! What people are told when a table cannot be read or written: the whole message, case by case.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use polars::prelude::*;

use crate::support::workspace::{Workspace, repository};

const HEADER: &str = "question,tool_call,tool_definitions\n";

const KNOWN: &str = "the known extensions are .csv, .tsv, .ssv, .jsonl, .ndjson, .json (these also with .gz or .zst), .parquet, .arrow, \
                     .feather and .ipc; or name its format with --from";

/// Runs `label` with `args`, which must fail and leave no file behind; returns what it says.
fn fails(work: &Workspace, args: &[&str]) -> String {
    let before = work.names();
    let ran = work.run(&[&["label"], args].concat()).ended(2);
    assert_eq!(work.names(), before, "{args:?}");
    assert_eq!(ran.stdout, "", "{args:?}");
    let (_, message) = ran.stderr.split_once("error: ").unwrap_or_else(|| panic!("{}", ran.stderr));
    message.trim_end().to_owned()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 0).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Rows that do not compress to nothing.
fn many_rows() -> Vec<u8> {
    let row = |at: u64| format!("ask {:x},\"f(a={at})\",\n", at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (HEADER.to_owned() + &(0..20_000).map(row).collect::<String>()).into_bytes()
}

#[test]
fn texts_that_are_no_tables() {
    let work = Workspace::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let cases: [(&str, &[u8], String); 28] = [
        ("notes.txt", b"hello", format!("notes.txt: unknown file format; {KNOWN}")),
        ("calls", b"hello", format!("calls: unknown file format; {KNOWN}")),
        ("empty.csv", b"", "empty.csv is empty".into()),
        ("mark.csv", b"\xef\xbb\xbf", "mark.csv is empty".into()),
        ("empty.jsonl", b"", "empty.jsonl is empty".into()),
        ("blank.jsonl", b"\n \n", "blank.jsonl is empty".into()),
        ("empty.json", b"[]", "empty.json is empty".into()),
        ("empty.csv.gz", &gzip(b""), "empty.csv.gz is empty".into()),
        ("twice.csv", b"question,question\n", "twice.csv has two columns named `question`; rename one of them".into()),
        (
            "latin.csv",
            b"question,tool_call,se\xf1or\n",
            "latin.csv: the name of column 3 is not UTF-8; save the file as UTF-8".into(),
        ),
        (
            "utf16.csv",
            &utf16("\u{feff}question,tool_call\n"),
            "utf16.csv is not csv but text in UTF-16: save it as UTF-8".into(),
        ),
        (
            "utf16.jsonl",
            &utf16("\u{feff}{}\n"),
            "utf16.jsonl is not jsonl but text in UTF-16: save it as UTF-8".into(),
        ),
        (
            "unmarked.csv",
            &utf16("question,tool_call\n"),
            "unmarked.csv: the header holds NUL bytes, as text in UTF-16 or a binary file does; save it as UTF-8 text".into(),
        ),
        (
            "semicolons.csv",
            b"question;tool_call\na;b\n",
            "semicolons.csv: the header is one column, `question;tool_call`, but seems to be divided by semicolons; read it \
             with --from ssv"
                .into(),
        ),
        (
            "tabs.csv",
            b"question\ttool_call\n",
            "tabs.csv: the header is one column, `question tool_call`, but seems to be divided by tabs; read it with --from tsv"
                .into(),
        ),
        (
            "commas.tsv",
            b"question,tool_call\n",
            "commas.tsv: the header is one column, `question,tool_call`, but seems to be divided by commas; read it with \
             --from csv"
                .into(),
        ),
        (
            "bars.csv",
            b"question|tool_call\n",
            "bars.csv: the header is one column, `question|tool_call`, but seems to be divided by vertical bars; write it as \
             CSV first"
                .into(),
        ),
        (
            "uneven.csv",
            b"question,tool_call\r\n\r\na,\"b\r\n\"\r\nc\r\n",
            "uneven.csv, line 5: 1 fields where the header has 2; a field that holds a comma or a line break needs double \
             quotes around it"
                .into(),
        ),
        (
            "quote.csv",
            b"question,tool_call\na,b\n\"c,d\ne,f\n",
            "quote.csv, line 3: a quote is opened and never closed".into(),
        ),
        // As many fields as there should be, and yet the rows below would be lost.
        (
            "last_quote.csv",
            b"question,tool_call\r\na,b\r\nc,\"d\r\ne,f\r\n",
            "last_quote.csv, line 3: a quote is opened and never closed".into(),
        ),
        (
            "cut.json",
            br#"[{"question":"a","tool_call":[]},"#,
            "cut.json: an array or object is never closed; is the file cut short?".into(),
        ),
        (
            "more.json",
            b"[{\"question\":\"a\"}]\n{\"question\":\"b\"}",
            "more.json: line 2: something follows the end of the array; rows there would be lost".into(),
        ),
        (
            "other.csv",
            b"prompt_text,tools\n",
            "no column holds the question (try `--column question=prompt_text`) and the tool_call; the columns are `prompt_text`, `tools`; say which it is with `--column tool_call=COLUMN`"
                .into(),
        ),
        (
            "words.jsonl",
            b"not json at all\n[1]\n",
            "words.jsonl: no row is a JSON object with keys, so there are no columns; the first one: invalid_json: expected a JSON value at line 1, column 1".into(),
        ),
        ("parquet.csv", b"PAR1", "parquet.csv is not csv but Parquet: read it with --from parquet".into()),
        (
            "book.csv",
            b"PK\x03\x04",
            "book.csv is not csv but a zip archive or a spreadsheet: unpack it, or save it as CSV".into(),
        ),
        (
            "rows.jsonl",
            b"BZh9",
            "rows.jsonl is not jsonl but compressed with bzip2: unpack it, or compress it with gzip or zstd".into(),
        ),
        (
            "twice.csv.gz",
            &gzip(&gzip(b"x")),
            "twice.csv.gz is not csv but compressed twice: unpack it once".into(),
        ),
    ];
    for (name, content, message) in cases {
        work.file(name, content);
        assert_eq!(fails(&work, &[name]), message);
    }
}

#[test]
fn compressed_texts_that_end_too_soon_or_are_damaged() {
    let work = Workspace::new();
    let rows = many_rows();
    for (name, packed) in [("rows.csv.gz", gzip(&rows)), ("rows.csv.zst", zstd(&rows))] {
        for end in [packed.len() / 3, packed.len() - 3] {
            work.file(name, &packed[..end]);
            let expected = format!(
                "{name} is cut short: its compressed data ends in the middle; copy or download it again"
            );
            assert_eq!(fails(&work, &[name]), expected);
        }
        let mut damaged = packed.clone();
        let end = damaged.len();
        damaged[end / 2] ^= 0xff;
        work.file(name, damaged);
        let message = fails(&work, &[name]);
        assert!(message.starts_with(&format!("{name}: the compressed data is damaged (")), "{message}");
        // Several parts in a row are one text.
        work.file(name, [packed.as_slice(), &packed[..40]].concat());
        assert!(fails(&work, &[name]).starts_with(&format!("{name} is cut short")));
    }
}

#[test]
fn typed_files_that_end_too_soon_or_are_damaged() {
    let work = Workspace::new();
    let questions: Vec<String> = (0..300).map(|at| format!("question {at}")).collect();
    let mut frame = df!("question" => &questions, "tool_call" => &questions).unwrap();
    ParquetWriter::new(std::fs::File::create(work.path("in.parquet")).unwrap()).finish(&mut frame).unwrap();
    IpcWriter::new(std::fs::File::create(work.path("in.arrow")).unwrap()).finish(&mut frame).unwrap();
    let parquet = "no readable Parquet file, perhaps cut short (parquet: File out of specification: The file must end with PAR1)";
    let arrow = "no readable Arrow file or stream, perhaps cut short (out-of-spec: InvalidFooter)";
    for (name, message) in [("in.parquet", parquet), ("in.arrow", arrow)] {
        let whole = std::fs::read(work.path(name)).unwrap();
        work.file(name, &whole[..whole.len() / 2]);
        assert_eq!(fails(&work, &[name]), format!("{name}: {message}"));
        work.file(name, "");
        assert_eq!(fails(&work, &[name]), format!("{name} is empty"));
        work.file(name, HEADER.repeat(9));
        assert!(fails(&work, &[name]).starts_with(&format!("{name}: n")));
        // Whatever is wrong, it is said, and nothing is written.
        for at in (8..whole.len()).step_by(whole.len() / 23) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            work.file(name, damaged);
            let ran = work.run(&["label", name, "-o", "out.csv", "--force", "--allow-unjudged", "1"]);
            assert!(!ran.stderr.contains("panicked"), "{name} {at}: {}", ran.stderr);
            match ran.code {
                Some(0) => assert_eq!(work.rows("out.csv").len(), 300),
                code => {
                    assert!(code == Some(2) && ran.stderr.contains("error: "), "{name} {at}: {}", ran.stderr)
                }
            }
        }
    }
}

#[test]
fn inputs_that_do_not_go_together() {
    let work = Workspace::new();
    work.file("a.csv", format!("{HEADER}x,,\n"));
    work.file("b.jsonl", r#"{"question":"x","tool_call":[]}"#);
    std::fs::create_dir_all(work.path("logs/sub")).unwrap();
    work.file("logs/_SUCCESS", "");
    work.file("logs/.hidden.csv", HEADER);
    for (name, mut frame) in [
        ("ints.parquet", df!("question" => ["a"], "tool_call" => ["b"], "n" => [1_i64]).unwrap()),
        ("texts.parquet", df!("question" => ["a"], "tool_call" => ["b"], "n" => ["x"]).unwrap()),
    ] {
        ParquetWriter::new(std::fs::File::create(work.path(name)).unwrap()).finish(&mut frame).unwrap();
    }
    for (args, message) in [
        (&["none.csv"][..], "no file matches `none.csv`"),
        (&["none*.csv"], "no file matches `none*.csv`"),
        (&["ints.parqet"], "no file matches `ints.parqet`; did you mean `ints.parquet`?"),
        (
            &["[.csv"],
            "`[.csv` is not a valid pattern: Pattern syntax error near position 0: invalid range pattern",
        ),
        (&["a.csv", "b.jsonl"], "a.csv is csv, but b.jsonl is jsonl; label them in separate runs"),
        (
            &["ints.parquet", "texts.parquet"],
            "column `n` is i64 in one file and str in texts.parquet; make them one type first",
        ),
        (
            &["logs"],
            "the folder logs holds no data files: csv, tsv, ssv (semicolons), jsonl, json, parquet or arrow (names that begin \
             with `.` or `_` do not count)",
        ),
        (&["-", "-"], "the standard input can be read only once; name it once"),
        (
            &["a.csv", "--where", "kind=x"],
            "--where: there is no column `kind`; there are `question`, `tool_call`, `tool_definitions`",
        ),
        (&["a.csv", "a.csv"], "the table of several inputs needs an output file: give -o FILE"),
    ] {
        assert_eq!(fails(&work, args), message);
    }
}

/// An edit that leaves length and time as they were is an edit, too; a file that was only touched is as it was.
#[test]
fn a_table_that_was_edited_is_not_replaced() {
    let work = Workspace::new();
    let input = repository("datasets/quickstart.csv").display().to_string();
    let label = |more: &[&str]| {
        let args = ["label", &input, "--limit", "5", "-o", "out.csv", "--max-abstained", "1"];
        work.run(&[&args[..], &["--allow-unjudged", "1"], more].concat())
    };
    label(&[]).ended(0);
    label(&[]).ended(0);
    let changed_at = |at: std::time::SystemTime| {
        std::fs::File::options().append(true).open(work.path("out.csv")).unwrap().set_modified(at).unwrap();
    };
    let now = std::time::SystemTime::now();
    changed_at(now + std::time::Duration::from_secs(10));
    label(&[]).ended(0);
    let edited = work.read("out.csv").replacen('t', "T", 1);
    std::fs::write(work.path("out.csv"), &edited).unwrap();
    changed_at(now);
    let ran = label(&[]).ended(2);
    assert!(ran.stderr.contains("was not written by a run of tooljudge as it is now"), "{}", ran.stderr);
    assert_eq!(work.read("out.csv"), edited);
    label(&["--force"]).ended(0);
    label(&[]).ended(0);
}

#[test]
fn outputs_that_cannot_be() {
    let work = Workspace::new();
    work.file("in.csv", format!("{HEADER}x,,\n"));
    work.file("theirs.csv", "mine");
    std::fs::create_dir(work.path("folder.csv")).unwrap();
    std::fs::create_dir(work.path("logs")).unwrap();
    work.file("logs/a.csv", format!("{HEADER}x,,\n"));
    std::fs::hard_link(work.path("in.csv"), work.path("hard.csv")).unwrap();
    let known = "the known extensions are .csv, .tsv, .ssv, .jsonl, .json (these also with .gz or .zst), .parquet and .arrow; or name \
                 the format with --to";
    let mut cases = vec![
        ("in.csv", "nowhere/out.csv", "the folder nowhere does not exist; create it or choose another place".into()),
        ("in.csv", "folder.csv", "folder.csv is a folder; name a file in it with -o".into()),
        ("in.csv", "in.csv", "in.csv is an input of this run; choose another output file".into()),
        ("in.csv", "hard.csv", "hard.csv is an input of this run; choose another output file".into()),
        (
            "in.csv",
            "theirs.csv",
            "theirs.csv exists and was not written by a run of tooljudge as it is now; choose another place, or \
             replace it with --force"
                .into(),
        ),
        ("in.csv", "out.xlsx", format!("out.xlsx: unknown output format; {known}")),
        ("in.csv", "out.parquet.gz", format!("out.parquet.gz: unknown output format; {known}")),
        (
            "logs",
            "logs/out.csv",
            "logs/out.csv lies in the input folder logs, where the next run would read it as data; choose another place"
                .into(),
        ),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("in.csv", work.path("link.csv")).unwrap();
        cases.push((
            "in.csv",
            "link.csv",
            "link.csv is an input of this run; choose another output file".into(),
        ));
    }
    #[cfg(target_os = "linux")]
    {
        // Where nobody may write, not even the system's own administrator.
        cases.push(("in.csv", "/proc/out.csv", "cannot write /proc/out.csv: entity not found".into()));
        let full = "cannot write /dev/full: no space left on its disk; free some and run the same command again; replies that were paid for are kept";
        cases.push(("in.csv", "/dev/full", full.into()));
        for format in ["parquet", "arrow", "jsonl.gz", "csv.zst"] {
            assert_eq!(fails(&work, &["in.csv", "-o", "/dev/full", "--to", format]), full, "{format}");
        }
    }
    for (input, output, message) in cases {
        assert_eq!(fails(&work, &[input, "-o", output]), message);
    }
    let message = fails(&work, &["in.csv", "-o", "in.csv", "--force"]);
    assert_eq!(message, "in.csv is an input of this run; choose another output file");
    assert_eq!(fails(&work, &["logs"]), "the table of several inputs needs an output file: give -o FILE");
}

#[test]
fn a_row_without_end() {
    let work = Workspace::new();
    let endless = |name: &str, start: &str| {
        let mut encoder = zstd::Encoder::new(std::fs::File::create(work.path(name)).unwrap(), 1).unwrap();
        encoder.write_all(start.as_bytes()).unwrap();
        let megabyte = vec![b'x'; 1 << 20];
        for _ in 0..257 {
            encoder.write_all(&megabyte).unwrap();
        }
        encoder.finish().unwrap();
    };
    endless("in.csv.zst", "question,tool_call\r\na,\"b\r\nc\"\r\n\"");
    assert_eq!(
        fails(&work, &["in.csv.zst"]),
        "in.csv.zst, line 4: the row that begins here takes more than 256 MB; is a quote or bracket never closed? \
         Shorten or remove the row"
    );
    endless("in.json.zst", "[{\"question\":\"a\",\"tool_call\":[]},\n{\"question\":\"");
    assert_eq!(
        fails(&work, &["in.json.zst"]),
        "in.json.zst: an array or object is never closed; is the file cut short?"
    );
    endless("only.jsonl.zst", "{\"question\":\"");
    assert_eq!(
        fails(&work, &["only.jsonl.zst"]),
        "only.jsonl.zst: no row is a JSON object with keys, so there are no columns; the first one: row_too_large: line 1: \
         a record of more than 64 MB is not read; shorten or split it"
    );
    // Where lines tell rows apart, the others can be read.
    endless("in.jsonl.zst", "{\"question\":\"a\",\"tool_call\":[]}\n\n{\"question\":\"");
    work.run(&["label", "in.jsonl.zst", "-o", "out.jsonl"]).ended(1);
    let last = std::fs::read_to_string(work.path("out.jsonl")).unwrap().lines().last().unwrap().to_owned();
    let error = r#""row_too_large: line 3: a record of more than 64 MB is not read; shorten or split it""#;
    assert!(last.contains(error), "{last}");
}
