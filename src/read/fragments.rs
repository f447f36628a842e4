//! Fragments of records that other records need, in a temporary file; memory holds only their positions.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::handle::Handle;
use crate::domain::{Json, Object};
use crate::normalize::logs::{FORMATS, Fragment, LogFormat, RelatedRecords};

/// A key's hash: keys themselves may be long, and there may be millions.
type Key = [u8; 16];

/// Stands for "there is no earlier fragment".
const NONE: u64 = u64::MAX;

/// Collects fragments, input by input.
pub(super) struct Collector {
    file: BufWriter<File>,
    end: u64,
    /// The last fragment of each key; every fragment knows the one before.
    last: HashMap<Key, u64>,
}

impl Collector {
    pub(super) fn new() -> io::Result<Collector> {
        Ok(Collector { file: BufWriter::new(tempfile::tempfile()?), end: 0, last: HashMap::new() })
    }

    /// Adds a fragment that a record of `format` in input number `input` holds.
    pub(super) fn add(&mut self, fragment: &Fragment, format: &LogFormat, input: usize) -> io::Result<()> {
        let text = Json::Object(fragment.object.clone()).to_string();
        let before = self.last.insert(key(&fragment.key), self.end).unwrap_or(NONE);
        let number = FORMATS.iter().position(|known| known == format).unwrap_or(0);
        for head in [before, input as u64, number as u64, text.len() as u64] {
            self.file.write_all(&head.to_le_bytes())?;
        }
        self.file.write_all(text.as_bytes())?;
        self.end += 32 + text.len() as u64;
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<Fragments> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Fragments {
            file: Arc::new(file),
            last: self.last,
            asked: Mutex::default(),
            failure: Mutex::default(),
        })
    }
}

/// All fragments of all inputs.
#[derive(Debug)]
pub(super) struct Fragments {
    file: Arc<File>,
    last: HashMap<Key, u64>,
    asked: Mutex<HashSet<Key>>,
    /// Why fragments could not be read, if they could not.
    failure: Mutex<Option<String>>,
}

/// Fragments of one key that no record asked for.
#[derive(Debug, Clone)]
pub(super) struct UnmatchedFragment {
    /// The input of the last of them.
    pub(super) input: usize,
    pub(super) format: &'static LogFormat,
    at: u64,
}

struct Stored {
    before: u64,
    input: usize,
    format: &'static LogFormat,
    text: String,
}

impl Fragments {
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// What nobody has asked for so far, in the order of the inputs.
    pub(super) fn unmatched(&self) -> io::Result<Vec<UnmatchedFragment>> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<u64> =
            self.last.iter().filter(|(key, _)| !asked.contains(*key)).map(|(_, at)| *at).collect();
        places.sort_unstable();
        places
            .into_iter()
            .map(|at| {
                self.stored(at).map(|stored| UnmatchedFragment {
                    input: stored.input,
                    format: stored.format,
                    at,
                })
            })
            .collect()
    }

    pub(super) fn of(&self, unmatched: &UnmatchedFragment) -> Vec<Object> {
        self.read(unmatched.at)
    }

    /// Why fragments could not be read, if they could not: who asks for them has no way to say so.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read(&self, at: u64) -> Vec<Object> {
        self.chain(at).unwrap_or_else(|error| {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            Vec::new()
        })
    }

    /// The fragment at `at` and those of its key before it, the first first.
    fn chain(&self, mut at: u64) -> io::Result<Vec<Object>> {
        let mut objects = Vec::new();
        while at != NONE {
            let stored = self.stored(at)?;
            if let Ok(Json::Object(object)) = Json::parse(&stored.text) {
                objects.push(object);
            }
            at = stored.before;
        }
        objects.reverse();
        Ok(objects)
    }

    fn stored(&self, at: u64) -> io::Result<Stored> {
        let mut file = BufReader::new(Handle::new(Arc::clone(&self.file)));
        file.seek(SeekFrom::Start(at))?;
        let mut head = [0; 8];
        let mut number = || file.read_exact(&mut head).map(|()| u64::from_le_bytes(head));
        let (before, input, format, length) = (number()?, number()?, number()?, number()?);
        let mut text = String::new();
        file.take(length).read_to_string(&mut text)?;
        let format = &FORMATS[usize::try_from(format).unwrap_or(0).min(FORMATS.len() - 1)];
        Ok(Stored { before, input: usize::try_from(input).unwrap_or(usize::MAX), format, text })
    }
}

impl RelatedRecords for Fragments {
    fn find(&self, name: &str) -> Vec<Object> {
        let key = key(name);
        let Some(&at) = self.last.get(&key) else { return Vec::new() };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        self.read(at)
    }
}

fn key(name: &str) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..16]);
    key
}
