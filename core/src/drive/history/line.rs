//! Records as lines of a file, to which each run adds its own.

use serde_json::{Map, Value};

use super::record::RunRecord;

/// The format of the lines that this version writes, and the newest that it reads.
pub const FORMAT: u64 = 2;
/// The oldest that it reads: its lines count episodes, and do not say who paid for them.
const OLDEST: u64 = 1;
/// How every line begins.
const KIND: &str = "tooljudge history";
const BEGINNING: &str = "{\"kind\":\"tooljudge history\"";

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Its records, in their order.
    pub records: Vec<RunRecord>,
    /// Where the last line begins that a run did not finish, in bytes; it holds no record.
    pub torn_at: Option<usize>,
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// A record as a line, its end included.
pub fn write(record: &RunRecord) -> String {
    let mut line = Map::new();
    line.insert("kind".to_owned(), Value::from(KIND));
    line.insert("format".to_owned(), Value::from(FORMAT));
    if let Ok(Value::Object(members)) = serde_json::to_value(record) {
        line.extend(members);
    }
    format!("{}\n", Value::Object(line))
}

/// The records of a file's content. Empty lines are left out; a last line without an end that is the beginning of a record is torn.
///
/// # Errors
/// Names the first line that holds something else.
pub fn read(content: &[u8]) -> Result<History, BadLine> {
    let mut found = History { records: Vec::new(), torn_at: None };
    let mut at = 0;
    for (number, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let begins = at;
        at += line.len();
        let is_ended = line.ends_with(b"\n");
        // An editor may have put a byte order mark before all of it.
        let line = line.strip_prefix(b"\xef\xbb\xbf".as_slice()).filter(|_| number == 0).unwrap_or(line);
        let text = std::str::from_utf8(line).map(str::trim);
        if text == Ok("") {
            continue;
        }
        match text.map_err(|_| "it is not text in UTF-8".to_owned()).and_then(record) {
            Ok(record) => found.records.push(record),
            Err(_) if !is_ended && is_beginning(line) => found.torn_at = Some(begins),
            Err(why) => return Err(BadLine { line: number + 1, why }),
        }
    }
    Ok(found)
}

/// Whether a line is as much of a record as came to the disk.
fn is_beginning(line: &[u8]) -> bool {
    let near = line.len().min(BEGINNING.len());
    let is_whole = || serde_json::from_slice::<Value>(line).is_ok();
    line[..near] == BEGINNING.as_bytes()[..near] && !is_whole()
}

fn record(line: &str) -> Result<RunRecord, String> {
    let value: Value = serde_json::from_str(line).map_err(|why| format!("it is not JSON: {why}"))?;
    if value.get("kind").and_then(Value::as_str) != Some(KIND) {
        return Err("it is not a record of the results of a run".to_owned());
    }
    match value.get("format").and_then(Value::as_u64) {
        Some(format) if format > FORMAT => {
            return Err(format!(
                "its format is {format}, and this version of tooljudge reads {FORMAT}: upgrade it"
            ));
        }
        Some(OLDEST..) => {}
        _ => return Err("it has no known format".to_owned()),
    }
    let record: RunRecord =
        serde_json::from_value(value).map_err(|why| format!("the record is damaged: {why}"))?;
    match record.wrong() {
        Some(why) => Err(format!("the record is damaged: {why}")),
        None => Ok(record),
    }
}

#[cfg(test)]
mod tests {
    use super::super::trend::tests::run;
    use super::*;

    #[test]
    fn a_record_survives_and_a_torn_line_is_known() {
        let (one, two) = (run("1", "a", &[("x", 1, 2)]), run("2", "a", &[("x", 2, 2)]));
        let text = write(&one) + &write(&two);
        assert!(text.starts_with(BEGINNING), "{text}");
        let whole = History { records: vec![one.clone(), two], torn_at: None };
        assert_eq!(read(text.as_bytes()), Ok(whole.clone()));
        assert_eq!(read(text.trim_end().as_bytes()), Ok(whole), "only its end is missing");
        let first = write(&one).len();
        for cut in first + 1..text.len() - 1 {
            let found = read(&text.as_bytes()[..cut]);
            assert_eq!(found, Ok(History { records: vec![one.clone()], torn_at: Some(first) }), "{cut}");
        }
    }

    #[test]
    fn lines_of_the_first_format_and_marks_are_read() {
        let mut old = run("1", "a", &[("x", 1, 2)]);
        let line = write(&old)
            .replace("\"format\":2", "\"format\":1")
            .replace("\"episodes\":\"pf\"", "\"fresh\":{}");
        old.suites[0].cases[0].evidence = Default::default();
        let found = read(format!("\u{feff}{line}").as_bytes()).unwrap();
        assert_eq!(found.records, [old]);
    }

    #[test]
    fn what_is_no_record_is_named_by_its_line() {
        let good = write(&run("1", "a", &[("x", 1, 2)]));
        let newer = good.replace("\"format\":2", "\"format\":3");
        for (text, line, why) in [
            ("id,label\n1,correct\n".to_owned(), 1, "not JSON"),
            ("{\"id\": 1}\n".to_owned(), 1, "not a record"),
            ("[1]".to_owned(), 1, "not a record"),
            (format!("{good}\n{newer}"), 3, "its format is 3"),
            (format!("{good}{}\n{good}", &good[..80]), 2, "not JSON"),
            (format!("{good}\0\0\0"), 2, "not JSON"),
            (good.replace("\"failed\":1", "\"failed\":2"), 1, "do not add up"),
            (
                good.replace("\"trials\":2,\"passed\":1", "\"trials\":1000002,\"passed\":1000001"),
                1,
                "more than 1000000",
            ),
            (
                good.replace("\"episodes\":\"pf\"", "\"episodes\":\"pp\""),
                1,
                "has other episodes than are counted",
            ),
            (good.replace("\"episodes\":\"pf\"", "\"episodes\":\"px\""), 1, "in no known way"),
            (
                good.replace("\"episodes\":", "\"stored\":{\"0\":[3]},\"episodes\":"),
                1,
                "names a run for an episode",
            ),
            (good.replace("\"episodes\":", "\"crashed\":{\"0\":[3]},\"episodes\":"), 1, "names a crash"),
            (good.replace("\"episodes\":", "\"shared\":[0],\"episodes\":"), 1, "shares an episode"),
            (good.replace("\"run\":\"1\",", ""), 1, "missing field `run`"),
            (good.replace("\"format\":2", "\"format\":0"), 1, "no known format"),
        ] {
            let found = read(text.as_bytes()).unwrap_err();
            assert!(found.line == line && found.why.contains(why), "{text}: {found:?}");
        }
        let found = read(&[b"\xff\n", good.as_bytes()].concat()).unwrap_err();
        assert_eq!(found, BadLine { line: 1, why: "it is not text in UTF-8".to_owned() });
        assert_eq!(read(b""), Ok(History { records: Vec::new(), torn_at: None }));
    }
}
