//! A log's entries as rows of samples, slice by slice: memory holds one slice, however long the log and its conversations.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rayon::prelude::*;

use super::fragments::UnmatchedFragment;
use super::log::{Found, Log, Part, Reading, gather, some_of};
use super::records::Records;
use super::{Input, ReadError, SLICE_ROWS};
use crate::domain::{Json, Object, Sample};
use crate::normalize::logs::{Entries, Skip};
use crate::table::{Batch, Record, Rows, Schema, samples};

/// Rows of one log.
pub(super) struct LogRows {
    log: Log,
    records: Records,
    /// The number of the input among all.
    number: usize,
    /// What transcripts are called that have no id of their own.
    name: String,
    unmatched: std::vec::IntoIter<UnmatchedFragment>,
    schema: Arc<Schema>,
    /// Which columns only some records have something for, and where each is.
    is_beside: Vec<bool>,
    places: HashMap<String, usize>,
    next_record: u64,
    ready: VecDeque<Ready>,
    done: bool,
}

/// What is read and not given out yet, in order.
enum Ready {
    Rows(Vec<Record>),
    /// More of a record that holds a great deal.
    More {
        record: u64,
        item: u64,
        entries: Entries,
    },
}

impl LogRows {
    /// The rows of `input`, and those that its `unmatched` make.
    pub(super) fn open(
        log: Log,
        (input, number): (&Input, usize),
        unmatched: Vec<UnmatchedFragment>,
        schema: &Arc<Schema>,
    ) -> Result<LogRows, ReadError> {
        let records = log.records(input)?;
        let beside = log.beside();
        Ok(LogRows {
            is_beside: schema.names().map(|name| beside.contains(name)).collect(),
            places: schema.places().into_iter().map(|(name, place)| (name.to_owned(), place)).collect(),
            log,
            name: input.name().display().to_string(),
            records,
            number,
            unmatched: unmatched.into_iter(),
            schema: Arc::clone(schema),
            next_record: 0,
            ready: VecDeque::new(),
            done: false,
        })
    }

    fn refill(&mut self) -> Result<(), ReadError> {
        let raws = gather(&mut self.records)?;
        if raws.is_empty() {
            match self.unmatched.next() {
                None => self.done = true,
                Some(unmatched) => {
                    let entries = self.log.unmatched(&unmatched);
                    self.log.check()?;
                    self.ready.push_back(Ready::More { record: self.next_record, item: 0, entries });
                    self.next_record += 1;
                }
            }
            return Ok(());
        }
        let read: Vec<(Vec<Found>, Option<Entries>)> = raws
            .into_par_iter()
            .flat_map_iter(|raw| self.log.read(raw, &self.name))
            .map(|Reading { parts, rest, .. }| {
                (parts.into_iter().filter_map(|part| self.log.found(part)).collect(), rest)
            })
            .collect();
        self.log.check()?;
        for (found, rest) in read {
            let (record, item) = (self.next_record, found.len() as u64);
            self.next_record += 1;
            let rows = (0..).zip(found).filter_map(|(item, found)| self.record(record, item, found));
            let rows = rows.collect();
            self.ready.push_back(Ready::Rows(rows));
            if let Some(entries) = rest {
                self.ready.push_back(Ready::More { record, item, entries });
            }
        }
        Ok(())
    }

    fn record(&self, record: u64, item: u64, found: Found) -> Option<Record> {
        let name = || format!("{}#{record}", self.name);
        let found = match found {
            Found::Item(..) if self.log.repeats((self.number, record)) => {
                Found::Skipped(Skip::Repeated.as_str())
            }
            found => found,
        };
        let (sample, skipped, unread) = match found {
            Found::Item(mut item, mut unread) => {
                if let Ok(Sample { place: Some(place), .. }) = &mut *item {
                    place.transcript_id.get_or_insert_with(|| name().into());
                }
                unread.iter_mut().for_each(|unread| unread.name(name));
                (Some(*item), None, unread)
            }
            Found::Skipped(why) if self.log.with_skipped() => (None, Some(why), None),
            Found::Skipped(_) => return None,
        };
        let read = sample.as_ref().and_then(|item| item.as_ref().ok());
        let about = match &unread {
            Some(unread) => unread.about(),
            None => read.and_then(|sample| sample.origin.about.as_deref()),
        };
        let known = |name: &str| match name {
            "record" => Json::Number(record.into()),
            "item" => Json::Number(item.into()),
            samples::SKIPPED => skipped.map_or(Json::Null, Json::from),
            name => match &unread {
                Some(unread) => unread.cell(name),
                None => samples::cell(read, name),
            },
        };
        let own = self.schema.names().zip(&self.is_beside);
        // What a record does not say is no null of its own.
        let mut cells: Vec<Option<Json>> =
            own.map(|(name, beside)| Some(known(name)).filter(|cell| !beside || !cell.is_null())).collect();
        let mut others = Vec::new();
        for (key, value) in about.into_iter().flat_map(Object::iter) {
            match self.places.get(key) {
                Some(&place) if !matches!(cells[place], None | Some(Json::Null)) => {}
                Some(&place) => cells[place] = Some(value.clone()),
                None => others.push((key.to_owned(), value.clone())),
            }
        }
        if let Some(place) = self.schema.other_keys().filter(|_| !others.is_empty()) {
            cells[place] = Some(Json::Object(others.into_iter().collect()));
        }
        Some(Record { cells, item: sample })
    }
}

impl Iterator for LogRows {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut rows: Vec<Record> = Vec::new();
        while rows.len() < SLICE_ROWS {
            match self.ready.pop_front() {
                Some(Ready::Rows(more)) => rows.extend(more),
                Some(Ready::More { record, item, mut entries }) => {
                    let (next, _) = some_of(&mut entries);
                    if next.is_empty() {
                        continue;
                    }
                    let found: Vec<Found> =
                        next.into_par_iter().filter_map(|entry| self.log.found(Part::Entry(entry))).collect();
                    let end = item + found.len() as u64;
                    rows.extend(
                        (item..).zip(found).filter_map(|(item, found)| self.record(record, item, found)),
                    );
                    self.ready.push_front(Ready::More { record, item: end, entries });
                    // Long conversations: better a small slice than a large one.
                    if !rows.is_empty() {
                        break;
                    }
                }
                None if self.done || !rows.is_empty() => break,
                None => {
                    if let Err(error) = self.refill() {
                        self.done = true;
                        return Some(Err(error));
                    }
                }
            }
        }
        let batch = Batch { schema: Arc::clone(&self.schema), rows: Rows::Records(rows) };
        (!batch.is_empty()).then_some(Ok(batch))
    }
}
