//! The rows of a shipped data set, read as the program reads them.

use tooljudge_core::domain::{Cell, Json, RawRow, Sample};
use tooljudge_core::normalize::{Normalizer, Options};

/// A file of `datasets`.
pub fn text(file: &str) -> String {
    let path = format!("{}/../datasets/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Its rows: as they are, and as samples.
pub fn of(text: &str) -> impl Iterator<Item = (Json, Sample)> {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    text.lines().map(move |line| {
        let json = Json::parse(line).unwrap();
        let cell = |column| Cell::from(json.get(column).unwrap().clone());
        let raw = RawRow {
            question: cell("question"),
            tool_call: cell("tool_call"),
            tool_definitions: cell("tool_definitions"),
            ..RawRow::default()
        };
        let sample = normalizer.sample(raw).unwrap_or_else(|error| panic!("{line}: {error}"));
        (json, sample)
    })
}
