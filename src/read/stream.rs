//! Splits a stream of text into records: one per line, the elements of an array, objects over several lines, or the elements of
//! an export's list, so that a file of any size is read in pieces.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::text;
use super::texts::{Place, RECORD_BYTES, Text};
use super::{Input, ReadError};
use crate::domain::Json;
use crate::normalize::logs::{ENVELOPES, McpLine, is_log_of_mcp};
use crate::table::Format;

/// Records in one stream of text.
pub(super) struct Stream {
    reader: text::Text,
    path: PathBuf,
    line: u64,
    blank_lines: u64,
    layout: Layout,
}

/// Where in a file's structure the next record is looked for.
enum Layout {
    /// One record a line.
    Lines,
    /// One message of MCP a line, behind words that say when and whose.
    McpLines,
    /// The elements of one array.
    Array,
    /// Objects one after another, over as many lines as they like.
    Documents,
    /// The members of such an object; those read so far, and whether it turned out to be an envelope.
    Members { head: Vec<u8>, line: u64, envelope: bool },
    /// The elements of an envelope's list, and what goes around each to make it a record.
    Elements { around: Option<&'static str> },
}

impl Stream {
    pub(super) fn open(input: &Input) -> Result<Stream, ReadError> {
        let reader = text::open(input)?;
        let mut stream =
            Stream { reader, path: input.name(), line: 1, blank_lines: 0, layout: Layout::Lines };
        match stream.skip_blank()? {
            Some(_) if stream.holds_mcp()? => stream.layout = Layout::McpLines,
            Some(b'[') if input.format == Format::Json => {
                stream.reader.consume(1);
                stream.layout = Layout::Array;
            }
            Some(b'{') if stream.spreads_over_lines(input.format == Format::Json)? => {
                stream.layout = Layout::Documents;
            }
            _ => {}
        }
        stream.blank_lines = 0;
        Ok(stream)
    }

    /// Whether the file is lines of text with messages of MCP in them.
    fn holds_mcp(&mut self) -> Result<bool, ReadError> {
        let start = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
        Ok(is_log_of_mcp(start))
    }

    /// Blank lines between the records so far.
    pub(super) fn blank_lines(&self) -> u64 {
        self.blank_lines
    }

    /// Whether the first object goes on after its first line. Of a line too long to tell, `otherwise` is believed.
    fn spreads_over_lines(&mut self, otherwise: bool) -> Result<bool, ReadError> {
        let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
        Ok(match buffer.iter().position(|byte| *byte == b'\n') {
            None => otherwise,
            Some(end) => {
                let line = buffer[..end].trim_ascii_end();
                let whole = || std::str::from_utf8(line).is_ok_and(|line| Json::parse(line).is_ok());
                matches!(line.last(), Some(b'{' | b'[' | b',' | b':' | b'"')) && !whole()
            }
        })
    }

    pub(super) fn next_text(&mut self) -> Result<Option<Text>, ReadError> {
        loop {
            match &mut self.layout {
                Layout::Lines => return self.next_line(),
                Layout::McpLines => return Ok(self.next_line()?.map(of_mcp)),
                Layout::Array => return self.next_element(),
                Layout::Documents => match self.skip_blank()? {
                    None => return Ok(None),
                    Some(b'{') => {
                        self.reader.consume(1);
                        let head = vec![b'{'];
                        self.layout = Layout::Members { head, line: self.line, envelope: false };
                    }
                    // No object begins here; a line of something else is told as such.
                    Some(_) => return self.next_line(),
                },
                Layout::Members { .. } => {
                    if let Some(text) = self.next_member()? {
                        return Ok(Some(text));
                    }
                }
                Layout::Elements { around } => {
                    let around = *around;
                    if let Some(text) = self.next_enveloped(around)? {
                        return Ok(Some(text));
                    }
                }
            }
        }
    }

    fn next_line(&mut self) -> Result<Option<Text>, ReadError> {
        loop {
            let mut bytes = Vec::new();
            let limit = RECORD_BYTES as u64 + 1;
            let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut bytes);
            let read = read.map_err(|error| ReadError::io(&self.path, &error))?;
            if read == 0 {
                return Ok(None);
            }
            let place = Place::Line(self.line);
            self.line += 1;
            if bytes.last() != Some(&b'\n') && bytes.len() as u64 == limit {
                self.skip_line()?;
                return Ok(Some(Text { bytes: Vec::new(), too_large: true, place }));
            }
            bytes.truncate(bytes.trim_ascii_end().len());
            if !bytes.is_empty() {
                return Ok(Some(Text::new(bytes, place)));
            }
            self.blank_lines += 1;
        }
    }

    fn skip_line(&mut self) -> Result<(), ReadError> {
        loop {
            let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
            let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.reader.consume(used);
            if done {
                return Ok(());
            }
        }
    }

    /// The next element of the array that makes up the file.
    fn next_element(&mut self) -> Result<Option<Text>, ReadError> {
        if self.need()? == b']' {
            self.reader.consume(1);
            self.layout = Layout::Lines;
            return match self.skip_blank()? {
                None => Ok(None),
                Some(_) => Err(ReadError::malformed(
                    &self.path,
                    format!(
                        "line {}: something follows the end of the array; rows there would be lost",
                        self.line
                    ),
                )),
            };
        }
        let text = self.value(Vec::new(), 0, b",]")?;
        self.skip_comma()?;
        Ok(Some(text))
    }

    /// Reads one member of an object. Gives the object out when it ends, unless its list has been given out by elements.
    fn next_member(&mut self) -> Result<Option<Text>, ReadError> {
        let first = self.need()?;
        let Layout::Members { head, line, envelope } = &mut self.layout else { return Ok(None) };
        let (line, envelope) = (*line, *envelope);
        if first == b'}' {
            let mut bytes = std::mem::take(head);
            bytes.push(b'}');
            self.reader.consume(1);
            self.layout = Layout::Documents;
            let too_large = bytes.len() > RECORD_BYTES;
            let text = Text {
                bytes: if too_large { Vec::new() } else { bytes },
                too_large,
                place: Place::Line(line),
            };
            return Ok((!envelope).then_some(text));
        }
        let mut head = std::mem::take(head);
        if head.len() > 1 {
            head.push(b',');
        }
        let key = self.value(Vec::new(), 0, b":,}")?.bytes;
        let list = ENVELOPES.iter().find(|envelope| key == format!("\"{}\"", envelope.key).as_bytes());
        head.extend_from_slice(&key);
        if self.need()? != b':' {
            return Err(ReadError::malformed(
                &self.path,
                format!("line {}: a key without a value", self.line),
            ));
        }
        self.reader.consume(1);
        head.push(b':');
        let mut depth = 0;
        if let Some(list) = list
            && self.need()? == b'['
        {
            self.reader.consume(1);
            if self.need()? == b'{' {
                let around = list.is_part_of_record.then_some(list.key);
                self.layout = Layout::Elements { around };
                return Ok(None);
            }
            head.push(b'[');
            depth = 1;
        }
        let value = self.value(head, depth, b",}")?;
        // Too large already; what follows would only make it larger.
        let head = if value.too_large { vec![b' '; RECORD_BYTES + 1] } else { value.bytes };
        self.skip_comma()?;
        self.layout = Layout::Members { head, line, envelope };
        Ok(None)
    }

    /// The next element of an envelope's list; at its end, goes back to the envelope's members.
    fn next_enveloped(&mut self, around: Option<&'static str>) -> Result<Option<Text>, ReadError> {
        if self.need()? == b']' {
            self.reader.consume(1);
            self.skip_comma()?;
            self.layout = Layout::Members { head: vec![b'{'], line: self.line, envelope: true };
            return Ok(None);
        }
        let mut text = match around {
            None => self.value(Vec::new(), 0, b",]")?,
            Some(key) => self.value(format!("{{\"{key}\":[").into_bytes(), 0, b",]")?,
        };
        if around.is_some() && !text.too_large {
            text.bytes.extend_from_slice(b"]}");
        }
        self.skip_comma()?;
        Ok(Some(text))
    }

    /// Adds a value to `bytes`: up to the first of `ends` that stands outside of every string and nesting.
    fn value(&mut self, mut bytes: Vec<u8>, mut depth: u32, ends: &[u8]) -> Result<Text, ReadError> {
        let place = Place::Line(self.line);
        let mut too_large = false;
        let (mut in_string, mut escaped) = (false, false);
        loop {
            let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
            if buffer.is_empty() {
                return Err(cut_short(&self.path));
            }
            let mut end = None;
            for (at, &byte) in buffer.iter().enumerate() {
                self.line += u64::from(byte == b'\n');
                if in_string {
                    (in_string, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
                    continue;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    byte if depth == 0 && ends.contains(&byte) => {
                        end = Some(at);
                        break;
                    }
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            let used = end.unwrap_or(buffer.len());
            if bytes.len() + used > RECORD_BYTES {
                too_large = true;
                bytes = Vec::new();
            }
            if !too_large {
                bytes.extend_from_slice(&buffer[..used]);
            }
            self.reader.consume(used);
            if end.is_some() {
                bytes.truncate(bytes.trim_ascii_end().len());
                return Ok(Text { bytes, too_large, place });
            }
        }
    }

    /// Passes a comma, if one is next.
    fn skip_comma(&mut self) -> Result<(), ReadError> {
        if self.need()? == b',' {
            self.reader.consume(1);
        }
        Ok(())
    }

    /// The next byte that is not white space; a file that ends here is cut short.
    fn need(&mut self) -> Result<u8, ReadError> {
        self.skip_blank()?.ok_or_else(|| cut_short(&self.path))
    }

    /// The next byte that is not white space, left in place.
    fn skip_blank(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let buffer = self.reader.fill_buf().map_err(|error| ReadError::io(&self.path, &error))?;
            let Some(&byte) = buffer.first() else { return Ok(None) };
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.line += u64::from(byte == b'\n');
            self.reader.consume(1);
        }
    }
}

/// The record that a line of text about MCP is.
fn of_mcp(line: Text) -> Text {
    let Text { bytes, too_large, place } = line;
    let record = McpLine::record(&String::from_utf8_lossy(&bytes));
    Text { bytes: Json::Object(record).to_string().into_bytes(), too_large, place }
}

fn cut_short(path: &Path) -> ReadError {
    ReadError::malformed(path, "an array or object is never closed; is the file cut short?")
}
