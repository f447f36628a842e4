//! Writes what the fuzzer starts from: `seeds/TARGET/` out of the tests' fixtures, and `seeds/words` out of the readers.
//!
//! `cargo run --example seeds`, in this folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tooljudge_fuzz::STATUSES;
use tooljudge_core::domain::{Json, Object};

/// Longer texts cost more than they teach.
const MAX_LENGTH: usize = 16 << 10;

/// The first byte of a log's seed: its format is to be detected.
const DETECTED: char = '\u{7f}';

fn main() -> io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = fuzz.join("../tests");
    let fixtures = tests.join("fixtures/formats");
    let mut seeds = Seeds { folder: fuzz.join("seeds"), written: BTreeSet::new() };
    for file in files(&fixtures.join("calls"))?.into_iter().chain(files(&fixtures.join("own/calls"))?) {
        for row in values(&fs::read_to_string(file)?) {
            seeds.add("json", &row.to_string())?;
            for (column, target) in [
                ("question", "question"),
                ("tool_call", "tool_call"),
                ("tool_definitions", "tool_definitions"),
            ] {
                seeds.add(target, &text(row.get(column)))?;
            }
        }
    }
    for file in files(&fixtures.join("definitions"))? {
        seeds.add("tool_definitions", fs::read_to_string(file)?.trim_end())?;
    }
    for line in values(&fs::read_to_string(fixtures.join("expected.jsonl"))?) {
        seeds.add("question", &text(line.get("messages")))?;
    }
    for file in files(&fixtures.join("logs"))?.into_iter().chain(files(&fixtures.join("own/logs"))?) {
        let Ok(content) = fs::read_to_string(file) else { continue };
        seeds.add("log_record", &format!("{DETECTED}{content}"))?;
        for record in values(&content) {
            let record = Json::Object(record);
            seeds.add("log_record", &format!("{DETECTED}{record}"))?;
            for key in ["messages", "input"] {
                seeds.add("question", &text(record.get(key)))?;
            }
        }
    }
    for reply in values(&fs::read_to_string(tests.join("cases/snap.jsonl"))?) {
        seeds.add("snap", &text(reply.get("reply")))?;
    }
    for table in [
        "question\ntool_call\ntools",
        "userMessages\ngenerated\ninput\n\nquestion=userMessages",
        "messages\nraw\ninput\noutput",
    ] {
        seeds.add("columns", table)?;
    }
    for file in files(&fuzz.join("../templates"))? {
        seeds.add("template", &fs::read_to_string(file)?)?;
    }
    replies(&mut seeds, &tests.join("cassettes"))?;
    for file in files(&tests.join("cases/parity"))? {
        let mut text = String::new();
        flate2::read::GzDecoder::new(fs::File::open(file)?).read_to_string(&mut text)?;
        for record in text.lines().step_by(100) {
            seeds.add("score", record)?;
        }
    }
    for file in files(&fixtures)? {
        for layout in ['\0', '\u{1}'] {
            seeds.add_bytes("records", &[&[layout as u8], fs::read(&file)?.as_slice()].concat())?;
        }
    }
    for (target, texts) in OWN {
        for text in *texts {
            seeds.add(target, text)?;
        }
    }
    let rooms = ["core/src/normalize", "src/judge", "core/src/score", "src/read", "core/src/render"];
    let mut words = BTreeSet::new();
    for room in rooms {
        words.extend(self::words(&fuzz.join("..").join(room))?);
    }
    let words = Vec::from_iter(words);
    println!("{} seeds, {} words", seeds.written.len(), words.len());
    fs::write(fuzz.join("seeds/words"), words.join("\n"))
}

/// What providers answered, with the bytes that choose the format and the status before it; and their headers.
fn replies(seeds: &mut Seeds, cassettes: &Path) -> io::Result<()> {
    const FORMATS: [&str; 7] =
        ["openai", "vllm", "llamacpp", "openai-responses", "anthropic", "gemini", "ollama"];
    for file in files(cassettes)? {
        let provider =
            file.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        // Azure speaks as OpenAI does.
        let format = FORMATS.iter().position(|format| *format == provider).unwrap_or(0);
        for exchange in values(&fs::read_to_string(&file)?) {
            let Some(response) = exchange.get("response") else { continue };
            let status = text(response.get("status"));
            let status = STATUSES.iter().position(|known| known.to_string() == status).unwrap_or(0);
            let body = text(response.get("body"));
            seeds.add_bytes("reply", &[&[format as u8, status as u8], body.as_bytes()].concat())?;
            let headers = response.get("headers").and_then(Json::as_object);
            let lines = headers.into_iter().flat_map(Object::iter);
            let lines: String =
                lines.map(|(name, value)| format!("{name}: {}\n", text(Some(value)))).collect();
            seeds.add("headers", &format!("{lines}\n{body}"))?;
        }
    }
    Ok(())
}

/// What nothing else in the repository spells.
const OWN: &[(&str, &[&str])] = &[
    (
        "template",
        &[
            "{question}\n{{tool_call}} {tool_definitions}",
            "{{ question }}{{ tool_call }}",
            "{% if explain %}{{ question }}{% endif %}{{ tool_call }}",
        ],
    ),
    (
        "headers",
        &[
            "retry-after: 7\n\n",
            "retry-after: Sun, 06 Nov 2094 08:49:37 GMT\n\n",
            "retry-after: Sunday, 06-Nov-94 08:49:37 GMT\n\n",
            "retry-after-ms: 1500\nretry-after: 9\n\n",
            "x-ratelimit-limit-requests: 600\nx-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 6m0.5s\n\ntry again in 20 seconds",
            "anthropic-ratelimit-input-tokens-limit: 50000\nanthropic-ratelimit-input-tokens-remaining: 0\n\
             anthropic-ratelimit-input-tokens-reset: 2094-11-06T08:48:08.5Z\n\nPlease retry after 250 ms",
        ],
    ),
    (
        "config",
        &[
            "[label]\nrpm = 500\n[score]\ncompat = \"bfcl\"\n[prices]\n\"openai:m\" = { input = 1.0, cached_input = 0.5, output = 2, up_to = 9 }",
            "[judges.a]\njudge = \"openai:m\"\nbase_url =@\napi_key_env = \"KEY\"\ntemperature = 0.5\nmax_tokens = 9\nnum_ctx = 9\n\
             timeout = 1.5\nmax_attempts = 2\nmax_wait = 60\nconcurrency = \"auto\"\nrpm = 1\ntpm = 2\nitpm = 3\notpm = 4\n\
             proxy =@\nca_cert = \"a.pem\"\nheaders = { X =@, Y = \"${PATH}\" }\nquery = { v = \"1\" }\n\
             price = { input = 1, output = 2 }\n[judges.a.body]\ntop_k = 3\nsecret =@",
            "[judges.a]\njudge = \"openai:m\"\nheaders =@\n",
            "[judges.a]\njudge =$\nrpm =@\n",
        ],
    ),
    (
        "csv",
        &[
            "\0question,tool_call\nq,\"{\"\"a\"\": 1}\"\n\"two\nlines\",c\n",
            "\u{1}question\ttool_call\r\nq\tc\r\n",
            "\u{2}\u{feff}question;tool_call\n\"q\";c\n\n;\n",
            "\0a;b\n1;2\n",
        ],
    ),
    (
        "records",
        &[
            "\0{\n \"data\": [{\"a\": 1}, {\"b\": [2]}],\n \"more\": {}\n}",
            "\0{\n\"resourceSpans\": [\n{}\n]}\n{\n}",
        ],
    ),
    (
        "score",
        &[
            r#"{"category":"simple_java","functions":[{"name":"f","parameters":{"type":"dict","required":["a"],"properties":{"a":{"type":"HashMap"},"b":{"type":"ArrayList","items":{"type":"String"}},"c":{"type":"long"}}}}],"call":[{"f":{"a":"new HashMap<String, Integer>() {{ put(\"a\", 1); }}","b":"new ArrayList<String>(Arrays.asList(\"x\"))","c":"5L"}}],"possible_answer":[{"f":{"a":[{"a":[1]}],"b":[["x"]],"c":[5,""]}}]}"#,
            r#"{"category":"simple_javascript","functions":[{"name":"f","parameters":{"type":"dict","required":["a"],"properties":{"a":{"type":"array","items":{"type":"Bigint"}},"b":{"type":"dict"}}}}],"call":[{"f":{"a":"[1n, 2n]","b":"{a: 'x', \"b\": [1.5, true]}"}}],"possible_answer":[{"f":{"a":[[1,2]],"b":[{"a":["x"],"b":[[1.5,true]]}]}}]}"#,
            r#"{"category":"parallel_multiple","functions":[{"name":"a.b","parameters":{"type":"dict","required":[],"properties":{"x":{"type":"tuple"},"y":{"type":"float"}}}}],"call":[{"a_b":{"x":{"__tuple__":[1,2]},"y":1}},{"a_b":{"x":{"__dict__":[[1,2]]}}}],"possible_answer":[{"a.b":{"x":[[1,2]],"y":[1.0]}},{"a.b":{"x":[{"k":[1]}]}}],"underscore_to_dot":true}"#,
            r#"{"id":"simple_python_0","function":[{"name":"f"}],"result":[{"f":"{\"a\":1}"}],"ground_truth":[{"f":{"a":[1]}}]}"#,
        ],
    ),
    (
        "calibration",
        &[
            r#"{"schema":2,"version":"0.1.0","entrants":[{"judge":"m","template":"t","operating":{"kinds":[{"clusters":3,"table":[2,1,0,0,1,0],"right":[0,0,0,0,0,0,0,0,0,1,3],"wrong":[0,0,0,0,0,0,0,0,0,0,0]}]}}]}"#,
            r#"{"schema":1,"version":"0.1.0","entrants":[{"judge":"m","template":"t","operating":{"kinds":[{"clusters":3,"table":[2,1,0,0,1,0],"right":[0,0,0,0,0,0,0,0,0,1,3],"wrong":[0,0,0,0,0,0,0,0,0,0,0]}]}}]}"#,
        ],
    ),
];

struct Seeds {
    folder: PathBuf,
    written: BTreeSet<(&'static str, Vec<u8>)>,
}

impl Seeds {
    fn add(&mut self, target: &'static str, text: &str) -> io::Result<()> {
        self.add_bytes(target, text.as_bytes())
    }

    fn add_bytes(&mut self, target: &'static str, text: &[u8]) -> io::Result<()> {
        let folder = self.folder.join(target);
        if text.is_empty() || text.len() > MAX_LENGTH || !self.written.insert((target, text.to_owned())) {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{:04}", self.written.len())), text)
    }
}

/// All files below a folder, in the same order every time.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The objects in a text, one after another or in lists.
fn values(text: &str) -> Vec<Object> {
    let mut objects = Vec::new();
    let mut rest = text;
    while let Ok((value, end)) = Json::parse_prefix(rest) {
        let items = match value {
            Json::Array(items) => items,
            other => vec![other],
        };
        objects.extend(items.into_iter().filter_map(|item| match item {
            Json::Object(object) => Some(object),
            _ => None,
        }));
        rest = &rest[end..];
    }
    objects
}

fn text(value: Option<&Json>) -> String {
    match value {
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// The words that the readers look for: whatever stands in quotes there.
fn words(folder: &Path) -> io::Result<Vec<String>> {
    let mut words = BTreeSet::new();
    for file in files(folder)? {
        let source = fs::read_to_string(file)?;
        let code = source.lines().take_while(|line| !line.starts_with("mod tests {"));
        let code = code.filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            words.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let plain = |word: &String| {
        (2..40).contains(&word.len())
            && word.bytes().all(|byte| matches!(byte, b' '..=b'~'))
            && !word.contains('\\')
    };
    Ok(words.into_iter().filter(plain).map(|word| format!("\"{word}\"")).collect())
}
