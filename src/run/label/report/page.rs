//! Writes the page: the index and shared data first, then the rows in separately compressed chunks.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Entry, ReportWatch};
use crate::domain::gold_columns;
use crate::report;
use crate::run::RunError;
use crate::write::{WriteError, write_parts};

/// Bytes and rows of a chunk before it is compressed.
const CHUNK: usize = 400_000;
const CHUNK_ROWS: usize = 200;
/// Chunks that are compressed side by side.
const TOGETHER: usize = 8;
/// Bytes of definitions that are held once for all chunks; rarer ones are in the chunks.
const SHARED: usize = 4_000_000;
/// Bytes of a conversation that a chunk holds once for all its rows. Of a longer one, each row shows the beginning and the end.
const TALK: usize = 300_000;
/// Messages of the beginning, and bytes of the end.
const BEGINNING: usize = 2;
const END: usize = 60_000;

impl ReportWatch {
    /// Writes the page under `title`; `about` says of which run it is.
    ///
    /// # Errors
    /// If it cannot be written; nothing appears then.
    pub fn write(self, title: &str, about: &Value) -> Result<(), RunError> {
        let path = self.path.clone();
        self.fitted(about, |watch, about, room| {
            let pieces = report::rows_page(title, about);
            Ok(write_parts(&path, |to| watch.page(pieces, to, room))?)
        })
    }

    /// The page for a server that keeps its marks.
    ///
    /// # Errors
    /// If the rows cannot be read back from the disk.
    pub fn served(self, title: &str, about: &Value) -> Result<Vec<u8>, RunError> {
        let (mut page, path) = (Vec::new(), self.path.clone());
        self.fitted(about, |watch, about, room| {
            page.clear();
            let whole = watch.page(report::review_page(title, about), &mut page, room);
            Ok(whole.map_err(|error| WriteError::io(&path, &error))?)
        })?;
        Ok(page)
    }

    /// Lets `write` write the page, again with fewer rows where it says `false` because it was too large.
    fn fitted(
        mut self,
        about: &Value,
        mut write: impl FnMut(&mut ReportWatch, &Value, &mut Room) -> Result<bool, RunError>,
    ) -> Result<(), RunError> {
        loop {
            self.rows.sort_by_key(|row| (row.order, row.codes.row));
            let mut room = Room { left: self.limits.bytes, written: 0 };
            let about = self.about(about);
            if write(&mut self, &about, &mut room)? {
                return Ok(());
            }
            if self.rows.len() <= 1 {
                let why = "one row alone is too large for a page".to_owned();
                return Err(WriteError::Io { path: self.path, why }.into());
            }
            // It would be too large: as many rows as went in are a measure of how many do.
            let most = room.written.max(self.rows.len() / 2) as f64 * 0.9;
            let before = self.rows.len();
            self.thin((most as u64).max(1));
            // Few rows are left by chance, and by chance all of them.
            self.rows.truncate(before - 1);
        }
    }

    /// Writes all of the page; `false` if there is no room for it.
    fn page(&mut self, pieces: [String; 4], to: &mut dyn Write, room: &mut Room) -> io::Result<bool> {
        let chunks = self.chunks();
        let starts: Vec<usize> = chunks.iter().map(|chunk| chunk.start).collect();
        let codes: Vec<_> = self.rows.iter().map(|row| &row.codes).collect();
        let index = self.vocabulary.index(&codes, &starts, &self.columns);
        let shared = self.shared();
        let [head, after_index, after_shared, tail] = pieces;
        let shared_json =
            self.array(shared.iter().map(|code| self.toolboxes.spans[*code as usize]).collect())?;
        let before = [
            &head,
            &packed(&index.to_string())?,
            &after_index,
            &packed(&format!("{{\"boxes\":{shared_json}}}"))?,
            &after_shared,
        ];
        let is_there = room.take(tail.len());
        for part in before {
            to.write_all(part.as_bytes())?;
            if !is_there || !room.take(part.len()) {
                return Ok(false);
            }
        }
        let shared: HashMap<u32, usize> = shared.into_iter().zip(0..).collect();
        for group in chunks.chunks(TOGETHER) {
            let texts = group
                .iter()
                .map(|chunk| self.chunk(chunk.clone(), &shared))
                .collect::<io::Result<Vec<_>>>()?;
            let packs = texts.par_iter().map(|text| packed(text)).collect::<io::Result<Vec<_>>>()?;
            for (pack, chunk) in packs.iter().zip(group) {
                let element = format!("<script type=\"text/plain\" class=\"chunk\">{pack}</script>\n");
                if !room.take(element.len()) {
                    return Ok(false);
                }
                room.written += chunk.len();
                to.write_all(element.as_bytes())?;
            }
        }
        to.write_all(tail.as_bytes())?;
        Ok(true)
    }

    /// What these rows are recognised by, whoever judged them.
    fn key(&self) -> String {
        self.key.finalize().to_hex()[..32].to_owned()
    }

    fn about(&self, run: &Value) -> Value {
        let [look, passing] = self.here();
        let sample = [("rows that are wrong, unsure or without a label", look), ("rows that pass", passing)];
        let sample = sample
            .iter()
            .zip(self.all)
            .map(|((what, here), all)| json!({"what": what, "here": here, "all": all}));
        let mut about = run.clone();
        about["key"] = json!(self.key());
        about["rows"] = json!(self.all.iter().sum::<u64>());
        about["id"] = json!(self.id);
        about["columns"] = json!(self.columns);
        about["members"] = self.members.iter().map(super::Shown::to_json).collect();
        about["golds"] = gold_columns::all().collect();
        about["sample"] = sample.collect();
        about
    }

    /// Which rows go into one chunk.
    fn chunks(&self) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        let (mut start, mut size) = (0, 0);
        for (at, row) in self.rows.iter().enumerate() {
            if at > start && (size > CHUNK || at - start >= CHUNK_ROWS) {
                chunks.push(start..at);
                (start, size) = (at, 0);
            }
            size += row.span.len as usize + self.talk_size(row).min(END);
        }
        if start < self.rows.len() {
            chunks.push(start..self.rows.len());
        }
        chunks
    }

    fn talk_size(&self, row: &Entry) -> usize {
        let Some((talk, upto)) = row.talk else { return 0 };
        self.talks.talks[talk as usize][..upto as usize].iter().map(|span| span.len as usize).sum()
    }

    /// The definitions that most rows have, as far as there is room for them.
    fn shared(&self) -> Vec<u32> {
        let mut uses: HashMap<u32, u64> = HashMap::new();
        for code in self.rows.iter().filter_map(|row| row.toolbox) {
            *uses.entry(code).or_default() += 1;
        }
        let mut uses: Vec<(u32, u64)> = uses.into_iter().collect();
        uses.sort_by_key(|(code, uses)| (std::cmp::Reverse(*uses), *code));
        let mut size = 0;
        let fits = |(code, _): &(u32, u64)| {
            size += self.toolboxes.spans[*code as usize].len as usize;
            size <= SHARED
        };
        uses.into_iter().take_while(fits).map(|(code, _)| code).collect()
    }

    /// The rows of a chunk as JSON, with the conversations and the rarer definitions that they have.
    fn chunk(&mut self, rows: Range<usize>, shared: &HashMap<u32, usize>) -> io::Result<String> {
        let mut longest: HashMap<u32, u32> = HashMap::new();
        for (talk, upto) in self.rows[rows.clone()].iter().filter_map(|row| row.talk) {
            let longest = longest.entry(talk).or_default();
            *longest = upto.max(*longest);
        }
        let (mut talks, mut places): (Vec<String>, HashMap<u32, usize>) = Default::default();
        let (mut boxes, mut own): (Vec<super::Span>, HashMap<u32, usize>) = Default::default();
        let mut texts = Vec::with_capacity(rows.len());
        for at in rows {
            let Entry { span, talk, toolbox, .. } = self.rows[at];
            let mut text = String::from("{");
            if let Some((code, upto)) = talk {
                let spans = self.talks.talks[code as usize][..longest[&code] as usize].to_vec();
                let size: usize = spans.iter().map(|span| span.len as usize).sum();
                let (place, upto) = if size <= TALK {
                    let place = match places.get(&code) {
                        Some(place) => *place,
                        None => {
                            let messages = self.array(spans)?;
                            talks.push(format!("{{\"messages\":{messages}}}"));
                            places.insert(code, talks.len() - 1);
                            talks.len() - 1
                        }
                    };
                    (place, upto as usize)
                } else {
                    let (spans, left) = ends(&spans[..upto as usize]);
                    let shown = spans.len();
                    let messages = self.array(spans)?;
                    talks.push(format!("{{\"messages\":{messages},\"left\":{left}}}"));
                    (talks.len() - 1, shown)
                };
                text += &format!("\"talk\":{place},\"upto\":{upto},");
            }
            if let Some(code) = toolbox {
                let place = match shared.get(&code) {
                    Some(place) => *place,
                    None => {
                        let next = boxes.len();
                        let place = *own.entry(code).or_insert(next);
                        if place == next {
                            boxes.push(self.toolboxes.spans[code as usize]);
                        }
                        shared.len() + place
                    }
                };
                text += &format!("\"box\":{place},");
            }
            let mut json = String::new();
            self.spool.get(span, &mut json)?;
            text += json.strip_prefix('{').unwrap_or_default();
            texts.push(text);
        }
        let boxes = self.array(boxes)?;
        Ok(format!("{{\"talks\":[{}],\"boxes\":{boxes},\"rows\":[{}]}}", talks.join(","), texts.join(",")))
    }

    /// The JSON texts at `spans` as a list.
    fn array(&mut self, spans: Vec<super::Span>) -> io::Result<String> {
        let mut text = String::from("[");
        for (at, span) in spans.into_iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            self.spool.get(span, &mut text)?;
        }
        text.push(']');
        Ok(text)
    }
}

/// How much of the page may still be written.
struct Room {
    left: u64,
    /// Rows that were written.
    written: usize,
}

impl Room {
    fn take(&mut self, bytes: usize) -> bool {
        let is_there = self.left >= bytes as u64;
        self.left = self.left.saturating_sub(bytes as u64);
        is_there
    }
}

/// The beginning and the end of a long conversation, and how many messages between them are left out.
fn ends(spans: &[super::Span]) -> (Vec<super::Span>, usize) {
    let beginning = BEGINNING.min(spans.len());
    let mut size = 0;
    let fits = |span: &&super::Span| {
        size += span.len as usize;
        size <= END
    };
    // The last message is shown however long it is.
    let end = spans[beginning..].iter().rev().take_while(fits).count().max(1).min(spans.len() - beginning);
    let mut shown = spans[..beginning].to_vec();
    shown.extend(&spans[spans.len() - end..]);
    (shown, spans.len() - beginning - end)
}

/// A text as gzip in Base64.
fn packed(text: &str) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    Ok(STANDARD.encode(encoder.finish()?))
}

#[cfg(test)]
mod tests {
    use super::super::spool::Spool;
    use super::*;

    #[test]
    fn of_a_long_conversation_the_beginning_and_the_end_are_shown() {
        let mut spool = Spool::new(&std::env::temp_dir()).unwrap();
        let text = "x".repeat(END / 4);
        let spans: Vec<_> = (0..20).map(|_| spool.put(&text).unwrap()).collect();
        let (shown, left) = ends(&spans);
        assert_eq!((shown.len(), left), (BEGINNING + 4, 14));
        assert_eq!((&shown[..BEGINNING], shown.last()), (&spans[..BEGINNING], spans.last()));
        let long = spool.put(&"x".repeat(2 * END)).unwrap();
        assert_eq!(ends(&[spans[0], spans[1], spans[2], long]), (vec![spans[0], spans[1], long], 1));
        assert_eq!(ends(&spans[..1]), (spans[..1].to_vec(), 0));
    }
}
