//! Transcripts of one id that differ, and turns that are copies of another session's: known from the one way through all inputs.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::{self, Json};
use crate::normalize::logs::{Entry, Print, Skip, Turn};
use crate::table::cell;

/// The transcripts of all inputs, and the first place of each turn that sessions may copy.
#[derive(Debug, Default)]
pub(super) struct Transcripts {
    /// Of each id, what stands for the transcripts that have it, and the place of each in the order in which they come.
    named: HashMap<u64, HashMap<u64, usize>>,
    /// Of what stands for a turn and all before it, the session that it is a turn of.
    owners: HashMap<u64, Owner>,
    /// Transcripts that begin with another one of their id: the same conversation, logged once more.
    continued: HashSet<u64>,
}

/// The session that a turn was met in first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    id: u64,
    transcript: u64,
    source: u64,
    next: Option<u64>,
}

impl Owner {
    /// Whether another session has the same turn: what came next, where both know it, is the same.
    fn is_copied_by(&self, seen: &Seen) -> bool {
        let other = (self.id, self.transcript, self.source) != (seen.id, seen.transcript, seen.source);
        let differs = matches!((self.next, seen.next), (Some(own), Some(next)) if own != next);
        other && !differs
    }
}

/// What is noted of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// Stands for its transcript's id.
    id: u64,
    transcript: u64,
    source: u64,
    copied: Option<u64>,
    next: Option<u64>,
    calls: usize,
}

impl Seen {
    /// How many calls the turn makes.
    pub(super) fn calls(self) -> usize {
        self.calls
    }

    fn owner(self) -> Owner {
        Owner { id: self.id, transcript: self.transcript, source: self.source, next: self.next }
    }

    pub(super) fn of(turn: &Turn) -> Option<Seen> {
        let (id, Print { transcript, source, copied, next, calls }) = turn.print()?;
        Some(Seen { id: hashed(id?), transcript, source, copied, next, calls })
    }
}

impl Transcripts {
    /// Takes note of a turn; tells whether it repeats another session's.
    pub(super) fn note(&mut self, seen: Seen) -> bool {
        let mut repeats = false;
        if let Some(copied) = seen.copied {
            let owner = *self.owners.entry(copied).or_insert(seen.owner());
            repeats = owner.is_copied_by(&seen);
            if owner.id == seen.id && owner.transcript != seen.transcript && repeats {
                self.continued.insert(seen.transcript);
            }
        }
        if !self.continued.contains(&seen.transcript) {
            let all = self.named.entry(seen.id).or_default();
            let next = all.len();
            all.entry(seen.transcript).or_insert(next);
        }
        repeats
    }

    /// A turn, or that it repeats another session's, which is judged there.
    pub(super) fn copied(&self, turn: Box<Turn>) -> Entry {
        let seen = Seen::of(&turn);
        let owner = seen.and_then(|seen| Some((seen, self.owners.get(&seen.copied?)?)));
        match (owner, turn.print()) {
            (Some((seen, owner)), Some((_, print))) if owner.is_copied_by(&seen) => {
                Entry::NotTaken(Skip::Repeated, print.calls)
            }
            _ => Entry::Turn(turn),
        }
    }

    /// Names a turn's transcript anew if another one has its id.
    pub(super) fn name(&self, turn: &mut Turn) {
        let Some((seen, (Some(id), _))) = Seen::of(turn).zip(turn.print()) else { return };
        let Some(all) = self.named.get(&seen.id).filter(|all| all.len() > 1) else { return };
        let Some(at) = all.get(&seen.transcript) else { return };
        // Another transcript may have that name for its own.
        let mut number = at + 1;
        while number > 1 && self.named.contains_key(&hashed(&format!("{id}~{number}"))) {
            number += all.len();
        }
        turn.number(number);
    }
}

fn hashed(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Where a turn stands that cannot be read.
#[derive(Debug, Clone)]
pub(super) struct Place {
    source_id: Option<String>,
    in_transcript: Option<domain::Place>,
}

impl Place {
    pub(super) fn of(turn: &Turn) -> Place {
        Place { source_id: turn.origin.source_id.clone(), in_transcript: turn.place().cloned() }
    }

    /// What is known for a column.
    pub(super) fn cell(&self, column: &str) -> Json {
        let place = self.in_transcript.as_ref();
        match column {
            "source_id" => cell::text(self.source_id.as_deref()),
            "transcript_id" => cell::text(place.and_then(|place| place.transcript_id.as_deref())),
            "turn" => cell::int(place.map(|place| place.turn.into())),
            "turns" => cell::int(place.map(|place| place.turns.into())),
            _ => Json::Null,
        }
    }

    /// Names the transcript if it has no name.
    pub(super) fn name(&mut self, name: impl FnOnce() -> String) {
        if let Some(place) = &mut self.in_transcript {
            place.transcript_id.get_or_insert_with(|| name().into());
        }
    }
}
