//! Files that are logs: distinguished from tables, surveyed, and read as rows of samples.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use super::fragments::{Collector, Fragments, UnmatchedFragment};
use super::log_rows::LogRows;
use super::log_survey::{LogSurvey, of_transcripts};
use super::records::{Raw, Records};
use super::repeats::{self, At, Repeats};
use super::transcripts::{Place, Seen, Transcripts};
use super::{Input, ReadError, SLICE_BYTES, SLICE_ROWS, Slices};
use crate::domain::{Cell, Item, Json, Object, RawRow, RowError, RowErrorCode, Slot};
use crate::normalize::columns;
use crate::normalize::logs::{self, Context, Entries, Entry, LogFormat, RelatedRecords, Skip, Turns};
use crate::normalize::{self, Normalizer};
use crate::table::{Column, Schema, SchemaBuilder, samples};

/// Records looked at to tell what a file is.
const LOOKED_AT: usize = 16;

/// How a log's records are to be understood.
#[derive(Clone)]
pub struct LogOptions {
    /// Reads cells of the records.
    pub normalizer: Arc<Normalizer>,
    /// The format of all records, where they are not to be told apart by their keys.
    pub format: Option<&'static LogFormat>,
    /// Whether spans of whole agents are judged too.
    pub agents: bool,
    /// Which turns of a transcript are rows.
    pub turns: Turns,
    /// Whether records that hold nothing to judge are rows too.
    pub with_skipped: bool,
}

/// Parts of one record that are read at once; a record may hold thousands, each with a long conversation.
const AT_ONCE: usize = 64;

/// What one record holds. Its turns are counted one by one and forgotten: together they may be far larger than the record.
struct Counted {
    format: Option<(&'static LogFormat, Option<&'static str>)>,
    survey: LogSurvey,
    fragments: Vec<logs::Fragment>,
    /// The transcripts, once each.
    seen: Vec<Seen>,
    /// What is said beside the words, once each.
    about: Vec<Arc<Object>>,
    /// Stands for the whole record, where another may be the same once more.
    print: Option<u128>,
}

impl Counted {
    fn of(reading: Reading) -> Counted {
        let mut counted = Counted {
            format: reading.format,
            survey: LogSurvey::default(),
            fragments: Vec::new(),
            seen: Vec::new(),
            about: Vec::new(),
            print: reading.print,
        };
        for part in reading.parts.into_iter().chain(reading.rest.into_iter().flatten().map(Part::Entry)) {
            counted.survey.count(&part);
            if let Part::Entry(Entry::Turn(turn)) = &part
                && let Some(seen) = Seen::of(turn).filter(|seen| counted.seen.last() != Some(seen))
            {
                counted.seen.push(seen);
            }
            if let Part::Entry(Entry::Turn(turn)) = &part
                && let Some(about) = &turn.origin.about
                && counted.about.last().is_none_or(|last| !Arc::ptr_eq(last, about))
            {
                counted.about.push(Arc::clone(about));
            }
            if let Part::Entry(Entry::Fragment(fragment)) = part {
                counted.fragments.push(fragment);
            }
        }
        counted
    }

    /// The same of a record that another one said already.
    fn again(self) -> Counted {
        let mut survey = LogSurvey::default();
        survey.repeats(&self.survey);
        Counted { survey, fragments: Vec::new(), seen: Vec::new(), about: Vec::new(), ..self }
    }
}

/// What only the records of all inputs tell together.
#[derive(Default)]
struct Across {
    transcripts: Transcripts,
    repeats: Repeats,
    about: SchemaBuilder,
}

/// A log, as the inputs of one table share it.
#[derive(Clone)]
pub(super) struct Log {
    options: LogOptions,
    fragments: Option<Arc<Fragments>>,
    unmatched: Arc<[UnmatchedFragment]>,
    transcripts: Arc<Transcripts>,
    repeats: Arc<Repeats>,
    /// The columns of what its records say beside the words.
    about: Arc<[Column]>,
    /// The names of its inputs.
    names: Arc<[String]>,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("orphans", &self.unmatched.len()).finish_non_exhaustive()
    }
}

/// Whether `input` is a log, by its first records; `None` if they are chats that nobody has answered, as a run that broke off leaves them.
pub(super) fn is_log(input: &Input, options: &LogOptions) -> Result<Option<bool>, ReadError> {
    let mut records = Records::open(input, &options.normalizer)?;
    let (mut unanswered, mut others) = (false, false);
    for _ in 0..LOOKED_AT {
        let Some(raw) = records.next_record()? else { break };
        match raw.object() {
            Ok(object) if logs::detect(&object).is_some() || logs::envelope(&object).is_some() => {
                return Ok(Some(true));
            }
            Ok(object) if logs::is_unanswered(&object) => unanswered = true,
            _ => others = true,
        }
    }
    Ok((others || !unanswered).then_some(false))
}

/// Reads all inputs once, or twice where records hold fragments of each other.
pub(super) fn survey(inputs: &[Input], options: LogOptions) -> Result<(Log, Vec<LogSurvey>), ReadError> {
    let names = inputs.iter().map(|input| input.name().display().to_string()).collect();
    let mut log = Log {
        options,
        fragments: None,
        unmatched: Arc::new([]),
        transcripts: Arc::default(),
        repeats: Arc::default(),
        about: Arc::new([]),
        names,
    };
    let io = |error: std::io::Error| ReadError::Spool(error.to_string());
    let mut collector = Collector::new().map_err(io)?;
    let mut found = Across::default();
    let surveys = log.count(inputs, &mut found, Some(&mut collector))?;
    let fragments = collector.finish().map_err(io)?;
    if fragments.is_empty() {
        log.keep(found);
        return Ok((log, surveys));
    }
    log.fragments = Some(Arc::new(fragments));
    let mut found = Across::default();
    let mut surveys = log.count(inputs, &mut found, None)?;
    if let Some(fragments) = &log.fragments {
        log.unmatched = fragments.unmatched().map_err(io)?.into();
        for unmatched in &*log.unmatched {
            log.unmatched(unmatched).for_each(|entry| {
                let entry = match entry {
                    Entry::Turn(turn) => {
                        if let Some(seen) = Seen::of(&turn) {
                            found.transcripts.note(&seen);
                        }
                        turn.origin.about.iter().for_each(|about| found.about.add(about));
                        found.transcripts.copied(turn)
                    }
                    entry => entry,
                };
                surveys[unmatched.input].count(&Part::Entry(entry));
            });
        }
        log.keep(found);
        log.check()?;
    }
    Ok((log, surveys))
}

/// Something that a record holds.
pub(super) enum Part {
    Entry(Entry),
    /// The record itself, as a table's row.
    Row(Object),
    Invalid(RowError),
}

/// What becomes of a part.
pub(super) enum Found {
    /// What was read, and, of what cannot be read, where it stands.
    Item(Box<Item>, Option<Box<Place>>),
    Skipped(&'static str),
}

/// One record's parts, with what is told of them.
pub(super) struct Reading {
    format: Option<(&'static LogFormat, Option<&'static str>)>,
    pub(super) parts: Vec<Part>,
    /// What was not looked at yet.
    pub(super) rest: Option<Entries>,
    /// Stands for the whole record, where another may be the same once more.
    print: Option<u128>,
}

impl Log {
    /// Whether entries that hold nothing to judge are rows too.
    pub(super) fn with_skipped(&self) -> bool {
        self.options.with_skipped
    }

    /// Whether the record that stands there is an earlier one once more.
    pub(super) fn repeats(&self, at: At) -> bool {
        self.repeats.holds(at)
    }

    /// The records of one of its inputs.
    pub(super) fn records(&self, input: &Input) -> Result<Records, ReadError> {
        Records::open(input, &self.options.normalizer)
    }

    /// The columns of its rows, given what all inputs hold.
    pub(super) fn schema(&self, surveys: &[LogSurvey]) -> Schema {
        let mut columns = of_transcripts(surveys);
        columns.extend(self.about.iter().cloned());
        samples::log_schema(columns, self.options.with_skipped)
    }

    /// The names of the columns that hold what records say beside the words.
    pub(super) fn beside(&self) -> HashSet<String> {
        self.about.iter().map(|column| column.name.clone()).collect()
    }

    fn keep(&mut self, found: Across) {
        self.transcripts = Arc::new(found.transcripts);
        self.repeats = Arc::new(found.repeats.closed());
        self.about = found.about.finish().columns.into();
    }

    fn count(
        &self,
        inputs: &[Input],
        found: &mut Across,
        mut collector: Option<&mut Collector>,
    ) -> Result<Vec<LogSurvey>, ReadError> {
        let mut surveys = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            let mut survey = LogSurvey::default();
            let source = &self.names[number];
            let mut records = self.records(input)?;
            let mut place = 0;
            loop {
                let raws = gather(&mut records)?;
                if raws.is_empty() {
                    break;
                }
                let read = raws.into_par_iter().flat_map_iter(|raw| self.read(raw, source));
                let read: Vec<Counted> = read.map(Counted::of).collect();
                for (record, mut counted) in (place..).zip(read) {
                    place = record + 1;
                    if counted.print.is_some_and(|print| found.repeats.note(print, (number, record))) {
                        counted = counted.again();
                    }
                    for seen in &counted.seen {
                        if found.transcripts.note(seen) {
                            counted.survey.repeat(seen.calls());
                        }
                    }
                    counted.about.iter().for_each(|about| found.about.add(about));
                    if let Some((format, dialect)) = counted.format {
                        *survey.formats.entry((format.name, dialect)).or_default() += 1;
                        if let Some(collector) = &mut collector {
                            for fragment in &counted.fragments {
                                let added = collector.add(fragment, format, number);
                                added.map_err(|error| ReadError::Spool(error.to_string()))?;
                            }
                        }
                    }
                    survey.add(counted.survey);
                }
                self.check()?;
            }
            let blank = records.blank_lines();
            if blank > 0 {
                survey.skipped.insert("blank_line", blank);
            }
            surveys.push(survey);
        }
        Ok(surveys)
    }

    /// The rows of `input`, the `number`th of the table's.
    pub(super) fn slices(
        &self,
        input: &Input,
        number: usize,
        schema: &Arc<Schema>,
    ) -> Result<Slices, ReadError> {
        let unmatched =
            self.unmatched.iter().filter(|unmatched| unmatched.input == number).cloned().collect();
        Ok(Box::new(LogRows::open(self.clone(), (input, number), unmatched, schema)?))
    }

    /// An error if fragments of other records could not be read, so that none is missing unnoticed.
    pub(super) fn check(&self) -> Result<(), ReadError> {
        match self.fragments.as_ref().and_then(|fragments| fragments.failure()) {
            Some(why) => Err(ReadError::Spool(why)),
            None => Ok(()),
        }
    }

    /// Reads a record of the file `source`, or the records in an envelope; of each the first parts.
    pub(super) fn read(&self, raw: Raw, source: &str) -> Vec<Reading> {
        match raw.object() {
            Err(error) => vec![Reading::of(Part::Invalid(error))],
            Ok(mut object) => {
                match logs::envelope(&object).and_then(|envelope| object.remove(envelope.key)) {
                    Some(Json::Array(items)) => {
                        let said = logs::said_of_all(&object);
                        let read = |item| match item {
                            Json::Object(mut record) => {
                                logs::hand_down(&said, &mut record);
                                self.read_object(record, source)
                            }
                            other => Reading::of(Part::Invalid(not_an_object(&other))),
                        };
                        items.into_iter().map(read).collect()
                    }
                    _ => vec![self.read_object(object, source)],
                }
            }
        }
    }

    fn read_object(&self, object: Object, source: &str) -> Reading {
        let Some(format) = logs::detect_or(self.options.format, &object) else {
            return Reading::of(match logs::is_unanswered(&object) {
                true => Part::Entry(Entry::Skipped(Skip::NoOutput)),
                false => Part::Row(object),
            });
        };
        let print = repeats::print(&object, format);
        let mut entries = format.read(object, &self.context(source));
        let (first, more) = some_of(&mut entries);
        let mut parts: Vec<Part> = first.into_iter().map(Part::Entry).collect();
        if parts.is_empty() {
            parts.push(Part::Entry(Entry::Skipped(Skip::Empty)));
        }
        let dialect = parts.iter().find_map(|part| match part {
            Part::Entry(Entry::Turn(turn)) => turn.dialect,
            _ => None,
        });
        let rest = more.then_some(entries);
        Reading { format: Some((format, dialect)), parts, rest, print }
    }

    /// A record that is a table's row.
    fn row(&self, mut object: Object) -> Item {
        let names: Vec<String> = object.keys().map(str::to_owned).collect();
        let Ok(columns) = columns::resolve(&names, &[], true) else {
            return Err(unrecognised(&names));
        };
        let cell = |name: Option<&str>| {
            let place = columns::Place::of(name?, &|key| object.contains_key(key))?;
            let values = place.values(&|key| Ok::<_, Infallible>(vec![object.get(key).cloned()]));
            values.unwrap_or_default().pop().flatten()
        };
        let cell = |name| cell(name).map_or(Cell::Missing, Cell::from);
        let row = RawRow {
            question: cell(columns.question.as_deref()),
            tool_call: cell(columns.tool_call.as_deref()),
            tool_definitions: cell(columns.tool_definitions.as_deref()),
            extras: Vec::new(),
        };
        let messages = columns.messages.iter().map(|name| object.remove(name));
        let context = normalize::Conversation::of(messages, columns.before_turn);
        self.options.normalizer.sample_in_context(row, context.as_ref())
    }

    pub(super) fn found(&self, part: Part) -> Option<Found> {
        let mut place = None;
        let item = match part {
            Part::Entry(Entry::Turn(turn)) => match self.transcripts.copied(turn) {
                Entry::Turn(mut turn) => {
                    self.transcripts.name(&mut turn);
                    let read = Place::of(&turn);
                    let item = self.options.normalizer.turn(*turn);
                    place = item.is_err().then(|| Box::new(read));
                    item
                }
                other => return self.found(Part::Entry(other)),
            },
            Part::Entry(Entry::Unreadable(error)) | Part::Invalid(error) => Err(error),
            Part::Row(object) => self.row(object),
            Part::Entry(Entry::Skipped(why) | Entry::NotTaken(why, _)) => {
                return Some(Found::Skipped(why.as_str()));
            }
            Part::Entry(Entry::Transcript(_) | Entry::Fragment(_)) => return None,
        };
        Some(Found::Item(Box::new(item), place))
    }

    pub(super) fn unmatched(&self, unmatched: &UnmatchedFragment) -> Entries {
        let fragments = self.fragments.as_ref().map(|fragments| fragments.of(unmatched)).unwrap_or_default();
        unmatched.format.unmatched(fragments, &self.context(&self.names[unmatched.input]))
    }

    fn context<'a>(&'a self, source: &'a str) -> Context<'a> {
        let related: &dyn RelatedRecords = match &self.fragments {
            Some(fragments) => fragments.as_ref(),
            None => &logs::NoRelated,
        };
        Context {
            agents: self.options.agents,
            turns: self.options.turns,
            normalizer: &self.options.normalizer,
            related,
            source,
        }
    }
}

impl Reading {
    /// A record that holds nothing but this.
    fn of(part: Part) -> Reading {
        Reading { format: None, parts: vec![part], rest: None, print: None }
    }
}

/// The next entries of a record, as many as are read at once, and whether there may be more. Every row repeats the conversation
/// before it, so that of a long one only few fit.
pub(super) fn some_of(entries: &mut Entries) -> (Vec<Entry>, bool) {
    let (mut some, mut bytes) = (Vec::new(), 0);
    while some.len() < AT_ONCE && bytes < SLICE_BYTES {
        let Some(entry) = entries.next() else { return (some, false) };
        if let Entry::Turn(turn) = &entry {
            bytes += turn.bytes_before();
        }
        some.push(entry);
    }
    (some, true)
}

/// The next records, as many as make up a slice.
pub(super) fn gather(records: &mut Records) -> Result<Vec<Raw>, ReadError> {
    let (mut raws, mut bytes) = (Vec::new(), 0);
    while raws.len() < SLICE_ROWS && bytes < SLICE_BYTES {
        let Some(raw) = records.next_record()? else { break };
        bytes += raw.size();
        raws.push(raw);
    }
    Ok(raws)
}

fn unrecognised(keys: &[String]) -> RowError {
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let slots: Vec<&str> = [Slot::Question, Slot::ToolCall].iter().map(|slot| slot.as_str()).collect();
    let why = format!(
        "the record is of no known format and has no {} (see --from); its keys are {}",
        slots.join(" and "),
        RowError::excerpt(&keys.join(", "))
    );
    RowError::new(RowErrorCode::UnrecognisedRecord, why)
}

fn not_an_object(json: &Json) -> RowError {
    let why =
        format!("a JSON {} instead of a record: {}", json.type_name(), RowError::excerpt(&json.to_string()));
    RowError::new(RowErrorCode::RowNotObject, why)
}
