//! Transcripts of one id that differ, and turns that are copies of another session's: known from the one way through all inputs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::{self, Json};
use crate::normalize::logs::{Entry, Print, Skip, Turn};
use crate::table::cell;

/// The transcripts of all inputs, and the first place of each turn that sessions may copy.
#[derive(Debug, Default)]
pub(super) struct Transcripts {
    /// Of each id, what stands for the transcripts that have it, in the order in which they come.
    named: HashMap<u64, Vec<u64>>,
    /// Of what stands for a turn and all before it, the session that it is a turn of.
    owners: HashMap<u64, u64>,
}

/// What is noted of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// Stands for its transcript's id.
    id: u64,
    transcript: u64,
    copied: Option<u64>,
}

impl Seen {
    pub(super) fn of(turn: &Turn) -> Option<Seen> {
        let (id, Print { transcript, copied, .. }) = turn.print()?;
        let mut hasher = DefaultHasher::new();
        id?.hash(&mut hasher);
        Some(Seen { id: hasher.finish(), transcript, copied })
    }
}

impl Transcripts {
    /// Takes note of a turn.
    pub(super) fn note(&mut self, seen: Seen) {
        let all = self.named.entry(seen.id).or_default();
        if all.last() != Some(&seen.transcript) && !all.contains(&seen.transcript) {
            all.push(seen.transcript);
        }
        if let Some(copied) = seen.copied {
            self.owners.entry(copied).or_insert(seen.id);
        }
    }

    /// A turn, or that it repeats another session's, which is judged there.
    pub(super) fn copied(&self, turn: Box<Turn>) -> Entry {
        let owner = Seen::of(&turn).and_then(|seen| Some((seen.id, *self.owners.get(&seen.copied?)?)));
        match (owner, turn.print()) {
            (Some((id, owner)), Some((_, print))) if id != owner => {
                Entry::NotTaken(Skip::Repeated, print.calls)
            }
            _ => Entry::Turn(turn),
        }
    }

    /// Names a turn's transcript anew if another one has its id.
    pub(super) fn name(&self, turn: &mut Turn) {
        let Some(seen) = Seen::of(turn) else { return };
        let all = self.named.get(&seen.id).map_or(&[][..], Vec::as_slice);
        if all.len() > 1
            && let Some(at) = all.iter().position(|other| *other == seen.transcript)
        {
            turn.number(at + 1);
        }
    }
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
